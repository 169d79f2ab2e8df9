"""slice-packer-torus (M. Nanyonga, 2026), a public program about slices of a
16-ary 3-cube: how many of the free nodes can be placed, what a failure costs a
slice, and how often the slice can move. Its experiments are run again here with
our allocators, and then with what it leaves out: rotation, boxes that wrap,
folds, moves of other jobs, and cubes behind switches. The last part asks what
slices a pod of 144 cubes can promise.

Its order of shapes for a number of nodes: the least diameter first, then the
largest bisection, then the lexicographically first; a side of 16 is a ring, any
other a line. It takes the first free box of the first shape that has one. Boxes
do not wrap. Jobs come until one finds no place, or until so many nodes are
busy."""
from __future__ import annotations

import functools
import itertools
import math
from typing import Any, Iterator, NamedTuple, Optional, Sequence

from tori import Allocator, Never, NotNow, Placement, State, room

from . import Run, estimate, estimated, sheets
from .rng import Random
from .sheets import Field, Row, Shown

CITATION = "M. Nanyonga: Slice-packer-torus. 2026"
WHAT = ("slices of a 16-ary 3-cube: free nodes that cannot be placed, and what a "
        "failure costs")
TAKES = ("limit", "seeds")
QUICK = {"seeds": 5}
ANSWER = (
    Field("seeds", "how many seeds each mean is of"),
    Field("trials", "how many trials a seed has for each part of busy nodes"),
    Field("capacity", "free nodes beside the largest slice that can be placed",
          list=True, group=(
              Field("packing", "how jobs are placed", "packing"),
              Field("busy", "jobs come until this part is busy", "busy, %",
                    scale=100),
              *sheets.estimate("free", "free nodes", title="free"),
              *sheets.estimate(
                  "overstated", "the part of the free nodes that the largest "
                  "slice does not have", title="overstated, %", decimals=1,
                  scale=100),
              *sheets.estimate(
                  "gaps", "the part of the trials in which the largest slice has "
                  "fewer nodes than are free", title="trials with a gap, %",
                  scale=100),
              Field("printed", "overstated, as printed", "printed, %",
                    scale=100))),
    Field("losses", "what a failed node costs a slice", list=True, group=(
        Field("where", "which node fails", "where"),
        Field("at", "its coordinates", "node"),
        Field("lost", "nodes that the largest box without it does not have",
              "nodes lost"),
        Field("share", "the same, of all", "of the slice, %", 1, scale=100),
        Field("printed", "as printed", "printed, %", 1, scale=100))),
    Field("rescues", "jobs that go on after a failure", list=True, group=(
        Field("scene", "the jobs before the failure", "jobs"),
        Field("remedy", "where the job may go", "the job goes on"),
        Field("failures", "failures for each seed", "failures"),
        *sheets.estimate("rescued", "of these, how many jobs go on with all "
                         "their nodes", title="rescued", decimals=1),
        Field("printed", "as printed", "printed"))),
    Field("promises", "slices that a pod of 144 cubes can promise", list=True,
          group=(
              Field("cubes", "cubes of a slice", "cubes"),
              Field("slice", "the slice in nodes", "slice"),
              Field("by_count", "slices of 130 cubes", "of 130 cubes"),
              *sheets.estimate(
                  "switched", "slices at once with 95 % confidence, any cubes "
                  "joined", title="switched", decimals=1),
              Field("share", "the same in nodes, of all", "of the pod, %",
                    scale=100),
              *sheets.estimate(
                  "fixed", "the same on a torus of 4x6x6 cubes without switches, "
                  "first fit", title="not switched", decimals=1))),
)

SIDE, CUBE, JOBS = 16, 64, 64  # a cube of nodes; jobs on a machine at the most
NODES = SIDE**3
SIZES = (128, 256, 512, 1024)
SEEDS = 20
TRIALS = 60  # of a share of busy nodes, for each seed

Shape = tuple[int, ...]


# ---- shapes ----

def rank(shape: Shape) -> tuple[int, int, Shape]:
    """The least diameter first, then the largest bisection."""
    diameter = sum(side // 2 if side == SIDE else side - 1 for side in shape)
    bisection = min(math.prod(shape) // side * (2 if side == SIDE else 1)
                    for side in shape if side > 1)
    return diameter, -bisection, shape


@functools.cache
def shapes_of(nodes: int) -> list[Shape]:
    sides = range(1, SIDE + 1)
    return sorted(((x, y, nodes // (x * y)) for x in sides for y in sides
                   if nodes % (x * y) == 0 and nodes // (x * y) <= SIDE),
                  key=rank)


def slice_of(cubes: int, side: int = 4) -> Shape:
    """The slice of whole cubes with sides as equal as can be."""
    shape, d = [side] * 3, 2
    while cubes > 1:
        shape[d] *= 2
        d, cubes = (d + 2) % 3, cubes // 2
    return tuple(shape)


# ---- how jobs are packed ----

class Packing(NamedTuple):
    name: str
    machine: str
    alloc: str
    wrap: bool = False
    folds: bool = False

    def requests(self, nodes: int) -> list[dict[str, Any]]:
        """What a job of so many nodes asks for, in this order."""
        if self.alloc == "cube-best":
            return [{"shape": slice_of(nodes // CUBE), "wiring": "torus"}]
        return [{"shape": shape, "fixed": not self.folds, "wrap": self.wrap}
                for shape in shapes_of(nodes)]


PRINTED = Packing("first box, as printed", f"torus:{SIDE}^3", "first-fit")
SWITCHED = Packing("cubes behind switches", "pod:64/4x4x4", "cube-best")
PACKINGS = (PRINTED,
            Packing("boxes may wrap", f"torus:{SIDE}^3", "first-fit", wrap=True),
            Packing("best-fit", f"torus:{SIDE}^3", "best-fit"),
            Packing("isomorphic", f"torus:{SIDE}^3", "isomorphic", folds=True),
            SWITCHED)


class Ground:
    """A machine with jobs on it."""

    def __init__(self, packing: Packing):
        self.packing = packing
        self.state = State(packing.machine)
        self.alloc = Allocator(self.state.machine, packing.alloc)
        self.places: list[Placement] = []

    def finds(self, **request: Any) -> Optional[Placement]:
        try:
            return self.alloc.place(self.state, **request)
        except (NotNow, Never):
            return None

    def place(self, requests: Sequence[dict[str, Any]]) -> bool:
        """Place a job by the first request that has a place."""
        for request in requests:
            place = self.finds(**request)
            if place is not None:
                self.state.hold(place)
                self.places.append(place)
                return True
        return False

    def fill(self, sizes: Sequence[int], rng: Random, busy: int,
             jobs: int = JOBS) -> None:
        """Place jobs until there are so many, so many nodes are busy, or a job
        finds no place."""
        while (len(self.places) < jobs
               and NODES - self.state.free_count < busy
               and self.place(self.packing.requests(
                   sizes[rng.below(len(sizes))]))):
            pass

    def clear(self) -> None:
        while self.places:
            self.state.release(self.places.pop())


def share_of_nodes(percent: int) -> int:
    return (NODES * percent + 99) // 100


# ---- Finding 2: free nodes and the largest slice ----

# Percent of busy nodes, and of the free nodes that cannot be placed.
LEVELS: tuple[tuple[int, Optional[int]], ...] = (
    (10, 8), (25, None), (40, 20), (55, 30), (70, None), (85, 29))


def largest_slice(cubes: int) -> int:
    """With switches any cubes can be joined: the largest box of up to four free
    cubes along each side."""
    return CUBE * max((x * y * z for x, y, z in
                       itertools.product(range(1, 5), repeat=3)
                       if x * y * z <= cubes), default=0)


def largest_box(ground: Ground) -> int:
    box = ground.state.largest_box(ground.packing.wrap)
    return math.prod(map(int, box.partition("/")[2].split("x"))) if box else 0


def run_levels(packing: Packing, trials: int, seed: int
               ) -> list[tuple[int, int, int]]:
    """At each level, sums over the trials: free nodes, those that can be placed,
    and trials in which these are fewer. Every packing gets the same sizes, as
    far as it places them."""
    ground, sums = Ground(packing), []
    for level, (busy, _) in enumerate(LEVELS):
        rng, found = Random(seed, level), []
        for _ in range(trials):
            ground.fill(SIZES, rng, share_of_nodes(busy))
            free = ground.state.free_count
            placeable = (largest_slice(free // CUBE) if packing == SWITCHED
                         else largest_box(ground))
            found.append((free, placeable, int(placeable < free)))
            ground.clear()
        free, placeable, gaps = map(sum, zip(*found))
        sums.append((free, placeable, gaps))
    return sums


def capacity_rows(results: dict[Any, Any], trials: int) -> Iterator[Row]:
    for packing in PACKINGS:
        seeds = [sums for (part, of, _), sums in results.items()
                 if part is run_levels and of == packing]
        for (busy, printed), level in zip(LEVELS, zip(*seeds)):
            yield {"packing": packing.name, "busy": busy / 100,
                   **estimated("free", [it[0] / trials for it in level]),
                   **estimated("overstated", [1 - it[1] / it[0]
                                              for it in level]),
                   **estimated("gaps", [it[2] / trials for it in level]),
                   "printed": printed / 100 if printed and packing == PRINTED
                   else None}


# ---- Finding 3: what a failure costs a slice ----

PLACES = (("corner", (0, 0, 0), 0.062), ("face", (0, 8, 8), 0.062),
          ("interior", (4, 8, 8), 0.312), ("centre", (8, 8, 8), 0.5))


def lost_nodes(at: Sequence[int]) -> float:
    """The nodes that a 16x16x16 slice loses: up to the failed plane, from the
    nearer face, in the best dimension."""
    return float(min(min(x + 1, SIDE - x) for x in at) * SIDE * SIDE)


def loss_rows() -> Iterator[Row]:
    mean = sum(map(lost_nodes, itertools.product(range(SIDE), repeat=3))) / NODES
    for where, node, lost, printed in (
            *((name, ",".join(map(str, at)), lost_nodes(at), printed)
              for name, at, printed in PLACES),
            ("any: mean", "", mean, None),
            # 63 cubes are a box of 3x3x7.
            ("any, cubes behind switches", "", float(CUBE), None)):
        yield {"where": where, "at": node, "lost": lost, "share": lost / NODES,
               "printed": printed}


# ---- Finding 4: where jobs go on after a failure ----

class Scene(NamedTuple):
    """The jobs before a failure: of 256 nodes to `most`, until so many nodes are
    busy, or 2 to 6 of them."""

    name: str
    failures: int  # for each seed
    busy: int      # percent
    most: int
    printed: float  # jobs that find a place of the same shape


SCENES = (Scene("2 to 6 jobs", 120, 0, 1024, 97.0),
          Scene("25 % busy", 40, 25, 512, 40.0),
          Scene("50 % busy", 40, 50, 512, 40.0),
          Scene("75 % busy", 40, 75, 512, 35.0),
          Scene("95 % busy", 40, 95, 512, 2.0))
STEPS = 20000  # of a search for moves

# Each remedy includes those before it; the last is of another machine.
SAME, MOVES, ENOUGH = ("the same shape elsewhere", "or other jobs move",
                       "as many nodes are free")
BOXES: tuple[tuple[str, dict[str, bool]], ...] = (
    (SAME, {"fixed": True}), ("or rotated", {}), ("or wrapping", {"wrap": True}),
    ("or folded", {"wrap": True, "fold": True}))
ON_CUBES = "cubes behind switches: repaired"
REMEDIES = (*(name for name, _ in BOXES), MOVES, ENOUGH, ON_CUBES)


def remedy_for(ground: Ground, job: int, last: str) -> Optional[str]:
    """The first that helps a job that is off the machine, up to the last."""
    old = ground.places[job]
    shape = tuple(map(int, str(old.box).partition("/")[2].split("x")))
    for name, how in BOXES:
        if ground.finds(shape=shape, count=old.count, **how):
            return name
        if name == last:
            return None
    others = [room.Holder(place, wrap=True)
              for i, place in enumerate(ground.places) if i != job]
    if room.make(ground.state, others, shape, old.count, wrap=True, fold=True,
                 steps=STEPS).found:
        return MOVES
    return ENOUGH if ground.state.free_count >= old.count else None


def fail_node(ground: Ground, rng: Random, switched: bool, last: str
              ) -> Optional[str]:
    """A node of a job fails. The job is off the machine while another place is
    sought, except for a repair. What helps?"""
    job = rng.below(len(ground.places))
    place = ground.places[job]
    node = int(place.nodes[rng.below(place.count)])
    ground.state.set_down(node)
    if switched:
        found = (ON_CUBES if room.repair(ground.state, room.Holder(place),
                                         steps=STEPS).found else None)
        ground.state.set_down(node, False)
        return found
    ground.state.release(place)
    found = remedy_for(ground, job, last)
    ground.state.set_down(node, False)
    ground.state.hold(place)
    return found


def run_scenes(packing: Packing, limit: int, seed: int, last: str = ENOUGH
               ) -> list[dict[str, int]]:
    """Of each scene, how many jobs each remedy helps."""
    ground, counts = Ground(packing), []
    for i, scene in enumerate(SCENES):
        rng, helped = Random(seed, len(LEVELS) + i), dict.fromkeys(REMEDIES, 0)
        for _ in range(failures_of(scene, limit)):
            jobs = JOBS if scene.busy else 2 + rng.below(5)
            busy = share_of_nodes(scene.busy) if scene.busy else NODES + 1
            ground.fill(SIZES[1:SIZES.index(scene.most) + 1], rng, busy, jobs)
            first = fail_node(ground, rng, packing == SWITCHED, last)
            if first == ON_CUBES:
                helped[first] += 1
            elif first:
                for name in REMEDIES[REMEDIES.index(first):-1]:
                    helped[name] += 1
            ground.clear()
        counts.append(helped)
    return counts


def failures_of(scene: Scene, limit: int) -> int:
    return min(limit or scene.failures, scene.failures)


def rescue_rows(results: dict[Any, Any], n: int, limit: int) -> Iterator[Row]:
    for (i, scene), remedy in itertools.product(enumerate(SCENES), REMEDIES):
        packing = SWITCHED if remedy == ON_CUBES else PRINTED
        yield {"scene": scene.name, "remedy": remedy,
               "failures": failures_of(scene, limit),
               **estimated("rescued", [
                   float(results[run_scenes, packing, seed][i][remedy])
                   for seed in range(n)]),
               "printed": scene.printed if remedy == SAME and not limit
               else None}


# ---- what a pod can promise ----

# Google Cloud (Cluster-level reliability for trillion-parameter models on TPUs,
# 2026): 130 of the 144 cubes of a pod are healthy with a confidence of 95 %, by
# a binomial model.
CUBES, HEALTHY, CONFIDENCE = 144, 130, 0.95
PROMISES = 8  # slices of 1, 2, 4, ... 128 cubes
PODS = 200  # sets of healthy cubes, for each seed
FIXED = Packing("not switched", "torus:4x6x6", "first-fit")  # of cubes


def chance_of(n: int, least: int, healthy: float) -> float:
    """How likely it is that at least so many of n cubes are healthy."""
    total, term = 0.0, math.prod([healthy] * n)
    for k in range(n, least - 1, -1):
        total += term
        term *= k / (n - k + 1) * (1 - healthy) / healthy
    return total


@functools.cache
def cube_health() -> float:
    """The health of a cube by which 130 of 144 are healthy with 95 %."""
    low, high = 0.5, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if chance_of(CUBES, HEALTHY, middle) < CONFIDENCE:
            low = middle
        else:
            high = middle
    return high


def count_fixed(ground: Ground, cubes: int) -> int:
    """Slices that can be taken one after the other, by first fit."""
    request = [{"shape": slice_of(cubes, 1), "wrap": True}]
    while len(ground.places) < CUBES and ground.place(request):
        pass
    n = len(ground.places)
    ground.clear()
    return n


def run_promises(packing: Packing, pods: int, seed: int
                 ) -> list[tuple[float, float]]:
    """For each size, the number of slices that all but a twentieth of the pods
    reach, with switches and without."""
    ground = Ground(packing)
    rng = Random(seed, len(LEVELS) + len(SCENES))
    counts: list[tuple[list[int], list[int]]] = [([], [])
                                                 for _ in range(PROMISES)]
    for _ in range(pods):
        for cube in range(CUBES):
            ground.state.set_down(cube, rng.uniform() >= cube_health())
        for i, (switched, fixed) in enumerate(counts):
            switched.append(ground.state.free_count >> i)
            fixed.append(count_fixed(ground, 1 << i))
    at = int(pods * (1 - CONFIDENCE))
    return [(float(sorted(switched)[at]), float(sorted(fixed)[at]))
            for switched, fixed in counts]


def promise_rows(results: dict[Any, Any], n: int) -> Iterator[Row]:
    for i in range(PROMISES):
        switched, fixed = zip(*(results[run_promises, FIXED, seed][i]
                                for seed in range(n)))
        yield {"cubes": 1 << i, "slice": "x".join(map(str, slice_of(1 << i))),
               "by_count": HEALTHY >> i, **estimated("switched", switched),
               "share": estimate(switched)[0] * (1 << i) / CUBES,
               **estimated("fixed", fixed)}


# ---- the entry ----

def run_piece(case: tuple[Any, Packing, int], how: Any, n: int) -> Any:
    part, packing, seed = case
    if part is run_levels:
        return run_levels(packing, min(how.limit or TRIALS, TRIALS),
                          how.seed + seed)
    if part is run_promises:
        return run_promises(packing, min(how.limit or PODS, PODS),
                            how.seed + seed)
    # Verdicts are on moves of the same shape; for other seeds of short runs,
    # these are enough.
    return run_scenes(packing, how.limit, how.seed + seed,
                      ENOUGH if seed < n else SAME)


def compute(run: Run) -> None:
    how = run.how
    n = how.seeds or SEEDS
    trials = min(how.limit or TRIALS, TRIALS)
    parts = [*((run_levels, packing) for packing in PACKINGS),
             (run_scenes, PRINTED), (run_scenes, SWITCHED), (run_promises, FIXED)]
    cases = [(*part, seed) for part in parts for seed in range(n)]
    # Verdicts are on the printed packing, so it has all seeds in short runs.
    cases += [(part, PRINTED, seed) for seed in range(n, seeds_printed(how))
              for part in (run_levels, run_scenes)]
    results = dict(zip(cases, run.map(functools.partial(
        run_piece, how=how, n=n), cases)))
    run.answer = {
        "seeds": n, "trials": trials,
        "capacity": list(capacity_rows(results, trials)),
        "losses": list(loss_rows()),
        "rescues": list(rescue_rows(results, n, how.limit)),
        "promises": list(promise_rows(results, n)),
        "same": [[scenes[i][SAME] for (part, packing, _), scenes
                  in results.items() if part is run_scenes
                  and packing == PRINTED] for i in range(len(SCENES))]}


def seeds_printed(how: Any) -> int:
    """Of the printed packing."""
    return SEEDS if how.quick else how.seeds or SEEDS


def judge(run: Run) -> None:
    for (busy, printed), row in zip(LEVELS, run.answer["capacity"]):
        if printed is not None:
            run.number("Finding 2", "free nodes overstate the largest slice, "
                       f"{busy} % busy, %", str(printed),
                       f"{100 * row['overstated']:.1f} "
                       f"±{100 * row['overstated_half']:.1f}",
                       (row["printed"], row["overstated"]), "another mean")
    corner, _, _, centre, mean, _ = (100 * row["share"]
                                     for row in run.answer["losses"])
    run.compare("Finding 3", "a failure costs a slice, %", "6 to 50",
                f"{corner:.0f} to {centre:.0f}, {mean:.0f} on average",
                (corner, centre) == (6.25, 50), "other geometry")
    # The program asks an operator if there is no place of the same shape. It has
    # one seed; single seeds vary.
    for scene, counts in zip(SCENES, run.answer["same"]):
        part = scene.failures / failures_of(scene, run.how.limit)
        ours = part * estimate(counts)[0]
        run.number("Finding 4", "a move of the same shape exists, of "
                   f"{scene.failures} failures, {scene.name}",
                   f"{scene.printed:.0f}", f"{ours:.1f}", (scene.printed, ours),
                   "it has one seed, and single seeds of ours go from "
                   f"{part * min(counts):.0f} to {part * max(counts):.0f}")


def show(run: Run) -> None:
    run.say(f"Jobs of 128 to 1,024 nodes on 4,096 nodes, {run.answer['seeds']} "
            f"seeds of {run.answer['trials']} trials (of the printed packing "
            f"{seeds_printed(run.how)}); means and 95 % intervals over seeds. "
            "How many of the free nodes the largest slice does not have:\n")

    def spread(name: str) -> Shown:
        return Shown(name, half=f"{name}_half")
    run.table("capacity", ["packing", "busy", spread("free"),
                           spread("overstated"), "printed", spread("gaps")])
    run.say("\nWhat it costs a 16x16x16 slice to be a box again after a "
            "failure:\n")
    run.table("losses")
    run.say("\nA node of a job fails. How many jobs go on with as many nodes "
            "(each line includes those above it; the last one is of another "
            "machine):\n")
    run.table("rescues", ["scene", "remedy", "failures", spread("rescued"),
                          "printed"])
    run.say(f"\nA pod of {CUBES} cubes of {CUBE} nodes, of which {HEALTHY} are "
            "healthy with a confidence of 95 %, so a cube is healthy with "
            f"{cube_health():.4f}. How many slices of a size it can promise at "
            "once with 95 %, with switches and as a fixed torus of 4x6x6 "
            "cubes:\n")
    run.table("promises", ["cubes", "slice", "by_count", spread("switched"),
                           "share", spread("fixed")])
