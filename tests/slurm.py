#!/usr/bin/env python3
"""Usage: slurm.py BUILD-DIRECTORY [--only NAME...]

torid and tori-slurm with a real cluster of 64 nodes on this machine: jobs are
submitted to Slurm, and run where torid says. In TAP.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from service import BUILD, Service, Skip, equal, read, run, wait
from slurm_cluster import Cluster, missing

MACHINE, SIDES = "torus:4x4x4", (4, 4, 4)
SCRIPT = """#!/bin/sh
echo "$SLURM_JOB_NAME $SLURM_JOB_ID $SLURM_JOB_NODELIST" >> "$RUNS"
exec sleep "$1"
"""
PROGRAM = os.path.join(BUILD, "tori-slurm")


class Site:
    """The cluster, which all tests share, and torid with tori-slurm."""

    def __init__(self):
        self.cluster, self.files = None, tempfile.mkdtemp(prefix="tori-site-")

    def cluster_up(self):
        if not os.path.exists(PROGRAM):
            raise Skip("tori-slurm was not built: libslurm is missing")
        if missing():
            raise Skip(missing())
        if self.cluster is None:
            self.cluster = Cluster(nodes=64, options={"ReturnToService": 0})
            self.cluster.__enter__()
            os.environ["SLURM_CONF"] = self.cluster.conf
        return self.cluster

    def path(self, name):
        return os.path.join(self.files, name)

    def down(self):
        if self.cluster:
            self.cluster.__exit__()
        shutil.rmtree(self.files)


SITE = Site()


class World(Service):
    """A torid whose jobs are Slurm's."""

    def __init__(self, *words):
        self.cluster = SITE.cluster_up()
        self.runs = tempfile.mktemp(dir=SITE.files)
        self.script = self.runs + ".sh"
        with open(self.script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        super().__init__(
            machine=MACHINE, executor=lambda files: " ".join(
                ["exec", PROGRAM, "--machine", MACHINE, "--nodes 'n[0-63]'",
                 "--every 0.1", *words]).replace("FILES", files))

    def batch(self, name, *words, seconds="0.3", held=True):
        return self.cluster.run(
            "sbatch", "--parsable", "-t", "10", "-J", name, "-o", "/dev/null",
            f"--export=RUNS={self.runs}", *(["-H"] * held), *words,
            self.script, str(seconds))

    def all(self):
        """torid's jobs by their names, which are those in Slurm."""
        jobs = self.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"]
        return {job["name"]: job for job in jobs}

    def of(self, name):
        return self.all().get(name, {})

    def is_running(self, name):
        """... and says so itself."""
        return any(line.startswith(name + " ")
                   for line in read(self.runs).splitlines())

    def wait_all(self, count):
        self.until(lambda: len(self.ended_jobs()) == count,
                   f"not all of {count} jobs have ended")

    def until(self, true, what):
        try:
            wait(true, what)
        except AssertionError as error:
            raise AssertionError(f"{what}: {self.state()}") from error

    def ended_jobs(self):
        return [job for job in self.ask("GET", "/v1/jobs?limit=1000")[1][
            "jobs"] if job["state"] == "ended"]

    def state(self):
        if self.process.poll() is not None:
            return read(self.path("log"))[-2000:]
        return "\n".join([
            self.cluster.call("squeue", "-o", "%i %j %T %r %N %Q").stdout,
            *(str(job) for job in self.all().values()
              if job["state"] != "ended"),
            read(self.path("log"))[-2000:]])

    def executor(self):
        found = subprocess.run(
            ["pgrep", "-P", str(self.process.pid), "-x", "tori-slurm"],
            capture_output=True, text=True, check=False).stdout.split()
        return int(found[0]) if found else None

    def __exit__(self, *more):
        self.cluster.call("scancel", "-u", "root")
        wait(lambda: not self.cluster.call("squeue", "-h").stdout,
             "jobs stay in Slurm")
        super().__exit__(*more)


# ---- names ----

def spread(pattern):
    """The names of a pattern such as n[0-3,7]."""
    found = []
    for prefix, ranges, name in re.findall(r"(\w+)\[([^]]*)\]|(\w+)",
                                           pattern):
        for part in ranges.split(",") if ranges else []:
            first, _, last = part.partition("-")
            found += [f"{prefix}{i}" for i in
                      range(int(first), int(last or first) + 1)]
        found += [name] if name else []
    return found


def number(node):
    """The number of a node, by its coordinates."""
    at = 0
    for side, x in zip(SIDES, node.split(",")):
        at = at * side + int(x)
    return at


def nodes_of(place):
    """The names of the nodes of a job's place, and whether they are right."""
    if "box" not in place:
        return {f"n{number(node)}" for node in place["nodes"]}
    origin, shape = place["box"].split("/")
    corner = [int(x) for x in origin.split(",")]
    nodes = [()]
    for side, first, long in zip(SIDES, corner, shape.split("x")):
        nodes = [(*node, (first + i) % side) for node in nodes
                 for i in range(int(long))]
    return {"n%d" % number(",".join(map(str, node))) for node in nodes}


def check_places(world, names):
    """Every job ran once, on exactly the nodes that torid has chosen, and a
    job that asked for a box had one."""
    jobs = world.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"]
    places = {}
    for job in jobs:
        if "place" in job:
            places.setdefault(job["name"], []).append(
                frozenset(nodes_of(job["place"])))
            if "shape" in job:
                box = job["place"]["box"].split("/")[1]
                equal(sorted(box.split("x")), sorted(job["shape"].split("x")))
    ran = {}
    for line in read(world.runs).splitlines():
        name, _, nodes = line.split()
        ran.setdefault(name, []).append(frozenset(spread(nodes)))
    for name in names:
        was, chosen = (sorted(map(sorted, table.get(name, [])))
                       for table in (ran, places))
        assert was and was == chosen, f"{name} ran on {was}, not {chosen}: " \
            f"{[job for job in jobs if job['name'] == name]}"


# ---- names and coordinates ----

def names(*words):
    if not os.path.exists(PROGRAM):
        raise Skip("tori-slurm was not built: libslurm is missing")
    done = subprocess.run([PROGRAM, "--names", "--machine", *words],
                          capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else done.stderr


def mapping():
    """nodes have names in the order of ids, or of Slurm's tori, or of a file"""
    equal(names("mesh:2x3", "--nodes", "a[0-1],b[7-9],c"),
          "a0 0,0\na1 0,1\nb7 0,2\nb8 1,0\nb9 1,1\nc 1,2\n")
    equal(names("mesh:2x3", "--nodes", "n[0-5]", "--fastest", "first"),
          "n0 0,0\nn2 0,1\nn4 0,2\nn1 1,0\nn3 1,1\nn5 1,2\n")
    first = names("torus:4x3x2", "--nodes", "n[00-23]", "--fastest", "first")
    for line in first.splitlines():
        name, where = line.split()
        x, y, z = map(int, where.split(","))
        equal(name, "n%02d" % (x + 4 * (y + 3 * z)))
    path = SITE.path("map")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# by hand\n\n" + "".join(reversed(
            first.splitlines(keepends=True))))
    equal(names("torus:4x3x2", "--map", path), first)


def bad_maps():
    """a map that is not one is refused"""
    path = SITE.path("bad")
    for text, why in (
            ("a 0,0\nb 0,1\n", f"{path}: node 1,0 has no name"),
            ("a 0,0\na 0,1\n", f"{path}:2: node a is mapped twice"),
            ("a 0,0\nb 0,0\n", f"{path}:2: a and b are both node 0,0"),
            ("a\n", f"{path}:1: expected NAME COORDINATES, not 'a'")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        equal(names("mesh:2x2", "--map", path), f"tori-slurm: {why}\n")
    equal(names("mesh:2x2", "--nodes", "n[0-2]"),
          "tori-slurm: 'n[0-2]' has 3 nodes, but the machine has 4\n")


# ---- jobs ----

def submit_mixed(world, chance, count):
    """Some jobs with shapes, some with counts; their names."""
    shapes = ("2x2x1", "4x2x1", "2x2x2", "4x4x1", "1x1x3", "4x4x2")
    found = []
    for i in range(count):
        name = f"j{i}"
        if chance.random() < 0.6:
            shape = chance.choice(shapes)
            size = str(eval(shape.replace("x", "*")))
            wiring = chance.choice(("", ",wiring=mesh"))
            world.batch(name, "-N", size,
                        f"--comment=tori:shape={shape}{wiring}",
                        seconds=round(chance.uniform(0.1, 0.8), 1))
        else:
            world.batch(name, "-N", str(chance.randrange(1, 12)),
                        seconds=round(chance.uniform(0.1, 0.8), 1))
        found.append(name)
    return found


def mixed():
    """jobs, an array and a dependency run where torid says"""
    with World() as world:
        jobs = submit_mixed(world, random.Random(1), 12)
        first = world.batch("first", "-N", "2")
        world.batch("second", "-N", "2", f"--dependency=afterok:{first}")
        world.batch("array", "-N", "2", "--array=1-7:2")
        world.wait_all(len(jobs) + 6)
        check_places(world, jobs + ["first", "second", "array"])
        equal({job["status"] for job in world.ended_jobs()}, {0})
        assert world.of("second")["start"] >= world.of("first")["end"] - 1


def in_slurm(world, job, state):
    world.until(lambda: world.cluster.field(job, "JobState") == state,
                f"{job} is not {state}")


def cancelled():
    """a job that is cancelled in one place is cancelled in the other"""
    with World() as world:
        runs = world.batch("runs", "-N", "60", seconds=100)
        wait(lambda: world.is_running("runs"), "it does not run")
        queued = [world.batch(f"q{i}", "-N", "32") for i in range(2)]
        wait(lambda: len(world.all()) == 3, "not all are queued")
        world.cluster.run("scancel", queued[0])
        equal(world.ended(world.of("q0")["id"])["why"], "cancelled")
        world.ask("DELETE", f"/v1/jobs/{world.of('q1')['id']}")
        in_slurm(world, queued[1], "CANCELLED")
        world.ask("DELETE", f"/v1/jobs/{world.of('runs')['id']}")
        in_slurm(world, runs, "CANCELLED")
        equal(world.ended(world.of("runs")["id"])["why"], "cancelled")
        last = world.batch("last", "-N", "60", seconds=100)
        wait(lambda: world.is_running("last"), "it does not run")
        world.cluster.run("scancel", last)
        equal(world.ended(world.of("last")["id"])["why"], "cancelled")


def refused():
    """what can never run here is over in Slurm, too, with the reason"""
    with World() as world:
        never = world.batch("never", "-N", "5", "--comment=tori:shape=5x1x1")
        odd = world.batch("odd", "-N", "5", "--comment=tori:colour=red")
        in_slurm(world, never, "CANCELLED")
        shown = world.cluster.run("scontrol", "show", "job", never)
        assert "AdminComment=tori: " in shown, shown
        wait(lambda: "AdminComment=tori: the comment says 'colour=red'"
             in world.cluster.run("scontrol", "show", "job", odd),
             "it is not said")
        equal(world.cluster.field(odd, "JobState"), "PENDING")
        world.cluster.run("scontrol", "update", f"JobId={odd}",
                          "comment=tori:shape=1x1x5,wiring=none")


def drained(world):
    return {node["node"] for node in world.ask(
        "GET", "/v1/nodes?state=drained&limit=100")[1]["nodes"]}


def set_node(world, name, state):
    world.cluster.run("scontrol", "update", f"NodeName={name}",
                      f"State={state}", "Reason=test")


def nodes():
    """nodes that Slurm has drained, or has given to others, are not used"""
    with World() as world:
        set_node(world, "n5", "drain")
        wait(lambda: drained(world) == {"0,1,1"}, "it is not drained")
        world.batch("other", "-N", "3", "-w", "n[61-63]", seconds=2,
                    held=False)
        wait(lambda: len(drained(world)) == 4, "others are not seen")
        world.batch("some", "-N", "60")
        world.wait_all(1)
        world.batch("all", "-N", "64")
        set_node(world, "n5", "resume")
        world.wait_all(2)
        check_places(world, ["some", "all"])
        equal(drained(world), set())


def node_failure():
    """a job that Slurm requeues is placed anew, and without the node"""
    with World() as world:
        job = world.batch("job", "-N", "8", "--requeue",
                          "--comment=tori:shape=2x2x2", seconds=1.5)
        wait(lambda: world.is_running("job"), "it does not run")
        lost = spread(read(world.runs).split()[2])[-1]
        set_node(world, lost, "down")
        world.until(lambda: len(read(world.runs).splitlines()) == 2,
                    "it does not run again")
        assert lost not in spread(read(world.runs).splitlines()[1].split()[2])
        set_node(world, lost, "resume")
        in_slurm(world, job, "COMPLETED")
        world.wait_all(2)
        check_places(world, ["job"])


def changes():
    """a time limit and a nice value may change, and a job may begin later"""
    with World() as world:
        world.batch("wall", "-N", "64", seconds=2.5)
        wait(lambda: world.is_running("wall"), "it does not run")
        job = world.batch("job", "-N", "1", "--begin=now+1hour")
        world.batch("other", "-N", "1")
        wait(lambda: world.of("other"), "it is not submitted")
        assert not world.of("job"), "a job that may not begin was submitted"
        world.cluster.run("scontrol", "update", f"JobId={job}",
                          "StartTime=now")
        wait(lambda: world.of("job"), "it is not submitted")
        equal(world.of("job")["estimate"], 600)
        world.cluster.run("scontrol", "update", f"JobId={job}",
                          "TimeLimit=20", "Nice=7")
        world.until(lambda: (world.of("job")["estimate"], world.of("job")[
            "priority"]) == (1200, -7), "it does not change")
        world.wait_all(3)


def with_plugin():
    """with job_submit/tori, users need not hold anything, and srun works"""
    SITE.cluster_up()
    site = os.environ["SLURM_CONF"]
    with Cluster(8, plugins=os.path.join(BUILD, "src", "slurm"),
                 beside={"tori.conf": "partitions=mesh\nmachine=torus:2x2x2"},
                 options={"JobSubmitPlugins": "tori"}) as cluster:
        os.environ["SLURM_CONF"] = cluster.conf
        with Service(machine="torus:2x2x2", executor=lambda _: (
                f"exec {PROGRAM} --machine torus:2x2x2 --nodes 'n[0-7]' "
                "--partitions mesh --every 0.1")) as service:
            cluster.run("sbatch", "-t1", "-o/dev/null", "--wrap", "sleep 0.2",
                        "--comment=tori:shape=2x2x1", user="nobody")
            ran = cluster.run("srun", "-N2", "-t1", "printenv", "SLURMD_NODENAME",
                              user="nobody")
            jobs = [service.ended(number) for number in (1, 2)]
    os.environ["SLURM_CONF"] = site
    equal([job["user"] for job in jobs], ["nobody"] * 2)
    equal(jobs[0]["place"], {"box": "0,0,0/1x2x2"})
    equal([sorted(ran.split()), jobs[1]["place"]],
          [["n4", "n5"], {"nodes": ["1,0,0", "1,0,1"]}])


# ---- faults ----

def killed():
    """torid, tori-slurm and slurmctld are killed: all run, and none twice"""
    chance = random.Random(2)
    with World() as world:
        jobs = submit_mixed(world, chance, 18)
        for victim in ("executor", "torid", "slurmctld", "executor", "torid"):
            time.sleep(chance.uniform(0.3, 1.2))
            if victim == "executor" and world.executor():
                os.kill(world.executor(), signal.SIGKILL)
            elif victim == "torid":
                world.kill()
                world.begin()
            elif victim == "slurmctld":
                world.cluster.kill("slurmctld", signal.SIGTERM)
                world.cluster.begin("slurmctld")
            jobs.append(f"{victim}{len(jobs)}")
            wait(lambda: world.cluster.call("sinfo").returncode == 0,
                 "no slurmctld")
            world.batch(jobs[-1], "-N", "3")
        world.wait_all(len(jobs))
        check_places(world, jobs)


def fail_open():
    """without torid for long enough, Slurm places what waits"""
    # One that torid has left stays, but not when its files are removed.
    with World("--fail-open 1s", "--lock FILES/lock") as world:
        world.batch("before", "-N", "2")
        world.wait_all(1)
        first = world.executor()
        world.kill()
        world.begin()  # a short absence
        wait(lambda: world.executor() and not os.path.exists(
            f"/proc/{first}"), "the first tori-slurm stays")
        world.batch("after", "-N", "2")
        world.wait_all(2)
        world.kill()
        job = world.batch("open", "-N", "2")
        in_slurm(world, job, "COMPLETED")
        world.begin()
        world.batch("again", "-N", "2")
        world.until(lambda: world.of("again").get("state") == "ended",
                    "it does not run")
        check_places(world, ["before", "after", "again"])


TESTS = [mapping, bad_maps, mixed, cancelled, refused, nodes, node_failure,
         changes, with_plugin, killed, fail_open]

try:
    STATUS = run(TESTS)
finally:
    SITE.down()
sys.exit(STATUS)
