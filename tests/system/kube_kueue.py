#!/usr/bin/env python3
"""Usage: kube_kueue.py BUILD-DIRECTORY [CASE...]

tori-kube --kueue with a real API server, etcd and the definitions of Kueue, in
TAP. KUEUE_CRDS names the folder that has them: config/components/crd/bases of a
checkout of kubernetes-sigs/kueue. Kueue itself and the default scheduler are
played: quota is reserved, workloads are admitted when all checks are ready,
and evicted when one is not. Skipped without a kube-apiserver or KUEUE_CRDS.
"""
import os
import re
import sys
import threading
import time

import kube
import kube_cluster
from kube_cluster import Refused, make_pod, path_of
from kube_proxy import Proxy
from kube_world import World, sides_of, wait_for

CRDS = os.environ.get("KUEUE_CRDS")
API = "/apis/kueue.x-k8s.io/v1beta2"
WORKLOADS = f"{API}/namespaces/default/workloads"
NOW = "%Y-%m-%dT%H:%M:%SZ"


def condition_of(thing, kind):
    return next((one for one in thing.get("status", {}).get("conditions", [])
                 if one["type"] == kind and one["status"] == "True"), None)


def check_of(workload):
    return next(iter(workload.get("status", {}).get("admissionChecks", [])),
                {"state": None})


def selector_of(workload):
    return next((update["nodeSelector"]["tori/box"] for update
                 in check_of(workload).get("podSetUpdates", [])), None)


class Kueue(threading.Thread):
    """Plays Kueue for workloads with the annotation test/run in their pods:
    one thread, which looks at everything again and again."""

    def __init__(self, api):
        super().__init__(daemon=True)
        self.api = api
        self.ended = threading.Event()
        self.held = set()    # names of workloads that get no quota
        self.rejected = {}   # by name: why

    def run(self):
        while not self.ended.wait(0.1):
            try:
                for workload in self.api.get(WORKLOADS)["items"]:
                    self.act(workload)
                self.schedule()
            except (Refused, OSError, ValueError, KeyError):
                pass

    def patch(self, workload, conditions, **status):
        """Conditions by their kind: whether they hold, and the reason."""
        now = time.strftime(NOW, time.gmtime())
        old = {one["type"]: one for one
               in workload.get("status", {}).get("conditions", [])}
        for kind, (holds, reason) in conditions.items():
            old[kind] = {"type": kind, "status": "True" if holds else "False",
                         "reason": reason, "message": "as Kueue does",
                         "lastTransitionTime": now}
        self.api.patch(f"{WORKLOADS}/{workload['metadata']['name']}/status", {
            "metadata": {"resourceVersion":
                         workload["metadata"]["resourceVersion"]},
            "status": {"conditions": list(old.values()), **status}},
            "merge-patch")

    @staticmethod
    def pending():
        return [{"name": "tori-box", "state": "Pending", "message": "new",
                 "lastTransitionTime": time.strftime(NOW, time.gmtime())}]

    def reserve(self, workload):
        check = self.api.get(f"{API}/admissionchecks/tori-box")
        if not condition_of(check, "Active"):
            return  # Kueue does not use the queue then
        self.patch(workload, {"QuotaReserved": (True, "QuotaReserved"),
                              "Evicted": (False, "QuotaReserved")},
                   admission={"clusterQueue": "all", "podSetAssignments": [
                       {"name": one["name"], "count": one["count"],
                        "flavors": {"cpu": "default"},
                        "resourceUsage": {"cpu": str(one["count"])}}
                       for one in workload["spec"]["podSets"]]},
                   admissionChecks=self.pending())

    def evict(self, workload, reason):
        self.patch(workload, {"QuotaReserved": (False, "Pending"),
                              "Admitted": (False, "NoReservation"),
                              "Evicted": (True, reason)},
                   admission=None, admissionChecks=self.pending())

    def act(self, workload):
        name = workload["metadata"]["name"]
        state = check_of(workload)["state"]
        admitted = condition_of(workload, "Admitted")
        wanted = workload["spec"].get("active", True) and name not in self.held
        pods = self.pods_of(name)
        if condition_of(workload, "Finished"):
            return
        if state == "Rejected" and workload["spec"].get("active", True):
            self.rejected[name] = check_of(workload)["message"]
            self.api.patch(f"{WORKLOADS}/{name}", {"spec": {"active": False}},
                           "merge-patch")
        elif condition_of(workload, "QuotaReserved"):
            if state in ("Retry", "Rejected") or not wanted:
                for pod in pods:
                    self.api.delete(path_of(pod))
                self.evict(workload, "AdmissionCheck")
            elif state == "Ready" and not admitted:
                self.patch(workload, {"Admitted": (True, "Admitted")})
            elif admitted and len(pods) < sum(
                    one["count"] for one in workload["spec"]["podSets"]):
                self.start_pods(workload, {pod["metadata"]["name"]
                                           for pod in pods})
            elif admitted and all(
                    pod["status"].get("phase") == "Succeeded"
                    for pod in pods):
                self.patch(workload, {"Finished": (True, "Succeeded")})
        elif wanted and not pods:
            self.reserve(workload)

    def pods_of(self, name):
        return self.api.pods(f"labelSelector=kueue={name}")

    def start_pods(self, workload, known):
        """The job is no longer suspended, and its template has the updates."""
        name, n = workload["metadata"]["name"], 0
        updates = {update["name"]: update for update
                   in check_of(workload)["podSetUpdates"]}
        for pods in workload["spec"]["podSets"]:
            update = updates[pods["name"]]
            for _ in range(pods["count"]):
                pod = make_pod(
                    f"{update['nodeSelector']['tori/box']}-{n}",
                    {**pods["template"]["metadata"]["annotations"],
                     **update["annotations"]}, {"kueue": name},
                    schedulerName="default-scheduler",
                    nodeSelector=update["nodeSelector"])
                if pod["metadata"]["name"] not in known:
                    self.api.post("/api/v1/namespaces/default/pods", pod)
                n += 1

    def schedule(self):
        """Plays the default scheduler: any node with the labels that has no
        such pod."""
        pods = self.api.pods()
        taken = {pod["spec"].get("nodeName") for pod in pods
                 if pod["status"].get("phase") not in ("Succeeded", "Failed")}
        free = [node for node in self.api.get("/api/v1/nodes")["items"]
                if node["metadata"]["name"] not in taken]
        for pod in pods:
            wants = pod["spec"].get("nodeSelector", {}).items()
            if (pod["spec"]["schedulerName"] != "default-scheduler"
                    or pod["spec"].get("nodeName") or not wants
                    or "deletionTimestamp" in pod["metadata"]):
                continue
            node = next((node for node in free if wants
                         <= node["metadata"]["labels"].items()), None)
            if node:
                free.remove(node)
                self.api.post(path_of(pod) + "/binding", {
                    "apiVersion": "v1", "kind": "Binding",
                    "metadata": {"name": pod["metadata"]["name"]},
                    "target": {"apiVersion": "v1", "kind": "Node",
                               "name": node["metadata"]["name"]}})


# ---- what tests ask ----

class Site:
    def __init__(self, world, cluster, kueue):
        self.world, self.cluster, self.kueue = world, cluster, kueue
        self.api = cluster.api

    def add(self, name, *counts, notes=None, **spec):
        self.api.post(WORKLOADS, {
            "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
            "metadata": {"name": name}, "spec": {
                "queueName": "users", "podSets": [{
                    "name": f"set{i}", "count": count, "template": {
                        "metadata": {"annotations": notes or {}}, "spec": {
                            "restartPolicy": "Never", **spec, "containers": [
                                {"name": "main", "image": "none"}]}}}
                    for i, count in enumerate(counts)]}})

    def get(self, name):
        return self.api.get(f"{WORKLOADS}/{name}")

    def is_ready(self, name):
        workload = self.get(name)
        return check_of(workload)["state"] == "Ready" and workload

    def labelled(self, box):
        """The nodes of a box, or of any."""
        found = {node["metadata"]["name"]:
                 node["metadata"]["labels"].get("tori/box")
                 for node in self.api.get("/api/v1/nodes")["items"]}
        return {name for name, label in found.items()
                if label and box in (label, None)}

    def nodes_of(self, name):
        """The nodes of its pods, if all have one."""
        pods = [pod for pod in self.kueue.pods_of(name)
                if "deletionTimestamp" not in pod["metadata"]]
        nodes = [pod["spec"].get("nodeName") for pod in pods]
        return nodes if nodes and all(nodes) else None

    def message(self, name):
        return check_of(self.get(name)).get("message", "")

    def has_ended(self, name, status=0):
        job = self.world.job_named(f"default/{name}")
        return job and job["state"] == "ended" and job["status"] == status

    def delete(self, *names):
        for name in names:
            self.api.delete(f"{WORKLOADS}/{name}")

        def pods_are_gone():
            pods = [pod for name in names for pod in self.kueue.pods_of(name)]
            for pod in pods:
                try:
                    self.api.delete(path_of(pod), 0)
                except Refused:
                    pass  # its kubelet was first
            return not pods
        wait_for("nothing is left", lambda: pods_are_gone()
                 and not self.labelled(None)
                 and not self.world.jobs("running")
                 and not self.world.jobs("queued"))


# ---- cases ----

def workload_gets_a_box(site):
    site.add("box", 8, notes={"tori/shape": "2x2x2", "tori/wiring": "mesh",
                              "test/run": "1"})
    workload = wait_for("it is ready", lambda: site.is_ready("box"))
    box = selector_of(workload)
    nodes = site.labelled(box)
    assert sides_of(nodes) == [2, 2, 2], nodes
    placed = wait_for("its pods are placed", lambda: site.nodes_of("box"))
    assert len(placed) == 8 and set(placed) == nodes, (placed, nodes)
    job = wait_for("torid knows that it runs",
                   lambda: site.world.jobs("running"))[0]
    assert job["name"] == "default/box", job
    wait_for("it ends well", lambda: site.has_ended("box"))
    wait_for("labels are gone", lambda: not site.labelled(None))
    rows = site.world.tori("nodes", "--json").stdout
    assert '"drained"' not in rows and '"down"' not in rows, rows
    site.delete("box")


def several_pod_sets(site):
    """A leader and its workers have one box; without a shape, or with one that
    may be left, any nodes."""
    site.add("two", 1, 3, notes={"tori/shape": "2x2x1", "test/run": "0.2"})
    site.add("any", 5, notes={"test/run": "0.2"})
    assert sides_of(site.labelled(selector_of(wait_for(
        "both sets are ready", lambda: site.is_ready("two")))))
    assert len(check_of(site.get("two"))["podSetUpdates"]) == 2
    assert len(site.labelled(selector_of(wait_for(
        "any nodes do", lambda: site.is_ready("any"))))) == 5
    wait_for("both end", lambda: site.has_ended("two")
             and site.has_ended("any"))
    site.add("else", 5, notes={"tori/shape": "5x1x1", "tori/or": "nodes",
                               "test/run": "0.2"})
    assert len(site.labelled(selector_of(wait_for(
        "any nodes will do", lambda: site.is_ready("else"))))) == 5
    wait_for("it ends", lambda: site.has_ended("else"))
    site.delete("two", "any", "else")


def why_it_waits(site):
    site.add("large", 32, notes={"tori/shape": "4x4x2", "tori/time": "1h"})
    wait_for("the first is ready", lambda: site.is_ready("large"))
    site.add("larger", 48, notes={"tori/shape": "4x4x3"})
    wait_for("the check says why", lambda: "only 32 are free"
             in site.message("larger")
             and "starts about" in site.message("larger"))
    assert check_of(site.get("larger"))["state"] == "Pending"
    site.kueue.held.add("larger")  # its quota goes while it waits
    wait_for("it does not wait any more",
             lambda: not site.world.jobs("queued"))
    site.kueue.held.clear()
    wait_for("it waits again", lambda: site.world.jobs("queued"))
    site.delete("large", "larger")


def node_dies(site):
    """The check becomes Retry, Kueue evicts the workload, and the next answer
    is another box."""
    site.add("moved", 8, notes={"tori/shape": "2x2x2"})
    box = selector_of(wait_for("it is ready", lambda: site.is_ready("moved")))
    before = wait_for("it runs", lambda: site.nodes_of("moved"))
    site.cluster.set_ready(before[3], False)
    after = wait_for("it runs elsewhere", lambda: (
        (workload := site.is_ready("moved")) and selector_of(workload) != box
        and site.nodes_of("moved")))
    assert before[3] not in after and sides_of(after) == [2, 2, 2], after
    site.cluster.set_ready(before[3], True)
    site.delete("moved")


def refused(site):
    for name, words, more in (
            ("never", "the machine has 64", {"tori/shape": "9x9x9"}),
            ("other", "pod sets have 3 pods", {"tori/shape": "2x2x1"}),
            ("long", "does not fit", {"tori/shape": "5x1x1"}),
            ("twice", "schedulerName", {})):
        site.add(name, 5 if name == "long" else 3, notes=more,
                 **({"schedulerName": "tori"} if name == "twice" else {}))
        wait_for(f"{name} is rejected", lambda name=name: not site.get(name)
                 ["spec"].get("active", True))
        assert words in site.kueue.rejected[name], site.kueue.rejected
        assert not site.labelled(None)
        site.delete(name)


def cancelled_in_torid(site):
    site.add("unwanted", 4, notes={"tori/shape": "2x2x1"})
    wait_for("it runs", lambda: site.nodes_of("unwanted")
             and site.world.jobs("running"))
    site.world.tori("cancel", str(site.world.job_named(
        "default/unwanted")["id"]))
    wait_for("Kueue has deactivated it", lambda: not site.get("unwanted")
             ["spec"].get("active", True))
    wait_for("its nodes are free", lambda: not site.labelled(None))
    site.delete("unwanted")


def deleted(site):
    site.add("gone", 4, notes={"tori/shape": "2x2x1"})
    wait_for("it runs", lambda: site.nodes_of("gone"))
    site.delete("gone")
    assert site.world.job_named("default/gone")["state"] == "ended"


def restarts(site):
    """Whatever ends, a workload keeps its box, and gets one only."""
    site.add("keeps", 8, notes={"tori/shape": "2x2x2"})
    box = selector_of(wait_for("it is ready", lambda: site.is_ready("keeps")))
    nodes = site.labelled(box)
    wait_for("torid knows", lambda: site.world.jobs("running"))
    for i in range(6):
        site.add(f"next{i}", 4, notes={"tori/shape": "2x2x1",
                                       "test/run": "0.5"})
        time.sleep(0.3)
        if i % 2:
            site.world.kill()
            site.world.start()
        else:
            site.world.kill_bridge()
    for i in range(6):
        wait_for(f"next{i} ends well",
                 lambda i=i: site.has_ended(f"next{i}"))
    assert selector_of(site.get("keeps")) == box
    assert site.labelled(box) == nodes
    wait_for("only that one runs", lambda: [
        job["name"] for job in site.world.jobs("running")]
        == ["default/keeps"])
    assert len([job for job in site.world.jobs()
                if job["name"] == "default/keeps"]) == 1, site.world.jobs()
    site.delete("keeps", *(f"next{i}" for i in range(6)))


def beside_other_pods(site):
    """A job whose pods tori binds, and a workload, share no node."""
    api = site.api
    site.add("half", 32, notes={"tori/count": "32"})
    api.post("/api/v1/namespaces/default/pods",
             make_pod("own", {"tori/count": "1"}))
    nodes = site.labelled(selector_of(wait_for(
        "it is ready", lambda: site.is_ready("half"))))
    own = wait_for("the pod is bound", lambda: api.get(
        "/api/v1/namespaces/default/pods/own")["spec"].get("nodeName"))
    assert own not in nodes and len(nodes) == 32
    wait_for("all are placed", lambda: len(site.nodes_of("half") or []) == 32)
    api.delete("/api/v1/namespaces/default/pods/own", 0)
    site.delete("half")


def rights_are_needed(site):
    """What was asked for is what the two roles allow, no more."""
    roles = [site.api.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/"
                          + name) for name in ("tori-kube",
                                               "tori-kube-kueue")]
    allowed = [{(verb, resource) for rule in role["rules"]
                for verb in rule["verbs"] for resource in rule["resources"]}
               for role in roles]
    requests = list(site.world.proxy.requests)
    used = {request.right() for request in requests}
    assert used <= allowed[0] | allowed[1], used - allowed[0] - allowed[1]
    assert allowed[1] <= used, allowed[1] - used
    assert not [request.path for request in requests
                if request.code in (401, 403)]


CASES = [workload_gets_a_box, several_pod_sets, why_it_waits, node_dies,
         refused, cancelled_in_torid, deleted, beside_other_pods, restarts,
         rights_are_needed]


def without_empty_defaults(schema):
    """A definition that our API server accepts: as Kubernetes 1.20 is built
    by Go 1.19, it reads an empty text in custom objects as null. A member
    without a default is required if it tells the items of a list apart."""
    if isinstance(schema, list):
        return [without_empty_defaults(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: without_empty_defaults(value)
              for key, value in schema.items()
              if key != "default" or value != ""}
    for key in schema.get("x-kubernetes-list-map-keys", []):
        items = schema["items"]
        if "default" not in items["properties"][key]:
            items["required"] = sorted({*items.get("required", []), key})
    return schema


def install(cluster):
    for name in sorted(os.listdir(CRDS)):
        if name.endswith(".yaml"):
            with open(os.path.join(CRDS, name), encoding="utf-8") as file:
                cluster.apply(map(without_empty_defaults,
                                  kube.yaml.safe_load_all(file)))

    def served():
        try:
            return [cluster.api.get(f"{API}/{kind}") for kind
                    in ("workloads", "admissionchecks")]
        except (Refused, ValueError):
            return None
    wait_for("Kueue's objects are served", served)
    kube.install(cluster, "kueue.yaml")


def main():
    why = kube_cluster.missing()
    if not CRDS:
        why = "KUEUE_CRDS is not set"
    if kube.yaml is None:
        why = "python3-yaml is missing"
    if why:
        print(f"1..0 # SKIP {why}")
        return 0
    cases = [case for case in CASES
             if not sys.argv[2:] or case.__name__ in sys.argv[2:]]
    print(f"1..{len(cases)}")
    with kube_cluster.Cluster() as cluster, Proxy(cluster) as proxy:
        cluster.make_nodes("torus:4x4x4")
        install(cluster)
        cluster.play_kubelets()
        kueue = Kueue(cluster.api)
        cluster.players.append(kueue)
        kueue.start()
        with World(cluster, options="--kueue", proxy=proxy) as world:
            site = Site(world, cluster, kueue)
            for i, case in enumerate(cases):
                name = re.sub("_", " ", case.__name__)
                began = time.monotonic()
                case(site)
                print(f"ok {i + 1} - {name} # "
                      f"{time.monotonic() - began:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
