"""S. K. S. Gupta and P. K. Srimani, "Job Scheduling for Torus Connected
Networks", 1997: how a torus is divided (section 2.1, Figures 1, 3 and 4), and
plans without contention (section 3): the example of Figure 5, with the profile
after each of its jobs. Beyond the paper: what its condition on dimensions would
cost other jobs."""
from __future__ import annotations

import functools
import itertools
from fractions import Fraction
from typing import Any, Iterator, Optional

from tori import Machine, plans
from tori.subtorus import Subtori, Subtorus

from . import GUPTA_1997, Run
from .rng import Random
from .sheets import SHORT, Field, Row

CITATION = GUPTA_1997
WHAT = ("Figures 1, 3, 4 and 5: how a torus is divided, and the preemptive "
        "example with its profiles; what rounding up costs")
TAKES = ()
QUICK: dict[str, int] = {}
PERCENT: dict[str, Any] = {"decimals": 1, "scale": 100}
ANSWER = (
    Field("schedule", "Figure 5", list=True, group=(
        Field("job", "the job", "job"),
        Field("dimension", "its dimension", "dimension"),
        Field("time", "its time", "time", SHORT),
        Field("positions", "where it is", "positions"),
        Field("start", "from", "start", SHORT),
        Field("finish", "until", "finish", SHORT))),
    Field("profiles", "the profile after each job", list=True, group=(
        Field("job", "after this job", "after job"),
        Field("profile", "intervals of positions that have time left, and when "
              "they are free", "profile"),
        Field("printed", "the same as printed; null if it is not legible",
              "printed"))),
    Field("levels", "Figures 1 and 3: subtori of torus:8x8", list=True, group=(
        Field("side", "side of a subtorus", "side"),
        Field("matrix", "the availability matrix", "matrix"),
        Field("entries", "its entries, the subtori", "subtori"),
        Field("sets", "link-disjoint sets of them", "link-disjoint sets"),
        Field("set_size", "subtori of a set", "of"),
        Field("expand", "entries that consist of the four of the next level "
              "that the paper names", "expand as printed"))),
    Field("rounding", "what rounding dimensions up costs random jobs", list=True,
          group=(
              Field("side", "the side of the machine", "side"),
              Field("jobs", "how many jobs there are", "jobs"),
              Field("sets", "how many sets of jobs"),
              Field("divisors", "what dimensions that divide the side and each "
                    "other cost, in the mean", "divisors: mean %", **PERCENT),
              Field("divisors_most", "the same at most", "most %", **PERCENT),
              Field("any", "what dimensions that divide each other cost, in the "
                    "mean", "any: mean %", **PERCENT),
              Field("any_most", "the same at most", "most %", **PERCENT),
              Field("stages", "stages of the plan with the true dimensions, in "
                    "the mean", "stages", 1),
              Field("preemptions", "its preemptions", "preemptions", 1))),
)

SIDE, DEADLINE = 16, 4
# Dimension and time of each job of the example, and its profile. The text that
# we have of the paper prints the profiles up to that of job 2 legibly.
GIVEN = ((8, Fraction(2), "([0,7],2) ([8,15],0)"),
         (4, Fraction(4), "([0,7],2) ([12,15],0)"),
         (4, Fraction(3), None), (2, Fraction(2), None),
         (2, Fraction(5, 2), None))
JOBS = [(dimension, time) for dimension, time, _ in GIVEN]
SETS = 200
KINDS = tuple(itertools.product((6, 8, 12, 16, 24), (8, 40)))  # side, jobs
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23)


# ---- section 2.1: subtori ----

def subtorus(side: int, row: int, col: int) -> Subtorus:
    return Subtorus(Machine("torus:8x8"), (side, side), (row, col))


def expands(whole: Subtorus, stride: int) -> bool:
    """Whether the four subtori that the paper names are within one."""
    half, (row, col) = whole.shape[0] // 2, whole.offset
    return all(node in whole
               for i, j in itertools.product((0, stride), repeat=2)
               for node in subtorus(half, row + i, col + j).nodes.tolist())


def level_row(side: int) -> Row:
    """The subtori of one size on torus:8x8, as entries of the availability
    matrix."""
    subtori = Subtori("torus:8x8", (side, side))
    stride = subtori.strides[0]
    return {"side": side, "matrix": f"{stride}x{stride}",
            "entries": len(subtori), "sets": len(subtori.sets),
            "set_size": subtori.set_size,
            "expand": sum(expands(it, stride) for it in subtori)
            if side > 1 else 0}


def dilations() -> tuple[float, float]:
    """Figure 4: a job of 4x4 at 0,0 and one of 2x2 at 0,1 share rows; each is
    dilated by the part of a ring's nodes that the other has."""
    if subtorus(4, 0, 0).shared_dim(subtorus(2, 0, 1)) != 1:
        return 0, 0
    large, little = (1 / Subtori("torus:8x8", (side, side)).strides[1]
                     for side in (2, 4))
    return large, little


# ---- section 3: the example ----

def plan_of(n: int) -> plans.Preemptive:
    return plans.preemptive("torus:16x16", JOBS[:n], DEADLINE)


def stay_rows() -> list[Row]:
    return [{"job": it.job + 1, "dimension": JOBS[it.job][0],
             "time": float(JOBS[it.job][1]),
             "positions": f"{it.first}-{it.first + it.size - 1}",
             "start": float(it.start), "finish": float(it.finish)}
            for it in plan_of(len(JOBS)).segments]


def profile_row(n: int, printed: Optional[str]) -> Row:
    """Positions that are busy until the deadline are left out, as in the
    paper."""
    until = [Fraction(0)] * SIDE
    for it in plan_of(n).segments:
        for p in range(it.first, it.first + it.size):
            until[p] = max(until[p], it.finish)
    parts, p = [], 0
    for time, same in itertools.groupby(until):
        size = len(list(same))
        if time < DEADLINE:
            parts.append(f"([{p},{p + size - 1}],{float(time):g})")
        p += size
    return {"job": n, "profile": " ".join(parts), "printed": printed}


# ---- what rounding up costs ----

def chains(side: int, largest: int, divisors: bool, links: tuple[int, ...] = (1,)
           ) -> Iterator[tuple[int, ...]]:
    """Dimensions that divide each other, or the side as well, up to one that is
    large enough. A factor that is not prime would only leave out a link."""
    if links[-1] >= largest:
        yield links
        return
    for prime in PRIMES:
        link = links[-1] * prime
        if link <= side and not (divisors and side % link):
            yield from chains(side, largest, divisors, (*links, link))


def rounding_row(case: tuple[int, tuple[int, int]], seed: int) -> Row:
    """How much longer the best plan of random jobs gets, for the best choice of
    dimensions: among divisors of the machine's side, and among all numbers."""
    stream, (side, n) = case
    machine, rng = Machine(f"torus:{side}x{side}"), Random(seed, stream)
    row: Row = {"side": side, "jobs": n, "sets": SETS, "divisors": 0.0,
                "divisors_most": 0.0, "any": 0.0, "any_most": 0.0,
                "stages": 0.0, "preemptions": 0.0}
    for _ in range(SETS):
        jobs = [(rng.below(side) + 1, Fraction(rng.below(1000) + 1, 10))
                for _ in range(n)]
        least = plans.preemptive_least(machine, jobs)
        for name in ("divisors", "any"):
            best = min(plans.preemptive_least(machine, [
                (next(link for link in chain if link >= dimension), time)
                for dimension, time in jobs]) for chain in chains(
                    side, max(jobs)[0], name == "divisors"))
            cost = float(best) / float(least) - 1
            row[name] += cost / SETS
            row[name + "_most"] = max(row[name + "_most"], cost)
        plan = plans.preemptive(machine, jobs, least)
        row["stages"] += plan.stages / SETS
        row["preemptions"] += plan.preemptions / SETS
    return row


# ---- the entry ----

def compute(run: Run) -> None:
    run.answer = {
        "schedule": stay_rows(),
        "profiles": [profile_row(n, printed)
                     for n, (*_, printed) in enumerate(GIVEN, 1)],
        "levels": [level_row(side) for side in (8, 4, 2, 1)],
        "rounding": run.map(functools.partial(rounding_row, seed=run.how.seed),
                            enumerate(KINDS))}


def judge_subtori(run: Run) -> None:
    levels = run.answer["levels"]
    four = levels[1]
    run.compare("Figure 1", "4x4 subtori of 8x8, in link-disjoint sets",
                "4, in 2 sets of 2",
                "{entries}, in {sets} sets of {set_size}".format(**four),
                (four["entries"], four["sets"], four["set_size"]) == (4, 2, 2),
                "others")
    disjoint = [subtorus(4, *a).link_disjoint(subtorus(4, *b))
                for a, b in (((0, 0), (1, 1)), ((1, 0), (0, 1)),
                             ((0, 1), (1, 1)))]
    run.compare("Section 2.1", "link-disjoint: 0,0 and 1,1; 1,0 and 0,1; 0,1 "
                "and 1,1", "yes, yes, no",
                ", ".join("yes" if it else "no" for it in disjoint),
                disjoint == [True, True, False], "others")
    expand = sum(row["expand"] for row in levels[:-1])
    wanted = sum(row["entries"] for row in levels[:-1])
    run.compare("Figure 3", "entries that expand to the four named", "all",
                f"{expand} of {wanted}", expand == wanted, "some do not")
    large, little = dilations()
    run.compare("Figure 4", "dilation of 4x4 and of 2x2, over their overlap",
                "1/4 and 1/2", f"{large:g} and {little:g}",
                (large, little) == (0.25, 0.5), "others")


def judge(run: Run) -> None:
    judge_subtori(run)
    plan = plan_of(len(JOBS))
    least = plans.preemptive_least("torus:16x16", JOBS)
    run.compare("Figure 5", "the jobs meet the deadline of 4", "yes",
                f"{'yes' if plan.feasible else 'no'}, the least is "
                f"{float(least):g}", plan.feasible, "they do not")
    run.compare("Theorem 2", "preemptions", "at most 4", plan.preemptions,
                plan.preemptions < len(JOBS), "more")
    run.refuse("Theorem 3", "time for n jobs", "O(n log n)", "O(n log n)",
               "bounds, not times; make bench-parts measures times")
    for row in run.answer["profiles"]:
        value = f"profile after job {row['job']}"
        if row["printed"]:
            run.compare("Section 3", value, row["printed"], row["profile"],
                        row["profile"] == row["printed"], "another profile")
        else:
            run.refuse("Section 3", value, "-", row["profile"], "not legible")
    longest = max(time for _, time in JOBS)
    area = sum(time * side * side for side, time in JOBS) / SIDE**2
    run.compare("Section 4", "the least finish is between",
                "the longest job and the sum of t d^2 / m^2",
                f"it is {float(least):g}; they are {float(longest):g} and "
                f"{float(area):g}", longest <= least <= area,
                "both are lower bounds")


def show(run: Run) -> None:
    run.say("The example of section 3 on torus:16x16 with a deadline of 4, by "
            "the paper's algorithm: where jobs are along the diagonal (Figure "
            "5; tori plan preemptive --gantt draws it).\n")
    run.table("schedule")
    run.say("\nThe profile after each job: intervals of positions, and when "
            "they are free. Intervals without time left are dropped.\n")
    run.table("profiles")
    run.say("\nSubtori of torus:8x8 (Figure 1), which are the entries of the "
            "availability matrix (Figure 3). An entry a,b expands to a,b; "
            "a,b+s; a+s,b and a+s,b+s, where s is the stride.\n")
    run.table("levels")
    run.say("\nThe algorithm needs dimensions that divide each other. What "
            "rounding up to such dimensions costs beside the least time with "
            "the true ones: random dimensions up to the side, times from 0.1 to "
            f"100, {SETS} sets of jobs in each row. For each set, the best "
            "divisors of the side are chosen, and the best of all numbers.\n")
    run.table("rounding")
