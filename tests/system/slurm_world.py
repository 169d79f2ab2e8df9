"""torid and tori-slurm with a real cluster on this machine, for tests: what is
submitted to Slurm, and where it ran. The first argument of a test is the
build's directory.
"""
import os
import re
import shutil
import signal
import subprocess
import tempfile

import cases
from cases import equal
from patience import wait
from service import BUILD, Service, read
from slurm_cluster import Cluster, missing

MACHINE, SIDES = "torus:4x4x4", (4, 4, 4)
SCRIPT = """#!/bin/sh
echo "$SLURM_JOB_NAME $SLURM_JOB_ID $SLURM_JOB_NODELIST" >> "$RUNS"
test -p "$1" && exec cat "$1"
exec sleep "$1"
"""
PROGRAM = os.path.join(BUILD, "tori-slurm")
PLUGINS = os.path.join(BUILD, "src", "slurm")


class Site:
    """The cluster that all tests of a suite share; `asked` has what it is."""

    def __init__(self):
        self.cluster, self.files = None, tempfile.mkdtemp(prefix="tori-site-")
        self.asked, self.others = {"nodes": 64}, []

    def cluster_up(self):
        if self.cluster is None:
            cluster = Cluster(**{**self.asked, "options": {
                "ReturnToService": 0, "Licenses": "key:1",
                **self.asked.get("options", {})}})
            cluster.__enter__()
            self.cluster = cluster
        return self.cluster

    def second(self, make):
        """A function that starts another cluster once, and gives it."""
        made = []

        def give():
            if not made:
                cluster, before = make(), os.environ.get("SLURM_CONF", "")
                self.others.append(cluster.__enter__())
                os.environ["SLURM_CONF"] = before
                made.append(cluster)
            return made[0]
        return give

    def path(self, name):
        return os.path.join(self.files, name)

    def run(self, tests, lacks=None):
        """The status of a suite."""
        lacks = lacks or missing() or (
            None if os.path.exists(PROGRAM) else
            "tori-slurm was not built: libslurm is missing")
        try:
            return cases.run(tests, lacks)
        finally:
            for cluster in [self.cluster, *self.others]:
                if cluster:
                    cluster.__exit__()
            shutil.rmtree(self.files)


SITE = Site()


class InSlurm:
    """What `cluster` has."""

    def slurm(self, job, name="JobState"):
        return self.cluster.field(job, name)

    def scontrol(self, *words):
        return self.cluster.run("scontrol", *words)

    def update(self, job, *words):
        return self.scontrol("update", f"JobId={job}", *words)

    def scancel(self, *jobs):
        self.cluster.run("scancel", *jobs)

    def comment(self, job):
        """Of a job, by its number or its name."""
        return self.cluster.run("squeue", "-h", "-o", "%k", "-j" if str(
            job)[0].isdigit() else "-n", job)


class Bridge(InSlurm, Service):
    """A torid whose jobs are those of a cluster, by a tori-slurm with these
    words. `orders` is a file, below FILES, that gets its orders."""

    def __init__(self, cluster, *words, machine=MACHINE, torid=(),
                 orders=None, environment=None):
        self.cluster, self.before = cluster, os.environ.get(
            "SLURM_CONF", "")
        os.environ["SLURM_CONF"] = cluster.conf
        command = " ".join(["exec", PROGRAM, *(
            [] if "--every" in " ".join(words) else ["--every 0.1"]), *words])
        if orders:
            command = f"exec bash -c \"{command} < <(exec tee -a {orders})\""
        super().__init__(*torid, machine=machine, environment=environment,
                         executor=lambda files: command.replace("FILES", files))

    def batch(self, name, *words, seconds="0.3", user=None, **more):
        """Submits a job; its number."""
        return self.cluster.run(
            "sbatch", "--parsable", "-t", "10", "-J", name, "-o", "/dev/null",
            *words, "--wrap", f"exec sleep {seconds}", user=user, **more)

    # -- what torid has --

    def list(self, which=""):
        return self.ask("GET", f"/v1/jobs?limit=1000{which}")[1]["jobs"]

    def all(self):
        """torid's jobs by their names, which are those in Slurm."""
        return {job["name"]: job for job in self.list()}

    def of(self, name):
        return self.all().get(name, {})

    def ended_jobs(self):
        return [job for job in self.list() if job["state"] == "ended"]

    def reservations(self):
        return self.ask("GET", "/v1/reservations")[1]["reservations"]

    def executor(self):
        found = subprocess.run(
            ["pgrep", "-P", str(self.process.pid), "-x", "tori-slurm"],
            capture_output=True, text=True, check=False).stdout.split()
        return int(found[0]) if found else None

    def signal(self, number):
        """To tori-slurm."""
        os.kill(self.executor(), number)

    # -- what is waited for --

    def until(self, true, what):
        return wait(true, lambda: f"{what}: {self.state()}")

    def reach(self, job, *states, name="JobState"):
        """A job is in one of these states in Slurm."""
        self.until(lambda: self.slurm(job, name) in states,
                   f"{job} is not {states}")

    def hears(self, *names):
        """torid has these jobs."""
        self.until(lambda: set(names) <= self.all().keys(),
                   f"torid does not hear of {names}")

    def held(self, name):
        """torid holds it."""
        self.until(lambda: self.of(name).get("reason") == "held",
                   f"{name} is not held")

    def ended_well(self, name):
        self.until(lambda: self.of(name).get("state") == "ended",
                   f"{name} does not end")

    def remarked(self, job, begins):
        """Its comment begins so."""
        self.until(lambda: self.comment(job).startswith(begins),
                   f"no remark {begins}, but {self.comment(job)}")

    def wait_all(self, count):
        self.until(lambda: len(self.ended_jobs()) == count,
                   f"not all of {count} jobs have ended")

    def logged(self, text):
        self.until(lambda: text in read(self.path("log")),
                   f"it is not logged: {text}")

    def state(self):
        if self.process.poll() is not None:
            return read(self.path("log"))[-2000:]
        return "\n".join([
            self.cluster.call("squeue", "-o", "%i %j %T %r %N %Q %k").stdout,
            *(str(job) for job in self.all().values()
              if job["state"] != "ended"),
            read(self.path("log"))[-2000:]])

    def __exit__(self, *more):
        self.cluster.empty()
        os.environ["SLURM_CONF"] = self.before
        super().__exit__(*more)


class World(Bridge):
    """On the cluster of the suite. Its jobs say where they run. `conf` is the
    text of tori.conf, if there is one."""

    def __init__(self, *words, conf=None, script=SCRIPT, **more):
        cluster = SITE.cluster_up()
        self.runs = tempfile.mktemp(dir=SITE.files)
        self.script = self.runs + ".sh"
        with open(self.script, "w", encoding="utf-8") as file:
            file.write(script)
        os.chmod(self.script, 0o755)
        machine = f"--machine {MACHINE}"
        if conf:
            machine = f"--conf {self.runs}.conf"
            with open(self.runs + ".conf", "w", encoding="utf-8") as file:
                file.write(conf)
        super().__init__(cluster, machine, "--nodes 'n[0-63]'", *words, **more)

    def batch(self, name, *words, seconds="0.3", held=True, script=None,
              **_):
        """Submits a job; its number. (With sbatch's --export, slurmd would
        read the files of a login shell for each job, whatever they do.)"""
        return self.cluster.run(
            "env", f"RUNS={self.runs}", "sbatch", "--parsable", "-t", "10",
            "-J", name, "-o", "/dev/null", *(["-H"] * held), *words,
            script or self.script, str(seconds))

    def gate(self):
        """In place of seconds: its jobs end when somebody opens it to write."""
        os.mkfifo(self.runs + ".gate")
        return self.runs + ".gate"

    def ran(self, name=None):
        """The nodes of each run of a job, or of all."""
        return [set(spread(nodes)) for who, _, nodes in map(
            str.split, read(self.runs).splitlines()) if name in (None, who)]

    def is_running(self, name, times=1):
        """... and says so itself."""
        return len(self.ran(name)) >= times

    def running(self, *names, times=1):
        for name in names:
            self.until(lambda name=name: self.is_running(name, times),
                       f"{name} does not run")

    def start(self, name, *words, seconds=100, **more):
        """A job that runs; its number."""
        job = self.batch(name, *words, seconds=seconds, **more)
        self.running(name)
        return job


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


def check_places(world, *names):
    """Every job ran once, on exactly the nodes that torid has chosen, and a
    job that asked for a box, and for nothing else, had one."""
    jobs, places = world.list(), {}
    for job in jobs:
        if "place" in job:
            places.setdefault(job["name"], []).append(nodes_of(job["place"]))
            if "shape" in job and "alternatives" not in job:
                box = job["place"]["box"].split("/")[1]
                equal(sorted(box.split("x")), sorted(job["shape"].split("x")))
    for name in names:
        was, chosen = (sorted(map(sorted, found)) for found in (
            world.ran(name), places.get(name, [])))
        assert was and was == chosen, f"{name} ran on {was}, not {chosen}: " \
            f"{[job for job in jobs if job['name'] == name]}"
