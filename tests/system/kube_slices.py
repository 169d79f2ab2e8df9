#!/usr/bin/env python3
"""Usage: kube_slices.py BUILD-DIRECTORY [CASE...]

tori-kube --gke-slices with a real API server and etcd, in TAP. The definition
of Slices is written from what GKE has published about them, and the slice
controller is played: it refuses what GKE refuses, takes its time, and fails
where a case wants that. Skipped without a kube-apiserver.
"""
import itertools
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

import kube
import kube_cluster
from kube_cluster import Refused
from kube_proxy import Proxy
from kube_world import (BUILD, World, all_bound, by_rank, job_pods, messages,
                        wait_for)

SLICES = "/apis/accelerator.gke.io/v1beta1/slices"
CLOUD = "cloud.google.com/gke-tpu-"
ID, STATE = f"{CLOUD}partition-4x4x4-id", f"{CLOUD}partition-4x4x4-state"
FINALIZER = "accelerator.gke.io/slice-finalizer"
CUBES, SIDES = 6, (2, 2, 4)

CONDITION = {"type": "object", "required": ["type", "status"], "properties": {
    word: {"type": "string"} for word in (
        "type", "status", "reason", "message", "lastTransitionTime")}}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "slices.accelerator.gke.io"},
    "spec": {
        "group": "accelerator.gke.io", "scope": "Cluster",
        "names": {"plural": "slices", "singular": "slice", "kind": "Slice",
                  "listKind": "SliceList"},
        "versions": [{
            "name": "v1beta1", "served": True, "storage": True,
            "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {
                "type": "object", "required": ["spec"], "properties": {
                    "spec": {
                        "type": "object",
                        "required": ["type", "topology", "partitionIds"],
                        "properties": {
                            "type": {"type": "string",
                                     "enum": ["v6e", "tpu7x"]},
                            "topology": {"type": "string", "pattern":
                                         r"^\d+x\d+(x\d+)?$"},
                            "partitionIds": {
                                "type": "array", "minItems": 1,
                                "items": {"type": "string"}}}},
                    "status": {"type": "object", "properties": {
                        "conditions": {"type": "array",
                                       "items": CONDITION}}}}}}}]}}


def version_of(thing):
    return int(thing["metadata"]["resourceVersion"])


class SliceController(threading.Thread):
    """Plays GKE's slice controller, and notes what it would not accept, and
    pods that were bound before their slice was ready."""

    def __init__(self, api, nodes):
        super().__init__(daemon=True)
        self.api, self.nodes = api, nodes  # of each partition
        self.ended = threading.Event()
        self.forming = self.leaving = 0.2  # seconds that it takes
        self.failing, self.degraded = set(), set()  # partitions
        self.labelling = True
        self.slices, self.since = {}, {}
        self.made = {}   # by identity: the name, of all that ever were
        self.ready = {}  # by name: the version with which it was ready
        self.wrong = []
        self.others = [threading.Thread(target=work, daemon=True)
                       for work in (self.follow_slices, self.follow_pods)]

    def follow_slices(self):
        for kind, thing in self.api.watch(SLICES, self.ended):
            if kind == "SYNC":
                self.slices = {one["metadata"]["name"]: one
                               for one in thing["items"]}
                for one in thing["items"]:
                    self.note(one)
            elif kind == "DELETED":
                self.slices.pop(thing["metadata"]["name"], None)
            elif thing:
                self.note(thing)
                self.slices[thing["metadata"]["name"]] = thing

    def note(self, one):
        name, uid = one["metadata"]["name"], one["metadata"]["uid"]
        if name in self.made.values() and self.made.get(uid) != name:
            self.wrong.append(f"{name} was made twice")
        self.made[uid] = name

    def follow_pods(self):
        bound = {}
        for kind, thing in self.api.watch("/api/v1/pods", self.ended):
            for pod in (thing["items"] if kind == "SYNC"
                        else [thing] if thing else []):
                uid = pod["metadata"]["uid"]
                if not pod["spec"].get("nodeName") or uid in bound:
                    continue
                bound[uid] = version_of(pod)
                name = pod["metadata"]["annotations"].get("tori/slice")
                if name and self.ready.get(name, 1 << 62) > bound[uid]:
                    self.wrong.append(f"{uid} was bound before {name}")

    def run(self):
        for thread in self.others:
            thread.start()
        while not self.ended.wait(0.05):
            for one in list(self.slices.values()):
                try:
                    self.act(one)
                except Refused as error:
                    if error.code in (400, 403, 422):
                        self.wrong.append(repr(error))
                except OSError:
                    pass

    def set_condition(self, one, reason, message="", status="False"):
        return self.api.patch(
            f"{SLICES}/{one['metadata']['name']}/status",
            {"status": {"conditions": [{
                "type": "Ready", "status": status, "reason": reason,
                "message": message or "as published",
                "lastTransitionTime": "2026-01-01T00:00:00Z"}]}},
            "merge-patch")

    def label(self, one, name, topology):
        if not self.labelling:
            return
        for part in one["spec"]["partitionIds"]:
            for node in self.nodes.get(part, ()):
                self.api.patch(f"/api/v1/nodes/{node}", {
                    "metadata": {"labels": {
                        f"{CLOUD}slice": name,
                        f"{CLOUD}topology": topology}}}, "merge-patch")

    def fault(self, one):
        """What GKE's rules say against it."""
        name, spec = one["metadata"]["name"], one["spec"]
        sides = [int(side) for side in spec["topology"].split("x")]
        parts = spec["partitionIds"]
        chips = sides[0] * sides[1] * sides[2]
        if (len(name) > 49 or spec["type"] != "tpu7x"
                or not re.fullmatch("[a-z]([-a-z0-9]*[a-z0-9])?", name)):
            return f"bad name or type: {one}"
        if (len(sides) != 3 or sides != sorted(sides) or chips > 9216
                or any(side % 4 for side in sides)
                or len(parts) != chips // 64 or len(set(parts)) != len(parts)
                or not set(parts) <= set(self.nodes)):
            return f"bad topology or partitions: {spec}"
        for other in list(self.slices.values()):
            if (other["metadata"]["name"] != name
                    and version_of(other) < version_of(one)
                    and set(parts) & set(other["spec"]["partitionIds"])):
                return f"{name} wants cubes of {other['metadata']['name']}"
        return None

    def act(self, one):
        meta, parts = one["metadata"], set(one["spec"]["partitionIds"])
        path = f"{SLICES}/{meta['name']}"
        conditions = one.get("status", {}).get("conditions", [])
        reason = conditions[0]["reason"] if conditions else None
        now = time.monotonic()
        if "deletionTimestamp" in meta:
            if reason != "DEACTIVATING":
                self.since[meta["uid"], "end"] = now
                self.set_condition(one, "DEACTIVATING")
            elif now - self.since.setdefault((meta["uid"], "end"),
                                             now) > self.leaving:
                self.label(one, None, None)
                self.api.patch(path, {"metadata": {"finalizers": []}},
                               "merge-patch")
            return
        began = self.since.setdefault(meta["uid"], now)
        if not conditions:
            fault = self.fault(one)
            if fault:
                self.wrong.append(fault)
            self.api.patch(path, {"metadata": {"finalizers": [FINALIZER]}},
                           "merge-patch")
            self.set_condition(one, "SliceCreationFailed" if fault
                               else "ACTIVATING", fault or "")
        elif reason == "ACTIVATING" and now - began > self.forming:
            if parts & self.failing:
                self.set_condition(one, "FAILED", "links do not train")
                return
            self.label(one, meta["name"], one["spec"]["topology"])
            self.ready[meta["name"]] = version_of(one)
            self.set_condition(
                one, "ACTIVE_DEGRADED" if parts & self.degraded else "ACTIVE",
                "", "True")


class Site:
    """What all cases need."""

    def __init__(self, world, cluster, controller, slices):
        self.world, self.cluster, self.api = world, cluster, cluster.api
        self.controller, self.slices = controller, slices

    def add(self, name, shape, run=None, **spec):
        sides = [int(side) for side in shape.split("x")]
        n = sides[0] * sides[1] * sides[2]
        notes = {"tori/shape": shape}
        if run is not None:
            notes["test/run"] = str(run)
        self.controller.add(name, n, notes, **spec)
        return n

    def runs(self, name, n):
        return wait_for(f"{name} runs", lambda: all_bound(self.api, name, n))

    def cubes_of(self, pods):
        return {int(node[1:]) // 16 for node in by_rank(pods)}

    def states(self):
        """The state of each cube, None if its nodes differ."""
        answer = json.loads(self.world.tori("nodes", "--json").stdout)
        found = {}
        for row in answer["nodes"]:
            words = re.match(r"(\d+)[,/](.*)", row["node"])
            found.setdefault(int(words[1]), []).append(row["state"])
        return {cube: states[0] for cube, states in found.items()
                if len(set(states)) == 1}

    def wait_state(self, cube, state):
        wait_for(f"cube {cube} is {state}",
                 lambda: self.states().get(cube) == state)

    def all_serve(self):
        return not any(state in ("down", "drained")
                       for state in self.states().values())

    def end(self, *names):
        for name in names:
            self.controller.remove(name)
        wait_for("no slice is left", lambda: not self.api.get(SLICES)["items"]
                 and not self.world.jobs("running"))
        wait_for("all cubes serve", self.all_serve)

    def label_cube(self, cube, state):
        for i in range(16 * cube, 16 * cube + 16):
            self.api.patch(f"/api/v1/nodes/n{i}", {
                "metadata": {"labels": {STATE: state}}}, "merge-patch")


# ---- cases ----

def job_gets_a_slice(site):
    """The pods are bound when it is ready, in the order of one box, and it is
    deleted after them."""
    n = site.add("train", "2x2x8", run=1, nodeSelector={
        f"{CLOUD}topology": "4x4x8", f"{CLOUD}accelerator": "tpu7x"})
    pods = site.runs("train", n)
    one, = site.slices.slices.values()
    cubes = [int(part[1:]) for part in one["spec"]["partitionIds"]]
    assert one["spec"]["topology"] == "4x4x8", one
    assert one["metadata"]["labels"]["tori/scheduler"] == "tori", one
    assert {pod["metadata"]["annotations"]["tori/slice"]
            for pod in pods} == {one["metadata"]["name"]}
    places = [(cubes[z // 4], x, y, z % 4) for x, y, z in
              itertools.product(range(2), range(2), range(8))]
    assert by_rank(pods) == [f"n{16 * c + 8 * x + 4 * y + z}"
                             for c, x, y, z in places], by_rank(pods)
    wait_for("the job ends well", lambda: (
        (job := site.world.job_named("default/train"))["state"] == "ended"
        and job["status"] == 0))
    site.end("train")


def slow_slice_is_waited_for(site):
    """The pods say so. Cubes of a slice that goes slowly are drained."""
    site.slices.forming = site.slices.leaving = 1000
    n = site.add("slow", "2x4x4")
    text = wait_for("the condition says why", lambda: next(
        (text for text in messages(job_pods(site.api, "slow"))
         if "ACTIVATING" in text), None))
    assert "waits: slice tori-" in text, text
    assert not any(pod["spec"].get("nodeName")
                   for pod in job_pods(site.api, "slow"))
    site.slices.forming = 0.2
    cubes = site.cubes_of(site.runs("slow", n))
    site.controller.remove("slow")
    for cube in cubes:
        site.wait_state(cube, "drained")
    site.slices.leaving = 0.2
    site.end()


def partition_states(site):
    """UNHEALTHY is down; UNSET and INCOMPLETE are drained; DEGRADED serves."""
    for cube, state, expected in ((0, "UNHEALTHY", "down"),
                                  (1, "UNSET", "drained"),
                                  (2, "INCOMPLETE", "drained")):
        site.label_cube(cube, state)
        site.wait_state(cube, expected)
    site.label_cube(3, "DEGRADED")
    site.slices.degraded = {"p3"}
    n = site.add("rest", "2x2x12")
    assert site.cubes_of(site.runs("rest", n)) == {3, 4, 5}
    one, = site.slices.slices.values()
    assert one["status"]["conditions"][0]["reason"] == "ACTIVE_DEGRADED", one
    for cube in range(4):
        site.label_cube(cube, "HEALTHY")
    site.slices.degraded = set()
    site.end("rest")


def unhealthy_cube_moves_its_job(site):
    n = site.add("moved", "2x2x8")
    before = site.cubes_of(site.runs("moved", n))
    wait_for("torid knows", lambda: site.world.jobs("running"))
    bad = min(before)
    site.label_cube(bad, "UNHEALTHY")
    wait_for("it runs elsewhere", lambda: (
        (pods := all_bound(site.api, "moved", n))
        and bad not in site.cubes_of(pods)))
    assert len([job for job in site.world.jobs()
                if job["name"] == "default/moved"]) == 1
    site.label_cube(bad, "HEALTHY")
    site.end("moved")


def slice_that_fails_is_tried_elsewhere(site):
    """No pod was bound, and its cubes are left alone for a while."""
    site.slices.failing = {"p0"}
    n = site.add("failing", "2x2x4")
    pods = site.runs("failing", n)
    assert site.cubes_of(pods) != {0}
    assert len([name for name in site.slices.made.values()]) > 1
    site.slices.failing = set()
    site.end("failing")


def active_slice_fails(site):
    """Its job runs again, as the same job, with another slice."""
    n = site.add("broken", "2x2x4")
    before = site.cubes_of(site.runs("broken", n))
    wait_for("torid knows", lambda: site.world.jobs("running"))
    one, = site.slices.slices.values()
    site.slices.set_condition(one, "FAILED", "a link is gone")
    wait_for("it runs elsewhere", lambda: (
        (pods := all_bound(site.api, "broken", n))
        and site.cubes_of(pods) != before))
    assert len([job for job in site.world.jobs()
                if job["name"] == "default/broken"]) == 1
    site.end("broken")


def stranger_deletes_slices(site):
    """While it is formed, and while its job runs."""
    site.slices.forming = 1000
    n = site.add("robbed", "2x2x8")
    first = wait_for("there is a slice", lambda: next(
        iter(site.slices.slices.values()), None))
    site.api.delete(f"{SLICES}/{first['metadata']['name']}")
    site.slices.forming = 0.2
    pods = site.runs("robbed", n)
    second = pods[0]["metadata"]["annotations"]["tori/slice"]
    assert second != first["metadata"]["name"]
    wait_for("torid knows", lambda: site.world.jobs("running"))
    site.api.delete(f"{SLICES}/{second}")
    wait_for("it runs with a third", lambda: (
        (pods := all_bound(site.api, "robbed", n))
        and pods[0]["metadata"]["annotations"]["tori/slice"] != second))
    site.end("robbed")


def slices_of_others_are_avoided(site):
    site.api.post(SLICES, {
        "apiVersion": "accelerator.gke.io/v1beta1", "kind": "Slice",
        "metadata": {"name": "foreign"},
        "spec": {"type": "tpu7x", "topology": "4x4x4",
                 "partitionIds": ["p1"]}})
    site.wait_state(1, "drained")
    n = site.add("beside", "2x2x20")
    assert site.cubes_of(site.runs("beside", n)) == {0, 2, 3, 4, 5}
    site.controller.remove("beside")
    wait_for("only the foreign one is left", lambda: [
        one["metadata"]["name"] for one in site.api.get(SLICES)["items"]
    ] == ["foreign"])
    site.api.delete(f"{SLICES}/foreign")
    site.end()


def slice_that_is_never_ready(site):
    """--slice-time is over: the job is taken back, and tried elsewhere."""
    site.slices.forming = 1000
    n = site.add("late", "2x2x4")
    first = wait_for("there is a slice", lambda: next(
        iter(site.slices.slices.values()), None))["metadata"]["name"]
    wait_for("there is another", lambda: any(
        name != first for name in site.slices.slices))
    site.slices.forming = 0.2
    site.runs("late", n)
    with open(f"{site.world.state}/log", encoding="utf-8") as log:
        assert "it is not ready in time" in log.read()
    site.end("late")


def labels_come_before_pods(site):
    """A kubelet would refuse a pod whose node lacks what it selects."""
    site.slices.labelling = False
    n = site.add("chosen", "2x2x4", nodeSelector={f"{CLOUD}topology": "4x4x4"})
    one = wait_for("the slice is active", lambda: next(
        (one for one in site.slices.slices.values()
         if one.get("status", {}).get("conditions", [{}])[0].get("reason")
         == "ACTIVE"), None))
    wait_for("the condition says why", lambda: any(
        "nodeSelector" in text
        for text in messages(job_pods(site.api, "chosen"))))
    assert not any(pod["spec"].get("nodeName")
                   for pod in job_pods(site.api, "chosen"))
    site.slices.labelling = True
    site.slices.label(one, one["metadata"]["name"], "4x4x4")
    site.runs("chosen", n)
    site.end("chosen")


def jobs_that_are_no_slices(site):
    for name, notes, n, words in (
            ("small", {"tori/shape": "2x2x2"}, 8, "whole cubes of 2x2x4"),
            ("counted", {"tori/count": "16"}, 16, "whole cubes of 2x2x4"),
            ("mesh", {"tori/shape": "2x2x4", "tori/wiring": "mesh"}, 16,
             "joins cubes to a torus"),
            ("folded", {"tori/shape": "2x2x4", "tori/fold": "rings"}, 16,
             "no folded slices"),
            ("either", {"tori/shape": "2x2x4", "tori/or": "nodes"}, 16,
             "a slice of GKE has the shape that is asked for")):
        site.controller.add(name, n, notes)
        wait_for(f"{name} hears why", lambda name=name, words=words: any(
            words in text for text in messages(job_pods(site.api, name))))
        site.controller.remove(name)
    assert not site.api.get(SLICES)["items"]


def restarts_leave_no_slice(site):
    """tori-kube is killed at random moments, torid and the API server once:
    every job runs to its end, no slice is made twice, none is left."""
    chance = random.Random(7)
    site.slices.forming = site.slices.leaving = 0.5
    names = [f"kill{i}" for i in range(8)]
    for i, name in enumerate(names):
        site.add(name, chance.choice(["2x2x4", "2x2x8", "4x4x4"]), run=0.5)
        time.sleep(chance.random() * 0.7)
        site.world.kill_bridge()
        if i == 3:
            site.world.kill()
            site.world.start()
        if i == 5:
            site.cluster.kill("kube-apiserver")
            site.cluster.start_server()
            site.cluster.wait_ready()
    for name in names:
        wait_for(f"{name} ends well", lambda name=name: (
            (job := site.world.job_named(f"default/{name}"))
            and job["state"] == "ended" and job["status"] == 0))
    site.slices.forming = site.slices.leaving = 0.2
    site.end(*names)


def ended_between_jobs(site):
    """Slices whose jobs ended while tori-kube was away are deleted."""
    n = site.add("gone", "2x2x8")
    site.runs("gone", n)
    site.world.kill()
    site.controller.remove("gone")
    assert site.api.get(SLICES)["items"]
    site.world.start()
    site.end()


def chips_as_nodes(site):
    """pod:2/4x4x4: a node for each chip, beside the other machine."""
    with tempfile.NamedTemporaryFile("w", suffix=".map") as file:
        for i, (cube, *at) in enumerate(itertools.product(
                range(2), range(4), range(4), range(4))):
            site.cluster.make_node(f"m{i}", {ID: f"q{cube}",
                                             STATE: "HEALTHY"})
            site.slices.nodes.setdefault(f"q{cube}", []).append(f"m{i}")
            file.write(f"m{i} {cube},{','.join(map(str, at))}\n")
        file.flush()
        with World(site.cluster, "pod:2/4x4x4", "--gke-slices --scheduler "
                   f"tori2 --map {file.name}") as other:
            site.add("chips", "4x8x4", run=0.5, schedulerName="tori2")
            wait_for("it ends well", lambda: (
                (job := other.job_named("default/chips"))
                and job["state"] == "ended" and job["status"] == 0))
            wait_for("no slice is left",
                     lambda: not site.api.get(SLICES)["items"])
    nodes = by_rank(job_pods(site.api, "chips"))
    assert {int(node[1:]) // 64 for node in nodes} == {0, 1}, nodes
    site.controller.remove("chips")


def bad_options_are_refused(site):
    for machine in ("torus:4x4x4", "pod:2/4x4", "pod:2/8x4x4"):
        done = subprocess.run(
            [f"{BUILD}/tori-kube", "--machine", machine, "--server",
             "https://localhost:1", "--gke-slices"], text=True,
            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done
        assert "--gke-slices: expected a machine" in done.stderr, done


def rights_are_needed(site):
    """Of slices, all that was asked for in all cases is what the role of
    gke-slices.yaml allows, neither more nor less. The rest is allowed by
    kubernetes.yaml; nothing was forbidden, and other things are."""
    requests = site.world.proxy.requests
    allowed = {name: {(verb, resource) for rule in site.api.get(
        f"/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}")["rules"]
                      for verb in rule["verbs"]
                      for resource in rule["resources"]}
               for name in ("tori-kube", "tori-kube-slices")}
    used = {request.right() for request in requests}
    slices = {right for right in used if right[1].startswith("slices")}
    assert slices == allowed["tori-kube-slices"], slices
    assert used - slices <= allowed["tori-kube"], used
    # a server that has just been started forbids what its roles allow, for a
    # moment
    done = {request.right() for request in requests
            if request.code and request.code < 300}
    forbidden = [request.path for request in requests
                 if request.code == 401
                 or (request.code == 403 and request.right() not in done)]
    assert not forbidden, forbidden
    account = kube_cluster.Api(site.cluster.port, site.cluster.ca,
                               site.cluster.make_token("tori", "tori"))
    for method, path in (("GET", f"{SLICES}/any"),
                         ("PATCH", f"{SLICES}/any"),
                         ("PATCH", f"{SLICES}/any/status"),
                         ("DELETE", SLICES),
                         ("PATCH", "/api/v1/nodes/n0"),
                         ("GET", "/api/v1/secrets"),
                         ("GET", "/apis/apiextensions.k8s.io/v1/"
                                 "customresourcedefinitions")):
        try:
            account.send(method, path, {} if method == "PATCH" else None,
                         "application/merge-patch+json"
                         if method == "PATCH" else "application/json")
            raise AssertionError(f"{method} {path} was allowed")
        except Refused as error:
            assert error.code == 403, error


CASES = [bad_options_are_refused, job_gets_a_slice, slow_slice_is_waited_for,
         partition_states, unhealthy_cube_moves_its_job,
         slice_that_fails_is_tried_elsewhere, active_slice_fails,
         stranger_deletes_slices, slices_of_others_are_avoided,
         slice_that_is_never_ready, labels_come_before_pods,
         jobs_that_are_no_slices, ended_between_jobs,
         restarts_leave_no_slice, chips_as_nodes, rights_are_needed]


def install(cluster):
    """Nodes, the definition and the rights of the manifests."""
    nodes = {}
    for i, (cube, *at) in enumerate(itertools.product(
            range(CUBES), *map(range, SIDES))):
        cluster.make_node(f"n{i}", {
            "tori/node": ".".join(map(str, (cube, *at))), ID: f"p{cube}",
            STATE: "HEALTHY", f"{CLOUD}accelerator": "tpu7x"})
        nodes.setdefault(f"p{cube}", []).append(f"n{i}")
    cluster.apply([DEFINITION])
    kube.install(cluster, "gke-slices.yaml")
    wait_for("Slices are served", lambda: "items" in try_get(cluster.api))
    return nodes


def try_get(api):
    try:
        return api.get(SLICES)
    except (Refused, ValueError):
        return {}


def main():
    why = kube_cluster.missing()
    if kube.yaml is None:
        why = "python3-yaml is missing"
    if why:
        print(f"1..0 # SKIP {why}")
        return 0
    cases = [case for case in CASES
             if not sys.argv[2:] or case.__name__ in sys.argv[2:]]
    print(f"1..{len(cases)}")
    with kube_cluster.Cluster() as cluster, Proxy(cluster) as proxy:
        slices = SliceController(cluster.api, install(cluster))
        cluster.players.append(slices)
        slices.start()
        cluster.play_kubelets()
        controller = cluster.play_controller()
        with World(cluster, f"pod:{CUBES}/2x2x4",
                   "--gke-slices --slice-time 8s", proxy) as world:
            site = Site(world, cluster, controller, slices)
            wait_for("all cubes serve", site.all_serve)
            for i, case in enumerate(cases):
                name = re.sub("_", " ", case.__name__)
                began = time.monotonic()
                case(site)
                assert not slices.wrong, slices.wrong
                print(f"ok {i + 1} - {name} # "
                      f"{time.monotonic() - began:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
