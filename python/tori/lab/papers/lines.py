"""Y. Aridor et al., "Multi-Toroidal Interconnects", 2004, section 2: what the
lines of Figures 2 to 10 need and leave, by the library's rules."""
from __future__ import annotations

import itertools
import math
from typing import Any, Iterator, Optional

import numpy

from tori import Allocator, Machine, Never, NotNow, Placement, State
from tori import wiring as wires
from tori._library import lib

from . import ARIDOR_2004, Run
from .sheets import Field, Row

CITATION = ARIDOR_2004
WHAT = ("Figures 2-10: the links that partitions of a line take, and how many "
        "tori fit")
TAKES = ()
QUICK: dict[str, int] = {}
ANSWER = (
    Field("rings_inside", "the same cases that have a ring of their own links "
          "alone"),
    Field("trails_inside", "those that have a closed trail of them, which may "
          "pass a switch more than once; pairs to either side"),
    Field("lines", "partitions of lines", list=True, group=(
        Field("machine", "the line", "line"),
        Field("partition", "the partition", "partition"),
        Field("value", "what is counted", "counted"),
        Field("links", "links that the rule gives it", "ours"),
        Field("printed", "the same as printed", "printed"))),
    Field("orders", "orders in which tori of a line can come", list=True, group=(
        Field("machine", "the line", "line"),
        Field("ways", "ways to cut the line that can be wired in every order",
              "ways wired"),
        Field("all_ways", "ways to cut the line", "of"),
        Field("orders", "orders that can be wired", "orders wired"),
        Field("all_orders", "orders of all ways", "of"))),
    Field("faults", "partitions of a line with a link down", list=True, group=(
        Field("rule", "how partitions are wired", "wired by"),
        Field("cases", "partitions times links", "cases"),
        Field("tori", "cases in which a torus is wired", "tori"),
        Field("meshes", "cases in which a mesh is wired", "meshes"))),
)

SIDE = 8
MESH, TORUS = "mesh", "torus"
# Partitions of lines, and the links that the paper says they take.
GIVEN = (
    ("Section 2.1, Property 1", "links of a torus of 1", "multitorus:8", 3, 1,
     TORUS, 0),
    ("Figure 2, Property 2", "links of a mesh of 5", "mesh:8", 1, 5, MESH, 4),
    ("Figure 4", "links of a torus of 2 on a torus line", "torus:8", 0, 2,
     TORUS, 8),
    ("Figure 6, Property 2", "links of a mesh of 4", "multitorus:8", 2, 4,
     MESH, 3),
    ("Figure 7, Property 3", "links of a torus of 5", "multitorus:8", 1, 5,
     TORUS, 5),
    ("Figure 8, Property 3", "links of a torus of 6", "multitorus:8", 1, 6,
     TORUS, 6),
    ("Figure 5, Property 4", "links of a torus of 2 at an end",
     "multitorus:8", 6, 2, TORUS, 2),
    ("Figure 9, Property 5", "links of a torus of 2 inside", "multitorus:8",
     1, 2, TORUS, 3),
    ("Section 4", "links of a torus of 8 on a torus line: none extra",
     "torus:8", 0, 8, TORUS, 8),
)
LINES = ("torus:8", "multitorus:8", "multitorus-left:8", "multitorus-facing:8",
         "torus:8+1-2+5-6+0-3+0-3+4-7+4-7")
RULES = ("the rules", "the rules, pairs to either side",
         "paths through any free links")


# ---- Figures 2 to 9: links of a partition ----

def links_of(machine: Machine, first: int, size: int, wiring: str
             ) -> list[wires.Link]:
    """Those that the rule gives a partition."""
    return wires.links(Placement.of(machine, f"{first}/{size}", wiring))


def given_row(value: str, machine: str, first: int, size: int, wiring: str,
              printed: int) -> Row:
    return {"machine": machine, "partition": f"{first} to {first + size - 1}",
            "value": value, "printed": printed,
            "links": len(links_of(Machine(machine), first, size, wiring))}


# ---- Figures 4 and 10, section 4: several tori ----

def wired_pairs(line: str, *firsts: int) -> int:
    """Tori of two nodes each, one after the other: how many can be wired."""
    state, wired = State(line), 0
    for first in firsts:
        try:
            state.hold(Placement.of(state.machine, f"{first}/2", TORUS))
            wired += 1
        except NotNow:
            pass
    return wired


def fill_with_cubes() -> int:
    """First fit, as the paper has it, until no torus of 4x4x4 fits."""
    state = State("torus:8x8x8")
    first_fit = Allocator(state.machine, "first-fit")
    for n in itertools.count():
        try:
            state.hold(first_fit.place(state, "4x4x4", wiring=TORUS))
        except NotNow:
            return n
    return 0


# ---- section 2.1, the theorem: orders ----

def hold_box(state: State, first: int, size: int, wiring: str
             ) -> Optional[Placement]:
    """Hold a partition, wired by whatever links are free. None: there is no
    way."""
    place = Placement.of(state.machine, f"{first}/{size}", wiring)
    try:
        place = wires.rewire(place, state)
        state.hold(place)
    except (NotNow, Never):
        return None
    return place


def cut_line(cuts: int) -> list[tuple[int, int]]:
    """The intervals of two nodes or more, as first node and size. Bit i of
    `cuts` cuts between nodes i and i + 1."""
    ends = [i + 1 for i in range(SIDE) if cuts >> i & 1 or i == SIDE - 1]
    return [(first, end - first) for first, end in zip([0, *ends], ends)
            if end - first > 1]


def count_orders(state: State, tori: list[tuple[int, int]]) -> int:
    """The orders in which all of these can be wired."""
    if not tori:
        return 1
    found = 0
    for torus in tori:
        place = hold_box(state, *torus, TORUS)
        if place is not None:
            found += count_orders(state, [it for it in tori if it != torus])
            state.release(place)
    return found


def orders_row(line: str) -> Row:
    row: Row = {"machine": line, "ways": 0, "all_ways": 0, "orders": 0,
           "all_orders": 0}
    state = State(line)
    for cuts in range(1 << (SIDE - 1)):
        tori = cut_line(cuts)
        orders, most = count_orders(state, tori), math.factorial(len(tori))
        row["all_ways"] += 1
        row["ways"] += orders == most
        row["all_orders"] += most
        row["orders"] += orders
    return row


# ---- a link down ----

def links_of_line(machine: Machine) -> Iterator[wires.Link]:
    for layer, slot in itertools.product(("near", "far"), range(SIDE)):
        link = wires.Link(machine, 0, layer, slot)
        if lib.tori_link_exists(machine._c, link._c):
            yield link


def partitions() -> Iterator[tuple[int, int]]:
    """Those of two nodes or more: first node and size."""
    return ((first, size) for first in range(SIDE)
            for size in range(2, SIDE - first + 1))


def fault_rows() -> list[Row]:
    """Every partition with every link down, by each of the rules."""
    right, left = Machine("multitorus:8"), Machine("multitorus-left:8")
    state = State(right)
    rows: list[Row] = [{"rule": rule, "cases": 0, "tori": 0, "meshes": 0}
                       for rule in RULES]
    needs = {(rule, part, wiring): set(map(str, links_of(
                 machine, *part, wiring)))
             for rule, machine in enumerate((right, left))
             for part in partitions() for wiring in (MESH, TORUS)}
    for link in links_of_line(right):
        wires.set_down(state, link)
        for part in partitions():
            for kind, wiring in (("tori", TORUS), ("meshes", MESH)):
                spares = [str(link) not in needs[rule, part, wiring]
                          for rule in (0, 1)]
                place = hold_box(state, *part, wiring)
                if place is not None:
                    state.release(place)
                rows[0][kind] += spares[0]
                rows[1][kind] += any(spares)
                rows[2][kind] += place is not None
            for row in rows:
                row["cases"] += 1
        wires.set_down(state, link, False)
    return rows


# ---- rings inside a partition ----

# The links of a line of 8: along it, and folded.
ENDS = [*((i, i + 1) for i in range(7)), (0, 1),
        *((i, i + 2) for i in range(6)), (6, 7)]
ANY = len(ENDS)


class Trails:
    """All sets of links of a line at once: bit i is link i."""

    def __init__(self) -> None:
        sets = numpy.arange(1 << len(ENDS))
        self.degree = [sum(sets >> i & 1 for i, ends in enumerate(ENDS)
                           if v in ends) for v in range(SIDE)]
        self.sets = sets
        self.known: dict[tuple[int, int, int], Any] = {}

    def closed(self, first: int, last: int, most: int) -> Any:
        """The sets that join nodes `first` to `last` to a closed trail: each
        node has an even number of links, at the most `most`, and all are
        connected."""
        key = first, last, most
        if key not in self.known:
            inner = sum(1 << i for i, (a, b) in enumerate(ENDS)
                        if a >= first and b <= last)
            good = self.sets & ~inner == 0
            for v in range(first, last + 1):
                degree = self.degree[v]
                good &= (degree >= 2) & (degree % 2 == 0) & (degree <= most)
            found = self.sets[good]
            reached = numpy.full(len(found), 1 << first)
            for _ in range(SIDE):
                for i, (a, b) in enumerate(ENDS):
                    ends = 1 << a | 1 << b
                    reached |= numpy.where(
                        (found >> i & 1 == 1) & (reached & ends != 0), ends, 0)
            self.known[key] = found[reached == (2 << last) - (1 << first)]
        return self.known[key]

    def without(self, first: int, last: int, down: int, most: int) -> bool:
        """Whether there is such a trail, with a link down."""
        return bool((self.closed(first, last, most) >> down & 1 == 0).any())


def count_trails() -> tuple[int, int]:
    trails, rings, closed = Trails(), 0, 0
    for first, size in partitions():
        last = first + size - 1
        pair = size == 2 and first > 0 and last < SIDE - 1
        for down in range(len(ENDS)):
            rings += trails.without(first, last, down, 2)
            closed += (trails.without(first, last, down, ANY)
                       or (pair and (
                           trails.without(first - 1, last, down, ANY)
                           or trails.without(first, last + 1, down, ANY))))
    return rings, closed


# ---- the entry ----

def compute(run: Run) -> None:
    rings, closed = count_trails()
    run.answer = {
        "lines": [given_row(*it[1:]) for it in GIVEN],
        "orders": run.map(orders_row, LINES), "faults": fault_rows(),
        "rings_inside": rings, "trails_inside": closed}


def judge(run: Run) -> None:
    for (where, *_), row in zip(GIVEN, run.answer["lines"]):
        run.compare(where, row["value"], str(row["printed"]), row["links"],
                    row["links"] == row["printed"], "the rule takes others")
    for where, value, line, printed in (
            ("Figure 3", "links of a torus line", "torus:8", 8),
            ("Figure 5", "links of a multi-torus line, 2N - 1", "multitorus:8",
             15)):
        links = wires.link_count(line)
        run.compare(where, value, str(printed), links, links == printed,
                    "others")
    alone = wired_pairs("torus:8", 0, 6)
    run.compare("Figure 4", "of {0,1} and {6,7}, tori that a torus line holds "
                "at once", "1", alone, alone == 1, "others")
    pairs = wired_pairs("multitorus:8", 1, 5, 3)
    run.compare("Figure 10", "pairs wired to the right: {1,2}, {5,6}, {3,4}",
                "3", pairs, pairs == 3, "one lacks links")
    multi = run.answer["orders"][1]
    run.compare("Section 2.1, Theorem", "a new torus is wired beside all "
                "others of a line", "always",
                "{orders} of {all_orders} orders of {all_ways} ways to cut a "
                "line of 8".format(**multi),
                multi["orders"] == multi["all_orders"], "some are not")
    cubes = fill_with_cubes()
    run.compare("Section 4", "tori of 4x4x4 on torus:8x8x8", "only 2", cubes,
                cubes == 2, f"first fit places {cubes}, on "
                f"{100 * cubes * 4**3 // 8**3} % of the machine")
    run.drawing("Figure 1", "an allocation unit and three switches",
                "tori wire --machine multitorus:8x8x8 --partitions FILE")
    run.refuse("Figure 11", "a figure that no text names", "-", "-",
               "it is not in our copy of the paper")


def show(run: Run) -> None:
    run.say("Links that partitions of a line of 8 take by the rules of section "
            "2.1 (tori wire lists them).\n")
    run.table("lines")
    run.say("\nThe ways to cut a line of 8 into intervals, and the orders in "
            "which their tori can come. Each is wired beside those before it, "
            "by any links that are free.\n")
    run.table("orders")
    run.say("\nEvery partition of two nodes or more of multitorus:8, with every "
            "link down: how many can be wired.\n")
    run.table("faults")
    run.say("\nWithout links outside the partition, "
            f"{run.answer['rings_inside']} tori have a ring that passes every "
            f"switch once, and {run.answer['trails_inside']} a closed trail "
            "that passes switches as often as needed, pairs of inner nodes to "
            "either side.")
