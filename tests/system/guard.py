#!/usr/bin/env python3
"""Usage: guard.py COMMAND [ARGUMENT...]

Run a test so that nothing of it is left when it ends, or is killed. A test in
Python calls keep() itself: it goes on as the last of three processes. The two
above it only wait. Whoever is orphaned below becomes a child of theirs, whatever
it did to hide; when the process below one of them ends, it kills all others, and
when the upper one is killed, so does the lower.

The test's temporary files are in one folder, which goes as well. kept_port() is a
port that nobody else gets while the test runs.
"""
import ctypes
import os
import shutil
import signal
import socket
import sys
import tempfile

PDEATHSIG, SUBREAPER = 1, 36
LIBC = ctypes.CDLL(None)
KEPT = []


class Orphaned(BaseException):
    """Who stood above this process is gone."""


def adopt(whether=True):
    """Whoever is orphaned below this process becomes its child."""
    LIBC.prctl(SUBREAPER, whether, 0, 0, 0)


def die_with_parent(number=signal.SIGKILL):
    LIBC.prctl(PDEATHSIG, number, 0, 0, 0)


def descendants():
    """All that descend from this process, by id."""
    below = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except OSError:
            continue
        below.setdefault(parent, []).append(int(name))
    found = [os.getpid()]
    for pid in found:
        found += below.get(pid, [])
    return found[1:]


def end_all():
    """Kill whoever is below this process, until nobody is."""
    try:
        while True:
            for pid in descendants():
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


def knowing(words):
    """All whose command line has these words, by id. (pgrep is in a package that a
    bare Debian does not have.)"""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if words in line:
            yield int(name)


def end_knowing(words):
    """Kill them."""
    for pid in knowing(words):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass


def orphaned(*_):
    raise Orphaned


def stand_above(folder):
    """Go on as a child, whose parent waits for its end and leaves nothing."""
    above = os.getpid()
    adopt()
    child = os.fork()
    if child == 0:
        adopt(False)
        die_with_parent(signal.SIGHUP)
        if os.getppid() != above:
            os._exit(1)
        return
    status = 1
    try:
        signal.signal(signal.SIGHUP, orphaned)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda told, _: os.kill(child, told))
        ended = None
        while ended != child:
            ended, status = os.waitpid(-1, 0)
        status = os.waitstatus_to_exitcode(status)
    except Orphaned:
        pass
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        end_all()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(status if status >= 0 else 128 - status)


def keep():
    """From here on, whatever this process starts ends with it."""
    folder = tempfile.mkdtemp(prefix="tori-")
    os.chmod(folder, 0o755)  # for jobs of other users
    stand_above(folder)
    os.setsid()  # what is sent to the group of the upper one is not for this one
    stand_above(folder)
    tempfile.tempdir = os.environ["TMPDIR"] = folder


def kept_port():
    """A port from the kernel. As a socket of this process stays bound to it, it is
    given to nobody; as that one does not listen, a server that asks for this port
    gets it."""
    KEPT.append(socket.socket())
    KEPT[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    KEPT[-1].bind(("127.0.0.1", 0))
    return KEPT[-1].getsockname()[1]


if __name__ == "__main__":
    keep()
    os.execvp(sys.argv[1], sys.argv[1:])
