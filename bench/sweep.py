#!/usr/bin/env python3
"""Usage: sweep.py TORI [--rounds N]

How much faster 'tori sweep' is with two workers than with one, on a grid of
short cells, on one of long ones, and on one where a few cells take most of the
time. Both run in every round, in turns, since a machine is seldom idle; shown
is the best of each. Beside the time that passed is the processor time: where
it is less than the time (of one worker) or than twice the time (of two), the
processors were not all ours, and more rounds are needed. Waits are how often
one of two workers gave up its processor, for the other or for the disk.
"""
import argparse
import os
import resource
import subprocess
import tempfile
import time

MODEL = ["--machine", "torus:8x8x8", "--load", "0.5:0.9:0.2"]
GRIDS = {
    "short": [*MODEL, "--jobs", "500", "--sched", "fcfs,easy,conservative",
              "--seeds", "60"],
    "long": [*MODEL, "--jobs", "10000", "--sched", "fcfs,easy,backfill",
             "--seeds", "4"],
    "uneven": ["--machine", "torus:8x8x8", "--jobs", "400", "--load",
               "0.5:1.1:0.1", "--alloc", "first-fit,hilbert-bf,mm", "--sched",
               "fcfs,easy"],
}


def measure(tori, grid, workers):
    """Seconds that passed, seconds of processors, and how often a thread had
    to wait."""
    with tempfile.TemporaryDirectory(prefix="tori-sweep-") as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.monotonic()
        subprocess.run([tori, "sweep", *grid, "-j", str(workers), "--out",
                        os.path.join(folder, "out")], check=True,
                       stdout=subprocess.DEVNULL)
        passed = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (passed, after.ru_utime + after.ru_stime - before.ru_utime
            - before.ru_stime, after.ru_nvcsw - before.ru_nvcsw)


def compare(tori, grid, rounds):
    took = {1: [], 2: []}
    for i in range(rounds):
        for workers in (1, 2) if i % 2 == 0 else (2, 1):
            took[workers].append(measure(tori, grid, workers))
    one, two = min(took[1]), min(took[2])
    return [*one[:2], *two, one[0] / two[0]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tori")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    print(f"# {os.cpu_count()} processors, load average "
          f"{os.getloadavg()[0]:.1f}; {args.rounds} rounds")
    print("cells    -j 1, s  processor, s  -j 2, s  processor, s  waits  "
          "ratio  goal")
    for name, grid in GRIDS.items():
        row = compare(args.tori, grid, args.rounds)
        print("{:7} {:8.2f} {:13.2f} {:8.2f} {:13.2f} {:6} {:6.2f}   1.8"
              .format(name, *row), flush=True)


main()
