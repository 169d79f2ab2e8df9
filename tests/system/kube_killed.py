#!/usr/bin/env python3
"""Usage: kube_killed.py BUILD-DIRECTORY [--machine M] [--groups N]
       [--pods N] [--kills N] [--seed N]

Jobs of pods while tori-kube, torid, the API server and etcd are killed at
random. What happens is checked from outside, in the order of the API server's
own versions: no two pods that may run share a node, a job that is bound has a
box of its shape, by rank, and in the end every job has ended well, once. A pod
that has succeeded is not made again, so a later attempt may have fewer. A job
that runs all the time keeps its pods.
"""
import argparse
import collections
import math
import random
import subprocess
import sys
import threading
import time

import kube_cluster
import kube_world
from kube_cluster import Refused

SHAPES = [(1, 1, 1), (2, 1, 1), (2, 2, 1), (3, 2, 1), (2, 2, 2), (3, 2, 2),
          (4, 2, 2), (4, 4, 1), (4, 4, 2)]


class Observer(kube_cluster.Player):
    """Follows all pods, one event after the other, and notes what must not
    be."""

    def __init__(self, api, sides, shapes):
        super().__init__(api, workers=0)
        self.sides, self.shapes = sides, shapes
        self.wrong, self.boxed, self.bound = [], set(), {}
        self.holders = collections.defaultdict(set)  # by node: pods that run
        self.ranks = collections.defaultdict(dict)   # by attempt: its pods
        self.done = collections.defaultdict(dict)    # by job: ranks that have
                                                     # succeeded, and attempts

    def note(self, text):
        if text not in self.wrong:
            self.wrong.append(text)

    def plan(self, key, when=0.0):
        with self.lock:
            pod = self.pods.get(key)
        node = pod["spec"].get("nodeName") if pod else None
        if not node:
            return
        if self.bound.setdefault(pod["metadata"]["uid"], node) != node:
            self.note(f"{key} was bound twice")
        if pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            self.holders[node].discard(key)
            self.check_box(pod)
        else:
            self.holders[node].add(key)
            if len(self.holders[node]) > 1:
                self.note(f"{sorted(self.holders[node])} share {node}")
        self.check_box(pod)

    def on_gone(self, pod):
        node = pod["spec"].get("nodeName")
        self.holders[node].discard(kube_cluster.key_of(pod))

    def on_list(self):
        """Pods may have gone while nothing was heard."""
        self.holders.clear()

    def check_box(self, pod):
        notes = pod["metadata"].get("annotations", {})
        name = pod["metadata"].get("labels", {}).get("job-name")
        attempt = name, notes.get("tori/attempt")
        shape = self.shapes.get(name)
        if not shape:
            return
        ranks, rank = self.ranks[attempt], int(notes["tori/rank"])
        ranks[rank] = pod
        if pod["status"].get("phase") == "Succeeded":
            self.done[name].setdefault(rank, attempt)
        if attempt in self.boxed:
            return
        before = {rank for rank, other in self.done[name].items()
                  if other != attempt}
        if len(ranks.keys() | before) < math.prod(shape):
            return
        self.boxed.add(attempt)
        nodes = {rank: one["spec"]["nodeName"] for rank, one in ranks.items()}
        if not kube_world.is_box(nodes, shape, self.sides):
            self.note(f"{name} has {nodes}, not {shape}")
        for rank, one in ranks.items():
            if one["metadata"]["labels"][
                    "batch.kubernetes.io/job-completion-index"] != str(rank):
                self.note(f"{name}: rank {rank} is another pod's")


class Killer:
    """Not a thread: what it starts would end with that."""

    def __init__(self, world, cluster, dice, kills):
        self.world, self.cluster = world, cluster
        self.dice, self.kills = dice, kills
        self.counts = collections.Counter()

    def run(self):
        for i in range(self.kills):
            time.sleep(self.dice.uniform(0.5, 3))
            victim = ("tori-kube", "torid", "kube-apiserver", "tori-kube",
                      "etcd")[i % 5]
            self.counts[victim] += 1
            self.cluster.revive()
            if victim == "tori-kube":
                self.world.kill_bridge()
            elif victim == "torid":
                self.world.kill()
                self.world.start()
            else:
                self.cluster.kill(victim)
                time.sleep(self.dice.uniform(0, 1))
                if victim == "etcd":
                    self.cluster.start_etcd()
                else:
                    self.cluster.start_server()


def submit(controller, shapes, dice, groups, pods, pause):
    """Jobs of random shapes, with so many pods in all, more or less, and
    pauses of so many seconds in the mean."""
    mean = pods / groups
    fitting = [shape for shape in SHAPES
               if shape[0] * shape[1] * shape[2] <= 4 * mean]
    for i in range(groups):
        shape = dice.choice(fitting)
        shapes[f"j{i}"] = shape
        controller.add(f"j{i}", shape[0] * shape[1] * shape[2], {
            "tori/shape": "x".join(map(str, shape)), "tori/time": "10m",
            "test/run": f"{dice.uniform(0.2, 2):.2f}"})
        time.sleep(dice.uniform(0, 2 * pause))


def outcome(world, names):
    """What has not ended well, by torid."""
    jobs = collections.defaultdict(list)
    for job in world.jobs():
        jobs[job["name"]].append((job["state"], job.get("status")))
    return {name: jobs.get(f"default/{name}") for name in names
            if jobs.get(f"default/{name}") != [("ended", 0)]}


def places(api, name):
    """The pods of a job, and their nodes."""
    return {pod["metadata"]["uid"]: pod["spec"].get("nodeName")
            for pod in kube_world.job_pods(api, name)}


def tell(api, name):
    """What the server has of a job that is left over, for people."""
    pods = kube_world.job_pods(api, name)
    bound = sum("nodeName" in pod["spec"] for pod in pods)
    texts = {condition.get("message") for pod in pods for condition
             in pod.get("status", {}).get("conditions", [])}
    return f"the server has {len(pods)} pods, {bound} bound: {texts}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--machine", default="torus:4x4x4")
    parser.add_argument("--groups", type=int, default=16)
    parser.add_argument("--pods", type=int, default=130)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    why = kube_cluster.missing()
    if why:
        print(f"1..0 # SKIP {why}")
        return 0
    print("1..3")
    dice = random.Random(options.seed)
    sides = tuple(int(side) for side in
                  options.machine.split(":")[1].split("x"))
    began = time.monotonic()
    with kube_cluster.Cluster() as cluster:
        cluster.make_nodes(options.machine)
        cluster.play_kubelets()
        controller = cluster.play_controller()
        shapes = {}
        observer = Observer(kube_cluster.Api(cluster.port, cluster.ca), sides,
                            shapes)
        cluster.players.append(observer)
        observer.start()
        with kube_world.World(cluster, options.machine) as world:
            controller.add("stay", 4, {"tori/shape": "2x2x1"})
            kube_world.wait_for("a job runs", lambda: kube_world.all_bound(
                cluster.api, "stay", 4) and world.jobs("running"))
            before = places(cluster.api, "stay")
            killer = Killer(world, cluster, dice, options.kills)
            jobs = threading.Thread(target=submit, daemon=True, args=(
                controller, shapes, random.Random(options.seed),
                options.groups, options.pods,
                1.7 * options.kills / options.groups))
            jobs.start()
            killer.run()
            jobs.join()
            end = time.monotonic() + 2 * kube_world.PATIENCE
            left = dict(shapes)
            while left and time.monotonic() < end:
                time.sleep(0.5)
                cluster.revive()
                try:
                    left = outcome(world, shapes)
                except (OSError, Refused, ValueError, KeyError,
                        subprocess.CalledProcessError):
                    pass
            cluster.wait_ready()
            while ({name for name, _ in observer.boxed} != set(shapes)
                   and time.monotonic() < end):
                time.sleep(0.1)
            if {name for name, _ in observer.boxed} != set(shapes):
                observer.note("a job was never bound as a whole")
            took = time.monotonic() - began
            print(f"# {options.groups} jobs, {sum(map(math.prod, shapes.values()))} "
                  "pods, "
                  f"{dict(killer.counts)} killed, "
                  f"{len(observer.boxed)} attempts, {took:.0f} s")
            for line in observer.wrong[:20]:
                print(f"# {line}")
            for name, states in list(left.items())[:20]:
                print(f"# {name}: {states}; {tell(cluster.api, name)}")
            print(("not " if observer.wrong else "")
                  + "ok 1 - no node is shared, and boxes are boxes")
            print(("not " if left else "")
                  + "ok 2 - every job has ended well, once")
            stayed = (places(cluster.api, "stay") == before
                      and [job["name"] for job in world.jobs("running")]
                      == ["default/stay"])
            print(("" if stayed else "not ")
                  + "ok 3 - a job that runs keeps its pods", flush=True)
            if left or not stayed:
                raise AssertionError("some jobs are not as they should be")
            return 1 if observer.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
