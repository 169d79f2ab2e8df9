#!/usr/bin/env python3
"""Usage: peers.py TORI [--pyss DIR] [--rfold DIR] [--sst PROGRAM]
                [--booksim PROGRAM] [--simgrid PROGRAM] [--traces FOLDER]
                [--jobs N] [--rounds N]

Runs tori beside other simulators on this machine, in one go, and prints one table:
the work, the best processor time of each, and the ratio. The paths are options, or
the environment variables PYSS, RFOLD, SST, BOOKSIM and SIMGRID. Nothing is fetched.
What is missing, or has no work in common with tori here, is named below the table.

pyss (a checkout, with src/run_simulator.py) replays the first N jobs of a log under
EASY; both programs read the log. It is written in Python 2. If there is no python2,
a copy is converted by lib2to3, which Python has up to 3.12, and runs with this
Python, without its assertions.
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
        ("SDSC", "SDSC-SP2-1998-4.2-cln.swf", 128)]
PEERS = ["pyss", "rfold", "sst", "booksim", "simgrid"]
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
    old = shutil.which("python2.7") or shutil.which("python2")
    if old:
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


def run_pyss(args, checkout, folder):
    """Rows of pyss; None and why if it cannot run."""
    if not os.path.exists(os.path.join(checkout, "src", "run_simulator.py")):
        return f"pyss: no src/run_simulator.py in {checkout}"
    found = [(name, path, nodes) for name, log, nodes in LOGS
             for path in (os.path.join(args.traces, log + end)
                          for end in ("", ".gz"))
             if args.traces and os.path.exists(path)]
    if not found:
        return "pyss: no job log in --traces"
    command, source = prepare_pyss(checkout, folder)
    for name, path, nodes in found:
        log = os.path.join(folder, name + ".swf")
        first_jobs(path, args.jobs, log)
        theirs = best([*command, f"--num-processors={nodes}",
                       f"--input-file={log}",
                       "--scheduler=EasyBackfillScheduler"], args.rounds,
                      cwd=source)
        ours = best([args.tori, "sim", "--machine", f"mesh:{nodes}", "--alloc",
                     "row-ff", "--sched", "easy", "--trace", log], args.rounds)
        row(f"EASY, {args.jobs} jobs of {name}", "pyss", theirs, ours)
    return None


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 1)[0][7:])
    parser.add_argument("tori")
    for name in PEERS:
        parser.add_argument("--" + name, default=os.environ.get(name.upper()))
    parser.add_argument("--traces", default=os.environ.get("TORI_TRACES", ""))
    parser.add_argument("--jobs", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    args.tori = os.path.abspath(args.tori)
    missing = []
    print(f"{'work':<44} {'peer':<8} {'peer':>11} {'tori':>11} {'ratio':>7}")
    with tempfile.TemporaryDirectory(prefix="tori-peers-") as folder:
        for name in PEERS:
            path = getattr(args, name)
            if not path:
                missing.append(f"{name}: no path (--{name} or {name.upper()})")
            elif name in COMMON:
                missing.append(f"{name}: not compared: {COMMON[name]}")
            else:
                why = run_pyss(args, path, folder)
                missing += [why] if why else []
    print("\n".join(["", *missing]) if missing else "", end="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
