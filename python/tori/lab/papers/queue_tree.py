"""A. Hori et al., "Time Space Sharing Scheduling and Architectural Support",
1995.

The paper prints Table 1 and states that utilization is linear in the load, for
all sizes, and stable at 99 %; that the tree may be unfair; and that no node is a
bottleneck. Section 3.1 prefers halves to quarters of a mesh, at the price of
longer ways and hot spots; section 2.2 compares the tree with distributed
hierarchical control (DHC), which schedules threads. Runs are those of `tori gang
sim`."""
from __future__ import annotations

import functools
import json
import math
import subprocess
from dataclasses import astuple, dataclass
from typing import Any, Callable, Iterable, Iterator, Optional

from tori import Failed, Invalid, Machine
from tori._library import SECOND
from tori.gang import Tree, policies

from .. import figures
from . import HORI_1995, Run, estimate, lead, sheets
from .rng import Random
from .sheets import Field, Row, Shown

CITATION = HORI_1995
WHAT = "Table 1, and what time sharing gains and costs beside batch queues"
TAKES = ("limit", "seeds")
QUICK = {"seeds": 2}

SIZES = ("powers", "small", "uniform", "single")
CLASSES = [1 << i for i in range(13)]
WAYS = (
    Field("hops", "hops between two processors, mean", "hops", 2),
    Field("reach", "the most hops", "most"),
    Field("hot", "messages on the busiest link if every processor sends one",
          "busiest link", 2))
POINTS = (
    Field("part", "which table it is for"),
    Field("machine", "the machine", "machine"),
    Field("processors", "its processors"),
    Field("sizes", "how sizes are distributed", "sizes"),
    Field("who", "scheduler and sizes"),
    Field("load", "the offered load, by partitions", "load, %", scale=100),
    Field("sched", "the scheduler", "scheduler"),
    Field("branch", "where new processes go", "branch"),
    Field("switch_cost", "what a switch costs, of a slot", "cost, % of a slot",
          1, scale=100),
    Field("slot", "how long a slot is", unit="s"),
    Field("offered", "the offered load that was measured"),
    Field("utilization", "processors that jobs asked for, of all", decimals=2,
          scale=100),
    Field("held", "processors in partitions that jobs hold, of all",
          "utilization", 2, scale=100),
    Field("held_half", "half of the 95 % interval of held"),
    Field("response", "mean response", "response", 1, "slots"),
    Field("wait", "mean wait", "wait", 1, "slots"),
    Field("slowdown", "mean slowdown", "slowdown", 2),
    Field("slowdown_half", "half of the 95 % interval of slowdown"),
    Field("slowdown_p99", "the 99th percentile of slowdown", "p99", 1),
    Field("spread", "the largest mean slowdown of a size over the least",
          "largest/least", 2),
    Field("fairness", "Jain's index of the mean slowdowns of sizes", "fairness",
          3),
    Field("arrivals", "jobs per slot"),
    Field("root", "messages per slot of the root"),
    Field("busiest", "messages per slot of the busiest node"),
    Field("average", "messages per slot of a node, in the mean"),
    Field("switches", "switches per turn", "switches a turn", 2),
    Field("switch_most", "the most that a switch costs", unit="s"),
    Field("drain", "the same, of a slot", "cost at most, % of a slot", 2,
          scale=100),
    Field("jobs_s", "jobs per second", "jobs/s", 2),
    Field("root_s", "messages per second of the root", "root", 1),
    Field("busiest_s", "messages per second of the busiest node", "busiest", 1),
    Field("average_s", "messages per second of a node, in the mean", "average",
          1),
    Field("root_job", "messages per job of the root", "root per job", 1),
    Field("busiest_job", "messages per job of the busiest node",
          "busiest per job", 1),
    Field("busiest_time", "the part of its time that the busiest node takes for "
          "messages of 10 us", "busiest's time, %", 3, scale=100),
    *(Field(f"slowdown_{size}", "mean slowdown of jobs of up to this many "
            "processors, 0 if there are none", f"{size}", 2)
      for size in CLASSES),
    Field("utilization_half", "half of the 95 % interval of utilization"),
    Field("degree", "parts of a partition", "degree"),
    Field("hops", "hops between two processors of a job's partition, mean; 0 "
          "except for degrees", "hops", 2),
    Field("reach", "the most hops there", "most", 2),
    Field("hot", "messages on its busiest link if every processor sends one",
          "busiest link", 2))
ANSWER = (
    Field("seeds", "how many seeds"),
    Field("jobs", "jobs of a run; null without --limit: as many as it takes"),
    Field("table1_same", "cells of Table 1 that are as printed"),
    Field("table1_cells", "cells of Table 1"),
    Field("points", "what was run", list=True, group=POINTS),
    Field("costs", "what the network adds to a switch", list=True, group=(
        Field("processors", "processors of a partition of a hypercube",
              "processors"),
        Field("cycles", "cycles that the network adds to a switch", "cycles"),
        Field("us", "the same at 50 MHz", "us at 50 MHz", 2, "us"))),
    Field("partitions", "the ways in partitions of 8x8", list=True, group=(
        Field("degree", "parts of a partition", "degree"),
        Field("processors", "processors of a partition", "processors"),
        Field("box", "the partition", "partition"), *WAYS,
        Field("hops_square", "hops over those of a square of as many processors",
              "hops/square", 2),
        Field("hot_square", "the busiest link over that of a square",
              "busiest/square", 2))),
    Field("threads", "the tree beside DHC", list=True, group=(
        Field("sizes", "how sizes are distributed", "sizes"),
        Field("degree", "parts of a partition", "degree"),
        Field("used", "the part of its processors on which a job has a thread",
              "used by threads, %", scale=100),
        Field("busy", "the part of the processors held that has something to "
              "do, in the tree", "busy, of held, %", 1, scale=100),
        Field("lifetime", "DHC does more if threads live longer than this, in "
              "times that it takes to schedule one; null: never",
              "DHC does more from", 1))),
)

SEEDS = 5  # if the number is not given
SERVICE, WARM_UP = 10, 0.1  # slots, in the mean; of the jobs
SLOT = 0.1  # seconds: 1995's and today's time sharing
MESSAGE_COST = 10e-6  # seconds of a node, to see what share of its time that is
STEADY = 90  # percent: above this, runs are long
LARGE = 512  # processors
LEAST_JOBS, MOST_JOBS = 20000, 1000000
DEGREES = (2, 4)
# The network of doc/experiments/preemption.md.
NETWORK, CLOCK = {"switching": "cut-through", "vcs": 2, "buffer": 16}, 50


# ---- what is run ----

@dataclass(frozen=True)
class Point:
    """Something to run, with each seed. The load is in percent, what a switch
    costs in thousandths of a slot; with `drain` the network adds to that."""

    part: str
    machine: str = "mesh:8x8"
    sizes: str = "powers"
    load: int = 90
    sched: str = "gang"
    branch: str = "lightest"
    degree: int = 2
    switch_cost: int = 0
    drain: bool = False
    slot: float = SLOT

    @property
    def processors(self) -> int:
        return Machine(self.machine).nodes

    @property
    def run(self) -> Any:
        """Points that have it in common are the same run: the tree does not
        depend on how the machine is wired. Ways do."""
        if self.drain or self.part == "degrees":
            return self
        return (self.processors, *astuple(self)[2:])

    @property
    def variable(self) -> bool:
        """Whether a few jobs hold much of a large machine, so that results vary
        from run to run, and a verdict rests on them."""
        return (self.part == "scale" and self.sizes in ("powers", "small")
                and self.processors >= LARGE)


def points() -> Iterator[Point]:
    for load in (*range(10, 91, 10), 95, 99):
        # Batch schedulers have powers of two at all loads, and the other sizes
        # at 90 %.
        for sizes in SIZES:
            batch = ("fcfs", "easy") * (sizes == "powers" or load == 90)
            for sched in ("gang", *batch):
                yield Point("loads", sizes=sizes, load=load, sched=sched)
    for machine in ("mesh:2^3", "mesh:2^9", "mesh:2^12"):  # beside the 64 above
        for load in (50, 90, 99):
            for sizes in SIZES:
                yield Point("scale", machine, sizes, load)
    for branch in policies():
        for load in (50, 90, 99):
            yield Point("branches", sizes="small", load=load, branch=branch)
    for cost in (0, 5, 10, 20, 50, 100):
        yield Point("switches", switch_cost=cost)
    for divisor in (1, 10, 100, 500):
        yield Point("drains", "mesh:2^6", drain=True, slot=SLOT / divisor)
    for log in range(3, 13):
        for sizes in ("small", "single"):
            yield Point("machines", f"mesh:2^{log}", sizes)
    for sizes in SIZES:
        for degree in DEGREES:
            yield Point("degrees", sizes=sizes, degree=degree)


# ---- the jobs ----

def draw_size(rng: Random, sizes: str, nodes: int) -> int:
    """As `tori gang sim` draws it."""
    most = nodes.bit_length() - 1
    if sizes == "powers":
        return 1 << rng.below(most + 1)
    if sizes == "small":
        return 1 << most - (rng.below((2 << most) - 1) + 1).bit_length() + 1
    return rng.below(nodes) + 1 if sizes == "uniform" else 1


def drawn(sizes: str, nodes: int, seed: int, n: int) -> Iterator[int]:
    rng = Random(seed, 41)
    return (draw_size(rng, sizes, nodes) for _ in range(n))


@functools.cache
def enough_jobs(sizes: str, nodes: int, degree: int, load: int) -> int:
    """About how many jobs it takes until results do not depend on the length of
    the run, as `tori gang sim` has it: enough for one that is 200 times as long
    as a job, and ten times as long as a queue at this load remembers. That is
    E w^2 / E w / (1 - load)^2, the relaxation time of a single server; w is the
    partition's part of the machine times an exponential run time."""
    first, second, draws = moments(sizes, nodes, degree)
    share = load / 100
    memory = (2 * SERVICE * second / first / nodes / (1 - share)**2)
    slots = max(200 * SERVICE, 10 * memory)
    # Slots are rounded up, half of one in the mean.
    n = slots * share * nodes / (first / draws * (SERVICE + 0.5))
    return int(min(max(n, LEAST_JOBS), MOST_JOBS))


@functools.cache
def moments(sizes: str, nodes: int, degree: int) -> tuple[int, int, int]:
    """Sums of partitions and of their squares, and of how many."""
    draws = 1 << 16
    first = second = 0
    for size in drawn(sizes, nodes, 1, draws):
        held = nodes
        while held >= size * degree:
            held //= degree
        first += held
        second += held * held
    return first, second, draws


def jobs_of(point: Point, how: Any) -> Optional[int]:
    """How many jobs a run has; None: enough. In short runs, variable points
    have all of them, where that does not take long."""
    if not how.quick:
        return how.limit or None
    steady = point.load <= STEADY
    tenths = (10 if steady else 2) if point.variable else 2 if steady else 1
    n = enough_jobs(point.sizes, point.processors, point.degree, point.load)
    return max(n * tenths // 10, LEAST_JOBS)


# ---- simulations ----

def words_of(point: Point, n: Optional[int], seed: int) -> Iterator[str]:
    for name, value in (
            ("machine", point.machine), ("load", point.load / 100),
            ("sizes", point.sizes), ("service", SERVICE), ("warm-up", WARM_UP),
            ("seed", seed), ("sched", point.sched), ("branch", point.branch),
            ("degree", point.degree), ("slot", point.slot), ("jobs", n),
            ("switch-cost", point.slot * point.switch_cost / 1000),
            ("switch-model", "drain" if point.drain else "none")):
        if value is not None:
            yield f"--{name}={value}"


def sample(case: tuple[Point, int], how: Any) -> Row:
    """A run."""
    point, seed = case
    done = subprocess.run(
        [how.tori, "gang", "sim", "--json",
         *words_of(point, jobs_of(point, how), seed)],
        capture_output=True, text=True, check=False)
    if done.returncode:
        why = done.stderr.removeprefix("tori: ").rstrip("\n")
        raise (Invalid if done.returncode == Invalid.status else Failed)(why)
    answer = json.loads(done.stdout)
    ran, window = answer["schedulers"][0], answer["window"]
    slots = (round((window["end"] - window["begin"]) * SECOND) / SECOND
             / point.slot)
    messages = ran.get("messages", {"root": 0, "busiest": 0, "total": 0})
    means = {name: ran[name] for name in ("offered", "utilization", "held",
                                          "spread", "fairness")}
    means |= {
        "response": ran["response"]["mean"] / point.slot,
        "wait": ran["wait"]["mean"] / point.slot,
        "slowdown": ran["slowdown"]["mean"],
        "slowdown_p99": ran["slowdown"]["p99"],
        "arrivals": ran["jobs"] / slots, "root": messages["root"] / slots,
        "busiest": messages["busiest"] / slots,
        "average": messages["total"] / slots / (2 * point.processors - 1),
        "switches": ran["switches"] / ran["turns"] if ran.get("turns") else 0.0,
        "switch_most": ran.get("switch_cost", {"most": 0.0})["most"]}
    by_size = {it["size"]: it["slowdown"] for it in ran["classes"]}
    means |= {f"slowdown_{size}": by_size.get(size, 0.0) for size in CLASSES}
    if point.part != "degrees":
        return {**means, **dict.fromkeys(("hops", "reach", "hot"), 0.0)}
    return means | ways_of_jobs(point, seed, answer["arrivals"])


# ---- the ways in partitions (section 3.1) ----

@functools.cache
def partitions(machine: str, degree: int) -> list[Row]:
    """The first partition of every level; all of a level are alike on 8x8."""
    found: list[Row] = []
    tree = Tree(machine, degree)
    for part in map(tree.__getitem__, range(len(tree))):
        if part.level == len(found):
            found.append({"degree": degree, **ways(part.box.split("/")[1])})
    return found


def ways(box: str) -> Row:
    """All pairs of processors alike, dimension by dimension. On a link, those
    messages meet that come from before it and go beyond it: most of them in the
    middle of the longest line."""
    sides = [int(side) for side in box.split("x")]
    n = math.prod(sides)
    root, found = math.sqrt(n), {"hops": 0.0, "reach": 0.0, "hot": 0.0}
    for side in sides if n > 1 else ():
        half = side // 2
        found["hops"] += n / (n - 1) * (side * side - 1) / (3 * side)
        found["reach"] += side - 1
        found["hot"] = max(found["hot"],
                           half * (side - half) * n / side / (n - 1))
    return {"processors": n, "box": box, **found,
            "hops_square": found["hops"] * 3 / (2 * root)
            if n > 1 else math.nan,
            "hot_square": found["hot"] * 4 * (n - 1) / (n * root)
            if n > 1 else math.nan}


def ways_of_jobs(point: Point, seed: int, n: int) -> Row:
    """The mean over jobs of the ways in their partitions."""
    found = {"hops": 0.0, "reach": 0.0, "hot": 0.0}
    levels = partitions(point.machine, point.degree)
    for size in drawn(point.sizes, point.processors, seed, n):
        level = next(it for it in reversed(levels) if it["processors"] >= size)
        for name in found:
            found[name] += level[name] / n
    return found


# ---- rows ----

def row_of(point: Point, samples: list[Row]) -> Row:
    """Means over seeds, and halves of their intervals."""
    row: Row = {"part": point.part, "machine": point.machine,
                "processors": point.processors, "sizes": point.sizes,
                "who": f"{point.sched}, {point.sizes}",
                "load": point.load / 100, "sched": point.sched,
                "branch": point.branch, "degree": point.degree,
                "switch_cost": point.switch_cost / 1000, "slot": point.slot}
    for name in samples[0]:
        row[name], row[f"{name}_half"] = estimate([it[name] for it in samples])
    row["drain"] = row["switch_most"] / point.slot
    row["jobs_s"] = row["arrivals"] / SLOT
    for node in ("root", "busiest", "average"):
        row[f"{node}_s"] = row[node] / SLOT
        row[f"{node}_s_half"] = row[f"{node}_half"] / SLOT
        row[f"{node}_job"] = row[node] / row["arrivals"]
    row["busiest_time"] = row["busiest_s"] * MESSAGE_COST
    return row


def threads_of(row: Row) -> Iterator[Row]:
    """A processor of the tree is idle if its job did not ask for it, or has no
    thread there; one of DHC only while threads are scheduled. If that takes o
    and a thread lives for t, DHC is busy for t/(t + o)."""
    for used in (1.0, 0.75, 0.5):
        busy = row["utilization"] / row["held"] * used
        yield {"sizes": row["sizes"], "degree": row["degree"], "used": used,
               "busy": busy,
               "lifetime": busy / (1 - busy) if busy < 0.999 else math.nan}


def switch_costs() -> list[Row]:
    """The network's part of a switch on the largest hypercube: the first
    partition of every level."""
    cycles = Tree("mesh:2^12").switch_cycles(NETWORK)
    return [{"processors": size, "cycles": int(n), "us": int(n) / CLOCK}
            for size in CLASSES for n in [cycles[CLASSES[-1] // size - 1]]]


# Table 1: the movement of the front, node and process, slot by slot.
PRINTED = """
    00 00 00 00  01 01 01 01  10 10 20 20  11 11 50 60  30 40 51 61  30 41 52 60
    00 00 00 00  01 01 01 01  10 10 20 20  11 11 50 61  30 40 51 60  30 41 52 61
""".split()
LENGTHS = (2, 2, 1, 1, 2, 3, 2)  # processes of the seven nodes
PROCESSES = sum(LENGTHS)


def move_front() -> list[tuple[int, int]]:
    """Table 1, as the nodes bring it about."""
    table = Tree("mesh:4").table(LENGTHS, len(PRINTED) // 4)
    return [(int(node), int(process)) for node, process in
            zip(table["node"].flat, table["process"].flat)]


def compute(run: Run) -> None:
    how = run.how
    seeds = how.seeds or SEEDS
    cells = move_front()
    planned = list(points())
    first = {point.run: point for point in reversed(planned)}
    cases = [(point, how.seed + i) for point in first.values() for i in range(
        max(seeds, SEEDS) if how.quick and point.variable else seeds)]
    cases.sort(key=lambda case: planned.index(case[0]))
    samples: dict[Point, list[Row]] = {}
    for (point, _), ran in zip(cases, run.map(
            functools.partial(sample, how=how), cases)):
        samples.setdefault(point, []).append(ran)
    ran_as = [samples[first[point.run]] for point in planned]
    rows = [row_of(*it) for it in zip(planned, ran_as)]
    run.answer = {
        "seeds": seeds, "jobs": float(how.limit) if how.limit else None,
        "cells": cells, "table1_cells": len(PRINTED),
        "table1_same": sum(f"{node}{process}" == printed for (node, process),
                           printed in zip(cells, PRINTED)),
        "points": [{**row, "samples": ran} for row, ran in zip(rows, ran_as)],
        "costs": switch_costs(),
        "partitions": [row for degree in DEGREES
                       for row in partitions("mesh:8x8", degree)],
        "threads": [it for row in rows if row["part"] == "degrees"
                    for it in threads_of(row)]}


# ---- verdicts ----

def some(run: Run, **values: Any) -> list[Row]:
    """Points that have these values; a load is in percent."""
    load = values.pop("load", None)
    return [row for row in run.answer["points"]
            if (load is None or round(100 * row["load"]) == load)
            and all(row[name] == value for name, value in values.items())]


def off(row: Row) -> float:
    """By how many percent of the machine held partitions are off the load."""
    return 100 * abs(float(row["load"] - row["held"]))


def most_off(run: Run, at: Callable[[float], bool]) -> tuple[Row, Row]:
    """The rows of the tree that are the most off, on 64 processors and on
    others."""
    loads, scale = (max((row for row in some(run, part=part, sched="gang")
                         if at(row["load"])), key=off)
                    for part in ("loads", "scale"))
    return loads, scale


def ahead(run: Run, less: tuple[Row, str], more: tuple[Row, str]
          ) -> list[tuple[float, float]]:
    """By how much a value of a point is ahead of one that has the same jobs."""
    one, other = ([it[name] for it in row["samples"][:run.answer["seeds"]]]
                  for row, name in (less, more))
    return [lead(one, other)]


def judge_batch(run: Run) -> None:
    """At the highest load."""
    tree, fcfs, easy = (some(run, part="loads", sched=sched, load=99)[0]
                        for sched in ("gang", "fcfs", "easy"))
    run.order("Section 1", "higher utilization than batch scheduling, fcfs",
              "yes", f"{100 * tree['held']:.0f} % at a load of 99 %, fcfs "
              f"{100 * fcfs['held']:.0f}, easy (not of 1995) "
              f"{100 * easy['held']:.0f}",
              ahead(run, (fcfs, "held"), (tree, "held")), "it is not higher")


def judge_utilization(run: Run) -> None:
    loads, scale = most_off(run, lambda load: load <= 0.905)
    most = loads if off(loads) > off(scale) else scale
    run.number("Section 2.1",
               "utilization linear in the load, for all sizes of jobs",
               "very good linearity",
               f"off by {off(loads):.1f} % at most on 64 processors, "
               f"{off(scale):.1f} ±{100 * scale['held_half']:.1f} on "
               f"{scale['processors']}", (most["load"], most["held"]),
               "it is off the line")
    most = max(most_off(run, lambda load: load >= 0.985)[::-1], key=off)
    run.number("Section 2.1", "stable at a load of 99 %, 8 to 4,096 processors",
               "good stability",
               f"{100 * most['held']:.1f} ±{100 * most['held_half']:.1f} % or "
               "more of the machine is held", (most["load"], most["held"]),
               "part of the load is not taken")


def judge_tree(run: Run) -> None:
    row = some(run, part="loads", sched="gang", sizes="powers", load=50)[0]
    run.order("Section 2.1, Figure 4", "smaller processes more often", "may be",
              f"slowdown {row['slowdown_1']:.2f} of 1, "
              f"{row['slowdown_64']:.2f} of 64 processors at 50 %",
              ahead(run, (row, "slowdown_1"), (row, "slowdown_64")),
              "they are not")
    light, turns = (some(run, part="branches", branch=branch, load=50)[0]
                    for branch in ("lightest", "round-robin"))
    run.order("Section 2.1", "shorter response if the tree is balanced", "yes",
              f"{light['response']:.1f} slots at 50 %, {turns['response']:.1f} "
              "if branches take turns",
              ahead(run, (light, "response"), (turns, "response")),
              "it is not shorter")
    busiest = max(100 * row["busiest_time"] for row in some(run, part="scale"))
    run.compare("Section 2", "bottlenecks of a distributed scheduler",
                "avoided", f"busiest node at most {busiest:.1f} % of its time",
                busiest < 100, "a node is overloaded")


def judge_degrees(run: Run) -> None:
    """With uniform sizes; the first is of degree two, the next of four."""
    two, four = some(run, part="degrees", sizes="uniform")
    part = run.answer["partitions"][1]
    run.order("Section 3.1", "degree two best against fragmentation", "yes",
              f"{100 * two['utilization']:.1f} % asked for, "
              f"{100 * four['utilization']:.1f} % with four",
              ahead(run, (four, "utilization"), (two, "utilization")),
              "four is")
    run.compare("Section 3.1",
                "more hops and hot spots with degree two, for a partition",
                "increase", f"{100 * (part['hops_square'] - 1):.0f} and "
                f"{100 * (part['hot_square'] - 1):.0f} % above a square as "
                "large", part["hops_square"] > 1 and part["hot_square"] > 1,
                "they do not")
    run.order("Section 3.1", "more hops with degree two, for a job", "increase",
              f"{two['hops']:.2f}, {four['hops']:.2f} with four",
              ahead(run, (four, "hops"), (two, "hops")),
              "degree four gives it a larger partition")
    idle = two["held"] - two["utilization"]
    run.refuse("Section 2.2", "idle processors and overhead beside DHC",
               "fewer idle, more overhead",
               "DHC ahead if threads live for "
               f"{two['utilization'] / idle:.1f} overheads",
               "no numbers are printed")


def judge(run: Run) -> None:
    same = run.answer["table1_same"]
    run.compare("Table 1, Figure 3", "cells", "48", f"{same} the same",
                same == len(PRINTED), "see the table")
    ran = [*dict.fromkeys(run.answer["cells"])][:PROCESSES]
    slots = run.answer["cells"].index(ran[-1]) // 4 + 1
    run.compare("Section 2.1, Table 1", "slots until every process has run",
                "6", slots, slots == 6, "another number")
    judge_batch(run)
    judge_utilization(run)
    judge_tree(run)
    judge_degrees(run)


# ---- the page ----

SLOWDOWN = Shown("slowdown", half="slowdown_half")
SCHEDULER = ("sched", "response", "wait", SLOWDOWN, "slowdown_p99", "fairness",
             "spread")
MESSAGES = ("jobs_s", "root_s", "busiest_s", "average_s", "root_job",
            "busiest_job", "busiest_time")


def show_points(run: Run, text: str, shown: Iterable[Any], rows: list[Row]
                ) -> None:
    run.lines(f"\n{text}\n")
    run.table("points", shown, rows)


def show_utilization(run: Run) -> None:
    for text, down, across, value, rows in (
            ("Utilization in %: processors in partitions that jobs hold, as the "
             "load is counted\n(printed: linear, stable at 99 %)", ["load"],
             "who", "held", [row for row in some(run, part="loads")
                             if row["sched"] == "gang"
                             or row["sizes"] == "powers"]),
            ("The processors that jobs asked for, of all, in %", ["load"],
             "sizes", "utilization", some(run, part="loads", sched="gang")),
            ("Processors held on machines of 8, 512 and 4,096",
             ["load", "machine"], "sizes", Shown("held", half="held_half"),
             some(run, part="scale"))):
        run.lines(f"\n{text}\n")
        run.pivot("points", down, across, value, rows)


def show_rest(run: Run) -> None:
    powers = some(run, part="loads", sizes="powers")
    for text, shown, rows in (
            ("Response and wait in slots, slowdown, and how alike the mean "
             "slowdowns of sizes are\n(Jain's index; the largest over the "
             "least); powers of two, all alike", ("load", *SCHEDULER), powers),
            ("The same for all sizes at a load of 90 %", ("sizes", *SCHEDULER),
             some(run, part="loads", load=90)),
            ("Mean slowdown by size (printed: smaller processes may be "
             "scheduled more often)", ("load", "sched", *(
                 f"slowdown_{size}" for size in CLASSES[:7])), powers),
            ("Where new processes go; sizes small",
             ("load", "branch", "held", "response", SLOWDOWN, "fairness"),
             some(run, part="branches")),
            ("What a switch costs, at a load of 90 %, powers of two (RWC-1: "
             "below 0.5 ms, that is 0.5 % of\na slot of a tenth of a second; "
             "CM-5: 4 ms, 4 %)",
             ("switch_cost", "held", "response", SLOWDOWN, "switches"),
             some(run, part="switches")),
            ("The network's part alone, on a hypercube of 64 at a load of 90 "
             "%, powers of two: how\nshort slots may be. Costs are rounded up "
             "to microseconds",
             (Shown("slot", "slot, ms", 1, 1000), "drain", "held", "response",
              SLOWDOWN), some(run, part="drains")),
            ("Messages per second, sent and received, with slots of a tenth of "
             "a second; the busiest\nnode's time if a message takes 10 us",
             ("load", "sizes", *MESSAGES),
             some(run, part="loads", sched="gang")),
            ("The same on machines of 8, 512 and 4,096 processors",
             ("machine", "load", "sizes", *MESSAGES),
             some(run, part="scale"))):
        show_points(run, text, shown, rows)


def show(run: Run) -> None:
    how = run.how
    jobs = ("as few jobs as show a steady state" if how.quick
            else f"{how.limit} jobs" if how.limit
            else "as many jobs as it takes for a steady state")
    run.lines("Poisson arrivals, exponential run times of mean 10 slots, "
              f"rounded up to slots; {run.answer['seeds']} seeds\nof {jobs}, "
              "the first and the last tenth not measured;\n64 processors unless "
              "said otherwise." + (" Machines of 512 and more with powers of "
                                   "two\nhave the seeds of a full run, and its "
                                   "jobs up to a load of 90 %." * how.quick)
              + "\n\nTable 1, as the nodes bring it about: "
              f"{run.answer['table1_same']} of 48 cells as printed\n")
    cells = [f"Q{node}({process})" for node, process in run.answer["cells"]]
    run.lines(sheets.grid(
        ["slot", "PE0", "PE1", "PE2", "PE3"], [False] + [True] * 4,
        [[str(i // 4), *cells[i:i + 4]] for i in range(0, len(cells), 4)],
        how.bold))
    show_utilization(run)
    show_rest(run)
    run.lines("\nWhat the network adds to a switch on partitions of a hypercube "
              "of 4,096: a drain at\nits bound, Dmax Lmax + Dmax Hmax, and the "
              "routers saved and restored\n")
    run.table("costs")
    run.lines("\nPrinted: a degree of two is best against fragmentation; on a "
              "2-D mesh, hops increase and\nhot spots appear more easily "
              "(section 3.1). Ours: partitions of 8x8, all pairs alike\n")
    run.table("partitions")
    show_points(run, "Halves or quarters of 8x8 at a load of 90 %, and the ways "
                "in the partitions of jobs",
                ("sizes", "degree",
                 Shown("utilization", "asked for, %", half="utilization_half"),
                 Shown("held", "held, %", half="held_half"), "response",
                 SLOWDOWN, "hops", "reach", "hot"), some(run, part="degrees"))
    run.lines("\nPrinted: DHC leaves no processor idle, and its overhead is "
              "heavy if threads are short\n(section 2.2). Ours: from which "
              "lifetime of threads on DHC does more, in times that it\ntakes to "
              "schedule a thread (blank: never)\n")
    run.table("threads")


def draw(run: Run) -> None:
    def line(title: str, y: str, x: str = "load", **of: Any) -> figures.Line:
        return run.line("points", some(run, **of), x, y, title, f"{y}_half")

    loads = {"part": "loads", "sizes": "powers"}
    run.figure("utilization", figures.Graph(
        "Utilization over offered load, 64 processors", "offered load, %",
        "processors in partitions held, %", [
            *(line(f"{sched}, powers", "held", sched=sched, **loads)
              for sched in ("fcfs", "easy")),
            *(line(f"tree, {sizes}", "held", part="loads", sched="gang",
                   sizes=sizes) for sizes in SIZES)],
        "all that is offered", 100, 100))
    run.figure("slowdown", figures.Graph(
        "Mean slowdown by size, 64 processors", "offered load, %",
        "mean slowdown", [
            line(f"{name}, {size}", f"slowdown_{size}", sched=sched, **loads)
            for name, sched, size in (
                ("fcfs", "fcfs", 1), ("easy", "easy", 1), ("easy", "easy", 64),
                ("tree", "gang", 1), ("tree", "gang", 64))],
        x_most=100, y_most=20))
    run.figure("messages", figures.Graph(
        "Messages per second, load 90 %, slots of 0.1 s", "processors",
        "messages per second", [
            line(f"{node} node, {sizes}", f"{node}_s", "processors",
                 part="machines", sizes=sizes)
            for sizes in ("single", "small")
            for node in ("busiest", "average")], logarithmic=True))
