"""torid and tori-slurm with a real cluster of 64 nodes on this machine, for
tests: what is submitted to Slurm, and where it ran. The first argument of a
test is the build's directory.
"""
import os
import re
import shutil
import subprocess
import tempfile

from service import BUILD, Service, Skip, equal, read, wait
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
        self.partitions = ("mesh Nodes=ALL Default=YES",)

    def cluster_up(self, **more):
        """`more` is what the first one asks of the cluster."""
        if not os.path.exists(PROGRAM):
            raise Skip("tori-slurm was not built: libslurm is missing")
        if missing():
            raise Skip(missing())
        if self.cluster is None:
            options = {"ReturnToService": 0, "Licenses": "key:1", **more.pop("options", {})}
            self.cluster = Cluster(nodes=64, partitions=self.partitions,
                                   options=options, **more)
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
    """A torid whose jobs are Slurm's; `conf` is the text of tori.conf, if
    there is one, and `orders` a file, below FILES, that gets its orders."""

    def __init__(self, *words, conf=None, torid=(), script=SCRIPT,
                 orders=None):
        self.cluster = SITE.cluster_up()
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
        command = " ".join(["exec", PROGRAM, machine, "--nodes 'n[0-63]'",
                            "--every 0.1", *words])
        if orders:
            command = f"exec bash -c \"{command} < <(exec tee -a {orders})\""
        super().__init__(*torid, machine=MACHINE, executor=lambda files:
                         command.replace("FILES", files))

    def batch(self, name, *words, seconds="0.3", held=True):
        """Submits a job; its number. (With sbatch's --export, slurmd would
        read the files of a login shell for each job, whatever they do.)"""
        return self.cluster.run(
            "env", f"RUNS={self.runs}", "sbatch", "--parsable", "-t", "10",
            "-J", name, "-o", "/dev/null", *(["-H"] * held), *words,
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
    job that asked for a box, and for nothing else, had one."""
    jobs = world.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"]
    places = {}
    for job in jobs:
        if "place" in job:
            places.setdefault(job["name"], []).append(
                frozenset(nodes_of(job["place"])))
            if "shape" in job and "alternatives" not in job:
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
