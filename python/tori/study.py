"""Studies: replay a workload, and many of them side by side. Times are in
seconds."""
from __future__ import annotations

import concurrent.futures
import functools
import hashlib
import itertools
import json
import math
import multiprocessing
import os
import statistics
import sys
from dataclasses import dataclass
from typing import (Any, Callable, Iterator, Mapping, Optional, Sequence,
                    Union)

from ._library import (SECOND, Error, Invalid, array_of, check, ffi, lib, numpy,
                       pointer_to, seconds, sized, text, ticks,
                       version)
from .place import Function, Machine, _WIRINGS, _names, wiring_number
from .order import OrderLike
from .scheduler import SchedConfig

Table = dict[str, Any]
_FATES = [text(lib.tori_fate_name(i)) for i in
          sorted(ffi.typeof("tori_fate").elements)]
_ON_FAILURE = ("requeue", "kill", "repair")


def models() -> list[str]:
    """The names of the models of workloads."""
    return list(_names(lib.tori_model_list))


def _parse_choice(call: Any, kind: str, name: str) -> int:
    out = ffi.new(kind + " *")
    err = ffi.new("tori_error *")
    check(call(name.encode(), out, err), err)
    return int(out[0])


def _estimates(name: str) -> int:
    for number in ffi.typeof("tori_estimates").elements:
        if text(lib.tori_estimates_name(number)) == name:
            return int(number)
    raise Invalid(f"there are no estimates {name}")


class Workload:
    """Jobs that arrive: a log in SWF or as a table, or a model.

    >>> work = Workload("lublin", "torus:8x8", jobs=100, load=0.7, seed=1)
    >>> len(work)
    100

    `source` is the name of a model or the path of a log. `shapes` is
    "compact", "first-match", "fat" or "count": how a number of nodes becomes a
    shape. `load` stretches the arrivals to this offered load. `keep` takes
    only some jobs ("user=7;size=1-64"), `resample` draws blocks of so many
    seconds by the seed, and `size_from` names the field of sizes. Other
    options are those of tori_workload_options.

    >>> small = Workload("lublin", "torus:8x8", jobs=100, load=0.7, seed=1,
    ...                  keep="size=1-4", resample=3600)
    >>> bool(max(small.table()["asked"]) <= 4)
    True
    """

    def __init__(self, source: str, machine: Union[str, Machine], *,
                 shapes: str = "compact", wiring: str = "none",
                 torus_fraction: float = 1.0, load: float = 0, seed: int = 0,
                 jobs: int = 1000, limit: int = 0,
                 estimates: str = "raised", **options: Any):
        self.machine = Machine(machine)
        self.seed = seed
        texts = {name: options.pop(name)
                 for name in ("service", "keep", "size_from")
                 if name in options}
        resample = options.pop("resample", 0)
        how = sized("tori_workload_options", **options)
        self._texts = {name: ffi.new("char[]", value.encode())
                       for name, value in texts.items() if value is not None}
        for name, value in self._texts.items():
            setattr(how, name, value)
        how.resample = ticks(resample)
        how.shaping = _parse_choice(lib.tori_shaping_parse, "tori_shaping",
                                    shapes)
        how.wiring = wiring_number(wiring)
        how.torus_fraction = torus_fraction
        how.load = load
        how.seed = seed
        how.jobs = jobs
        how.limit = limit
        how.estimates = _estimates(estimates)
        call = (lib.tori_workload_model if source in models()
                else lib.tori_workload_read)
        err = ffi.new("tori_error *")
        self._c = ffi.gc(ffi.new("tori_workload *"), lib.tori_workload_clear)
        check(call(os.fsencode(source), self.machine._c, how, self._c, err),
              err)

    def __len__(self) -> int:
        return int(self._c.n)

    @property
    def offered(self) -> float:
        """The offered load of the jobs that fit the machine."""
        return float(lib.tori_workload_offered(self._c, self.machine._c))

    def table(self) -> Table:
        """The jobs as columns: id, submit, runtime, time_limit, asked, shape,
        wiring, user, group, queue."""
        return {"id": self._column("int64_t", "id"),
                "submit": _in_seconds(self._column("int64_t", "submit")),
                "runtime": _in_seconds(self._column("int64_t", "runtime")),
                "time_limit": _in_seconds(self._column("int64_t",
                                                       "estimate")),
                "asked": self._column("uint32_t", "asked"),
                "shape": self._shapes(),
                "wiring": [_WIRINGS[number] for number in self._column(
                    "uint32_t", "request", "wiring")],
                **{name: self._column("int64_t", "owner", name)
                   for name in ("user", "group", "queue")}}

    def _column(self, kind: str, *members: Union[str, int]) -> Any:
        """A member of every job."""
        size = ffi.sizeof("tori_work")
        at = ffi.offsetof("tori_work", *members)
        n = len(self)
        if numpy is not None and n > 0:
            return numpy.ndarray(
                n, kind.removesuffix("_t"), ffi.buffer(self._c.jobs, n * size),
                at, (size,)).copy()
        first = ffi.cast("char *", self._c.jobs) + at
        return [ffi.cast(kind + " *", first + i * size)[0] for i in range(n)]

    def _shapes(self) -> list[str]:
        """The shape of every job; "" for a count."""
        texts: dict[tuple[int, ...], str] = {}
        sides = [self._column("uint32_t", "request", "shape", "size", d)
                 for d in range(lib.tori_machine_shape_dims(self.machine._c))]
        columns = [c.tolist() if numpy is not None and len(self) else c
                   for c in sides]
        found = []
        for shape in zip(*columns):
            if shape not in texts:
                texts[shape] = "x".join(map(str, shape)) if all(shape) else ""
            found.append(texts[shape])
        return found


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("this needs pandas: python3-pandas") from None
    return pandas


def _members(it: Any) -> Iterator[tuple[str, Any]]:
    """The members of a structure of numbers, those of inner ones by
    "outer.inner"."""
    for name, field in ffi.typeof(it).fields:
        value = getattr(it, name)
        if field.type.kind == "struct":
            for inner, number in _members(value):
                yield f"{name}.{inner}", number
        else:
            yield name, value


class Result(Mapping[str, float]):
    """What a simulation measured. Its keys are the members of
    tori_sim_result: result["utilization"], result["wait.mean"]."""

    def __init__(self, values: dict[str, float], work: Workload,
                 columns: Table):
        self._values = values
        self._work = work
        self._columns = columns

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def table(self) -> Table:
        """What became of each job, as columns in the order of the log: those
        of Workload.table, and fate ("done", "killed", "rejected"), start,
        finish, wait, ran, starts, moves, nodes and pairwise. Times are in
        seconds, and NaN for jobs that never started."""
        is_at = self._columns
        times = {name: _in_seconds(is_at[name])
                 for name in ("start", "finish", "ran")}
        return {**self._work.table(),
                "fate": [_FATES[fate] for fate in is_at["fate"]], **times,
                "wait": _in_seconds(is_at["waited"]),
                **{name: is_at[name]
                   for name in ("starts", "moves", "nodes", "pairwise")}}

    def frame(self) -> Any:
        """The same as a pandas DataFrame."""
        return _pandas().DataFrame(self.table())

    def __repr__(self) -> str:
        return (f"<Result: {self['jobs']:.0f} jobs, "
                f"{self['rejected']:.0f} rejected, "
                f"utilization {self['utilization']:.3f}, "
                f"mean wait {self['wait.mean']:.0f} s>")


def _in_seconds(column: Any) -> Any:
    """-1 is not a number of seconds: there is no such time."""
    if numpy is not None and len(column) > 0:
        return numpy.where(column < 0, numpy.nan, column / SECOND)
    return [math.nan if time < 0 else seconds(time) for time in column]


_COLUMNS = {name: field.type.item.cname for name, field in
            ffi.typeof("tori_sim_columns").fields if name != "size"}


def simulate(machine: Union[str, Machine], work: Union[str, Workload], *,
             policy: str = "easy",
             alloc: Union[str, Function, None] = None,
             order: OrderLike = "submit", depth: int = 0,
             mtbf: Optional[float] = None, mttr: float = 4 * 3600,
             on_failure: str = "requeue", failure_seed: Optional[int] = None,
             progress: Optional[Callable[[int, int], None]] = None,
             **options: Any) -> Result:
    """Replay a workload through the scheduler.

    >>> result = simulate("torus:8x8", "lublin", jobs=200, load=0.8, seed=1)
    >>> int(result["jobs"] + result["rejected"])
    200

    `work` is a Workload, a model's name or the path of a log; for the latter
    two, `options` are those of Workload. If every job is rejected, that is an
    error with the reason. Without `shapes` jobs ask for what
    the allocator takes: a compact shape, or a count. `alloc` is a name, a pair
    such as "first-fit+mm", or a function of your own, and so may be `order`
    (see Order); an exception in one reaches you. `mtbf` and `mttr`, in seconds,
    let nodes fail, at times that are drawn by the seed of the jobs unless there is
    a `failure_seed`.
    """
    machine = Machine(machine)
    if isinstance(work, str):
        options.setdefault("shapes", _shapes_for(alloc))
        work = Workload(work, machine, **options)
    elif options:
        raise TypeError(f"a Workload already has its {', '.join(options)}")
    sched = SchedConfig(machine, policy, alloc, order, depth, work=work._c)
    columns = {name: array_of(_element(name), len(work))
               for name in _COLUMNS}
    held = sized("tori_sim_columns", **{
        name: pointer_to(_element(name), column) if len(work) else ffi.NULL
        for name, column in columns.items()})
    config = sized("tori_sim_config")
    config.machine = machine._c
    config.sched = sched.c
    config.columns = held
    interrupts = sized("tori_sim_interrupts")
    if mtbf is not None:
        interrupts.mtbf = ticks(mtbf)
        interrupts.mttr = ticks(mttr)
        interrupts.seed = work.seed if failure_seed is None else failure_seed
        interrupts.on_failure = _ON_FAILURE.index(on_failure)
        config.interrupts = interrupts
    watch = _Watch(progress)
    config.on_progress = watch.on_progress
    config.on_reject = watch.on_reject
    config.stop = watch.stop
    out = ffi.new("tori_sim_result *")
    err = ffi.new("tori_error *")
    status = lib.tori_sim_run(config, work._c, out, err)
    if watch.raised is not None:
        raise watch.raised
    check(status, err, sched.raised)
    if out.rejected == len(work) > 0:
        raise Invalid(f"all {len(work)} jobs were rejected: {watch.why}")
    return Result(dict(_members(out[0])), work, columns)


class _Watch:
    """Callbacks of a simulation. An exception stops it and is raised after it:
    also that of an interrupt, for which Python has a chance now and then."""

    def __init__(self, progress: Optional[Callable[[int, int], None]]):
        self.raised: Optional[BaseException] = None
        self.why: Optional[str] = None  # the first job was rejected
        self.stop = ffi.new("int *")
        self._progress = progress
        self.on_progress = ffi.callback(
            "void(void *, size_t, size_t)",
            lambda _arg, done, n: progress(done, n) if progress else None,
            onerror=self._fail)
        self.on_reject = ffi.callback(
            "void(void *, const tori_work *, const char *)", self._reject,
            onerror=self._fail)

    def _fail(self, _kind: Any, error: BaseException, _trace: Any) -> None:
        self.raised = error
        self.stop[0] = 1

    def _reject(self, _arg: Any, _work: Any, why: Any) -> None:
        if self.why is None:
            self.why = text(why)


def _element(column: str) -> str:
    """The type of a column's elements, without its own name."""
    kind: str = _COLUMNS[column]
    return "int64_t" if kind == "tori_time" else kind


def _shapes_for(alloc: Union[str, Function, None]) -> str:
    """What an allocator takes, if it takes only counts."""
    if not isinstance(alloc, str):
        return "compact"
    info = lib.tori_alloc_find(alloc.encode())
    by_count = info and not info.takes & lib.TORI_BY_SHAPE
    return "count" if by_count else "compact"


# ---- many simulations ----

def _plain(value: Any) -> Any:
    """A number of numpy's as one of Python's."""
    return value.item() if hasattr(value, "item") else value


@dataclass(frozen=True)
class Difference:
    """How much more one side has than the other: the mean over the pairs, and
    its 95 % interval by Student's t; None for a single pair. Seeds that draw
    blocks of one log (`resample`) say how much another such log would differ, so
    more of them do not make the interval narrower. `jobs` ran to their end on
    both sides, and `left_out` did not."""

    group: Any
    mean: float
    low: Optional[float]
    high: Optional[float]
    pairs: int
    jobs: int
    left_out: int


def _student(freedom: int) -> float:
    """The 97.5th percentile of Student's t: by bisection, over Simpson's rule
    for its density."""
    scale: float = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
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


def _difference(group: Any, means: list[float], jobs: int, left_out: int,
                resampled: bool) -> Difference:
    mean = statistics.fmean(means)
    half = (_student(len(means) - 1) * statistics.stdev(means)
            / (1 if resampled else math.sqrt(len(means)))
            if len(means) > 1 else None)
    return Difference(group, mean, None if half is None else mean - half,
                      None if half is None else mean + half, len(means), jobs,
                      left_out)


class Grid:
    """The results of `grid`: a row for each simulation, with what was chosen
    and what was measured. A combination that failed has an "error"."""

    def __init__(self, axes: Sequence[str], rows: list[dict[str, Any]]):
        self.axes = list(axes)
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def frame(self) -> Any:
        """A pandas DataFrame, without the tables of jobs."""
        return _pandas().DataFrame([
            {name: value for name, value in row.items() if name != "table"}
            for row in self.rows])

    def difference(self, axis: str, first: Any, second: Any,
                   measure: str = "wait", *,
                   by: Union[str, Callable[[dict[str, Any]], Any], None] = None
                   ) -> list[Difference]:
        """What changes from one value of an axis to another. Simulations that
        agree in all else are a pair, and only jobs that ran to their end on
        both sides are compared. `measure` is "wait" or "ran", in seconds.
        `by` is a column, such as "user", or a function of a job's columns: one
        Difference for each group. The first is over all jobs.

            results.difference("wiring", "none", "torus", by="user")
        """
        found: dict[Any, tuple[list[float], list[int]]] = {}
        left_out: dict[Any, int] = {}
        resampled = False
        for one, other in self._pairs(axis, first, second):
            resampled = resampled or bool(one.get("resample"))
            groups = _compare(one["table"], other["table"], measure, by,
                              left_out)
            for group, values in groups.items():
                means, counts = found.setdefault(group, ([], []))
                means.append(statistics.fmean(values))
                counts.append(len(values))
        if not found:
            raise Invalid(f"no simulations differ only in {axis}: {first} and "
                          f"{second}{self._first_error()}")
        return [_difference(group, means, sum(counts),
                            left_out.get(group, 0), resampled)
                for group, (means, counts) in sorted(
                    found.items(), key=lambda it: (it[0] is not None,
                                                   str(it[0])))]

    def _first_error(self) -> str:
        errors = [row["error"] for row in self.rows if "error" in row]
        return (f"; {len(errors)} of {len(self)} failed, the first: {errors[0]}"
                if errors else "")

    def _pairs(self, axis: str, first: Any, second: Any
               ) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        if axis not in self.axes:
            raise Invalid(f"{axis} is no axis of this grid: "
                          f"{', '.join(self.axes)}")
        others = [name for name in self.axes if name != axis]
        sides: dict[Any, dict[Any, dict[str, Any]]] = {}
        for row in self.rows:
            sides.setdefault(row[axis], {})[
                tuple(row[name] for name in others)] = row
        for key, one in sides.get(first, {}).items():
            other = sides.get(second, {}).get(key)
            if other is not None and "table" in one and "table" in other:
                yield one, other

    def plot(self, x: str, y: str, by: Optional[str] = None,
             ax: Any = None) -> Any:
        """Lines of the mean of y over x, one for each value of `by`, with the
        range from the least to the most; a matplotlib axes."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError(
                "this needs matplotlib: python3-matplotlib") from None
        ax = ax or pyplot.subplots()[1]
        for label, lines in sorted(self._lines(x, y, by).items(),
                                   key=lambda it: str(it[0])):
            at = sorted(lines)
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


def _compare(one: Table, other: Table, measure: str,
             by: Union[str, Callable[[dict[str, Any]], Any], None],
             left_out: dict[Any, int]) -> dict[Any, list[float]]:
    """How much more each job has that both sides ran, by group; None is the
    group of all. The others are counted."""
    if measure not in ("wait", "ran"):
        raise Invalid(f"there is no measure {measure}: wait, ran")
    if one["id"] != other["id"]:
        raise Invalid("the two sides have different jobs")
    groups: dict[Any, list[float]] = {}
    for i in range(len(one["id"])):
        names: list[Any] = [None]
        if by is not None:
            job = {name: column[i] for name, column in one.items()}
            names.append(by(job) if callable(by) else job[by])
        both = one["fate"][i] == other["fate"][i] == "done"
        for name in names:
            if both:
                groups.setdefault(name, []).append(
                    other[measure][i] - one[measure][i])
            else:
                left_out[name] = left_out.get(name, 0) + 1
    return groups


def _key(cell: dict[str, Any]) -> str:
    """What a result is known by: all that was chosen, the version of tori,
    and the contents of a log."""
    named = dict(_named(cell), tori=version, columns=_TABLES)
    if cell["work"] not in models():
        is_now = os.stat(cell["work"])
        named["checksum"] = _checksum(cell["work"], is_now.st_mtime_ns,
                                      is_now.st_size)
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode()
                          ).hexdigest()


@functools.lru_cache
def _checksum(path: str, changed: int, size: int) -> str:
    """Computed again when the file has another time or size."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_TABLES = ("id", "user", "group", "queue", "asked", "fate", "wait", "ran")


def _run_cell(cell: dict[str, Any]) -> dict[str, Any]:
    try:
        result = simulate(**cell)
        table = result.table()
        return {**result, "table": {name: list(map(_plain, table[name]))
                                    for name in _TABLES}}
    except Error as error:
        return {"error": str(error)}


def _read_kept(path: str) -> dict[str, dict[str, Any]]:
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

    def add(self, key: str, result: dict[str, Any]) -> None:
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

    With the path of a file, each result is kept there; a grid that was
    interrupted continues, and one that has grown computes only what is new. A
    bar shows how far it is if standard error is a terminal. A combination
    that tori refuses has an "error" in its row, and no measures. `jobs` is the
    number of jobs that ran to their end. The "table" of a row has the jobs;
    Grid.difference compares them.
    """
    axes = {name: list(value) for name, value in choices.items()
            if isinstance(value, (list, tuple, range))}
    fixed = {name: value for name, value in choices.items()
             if name not in axes}
    cells = [{**fixed, **dict(zip(axes, values))}
             for values in itertools.product(*axes.values())]
    for name in ("machine", "work"):
        if name not in choices:
            raise TypeError(f"a grid needs a {name}")
    keys = [_key(cell) for cell in cells]
    kept = _read_kept(out) if out is not None else {}
    show = _show if (sys.stderr.isatty() if progress is None
                     else progress) else (lambda done, n: None)
    keeper = _Keeper(out)
    try:
        for i, result in _run_cells(cells, keys, kept, processes):
            kept[keys[i]] = result
            keeper.add(keys[i], result)
            show(sum(key in kept for key in keys), len(cells))
    finally:
        keeper.close()
    return Grid(list(axes), [{**_named(cell), **kept[key]}
                             for cell, key in zip(cells, keys)])


def _named(cell: dict[str, Any]) -> dict[str, Any]:
    """What was chosen, as a row has it."""
    return {name: value if isinstance(value, (str, int, float, type(None)))
            else getattr(value, "__name__", str(value))
            for name, value in cell.items()}


def _run_cells(cells: list[dict[str, Any]], keys: list[str],
               kept: dict[str, Any], processes: Optional[int]
               ) -> Iterator[tuple[int, dict[str, Any]]]:
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
