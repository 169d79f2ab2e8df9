#!/usr/bin/env python3
"""Usage: kube.py BUILD-DIRECTORY

The rates of tori-kube with a real API server and etcd on this machine, whose
512 nodes nothing plays: the seconds from torid's decision to the last binding
of a job of 512 pods, and pods bound per second when 64 jobs of 8 pods start
together. The goals are 5 s, and 200 pods per second.
"""
import collections
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../tests/system"))
import kube_world  # noqa: E402  pylint: disable=wrong-import-position
import kube_cluster  # noqa: E402  pylint: disable=wrong-import-position


class Clock(kube_cluster.Player):
    """When each pod was seen to be bound."""

    def __init__(self, api):
        super().__init__(api, workers=0)
        self.bound = collections.defaultdict(dict)  # by job, then by pod

    def plan(self, key, when=0.0):
        pod = self.pods.get(key)
        if pod and pod["spec"].get("nodeName"):
            name = pod["metadata"]["labels"]["job-name"]
            self.bound[name].setdefault(key, time.time())


def make_all(controller, jobs):
    """All pods of all jobs, by eight connections."""
    todo = list(jobs)

    def work():
        while todo:
            try:
                name, n, notes = todo.pop()
            except IndexError:
                return
            controller.add(name, n, notes)
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def wait_bound(clock, names, n):
    kube_world.wait_for("all pods are bound", lambda: sum(
        len(clock.bound[name]) for name in names) == n)
    return [when for name in names for when in clock.bound[name].values()]


def main():
    why = kube_cluster.missing()
    if why:
        print(why)
        return 0
    with kube_cluster.Cluster() as cluster:
        cluster.make_nodes("torus:8x8x8")
        controller = kube_cluster.Controller(cluster.api)
        clock = Clock(kube_cluster.Api(cluster.port, cluster.ca))
        cluster.players.append(clock)
        clock.start()
        with kube_world.World(cluster, "torus:8x8x8") as world:
            # All of the machine is one job; then all that waited starts.
            make_all(controller, [("whole", 512, {"tori/shape": "8x8x8"})])
            times = wait_bound(clock, ["whole"], 512)
            start = next(job["start"] for job in world.jobs("running"))
            print(f"a job of 512 pods: {max(times) - start:.2f} s from the "
                  f"decision to the last binding", flush=True)
            names = [f"s{i}" for i in range(64)]
            make_all(controller, [(name, 8, {"tori/shape": "2x2x2"})
                                  for name in names])
            kube_world.wait_for("all jobs wait", lambda: len(
                world.jobs("queued")) == 64)
            controller.remove("whole")
            times = wait_bound(clock, names, 512)
            print(f"64 jobs of 8 pods: {512 / (max(times) - min(times)):.0f} "
                  f"pods bound per second", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
