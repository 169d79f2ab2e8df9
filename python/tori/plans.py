"""Plans for jobs that are all known in advance (Gupta and Srimani, "Job
Scheduling for Torus Connected Networks", 1997). Times are exact: a
fractions.Fraction, or whatever becomes one, such as 3, "2.5" or "1/3"."""
from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Iterable, Optional, Union

from ._library import (Exact, check, ffi, fill_exact, fraction, lib, value,
                       wide)
from .place import Machine, Shape, fill_shape
from .subtorus import Subtorus


# ---- preemptive plans ----

@dataclass(frozen=True)
class Segment:
    """A job runs at positions `first` to `first + size - 1` of the diagonal,
    from start to finish."""

    job: int
    first: int
    size: int
    start: Fraction
    finish: Fraction


@dataclass(frozen=True)
class Preemptive:
    """A preemptive plan along the diagonal. If it is not feasible, that is the
    proof that none meets the deadline, and `failed` is the first job without a
    place."""

    feasible: bool
    finish: Fraction
    preemptions: int
    segments: tuple[Segment, ...]
    stages: int
    failed: Optional[int]


@dataclass(frozen=True)
class PreemptiveBounds:
    """Lower bounds of plans along the diagonal: the longest job, and the work
    divided by the machine."""

    longest: Fraction
    area: Fraction


PreemptiveJobs = Iterable[tuple[int, Exact]]


def _preemptive_jobs(jobs: PreemptiveJobs) -> Any:
    listed = list(jobs)
    own = ffi.new("tori_preemptive_job[]", len(listed))
    for to, (dimension, time) in zip(own, listed):
        to.dimension = dimension
        fill_exact(to.time, time)
    return own


# tori_preemptive_plan with a number of two halves of 128 bits by value.
_plan = ffi.cast(
    "int(*)(const tori_machine *, const tori_preemptive_job *, size_t, "
    "exact_by_value, tori_preemptive *, tori_error *)",
    ffi.addressof(lib, "tori_preemptive_plan"))


def preemptive(machine: Union[str, Machine], jobs: PreemptiveJobs,
               deadline: Optional[Exact] = None) -> Preemptive:
    """A plan in which jobs may be stopped, and no two share a link. A job is
    a dimension and a time. Without a deadline, it is the least there is.

    >>> plan = preemptive("torus:4x4", [(2, 3), (2, "1/2"), (4, 1)], 5)
    >>> plan.feasible, plan.finish, plan.preemptions
    (True, Fraction(9, 2), 0)
    >>> preemptive("torus:4x4", [(3, 1), (3, 1)], "3/2").feasible
    False
    """
    machine = Machine(machine)
    own = _preemptive_jobs(jobs)
    if deadline is None:
        deadline = _least(machine, own)
    limit = ffi.new("tori_exact *")
    fill_exact(limit, deadline)
    plan = ffi.gc(ffi.new("tori_preemptive *"), lib.tori_preemptive_clear)
    err = ffi.new("tori_error *")
    check(_plan(machine._c, own, len(own),
                ffi.cast("exact_by_value *", limit)[0], plan, err), err)
    unit = wide(plan.unit) or 1
    segments = tuple(
        Segment(it.job, it.first, it.size, Fraction(wide(it.start), unit),
                Fraction(wide(it.finish), unit))
        for it in (plan.segment[i] for i in range(plan.segments)))
    return Preemptive(plan.feasible,
                      fraction(plan.finish) if plan.feasible
                      else Fraction(deadline),
                      plan.preemptions, segments, plan.stages,
                      None if plan.feasible else plan.failed)


def _least(machine: Machine, own: Any) -> Fraction:
    out = ffi.new("tori_exact *")
    err = ffi.new("tori_error *")
    check(lib.tori_preemptive_least(machine._c, own, len(own), out, err), err)
    return fraction(out)


def preemptive_least(machine: Union[str, Machine],
                     jobs: PreemptiveJobs) -> Fraction:
    """The least time in which all jobs can be done along the diagonal.

    >>> preemptive_least("torus:4x4", [(3, 1), (3, 1), (1, "1/3")])
    Fraction(2, 1)
    """
    return _least(Machine(machine), _preemptive_jobs(jobs))


def preemptive_bounds(machine: Union[str, Machine],
                      jobs: PreemptiveJobs) -> PreemptiveBounds:
    """Simple lower bounds.

    >>> preemptive_bounds("torus:4x4", [(3, 1), (3, 1), (1, 5)])
    PreemptiveBounds(longest=Fraction(5, 1), area=Fraction(11, 4))
    """
    own = _preemptive_jobs(jobs)
    out = ffi.new("tori_preemptive_bound *")
    err = ffi.new("tori_error *")
    check(lib.tori_preemptive_bounds(Machine(machine)._c, own, len(own), out,
                                     err), err)
    return PreemptiveBounds(fraction(out.longest), fraction(out.area))


# ---- plans with contention ----

# A Fraction where it is known and fits 128 bits, else the nearest float.
Time = Union[Fraction, float]


@dataclass(frozen=True)
class ContentionPlace:
    """Where and when a job runs; `order` is its turn. `time` is what it asked
    for."""

    subtorus: Subtorus
    order: int
    time: Fraction
    start: Time
    finish: Time


@dataclass(frozen=True)
class ContentionBounds:
    """Lower bounds of any plan: the longest job, the work over the nodes, the
    least time without contention, and of plans that start jobs at events."""

    longest: float
    area: float
    contention_free: float
    events: float


@dataclass(frozen=True)
class Contention:
    """A plan with contention. `first` is the makespan before the search,
    `exact` whether every comparison was, `least` whether no plan that starts
    jobs at events is shorter."""

    places: tuple[ContentionPlace, ...]
    makespan: Time
    first: float
    exact: bool
    least: bool
    bounds: ContentionBounds


def contention(machine: Union[str, Machine],
               jobs: Iterable[tuple[Shape, Exact]], *, steps: int = 0,
               seed: int = 0, own_delay: bool = False) -> Contention:
    """A plan in which jobs are never stopped, and may share links. A job is a
    shape and a time. It searches for a shorter plan in so many steps.

    >>> plan = contention("torus:8x8", [("8x8", 1), ("4x4", 2), ("4x4", "5/2")])
    >>> plan.makespan, [place.start for place in plan.places]
    (Fraction(7, 2), [Fraction(0, 1), Fraction(1, 1), Fraction(1, 1)])
    >>> plan.places[2].subtorus.offset
    (1, 1)
    """
    machine = Machine(machine)
    listed = list(jobs)
    own = ffi.new("tori_contention_job[]", len(listed))
    for to, (shape, time) in zip(own, listed):
        fill_shape(to.shape, shape)
        fill_exact(to.time, time)
    search = ffi.new("tori_contention_search *", {
        "steps": steps, "seed": seed, "own_delay": own_delay})
    out = ffi.new("tori_contention **")
    err = ffi.new("tori_error *")
    check(lib.tori_contention_create(machine._c, own, len(own), search, out,
                                     err), err)
    plan = ffi.gc(out[0], lib.tori_contention_destroy)
    places = []
    for i, (_shape, time) in enumerate(listed):
        it = lib.tori_contention_at(plan, i)
        places.append(ContentionPlace(
            Subtorus._of(machine, it.subtorus), it.order, Fraction(time),
            _time(plan, lib.TORI_CONTENTION_START, i, it.start),
            _time(plan, lib.TORI_CONTENTION_FINISH, i, it.finish)))
    return Contention(
        tuple(places), _time(plan, lib.TORI_CONTENTION_MAKESPAN, 0,
                             lib.tori_contention_makespan(plan)),
        lib.tori_contention_first(plan),
        bool(lib.tori_contention_is_exact(plan)),
        bool(lib.tori_contention_is_least(plan)),
        value(ContentionBounds, lib.tori_contention_bounds(plan)))


def _time(plan: Any, which: int, job: int, rounded: float) -> Time:
    out = ffi.new("tori_exact *")
    return (fraction(out)
            if lib.tori_contention_exact(plan, which, job, out) else rounded)
