"""A torid with tori-kube on a cluster of kube_cluster.py, and questions about
it.
"""
import contextlib
import itertools
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import kube_cluster
from patience import PATIENCE

BUILD = os.path.abspath(sys.argv[1] if sys.argv[1:] else "build")
PODS = "/api/v1/namespaces/default/pods"


class World:
    """A torid with tori-kube, on a cluster, or on a proxy of it."""

    def __init__(self, cluster, machine="torus:4x4x4", options="",
                 proxy=None):
        self.cluster, self.machine, self.options = cluster, machine, options
        self.proxy = proxy
        self.url = proxy.url if proxy else cluster.url
        self.ca = proxy.certificate if proxy else cluster.ca
        self.state = tempfile.mkdtemp(dir=cluster.directory)
        self.torid = None

    def __enter__(self):
        self.start()
        return self

    def start(self):
        executor = (f"{BUILD}/tori-kube --server {self.url} "
                    f"--ca {self.ca} --token-file "
                    f"{self.cluster.token_file} --remarks 1s "
                    f"--linger 2s --patience 5s {self.options}")
        with open(f"{self.state}/log", "ab") as log:
            self.torid = subprocess.Popen(
                [f"{BUILD}/torid", "--machine", self.machine, "--state",
                 f"{self.state}/d", "--socket", f"{self.state}/socket",
                 "--executor", executor], stdout=log, stderr=log,
                preexec_fn=kube_cluster.die_with_parent)
        wait_for("torid answers", lambda: self.tori("queue", check=False)
                 .returncode == 0)

    def __exit__(self, kind, *_):
        if kind:
            for pod in self.cluster.api.pods("fieldSelector=spec.nodeName=&limit=9"):
                print("#", kube_cluster.key_of(pod),
                      pod["spec"].get("nodeName"),
                      [condition.get("message") for condition
                       in pod.get("status", {}).get("conditions", [])])
            with open(f"{self.state}/log", encoding="utf-8",
                      errors="replace") as log:
                print("# " + log.read()[-6000:].replace("\n", "\n# "))
        self.torid.terminate()
        self.torid.wait()
        shutil.rmtree(self.state, ignore_errors=True)

    def bridge(self):
        """The process of tori-kube, or None."""
        todo = [self.torid.pid]
        while todo:
            pid = todo.pop()
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/comm", encoding="utf-8") as comm:
                    if comm.read().strip() == "tori-kube":
                        return pid
                with open(f"/proc/{pid}/task/{pid}/children",
                          encoding="utf-8") as file:
                    todo += map(int, file.read().split())
        return None

    def kill_bridge(self):
        pid = self.bridge()
        if pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill(self):
        self.torid.kill()
        self.torid.wait()

    def tori(self, *words, check=True):
        return subprocess.run(
            [f"{BUILD}/tori", *words, "--socket", f"{self.state}/socket"],
            check=check, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)

    def jobs(self, state=None):
        answer = json.loads(self.tori("queue", "--json", "--all").stdout)
        return [job for job in answer["jobs"]
                if state is None or job["state"] == state]

    def job_named(self, name):
        found = [job for job in self.jobs() if job.get("name") == name]
        return found[-1] if found else None


def wait_for(what, check):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := check():
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within {PATIENCE} s: {what}")


def job_pods(api, name, label="job-name"):
    pods = api.pods(f"labelSelector={label}={name}")
    return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]


def coords(node, sides=(4, 4, 4)):
    return kube_cluster.place_of(node, sides)


def by_rank(pods):
    """The node of each rank, of pods that are bound."""
    return [pod["spec"]["nodeName"] for pod in sorted(
        pods, key=lambda pod: int(pod["metadata"]["annotations"]
                                  ["tori/rank"]))]


def all_bound(api, name, n):
    pods = [pod for pod in job_pods(api, name)
            if pod.get("status", {}).get("phase") not in ("Failed",)]
    return (len(pods) == n and all(pod["spec"].get("nodeName")
                                   for pod in pods)) and pods


def sides_of(nodes, sides=(4, 4, 4)):
    """The sides of the box of nodes, on a torus, or None if it is none."""
    points = {coords(node, sides) for node in nodes}
    result = []
    for d, side in enumerate(sides):
        values = {point[d] for point in points}
        # an interval on a ring: at most one gap
        gaps = sum((value + 1) % side not in values for value in values)
        if gaps > 1:
            return None
        result.append(len(values))
    volume = 1
    for length in result:
        volume *= length
    return result if volume == len(points) == len(nodes) else None


def is_box(nodes, shape, sides):
    """Whether the nodes of some ranks are where a box of the shape has them,
    which may lie turned, on a torus."""
    points = {rank: coords(node, sides) for rank, node in nodes.items()}
    steps = {rank: tuple(rank // math.prod(shape[d + 1:]) % shape[d]
                         for d in range(len(shape))) for rank in nodes}
    first = min(nodes)
    for turn in itertools.permutations(range(len(shape))):
        origin = [points[first][e] - steps[first][d]
                  for e, d in enumerate(turn)]
        if all(shape[d] <= sides[e] for e, d in enumerate(turn)) and all(
                points[rank][e] == (origin[e] + steps[rank][d]) % sides[e]
                for rank in nodes for e, d in enumerate(turn)):
            return True
    return False


def messages(pods):
    """What the condition PodScheduled of each says, if it waits."""
    return [condition.get("message", "") for pod in pods for condition
            in pod.get("status", {}).get("conditions", [])
            if condition["type"] == "PodScheduled"
            and condition["status"] == "False"]
