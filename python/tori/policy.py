"""A scheduler of your own: a class whose `decide` says which jobs start. Times
are in seconds."""
from __future__ import annotations

from typing import Any, Iterable, Optional, Protocol, Sequence, Union

from ._library import Raised, check, ffi, lib, seconds, sized
from .order import Waiting
from .place import Machine, Placement, Request, State


class Queued(Waiting):
    """A waiting job, as a policy of your own sees it: a Waiting, and `end`,
    when it ends by its time limit if it starts now."""

    __slots__ = ("job", "_left", "_request")

    job: int  # its number in the scheduler

    def __init__(self, sched: Any, job: int, work: Any):
        spec = sized("tori_job_spec")
        lib.tori_sched_spec(sched, job, spec)
        self._c = None
        self._work = work
        self.job = job
        self.tag = spec.tag
        self.submit = seconds(lib.tori_sched_now(sched) - spec.waited)
        self.time_limit = seconds(spec.estimate)
        self.nodes = lib.tori_request_nodes(ffi.addressof(spec, "request"))
        self._left = max(1, spec.estimate - spec.done)
        self._request = Request._of(spec.request)

    @property
    def request(self) -> Request:
        """What it asks for."""
        return self._request

    @property
    def end(self) -> float:
        return seconds(round(self.now * lib.TORI_SECOND) + self._left)

    def __repr__(self) -> str:
        return f"<Queued {self.tag}: {self.nodes} nodes>"


class Running:
    """A running job, as a policy of your own sees it."""

    __slots__ = ("_sched", "_machine", "job", "tag", "nodes", "start", "end")

    job: int  # its number in the scheduler
    tag: int  # your own name for it; in `simulate`, its row in the table
    nodes: int  # that it has
    start: float
    end: float  # by its time limit

    def __init__(self, sched: Any, machine: Machine, job: int, info: Any):
        lib.tori_sched_look(sched, job, info)
        self._sched = sched
        self._machine = machine
        self.job = job
        self.tag = info.tag
        self.nodes = info.place.count
        self.start = seconds(info.start)
        self.end = seconds(info.end)

    @property
    def place(self) -> Placement:
        """Where it runs; only while `decide` runs."""
        info = sized("tori_job_info")
        if self._sched is None or not lib.tori_sched_look(
                self._sched, self.job, info):
            raise ValueError("a Running is valid only during the call")
        place = Placement._copy(self._machine, info.place)
        assert place is not None
        return place

    def __repr__(self) -> str:
        return f"<Running {self.tag}: {self.nodes} nodes>"


# What `decide` answers: jobs to start, each by itself or with its place, which
# is a Placement, a box or nodes.
Start = Union[Queued, tuple[Queued, Union[Placement, str, Iterable[int]]]]


class Policy(Protocol):
    """A scheduler of your own, for `policy` of Scheduler and `simulate`.

    >>> class Backfill:
    ...     def decide(self, now, queue, running, state):
    ...         for job in queue:
    ...             if job.nodes <= state.free_count:
    ...                 yield job
    >>> from tori import simulate
    >>> result = simulate("torus:8x8", "lublin", policy=Backfill(), alloc="mm",
    ...                   jobs=200, load=0.6, seed=1)
    >>> int(result["jobs"])
    200
    """

    def decide(self, now: float, queue: Sequence[Queued],
               running: Sequence[Running],
               state: State) -> Optional[Iterable[Start]]:
        """The jobs that start now, in this order. `queue` are the jobs that
        may start, in the order of the queue, `running` is in the order of the
        ends, and `state` says what is free. A job without a place goes where
        the allocator puts it.

        It is called whenever something has changed. If it is a generator,
        each job starts when it is yielded, and `state` shows it; a list is
        started when it is returned. What is refused, and any exception, ends
        the run and reaches you.
        """


class OwnPolicy:
    """An object with `decide` as a tori_policy_ops. An exception in it is
    kept, and raised again where the library's call returns."""

    def __init__(self, machine: Machine, policy: Policy, raised: Raised,
                 work: Any = None):
        self._machine = machine
        self._policy = policy
        self._raised = raised
        self._work = work
        self._queued: dict[int, Queued] = {}
        self._info = sized("tori_job_info")
        self._err = ffi.new("tori_error *")
        self._call = ffi.callback(
            "int(void *, tori_sched *, tori_time, const tori_job *, size_t, "
            "tori_error *)", self._decide, error=-1)
        self._name = ffi.new("char[]", policy_name(policy).encode())
        self.ops = sized("tori_policy_ops", name=self._name,
                         decide=self._call)

    def _decide(self, _arg: Any, sched: Any, ticks: int, jobs: Any, n: int,
                _err: Any) -> int:
        try:
            now = seconds(ticks)
            state = State._view(self._machine, ffi.cast(
                "tori_state *", lib.tori_sched_state(sched)))
            running = self._running(sched)
            try:
                for start in self._policy.decide(
                        now, self._waiting(sched, jobs, n, now), running,
                        state) or ():
                    self._start(sched, start)
            finally:
                del state._c  # it is the scheduler's
                for it in running:
                    it._sched = None
            return 0
        except BaseException as raised:  # pylint: disable=broad-except
            self._raised.raised = raised
            return -1

    def _waiting(self, sched: Any, jobs: Any, n: int,
                 now: float) -> list[Queued]:
        """What is known of a job is kept until it starts, in a simulation:
        nobody changes it there."""
        known = self._queued
        if self._work is None:
            known.clear()
        found = []
        for job in ffi.unpack(jobs, n) if n else ():
            it = known.get(job)
            if it is None:
                it = known[job] = Queued(sched, job, self._work)
            it.now = now
            found.append(it)
        return found

    def _running(self, sched: Any) -> list[Running]:
        n = lib.tori_sched_running(sched)
        jobs = ffi.new("tori_job[]", n)
        lib.tori_sched_running_jobs(sched, jobs)
        return [Running(sched, self._machine, job, self._info)
                for job in (ffi.unpack(jobs, n) if n else ())]

    def _start(self, sched: Any, start: Any) -> None:
        job, where = start if isinstance(start, tuple) else (start, None)
        if not isinstance(job, Queued):
            raise TypeError(f"decide: expected a job of the queue, or a job "
                            f"and its place, not {start!r}")
        place: Optional[Placement] = where
        if where is not None and not isinstance(where, Placement):
            place = Placement.of(self._machine, where, job.request.wiring)
        check(lib.tori_sched_start(
            sched, job.job, place._c if place is not None else ffi.NULL,
            self._err), self._err, self._raised)
        self._queued.pop(job.job, None)


def policy_name(policy: Any) -> str:
    """What messages call it."""
    return str(getattr(policy, "__name__", type(policy).__name__))
