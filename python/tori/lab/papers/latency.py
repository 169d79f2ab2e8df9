"""Latency against load of meshes and tori, the curves by which networks are
compared since W. J. Dally, "Performance Analysis of k-ary n-cube Interconnection
Networks", 1990.

A curve is followed upwards in steps of 5 % of a flit per node and cycle, up to
the first load that is saturated; then the last load that is not is found to a
percent."""
from __future__ import annotations

import functools
import itertools
from collections import Counter
from typing import Any, Hashable, Iterable

from tori import Machine
from tori.network import Outcome, TrafficJob, route, traffic

from .. import figures
from . import Run
from .sheets import Field, Row

CITATION = ("W. J. Dally: Performance Analysis of k-ary n-cube Interconnection "
            "Networks. 1990")
WHAT = ("latency against load of messages on 8x8 and 8x8x8, mesh and torus, and "
        "where they saturate (curves of the paper's kind; its networks are "
        "others)")
TAKES = ("limit",)
QUICK = {"limit": 500}
PER_NODE = "flits per node and cycle"
CURVE = (Field("machine", "the machine", "machine"),
         Field("pattern", "who sends to whom", "pattern"),
         Field("network", "routing and channels", "network"))
ANSWER = (
    Field("flits", "flits of a message"),
    Field("cycles", "cycles that were measured"),
    Field("curves", "where each network saturates", list=True,
          sheet="saturation", group=(
              *CURVE,
              Field("saturation", "the highest load at which latency does not "
                    "grow with time", "saturation", 2, PER_NODE),
              Field("most", "the most that arrived at any load",
                    "most accepted", 3, PER_NODE),
              Field("bound", "the load at which the busiest link is always busy "
                    "in dimension order", "bound of dimension order", 3,
                    PER_NODE))),
    Field("points", "latency at each load", list=True, group=(
        *CURVE,
        Field("rate", "the load asked for", "load, %", unit=PER_NODE, scale=100),
        Field("offered", "the load that was offered", unit=PER_NODE),
        Field("accepted", "the load that arrived", unit=PER_NODE),
        Field("latency", "mean latency", unit="cycles"),
        Field("p50", "its median", unit="cycles"),
        Field("p99", "its 99th percentile", unit="cycles"),
        Field("saturated", "whether latency grows with time"),
        Field("shown", "mean latency in cycles, or that it is saturated",
              numeral=True))),
)

SIDE, STEP = 8, 5
FLITS, CYCLES = 8, 10000  # of a message, and of a buffer
PATTERNS = ("random", "transpose")
MACHINES = ("mesh:8x8", "torus:8x8", "mesh:8x8x8", "torus:8x8x8")
NETWORKS: dict[str, dict[str, Any]] = {
    "dimension order, 2 channels": {"vcs": 2},
    "dimension order, 4 channels": {"vcs": 4},
    "adaptive, 4 channels": {"vcs": 4, "routing": "adaptive"}}
PANELS = [(machine, pattern) for pattern in PATTERNS for machine in MACHINES]


# ---- a curve ----

def simulate(case: tuple[str, str, str], cycles: int, seed: int, load: int
             ) -> Outcome:
    machine, pattern, network = case
    job = TrafficJob(range(Machine(machine).nodes), pattern, FLITS,
                     shape=machine.partition(":")[2])
    return traffic(machine, [job], rate=load / 100, warmup=cycles // 2,
                   cycles=cycles, seed=seed, network={
                       "buffer": FLITS, **NETWORKS[network]}).jobs[0]


def point_row(case: tuple[str, str, str], load: int, found: Outcome) -> Row:
    return {**dict(zip(("machine", "pattern", "network"), case)),
            "rate": load / 100, "offered": found.offered,
            "accepted": found.accepted, "latency": found.latency.mean,
            "p50": found.latency.p50, "p99": found.latency.p99,
            "saturated": found.saturated,
            "shown": "saturated" if found.saturated
            else f"{found.latency.mean:.1f}"}


def curve(case: tuple[str, str, str], cycles: int, seed: int
          ) -> tuple[Row, list[Row]]:
    """A curve, and its points."""
    at: dict[int, Outcome] = {}
    points = []
    for load in range(STEP, 101, STEP):
        at[load] = simulate(case, cycles, seed, load)
        points.append(point_row(case, load, at[load]))
        if at[load].saturated:
            low, high = load - STEP, load
            while high - low > 1:
                load = (low + high) // 2
                at[load] = simulate(case, cycles, seed, load)
                low, high = ((low, load) if at[load].saturated
                             else (load, high))
            break
    machine, pattern, network = case
    return {"machine": machine, "pattern": pattern, "network": network,
            "saturation": max((load / 100 for load, it in at.items()
                               if not it.saturated), default=0.0),
            "most": max(it.accepted for it in at.values()),
            "bound": bound(machine, pattern)}, points


# ---- the bound ----

def bound(name: str, pattern: str) -> float:
    """A node sends everything to one node, or an equal share to each other
    one."""
    machine = Machine(name)
    if pattern == "transpose":  # coordinates backwards
        return 1 / busiest(hop for node in range(machine.nodes)
                           for hop in hops(machine, node,
                                           machine.coords(node)[::-1]))
    if not machine.wraps(0):
        # The middle of each line: from half of it to the other half.
        return (machine.nodes - 1) / (SIDE * machine.nodes / 4)
    # The links in a direction are all alike: each is used as often as the
    # messages of one node go in this direction.
    coords = [machine.coords(node) for node in range(machine.nodes)]
    return (machine.nodes - 1) / busiest(
        tuple((b - a) % SIDE for a, b in zip(coords[at], coords[to]))
        for node in range(machine.nodes) for at, to in hops(machine, 0, node))


def hops(machine: Machine, src: Any, dst: Any) -> Iterable[tuple[int, int]]:
    return itertools.pairwise(route(machine, src, dst))


def busiest(uses: Iterable[Hashable]) -> int:
    return max(Counter(uses).values())


# ---- the entry ----

def compute(run: Run) -> None:
    cycles = run.how.limit or CYCLES
    cases = [(*panel, network) for panel in PANELS for network in NETWORKS]
    curves, points = zip(*run.map(
        functools.partial(curve, cycles=cycles, seed=run.how.seed), cases))
    run.answer = {"flits": FLITS, "cycles": cycles, "curves": list(curves),
                  "points": list(itertools.chain(*points))}


def points_of(run: Run, *panel: str) -> list[Row]:
    return [row for row in run.answer["points"]
            if (row["machine"], row["pattern"]) == panel]


def judge(run: Run) -> None:
    run.refuse("all figures", "latency against load", "curves",
               f"{len(run.answer['curves'])} curves",
               "its networks are larger, and others")


def show(run: Run) -> None:
    cycles = run.answer["cycles"]
    run.lines(f"Messages of {FLITS} flits, buffers of {FLITS}, wormhole "
              "switching, one flit per cycle and link;\nloads in flits per node "
              f"and cycle; {cycles // 2} cycles of warm-up, then {cycles} "
              "measured.\n\nSaturation: the highest load at which latency does "
              "not grow with time\n")
    run.table("curves")
    for machine, pattern in PANELS:
        run.lines(f"\n{machine}, {pattern}: mean latency in cycles\n")
        run.pivot("points", ["rate"], "network", "shown",
                  points_of(run, machine, pattern))


def draw(run: Run) -> None:
    for machine, pattern in PANELS:
        rows = points_of(run, machine, pattern)
        kind, _, sides = machine.partition(":")
        run.figure(f"{kind}-{sides.count('x') + 1}-{pattern}", figures.Graph(
            f"{machine}, {pattern}", "load, % of a flit per node and cycle",
            "mean latency, cycles", [
                run.line("points", [row for row in rows
                                    if row["network"] == network],
                         "rate", "latency", network) for network in NETWORKS],
            y_most=150))  # the rest is not shown
