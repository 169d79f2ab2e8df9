#!/usr/bin/env python3
"""Usage: gang.py BUILD-DIRECTORY [--ranks N] [--repeat N] [--seconds X]

What 'tori gang run' costs and what it is good for: how far apart the
processors of a gang are when they switch, what a switch takes, and what
becomes of a closely synchronised program (barrier.c) when two of them share
the processors in gangs, in turns of each processor's own, and with no turns.

A machine is seldom idle. So every variant has a short run in each of many
repetitions, in an order that changes, and what is compared are runs of the
same repetition. Besides rounds a second there are rounds a second of processor
time that the jobs used: other work takes processors away, but does not change
what a job makes of those it gets, unless it takes one of a gang alone. Shown
are medians, with the interval that holds the true median with 95 %, whatever
the distribution is (of order statistics, by the binomial distribution).
"""
import argparse
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MPIRUN = shutil.which("mpirun.mpich") or "mpirun"
WORK = 50  # microseconds between two meetings


def run(setup, jobs, *options, seconds=None):
    """The rounds of all jobs together, and the report."""
    build, ranks, steps = setup.build, setup.ranks, setup.steps
    length = int(1000 * (seconds or setup.seconds))
    with tempfile.TemporaryDirectory(prefix="tori-gang-") as where:
        with open(f"{where}/jobs", "w", encoding="utf-8") as file:
            file.write(f"-n {ranks} {build}/bench/barrier {where}/meeting "
                       f"{length} {steps}\n" * jobs)
        done = subprocess.run(
            [MPIRUN, "-n", str(ranks), f"{build}/tori", "gang", "run",
             "--jobs", f"{where}/jobs", "--report", f"{where}/report",
             *options], capture_output=True, text=True, check=True,
            timeout=600)
        with open(f"{where}/report", encoding="utf-8") as file:
            report = json.load(file)
    rounds = [int(line) for line in done.stdout.split()]
    assert len(rounds) == jobs, done
    return sum(rounds), report


def busy():
    """Seconds of processor time that all of the machine has used."""
    with open("/proc/stat", encoding="utf-8") as file:
        user, nice, system, _, _, irq, soft = (
            int(x) for x in file.readline().split()[1:8])
    return (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK")


def sample(setup, jobs, options):
    """Measures of one run: rounds a second, rounds a second of processor time, the
    cores that its jobs had and those that all else had."""
    before, begin = busy(), time.monotonic()
    rounds, report = run(setup, jobs, *options)
    took, used = time.monotonic() - begin, busy() - before
    cpu = sum(job["cpu"] for job in report["jobs"])
    wall = (max(job["finish"] for job in report["jobs"])
            - min(job["start"] for job in report["jobs"]))
    return {"rate": rounds / wall, "yield": rounds / cpu, "had": cpu / wall,
            "others": max(0, used - cpu) / took}


def interval(values):
    """The order statistics between which the median is, with 95 % at least;
    the ends, if there are too few."""
    values, n, k = sorted(values), len(values), 0
    below = 1 / 2 ** n
    while below + math.comb(n, k + 1) / 2 ** n <= 0.025:
        k += 1
        below += math.comb(n, k) / 2 ** n
    return values[k], values[n - 1 - k]


def row(name, values, width=12):
    print(f"{name:36}" + "".join(f"{value:>{width}}" for value in values),
          flush=True)


def with_interval(values, digits):
    low, high = interval(values)
    return (f"{statistics.median(values):.{digits}f} "
            f"({low:.{digits}f} to {high:.{digits}f})")


BASE = "two jobs, no turns"
VARIANTS = {
    "one job, no turns": (1, "--turns", "none"),
    "two jobs in gangs, 20ms": (2, "--slot", "20ms"),
    "two jobs in gangs, 100ms": (2, "--slot", "100ms"),
    "two jobs, turns of its own, 20ms": (2, "--turns", "local", "--slot",
                                         "20ms"),
    BASE: (2, "--turns", "none"),
}


def throughput(setup):
    order, shuffle = list(VARIANTS), random.Random(1995)
    found = {name: [] for name in VARIANTS}
    loads = [os.getloadavg()[0]]
    for _ in range(setup.repeat):
        shuffle.shuffle(order)
        for name in order:
            jobs, *options = VARIANTS[name]
            found[name].append(sample(setup, jobs, options))
        loads.append(os.getloadavg()[0])
    print(f"\n{setup.ranks} ranks, {os.cpu_count()} cores; rounds of {WORK} "
          f"microseconds; {setup.repeat} runs of {setup.seconds:g} s each; "
          f"load average (this one included) {min(loads):.1f} to "
          f"{max(loads):.1f}; medians, 95 % intervals of them")
    row("", ("rounds a second", "a second of processor time", "cores had",
             "by others"), 28)
    for name, runs in found.items():
        row(name, [with_interval([x[key] for x in runs], digits)
                   for key, digits in (("rate", 0), ("yield", 0), ("had", 2),
                                       ("others", 2))], 28)
    compare(found)


def compare(found):
    """By runs of the same repetition."""
    print(f"\nover '{BASE}' of the same repetition: medians, 95 % intervals, "
          "and in how many it is more")
    row("", ("rounds a second", "more in", "a second of processor time",
             "more in"), 28)
    for name, runs in found.items():
        cells = []
        for key in ("rate", "yield"):
            ratios = [x[key] / y[key] for x, y in zip(runs, found[BASE])]
            cells += [with_interval(ratios, 2), f"{sum(r > 1 for r in ratios)}"
                      f" of {len(ratios)}"]
        if name != BASE:
            row(name, cells, 28)


def switches(setup):
    print(f"\n{setup.ranks} ranks: a switch, in microseconds")
    for how in ("cgroup", "signal"):
        _, report = run(setup, 2, "--slot", "20ms", "--freeze", how,
                        seconds=4)
        print(f"by {how}, {report['switches']} turns begun")
        row("", ("n", "mean", "p50", "p99", "max"))
        for name, found in report["microseconds"].items():
            if found["n"]:
                row(name, [found["n"]] + [f"{found[k]:.0f}" for k in
                                          ("mean", "p50", "p99", "max")])


def idle(build, ranks):
    """Processor time of a run that waits for jobs."""
    with tempfile.TemporaryDirectory(prefix="tori-gang-") as where:
        with subprocess.Popen(
                [MPIRUN, "-n", str(ranks), f"{build}/tori", "gang", "run",
                 "--listen", f"{where}/socket"]) as mpirun:
            while not os.path.exists(f"{where}/socket"):
                time.sleep(0.05)
            begin, after = ticks(), 10
            time.sleep(after)
            used = ticks() - begin
            mpirun.terminate()
    print(f"\n{ranks} idle ranks use {used * 10:.0f} milliseconds of "
          f"processor time in {after} seconds")


def ticks():
    total = 0
    for pid in os.listdir("/proc"):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                text = file.read()
        except (OSError, ValueError):
            continue
        if text.partition("(")[2].startswith(
                ("tori-keeper)", "tori-rank)", "tori-warden)")):
            total += sum(int(x) for x in text.rpartition(")")[2].split()[11:13])
    return total


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build", type=os.path.abspath)
    options.add_argument("--ranks", type=int, default=os.cpu_count())
    options.add_argument("--repeat", type=int, default=15)
    options.add_argument("--seconds", type=float, default=2)
    setup = options.parse_args()
    setup.steps = WORK * int(subprocess.run(
        [f"{setup.build}/bench/barrier"], capture_output=True, text=True,
        check=True).stdout)
    throughput(setup)
    switches(setup)
    idle(setup.build, setup.ranks)
    return 0


sys.exit(main())
