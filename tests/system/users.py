#!/usr/bin/env python3
"""Users, queues, limits and the history of a real torid.

    users.py BUILD [--only TEST ...]
"""

import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

from service import (BUILD, SIMPLE, AsUser, Service, Skip, bad,
                     configured, equal, read, run, wait)

CONFIG = """\
max-nodes = 8
half-life = "1h"
usage-weight = 1000
queue batch {}
queue urgent {
    priority = 500
    max-time = "10m"
    max-running = 1
}
"""


def usual_half_life():
    """a weight without a half-life has one of a week"""
    with Service("--usage-weight", "1000", executor=None) as service:
        def check(*words):
            done = subprocess.run(
                [f"{BUILD}/torid", "--machine", "torus:4x4", "--state",
                 service.path("other"), *words, "--check"], text=True,
                capture_output=True, check=True)
            return done.stdout.splitlines()[1]
        weight, day = ("--usage-weight", "1000"), ("--half-life", "1d")
        equal(check(*weight), "fair share: usage counts half after 7d, and takes up "
              "to 1000 from priorities")
        equal([row["is"]["half-life"] for row in service.ask(
            "GET", "/v1/changes")[1]["changes"] if row["what"] == "configure"],
              [7 * 86400])
        equal(check(*weight, *day), "fair share: usage counts half after 1d, and takes up "
              "to 1000 from priorities")
        equal(check(*day), "fair share: usage counts half after 1d, and takes "
              "nothing from priorities: usage-weight is not set")


def slow_names():
    """a name that does not come keeps only its own user waiting"""
    if os.geteuid() != 0:
        raise Skip("needs root")
    with tempfile.TemporaryDirectory() as files:
        names = os.path.join(files, "names")
        with Service(executor=None, environment=bad(
                "names", BAD_NAMES=names)) as service:
            wait_for_name(service, names)


def wait_for_name(service, names):
    os.chmod(service.files, 0o755)
    with open(names, "w", encoding="utf-8"):
        pass

    def ask():
        return service.ask("POST", "/v1/jobs", {
            "count": 1, "estimate": 9, "command": ["true"], "hold": True})[1]

    def insist():
        """However long the name takes."""
        while "error" in (answer := ask()):
            equal(answer["error"]["code"], "no-name")
        return answer
    first, second = AsUser("nobody", insist), AsUser("nobody", insist)
    wait(lambda: os.path.exists(names + ".asked"), "nobody asks")
    for _ in range(20):
        equal(service.ask("GET", "/healthz")[0], 200)
    equal((first.is_ready(), second.is_ready()), (False, False))
    os.remove(names)
    equal(sorted(one.result()["ids"] for one in (first, second)), [[1], [2]])
    equal({service.job(n)["user"] for n in (1, 2)}, {"nobody"})
    # torid ends although a name does not come.
    with open(names, "w", encoding="utf-8"):
        pass
    os.remove(names + ".asked")
    third = AsUser("daemon", ask)
    wait(lambda: os.path.exists(names + ".asked"), "daemon does not ask")
    equal(service.kill(signal.SIGTERM), 0)
    equal(third.result()["error"]["code"], "ending")
    os.remove(names)


def hung_names():
    """users whose names do not come are refused, and lock nobody out"""
    if os.geteuid() != 0:
        raise Skip("needs root")
    with tempfile.TemporaryDirectory() as files:
        names = os.path.join(files, "names")
        with Service("--patience", "1d", executor=None, clock=True,
                     environment=bad("names", BAD_NAMES=names)) as service:
            os.chmod(service.files, 0o755)
            refuse_hung(service, names)
            serve_known(service, names)
            serve_root(service, names)


def hang(names, first=0):
    with open(names, "w", encoding="utf-8") as file:
        file.write(str(first))


def code_of(service, path="/v1/machine"):
    """What somebody is answered: the status, and the code of a refusal."""
    def ask():
        code, said = service.ask("GET", path)
        return code, said.get("error", {}).get("code")
    return ask


def passes_until(service, true, what):
    """Ten seconds after the other."""
    wait(lambda: (service.passes(10), true())[1], what)


def refuse_hung(service, names):
    """More of them than there are look-ups at once."""
    first = 1 << 20
    hang(names, first)
    hung = [AsUser(first + i, code_of(service)) for i in range(80)]
    wait(lambda: os.path.exists(names + ".asked"), "nobody asks")
    equal(AsUser("daemon", code_of(service)).result(), [200, None])
    equal(code_of(service)(), (200, None))
    passes_until(service, lambda: all(one.is_ready() for one in hung),
                 "users wait for their names")
    equal([one.result() for one in hung], [[503, "no-name"]] * 80)
    assert "event=name-late" in read(service.path("log"))
    os.remove(names)
    service.passes(10)
    equal(AsUser(first, code_of(service)).result(), [200, None])


def serve_known(service, names):
    """Who had a name keeps it."""
    hang(names)
    service.passes(100)
    daemon = AsUser("daemon", code_of(service))
    passes_until(service, daemon.is_ready, "daemon waits")
    equal(daemon.result(), [200, None])
    equal(AsUser("daemon", code_of(service)).result(), [200, None])


def serve_root(service, names):
    """Root is known, and is served soon without the groups that count."""
    equal(code_of(service)(), (200, None))
    os.remove(names)
    configured(service, 'queue batch {\n    allow = "@daemon"\n}\n')
    service.kill(signal.SIGTERM)
    hang(names)
    service.begin()
    equal(code_of(service)(), (200, None))
    equal(service.ask("POST", "/v1/jobs", {
        "count": 1, "estimate": 9, "command": ["true"]})[0], 201)
    equal(service.job(1)["user"], "root")
    os.remove(names)


def end_of_names():
    """torid ends in good order while it looks up a name"""
    with tempfile.TemporaryDirectory() as files:
        names = os.path.join(files, "names")
        with Service(executor=None, tcp=True, environment=bad(
                "names", BAD_NAMES=names) if SIMPLE else None) as service:
            configured(service, 'queue batch {\n    allow = "@daemon"\n}\n')
            if SIMPLE and shutil.which("valgrind"):
                service.kill(signal.SIGTERM)
                service.under = ["valgrind", "-q", "--error-exitcode=99"]
                service.begin()
            end_asked(service, names)


def end_asked(service, names):
    token = service.token("alice", "user")
    hang(names)
    with contextlib.closing(service.asked("GET", "/v1/machine", token)) as it:
        equal(it.getresponse().read() != b"", True)
        service.process.send_signal(signal.SIGSTOP)
        it.request("POST", "/v1/jobs", json.dumps({
            "count": 1, "estimate": 9, "command": ["true"]}),
                   {"Authorization": f"Bearer {token}"})
        service.process.send_signal(signal.SIGTERM)
        service.process.send_signal(signal.SIGCONT)
        equal(service.process.wait(), 0)
        answer = it.getresponse()
        code = json.loads(answer.read()).get("error", {}).get("code")
        equal((answer.status, code),
              (503, "ending") if SIMPLE else (403, "forbidden"))


def limits():
    """jobs wait for the limits of users and queues, and say so"""
    with Service(executor="rehearse") as service:
        configured(service, CONFIG)
        job = {"count": 5, "estimate": 600}
        first = service.submit("true", **job, runtime=1e6)
        second = service.submit("true", **job)
        urgent = service.submit("true", count=1, estimate=60, queue="urgent",
                                runtime=1e6)
        other = service.submit("true", count=1, estimate=60, queue="urgent")
        equal(service.job(first)["queue"], "batch")
        wait(lambda: service.job(urgent)["state"] == "running", "urgent")
        for number, limit, rank in (
                (second, "the user's limit of 8 nodes", None),
                (other, "queue urgent's limit of 1 running job", 500)):
            told = service.job(number)
            equal((told["state"], told["reason"], told["hold"],
                   told["limit"], told.get("effective_priority")),
                  ("queued", "held", "share", limit, rank))
        assert "waits for the user's limit of 8 nodes" \
            in service.tori("queue")[1]
        me = service.ask("GET", "/v1/users")[1]["users"]
        equal([(one["queued"], one["running"], one["nodes"]) for one in me],
              [(2, 2, 6)])
        equal(re.sub(r"at .*, in \S+, on [^,]*(?:,\d+[^,]*)*,", "at T,",
                     service.tori("why", str(second))[1]),
              f"job {second}: waits for the user's limit of 8 nodes\n"
              f"  expected to start at T, if job {first} ends at its time "
              "limit\n")
        equal(service.ask("POST", "/v1/jobs", {
            "command": ["true"], "count": 1, "estimate": 601,
            "queue": "urgent"})[1]["error"]["message"],
              "jobs of queue 'urgent' run for at most 10m")
        equal(service.tori("submit", "--count", "1", "--time", "1s", "--queue",
                           "late", "true")[2],
              "tori: there is no queue 'late'; there are batch and urgent\n")
        service.kill()
        service.begin()
        equal(service.job(second)["limit"], "the user's limit of 8 nodes")
        lowered(service, second)
        service.ask("DELETE", f"/v1/jobs/{first}")
        wait(lambda: service.job(second)["state"] != "queued", "second")


def lowered(service, job):
    """A job with more nodes than a limit that was lowered never starts."""
    def limited(nodes):
        with open(service.path("conf"), "w", encoding="utf-8") as file:
            file.write(CONFIG.replace("max-nodes = 8", f"max-nodes = {nodes}"))
        service.process.send_signal(signal.SIGHUP)
        wait(lambda: f"of {nodes} nodes" in service.job(job)["limit"],
             f"max-nodes {nodes}")
        told = service.job(job)
        return told["reason"], told["hold"], told["limit"]
    never = "can never start: it has more nodes than the user's limit of 4 nodes"
    equal(limited(4), ("never", "share", "the user's limit of 4 nodes"))
    assert never in service.tori("queue")[1], service.tori("queue")[1]
    equal(service.tori("why", str(job))[1], f"job {job}: it {never}\n")
    *_, row, unsure, _ = service.tori("forecast")[1].splitlines()
    equal(row.split(), [str(job), "never"])
    equal(unsure, "not a promise: fair share changes the order of the queue "
          "while jobs run")
    equal(service.tori("change", str(job), "--count", "4")[0], 0)
    equal(service.job(job)["reason"], "held")
    equal(service.tori("change", str(job), "--count", "5")[0], 0)
    equal(limited(8), ("held", "share", "the user's limit of 8 nodes"))


def as_user(service, job):
    """Submit as somebody who is no operator."""
    token = service.token("alice", "user")

    def submit(**more):
        code, _, body = service.tcp("POST", "/v1/jobs", token, {**job, **more})
        return code, body.get("error", {}).get("message")
    return submit


def refused():
    """users are told what they may not have, operators may have it"""
    with Service("--max-queued", "2", "--max-nodes", "8", tcp=True,
                 executor="rehearse") as service:
        job = {"command": ["true"], "count": 1, "estimate": 60, "hold": True}
        submit = as_user(service, job)
        equal([submit(array="1-2"), submit(), submit(count=9),
               submit(priority=1)], [
                   (201, None), (429, "a user may have at most 2 waiting jobs "
                                      "(max-queued)"),
                   (422, "it asks for 9 nodes; a user may have at most 8 at "
                    "once"),
                   (403, "priority: only operators may raise it above 0; "
                    "users may lower that of their own jobs")])
        equal(service.ask("POST", "/v1/jobs", [{**job, "priority": 1}] * 3)[0],
              201)


def bounded():
    """without any setting, what a user asks for is bounded"""
    with Service(tcp=True, executor="rehearse") as service:
        job = {"command": ["true"], "count": 1, "estimate": 60, "hold": True}
        submit = as_user(service, job)
        equal([submit(array="1-1001"), submit(array="0-1001"),
               submit(after=["any:1"] * 1001), submit(after=["any:1"] * 1002),
               submit(array="0-100000", after=["any:1"] * 5000)], [
                   (201, None),
                   (422, "array: it has 1002 jobs, and may have at most 1001 "
                    "(max-array)"),
                   (201, None),
                   (422, "after: it waits for 1002 jobs, and may wait for at "
                    "most 1001 (max-after)"),
                   (422, "array: it has 100001 jobs, and may have at most "
                    "1001 (max-array)")])
        equal([submit(array="1-1000") for _ in range(10)][7:],
              [(201, None)] + 2 * [
                  (429, "a user may have at most 10000 waiting jobs "
                   "(max-queued)")])
        equal(submit(level=4000000000)[0], 403)
        got = service.ask("POST", "/v1/jobs", {**job, "level": 4000000000})
        equal(got[0], 201)


def forget(service):
    """Let the service lose its memory, but not the history."""
    service.kill(signal.SIGTERM)
    with sqlite3.connect(service.path("state/journal")) as base:
        base.execute("DELETE FROM record")
        base.execute("DELETE FROM snapshot")
    base.close()


def pages(service, query):
    """The numbers of all jobs that a query finds, page by page."""
    numbers, after = [], 0
    while True:
        code, body = service.ask("GET", f"/v1/jobs?{query}&after={after}")
        equal(code, 200)
        numbers.append([job["id"] for job in body["jobs"]])
        if "next" not in body:
            return numbers
        after = body["next"]


def history():
    """jobs that have left the memory are listed, until they are too old"""
    with Service(executor="rehearse", clock=True) as service:
        job = {"command": ["true"], "count": 1, "estimate": 60, "runtime": 1}
        service.ask("POST", "/v1/jobs", [{**job, "array": "1-7"}])
        service.ended(7)
        wait(lambda: sum(pages(service, "state=ended"), [])
             == [1, 2, 3, 4, 5, 6, 7], "the end")
        equal(pages(service, "state=ended&limit=3"),
              [[1, 2, 3], [4, 5, 6], [7]])
        forget(service)
        service.begin()
        equal(pages(service, "limit=3"), [[]])
        equal(pages(service, "state=ended&limit=3"),
              [[1, 2, 3], [4, 5, 6], [7]])
        equal(pages(service, "state=ended&user=nobody-else"), [[]])
        me = service.job(1)["user"]
        equal(pages(service, f"state=ended&user={me}&limit=7"),
              [[1, 2, 3, 4, 5, 6, 7]])
        told = json.loads(service.tori("queue", "--ended", "--json")[1])
        equal(len(told["jobs"]), 7)
        service.kill(signal.SIGTERM)
        service.passes(2)
        service.words += ["--history", "1"]
        service.begin()
        service.ask("POST", "/v1/jobs", {**job, "hold": True})
        wait(lambda: pages(service, "state=ended") == [[]], "nothing leaves")


sys.exit(run([limits, usual_half_life, refused, bounded, history, slow_names,
              hung_names, end_of_names]))
