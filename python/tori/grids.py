"""Studies of many simulations side by side: every combination of choices, and
what a choice costs, with intervals. Times are in seconds."""
from __future__ import annotations

import concurrent.futures
import datetime
import hashlib
import itertools
import json
import math
import multiprocessing
import os
import re
import statistics
import sys
import warnings
from dataclasses import dataclass
from typing import (Any, Callable, Iterable, Iterator, Mapping, Optional,
                    TypeVar, Union)

from ._library import Error, Invalid, numpy, version
from .study import (FEW_BLOCKS, StudyWarning, Table, checksum_of, few_blocks,
                    models, optional, shapes_for, simulate, with_ratios)

Job = dict[str, Any]
By = Union[str, Iterable[str], Callable[[Job], Any], None]
Row = dict[str, Any]

# What is kept of each job; the rest follows from it.
_KEPT = ("id", "user", "group", "queue", "asked", "shape", "wiring",
         "time_limit", "runtime", "submit", "start", "finish", "wait", "ran",
         "nodes", "pairwise", "starts", "moves", "fate", "reason", "placement",
         "measured", "hopeless")


# ---- intervals ----

def _student(freedom: int) -> float:
    """The 97.5th percentile of Student's t: by bisection, over Simpson's rule
    for its density."""
    scale: float = math.exp(math.lgamma((freedom + 1) / 2)
                            - math.lgamma(freedom / 2)
                            ) / math.sqrt(freedom * math.pi)

    def below(end: float) -> float:
        n = 2000
        values = [math.pow(1 + (end * i / n) ** 2 / freedom,
                           -(freedom + 1) / 2) for i in range(n + 1)]
        return 0.5 + scale * end / n / 3 * (
            values[0] + values[n] + 4 * sum(values[1:n:2])
            + 2 * sum(values[2:n:2]))

    low, high = 1.9, 13.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < 0.975 else (low, middle)
    return low


def _interval(means: list[float], resampled: bool
              ) -> tuple[float, Optional[float], Optional[float]]:
    """The mean over samples, and its 95 % interval; None for one sample. Blocks
    that are drawn from one log do not add up: their spread is the error."""
    if not means:
        return math.nan, None, None
    mean = statistics.fmean(means)
    if len(means) == 1:
        return mean, None, None
    half = (_student(len(means) - 1) * statistics.stdev(means)
            / (1 if resampled else math.sqrt(len(means))))
    return mean, mean - half, mean + half


@dataclass(frozen=True)
class Difference:
    """How much more one side has than the other: the mean over the pairs, and
    its 95 % interval by Student's t; None for a single pair. Seeds that draw
    blocks of one log (`resample`) say how much another such log would differ, so
    more of them do not make the interval narrower. `jobs` ran to their end on
    both sides, and `left_out` did not, or were not measured, or can hardly ever
    finish, or have no such value, as a single node has no distance. In `saturated` pairs a side is saturated, and its waits tell how
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
        """The answer over all jobs, and those of the n groups with most jobs,
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
            rows.append({**row.pop("choices", {}), **row})
        pandas = optional("pandas")
        found = pandas.DataFrame(rows)
        found["group"] = pandas.Series([it.group for it in self],
                                       dtype=object)
        return found


# ---- groups of jobs ----

def _size_class(job: Job) -> str:
    """As the command names it: a power of two, and what is above the one
    before."""
    most = 1 << max(int(job["asked"]) - 1, 0).bit_length()
    return str(most) if most < 4 else f"{most // 2 + 1}-{most}"


def _job_class(job: Job) -> str:
    return (f"{'long' if job['runtime'] > 3600 else 'short'} "
            f"{'wide' if job['asked'] > 8 else 'narrow'}")


_CLASSES = {"size": _size_class, "class": _job_class}


def _groups(table: Table, by: By) -> list[Any]:
    """The group of each job."""
    n = len(table["id"])
    if callable(by):
        names = list(table)
        return [by(dict(zip(names, values)))
                for values in zip(*(_plain(table[name]) for name in names))]
    if isinstance(by, str):
        if by in _CLASSES:
            asked, runtime = _plain(table["asked"]), _plain(table["runtime"])
            return [_CLASSES[by]({"asked": asked[i], "runtime": runtime[i]})
                    for i in range(n)]
        return _plain(_column(table, by))
    return list(zip(*(_groups(table, str(name)) for name in by or ())))


def _natural(value: Any) -> tuple[int, list[Any]]:
    """Numbers in their order, also inside texts: "9-16" before "17-32"."""
    if isinstance(value, tuple):
        return (3, [_natural(part) for part in value])
    if value is None:
        return (0, [])
    if isinstance(value, (int, float)):
        return (1, [value])
    return (2, [(0, int(part), "") if part.isdigit() else (1, 0, part)
                for part in re.split(r"(\d+)", str(value)) if part])


def _plain(column: Any) -> list[Any]:
    """A column as numbers and texts of Python."""
    if hasattr(column, "tolist"):
        values: list[Any] = column.tolist()
        return values
    return list(column)


def _column(table: Table, name: str) -> Any:
    if name not in table:
        raise Invalid(f"jobs have no {name}: {', '.join(sorted(table))}")
    return table[name]


def _values(table: Table, measure: str) -> list[float]:
    """A column of numbers."""
    values = _plain(_column(table, measure))
    if values and not isinstance(values[0], (int, float)):
        raise Invalid(f"{measure} is not a number")
    return values


def _counts(table: Table) -> list[bool]:
    """Which jobs are compared: measured, and not left to luck."""
    return [fate == "done" and measured and not hopeless
            for fate, measured, hopeless in zip(
                table["fate"], table["measured"], table["hopeless"])]


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


def _test(name: str, wanted: Any, log_start: Optional[int]
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
        return lambda value: ((low is None or value >= low)
                              and (high is None or value <= high))
    if isinstance(wanted, (list, set, frozenset, range)):
        return lambda value: value in wanted
    return lambda value: bool(value == wanted)


def _chosen(table: Table, log_start: Optional[int],
            condition: Optional[Callable[[Job], bool]],
            columns: Mapping[str, Any]) -> list[int]:
    """The indexes of the jobs that meet all conditions."""
    keep = [True] * len(table["id"])
    for name, wanted in columns.items():
        test = _test(name, wanted, log_start)
        values = _plain(_column(table, _ALSO.get(name, name)))
        keep = [kept and test(value) for kept, value in zip(keep, values)]
    if condition is not None:
        keep = [kept and bool(met) for kept, met in zip(
            keep, _groups(table, condition))]
    return [i for i, kept in enumerate(keep) if kept]


def _take(column: Any, indexes: list[int]) -> Any:
    return (column[indexes] if hasattr(column, "tolist")
            else [column[i] for i in indexes])


def _summary(name: str, values: list[float]) -> dict[str, float]:
    """As tori_summary: percentiles by nearest rank."""
    values = sorted(value for value in values if not math.isnan(value))
    n = len(values)
    found = {"mean": math.fsum(values) / n if n else 0.0}
    for percent in (50, 90, 99):
        found[f"p{percent}"] = values[(n * percent + 99) // 100 - 1] if n else 0
    found["max"] = values[-1] if n else 0
    return {f"{name}.{of}": value for of, value in found.items()}


def _measures(table: Table) -> dict[str, float]:
    """The measures that some of the jobs have."""
    fates = table["fate"]
    ran = [i for i, fate in enumerate(fates)
           if fate == "done" and table["measured"][i]]
    steady = [i for i in ran if not table["hopeless"][i]]
    found = {"jobs": len(ran), "submitted": len(fates),
             "rejected": fates.count("rejected"),
             "killed": fates.count("killed"),
             "measured": int(sum(table["measured"])),
             "hopeless": int(sum(table["hopeless"]))}
    for name in ("wait", "response", "slowdown", "bounded_slowdown"):
        found |= _summary(name, _plain(_take(table[name], ran)))
    found["average"] = _summary("distance", _plain(_take(
        table["distance"], ran)))["distance.mean"]
    for name in ("wait", "response"):
        found[f"steady.{name}"] = _summary(name, _plain(_take(
            table[name], steady)))[f"{name}.mean"]
    return found


# ---- the results ----

class Grid:
    """The results of `grid`: a row for each simulation, with what was chosen
    and what was measured. A combination that failed has an "error". The "table"
    of a row has its jobs, as Result.table."""

    def __init__(self, axes: Iterable[str], rows: list[Row]):
        self.axes = list(axes)
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def frame(self) -> Any:
        """A pandas DataFrame, without the tables of jobs."""
        return optional("pandas").DataFrame([
            {name: value for name, value in row.items() if name != "table"}
            for row in self.rows])

    def jobs(self) -> Any:
        """A pandas DataFrame of all jobs: a row for each, with the values of
        the axes."""
        pandas = optional("pandas")
        return pandas.concat([
            pandas.DataFrame(row["table"]).assign(
                **{axis: row[axis] for axis in self.axes})
            for row in self.rows if "table" in row], ignore_index=True)

    def only(self, **choices: Any) -> Grid:
        """Some of the simulations: those with these values, or one of a list
        of them, on the axes.

            results.only(policy="easy", load=[0.6, 0.7])
        """
        tests = {name: _test(name, value, None)
                 for name, value in choices.items()}
        for name in tests:
            if name not in self.axes:
                raise Invalid(f"{name} is no axis of this grid: "
                              f"{', '.join(self.axes)}")
        return Grid(self.axes, [row for row in self.rows if all(
            test(row[name]) for name, test in tests.items())])

    def select(self, condition: Optional[Callable[[Job], bool]] = None,
               **columns: Any) -> Grid:
        """The same with some of the jobs: those that meet all conditions. A
        column is equal to a value, one of a list, or in a range (first, last),
        of which either may be None; `size` and `date` are `asked` and `submit`.
        Dates are "1997-01-31" and the like, and the second is excluded.

            results.select(user=7, size=(1, 64))
            results.select(date=("1997-01-01", "1997-02-01"))
            results.select(lambda job: job["wait"] > 3600)

        The simulations are those of all jobs. Measures of jobs are computed
        again; those of the machine, such as utilization, are left out."""
        return Grid(self.axes, [self._select(row, condition, columns)
                                for row in self.rows])

    @staticmethod
    def _select(row: Row, condition: Optional[Callable[[Job], bool]],
                columns: Mapping[str, Any]) -> Row:
        if "table" not in row:
            return row
        which = _chosen(row["table"], row.get("log_start"), condition, columns)
        table = {name: _take(column, which)
                 for name, column in row["table"].items()}
        return {**{name: row[name] for name in row if name in row["choices"]
                   or name in _SOURCE}, **_measures(table), "table": table}

    def means(self, measure: str = "wait", *, by: By = None,
              over: str = "seed") -> Answers[Mean]:
        """Means over the jobs that ran, by the values of the axes, and over
        the samples of one axis, with intervals. `measure` and `by` are as for
        `difference`."""
        others = [axis for axis in self.axes if axis != over]
        found: dict[Any, tuple[list[float], list[int]]] = {}
        resampled = False
        for row in self.rows:
            if "table" not in row:
                continue
            resampled = resampled or bool(row.get("resample"))
            key = tuple(row[axis] for axis in others)
            for group, values in _grouped(row["table"], measure, by).items():
                means, counts = found.setdefault((key, group), ([], []))
                means.append(statistics.fmean(values))
                counts.append(len(values))
        keys: dict[Any, None] = dict.fromkeys(key for key, _ in found)
        order = {key: i for i, key in enumerate(keys)}
        return Answers(
            Mean(dict(zip(others, key)), group, *_interval(means, resampled),
                 len(means), sum(counts))
            for (key, group), (means, counts) in sorted(
                found.items(), key=lambda it: (order[it[0][0]],
                                               _natural(it[0][1]))))

    def difference(self, axis: str, first: Any, second: Any,
                   measure: str = "wait", *, by: By = None,
                   percent: bool = False) -> Answers[Difference]:
        """What changes from one value of an axis to another. Simulations that
        agree in all else are a pair, and only jobs that ran to their end on
        both sides are compared. `measure` is a column of numbers: "wait",
        "response", "slowdown", "bounded_slowdown", "distance", "ran". With
        `percent` the difference is in percent of the mean of the first side.
        `by` is a column such as "user"; "size" or "class", as the command
        has them; several of these; or a function of a job's columns: one
        Difference for each group. The first is over all jobs.

            results.difference("wiring", "none", "torus", by="user")
            results.difference("case", "count", "box", "slowdown",
                               by=("size", "queue"), percent=True)
        """
        found: dict[Any, _Compared] = {}
        resampled = False
        for one, other in self._pairs(axis, first, second):
            resampled = resampled or bool(one.get("resample"))
            _compare(one, other, measure, by, percent, found)
        if not found:
            raise Invalid(f"no simulations differ only in {axis}: {first} and "
                          f"{second}{self._first_error()}")
        return Answers(
            Difference(group, *_interval(it.means, resampled), len(it.means),
                       it.jobs, it.left_out, it.saturated, percent)
            for group, it in sorted(found.items(),
                                    key=lambda it: _natural(it[0])))

    def _first_error(self) -> str:
        errors = [row["error"] for row in self.rows if "error" in row]
        return (f"; {len(errors)} of {len(self)} failed, the first: {errors[0]}"
                if errors else "")

    def _pairs(self, axis: str, first: Any, second: Any
               ) -> Iterator[tuple[Row, Row]]:
        if axis not in self.axes:
            raise Invalid(f"{axis} is no axis of this grid: "
                          f"{', '.join(self.axes)}")
        others = [name for name in self.axes if name != axis]
        sides: dict[Any, dict[Any, Row]] = {}
        for row in self.rows:
            sides.setdefault(row[axis], {})[
                tuple(row[name] for name in others)] = row
        for value in (first, second):
            if value not in sides:
                raise Invalid(f"{axis} is never {value}: "
                              f"{', '.join(map(str, sides))}")
        for key, one in sides[first].items():
            other = sides[second].get(key)
            if other is not None and "table" in one and "table" in other:
                yield one, other

    def plot(self, x: str, y: str, by: Optional[str] = None,
             ax: Any = None) -> Any:
        """Lines of the mean of y over x, one for each value of `by`, with the
        range from the least to the most; a matplotlib axes."""
        ax = ax or optional("matplotlib.pyplot").subplots()[1]
        for label, lines in sorted(self._lines(x, y, by).items(),
                                   key=lambda it: _natural(it[0])):
            at = sorted(lines, key=_natural)
            ax.plot(at, [sum(lines[v]) / len(lines[v]) for v in at],
                    marker="o", label=str(label))
            ax.fill_between(at, [min(lines[v]) for v in at],
                            [max(lines[v]) for v in at], alpha=0.2)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        if by is not None:
            ax.legend(title=by)
        return ax

    def _lines(self, x: str, y: str, by: Optional[str]
               ) -> dict[Any, dict[Any, list[float]]]:
        found: dict[Any, dict[Any, list[float]]] = {}
        for row in self.rows:
            if y in row:
                line = found.setdefault(row[by] if by else y, {})
                line.setdefault(row[x], []).append(row[y])
        return found

    def __repr__(self) -> str:
        return f"<Grid of {len(self)} simulations over {self.axes}>"


def _grouped(table: Table, measure: str, by: By) -> dict[Any, list[float]]:
    """The values of the jobs that count, by group; None is the group of
    all."""
    values, counts = _values(table, measure), _counts(table)
    groups = _groups(table, by) if by is not None else []
    found: dict[Any, list[float]] = {}
    for i, value in enumerate(values):
        if counts[i] and not math.isnan(value):
            for group in (None, groups[i]) if groups else (None,):
                found.setdefault(group, []).append(value)
    return found


@dataclass
class _Compared:
    """What is known of a group so far."""

    means: list[float]
    jobs: int = 0
    left_out: int = 0
    saturated: int = 0


def _compare(one: Row, other: Row, measure: str, by: By, percent: bool,
             found: dict[Any, _Compared]) -> None:
    """Add a pair: how much more each job has that counts on both sides, by
    group; None is the group of all."""
    ours, theirs = one["table"], other["table"]
    if _plain(ours["id"]) != _plain(theirs["id"]):
        raise Invalid("the two sides have different jobs")
    first, second = _values(ours, measure), _values(theirs, measure)
    both = [a and b and not math.isnan(first[i]) and not math.isnan(second[i])
            for i, (a, b) in enumerate(zip(_counts(ours), _counts(theirs)))]
    groups = _groups(ours, by) if by is not None else []
    rows: dict[Any, list[int]] = {}
    for i, counts in enumerate(both):
        for group in (None, groups[i]) if groups else (None,):
            it = found.setdefault(group, _Compared([]))
            if counts:
                rows.setdefault(group, []).append(i)
            else:
                it.left_out += 1
    for group, some in rows.items():
        it = found[group]
        base = statistics.fmean(first[i] for i in some)
        more = statistics.fmean(second[i] - first[i] for i in some)
        it.jobs += len(some)
        it.saturated += bool(one["saturated"] or other["saturated"])
        if not percent:
            it.means.append(more)
        elif base != 0:
            it.means.append(100 * more / base)


# ---- running it ----

_SOURCE = ("tori", "commit", "log_sha256", "log_start", "shapes", "saturated",
           "blocks", "choices")


def _key(cell: Row, options: Row) -> str:
    """What a result is known by: all that was chosen, the version of tori,
    and the contents of a log."""
    named = dict(_named(cell), **_named(options), tori=version, columns=_KEPT)
    if options["work"] not in models():
        try:
            named["checksum"] = checksum_of(options["work"])
        except OSError:
            pass  # its row says what is wrong
    for name, value in named.items():  # 7 and 7.0 are the same choice
        if isinstance(value, float) and value.is_integer():
            named[name] = int(value)
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode()
                          ).hexdigest()


def _run_cell(options: Row) -> Row:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StudyWarning)
            how: Row = {"placements": False, **options}
            result = simulate(**how)
    except Error as error:
        return {"error": str(error)}
    table = result.table()
    return {**result, **result.source, "log_start": result._work.log_start,
            "table": {name: _plain(table[name]) for name in _KEPT
                      if name in table}}


def _packed(table: Mapping[str, list[Any]]) -> Table:
    """The same with arrays where numpy is there, and texts only once."""
    found: Table = {}
    for name, column in table.items():
        if column and isinstance(column[0], str):
            found[name] = [sys.intern(value) for value in column]
        else:
            found[name] = (numpy.array(column) if numpy is not None
                           else column)
    return with_ratios(found)


def _read_kept(path: str) -> dict[str, Row]:
    """Results of an earlier grid; the last line may be torn."""
    kept = {}
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    row = json.loads(line)
                    kept[row["key"]] = row["result"]
                except (ValueError, KeyError):
                    continue
    except FileNotFoundError:
        pass
    return kept


class _Keeper:
    """Writes each result as soon as it is there."""

    def __init__(self, path: Optional[str]):
        self._file = None
        if path is None:
            return
        torn = os.path.exists(path) and not _ends_well(path)
        self._file = open(path, "a", encoding="utf-8")
        if torn:
            self._file.write("\n")

    def add(self, key: str, result: Row) -> None:
        if self._file is not None:
            self._file.write(json.dumps({"key": key, "result": result}) + "\n")
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _ends_well(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read()[-1:] in (b"", b"\n")


def _show(done: int, n: int) -> None:
    """A bar on the terminal."""
    width = 40
    full = width * done // max(n, 1)
    print(f"\r[{'#' * full}{'.' * (width - full)}] {done}/{n}",
          end="\n" if done == n else "", file=sys.stderr, flush=True)


def grid(out: Optional[str] = None, *, processes: Optional[int] = None,
         progress: Optional[bool] = None, **choices: Any) -> Grid:
    """Simulate every combination, on all cores. The keywords are those of
    `simulate` and Workload; a list, tuple or range is an axis:

        results = tori.grid("out.jsonl", machine=["torus:8x8x8", "mesh:8x8x8"],
                            work="lublin", policy=["easy", "conservative"],
                            load=[0.6, 0.8], seed=range(5))
        results.frame().groupby(["machine", "policy"])["wait.mean"].mean()

    A dictionary is an axis whose values set several keywords at once:

        case={"count": {"shapes": "count", "alloc": "mm"},
              "box": {"shapes": "compact", "alloc": "first-fit"}}

    With the path of a file, each result is kept there; a grid that was
    interrupted continues, and one that has grown computes only what is new. A
    bar shows how far it is if standard error is a terminal. A combination
    that tori refuses has an "error" in its row, and no measures. `jobs` is the
    number of jobs that ran to their end. The "table" of a row has the jobs,
    with `placements=True` also their places; Grid.difference compares them. A
    StudyWarning says what may mislead. Rows have the commit of tori and the
    SHA-256 of the log.
    """
    axes = {name: list(value) for name, value in choices.items()
            if isinstance(value, (list, tuple, range, Mapping))}
    fixed = {name: value for name, value in choices.items()
             if name not in axes}
    cells = [{**fixed, **dict(zip(axes, values))}
             for values in itertools.product(*axes.values())]
    options = [_options(cell, choices) for cell in cells]
    keys = [_key(cell, how) for cell, how in zip(cells, options)]
    kept = _read_kept(out) if out is not None else {}
    show = _show if (sys.stderr.isatty() if progress is None
                     else progress) else (lambda done, n: None)
    keeper = _Keeper(out)
    try:
        for i, result in _run_cells(options, keys, kept, processes):
            kept[keys[i]] = result
            keeper.add(keys[i], result)
            show(sum(key in kept for key in keys), len(cells))
    finally:
        keeper.close()
    rows = [_row(cell, how, kept[key])
            for cell, how, key in zip(cells, options, keys)]
    for sentence in _warnings(rows, options):
        warnings.warn(sentence, StudyWarning, stacklevel=2)
    return Grid(axes, rows)


def _options(cell: Row, choices: Mapping[str, Any]) -> Row:
    """The arguments of `simulate`: a bundle of them replaced by its
    members."""
    found: Row = {}
    for name, value in cell.items():
        bundle = choices[name]
        more = bundle[value] if isinstance(bundle, Mapping) else {name: value}
        for key in more:
            if key in found:
                raise TypeError(f"{key} is set twice, by {name} and before it")
        found.update(more)
    for name in ("machine", "work"):
        if name not in found:
            raise TypeError(f"a grid needs a {name}")
    if not isinstance(found["work"], str):
        raise TypeError("the work of a grid is the name of a model or log")
    return found


def _row(cell: Row, options: Row, result: Row) -> Row:
    chosen = {**_named(options), **_named(cell)}
    row: Row = {**chosen, **result, "choices": list(chosen)}
    if "table" in row:
        row["table"] = _packed(row["table"])
    return row


def _named(cell: Row) -> Row:
    """What was chosen, as a row has it."""
    return {name: value if isinstance(value, (str, int, float, type(None)))
            else getattr(value, "__name__", str(value))
            for name, value in cell.items()}


def _warnings(rows: list[Row], options: list[Row]) -> Iterator[str]:
    n = len(rows)
    errors = [row["error"] for row in rows if "error" in row]
    ran = [row for row in rows if "error" not in row]
    if errors:
        yield f"{len(errors)} of {n} simulations failed, the first: {errors[0]}"
    if {"first-match", "count"} <= {
            shapes_for(how.get("alloc"), how.get("work")) for how in options
            if "shapes" not in how}:
        yield ("shapes was not given, and decides distances: some simulations "
               "have boxes by the rule first-match, which makes them long, "
               "others have counts")
    lost = [row for row in ran if row["rejected"]]
    if lost:
        most = max(lost, key=lambda row: float(row["rejected"]))
        yield (f"in {len(lost)} of {n} simulations jobs were rejected, up to "
               f"{most['rejected']} of {most['submitted']}")
    hopeless = max((row["hopeless"] for row in ran), default=0)
    if hopeless:
        yield (f"{hopeless} jobs of a simulation can hardly ever finish, "
               "because failures are frequent; these are not compared")
    few = [row["blocks"] for row in ran if 0 < row["blocks"] < FEW_BLOCKS]
    if few:
        yield few_blocks(min(few))
    saturated = sum(bool(row["saturated"]) for row in ran)
    if saturated:
        yield (f"{saturated} of {n} simulations are saturated: the queue grew "
               "over the run or was never short again, so waits tell how long "
               "the run is")


def _run_cells(cells: list[Row], keys: list[str],
               kept: dict[str, Any], processes: Optional[int]
               ) -> Iterator[tuple[int, Row]]:
    """The results that are missing, as they come."""
    missing = [i for i, key in enumerate(keys) if key not in kept]
    if not missing:
        return
    pool = concurrent.futures.ProcessPoolExecutor(
        processes or len(os.sched_getaffinity(0)),
        mp_context=multiprocessing.get_context("fork"))
    try:
        waiting = {pool.submit(_run_cell, cells[i]): i for i in missing}
        for future in concurrent.futures.as_completed(waiting):
            yield waiting[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
