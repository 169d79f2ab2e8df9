"""M. A. Bender et al., "Communication-Aware Processor Allocation for
Supercomputers", 2005, section 5: Table 1, how well allocators decide in the
situations that each of them leads to.

The paper's log, of the Cray T3D at Lawrence Livermore, was of a machine of 256
processors, taken as a mesh of 16x16. Logs of other machines are scaled: sizes are
multiplied by 256 over the processors of the log's machine and rounded up, so that
a job takes the same share of the mesh as it took of its own machine, the load is
about the log's own, and no job is too large."""
from __future__ import annotations

import functools
import itertools
import math
import os
from dataclasses import dataclass
from typing import Any, Iterator, NamedTuple, Optional, Sequence

from .. import Workload, simulate
from ..decide import decide
from . import BENDER_2005, Lead, Run, estimate, traces
from .sheets import Field, Row, Shown

ALLOCS = ("mc1x1", "mm", "mm+inc", "hilbert-bf")
CURVE = ALLOCS[3]  # which the paper has first
OF = Field("jobs_of", "the log or the model")
SHORT = Field("short", "the same in short", "jobs of")


def lead_fields(name: str, about: str, title: str) -> tuple[Field, Field]:
    return (Field(name, about, title, 2, "%"),
            Field(f"{name}_half", "half of its 95 % interval", unit="%"))


CITATION = BENDER_2005
WHAT = ("Table 1: how well allocators decide, in the situations that each of them "
        "leads to")
TAKES = ("traces", "limit")
QUICK = {"limit": 15000}
ANSWER = (
    Field("left_out", "named places of logs that do not exist"),
    Field("runs", "every log, and the model", list=True, group=(
        OF,
        Field("jobs", "jobs that ran"),
        Field("rejected", "jobs that are too large"),
        Field("log_procs", "processors of the log's machine, 0 if that is not "
              "known"),
        Field("scale", "what sizes are multiplied by"),
        Field("utilization", "the utilization"))),
    Field("table", "the entries of Table 1", list=True, sheet="table1", group=(
        OF,
        Field("situation", "the allocator that places the jobs"),
        Field("decision", "the one that is asked"),
        Field("pairwise", "mean sum of pairwise distances of a job", decimals=1,
              unit="hops"),
        Field("printed", "the same in the paper", unit="hops"))),
    Field("rankings", "how rows, columns and diagonals rank", list=True, group=(
        OF,
        Field("line", "a row ranks decisions, a column situations, the diagonal "
              "both", "line"),
        Field("alloc", "which row or column", "of"),
        Field("ranking", "allocators there, best first", "best first"),
        Field("printed", "the same in the paper", "printed"),
        Field("as_printed", "whether these are the same", "the same"))),
    Field("diagonals", "the diagonal in other cases", list=True,
          sheet="diagonal", group=(
              OF, SHORT,
              Field("case", "scheduler, load and sizes", "case"),
              Field("sched", "the scheduler"),
              Field("jobs", "how many jobs there are; of 0 nothing is known",
                    "jobs"),
              *(Field(f"sum_{it}", "mean sum of pairwise distances of a job",
                      f"{'' if i else 'sum: '}{it}", 1, "hops")
                for i, it in enumerate(ALLOCS)),
              *(Field(f"hops_{it}", "mean distance of two nodes of a job",
                      f"{'' if i else 'hops: '}{it}", 2, "hops")
                for i, it in enumerate(ALLOCS)),
              Field("ranking", "allocators by sums, best first"),
              Field("ranking_by_hops", "by hops, best first"))),
    Field("tally", "how many workloads rank as printed", list=True, group=(
        Field("case", "scheduler, load and sizes", "case"),
        Field("workloads", "workloads that have such jobs", "workloads"),
        Field("as_printed", "those whose diagonal ranks as printed",
              "ranks as printed"),
        Field("curve_first", "those in which hilbert-bf is first by sums",
              "hilbert-bf first by sums"),
        Field("curve_nearest", "those in which it is first by hops",
              "by hops"))),
    Field("leads", "how sure the order is with powers of two, 32 or more",
          list=True, group=(
              OF, SHORT,
              Field("case", "which jobs, and how they are scheduled", "case"),
              Field("parts", "parts of a log one after the other, or seeds of the "
                    "model", "parts"),
              *lead_fields("mc1x1", "what mc1x1 pays more than hilbert-bf",
                           "mc1x1 over hilbert-bf, %"),
              *lead_fields("inc", "what mm+inc pays more than mc1x1",
                           "mm+inc over mc1x1, %"),
              *lead_fields("mm", "what mm pays more than mm+inc",
                           "mm over mm+inc, %"),
              Field("ranking", "allocators by sums of the whole workload, best "
                    "first; = between two that the parts do not tell apart, in "
                    "the printed order", "best first"))),
)

MESH, NODES = "mesh:16x16", 256
MODEL_JOBS, MODEL_LOAD = 10000, 0.7
Ranking = tuple[str, ...]  # allocators, best first
Matrix = dict[tuple[str, str], float]  # by situation and decision

# A row is the allocator that places the jobs.
PRINTED: Matrix = dict(zip(itertools.product(ALLOCS, ALLOCS), map(float, (
    5256, 5218, 5207, 5432, 5323, 5288, 5276, 5531, 5319, 5281, 5269, 5495, 5090,
    5059, 5046, 5207))))


# ---- the workloads ----

@dataclass(frozen=True)
class Source:
    """A log, or the model."""

    path: Optional[str] = None
    procs: int = 0  # of the log's machine; 0: unknown

    @property
    def name(self) -> str:
        return (os.path.basename(self.path) if self.path
                else "the model of Lublin and Feitelson for 256 nodes")

    @property
    def short(self) -> str:
        return self.name if self.path else "the model"

    @property
    def scale(self) -> tuple[int, int]:
        return (NODES, self.procs) if self.procs else (1, 1)

    def load(self, limit: int, seed: int, load: float = 0) -> Workload:
        num, den = self.scale
        if self.path:
            return traces.read(self.path, MESH, scale_num=num, scale_den=den,
                               limit=limit, seed=seed, load=load, shapes="count")
        return Workload("lublin", MESH, jobs=limit or MODEL_JOBS, limit=limit,
                        seed=seed, load=load or MODEL_LOAD, shapes="count")


def survey(path: str, how: Any) -> Source:
    """The header of a log names its machine. A log that cannot be read, or that
    has no jobs, is refused before any time is spent."""
    procs = Workload(path, MESH, limit=1, shapes="count").log_procs
    source = Source(path, max(procs, 0))
    source.load(how.limit, how.seed)
    return source


# ---- the table: every allocator in the situations of every other ----

def decisions(case: tuple[Source, str], how: Any) -> Any:
    source, situation = case
    return decide(MESH, source.load(how.limit, how.seed), ALLOCS, situation)


def line_of(matrix: Matrix, line: str, alloc: str = "") -> dict[str, float]:
    """A row ranks decisions in one situation, a column situations for one
    decider, the diagonal allocators in both roles."""
    return {it: matrix[{"row": (alloc, it), "column": (it, alloc),
                        "diagonal": (it, it)}[line]] for it in ALLOCS}


def rank(values: dict[str, float]) -> Ranking:
    return tuple(sorted(values, key=lambda it: values[it]))


LINES = [*itertools.product(("row", "column"), ALLOCS), ("diagonal", "")]
DIAGONAL = rank(line_of(PRINTED, "diagonal"))


def table_rows(source: Source, rows: Sequence[Any], matrix: Matrix
               ) -> dict[str, list[Row]]:
    of, measures = {"jobs_of": source.name}, rows[0].measures
    num, den = source.scale
    ranks = [(line, alloc, rank(line_of(matrix, line, alloc)),
              rank(line_of(PRINTED, line, alloc))) for line, alloc in LINES]
    return {
        "runs": [{**of, "jobs": int(measures["jobs"]),
                  "rejected": int(measures["rejected"]),
                  "log_procs": source.procs, "scale": num / den,
                  "utilization": measures["utilization"]}],
        "table": [{**of, "situation": situation, "decision": decision,
                   "pairwise": matrix[situation, decision],
                   "printed": PRINTED[situation, decision]}
                  for situation, decision in matrix],
        "rankings": [{**of, "line": line, "alloc": alloc or None,
                      "ranking": ", ".join(ours), "printed": ", ".join(printed),
                      "as_printed": ours == printed}
                     for line, alloc, ours, printed in ranks]}


# ---- its diagonal, under conditions that the paper leaves open ----

class Case(NamedTuple):
    name: str
    policy: str = "fcfs"
    load: float = 0
    powers: bool = False  # sizes are rounded to the nearest powers of two
    least: int = 1  # smaller jobs are left out


# The Cray T3D of the paper's log gave out powers of two.
CASES = (Case("as above"), Case("EASY, load 0.9", "easy", 0.9),
         Case("powers of two", powers=True),
         Case("32 nodes or more", least=32),
         Case("powers, 32 or more", powers=True, least=32))
# These are judged by parts, so that there are intervals: a log is cut into as
# many parts, one after the other; of the model there are as many seeds.
JUDGED = (CASES[0], CASES[-1])
PARTS = 5


class Diagonal(NamedTuple):
    """Means over jobs of the sum of pairwise distances, and of the hops between
    two nodes. Without jobs there are no results."""

    jobs: int
    pairwise: dict[str, float]
    average: dict[str, float]


def nearest_power(size: int) -> int:
    """The lesser of two that are equally near."""
    power = 1 << size.bit_length() - 1
    return 2 * power if size - power > 2 * power - size else power


@functools.cache
def jobs_of(source: Source, case: Case, limit: int, seed: int) -> Workload:
    """The first jobs of a case, of all that a source has."""
    work = source.load(0 if case.least > 1 else limit, seed, case.load)
    asked = [int(it) for it in work.table()["asked"]]
    if case.powers:
        asked = list(map(nearest_power, asked))
    chosen = [i for i, size in enumerate(asked) if size >= case.least]
    chosen = chosen[:limit or len(chosen)]
    return work.some(chosen, [asked[i] for i in chosen])


def measure(item: tuple[Source, Case, Optional[int]], how: Any) -> Diagonal:
    """A workload in a case, or a part of it."""
    source, case, part = item
    seed = how.seed if source.path or part is None else how.seed + part
    work = jobs_of(source, case, how.limit, seed)
    if source.path and part is not None:
        work = work.some(slice(len(work) * part // PARTS,
                               len(work) * (part + 1) // PARTS))
    if not any(asked <= NODES for asked in work.table()["asked"]):
        nothing = dict.fromkeys(ALLOCS, math.nan)
        return Diagonal(0, nothing, nothing)
    results = {alloc: simulate(MESH, work, policy=case.policy, alloc=alloc,
                               placements=False, quiet=True) for alloc in ALLOCS}
    return Diagonal(int(results[CURVE]["jobs"]),
                    {it: results[it]["pairwise"] for it in ALLOCS},
                    {it: results[it]["average"] for it in ALLOCS})


def diagonal_row(source: Source, case: Case, found: Diagonal) -> Row:
    return {"jobs_of": source.name, "short": source.short, "case": case.name,
            "sched": case.policy, "jobs": found.jobs,
            **{f"sum_{it}": found.pairwise[it] for it in ALLOCS},
            **{f"hops_{it}": found.average[it] for it in ALLOCS},
            "ranking": ", ".join(rank(found.pairwise)) if found.jobs else "",
            "ranking_by_hops": ", ".join(rank(found.average)) if found.jobs
            else ""}


def tally_row(case: Case, found: Sequence[Diagonal]) -> Row:
    known = [it for it in found if it.jobs]
    return {"case": case.name, "workloads": len(known),
            "as_printed": sum(rank(it.pairwise) == DIAGONAL for it in known),
            "curve_first": sum(rank(it.pairwise)[0] == CURVE for it in known),
            "curve_nearest": sum(rank(it.average)[0] == CURVE for it in known)}


# ---- how sure the order is ----

def lead_of(parts: Sequence[Diagonal], a: str, b: str) -> Optional[Lead]:
    """How much more allocator a pays than b over the parts, in percent; None if
    less than two have jobs."""
    values = [100 * (it.pairwise[a] / it.pairwise[b] - 1) for it in parts
              if it.jobs and it.pairwise[b] > 0]
    return estimate(values) if len(values) > 1 else None


def is_ahead(parts: Sequence[Diagonal], a: str, b: str) -> bool:
    """Whether an allocator surely pays less than another."""
    lead = lead_of(parts, b, a)
    return lead is not None and lead[0] > lead[1]


def settled(parts: Sequence[Diagonal], ranking: Ranking) -> str:
    """Neighbours that the parts do not tell apart come in the printed order."""
    now = list(ranking)
    for _ in now:
        for i, (a, b) in enumerate(zip(now, now[1:])):
            a, b = now[i:i + 2]
            if (DIAGONAL.index(a) > DIAGONAL.index(b)
                    and not is_ahead(parts, a, b)):
                now[i:i + 2] = b, a
    return now[0] + "".join(
        f"{', ' if is_ahead(parts, a, b) else ' = '}{b}"
        for a, b in zip(now, now[1:]))


def lead_row(source: Source, case: Case, whole: Diagonal,
             parts: Sequence[Diagonal]) -> Row:
    row: Row = {
        "jobs_of": source.name, "short": source.short, "case": case.name,
        "parts": sum(bool(it.jobs and it.pairwise["mm+inc"] > 0)
                     for it in parts),
        "ranking": settled(parts, rank(whole.pairwise)) if whole.jobs else ""}
    for name, a, b in (("mc1x1", "mc1x1", CURVE), ("inc", "mm+inc", "mc1x1"),
                       ("mm", "mm", "mm+inc")):
        row[name], row[f"{name}_half"] = (lead_of(parts, a, b)
                                          or (math.nan, math.nan))
    return row


# ---- the entry ----

def compute(run: Run) -> None:
    how = run.how
    sources = [*(survey(path, how) for path in traces.every(how.traces)),
               Source()]
    rows = run.map(functools.partial(decisions, how=how),
                   itertools.product(sources, ALLOCS))
    items = [(source, *it) for source in sources for it in (
        *((case, None) for case in CASES),
        *itertools.product(JUDGED, range(PARTS)))]
    found = dict(zip(items, run.map(functools.partial(measure, how=how), items)))
    matrices = [{(row.situation, cell.alloc): cell.mean
                 for row in rows[i:i + len(ALLOCS)] for cell in row.cells}
                for i in range(0, len(rows), len(ALLOCS))]
    run.answer = {
        "left_out": ", ".join(filter(traces.absent, how.traces)),
        "runs": [], "table": [], "rankings": [],
        "diagonals": [diagonal_row(source, case, found[source, case, None])
                      for source in sources for case in CASES],
        "tally": [tally_row(case, [found[source, case, None]
                                   for source in sources]) for case in CASES],
        "leads": [lead_row(source, case, found[source, case, None],
                           parts_of(found, source, case))
                  for case in JUDGED for source in sources],
        "matrices": matrices,
        "parts": {case: [parts_of(found, source, case) for source in sources]
                  for case in JUDGED}}
    for i, (source, matrix) in enumerate(zip(sources, matrices)):
        for name, more in table_rows(source, rows[i * len(ALLOCS):],
                                     matrix).items():
            run.answer[name] += more


def parts_of(found: dict[Any, Diagonal], source: Source, case: Case
             ) -> list[Diagonal]:
    return [found[source, case, part] for part in range(PARTS)]


def line_leads(run: Run, line: str, first: int, last: int) -> Iterator[Lead]:
    """The neighbours in the printed order of such lines, from a place to
    another: how much more the second pays, over the workloads."""
    for alloc in ALLOCS:
        order = rank(line_of(PRINTED, line, alloc))
        for a, b in zip(order[first:last], order[first + 1:last + 1]):
            sums = [line_of(matrix, line, alloc)
                    for matrix in run.answer["matrices"]]
            yield estimate([it[b] / it[a] - 1 for it in sums])


def part_leads(run: Run, case: Case, first: int, last: int) -> Iterator[Lead]:
    """The same of the diagonal: a pair in a workload, by its parts."""
    for parts in run.answer["parts"][case]:
        for a, b in zip(DIAGONAL[first:last], DIAGONAL[first + 1:last + 1]):
            lead = lead_of(parts, b, a)
            if lead is not None:
                yield lead


def judge(run: Run) -> None:
    run.refuse("Table 1", "sums of distances", "5046 to 5531", "-",
               "its log is not available to us")
    with_powers = "powers of two of 32 or more: hilbert-bf before mc1x1"
    for where, value, printed, found in (
            ("rows", "decisions", "mm+inc, mm, mc1x1, hilbert-bf",
             line_leads(run, "row", 0, 3)),
            ("columns", "the best situations", "hilbert-bf",
             line_leads(run, "column", 0, 1)),
            ("columns", "the order of the others", "mc1x1, mm+inc, mm",
             line_leads(run, "column", 1, 3)),
            ("diagonal", "all jobs, as the logs are",
             "hilbert-bf, mc1x1, mm+inc, mm", part_leads(run, JUDGED[0], 0, 3)),
            ("diagonal", with_powers, "5207 and 5256",
             part_leads(run, JUDGED[1], 0, 1)),
            ("diagonal", "the same: mc1x1 before mm+inc", "5256 and 5269",
             part_leads(run, JUDGED[1], 1, 2)),
            ("diagonal", "the same: mm+inc before mm", "5269 and 5288",
             part_leads(run, JUDGED[1], 2, 3))):
        leads = list(found)
        sure = sum(mean > half for mean, half in leads)
        otherwise = sum(mean + half <= 0 for mean, half in leads)
        run.order(f"Table 1, {where}", value, printed, f"sure in {sure} of "
                  f"{len(leads)} pairs, otherwise in {otherwise}", leads,
                  "some surely rank otherwise")


def title_of(row: Row) -> str:
    text = f"\n{row['jobs_of']}\n{row['jobs']} jobs"
    if row["rejected"]:
        text += f", {row['rejected']} too large"
    if row["log_procs"]:
        text += (f", log of {row['log_procs']} "
                 f"processor{'s' * (row['log_procs'] != 1)}")
        if row["log_procs"] != NODES:
            text += f", sizes x {NODES}/{row['log_procs']}"
    return f"{text}, utilization {100 * row['utilization']:.1f} %\n\n"


def show(run: Run) -> None:
    named, runs = run.how.traces, run.answer["runs"]
    run.say("Mean sum of pairwise distances of a job on a 16x16 mesh, first come, "
            "first served. A row is the allocator that places the jobs (the "
            "situation), a column the one that is asked at every start (the "
            "decision). Printed are the figures of the paper, whose log is the "
            "LLNL Cray T3D's: 21323 jobs, 256 processors. Sums depend on the "
            "sizes of a log's jobs; what compares is how the allocators rank.")
    if len(runs) == 1:
        run.say(f"\nNo job logs are in {traces.said(named)}; {traces.ARCHIVE} "
                "has some, and --traces says where they are.")
    else:
        for place in filter(traces.absent, named):
            run.lines(f"\n{place} does not exist and was left out.\n")
    situation = [Shown("situation", "situation")]
    run.lines("\nprinted\n\n")
    run.pivot("table", situation, "decision", "printed",
              run.answer["table"][:len(PRINTED)])
    for i, row in enumerate(runs):
        entries, lines = (run.answer[name][i * n:(i + 1) * n] for name, n in (
            ("table", len(PRINTED)), ("rankings", len(LINES))))
        run.lines(title_of(row))
        run.pivot("table", situation, "decision", "pairwise", entries)
        run.lines("\n")
        run.table("rankings", rows=lines)
    run.say("\nThe diagonal, where each allocator lives with its own decisions: "
            "as above; under EASY at an offered load of 0.9; with sizes rounded "
            "to the nearest powers of two; with jobs of at least 32 nodes only; "
            "and with both. Beside the sums, the hops between two nodes of a job, "
            "on average.\n")
    run.table("diagonals")
    run.lines("\n")
    run.table("tally")
    run.say("\nHow sure the first and the last case are: what an allocator pays "
            "more than the next of the printed order, with 95 % intervals over "
            f"{PARTS} parts of a log, one after the other, or {PARTS} seeds of "
            "the model. An interval that holds 0 decides nothing: = stands "
            "between two allocators that are not told apart, in the printed "
            "order. With fewer jobs, the sums above may rank such allocators "
            "otherwise.\n")
    run.table("leads", ["short", "case", "parts", *(
        Shown(name, half=f"{name}_half") for name in ("mc1x1", "inc", "mm")),
        "ranking"], [row for row in run.answer["leads"] if row["parts"] > 1])
