"""M. Kang et al., "Isomorphic Strategy for Processor Allocation in k-Ary n-Cube
Systems", 2003, sections 2 to 4: the examples of Figures 1 to 8 by the library's
allocators, and Table 1."""
from __future__ import annotations

import functools

from tori import Allocator, NotNow, State
from tori._library import lib
from tori.cubes import Cubes

from . import KANG_2003, Run
from .rng import Random
from .sheets import Field, Row

CITATION = KANG_2003
WHAT = ("Figures 1-8 and Table 1: what requests get, addresses, free lists, and "
        "bounds")
TAKES = ()
QUICK: dict[str, int] = {}
ANSWER = (
    Field("requests", "requests on idle machines", list=True, group=(
        Field("machine", "the machine", "machine"),
        Field("alloc", "the strategy", "strategy"),
        Field("asked", "the request", "request"),
        Field("value", "what is looked at", "looked at"),
        Field("ours", "what it gets", "ours"),
        Field("printed", "the same as printed", "printed"))),
    Field("free_lists", "Figure 4", list=True, group=(
        Field("side", "side of a subcube", "side"),
        Field("free", "free subcubes of that side that are not part of a larger "
              "one", "in the free list"))),
)

# The answer to a request on an idle machine.
GIVEN = (
    ("Figure 1a", "nodes of a slice for 4x4 on 8-ary 3-cube", "torus:8^3", "eb",
     "4x4x1", "64"),
    ("Figure 1b", "nodes for 4x4 by job-based partitioning", "torus:8^3", "etc",
     "4x4x1", "16"),
    ("Section 4.2, Figure 7", "nodes for 2x2x4 on 8-ary 3-cube", "torus:8^3",
     "isomorphic", "2x2x4", "16"),
    ("Figure 6", "box for 2x2x8 on 8-ary 3-cube", "torus:8^3", "isomorphic",
     "2x2x8", "2x4x4"),
    ("Section 4.2", "nodes for 3x5 on 8-ary 2-cube, of a box of 4x8",
     "torus:8^2", "isomorphic", "3x5", "15"),
    ("Figure 8", "first partition of 4x4x16: the half", "torus:4x4x16",
     "isomorphic", "4x4x8", "4x4x8"),
    ("Figure 8", "second partition: the quarter", "torus:4x4x16", "isomorphic",
     "4x4x4", "4x4x4"),
    ("Figure 8", "third partition: an eighth of that", "torus:4x4x16",
     "isomorphic", "2x2x2", "2x2x2"),
)
# Ours are the bounds of the code: k-partner tries every choice of dimensions,
# and windows are found for all places at once by halving their sides
# (src/lib/alloc).
TABLE1 = (
    ("eb, egc: allocate, release", "O(2^kn), O(2^km)", "O(2^kn), O(2^km)"),
    ("k-partner: allocate, release", "O(2^kn), O(2^km)",
     "O(C(n,m) 2^kn), O(2^km)"),
    ("sniffing: allocate, release", "O(2^kn 2^lm), O(2^lm)",
     "O(2^kn lm), O(2^lm)"),
    ("etc: allocate, release", "O(C(n,m) 2^kn 2^lm), O(2^lm)",
     "O(C(n,m) 2^kn lm), O(2^lm)"),
    ("isomorphic, Algorithm 1: allocate, release", "O(k), O(k)", "O(k), O(k)"),
    ("isomorphic, Algorithm 2: allocate, release", "O(2^n), O(k + 2^l)",
     "O(2^n), O(k + 2^l)"),
)
SEQUENCES = 200


# ---- requests ----

def request_row(value: str, machine: str, alloc: str, shape: str, printed: str
                ) -> Row:
    state = State(machine)
    place = Allocator(state.machine, alloc).place(state, shape)
    ours = str(place.count)
    if "x" in printed:
        box = lib.tori_placement_box(place._c, 0)
        ours = "x".join(map(str, box.shape.size[0:box.shape.ndims]))
    return {"machine": machine, "alloc": alloc, "asked": shape, "value": value,
            "ours": ours, "printed": printed}


def holds_parts() -> bool:
    """Whether a 4x4 holds 3x5 in connected parts."""
    state = State("mesh:4x4")
    parts = Allocator(state.machine, "isomorphic",
                      noncubic=lib.TORI_NONCUBIC_DECOMPOSE)
    try:
        return parts.place(state, "3x5").count == 15
    except NotNow:
        return False


# ---- Figures 3 and 4 ----

def nth_address(side: int, n: int) -> tuple[int, ...]:
    """The n-th subcube of a side on the idle 8x8, from 1 on: subcubes are taken
    in the order of their addresses."""
    cubes = Cubes("mesh:8x8")
    places = [cubes.request((side, side)) for _ in range(n)]
    return cubes.machine.coords(int(places[-1].nodes[0]))


def free_lists() -> list[Row]:
    """A is node 3,5; B is the square of 2x2 at 6,2."""
    cubes = Cubes("mesh:8x8")
    for node in (29, 50, 51, 58, 59):
        cubes.take(node)

    def free(x: int, y: int, side: int) -> bool:
        return all(cubes.is_free(8 * (x + i) + y + j)
                   for i in range(side) for j in range(side))

    def count(side: int) -> int:
        up = 2 * side
        return sum(free(x, y, side) and (
            side == 8 or not free(x // up * up, y // up * up, up))
            for x in range(0, 8, side) for y in range(0, 8, side))

    return [{"side": side, "free": count(side)} for side in (8, 4, 2, 1)]


# ---- section 4.1: static optimality ----

def fills(stream: int, seed: int) -> bool:
    """Isomorphic requests at random, until nothing is free: whether each was
    accommodated."""
    rng, cubes = Random(seed, stream), Cubes("torus:8^3")
    while cubes.free_count > 0:
        side = 1 << rng.below(4)
        if side**3 <= cubes.free_count:
            try:
                cubes.request((side, side, side))
            except NotNow:
                return False
    return True


# ---- the entry ----

def mean_hops(*sides: int) -> float:
    """Of all pairs of nodes of a box without links around it."""
    nodes = functools.reduce(int.__mul__, sides)
    return sum((k * k - 1) / (3 * k) for k in sides) * nodes / (nodes - 1)


def compute(run: Run) -> None:
    run.answer = {"requests": [request_row(*it[1:]) for it in GIVEN],
                  "free_lists": free_lists()}


def judge(run: Run) -> None:
    for (where, *_), row in zip(GIVEN, run.answer["requests"]):
        run.compare(where, row["value"], row["printed"], row["ours"],
                    row["ours"] == row["printed"], "another place")
    positions = 8 * (8 - 4 + 1)**2
    run.compare("Section 2", "positions of a 4x4 window, 8 planes", "128",
                positions, positions == 128,
                "(k - l)^m should be (k - l + 1)^m")
    # ((0,1),(1,0),(1,1)) is 011011 in the order of partitions, the 28th node;
    # ((1,0),(1,1)) is 1011, the 12th square of 2x2.
    node = str(nth_address(1, 28))
    run.compare("Figure 3", "A = ((0,1),(1,0),(1,1))", "(3, 5)", node,
                node == "(3, 5)", "another node")
    cube = f"2x2 at {nth_address(2, 12)}"
    run.compare("Figure 3", "B = ((1,0),(1,1))", "2x2 at (6, 2)", cube,
                cube == "2x2 at (6, 2)", "another subcube")
    run.refuse("Figure 4", "free lists of 8x8 with A and B busy", "a drawing",
               ", ".join("{free} of {side}x{side}".format(**row)
                         for row in run.answer["free_lists"]),
               "its numbers are not in the text")
    optimal = sum(run.map(functools.partial(fills, seed=run.how.seed),
                          range(SEQUENCES)))
    run.compare("Section 4.1, Figure 5", "isomorphic requests that fill 8^3",
                "always accommodated", f"{optimal} of {SEQUENCES} sequences",
                optimal == SEQUENCES, "some are not")
    run.drawing("Figure 2", "slices and isomorphic parts of 8^3",
                "tori place --machine torus:8^3 --alloc isomorphic --shape "
                "4x4x4")
    slice_, halves = mean_hops(8), mean_hops(2, 2, 2)
    run.compare("Section 2", "mean hops in a slice of 8x1, beside a 2-ary "
                "3-cube", "longer", f"{slice_:.2f} beside {halves:.2f}",
                slice_ > halves, "they are not")
    parts = holds_parts()
    run.compare("Section 4.2", "3x5 in connected parts fits a 4x4", "yes",
                "yes" if parts else "no", parts, "it does not")
    for strategy, printed, ours in TABLE1:
        run.refuse("Table 1", strategy, printed, ours,
                   "bounds, not times; make bench-parts measures times")


def show(run: Run) -> None:
    run.say("Requests on idle machines, by the allocators of tori place.\n")
    run.table("requests")
    run.say("\nFigure 4: the free lists of the 8-ary 2-cube of Figure 3 while A "
            "and B are busy.\n")
    run.table("free_lists")
