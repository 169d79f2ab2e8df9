"""Tables of the jobs of one simulation: kept small, on disk if need be; some of
the jobs, and their measures."""
from __future__ import annotations

import datetime
import math
import os
from typing import Any, Callable, Iterator, Mapping, Optional, Union

import numpy

from .._library import Invalid
from .statistics import Job, Table, column_of, groups_of, plain
from .study import RATIOS, with_ratios

# What is kept of each job; RATIOS follow from it.
_KEPT = ("id", "user", "group", "queue", "asked", "shape", "wiring",
         "time_limit", "runtime", "submit", "start", "finish", "wait", "ran",
         "nodes", "pairwise", "starts", "moves", "fate", "reason", "placement",
         "measured", "hopeless")
JOB_COLUMNS = (*_KEPT, *RATIOS)
_TEXTS = ".texts"
Packed = Mapping[str, Any]  # arrays by their names


def packed(table: Table) -> dict[str, Any]:
    """A table as arrays. A column of texts is a column of numbers, and the
    texts, each once, with a 0 between."""
    found: dict[str, Any] = {}
    for name in _KEPT:
        if name not in table:
            continue
        column = table[name]
        if isinstance(column, list):
            index: dict[str, int] = {}
            column = [index.setdefault(text, len(index)) for text in column]
            found[name + _TEXTS] = numpy.frombuffer(
                ("\0".join(index) + "\0").encode(), numpy.uint8)
        found[name] = _narrow(numpy.asarray(column))
    return found


def _narrow(column: Any) -> Any:
    """Whole numbers in as few bytes as they need."""
    if column.dtype.kind not in "iu" or len(column) == 0:
        return column
    return column.astype(numpy.promote_types(
        numpy.min_scalar_type(column.min()),
        numpy.min_scalar_type(column.max())))


class _File(Mapping[str, Any]):
    """The arrays of a file, each read when it is asked for."""

    def __init__(self, path: str):
        self._path = os.path.abspath(path)

    def __getitem__(self, name: str) -> Any:
        with numpy.load(self._path) as file:
            return file[name]

    def __iter__(self) -> Iterator[str]:
        with numpy.load(self._path) as file:
            return iter(file.files)

    def __len__(self) -> int:
        return len(list(iter(self)))


class JobTable(Mapping[str, Any]):
    """The jobs of a simulation as columns, as Result.table has them. They are
    kept small, or in a file, and made when they are asked for."""

    def __init__(self, kept: Union[str, Packed]):
        self._kept = _File(kept) if isinstance(kept, str) else kept
        self._names = set(self._kept)

    def __getitem__(self, name: str) -> Any:
        if name in RATIOS:
            return with_ratios({it: self[it] for it in (
                "submit", "finish", "runtime", "pairwise", "nodes")})[name]
        if name.endswith(_TEXTS) or name not in self._names:
            raise KeyError(name)
        column = self._kept[name]
        if name + _TEXTS in self._names:
            texts = self._kept[name + _TEXTS].tobytes().decode().split("\0")
            return [texts[number] for number in column.tolist()]
        return (column.astype(numpy.int64) if column.dtype.kind in "iu"
                else column)

    def __iter__(self) -> Iterator[str]:
        return (name for name in JOB_COLUMNS
                if name in self._names or name in RATIOS)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def take(self, which: Any) -> JobTable:
        """Some of the jobs, by their indexes."""
        return JobTable({
            name: self._kept[name][which] if not name.endswith(_TEXTS)
            else self._kept[name] for name in self._names})


# ---- conditions ----

_ALSO = {"size": "asked", "date": "submit"}


def _moment(value: Any, log_start: Optional[int]) -> Any:
    """A date as seconds of the log."""
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value)
    elif isinstance(value, datetime.date) and not isinstance(
            value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime.datetime):
        return value
    if log_start is None:
        raise Invalid("these jobs have no dates (UnixStartTime): give seconds")
    if value.tzinfo is None:
        value = value.replace(tzinfo=datetime.timezone.utc)
    return value.timestamp() - log_start


def same(value: Any, wanted: Any) -> bool:
    """Whether a value is the one that is meant: fractions need not agree in
    their last digits, as those of numpy.arange do not."""
    if isinstance(value, float) and isinstance(wanted, (int, float)):
        return math.isclose(value, wanted, rel_tol=1e-9)
    return bool(value == wanted)


def condition_of(name: str, wanted: Any, log_start: Optional[int] = None
                 ) -> Callable[[Any], bool]:
    """Whether a value is wanted: it is equal, one of several, or in a
    range."""
    if isinstance(wanted, tuple):
        if len(wanted) != 2:
            raise Invalid(f"{name}: a range is (first, last)")
        low, high = wanted
        if name == "date":
            low, high = (_moment(it, log_start) for it in wanted)
            return lambda value: ((low is None or value >= low)
                                  and (high is None or value < high))
        return lambda value: (
            (low is None or value >= low or same(value, low))
            and (high is None or value <= high or same(value, high)))
    if hasattr(wanted, "tolist"):
        wanted = wanted.tolist()
    if isinstance(wanted, (list, set, frozenset, range)):
        return lambda value: value in wanted or any(
            same(value, it) for it in wanted)
    return lambda value: same(value, wanted)


def chosen(table: JobTable, log_start: Optional[int],
           condition: Optional[Callable[[Job], bool]],
           columns: Mapping[str, Any]) -> list[int]:
    """The indexes of the jobs that meet all conditions."""
    keep = [True] * len(table["id"])
    for name, wanted in columns.items():
        test = condition_of(name, wanted, log_start)
        values = plain(column_of(table, _ALSO.get(name, name)))
        keep = [kept and test(value) for kept, value in zip(keep, values)]
    if condition is not None:
        keep = [kept and bool(met) for kept, met in zip(
            keep, groups_of(table, condition))]
    return [i for i, kept in enumerate(keep) if kept]


# ---- measures ----

def _summary(name: str, values: Any) -> dict[str, float]:
    """As tori_summary: percentiles by nearest rank."""
    values = numpy.sort(values[~numpy.isnan(values)])
    n = len(values)
    found = {"mean": float(values.mean()) if n else 0.0}
    for percent in (50, 90, 99):
        found[f"p{percent}"] = float(
            values[(n * percent + 99) // 100 - 1]) if n else 0.0
    found["max"] = float(values[-1]) if n else 0.0
    return {f"{name}.{of}": value for of, value in found.items()}


def measures_of(table: JobTable) -> dict[str, float]:
    """The measures that some of the jobs have."""
    fate = numpy.asarray(table["fate"], str)
    measured, hopeless = table["measured"], table["hopeless"]
    ran = (fate == "done") & measured
    n = int(ran.sum())
    found: dict[str, float] = {
        "jobs": n, "done": n, "submitted": len(fate),
        "rejected": int((fate == "rejected").sum()),
        "killed": int((fate == "killed").sum()),
        "measured": int(measured.sum()), "hopeless": int(hopeless.sum())}
    for name in ("wait", "response", "slowdown", "bounded_slowdown"):
        found |= _summary(name, table[name][ran])
    found["average"] = _summary("", table["distance"][ran])[".mean"]
    for name in ("wait", "response"):
        found[f"steady.{name}"] = _summary(
            "", table[name][ran & ~hopeless])[".mean"]
    return found
