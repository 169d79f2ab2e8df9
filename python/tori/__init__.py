"""tori: place and schedule jobs on meshes, tori, multi-tori and pods.

    >>> import tori
    >>> state = tori.State("torus:8x8x8")
    >>> place = tori.Allocator(state.machine).place(state, shape="4x4x2")
    >>> place.box
    '0,0,0/2x4x4'
    >>> state.hold(place)

The library: Machine, State, Allocator, Placement, Scheduler.
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
from .scheduler import (Blocker, Decision, Forecast, Help, Job, Scheduler,
                        Why, policies)

if TYPE_CHECKING:
    from . import lab
    from .lab import (Answers, Difference, Grid, Mean, Result, StudyWarning,
                      Workload, models, simulate)
    from .lab.grid import grid

__all__ = [
    "Allocator", "Answers", "Blocker", "Client", "Decision", "Difference", "Error", "Event", "Events",
    "Failed", "Forecast", "GaveUp", "Grid", "Help", "Invalid", "Job",
    "Machine", "Mean", "Never", "NotNow", "Order", "Placement", "Policy", "Queued",
    "Request", "Result", "Running", "Scheduler", "ServiceError", "Start", "State",
    "StudyWarning", "Waiting", "Why", "Workload",
    "__commit__", "__version__", "allocators", "grid", "lab", "models", "policies", "simulate",
]


def __getattr__(name: str) -> _Any:
    """Studies are loaded when they are first used: they need numpy."""
    if name not in __all__:
        raise AttributeError(f"module 'tori' has no attribute {name!r}")
    lab_module = _importlib.import_module("tori.lab")
    return lab_module if name == "lab" else getattr(lab_module, name)
