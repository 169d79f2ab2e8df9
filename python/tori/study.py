"""Studies: replay a workload. Times are in seconds."""
from __future__ import annotations

import functools
import hashlib
import importlib
import math
import os
import warnings
from typing import Any, Callable, Iterator, Mapping, Optional, Union

from ._library import (SECOND, Invalid, array_of, check, ffi, lib, numpy,
                       pointer_to, seconds, sized, text, ticks, version)
from ._commit import COMMIT
from .place import Function, Machine, _WIRINGS, _names, wiring_number
from .order import OrderLike
from .scheduler import SchedConfig

Table = dict[str, Any]
_FATES = [text(lib.tori_fate_name(i)) for i in
          sorted(ffi.typeof("tori_fate").elements)]
_ON_FAILURE = ("requeue", "kill", "repair")
_INSTEAD = {None: 0, "boxes": lib.TORI_SIM_OR_BOXES,
            "count": lib.TORI_SIM_OR_COUNT,
            "both": lib.TORI_SIM_OR_BOXES | lib.TORI_SIM_OR_COUNT}
Edge = Union[float, str, None]  # seconds, "10%" or "500jobs"


class StudyWarning(UserWarning):
    """A result may mislead: jobs were rejected or can hardly ever finish, or
    a run is saturated."""


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


def _at_limit(name: Optional[str]) -> int:
    if name not in (None, "run", "kill"):
        raise Invalid(f"at_limit: {name} is neither run nor kill")
    return int(lib.TORI_AT_LIMIT_KILL if name == "kill"
               else lib.TORI_AT_LIMIT_RUN)


class Workload:
    """Jobs that arrive: a log in SWF or as a table, or a model.

    >>> work = Workload("lublin", "torus:8x8", jobs=100, load=0.7, seed=1)
    >>> len(work)
    100

    `source` is the name of a model or the path of a log. `shapes` is
    "first-match", "compact", "fat" or "count": how a number of nodes becomes a
    shape. It decides how far apart the nodes of a job are, so choose it. With
    "as-given" jobs that have a shape in the log keep it, and others ask for a
    number of nodes. Without `shapes` it is as-given for a table with columns of
    both, otherwise first-match. `load` stretches the arrivals to this offered load. `keep` takes
    only some jobs ("user=7;size=1-64"), `resample` draws blocks of so many
    seconds by the seed, and `size_from` names the field of sizes. Other
    options are those of tori_workload_options.

    `estimates` says which run time the scheduler is told for a job of a log:
    "raised" (the requested time, or the run time if that is longer), "log" or
    "exact". A job that ran longer than it requested does so with
    `at_limit="run"`, where the estimates are those of the log, and ends at its
    limit with "kill".

    >>> small = Workload("lublin", "torus:8x8", jobs=100, load=0.7, seed=1,
    ...                  keep="size=1-4", resample=3600)
    >>> bool(max(small.table()["asked"]) <= 4)
    True
    """

    def __init__(self, source: str, machine: Union[str, Machine], *,
                 shapes: Optional[str] = None, wiring: str = "none",
                 torus_fraction: float = 1.0, load: float = 0, seed: int = 0,
                 jobs: int = 1000, limit: int = 0,
                 estimates: Optional[str] = None,
                 at_limit: Optional[str] = None, **options: Any):
        self.machine = Machine(machine)
        self.seed = seed
        self.shapes = shapes = shapes or shapes_for(None, source)
        self.log_sha256: Optional[str] = None
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
        how.estimates = _estimates(
            estimates or ("log" if at_limit == "run" else "raised"))
        how.at_limit = _at_limit(at_limit)
        call = (lib.tori_workload_model if source in models()
                else lib.tori_workload_read)
        err = ffi.new("tori_error *")
        self._c = ffi.gc(ffi.new("tori_workload *"), lib.tori_workload_clear)
        check(call(os.fsencode(source), self.machine._c, how, self._c, err),
              err)
        if source not in models() and os.path.isfile(source):
            self.log_sha256 = checksum_of(source)

    def __len__(self) -> int:
        return int(self._c.n)

    @property
    def offered(self) -> float:
        """The offered load of the jobs that fit the machine."""
        return float(lib.tori_workload_offered(self._c, self.machine._c))

    @property
    def unshaped(self) -> int:
        """Jobs that have a shape in the log, and ask for a count."""
        return int(self._c.unshaped) if self.log_sha256 else 0

    @property
    def log_start(self) -> Optional[int]:
        """The Unix time of a log's second 0, if its header says so."""
        start = int(self._c.log_start)
        return start if start > 0 else None

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


def checksum_of(path: str) -> str:
    """The SHA-256 of a file, as sha256sum prints it."""
    is_now = os.stat(path)
    return _checksum(path, is_now.st_mtime_ns, is_now.st_size)


@functools.lru_cache
def _checksum(path: str, changed: int, size: int) -> str:
    """Computed again when the file has another time or size."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def optional(module: str) -> Any:
    """A module that is needed only here."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise ImportError(f"this needs {name}: python3-{name}") from None


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
    tori_sim_result: result["utilization"], result["wait.mean"]. Further keys
    are "submitted", all jobs; "blocks" that `resample` drew; "measured", those between the warm-up and the
    cool-down; "saturated"; "hopeless", the jobs that can hardly ever finish
    because of failures; and "steady.wait" and "steady.response", the means
    without these.

    `warnings` are sentences about what may mislead. `source` says where the
    result is from: tori's version and commit, the log's SHA-256, and how
    counts became shapes."""

    warnings: list[str]
    source: dict[str, Optional[str]]

    def __init__(self, values: dict[str, float], work: Workload,
                 columns: Table, texts: Any):
        self._values = values
        self._work = work
        self._columns = columns
        self._texts = texts
        self.warnings = []
        self.source = {"tori": version, "commit": COMMIT or None,
                       "log_sha256": work.log_sha256, "shapes": work.shapes}

    def __getitem__(self, name: str) -> float:
        if name not in self._values:
            inner = [key for key in self._values if key.startswith(f"{name}.")]
            raise KeyError(f"{name}: there are "
                           f"{', '.join(inner or self._values)}")
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def table(self) -> Table:
        """What became of each job, as columns in the order of the log: those
        of Workload.table, and fate ("done", "killed", "rejected") and reason,
        start, finish, wait, ran, response, slowdown, bounded_slowdown, nodes,
        pairwise, distance (mean hops between two of its nodes), placement,
        starts, moves, measured and hopeless. Times are in seconds, and NaN
        for jobs that never started."""
        is_at = self._columns
        times = {name: _in_seconds(is_at[name])
                 for name in ("start", "finish", "ran")}
        return with_ratios({
            **self._work.table(),
            "fate": [_FATES[fate] for fate in is_at["fate"]],
            **{name: list(self._read_texts(name)) for name in _TEXTS
               if name in is_at}, **times,
            "wait": _in_seconds(is_at["waited"]),
            **{name: is_at[name] for name in _NUMBERS}})

    def _read_texts(self, name: str) -> Iterator[str]:
        """A column of texts."""
        start = self._texts.bytes
        for at in self._columns[name].tolist():
            yield ffi.string(start + at).decode() if at else ""

    @property
    def reasons(self) -> dict[str, int]:
        """Why jobs were killed or rejected, and how many."""
        counts: dict[str, int] = {}
        for why in filter(None, self._read_texts("reason")):
            counts[why] = counts.get(why, 0) + 1
        return counts

    def frame(self) -> Any:
        """The same as a pandas DataFrame."""
        return optional("pandas").DataFrame(self.table())

    def __repr__(self) -> str:
        return (f"<Result: {self['jobs']:.0f} jobs, "
                f"{self['rejected']:.0f} rejected, "
                f"utilization {self['utilization']:.3f}, "
                f"mean wait {self['wait.mean']:.0f} s"
                f"{', saturated' if self['saturated'] else ''}>")


_NUMBERS = ("starts", "moves", "nodes", "pairwise", "measured", "hopeless")
_BOUND = 10.0  # seconds, of the bounded slowdown


def with_ratios(table: Table) -> Table:
    """Add what follows from other columns."""
    if numpy is None:
        rows = [_ratios(*row) for row in zip(
            table["submit"], table["finish"], table["runtime"],
            table["pairwise"], table["nodes"])]
        names = ("response", "slowdown", "bounded_slowdown", "distance")
        return {**table, **{name: [row[i] for row in rows]
                            for i, name in enumerate(names)}}
    response = numpy.asarray(table["finish"], float) - table["submit"]
    runtime = numpy.asarray(table["runtime"], float)
    nodes = numpy.asarray(table["nodes"], float)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        slowdown = numpy.where(runtime > 0, response / runtime, numpy.nan)
        distance = numpy.where(
            nodes > 1, table["pairwise"] / (nodes * (nodes - 1) / 2),
            numpy.nan)
    bounded = response / numpy.maximum(runtime, _BOUND)
    return {**table, "response": response, "slowdown": slowdown,
            "bounded_slowdown": numpy.maximum(bounded, 1),
            "distance": distance}


def _ratios(submit: float, finish: float, runtime: float, pairwise: int,
            nodes: int) -> tuple[float, float, float, float]:
    response = finish - submit
    bounded = response / max(runtime, _BOUND)
    return (response, response / runtime if runtime > 0 else math.nan,
            bounded if math.isnan(bounded) else max(bounded, 1),
            pairwise / (nodes * (nodes - 1) / 2) if nodes > 1 else math.nan)


def _in_seconds(column: Any) -> Any:
    """-1 is not a number of seconds: there is no such time."""
    if numpy is not None and len(column) > 0:
        return numpy.where(column < 0, numpy.nan, column / SECOND)
    return [math.nan if time < 0 else seconds(time) for time in column]


_TEXTS = ("placement", "reason")
_COLUMNS = {name: field.type.item.cname for name, field in
            ffi.typeof("tori_sim_columns").fields
            if field.type.kind == "pointer"
            and field.type.item.kind == "primitive"}


def simulate(machine: Union[str, Machine], work: Union[str, Workload], *,
             policy: str = "easy",
             alloc: Union[str, Function, None] = None,
             order: OrderLike = "submit", depth: int = 0,
             instead: Optional[str] = None, patience: float = 0,
             warm_up: Edge = None, cool_down: Edge = None,
             mtbf: Optional[float] = None, mttr: float = 4 * 3600,
             on_failure: str = "requeue", checkpoint: float = 0,
             restarts: int = 0, failure_seed: Optional[int] = None,
             late: float = 0, late_share: float = 1,
             placements: bool = True,
             progress: Optional[Callable[[int, int], None]] = None,
             **options: Any) -> Result:
    """Replay a workload through the scheduler.

    >>> result = simulate("torus:8x8", "lublin", jobs=200, load=0.8, seed=1)
    >>> int(result["jobs"] + result["rejected"])
    200

    `work` is a Workload, a model's name or the path of a log; for the latter
    two, `options` are those of Workload. If every job is rejected, that is an
    error with the reason. Without `shapes` jobs ask for what
    the allocator takes: a shape, as Workload has it, or a count. `alloc`
    is a name, a pair such as "first-fit+mm", or a function of your own, and so
    may be `order` (see Order); an exception in one reaches you. `instead` is
    "boxes", "count" or "both": what jobs take if their own shape has no place,
    at once or after `patience` seconds. Counts need a pair of allocators.

    `warm_up` and `cool_down` are parts at the begin and the end that are not
    measured: in seconds, as "10%" of the jobs, or as "500jobs". `mtbf` and
    `mttr`, in seconds, let nodes fail, at times that are drawn by the seed of
    the jobs unless there is a `failure_seed`; `mtbf=None` is the baseline.
    Jobs save their work every `checkpoint` seconds, and are killed after so
    many `restarts` (0: 100). The scheduler hears of the end of a job `late`
    seconds after it, or only of this `late_share` of the jobs.

    A StudyWarning says what may mislead: jobs that were rejected or can hardly
    ever finish, and a saturated run, whose waits tell how long it is.
    `placements=False` leaves the places of jobs out of the table.
    """
    machine = Machine(machine)
    if isinstance(work, str):
        options.setdefault("shapes", shapes_for(alloc, work))
        work = Workload(work, machine, **options)
    elif options:
        raise TypeError(f"a Workload already has its {', '.join(options)}")
    if work.shapes == "as-given":
        alloc = _with_counts(alloc, machine)
    _check_instead(instead, patience, alloc)
    sched = SchedConfig(machine, policy, alloc, order, depth,
                        places=instead is not None, work=work._c)
    columns = {name: array_of(_element(name), len(work))
               for name in _COLUMNS if placements or name != "placement"}
    texts = ffi.gc(ffi.new("tori_sim_texts *"), lib.tori_sim_texts_clear)
    held = sized("tori_sim_columns", texts=texts, **{
        name: pointer_to(_element(name), column) if len(work) else ffi.NULL
        for name, column in columns.items()})
    config = sized("tori_sim_config")
    config.machine = machine._c
    config.sched = sched.c
    config.columns = held
    config.result_size = ffi.sizeof("tori_sim_result")
    config.instead = _INSTEAD[instead]
    config.patience = ticks(patience)
    window = _window(work, warm_up, cool_down)
    config.window = window or ffi.NULL
    interrupts = ffi.NULL
    if mtbf is not None or late:
        interrupts = sized("tori_sim_interrupts")
        if mtbf is not None:
            interrupts.mtbf = ticks(mtbf)
            interrupts.mttr = ticks(mttr)
        interrupts.late = ticks(late)
        interrupts.late_share = late_share
        interrupts.seed = work.seed if failure_seed is None else failure_seed
        interrupts.checkpoint = ticks(checkpoint)
        interrupts.restarts = restarts
        interrupts.on_failure = _on_failure(on_failure)
        config.interrupts = interrupts
    watch = _Watch(progress)
    config.on_progress = watch.on_progress
    config.stop = watch.stop
    out = ffi.new("tori_sim_result *")
    err = ffi.new("tori_error *")
    status = lib.tori_sim_run(config, work._c, out, err)
    if watch.raised is not None:
        raise watch.raised
    check(status, err, sched.raised)
    columns["measured"] = _measured(work, window)
    columns["hopeless"] = _hopeless(machine, work, interrupts)
    result = _concluded(out, work, columns, texts)
    if out.rejected == len(work) > 0:
        raise Invalid(f"all {len(work)} jobs were rejected: "
                      f"{next(iter(result.reasons))}")
    for sentence in result.warnings:
        warnings.warn(sentence, StudyWarning, stacklevel=2)
    return result


def _check_instead(instead: Optional[str], patience: float,
                   alloc: Union[str, Function, None]) -> None:
    if instead not in _INSTEAD:
        raise Invalid(f"instead: {instead} is none of boxes, count, both")
    if patience and instead is None:
        raise Invalid("patience: jobs with no alternatives wait for their "
                      "shape anyway")
    known = lib.tori_alloc_find((alloc or "first-fit").encode()) \
        if alloc is None or isinstance(alloc, str) else None
    if instead in ("count", "both") and known \
            and not known.takes & lib.TORI_BY_COUNT:
        raise Invalid("instead: counts need a pair of allocators, such as "
                      "first-fit+mm")


def _on_failure(name: str) -> int:
    if name not in _ON_FAILURE:
        raise Invalid(f"on_failure: {name} is none of "
                      f"{', '.join(_ON_FAILURE)}")
    return _ON_FAILURE.index(name)


# ---- the part that is measured ----

def _edge(edge: Edge, n: int) -> tuple[int, int]:
    """A time, and a number of jobs."""
    if edge is None:
        return 0, 0
    if isinstance(edge, str):
        for end, share in (("%", n / 100), ("jobs", 1), ("job", 1)):
            number = edge.removesuffix(end).strip()
            if edge.endswith(end) and number.replace(".", "", 1).isdigit():
                return 0, min(int(float(number) * share), n)
        raise Invalid(f"{edge!r}: expected seconds, or a part of the jobs such "
                      "as '10%' or '500jobs'")
    if edge < 0:
        raise Invalid(f"{edge}: expected 0 seconds or more")
    return ticks(edge), 0


def _window(work: Workload, warm_up: Edge, cool_down: Edge) -> Any:
    """The time whose jobs are measured; None for all of it."""
    if warm_up is None and cool_down is None:
        return None
    n, jobs = len(work), work._c.jobs
    (first, before), (last, after) = _edge(warm_up, n), _edge(cool_down, n)
    if before + after < n:
        window = sized("tori_sim_window")
        window.begin = jobs[before].submit + first
        window.end = (jobs[n - after].submit if after
                      else jobs[n - 1].submit + 1) - last
        if window.begin < window.end and any(_measured(work, window)):
            return window
    raise Invalid("warm_up and cool_down leave no job that is measured")


def _measured(work: Workload, window: Any) -> Any:
    """Whether each job was submitted in the window."""
    if window is None:
        return numpy.ones(len(work), bool) if numpy else [True] * len(work)
    submit = work._column("int64_t", "submit")
    if numpy is not None:
        return (submit >= window.begin) & (submit < window.end)
    return [window.begin <= time < window.end for time in submit]


def _hopeless(machine: Machine, work: Workload, interrupts: Any) -> Any:
    """Whether each job can hardly ever finish."""
    n = len(work)
    found = numpy.zeros(n, bool) if numpy else [False] * n
    if interrupts:
        err = ffi.new("tori_error *")
        for i in range(n):
            is_so = lib.tori_sim_is_hopeless(
                machine._c, interrupts, ffi.addressof(work._c.jobs[i]), err)
            check(is_so, err)
            found[i] = is_so
    return found


def _count(flags: Any) -> int:
    return int(flags.sum() if numpy is not None else sum(flags))


def _concluded(out: Any, work: Workload, columns: Table,
               texts: Any) -> Result:
    """The result, with what the library does not count."""
    result = Result({**dict(_members(out[0])), "submitted": len(work),
                     "blocks": int(work._c.blocks),
                     "measured": _count(columns["measured"]),
                     "saturated": bool(out.saturated),
                     "hopeless": _count(columns["hopeless"])}, work, columns,
                    texts)
    result._values |= steady_means(result)
    result.warnings = list(_warnings(result, work))
    return result


def steady_means(result: Result) -> dict[str, float]:
    """Means over the measured jobs that ran and are not hopeless."""
    if not result["hopeless"]:
        return {"steady.wait": result["wait.mean"],
                "steady.response": result["response.mean"]}
    table = result.table()
    rows = [i for i, fate in enumerate(table["fate"]) if fate == "done"
            and table["measured"][i] and not table["hopeless"][i]]
    return {f"steady.{name}":
            math.fsum(float(table[name][i]) for i in rows) / len(rows)
            if rows else 0.0 for name in ("wait", "response")}


FEW_BLOCKS = 8


def few_blocks(blocks: int) -> str:
    return (f"the jobs are in only {blocks} blocks, so samples that are drawn "
            "from these are much alike and intervals too narrow: take more "
            "jobs, or a shorter `resample`")


def _warnings(result: Result, work: Workload) -> Iterator[str]:
    n = len(work)
    if result["rejected"]:
        fates = result._columns["fate"]
        whys: dict[str, int] = {}
        for fate, why in zip(fates, result._read_texts("reason")):
            if _FATES[fate] == "rejected":
                whys[why] = whys.get(why, 0) + 1
        yield (f"{result['rejected']:.0f} of {n} jobs were rejected: "
               + "; ".join(f"{why} ({count})" for why, count in whys.items()))
    if work.unshaped:
        yield (f"{work.unshaped} of {n} jobs have a shape in the log, and ask "
               "for a number of nodes; shapes='as-given' keeps the shapes")
    if result["hopeless"]:
        i = list(result._columns["hopeless"]).index(True)
        job = work._c.jobs[i]
        yield (f"{result['hopeless']:.0f} jobs can hardly ever finish, because "
               f"failures are frequent; the first is job {job.id}, of "
               f"{job.asked} nodes for {seconds(job.runtime):.0f} s; "
               "'steady.wait' is the mean wait without such jobs")
    if 0 < result["blocks"] < FEW_BLOCKS:
        yield few_blocks(int(result["blocks"]))
    if result["saturated"]:
        yield ("saturated: the queue grew over the run or was never short "
               "again, so waits tell how long the run is")


class _Watch:
    """Callbacks of a simulation. An exception stops it and is raised after it:
    also that of an interrupt, for which Python has a chance now and then."""

    def __init__(self, progress: Optional[Callable[[int, int], None]]):
        self.raised: Optional[BaseException] = None
        self.stop = ffi.new("int *")
        self._progress = progress
        self.on_progress = ffi.callback(
            "void(void *, size_t, size_t)",
            lambda _arg, done, n: progress(done, n) if progress else None,
            onerror=self._fail)

    def _fail(self, _kind: Any, error: BaseException, _trace: Any) -> None:
        self.raised = error
        self.stop[0] = 1


def _element(column: str) -> str:
    """The type of a column's elements, without its own name."""
    kind: str = _COLUMNS[column]
    return "int64_t" if kind == "tori_time" else kind


def _is_by_count(alloc: Union[str, Function, None]) -> bool:
    info = isinstance(alloc, str) and lib.tori_alloc_find(alloc.encode())
    return bool(info and not info.takes & lib.TORI_BY_SHAPE)


def shapes_for(alloc: Union[str, Function, None], source: Any = None) -> str:
    """What an allocator takes and a log has, as the command chooses it."""
    if _is_by_count(alloc):
        return "count"
    both = lib.TORI_BY_SHAPE | lib.TORI_BY_COUNT
    given = (lib.tori_workload_given(os.fsencode(source))
             if isinstance(source, (str, os.PathLike))
             and source not in models() else 0)
    return "as-given" if given == both else "first-match"


def _with_counts(alloc: Union[str, Function, None], machine: Machine
                 ) -> Union[str, Function, None]:
    """A pair with the usual allocator of counts, if one for shapes stands
    alone."""
    pod = bool(lib.tori_machine_is_pod(machine._c))
    if alloc is None:
        alloc = "cube-best" if pod else "first-fit"
    info = isinstance(alloc, str) and lib.tori_alloc_find(alloc.encode())
    if not info or info.takes & lib.TORI_BY_COUNT:
        return alloc
    large = lib.tori_machine_nodes(machine._c) > 1 << 16
    return f"{alloc}+" + ("row-bf" if pod else
                          "hilbert-bf" if large else "mm")
