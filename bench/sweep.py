#!/usr/bin/env python3
"""Usage: sweep.py TORI [--rounds N]

How much faster 'tori sweep' is with two workers than with one, on a grid of
short cells, on one of long ones, and on one where a few cells take most of the
time. Both run in every round, in turns, since a machine is seldom idle; shown
are medians. Beside the time that passed is the processor time, which other
work changes little: if it is the same, two workers only share the work, and
two free processors do it in half the time.
"""
import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time

MODEL = ["--machine", "torus:8x8x8", "--load", "0.5:0.9:0.2"]
GRIDS = {
    "short": [*MODEL, "--jobs", "100", "--sched", "fcfs,easy,conservative",
              "--seeds", "200"],
    "long": [*MODEL, "--jobs", "8000", "--sched", "fcfs,easy,backfill",
             "--seeds", "4"],
    "uneven": ["--machine", "torus:8x8x8", "--jobs", "400", "--load",
               "0.5:1.1:0.1", "--alloc", "first-fit,hilbert-bf,mm", "--sched",
               "fcfs,easy"],
}


def measure(tori, grid, workers):
    """Seconds that passed, and seconds of processors."""
    with tempfile.TemporaryDirectory(prefix="tori-sweep-") as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        subprocess.run([tori, "sweep", *grid, "-j", str(workers), "--out",
                        os.path.join(folder, "out")], check=True,
                       stdout=subprocess.DEVNULL)
        passed = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return passed, (after.ru_utime + after.ru_stime - before.ru_utime
                    - before.ru_stime)


def compare(tori, grid, rounds):
    took = {1: [], 2: []}
    for i in range(rounds):
        for workers in (1, 2) if i % 2 == 0 else (2, 1):
            took[workers].append(measure(tori, grid, workers))
    ratio = [one[0] / two[0] for one, two in zip(took[1], took[2])]
    return [statistics.median(run[part] for run in took[workers])
            for workers in took for part in (0, 1)] + [
                statistics.median(ratio)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tori")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    print(f"# {os.cpu_count()} processors, load average "
          f"{os.getloadavg()[0]:.1f}; {args.rounds} rounds")
    print("cells    -j 1, s  processor, s  -j 2, s  processor, s  ratio  goal")
    for name, grid in GRIDS.items():
        row = compare(args.tori, grid, args.rounds)
        print("{:7} {:8.2f} {:13.2f} {:8.2f} {:13.2f} {:6.2f}   1.8".format(
            name, *row), flush=True)


main()
