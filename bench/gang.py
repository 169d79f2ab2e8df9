#!/usr/bin/env python3
"""Usage: gang.py BUILD-DIRECTORY [--ranks N] [--repeat N]

What 'tori gang run' costs and what it is good for: how far apart the
processors of a gang are when they switch, what a switch takes, and what
becomes of a closely synchronised program (barrier.c) when two of them share
the processors in gangs, in turns of each processor's own, and with no turns.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS, WORK = 4000, 50  # of the program; microseconds between two meetings


def run(build, ranks, jobs, *options):
    """The rounds a second of all jobs together, and the report."""
    with tempfile.TemporaryDirectory(prefix="tori-gang-") as where:
        with open(f"{where}/jobs", "w", encoding="utf-8") as file:
            file.write(f"-n {ranks} {build}/bench/barrier {where}/meeting "
                       f"{ROUNDS} {WORK}\n" * jobs)
        done = subprocess.run(
            ["mpirun", "-n", str(ranks), f"{build}/tori", "gang", "run",
             "--jobs", f"{where}/jobs", "--report", f"{where}/report",
             *options], capture_output=True, text=True, check=True,
            timeout=600)
        with open(f"{where}/report", encoding="utf-8") as file:
            report = json.load(file)
    assert len(done.stdout.split()) == jobs, done
    begin = min(job["start"] for job in report["jobs"])
    end = max(job["finish"] for job in report["jobs"])
    return jobs * ROUNDS / (end - begin), report


def row(name, values):
    print(f"{name:34}" + "".join(f"{value:>12}" for value in values),
          flush=True)


def throughput(build, ranks, repeat):
    print(f"\n{ranks} ranks, {os.cpu_count()} cores; {ROUNDS} rounds of {WORK}"
          " microseconds; rounds a second of all jobs together, median and "
          "range")
    row("", ("median", "least", "most"))
    modes = [("one job, no turns", 1, "--turns", "none"),
             ("two jobs, no turns", 2, "--turns", "none")]
    for slot in ("100ms", "20ms"):
        modes.append((f"two jobs in gangs, {slot}", 2, "--slot", slot))
    for slot in ("20ms",):
        modes.append((f"two jobs, turns of its own, {slot}", 2, "--turns",
                      "local", "--slot", slot))
    # One after the other, so that a busy moment is not one of theirs alone.
    found = {name: [] for name, *_ in modes}
    for _ in range(repeat):
        for name, jobs, *options in modes:
            found[name].append(run(build, ranks, jobs, *options)[0])
    for name, rates in found.items():
        row(name, [f"{f(rates):.0f}" for f in (statistics.median, min, max)])


def switches(build, ranks):
    print(f"\n{ranks} ranks: a switch, in microseconds")
    for how in ("cgroup", "signal"):
        _, report = run(build, ranks, 2, "--slot", "20ms", "--freeze", how)
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
                ["mpirun", "-n", str(ranks), f"{build}/tori", "gang", "run",
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
        if "(tori-gang)" in text:
            total += sum(int(x) for x in text.rpartition(")")[2].split()[11:13])
    return total


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build")
    options.add_argument("--ranks", type=int, default=os.cpu_count())
    options.add_argument("--repeat", type=int, default=3)
    options = options.parse_args()
    build = os.path.abspath(options.build)
    throughput(build, options.ranks, options.repeat)
    switches(build, options.ranks)
    idle(build, options.ranks)
    return 0


sys.exit(main())
