"""A. Hori et al., "Time Space Sharing Scheduling and Architectural Support",
1995, Figures 3 to 6: the load of a branch, where a new process goes, and which
partitions are closed."""
from __future__ import annotations

from typing import Any

from tori import Machine, network
from tori._library import check, ffi, lib, made, sized

from . import HORI_1995, Run
from .sheets import Field, Row

CITATION = HORI_1995
WHAT = ("Figures 5 and 6: where a new process goes, and which partitions are "
        "closed")
TAKES = ()
QUICK: dict[str, int] = {}
ANSWER = (
    Field("tree", "Figure 5", list=True, group=(
        Field("node", "the node of the tree", "node"),
        Field("level", "its level", "level"),
        Field("size", "processors of its partition", "processors"),
        Field("processes", "processes in its queue", "processes"),
        Field("load", "virtual processors that its branch needs at once",
              "load"),
        Field("chosen", "whether a new process of 1 goes there",
              "new process"))),
    Field("partitions", "Figure 6", list=True, group=(
        Field("machine", "the machine", "machine"),
        Field("partition", "the partition", "partition"),
        Field("closed", "whether no message leaves it", "closed"),
        Field("escape", "a message that does", "a message that leaves it"))),
)

# Figure 5: the queues of the left branch as the text has them, and a right
# branch that is lighter; its numbers are not in the text.
QUEUES = (0, 3, 2, 1, 2, 2, 1)


# ---- Figure 5 ----

def place_process(tree: Any) -> int:
    """The queues are filled; then a process of one processor comes in. Where
    it goes."""
    went: dict[int, int] = {}

    def on_place(_arg: Any, task: int, node: int, _time: int) -> None:
        went[task] = node

    call = ffi.callback("void(void *, uint32_t, uint32_t, int64_t)", on_place)
    config = sized("tori_gang_config", tree=tree, slot=1000, on_place=call)
    world = made("tori_gang_world", lib.tori_gang_world_create,
                 lib.tori_gang_world_destroy, config)
    task, err = ffi.new("uint32_t *"), ffi.new("tori_error *")
    for node, processes in enumerate(QUEUES):
        for _ in range(processes):
            check(lib.tori_gang_world_put(world, node, lib.TORI_GANG_FOREVER,
                                          task, err), err)
    check(lib.tori_gang_world_run(world, 500, err), err)
    need = ffi.new("tori_gang_need *", {"count": 1})
    check(lib.tori_gang_world_add(world, 600, need, lib.TORI_GANG_FOREVER,
                                  task, err), err)
    check(lib.tori_gang_world_run(world, 5000, err), err)
    return went[task[0]]


def place_of(tree: Any, node: int) -> Any:
    place = ffi.new("tori_gang_place *")
    lib.tori_gang_tree_place(tree, node, place)
    return place


def load_of(tree: Any, node: int) -> int:
    """The load of a branch is what its nodes say: from the leaves up, each is
    told the loads of its subnodes."""
    it = ffi.new("tori_gang_node **")
    out, err = ffi.new("tori_gang_outbox *"), ffi.new("tori_error *")
    check(lib.tori_gang_node_create(tree, node, b"lightest", it, err), err)

    def tell(**message: int) -> None:
        check(lib.tori_gang_node_handle(
            it[0], 0, ffi.new("tori_gang_message *", {"to": node, **message}),
            out, err), err)

    place = place_of(tree, node)
    for task in range(1, QUEUES[node] + 1):
        tell(kind=lib.TORI_GANG_RESUME, task=task,
             **{"from": lib.TORI_GANG_HOST})
    for child in range(place.first, place.first + place.children):
        tell(kind=lib.TORI_GANG_LOAD, load=load_of(tree, child),
             **{"from": child})
    load = int(lib.tori_gang_node_load(it[0]))
    lib.tori_gang_outbox_clear(out)
    lib.tori_gang_node_destroy(it[0])
    return load


def tree_rows() -> list[Row]:
    machine = Machine("mesh:4")
    tree = made("tori_gang_tree", lib.tori_gang_tree_create,
                lib.tori_gang_tree_destroy, machine._c, 2, 1, keep=machine)
    chosen = place_process(tree)
    return [{"node": node, "level": place_of(tree, node).level,
             "size": place_of(tree, node).size, "processes": processes,
             "load": load_of(tree, node), "chosen": node == chosen}
            for node, processes in enumerate(QUEUES)]


# ---- Figure 6 ----

def partition_row(machine: Machine, name: str, part: network.Part) -> Row:
    """Whether a partition is closed."""
    found = network.escape(machine, part)
    row: Row = {"machine": str(machine), "partition": name,
                "closed": found is None, "escape": ""}
    if found:
        src, dst, outside = (",".join(map(str, machine.coords(node)))
                             for node in (found.src, found.dst, found.outside))
        row["escape"] = f"from {src} to {dst}, by {outside}"
    return row


def partition_rows() -> list[Row]:
    """A is an L around the square B, the first 2x2 of a 4x4 mesh."""
    machine = Machine("mesh:4x4")
    around = [node for node in range(16) if max(machine.coords(node)) >= 2]
    return [partition_row(machine, "A, an L around B", around),
            partition_row(machine, "B, a square of 2x2", "0,0/2x2")]


# ---- the entry ----

def compute(run: Run) -> None:
    run.answer = {"tree": tree_rows(), "partitions": partition_rows()}


def judge(run: Run) -> None:
    load = [row["load"] for row in run.answer["tree"]]
    at = next(row["node"] for row in run.answer["tree"] if row["chosen"])
    run.compare("Figure 5", "load of the left node of level 2", "9", load[1],
                load[1] == 9, "another load")
    run.compare("Figure 5", "a new process of 1 goes to",
                "the lighter subnode, until its size",
                f"node {at}, by loads {load[2]} < {load[1]} and {load[6]} < "
                f"{load[5]}",
                load[2] < load[1] and load[6] < load[5] and at == 6,
                "it goes elsewhere")
    for row, printed in zip(run.answer["partitions"], ("open", "closed")):
        ours = "closed" if row["closed"] else "open"
        run.compare("Figure 6", f"partition {row['partition'][0]} of a mesh",
                    printed, ours, ours == printed, f"it is {ours}")
    run.drawing("Figure 1", "processes that share time and space",
                "tori gang table --levels 3 --queues 0:2,1:2,2:1,3:1,4:2")
    run.drawing("Figure 2", "piped processes side by side",
                "tori gang pipe --socket SOCKET -n 4 A '|' -n 2 B")
    run.refuse("Figure 7", "an example of CCCB", "a drawing", "-",
               "it partitions as a hypercube, which is simulated instead")


def show(run: Run) -> None:
    run.say("A queue tree over four processors as in Figure 5: the left branch "
            "has the queues of the text, the right one is lighter.\n")
    run.table("tree")
    run.say("\nThe partitions of Figure 6, with X-Y routing.\n")
    run.table("partitions")
