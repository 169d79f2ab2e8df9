"""What became of the cells of a grid: run, kept on disk, and read again.

An outcome is one line of JSON: the version that made it, the config of the
simulation, and its result, or the error with which it gave up. While a sweep
runs, each outcome is appended to a file at once, in the order in which cells
finish: a sweep that is killed continues from there. In the end all are written
in the order of the design, as JSON lines and as CSV: the same bytes, however
many processes there were.

Policies are compared on the jobs that all of them ran. Where jobs of a scene
were rejected or killed, the means over these become a member "compared" of the
outcomes, and so do those of each group of jobs."""
from __future__ import annotations

import concurrent.futures
import fcntl
import json
import math
import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, Optional

import numpy

from ..._library import Failed, Invalid, version
from ..papers.sheets import encode
from ..runner import Progress
from . import write_output
from .design import Design, Row
from .server import Jobs, run_cell

Executor = concurrent.futures.Executor
WHOLE, TABLE = "cells.jsonl", "cells.csv"
# Means of jobs, by the names that they have in "compared".
MEASURES = ("response", "wait", "bounded_slowdown", "average")
_MEMBER = ',"compared":{'


@dataclass
class Running:
    """How cells are run."""

    tori: str
    workers: int = 0  # 0: one per processor
    executor: Optional[Executor] = None  # None: processes here
    folder: Optional[str] = None  # in which each outcome is kept at once
    part: int = 0  # run this part of so many, from 1 on; 0: all
    parts: int = 0
    per_job: Optional[str] = None  # the folder for tables of jobs

    def has(self, i: int) -> bool:
        return self.parts < 2 or i % self.parts == self.part - 1

    def log_of(self, i: int) -> Optional[str]:
        return self.per_job and os.path.join(self.per_job,
                                             f"jobs-{i + 1:05}.csv")


@contextmanager
def blamed(path: str) -> Iterator[None]:
    """A failure is one of this file."""
    try:
        yield
    except OSError as why:
        raise Failed(f"{path}: {why.strerror}") from None


def make_folder(path: str) -> None:
    """It may exist."""
    with blamed(path):
        try:
            os.mkdir(path)
        except FileExistsError:
            pass


def total(values: Any) -> float:
    """Added one after the other, as simulations do: the last digits depend on
    the order."""
    return float(numpy.add.accumulate(values)[-1]) if len(values) else 0.0


class _Kept:
    """The file to which outcomes are appended. It is locked, if the file system
    has locks, so that no two sweeps append to it."""

    def __init__(self, how: Running):
        name = (f"part-{how.part}-of-{how.parts}.jsonl" if how.parts > 1
                else "done.jsonl")
        self._path = os.path.join(how.folder or "", name)
        self._synced = 0.0
        with blamed(self._path):
            self._file = os.open(
                self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failed(f"{self._path}: another sweep is running there"
                         ) from None
        except OSError:
            pass
        self._write(b"\n")  # ends an incomplete line

    def _write(self, data: bytes) -> None:
        with blamed(self._path):
            while data:
                data = data[os.write(self._file, data):]

    def add(self, line: str) -> None:
        """A line survives if the sweep is killed at once; a loss of power,
        after a second: a sync takes longer than a short simulation."""
        self._write(line.encode() + b"\n")
        if time.monotonic() - self._synced >= 1:
            self.sync()

    def sync(self) -> None:
        self._synced = time.monotonic()
        with blamed(self._path):
            os.fdatasync(self._file)

    def close(self) -> None:
        self.sync()
        os.close(self._file)


class Cells:
    """The outcomes of a design, by cell; None where there is none. With
    `compares`, jobs are kept until their scene is compared; a cell has them in
    `jobs` until then."""

    def __init__(self, design: Design):
        self.design = design
        self.outcome: list[Optional[Row]] = [None] * len(design)
        self.line: list[Optional[str]] = [None] * len(design)
        self.jobs: dict[int, Jobs] = {}
        self.compares = False
        self.by = design.by
        self.absent: set[tuple[int, int]] = set()  # scenes and seeds

    @property
    def n(self) -> int:
        return sum(it is not None for it in self.outcome)

    # ---- reading ----

    def _take(self, i: int, line: str, outcome: Row) -> None:
        if self.outcome[i] is None:
            self.outcome[i], self.line[i] = outcome, line

    def load(self, folder: str) -> None:
        """Take the outcomes of the grid's cells from all files of a folder.
        Others, and those of another version, are ignored. A folder that does
        not exist has none."""
        try:
            names = os.listdir(folder)
        except FileNotFoundError:
            return
        except OSError as why:
            raise Failed(f"{folder}: {why.strerror}") from None
        index = {self.design.key(i): i for i in range(len(self.design))}
        for name in names:
            if len(name) > 6 and name.endswith(".jsonl"):
                path = os.path.join(folder, name)
                with blamed(path), open(path, "rb") as file:
                    for line in file:
                        self._take_line(index, line)

    def _take_line(self, index: dict[str, int], line: bytes) -> None:
        """The last line of a sweep that was killed may be incomplete."""
        if not line.endswith(b"\n"):
            return
        try:
            text = line[:-1].decode()
            outcome = json.loads(text)
        except ValueError:
            return
        if isinstance(outcome, dict) and outcome.get("tori") == version:
            i = index.get(json.dumps(outcome.get("config")))
            if i is not None:
                self._take(i, text, outcome)

    def forget(self, how: Running) -> None:
        """Cells without a table of jobs, if there shall be one, run again."""
        for i in range(len(self.design)):
            log = how.log_of(i)
            if log and not os.path.exists(log):
                self.outcome[i] = self.line[i] = None

    def find_absent(self) -> None:
        """Note which seeds lack outcomes, for a comparison of a sweep that is
        not finished: they do not count."""
        design = self.design
        self.absent = {(design.of(i).scene, i % design.seeds)
                       for i, it in enumerate(self.outcome) if it is None}

    def is_absent(self, i: int) -> bool:
        return (self.design.of(i).scene,
                i % self.design.seeds) in self.absent

    def missing(self, how: Running) -> list[int]:
        return [i for i, it in enumerate(self.outcome)
                if it is None and how.has(i)]

    # ---- running ----

    def run(self, how: Running, compares: bool = False) -> None:
        """Run the cells without an outcome, and compare the policies of each
        scene with `compares`.

        They begin at the end: users mostly list loads, sizes or schedulers from
        the fastest to the slowest, and a long cell that is run last keeps one
        processor busy while the others are idle."""
        todo = self.missing(how)[::-1]
        self.compares = compares
        keeps = compares and self.design.policies > 1
        if how.per_job:
            make_folder(how.per_job)
        kept = _Kept(how) if how.folder and todo else None
        left = {}  # cells of each scene
        for cells in self.design.ranges():
            for i in cells:
                left[i] = cells
        waiting = {cells: len(cells) for cells in set(left.values())}
        for i, line, jobs in self._outcomes(how, todo, keeps):
            if kept:
                kept.add(line)
            self._take(i, line, json.loads(line))
            if not keeps:
                continue
            if jobs is not None and len(jobs.ran):
                self.jobs[i] = jobs
            waiting[left[i]] -= 1
            if not waiting[left[i]]:
                self._compare(left[i])
        if kept:
            kept.close()

    def _outcomes(self, how: Running, todo: list[int], keeps: bool,
                  by: Optional[str] = None
                  ) -> Iterator[tuple[int, str, Optional[Jobs]]]:
        """The outcomes, as they come. After a failure no further cell is begun;
        of several failures that of the first cell is reported."""
        if not todo:
            return
        folder = os.getcwd()
        workers = min(how.workers or len(os.sched_getaffinity(0)), len(todo))
        # A thread waits for a process of its own.
        pool = (how.executor
                or concurrent.futures.ThreadPoolExecutor(workers))
        progress = Progress(sys.stderr.isatty(), len(todo), 0)
        waiting: dict[Any, int] = {}
        try:
            for n, i in enumerate(todo):
                request: Row = {"words": _grouped(self.design.words(i), by)}
                if keeps:
                    request["jobs"] = True
                if how.per_job:
                    request["log"] = how.log_of(i)
                waiting[pool.submit(run_cell, how.tori, folder, request)] = n
            for future in concurrent.futures.as_completed(list(waiting)):
                if future.exception():
                    break
                line, jobs = future.result()
                yield todo[waiting.pop(future)], line, jobs
                progress.step()
            running = {n: it for it, n in waiting.items() if not it.cancel()}
            for n in sorted(running):
                running[n].result()
        finally:
            if not how.executor:
                pool.shutdown(wait=True, cancel_futures=True)

    def again(self, how: Running, cells: Iterable[int],
              by: Optional[str] = None) -> None:
        """Run those with a result once more, and keep their jobs; outcomes
        stay, but for their groups if there is another way to group jobs."""
        todo = [i for i in cells if (it := self.outcome[i]) is not None
                and "error" not in it]
        how = Running(how.tori, how.workers, how.executor)
        for i, line, jobs in self._outcomes(how, todo, True, by):
            if jobs is not None:
                self.jobs[i] = jobs
            if by:
                self._regroup(self.outcome[i] or {}, json.loads(line))

    @staticmethod
    def _regroup(outcome: Row, again: Row) -> None:
        if (trace_of(outcome) and outcome.get("log_sha256")
                != again.get("log_sha256")):
            raise Invalid(f"{trace_of(outcome)}: the log was changed since "
                          "the sweep")
        if "by" in again:
            outcome["by"] = again["by"]

    # ---- jobs that all policies ran ----

    def compare(self, how: Running) -> None:
        """Compare the policies of each scene, where that has not been done. A
        sweep keeps no jobs, so these simulations run once more."""
        for cells in self.design.ranges():
            if self._is_uneven(cells) and not self._is_known(cells):
                self.again(how, cells)
                self._compare(cells)

    def regroup(self, how: Running, by: str) -> None:
        """Group the jobs of all outcomes in another way."""
        self.by = by
        for cells in self.design.ranges():
            self.again(how, cells, by)
            self._compare(cells)

    def _policies(self, cells: range) -> int:
        return len(cells) // self.design.seeds

    def _is_uneven(self, cells: range) -> bool:
        """Whether policies may have run different jobs."""
        return self._policies(cells) > 1 and any(
            _has_losses(self.outcome[i] or {}) for i in cells)

    def _is_known(self, cells: range) -> bool:
        """Whether they have been compared, by these policies."""
        return all("error" in it or it.get("compared", {}).get("policies")
                   == self._policies(cells)
                   for it in (self.outcome[i] or {} for i in cells))

    def _compare(self, cells: range) -> None:
        """Compare the cells of a scene, and forget their jobs."""
        if self._is_uneven(cells):
            for seed in range(self.design.seeds):
                self._compare_seed(
                    [i for i in cells[seed::self.design.seeds]
                     if i in self.jobs], self._policies(cells))
        for i in cells:
            self.jobs.pop(i, None)

    def _compare_seed(self, cells: list[int], policies: int) -> None:
        if not cells:
            return
        n = len(self.jobs[cells[0]].ran)
        common = numpy.ones(n, bool)
        for i in cells:
            ran = numpy.zeros(n, bool)
            m = min(n, len(self.jobs[i].ran))
            ran[:m] = self.jobs[i].ran[:m]
            common &= ran
        for i in cells:
            self._set(i, _compared(self.jobs[i], self.outcome[i] or {},
                                   common[:len(self.jobs[i].ran)], policies))

    def _set(self, i: int, member: Row) -> None:
        """Put it at the end of the line, in place of one that is there."""
        line, outcome = self.line[i] or "", self.outcome[i]
        old = line.find(_MEMBER)
        text = encode(member)
        self.line[i] = (f"{line[:old] if old >= 0 else line[:-1]}"
                        f',"compared":{text}}}')
        if outcome is not None:
            outcome["compared"] = json.loads(text)

    # ---- numbers ----

    def number(self, i: int, *path: str) -> float:
        """A number of a cell's result; NaN if there is none."""
        return number_at(self.outcome[i], "result", *path)

    def first(self) -> Row:
        """The first outcome that there is."""
        return next((it for it in self.outcome if it is not None), {})

    # ---- files ----

    def csv(self) -> bytes:
        """One line per simulation. Columns are in the order in which they
        first occur."""
        rows = [dict(_columns(it or {})) for it in self.outcome]
        names = dict.fromkeys(name for row in rows for name in row)
        lines = [",".join(names)]
        lines += [",".join(_csv_cell(row.get(name)) for name in names)
                  for row in rows]
        return ("\n".join(lines) + "\n").encode()

    def whole(self) -> bytes:
        return "".join(f"{line}\n" for line in self.line).encode()

    def write(self, folder: str) -> None:
        """Write all outcomes, then remove the files that were kept during the
        run."""
        write_output(os.path.join(folder, WHOLE), self.whole())
        write_output(os.path.join(folder, TABLE), self.csv())
        for name in os.listdir(folder):
            if name == "done.jsonl" or (name.startswith("part-")
                                        and name.endswith(".jsonl")):
                os.unlink(os.path.join(folder, name))


def _grouped(words: list[str], by: Optional[str]) -> list[str]:
    """The same with jobs grouped in another way."""
    if not by:
        return words
    words = list(words)
    while "--by" in words:
        at = words.index("--by")
        del words[at:at + 2]
    return [*words, "--by", by]


def trace_of(outcome: Row) -> Optional[str]:
    trace: Optional[str] = outcome.get("config", {}).get("trace")
    return trace


def number_at(row: Any, *path: str) -> float:
    for name in path:
        row = row.get(name) if isinstance(row, dict) else None
    if isinstance(row, bool) or not isinstance(row, (int, float)):
        return math.nan
    return float(row)


def _has_losses(outcome: Row) -> bool:
    result = outcome.get("result", {})
    return any((result.get("rejected"), result.get("killed"),
                outcome.get("hopeless")))


def _compared(jobs: Jobs, outcome: Row, common: Any, policies: int) -> Row:
    """Means over the common jobs."""
    member: Row = {"policies": policies, "jobs": int(common.sum())}
    for name, values in zip(MEASURES, jobs.value):
        values = values[common]
        values = values[~numpy.isnan(values)]
        member[name] = total(values) / len(values) if len(values) else math.nan
    if "by" in outcome and jobs.group is not None:
        group, n = jobs.group[common], len(outcome["by"])
        counts = numpy.bincount(group, minlength=n).tolist()
        sums = [numpy.bincount(group, values[common], n).tolist()
                for values in jobs.value[1:3]]
        member["by"] = [
            {"name": it["name"], "jobs": ran,
             "wait": wait / ran if ran else math.nan,
             "bounded_slowdown": slowdown / ran if ran else math.nan}
            for it, ran, wait, slowdown in zip(outcome["by"], counts, *sums)]
    return member


# ---- CSV ----

def _scalars(before: str, row: Row, of_result: bool
             ) -> Iterator[tuple[str, Any]]:
    """Numbers, texts and flags. Members of objects have the names of both. A
    measure that has the name of an option is renamed: jobs, some of which may
    not run."""
    for key, value in row.items():
        name = f"{before}_{key}" if before else key
        if isinstance(value, dict):
            yield from _scalars(name, value, of_result)
        elif not isinstance(value, list):
            yield ("jobs_run" if of_result and name == "jobs" else name), value


def _columns(outcome: Row) -> Iterator[tuple[str, Any]]:
    yield from _scalars("", outcome.get("config", {}), False)
    yield from _scalars("", outcome.get("result", {}), True)
    yield from _scalars("compared", outcome.get("compared", {}), False)
    for name in ("saturated", "hopeless", "unshaped", "error", "log_sha256",
                 "commit"):
        if name in outcome:
            yield name, outcome[name]


def _csv_cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return encode(value)
    if any(c in value for c in ',"\n'):
        return '"' + value.replace('"', '""') + '"'
    return value
