#!/usr/bin/env python3
"""Usage: slurm_gang.py BUILD-DIRECTORY [--only NAME...]

tori-slurm --gang on a real Slurm cluster of 16 nodes: whole jobs share nodes
in time. In TAP.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

from service import Skip, equal, read, remove, run, wait
from slurm_cluster import Cluster, missing
from slurm_world import PROGRAM, spread

SLOT = "2s"
SCRIPT = """#!/bin/sh
while :; do date +%s.%N >> "$RUNS.$SLURM_JOB_NAME"; sleep 0.1; done
"""


class Site:
    """The cluster, which all tests share."""

    def __init__(self):
        self.cluster = None

    def up(self):
        if not os.path.exists(PROGRAM):
            raise Skip("tori-slurm was not built: libslurm is missing")
        if missing():
            raise Skip(missing())
        if not self.cluster:
            self.cluster = Cluster(
                16, partitions=("mesh Nodes=ALL Default=YES OverSubscribe="
                                "FORCE:3", "own Nodes=ALL", "part Nodes="
                                "n[4-7,9] OverSubscribe=FORCE:3"),
                options={"ReturnToService": 0})
            self.cluster.__enter__()
            os.environ["SLURM_CONF"] = self.cluster.conf
        return self.cluster

    def down(self):
        if self.cluster:
            self.cluster.__exit__()


SITE = Site()


class Gang:
    """tori-slurm, and what its jobs do."""

    def __init__(self, *words):
        self.cluster = SITE.up()
        self.files = tempfile.mkdtemp(prefix="tori-gang-")
        self.words = ["--machine", "mesh:4x4", "--nodes", "n[0-15]",
                      "--partitions", "mesh,part", "--every", "0.1", "--gang",
                      SLOT, *(word.replace("FILES", self.files)
                              for word in words)]
        self.script = self.path("script")
        with open(self.script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        self.begin()

    def path(self, name):
        return os.path.join(self.files, name)

    def begin(self):
        with open(self.path("log"), "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAM, *self.words], stderr=log, stdin=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def batch(self, name, *words):
        return self.cluster.run(
            "env", f"RUNS={self.path('runs')}", "sbatch", "--parsable", "-H",
            "-p", "mesh", "-t", "10", "-J", name, "-o", "/dev/null", *words,
            self.script)

    def times(self, name):
        """When a job said that it runs."""
        return [float(line) for line in
                read(self.path("runs." + name)).split("\n")[:-1]]

    def states(self):
        """How and where the jobs are at this instant, by their names."""
        found = {}
        for line in self.cluster.run("squeue", "-h", "-o",
                                     "%j|%T|%N").splitlines():
            name, state, nodes = line.split("|")
            found[name] = (state, set(spread(nodes)))
        return found

    def comment(self, name):
        return self.cluster.run("squeue", "-h", "-n", name, "-o", "%k")

    def suspended(self):
        """One that is."""
        found = []
        wait(lambda: found or found.extend(
            name for name, (state, _) in self.states().items()
            if state == "SUSPENDED"), "none is suspended")
        return found[0]

    def check(self):
        """Jobs that run share no node; those that do."""
        jobs = {name: nodes for name, (state, nodes) in self.states().items()
                if state == "RUNNING"}
        every = [node for nodes in jobs.values() for node in nodes]
        assert len(every) == len(set(every)), f"they share nodes: {jobs}"
        return frozenset(jobs)

    def watch(self, until, what):
        """Check until it is so; the sets of jobs that ran together."""
        seen, end = set(), time.monotonic() + 60
        while not until(seen):
            assert time.monotonic() < end, f"{what}: {seen} {self.log()}"
            seen.add(self.check())
            time.sleep(0.05)
        return seen

    def log(self):
        return read(self.path("log")) + self.cluster.run("squeue")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.cluster.call("scancel", "-u", "root")
        wait(lambda: not self.cluster.call("squeue", "-h").stdout,
             "jobs stay in Slurm")
        remove(self.files)  # and who waits to take over


def refused():
    """a partition whose nodes are not shared, or a pod, is refused"""
    SITE.up()
    for machine, partition, expected in (
            ("mesh:4x4", "own", (1, "partition own does not share its nodes: "
                                 "it needs OverSubscribe=FORCE:2 or more")),
            ("pod:2/2x2x2", "mesh", (2, "the queue tree: not on a pod, whose "
                                     "cubes are joined only where a slice "
                                     "is"))):
        done = subprocess.run(
            [PROGRAM, "--machine", machine, "--nodes", "n[0-15]",
             "--partitions", partition, "--gang", SLOT], capture_output=True,
            text=True, check=False)
        equal((done.returncode, done.stderr),
              (expected[0], f"tori-slurm: {expected[1]}\n"))


def turns():
    """three jobs share nodes: whole jobs, in turns, and all go on"""
    with Gang() as gang:
        gang.batch("all", "-N", "16")
        gang.batch("left", "-N", "8", "--comment=tori:shape=2x4")
        gang.batch("right", "-N", "8", "--comment=tori:shape=4x2")
        both = frozenset(("left", "right"))
        gang.watch(lambda seen: {frozenset(("all",)), both} <= seen,
                   "they do not take turns")
        halves = [gang.states()[name][1] for name in both]
        assert halves[0].isdisjoint(halves[1]) and len(halves[0]) == 8
        counts = {name: len(gang.times(name)) for name in ("all", *both)}
        seen = gang.watch(lambda seen: all(
            len(gang.times(name)) > counts[name] + 5 for name in counts),
            "not all go on")
        equal(seen - {frozenset(), frozenset(("all",)), both,
                      frozenset(("left",)), frozenset(("right",))}, set())
        stamps = sorted((when, name == "all") for name in counts
                        for when in gang.times(name))
        mixed = sum(a[1] != b[1] for a, b in zip(stamps, stamps[1:]))
        assert mixed < 30, f"{mixed} changes"  # turns, not side by side


def limited():
    """no more jobs share a node than the partition allows"""
    with Gang() as gang:
        for i in range(4):
            gang.batch(f"j{i}", "-N", "16")
        gang.batch("j4", "-N", "1")
        ring = gang.batch("ring", "-N", "4",
                          "--comment=tori:shape=4x1,wiring=torus")
        three = {frozenset((f"j{i}",)) for i in range(3)}
        gang.watch(lambda seen: three <= seen, "they do not take turns")
        equal(gang.states()["j3"][0], "PENDING")
        for name, why in (("j3", "as many jobs as may share a node are there "
                           "already"),
                          ("j4", "jobs that came before it wait for room")):
            wait(lambda: gang.comment(name) == f"| tori: {why}", "no reason")
        assert f"job {ring}: declined: jobs that share nodes" in gang.log()
        gang.cluster.run("scancel", "-n", "j1")
        gang.watch(lambda seen: frozenset(("j3",)) in seen, "it does not run")


def within():
    """a job gets nodes of its own partition"""
    with Gang() as gang:
        for name, words in (("all", ["-N", "16"]),
                            ("five", ["-p", "part", "-N", "5"]),
                            ("line", ["-p", "part", "-N", "4",
                                      "--comment=tori:shape=1x4"]),
                            ("six", ["-p", "part", "-N", "6"])):
            gang.batch(name, *words)
        gang.watch(lambda seen: {frozenset((name,)) for name in (
            "all", "five", "line")} <= seen, "they do not take turns")
        found = gang.states()
        equal(found["five"][1], set(spread("n[4-7,9]")))
        equal(found["line"][1], set(spread("n[4-7]")))
        wait(lambda: gang.comment("six") == "| tori: partition part has 5 "
             "nodes, but the job asks for 6", "no reason")
        gang.cluster.run("scontrol", "update", "PartitionName=part",
                         "Nodes=n[4-7,9,12]")
        gang.cluster.run("scancel", "-n", "five")
        gang.watch(lambda seen: frozenset(("six",)) in seen, "it waits")
        equal(gang.states()["six"][1], set(spread("n[4-7,9,12]")))
        gang.cluster.run("scontrol", "update", "PartitionName=part",
                         "Nodes=n[4-7,9]")


def cancelled():
    """a job that is cancelled while it is suspended leaves"""
    with Gang() as gang:
        jobs = {name: gang.batch(name, "-N", "16") for name in "ab"}
        gang.watch(lambda seen: len(seen - {frozenset()}) == 2, "no turns")
        name = gang.suspended()
        gang.cluster.run("scancel", jobs[name])
        gang.watch(lambda _: name not in gang.states(), "it stays")
        other, = set("ab") - {name}
        wait(lambda: gang.check() == {other}, "it does not run")
        until = time.monotonic() + 4.5
        while time.monotonic() < until:  # all slots are its own
            equal(gang.check(), {other})
            time.sleep(0.05)


def killed():
    """tori-slurm is killed and begins again: the jobs go on taking turns"""
    with Gang() as gang:
        jobs = [gang.batch(name, "-N", "16") for name in "ab"]
        gang.watch(lambda seen: len(seen - {frozenset()}) == 2, "no turns")
        gang.kill()
        where = gang.states()
        gang.begin()
        gang.batch("c", "-N", "16")
        gang.watch(lambda seen: len(seen - {frozenset()}) == 3, "no turns")
        for name in "ab":
            equal(gang.states()[name][1], where[name][1])
        gang.cluster.kill("slurmctld", signal.SIGTERM)
        gang.cluster.begin("slurmctld")
        wait(lambda: gang.cluster.call("sinfo").returncode == 0, "no answer")
        gang.watch(lambda seen: len(seen - {frozenset()}) == 3, "no turns")
        equal([gang.cluster.field(job, "Restarts") for job in jobs],
              ["0", "0"])


def left_open():
    """if it stays away, all that is suspended goes on, one after the other"""
    with Gang("--fail-open", "1s", "--lock", "FILES/lock") as gang:
        jobs = {name: gang.batch(name, "-N", "16") for name in "ab"}
        gang.watch(lambda seen: len(seen - {frozenset()}) == 2, "no turns")
        gang.kill()
        wait(lambda: gang.check(), "none runs")
        first, = gang.check()
        other, = set("ab") - {first}
        time.sleep(2)
        equal(gang.check(), {first})
        gang.cluster.run("scancel", jobs[first])
        gang.watch(lambda _: gang.check() == {other}, "it stays suspended")
        gang.begin()
        gang.batch("c", "-N", "16")
        gang.watch(lambda seen: {frozenset((other,)), frozenset(("c",))}
                   <= seen, "no turns")


TESTS = [refused, turns, limited, within, cancelled, killed, left_open]

try:
    STATUS = run(TESTS)
finally:
    SITE.down()
sys.exit(STATUS)
