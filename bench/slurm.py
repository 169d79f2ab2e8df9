#!/usr/bin/env python3
"""Usage: bench/slurm.py BUILD-DIRECTORY [--sides 4x4x4] [--jobs N] [--seed N]
       [--only NAME...]

The same jobs under tori and under stock Slurm, on a real cluster of this
machine whose nodes are a torus: how far apart the nodes of a job are, how many
jobs have a box, how long they wait. Then, on the idle cluster, how long one
job takes from submission to start, and how fast many are started.
"""
import itertools
import json
import os
import random
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "tests/system"))
# pylint: disable=wrong-import-position
from service import BUILD, Service, read, remove  # noqa: E402
from slurm_cluster import Cluster  # noqa: E402
from slurm_world import PROGRAM, spread  # noqa: E402


def option(name, otherwise):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv \
        else otherwise


SIDES = tuple(map(int, option("--sides", "4x4x4").split("x")))
NODES = SIDES[0] * SIDES[1] * SIDES[2]
JOBS, SEED = int(option("--jobs", 120)), int(option("--seed", 1))
MACHINE = "torus:" + "x".join(map(str, SIDES))

SCRIPT = """#!/bin/bash
echo "begin $1 $EPOCHREALTIME $SLURM_JOB_NODELIST" >> "$RUNS"
sleep "$2"
echo "end $1 $EPOCHREALTIME $SLURM_JOB_NODELIST" >> "$RUNS"
"""


# ---- the jobs ----

def shapes():
    """Those that fit, up to half of the machine; small ones more often."""
    found = [shape for shape in itertools.product(
        *(sorted({1, 2, side // 2, side}) for side in SIDES))
        if sorted(shape, reverse=True) == list(shape)
        and 2 <= shape[0] * shape[1] * shape[2] <= NODES // 2]
    return found, [1 / (a * b * c) ** 0.5 for a, b, c in found]


def stream():
    """When each comes, its shape, and how long it runs; nine tenths of the
    machine are asked for."""
    chance, jobs, now = random.Random(SEED), [], 0.0
    found, weights = shapes()
    for _ in range(JOBS):
        shape = chance.choices(found, weights)[0]
        size = shape[0] * shape[1] * shape[2]
        seconds = round(chance.uniform(3, 15), 1)
        jobs.append((now, shape, seconds))
        now += chance.expovariate(1) * size * seconds / (0.9 * NODES)
    return jobs


# ---- those that are compared ----

def tree():
    """Rows are switches, planes are switches of these."""
    row, lines, planes = SIDES[2], [], []
    for plane in range(SIDES[0]):
        rows = []
        for i in range(SIDES[1]):
            first = (plane * SIDES[1] + i) * row
            rows.append(f"r{first // row}")
            lines.append(f"SwitchName={rows[-1]} "
                         f"Nodes=n[{first}-{first + row - 1}]")
        planes.append(f"p{plane}")
        lines.append(f"SwitchName=p{plane} Switches={','.join(rows)}")
    lines.append(f"SwitchName=root Switches={','.join(planes)}")
    return "\n".join(lines) + "\n"


STOCK = {"SchedulerType": "sched/backfill",
         "SchedulerParameters": "batch_sched_delay=0,bf_interval=2"}
TORI = {"JobSubmitPlugins": "tori"}
KINDS = {  # what is asked for, settings of Slurm, a file beside slurm.conf,
           # and how torid is started
    "tori, boxes": ("tori:shape={}", TORI, {}, ()),
    "tori, boxes with mesh links": ("tori:shape={},wiring=mesh", TORI, {}, ()),
    "tori, boxes with torus links": ("tori:shape={},wiring=torus", TORI, {},
                                     ()),
    "tori, counts": (None, TORI, {}, ()),
    "tori, counts regard": (None, TORI, {}, ("--counts", "regard")),
    "Slurm, linear": (None, STOCK, {}, ()),
    "Slurm, topology/tree": (
        None, {**STOCK, "TopologyPlugin": "topology/tree"},
        {"topology.conf": tree()}, ())}


class Site:
    """A cluster, and torid if it places."""

    def __init__(self, kind):
        self.comment, options, beside, self.words = KINDS[kind]
        self.tori, self.service = options is TORI, None
        if self.tori:
            beside = {"tori.conf": f"partitions=mesh\nmachine={MACHINE}\n"}
        self.cluster = Cluster(
            NODES, options={**options, "MinJobAge": 3600}, beside=beside,
            plugins=os.path.join(BUILD, "src", "slurm"))

    def __enter__(self):
        self.cluster.__enter__()
        os.environ["SLURM_CONF"] = self.cluster.conf
        self.cluster.write("job.sh", SCRIPT)
        if self.tori:
            command = f"exec {PROGRAM} --machine {MACHINE} --nodes " \
                f"'n[0-{NODES - 1}]' --partitions mesh"
            self.service = Service(*self.words, machine=MACHINE,
                                   executor=lambda _: command)
        return self

    def __exit__(self, *more):
        if self.service:
            self.service.kill()
            remove(self.service.files)
        self.cluster.__exit__()

    def submit(self, name, shape, seconds):
        words = ["-N", str(shape[0] * shape[1] * shape[2])]
        if self.comment:
            words += ["--comment=" + self.comment.format(
                "x".join(map(str, shape)))]
        self.cluster.run(
            "env", f"RUNS={self.cluster.path('runs')}", "sbatch",
            "--parsable", "-t", "1", "-o", "/dev/null", "-J", str(name), *words,
            self.cluster.path("job.sh"), str(name), str(seconds))

    def lines(self, what):
        """When each began, or ended, and where."""
        found = {}
        for line in read(self.cluster.path("runs")).splitlines():
            kind, name, when, nodes = line.split()
            if kind == what:
                found[name] = (float(when), nodes)
        return found

    def wait(self, names):
        while not names <= self.lines("end").keys():
            time.sleep(0.2)


# ---- what is measured ----

def coordinates(name):
    number = int(name[1:])
    return (number // (SIDES[1] * SIDES[2]), number // SIDES[2] % SIDES[1],
            number % SIDES[2])


def hops(a, b):
    return sum(min((x - y) % side, (y - x) % side)
               for x, y, side in zip(a, b, SIDES))


def is_box(nodes):
    """Whether they are a box, which may wrap."""
    volume = 1
    for dim, side in enumerate(SIDES):
        used = sorted({node[dim] for node in nodes})
        gaps = [(b - a) % side or side
                for a, b in zip(used, used[1:] + used[:1])]
        if len([gap for gap in gaps if gap > 1]) > 1:
            return False
        volume *= len(used)
    return volume == len(nodes)


def replay(site, jobs):
    came, since = {}, time.time()
    for number, (at, shape, seconds) in enumerate(jobs):
        time.sleep(max(0, since + at - time.time()))
        came[str(number)] = time.time()
        site.submit(number, shape, seconds)
    site.wait(came.keys())
    begun, ended = site.lines("begin"), site.lines("end")
    waits = sorted(begun[name][0] - came[name] for name in came)
    means, boxes = [], 0
    for _, pattern in begun.values():
        nodes = [coordinates(name) for name in spread(pattern)]
        pairs = list(itertools.combinations(nodes, 2))
        means.append(sum(hops(a, b) for a, b in pairs) / len(pairs))
        boxes += is_box(nodes)
    return {"hops": statistics.mean(means), "boxes": boxes / len(begun),
            "makespan": max(end for end, _ in ended.values()) - since,
            "wait": statistics.mean(waits),
            "wait_p90": waits[int(0.9 * (len(waits) - 1))]}


def start_times(site):
    """One after the other, and as many as there are nodes at once."""
    took = []
    for i in range(5):
        came = time.time()
        site.submit(f"one{i}", (1, 1, 1), 0)
        site.wait({f"one{i}"})
        took.append(site.lines("begin")[f"one{i}"][0] - came)
    names = {f"all{i}" for i in range(32)}
    since = time.time()
    for name in sorted(names):
        site.submit(name, (1, 1, 1), 1)
    site.wait(names)
    last = max(site.lines("begin")[name][0] for name in names)
    return {"start": statistics.median(took), "rate": 32 / (last - since)}


def main():
    only = sys.argv[sys.argv.index("--only") + 1:] \
        if "--only" in sys.argv else KINDS
    for kind in KINDS:
        if kind in only:
            with Site(kind) as site:
                found = {**replay(site, stream()), **start_times(site)}
            print(json.dumps({"kind": kind, "machine": MACHINE, "jobs": JOBS,
                              "seed": SEED, **{key: round(value, 3) for
                                               key, value in found.items()}}),
                  flush=True)


if __name__ == "__main__":
    main()
