#!/usr/bin/env python3
"""Usage: slurm_gang.py BUILD-DIRECTORY [--only NAME...]

tori-slurm --gang on a real Slurm cluster of 16 nodes: whole jobs share nodes
in time. In TAP.
"""
import os
import subprocess
import sys
import tempfile
import time

from patience import wait
from service import equal, read, remove
from slurm_world import PROGRAM, SITE, InSlurm, spread

SLOT = 1
SCRIPT = """#!/bin/sh
while :; do date +%s.%N >> "$RUNS.$SLURM_JOB_NAME"; sleep 0.1; done
"""
SITE.asked.update(nodes=16, partitions=(
    "mesh Nodes=ALL Default=YES OverSubscribe=FORCE:3", "own Nodes=ALL",
    "part Nodes=n[4-7,9] OverSubscribe=FORCE:3"))


class Gang(InSlurm):
    """tori-slurm, and what its jobs do."""

    def __init__(self, *words):
        self.cluster = SITE.cluster_up()
        self.files = tempfile.mkdtemp(prefix="tori-gang-")
        self.words = ["--machine", "mesh:4x4", "--nodes", "n[0-15]",
                      "--partitions", "mesh,part", "--every", "0.1", "--gang",
                      f"{SLOT}s", *(word.replace("FILES", self.files)
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

    def suspended(self):
        """One that is."""
        return wait(lambda: [name for name, (state, _) in self.states().items()
                             if state == "SUSPENDED"],
                    "none is suspended")[0]

    def check(self):
        """Jobs that run share no node; those that do."""
        jobs = {name: nodes for name, (state, nodes) in self.states().items()
                if state == "RUNNING"}
        every = [node for nodes in jobs.values() for node in nodes]
        assert len(every) == len(set(every)), f"they share nodes: {jobs}"
        return frozenset(jobs)

    def watch(self, until, what):
        """Check until it is so; the sets of jobs that ran together."""
        seen = set()

        def reached():
            seen.add(self.check())
            return until(seen)
        wait(reached, lambda: f"{what}: {seen} {self.log()}")
        return seen

    def take_turns(self, count):
        """So many sets of jobs have run."""
        self.watch(lambda seen: len(seen - {frozenset()}) == count,
                   f"{count} do not take turns")

    def log(self):
        return read(self.path("log")) + self.cluster.run("squeue")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.cluster.empty()
        remove(self.files)  # and who waits to take over


def refused():
    """a partition whose nodes are not shared, or a pod, is refused"""
    SITE.cluster_up()
    for machine, partition, expected in (
            ("mesh:4x4", "own", (1, "partition own does not share its nodes: "
                                 "it needs OverSubscribe=FORCE:2 or more")),
            ("pod:2/2x2x2", "mesh", (2, "the queue tree: not on a pod, whose "
                                     "cubes are joined only where a slice "
                                     "is"))):
        done = subprocess.run(
            [PROGRAM, "--machine", machine, "--nodes", "n[0-15]",
             "--partitions", partition, "--gang", f"{SLOT}s"], capture_output=True,
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
        slots = (stamps[-1][0] - stamps[0][0]) / SLOT
        assert mixed < 5 + 3 * slots, f"{mixed} changes"  # not side by side


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
        gang.scancel("-n", "j1")
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
        gang.scontrol("update", "PartitionName=part",
                         "Nodes=n[4-7,9,12]")
        gang.scancel("-n", "five")
        gang.watch(lambda seen: frozenset(("six",)) in seen, "it waits")
        equal(gang.states()["six"][1], set(spread("n[4-7,9,12]")))
        gang.scontrol("update", "PartitionName=part",
                         "Nodes=n[4-7,9]")


def cancelled():
    """a job that is cancelled while it is suspended leaves"""
    with Gang() as gang:
        jobs = {name: gang.batch(name, "-N", "16") for name in "ab"}
        gang.take_turns(2)
        name = gang.suspended()
        gang.scancel(jobs[name])
        gang.watch(lambda _: name not in gang.states(), "it stays")
        other, = set("ab") - {name}
        wait(lambda: gang.check() == {other}, "it does not run")
        until = time.monotonic() + 3 * SLOT
        while time.monotonic() < until:  # all slots are its own
            equal(gang.check(), {other})
            time.sleep(0.05)


def killed():
    """tori-slurm is killed and begins again: the jobs go on taking turns"""
    with Gang() as gang:
        jobs = [gang.batch(name, "-N", "16") for name in "ab"]
        gang.take_turns(2)
        gang.kill()
        where = gang.states()
        gang.begin()
        gang.batch("c", "-N", "16")
        gang.take_turns(3)
        for name in "ab":
            equal(gang.states()[name][1], where[name][1])
        gang.cluster.restart()
        gang.take_turns(3)
        equal([gang.slurm(job, "Restarts") for job in jobs],
              ["0", "0"])


def left_open():
    """if it stays away, all that is suspended goes on, one after the other"""
    with Gang("--fail-open", "1s", "--lock", "FILES/lock") as gang:
        jobs = {name: gang.batch(name, "-N", "16") for name in "ab"}
        gang.take_turns(2)
        gang.kill()
        wait(lambda: gang.check(), "none runs")
        first, = gang.check()
        other, = set("ab") - {first}
        time.sleep(SLOT)
        equal(gang.check(), {first})
        gang.scancel(jobs[first])
        gang.watch(lambda _: gang.check() == {other}, "it stays suspended")
        gang.begin()
        gang.batch("c", "-N", "16")
        gang.watch(lambda seen: {frozenset((other,)), frozenset(("c",))}
                   <= seen, "no turns")


sys.exit(SITE.run([
    refused, turns, limited, within, cancelled, killed, left_open]))
