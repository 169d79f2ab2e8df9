"""Finds job logs. They are too large, and some too restricted, to come with the
program. If places were named, folders or single logs, only these are searched.
Otherwise it is the folder $TORI_TRACES, then tori/traces in the folder of the
user's data: $XDG_DATA_HOME, or ~/.local/share if that is not set."""
from __future__ import annotations

import os
from typing import Any, Optional, Sequence

from tori import Failed, Invalid

from .. import Workload

ARCHIVE = ("the Parallel Workloads Archive "
           "(https://www.cs.huji.ac.il/labs/parallel/workload/)")


def places(named: Sequence[str]) -> list[str]:
    """In their order. By the XDG Base Directory Specification, a path that is
    not absolute does not count."""
    if named:
        return list(named)
    found = [os.environ.get("TORI_TRACES", "")]
    data, home = (os.environ.get(it, "") for it in ("XDG_DATA_HOME", "HOME"))
    if data.startswith("/"):
        found.append(f"{data}/tori/traces")
    elif home:
        found.append(f"{home}/.local/share/tori/traces")
    return [it for it in found if it]


def find(named: Sequence[str], name: str) -> Optional[str]:
    """A log by its name without .gz, packed or not, in the first place that has
    it."""
    for place in places(named):
        for full in (name + ".gz", name):
            path = f"{place}/{full}"
            if not os.path.isdir(place) and os.path.basename(place) == full:
                path = place
            if os.path.exists(path):
                return path
    return None


def absent(place: str) -> bool:
    return not os.path.lexists(place)


def every(named: Sequence[str]) -> list[str]:
    """All logs of the places that were named, as far as they exist; otherwise
    those of the first usual place that has some."""
    found: list[str] = []
    for place in places(named):
        if os.path.isdir(place):
            if named or not found:
                found += _logs_in(place)
        elif named and not absent(place):
            found.append(place)
    return found


def _logs_in(folder: str) -> list[str]:
    try:
        return [f"{folder}/{name}" for name in sorted(os.listdir(folder))
                if name.endswith((".swf", ".swf.gz"))
                and not name.startswith(".swf")]
    except OSError as why:
        raise Failed(f"{folder}: {why.strerror}") from None


def said(named: Sequence[str]) -> str:
    """The places looked at, for messages."""
    return ", ".join(places(named)) or "$TORI_TRACES, which is not set"


def read(path: str, machine: str, **options: Any) -> Workload:
    """A log of which at least one job fits on the machine."""
    work = Workload(path, machine, **options)
    nodes = work.machine.nodes
    if not any(asked <= nodes for asked in work.table()["asked"]):
        raise Invalid(f"{path}: none of {len(work)} jobs fits on {nodes} nodes, "
                      "so there is nothing to compare")
    return work
