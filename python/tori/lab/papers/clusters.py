"""M. A. Bender et al., "Communication-Aware Processor Allocation for
Supercomputers", 2005: the best clusters of 2 to 21 points of a grid (Figure 2),
the curve to which they tend (Figure 3), the rectangles of MC (Figure 1), and the
small patches of free nodes that shapes of either kind leave over time
(Section 6).

Each cluster is found and proved twice: by looking at all heights of columns
(tori_points_cluster), and by branch and bound in a square that a best set cannot
leave."""
from __future__ import annotations

import functools
import itertools
import math
from typing import Any, Iterable, Sequence

import numpy

from tori import Allocator, State
from tori.points import choose, cluster

from .. import Workload, simulate
from . import BENDER_2005, Run, estimated, sheets
from .sheets import Field, Row, Shown, estimate

CITATION = BENDER_2005
WHAT = ("Figures 1 to 3: the best clusters of 2 to 21 points of a grid, proved, "
        "the curve to which they tend, and what shapes leave free")
TAKES = ()
QUICK: dict[str, int] = {}
ANSWER = (
    Field("limit", "the mean distance of two points of the best shape of area 1"),
    Field("circle", "the same of a circle"),
    Field("rectangles", "requests of 25 that mc places as rectangles"),
    Field("clusters", "the best clusters", list=True, group=(
        Field("k", "points", "k"),
        Field("sum", "the least sum of distances", "sum"),
        Field("printed", "the same as printed", "printed"),
        Field("average", "the sum over the pairs"),
        Field("average_cut", "the same, cut after three decimals as in the "
              "paper", "average"),
        Field("side", "side of the square that was searched"),
        Field("square", "the square", "square"),
        Field("proved", "whether both searches come to the same", "proved"),
        Field("picture", "the cluster from above, with / between its rows"))),
    Field("curve", "the boundary of the best shape", list=True, group=(
        Field("degrees", "the direction", "degrees"),
        Field("radius", "of the curve around an area of 1", "curve", 4),
        Field("circle", "of a circle of the same area", "circle", 4),
        Field("ratio", "the first over the second", "ratio", 4))),
    Field("patches", "small patches of free nodes", list=True, group=(
        Field("alloc", "the allocator", "allocator"),
        *estimate("small", "patches of up to 4 free nodes, mean over time",
                  title="small patches", decimals=2),
        *estimate("nodes", "the nodes in them", title="nodes in them",
                  decimals=2),
        *estimate("all", "patches of any size", title="all patches",
                  decimals=2),
        *estimate("more", "small patches beyond those of mc1x1, same jobs",
                  title="more than mc1x1", decimals=2))),
)

MESH, SIDE = "mesh:16x16", 16
Point = tuple[int, int]


# ---- Figure 2: the best clusters ----

FIRST, IN_A_ROW = 2, 5
PRINTED = (1, 4, 8, 16, 25, 38, 54, 72, 96, 124, 152, 188, 227, 272, 318, 374,
           433, 496, 563, 632)


def least_columns(k: int, n: int) -> int:
    """The least sum of x-distances with n columns in use: t lines in there are t
    points or more on either side of a line."""
    return sum(min(t, n - t) * (k - min(t, n - t)) for t in range(1, n))


def least_rows(k: int, n: int) -> int:
    """The least sum of y-distances with rows of at most n points, over all
    numbers of points in row after row."""
    least = [0]
    for below in range(1, k + 1):
        least.append(min(least[-n:]) + below * (k - below))
    return least[k]


def side_for(k: int, total: int) -> int:
    """A square in which some best set lies, if one has this sum: with more
    columns or rows every set of k points is above it."""
    side = k
    while side > 1 and least_columns(k, side) + least_rows(k, side) > total:
        side -= 1
    return side


def least_in_square(side: int, k: int) -> int:
    return choose(list(itertools.product(range(side), repeat=2)), k).pairwise


def picture(points: Sequence[Point], rows: Iterable[int]) -> list[str]:
    columns = range(max(x for x, _ in points) + 1)
    return ["".join(" #"[(x, y) in points] for x in columns).rstrip()
            for y in rows]


def rows_of(*clusters: Sequence[Point]) -> range:
    """The rows that they take, from the top down."""
    used = [y for points in clusters for _, y in points]
    return range(max(used), min(used) - 1, -1)


def cluster_row(k: int) -> Row:
    points, total = cluster(k)
    side, pairs = side_for(k, total), k * (k - 1) // 2
    cut = total * 1000 // pairs
    return {"k": k, "sum": total, "printed": PRINTED[k - FIRST],
            "average": total / pairs,
            "average_cut": f"{cut // 1000}.{cut % 1000:03}", "side": side,
            "square": f"{side}x{side}",
            "proved": least_in_square(side, k) == total,
            "picture": "/".join(picture(points, rows_of(points)))}


def mean_average(rows: Sequence[Row]) -> float:
    """The mean of average over the root of k."""
    return float(sum(row["average"] / math.sqrt(row["k"]) for row in rows)
                 / len(rows))


# ---- Figure 3: the curve to which they tend ----

STEPS, ROUNDS = 2000, 30
AT = numpy.arange(STEPS + 1) / STEPS


def integral(of: Any) -> Any:
    return numpy.concatenate(([0.0], numpy.cumsum((of[:-1] + of[1:])
                                                  / (2 * STEPS))))


def inverse(of: Any, values: Any) -> Any:
    """The places at which an integral has these values; near 0 it is like
    x^2."""
    roots, wanted = numpy.sqrt(of), numpy.sqrt(numpy.maximum(values, 0))
    i = numpy.minimum(numpy.searchsorted(roots[1:], wanted, "right"), STEPS - 1)
    return (i + (wanted - roots[i]) / (roots[i + 1] - roots[i])) / STEPS


def boundary() -> Any:
    """The curve is y = w(x) in the first quarter, from (0, 1) to (1, 0). The sum
    of distances to all of a best shape is the same everywhere on its boundary:
    P(x) + P(w(x)) = P(1), because that sum grows by 4 P(x) + 4 P(y) from the
    centre to x, y, where P is the integral of the integral of w. So w follows
    from P and P from w. A circle comes first; each round divides the error by
    some ten."""
    w = numpy.sqrt(1 - AT * AT)
    for _ in range(ROUNDS):
        twice = integral(integral(w))
        w = inverse(twice, twice[-1] - twice)
    return w


def compute_curve(run: Run) -> None:
    w = boundary()
    area = float(4 * integral(w)[-1])
    twice = integral(integral(w))
    # The distances of the first coordinates are half of all.
    sums = integral((4 * integral(AT * w)[-1] + 4 * twice) * 2 * w)
    run.answer["limit"] = float(2 * 2 * sums[-1] / (area * area)
                                / math.sqrt(area))
    run.answer["circle"] = 512 / (45 * math.pi * math.pi) / math.sqrt(math.pi)
    circle = math.sqrt(1 / math.pi)
    run.answer["curve"] = [
        {"degrees": degrees, "radius": radius, "circle": circle,
         "ratio": radius / circle} for degrees, radius in (
             (degrees, radius_of(w, degrees) / math.sqrt(area))
             for degrees in (0.0, 15.0, 30.0, 45.0))]


def radius_of(w: Any, degrees: float) -> float:
    """The distance of the boundary from the centre in a direction."""
    slope = math.tan(degrees * math.pi / 180)
    above = w - slope * numpy.arange(STEPS + 1) / STEPS
    i = next(i for i in range(1, STEPS + 1) if above[i] <= 0 or i == STEPS)
    return float((i - 1 + above[i - 1] / (above[i - 1] - above[i])) / STEPS
                 * math.sqrt(1 + slope * slope))


# ---- Figure 1: rectangles ----

ASKED = list(itertools.product(range(1, 6), repeat=2))


def is_rectangle(a: int, b: int) -> bool:
    """Whether mc places a request on the idle mesh as a rectangle of its
    sides."""
    place = Allocator(MESH, "mc").place(State(MESH), shape=(a, b))
    xs, ys = (sorted(set(at)) for at in divmod(place.nodes, SIDE))
    return (place.count == len(xs) * len(ys) == a * b
            and len(xs) == xs[-1] + 1 - xs[0] and len(ys) == ys[-1] + 1 - ys[0]
            and len(xs) in (a, b))


# ---- Section 6: patches of free nodes ----

ALLOCS = ("mc1x1", "mm", "mm+inc", "hilbert-bf")
SEEDS, JOBS, LOAD, SMALL = 5, 1000, 0.7, 4
LEFT = sum(1 << SIDE * x for x in range(SIDE))  # the nodes of an edge
NOT_LEFT, NOT_RIGHT = ~LEFT, ~(LEFT << SIDE - 1)


def patches(free: int) -> Iterable[int]:
    """How many nodes each patch of connected nodes has; bit i is node i."""
    while free:
        patch, grown = 0, free & -free
        while grown != patch:
            patch = grown
            grown = free & (patch | patch << SIDE | patch >> SIDE
                            | (patch & NOT_RIGHT) << 1 | (patch & NOT_LEFT) >> 1)
        free ^= patch
        yield patch.bit_count()


def sample(case: tuple[str, int], seed: int) -> tuple[float, ...]:
    """Means over time: small patches, the nodes in them, and all patches."""
    alloc, i = case
    sums = [0, 0, 0]

    def count(now: float, until: float, scheduler: Any) -> None:
        long = round((until - now) * 1e6)
        free = int.from_bytes(scheduler.state.free_bits.tobytes(), "little")
        for nodes in patches(free):
            sums[2] += long
            if nodes <= SMALL:
                sums[0] += long
                sums[1] += long * nodes

    result = simulate(MESH, Workload("lublin", MESH, jobs=JOBS, load=LOAD,
                                     seed=seed + i, shapes="count"),
                      policy="fcfs", alloc=alloc, placements=False, quiet=True,
                      watch=count)
    return tuple(it / (result["makespan"] * 1e6) for it in sums)


def patch_rows(samples: Sequence[tuple[float, ...]]) -> Iterable[Row]:
    base = [small for small, _, _ in samples[:SEEDS]]
    for i, alloc in enumerate(ALLOCS):
        small, nodes, every = zip(*samples[i * SEEDS:(i + 1) * SEEDS])
        yield {"alloc": alloc, **estimated("small", small),
               **estimated("nodes", nodes), **estimated("all", every),
               **estimated("more", [a - b for a, b in zip(small, base)])}


# ---- the entry ----

def compute(run: Run) -> None:
    run.answer["clusters"] = [cluster_row(FIRST + i)
                              for i in range(len(PRINTED))]
    compute_curve(run)
    run.answer["rectangles"] = sum(itertools.starmap(is_rectangle, ASKED))
    run.answer["patches"] = list(patch_rows(run.map(
        functools.partial(sample, seed=run.how.seed),
        itertools.product(ALLOCS, range(SEEDS)))))


def judge(run: Run) -> None:
    rows, curve = run.answer["clusters"], run.answer["curve"]
    for row in rows:
        run.compare("Figure 2", f"least sum of {row['k']} points",
                    str(row["printed"]), row["sum"],
                    row["proved"] and row["sum"] == row["printed"],
                    "another sum is proved" if row["proved"]
                    else "no sum is proved")
    run.refuse("Figure 3", "the limit curve beside a circle", "a drawing",
               f"{curve[0]['ratio']:.3f} of its radius on the axes, "
               f"{curve[-1]['ratio']:.3f} between them",
               "its numbers are not in the text")
    limit, half = run.answer["limit"], len(rows) // 2
    few, many = mean_average(rows[:half]), mean_average(rows[half:])
    run.compare("Section 1",
                "distances over the root of k tend to the curve's",
                "better with growing k", f"{few:.4f} up to k = 11, {many:.4f} up "
                f"to 21, curve {limit:.4f}",
                many - limit < few - limit and many > limit, "they do not")
    n = run.answer["rectangles"]
    run.compare("Figure 1, Section 6", "mc on an empty grid",
                "connected rectangles", f"{n} of {len(ASKED)} requests",
                n == len(ASKED), "some are not")
    shells, median, *_, curve = run.answer["patches"]
    run.order("Section 6", "small patches of isolated nodes",
              "avoided by rectangles, not by mm",
              f"{shells['small']:.2f} with mc1x1, {median['small']:.2f} with mm; "
              f"{curve['small']:.2f} with {curve['alloc']}, no rectangles",
              [(median["more"], median["more_half"])], "mm leaves fewer")


def show(run: Run) -> None:
    rows = run.answer["clusters"]
    run.say("The best clusters of k points of a grid: the least sums of distances "
            "over pairs, beside those printed in Bender et al., Figure 2. A sum "
            "is proved if all heights of columns, and branch and bound in a "
            "square that no best cluster leaves, come to the same.\n")
    run.table("clusters")
    for i in range(0, len(rows), IN_A_ROW):
        shown = rows[i:i + IN_A_ROW]
        points = [cluster(row["k"])[0] for row in shown]
        run.lines("\n" + sheets.grid(
            [f"{row['k']}: {row['sum']}" for row in shown], [True] * IN_A_ROW,
            list(zip(*(picture(it, rows_of(*points)) for it in points)))))
    same = sum(row["proved"] and row["sum"] == row["printed"] for row in rows)
    run.lines(f"\n{same} of {len(rows)} sums are proved and as printed.\n")
    run.say("\nThe curve to which they tend, Figure 3: the distance of its points "
            "from the centre, for an area of 1. The mean distance of two points "
            f"is {run.answer['limit']:.4f} within it, "
            f"{run.answer['circle']:.4f} within the circle, and {2 / 3:.4f} "
            "within a square.\n")
    run.table("curve")
    run.say(f"\nPatches of connected free nodes on {MESH}, and small ones, of up "
            f"to {SMALL} nodes: means over time, jobs of the model of Lublin and "
            f"Feitelson, load {LOAD}, first come, first served, {SEEDS} seeds. "
            "The paper speaks of rectangles and of mm; the fewest are left by "
            "hilbert-bf, which gives out pieces of a curve.\n")
    run.table("patches", ["alloc", *(Shown(name, half=f"{name}_half")
                                     for name in ("small", "nodes", "all",
                                                  "more"))])
