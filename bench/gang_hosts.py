#!/usr/bin/env python3
"""Usage: gang_hosts.py BUILD-DIRECTORY [--hosts N,N...] [--seconds X]
                     [--slot TIME] [--repeat N] [--quick]

Several MPI programs that share hosts: a stencil, an all-to-all and a
reduction (mpi_work.c), each on all hosts, and a short one that comes a little
later. They share them in gangs ('tori gang run'), all at once with no
coordination (mpirun), and one after another (mpirun). For each way: the time
until all are done, and the work per time beside one after another; the
processor time that they use, and the work per second of that, beside the same;
how long the short one takes from when it came; how much longer the long ones
take than alone. For gangs also what a switch takes: how far apart the hosts stop and
continue a job, and what that costs on a host.

The hosts are network namespaces of this machine (tests/system/hosts.py) and share
its cores. Medians of the repetitions; in each, every way has one run, in an
order that changes. Ratios are of runs of the same repetition. On a machine with
other work the time until all are done says little, as who has more processes
gets more of the cores; the work per second of processor time says more.
"""
import argparse
import concurrent.futures
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "tests/system"))
# pylint: disable=wrong-import-position
import hosts as world  # noqa: E402
from gangrun import Run  # noqa: E402

LONG = ("stencil", "alltoall", "reduce")
SHORT = "short"
LIMIT = 900  # seconds until a run is given up


def words_of(setup, job):
    kind = "reduce" if job == SHORT else job
    return [f"{setup.build}/bench/mpi_work", kind, str(setup.rounds[job])]


def by_mpirun(setup, them, job):
    """A job by mpirun; what it prints."""
    return subprocess.run(
        them.mpirun(them.n) + words_of(setup, job), check=True, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        timeout=LIMIT).stdout


def by_gang(run, setup, them, job):
    status, out, err = run.job("-n", str(them.n), *words_of(setup, job),
                               timeout=LIMIT)
    assert status == 0, (job, status, out, err)


def arrivals(setup):
    return {**dict.fromkeys(LONG, 0), SHORT: setup.after}


def at_once(setup, start):
    """Start each job when it comes; how long each took from then on."""
    begin = time.monotonic()

    def live(item):
        job, comes = item
        time.sleep(max(0, begin + comes - time.monotonic()))
        start(job)
        return job, time.monotonic() - begin - comes
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return dict(pool.map(live, arrivals(setup).items()))


# ---- the ways ----

def in_gangs(setup, them):
    with Run(setup.build, "--slot", setup.slot, "--report", "report",
             launch=them.mpirun(them.n)) as run:
        run.listens()
        took = at_once(setup, lambda job: by_gang(run, setup, them, job))
        run.job(command="stop")
        run.end()
        with open(run.path("report"), encoding="utf-8") as file:
            report = json.load(file)
    return (took, sum(job["cpu"] for job in report["jobs"]),
            report["microseconds"])


def used():
    """Processor time of all commands that have ended."""
    of = resource.getrusage(resource.RUSAGE_CHILDREN)
    return of.ru_utime + of.ru_stime


def uncoordinated(setup, them):
    before = used()
    took = at_once(setup, lambda job: by_mpirun(setup, them, job))
    return took, used() - before, None


def one_by_one(setup, them):
    begin, before, took = time.monotonic(), used(), {}
    for job, comes in arrivals(setup).items():
        by_mpirun(setup, them, job)
        took[job] = time.monotonic() - begin - comes
    return took, used() - before, None


WAYS = {"in gangs": in_gangs, "all at once": uncoordinated,
        "one after another": one_by_one}


# ---- the measurement ----

def alone(setup, them, job):
    begin = time.monotonic()
    by_mpirun(setup, them, job)
    return time.monotonic() - begin


def calibrate(setup, them):
    """So many rounds of each job that it takes the time that it should."""
    for job in LONG + (SHORT,):
        want = setup.short if job == SHORT else setup.seconds
        setup.rounds[job] = 10
        took = float(by_mpirun(setup, them, job))
        while took < want / 4 and setup.rounds[job] < 1 << 24:
            setup.rounds[job] = int(setup.rounds[job] * max(
                2, min(50, want / 3 / took)))
            took = float(by_mpirun(setup, them, job))
        setup.rounds[job] = max(1, round(setup.rounds[job] * want / took))


def figures(setup, single, took, cpu, switch):
    ends = [took[job] + comes for job, comes in arrivals(setup).items()]
    slower = [took[job] / single[job] for job in LONG]
    found = {"all": max(ends), "cpu": cpu, "short": took[SHORT],
             "mean": statistics.mean(slower), "worst": max(slower)}
    for name in ("stop_skew", "continue_skew", "stop_cost", "continue_cost"):
        for key in ("p50", "p99") if switch else ():
            found[f"{name} {key}"] = switch[name][key]
    return found


def measure(setup, n, shuffle):
    """Figures of each way, by repetition."""
    found = {name: [] for name in WAYS}
    with world.Hosts([7 * i % 50 for i in range(n)]) as them:
        calibrate(setup, them)
        order = list(WAYS)
        for _ in range(setup.repeat):
            single = {job: alone(setup, them, job) for job in LONG}
            shuffle.shuffle(order)
            for name in order:
                found[name].append(figures(setup, single,
                                           *WAYS[name](setup, them)))
    for i, last in enumerate(found["one after another"]):
        for runs in found.values():
            runs[i]["rate"] = last["all"] / runs[i]["all"]
            runs[i]["yield"] = last["cpu"] / runs[i]["cpu"]
    return found


COLUMNS = (("all", "all done, s", 1), ("rate", "throughput", 2),
           ("cpu", "cores, s", 1), ("yield", "per core s", 2),
           ("short", "short job, s", 2), ("mean", "long ones: x", 2),
           ("worst", "worst: x", 2), ("stop_skew p50", "stop skew", 0),
           ("stop_skew p99", "p99", 0), ("continue_skew p50", "cont. skew", 0),
           ("continue_skew p99", "p99", 0), ("stop_cost p50", "stop cost", 0),
           ("continue_cost p50", "cont. cost", 0))


def row(*cells):
    print("| " + " | ".join(f"{cell:>{max(10, 17 * (i == 1))}}"
                            for i, cell in enumerate(cells)) + " |",
          flush=True)


def show(n, found):
    for name, runs in found.items():
        row(n, name, *(
            f"{statistics.median(r[key] for r in runs):.{digits}f}"
            if key in runs[0] else "" for key, _, digits in COLUMNS))


def options():
    known = argparse.ArgumentParser(
        usage=__doc__.split("\n\n", maxsplit=1)[0][7:])
    known.add_argument("build", type=os.path.abspath)
    known.add_argument("--hosts", default=None)
    known.add_argument("--seconds", type=float, default=None)
    known.add_argument("--slot", default="100ms")
    known.add_argument("--repeat", type=int, default=None)
    known.add_argument("--quick", action="store_true")
    setup = known.parse_args()
    quick = setup.quick
    setup.hosts = [int(n) for n in
                   (setup.hosts or ("2,4" if quick else "2,4,8,16")).split(",")]
    setup.seconds = setup.seconds or (0.7 if quick else 4)
    setup.repeat = setup.repeat or (1 if quick else 3)
    setup.short, setup.after = setup.seconds / 8, setup.seconds / 4
    setup.rounds = {}
    return setup


def main():
    setup = options()
    if world.missing():
        sys.exit(f"gang_hosts.py: {world.missing()}")
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, which all hosts share; load average "
          f"before this {load:.1f}; 3 long jobs of {setup.seconds:g} s alone, "
          f"one of {setup.short:g} s that comes after {setup.after:g} s; slots "
          f"of {setup.slot}; medians of {setup.repeat}; skew and cost in "
          "microseconds\n")
    row("hosts", "jobs run", *(name for _, name, _ in COLUMNS))
    row(*["--:"] * (2 + len(COLUMNS)))
    shuffle = random.Random(1995)
    for n in setup.hosts:
        show(n, measure(setup, n, shuffle))
    return 0


sys.exit(main())
