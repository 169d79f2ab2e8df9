#!/usr/bin/env python3
"""Usage: slurm_site.py BUILD-DIRECTORY [--only NAME...]

What a site has in its Slurm beside jobs: the topology, reservations, and a
second slurmctld. On a real cluster of this machine. In TAP.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from patience import wait
from service import BUILD, Skip, equal, read
from slurm_cluster import Cluster, can_be_apart, own_plugins
from slurm_world import MACHINE, PROGRAM, SITE, Bridge, World, check_places


# ---- names of nodes ----


def tori(*words):
    return subprocess.run([os.path.join(BUILD, "tori"), "slurm", *words],
                          capture_output=True, text=True, check=True).stdout


def random_pattern(chance):
    """Up to 60 names, in any of the ways to write them."""
    def part():
        first = chance.randrange(20)
        last = first + chance.randrange(4)
        width = chance.choice((1, 2, 3))
        return chance.choice((f"{first:0{width}}-{last:0{width}}",
                              f"{first:0{width}}"))

    def brackets(count):
        return "[" + ",".join(part() for _ in range(count)) + "]"
    items = []
    for _ in range(chance.randrange(1, 4)):
        items.append(chance.choice((
            lambda: f"n{chance.randrange(30)}", lambda: chance.choice("abc"),
            lambda: "r" + brackets(chance.randrange(1, 4)),
            lambda: f"r{brackets(1)}n{brackets(2)}"))())
    return ",".join(items)


def hosts():
    """a list of hosts means what it means in Slurm, and so does a tree"""
    conf = tori("topology", "--machine", "torus:4x2x1", "--nodes", "n[0-7]",
                "--format", "conf")
    chance = random.Random(3)
    with Cluster(8, beside={"topology.conf": conf},
                 options={"TopologyPlugin": "topology/tree"}) as cluster:
        shown = cluster.run("scontrol", "show", "topology")
        for _ in range(40):
            pattern = random_pattern(chance)
            names = cluster.run("scontrol", "show", "hostnames", pattern)
            names = names.split()
            if len(set(names)) < len(names):
                continue
            found = tori("topology", "--machine", f"mesh:{len(names)}",
                         "--nodes", pattern, "--format", "map")
            equal([line.split()[0] for line in found.splitlines()], names)
            yaml = tori("topology", "--machine", f"torus:{len(names)}",
                        "--nodes", pattern)
            short = yaml.split("nodes: ")[1].strip().strip('"')
            equal(cluster.run("scontrol", "show", "hostnames", short).split(),
                  names)
    for words in ("SwitchName=t0s0 Level=1 LinkSpeed=1 Nodes=n[0-7] "
                  "Switches=t1s[0-1]",
                  "SwitchName=t1s1 Level=0 LinkSpeed=1 Nodes=n[4-7]"):
        assert words in shown, shown


def files():
    """tori-slurm reads what 'tori slurm topology' writes, and the other way"""
    with tempfile.TemporaryDirectory() as folder:
        for machine in ("torus:4x3x2", "torus:2x5"):
            size = eval(machine[6:].replace("x", "*"))
            how = ["--machine", machine, "--nodes", f"n[3-{size + 2}]"]
            names = tori("topology", *how, "--format", "map")
            for option, form in (("topology", "yaml"), ("topology", "conf"),
                                 ("map", "map")):
                path = os.path.join(folder, f"file.{form}")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(tori("topology", *how, "--format", form))
                equal(subprocess.run(
                    [PROGRAM, "--names", "--machine", machine, "--" + option,
                     path], capture_output=True, text=True,
                    check=True).stdout, names)


REGIONS = """
- topology: pods
  torus3d:
    toruses:
      - name: pod
        dims: {x: 4, y: 2, z: 1}
        regions:
          - {dims: {x: 2, y: 2, z: 1}, nodes: "n[0-3]"}
          - {anchor: {x: 2, y: 1}, dims: {x: 2, y: 1, z: 1}, nodes: "n[4-5]"}
"""


def regions():
    """jobs run where a topology.yaml says, and not where there is no node"""
    with Cluster(6, beside={"torus.yaml": REGIONS}) as cluster, Bridge(
            cluster, "--machine torus:4x2x1",
            f"--topology {cluster.path('torus.yaml')}",
            machine="torus:4x2x1") as world:
        jobs = [world.batch("job", "-H", *words) for words in (
            ["-N4", "--comment=tori:shape=4x1x1"], ["-N6"])]
        for job in jobs:
            world.reach(job, "COMPLETED")
        equal((world.job(1)["place"], [world.slurm(job, "NodeList")
                                       for job in jobs]),
              ({"box": "0,1,0/4x1x1"}, ["n[2-5]", "n[0-5]"]))


def torus3d():
    """a torus of Slurm itself is noticed, and tori-slurm ends, with the reason"""
    if not os.path.exists(f"{own_plugins()}/topology_torus3d.so"):
        raise Skip("this Slurm has no topology/torus3d")
    how = ["--machine", "torus:2x2x2", "--nodes", "n[0-7]"]
    with Cluster(8, beside={"topology.yaml": tori(
            "topology", *how, "--placement", "2x2x2")}) as cluster:
        done = subprocess.run([PROGRAM, *how], env=cluster.env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
        assert "Slurm has topology/torus3d" in done.stderr, done.stderr
        equal(done.returncode, 2)
        subprocess.run([PROGRAM, *how, "--shadow"], env=cluster.env,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       check=True)


# Nodes are not left while there is a file, "wait_end".
WAIT_END = SITE.path("wait_end")
EPILOG = SITE.path("epilog")
with open(EPILOG, "w", encoding="utf-8") as epilog:
    epilog.write(f"#!/bin/sh\nwhile test -e {WAIT_END}; do sleep 0.2; done\n")
os.chmod(EPILOG, 0o755)
APART = can_be_apart()
SITE.asked.update(
    backup=APART, options={"Epilog": EPILOG},
    partitions=("mesh Nodes=ALL Default=YES", "other Nodes=ALL"))


# ---- reservations ----

def reserve(world, name, nodes, *words):
    world.scontrol("create", "reservation",
                      f"ReservationName={name}", f"Nodes={nodes}",
                      "Users=root", *words)


def windows(world):
    """What torid keeps free: keys, numbers, numbers of nodes, and seconds."""
    return [(w["key"], w["id"], len(w["nodes"]), w["until"] - w["from"])
            for w in world.reservations()]


def see(world, *expected):
    world.until(lambda: windows(world) == list(expected),
                f"torid has {windows(world)}, not {expected}")


def maintenance():
    """no job is placed that would run into a reservation, and others are"""
    with World() as world:
        reserve(world, "maint", "n[0-31]", "StartTime=now+5minutes",
                "Duration=10", "Flags=MAINT")
        see(world, ("maint", 1, 32, 610))
        world.batch("long", "-N", "64")
        world.until(lambda: world.of("long").get("reason") == "window",
                    "it does not wait for the window")
        world.batch("short", "-N", "64", "-t", "1")
        world.wait_all(1)
        world.batch("half", "-N", "32")
        world.wait_all(2)
        equal(world.ran("half")[0], {f"n{i}" for i in range(32, 64)})
        world.signal(signal.SIGKILL)
        world.kill()
        world.begin()  # neither forgets it, nor is it told twice
        world.batch("other", "-N", "1", "-t", "1")
        world.wait_all(3)
        see(world, ("maint", 1, 32, 610))
        world.scontrol("update", "ReservationName=maint",
                          "Duration=20", "Nodes=n[0-15]")
        see(world, ("maint", 2, 16, 1210))
        equal(world.of("long")["state"], "queued")
        world.scontrol("delete", "ReservationName=maint")
        world.wait_all(4)
        check_places(world, "short", "half", "other", "long")
        see(world)


def forgotten():
    """a reservation that goes while tori-slurm is away is no window after"""
    with World() as world:
        reserve(world, "a", "n[0-3]", "StartTime=now+1hour", "Duration=10")
        reserve(world, "b", "n[4-5]", "StartTime=now+1hour", "Duration=10")
        world.until(lambda: len(windows(world)) == 2, "they are not windows")
        world.kill()
        world.scontrol("delete", "ReservationName=a")
        world.begin()
        world.until(lambda: [w[0] for w in windows(world)] == ["b"],
                    "it is a window still")
        world.scontrol("delete", "ReservationName=b")
        see(world)


def inside():
    """jobs that name a reservation are placed there by Slurm"""
    with World() as world:
        reserve(world, "mine", "n[0-3]", "StartTime=now", "Duration=10")
        see(world, ("mine", 1, 4, 610))
        world.batch("in", "-N", "3", "--reservation=mine", held=False)
        held = world.batch("held", "-N", "1", "--reservation=mine")
        world.batch("out", "-N", "60")
        world.wait_all(1)
        world.running("in")
        assert world.ran("in")[0] <= {"n0", "n1", "n2", "n3"}
        equal(list(world.all()), ["out"])
        check_places(world, "out")
        world.scontrol("release", held)
        world.running("held")
        wait(lambda: not world.cluster.call("squeue", "-h").stdout,
             "they do not end")
        world.scontrol("delete", "ReservationName=mine")


# ---- jobs that Slurm places ----

def others(world):
    """The nodes of jobs that torid has not started, as it knows them."""
    found = {}
    for window in world.reservations():
        kind, _, job = window["key"].partition(" ")
        if kind == "job":
            found[job] = len(window["nodes"])
    return found


def other(world, name, count, seconds=100):
    """Submits a job that Slurm places, and waits until it runs."""
    job = world.batch(name, "-p", "other", "-N", str(count), "--requeue",
                      held=False, seconds=seconds)
    world.running(name)
    return job


def free(world, name):
    """How many nodes torid would use for a job that cannot start now."""
    job = world.batch(name, "-N", "64")
    world.hears(name)
    said = json.loads(world.tori("why", f"slurm:{job}", "--json")[1])
    world.scancel(job)
    world.until(lambda: world.of(name)["state"] == "ended", "it stays")
    # Not "free", which has nodes of reservations, too.
    return next(help["to"] for help in said["jobs"][0]["helps"]
                if help["change"] == "count")


def used_by_others():
    """nodes of jobs that Slurm has placed are never free, until they are"""
    with World("--partitions mesh") as world:
        world.kill()
        before = other(world, "before", 8)
        world.begin()
        world.until(lambda: others(world) == {before: 8}, "not known")
        own = world.start("own", "-N", "10", "--requeue")
        equal(free(world, "first"), 46)
        world.kill()
        away = other(world, "away", 4)
        # tori's own job starts anew, and torid does not hear of it.
        world.scontrol("requeuehold", own)
        world.reach(own, "PENDING")
        # Slurm lets it wait for two minutes, at times from a moment after this. At
        # times slurmd is still removing the script of the first run, and the second
        # one fails.
        tried = [0.0]

        def runs_again():
            if time.monotonic() > tried[0] + 10:
                tried[0] = time.monotonic()
                if "JobState=FAILED" in world.scontrol("show", "job", own):
                    world.scontrol("requeue", own)
                world.cluster.call("scontrol", "update", f"JobId={own}",
                                   "StartTime=now")
                world.cluster.call("scontrol", "release", own)
            return read(world.runs).count("own ") == 2
        wait(runs_again, "it does not run again")
        world.begin()
        world.until(lambda: others(world) == {before: 8, away: 4, own: 10},
                    f"torid knows of {others(world)}")
        equal(free(world, "second"), 42)
        with open(WAIT_END, "w", encoding="utf-8"):
            pass
        try:
            world.scancel(before, away, own)
            for job in before, away, own:
                world.reach(job, "CANCELLED", "COMPLETING")
            time.sleep(1)  # it looks at Slurm meanwhile
            equal(free(world, "third"), 42)
            world.batch("rest", "-N", "42")
            world.running("rest")
        finally:
            os.unlink(WAIT_END)
        world.until(lambda: others(world) == {}, "they stay")
        world.batch("all", "-N", "64")
        world.ended_well("all")
        check_places(world, "rest", "all")


# ---- a second slurmctld ----

def wait_saved(world, name):
    """slurmctld has written this job down, and so what was before: one that
    is killed loses the rest. A reservation that was deleted comes back, if it
    is still on disk."""
    def has(file, text):
        path = os.path.join(world.cluster.files, "state", file)
        if not os.path.exists(path):
            return False
        with open(path, "rb") as saved:
            return text.encode() in saved.read()
    wait(lambda: has("job_state", name), f"{name} is not saved")
    wait(lambda: not has("resv_state", "mine"), "'mine' is not forgotten")


def serves(world, which):
    """The slurmctld that answers is this one."""
    def answer():
        shown = world.cluster.call("scontrol", "ping").stdout
        return f"{which} is UP" in shown and world.cluster.call(
            "squeue", "-h").returncode == 0
    world.until(answer, f"{which} does not answer")


def taken_over():
    """a second slurmctld takes over, and the first takes back"""
    if not APART:
        raise Skip("two slurmctld cannot run here: unshare is refused")
    # A job that was released while the first one died is released again soon.
    with World("--patience", "10s") as world:
        world.cluster.begin("backup")
        serves(world, "second")
        jobs = [f"j{i}" for i in range(6)]
        gate = world.gate()
        for name in jobs[:2]:
            world.start(name, "-N", "24", seconds=gate)
        world.batch(jobs[2], "-N", "32", "--comment=tori:shape=4x4x2")
        wait_saved(world, "j2")
        world.cluster.kill("slurmctld")
        serves(world, "second")
        for name in jobs[3:5]:
            world.batch(name, "-N", "8", "--comment=tori:shape=2x2x2")
        with open(gate, "wb"):
            pass  # they end
        world.wait_all(5)
        world.cluster.begin("slurmctld")
        serves(world, "first")
        world.batch(jobs[5], "-N", "64")
        world.wait_all(6)
        check_places(world, *jobs)
        world.cluster.kill("backup")


# ---- what an administrator holds ----

def requeued_to_hold():
    """a job that is requeued to be held waits until it is let go"""
    with World() as world:
        job = world.start("job", "-N", "4", "--requeue")
        world.scontrol("requeuehold", job)
        world.held("job")
        world.batch("other", "-N", "64")
        world.wait_all(1)
        equal((world.of("job")["reason"],
               world.slurm(job, "Priority")), ("held", "0"))
        world.scontrol("uhold", job)
        world.running("job", times=2)


# ---- processes that hang ----

CONF = f"partitions=mesh\nmachine={MACHINE}\n"


def torid_hangs():
    """if torid hangs for long enough, Slurm places what waits"""
    with World("--fail-open 2s", "--lock FILES/lock", conf=CONF,
               torid=("--heartbeat", "1s")) as world:
        world.batch("before", "-N", "2")
        world.wait_all(1)
        os.kill(world.process.pid, signal.SIGSTOP)
        job = world.batch("open", "-N", "2")
        world.reach(job, "COMPLETED")
        os.kill(world.process.pid, signal.SIGCONT)
        world.until(lambda: read(world.path("log")).count("executor-ready")
                    == 2, "there is no other tori-slurm")
        world.batch("after", "-N", "2")
        world.ended_well("after")
        check_places(world, "before", "after")
        assert "torid hangs: nothing was heard" in read(world.path("log"))


def bridge_hangs():
    """a tori-slurm that hangs is ended, and torid starts another"""
    with World("--fail-open 20s", "--lock FILES/lock", conf=CONF) as world:
        world.batch("before", "-N", "2")
        world.wait_all(1)
        first = world.executor()
        os.kill(first, signal.SIGSTOP)
        world.batch("after", "-N", "2")
        world.wait_all(2)
        assert world.executor() != first
        check_places(world, "before", "after")
        assert f"process {first} hangs" in read(world.path("log"))


def waits_alone():
    """a tori-slurm that torid has left does not hang, and is not ended"""
    with World("--fail-open 1s", "--lock FILES/lock", conf=CONF) as world:
        world.batch("before", "-N", "2")
        world.wait_all(1)
        first = world.executor()
        world.kill()
        time.sleep(11.5)  # longer than one that hangs is left alone
        assert os.path.exists(f"/proc/{first}"), "tori-slurm is ended"
        job = world.batch("open", "-N", "2")
        world.reach(job, "COMPLETED")
        assert " hangs" not in read(world.path("log")), "it is said to hang"
        world.begin()


sys.exit(SITE.run([
    files, hosts, regions, torus3d, maintenance, forgotten, inside,
    used_by_others, requeued_to_hold, torid_hangs, bridge_hangs, waits_alone,
    taken_over]))
