"""tori: place and schedule jobs on meshes, tori, multi-tori and pods.

    >>> import tori
    >>> state = tori.State("torus:8x8x8")
    >>> place = tori.Allocator(state.machine).place(state, shape="4x4x2")
    >>> place.box
    '0,0,0/2x4x4'
    >>> state.hold(place)

The library: Machine, State, Allocator, Placement, Scheduler; and a module per
idea: cubes, gang, network, plans, pods, points, preemption, room, subtorus,
wiring.
Studies: Workload, simulate, grid; they are in tori.lab.
The service: Client.
"""
import importlib as _importlib
from typing import TYPE_CHECKING, Any as _Any

from ._commit import COMMIT as __commit__
from ._library import (Error, Failed, GaveUp, Invalid, Never, NotNow,
                       version as __version__)
from .client import Client, Event, Events, ServiceError
from .order import Order, Waiting
from .place import (Allocator, Machine, Placement, Request, State, allocators)
from .policy import Policy, Queued, Running, Start
from .scheduler import (Blocker, Decision, Forecast, Help, Job, Reservation,
                        Scheduler, Why, policies)

if TYPE_CHECKING:
    from . import (cubes, gang, lab, network, plans, pods, points, preemption,
                   room, subtorus, wiring)
    from .lab import (Answers, Difference, Grid, Mean, Result, StudyWarning,
                      Workload, models, simulate)
    from .lab.grid import grid

__all__ = [
    "Allocator", "Answers", "Blocker", "Client", "Decision", "Difference", "Error", "Event", "Events",
    "Failed", "Forecast", "GaveUp", "Grid", "Help", "Invalid", "Job",
    "Machine", "Mean", "Never", "NotNow", "Order", "Placement", "Policy", "Queued",
    "Request", "Reservation", "Result", "Running", "Scheduler", "ServiceError", "Start", "State",
    "StudyWarning", "Waiting", "Why", "Workload",
    "__commit__", "__version__", "allocators", "grid", "lab", "models", "policies", "simulate",
]

_MODULES = {"cubes", "gang", "lab", "network", "plans", "pods", "points",
            "preemption", "room", "subtorus", "wiring"}


def __getattr__(name: str) -> _Any:
    """Modules are loaded when they are first used; studies need numpy."""
    if name in _MODULES:
        return _importlib.import_module(f"tori.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'tori' has no attribute {name!r}")
    return getattr(_importlib.import_module("tori.lab"), name)
