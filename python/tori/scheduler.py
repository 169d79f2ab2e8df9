"""When jobs go: the scheduler, why jobs wait, and when they will start. Times
are in seconds."""
from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Optional, Sequence, Union, overload

from ._library import (Invalid, Maybe, Raised, check, ffi, formatted, lib,
                       made, seconds, sized, text, ticks)
from .order import Key, Order, OrderLike, OwnOrder, order_number
from .place import (AllocConfig, Function, Machine, Node, Placement, Shape,
                    State, _WIRINGS, _names, fill_request, shape_tuple)
from .policy import OwnPolicy, Policy
from .wiring import Link

_KINDS = {number: name.removeprefix("TORI_").lower() for number, name in
          ffi.typeof("tori_decision_kind").elements.items()}
_MANY = 64  # decisions that are fetched at once


def policies() -> list[str]:
    """The names of the scheduler's policies."""
    return list(_names(lib.tori_sched_list))


@dataclass(frozen=True)
class Decision:
    """What the scheduler decided. `kind` is "start", "reject", "kill",
    "requeue", "drained", "move", "suspend" or "resume"."""

    kind: str
    job: Maybe[int]  # None for a reject
    tag: int
    place: Maybe[Placement] = None  # of a start, move or resume
    why: Optional[str] = None  # of a reject
    node: Optional[int] = None  # that failed under the job
    link: Optional[str] = None  # the same
    by: Optional[int] = None  # the job for whose sake it happens


@dataclass(frozen=True)
class Blocker:
    """A running job that is in the way."""

    job: int
    tag: int
    nodes: int  # 0: only links


@dataclass(frozen=True)
class Help:
    """A change that starts the job now. `change` is "wiring", "shape",
    "count", "estimate", "job" or "moves"."""

    change: str
    shape: Optional[tuple[int, ...]]
    count: int
    wiring: str
    time_limit: float
    job: Optional[int] = None  # that would have to end
    place: Optional[Placement] = None
    moves: Sequence[int] = ()  # jobs that would have to move


@dataclass(frozen=True)
class Why:
    """Why a job waits, and what would help. `reason` is one of
    tori_reason_name, such as "numerical"; `text` says it in a sentence."""

    job: int
    tag: int
    reason: str
    text: str
    free: int
    largest: Optional[str]  # the largest free box
    place: Optional[Placement]  # that misses the fewest nodes
    missing: int
    blockers: Sequence[Blocker]
    start: Optional[float]
    start_place: Optional[Placement]
    helps: Sequence[Help]


@dataclass(frozen=True)
class Forecast:
    """When and where a waiting job will start."""

    job: int
    tag: int
    start: float
    place: Optional[Placement]


@dataclass(frozen=True)
class Reservation:
    """A place that is kept free from begin to end, except for jobs with these
    tags."""

    name: str
    begin: float
    end: float
    place: Optional[Placement]
    tags: tuple[int, ...]


@dataclass(frozen=True)
class Job:
    """A job as the scheduler sees it. `state` is "queued" or "running";
    `reason` says why it waits."""

    job: int
    tag: int
    state: str
    reason: Optional[str] = None
    start: Optional[float] = None
    end: Optional[float] = None
    place: Optional[Placement] = None


def _number(job: int) -> Optional[int]:
    return None if job == lib.TORI_NO_JOB else job


# One of the library's policies, a Policy of your own, or its class.
PolicyLike = Union[str, Policy, type[Policy]]


class SchedConfig:
    """A tori_sched_config, and what it points to. `alloc` may be a pair
    "first-fit+mm": for shapes, and for counts. `policy` may be a Policy, or
    its class."""

    def __init__(self, machine: Machine, policy: PolicyLike,
                 alloc: Union[str, Function, None],
                 order: OrderLike = "submit", depth: int = 0,
                 places: bool = False, moves: bool = False,
                 work: Any = None, move: float = 0, **options: Any):
        self.raised = Raised()
        counts: Optional[str] = None
        known = isinstance(alloc, str) and lib.tori_alloc_find(alloc.encode())
        if isinstance(alloc, str) and not known and "+" in alloc:
            alloc, counts = alloc.split("+", 1)
        self.c = sized("tori_sched_config", depth=depth, move=ticks(move))
        if isinstance(policy, str):
            self._policy = ffi.new("char[]", policy.encode())
            self.c.policy = self._policy
        else:
            self._own = OwnPolicy(
                machine, policy() if isinstance(policy, type) else policy,
                self.raised, work)
            self.c.own_policy = self._own.ops
        if alloc is not None:  # otherwise the library's default
            self._alloc = AllocConfig(machine, alloc, self.raised, **options)
            self.c.alloc = self._alloc.c
        if counts is not None:
            self._counts = AllocConfig(machine, counts, self.raised,
                                       **options)
            self.c.counts = self._counts.c
        if isinstance(order, str):
            self.c.order = order_number(order)
        else:
            self._order = OwnOrder(order, self.raised, work)
            self.c.own_order = self._order.ops
        self.c.flags = (lib.TORI_SCHED_PLACES * places
                        | lib.TORI_SCHED_MOVES * moves)


class _Visits:
    """A callback of the library that collects what a function makes of each
    visit. An exception stops the visits and is raised after them."""

    def __init__(self, kind: str, make: Any):
        self.found: list[Any] = []
        self.raised: Optional[BaseException] = None
        self._make = make
        self._go_on, self._stop = (None, None) if kind.startswith(
            "void") else (0, 1)
        self.call = ffi.callback(kind, self._visit)

    def _visit(self, _arg: Any, it: Any) -> Optional[int]:
        if self.raised is not None:
            return self._stop
        try:
            self.found.append(self._make(it))
            return self._go_on
        except BaseException as raised:  # pylint: disable=broad-except
            self.raised = raised
            return self._stop

    def end(self, status: int, err: Any, own: Raised) -> list[Any]:
        if self.raised is not None:
            raise self.raised
        check(status, err, own)
        return self.found


def _machine_of(snapshot: Union[str, dict[str, Any]]) -> Machine:
    if isinstance(snapshot, str):
        opened: Any = gzip.open if snapshot.endswith(".gz") else open
        with opened(snapshot, "rt", encoding="utf-8") as file:
            snapshot = json.load(file)
    assert isinstance(snapshot, dict)
    return Machine(snapshot["machine"])


class _Own:
    """A tori_snapshot_own, and what it points to."""

    def __init__(self, snapshot: Union[str, dict[str, Any]],
                 allocs: Sequence[Function],
                 order: Union[Order, Key, None], raised: Raised):
        self._allocs = [AllocConfig(_machine_of(snapshot), alloc, raised)
                        for alloc in allocs]
        self._order = OwnOrder(order, raised) if order is not None else None
        self._lists = (
            ffi.new("tori_alloc_config *[]", [it.c for it in self._allocs]),
            ffi.new("tori_order_ops *[]",
                    [self._order.ops] if self._order else []))
        self.c = sized("tori_snapshot_own", allocs=self._lists[0],
                       nallocs=len(self._allocs), orders=self._lists[1],
                       norders=len(self._lists[1]))


class Scheduler:
    """Time comes in, decisions go out. It has no clock and starts nothing.

    >>> sched = Scheduler("torus:4x4", policy="easy")
    >>> first = sched.submit(0, shape="4x4", time_limit=60)
    >>> second = sched.submit(0, shape="2x2", time_limit=10)
    >>> [(d.kind, d.job, d.place.box) for d in sched.run(0)]
    [('start', 1, '0,0/4x4')]
    >>> sched.why(second).reason
    'numerical'
    >>> [(f.job, f.start) for f in sched.forecast()]
    [(2, 60.0)]
    >>> sched.finish(30, first)
    >>> [d.job for d in sched.run(30)]
    [2]

    `alloc` is a name, a pair such as "first-fit+mm" for shapes and counts, or
    a function (see Allocator). `policy` is one of `policies()`, or an object of
    your own (see Policy). `order` is "submit", "shortest", "smallest",
    "largest", or a function (see Order). With `places` planned starts of counts have
    places; with `moves` running jobs move to make room.
    """

    __slots__ = ("_c", "_keep", "_next", "_own", "machine")

    machine: Machine

    def __init__(self, machine: Union[str, Machine], policy: PolicyLike = "easy",
                 alloc: Union[str, Function, None] = None, *,
                 order: OrderLike = "submit", depth: int = 0,
                 places: bool = False, moves: bool = False):
        self.machine = Machine(machine)
        config = SchedConfig(self.machine, policy, alloc, order, depth, places,
                             moves)
        self._set(made("tori_sched", lib.tori_sched_create,
                       lib.tori_sched_destroy, self.machine._c, config.c,
                       keep=(self.machine._c, config), own=config.raised),
                  config, config.raised)

    def _set(self, pointer: Any, keep: Any, own: Raised,
             next_tag: int = 1) -> None:
        self._c = pointer
        self._keep = keep
        self._next = next_tag
        self._own = own

    @staticmethod
    def _lent(machine: Machine) -> Scheduler:
        """A scheduler that somebody else owns, to look at while `_c` is set."""
        view = object.__new__(Scheduler)
        view.machine = machine
        view._set(None, None, Raised())
        return view

    def _tag(self, given: Optional[int]) -> int:
        tag = self._next if given is None else given
        self._next = max(self._next, tag + 1)
        return tag

    # ---- what happens ----

    def submit(self, now: float, shape: Optional[Shape] = None,
               count: int = 0, *, time_limit: float,
               tag: Optional[int] = None,
               wiring: str = "none", fixed: bool = False, wrap: bool = False,
               priority: int = 0, earliest: float = 0,
               tier: int = 0) -> Maybe[int]:
        """Submit a job; the number that it gets. A job that can never run is
        rejected: None, and the next decision says why. `tag` is your own name
        for it, and its id in snapshots; without one it gets the next."""
        spec = sized("tori_job_spec", estimate=ticks(time_limit),
                     tag=self._tag(tag),
                     priority=priority, earliest=ticks(earliest), level=tier)
        fill_request(spec.request, shape, count, wiring, fixed, wrap)
        out = ffi.new("tori_job *")
        err = ffi.new("tori_error *")
        check(lib.tori_sched_submit(self._c, ticks(now), spec, out, err), err,
              self._own)
        return _number(out[0])

    def adopt(self, now: float, start: float, place: Placement, *,
              time_limit: float, tag: Optional[int] = None,
              priority: int = 0) -> int:
        """Take over a job that already runs."""
        spec = sized("tori_job_spec", estimate=ticks(time_limit),
                     tag=self._tag(tag), priority=priority)
        spec.request.count = place.count
        if place._c.nboxes == 1:
            spec.request.shape = place._c.box.shape
            spec.request.wiring = place._c.wiring
        out = ffi.new("tori_job *")
        err = ffi.new("tori_error *")
        check(lib.tori_sched_adopt(self._c, ticks(now), spec, ticks(start),
                                   place._c, out, err), err, self._own)
        return int(out[0])

    def _tell(self, call: Any, now: float, *arguments: Any) -> None:
        err = ffi.new("tori_error *")
        check(call(self._c, ticks(now), *arguments, err), err, self._own)

    def finish(self, now: float, job: int) -> None:
        """A running job has ended."""
        self._tell(lib.tori_sched_finish, now, job)

    def cancel(self, now: float, job: int) -> None:
        """Take a job out of the queue, or end it."""
        self._tell(lib.tori_sched_cancel, now, job)

    def requeue(self, now: float, job: int) -> None:
        """A running job was stopped: it waits again."""
        self._tell(lib.tori_sched_requeue, now, job)

    def hold(self, now: float, job: int, held: bool = True) -> None:
        """A waiting job does not start, or may start again."""
        self._tell(lib.tori_sched_set_hold, now, job,
                   lib.TORI_HOLD_USER if held else lib.TORI_HOLD_NONE)

    def set_priority(self, now: float, job: int, priority: int) -> None:
        """A job with a higher priority goes first."""
        self._tell(lib.tori_sched_set_priority, now, job, priority)

    def set_time_limit(self, now: float, job: int, time_limit: float) -> None:
        self._tell(lib.tori_sched_set_estimate, now, job, ticks(time_limit))

    def set_earliest(self, now: float, job: int, earliest: float) -> None:
        """A waiting job does not start before this time."""
        self._tell(lib.tori_sched_set_earliest, now, job, ticks(earliest))

    def move(self, now: float, moves: Mapping[int, Placement]) -> None:
        """Running jobs are in other places now: all of them left before the
        first arrived."""
        self._tell(lib.tori_sched_move_all, now, list(moves),
                   [place._c for place in moves.values()], len(moves))

    def reserve(self, now: float, name: str, begin: float, end: float,
                place: Optional[Placement] = None, *, count: int = 0,
                tags: Sequence[int] = ()) -> None:
        """Keep a place, or so many nodes, free from begin to end, except for
        jobs with these tags: a reservation. The scheduler plans places."""
        text_ = ffi.new("char[]", name.encode())
        admitted = ffi.new("uint64_t[]", list(tags))
        window = sized("tori_window", name=text_, until=ticks(end),
                       tags=admitted, ntags=len(admitted), count=count)
        setattr(window, "from", ticks(begin))
        if place is not None:
            window.place = place._c
        self._tell(lib.tori_sched_add_window, now, window)

    def cancel_reservation(self, now: float, name: str) -> None:
        self._tell(lib.tori_sched_remove_window, now, name.encode())

    def admit(self, now: float, name: str, tag: int) -> None:
        """One more job may run in a reservation."""
        self._tell(lib.tori_sched_admit, now, name.encode(), tag)

    @property
    def reservations(self) -> list[Reservation]:
        """In the order in which they were added."""
        it = sized("tori_window")
        found: list[Reservation] = []
        while lib.tori_sched_window(self._c, len(found), it):
            found.append(Reservation(
                text(it.name), seconds(getattr(it, "from")),
                seconds(it.until),
                Placement._copy(self.machine, it.place),
                tuple(it.tags[i] for i in range(it.ntags))))
        return found

    def drain(self, now: float, nodes: Sequence[Node], tag: int = 0) -> None:
        """Drain nodes in one step; a decision with this tag says when no job
        is left on them."""
        ids = [self.machine.id(node) for node in nodes]
        self._tell(lib.tori_sched_drain, now, ids, len(ids), tag)

    def fail(self, now: float, nodes: Sequence[Node]) -> None:
        """Nodes fail together."""
        ids = [self.machine.id(node) for node in nodes]
        self._tell(lib.tori_sched_fail, now, ids, len(ids), ffi.NULL, 0)

    def set_link_down(self, now: float, link: Link,
                      down: bool = True) -> None:
        """A link fails, or works again."""
        self._tell(lib.tori_sched_set_link_down, now, link._c, down)

    @property
    def gave_up(self) -> Optional[tuple[int, str]]:
        """The first job that the allocator gave up on in the last run, and
        what it said."""
        job = ffi.new("tori_job *")
        tag = ffi.new("uint64_t *")
        why = ffi.new("const char **")
        return ((int(job[0]), str(text(why[0])))
                if lib.tori_sched_gave_up(self._c, job, tag, why) else None)

    def planned(self, job: int) -> Optional[tuple[float,
                                                  Optional[Placement]]]:
        """The planned start of a waiting job, and its place where it has one;
        None if it has none."""
        start = ffi.new("tori_time *")
        place = ffi.new("const tori_placement **")
        err = ffi.new("tori_error *")
        found = lib.tori_sched_reservation(self._c, job, start, place, err)
        check(found, err, self._own)
        return (seconds(start[0]), Placement._copy(
            self.machine, place[0])) if found else None

    def set_down(self, now: float, node: Node, down: bool = True) -> None:
        """A node fails, or works again. Decisions say what becomes of its
        job."""
        self._tell(lib.tori_sched_set_down, now, self.machine.id(node), down)

    def set_drained(self, now: float, node: Node,
                    drained: bool = True) -> None:
        """A node takes no further job, or does again."""
        self._tell(lib.tori_sched_set_drained, now, self.machine.id(node),
                   drained)

    # ---- decisions ----

    def run(self, now: float) -> list[Decision]:
        """Decide; the decisions in the order in which they were made."""
        err = ffi.new("tori_error *")
        check(lib.tori_sched_run(self._c, ticks(now), err), err, self._own)
        made_ones: list[Decision] = []
        room = ffi.new("tori_decision[]", _MANY)
        room[0].size = ffi.sizeof("tori_decision")
        while (n := lib.tori_sched_fetch(self._c, room, _MANY)):
            made_ones += [self._decision(room[i]) for i in range(n)]
        return made_ones

    def _decision(self, it: Any) -> Decision:
        failed = it.kind in (lib.TORI_KILL, lib.TORI_REQUEUE, lib.TORI_MOVE)
        by = _number(it.by)
        node: Optional[int] = None
        link: Optional[str] = None
        if failed and by is None and it.node != lib.TORI_NO_NODE:
            node = it.node
        elif failed and by is None and lib.tori_link_exists(
                self.machine._c, ffi.addressof(it, "link")):
            link = formatted(lib.tori_link_format, self.machine._c,
                             ffi.addressof(it, "link"))
        return Decision(_KINDS[it.kind], _number(it.job), it.tag,
                        Placement._copy(self.machine, it.place),
                        text(it.why), node, link, by)

    # ---- looking ----

    @property
    def now(self) -> float:
        return seconds(lib.tori_sched_now(self._c))

    @property
    def wake(self) -> Optional[float]:
        """When to run next even if nothing else happens."""
        out = ffi.new("tori_time *")
        return (seconds(out[0]) if lib.tori_sched_wake(self._c, out)
                else None)

    @property
    def blocked(self) -> Optional[str]:
        """Why the first job of the queue waits, as of the last run:
        "numerical", "topological" or "gave-up"; None if none waits."""
        reason = lib.tori_sched_blocked(self._c)
        return (None if reason == lib.TORI_REASON_UNKNOWN
                else str(text(lib.tori_reason_name(reason))))

    @property
    def state(self) -> State:
        """What is free, busy and down: it shows what happens."""
        return State._view(self.machine, ffi.cast(
            "tori_state *", lib.tori_sched_state(self._c)), self._c)

    def _jobs(self, n: int, listing: Any) -> list[int]:
        out = ffi.new("tori_job[]", n)
        listing(self._c, out)
        return list(out)

    @property
    def queued(self) -> list[int]:
        """The waiting jobs in the order of the queue."""
        return self._jobs(lib.tori_sched_queued(self._c),
                          lib.tori_sched_queued_jobs)

    @property
    def running(self) -> list[int]:
        """The running jobs by their expected end."""
        return self._jobs(lib.tori_sched_running(self._c),
                          lib.tori_sched_running_jobs)

    def job(self, number: int) -> Job:
        """What is known of a job that waits or runs."""
        info = sized("tori_job_info")
        if not lib.tori_sched_look(self._c, number, info):
            raise KeyError(number)
        if info.phase == lib.TORI_JOB_QUEUED:
            return Job(number, info.tag, "queued",
                       text(lib.tori_reason_name(info.waits)))
        return Job(number, info.tag, "running", None, seconds(info.start),
                   seconds(info.end),
                   Placement._copy(self.machine, info.place))

    @overload
    def why(self, job: int) -> Why: ...

    @overload
    def why(self) -> list[Why]: ...

    def why(self, job: Optional[int] = None) -> Union[Why, list[Why]]:
        """Why a job waits: a Why, for one job. Without a number, a list of
        them for the whole queue. Ask after a run."""
        visits = _Visits("int(void *, const tori_why *)", self._why)
        err = ffi.new("tori_error *")
        if job is None:
            return visits.end(lib.tori_why_each(
                self._c, visits.call, ffi.NULL, err), err, self._own)
        tag = self.job(job).tag
        found = visits.end(lib.tori_why_some(
            self._c, [tag], 1, visits.call, ffi.NULL, err), err, self._own)
        for it in found:
            if it.job == job:
                why: Why = it
                return why
        raise Invalid(f"job {job} does not wait")

    def _why(self, it: Any) -> Why:
        room = ffi.new("char[]", 4096)
        lib.tori_why_text(it, self.machine._c, room, len(room))
        largest = ffi.addressof(it, "largest")
        return Why(
            it.job, it.tag, text(lib.tori_reason_name(it.reason)), text(room),
            it.free, formatted(lib.tori_box_format, largest)
            if it.largest.shape.ndims else None,
            self._place(it, "place"), it.missing,
            tuple(Blocker(b.job, b.tag, b.nodes)
                  for b in it.blockers[0:it.nblockers]),
            seconds(it.start) if it.starts else None,
            self._place(it, "start_place"),
            tuple(self._help(it.helps[i]) for i in range(it.nhelps)))

    def _place(self, it: Any, member: str) -> Optional[Placement]:
        return Placement._copy(self.machine, ffi.addressof(it, member))

    def _help(self, it: Any) -> Help:
        request = it.spec.request
        return Help(
            text(lib.tori_change_name(it.change)),
            shape_tuple(request.shape) or None, request.count,
            _WIRINGS[request.wiring], seconds(it.spec.estimate),
            it.job if it.change == lib.TORI_CHANGE_JOB else None,
            self._place(it, "place"),
            tuple(it.moves[i].job for i in range(it.nmoves)))

    def forecast(self) -> list[Forecast]:
        """When and where the waiting jobs will start, in the order of starts,
        if no other job comes and every job runs to its time limit."""
        visits = _Visits(
            "void(void *, const tori_forecast *)", lambda it: Forecast(
                it.job, it.tag, seconds(it.start),
                Placement._copy(self.machine, it.place)))
        err = ffi.new("tori_error *")
        return visits.end(lib.tori_forecast_each(
            self._c, visits.call, ffi.NULL, err), err, self._own)

    # ---- as a value ----

    def copy(self) -> Scheduler:
        """Another scheduler with the same jobs, for "what if"."""
        other = object.__new__(Scheduler)
        other.machine = self.machine
        other._set(made("tori_sched", lib.tori_sched_copy,
                        lib.tori_sched_destroy, self._c,
                        keep=(self.machine._c, self._keep), own=self._own),
                   self._keep, self._own, self._next)
        return other

    def snapshot(self) -> dict[str, Any]:
        """The whole scheduler as JSON has it; `restore` makes a scheduler of
        it that decides as this one would. Take it after a run."""
        out = ffi.new("tori_snapshot **")
        err = ffi.new("tori_error *")
        check(lib.tori_snapshot_take(self._c, out, err), err)
        taken = ffi.gc(out[0], lib.tori_snapshot_destroy)
        chars = ffi.new("char **")
        size = ffi.new("size_t *")
        check(lib.tori_snapshot_format(taken, chars, size, err), err)
        held = ffi.gc(chars[0], lib.free)
        found: dict[str, Any] = json.loads(ffi.unpack(held, size[0]))
        return found

    @staticmethod
    def restore(snapshot: Union[str, dict[str, Any]], *,
                alloc: Union[Function, Sequence[Function]] = (),
                order: Union[Order, Key, None] = None) -> Scheduler:
        """The scheduler that a snapshot describes: a dictionary, or the path
        of a file. The tags of jobs are the ids in the snapshot. Functions of
        yours are in a snapshot by their names: give those that it names."""
        raised = Raised()
        own = _Own(snapshot, (alloc,) if callable(alloc) else tuple(alloc),
                   order, raised)
        out = ffi.new("tori_snapshot **")
        err = ffi.new("tori_error *")
        if isinstance(snapshot, str):
            check(lib.tori_snapshot_read_own(snapshot.encode(), own.c, out,
                                             err), err)
        else:
            data = json.dumps(snapshot).encode()
            check(lib.tori_snapshot_parse_own(data, len(data), b"snapshot",
                                              own.c, out, err), err)
        read = ffi.gc(out[0], lib.tori_snapshot_destroy)
        keep = (read, own)
        self = object.__new__(Scheduler)
        self.machine = Machine._view(read.machine, keep)
        self._set(made("tori_sched", lambda *rest: lib.tori_snapshot_sched(
            read, ffi.NULL, *rest), lib.tori_sched_destroy, keep=keep,
            own=raised), keep, raised)
        for number in self.running + self.queued:
            self._tag(self.job(number).tag)
        return self

    def __repr__(self) -> str:
        return (f"<Scheduler of {self.machine}: {len(self.running)} run, "
                f"{len(self.queued)} wait>")
