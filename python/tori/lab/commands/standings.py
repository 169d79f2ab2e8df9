"""The comparison of the policies of a grid: a row for each policy in each
scene, over all seeds, and which policy is best at what."""
from __future__ import annotations

import math
from typing import Any, Callable, Iterator, Optional, Sequence

from ..papers.sheets import Field, Shown, table
from ..statistics import estimate
from .cells import Cells, number_at, trace_of
from .design import Design, Row

NAN = math.nan
# A measure: its place in a result, its name in "compared", whether more is
# better, and the words for the best value and for a better one.
_MEASURES: tuple[tuple[str, tuple[str, ...], Optional[str], bool, str, str],
                 ...] = (
    ("response", ("response", "mean"), "response", False, "shortest response",
     "shorter"),
    ("wait", ("wait", "mean"), "wait", False, "shortest wait", "shorter"),
    ("bounded_slowdown", ("bounded_slowdown", "mean"), "bounded_slowdown",
     False, "lowest bounded slowdown", "lower"),
    ("utilization", ("utilization",), None, True, "highest utilization",
     "higher"),
    ("average", ("average",), "average", False, "shortest distances",
     "shorter"),
)


def _is_set(name: str) -> Callable[[Row], bool]:
    return lambda row: bool(row[name])


MEASURE = (
    Field("mean", "the mean over the seeds"),
    Field("half_interval",
          "half of its 95 % interval; null with a single seed"),
    Field("difference", "how far it is above the first policy's, as a fraction "
          "of that, seed by seed", decimals=1, scale=100),
    Field("difference_half", "half of the 95 % interval of that", decimals=1,
          scale=100))
ROW = (
    Field("scene", "what tells the scene from others: machine, workload, load",
          "scene"),
    Field("policy", "what tells the policy from others", "policy"),
    Field("seeds", "how many seeds"),
    Field("jobs_run", "jobs that ran to their end, over all seeds"),
    Field("saturated", "seeds of which the simulation is saturated, if there "
          "are any: the queue grew over the run or was never short again, so "
          "that waits tell how long the run is", present=_is_set("saturated")),
    Field("rejected", "jobs that can never run there"),
    Field("killed", "jobs that started and did not run to their end"),
    Field("hopeless", "with --mtbf: jobs that can hardly ever finish, if there "
          "are any; with several policies they are not compared",
          present=_is_set("hopeless")),
    Field("compared", "of the jobs that ran, those that response, wait, "
          "bounded_slowdown and average are means of: every policy of the "
          "scene ran them, and they are not hopeless"),
    Field("accepted", "the offered load without the jobs that were rejected",
          scale=100),
    Field("response", "from submission to finish", unit="s", group=MEASURE),
    Field("wait", "from submission to start", unit="s", group=MEASURE),
    Field("bounded_slowdown",
          "response over run time, of at least 10 s, at least 1",
          group=MEASURE),
    Field("utilization", "node-time that jobs asked for, of all",
          group=MEASURE),
    Field("average", "distance between two nodes of a job", unit="hops",
          group=MEASURE))


class Comparison:
    """The values of a measure by scene, policy and seed, NaN where there is
    none, and the scenes and seeds that do not count."""

    def __init__(self, design: Design, values: dict[tuple[int, int, int], float],
                 absent: set[tuple[int, int]]):
        self._seeds = {scene: [s for s in range(design.seeds)
                               if (scene, s) not in absent]
                       for scene in range(design.scenes)}
        self._values = values
        self._resampled = design.resampled
        self.seeds = design.seeds
        self.policies = range(design.policies)

    def _of(self, scene: int, policy: int) -> list[float]:
        return [self._values.get((scene, policy, seed), NAN)
                for seed in self._seeds[scene]]

    def has(self, scene: int, policy: int) -> bool:
        values = self._of(scene, policy)
        return bool(values) and not any(map(math.isnan, values))

    def mean(self, scene: int, policy: int) -> tuple[float, float]:
        return estimate(self._of(scene, policy), self._resampled)

    def difference(self, scene: int, policy: int, base: int
                   ) -> tuple[float, float]:
        """How far it is above the base, as a fraction of that."""
        return estimate((0.0 if one == other else _fraction(one - other, other)
                         for one, other in zip(self._of(scene, policy),
                                               self._of(scene, base))),
                        self._resampled)

    def excess(self, scene: int, policy: int, base: int
               ) -> tuple[float, float]:
        """The same, in its unit."""
        return estimate((one - other for one, other in zip(
            self._of(scene, policy), self._of(scene, base))), self._resampled)

    def first(self, scene: int) -> Optional[int]:
        """The first policy that has values."""
        return next((it for it in self.policies if self.has(scene, it)), None)

    def alike(self, scene: int, a: int, b: int) -> bool:
        """Whether they do not differ clearly."""
        mean, half = self.difference(scene, a, b)
        return abs(mean) <= (0.0005 if math.isnan(half) else half)

    def best(self, scene: int, most: bool, than: Optional[int] = None
             ) -> Optional[int]:
        """The best policy; or the best of those that are clearly not like
        `than`."""
        found = None
        for it in self.policies:
            if not self.has(scene, it) or (
                    than is not None and self.alike(scene, than, it)):
                continue
            mean = self.mean(scene, it)[0]
            if found is None or (mean > found[0] if most
                                 else mean < found[0]):
                found = mean, it
        return found and found[1]


def _fraction(part: float, whole: float) -> float:
    """As division of floating-point numbers is defined."""
    if whole == 0:
        return math.copysign(math.inf, part) if part == part else NAN
    return part / abs(whole)


def _value(cells: Cells, i: int, path: Sequence[str], name: Optional[str]
           ) -> float:
    """Over the jobs that all policies of the scene ran, if there are others."""
    outcome = cells.outcome[i] or {}
    if name and "compared" in outcome:
        return number_at(outcome, "compared", name)
    return cells.number(i, *path)


class Standings:
    """The rows of a comparison. If some cells have no outcome, call
    Cells.find_absent before."""

    def __init__(self, cells: Cells):
        self.cells = cells
        self.design = design = cells.design
        self._comparisons = []
        for _, path, name, *_ in _MEASURES:
            values = {}
            for i in range(len(design)):
                it = design.of(i)
                values[it.scene, it.policy, i % design.seeds] = _value(
                    cells, i, path, name)
            self._comparisons.append(Comparison(design, values, cells.absent))
        self.rows = [self._row(i) for i in range(0, len(design),
                                                 design.seeds)]

    def _row(self, first: int) -> Row:
        """One for all seeds of a policy."""
        design, cells = self.design, self.cells
        it = design.of(first)
        row: Row = {"scene": design.scene(it.scene),
                    "policy": design.policy(it.policy), "seeds": 0,
                    "jobs_run": 0, "saturated": 0, "rejected": 0, "killed": 0,
                    "hopeless": 0, "compared": 0}
        accepted = 0.0
        for i in range(first, first + design.seeds):
            if cells.is_absent(i):
                continue
            outcome = cells.outcome[i] or {}
            result = outcome.get("result", {})
            row["seeds"] += 1
            row["saturated"] += outcome.get("saturated") is True
            row["jobs_run"] += result.get("jobs", 0)
            row["rejected"] += result.get("rejected", 0)
            row["killed"] += result.get("killed", 0)
            row["hopeless"] += outcome.get("hopeless", 0)
            row["compared"] += outcome.get("compared", {}).get(
                "jobs", result.get("jobs", 0))
            accepted += cells.number(i, "accepted")
        row["accepted"] = accepted / row["seeds"] if row["seeds"] else NAN
        for (name, *_), comparison in zip(_MEASURES, self._comparisons):
            row[name] = self._measure(comparison, it.scene, it.policy)
        return row

    @staticmethod
    def _measure(comparison: Comparison, scene: int, policy: int) -> Row:
        base = comparison.first(scene)
        than = ((NAN, NAN) if base is None
                else comparison.difference(scene, policy, base))
        mean, half = comparison.mean(scene, policy)
        return {"mean": mean, "half_interval": half, "difference": than[0],
                "difference_half": than[1]}

    @property
    def lost(self) -> bool:
        """Whether jobs were rejected or killed."""
        return any(row["compared"] < row["jobs_run"]
                   or row["rejected"] + row["killed"] > 0 for row in self.rows)

    def best_cell(self) -> int:
        """The simulation with the shortest response in the last scene."""
        best = 0
        for i, row in enumerate(self.rows):
            before = self.rows[best]
            scenes = [self.design.combinations[n].scene for n in (best, i)]
            mean = before["response"]["mean"]
            if (i == 0 or scenes[0] != scenes[1] or math.isnan(mean)
                    or row["response"]["mean"] < mean):
                best = i
        return best * self.design.seeds

    # ---- for people ----

    def table(self, bold: bool) -> str:
        design = self.design
        scenes, policies = design.scenes > 1, design.policies > 1
        killed = any(row["killed"] for row in self.rows)
        columns = (
            (scenes, Shown("scene")), (policies, Shown("policy")),
            (True, Shown("response_mean", "response, s",
                         half="response_half_interval")),
            (policies, Shown("response_difference", "vs the first, %", 1, 100,
                             "response_difference_half")),
            (True, Shown("wait_mean", "wait, s", half="wait_half_interval")),
            (True, Shown("bounded_slowdown_mean", "slowdown", 2,
                         half="bounded_slowdown_half_interval")),
            (True, Shown("utilization_mean", "utilization, %", 1, 100,
                         "utilization_half_interval")),
            (True, Shown("average_mean", "distance", 2,
                         half="average_half_interval")),
            (self.lost, Shown("jobs_run", "jobs run")),
            (self.lost, Shown("rejected", "rejected")),
            (self.lost and killed, Shown("killed", "killed")),
            (self.lost and policies, Shown("compared", "compared")))
        return shown_table(ROW, self.rows, bold, columns, design.seeds)

    def text(self, bold: bool) -> str:
        """The table and, if there are several policies, which is best at
        what."""
        if self.design.policies < 2:
            return self.table(bold)
        return self.table(bold) + "\n" + self.verdict()

    def verdict(self) -> str:
        """Which policy is best at what, one line for each measure."""
        design = self.design
        parts = ["".join(self._best(m, scene)
                         for scene in range(design.scenes))
                 for m in range(len(_MEASURES))]
        return ("\n" if design.scenes > 1 else "").join(parts) + self._remedy()

    def _best(self, m: int, scene: int) -> str:
        *_, most, words, _ = _MEASURES[m]
        comparison, where = self._comparisons[m], self.design.scene(scene)
        there = [it for it in comparison.policies
                 if comparison.has(scene, it)]
        best = comparison.best(scene, most)
        if len(there) < 2 or best is None:
            return ""
        alike = [it for it in there if it != best
                 and comparison.alike(scene, best, it)]
        if len(alike) + 1 == len(there):
            said = ("no clear difference" if comparison.seeds > 1
                    else "no difference")
        else:
            said = self._winner(m, scene, best, alike)
        return f"{words}{' at ' if where else ''}{where}: {said}\n"

    def _winner(self, m: int, scene: int, best: int, alike: list[int]) -> str:
        """The best is compared with the first policy, or with the second if
        the first is the best."""
        *_, most, _, better = _MEASURES[m]
        comparison, name = self._comparisons[m], self.design.policy
        other = comparison.first(scene)
        if other == best:
            other = comparison.best(scene, most, best)
        text = name(best)
        if other is not None and (comparison.seeds > 1 or not comparison.alike(
                scene, best, other)):
            mean, half = comparison.difference(scene, best, other)
            text += (f", {_real(100 * abs(mean))} %" + (
                " (no interval)" if math.isnan(half)
                else f" ± {_real(100 * half)} %")
                + f" {better} than {name(other)}")
        if alike:
            text += ("; not clearly worse: " if comparison.seeds > 1
                     else "; the same: ") + ", ".join(map(name, alike[:4]))
        if len(alike) > 4:
            text += f" and {len(alike) - 4} more"
        return text

    def _remedy(self) -> str:
        """The option that gives intervals."""
        design = self.design
        if design.seeds > 1 or len(design) <= design.scenes:
            return ""
        remedy = ("--seeds 10" if design.resampled else "--resample 7d"
                  if "trace" in design.axes else "--seeds 5")
        return ("\none simulation of each: verdicts have no interval, so "
                f"differences may be chance; {remedy} has intervals\n")

    def notes(self) -> str:
        """What a reader has to know besides the table."""
        return "".join(_notes(self))


def shown_table(fields: Sequence[Field], rows: Sequence[Row], bold: bool,
                columns: Sequence[tuple[bool, Shown]], seeds: int) -> str:
    """Those columns that are wanted; without intervals of a single seed."""
    return table(fields, rows, bold, [
        it if seeds > 1 else Shown(it.name, it.title, it.decimals, it.scale)
        for wanted, it in columns if wanted])


def _real(value: float) -> str:
    return f"{value:.1f}"


# ---- notes ----

def _notes(standings: Standings) -> Iterator[str]:
    cells, design = standings.cells, standings.design
    yield from _note_missing(cells)
    yield from _note_mixed(cells)
    if _is_shaped_by_default(design):
        yield ("\n--shapes was not given, and decides the verdict on "
               "distances: some policies get boxes by the rule first-match, "
               "which makes them long, others get counts; '--shapes "
               "compact,count --pair shapes' compares counts with short "
               "boxes\n")
    for scene in design.ranges():
        yield from _note_chosen(cells, next(
            (i for i in scene if (cells.outcome[i] or {}).get("unshaped", 0)
             > 0), scene[0]))
    yield from _note_hopeless(standings)
    yield from _note_saturated(standings)
    for i, row in enumerate(standings.rows):
        yield from _note_rejected(cells, i * design.seeds, row)
    yield from _note_lost(standings)
    yield design.left_out_lines("\n")
    errors = [it["error"] for it in cells.outcome if it and "error" in it]
    if errors:
        yield (f"\n{len(errors)} simulation{'s' * (len(errors) != 1)} gave up; "
               f"the first: {errors[0]}\n")


def _name(row: Row) -> str:
    """"easy" or "load 0.9 easy"; "" if there is only one row."""
    return " ".join(filter(None, (row["scene"], row["policy"])))


def _note_missing(cells: Cells) -> Iterator[str]:
    design = cells.design
    seeds = design.scenes * design.seeds
    missing = len(design) - cells.n
    if missing:
        yield (f"\nnot finished: {missing} of {len(design)} simulations are "
               "missing; a seed counts where all policies of a scene have "
               "been simulated with it, which is so for "
               f"{seeds - len(cells.absent)} of {seeds}\n")


def _is_mixed(cells: Cells, name: str, by_log: bool) -> bool:
    """Whether a text of an outcome differs between the cells of a log, or
    between all."""
    seen: dict[Optional[str], set[Any]] = {}
    for it in cells.outcome:
        if it and name in it and (not by_log or trace_of(it)):
            seen.setdefault(trace_of(it) if by_log else "", set()).add(
                it[name])
    return any(len(texts) > 1 for texts in seen.values())


def _note_mixed(cells: Cells) -> Iterator[str]:
    """A sweep may go on after a log or tori itself was changed."""
    if _is_mixed(cells, "log_sha256", True):
        yield ("\nthe log was changed between simulations of this sweep, so "
               "they are of different jobs: remove the folder and run all of "
               "them again (\"log_sha256\" in cells.csv)\n")
    if _is_mixed(cells, "commit", False):
        yield ("\nthe simulations are of different commits of tori "
               "(\"commit\" in cells.csv)\n")


def _is_shaped_by_default(design: Design) -> bool:
    """Whether jobs of the same scene are boxes for one policy, by the rule that
    is used if none is given, and counts for another."""
    pairs = zip(design.combinations, design.combinations[1:])
    return any(a.scene == b.scene and a.shaped and b.shaped
               and a.shaped != b.shaped and "first-match" in (a.shaped,
                                                              b.shaped)
               for a, b in pairs)


def _note_chosen(cells: Cells, i: int) -> Iterator[str]:
    """The jobs of a scene, if they are not as they were given or not all of
    those that there were: in cell i."""
    design, outcome = cells.design, cells.outcome[i] or {}
    n, left_out, measured, large, unshaped = (
        outcome.get(name, 0) for name in (
            "submitted", "left_out", "measured", "too_large", "unshaped"))
    where = design.scene(design.of(i).scene)
    where += ": " * bool(where)
    if left_out and design.resampled:
        yield f"\n{where}{left_out} jobs are left out (--keep)\n"
    elif left_out:
        yield f"\n{where}{n} of {n + left_out} jobs are kept\n"
    if large and trace_of(outcome):
        yield (f"\nwarning: {where}{large} of {n} jobs ask for more nodes than "
               "the machine has: sizes may be processors (--options "
               "'--procs-per-node N'), or be in another field "
               "(--size-from)\n")
    if unshaped:
        yield (f"\n{where}{unshaped} of {n} jobs have a shape in the log, and "
               "ask for a number of nodes; '--shapes as-given' keeps the "
               "shapes\n")
    if measured:
        yield (f"\n{where}{measured} of {n} jobs are measured"
               f"{' with the first seed' if design.seeds > 1 else ''}\n")


def _has_compared(cells: Cells) -> bool:
    return any(it and "compared" in it for it in cells.outcome)


def _note_hopeless(standings: Standings) -> Iterator[str]:
    """Jobs that would need more luck than there is. As many as in the row that
    has most."""
    design, cells = standings.design, standings.cells
    counts = [row["hopeless"] for row in standings.rows]
    n = max(counts)
    if n:
        yield (f"\n{'up to ' if min(counts) < n else ''}{n} "
               f"job{'s' * (n != 1)} can hardly ever finish"
               f"{', over all seeds' if design.seeds > 1 else ''}, because "
               "failures are frequent" + (
                   "; these are not compared" if design.policies > 1
                   and (cells.compares or _has_compared(cells)) else "")
               + "\n")


def _note_saturated(standings: Standings) -> Iterator[str]:
    rows = standings.rows
    n = sum(row["saturated"] for row in rows)
    if n:
        yield (f"\n{n} of {sum(row['seeds'] for row in rows)} simulations are "
               "saturated: the queue grew over the run or was never short "
               "again, so waits tell how long the run is\n")
    for row in rows if n and len(rows) > 1 else ():
        if row["saturated"]:
            yield f"  {_name(row)}: {row['saturated']} of {row['seeds']}\n"


def _note_rejected(cells: Cells, first: int, row: Row) -> Iterator[str]:
    """"wiring torus: 444 of 1500 jobs were rejected ..." """
    if not row["rejected"]:
        return
    reasons = [why for i in range(first, first + cells.design.seeds)
               for why in (cells.outcome[i] or {}).get("rejections", {})]
    name = _name(row)
    yield (f"\n{name}{': ' if name else ''}{row['rejected']} of "
           f"{row['rejected'] + row['jobs_run'] + row['killed']} jobs were "
           f"rejected, so the load was {_real(100 * row['accepted'])} %: "
           f"{reasons[0] if reasons else 'no reason is known'}\n")


def _note_lost(standings: Standings) -> Iterator[str]:
    cells = standings.cells
    if not standings.lost or len(standings.rows) < 2:
        return
    if not cells.compares and not _has_compared(cells):
        yield ("\nthe rows are means of different jobs, those that each one "
               "ran; 'tori compare' compares policies on the jobs that all of "
               "them ran\n")
    elif standings.design.policies > 1:
        yield ("\nresponse, wait, slowdown and distance are of the jobs that "
               "all policies of a scene ran (\"compared\")\n")
    else:
        yield ("\nthe rows are means of different jobs, those that each one "
               "ran; --pair compares them on the jobs that all of them ran\n")
