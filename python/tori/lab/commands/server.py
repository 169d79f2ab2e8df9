"""Processes of `tori` that check and run the simulations of a grid (src/cli/
simulate/cell.h): the options of `tori sim` have one description, its own."""
from __future__ import annotations

import json
import os
import subprocess
import threading
from dataclasses import dataclass
from typing import Any, Optional

import numpy

from ..._library import _KINDS, Failed

Request = dict[str, Any]


@dataclass
class Jobs:
    """The jobs of a simulation, one by one. Those that count ran to their end
    and are compared."""

    ran: Any
    value: Any  # response, wait, bounded slowdown and distance; a row each
    group: Any  # the number of each job's group, or None


class Server:
    """A process that waits for requests."""

    def __init__(self, tori: str, folder: Optional[str] = None):
        # pylint: disable-next=consider-using-with
        self._process = subprocess.Popen(
            [tori, "--cells"], cwd=folder, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)

    def _line(self) -> bytes:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise Failed("a process that simulates has ended, with status "
                         f"{self._process.wait()}")
        return line[:-1]

    def _send(self, request: Request) -> bytes:
        """The answer, unless it is an error. No member of another answer has
        the name of its first."""
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # what has happened follows
        line = self._line()
        if line.startswith(b'{"status":'):
            error = json.loads(line)
            raise _KINDS.get(error["status"], Failed)(error["error"])
        return line

    def ask(self, request: Request) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._send(request))
        return found

    def run(self, request: Request) -> tuple[str, Optional[Jobs]]:
        """The outcome, as a line, and the jobs if these are asked for."""
        line = self._send(request).decode()
        if not request.get("jobs"):
            return line, None
        head = json.loads(self._line())
        n = head["jobs"]
        return line, Jobs(
            self._array(n, numpy.bool_),
            self._array(4 * n, numpy.float64).reshape(4, n),
            self._array(n, numpy.uint32) if head["groups"] else None)

    def _array(self, n: int, kind: Any) -> Any:
        """Read without a copy."""
        found: Any = numpy.empty(n, kind)
        stream: Any = self._process.stdout
        if n and stream.readinto(memoryview(found).cast("B")) < found.nbytes:
            raise Failed("a process that simulates has ended")
        return found


_own = threading.local()


def run_cell(tori: str, folder: str, request: Request
             ) -> tuple[str, Optional[Jobs]]:
    """Run a cell by the server of this thread, in whatever process."""
    if getattr(_own, "made", None) != (os.getpid(), tori, folder):
        _own.server = Server(tori, folder)
        _own.made = (os.getpid(), tori, folder)
    server: Server = _own.server
    return server.run(request)
