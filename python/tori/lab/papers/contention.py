"""S. K. S. Gupta and P. K. Srimani, "Job Scheduling for Torus Connected
Networks", 1997, section 2: the example of 2.4.4 beside the printed schedule,
other times for its jobs, the gap between plans of random jobs and the least time
without contention, and between plans of few jobs and the least plan."""
from __future__ import annotations

import functools
import itertools
from fractions import Fraction
from typing import Any, Iterator, NamedTuple

from tori import plans
from tori.subtorus import Subtori

from . import GUPTA_1997, Run
from .rng import Random
from .sheets import SHORT, Field, Row

CITATION = GUPTA_1997
WHAT = ("section 2.4.4: the example as printed, its 10 without shared links, its "
        "least plan, and what searches gain")
TAKES = ("limit", "jobs", "seeds")
QUICK = {"limit": 9999}
PRINTED = "the same as printed"
ANSWER = (
    Field("example", "jobs of the example", list=True, group=(
        Field("id", "the job", "job"),
        Field("shape", "its shape", "shape"),
        Field("time", "what it takes alone", "time"),
        Field("start", "when it starts by the algorithm", "start", SHORT),
        Field("printed_start", PRINTED, "printed", SHORT),
        Field("finish", "when it ends by the algorithm", "finish", SHORT),
        Field("printed_finish", PRINTED, "printed", SHORT),
        Field("offset", "where it is by the algorithm", "offset"),
        Field("printed_offset", PRINTED, "printed"),
        Field("apart_start", "when it starts in the shortest plan without shared "
              "links", "apart: start"),
        Field("apart_finish", "when it ends there", "finish"),
        Field("apart_offset", "where it is there", "offset"))),
    Field("lengths", "how long its plans are", list=True, group=(
        Field("plan", "which plan", "plan"),
        Field("length", "how long it takes", "length", SHORT),
        Field("printed", "the same as printed; null if it is not", "printed",
              SHORT))),
    Field("few", "plans of few jobs beside the least", list=True, group=(
        Field("jobs", "how many jobs there are", "jobs"),
        Field("plan", "how they are planned", "plan"),
        Field("sets", "how many sets of jobs", "sets"),
        Field("proved", "in how many the best plan found is proved to be the "
              "least", "proved"),
        Field("mean", "the plan's length over the best one found, less 1: the "
              "mean", "mean", 1, scale=100),
        Field("worst", "the same: the worst", "worst", 1, scale=100),
        Field("open", "the best plan found over the lower bound, less 1, where "
              "it is not proved: the worst", "open", 1, scale=100))),
    Field("gaps", "plans of random jobs", list=True, group=(
        Field("what", "what jobs there are", "jobs"),
        Field("jobs", "how many jobs there are"),
        Field("largest", "the largest dimension"),
        Field("search", "how far is searched"),
        Field("steps", "the same in steps"),
        Field("set", "which set of jobs, from 0"),
        Field("gap", "the plan's length over the least without contention, less "
              "1"),
        Field("mean", "the mean of all sets", scale=100))),
)

MACHINE = "torus:8x8"
Jobs = list[tuple[tuple[int, int], Fraction]]  # shapes and times


# ---- the example ----

class Printed(NamedTuple):
    side: int
    time: int
    start: float
    finish: float
    offset: tuple[int, int]


EXAMPLE = (Printed(8, 2, 0.0, 2.0, (0, 0)), Printed(4, 2, 2.0, 5.875, (0, 0)),
           Printed(4, 4, 2.0, 8.5, (1, 1)), Printed(4, 4, 2.0, 9.0, (0, 1)),
           Printed(4, 1, 2.0, 4.0, (1, 0)), Printed(2, 4, 4.0, 10.75, (1, 0)))


class Apart:
    """The first of the shortest plans in which jobs are never stopped and no two
    share a link while both run. Jobs are taken in the order of their starts, in
    every such order, at every place. A shortest plan is among these: in the order
    of its own starts, none of its jobs starts later here."""

    def __init__(self) -> None:
        self.places = [list(Subtori(MACHINE, (job.side, job.side)))
                       for job in EXAMPLE]
        flat = [it for places in self.places for it in places]
        self.meets = {(id(a), id(b)): not a.link_disjoint(b)
                      for a in flat for b in flat}
        self.length = 2**31
        self.best: dict[int, tuple[Any, int]] = {}
        self._try({}, 0, 0)

    def _try(self, plan: dict[int, tuple[Any, int]], now: int, length: int
             ) -> None:
        if len(plan) == len(EXAMPLE):
            self.length, self.best = length, dict(plan)
        rest = [i for i in range(len(EXAMPLE)) if i not in plan]
        for i in rest:
            # No job that is left starts before `now`.
            if any(now + EXAMPLE[j].time >= self.length for j in rest):
                return
            for place in self.places[i]:
                start = now
                for j, (other, begun) in plan.items():
                    end = begun + EXAMPLE[j].time
                    if end > start and self.meets[id(place), id(other)]:
                        start = end
                finish = max(length, start + EXAMPLE[i].time)
                if finish < self.length:
                    plan[i] = place, start
                    self._try(plan, start, finish)
                    del plan[i]


def offset_text(offset: tuple[int, ...]) -> str:
    return ",".join(map(str, offset))


def example_rows(plan: plans.Contention, apart: Apart) -> Iterator[Row]:
    for i, (job, at) in enumerate(zip(EXAMPLE, plan.places)):
        place, start = apart.best[i]
        yield {"id": i + 1, "shape": f"{job.side}x{job.side}", "time": job.time,
               "start": float(at.start), "printed_start": job.start,
               "finish": float(at.finish), "printed_finish": job.finish,
               "offset": offset_text(at.subtorus.offset),
               "printed_offset": offset_text(job.offset), "apart_start": start,
               "apart_finish": start + job.time,
               "apart_offset": offset_text(place.offset)}


def compute_example(run: Run) -> None:
    jobs: Jobs = [((it.side, it.side), Fraction(it.time)) for it in EXAMPLE]
    plan, apart = plans.contention(MACHINE, jobs), Apart()
    least = plans.contention(MACHINE, jobs, steps=2**64 - 1)
    stopped = plans.preemptive_least(MACHINE, [(it.side, it.time)
                                               for it in EXAMPLE])
    run.answer["example"] = list(example_rows(plan, apart))
    run.answer["lengths"] = [
        {"plan": name, "length": float(length), "printed": printed}
        for name, length, printed in (
            ("by the algorithm, with contention", plan.makespan, 10.75),
            ("least, no shared links, jobs not stopped", apart.length, 10.0),
            ("least, with contention and starts at events", least.makespan,
             None),
            ("least, no shared links, jobs stopped and moved", stopped, None),
            ("least, as if shared links did not matter",
             plan.bounds.contention_free, None))]


# ---- random jobs ----

class Kind(NamedTuple):
    """Dimensions are powers of two up to the largest, all as likely."""

    name: str
    jobs: int
    largest: int
    stream: int


KINDS = (Kind("50, dimensions 1 to 8", 50, 8, 0),
         Kind("50, dimensions 1 and 2", 50, 2, 1),
         Kind("200, dimension 1", 200, 1, 2))
BUDGETS = ((0, "no search"), (1, "1 step"), (100, "100"), (1000, "1000"),
           (10000, "10000"))
FEW = (5, 6, 7, 8, 10, 12)
# Plans of few jobs, above the least: the paper's, the same with the longest job
# of each size first, and what few steps find. The last counts a job's own delay,
# and so does its least plan.
CNP, LONGEST, STEPS, OWN_DELAY = ("CNP_Alloc", "longest first", "100 steps",
                                  "CNP_Alloc, own delay")
FEW_PLANS = (CNP, LONGEST, STEPS, OWN_DELAY)


def random_jobs(kind: Kind, seed: int) -> Jobs:
    rng, jobs = Random(seed, kind.stream), []
    for _ in range(kind.jobs):
        side = 1 << rng.below(kind.largest.bit_length())
        jobs.append(((side, side), Fraction(rng.below(1000) + 1, 10)))
    return jobs


def gap_row(case: tuple[Kind, tuple[int, str], int], seed: int) -> Row:
    kind, (steps, search), i = case
    plan = plans.contention(MACHINE, random_jobs(kind, seed + i), steps=steps,
                            seed=seed + i)
    return {"what": kind.name, "jobs": kind.jobs, "largest": kind.largest,
            "search": search, "steps": steps, "set": i,
            "gap": float(plan.makespan) / plan.bounds.contention_free - 1}


def few_set(case: tuple[int, int], seed: int, steps: int
            ) -> dict[str, tuple[bool, float, float]]:
    """For each plan: whether its least is proved, how far it is above that, and
    how far that is above the bound."""
    n, i = case
    jobs = random_jobs(Kind("", n, 8, 3), seed + i)
    longest = sorted(jobs, key=lambda job: -job[1])
    search = {CNP: plans.contention(MACHINE, jobs, steps=steps),
              LONGEST: plans.contention(MACHINE, longest),
              STEPS: plans.contention(MACHINE, jobs, steps=100),
              OWN_DELAY: plans.contention(MACHINE, jobs, steps=steps,
                                          own_delay=True)}
    found = {}
    for name, plan in search.items():
        best = search[OWN_DELAY if name == OWN_DELAY else CNP]
        length = float(plan.makespan) if name == STEPS else plan.first
        least = float(best.makespan)
        found[name] = (best.least, length / least - 1,
                       0.0 if best.least else least / best.bounds.events - 1)
    return found


def few_rows(n: int, sets: list[dict[str, tuple[bool, float, float]]]
             ) -> Iterator[Row]:
    for plan in FEW_PLANS:
        proved, above, opened = zip(*(it[plan] for it in sets))
        yield {"jobs": n, "plan": plan, "sets": len(sets), "proved": sum(proved),
               "mean": sum(it / len(sets) for it in above),
               "worst": max(0.0, *above), "open": max(0.0, *opened)}


def steps_of_proof(how: Any) -> int:
    return 100 * (how.limit or 10000)


# ---- the entry ----

def compute(run: Run) -> None:
    how = run.how
    n = how.seeds or 10
    few = (how.jobs,) if how.jobs else FEW[:3] if how.quick else FEW
    budgets = [it for it in BUDGETS if it[0] <= (how.limit or it[0])]
    compute_example(run)
    sets = run.map(functools.partial(few_set, seed=how.seed,
                                     steps=steps_of_proof(how)),
                   itertools.product(few, range(n)))
    run.answer["few"] = [row for i, jobs in enumerate(few)
                         for row in few_rows(jobs, sets[i * n:(i + 1) * n])]
    gaps = run.map(functools.partial(gap_row, seed=how.seed),
                   itertools.product(KINDS, budgets, range(n)))
    for i in range(0, len(gaps), n):
        mean = sum(row["gap"] for row in gaps[i:i + n]) / n
        for row in gaps[i:i + n]:
            row["mean"] = mean
    run.answer["gaps"] = gaps


def judge(run: Run) -> None:
    jobs, lengths = run.answer["example"], run.answer["lengths"]
    for job in jobs:
        # The finish of job 3 is a misprint: its last matrix has 5.5 left at 4.
        misprint = job["id"] == 3 and job["finish"] == 4 + 5.5
        run.compare("Section 2.4.4", f"finish of job {job['id']}",
                    f"{job['printed_finish']:g}", f"{job['finish']:g}",
                    job["finish"] == job["printed_finish"],
                    "a misprint: its last matrix has 4 + 5.5" if misprint
                    else "see the table")
    for value, name in (("starts", "start"), ("places", "offset")):
        same = sum(job[name] == job[f"printed_{name}"] for job in jobs)
        run.compare("Section 2.4.4", value, "6", f"{same} the same",
                    same == len(jobs), "see the table")
    for where, value, row in (
            ("Section 2.4.4, Figure 2", "schedule length", lengths[0]),
            ("Section 2.4.4", "length if dilation is ignored", lengths[1])):
        run.compare(where, value, f"{row['printed']:g}", f"{row['length']:g}",
                    row["length"] == row["printed"], "see the table")
    run.refuse("Section 2.4.4", "time for n jobs on m x m", "O(n log n + n m^2)",
               "O(n log n + n m^2)",
               "bounds, not times; make bench-parts measures times")


def show(run: Run) -> None:
    run.say("The example of section 2.4.4 on torus:8x8: the plan by the paper's "
            "algorithm, as printed there, and the shortest one in which jobs are "
            "kept apart: no two share a link, and none is stopped (all plans "
            "were tried).\n")
    run.table("example")
    run.lines("\n")
    run.table("lengths")
    run.say("\nWhat plans of few jobs take longer than the best plan with starts "
            f"at events that {steps_of_proof(run.how)} steps find, in %, on "
            f"{MACHINE}: dimensions 1 to 8, times from 0.1 to 100. In how many "
            "sets that is proved to be the least; where it is not, it is at most "
            "by the last column above the least.\n")
    run.table("few")
    run.say("\nWhat plans take longer than the least time without contention, in "
            f"%: means of {run.how.seeds or 10} sets of jobs on {MACHINE}, times "
            "from 0.1 to 100, by the steps of the search.\n")
    run.pivot("gaps", ["what"], "search", "mean")
