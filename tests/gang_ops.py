#!/usr/bin/env python3
"""Usage: gang_ops.py BUILD-DIRECTORY

'tori gang run' for who looks after it: its socket, its report, how it is
stopped, what it says when something is wrong. Under mpirun, with processes.
"""
import os
import signal
import socket
import subprocess
import sys

from gangrun import Run, equal, holds, tap

BUILD = os.path.abspath(sys.argv[1])
SLOT = ("--slot", "20ms")


def lines(text):
    """What tori itself says."""
    return [line for line in text.splitlines() if line.startswith("tori: ")]


def alone(run, *words, stdin=""):
    """Another run, in the files of the first, to its end."""
    done = subprocess.run(
        ["mpirun", "-n", "2", "tori", "gang", "run", *SLOT, *words],
        env=run.environment, cwd=run.files.name, text=True, input=stdin,
        capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def taken_place():
    """a socket of a run that listens is refused, one that is left replaced."""
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        equal(alone(run, "--listen", "socket"),
              (1, "", "tori: socket: another run listens there\n"))
        equal(run.job("echo", "here")[:2], (0, "here\n"))
    with Run(BUILD, *SLOT, ranks=2, before=leave_socket) as run:
        run.answers()
        equal(run.job("echo", "here")[:2], (0, "here\n"))


def leave_socket(files):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(os.path.join(files, "socket"))


def no_socket():
    """what is no socket is never replaced."""
    with Run(BUILD, *SLOT, jobs="true\n", ranks=1) as run:
        run.end()
        with open(run.path("thesis"), "w", encoding="utf-8") as file:
            file.write("years of work")
        os.symlink("nowhere", run.path("link"))
        for name in ("thesis", "link"):
            equal(alone(run, "--listen", name),
                  (1, "", f"tori: {name}: is there already, and is no "
                   "socket\n"))
        with open(run.path("thesis"), encoding="utf-8") as file:
            equal(file.read(), "years of work")
        equal(alone(run, "--listen", "no/where")[0], 1)


def killed_first():
    """a first rank that is killed leaves no socket."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        os.kill(run.ranks()[0], signal.SIGKILL)
        equal(run.end()[0], 1)
        holds(not os.path.exists(run.path("socket")), "the socket is left")


def report_first():
    """a report that cannot be written: status 1, and nothing runs."""
    with Run(BUILD, *SLOT, "--report", "no/report", jobs="echo ran\n") as run:
        equal(run.end(), (1, "", "tori: no/report: No such file or directory"
                          "\n"))


def report_last():
    """a report that fails at the end: status 1, one line."""
    with Run(BUILD, *SLOT, "--report", "folder/report", ranks=2,
             jobs="-t 0.2 rm -r folder\n",
             before=lambda files: os.mkdir(files + "/folder")) as run:
        status, out, err = run.end()
        equal((status, out), (1, ""))
        equal(len(lines(err)), 1)
        holds("tori: folder/report: " in err, err)


def said_once():
    """what is wrong with the options is said once, however many ranks."""
    with Run(BUILD, *SLOT, jobs="true\n", ranks=1) as run:
        run.end()
        for words in (("--no-such-option",), ("--jobs",), (),
                      ("--slot", "1us", "--jobs", "jobs"),
                      ("--machine", "mesh:5", "--jobs", "jobs")):
            status, out, err = alone(run, *words)
            equal((status, out, len(lines(err))), (2, "", 1))
        status, out, err = alone(run, "--help")
        equal((status, out.count("Usage:"), err), (0, 1, ""))


def no_jobs():
    """a file without jobs is an error; standard input is '-'."""
    with Run(BUILD, *SLOT, jobs="# none yet\n", ranks=2) as run:
        equal(run.end(), (2, "", "tori: jobs: no job; expected [-n COUNT] "
                          "PROGRAM [ARGUMENT...] a line\n"))
        equal(alone(run, "--jobs", "-", stdin="echo from a pipe\n"),
              (0, "from a pipe\n", ""))


sys.exit(tap([taken_place, no_socket, killed_first, report_first, report_last,
              said_once, no_jobs]))
