#!/usr/bin/env python3
"""Usage: kube_cluster.py [--machine torus:4x4x4]

A real Kubernetes API server and its etcd on this machine, in a directory of
their own, on ports that were free. Nodes, kubelets and a controller of jobs
are played by threads:

    with Cluster() as cluster:
        cluster.make_nodes("torus:4x4x4")
        cluster.api.post("/api/v1/namespaces/default/pods", pod)

As a program, it plays until it is interrupted, and prints how to reach it.

The server is $KUBE_APISERVER, or the one that `make kube-apiserver` has put
into ~/.cache/tori/kube.
"""
import argparse
import contextlib
import ctypes
import http.client
import itertools
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from patience import PATIENCE

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME",
                                    os.path.expanduser("~/.cache")),
                     "tori", "kube", "kube-apiserver")
TOKEN = "admin-token"
PREFIX = "tori-kube-"  # of folders, before the process


def server_path():
    path = os.environ.get("KUBE_APISERVER") or CACHE
    return path if os.access(path, os.X_OK) else None


def missing():
    """What a cluster needs and this machine lacks, as one line, or None."""
    if not server_path():
        return "no kube-apiserver: set KUBE_APISERVER, or make kube-apiserver"
    if not shutil.which("etcd"):
        return "not installed: etcd-server"
    return None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Refused(Exception):
    def __init__(self, code, body):
        super().__init__(f"{code}: {body[:300]}")
        self.code = code


class Api:
    """Requests to the API server; every thread has a connection of its own."""

    def __init__(self, port, ca, token=TOKEN):
        self.port, self.token = port, token
        self.context = ssl.create_default_context(cafile=ca)
        self.local = threading.local()

    def connect(self, timeout=PATIENCE):
        return http.client.HTTPSConnection("127.0.0.1", self.port,
                                           context=self.context,
                                           timeout=timeout)

    def send(self, method, path, body=None, kind="application/json"):
        """One request; the answer as an object. Raises Refused, or OSError if
        there is no answer."""
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = self.local.connection = self.connect()
        try:
            connection.request(
                method, path, json.dumps(body) if body is not None else None,
                {"Authorization": f"Bearer {self.token}",
                 "Content-Type": kind})
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            self.local.connection = None
            raise OSError(str(error)) from error
        if answer.status >= 300:
            raise Refused(answer.status, text.decode())
        return json.loads(text)

    def get(self, path):
        return self.send("GET", path)

    def post(self, path, body):
        return self.send("POST", path, body)

    def patch(self, path, body, kind="strategic-merge-patch"):
        return self.send("PATCH", path, body, f"application/{kind}+json")

    def delete(self, path, grace=None):
        return self.send("DELETE", path,
                         None if grace is None
                         else {"gracePeriodSeconds": grace})

    def pods(self, query=""):
        return self.get(f"/api/v1/pods?{query}")["items"]

    def watch(self, path, ended):
        """Events of a kind, ("SYNC", list) first, for ever: a watch that
        ends begins again with a list."""
        while not ended.is_set():
            try:
                known = self.get(path)
                version = known["metadata"]["resourceVersion"]
                yield "SYNC", known
                connection = self.connect(timeout=2)
                connection.request(
                    "GET", f"{path}?watch=1&resourceVersion={version}", None,
                    {"Authorization": f"Bearer {self.token}"})
                answer = connection.getresponse()
                yield from self.lines(answer, ended)
                connection.close()
            except (OSError, http.client.HTTPException, Refused, ValueError):
                time.sleep(0.1)

    @staticmethod
    def lines(answer, ended):
        rest = b""
        while not ended.is_set():
            try:
                more = answer.read1(1 << 20)
            except TimeoutError:
                yield "IDLE", None
                return  # the answer cannot be read on: list again
            if not more:
                return
            *lines, rest = (rest + more).split(b"\n")
            for line in lines:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return
                yield event["type"], event["object"]


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)


def sweep(folder):
    """Remove what tests that were killed have left there."""
    for name in os.listdir(folder):
        pid = name.removeprefix(PREFIX).split("-")[0]
        if (name.startswith(PREFIX) and pid.isdecimal()
                and not os.path.exists(f"/proc/{pid}")):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


class Cluster:
    def __init__(self, directory=None, options=()):
        # etcd waits for the disk with every write: memory is enough here.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        sweep(memory or tempfile.gettempdir())
        self.directory = directory or tempfile.mkdtemp(
            prefix=f"{PREFIX}{os.getpid()}-", dir=memory)
        self.own = directory is None
        self.options = options  # of the API server
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        self.port, self.etcd_port, self.peer = (free_port() for _ in range(3))
        self.processes = {}
        self.first = self.rotated = None
        self.ca = f"{self.directory}/certs/apiserver.crt"
        self.token_file = f"{self.directory}/token"
        self.api = None
        self.players = []

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    # ---- processes ----

    def spawn(self, name, *words):
        with open(f"{self.directory}/{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.directory, preexec_fn=die_with_parent)

    def start_etcd(self):
        client = f"http://127.0.0.1:{self.etcd_port}"
        peer = f"http://127.0.0.1:{self.peer}"
        self.spawn("etcd", "etcd", "--data-dir", f"{self.directory}/etcd",
                   "--listen-client-urls", client, "--advertise-client-urls",
                   client, "--listen-peer-urls", peer,
                   "--initial-advertise-peer-urls", peer,
                   "--initial-cluster", f"default={peer}")

    def start_server(self):
        key = f"{self.directory}/sa.key"
        self.spawn("kube-apiserver", server_path(),
                   f"--etcd-servers=http://127.0.0.1:{self.etcd_port}",
                   "--bind-address=127.0.0.1", f"--secure-port={self.port}",
                   f"--cert-dir={self.directory}/certs",
                   f"--service-account-key-file={key}",
                   f"--service-account-signing-key-file={key}",
                   "--service-account-issuer=https://127.0.0.1",
                   "--api-audiences=https://127.0.0.1",
                   f"--token-auth-file={self.directory}/tokens.csv",
                   "--authorization-mode=RBAC",
                   "--disable-admission-plugins=ServiceAccount",
                   "--service-cluster-ip-range=10.0.0.0/24",
                   "--max-requests-inflight=2000",
                   "--max-mutating-requests-inflight=1000", *self.options)

    def kill(self, name):
        process = self.processes[name]
        process.kill()
        process.wait()

    def revive(self):
        """Start an API server that has ended by itself, as it does if etcd is
        away while it starts. In a cluster, the kubelet of its host would."""
        if self.processes["kube-apiserver"].poll() is not None:
            self.start_server()

    def wait_ready(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if self.api is None and os.path.exists(self.ca):
                    self.api = Api(self.port, self.ca)
                if self.api and self.api.get("/api/v1/namespaces/default"):
                    return
            except (OSError, Refused, ValueError):
                pass
            for name, process in self.processes.items():
                if process.poll() is not None:
                    with open(f"{self.directory}/{name}.log",
                              encoding="utf-8", errors="replace") as log:
                        raise RuntimeError(f"{name} ended: "
                                           + log.read()[-2000:])
            time.sleep(0.1)
        raise TimeoutError("the API server does not answer")

    def __enter__(self):
        os.makedirs(f"{self.directory}/certs", exist_ok=True)
        subprocess.run(["openssl", "genrsa", "-out",
                        f"{self.directory}/sa.key", "2048"], check=True,
                       stderr=subprocess.DEVNULL)
        with open(f"{self.directory}/tokens.csv", "w",
                  encoding="utf-8") as file:
            file.write(f'{TOKEN},admin,1,"system:masters"\n')
        with open(self.token_file, "w", encoding="utf-8") as file:
            file.write(TOKEN + "\n")
        self.start_etcd()
        self.start_server()
        try:
            self.wait_ready()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *_):
        for player in self.players:
            player.ended.set()
        for process in self.processes.values():
            process.kill()
            process.wait()
        for player in self.players:
            player.join(5)
        if self.own:
            shutil.rmtree(self.directory, ignore_errors=True)

    # ---- nodes ----

    def make_nodes(self, machine, labelled=True):
        """A node for each place of KIND:AxBxC, named n0, n1 and so on, the
        last dimension fastest."""
        sides = [int(side) for side in machine.split(":")[1].split("x")]
        for i, at in enumerate(itertools.product(*map(range, sides))):
            label = {"tori/node": ".".join(map(str, at))} if labelled else {}
            self.make_node(f"n{i}", label)

    def make_node(self, name, labels):
        self.api.post("/api/v1/nodes", {
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": labels}})
        self.set_ready(name, True)
        self.api.patch(f"/api/v1/nodes/{name}", {"spec": {"taints": []}},
                       "merge-patch")

    def set_ready(self, name, ready):
        self.api.patch(f"/api/v1/nodes/{name}/status", {"status": {
            "conditions": [{"type": "Ready",
                            "status": "True" if ready else "Unknown",
                            "message": "played"}]}})

    def cordon(self, name, closed=True):
        self.api.patch(f"/api/v1/nodes/{name}",
                       {"spec": {"unschedulable": closed}}, "merge-patch")

    def taint(self, name, *taints):
        self.api.patch(f"/api/v1/nodes/{name}",
                       {"spec": {"taints": list(taints)}}, "merge-patch")

    # ---- manifests ----

    def apply(self, things, dry=False):
        """Create objects, or let the server check them."""
        for thing in things:
            space = thing["metadata"].get("namespace")
            group = thing["apiVersion"]
            path = (("/api/" if group == "v1" else "/apis/") + group
                    + (f"/namespaces/{space}" if space else "") + "/"
                    + thing["kind"].lower() + "s")
            self.api.post(path + ("?dryRun=All" if dry else ""), thing)

    def make_token(self, account, space, bound=None):
        """A token of a service account, which ends with the secret `bound`."""
        spec = {"expirationSeconds": 3600}
        if bound:
            secret = self.api.post(f"/api/v1/namespaces/{space}/secrets", {
                "apiVersion": "v1", "kind": "Secret",
                "metadata": {"name": bound}})
            spec["boundObjectRef"] = {
                "apiVersion": "v1", "kind": "Secret", "name": bound,
                "uid": secret["metadata"]["uid"]}
        return self.api.post(
            f"/api/v1/namespaces/{space}/serviceaccounts/{account}/token",
            {"apiVersion": "authentication.k8s.io/v1",
             "kind": "TokenRequest", "spec": spec})["status"]["token"]

    def use_token(self, token):
        """As the kubelet does it: the file is replaced, not written to."""
        with open(self.token_file + ".new", "w", encoding="utf-8") as file:
            file.write(token)
        os.replace(self.token_file + ".new", self.token_file)

    def play_kubelets(self, workers=4):
        player = Kubelets(self.api, workers)
        self.players.append(player)
        player.start()
        return player

    def play_controller(self):
        player = Controller(self.api)
        self.players.append(player)
        player.start()
        return player


def place_of(node, sides):
    """The coordinates of a node of make_nodes."""
    number, at = int(node[1:]), []
    for side in reversed(sides):
        at.insert(0, number % side)
        number //= side
    return tuple(at)


def key_of(pod):
    return pod["metadata"]["namespace"] + "/" + pod["metadata"]["name"]


def path_of(pod):
    meta = pod["metadata"]
    return f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"


def version_of(thing):
    """Of an object or a list. Larger is later, of one kind of objects."""
    return int(thing["metadata"]["resourceVersion"])


class Player(threading.Thread):
    """A thread that follows all pods, and does something about each that has
    changed or whose time has come."""

    def __init__(self, api, workers=1):
        super().__init__(daemon=True)
        self.api = api
        self.ended = threading.Event()
        self.pods, self.lock = {}, threading.Lock()
        self.version = 0  # of the server, up to which all is known
        self.todo, self.wake = {}, threading.Condition()
        self.threads = [threading.Thread(target=self.work, daemon=True)
                        for _ in range(workers)]

    def plan(self, key, when=0.0):
        with self.wake:
            self.todo[key] = min(self.todo.get(key, float("inf")), when)
            self.wake.notify()

    def run(self):
        for thread in self.threads:
            thread.start()
        for kind, thing in self.api.watch("/api/v1/pods", self.ended):
            if kind == "SYNC":
                with self.lock:
                    self.pods = {key_of(pod): pod for pod in thing["items"]}
                    self.version = version_of(thing)
                self.on_list()
                for key in list(self.pods):
                    self.plan(key)
                self.on_sync()
            elif kind == "DELETED":
                with self.lock:
                    self.pods.pop(key_of(thing), None)
                    self.version = version_of(thing)
                self.on_gone(thing)
            elif thing:
                with self.lock:
                    self.pods[key_of(thing)] = thing
                    self.version = version_of(thing)
                self.plan(key_of(thing))

    def next_key(self):
        with self.wake:
            while not self.ended.is_set():
                now = time.monotonic()
                due = next((key for key, when in self.todo.items()
                            if when <= now), None)
                if due is not None:
                    del self.todo[due]
                    return due
                self.wake.wait(0.05)
        return None

    def work(self):
        while (key := self.next_key()) is not None:
            try:
                self.look(key)
            except Refused as error:
                if error.code not in (404, 409):
                    self.plan(key, time.monotonic() + 1)
            except OSError:
                self.plan(key, time.monotonic() + 0.5)

    def look(self, key):
        with self.lock:
            pod = self.pods.get(key)
        if pod:
            self.act(key, pod)

    def act(self, key, pod):
        pass

    def on_list(self):
        pass

    def on_sync(self):
        pass

    def on_gone(self, pod):
        pass


class Kubelets(Player):
    """Bound pods run; they succeed after the seconds of the annotation
    test/run, or fail after those of test/fail, and go when they are deleted.
    Pods of a node in `dead` do nothing."""

    def __init__(self, api, workers):
        super().__init__(api, workers)
        self.dead = set()
        self.since = {}

    def end(self, pod, phase, code):
        now = "2026-01-01T00:00:00Z"
        self.api.patch(path_of(pod) + "/status", {
            "metadata": {"uid": pod["metadata"]["uid"]},
            "status": {
                "phase": phase,
                "containerStatuses": [{
                    "name": "main", "image": "none", "imageID": "",
                    "ready": False, "restartCount": 0,
                    "state": {"terminated": {
                        "exitCode": code, "startedAt": now,
                        "finishedAt": now}}}]}})

    def act(self, key, pod):
        node = pod["spec"].get("nodeName")
        phase = pod.get("status", {}).get("phase", "Pending")
        notes = pod["metadata"].get("annotations", {})
        uid = pod["metadata"]["uid"]
        if not node or node in self.dead:
            return
        if "deletionTimestamp" in pod["metadata"]:
            self.api.send("DELETE", path_of(pod), {
                "gracePeriodSeconds": 0, "preconditions": {"uid": uid}})
        elif phase == "Pending":
            self.since[uid] = time.monotonic()
            self.api.patch(path_of(pod) + "/status",
                           {"metadata": {"uid": uid},
                            "status": {"phase": "Running"}})
        elif phase == "Running":
            began = self.since.setdefault(uid, time.monotonic())
            deadline = pod["spec"].get("activeDeadlineSeconds")
            for limit, ending, code in (
                    (deadline, "Failed", 143),
                    (notes.get("test/fail"), "Failed", 7),
                    (notes.get("test/run"), "Succeeded", 0)):
                if limit is None:
                    continue
                if time.monotonic() - began >= float(limit):
                    self.end(pod, ending, code)
                    return
                self.plan(key, began + float(limit))


class Controller(Player):
    """Keeps the pods of jobs in being, as the controllers of Kubernetes do:
    for each name, its pods by index. A pod that is gone is made again; one
    that failed as often as its job allows."""

    def __init__(self, api):
        super().__init__(api)
        self.jobs = {}

    def add(self, name, n, annotations, labels=None, space="default",
            retries=0, **spec):
        uid = self.make_uid(name)
        job = {"name": name, "space": space, "n": n, "retries": retries,
               "annotations": annotations, "labels": labels or {},
               "spec": spec, "uid": uid, "next": [0] * n, "made": {},
               "lock": threading.Lock()}
        with job["lock"]:
            self.jobs[space, name] = job
            try:
                for i in range(n):
                    self.make(job, i)
            except (OSError, Refused):  # the thread goes on with it
                self.plan((space, name))

    @staticmethod
    def make_uid(name):
        return f"uid-{name}-{time.time_ns()}"

    def remove(self, name, space="default"):
        job = self.jobs.pop((space, name), None)
        with job["lock"] if job else contextlib.nullcontext():
            self.api.delete(f"/api/v1/namespaces/{space}/pods"
                            f"?labelSelector=job-name={name}", 0)

    def make(self, job, i):
        """The pod has the same name until it is known to have been made: a
        request without an answer may have made it."""
        name = f"{job['name']}-{i}-{job['next'][i]}"
        body = make_pod(
            name, job["annotations"],
            {**job["labels"], "job-name": job["name"],
             "batch.kubernetes.io/job-completion-index": str(i)},
            job["space"], **job["spec"])
        body["metadata"]["ownerReferences"] = [{
            "apiVersion": "batch/v1", "kind": "Job", "name": job["name"],
            "uid": job["uid"], "controller": True}]
        path = f"/api/v1/namespaces/{job['space']}/pods"
        try:
            pod = self.api.post(path, body)
        except Refused as error:
            if error.code != 409:
                raise
            pod = None
        job["next"][i] += 1
        job["made"][i] = version_of(pod or self.api.get(f"{path}/{name}"))

    def replace(self, space, name):
        job = self.jobs.get((space, name))
        if not job:
            return
        with job["lock"]:
            if self.jobs.get((space, name)) is job:
                self.replace_pods(job)

    def replace_pods(self, job):
        """A pod that was made after what is known is there."""
        with self.lock:
            pods = [pod for key, pod in self.pods.items()
                    if pod["metadata"].get("labels", {}).get("job-name")
                    == job["name"]
                    and pod["metadata"]["namespace"] == job["space"]]
            version = self.version
        for i in range(job["n"]):
            mine = [pod for pod in pods if "deletionTimestamp"
                    not in pod["metadata"] and pod["metadata"]["labels"][
                        "batch.kubernetes.io/job-completion-index"] == str(i)]
            failed = sum(pod.get("status", {}).get("phase") == "Failed"
                         for pod in mine)
            if (job["made"].get(i, 0) <= version
                    and failed == len(mine) <= job["retries"]):
                self.make(job, i)

    def look(self, key):
        """The key is that of a job, or of a pod."""
        if not isinstance(key, tuple):
            super().look(key)
            return
        try:
            self.replace(*key)
        except Refused:
            self.plan(key, time.monotonic() + 0.5)

    def look_at(self, pod):
        name = (pod["metadata"].get("labels") or {}).get("job-name")
        if name:
            self.plan((pod["metadata"]["namespace"], name))

    def act(self, key, pod):
        if (pod.get("status", {}).get("phase") == "Failed"
                or "deletionTimestamp" in pod["metadata"]):
            self.look_at(pod)

    def on_gone(self, pod):
        self.look_at(pod)

    def on_sync(self):
        for key in list(self.jobs):
            self.plan(key)


def make_pod(name, annotations, labels=None, space="default", **spec):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": space,
                         "labels": labels or {}, "annotations": annotations},
            "spec": {"schedulerName": "tori", "restartPolicy": "Never",
                     "containers": [{"name": "main", "image": "none"}],
                     **spec}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--machine", default="torus:4x4x4")
    options = parser.parse_args()
    with Cluster() as cluster:
        cluster.make_nodes(options.machine)
        cluster.play_kubelets()
        print(f"--server {cluster.url} --ca {cluster.ca} "
              f"--token-file {cluster.token_file}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
