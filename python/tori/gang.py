"""Time-space sharing by the distributed queue tree (Hori et al., "Time Space
Sharing Scheduling and Architectural Support", 1995). Times are in ticks, or in
slots where it says so."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from ._library import (array_of, check, choice, ffi, formatted, lib,
                       made, pointer_to, read_only, records, sized, value)
from .network import net_config
from .preemption import drain_config
from .place import Machine, Shape, _names, fill_shape, shape_tuple

HOST = int(lib.TORI_GANG_HOST)  # the host of a node, as sender or receiver
FOREVER = int(lib.TORI_GANG_FOREVER)


def policies() -> list[str]:
    """How a new process chooses its branch.

    >>> policies()
    ['lightest', 'lowest', 'round-robin']
    """
    return list(_names(lib.tori_gang_policy_list))


@dataclass(frozen=True)
class Partition:
    """A node of the tree: its partition, and its place among the others."""

    node: int
    parent: Optional[int]  # None: the root
    children: range
    level: int
    size: int
    box: str


def _fill_need(to: Any, need: Union[int, Shape], fixed: bool) -> None:
    if isinstance(need, int):
        to.count = need
        return
    fill_shape(to.shape, need)
    to.count = lib.tori_shape_volume(ffi.addressof(to, "shape"))
    to.fixed = fixed


class Tree:
    """The partitions of a machine: halves of halves, down to `leaf`
    processors; `degree` parts of each.

    >>> tree = Tree("mesh:4x4")
    >>> len(tree), tree.levels, tree[1].box, tree[1].children
    (31, 5, '0,0/2x4', range(3, 5))
    >>> tree.holds("4x2"), tree.holds(17)
    (True, False)
    """

    def __init__(self, machine: Union[str, Machine], degree: int = 2,
                 leaf: int = 1):
        self.machine = Machine(machine)
        self.degree = degree
        self.leaf = leaf
        self._c = made("tori_gang_tree", lib.tori_gang_tree_create,
                       lib.tori_gang_tree_destroy, self.machine._c, degree,
                       leaf, keep=self.machine._c)

    def __reduce__(self) -> Any:
        return Tree, (self.machine, self.degree, self.leaf)

    def __len__(self) -> int:
        return int(lib.tori_gang_tree_nodes(self._c))

    @property
    def levels(self) -> int:
        return int(lib.tori_gang_tree_levels(self._c))

    def __getitem__(self, node: int) -> Partition:
        if not 0 <= node < len(self):
            raise IndexError(node)
        it = ffi.new("tori_gang_place *")
        lib.tori_gang_tree_place(self._c, node, it)
        return Partition(
            node, None if it.parent == lib.TORI_GANG_NONE else it.parent,
            range(it.first, it.first + it.children) if it.children
            else range(0), it.level, it.size,
            formatted(lib.tori_box_format, ffi.addressof(it, "box")))

    def host(self, node: int) -> int:
        """The processor that hosts a node: the first of its partition."""
        if not 0 <= node < len(self):
            raise IndexError(node)
        return int(lib.tori_gang_tree_host(self._c, node))

    def holds(self, need: Union[int, Shape], fixed: bool = False) -> bool:
        """Whether the whole machine is large enough for so many processors, or
        a shape."""
        own = ffi.new("tori_gang_need *")
        _fill_need(own, need, fixed)
        return bool(lib.tori_gang_tree_holds(self._c, own))

    def switch_cycles(self, network: Optional[Mapping[str, Any]] = None,
                      drain: Optional[Mapping[str, Any]] = None) -> Any:
        """What a switch costs in the network of each node's partition, in
        cycles, as an array: to drain, save and restore it. The options are
        those of Network and of its drain.

        >>> Tree("mesh:2x2").switch_cycles(
        ...     {"switching": "cut-through"}).tolist()
        [106, 57, 57, 8, 8, 8, 8]
        """
        own = array_of("uint64_t", len(self))
        err = ffi.new("tori_error *")
        check(lib.tori_gang_switch_cycles(
            self._c, net_config(**(network or {})),
            drain_config(**(drain or {})),
            pointer_to("uint64_t", own), err), err)
        return read_only(own)

    # ---- the movement of the front ----

    def period(self, lengths: Sequence[int]) -> int:
        """Slots in a pass of the root, if each node has so many processes."""
        return int(lib.tori_gang_period(self._c, self._lengths(lengths)))

    def table(self, lengths: Sequence[int], slots: Optional[int] = None
              ) -> Any:
        """The process of each processor in the first slots, or in a pass, as
        a numpy array by slot and processor: `node` whose queue it is in, or
        2**32 - 1 if it is idle, and `process`, its place in the queue.

        >>> Tree("mesh:2").table([1, 2, 1])["node"].tolist()
        [[0, 0], [1, 2], [1, 2]]
        """
        own = self._lengths(lengths)
        slots = self.period(lengths) if slots is None else slots
        nodes = self.machine.nodes
        cells = ffi.new("tori_gang_cell[]", max(slots * nodes, 1))
        err = ffi.new("tori_error *")
        check(lib.tori_gang_table(self._c, own, slots, cells, err), err)
        return records(cells, "tori_gang_cell", slots * nodes,
                       cells).reshape(slots, nodes)

    def _lengths(self, lengths: Sequence[int]) -> Any:
        if len(lengths) != len(self):
            raise ValueError(f"{len(lengths)} lengths of {len(self)} nodes")
        return ffi.new("uint32_t[]", [int(n) for n in lengths])

    def __repr__(self) -> str:
        return f"<Tree of {self.machine}: {len(self)} nodes>"


# ---- a node as a state machine ----

_MESSAGES = [ffi.string(lib.tori_gang_kind_name(i)).decode() for i in
             sorted(ffi.typeof("tori_gang_kind").elements)]


@dataclass(frozen=True)
class Message:
    """A message between nodes, or between a node and its host; see
    tori/gang.h. `kind` is "add_task", "load", "activate", "done", "suspend",
    "resume", "wake", "placed" or "run"."""

    kind: str
    src: int
    dst: int
    task: int = 0
    slot: int = 0
    end: int = 0
    seen: int = 0
    load: int = 0
    accepted: int = 0
    height: int = 0
    shares: int = 0
    count: int = 0
    shape: Optional[tuple[int, ...]] = None
    fixed: bool = False

    @staticmethod
    def _of(it: Any) -> Message:
        return value(Message, it, kind=_MESSAGES[it.kind],
                     src=getattr(it, "from"), dst=it.to, count=it.need.count,
                     shape=shape_tuple(it.need.shape) or None,
                     fixed=it.need.fixed)

    @property
    def _c(self) -> Any:
        it = ffi.new("tori_gang_message *", {
            "kind": choice("kind", _MESSAGES, self.kind), "from": self.src,
            "to": self.dst, "task": self.task, "slot": self.slot,
            "end": self.end, "seen": self.seen, "load": self.load,
            "accepted": self.accepted, "height": self.height,
            "shares": self.shares})
        it.need.count, it.need.fixed = self.count, self.fixed
        if self.shape is not None:
            fill_shape(it.need.shape, self.shape)
        return it


class QueueNode:
    """A node of the tree: messages come in, messages go out.

    >>> node = QueueNode(Tree("mesh:2"), 0)
    >>> out = node.handle(0, Message("add_task", HOST, 0, task=7, count=2))
    >>> [(message.kind, message.dst == HOST) for message in out]
    [('placed', True)]
    >>> node.tasks, node.height
    ([7], 1)
    """

    def __init__(self, tree: Tree, node: int, policy: str = "lightest"):
        self._c = made("tori_gang_node", lib.tori_gang_node_create,
                       lib.tori_gang_node_destroy, tree._c, node,
                       policy.encode(), keep=tree)

    def handle(self, slot: int, message: Message) -> list[Message]:
        """Handle a message in a slot; the messages that follow from it."""
        out = ffi.gc(ffi.new("tori_gang_outbox *"), lib.tori_gang_outbox_clear)
        err = ffi.new("tori_error *")
        check(lib.tori_gang_node_handle(self._c, slot, message._c, out, err),
              err)
        return [Message._of(out.item[i]) for i in range(out.n)]

    def limit(self, child: int, most: int) -> None:
        """The child-th subnode takes no new process of more processors."""
        lib.tori_gang_node_limit(self._c, child, most)

    @property
    def tasks(self) -> list[int]:
        """The processes of its queue, from the next one to run on."""
        return [int(lib.tori_gang_node_task(self._c, i))
                for i in range(lib.tori_gang_node_length(self._c))]

    @property
    def load(self) -> int:
        """Virtual processors of its branch, as far as it knows."""
        return int(lib.tori_gang_node_load(self._c))

    @property
    def height(self) -> int:
        """Slots of a pass, as far as it knows."""
        return int(lib.tori_gang_node_height(self._c))


# ---- a tree with a simulated clock ----

@dataclass(frozen=True)
class Turn:
    """A process runs on the partition of a node, from begin to end."""

    node: int
    task: int
    slot: int
    begin: int
    end: int


class World:
    """A queue tree in simulated time. `slot`, `hop` (of a message to a
    relative) and `switch_cost` are in ticks, and so is `switch_more`, what to
    add at each node. Events are kept: `placed` has the node and time of each
    process, `started` and `finished` the times; with `turns`, every turn.

    >>> world = World(Tree("mesh:2x2"), slot=10)
    >>> first, second = world.add(0, 4, 25), world.add(0, 2, 10)
    >>> world.run()
    >>> world.placed[second], world.finished
    ((1, 0), {1: 20, 0: 35})
    """

    def __init__(self, tree: Tree, *, slot: int, policy: str = "lightest",
                 hop: int = 0, switch_cost: int = 0,
                 switch_more: Optional[Iterable[int]] = None,
                 turns: bool = False):
        self.tree = tree
        self.placed: dict[int, tuple[int, int]] = {}
        self.started: dict[int, int] = {}
        self.finished: dict[int, int] = {}
        self.turns: list[Turn] = []
        more = (ffi.NULL if switch_more is None else ffi.new(
            "int64_t[]", [int(ticks) for ticks in switch_more]))
        if switch_more is not None and len(more) != len(tree):
            raise ValueError(f"switch_more: {len(more)} of {len(tree)} nodes")
        calls = {
            "on_place": ffi.callback(
                "void(void *, uint32_t, uint32_t, int64_t)",
                lambda _arg, task, node, time: self.placed.setdefault(
                    task, (node, time)) and None),
            "on_start": ffi.callback(
                "void(void *, uint32_t, int64_t)",
                lambda _arg, task, time: self.started.update({task: time})),
            "on_finish": ffi.callback(
                "void(void *, uint32_t, int64_t)",
                lambda _arg, task, time: self.finished.update({task: time}))}
        if turns:
            calls["on_turn"] = ffi.callback(
                "void(void *, const tori_gang_turn *)",
                lambda _arg, it: self.turns.append(value(Turn, it)))
        name = ffi.new("char[]", policy.encode())
        config = sized("tori_gang_config", tree=tree._c, policy=name,
                       slot=slot, hop=hop, switch_cost=switch_cost,
                       switch_more=more, **calls)
        self._err = ffi.new("tori_error *")
        self._c = made("tori_gang_world", lambda *rest:
                       lib.tori_gang_world_create(config, *rest),
                       lib.tori_gang_world_destroy,
                       keep=(tree, config, calls, more, name))

    def add(self, time: int, need: Union[int, Shape], runtime: int = FOREVER,
            *, fixed: bool = False) -> int:
        """Add a process that arrives at a time, for so many processors or a
        shape; its number."""
        own = ffi.new("tori_gang_need *")
        _fill_need(own, need, fixed)
        out = ffi.new("uint32_t *")
        check(lib.tori_gang_world_add(self._c, time, own, runtime, out,
                                      self._err), self._err)
        return int(out[0])

    def put(self, node: int, runtime: int = FOREVER) -> int:
        """Put a process into a node's queue now."""
        out = ffi.new("uint32_t *")
        check(lib.tori_gang_world_put(self._c, node, runtime, out, self._err),
              self._err)
        return int(out[0])

    def suspend(self, time: int, task: int) -> None:
        """A process goes to sleep."""
        check(lib.tori_gang_world_suspend(self._c, time, task, self._err),
              self._err)

    def resume(self, time: int, task: int) -> None:
        """A process wakes up."""
        check(lib.tori_gang_world_resume(self._c, time, task, self._err),
              self._err)

    def run(self, until: int = FOREVER) -> None:
        """Simulate all that happens before a time."""
        check(lib.tori_gang_world_run(self._c, until, self._err), self._err)

    def left(self, task: int, time: int) -> int:
        """What a process has left to run at a time."""
        return int(lib.tori_gang_world_left(self._c, task, time))

    def messages(self, node: int) -> int:
        """Messages that a node has sent and received so far."""
        return int(lib.tori_gang_world_messages(self._c, node))

    @property
    def turn_count(self) -> int:
        """Turns of all processes so far."""
        return int(lib.tori_gang_world_turns(self._c))

    @property
    def switch_count(self) -> int:
        """Turns that began with a switch."""
        return int(lib.tori_gang_world_switches(self._c))
