"""Simulations on an executor, and the folder that keeps their results."""
from __future__ import annotations

import concurrent.futures
import ctypes
import hashlib
import inspect
import json
import multiprocessing
import os
import pickle
import signal
import sys
import time
from typing import Any, Callable, Iterator, Optional

import numpy

from .._library import Error, Invalid, version
from ..place import Machine
from ..policy import policy_name
from .jobtable import JobTable, packed
from .study import simulate
from .workload import Jobs, checksum_of, models

Row = dict[str, Any]
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def _source_of(own: Any) -> str:
    """The text of a function or class, as far as it is known, and the
    attributes of an object: one that has changed is another choice."""
    own = getattr(own, "function", own)
    named_one = hasattr(own, "__name__")
    try:
        source = inspect.getsource(own if named_one else type(own))
    except (OSError, TypeError):
        source = ""
    return source if named_one else f"{source}{sorted(vars(own).items())}"


def _is_own(value: Any) -> bool:
    """Whether it is an allocator, order or policy of the caller's."""
    return callable(value) or hasattr(value, "function") or hasattr(value,
                                                                    "decide")


def key_of(options: Row) -> str:
    """What a result is known by: all that was chosen, the version of tori,
    and the contents of a log."""
    what = {**named(options), "tori": version, "form": 2}
    work = options["work"]
    if isinstance(work, str) and work not in models():
        try:
            what["checksum"] = checksum_of(work)
        except OSError:
            pass  # its row says what is wrong
    for name, value in what.items():  # 7 and 7.0 are the same choice
        if isinstance(value, float) and value.is_integer():
            what[name] = int(value)
        elif _is_own(options.get(name)):
            what[name] = [value, _source_of(options[name])]
        elif not isinstance(options.get(name), (str, int, float, Jobs, Machine,
                                                    type(None))):
            what[name] = hashlib.sha256(
                pickle.dumps(options[name])).hexdigest()
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()
                          ).hexdigest()


def run_cell(options: Row, keep_jobs: bool) -> tuple[Row, Optional[Row]]:
    """One simulation, in whatever process: its measures or an error, and the
    jobs."""
    try:
        how: Row = {"placements": False, **options, "quiet": True}
        result = simulate(**how)
    except Error as error:
        return {"error": str(error)}, None
    return ({**result, **result.source, "log_start": result.log_start},
            packed(result.table()) if keep_jobs else None)


class Kept:
    """A folder with a file of measures for each simulation, and one of its jobs
    if these are kept. Files appear whole, so any number of grids may share
    it."""

    def __init__(self, folder: Optional[str], keep_jobs: bool):
        self._folder = folder
        self._keep_jobs = keep_jobs
        if folder is not None:
            if os.path.isfile(folder):
                raise Invalid(f"{folder} is a file: results are kept in a "
                              "folder")
            os.makedirs(folder, exist_ok=True)

    def _path(self, key: str, kind: str) -> str:
        assert self._folder is not None
        return os.path.join(self._folder, f"{key[:32]}.{kind}")

    def find(self, key: str) -> Optional[Row]:
        """The row of an earlier run."""
        if self._folder is None:
            return None
        try:
            with open(self._path(key, "json"), encoding="utf-8") as file:
                row: Row = json.load(file)
        except (OSError, ValueError):
            return None
        if self._keep_jobs and "error" not in row:
            path = self._path(key, "npz")
            if not os.path.exists(path):
                return None
            row["table"] = JobTable(path)
        return row

    def add(self, key: str, row: Row, jobs: Optional[Row]) -> Row:
        """Keep a new one; what it is then."""
        if self._folder is None:
            return row if jobs is None else {**row, "table": JobTable(jobs)}
        if jobs is not None:
            arrays = jobs
            self._write(key, "npz", lambda file: numpy.savez_compressed(
                file, **arrays))
        self._write(key, "json", lambda file: file.write(
            (json.dumps(row, indent=1) + "\n").encode()))
        return row if jobs is None else {
            **row, "table": JobTable(self._path(key, "npz"))}

    def _write(self, key: str, kind: str, write: Callable[[Any], Any]) -> None:
        part = self._path(key, f"{os.uname().nodename}-{os.getpid()}.part")
        with open(part, "wb") as file:
            write(file)
        os.replace(part, self._path(key, kind))


class Progress:
    """A bar on standard error, with the time that is left."""

    def __init__(self, show: bool, n: int, kept: int):
        self._show = show
        self._n = n
        self._kept = self._done = kept
        self._begin = time.monotonic()

    def step(self) -> None:
        self._done += 1
        if not self._show:
            return
        text = bar(self._done, self._n, self._kept,
                   time.monotonic() - self._begin)
        print(f"\r{text}", end="\n" if self._done == self._n else "",
              file=sys.stderr, flush=True)


def bar(done: int, n: int, kept: int, passed: float) -> str:
    """How far it is, and how long the rest takes at the pace so far; `kept` of
    those that are done took no time."""
    left = passed / max(done - kept, 1) * (n - done)
    unit, length = next(it for it in (("h", 3600), ("min", 60), ("s", 1))
                        if left >= 1.5 * it[1] or it[1] == 1)
    full = 40 * done // n
    return (f"[{'#' * full}{'.' * (40 - full)}] {done}/{n}"
            + f", {left / length:.0f} {unit} left".ljust(14) * (done < n)
            + " " * 14 * (done == n))


def named(cell: Row) -> Row:
    """What was chosen, as a row has it."""
    return {name: value if isinstance(value, (str, int, float, type(None)))
            else policy_name(value) if _is_own(value)
            else getattr(value, "__name__", str(value))
            for name, value in cell.items()}


def _end_with_parent() -> None:
    """Processes of a pool wait for work that never comes if the one that made
    them is killed: Linux then ends them, too."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def run_cells(cells: dict[str, Row], keep_jobs: bool,
              executor: Optional[concurrent.futures.Executor],
              processes: Optional[int]
              ) -> Iterator[tuple[str, Row, Optional[Row]]]:
    """The results by their keys, as they come. What is not done when the caller
    stops is cancelled; an executor of the caller's goes on."""
    if not cells:
        return
    pool = executor or concurrent.futures.ProcessPoolExecutor(
        processes or len(os.sched_getaffinity(0)),
        mp_context=multiprocessing.get_context("fork"),
        initializer=_end_with_parent)
    waiting: dict[Any, str] = {}
    try:
        for key, options in cells.items():
            waiting[pool.submit(run_cell, options, keep_jobs)] = key
        for future in concurrent.futures.as_completed(list(waiting)):
            row, jobs = future.result()
            yield waiting.pop(future), row, jobs
    finally:
        for future in waiting:
            future.cancel()
        if executor is None:
            pool.shutdown(wait=True, cancel_futures=True)
