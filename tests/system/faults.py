#!/usr/bin/env python3
"""Usage: faults.py BUILD-DIRECTORY [--only NAME...]

What an executor may say and do: jobs of a queue of its own, nodes and links
that fail under jobs, and executors that go and return. In TAP.
"""
import http.client
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import zlib

from service import (BUILD, PATIENCE, SIMPLE, Service, Skip, bad, equal, read,
                     run, wait)

HERE = os.path.dirname(os.path.abspath(__file__))


class Puppet(Service):
    """A service whose executor says what a test wants."""

    def __init__(self, *words, **more):
        super().__init__(*words, executor=lambda files: "python3 "
                         f"{HERE}/puppet.py {files}", **more)
        self.say({"is": "ready", "version": 1})

    def kill(self, number=signal.SIGKILL):
        """With its executor, which must not take the words of the next."""
        status = super().kill(number)
        pid = read(self.path("pid"))
        wait(lambda: not pid or not os.path.exists(f"/proc/{pid}"),
             "the executor stays")
        return status

    def say(self, *words):
        with open(self.path("words"), "a", encoding="utf-8") as file:
            for word in words:
                file.write(json.dumps(word) + "\n")

    def orders(self, what):
        """What it was told of this kind."""
        all_of_it = [json.loads(line) for line
                     in read(self.path("orders")).splitlines(True)
                     if line.endswith("\n")]
        return [order for order in all_of_it if order["do"] == what]

    def told(self, what, n=1):
        wait(lambda: len(self.orders(what)) >= n,
             f"no {what}: {read(self.path('orders'))} "
             f"{read(self.path('log'))}")
        return self.orders(what)

    def jobs(self):
        return self.ask("GET", "/v1/jobs")[1]["jobs"]

    def counted(self, n):
        wait(lambda: len(self.jobs()) == n, f"{self.jobs()}, not {n} jobs")
        return self.jobs()


# ---- a queue of another system ----

def submission(key, **more):
    if "shape" not in more:
        more = {"count": 4, **more}
    return {"is": "submit", "key": key, "user": "ann", "estimate": 60,
            **more}


def times():
    """an executor knows when a job was submitted, and when it began"""
    with Puppet() as service:
        now = int(time.time())
        service.say(submission("a", submit=now - 100),
                    submission("b", submit=now + 1000))
        first, second = service.counted(2)
        equal((first["submit"], first["state"], first["starting"]),
              (now - 100, "running", True))
        assert now - 1 <= second["submit"] <= now + PATIENCE, second
        assert "  starting  " in service.tori("queue")[1]
        assert "has been starting for" in service.tori("show", "1")[1]
        service.told("start", 2)
        time.sleep(max(0, first["start"] + 1.1 - time.time()))
        for number, at in ((1, first["start"] + 1), (2, 5)):
            service.say({"is": "started", "job": number, "attempt": 1,
                         "at": at})
        wait(lambda: not any("starting" in job for job in service.jobs()),
             f"they do not begin: {service.jobs()}")
        equal([job["start"] for job in service.jobs()],
              [first["start"] + 1, second["start"]])
        service.kill()
        service.begin()
        equal([(job["submit"], job["start"]) for job in service.jobs()],
              [(now - 100, first["start"] + 1),
               (second["submit"], second["start"])])


def foreign():
    """an executor submits jobs of its own queue, each key once"""
    with Puppet() as service:
        service.say(submission("a.1"), submission("a.1"),
                    submission("a.2", count=16, name="wide"))
        first, second = service.counted(2)
        equal((first["user"], first["state"]), ("ann", "running"))
        equal((second["name"], second["state"]), ("wide", "queued"))
        start, = service.told("start")
        equal((start["key"], start["job"], start["user"]),
              ("a.1", first["id"], "ann"))
        service.kill()  # the key is on disk
        service.begin()
        service.say({"is": "ready", "version": 1}, submission("a.1"),
                    {"is": "ended", "job": 1, "attempt": 1, "status": 0,
                     "signal": None}, submission("a.3"))
        equal([job["id"] for job in service.counted(3)], [1, 2, 3])
        equal(service.ended(1)["status"], 0)


def keys_apart():
    """keys of executors are not those of users"""
    with Puppet() as service:
        service.say(submission("a"))
        service.counted(1)
        job = {"count": 1, "estimate": 1, "command": ["true"]}
        for more, expected in ({"key": "a"}, 400), ({}, 201):
            code, _ = service.ask("POST", "/v1/jobs", {**job, **more},
                                  {"Idempotency-Key": "a"})
            equal(code, expected)
        equal(len(service.told("start", 2)), 2)
        equal(service.orders("start")[1].get("key"), None)


def foreign_cancelled():
    """an executor cancels jobs by their keys, waiting or running"""
    with Puppet() as service:
        service.say(submission("a", count=16))
        service.told("start")
        service.say(submission("b"), {"is": "cancel", "key": "b"},
                    {"is": "cancel", "key": "nothing"},
                    {"is": "cancel", "key": "a"})
        stop, = service.told("stop")
        equal((stop["job"], stop["key"]), (1, "a"))
        equal(service.ended(2)["why"], "cancelled")
        equal(service.told("decline")[0]["key"], "b")
        service.say({"is": "ended", "job": 1, "attempt": 1, "status": None,
                     "signal": 15}, {"is": "cancel", "key": "a"})
        equal(service.ended(1)["why"], "cancelled")


def other_keys():
    """what an executor says of an attempt with another key is not meant"""
    with Puppet() as service:
        service.say(submission("a"))
        service.told("start")
        ended = {"is": "ended", "job": 1, "attempt": 1, "status": 0,
                 "signal": None}
        service.say({**ended, "key": "b", "status": 7}, submission("c"))
        service.counted(2)
        equal(service.job(1)["state"], "running")
        service.say({**ended, "key": "a"})
        equal(service.ended(1)["status"], 0)


def foreign_changed():
    """an executor changes jobs by their keys, and names others by theirs"""
    with Puppet() as service:
        service.say(submission("a", count=16))
        service.told("start")
        service.say(submission("b", hold=True), submission("c", after=["ok:a", "ok:gone"]),
                    {"is": "change", "key": "b", "priority": 7},
                    {"is": "change", "key": "b", "hold": False})
        service.counted(3)
        wait(lambda: service.job(2).get("priority") == 7, "no change")
        equal(service.job(3)["reason"], "held")
        service.say({"is": "ended", "job": 1, "attempt": 1, "status": 0,
                     "signal": None})
        equal([order["key"] for order in service.told("start", 3)],
              ["a", "b", "c"])


def other_request():
    """a job that waits may ask for something else, if that can ever be"""
    with Puppet() as service:
        service.say(submission("a", count=12))
        service.told("start")
        service.say(submission("b", shape="4x4", wiring="torus"),
                    submission("c", count=6),
                    {"is": "change", "key": "a", "count": 1},
                    {"is": "change", "key": "b", "shape": "4x5"})
        service.counted(3)
        for body, code, text in (
                ({"shape": "5x1"}, 422, "the shape does not fit the machine's "
                 "sides"),
                ({"count": 17}, 422, "larger than the machine"),
                ({"shape": "2x2x2"}, 400,
                 "shape: 3 dimensions on a machine of 2"),
                ({"shape": "5x1", "hold": True}, 422, "the shape does not fit "
                 "the machine's sides"),
                ({}, 400, "expected what to change: name, shape or count, "
                 "wiring, queue, time_limit, begin, priority, before, after or "
                 "hold")):
            answer = service.ask("PATCH", "/v1/jobs/2", body)
            equal((answer[0], answer[1]["error"]["message"]), (code, text))
        equal(service.ask("PATCH", "/v1/jobs/1", {"count": 1})[0], 409)
        equal((service.job(2)["shape"], service.job(2)["wiring"]),
              ("4x4", "torus"))
        service.ask("PATCH", "/v1/jobs/2", {"wiring": "mesh"})
        equal((service.job(2)["shape"], service.job(2)["wiring"]),
              ("4x4", "mesh"))
        service.say({"is": "change", "key": "b", "count": 4})
        start = service.told("start", 2)[1]
        equal((start["key"], len(start["ids"])), ("b", 4))
        service.kill()
        service.begin()
        equal((service.job(2)["count"], service.job(2).get("shape"),
               service.job(2).get("wiring")), (4, None, None))
        equal(service.job(3)["state"], "queued")


def foreign_refused():
    """what cannot run is declined, and again when it is submitted again"""
    with Puppet() as service:
        service.say(submission("big", count=17))
        decline, = service.told("decline")
        equal(decline["key"], "big")
        equal(decline["why"], "larger than the machine")
        service.say(submission("big", count=17), submission("held", hold=True))
        service.told("decline", 2)
        service.counted(1)
        equal(service.ask("DELETE", "/v1/jobs/1")[0], 200)
        equal(service.told("decline", 3)[2],
              {"do": "decline", "key": "held", "why": "cancelled"})
        service.say(submission("held", hold=True))
        service.told("decline", 4)
        service.say(submission("b", queue="nope", hold=True),
                    submission("c", queue="nope", known_queue=True),
                    submission("d", queue="default", known_queue=True,
                               hold=True))
        equal(service.told("decline", 5)[4],
              {"do": "decline", "key": "c", "why":
               "there is no queue 'nope'; there is default"})
        service.counted(3)


def remarks():
    """an executor that asks for it hears why jobs wait, and what changes"""
    with Puppet() as service:
        service.say({"is": "ready", "version": 1, "remarks": 0.1},
                    submission("a", count=14))
        started, = service.told("start")
        service.say(submission("b", count=16), submission("c", count=4))
        told = {order["key"]: order for order in service.told("remark", 2)}
        equal((told["b"]["reason"], told["b"]["text"]), (
            "numerical", "not enough free nodes: it asks for 16 nodes; "
            "only 2 are free"))
        equal((told["b"]["job"], told["c"]["job"]), (2, 3))
        assert abs(told["b"]["start"] - service.job(1)["start"] - 60) < 2, told
        equal("behind" in told["b"], False)
        service.say(submission("d", count=1, estimate=6000))
        last = service.told("remark", 3)[2]
        equal((last["key"], last["reason"]), ("d", "reserved"))
        equal((last["text"], last["behind"]), (
            "it would delay the planned start of another job", "b"))
        service.say({"is": "cancel", "key": "b"})
        wait(lambda: {"do": "remark", "key": "b", "reason": None,
                      "text": None, "start": None} in service.orders("remark"),
             "it is not taken back")
        service.say({"is": "ready", "version": 1})
        heard = len(service.orders("remark"))
        service.say({"is": "ended", "job": started["job"], "attempt": 1,
                     "status": 0, "signal": None}, submission("e", count=16))
        service.told("start", 3)
        equal(len(service.orders("remark")), heard)


def forgetful():
    """an executor whose queue forgets starts and ends is reminded"""
    with Puppet() as service:
        service.say(submission("a"), submission("b"), submission("c"))
        service.told("start", 3)
        for job in 1, 2, 3:
            service.say({"is": "started", "job": job, "attempt": 1})
        for job, status in (1, 0), (3, 5):
            service.say({"is": "ended", "job": job, "attempt": 1,
                         "status": status, "signal": None})
            service.ended(job)
        again = {"is": "ready", "version": 1}
        service.say(again, {"is": "running", "waiting": ["b"], "jobs": [
            {"job": 1, "attempt": 1, "key": "a"},
            {"job": 3, "attempt": 1, "key": "c"}]})
        equal([(order["key"], order.get("over"))
               for order in service.told("stop", 2)],
              [("a", True), ("c", None)])
        equal([(order["key"], order["attempt"])
               for order in service.told("start", 4)],
              [("a", 1), ("b", 1), ("c", 1), ("b", 2)])


def foreign_again():
    """a job that runs again keeps its key, and one that is over is renewed"""
    with Puppet() as service:
        service.say(submission("a", on_failure="requeue", count=1))
        service.told("start")
        service.say({"is": "node", "node": "0,0/4x4", "state": "down"})
        equal(service.told("stop")[0].get("again"), True)
        service.say({"is": "failed", "job": 1, "attempt": 1, "retry": True},
                    {"is": "node", "node": "0,0", "state": "up"})
        start = service.told("start", 2)[1]
        equal((start["key"], start["job"], start["attempt"]), ("a", 1, 2))
        service.say(submission("a"), submission("b", count=1))
        service.counted(2)
        equal(service.orders("renew"), [])
        service.say({"is": "ended", "job": 1, "attempt": 2, "status": 0,
                     "signal": None}, submission("a"))
        equal(service.told("renew"), [{"do": "renew", "key": "a"}])
        equal(service.told("start", 3)[2]["key"], "b")
        service.say({"is": "failed", "job": 2, "attempt": 1, "retry": True},
                    {"is": "node", "node": "0,0", "state": "down"})
        wait(lambda: service.job(2)["state"] == "queued", "it runs")
        service.ask("DELETE", "/v1/jobs/2")
        equal([order["key"] for order in service.told("decline")], ["b"])


def tries():
    """ten starts that fail are enough; what was started or held is no try"""
    with Puppet() as service:
        def fail(attempt, **more):
            start = service.told("start", attempt)[-1]
            equal(start["attempt"], attempt)
            service.say({"is": "failed", "job": 1, "attempt": attempt,
                         "retry": True, "why": "no", **more})
        service.say(submission("a", count=1))
        for attempt in range(1, 12):
            service.told("start", attempt)
            service.say({"is": "started", "job": 1, "attempt": attempt})
            fail(attempt)
        for attempt in range(12, 24):
            fail(attempt, hold=True)
            wait(lambda: service.job(1).get("reason") == "held", "not held")
            service.say({"is": "change", "key": "a", "hold": False})
        for attempt in range(24, 33):
            equal(service.job(1)["state"] == "ended", False)
            fail(attempt)
        wait(lambda: service.job(1)["state"] == "ended", "it is tried on")
        equal((service.job(1)["attempt"], service.job(1)["why"]), (32, "no"))


def told_why(service):
    """Why the first job waits, by all who are asked; they have to agree."""
    job = service.job(1)
    _, queue, _ = service.tori("queue")
    _, why, _ = service.tori("why", "1")
    page, = service.ask("GET", "/v1/jobs/1/why")[1]["jobs"]
    assert f" {job['waits']}" in queue, queue
    assert f": {page['text']}\n" in why, (why, page)
    return job.get("why"), job["waits"], page["text"]


def held_why():
    """who holds a job says why, also after restarts; users do not"""
    owner = (None, "held", "it is held by its owner")
    with Puppet() as service:
        service.say(submission("a", count=1))
        for attempt, why in (1, "it has no key"), (2, None):
            service.told("start", attempt)
            service.say({"is": "failed", "job": 1, "attempt": attempt,
                         "retry": True, "hold": True, "why": why})
            wait(lambda: service.job(1).get("reason") == "held", "not held")
            for number in signal.SIGKILL, signal.SIGTERM:
                equal(told_why(service), (why,) * 3 if why else owner)
                service.kill(number)
                service.begin()
                service.say({"is": "ready", "version": 1})
            service.say({"is": "change", "key": "a", "hold": True,
                         "why": "it is broken"})
            wait(lambda: service.job(1).get("why") == "it is broken",
                 "it is as before")
            equal(told_why(service), ("it is broken",) * 3)
            service.ask("PATCH", "/v1/jobs/1", {"hold": True, "why": "me"})
            equal(told_why(service), owner)
            service.say({"is": "change", "key": "a", "hold": False})


# ---- nodes and links ----

def states(service):
    return {node["node"]: node["state"]
            for node in service.ask("GET", "/v1/nodes")[1]["nodes"]}


def node_down():
    """an executor says that nodes fail and come back"""
    with Puppet() as service:
        service.say(submission("a"), submission("b", on_failure="kill"))
        service.counted(2)
        service.say({"is": "node", "node": "0,0", "state": "down"},
                    {"is": "node", "node": "0,0", "state": "down"},
                    {"is": "node", "node": "nowhere", "state": "down"})
        wait(lambda: states(service)["0,0"] == "down", "not down")
        place = [node for node in states(service)
                 if states(service)[node] == "busy"]
        assert "0,0" not in place, place
        service.say({"is": "node", "node": "0,0", "state": "up"})
        wait(lambda: states(service)["0,0"] != "down", "not up")


def link_down():
    """a link fails under a job: it is killed, or runs elsewhere"""
    with Puppet(machine="torus:4x4") as service:
        ring = {"shape": "1x4", "wiring": "torus"}
        service.say(submission("a", on_failure="requeue", **ring),
                    submission("b", on_failure="kill", **ring))
        service.told("start", 2)
        equal([service.job(n)["place"]["box"] for n in (1, 2)],
              ["0,0/1x4", "1,0/1x4"])
        equal(service.ask("PATCH", "/v1/links/0,0-0,1", {"state": "down"}),
              (200, {"links": 1}))
        equal(service.told("stop")[0]["job"], 1)
        service.say({"is": "ended", "job": 1, "attempt": 1, "status": None,
                     "signal": 9})
        equal(service.told("start", 3)[2]["box"], "2,0/1x4")
        service.say({"is": "link", "link": "1,0-1,1", "state": "down"})
        equal(service.ended(2)["why"], "a link failed under it")
        service.say({"is": "link", "link": "1,0-1,1", "state": "up"})
        equal(service.ask("PATCH", "/v1/links/0,0-0,1", {"state": "up"})[0],
              200)
        equal(service.ask("PATCH", "/v1/links/0,0-2,2", {"state": "up"})[0],
              400)
        equal(service.ask("PATCH", "/v1/links/0,0-0,1", {"state": "x"})[0],
              400)


def failing_nodes():
    """nodes fail under jobs: killed, started again or moved, as each chose"""
    with Service(machine="torus:8x4") as service:
        here = {}
        for fate in ("kill", "requeue", "repair"):
            here[fate] = service.submit(
                "sh", "-c", f"echo $$ $TORI_BOX >> {fate}; while ! test -e "
                "go; do sleep 0.02; done", shape="2x4", on_failure=fate)
        wait(lambda: all(read(service.path(fate)) for fate in here),
             "they do not begin")
        places = {fate: service.job(number)["place"]["box"]
                  for fate, number in here.items()}
        equal(places, {"kill": "0,0/2x4", "requeue": "2,0/2x4",
                       "repair": "4,0/2x4"})
        for node in ("0,1", "2,1"):
            equal(service.tori("drain", node)[0], 0)  # takes no job away
        equal([service.job(number)["state"] for number in here.values()],
              ["running"] * 3)
        equal(service.ask("PATCH", "/v1/nodes/0,1", {"state": "down"})[0],
              200)
        job = service.ended(here["kill"])
        equal((job["signal"], job["why"]), (9, "node 0,1 failed under it"))
        pid = read(service.path("kill")).split()[0]
        wait(lambda: not os.path.exists(f"/proc/{pid}"), "it is not killed")
        for fate, node in (("repair", "4,1"), ("requeue", "2,1")):
            service.ask("PATCH", f"/v1/nodes/{node}", {"state": "down"})
            wait(lambda f=fate: len(read(service.path(f)).splitlines()) == 2,
                 f"{fate} does not run again")
            box = service.job(here[fate])["place"]["box"]
            assert box != places[fate], box
            equal(read(service.path(fate)).split()[3], box)
            pid = read(service.path(fate)).split()[0]
            wait(lambda p=pid: not os.path.exists(f"/proc/{p}"),
                 "the first one still runs")
            service.ask("PATCH", f"/v1/nodes/{node}", {"state": "up"})
        open(service.path("go"), "w", encoding="utf-8").close()
        equal([service.ended(here[fate])["status"]
               for fate in ("requeue", "repair")], [0, 0])


# ---- executors ----

def gone():
    """an executor goes: jobs stay as they are, torid says so, and goes on"""
    with Puppet() as service:
        service.say(submission("a"))
        service.told("start")
        service.say({"is": "started", "job": 1, "attempt": 1})
        wait(lambda: "starting" not in service.job(1), "it does not begin")
        open(service.path("end"), "w", encoding="utf-8").close()

        def health():
            return service.ask("GET", "/healthz")[1]
        wait(lambda: health()["status"] == "no-executor", "all is well?")
        wait(lambda: "every 4 s" in health()["message"], "no backoff")
        equal(service.job(1)["state"], "running")
        waiting = service.submit("true", count=1)  # still taken
        code, out, err = service.tori("queue")
        equal(code, 0)
        assert "running" in out and "the executor is away" in err, err
        assert "event=executor-away" in read(service.path("log"))
        os.unlink(service.path("end"))
        service.say({"is": "ready", "version": 1},
                    {"is": "running", "jobs": [{"job": 1, "attempt": 1}]})
        wait(lambda: health()["status"] == "ok", "it does not return")
        equal(service.tori("queue")[2], "")
        wait(lambda: service.orders("start")[-1]["job"] == waiting,
             "what was submitted meanwhile does not start")
        equal(service.job(1)["attempt"], 1)


def silent():
    """an executor that stops answering is reported until it answers again"""
    with Service("--heartbeat", "1") as service:
        def is_up(status, up):
            _, health = service.ask("GET", "/healthz")
            metrics = service.ask("GET", "/metrics")[1]
            return (health["status"], health["executor"]) == (status, up) \
                and f"tori_executor_up {int(up)}\n" in metrics
        wait(lambda: is_up("ok", True), "it does not begin")
        service.kill_executor(signal.SIGSTOP)
        wait(lambda: is_up("executor-silent", False), "its silence is unnoticed")
        assert "the executor has not answered for" in service.ask(
            "GET", "/healthz")[1]["message"]
        assert "event=executor-silent" in read(service.path("log"))
        number = service.submit("true")
        service.kill_executor(signal.SIGCONT)
        wait(lambda: is_up("ok", True), "its answer is unnoticed")
        equal(service.ended(number)["status"], 0)
        assert "event=executor-answers" in read(service.path("log"))


def host_trouble():
    """trouble of a host ends no job; the node is drained after some, aloud"""
    with Puppet("--drain-after", "3", machine="mesh:2") as service:
        def fail(n, **more):
            order = service.told("start", n)[n - 1]
            service.say({"is": "failed", "job": order["job"], "attempt":
                         order["attempt"], "why": "no space left", "retry":
                         True, **more})
            return order["ids"]
        service.told("list")
        number = service.submit("true")
        equal([fail(n, host=True) for n in range(1, 4)], [[0]] * 3)
        wait(lambda: service.ask("GET", "/v1/nodes/0")[1]["state"]
             == "drained", "it is not drained")
        equal(service.ask("GET", "/v1/nodes/0")[1]["why"],
              "3 starts in a row failed here: no space left")
        # Another may begin elsewhere, which forgives that node.
        equal([fail(n, host=True) for n in (4, 5)], [[1]] * 2)
        order = service.told("start", 6)[5]
        service.say({"is": "started", "job": number,
                     "attempt": order["attempt"]},
                    {"is": "ended", "job": number, "status": 0,
                     "attempt": order["attempt"]})
        equal(service.ended(number)["status"], 0)
        health = service.ask("GET", "/healthz")[1]
        equal((health["status"], health["message"]), (
            "nodes-drained", "1 node was drained, such as 0: 3 starts in a "
            "row failed here: no space left"))
        equal(service.metric("tori_faulty_nodes"), 1)
        assert "event=node-drained" in read(service.path("log"))
        # All are drained: jobs wait, however often it failed.
        other = service.submit("true")
        for n in range(7, 10):
            equal(fail(n, host=True), [1])
        wait(lambda: service.ask("GET", "/healthz")[1]["message"].startswith(
            "2 nodes were drained"), "it is not drained")
        equal(service.job(other)["state"], "queued")
        equal(service.tori("resume", "0/2")[0], 0)
        equal(service.ask("GET", "/healthz")[1]["status"], "ok")
        equal(service.told("start", 10)[9]["job"], other)
        service.kill()
        service.begin()
        equal(service.job(other)["state"], "running")


def full_disk():
    """a full disk of the executor ends no job and drains no node"""
    if os.geteuid() != 0:
        raise Skip("needs root")
    with Service("--drain-after", "2", machine="mesh:4") as service:
        jobs = service.path("jobs")
        service.ended(service.submit("true"))
        service.kill_executor(signal.SIGSTOP)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "nr_inodes=400",
                               "none", jobs], check=False)
        if done.returncode:
            raise Skip("no tmpfs can be mounted")
        try:
            service.kill_executor()
            wait(lambda: read(service.path("log")).count("executor-ready")
                 == 2, "it does not return")
            filler = 0
            while os.statvfs(jobs).f_ffree > 0:
                os.mkdir(os.path.join(jobs, f"filler{filler}"))
                filler += 1
            numbers = [service.submit("true") for _ in range(20)]

            def status():
                return service.ask("GET", "/healthz")[1]["status"]
            wait(lambda: status() == "host-trouble", "nothing is said of it")
            equal(service.metric("tori_host_trouble"), 1)
            equal({service.job(n)["state"] for n in numbers[4:]}, {"queued"})
            service.ask("DELETE", f"/v1/jobs/{numbers[0]}")
            equal(service.ended(numbers.pop(0))["why"], "cancelled")
            equal({node["state"] for node in service.ask(
                "GET", "/v1/nodes")[1]["nodes"]}, {"busy"})
            # With room, all goes on by itself.
            for number in range(filler):
                os.rmdir(os.path.join(jobs, f"filler{number}"))
            equal({service.ended(n)["status"] for n in numbers}, {0})
            wait(lambda: status() == "ok", "it does not recover")
            equal(service.metric("tori_host_trouble"), 0)
            log = read(service.path("log"))
            assert "event=host-trouble" in log and "event=host-recovered" in log
            assert "event=node-drained" not in log
        finally:
            subprocess.run(["umount", "-l", jobs], check=False)
        service.kill_executor()


def large_jobs():
    """large jobs that are cancelled at once do not fill the disk"""
    def size():
        return sum(os.path.getsize(service.path(f"state/journal{end}"))
                   for end in ("", "-wal")
                   if os.path.exists(service.path(f"state/journal{end}")))
    with Service("--body", "8", executor=None) as service:
        for number in range(1, 17):
            equal(service.submit("true", directory="/" * (3 << 20), hold=True,
                                 script="#!/bin/sh\n" * (400 << 10)), number)
            equal(service.ask("DELETE", f"/v1/jobs/{number}")[0], 200)
        wait(lambda: read(service.path("log")).count("event=snapshot ") > 1,
             "no snapshots")
        # The disk is given back as soon as two starts do not need it.
        for _ in range(2):
            service.submit("true", hold=True)
            equal(service.kill(signal.SIGTERM), 0)
            service.begin()
        assert size() < 20 << 20, size()
        equal(service.job(1)["why"], "cancelled")
        equal("directory" in service.job(1), False)


def unwatched():
    """an executor that does not know pings is not asked, and stays healthy"""
    with Puppet("--heartbeat", "1", clock=True) as service:
        service.told("list")
        for _ in range(4):
            service.passes(1)
        equal(service.orders("ping"), [])
        equal(service.ask("GET", "/healthz")[1]["status"], "ok")


def long_words():
    """of a line that is too long nothing counts, and the executor is replaced"""
    with Puppet() as service:
        with open(service.path("words"), "a", encoding="utf-8") as file:
            file.write(" " * (40 << 20) + json.dumps(
                {"is": "node", "node": "0,0", "state": "down"}) + "\n")
        wait(lambda: "wrote a line of more than 16777216 bytes" in
             service.ask("GET", "/healthz")[1].get("message", ""),
             "nothing is said of it")
        service.say({"is": "ready", "version": 1})
        wait(lambda: service.ask("GET", "/healthz")[1]["status"] == "ok",
             "it does not return")
        equal(service.ask("GET", "/v1/nodes/0,0")[1]["state"], "free")


def long_orders():
    """an order that the executor cannot take is refused, or fails"""
    with Puppet("--body", "64") as service:
        service.told("list")
        job = {"estimate": 60, "count": 1, "command": ["true"]}
        code, answer = service.ask("POST", "/v1/jobs", {
            **job, "environment": {"A": "x" * (17 << 20)}})
        equal((code, answer["error"]["code"]), (413, "too-long"))
        assert "accepts 16777216" in answer["error"]["message"], answer
        held = service.submit("true", hold=True, environment={"A": "x" * 9000})
        service.say({"is": "ready", "version": 1, "max_line": 9000})
        service.told("list", 2)
        code, answer = service.ask("POST", "/v1/jobs", {
            **job, "environment": {"A": "x" * 9000}})
        equal((code, answer["error"]["code"]), (413, "too-long"))
        small = service.submit("true", environment={"A": "x" * 1000})
        equal(service.told("start")[0]["job"], small)
        equal(service.ask("PATCH", f"/v1/jobs/{held}", {"hold": False})[0],
              200)
        assert "the executor takes at most 9000" in service.ended(held)["why"]
        equal(len(service.orders("start")), 1)


def many_orders():
    """orders wait until the executor reads them, and cost no memory meanwhile"""
    def memory():
        status = read(f"/proc/{service.process.pid}/status")
        return int(status.split("VmHWM:")[1].split()[0]) >> 10
    with Puppet(machine="torus:20x20") as service:
        service.told("list")
        pid = int(read(service.path("pid")))
        os.kill(pid, signal.SIGSTOP)
        before = memory()
        first = service.submit("true", array="0-99", script="x" * 200000,
                               environment={"A": "x"})
        last = first + 99
        equal(service.ask("DELETE", f"/v1/jobs/{last}")[0], 200)
        equal(service.ask("GET", "/healthz")[0], 200)
        assert not SIMPLE or memory() - before < 10, (before, memory())
        os.kill(pid, signal.SIGCONT)
        wait(lambda: '"do":"stop"' in read(service.path("orders")),
             "not all orders come")
        equal([(order["job"], order["environment"], order.get("index"))
               for order in service.orders("start")],
              [(first + i, {"A": "x", "TORI_ARRAY_INDEX": str(i)}, None)
               for i in range(100)])
        equal([order["job"] for order in service.orders("stop")], [last])
        # Those that are not sent are void when another executor comes.
        os.kill(pid, signal.SIGSTOP)
        again = service.submit("true", array="0-29", script="x" * 200000)
        before = len(service.orders("list"))
        os.kill(pid, signal.SIGKILL)
        service.say({"is": "ready", "version": 1})
        service.told("list", before + 1)
        service.say({"is": "running", "jobs": [
            {"job": first + i, "attempt": 1} for i in range(100)]})

        def come():
            text = read(service.path("orders"))
            text = text[text.rindex('"do":"list"'):]
            return [json.loads(line)["job"] for line in text.splitlines(True)
                    if line.startswith('{"do":"start"')
                    and line.endswith("\n")]
        wait(lambda: len(come()) >= 30, "they are not ordered again")
        equal(come(), list(range(again, again + 30)))


# ---- the clock and the disk ----

def long_arguments():
    """what no program can be started with is refused when it is submitted"""
    def limit():
        resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, -1))
    most = 128 << 10
    with Service("--body", "8", limits=limit) as service:
        wait(lambda: "event=executor-ready" in read(service.path("log")),
             "there is no executor")

        def ask(*command, **environment):
            code, answer = service.ask("POST", "/v1/jobs", {
                "count": 1, "time_limit": 60, "command": ["true", *command],
                "environment": environment})
            return code, answer.get("error", {}).get("message", "")
        number = 0
        for words, more in ((("x" * (most - 1),), {}),
                            ((), {"A": "x" * (most - 3)}),
                            (("x" * 100000,) * 20, {})):
            number += 1
            equal(ask(*words, **more), (201, ""))
            equal(service.ended(number)["status"], 0)
        for words, more, why in (
                (("x" * most,), {}, "jobs[0]: command[1] takes 131072 bytes"),
                ((), {"A": "x" * (most - 2)}, "jobs[0]: A takes 131072 bytes"),
                (("x" * 100000,) * 21, {}, "jobs[0]: command and environment "
                 "take 2100202 bytes, and no program can have more than")):
            code, said = ask(*words, **more)
            equal((code, said[:len(why)]), (413, why))


def not_begun():
    """an executor that cannot be started now is later, and torid still ends"""
    files = resource.RLIMIT_NOFILE

    def log():
        return read(service.path("log"))
    with Service() as service:
        wait(lambda: "executor-ready" in log(), "no executor")
        torid = service.process.pid
        limits = resource.prlimit(torid, files)
        few = len(os.listdir(f"/proc/{torid}/fd")) - 3
        resource.prlimit(torid, files, (few, limits[1]))
        service.kill_executor()
        wait(lambda: "too many open files" in log(), "it is started")
        resource.prlimit(torid, files, limits)
        wait(lambda: log().count("executor-ready") == 2, "it stays away")
        service.process.terminate()
        equal(service.process.wait(PATIENCE), 0)
        service.begin()


def clock_back():
    """a clock that goes back: jobs start and end, and no time runs backwards"""
    with tempfile.NamedTemporaryFile("w", suffix="clock") as clock, \
            Service(environment=bad("clock", BAD_CLOCK=clock.name)) as service:
        wrong(service, clock)


class Forgetful:
    """A torid that starts again whenever it has ended for want of memory."""

    def __init__(self, service, file):
        self.service, self.file, self.given = service, file, set()

    def arm(self, number):
        os.pwrite(self.file.fileno(), struct.pack("l", number), 0)

    def left(self):
        return struct.unpack("l", os.pread(self.file.fileno(), 8, 0))[0]

    def ask(self, *words):
        """The answer, or None if the connection broke."""
        try:
            return self.service.ask(*words)
        except (OSError, http.client.HTTPException, ValueError):
            return None, None

    def see(self):
        """It goes on, or has ended as it should; then it starts again. What it
        has acknowledged is there."""
        code, answer = self.ask("GET", "/v1/jobs?limit=1000")
        if code != 200:
            equal(self.service.process.wait(PATIENCE), 1)
            self.service.begin()
            answer = self.service.ask("GET", "/v1/jobs?limit=1000")[1]
        lost = self.given - {job["id"] for job in answer["jobs"]}
        assert not lost, lost

    def fail_each(self, *request):
        """Each allocation fails once; how many did."""
        number, times = 1, 0
        while True:
            self.arm(number)
            code, answer = self.ask(*request)
            fired = self.left() == 0
            self.arm(0)
            assert code is None or code < 300 or code >= 500, (code, answer)
            if code == 201:
                self.given |= set(answer["ids"])
            self.see()
            if not fired:
                return times
            number, times = number + 1, times + 1


def no_memory():
    """memory runs out in a request: torid goes on, or ends and starts again"""
    job = {"count": 2, "estimate": 60, "command": ["true"], "hold": True,
           "environment": {"A": "1"}, "array": "1-2"}
    with tempfile.NamedTemporaryFile("w+b", suffix="memory") as file:
        file.write(bytes(8))
        file.flush()
        with Service(executor=None, environment=bad(
                "memory", BAD_MEMORY=file.name)) as service:
            torid = Forgetful(service, file)
            equal(service.submit("true", hold=True), 1)
            for request in (("POST", "/v1/jobs", job),
                            ("GET", "/v1/jobs"), ("GET", "/v1/jobs/1"),
                            ("PATCH", "/v1/jobs/1", {"priority": 3}),
                            ("GET", "/v1/jobs/1/why"), ("GET", "/metrics"),
                            ("GET", "/v1/users"),
                            ("PATCH", "/v1/nodes/0,0", {"state": "drain"})):
                assert torid.fail_each(*request) > 3, request


def clock_ahead():
    """a clock that was 40 years ahead for a moment leaves nothing stuck"""
    with tempfile.NamedTemporaryFile("w", suffix="clock") as clock, \
            Service("--half-life", "7d", environment=bad(
                "clock", BAD_CLOCK=clock.name)) as service:
        far_ahead(service, clock)


YEARS = 40 * 31557600


def set_clock(clock, seconds=YEARS):
    with open(clock.name, "w", encoding="utf-8") as file:
        file.write(str(seconds))


def far_ahead(service, clock):
    begun = time.time()
    first = service.submit("sh", "-c", "until test -e go; do sleep 0.02; done",
                           shape="4x4", estimate=3600)
    wait(lambda: service.job(first)["state"] == "running", "it does not start")
    set_clock(clock)
    second = service.submit("true", estimate=3600)
    wait(lambda: "event=clock-jumped" in read(service.path("log")), "not seen")
    set_clock(clock, 0)
    open(service.path("go"), "w", encoding="utf-8").close()
    for number in first, second, service.submit("true"):
        job = service.ended(number)
        equal(job["status"], 0)
        assert begun - 1 <= job["submit"] <= job["end"] <= time.time() + 60, job
    # Nor does a torid believe it that is started meanwhile.
    service.kill()
    set_clock(clock)
    service.begin()
    meanwhile = [service.submit("true"),
                 service.submit("true", begin=int(time.time()) + 2)]
    equal(service.ended(meanwhile[0])["status"], 0)
    set_clock(clock, 0)
    for number in *meanwhile, service.submit("true", begin="+2s"):
        job = service.ended(number)
        equal(job["status"], 0)
        assert begun - 1 <= job["submit"] <= job["end"] <= time.time() + 60, job
    assert job["start"] >= job["submit"] + 2, job
    # After a restart, too, the time is right.
    service.kill()
    service.begin()
    assert abs(service.job(service.submit("true"))["submit"]
               - time.time()) < 60


def begun_ahead():
    """a new torid begun with a clock ahead goes on when the clock is right"""
    with tempfile.NamedTemporaryFile("w", suffix="clock") as clock:
        for executor in "local", "rehearse":
            set_clock(clock)
            with Service(executor=executor, environment=bad(
                    "clock", BAD_CLOCK=clock.name)) as service:
                stay_ahead(service, clock)


def stay_ahead(service, clock):
    """It has to believe the clock. When that is right, its time goes on, also
    after a restart."""
    def begin_job():
        job = service.submit("sleep", "2", time_limit=2000)
        wait(lambda: "starting" not in service.job(job), "it does not start")
        return job
    first = begin_job()
    os.truncate(clock.name, 0)
    equal(service.ended(first)["status"], 0)
    set_clock(clock)
    second = begin_job()
    service.kill()
    os.truncate(clock.name, 0)
    service.begin()
    for job in second, service.submit("true", time_limit=1, begin="+2s"):
        equal(service.ended(job)["status"], 0)
    assert "event=clock-went-back" in read(service.path("log"))


def wrong(service, clock):
    set_clock(clock, 7200)
    first = service.submit("sh", "-c", "while ! test -e go; do sleep 0.02; "
                           "done", shape="4x4")
    waiting = service.submit("true", shape="4x4")
    wait(lambda: service.job(first)["state"] == "running", "it does not start")
    set_clock(clock, 0)  # two hours back
    third = service.submit("true")
    open(service.path("go"), "w", encoding="utf-8").close()
    jobs = [service.ended(number) for number in (first, waiting, third)]
    times = [job[key] for job in jobs for key in ("start", "end")]
    equal(times, sorted(times))
    equal([job["status"] for job in jobs], [0, 0, 0])
    assert "event=clock-went-back" in read(service.path("log"))
    service.kill()
    service.begin()
    equal(service.ended(service.submit("true"))["status"], 0)


def damage(service):
    """Spoil the record of the last submission, as a bad disk would."""
    base = sqlite3.connect(service.path("state/journal"))
    seq, = base.execute("SELECT max(seq) FROM record WHERE "
                        "CAST(text AS TEXT) LIKE '%submit%'").fetchone()
    base.execute("UPDATE record SET text = x'7b7d' WHERE seq = ?", (seq,))
    base.commit()
    base.close()
    return seq


def damaged_tail():
    """a damaged journal is refused with a word of advice, and can be cut"""
    with Service(executor="rehearse") as service:
        first = service.submit("true", hold=True)
        second = service.submit("true", hold=True)
        service.kill()
        seq = damage(service)
        said = subprocess.run([f"{BUILD}/torid", *service.words], text=True,
                              capture_output=True, check=False)
        assert said.returncode > 0, said
        equal(said.stderr.count("\n"), 1)
        assert f"damaged: record {seq}; --salvage goes on" in said.stderr, \
            said.stderr
        service.words.append("--salvage")
        service.begin()
        assert "event=salvaged" in read(service.path("log"))
        assert os.path.exists(service.path("state/journal.before"))
        equal(service.job(first)["state"], "queued")
        equal(service.ask("GET", f"/v1/jobs/{second}")[0], 404)
        third = service.submit("true", hold=True)
        equal(third, second + 1)  # the lost one's number is not given again
        service.kill()
        service.words.remove("--salvage")
        service.begin()
        equal([service.job(number)["state"] for number in (first, third)],
              ["queued", "queued"])


def spoil(service, table, which):
    """Change a byte of these texts, as a bad disk would."""
    base = sqlite3.connect(service.path("state/journal"))
    base.execute(f"UPDATE {table} SET text = CAST(substr(text, 1, 30) || 'X' "
                 f"|| substr(text, 32) AS BLOB) WHERE seq {which}")
    base.commit()
    base.close()


def said_by(service, *words):
    return subprocess.run([f"{BUILD}/torid", *service.words, *words],
                          text=True, capture_output=True, check=False)


NEWEST = "= (SELECT max(seq) FROM snapshot)"


def damaged_snapshot():
    """a damaged snapshot: the one before it and all records since will do"""
    with Service(executor="rehearse") as service:
        def jobs():
            return service.ask("GET", "/v1/jobs")[1]["jobs"]
        for _ in range(3):
            service.submit("true", hold=True)
            service.kill(signal.SIGTERM)
            service.begin()
        service.submit("true", hold=True)
        service.kill()
        for number in signal.SIGKILL, signal.SIGTERM:
            spoil(service, "snapshot", NEWEST)
            said = said_by(service, "--check")
            equal((said.returncode, said.stdout.splitlines()[-1]),
                  (0, "the journal is good: 4 jobs wait, 0 run"))
            assert "event=snapshot-damaged" in said.stderr, said.stderr
            service.begin()
            assert "event=snapshot-damaged" in read(service.path("log"))
            equal([job["id"] for job in jobs()], [1, 2, 3, 4])
            service.kill(number)
        equal(said_by(service, "--check").stderr, "")


def failed_salvage():
    """a salvage that fails leaves everything as it was, and is tried again"""
    with Service(executor="rehearse") as service:
        for _ in range(3):
            service.submit("true", hold=True)
            service.kill(signal.SIGTERM)
            service.begin()
        service.submit("true", hold=True)
        service.kill(signal.SIGTERM)
        base = sqlite3.connect(service.path("state/journal"))
        base.execute("DELETE FROM record WHERE seq < "
                     "(SELECT max(seq) FROM snapshot)")
        base.commit()
        base.close()
        spoil(service, "snapshot", "> 0")
        before = sorted(os.listdir(service.path("state")))
        with open(service.path("state/journal"), "rb") as file:
            content = file.read()
        for _ in range(2):
            said = said_by(service, "--salvage")
            equal((said.returncode, said.stderr.count("\n")), (2, 1))
            assert "none of its snapshots can be used" in said.stderr, said
        equal(sorted(os.listdir(service.path("state"))), before)
        with open(service.path("state/journal"), "rb") as file:
            equal(file.read() == content, True)
        for name in "journal", "journal-wal":
            if os.path.exists(service.path(f"state/{name}")):
                os.unlink(service.path(f"state/{name}"))
        service.begin()


def refused_record():
    """a record that does not fit the state can be cut as a damaged one"""
    with Service(executor="rehearse") as service:
        first = service.submit("true", hold=True)
        second = service.submit("true", hold=True)
        service.kill()
        base = sqlite3.connect(service.path("state/journal"))
        seq, text = base.execute(
            "SELECT seq, text FROM record WHERE CAST(text AS TEXT) LIKE "
            "'%submit%' ORDER BY seq DESC LIMIT 1").fetchone()
        text = text.replace(b'"submit"', b'"cancel"')
        base.execute("UPDATE record SET text = ?, sum = ? WHERE seq = ?", (
            text, checksum(seq, ord("r"), text), seq))
        base.commit()
        base.close()
        said = said_by(service)
        equal(said.returncode, 2)
        assert "--salvage goes on with what is before it" in said.stderr, said
        for _ in range(2):  # the second time nothing is wrong
            service.words.append("--salvage")
            service.begin()
            equal(service.job(first)["state"], "queued")
            equal(service.ask("GET", f"/v1/jobs/{second}")[0], 404)
            service.kill()
        assert os.path.exists(service.path("state/journal.before"))
        assert not os.path.exists(service.path("state/journal.before.2"))


def checksum(seq, kind, text):
    """Of a record, as journal_sum makes it."""
    return zlib.crc32(seq.to_bytes(8, "little") + kind.to_bytes(8, "little")
                      + b"\0" + text)


def put_back(service, backup):
    shutil.rmtree(service.path("state"))
    shutil.copytree(backup, service.path("state"))


def went_back():
    """numbers are not given again after a backup was put back"""
    with Service(executor="rehearse") as service:
        service.submit("true", hold=True)
        service.kill(signal.SIGTERM)
        backup = service.path("backup")
        shutil.copytree(service.path("state"), backup)
        service.begin()
        assert "state-went-back" not in read(service.path("log"))
        equal([service.submit("true", hold=True) for _ in range(3)], [2, 3, 4])
        for number, expected in (signal.SIGTERM, 5), (signal.SIGKILL, 6):
            service.kill(number)
            put_back(service, backup)
            service.begin()
            assert "event=state-went-back" in read(service.path("log"))
            equal(service.submit("true", hold=True), expected)
        service.kill()
        os.unlink(service.path("state.mark"))
        service.begin()  # as on another host: nothing is known
        equal(service.submit("true", hold=True), 10000)
        service.kill()
        os.truncate(service.path("log"), 0)
        service.begin()
        assert "state-went-back" not in read(service.path("log"))
        equal(service.submit("true", hold=True), 10001)
        service.kill()
        shutil.copy(service.path("state.mark"), service.path("copy"))
        os.rename(service.path("copy"), service.path("state.mark"))
        service.begin()
        assert "the mark beside it is a copy" in read(service.path("log"))
        equal(service.submit("true", hold=True), 20000)


def damaged_log():
    """so is one whose log is damaged in the middle"""
    with Service(executor="rehearse") as service:
        for _ in range(20):
            service.submit("true", hold=True)
        service.kill()
        path = service.path("state/journal-wal")
        with open(path, "r+b") as log:
            log.seek(os.path.getsize(path) // 2)
            byte = log.read(1)[0]
            log.seek(-1, os.SEEK_CUR)
            log.write(bytes([byte ^ 1]))
        for words in [], ["--check"]:
            said = subprocess.run(
                [f"{BUILD}/torid", *service.words, *words], text=True,
                capture_output=True, check=False)
            equal((said.returncode, said.stderr.count("\n")), (2, 1))
            assert re.search(r"journal-wal: damaged: \d+ frames .*--salvage",
                             said.stderr), said.stderr
        service.words.append("--salvage")
        service.begin()
        assert "event=salvaged" in read(service.path("log"))
        assert os.path.exists(service.path("state/journal.before-wal"))
        # Later commits wrote the damaged page again.
        left = len(service.ask("GET", "/v1/jobs")[1]["jobs"])
        equal(left, 20)
        service.submit("true", hold=True)
        service.kill()
        service.words.remove("--salvage")
        service.begin()
        equal(len(service.ask("GET", "/v1/jobs")[1]["jobs"]), left + 1)


def damaged_pages():
    """what is whole of a journal with damaged pages is saved, in order"""
    with Service(executor="rehearse") as service:
        jobs = service.path("state/journal")
        for _ in range(30):
            service.submit("true", hold=True, name="x" * 900)
        service.kill(signal.SIGTERM)
        service.begin()
        for _ in range(30):
            service.submit("true", hold=True, name="x" * 900)
        service.kill(signal.SIGTERM)  # nothing is left in the log
        saved = [read_bytes(jobs), read_bytes(service.path("state.mark"))]
        pages = len(saved[0]) // 4096
        found = []
        service.words.append("--salvage")
        for page in range(0, pages, max(1, pages // 12)):
            shutil.rmtree(service.path("state"))
            os.mkdir(service.path("state"))
            content = bytearray(saved[0])
            content[page * 4096:(page + 1) * 4096] = bytes(4096)
            with open(jobs, "wb") as file:
                file.write(content)
            service.begin()
            found.append(len(service.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"]))
            service.kill()
            before = service.path("state/journal.before")
            if os.path.exists(before):
                equal(read_bytes(before) == content, True)
        equal(set(found) <= {30, 60}, True)
        assert found.count(60) > len(found) // 2, found


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def other_machine():
    """another machine is named, and refused if places are not on it"""
    for number in signal.SIGKILL, signal.SIGTERM:
        with Service(executor=None, machine="torus:4x4") as service:
            service.submit("true", shape="3x4")
            service.kill(number)
            for machine, code, line in [
                    ("torus:2x2", 2,
                     "the journal is of machine torus:4x4, not of torus:2x2"),
                    ("torus:4x5", 0,
                     "event=machine-changed was=torus:4x4 is=torus:4x5")]:
                words = [machine if word == "torus:4x4" else word
                         for word in service.words]
                said = subprocess.run([f"{BUILD}/torid", *words, "--check"],
                                      text=True, capture_output=True,
                                      check=False)
                equal((said.returncode, said.stderr.count("\n")), (code, 1))
                assert line in said.stderr, said.stderr


def machine_told():
    """an executor sees which machine torid has; tori-slurm refuses another"""
    with Service(machine="torus:4x4", executor=lambda files:
                 f"env > {files}/told; cat > /dev/null") as service:
        wait(lambda: "TORI_MACHINE=torus:4x4\n" in read(service.path("told")),
             "it is not told")
    program = f"{BUILD}/tori-slurm"
    if not os.path.exists(program):
        raise Skip("no tori-slurm here")
    said = subprocess.run(
        [program, "--machine", "torus:2x8", "--nodes", "n[0-15]"],
        env=dict(os.environ, TORI_MACHINE="torus:4x4"), text=True,
        capture_output=True, check=False)
    equal((said.returncode, said.stdout, said.stderr),
          (2, "", "tori-slurm: the machine of torid is torus:4x4, and that of "
           "tori-slurm is torus:2x8\n"))


def torn_tail():
    """a journal whose end is gone is a shorter journal"""
    with Service(executor="rehearse") as service:
        first = service.submit("true", hold=True)
        service.submit("true", hold=True)
        service.kill()
        log = service.path("state/journal-wal")
        os.truncate(log, os.path.getsize(log) - 100)
        service.begin()
        equal(service.job(first)["state"], "queued")
        service.ended(service.submit("true"))


TESTS = [times, foreign, keys_apart, foreign_cancelled, other_keys,
         foreign_changed, foreign_refused, forgetful, foreign_again, tries, held_why, other_request, remarks,
         node_down, link_down,
         failing_nodes, gone, silent, unwatched, long_words, long_orders, many_orders,
         host_trouble, full_disk, large_jobs,
         long_arguments, not_begun, clock_back, clock_ahead, begun_ahead, no_memory, damaged_tail,
         damaged_snapshot, failed_salvage, refused_record, went_back, damaged_log,
         damaged_pages,
         other_machine, machine_told, torn_tail]

if __name__ == "__main__":
    sys.exit(run(TESTS))
