"""Cases of kube.py in which a proxy harms what tori-kube and a real API server
say to each other: watches that have expired, answers that are slow, lost or
refused, and others who act between a decision and its binding. And of pods
that claim what is not true.
"""
import contextlib
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request

import kube_cluster
from kube_cluster import Refused, make_pod, path_of
from kube_proxy import Answer, Drop
from kube_world import (BUILD, PODS, all_bound, by_rank, coords, job_pods,
                        messages, sides_of, wait_for)


@contextlib.contextmanager
def harmed(world, rule):
    world.proxy.rule = rule
    try:
        yield
    finally:
        world.proxy.rule = None


def compact(cluster):
    """etcd forgets all versions but the last."""
    def ask(what, **body):
        with urllib.request.urlopen(
                f"http://127.0.0.1:{cluster.etcd_port}/v3/kv/{what}",
                json.dumps(body).encode()) as answer:
            return json.load(answer)
    head = ask("range", key="AA==")["header"]["revision"]
    ask("compaction", revision=head, physical=True)


def box_of(api, name, n, shape):
    """The pods of a job that has a box now, which may lie turned."""
    pods = all_bound(api, name, n)
    sides = pods and all("tori/rank" in pod["metadata"]["annotations"]
                         for pod in pods) and sides_of(by_rank(pods))
    return sides and sorted(sides) == sorted(shape) and pods


def finish(world, controller, *names):
    for name in names:
        controller.remove(name)
    wait_for("nothing runs", lambda: not world.jobs("running"))


# ---- watches ----

def expired_watch(world, cluster, controller):
    """While there is no watch, pods come and go and etcd forgets: the server
    answers 410, and all is listed again, in pages of three."""
    api, proxy = cluster.api, world.proxy
    controller.add("gone", 2, {"tori/shape": "2x1x1"})
    wait_for("it runs", lambda: all_bound(api, "gone", 2)
             and world.jobs("running"))
    proxy.page = 3
    with harmed(world, lambda request: Drop() if request.is_watch()
                else None):
        proxy.cut()
        controller.add("new", 8, {"tori/shape": "2x2x2"})
        controller.remove("gone")
        since = len(proxy.requests)
        compact(cluster)
        wait_for("a watch was tried", lambda: any(
            request.is_watch() for request in proxy.requests[since:]))
    wait_for("the new one runs", lambda: box_of(api, "new", 8, [2, 2, 2]))
    wait_for("the old one is over", lambda: world.job_named(
        "default/gone")["state"] == "ended")
    again = [request for request in proxy.requests[since:]
             if request.right() == ("list", "pods")]
    assert any("continue=" in request.path for request in again), again
    proxy.page = None
    finish(world, controller, "new")


def expired_list(world, cluster, controller):
    """etcd forgets between two pages of a list, and the server answers 410."""
    api, proxy = cluster.api, world.proxy
    seen = []

    def rule(request):
        if request.is_watch() and not seen:
            return Answer(410, "Expired")
        if "continue=" in request.path and not seen:
            seen.append(request)
            api.post(PODS, make_pod("between", {}))
            compact(cluster)
        return None
    controller.add("paged", 8, {"tori/shape": "2x2x2"})
    wait_for("it runs", lambda: all_bound(api, "paged", 8))
    proxy.page = 3
    with harmed(world, rule):
        proxy.cut()
        wait_for("a page was asked for", lambda: seen)
        wait_for("it had expired", lambda: seen[0].code == 410)
        wait_for("what came in between is known", lambda: api.get(
            f"{PODS}/between")["spec"].get("nodeName"))
    proxy.page = None
    api.delete(f"{PODS}/between", 0)
    finish(world, controller, "paged")


def dropped_watch(world, cluster, controller):
    """Watches end in the middle while a job is made and bound."""
    api, proxy = cluster.api, world.proxy
    controller.add("dropped", 4, {"tori/shape": "2x2x1", "test/run": "2"})
    for _ in range(5):
        proxy.cut()
        time.sleep(0.1)
    wait_for("it ends well", lambda: (
        (job := world.job_named("default/dropped"))
        and job["state"] == "ended" and job["status"] == 0))
    finish(world, controller, "dropped")


# ---- answers ----

def slow_answers(world, cluster, controller):
    """Every answer takes a second; the server refuses for a while, because it
    has too much to do."""
    api = cluster.api
    busy = []

    def rule(request):
        if request.is_binding() and len(busy) < 3:
            busy.append(request)
            return Answer(429, "TooManyRequests")
        return 1
    with harmed(world, rule):
        controller.add("slow", 4, {"tori/shape": "2x2x1", "test/run": "1"})
        pods = wait_for("it is bound", lambda: box_of(api, "slow", 4,
                                                      [2, 2, 1]))
        assert len(busy) == 3 and pods
        wait_for("it ends well", lambda: (
            (job := world.job_named("default/slow"))
            and job["state"] == "ended" and job["status"] == 0))
    finish(world, controller, "slow")


def lost_answers(world, cluster, controller):
    """Bindings are lost, before the server has them and after. One of a job
    that is cancelled at once must not be made for nobody."""
    api = cluster.api
    count = {}

    def rule(request):
        if not request.is_binding():
            return None
        count[request.pod()] = count.get(request.pod(), 0) + 1
        return (Drop(after=int(request.pod().split("-")[1]) % 2 == 1)
                if count[request.pod()] == 1 else None)
    with harmed(world, rule):
        controller.add("lost", 4, {"tori/shape": "2x2x1"})
        wait_for("it is bound", lambda: box_of(api, "lost", 4, [2, 2, 1]))
        assert count["lost-0-0"] > 1, count
    finish(world, controller, "lost")

    def never(request):
        return Drop() if request.is_binding() else None
    with harmed(world, never):
        controller.add("unsure", 2, {"tori/shape": "2x1x1"})
        wait_for("it is started", lambda: (
            (job := world.job_named("default/unsure"))
            and job["state"] != "queued"))
        wait_for("a binding was lost", lambda: world.proxy.of(
            lambda request: request.is_binding()
            and request.pod().startswith("unsure")))
        world.tori("cancel", str(world.job_named("default/unsure")["id"]))
        wait_for("it is over", lambda: world.job_named("default/unsure")[
            "state"] == "ended")
        assert world.proxy.of(lambda request: request.right() == (
            "get", "pods"))
    assert not any(pod["spec"].get("nodeName")
                   for pod in job_pods(api, "unsure"))
    finish(world, controller, "unsure")


# ---- others ----

def bound_by_another(world, cluster, controller):
    """Somebody else binds a pod between the decision and the binding: 409.
    The job is taken back, and runs when its controller has new pods."""
    api = cluster.api
    stolen = []

    def rule(request):
        if request.is_binding() and request.pod() == "rival-1-0":
            with contextlib.suppress(Refused):
                api.post(f"{PODS}/rival-1-0/binding", {
                    "apiVersion": "v1", "kind": "Binding",
                    "metadata": {"name": "rival-1-0"},
                    "target": {"apiVersion": "v1", "kind": "Node",
                               "name": "n63"}})
            stolen.append(request)
        return None
    with harmed(world, rule):
        controller.add("rival", 4, {"tori/shape": "2x2x1"})
        wait_for("it is refused", lambda: stolen and stolen[0].code == 409)
        wait_for("it runs in a box", lambda: box_of(api, "rival", 4,
                                                    [2, 2, 1]))
    assert len([job for job in world.jobs()
                if job["name"] == "default/rival"]) == 1
    finish(world, controller, "rival")


def node_goes_at_the_last_moment(world, cluster, controller):
    """A node is deleted between the decision and the binding."""
    api = cluster.api
    gone = []

    def rule(request):
        if (request.is_binding() and not gone
                and request.pod().startswith("late")):
            gone.append(json.loads(request.body)["target"]["name"])
            api.delete(f"/api/v1/nodes/{gone[0]}")
        return None
    with harmed(world, rule):
        controller.add("late", 4, {"tori/shape": "2x2x1"})
        wait_for("it runs without that node", lambda: (
            (pods := box_of(api, "late", 4, [2, 2, 1]))
            and gone and gone[0] not in by_rank(pods)))
    assert len([job for job in world.jobs()
                if job["name"] == "default/late"]) == 1
    cluster.make_node(gone[0], {"tori/node": ".".join(
        map(str, kube_cluster.place_of(gone[0], (4, 4, 4))))})
    finish(world, controller, "late")


def status_of_another_pod(world, cluster, controller):
    """A pod is replaced by one of its name just before its reason is written:
    that is refused, and the new one gets it a little later."""
    api = cluster.api
    raced = []

    def make():
        return make_pod("same", {"tori/count": "2"}, {"tori/job": "same"})

    def rule(request):
        if request.right() == ("patch", "pods/status") and not raced:
            raced.append(request)
            api.delete(f"{PODS}/same", 0)
            api.post(PODS, make())
        return None
    with harmed(world, rule):
        api.post(PODS, make())
        wait_for("it is refused", lambda: raced
                 and raced[0].code in (409, 422))
        wait_for("the new one has it", lambda: any(
            "1 of 2" in text for text in messages([api.get(f"{PODS}/same")])))
    api.delete(f"{PODS}/same", 0)


# ---- trust ----

def wrong_certificates(world, cluster, controller):
    """A server that others vouch for hears nothing, and people why."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
             "-keyout", f"{folder}/key", "-out", f"{folder}/ca", "-days", "2",
             "-subj", "/CN=another"], check=True, stderr=subprocess.DEVNULL)
        before = len(world.proxy.requests)
        for trusted, words in ((f"{folder}/ca", "certificate"),
                               (f"{folder}/absent", "absent")):
            with subprocess.Popen(
                    [f"{BUILD}/tori-kube", "--machine", "torus:4x4x4",
                     "--server", world.proxy.url, "--ca", trusted,
                     "--token-file", cluster.token_file, "--scheduler",
                     "another"], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    text=True) as bridge:
                said = bridge.stderr.readline()
                bridge.stdin.close()
                said += bridge.stderr.read()
            assert words in said and said.count("\n") == 1, said
            assert "tori-kube: the API server: " in said, said
        assert not any("another" in request.path for request
                       in world.proxy.requests[before:])


# ---- what pods claim ----

SPACE = "/api/v1/namespaces/mallory/pods"
NOTHING = "of which torid knows nothing"


def place(node):
    return ",".join(map(str, coords(node)))


def closed(world):
    """Places that torid may not use, and why."""
    answer = json.loads(world.tori("nodes", "--json").stdout)
    return {row["node"]: row.get("why", "") for row in answer["nodes"]
            if row["state"] in ("drained", "down")}


def forge(api, name, host, **notes):
    """A pod of another user that he has bound to a node himself."""
    api.post(SPACE, make_pod(
        name, {f"tori/{key}": value for key, value in notes.items()},
        {"tori/job": name}, "mallory", nodeName=host))


def passes(world, cluster, controller, seconds=0.2):
    """A small job runs: tori-kube has heard all that came before it."""
    name = f"marker-{time.monotonic_ns()}"
    controller.add(name, 1, {"tori/count": "1", "test/run": str(seconds)})
    wait_for("time passes", lambda: (job := world.job_named(
        f"default/{name}")) and job["state"] == "ended")
    controller.remove(name)


def restart(world):
    """Another tori-kube finds what there is."""
    old = world.bridge()
    world.kill_bridge()
    wait_for("tori-kube is back", lambda: world.bridge() not in (None, old))


def running(api, name):
    """The identities of the pods of a job, all of which are bound."""
    return {pod["metadata"]["uid"] for pod in job_pods(api, name)
            if pod["spec"].get("nodeName")}


def forged_annotations(world, cluster, controller):
    """Pods of any namespace claim all nodes for an attempt, and the node of
    each is closed, and no other: whether tori-kube sees them come or finds
    them. A missing key is a wrong one."""
    api = cluster.api
    claim = {"attempt": "1000.1", "rank": "0", "state": "x",
             "nodes": "0-63", "node": "3,3,3", "count": "64"}
    forge(api, "bare", "n5", **claim)
    forge(api, "stolen", "n6", **claim, key="default/job/box/uid")
    forge(api, "other", "n7", **claim, key="mallory/tori/bare")
    forge(api, "own", "n8", **claim, key="mallory/tori/own")
    mine = {place(f"n{i}") for i in (5, 6, 7, 8)}
    for found in (False, True):
        if found:
            restart(world)
            wait_for("the one with a key of its own is an attempt", lambda:
                     NOTHING in closed(world).get(place("n8"), ""))
        wait_for("their nodes are closed, and no others", lambda: set(closed(
            world)) == mine)
        name = f"rest-{found}".lower()
        controller.add(name, 60, {"tori/count": "60", "test/run": "0.5"})
        nodes = by_rank(wait_for("all others are used", lambda name=name:
                                 all_bound(api, name, 60)))
        assert not {"n5", "n6", "n7", "n8"} & set(nodes), nodes
        wait_for("it ends", lambda: not world.jobs("running"))
        controller.remove(name)
    world.tori("cancel", "--unknown", "1000")
    wait_for("the operator ends what is known of", lambda: [
        pod["metadata"]["name"] for pod in api.get(SPACE)["items"]]
        == ["bare", "other", "stolen"])
    for name in ("bare", "other", "stolen"):
        api.delete(f"{SPACE}/{name}", 0)
    wait_for("all serve again", lambda: not closed(world))


def copied_annotations(world, cluster, controller):
    """A user copies all of a pod of his to one that he has bound to another
    node: it is closed. He changes what tori has written into bound pods: they
    are the job's as before."""
    api = cluster.api
    controller.add("real", 2, {"tori/shape": "2x1x1"})
    wait_for("it runs", lambda: all_bound(api, "real", 2)
             and world.jobs("running"))
    before = running(api, "real")
    first, second = job_pods(api, "real")
    free = next(f"n{i}" for i in range(64) if f"n{i}" not in by_rank(
        [first, second]))
    copy = make_pod("copy", first["metadata"]["annotations"],
                    first["metadata"]["labels"], nodeName=free)
    del copy["metadata"]["labels"]["job-name"]
    copy["metadata"]["ownerReferences"] = first["metadata"]["ownerReferences"]
    api.post(PODS, copy)
    wait_for("its node is closed", lambda: set(closed(world)) == {place(free)})
    for pod in (first, second):
        api.patch(path_of(pod), {"metadata": {
            "annotations": {"tori/attempt": None},
            "labels": {"tori/job": "another"}}}, "merge-patch")
    passes(world, cluster, controller, 3)  # longer than --linger
    assert running(api, "real") == before
    job, = world.jobs("running")
    assert (job["name"], job["attempt"]) == ("default/real", 1), job
    for pod in (first, second):
        api.patch(path_of(pod), {"metadata": {
            "annotations": {"tori/attempt": pod["metadata"]["annotations"][
                "tori/attempt"]}, "labels": {"tori/job": None}}}, "merge-patch")
    restart(world)
    passes(world, cluster, controller)
    assert set(closed(world)) == {place(free)}, closed(world)
    assert running(api, "real") == before
    job, = world.jobs("running")
    assert (job["name"], job["attempt"]) == ("default/real", 1), job
    api.delete(f"{PODS}/copy", 0)
    wait_for("all serve again", lambda: not closed(world))
    finish(world, controller, "real")


def forged_times(world, cluster, controller):
    """A user writes into pods that run that they may run for long, and have
    begun late. tori-kube is started again: they end at their limit."""
    api = cluster.api
    controller.add("brief", 2, {"tori/shape": "2x1x1", "tori/time": "5s"})
    wait_for("it runs", lambda: all_bound(api, "brief", 2)
             and world.jobs("running"))
    for pod in job_pods(api, "brief"):
        api.patch(path_of(pod), {"metadata": {"annotations": {
            "tori/limit": "86400", "tori/since": str(int(time.time()) + 9999)
        }}}, "merge-patch")
    restart(world)
    wait_for("its time is over", lambda: (
        job := world.job_named("default/brief")) and job["state"] == "ended"
        and job["why"] == "time limit")
    controller.remove("brief")


def ends_are_seen(world, cluster, controller):
    """A pod claims the attempt of another user's job, and an operator ends it
    as an unknown process: the job runs on, and the node is closed until the
    pod is gone."""
    api, kubelets = cluster.api, cluster.players[0]
    controller.add("victim", 2, {"tori/shape": "2x1x1"})
    pods = wait_for("it runs", lambda: all_bound(api, "victim", 2)
                    and world.jobs("running") and job_pods(api, "victim"))
    before, notes = running(api, "victim"), pods[0]["metadata"]["annotations"]
    node = next(f"n{i}" for i in range(64) if f"n{i}" not in by_rank(pods))
    kubelets.dead.add(node)
    forge(api, "thief", node, attempt=notes["tori/attempt"], rank="0",
          state=notes["tori/state"], key="mallory/tori/thief",
          node=notes["tori/node"])
    restart(world)
    wait_for("it is an unknown process", lambda: NOTHING in closed(world).get(
        place(node), ""))
    world.tori("cancel", "--unknown", notes["tori/attempt"].split(".")[0])
    wait_for("it is deleted", lambda: "deletionTimestamp" in api.get(
        f"{SPACE}/thief")["metadata"])
    passes(world, cluster, controller)
    assert NOTHING in closed(world).get(place(node), ""), closed(world)
    kubelets.dead.clear()
    kubelets.plan("mallory/thief")
    wait_for("its node serves when it is gone", lambda: not closed(world))
    assert running(api, "victim") == before
    job, = world.jobs("running")
    assert (job["name"], job["attempt"]) == ("default/victim", 1), job
    finish(world, controller, "victim")


def backup_is_put_back(world, cluster, controller):
    """Pods that were bound after the backup keep their nodes until they are
    gone, also when an operator ends them. Those from before go on."""
    api, kubelets = cluster.api, cluster.players[0]
    state, backup = f"{world.state}/d", f"{world.state}/backup"
    controller.add("early", 2, {"tori/shape": "2x1x1"})
    wait_for("it runs", lambda: all_bound(api, "early", 2)
             and world.jobs("running"))
    before = running(api, "early")
    world.kill()
    shutil.copytree(state, backup)
    world.start()
    controller.add("late", 4, {"tori/shape": "2x2x1"})
    pods = wait_for("another runs", lambda: all_bound(api, "late", 4)
                    and len(world.jobs("running")) == 2
                    and job_pods(api, "late"))
    nodes = by_rank(pods)
    number = pods[0]["metadata"]["annotations"]["tori/attempt"].split(".")[0]
    world.kill()
    shutil.rmtree(state)
    shutil.copytree(backup, state)
    world.start()
    wait_for("it is unknown", lambda: {
        at for at, why in closed(world).items() if NOTHING in why}
        == set(map(place, nodes)))
    controller.add("others", 58, {"tori/count": "58", "test/run": "0.5"})
    wait_for("all other nodes are used", lambda: all_bound(api, "others", 58))
    wait_for("that ends", lambda: len(world.jobs("running")) == 1)
    kubelets.dead.add(nodes[0])
    world.tori("cancel", "--unknown", number)
    wait_for("the others are gone", lambda: {
        pod["spec"].get("nodeName") for pod in api.pods(
            "labelSelector=job-name=late")} == {None, nodes[0]})
    passes(world, cluster, controller)
    assert NOTHING in closed(world)[place(nodes[0])], closed(world)
    assert not running(api, "late"), job_pods(api, "late")
    kubelets.dead.clear()
    for pod in pods:
        kubelets.plan(kube_cluster.key_of(pod))
    wait_for("then its new pods have a box", lambda: box_of(
        api, "late", 4, [2, 2, 1]))
    assert not closed(world) and running(api, "early") == before
    finish(world, controller, "early", "late", "others")


# ---- rights ----

def rights_are_needed(world, cluster, controller):
    """All that was asked for in all cases is what the role allows, neither
    more nor less, and nothing was forbidden."""
    used = {request.right() for request in world.proxy.requests}
    role = cluster.api.get(
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/tori-kube")
    allowed = {(verb, resource) for rule in role["rules"]
               if rule["apiGroups"] == [""]
               for verb in rule["verbs"] for resource in rule["resources"]}
    assert used == allowed, (used - allowed, allowed - used)
    forbidden = world.proxy.of(lambda request: request.code in (401, 403))
    assert not forbidden, [request.path for request in forbidden]


FAULTS = [expired_watch, expired_list, dropped_watch, slow_answers,
          lost_answers, bound_by_another, node_goes_at_the_last_moment,
          status_of_another_pod, wrong_certificates, forged_annotations,
          copied_annotations, forged_times, ends_are_seen, backup_is_put_back]
