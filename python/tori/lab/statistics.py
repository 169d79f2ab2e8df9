"""Means and paired differences of simulations, with 95 % intervals, over all
jobs and over groups of them."""
from __future__ import annotations

import functools
import importlib
import math
import re
from dataclasses import dataclass, field
from typing import (Any, Callable, Iterable, Mapping, Optional, Sequence,
                    TypeVar, Union)

import numpy

from .._library import Invalid

Job = dict[str, Any]
Table = Mapping[str, Any]
By = Union[str, Iterable[str], Callable[[Job], Any], None]
Interval = tuple[float, Optional[float], Optional[float]]


# ---- intervals ----

_NORMAL = 1.959963984540054  # the 97.5th percentile of the normal distribution


def _within(t: float, freedom: int) -> float:
    """The probability that Student's t is within t of 0: the finite sums of
    Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    square = math.cos(angle) * math.cos(angle)
    term, total = math.cos(angle) if freedom % 2 else 1.0, 0.0
    for i in range(3 if freedom % 2 else 2, freedom + 1, 2):
        total += term
        term *= square * (i - 1) / i
    return (2 / math.pi * (angle + math.sin(angle) * total) if freedom % 2
            else math.sin(angle) * total)


@functools.lru_cache
def student(freedom: int) -> float:
    """The 97.5th percentile of Student's t. It is computed here, so that the
    same seeds give the same bytes with any scipy or none."""
    if freedom > 1000:  # the first terms of the series in 1/freedom
        z3 = _NORMAL * _NORMAL * _NORMAL
        return (_NORMAL + (z3 + _NORMAL) / (4 * freedom)
                + (5 * z3 * _NORMAL * _NORMAL + 16 * z3 + 3 * _NORMAL)
                / (96 * freedom * freedom))
    low, high = _NORMAL, 12.71  # for 1 degree of freedom: 12.706
    for _ in range(60):
        middle = (low + high) / 2
        if _within(middle, freedom) < 0.95:
            low = middle
        else:
            high = middle
    return high


def estimate(samples: Iterable[float], resampled: bool = False
             ) -> tuple[float, float]:
    """The mean of samples and half of its 95 % interval by Student's t: NaN for
    one sample. Samples that are `resampled` from the blocks of one log do not
    add up: their spread is the error, however many they are."""
    n, mean, squares = 0, 0.0, 0.0  # Welford's sums
    for value in samples:
        n += 1
        delta = value - mean
        mean += delta / n
        squares += delta * (value - mean)
    if n < 2:
        return mean if n else math.nan, math.nan
    half = student(n - 1) * math.sqrt(squares / (n - 1.0) / n)
    return mean, half * math.sqrt(n) if resampled else half


def interval(samples: Sequence[float], resampled: bool = False) -> Interval:
    """The mean of samples, and both ends of its interval; None for one
    sample."""
    mean, half = estimate(samples, resampled)
    if len(samples) < 2:
        return mean, None, None
    return mean, mean - half, mean + half


@dataclass(frozen=True)
class Difference:
    """How much more one side has than the other: the mean over the pairs, and
    its 95 % interval by Student's t; None for a single pair. Seeds that draw
    blocks of one log (`resample`) say how much another such log would differ, so
    more of them do not make the interval narrower. `choices` are the values of
    the other axes.

    `jobs` ran to their end on both sides. Of those `left_out`, some were
    `unmeasured` (in the warm-up or cool-down), the others, on one side or both,
    `rejected`, `killed`, or `hopeless` (they can hardly ever finish), or have
    `no_value`, as a single node has no distance. All are 0 for a measure of the
    whole run. In `saturated` pairs a side is saturated, and its waits tell how
    long the run is."""

    group: Any
    mean: float
    low: Optional[float]
    high: Optional[float]
    pairs: int
    jobs: int
    left_out: int
    saturated: int = 0
    percent: bool = False
    choices: dict[str, Any] = field(default_factory=dict)
    unmeasured: int = 0
    rejected: int = 0
    killed: int = 0
    hopeless: int = 0
    no_value: int = 0


@dataclass(frozen=True)
class Mean:
    """A mean over jobs, then over samples, with its 95 % interval as for a
    Difference. `choices` are the values of the axes."""

    choices: dict[str, Any]
    group: Any
    mean: float
    low: Optional[float]
    high: Optional[float]
    samples: int
    jobs: int


Answer = TypeVar("Answer", Difference, Mean)


class Answers(list[Answer]):
    """A list of Difference or Mean."""

    def largest(self, n: int) -> Answers[Answer]:
        """The answers over all jobs, and those of the n groups with most jobs,
        in their order."""
        counts: dict[Any, int] = {}
        for it in self:
            if it.group is not None:
                counts[it.group] = counts.get(it.group, 0) + it.jobs
        most = sorted(counts, key=lambda group: -counts[group])[:n]
        return Answers(it for it in self
                       if it.group is None or it.group in most)

    def frame(self) -> Any:
        """A pandas DataFrame; the group of all jobs is None, and choices have
        columns of their own."""
        rows = []
        for it in self:
            row = dict(vars(it))
            rows.append({**row.pop("choices"), **row})
        pandas = optional("pandas")
        found = pandas.DataFrame(rows)
        found["group"] = pandas.Series([it.group for it in self],
                                       dtype=object)
        return found


def optional(module: str) -> Any:
    """A module that is needed only here."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise ImportError(f"this needs {name}: python3-{name}") from None


# ---- groups of jobs ----

def _size_class(asked: int) -> str:
    """As the command names it: a power of two, and what is above the one
    before."""
    most = 1 << max(asked - 1, 0).bit_length()
    return str(most) if most < 4 else f"{most // 2 + 1}-{most}"


def plain(column: Any) -> list[Any]:
    """A column as numbers and texts of Python."""
    if hasattr(column, "tolist"):
        values: list[Any] = column.tolist()
        return values
    return list(column)


def column_of(table: Table, name: str) -> Any:
    if name not in table:
        raise Invalid(f"jobs have no {name}: {', '.join(sorted(table))}")
    return table[name]


def groups_of(table: Table, by: By) -> list[Any]:
    """The group of each job."""
    if callable(by):
        names = list(table)
        return [by(dict(zip(names, values)))
                for values in zip(*(plain(table[name]) for name in names))]
    if by == "size":
        return [_size_class(asked) for asked in plain(table["asked"])]
    if by == "class":
        return [f"{'long' if runtime > 3600 else 'short'} "
                f"{'wide' if asked > 8 else 'narrow'}" for runtime, asked in
                zip(plain(table["runtime"]), plain(table["asked"]))]
    if isinstance(by, str):
        return plain(column_of(table, by))
    return list(zip(*(groups_of(table, str(name)) for name in by or ())))


def _numbered(table: Table, by: By) -> tuple[list[Any], Any]:
    """The groups, and the number of each job's group. The first group, None,
    is that of all jobs; none has its number."""
    index: dict[Any, int] = {}
    numbers = [index.setdefault(group, len(index) + 1)
               for group in groups_of(table, by)] if by is not None else []
    return [None, *index], numpy.array(numbers, int)


def _by_group(numbers: Any, keep: Any, n: int, weights: Any = None
              ) -> list[float]:
    """The sum over the kept jobs, and over those of each group: of 1, or of
    weights."""
    whole = keep.sum() if weights is None else weights[keep].sum()
    if not len(numbers):
        return [float(whole)]
    some = None if weights is None else weights[keep]
    return [float(whole), *numpy.bincount(numbers[keep], some, n)[1:].tolist()]


def natural(value: Any) -> tuple[int, list[Any]]:
    """Numbers in their order, also inside texts: "9-16" before "17-32"."""
    if isinstance(value, tuple):
        return (3, [natural(part) for part in value])
    if value is None:
        return (0, [])
    if isinstance(value, (int, float)):
        return (1, [value])
    return (2, [(0, int(part), "") if part.isdigit() else (1, 0, part)
                for part in re.split(r"(\d+)", str(value)) if part])


def _values(table: Table, measure: str) -> Any:
    """A column of numbers."""
    values = numpy.asarray(column_of(table, measure))
    if values.dtype.kind not in "biuf":
        raise Invalid(f"{measure} is not a number")
    return values.astype(float)


# Why a job is not compared; the first that holds.
_LEFT_OUT = ("unmeasured", "rejected", "killed", "hopeless")


def _left_out(table: Table) -> dict[str, Any]:
    fate = numpy.asarray(table["fate"], str)
    return {"unmeasured": ~numpy.asarray(table["measured"], bool)
            | (fate == "none"),
            "rejected": fate == "rejected", "killed": fate == "killed",
            "hopeless": numpy.asarray(table["hopeless"], bool)}


def means_of(table: Table, measure: str, by: By
             ) -> dict[Any, tuple[float, int]]:
    """The mean over the jobs that count and how many they are, by group."""
    values = _values(table, measure)
    keep = ~numpy.isnan(values)
    for mask in _left_out(table).values():
        keep &= ~mask
    groups, numbers = _numbered(table, by)
    sums = _by_group(numbers, keep, len(groups), values)
    counts = _by_group(numbers, keep, len(groups))
    return {group: (total / n, int(n))
            for group, total, n in zip(groups, sums, counts) if n}


@dataclass
class Compared:
    """What is known of a group so far: a mean for each pair, and jobs by what
    became of them."""

    means: list[float] = field(default_factory=list)
    saturated: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, base: float, more: float, percent: bool,
            saturated: bool) -> None:
        self.saturated += saturated
        if not percent:
            self.means.append(more)
        elif base != 0:
            self.means.append(100 * more / base)

    def difference(self, group: Any, choices: dict[str, Any], percent: bool,
                   resampled: bool) -> Difference:
        counts = dict(self.counts)
        jobs = counts.pop("jobs", 0)
        return Difference(group, *interval(self.means, resampled),
                          len(self.means), jobs, sum(counts.values()),
                          self.saturated, percent, choices, **counts)


def compare(ours: Table, theirs: Table, measure: str, by: By, percent: bool,
            saturated: bool, found: dict[Any, Compared]) -> None:
    """Add a pair: how much more each job has that counts on both sides, by
    group; None is the group of all."""
    if not numpy.array_equal(ours["id"], theirs["id"]):
        raise Invalid("the two sides have different jobs")
    first, second = _values(ours, measure), _values(theirs, measure)
    groups, numbers = _numbered(ours, by)
    keep = numpy.ones(len(first), bool)
    masks = {}
    one, other = _left_out(ours), _left_out(theirs)
    for name in _LEFT_OUT:
        masks[name] = keep & (one[name] | other[name])
        keep = keep & ~masks[name]
    masks["no_value"] = keep & (numpy.isnan(first) | numpy.isnan(second))
    masks["jobs"] = keep = keep & ~masks["no_value"]
    for name, mask in masks.items():
        for group, n in zip(groups, _by_group(numbers, mask, len(groups))):
            counts = found.setdefault(group, Compared()).counts
            counts[name] = counts.get(name, 0) + int(n)
    base = _by_group(numbers, keep, len(groups), first)
    more = _by_group(numbers, keep, len(groups), second - first)
    jobs = _by_group(numbers, keep, len(groups))
    for i, group in enumerate(groups):
        if jobs[i]:
            found[group].add(base[i] / jobs[i], more[i] / jobs[i], percent,
                             saturated)
