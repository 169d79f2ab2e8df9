"""Commands of `tori` that are modules here. The program has read and checked
their options; a module gets them as one word, JSON (src/cli/common/
lab_command.h)."""
from __future__ import annotations

import json
import os
import signal
import stat
import sys
from types import SimpleNamespace
from typing import Any, Callable, Iterable, Optional

from ..._library import Error, Failed, Invalid

# A command that describes the fields of its answer, as ANSWER.
COMMANDS = ("compare", "sweep", "decide", "report")
Named = tuple[str, str, bool]  # the option, the path, and whether it is written


def run(command: Callable[[Any], None]) -> None:
    """Execute a command and end the process. Errors are one line."""
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    status, why = 0, None  # type: tuple[int, Optional[object]]
    try:
        how = json.loads(sys.argv[1])
        given = how.pop("options")
        command(SimpleNamespace(**{**how, **given, "given": given}))
        sys.stdout.flush()
    except Error as error:
        # A search that gave up has no status of its own.
        status, why = 2 if error.status == 5 else error.status, error
    except ImportError as missing:
        status, why = 1, (
            f"{missing.name} is missing, as in python3-{missing.name}"
            if missing.name else missing)
    except OSError as error:
        status, why = 1, f"standard output: {error.strerror}"
    if why is not None:
        print(f"tori: {why}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(status)  # quickly, and with no second complaint


# ---- files ----

def _identity(path: str, written: bool) -> Optional[tuple[int, int, str]]:
    """The file at the end of a path; for one that is to be, its folder and its
    name. None for devices: writing replaces nothing there."""
    name = ""
    try:
        if path == "-":
            found = os.fstat(1 if written else 0)
        else:
            try:
                found = os.stat(path)
            except FileNotFoundError:
                if not written:
                    return None
                name = os.path.basename(path)
                found = os.stat(os.path.dirname(path) or ".")
    except OSError:
        return None
    if stat.S_ISCHR(found.st_mode) or stat.S_ISSOCK(found.st_mode):
        return None
    return found.st_dev, found.st_ino, name


def check_files(files: Iterable[Named]) -> None:
    """No file is written that is read, or written twice; standard output is
    written as well."""
    files = list(files)
    for i, (label, path, written) in enumerate(files):
        others = files[i + 1:]
        if not (written and path == "-"):
            others.append(("standard output", "-", True))
        for other, its, its_written in others:
            if not written and not its_written:
                continue
            mine = _identity(path, written)
            if mine is not None and mine == _identity(its, its_written):
                raise Invalid(f"{label} and {other} are the same file" + (
                    "" if written == its_written
                    else ", which would be overwritten"))


def write_output(path: str, data: bytes) -> None:
    """A file is there whole or not at all; "-" is standard output. What is no
    plain file is written to as it is."""
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        target = os.path.realpath(path)
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as file:
                file.write(data)
            return
        part = os.path.join(os.path.dirname(target),
                            f".tori-{os.getpid()}.tmp")
        try:
            with open(part, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, target)
        except BaseException:
            if os.path.exists(part):
                os.unlink(part)
            raise
    except OSError as why:
        raise Failed(f"{path}: {why.strerror}") from None
