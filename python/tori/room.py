"""Making room: which running jobs to move, to end or to repair."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence

from ._library import check, ffi, lib, sized
from .place import Placement, Shape, State, fill_request


@dataclass(frozen=True)
class Holder:
    """A job that holds a place in the state. `work` is what is lost if it
    ends."""

    place: Placement
    stays: bool = False  # it may be neither moved nor ended
    fixed: bool = False
    wrap: bool = False
    work: int = 0


@dataclass(frozen=True)
class Room:
    """An answer. `moves` are the indexes of jobs with where each goes, or None
    if it ends; `nodes` is the cost, and no answer costs less than `bound`.
    `least`: it is proved to be the cheapest, or that there is none."""

    found: bool
    least: bool
    place: Optional[Placement]
    moves: tuple[tuple[int, Optional[Placement]], ...]
    nodes: int
    bound: int
    steps: int


def _fill(to: Any, job: Holder) -> None:
    to.place = job.place._c
    to.stays, to.fixed, to.wrap = job.stays, job.fixed, job.wrap
    to.work = job.work


def _answer(state: State, call: Any, *arguments: Any) -> Room:
    out = ffi.gc(ffi.new("tori_room *"), lib.tori_room_clear)
    err = ffi.new("tori_error *")
    check(call(state._c, *arguments, out, err), err)
    machine = state.machine
    return Room(
        out.found, out.least,
        Placement._copy(machine, ffi.addressof(out, "place")),
        tuple((out.moves[i].job, Placement._copy(
            machine, ffi.addressof(out.moves[i], "to")))
            for i in range(out.n)), out.nodes, out.bound, out.steps)


def _asked(state: State, jobs: Sequence[Holder], call: Any,
           shape: Optional[Shape], count: int, wiring: str, fixed: bool,
           wrap: bool, fold: bool, live: bool, options: Any) -> Room:
    own = ffi.new("tori_room_job[]", len(jobs))
    for to, job in zip(own, jobs):
        _fill(to, job)
    request = ffi.new("tori_request *")
    fill_request(request, shape, count, wiring, fixed, wrap, fold)
    config = sized("tori_room_config", flags=lib.TORI_ROOM_LIVE * live,
                   **options)
    return _answer(state, call, own, len(jobs), request, config)


def make(state: State, jobs: Sequence[Holder], shape: Optional[Shape] = None,
         count: int = 0, *, wiring: str = "none", fixed: bool = False,
         wrap: bool = False, fold: bool = False, live: bool = False,
         **options: int) -> Room:
    """The moves after which a request fits: those that move the fewest nodes.
    With `live`, one after another; with `fold`, the request may be folded.
    Options are steps, moves and round.

    >>> state = State("mesh:4x4")
    >>> middle = Placement.of(state.machine, "1,1/2x2")
    >>> state.hold(middle)
    >>> room = make(state, [Holder(middle)], "4x2")
    >>> room.found, room.least, room.nodes, room.moves[0][1].box
    (True, True, 4, '2,0/2x2')
    """
    return _asked(state, jobs, lib.tori_room_make, shape, count, wiring, fixed,
                  wrap, fold, live, options)


def victims(state: State, jobs: Sequence[Holder],
            shape: Optional[Shape] = None, count: int = 0, *,
            wiring: str = "none", fixed: bool = False, wrap: bool = False,
            **options: int) -> Room:
    """The jobs to end so that a request fits: those that lose the least work.

    >>> state = State("mesh:4x4")
    >>> jobs = [Holder(Placement.of(state.machine, box), work=work)
    ...         for box, work in (("0,0/2x4", 9), ("2,0/2x4", 5))]
    >>> for job in jobs:
    ...     state.hold(job.place)
    >>> room = victims(state, jobs, "2x2")
    >>> room.place.box, room.moves, room.nodes
    ('2,0/2x2', ((1, None),), 5)
    """
    return _asked(state, jobs, lib.tori_room_victims, shape, count, wiring,
                  fixed, wrap, False, False, options)


def repair(state: State, job: Holder, **options: int) -> Room:
    """Where a job goes that holds what is down.

    >>> state = State("mesh:4x4")
    >>> place = Placement.of(state.machine, "0,0/2x2")
    >>> state.hold(place)
    >>> state.set_down("0,0")
    >>> repair(state, Holder(place)).place.box
    '0,1/2x2'
    """
    own = ffi.new("tori_room_job *")
    _fill(own, job)
    return _answer(state, lib.tori_room_repair, own,
                   sized("tori_room_config", **options))
