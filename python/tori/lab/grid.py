"""Many runs side by side: every combination of choices, on any executor, and
what a choice costs, with intervals. Times are in seconds."""
from __future__ import annotations

import concurrent.futures
import itertools
import sys
import warnings
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Union

import numpy

from .._library import Invalid, ffi
from .jobtable import JOB_COLUMNS, chosen, condition_of, measures_of, same
from .runner import Kept, Progress, Row, key_of, named, run_cells
from .statistics import (Answers, By, Compared, Difference, Job, Mean, compare,
                         interval, means_of, natural, optional)
from .study import FEW_BLOCKS, StudyWarning, few_blocks, members
from .workload import as_source, shapes_for

_MISSING = object()
_SOURCE = ("tori", "commit", "log_sha256", "log_start", "shapes", "saturated",
           "blocks", "choices")
# Choices whose names are those of measures, such as `jobs`.
_MEASURES = {name for name, _ in members(ffi.new("tori_sim_result *")[0])}


# ---- the results ----

def _column(values: list[Any]) -> Any:
    """An array of numbers, where all are numbers; what is missing is then NaN.
    Otherwise of objects; what is missing is then None."""
    kinds = {type(value) for value in values} - {type(_MISSING)}
    whole = len(values) == sum(value is not _MISSING for value in values)
    if whole and kinds in ({bool}, {int}):
        try:
            return numpy.array(values, bool if kinds == {bool} else numpy.int64)
        except OverflowError:
            pass
    elif kinds and kinds <= {int, float}:
        return numpy.array([numpy.nan if value is _MISSING else value
                            for value in values], float)
    found = numpy.empty(len(values), object)
    for i, value in enumerate(values):
        found[i] = None if value is _MISSING else value
    return found


class Grid:
    """The results of `grid`, as columns: `results["utilization"]` is an array
    with a value for each simulation. `axes` names what was varied. As rows,
    there is a dictionary for each simulation, with what was chosen and what was
    measured; a combination that failed has an "error" and no measures. With
    `keep_jobs` the "table" of a row has its jobs, as Result.table."""

    def __init__(self, axes: Iterable[str], rows: Iterable[Row]):
        rows = list(rows)
        self.axes = list(axes)
        self._tables: list[Any] = [row.get("table") for row in rows]
        self._set({name: [row.get(name, _MISSING) for row in rows]
                   for name in dict.fromkeys(
                       name for row in rows for name in row)
                   if name != "table"})

    def _set(self, values: dict[str, list[Any]]) -> None:
        self.columns = {name: _column(it) for name, it in values.items()}
        # Which rows have a value, where not all do.
        self._has = {name: numpy.array([v is not _MISSING for v in it], bool)
                     for name, it in values.items()
                     if any(v is _MISSING for v in it)}

    def __len__(self) -> int:
        return len(self._tables)

    def __getitem__(self, name: str) -> Any:
        """A column: an array with a value for each simulation, NaN or None
        where there is none."""
        if name not in self.columns:
            raise KeyError(f"{name}: there are {', '.join(self.columns)}")
        return self.columns[name]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def rows(self) -> list[Row]:
        """The simulations as dictionaries."""
        found: list[Row] = [{} for _ in self._tables]
        for name, column in self.columns.items():
            has = self._has.get(name)
            for i, value in enumerate(column.tolist()):
                if has is None or has[i]:
                    found[i][name] = value
        for row, table in zip(found, self._tables):
            if table is not None:
                row["table"] = table
        return found

    def _some(self, which: list[int]) -> Grid:
        some = object.__new__(Grid)
        some.axes = self.axes
        some.columns = {name: it[which] for name, it in self.columns.items()}
        some._has = {name: it[which] for name, it in self._has.items()}
        some._tables = [self._tables[i] for i in which]
        return some

    def frame(self) -> Any:
        """A pandas DataFrame, without the tables of jobs."""
        return optional("pandas").DataFrame(self.columns)

    def jobs(self) -> Any:
        """A pandas DataFrame of all jobs: a row for each, with the values of
        the axes."""
        self._need_jobs()
        pandas = optional("pandas")
        return pandas.concat([
            pandas.DataFrame(dict(table)).assign(
                **{axis: self.columns[axis][i] for axis in self.axes})
            for i, table in enumerate(self._tables) if table is not None],
            ignore_index=True)

    def _need_jobs(self) -> None:
        if all(table is None for table in self._tables):
            raise Invalid("the jobs of these simulations were not kept: "
                          f"grid(..., keep_jobs=True){self._first_error()}")

    def _axis(self, name: str) -> list[Any]:
        """The value of an axis in each simulation."""
        if name not in self.axes:
            raise Invalid(f"{name} is no axis of this grid: "
                          f"{', '.join(self.axes)}")
        values: list[Any] = self.columns[name].tolist()
        return values

    def only(self, **choices: Any) -> Grid:
        """Some of the simulations: those with these values, one of a list of
        them, or in a range (first, last), on the axes.

            results.only(policy="easy", load=[0.6, 0.7])
        """
        keep = [True] * len(self)
        for name, wanted in choices.items():
            test = condition_of(name, wanted)
            keep = [kept and test(value)
                    for kept, value in zip(keep, self._axis(name))]
        return self._some([i for i, kept in enumerate(keep) if kept])

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
        self._need_jobs()
        return Grid(self.axes, [self._select(row, condition, columns)
                                for row in self.rows])

    def _select(self, row: Row, condition: Optional[Callable[[Job], bool]],
                columns: Mapping[str, Any]) -> Row:
        if "table" not in row:
            return row
        table = row["table"].take(chosen(
            row["table"], row.get("log_start"), condition, columns))
        return {**{name: row[name] for name in row if name in row["choices"]
                   or name in _SOURCE}, **measures_of(table),
                **{axis: row[axis] for axis in self.axes}, "table": table}

    # ---- means and differences ----

    def _others(self, over: Union[str, Iterable[str]], besides: str = ""
                ) -> list[dict[str, Any]]:
        """The values of the axes of which each simulation is one sample."""
        left_out = {besides} | ({over} if isinstance(over, str) else set(over))
        values = {axis: self._axis(axis) for axis in self.axes
                  if axis not in left_out}
        return [{axis: column[i] for axis, column in values.items()}
                for i in range(len(self))]

    def _is_of_jobs(self, measure: str, by: By) -> bool:
        """Whether a measure is a column of jobs, which must have been kept, or
        one of the whole run."""
        if measure in JOB_COLUMNS or by is not None:
            self._need_jobs()
            return True
        numbers = [name for name, column in self.columns.items()
                   if column.dtype.kind in "biuf" and name not in self.axes]
        if measure not in numbers:
            raise Invalid(f"there is no measure {measure}: of jobs, "
                          f"{', '.join(JOB_COLUMNS)}; of runs, "
                          f"{', '.join(numbers)}{self._first_error()}")
        return False

    def means(self, measure: str = "wait", *, by: By = None,
              over: Union[str, Iterable[str]] = "seed") -> Answers[Mean]:
        """Means over the jobs that ran, by the values of the axes, and over
        the samples of one axis or several, with intervals. `measure` and `by`
        are as for `difference`."""
        of_jobs = self._is_of_jobs(measure, by)
        choices = self._others(over)
        keys = [tuple(it.values()) for it in choices]
        found: dict[Any, tuple[list[float], list[int]]] = {}
        for i, row in enumerate(self._runs()):
            if row is None:
                continue
            values = (means_of(self._tables[i], measure, by) if of_jobs
                      else {None: (row[measure], row["done"])})
            for group, (mean, n) in values.items():
                means, counts = found.setdefault((keys[i], group), ([], []))
                means.append(mean)
                counts.append(n)
        order = {key: i for i, key in reversed(list(enumerate(keys)))}
        return Answers(
            Mean(choices[order[key]], group,
                 *interval(means, self._is_resampled()), len(means),
                 sum(counts))
            for (key, group), (means, counts) in sorted(
                found.items(), key=lambda it: (order[it[0][0]],
                                               natural(it[0][1]))))

    def difference(self, axis: str, first: Any, second: Any,
                   measure: str = "wait", *, by: By = None,
                   percent: bool = False,
                   over: Union[str, Iterable[str]] = "seed"
                   ) -> Answers[Difference]:
        """What changes from one value of an axis to another. Simulations that
        agree in all else are a pair. The pairs that differ in `over`, an axis
        or several, are the samples; there is an answer for each combination of
        the others, its `choices`.

        `measure` is a column of numbers of the jobs: "wait", "response",
        "slowdown", "bounded_slowdown", "distance", "ran". Only jobs that ran to
        their end on both sides are compared; they must be kept (`keep_jobs`).
        Or it is a measure of the whole run: "utilization", "makespan",
        "wait.p90".

        With `percent` the difference is in percent of the first side. `by` is a
        column such as "user"; "size" or "class", as the command has them;
        several of these; or a function of a job's columns: one Difference for
        each group. The first is over all jobs.

            results.difference("wiring", "none", "torus", by="user")
            results.difference("case", "count", "box", "slowdown",
                               by=("size", "queue"), percent=True)
            results.difference("policy", "fcfs", "easy", "utilization")
        """
        of_jobs = self._is_of_jobs(measure, by)
        rows = self._runs()
        choices = self._others(over, axis)
        found: dict[Any, dict[Any, Compared]] = {}
        labels = {}
        for i, j in self._pairs(axis, first, second):
            one, other = rows[i], rows[j]
            if one is None or other is None:
                continue
            key = tuple(choices[i].values())
            labels[key] = choices[i]
            groups = found.setdefault(key, {})
            saturated = bool(one["saturated"] or other["saturated"])
            if of_jobs:
                compare(self._tables[i], self._tables[j], measure, by, percent,
                        saturated, groups)
            else:
                groups.setdefault(None, Compared()).add(
                    one[measure], other[measure] - one[measure], percent,
                    saturated)
        if not found:
            raise Invalid(f"no simulations differ only in {axis}: {first} and "
                          f"{second}{self._first_error()}")
        return Answers(
            it.difference(group, labels[key], percent, self._is_resampled())
            for key, groups in found.items()
            for group, it in sorted(groups.items(),
                                    key=lambda it: natural(it[0])))

    def _runs(self) -> list[Optional[Row]]:
        """The measures of each simulation; None for those that failed."""
        failed = self._has.get("error", "error" in self.columns)
        failed = numpy.broadcast_to(failed, len(self))
        return [None if failed[i] else row
                for i, row in enumerate(self.rows)]

    def _is_resampled(self) -> bool:
        return any(self.columns.get("resample", ()))

    def _first_error(self) -> str:
        errors = [row["error"] for row in self.rows if "error" in row]
        return (f"; {len(errors)} of {len(self)} failed, the first: {errors[0]}"
                if errors else "")

    def _pairs(self, axis: str, first: Any, second: Any
               ) -> Iterator[tuple[int, int]]:
        """Simulations that differ only in this axis."""
        values = self._axis(axis)
        for value in (first, second):
            if not any(same(it, value) for it in values):
                raise Invalid(f"{axis} is never {value}: "
                              f"{', '.join(map(str, dict.fromkeys(values)))}")
        others = list(zip(*(self._axis(name) for name in self.axes
                            if name != axis))) or [()] * len(self)
        theirs = {others[i]: i for i, value in enumerate(values)
                  if same(value, second)}
        for i, value in enumerate(values):
            if same(value, first) and others[i] in theirs:
                yield i, theirs[others[i]]

    # ---- figures ----

    def plot(self, x: str, y: str, by: Optional[str] = None,
             ax: Any = None) -> Any:
        """Lines of the mean of y over x, one for each value of `by`, with the
        range from the least to the most; a matplotlib axes."""
        ax = ax or optional("matplotlib.pyplot").subplots()[1]
        for label, lines in sorted(self._lines(x, y, by).items(),
                                   key=lambda it: natural(it[0])):
            at = sorted(lines, key=natural)
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


# ---- what is run ----


def grid(out: Optional[str] = None, *,
         executor: Optional[concurrent.futures.Executor] = None,
         processes: Optional[int] = None, part: Optional[str] = None,
         keep_jobs: bool = False, progress: Optional[bool] = None,
         **choices: Any) -> Grid:
    """Simulate every combination, on all cores. The keywords are those of
    `simulate` and Workload; a list, tuple, range or array is an axis:

        results = tori.grid("results", machine=["torus:8x8x8", "mesh:8x8x8"],
                            work="lublin", policy=["easy", "conservative"],
                            load=numpy.linspace(0.6, 0.8, 5), seed=range(5))
        results.frame().groupby(["machine", "policy"])["wait.mean"].mean()

    A dictionary is an axis whose values set several keywords at once:

        case={"count": {"shapes": "count", "alloc": "mm"},
              "box": {"shapes": "compact", "alloc": "first-fit"}}

    With a folder, `out`, each result is kept there; a grid that was interrupted
    continues, and one that has grown computes only what is new. A
    bar shows how far it is if standard error is a terminal. A combination
    that tori refuses has an "error" in its row, and no measures. `done` is the
    number of jobs that ran to their end; so is `jobs`, if that is not an axis. With
    `keep_jobs` there is a "table" of the jobs of each simulation, in memory or
    in the folder, which Grid.difference compares; with `placements=True` also
    their places. A
    StudyWarning says what may mislead. Rows have the commit of tori and the
    SHA-256 of the log.

    `executor` is any of concurrent.futures, such as mpi4py's MPIPoolExecutor or
    that of a Dask client (`client.get_executor()`): its processes import tori,
    and read logs by the same paths. Without one there are so many `processes`
    here, or one for each processor. `part="3/8"` computes the third of eight
    parts, for jobs of a Slurm array that share the folder; the same call
    without it then finds them all. The results are the same bytes everywhere.
    """
    if executor is not None and processes is not None:
        raise TypeError("either an executor or a number of processes")
    choices = {name: _values(name, value) for name, value in choices.items()}
    axes = {name: list(value) for name, value in choices.items()
            if isinstance(value, list) or _is_bundles(value)}
    fixed = {name: value for name, value in choices.items()
             if name not in axes}
    cells = [{**fixed, **dict(zip(axes, values))}
             for values in itertools.product(*axes.values())][_part(part)]
    options = [_options(cell, choices) for cell in cells]
    keys = [key_of(how) for how in options]
    kept = Kept(out, keep_jobs)
    found = {key: row for key in keys if (row := kept.find(key))}
    missing = {key: how for key, how in zip(keys, options)
               if key not in found}
    bar_of = Progress(sys.stderr.isatty() if progress is None else progress,
                       len(missing) + len(found), len(found))
    for key, row, jobs in run_cells(missing, keep_jobs, executor, processes):
        found[key] = kept.add(key, row, jobs)
        bar_of.step()
    rows = [_row(cell, how, axes, found[key])
            for cell, how, key in zip(cells, options, keys)]
    for sentence in _warnings(rows, options):
        warnings.warn(sentence, StudyWarning, stacklevel=2)
    return Grid(axes, rows)


def _values(name: str, value: Any) -> Any:
    """What was chosen: a list or a dictionary for an axis. Numbers of numpy
    become those of Python, tables of jobs their text."""
    if name == "work":
        several = isinstance(value, (list, tuple))
        works = [_work(it) for it in (value if several else [value])]
        return works if several else works[0]
    if isinstance(value, (list, tuple, range)) or hasattr(value, "tolist"):
        value = value.tolist() if hasattr(value, "tolist") else list(value)
        return [it.item() if isinstance(it, numpy.generic) else it
                for it in value] if isinstance(value, list) else value
    return value


def _is_bundles(value: Any) -> bool:
    """Whether a choice is an axis whose values set several keywords; other
    dictionaries are values themselves."""
    return isinstance(value, Mapping) and all(
        isinstance(it, Mapping) for it in value.values())


def _work(value: Any) -> Any:
    if _is_bundles(value):
        return value
    try:
        return as_source(value)
    except TypeError:
        raise TypeError("the work of a grid is a model, a log or a table, so "
                        "that machine, load and seed can vary") from None


def _part(part: Optional[str]) -> slice:
    if part is None:
        return slice(None)
    which, _, n = part.partition("/")
    if not (which.isdigit() and n.isdigit() and 1 <= int(which) <= int(n)):
        raise Invalid(f"{part!r}: expected a part such as '3/8'")
    return slice(int(which) - 1, None, int(n))


def _options(cell: Row, choices: Mapping[str, Any]) -> Row:
    """The arguments of `simulate`: a bundle of them replaced by its
    members."""
    found: Row = {}
    for name, value in cell.items():
        bundle = choices[name]
        more = bundle[value] if _is_bundles(bundle) else {name: value}
        for key in more:
            if key in found:
                raise TypeError(f"{key} is set twice, by {name} and before it")
        found.update(more)
    for name in ("machine", "work"):
        if name not in found:
            raise TypeError(f"a grid needs a {name}")
    return {**found, "work": _work(found["work"])}


def _row(cell: Row, options: Row, axes: Iterable[str], result: Row) -> Row:
    """What was chosen and measured. An axis keeps its name; what else has the
    name of a measure is that measure."""
    chosen_ones = {**named(options), **named(cell)}
    row = {**{name: value for name, value in chosen_ones.items()
              if name not in _MEASURES}, **result,
           **{axis: chosen_ones[axis] for axis in axes},
           "choices": list(chosen_ones)}
    if "error" not in result:
        row["done"] = result["jobs"]
    return row


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
