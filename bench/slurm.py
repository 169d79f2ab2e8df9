#!/usr/bin/env python3
"""Usage: bench/slurm.py BUILD-DIRECTORY [--sides 4x4x4] [--sizes two|mixed]
       [--jobs N] [--seconds A-B] [--load X] [--seeds A,B,...]
       [--odd SIZE,...] [--late SECONDS] [--table] [--starts] [--all]
       [--only NAME...]

The same jobs under tori, under stock Slurm and under topology/torus3d (Slurm
26.05 and later: tests/system/slurm_suite sid python3 bench/slurm.py ...), on a
real cluster of this machine whose nodes are a torus: how far apart the nodes of
a job are, how many jobs have a box, how long they wait, the processor time of
slurmctld, torid and tori-slurm together, and which sizes are refused. A line of
JSON for each run; with --table, then a table with means and 95 % intervals over
the seeds, and, for each that is compared, its difference from "torus3d, every
box" on the same streams. With --odd, the stream also has jobs of these sizes. A
run in which the machine was so busy with other things that a job was submitted
--late seconds (1) after its time is repeated, three times at most. With
--starts also, on the idle cluster, how long one job takes from submission to
start, and how fast many are started. With --all, both kinds of sizes on 4x4x4,
then what has boxes on 8x8x8: writes doc/slurm-compare.json and the tables of the
page.
"""
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "tests/system"))
# pylint: disable=wrong-import-position
from figures import cell, render, write  # noqa: E402
from service import BUILD, Service, read, remove  # noqa: E402
from slurm_cluster import Cluster, version  # noqa: E402
from slurm_world import PROGRAM, spread  # noqa: E402


def option(name, otherwise):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv \
        else otherwise


SIDES = tuple(map(int, option("--sides", "4x4x4").split("x")))
NODES = SIDES[0] * SIDES[1] * SIDES[2]
JOBS, LOAD = int(option("--jobs", 50)), float(option("--load", 0.9))
SEEDS = list(map(int, option("--seeds", "1,2,3").split(",")))
LEAST, MOST = map(float, option("--seconds", "2-7").split("-"))
ODD = [int(size) for size in option("--odd", "").split(",") if size]
LATE, TRIES = float(option("--late", 1)), 3
NAMES = {"mixed": "mixed sizes", "two": "powers of two"}
MIXED = (2, 3, 6, 8, 9, 12, 16, 18, 24, 48)
MACHINE = "torus:" + "x".join(map(str, SIDES))

SCRIPT = """#!/bin/bash
echo "begin $1 $EPOCHREALTIME $SLURM_JOB_NODELIST" >> "$RUNS"
sleep "$2"
echo "end $1 $EPOCHREALTIME $SLURM_JOB_NODELIST" >> "$RUNS"
"""


# ---- the jobs ----

def boxes(size):
    """All that have so many nodes, the most compact first."""
    found = [shape for shape in itertools.product(
        *(range(1, side + 1) for side in SIDES))
        if shape[0] * shape[1] * shape[2] == size]
    return sorted(found, key=lambda shape: (sum(shape), shape))


def sizes():
    """Powers of two up to half of the machine, or a mixture; topology.yaml has
    boxes of these."""
    if option("--sizes", "mixed") == "mixed":
        return [size * NODES // 64 if NODES > 64 and size >= 16 else size
                for size in MIXED]
    return [2 ** i for i in range(1, NODES.bit_length() - 1)]


def stream(seed):
    """When each comes, its size, and how long it runs; small ones are more
    frequent. All together ask for LOAD of the machine."""
    chance, jobs, now = random.Random(seed), [], 0.0
    found = sizes() + ODD
    for _ in range(JOBS):
        size = chance.choices(found, [size ** -0.5 for size in found])[0]
        seconds = round(chance.uniform(LEAST, MOST), 1)
        jobs.append((now, size, seconds))
        now += chance.expovariate(1) * size * seconds / (LOAD * NODES)
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


def torus(aligned):
    """A topology.yaml with every box of these sizes, in all rotations, at its
    multiples or anywhere."""
    names = subprocess.run(
        [f"{BUILD}/tori", "slurm", "topology", "--machine", MACHINE, "--nodes",
         f"n[0-{NODES - 1}]", *(
             word for size in sizes() + [1] for shape in boxes(size)
             for word in ("--placement", "x".join(map(str, shape))
                          + ("" if aligned else ":1x1x1")))],
        text=True, check=True, stdout=subprocess.PIPE).stdout
    return {"topology.yaml": names}


STOCK = {"SchedulerType": "sched/backfill",
         "SchedulerParameters": "batch_sched_delay=0,bf_interval=2"}
TORUS = {**STOCK, "TopologyPlugin": "topology/torus3d"}
TORI = {"JobSubmitPlugins": "tori", "JobCompType": "jobcomp/tori"}
KINDS = {  # settings of Slurm, files beside slurm.conf, what else tori.conf
           # says, and how torid is started
    "torus3d, aligned": (TORUS, lambda: torus(True), None, ()),
    "torus3d, every box": (TORUS, lambda: torus(False), None, ()),
    "tori, compact boxes": (TORI, dict, "shapes=compact\n", ()),
    "tori, one compact box": (TORI, dict, "shapes=compact\nor=none\n", ()),
    "tori, compact boxes, conservative": (
        TORI, dict, "shapes=compact\n",
        ("--sched", "conservative", "--alloc", "best-fit")),
    "tori, boxes with mesh links": (
        TORI, dict, "shapes=compact\nwiring=mesh\n", ()),
    "tori, boxes for 5 s, then counts": (TORI, dict, "", ()),
    "tori, counts regard": (TORI, dict, "", ("--counts", "regard")),
    "Slurm, linear": (STOCK, dict, None, ()),
    "Slurm, topology/tree": (
        {**STOCK, "TopologyPlugin": "topology/tree"},
        lambda: {"topology.conf": tree()}, None, ())}
RIVAL = "torus3d, every box"
PATIENT = "tori, boxes for 5 s, then counts"


def spent(pid):
    """The processor time of a process so far, in seconds."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return list(map(int, file.read().split()))


class Site:
    """A cluster, and torid if it places."""

    def __init__(self, kind):
        options, beside, conf, self.words = KINDS[kind]
        self.kind, self.service, self.conf = kind, None, conf
        beside = beside()
        if conf is not None:
            beside = {"tori.conf": f"partitions=mesh\nmachine={MACHINE}\n"
                                   + conf}
        self.cluster = Cluster(
            NODES, options={**options, "MinJobAge": 3600}, beside=beside,
            plugins=os.path.join(BUILD, "src", "slurm"))

    def __enter__(self):
        self.cluster.__enter__()
        os.environ["SLURM_CONF"] = self.cluster.conf
        self.cluster.write("job.sh", SCRIPT)
        if self.conf is not None:
            command = f"exec {PROGRAM} --conf {self.cluster.path('tori.conf')}" \
                f" --nodes 'n[0-{NODES - 1}]'"
            self.service = Service(*self.words, machine=MACHINE,
                                   executor=lambda _: command)
        return self

    def __exit__(self, *more):
        if self.service:
            self.service.kill()
            remove(self.service.files)
        self.cluster.__exit__()

    def spent(self):
        """The processor time of each of those that place jobs."""
        pids = {"slurmctld": [self.cluster.pids["slurmctld"]]}
        if self.service:
            torid = self.service.process.pid
            pids.update(torid=[torid], bridge=children(torid))
        return {name: sum(map(spent, each)) for name, each in pids.items()}

    def submit(self, name, size, seconds):
        """Whether the job is accepted."""
        words = ["-N", str(size)]
        if self.kind == PATIENT and size > 1 and boxes(size):
            words += ["--comment=tori:shape=" + "x".join(
                map(str, boxes(size)[0])) + f"@5s,count={size}"]
        return self.cluster.call(
            "env", f"RUNS={self.cluster.path('runs')}", "sbatch",
            "--parsable", "-t", "1", "-o", "/dev/null", "-J", str(name), *words,
            self.cluster.path("job.sh"), str(name), str(seconds)).returncode == 0

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
    came, refused, since, late = {}, set(), time.time(), 0
    before = site.spent()
    for number, (at, size, seconds) in enumerate(jobs):
        time.sleep(max(0, since + at - time.time()))
        when = time.time()
        late = max(late, when - since - at)
        if site.submit(number, size, seconds):
            came[str(number)] = when
        else:
            refused.add(size)
    site.wait(came.keys())
    after = site.spent()
    begun, ended = site.lines("begin"), site.lines("end")
    waits = sorted(begun[name][0] - came[name] for name in came)
    means, in_box = [], 0
    for _, pattern in begun.values():
        nodes = [coordinates(name) for name in spread(pattern)]
        pairs = list(itertools.combinations(nodes, 2))
        means.append(sum(hops(a, b) for a, b in pairs) / len(pairs))
        in_box += is_box(nodes)
    return {"hops": statistics.mean(means), "boxes": in_box / len(begun),
            "makespan": max(end for end, _ in ended.values()) - since,
            "wait": statistics.mean(waits),
            "wait_p90": waits[int(0.9 * (len(waits) - 1))],
            "processor": sum(after.values()) - sum(before.values()),
            **{f"processor_{name}": after[name] - before[name]
               for name in after}, "refused": sorted(refused), "late": late}


def start_times(site):
    """One after the other, and as many as there are nodes at once."""
    took = []
    for i in range(5):
        came = time.time()
        site.submit(f"one{i}", 1, 0)
        site.wait({f"one{i}"})
        took.append(site.lines("begin")[f"one{i}"][0] - came)
    names = {f"all{i}" for i in range(32)}
    since = time.time()
    for name in sorted(names):
        site.submit(name, 1, 1)
    site.wait(names)
    last = max(site.lines("begin")[name][0] for name in names)
    return {"start": statistics.median(took), "rate": 32 / (last - since)}


def rounded(found):
    return {key: round(value, 3) if isinstance(value, float) else value
            for key, value in found.items()}


# ---- the table ----

COLUMNS = (("hops", "hops", 1, "%.2f"), ("in a box, %", "boxes", 100, "%.0f"),
           ("makespan", "makespan", 1, "%.0f"), ("mean wait", "wait", 1, "%.1f"),
           ("p90", "wait_p90", 1, "%.1f"),
           ("processor time", "processor", 1, "%.2f"))
CHANGES = ("makespan", "mean wait", "p90")


def kinds_of(rows):
    return [(kind, [row for row in rows if row["kind"] == kind])
            for kind in dict.fromkeys(row["kind"] for row in rows)]


def table(rows):
    """Means and intervals over the seeds of one stream of jobs."""
    return {"conditions": about(rows),
            "columns": ["", *(name for name, *_ in COLUMNS)],
            "rows": [[kind, *(cell([row[key] * scale for row in these], form)
                              for _, key, scale, form in COLUMNS)]
                     for kind, these in kinds_of(rows)]}


def about(rows):
    refused = sorted({size for row in rows for size in row["refused"]})
    return (f"{rows[0]['machine']}, {rows[0]['sizes']}, {rows[0]['jobs']} jobs of "
            f"{LEAST:g} to {MOST:g} s, {len({row['seed'] for row in rows})} seeds, "
            f"Slurm {rows[0]['slurm']}; times in seconds. Sizes refused: "
            f"{', '.join(map(str, refused)) or 'none'}. Load average at most "
            f"{max(row['busy'] for row in rows):.0f}, the latest submission "
            f"{max(row['late'] for row in rows):.2f} s late.")


def differences(rows):
    """From torus3d on the same stream; of the processor time, the ratio."""
    base = {row["seed"]: row for row in rows if row["kind"] == RIVAL}
    keys = {name: key for name, key, *_ in COLUMNS}
    return [[f"{kind}, {rows[0]['machine'].partition(':')[2]}, "
             f"{rows[0]['sizes']}",
             *(cell([row[keys[name]] - base[row["seed"]][keys[name]]
                     for row in these], "%+.1f") for name in CHANGES),
             cell([row["processor"] / base[row["seed"]]["processor"]
                   for row in these], "%.2f")]
            for kind, these in kinds_of([row for row in rows
                                         if row["seed"] in base])
            if kind != RIVAL]


def run(kind, seed):
    """Repeated if the machine was busy with other things."""
    for _ in range(TRIES):
        with Site(kind) as site:
            found = replay(site, stream(seed))
            if "--starts" in sys.argv:
                found.update(start_times(site))
        if found["late"] < LATE:
            break
        print(f"repeated: {kind}, seed {seed}: a job was submitted "
              f"{found['late']:.1f} s late", file=sys.stderr, flush=True)
    return found


BESIDE = ["torus3d, aligned", RIVAL, "tori, compact boxes"]
PAGE = tuple((sides, which, words) for sides, words in (
    ("4x4x4", ["--only", *BESIDE, "tori, one compact box",
               "tori, counts regard", "Slurm, linear"]),
    ("8x8x8", ["--jobs", "40", "--only", *BESIDE]))
    for which in ("mixed", "two"))


def every_table():
    tables, beside = {}, []
    for sides, which, words in PAGE:
        done = subprocess.run(
            [sys.executable, __file__, BUILD, "--seeds",
             option("--seeds", "1,2,3"), "--sides", sides, "--sizes", which,
             *words], check=True, stdout=subprocess.PIPE, text=True)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        tables[f"{sides}-{which}"] = table(rows)
        beside += differences(rows)
        print(render(tables[f"{sides}-{which}"]), flush=True)
    tables["beside"] = {
        "conditions": f"Seconds above \"{RIVAL}\" on the same streams; of the "
        "processor time, the ratio.",
        "columns": ["", *CHANGES, "processor time"], "rows": beside}
    write("slurm-compare", "tests/system/slurm_suite sid python3 bench/slurm.py "
          "BUILD --all", tables)


def main():
    if "--all" in sys.argv:
        every_table()
        return
    only = sys.argv[sys.argv.index("--only") + 1:] \
        if "--only" in sys.argv else [
            kind for kind in KINDS
            if version() >= (26, 5) or not kind.startswith("torus3d")]
    rows = []
    for seed in SEEDS:
        for kind in KINDS:
            if kind not in only:
                continue
            found = run(kind, seed)
            rows.append({"kind": kind, "machine": MACHINE, "jobs": JOBS,
                         "sizes": NAMES[option("--sizes", "mixed")],
                         "seed": seed, "slurm": "%d.%02d" % version()[:2],
                         "busy": round(os.getloadavg()[0], 1),
                         **rounded(found)})
            print(json.dumps(rows[-1]), flush=True)
    if "--table" in sys.argv:
        print("\n" + render(table(rows)))
        for row in differences(rows):
            print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
