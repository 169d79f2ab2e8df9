"""One run: replay a workload. Times are in seconds."""
from __future__ import annotations

import warnings
from typing import Any, Callable, Iterator, Mapping, Optional, Union

import numpy

from .._library import (Invalid, array_of, check, ffi, lib, pointer_to, seconds,
                        sized, text, ticks, version)
from .._commit import COMMIT
from ..order import OrderLike
from ..place import Function, Machine, State
from ..scheduler import PolicyLike, SchedConfig
from .parts import (GangPart, Options, Watch, network_part, preempted_number,
                    watcher)
from .statistics import optional
from .workload import (Source, Table, Time, Workload, as_seconds, as_source,
                       in_seconds, shapes_for, with_counts)

_FATES = [text(lib.tori_fate_name(i)) for i in
          sorted(ffi.typeof("tori_fate").elements)]
_ON_FAILURE = ("requeue", "kill", "repair")
_INSTEAD = {None: 0, "boxes": lib.TORI_SIM_OR_BOXES,
            "count": lib.TORI_SIM_OR_COUNT,
            "both": lib.TORI_SIM_OR_BOXES | lib.TORI_SIM_OR_COUNT}
Edge = Union[float, str, None]  # a time, "10%" or "500jobs"


class StudyWarning(UserWarning):
    """A result may mislead: jobs were rejected or can hardly ever finish, or
    a run is saturated."""


def members(it: Any) -> Iterator[tuple[str, Any]]:
    """The members of a structure of numbers, those of inner ones by
    "outer.inner"."""
    for name, field in ffi.typeof(it).fields:
        value = getattr(it, name)
        if field.type.kind == "struct":
            for inner, number in members(value):
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
    counts became shapes. A result can be pickled."""

    warnings: list[str]
    source: dict[str, Optional[str]]

    def __init__(self, values: dict[str, float], work: Workload,
                 columns: Table, texts: bytes):
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

    @property
    def log_start(self) -> Optional[int]:
        """The Unix time of a log's second 0, if its header says so."""
        return self._work.log_start

    def table(self) -> Table:
        """What became of each job, as columns in the order of the log: those
        of Workload.table, and fate ("done", "killed", "rejected") and reason,
        start, finish, wait, ran, response, slowdown, bounded_slowdown, nodes,
        pairwise, distance (mean hops between two of its nodes), placement,
        starts, moves, measured and hopeless. Times are in seconds, and NaN
        for jobs that never started."""
        is_at = self._columns
        times = {name: in_seconds(is_at[name])
                 for name in ("start", "finish", "ran")}
        return with_ratios({
            **self._work.table(),
            "fate": [_FATES[fate] for fate in is_at["fate"].tolist()],
            **{name: list(self._read_texts(name)) for name in _TEXTS
               if name in is_at}, **times,
            "wait": in_seconds(is_at["waited"]),
            **{name: is_at[name] for name in _NUMBERS}})

    def _read_texts(self, name: str) -> Iterator[str]:
        """A column of texts."""
        texts = self._texts
        for at in self._columns[name].tolist():
            yield texts[at:texts.index(b"\0", at)].decode() if at else ""

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
RATIOS = ("response", "slowdown", "bounded_slowdown", "distance")


def with_ratios(table: Table) -> Table:
    """Add what follows from other columns."""
    response = numpy.asarray(table["finish"], float) - table["submit"]
    runtime = numpy.asarray(table["runtime"], float)
    nodes = numpy.asarray(table["nodes"], float)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        slowdown = numpy.where(runtime > 0, response / runtime, numpy.nan)
        distance = numpy.where(
            nodes > 1, table["pairwise"] / (nodes * (nodes - 1) / 2),
            numpy.nan)
    bounded = numpy.maximum(response / numpy.maximum(runtime, _BOUND), 1)
    return {**table, **dict(zip(RATIOS, (response, slowdown, bounded,
                                         distance)))}


_TEXTS = ("placement", "reason")
_COLUMNS = {name: field.type.item.cname for name, field in
            ffi.typeof("tori_sim_columns").fields
            if field.type.kind == "pointer"
            and field.type.item.kind == "primitive"}


def simulate(machine: Union[str, Machine], work: Union[Source, Workload], *,
             policy: PolicyLike = "easy",
             alloc: Union[str, Function, None] = None,
             order: OrderLike = "submit", depth: int = 0,
             instead: Optional[str] = None, patience: Time = 0,
             warm_up: Edge = None, cool_down: Edge = None,
             mtbf: Optional[Time] = None, mttr: Time = "4h",
             on_failure: str = "requeue", checkpoint: Time = 0,
             restarts: int = 0, failure_seed: Optional[int] = None,
             late: Time = 0, late_share: float = 1,
             urgent: float = 0, preempted: str = "requeue",
             moves: bool = False, move: Time = 0,
             epsilon: float = 0, steps: int = 0, spacing: int = 0,
             slices: Optional[str] = None, hypercube: str = "buddy",
             noncubic: str = "round-up",
             network: Union[str, Options, None] = None,
             gang: Optional[Options] = None,
             initial: Optional[State] = None, watch: Optional[Watch] = None,
             placements: bool = True, quiet: bool = False,
             progress: Optional[Callable[[int, int], None]] = None,
             **options: Any) -> Result:
    """Replay a workload through the scheduler.

    >>> result = simulate("torus:8x8", "lublin", jobs=200, load=0.8, seed=1)
    >>> int(result["jobs"] + result["rejected"])
    200

    `work` is a Workload, or what a Workload is made from: a model's name, the
    path of a log, or a table. For these, `options` are those of Workload. If
    every job is rejected, that is an
    error with the reason. Without `shapes` jobs ask for what
    the allocator takes: a shape, as Workload has it, or a count. `alloc`
    is a name, a pair such as "first-fit+mm", or a function of your own, and so
    may be `order` (see Order) and `policy` (see Policy); an exception in one
    reaches you. `instead` is
    "boxes", "count" or "both": what jobs take if their own shape has no place,
    at once or after `patience`. Counts need a pair of allocators.

    A time is a number of seconds, or a text with its unit, as the command takes
    it: "90s", "1h30m", "60d". (Of the command's options, --mtbf and --mttr
    count hours where there is no unit.)

    `warm_up` and `cool_down` are parts at the begin and the end that are not
    measured: a time, "10%" of the jobs, or "500jobs". `mtbf` and
    `mttr` let nodes fail, at times that are drawn by the seed of
    the jobs unless there is a `failure_seed`; `mtbf=None` is the baseline.
    Jobs save their work every `checkpoint`, and are killed after so
    many `restarts` (0: 100). The scheduler hears of the end of a job so `late`,
    or only of this `late_share` of the jobs.

    A share of the jobs is `urgent`: these take the place of others, which are
    `preempted` ("requeue", "suspend", "kill", "never"). With `moves` running
    jobs make room, and each loses the time of a `move`. With a `network` jobs
    take as long as their messages do: a pattern, or a mapping of pattern, rounds,
    link, node and seed, as in tori/sim.h. `epsilon`, `steps`, `spacing`,
    `slices`, `hypercube` and `noncubic` are options of allocators. `gang` says how that policy shares time: branch,
    slot, switch_cost, hop, degree, leaf and preempt; the result then has
    "gang.turns" and others. `initial` is a state with nodes or links down.
    `watch(now, until, scheduler)` is called before time passes.

    A StudyWarning says what may mislead: jobs that were rejected or can hardly
    ever finish, and a saturated run, whose waits tell how long it is. With
    `quiet` only `result.warnings` says so. `placements=False` leaves the places
    of jobs out of the table.
    """
    machine = Machine(machine)
    if not isinstance(work, Workload):
        work = as_source(work)
        options.setdefault("shapes", shapes_for(alloc, work))
        work = Workload(work, machine, **options)
    elif options:
        raise TypeError(f"a Workload already has its {', '.join(options)}")
    if work.shapes == "as-given":
        alloc = with_counts(alloc, machine)
    patience = as_seconds(patience)
    _check_instead(instead, patience, alloc)
    sched = SchedConfig(machine, policy, alloc, order, depth,
                        places=instead is not None or urgent > 0, moves=moves,
                        work=work._c, move=as_seconds(move), epsilon=epsilon,
                        steps=steps, spacing=spacing, slices=slices,
                        hypercube=hypercube, noncubic=noncubic)
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
    late = as_seconds(late)
    if mtbf is not None or late or urgent:
        interrupts = sized("tori_sim_interrupts")
        if mtbf is not None:
            interrupts.mtbf = ticks(as_seconds(mtbf))
            interrupts.mttr = ticks(as_seconds(mttr))
        interrupts.late = ticks(late)
        interrupts.late_share = late_share
        interrupts.seed = work.seed if failure_seed is None else failure_seed
        interrupts.checkpoint = ticks(as_seconds(checkpoint))
        interrupts.restarts = restarts
        interrupts.on_failure = _on_failure(on_failure)
        interrupts.urgent = urgent
        interrupts.preempted = preempted_number(preempted)
        config.interrupts = interrupts
    shares = GangPart(gang or {})
    config.gang = shares.c
    messages = network_part(network) if network is not None else ffi.NULL
    config.network = messages
    if initial is not None:
        config.initial = initial._c
    calls = _Watch(progress)
    config.on_progress = calls.on_progress
    config.stop = calls.stop
    if watch is not None:
        passing = watcher(machine, watch, calls.fail)
        config.on_pass = passing
    out = ffi.new("tori_sim_result *")
    err = ffi.new("tori_error *")
    status = lib.tori_sim_run(config, work._c, out, err)
    if calls.raised is not None:
        raise calls.raised
    check(status, err, sched.raised)
    columns["measured"] = _measured(work, window)
    columns["hopeless"] = _hopeless(machine, work, interrupts)
    result = _concluded(out, work, columns, ffi.buffer(
        texts.bytes, texts.n)[:] if texts.n else b"")
    if policy == "gang":
        result._values |= dict(shares.measures())
    if out.rejected == len(work) > 0:
        raise Invalid(f"all {len(work)} jobs were rejected: "
                      f"{next(iter(result.reasons))}")
    for sentence in result.warnings if not quiet else ():
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
        try:
            edge = as_seconds(edge)
        except Invalid:
            raise Invalid(f"{edge!r}: expected a time, or a part of the jobs "
                          "such as '10%' or '500jobs'") from None
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
        return numpy.ones(len(work), bool)
    submit = work._column("int64", "submit")
    return (submit >= window.begin) & (submit < window.end)


def _hopeless(machine: Machine, work: Workload, interrupts: Any) -> Any:
    """Whether each job can hardly ever finish."""
    n = len(work)
    found = numpy.zeros(n, bool)
    if interrupts:
        err = ffi.new("tori_error *")
        for i in range(n):
            is_so = lib.tori_sim_is_hopeless(
                machine._c, interrupts, ffi.addressof(work._c.jobs[i]), err)
            check(is_so, err)
            found[i] = is_so
    return found


def _concluded(out: Any, work: Workload, columns: Table,
               texts: bytes) -> Result:
    """The result, with what the library does not count."""
    result = Result({**dict(members(out[0])), "submitted": len(work),
                     "blocks": int(work._c.blocks),
                     "measured": int(columns["measured"].sum()),
                     "saturated": bool(out.saturated),
                     "hopeless": int(columns["hopeless"].sum())}, work, columns,
                    texts)
    result._values |= _steady_means(result)
    result.warnings = list(_warnings(result, work))
    return result


def _steady_means(result: Result) -> dict[str, float]:
    """Means over the measured jobs that ran and are not hopeless."""
    if not result["hopeless"]:
        return {"steady.wait": result["wait.mean"],
                "steady.response": result["response.mean"]}
    table = result.table()
    rows = ((numpy.array(table["fate"]) == "done")
            & table["measured"] & ~table["hopeless"])
    return {f"steady.{name}": float(table[name][rows].mean())
            if rows.any() else 0.0 for name in ("wait", "response")}


FEW_BLOCKS = 8


def few_blocks(blocks: int) -> str:
    return (f"the jobs are in only {blocks} blocks, so samples that are drawn "
            "from these are much alike and intervals too narrow: take more "
            "jobs, or a shorter `resample`")


def _warnings(result: Result, work: Workload) -> Iterator[str]:
    n = len(work)
    if result["rejected"]:
        fates = result._columns["fate"].tolist()
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
        i = int(result._columns["hopeless"].argmax())
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

    def fail(self, error: BaseException) -> None:
        self.raised = error
        self.stop[0] = 1

    def _fail(self, _kind: Any, error: BaseException, _trace: Any) -> None:
        self.fail(error)


def _element(column: str) -> str:
    """The type of a column's elements, without its own name."""
    kind: str = _COLUMNS[column]
    return "int64_t" if kind == "tori_time" else kind
