"""`tori decide`: every allocator in the situations of each."""
from __future__ import annotations

import gzip
import math
import os
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any, Iterator, Sequence

import tori
from ..._library import check, ffi, lib, text
from ...place import AllocConfig
from ..decide import Row, decide
from ..papers.sheets import Field, encode, grid, wrap
from ..workload import Workload
from . import run

STEPS = 1 << 26  # of allocators that search, if nothing else is said

_SITUATION = Field(
    "situation", "for each allocator that places the jobs, what each would "
    "choose", group=(
        Field("*", "jobs are placed by this allocator", group=(
            Field("*", "the mean pairwise sum of what this one would choose "
                  "there", unit="hops"),)),))
_NUMBER = (Field("*", "jobs are placed by this allocator"),)
ANSWER = (
    _SITUATION,
    Field("jobs", "jobs that ran"),
    Field("rejected", "jobs that can never run here"),
    Field("left_out", "how often a search gave up, in each situation", group=(
        Field("*", "jobs are placed by this allocator", group=(
            Field("*", "how often this one gave up"),)),)),
    Field("common", "the jobs on which no search gave up", group=(
        Field("situation", "the same sums over these jobs",
              group=_SITUATION.group),
        Field("jobs", "for each allocator that places the jobs, how many they "
              "are", group=_NUMBER))),
    Field("ended", "situations that ended early because the allocator that "
          "places gave up", group=_NUMBER),
)


class Matrix:
    """A row for each allocator that places the jobs, a column for each that is
    asked. A row has ended where the one that places gave up."""

    def __init__(self, names: Sequence[str], rows: Sequence[Any]):
        self.names = names
        self.rows = rows
        done = next((row for row in rows if isinstance(row, Row)), None)
        if done is None:
            raise rows[0]
        # A request by count fits wherever enough nodes are free, so these do
        # not depend on who places.
        self.jobs = int(done.measures["jobs"])
        self.rejected = int(done.measures["rejected"])
        self.left_out = [[it.left_out for it in row.cells] if isinstance(
            row, Row) else [0] * len(names) for row in rows]
        self.common_jobs = [row.common if isinstance(row, Row) else 0
                            for row in rows]
        self.ended = {name: str(row) for name, row in zip(names, rows)
                      if not isinstance(row, Row)}
        self.gaps = any(map(any, self.left_out))

    def means(self, common: bool = False) -> Iterator[list[float]]:
        """Without a decision there is no mean."""
        for row in self.rows:
            if not isinstance(row, Row):
                yield [math.nan] * len(self.names)
            elif common:
                yield [it.common if row.common else math.nan
                       for it in row.cells]
            else:
                yield [math.nan if 0 < it.left_out == self.jobs else it.mean
                       for it in row.cells]

    def answer(self) -> dict[str, Any]:
        def named(rows: Any) -> dict[str, Any]:
            return {name: dict(zip(self.names, row))
                    for name, row in zip(self.names, rows)}
        found = {"situation": named(self.means()), "jobs": self.jobs,
                 "rejected": self.rejected}
        if self.gaps or self.ended:
            left_out = named(self.left_out)
            found["left_out"] = {name: left_out[name] for name in self.names
                                 if name not in self.ended}
            found["common"] = {
                "situation": named(self.means(common=True)),
                "jobs": dict(zip(self.names, self.common_jobs))}
            found["ended"] = self.ended
        return found

    def _table(self, common: bool, bold: bool) -> str:
        lines = []
        for i, row in enumerate(self.means(common)):
            lines.append([self.names[i], *[str(self.common_jobs[i])] * common])
            lines[i] += ["-" if math.isnan(mean) else f"{mean:.1f}" + (
                "*" if not common and self.left_out[i][j] else "")
                         for j, mean in enumerate(row)]
        return grid(["situation", *["jobs"] * common, *self.names],
                    [True] + [False] * (len(self.names) + common), lines, bold)

    def page(self, bold: bool) -> str:
        """For people; what is missing is listed."""
        page = self._table(False, bold)
        if self.gaps or self.ended:
            page += "\n"
        for i, name in enumerate(self.names):
            if name in self.ended:
                page += wrap(self.ended[name], 2, 0)
            for other, n in zip(self.names, self.left_out[i]):
                if n:
                    page += (f"{name} places: {other} gave up {n} of "
                             f"{self.jobs} jobs\n")
        if self.gaps:
            page += wrap(
                "* only over the jobs it did not give up, so it does not "
                "compare with the others in its row. The table below does: it "
                "has the jobs of each row that every allocator decided.")
            page += "\n" + self._table(True, bold)
        return page


class _Progress:
    """How far all rows are, on a terminal."""

    def __init__(self) -> None:
        self._done: dict[str, int] = {}
        self._shown = ""
        self._lock = threading.Lock()
        self.wanted = sys.stderr.isatty()

    def update(self, name: str, done: int, total: int) -> None:
        with self._lock:
            self._done[name] = done
            shown = f"\r{100 * sum(self._done.values()) // total} %"
            if shown != self._shown:
                print(shown, end="", file=sys.stderr, flush=True)
            self._shown = shown

    def end(self) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _name(machine: tori.Machine, alloc: str) -> str:
    """That of an allocator in a file is in the file."""
    ops = AllocConfig(machine, alloc).c.ops
    return str(text(ops.info.name)) if ops else alloc


def compute(it: Any, machine: tori.Machine, work: Workload,
            initial: tori.State) -> Matrix:
    """All rows, in threads: the library computes without Python's lock."""
    allocs = it.allocs.split(",")
    progress = _Progress()

    def row(alloc: str) -> Any:
        try:
            return decide(
                machine, work, allocs, alloc, policy=it.sched,
                order=it.order or "submit", depth=it.depth or 0,
                epsilon=float(Fraction(it.epsilon or 0)),
                steps=it.steps or STEPS, initial=initial,
                progress=(lambda done, n: progress.update(
                    alloc, done, n * len(allocs)))
                if progress.wanted else None)
        except tori.GaveUp as ended:
            return ended

    with ThreadPoolExecutor(it.workers
                            or len(os.sched_getaffinity(0))) as pool:
        rows = list(pool.map(row, allocs))
    progress.end()
    return Matrix([_name(machine, alloc) for alloc in allocs], rows)


# ---- the situation ----

def read_lines(path: str) -> Iterator[tuple[int, str]]:
    """The lines of a small file that are not empty, without comments, and
    their numbers. It may be compressed; "-" is standard input."""
    try:
        with (sys.stdin.buffer if path == "-" else open(path, "rb")) as file:
            data = file.read()
    except OSError as why:
        raise tori.Failed(f"{path}: {why.strerror}") from None
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError) as why:
            raise tori.Invalid(f"{path}: {why}") from None
    for number, line in enumerate(data.split(b"\n"), 1):
        part = line.partition(b"#")[0].strip(b" \t\r")
        if part:
            yield number, part.decode(errors="replace")


def set_down(state: tori.State, path: str, wrap_around: bool) -> None:
    """The nodes and boxes of a file are down."""
    machine = state.machine
    box, err = ffi.new("tori_box *"), ffi.new("tori_error *")
    for number, line in read_lines(path):
        try:
            check(lib.tori_box_parse(machine._c, line.encode(), box, err), err)
            if lib.tori_box_wraps(machine._c, box) and not wrap_around:
                raise tori.Invalid(f"box {line:.60} wraps around; --wrap "
                                   "allows it")
        except tori.Invalid as why:
            raise tori.Invalid(f"{path}:{number}: {why}") from None
        nodes = ffi.new("uint32_t[]",
                        lib.tori_shape_volume(ffi.addressof(box, "shape")))
        lib.tori_box_nodes(machine._c, box, nodes)
        for node in nodes:
            state.set_down(node)


def load(it: Any, machine: tori.Machine) -> Workload:
    """The jobs. The options are those of all commands that simulate."""
    scale = Fraction(it.scale or 1)
    # A plain number is a text for the command.
    resample = it.resample or "0"
    if re.fullmatch(r"[0-9.]+", resample):
        resample = float(resample)
    return Workload(
        it.trace or it.jobs_csv or it.model or "lublin", machine,
        shapes="count" if it.shapes == "none" else it.shapes,
        load=float(Fraction(it.load or 0)), seed=it.seed,
        jobs=it.jobs or 10000, limit=it.limit or 0,
        resample=resample, strict=it.strict, keep=it.keep,
        size_from=it.size_from, durations=it.durations, service=it.service,
        scale_num=scale.numerator, scale_den=scale.denominator,
        procs_per_node=it.procs_per_node)


def command(it: Any) -> None:
    machine = tori.Machine(it.machine)
    initial = tori.State(machine)
    if it.down:
        set_down(initial, it.down, it.wrap)
    work = load(it, machine)
    matrix = compute(it, machine, work, initial)
    name = it.trace or it.jobs_csv or it.model or "lublin"
    if matrix.jobs == 0:
        raise tori.Invalid(f"{name}: none of {len(work)} jobs ran, so there is "
                           "nothing to compare")
    if it.json:
        print(f"{it.beginning},{encode(matrix.answer())[1:]}")
        return
    print(f"{name} on {machine}: {it.sched}, {it.order or 'submit'} order, "
          f"{matrix.jobs} jobs run, {matrix.rejected} rejected\n"
          "mean sum of pairwise distances of a job\n"
          "rows: the allocator that places the jobs; columns: the allocator "
          "that is asked\n")
    print(matrix.page(it.bold), end="")


if __name__ == "__main__":
    run(command)
