#!/usr/bin/env python3
"""Usage: kube.py BUILD-DIRECTORY [CASE...]

tori-kube with a real API server and etcd, in TAP. Kubelets and a controller of
jobs are played (kube_cluster.py). Between them is a proxy, which counts, and
harms in the cases of kube_faults.py. Skipped without a kube-apiserver.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import kube_cluster
import kube_faults
from kube_cluster import Refused, make_pod, path_of
from kube_proxy import Proxy
from kube_world import (BUILD, PODS, World, all_bound, by_rank, coords,
                        is_box, job_pods, messages, sides_of, wait_for)

try:
    import yaml
except ImportError:
    yaml = None

DEPLOY = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../deploy")


# ---- cases ----

def indexed_job_gets_a_box(world, cluster, controller):
    api = cluster.api
    controller.add("box", 8, {"tori/shape": "2x2x2", "tori/wiring": "mesh",
                              "test/run": "1"})
    pods = wait_for("all pods are bound", lambda: all_bound(api, "box", 8))
    nodes = by_rank(pods)
    assert sides_of(nodes) == [2, 2, 2], nodes
    for pod in pods:
        meta = pod["metadata"]
        assert (meta["annotations"]["tori/rank"] == meta["labels"]
                ["batch.kubernetes.io/job-completion-index"]), meta
    # row-major: the last dimension varies fastest
    first, second = coords(nodes[0]), coords(nodes[1])
    assert first[:2] == second[:2] and (first[2] + 1) % 4 == second[2], nodes
    wait_for("the job ends well", lambda: (
        (job := world.job_named("default/box")) and job["state"] == "ended"
        and job["status"] == 0))


def turned_box_keeps_ranks(world, cluster, controller):
    """4x2x1 may lie in any direction; ranks follow the shape as asked."""
    api = cluster.api
    controller.add("turned", 8, {"tori/shape": "1x2x4"})
    nodes = by_rank(wait_for("all pods are bound",
                             lambda: all_bound(api, "turned", 8)))
    assert sorted(sides_of(nodes)) == [1, 2, 4], nodes
    points = [coords(node) for node in nodes]
    for i, point in enumerate(points[:-1]):
        if i % 4 != 3:  # neighbours along the last side of the shape
            apart = [(b - a) % 4 for a, b in zip(point, points[i + 1])]
            assert sorted(apart) == [0, 0, 1], (point, points[i + 1])
    controller.remove("turned")
    wait_for("the job is gone", lambda: world.job_named(
        "default/turned")["state"] == "ended")


def something_else_will_do(world, cluster, controller):
    """Another box of as many nodes at once, or any nodes after a while; ranks
    are row-major in what the job got."""
    api = cluster.api
    for name, n, shape in (("wall", 32, "4x4x2"), ("pillar", 16, "2x2x4")):
        controller.add(name, n, {"tori/shape": shape})
        wait_for(f"{name} is bound",
                 lambda name=name, n=n: all_bound(api, name, n))
    # the sides that are left are 2, 2 and 4
    controller.add("strict", 16, {"tori/shape": "4x4x1"})
    controller.add("other", 16, {"tori/shape": "4x4x1", "tori/or": "boxes"})
    nodes = by_rank(wait_for("another box will do", lambda: all_bound(
        api, "other", 16)))
    assert is_box(dict(enumerate(nodes)), (2, 2, 4), (4, 4, 4)), nodes
    assert not all_bound(api, "strict", 16)
    controller.remove("strict")
    wait_for("it has left", lambda: world.job_named(
        "default/strict")["state"] == "ended" or "hold" in world.job_named(
            "default/strict"))
    controller.remove("other")
    wait_for("the box is free", lambda: len(world.jobs("running")) == 2)
    controller.add("patient", 16, {
        "tori/shape": "4x4x1", "tori/or": "nodes", "tori/patience": "4s"})
    job = wait_for("it waits for its box", lambda: (
        (job := world.job_named("default/patient"))
        and job["state"] == "queued" and job))
    assert job["patience"] == 4, job
    nodes = by_rank(wait_for("then any nodes will do", lambda: all_bound(
        api, "patient", 16)))
    assert [int(node[1:]) for node in nodes] == sorted(
        int(node[1:]) for node in nodes), nodes
    job = wait_for("it runs", lambda: (
        (job := world.job_named("default/patient")) and "start" in job
        and job))
    assert job["start"] - job["submit"] >= 4, job
    for name in ("wall", "pillar", "patient"):
        controller.remove(name)
    wait_for("the machine is empty", lambda: not world.jobs("running"))


def all_or_none(world, cluster, controller):
    """Nothing is bound before the last pod is there."""
    api = cluster.api
    for i in range(3):
        api.post(PODS, make_pod(f"half-{i}", {"tori/count": "4"},
                                {"tori/job": "half"}))
    wait_for("the reason is in a condition", lambda: any(
        "3 of 4" in condition.get("message", "")
        for pod in job_pods(api, "half", "tori/job")
        for condition in pod.get("status", {}).get("conditions", [])
        if condition["type"] == "PodScheduled"
        and condition["reason"] == "Unschedulable"))
    assert not any(pod["spec"].get("nodeName")
                   for pod in job_pods(api, "half", "tori/job"))
    assert world.job_named("default/half") is None
    api.post(PODS, make_pod("half-3", {"tori/count": "4"},
                            {"tori/job": "half"}))
    wait_for("all are bound", lambda: all(
        pod["spec"].get("nodeName")
        for pod in job_pods(api, "half", "tori/job")))
    for pod in job_pods(api, "half", "tori/job"):
        api.delete(path_of(pod), 0)
    wait_for("the job is over", lambda: world.job_named(
        "default/half")["state"] == "ended")


def events_of(api, name):
    return [event for event in api.get("/api/v1/events")["items"]
            if event["reason"] == "FailedScheduling"
            and event["involvedObject"]["name"].startswith(name + "-")]


def job_events(api, controller, name):
    """What the events about a Job say, which `kubectl describe job` shows."""
    job = controller.jobs["default", name]
    about = {"apiVersion": "batch/v1", "kind": "Job", "name": name,
             "uid": job["uid"], "namespace": "default"}
    return [event["message"] for event in api.get(
        "/api/v1/namespaces/default/events")["items"]
        if event["reason"] == "FailedScheduling"
        and event["involvedObject"] == about]


def why_it_waits(world, cluster, controller):
    """The sentence of `tori why` is in the condition of every pod, and in
    events of the pod of rank 0 and of the Job."""
    api = cluster.api
    controller.add("large", 32, {"tori/shape": "4x4x2", "tori/time": "1h"})
    wait_for("the first runs", lambda: all_bound(api, "large", 32))
    controller.add("larger", 48, {"tori/shape": "4x4x3"})

    def reasons():
        texts = messages(job_pods(api, "larger"))
        return (len(texts) == 48 and all("only 32 are free" in text
                                         for text in texts)) and texts
    texts = wait_for("every pod says why", reasons)
    job = world.job_named("default/larger")["id"]
    for text in texts:
        assert "starts about" in text, text
        assert text.startswith(f"tori: job {job}: "), text
    assert "only 32 are free" in world.tori("why", str(job)).stdout
    events = wait_for("there is an event", lambda: [
        event for event in events_of(api, "larger")
        if "only 32 are free" in event["message"]])
    assert events[0]["type"] == "Warning", events
    assert {event["involvedObject"]["name"]
            for event in events_of(api, "larger")} == {"larger-0-0"}, events
    wait_for("so has the Job", lambda: any(
        "only 32 are free" in text
        for text in job_events(api, controller, "larger")))
    # another pod of rank 0 gets an event of its own
    api.delete(f"{PODS}/larger-0-0", 0)
    wait_for("so does the next pod of rank 0", lambda: any(
        event["involvedObject"]["name"] == "larger-0-1"
        for event in events_of(api, "larger")))
    controller.remove("large")
    wait_for("then it runs", lambda: all_bound(api, "larger", 48))
    controller.remove("larger")
    wait_for("the machine is empty", lambda: not world.jobs("running"))


def impossible_is_refused(world, cluster, controller):
    api = cluster.api
    controller.add("never", 5, {"tori/shape": "5x1x1"})
    controller.add("odd", 2, {"tori/shape": "2by1"})
    controller.add("misspelt", 2, {"tori/count": "2", "tori/shpae": "2x1x1"})
    controller.add("nowhere", 2, {"tori/count": "2", "tori/queue": "nope"})
    controller.add("maybe", 2, {"tori/shape": "2x1x1", "tori/fixed": "maybe"})
    controller.add("torn", 2, {"tori/shape": "2x1x1", "tori/count": "3"})
    controller.add("few", 2, {"tori/shape": "3x1x1"})
    many = make_pod("many-2-0", {"tori/count": "2", "tori/index": "2"},
                    {"tori/job": "many", "job-name": "many"})
    api.post(PODS, many)
    for i in range(2):
        api.post(PODS, make_pod(f"many-{i}-0", {
            "tori/count": "2", "tori/index": str(i)},
            {"tori/job": "many", "job-name": "many"}))
    for name, words in (("never", "does not fit"), ("odd", "tori/shape"),
                        ("misspelt", "unknown annotation tori/shpae"),
                        ("nowhere", "nope"),
                        ("maybe", "tori/fixed: expected true or false, not "
                         "'maybe'"),
                        ("torn", "tori/count is not the number of nodes of "
                         "tori/shape 2x1x1, which is 2"),
                        ("many", "it asks for 2 nodes, and pod many-2-0 has "
                         "the index 2; the last one is 1"),
                        ("few", "2 of 3 are there (tori/shape 3x1x1 has 3 "
                         "nodes)")):
        wait_for(f"{name} hears why", lambda words=words, name=name: any(
            words in condition.get("message", "")
            for pod in job_pods(api, name)
            for condition in pod.get("status", {}).get("conditions", [])))
        wait_for(f"{name} has an event", lambda words=words, name=name: any(
            words in event["message"] for event in events_of(api, name)))
        assert not any(pod["spec"].get("nodeName")
                       for pod in job_pods(api, name)), name
        job = world.job_named(f"default/{name}")
        assert job is None or job["state"] == "ended" or job.get("hold"), job
        controller.remove(name)


def one_pod_too_many(world, cluster, controller):
    """A pod that comes while the job runs, and for which it has no node."""
    api = cluster.api
    for i in range(3):
        api.post(PODS, make_pod(f"spare-{i}", {
            "tori/shape": "2x1x1", "tori/index": str(i)}, {"tori/job": "spare"}))
        if i == 1:
            wait_for("two run", lambda: len(world.jobs("running")) == 1)
    job = world.job_named("default/spare")["id"]
    wait_for("the third hears that", lambda: (
        f"tori: job {job} has 2 nodes, and none of them is for this pod; it "
        "waits until that job has ended") in messages([api.get(f"{PODS}/spare-2")]))
    wait_for("it has an event", lambda: [
        event["involvedObject"]["name"] for event in events_of(api, "spare")
        if "none of them" in event["message"]] == ["spare-2"])
    for i in range(3):
        api.delete(f"{PODS}/spare-{i}", 0)
    wait_for("the job is over", lambda: not world.jobs("running"))


def held_for_a_reason(world, cluster, controller):
    """A job whose pods are not all there is held, and its reason is that of
    the moment."""
    api = cluster.api
    controller.add("full", 64, {"tori/shape": "4x4x4"})
    wait_for("the machine is full", lambda: all_bound(api, "full", 64))

    def add(i):
        api.post(PODS, make_pod(f"pair-{i}", {"tori/count": "2"},
                                {"tori/job": "pair"}))

    def held(why):
        job = world.job_named("default/pair")
        return "hold" in job and why in world.tori(
            "why", str(job["id"]), check=False).stdout
    add(0)
    add(1)
    wait_for("it waits", lambda: (job := world.job_named("default/pair"))
             and "hold" not in job)
    api.delete(f"{PODS}/pair-1", 0)
    wait_for("one is gone", lambda: held("1 of 2 are there"))
    api.delete(f"{PODS}/pair-0", 0)
    wait_for("both are gone", lambda: held("its pods are gone"))
    add(0)
    wait_for("one is back", lambda: held("1 of 2 are there"))
    api.patch(f"{PODS}/pair-0/status", {"status": {"phase": "Failed"}})
    wait_for("it has ended", lambda: held("its pods have ended"))
    api.delete(f"{PODS}/pair-0", 0)
    add(0)
    add(1)
    wait_for("it waits again", lambda: "hold" not in world.job_named(
        "default/pair"))
    for i in range(2):
        api.delete(f"{PODS}/pair-{i}", 0)
    # pods that their controller does not replace: its events say so
    controller.add("kept", 2, {"tori/count": "2"})
    wait_for("it waits", lambda: world.job_named("default/kept"))
    with controller.jobs["default", "kept"]["lock"]:
        for i in range(2):
            api.delete(f"{PODS}/kept-{i}-0", 0)
        wait_for("the Job has an event", lambda: (
            "tori: job default/kept is held: its pods are gone"
            in job_events(api, controller, "kept")))
    wait_for("its pods are back", lambda: "hold" not in world.job_named(
        "default/kept"))
    controller.remove("kept")
    controller.remove("full")
    wait_for("the machine is empty", lambda: not world.jobs("running"))


def annotations_change(world, cluster, controller):
    """A job that waits asks for what its pods say now. One that was refused is
    submitted when they are right."""
    api = cluster.api

    def change(pods, **notes):
        for pod in pods:
            api.patch(path_of(pod), {"metadata": {"annotations": {
                f"tori/{key}": value for key, value in notes.items()}}})
    controller.add("full", 64, {"tori/shape": "4x4x4"})
    wait_for("the machine is full", lambda: all_bound(api, "full", 64))
    controller.add("edited", 16, {
        "tori/shape": "4x4x1", "tori/or": "nodes", "tori/patience": "1h",
        "tori/wiring": "mesh"})
    controller.add("later", 16, {"tori/shape": "4x4x1"})
    controller.add("mended", 2, {"tori/shape": "2by1"})
    job = wait_for("it waits", lambda: world.job_named("default/edited"))
    assert (job["shape"], job["alternatives"]) == (
        "4x4x1", [{"count": 16}]), job
    wait_for("the other is refused", lambda: all(
        "is refused: tori/shape" in text
        for text in messages(job_pods(api, "mended")) or [""]))
    first, *others = job_pods(api, "edited")
    change(others, shape="2x2x4", time="3h")
    change(job_pods(api, "mended"), shape="2x1x1")
    wait_for("it is held while they differ", lambda: "hold" in world.job_named(
        "default/edited"))
    wait_for("all pods say so", lambda: sum(
        "its pods do not all have the same tori/shape" in text
        for text in messages(job_pods(api, "edited"))) == 16)
    wait_for("the other is submitted",
             lambda: world.job_named("default/mended"))
    wait_for("the third waits", lambda: world.job_named("default/later"))
    world.kill()
    change(job_pods(api, "later"), shape="2x2x4")
    world.start()
    wait_for("torid has not heard", lambda: world.jobs("running")
             and world.job_named("default/later")["shape"] == "4x4x1")
    controller.remove("full")
    wait_for("the other runs", lambda: all_bound(api, "mended", 2))
    nodes = by_rank(wait_for("the third has the new box, too",
                             lambda: all_bound(api, "later", 16)))
    assert is_box(dict(enumerate(nodes)), (2, 2, 4), (4, 4, 4)), nodes
    change([first], shape="2x2x4", time="3h")  # it starts at once
    nodes = by_rank(wait_for("it has the new box", lambda: all_bound(
        api, "edited", 16)))
    assert is_box(dict(enumerate(nodes)), (2, 2, 4), (4, 4, 4)), nodes
    job = world.job_named("default/edited")
    assert (job["shape"], job["time_limit"], job["wiring"]) == (
        "2x2x4", 10800, "mesh"), job
    assert not job.get("alternatives"), job
    for name in ("edited", "mended", "later"):
        controller.remove(name)
    wait_for("the machine is empty", lambda: not world.jobs("running"))


def reasons_are_limited(world, cluster, controller):
    """Conditions and events are written 20 times a second, after 40 at once.
    However often its sentence changes, a job has three events, and then one in
    30 s."""
    api, proxy = cluster.api, world.proxy
    began = time.monotonic()
    controller.add("full", 64, {"tori/shape": "4x4x4"})
    wait_for("the machine is full", lambda: all_bound(api, "full", 64))
    for name in ("first", "second"):
        controller.add(name, 63, {"tori/shape": "4x4x4"})

    def lose(name, i):  # the sentence has the number of pods
        controller.jobs["default", name]["n"] = i
        api.delete(f"{PODS}/{name}-{i}-0", 0)

    def all_say(words):
        found = messages(job_pods(api, "first") + job_pods(api, "second"))
        return all(words in text for text in found) and len(found) > 120
    wait_for("all say why", lambda: all_say("63 of 64"))
    time.sleep(6)  # within which no condition is written again
    since, changed = len(proxy.requests), time.monotonic()
    lose("first", 62)
    lose("second", 62)
    wait_for("all say why", lambda: all_say("62 of 64"))
    writes = [request.at - changed for request in proxy.requests[since:]
              if request.right() in (("patch", "pods/status"),
                                     ("create", "events"))]
    assert len(writes) >= 124, writes
    assert all(n <= 42 + 20 * at for n, at in enumerate(writes)), writes
    for i in (61, 60, 59, 58):
        lose("first", i)
        wait_for("rank 0 says why", lambda i=i: f"{i} of 64" in messages(
            [api.get(f"{PODS}/first-0-0")])[0])
    found = [event["message"] for event in events_of(api, "first")]
    most = 3 + (time.monotonic() - began) / 30
    assert 2 <= len(set(found)) == len(found) <= most, (most, found)
    assert len(job_events(api, controller, "first")) <= most, most
    for name in ("first", "second", "full"):
        controller.remove(name)
    wait_for("the machine is empty", lambda: not world.jobs("running"))


def nodes_out_of_service(world, cluster, controller):
    """Cordoned and tainted nodes are drained, unless the taint is one that is
    tolerated or a mere preference; nodes that are not ready are down; and a pod
    of another scheduler is avoided."""
    api = cluster.api

    def state(node):
        answer = json.loads(world.tori("nodes", "--json").stdout)
        return {row["node"]: row["state"]
                for row in answer["nodes"]}.get(node)
    cluster.cordon("n0")
    wait_for("0,0,0 is drained", lambda: state("0,0,0") == "drained")
    cluster.set_ready("n1", False)
    wait_for("0,0,1 is down", lambda: state("0,0,1") == "down")
    taint = {"key": "repair", "effect": "NoExecute"}
    cluster.taint("n3", taint)
    wait_for("0,0,3 is drained", lambda: state("0,0,3") == "drained")
    assert "it has the taint repair:NoExecute" in world.tori("nodes").stdout
    for key, effect in (("google.com/tpu", "NoSchedule"),
                        ("soft", "PreferNoSchedule")):
        cluster.taint("n4", {"key": key, "effect": effect})
        time.sleep(0.5)
        assert state("0,1,0") not in ("drained", "down"), key
    foreign = make_pod("foreign", {}, schedulerName="other", nodeName="n2")
    api.post(PODS, foreign)
    wait_for("0,0,2 is drained", lambda: state("0,0,2") == "drained")
    controller.add("rest", 60, {"tori/count": "60", "test/run": "1"})
    nodes = by_rank(wait_for("the others are used",
                             lambda: all_bound(api, "rest", 60)))
    assert not {"n0", "n1", "n2", "n3"} & set(nodes), nodes
    cluster.taint("n3")
    cluster.taint("n4")
    cluster.cordon("n0", False)
    cluster.set_ready("n1", True)
    api.delete(f"{PODS}/foreign", 0)
    for node in ("0,0,0", "0,0,1", "0,0,2", "0,0,3"):
        wait_for(f"{node} serves again", lambda node=node: state(node)
                 not in ("drained", "down"))
    wait_for("the job ends", lambda: not world.jobs("running"))


def label_node(api, name, **labels):
    api.patch(f"/api/v1/nodes/{name}", {"metadata": {"labels": {
        f"tori/{key}": value for key, value in labels.items()}}},
        "merge-patch")


def wrong_labels_harm_no_job(world, cluster, controller):
    """A node that claims the place of another does not get it. One whose own
    label changes keeps its place, drained, until its pods have ended; also if
    tori-kube is started again meanwhile. Each mistake is reported."""
    api = cluster.api

    def row(node):
        answer = json.loads(world.tori("nodes", "--json").stdout)
        return {row["node"]: row for row in answer["nodes"]}.get(node, {})

    def log():
        with open(f"{world.state}/log", encoding="utf-8") as file:
            return file.read()
    controller.add("safe", 32, {"tori/shape": "4x4x2"})
    pods = wait_for("it runs", lambda: all_bound(api, "safe", 32)
                    and world.jobs("running") and job_pods(api, "safe"))
    used = set(by_rank(pods))
    own, other = sorted(used)[:2]
    idle, idle2 = sorted({f"n{i}" for i in range(64)} - used)[:2]
    right = {name: ".".join(map(str, coords(name)))
             for name in (own, other, idle, idle2)}
    place = {name: text.replace(".", ",") for name, text in right.items()}
    label_node(api, idle, node=right[own])
    wait_for("the claim is refused", lambda: f"{idle}: its labels claim "
             f"{place[own]}, where node {own} is" in log())
    wait_for("its own place is down", lambda: row(place[idle]).get("state")
             == "down")
    assert f"node {idle} was there" in row(place[idle]).get("why", ""), row(place[idle])
    for value in ("abc", "9.9.9", right[other], right[idle2], None):
        label_node(api, own, node=value)
        wait_for(f"{own} is drained with {value}", lambda: row(place[own])
                 .get("state") == "drained")
        label_node(api, own, node=right[own])
        wait_for(f"{own} is not any more", lambda: row(place[own]).get(
            "state") not in ("drained", "down"))
    for value in ("abc", "9.9.9"):
        text = f"{own}: label tori/node '{value}' is not coordinates of torus:4x4x4"
        assert log().count(text) == 1, (text, log())
    label_node(api, own, node=right[idle2])
    wait_for("it is drained", lambda: row(place[own]).get("state") == "drained")
    world.kill_bridge()
    time.sleep(1)
    wait_for("tori-kube is back", world.bridge)
    label_node(api, idle, node=right[idle])
    wait_for("the place of the other is up", lambda: row(place[idle]).get(
        "state") not in ("down", "drained"))
    time.sleep(1)
    assert row(place[own]).get("state") == "drained", row(place[own])
    same = job_pods(api, "safe")
    assert ({pod["metadata"]["uid"] for pod in same}
            == {pod["metadata"]["uid"] for pod in pods}), len(same)
    assert [job.get("attempt") for job in world.jobs("running")] == [1], world.jobs()
    controller.remove("safe")
    wait_for("then its place is down", lambda: row(place[own]).get("state")
             == "down")
    label_node(api, own, node=right[own])
    wait_for("all is well again", lambda: not world.jobs("running")
             and row(place[own]).get("state") not in ("down", "drained"))


def dead_node_requeues(world, cluster, controller):
    """The job of a node that dies runs again elsewhere, as the same job."""
    api, kubelets = cluster.api, cluster.players[0]
    controller.add("moved", 8, {"tori/shape": "2x2x2"})
    before = by_rank(wait_for("it runs", lambda: all_bound(api, "moved", 8)))
    wait_for("torid knows", lambda: world.jobs("running"))
    dead = before[3]
    kubelets.dead.add(dead)
    cluster.set_ready(dead, False)

    def again():
        pods = [pod for pod in job_pods(api, "moved")
                if pod["spec"].get("nodeName")]
        return (len(pods) == 8 and dead not in by_rank(pods)
                and sides_of(by_rank(pods)) == [2, 2, 2])
    wait_for("it runs elsewhere", again)
    assert len([job for job in world.jobs()
                if job["name"] == "default/moved"]) == 1
    controller.remove("moved")
    kubelets.dead.clear()
    cluster.set_ready(dead, True)
    for pod in api.pods():
        if "deletionTimestamp" in pod["metadata"]:
            kubelets.plan(kube_cluster.key_of(pod))
    wait_for("all is well again", lambda: not world.jobs("running")
             and not api.pods("labelSelector=job-name=moved"))


def late_replacement(world, cluster, controller):
    """torid starts a job again while none of its pods is there: its controller
    has not replaced any yet. The job waits for them."""
    api = cluster.api
    controller.add("again", 8, {"tori/shape": "2x2x2"})
    wait_for("it runs", lambda: all_bound(api, "again", 8)
             and world.jobs("running"))
    with controller.jobs["default", "again"]["lock"]:
        world.tori("requeue", str(world.job_named("default/again")["id"]))
        wait_for("its pods are gone", lambda: not api.pods(
            "labelSelector=job-name=again"))
        time.sleep(1)
        assert world.job_named("default/again")["state"] != "ended", world.jobs()
    wait_for("it runs again", lambda: all_bound(api, "again", 8)
             and world.jobs("running"))
    assert len([job for job in world.jobs()
                if job["name"] == "default/again"]) == 1
    controller.remove("again")
    wait_for("the machine is empty", lambda: not world.jobs("running"))


def failed_pod_is_replaced(world, cluster, controller):
    """A controller's new pod goes where the failed one was."""
    api = cluster.api
    controller.add("retry", 2, {"tori/shape": "2x1x1", "test/fail": "1"},
                   retries=1)
    pods = wait_for("a pod failed and was replaced", lambda: (
        (pods := job_pods(api, "retry")) and len(pods) == 4
        and all(pod["spec"].get("nodeName") for pod in pods)) and pods)
    places = {}
    for pod in pods:
        index = pod["metadata"]["labels"][
            "batch.kubernetes.io/job-completion-index"]
        places.setdefault(index, set()).add(pod["spec"]["nodeName"])
    assert all(len(nodes) == 1 for nodes in places.values()), places
    wait_for("the job has failed", lambda: (
        (job := world.job_named("default/retry")) and job["state"] == "ended"
        and job["status"] == 7))
    controller.remove("retry")


def succeeded_pods_stay(world, cluster, controller):
    """When a job is requeued, its controller replaces no pod that has
    succeeded. The others run again, in a box; tori-kube may be started again
    meanwhile."""
    api = cluster.api
    controller.add("part", 8, {"tori/shape": "2x2x2"})
    pods = wait_for("it runs", lambda: all_bound(api, "part", 8)
                    and world.jobs("running") and job_pods(api, "part"))
    early = {0, 1, 2, 3, 6}  # those that have the nodes of all, and one more
    for pod in pods:
        if int(pod["metadata"]["annotations"]["tori/rank"]) in early:
            api.patch(path_of(pod), {"metadata": {"annotations": {
                "test/run": "0"}}})
    wait_for("some succeed", lambda: sum(
        pod["status"].get("phase") == "Succeeded"
        for pod in job_pods(api, "part")) == len(early))
    world.tori("requeue", str(world.job_named("default/part")["id"]))

    def again():
        late = [pod for pod in job_pods(api, "part")
                if pod["status"].get("phase") != "Succeeded"]
        return (len(late) == 8 - len(early)
                and {pod["metadata"]["uid"] for pod in late}.isdisjoint(
                    pod["metadata"]["uid"] for pod in pods)
                and all(pod["spec"].get("nodeName") for pod in late) and late)
    wait_for("the others run", again)
    for restart in (world.kill_bridge, lambda: None):
        wait_for("torid knows", lambda: world.jobs("running"))
        restart()
    for pod in again():
        api.patch(path_of(pod), {"metadata": {"annotations": {
            "test/run": "0"}}})
    wait_for("it ends well, as one job", lambda: [
        (job["state"], job.get("status")) for job in world.jobs()
        if job["name"] == "default/part"] == [("ended", 0)])
    controller.remove("part")


def cancelled_in_torid(world, cluster, controller):
    """`tori cancel` deletes the pods, and those that replace them wait."""
    api = cluster.api
    controller.add("unwanted", 4, {"tori/shape": "2x2x1"})
    wait_for("it runs", lambda: all_bound(api, "unwanted", 4)
             and world.jobs("running"))
    world.tori("cancel", str(world.job_named("default/unwanted")["id"]))
    wait_for("new pods hear that", lambda: any(
        "cancelled" in condition.get("message", "")
        for pod in job_pods(api, "unwanted")
        for condition in pod.get("status", {}).get("conditions", [])))
    assert not any(pod["spec"].get("nodeName")
                   for pod in job_pods(api, "unwanted"))
    controller.remove("unwanted")


def limit_ends_pods(world, cluster, controller):
    api = cluster.api
    controller.add("short", 2, {"tori/shape": "2x1x1", "tori/time": "2s"})
    wait_for("its time is over", lambda: (
        (job := world.job_named("default/short")) and job["state"] == "ended"
        and job["why"] == "time limit"))
    assert all(pod["status"]["phase"] == "Failed"
               for pod in job_pods(api, "short"))
    controller.remove("short")


def leaders_and_sets(world, cluster, controller):
    """Pods of a LeaderWorkerSet and of a JobSet, by their labels."""
    api = cluster.api
    lws = "leaderworkerset.sigs.k8s.io/"
    for i in range(3):
        api.post(PODS, make_pod(
            f"lws-{i}", {f"{lws}size": "3", "test/run": "0.5"},
            {f"{lws}name": "serve", f"{lws}group-index": "0",
             f"{lws}worker-index": str(i), "test": "lws"}))
    js = "jobset.sigs.k8s.io/"
    for job in (1, 0):
        for i in range(2):
            api.post(PODS, make_pod(
                f"set-{job}-{i}", {"tori/shape": "1x2x2", "test/run": "0.5"},
                {f"{js}jobset-name": "set", f"{js}replicatedjob-name": "w",
                 f"{js}job-index": str(job), "test": "set",
                 "batch.kubernetes.io/job-completion-index": str(i)}))
    for name, order in (("lws", ["lws-0", "lws-1", "lws-2"]),
                        ("set", ["set-0-0", "set-0-1", "set-1-0",
                                 "set-1-1"])):
        pods = wait_for(f"{name} is bound", lambda name=name, order=order: (
            (pods := job_pods(api, name, "test")) and len(pods) == len(order)
            and all(pod["spec"].get("nodeName") for pod in pods)) and pods)
        ranks = {pod["metadata"]["annotations"]["tori/rank"]:
                 pod["metadata"]["name"] for pod in pods}
        assert [ranks[str(i)] for i in range(len(order))] == order, ranks
    wait_for("both end", lambda: not world.jobs("running"))


def render(release="tori", **values):
    """The chart, by helm ($HELM, or the one that is installed), or by the
    same engine of Go; None without either."""
    chart = f"{DEPLOY}/helm/tori"
    helm = os.environ.get("HELM") or shutil.which("helm")
    if helm:
        words = [helm, "template", release, chart, "--namespace", "tori",
                 *(word for name, value in values.items() for word in (
                     "--set", f"{name}={str(value).replace('True', 'true')}"))]
        text = None
    elif shutil.which("go"):
        with open(f"{chart}/values.yaml", encoding="utf-8") as file:
            values = {**yaml.safe_load(file), **values}
        words = ["go", "run", f"{DEPLOY}/../tests/system/kube_chart.go",
                 f"{chart}/templates/tori.yaml"]
        text = json.dumps({"Values": values, "Release": {
            "Name": release, "Namespace": "tori"}})
    else:
        return None
    done = subprocess.run(words, input=text, text=True, check=True,
                          stdout=subprocess.PIPE)
    return [thing for thing in yaml.safe_load_all(done.stdout) if thing]


def manifests_are_accepted(world, cluster, controller):
    """The server itself checks the manifests, and the chart is the same."""
    plain = deployment("gke-slices.yaml", "kueue.yaml")
    cluster.apply([thing for thing in plain
                   if thing["kind"] in ("ConfigMap", "Service", "StatefulSet")],
                  dry=True)
    named = {thing["metadata"]["name"] for thing in plain
             if thing["kind"] == "Service"}
    pod, = [thing["spec"] for thing in plain if thing["kind"] == "StatefulSet"]
    assert pod["serviceName"] in named, named
    apart = pod["template"]["spec"]["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert {"key": "tori/node", "operator": "DoesNotExist"} in apart[0][
        "matchExpressions"], apart
    container, = pod["template"]["spec"]["containers"]
    assert set(container["resources"]["requests"]) == {"cpu", "memory"}
    for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
        program, *words = container[kind]["exec"]["command"]
        assert program == "tori" and world.tori(*words).returncode == 0, kind
    config, = [thing["data"]["torid.conf"] for thing in plain
               if thing["kind"] == "ConfigMap"]
    check_settings(cluster, config, {})
    for values, files in (
            ({}, []), ({"gkeSlices": True}, ["gke-slices.yaml"]),
            ({"kueue": True, "options": "--nodes 'n[0-63]'",
              "machine": "torus:4x4x4"}, ["kueue.yaml"])):
        rendered = render(**values)
        if rendered is None:
            print("# the chart is not rendered: there is neither helm nor go")
            return
        plain = {(thing["kind"], thing["metadata"]["name"]): thing
                 for thing in deployment(*files)
                 if thing["kind"] != "Namespace"}  # which helm makes
        for thing in rendered:
            same = plain.pop((thing["kind"], thing["metadata"]["name"]))
            if thing["kind"] == "ConfigMap":
                text = thing["data"]["torid.conf"]
                assert "tori-kube --scheduler tori" in text, text
                check_settings(cluster, text, values)
            else:
                assert thing == same, thing
        assert not plain, plain
    check_names(render("blue", gkeSlices=True, kueue=True))


def check_names(things):
    """Two releases do not share a name, and each names what it has itself."""
    names = {kind: {thing["metadata"]["name"] for thing in things
                    if thing["kind"] == kind}
             for kind in {thing["kind"] for thing in things}}
    assert all(name.startswith("blue") for some in names.values()
               for name in some), names
    for thing in things:
        if thing["kind"] == "ClusterRoleBinding":
            assert thing["roleRef"]["name"] in names["ClusterRole"], thing
            assert {subject["name"] for subject in thing["subjects"]
                    } == names["ServiceAccount"], thing
        elif thing["kind"] == "Service":
            service = thing["spec"]["selector"]
    spec, = [thing["spec"] for thing in things
             if thing["kind"] == "StatefulSet"]
    pod = spec["template"]
    assert {spec["serviceName"]} == names["Service"], spec
    assert {pod["spec"]["serviceAccountName"]} == names["ServiceAccount"]
    assert service == spec["selector"]["matchLabels"] == pod["metadata"][
        "labels"], spec
    assert {volume["configMap"]["name"] for volume in pod["spec"]["volumes"]
            if "configMap" in volume} == names["ConfigMap"], pod


def check_settings(cluster, text, values):
    """torid takes the settings of the chart."""
    for value in values.values():
        assert value is True or value in text, text
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(text.replace("/var/lib/tori", cluster.directory))
        file.flush()
        subprocess.run([f"{BUILD}/torid", "--check", "--config", file.name],
                       env={**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"},
                       check=True, stdout=subprocess.DEVNULL)


def token_is_replaced(world, cluster, controller):
    """The file has a new one; tori-kube reads it again every 10 s."""
    cluster.use_token(cluster.make_token("tori", "tori"))
    cluster.rotated = time.monotonic()


def token_is_revoked(world, cluster, controller):
    """The server remembers tokens for 10 s."""
    time.sleep(max(0, cluster.rotated + 11 - time.monotonic()))
    cluster.api.delete("/api/v1/namespaces/tori/secrets/first")
    cluster.rotated = time.monotonic()


def token_rotates(world, cluster, controller):
    """The old token is of no use, and the new one is."""
    time.sleep(max(0, cluster.rotated + 11 - time.monotonic()))
    controller.add("later", 2, {"tori/shape": "2x1x1", "test/run": "0.2"})
    wait_for("a job runs with the new token", lambda: (
        (job := world.job_named("default/later")) and job["state"] == "ended"
        and job["status"] == 0))
    stranger = kube_cluster.Api(cluster.port, cluster.ca, cluster.first)
    try:
        stranger.pods()
        raise AssertionError("the old token is still good")
    except Refused as error:
        assert error.code == 401, error


def least_rights(world, cluster, controller):
    """The account may do no more than it needs."""
    api = kube_cluster.Api(cluster.port, cluster.ca,
                           cluster.make_token("tori", "tori"))
    for method, path in (("GET", "/api/v1/secrets"),
                         ("GET", "/api/v1/namespaces/tori/configmaps"),
                         ("POST", PODS),
                         ("PATCH", "/api/v1/nodes/n0"),
                         ("DELETE", "/api/v1/nodes/n0"),
                         ("GET", "/apis/apps/v1/deployments")):
        try:
            api.send(method, path, {} if method == "POST" else None,
                     "application/merge-patch+json"
                     if method == "PATCH" else "application/json")
            raise AssertionError(f"{method} {path} was allowed")
        except Refused as error:
            assert error.code == 403, error


def bad_options_are_refused(world, cluster, controller):
    """One line, and status 2."""
    for words, why in (
            ("", "--machine KIND:SIZES is missing"),
            ("--machine mesh:2", "--server URL is missing"),
            ("--machine mesh:2 --server http://x", "expected https://"),
            ("--machine mesh:2 --server https://x --nodes n[0-2]", "3 nodes"),
            ("--machine nope", "unknown machine")):
        done = subprocess.run([f"{BUILD}/tori-kube", *words.split()],
                              stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, check=False)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done
        assert why in done.stderr, done


def in_a_pod(world, cluster, controller):
    """In a pod, tori-kube finds the API server, its certificates and the token
    where Kubernetes puts them."""
    place = "/run/secrets/kubernetes.io/serviceaccount"
    words = ["unshare", "--mount", "sh", "-ec", f"""
        mount -t tmpfs none /run
        mkdir -p {place}
        cp {cluster.ca} {place}/ca.crt
        cp {cluster.token_file} {place}/token
        exec {BUILD}/tori-kube --machine torus:4x4x4 --scheduler nobody"""]
    if subprocess.run(["unshare", "--mount", "true"], check=False,
                      stderr=subprocess.DEVNULL).returncode:
        print("# not tried, because it needs a mount of its own")
        return
    with subprocess.Popen(
            words, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            preexec_fn=kube_cluster.die_with_parent,
            env={**os.environ, "KUBERNETES_SERVICE_HOST": "127.0.0.1",
                 "KUBERNETES_SERVICE_PORT": str(cluster.port)}) as bridge:
        try:
            bridge.stdin.write('{"do": "list"}\n')
            bridge.stdin.flush()
            # it answers when it knows all nodes and pods
            heard = next((line for line in bridge.stdout
                          if json.loads(line)["is"] in ("running", "trouble")),
                         "nothing")
            assert '"running"' in heard, heard
        finally:
            bridge.stdin.close()
            bridge.kill()


CASES = [token_is_replaced, bad_options_are_refused, manifests_are_accepted,
         least_rights, in_a_pod, indexed_job_gets_a_box, turned_box_keeps_ranks,
         something_else_will_do, all_or_none, why_it_waits, token_is_revoked, impossible_is_refused,
         one_pod_too_many, held_for_a_reason, annotations_change,
         reasons_are_limited,
         nodes_out_of_service, wrong_labels_harm_no_job, dead_node_requeues, late_replacement,
         failed_pod_is_replaced,
         succeeded_pods_stay, cancelled_in_torid, limit_ends_pods, leaders_and_sets,
         *kube_faults.FAULTS, token_rotates, kube_faults.rights_are_needed]
TOGETHER = [token_is_replaced, token_is_revoked, token_rotates]


def deployment(*files):
    things = []
    for name in ("kubernetes.yaml", *files):
        with open(f"{DEPLOY}/{name}", encoding="utf-8") as file:
            things += yaml.safe_load_all(file)
    return things


def install(cluster, *files):
    """The account and the rights of the manifests, for tori-kube."""
    cluster.apply([thing for thing in deployment(*files) if thing["kind"]
                   in ("Namespace", "ServiceAccount", "ClusterRole",
                       "ClusterRoleBinding", "AdmissionCheck")])
    cluster.first = cluster.make_token("tori", "tori", "first")
    cluster.use_token(cluster.first)


def main():
    why = kube_cluster.missing()
    if yaml is None:
        why = "python3-yaml is missing"
    if why:
        print(f"1..0 # SKIP {why}")
        return 0
    cases = [case for case in CASES if not sys.argv[2:]
             or case.__name__ in sys.argv[2:]
             or (case in TOGETHER and token_rotates.__name__ in sys.argv[2:])]
    print(f"1..{len(cases)}")
    failed = 0
    # Versions of pods that etcd has forgotten are forgotten by the server.
    with (kube_cluster.Cluster(options=["--watch-cache-sizes=pods#0"])
          as cluster, Proxy(cluster) as proxy):
        cluster.make_nodes("torus:4x4x4")
        cluster.api.post("/api/v1/namespaces", {
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": "mallory"}})
        install(cluster)
        cluster.play_kubelets()
        controller = cluster.play_controller()
        with World(cluster, options="--tolerate google.com/tpu",
                   proxy=proxy) as world:
            for i, case in enumerate(cases):
                name = re.sub("_", " ", case.__name__)
                began = time.monotonic()
                try:
                    case(world, cluster, controller)
                    print(f"ok {i + 1} - {name} # "
                          f"{time.monotonic() - began:.1f} s", flush=True)
                except (AssertionError, Refused, OSError, KeyError,
                        subprocess.CalledProcessError) as error:
                    failed += 1
                    text = repr(error).replace("\n", " ")[:1500]
                    print(f"not ok {i + 1} - {name}\n# {text}", flush=True)
                    raise
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
