#!/usr/bin/env python3
"""Runs tori beside other simulators on this machine, in one go, and prints one table:
the work, the best processor time of each, and the ratio. The paths are options, or
the environment variables PYSS, RFOLD, SST, BOOKSIM and SIMGRID. Nothing is fetched.
Below the table is a line for each peer that is left out, and why: it has no path, or
has no work in common with tori here.

pyss (a checkout, with src/run_simulator.py) replays the first jobs of a log under
EASY; both programs read the log. It is written in Python 2. If there is no python2,
a copy is converted by lib2to3, which Python has up to 3.12, and runs with this
Python, without its assertions.

The status is 1 if a program fails, and 2 if nothing can be compared or a path that
was given is not there.
"""
import argparse
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LOGS = [("KTH", "KTH-SP2-1996-2.1-cln.swf", 100),
        ("NASA", "NASA-iPSC-1993-3.1-cln.swf", 128),
        ("SDSC", "SDSC-SP2-1998-4.2-cln.swf", 128),
        ("CTC", "CTC-SP2-1996-3.1-cln.swf", 338)]
PEERS = {
    "pyss": "a checkout of pyss, a simulator of schedulers",
    "rfold": "a folder with RFold's code",
    "sst": "the command of SST",
    "booksim": "the command of BookSim 2",
    "simgrid": "the folder of SimGrid",
}
COMMON = {
    "rfold": "'bench/rfold_starts.py BUILD DIR' compares it start by start",
    "sst": "its scheduler element reads logs of its own form",
    "booksim": "its packets come at a rate, those of 'tori net' from a pattern",
    "simgrid": "it is a library; a scheduler on it, Batsim, is a program apart",
}
CALL = ("import sys; sys.path.insert(0, '.'); import run_simulator; "
        "run_simulator.main()")


def spent(command, **options):
    """Seconds of processor time; None if it fails."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return None if child.returncode else usage.ru_utime + usage.ru_stime


def best(command, rounds, **options):
    """The least of some runs; None if one fails."""
    times = [spent(command, **options) for _ in range(rounds)]
    return None if None in times else min(times)


def row(work, name, theirs, ours):
    """Prints a row of the table."""
    def text(seconds):
        return "failed" if seconds is None else f"{seconds:.3f} s"
    ratio = (f"{theirs / max(ours, 0.001):.0f}"
             if theirs is not None and ours is not None else "")
    print(f"{work:<44} {name:<8} {text(theirs):>11} {text(ours):>11} "
          f"{ratio:>7}", flush=True)
    return theirs is not None and ours is not None


def prepare_pyss(checkout, folder):
    """A command that runs pyss in a copy, and the folder of the copy."""
    source = pathlib.Path(folder, "pyss")
    shutil.copytree(pathlib.Path(checkout, "src"), source)
    for old in ("python2.7", "python2"):
        # pyenv has commands of this name that only say what is not installed.
        if shutil.which(old) and spent([old, "-c", ""]) is not None:
            return [old, "-O", "-c", CALL], source
    for file in source.rglob("*.py"):
        text = file.read_text(errors="replace").expandtabs(8)
        file.write_text(text.replace(
            "def __cmp__(self, other):\n        return cmp(self._cmp_tuple, "
            "other._cmp_tuple)",
            "def __lt__(self, other):\n        return self._cmp_tuple < "
            "other._cmp_tuple\n    __hash__ = object.__hash__"))
    subprocess.run([sys.executable, "-W", "ignore", "-m", "lib2to3", "-w", "-n",
                    "--no-diffs", source], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return [sys.executable, "-O", "-W", "ignore", "-c", CALL], source


def first_jobs(path, n, target):
    """The header and the first jobs of a log, as a plain file."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", errors="replace") as log, open(
            target, "w", encoding="utf-8") as out:
        for line in log:
            if not line.startswith(";") and line.strip():
                n -= 1
            if n < 0:
                break
            out.write(line)


def find_logs(folder):
    """Names, paths and processors of the logs that are in a folder."""
    return [(name, path, nodes) for name, log, nodes in LOGS
            for path in [os.path.join(folder, log + end)
                         for end in ("", ".gz")
                         if os.path.isfile(os.path.join(folder, log + end))][:1]]


def run_pyss(args, folder):
    """Prints the rows of pyss. Whether all could be measured."""
    command, source = prepare_pyss(args.pyss, folder)
    measured = True
    for name, path, nodes in find_logs(args.traces):
        log = os.path.join(folder, name + ".swf")
        first_jobs(path, args.jobs, log)
        theirs = best([*command, f"--num-processors={nodes}",
                       f"--input-file={log}",
                       "--scheduler=EasyBackfillScheduler"], args.rounds,
                      cwd=source)
        ours = best([args.tori, "sim", "--machine", f"mesh:{nodes}", "--alloc",
                     "row-ff", "--sched", "easy", "--trace", log], args.rounds)
        measured &= row(f"EASY, {args.jobs} jobs of {name}", "pyss", theirs, ours)
    return measured


def why_not(args, name):
    """Why a peer is left out; None if it is compared."""
    if not getattr(args, name):
        return f"no path: --{name} or {name.upper()}"
    return COMMON.get(name)


def wrong_path(args):
    """A line about a path that was given and is not there, or None."""
    if not os.access(args.tori, os.X_OK) or os.path.isdir(args.tori):
        return f"there is no command '{args.tori}'"
    for name in PEERS:
        path = getattr(args, name)
        if path and not os.path.exists(path):
            return f"--{name}: there is no '{path}'"
    if args.pyss and not os.path.isfile(
            os.path.join(args.pyss, "src", "run_simulator.py")):
        return f"--pyss: no src/run_simulator.py in '{args.pyss}'"
    if args.traces and not os.path.isdir(args.traces):
        return f"--traces: there is no folder '{args.traces}'"
    return None


def parse_arguments():
    """The arguments, with paths that are there."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tori", metavar="TORI",
                        help="the command of tori, such as build/tori")
    for name, about in PEERS.items():
        parser.add_argument("--" + name, metavar="PATH",
                            default=os.environ.get(name.upper()),
                            help=f"{about} (default ${name.upper()})"
                            + ("; not compared" if name in COMMON else ""))
    parser.add_argument("--traces", metavar="FOLDER",
                        default=os.environ.get("TORI_TRACES", ""),
                        help="the folder of the job logs (default $TORI_TRACES): "
                        + ", ".join(log for _, log, _ in LOGS)
                        + ", also with .gz")
    parser.add_argument("--jobs", metavar="N", type=int, default=3000,
                        help="the first N jobs of each log (default 3000)")
    parser.add_argument("--rounds", metavar="N", type=int, default=2,
                        help="run every program N times (default 2)")
    args = parser.parse_args()
    if args.jobs < 1 or args.rounds < 1:
        parser.error("--jobs and --rounds: at least 1")
    args.tori = os.path.abspath(args.tori)
    wrong = wrong_path(args)
    if wrong:
        print(f"peers.py: {wrong}", file=sys.stderr)
        sys.exit(2)
    return args


def main():
    args = parse_arguments()
    left = {name: why_not(args, name) for name in PEERS}
    if not left["pyss"] and not find_logs(args.traces):
        left["pyss"] = (f"no job log in '{args.traces}'" if args.traces else
                        "no job logs: --traces or TORI_TRACES")
    measured = True
    if not left["pyss"]:
        print(f"{'work':<44} {'peer':<8} {'peer':>11} {'tori':>11} {'ratio':>7}")
        with tempfile.TemporaryDirectory(prefix="tori-peers-") as folder:
            measured = run_pyss(args, folder)
        print()
    for name, why in left.items():
        if why:
            print(f"{name} is left out: {why}")
    if left["pyss"]:
        print("peers.py: no peer can be compared", file=sys.stderr)
        return 2
    return 0 if measured else 1


if __name__ == "__main__":
    sys.exit(main())
