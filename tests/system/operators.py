#!/usr/bin/env python3
"""What operators do with a real torid all day: change, suspend and requeue jobs,
run some beside them, and look at users, queues, the past, and who changed what.

    operators.py BUILD [--only TEST ...]
"""

import csv
import fcntl
import http.client
import http.server
import json
import os
import pty
import pwd
import select
import signal
import socketserver
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

from service import (BUILD, PATIENCE, Service, Skip, as_user, configured,
                     equal, read, run, wait)

CONFIG = """\
queue batch {}
queue urgent {
    priority = 500
    tier = 2
    preempted = kill
    max-time = "10m"
    max-queued = 3
    max-size = 64
    max-nodes = 200
    max-rate = 70
}
"""


class Stub:
    """Something that gives the same answer to every question."""

    def __init__(self, answer):
        text = json.dumps(answer).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # pylint: disable=invalid-name
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        self.files = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.files.name, "socket")
        self.server = socketserver.UnixStreamServer(self.path, Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
        self.files.cleanup()


def tell(service, *words):
    """What a command prints, if all is well."""
    code, out, err = service.tori(*words)
    equal((code, err), (0, ""))
    return out


def order(service):
    """The waiting jobs, in the order of their starts."""
    code, out, err = service.tori("forecast", "--json")
    equal((code, err), (0, ""))
    rows = [row for row in json.loads(out)["jobs"] if row.get("start")]
    return [row["id"] for row in sorted(rows, key=lambda row: row["start"])]


def changed():
    """a waiting job is changed: all that is asked, or nothing"""
    with Service(executor="rehearse") as service:
        first = service.submit("true", shape="4x4", estimate=600, runtime=1e6)
        wait(lambda: service.job(first)["state"] == "running", "no start")
        a, b = (service.submit("true", shape="4x4", estimate=60)
                for _ in range(2))
        equal(order(service), [a, b])
        equal(tell(service, "change", str(b), "--priority", "3", "--name",
                   "ahead", "--time", "90s"), "")
        job = service.job(b)
        equal((job["priority"], job["name"], job["time_limit"]),
              (3, "ahead", 90))
        equal(order(service), [b, a])
        tell(service, "change", str(b), "--priority", "0", "--count", "3",
             "--begin", "+1h")
        job = service.job(b)
        equal((job["priority"], job["count"], job.get("shape")), (0, 3, None))
        assert time.time() + 3500 < job["begin"] < time.time() + 3700, job
        tell(service, "change", str(b), "--shape", "2x2", "--wiring", "torus",
             "--begin", "now")
        job = service.job(b)
        equal((job["shape"], job["wiring"], job.get("count")),
              ("2x2", "torus", None))
        # nothing of a change that is refused takes effect
        before = service.job(b)
        code, _, err = service.tori("change", str(b), "--name", "other",
                                    "--shape", "9x9")
        equal((code, err), (4, "tori: larger than the machine\n"))
        equal(service.job(b), before)
        code, _, err = service.tori("change", str(b), "--name", "other",
                                    "--queue", "none")
        assert code != 0 and "none" in err, err
        equal(service.job(b), before)
        equal(service.tori("change", str(b))[::2], (
            2, "tori: expected what to change, such as --time 2h\n"))
        equal(service.tori("change", str(first), "--shape", "2x2")[::2],
              (2, f"tori: job {first} does not wait\n"))
        tell(service, "change", str(first), "--time", "2h", "--name", "long")
        equal([service.job(first)[key] for key in ("time_limit", "name")],
              [7200, "long"])


def dependencies():
    """dependencies come and go, and two jobs never wait for each other"""
    with Service(executor="rehearse") as service:
        first = service.submit("true", shape="4x4", estimate=600, runtime=1e6)
        held = service.submit("true", count=1, hold=True)
        free = service.submit("true", count=1, hold=True)
        tell(service, "change", str(free), "--after", f"any:{held}")
        equal(service.job(free)["after"], [f"any:{held}"])
        tell(service, "release", str(free))
        equal(service.job(free)["hold"], "dependency")
        code, _, err = service.tori("change", str(held), "--after",
                                    f"any:{free}")
        equal((code, err),
              (4, f"tori: after: job {held} was submitted before job {free}, "
               "and cannot wait for it\n"))
        equal(service.tori("change", str(held), "--after",
                           f"any:{held}")[0], 4)
        service.kill()
        service.begin()
        equal(service.job(free)["after"], [f"any:{held}"])
        tell(service, "cancel", str(first))
        tell(service, "change", str(free), "--after", "none")
        equal(service.ended(free)["status"], 0)
        ids = service.ask("POST", "/v1/jobs", {
            "count": 1, "estimate": 60, "command": ["true"], "array": "1-2",
            "after": [f"any:{held}"]})[1]["ids"]
        code, _, err = service.tori("change", str(ids[0]), "--after",
                                    f"ok:{held}")
        assert code != 0 and "jobs of an array" in err, err
        tell(service, "change", f"{ids[0]}-{ids[1]}", "--after", "none")
        for job in ids:
            equal(service.ended(job)["status"], 0)
        last = service.submit("true", count=1, after=[f"any:{held}"])
        tell(service, "change", str(last), "--after", f"ok:{held}")
        tell(service, "cancel", str(held))
        equal(service.ended(last)["why"],
              "a job that it depends on ended otherwise")


def moved():
    """a job in another queue has the rules of that queue"""
    with Service(executor="rehearse") as service:
        configured(service, CONFIG)
        first = service.submit("true", shape="4x4", estimate=600,
                               runtime=1e6, queue="urgent")
        wait(lambda: service.job(first)["state"] == "running", "no start")
        ids = [service.submit("true", shape="4x4", estimate=60)
               for _ in range(4)]
        tell(service, "change", str(ids[3]), "--queue", "urgent")
        job = service.job(ids[3])
        equal((job["queue"], job["tier"], job["preempted"]),
              ("urgent", 2, "kill"))
        equal(order(service)[0], ids[3])
        tell(service, "change", str(ids[3]), "--queue", "batch")
        job = service.job(ids[3])
        equal((job["queue"], job.get("tier", 0), job.get("preempted")),
              ("batch", 0, None))
        equal(order(service), ids)
        service.kill()
        service.begin()
        equal(order(service), ids)
        told = service.ask("GET", "/v1/jobs?state=queued")[1]["jobs"]
        equal([job["queue"] for job in told], ["batch"] * 4)


def listed():
    """users and queues: what they may have, have and have used"""
    with Service(executor="rehearse") as service:
        equal([row["queue"] for row in json.loads(
            tell(service, "queues", "--json"))["queues"]], ["default"])
        configured(service, CONFIG)
        service.submit("true", shape="4x4", estimate=600, runtime=1e6,
                       queue="urgent")
        for _ in range(2):
            service.submit("true", count=1)
        rows = [line.split() for line in
                tell(service, "queues").splitlines()]
        equal(rows[1:], [
            ["batch", "2", "0", "0", "0", "0", "0", "requeue", *["-"] * 12],
            ["urgent", "0", "1", "0", "16", "500", "2", "kill", "10m", "64", "3",
             "-", "200", "70", *["-"] * 6]])
        me = service.job(1)["user"]
        equal([line.split()[:5] for line in
               tell(service, "users").splitlines()[1:]],
              [[me, "2", "1", "0", "16"]])
        told = json.loads(tell(service, "users", "--json"))
        equal((told["command"], told["users"][0]["nodes"]), ("users", 16))


def targets():
    """accounts over their target are seen, and lists come as CSV"""
    me = pwd.getpwuid(os.getuid()).pw_name
    with Service(executor="rehearse") as service:
        configured(service, f'half-life = 1h\naccount = "physics 1 {me}"\n'
                   'account = "maths 2 nobody"\n' + CONFIG)
        def rows(*words):
            return list(csv.DictReader(tell(service, *words,
                                            "--csv").splitlines()))
        equal(rows("users"), [])
        service.submit("true", shape="4x4", estimate=600, runtime=1e6,
                       queue="urgent")
        service.submit("true", count=1)
        one, = rows("users")
        equal([one[key] for key in (
            "user", "waiting", "running", "suspended", "nodes", "account",
            "target", "over target")],
              [me, "1", "1", "0", "16", "physics", "0.2500", "0"])
        table = [line.split() for line in tell(service, "users").splitlines()]
        equal((table[0][-2:], table[1][:3], table[1][-1]),
              (["over", "target"], ["physics", "1", "25.0"], "-"))
        queues = rows("queues")
        equal([(row["queue"], row["waiting"], row["running"], row["max time"],
                row["max nodes"]) for row in queues],
              [("batch", "1", "0", "-", "-"),
               ("urgent", "0", "1", "600", "200")])
        equal(service.tori("users", "--csv", "--json")[0], 2)
    # Usage grows by the minute: one that has grown is made up.
    told = {"users": [
        {"user": name, "queued": 0, "running": 1, "suspended": 0, "nodes": 2,
         "usage": 3600.0 * hours, "share": hours / 10, "penalty": 0,
         "account": account}
        for name, hours, account in (("ann", 6, "physics"),
                                     ("bob", 4, "maths"))],
            "accounts": [
        {"account": name, "shares": 1, "target": 0.5, "usage": 3600.0 * hours,
         "share": hours / 10} for name, hours in (("physics", 6),
                                                  ("maths", 4))]}
    with Stub(told) as stub:
        def shown(*words):
            return subprocess.run(
                [f"{BUILD}/tori", "users", "--socket", stub.path, *words],
                capture_output=True, text=True, check=True).stdout
        table = [line.split() for line in shown().splitlines()]
        equal(table[1:3], [
            ["physics", "1", "50.0", "%", "6.0", "60.0", "%", "10.0", "%"],
            ["maths", "1", "50.0", "%", "4.0", "40.0", "%", "-"]])
        equal([(row["user"], row["node-hours"], row["share"],
                row["account share"], row["over target"])
               for row in csv.DictReader(shown("--csv").splitlines())],
              [("ann", "6.000000", "0.6000", "0.6000", "0.1000"),
               ("bob", "4.000000", "0.4000", "0.4000", "0")])


def counted():
    """a suspended job is counted once, and not as one that runs or waits"""
    with Service(executor="rehearse") as service:
        configured(service, CONFIG)
        first = service.submit("true", shape="4x4", runtime=1e6,
                               estimate=600)
        wait(lambda: "starting" not in service.job(first), "no start")
        tell(service, "suspend", str(first))
        runs = service.submit("true", count=3, runtime=1e6, estimate=600)
        wait(lambda: service.job(runs)["state"] == "running", "no start")
        waits = [service.submit("true", count=16) for _ in range(2)]
        me = service.job(first)["user"]

        def check():
            equal([[row[key] for key in ("queued", "running", "suspended",
                                         "nodes")]
                   for row in (service.ask("GET", "/v1/users")[1]["users"][0],
                               service.ask("GET", "/v1/queues")[1][
                                   "queues"][0])], [[2, 1, 1, 3]] * 2)
            told = service.ask("GET", "/metrics")[1]
            for name, label in (("jobs", ""), ("user_jobs", f'user="{me}",'),
                                ("queue_jobs", 'queue="batch",')):
                for state, n in (("queued", 2), ("running", 1),
                                 ("suspended", 1)):
                    line = f'tori_{name}{{{label}state="{state}"}} {n}\n'
                    assert line in told, line
            equal(tell(service, "users").splitlines()[1].split()[:5],
                  [me, "2", "1", "1", "3"])
            equal(tell(service, "queues").splitlines()[1].split()[:5],
                  ["batch", "2", "1", "1", "3"])
            assert "1 run, 2 wait, 1 suspended;" in tell(
                service, "top"), "top"
        check()
        service.kill()
        service.begin()
        wait(lambda: service.ask("GET", "/v1/users")[1]["users"], "no users")
        check()
        service.kill(signal.SIGTERM)
        done = subprocess.run([f"{BUILD}/torid", *service.words, "--check"],
                              capture_output=True, text=True, check=False)
        assert "2 jobs wait, 1 run, 1 are suspended\n" in done.stdout, done
        service.begin()
        # The oldest job that waits is one that could start.
        age = service.metric("tori_queue_age_seconds")
        assert age <= time.time() - service.job(waits[0])["submit"], age


def past():
    """jobs that have ended: how, when, and what they used"""
    with Service() as service:
        configured(service, CONFIG)
        good = service.submit("true", count=2, name="good")
        bad = service.submit("false", shape="2x2", name="bad")
        late = service.submit("sleep", "100", count=1, time_limit=1,
                              queue="urgent")
        gone = service.submit("true", count=1, hold=True)
        tell(service, "cancel", str(gone))
        for job in (good, bad, late):
            service.ended(job)
        def outcomes(*words):
            lines = tell(service, "history", "--csv", *words).splitlines()
            keys = lines[0].split(",")
            rows = [dict(zip(keys, line.split(","))) for line in lines[1:]]
            return [(int(row["job"]), row["outcome"], int(row["status"]),
                     int(row["nodes"])) for row in rows]
        equal(outcomes(), [(good, "completed", 0, 2), (bad, "failed", 1, 4),
                           (late, "timeout", 128 + 15, 1),
                           (gone, "cancelled", 1, 0)])
        equal([row[0] for row in outcomes("--outcome", "timeout")], [late])
        equal([row[0] for row in outcomes("--queue", "urgent")], [late])
        equal(outcomes("--until", "1d"), [])
        equal(len(outcomes("--since", "1h")), 4)
        equal(len(outcomes("--since", "2020-01-01", "--until",
                           "2020-01-02")), 0)
        equal(outcomes("--user", "nobody"), [])
        assert "good" in tell(service, "history"), "a table"
        equal(tell(service, "history", "--user", "nobody"), "no jobs\n")
        equal([job["id"] for job in json.loads(
            tell(service, "history", "--json"))["jobs"]],
              [good, bad, late, gone])
        equal(service.tori("history", "--since", "yesterday")[0], 2)


def used():
    """who has used most: node-hours of a time, with jobs that run"""
    with Service() as service:
        configured(service, CONFIG)
        ended = [service.submit("sleep", "0.1", count=2),
                 service.submit("sleep", "0.1", shape="2x2", queue="urgent"),
                 service.submit("false", count=1, queue="urgent")]
        for job in ended:
            service.ended(job)
        def uses(*words):
            return json.loads(tell(service, "history", "--json", "--by",
                                   *words))["uses"]
        def near(is_, expected):  # times are cut to microseconds
            assert abs(is_ - expected) < 1e-8, (is_, expected)
        def hours(job):
            nodes = {ended[0]: 2, ended[1]: 4, ended[2]: 1}[job["id"]]
            return nodes * (job["end"] - job["start"]) / 3600
        past = [service.job(job) for job in ended]
        me = past[0]["user"]
        total = sum(map(hours, past))
        one, = uses("user")
        equal((one["user"], one["jobs"], one["running"], one["share"]),
              (me, 3, 0, 1))
        near(one["node_hours"], total)
        of_queue = {row.pop("queue"): row for row in uses("queue")}
        equal({name: row["jobs"] for name, row in of_queue.items()},
              {past[0]["queue"]: 1, "urgent": 2})
        equal(round(sum(row["share"] for row in of_queue.values()), 9), 1)
        near(of_queue["urgent"]["node_hours"],
             hours(past[1]) + hours(past[2]))
        equal(uses("user", "--outcome", "failed")[0]["jobs"], 1)
        equal(uses("user", "--queue", "none"), [])
        equal(uses("user", "--until", "1d"), [])

        # One that runs counts up to now, and only what is within the time.
        runs = service.submit("sleep", "600", count=8)
        wait(lambda: service.job(runs)["state"] == "running", "it waits")
        start = service.job(runs)["start"]
        wait(lambda: time.time() > start + 4, "no time")
        one, = uses("user")
        equal((one["jobs"], one["running"]), (4, 1))
        used = (one["node_hours"] - total) * 3600 / 8
        assert 0 < used <= time.time() - start, (used, start)
        asked = time.time()  # a time of the past is in whole seconds
        later, = uses("user", "--since", "1s")
        equal((later["jobs"], later["running"]), (1, 1))
        assert later["node_hours"] * 3600 <= 8 * (
            2 + time.time() - asked), later
        table = tell(service, "history", "--by", "user").splitlines()
        equal(table[0].split(),
              ["user", "jobs", "running", "node-hours", "share"])
        equal(table[1].split()[:3], [me, "4", "1"])
        equal(tell(service, "history", "--by", "queue", "--csv")
              .splitlines()[0], "queue,jobs,running,node-hours,share")
        equal(tell(service, "history", "--by", "user", "--until", "1d"),
              "no jobs\n")
        equal(service.tori("history", "--by", "user", "--changes")[0], 2)
        equal(service.tori("history", "--by", "color")[0], 2)


def all_runs():
    """what a job has used in all its runs counts, and not what it waited"""
    me = pwd.getpwuid(os.getuid()).pw_name
    with Service() as service:
        configured(service, f'account = "physics 3 {me}"\n'
                   'account = "maths 1 nobody"\n' + CONFIG)
        def begin(**more):
            job = service.submit("sleep", "1000", **more)
            wait(lambda: "place" in service.job(job)
                 and not service.job(job).get("starting"), "no start")
            return job
        def passed(since, seconds=1.2):
            wait(lambda: time.time() > since + seconds, "no time")
        again, rests = begin(count=2), begin(count=3)
        moves = begin(shape="2x2", on_failure="repair")
        passed(time.time())
        tell(service, "requeue", str(again))
        wait(lambda: service.job(again)["attempt"] == 2
             and not service.job(again).get("starting"), "no other start")
        tell(service, "suspend", str(rests))
        node = service.job(moves)["place"]["box"].split("/")[0]
        tell(service, "drain", "--down", node)
        wait(lambda: "move_reason" in service.job(moves), "no move")
        passed(service.job(rests)["runs"][0]["end"])
        tell(service, "release", str(rests))
        wait(lambda: service.job(rests)["state"] == "running", "no resume")
        passed(time.time())
        for job in again, rests, moves:
            equal(len(service.job(job)["runs"]), 2)
            equal("end" in service.job(job)["runs"][1], False)
        tell(service, "drain", "0,0/4x4")  # it waits then
        tell(service, "requeue", str(again))
        for job in rests, moves:
            tell(service, "cancel", str(job))
        nodes = {again: 2, rests: 3, moves: 4}
        jobs = [service.job(again), service.ended(rests),
                service.ended(moves)]
        used = {}
        for job in jobs:
            ends = [(run["start"], run["end"]) for run in job["runs"]]
            equal(ends, sorted(ends))
            spans = sum(end - start for start, end in ends)
            assert abs(sum(run["elapsed"] for run in job["runs"]) - spans) \
                < 1e-4, job
            used[job["id"]] = spans * nodes[job["id"]]
        gap = jobs[1]["runs"][1]["start"] - jobs[1]["runs"][0]["end"]
        assert gap > 1, gap
        assert used[rests] / 3 < jobs[1]["end"] - jobs[1]["start"] - 1, jobs

        def check():
            for by, name in (("user", me), ("queue", "batch"),
                             ("account", "physics")):
                one, = json.loads(tell(service, "history", "--json", "--by",
                                       by))["uses"]
                equal((one[by], one["jobs"], one["running"]), (name, 3, 0))
                assert abs(one["node_hours"] - sum(used.values()) / 3600) \
                    < 1e-6, (one, used)
            for row in csv.DictReader(tell(service, "history",
                                           "--csv").splitlines()):
                hours = used[int(row["job"])] / 3600
                assert abs(float(row["node-hours"]) - hours) < 0.006, row
                assert abs(float(row["elapsed"])
                           - used[int(row["job"])] / nodes[int(row["job"])]) \
                    < 0.01, row
        check()
        metrics = service.ask("GET", "/metrics")[1]
        badly = float(metrics.split(
            'tori_node_seconds_total{ended="badly"} ')[1].split()[0])
        assert abs(badly - used[rests] - used[moves]) < 1e-3, (badly, used)
        # A part of the time has a part of the use.
        until = jobs[1]["runs"][0]["end"]
        part = sum(max(0, min(run["end"], until) - run["start"])
                   * nodes[job["id"]] for job in jobs for run in job["runs"])
        one, = json.loads(tell(
            service, "history", "--json", "--by", "user", "--until",
            time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(until))))["uses"]
        assert part - sum(nodes.values()) <= one["node_hours"] * 3600 \
            <= part + 1e-3, (one, part)
        for number in signal.SIGKILL, signal.SIGTERM:
            service.kill(number)
            service.begin()
            check()
        # The time until it was cancelled is no time of a run.
        tell(service, "cancel", str(again))
        check()
        assert "\nruns        " in tell(service, "show", str(again)), "show"


def many_runs():
    """a job that is suspended all day lists its last runs, and sums up others"""
    with Service(executor="rehearse") as service:
        job = service.submit("true", count=2, runtime=1e6, estimate=6000)
        wait(lambda: service.job(job).get("starting") is None
             and service.job(job)["state"] == "running", "no start")
        for _ in range(25):
            tell(service, "suspend", str(job))
            tell(service, "release", str(job))
            wait(lambda: service.job(job)["state"] == "running", "no resume")
        tell(service, "cancel", str(job))
        ended = service.ended(job)
        runs = ended["runs"]
        equal((len(runs), runs[0]["start"], runs[-1]["end"]),
              (20, ended["start"], ended["end"]))
        assert all(one["end"] <= other["start"]
                   for one, other in zip(runs, runs[1:])), runs
        for one in runs:
            assert abs(one["node_seconds"] - 2 * one["elapsed"]) < 1e-4, one
        assert 0 < runs[0]["elapsed"] < runs[0]["end"] - runs[0]["start"], runs
        row, = json.loads(tell(service, "history", "--json"))["jobs"]
        assert abs(row["elapsed"] - sum(one["elapsed"] for one in runs)) \
            < 1e-4, row


def reconfigured(service, text, was):
    """Have the service read another configuration while it runs."""
    with open(service.path("conf"), "w", encoding="utf-8") as file:
        file.write(text)
    service.process.send_signal(signal.SIGHUP)
    wait(lambda: service.ask("GET", "/v1/queues")[1] != was, "no change")


def access():
    """a queue takes jobs of those whom it allows and does not deny"""
    if os.getuid() != 0:
        raise Skip("only root can be others")
    with Service(executor=None) as service:
        os.chmod(service.files, 0o711)
        configured(service, """\
queue open {}
queue mine { allow = "daemon @nogroup" }
queue others { deny = "bin nobody" }
queue none { allow = "@nogroup" deny = "@nogroup" }
""")

        def submit(user, queue):
            code, answer = as_user(user, lambda: service.ask(
                "POST", "/v1/jobs", {"count": 1, "time_limit": 9, "command":
                                     ["x"], "hold": True, "queue": queue}))
            return code, answer.get("error", {}).get("message")
        equal([submit(user, queue)[0] for user in ("nobody", "daemon", "bin")
               for queue in ("open", "mine", "others", "none")],
              [201, 201, 403, 403, 201, 201, 201, 403, 201, 403, 403, 403])
        equal(submit("bin", "mine"), (
            403, "queue 'mine' does not take jobs of bin; it is for daemon "
            "@nogroup (allow)"))
        equal(submit("nobody", "others"), (
            403, "queue 'others' does not take jobs of nobody (deny)"))
        equal(submit("root", "none"), (201, None))
        # a job is moved there by those who could submit it there
        job, = as_user("nobody", lambda: service.ask(
            "POST", "/v1/jobs", {"count": 1, "time_limit": 9, "command":
                                 ["x"], "hold": True})[1]["ids"])
        equal([as_user("nobody", lambda to=queue: service.ask(
            "PATCH", f"/v1/jobs/{job}", {"queue": to})[0])
               for queue in ("others", "mine")], [403, 200])
        # what was accepted stays
        service.kill()
        service.begin()
        equal(service.job(job)["queue"], "mine")
        rows = tell(service, "queues").splitlines()
        assert "daemon @nogroup" in rows[2] and "bin nobody" in rows[3], rows


def token_groups():
    """the groups of a user count with a token, too"""
    if os.getuid() != 0:
        raise Skip("only root can be others")
    with Service(tcp=True, executor=None) as service:
        configured(service, """\
queue open {}
queue mine { allow = "@nogroup" }
""")
        for user, code in (("nobody", 201), ("daemon", 403), ("ghost", 403)):
            token = service.token(user, "user")
            for queue, expected in (("mine", code), ("open", 201)):
                equal((user, queue, service.tcp("POST", "/v1/jobs", token, {
                    "count": 1, "time_limit": 9, "command": ["x"],
                    "hold": True, "queue": queue})[0]),
                      (user, queue, expected))


def places():
    """jobs of a queue run on its nodes"""
    conf = 'queue all {}\nqueue left { on = "0,0/4x1 0,1" }\n'
    with Service(executor="rehearse") as service:
        configured(service, conf)
        left = [service.submit("true", count=1, runtime=1e6, queue="left")
                for _ in range(6)]
        wait(lambda: sum(service.job(job)["state"] == "running"
                         for job in left) == 5, "five run there")
        nodes = sorted(row["node"] for row in service.ask(
            "GET", "/v1/nodes?state=busy")[1]["nodes"])
        equal(nodes, ["0,0", "0,1", "1,0", "2,0", "3,0"])
        equal(service.job(left[5])["only"], ["0,0/4x1", "0,1"])
        code, answer = service.ask("POST", "/v1/jobs", {
            "count": 1, "time_limit": 9, "command": ["true"], "queue": "left",
            "only": ["0,0/4x2"]})
        equal((code, answer["error"]["message"]), (
            422, "only: jobs of queue 'left' run on 0,0/4x1 0,1 (on)"))
        code, answer = service.ask("POST", "/v1/jobs", {
            "count": 6, "time_limit": 9, "command": ["true"],
            "queue": "left"})
        equal((code, answer["error"]["code"]), (422, "never"))
        # in another queue it may run anywhere
        tell(service, "change", str(left[5]), "--queue", "all")
        equal(service.job(left[5]).get("only"), None)
        wait(lambda: service.job(left[5])["state"] == "running", "no start")
        service.kill()
        service.begin()
        equal([service.job(job)["state"] for job in left], ["running"] * 6)
        with open(service.path("bad"), "w", encoding="utf-8") as file:
            file.write('queue left { on = "9,9" }\n')
        done = subprocess.run(
            [f"{BUILD}/torid", "--check", "--machine", "torus:4x4", "--state",
             service.path("other"), "--config", service.path("bad")],
            capture_output=True, text=True, check=False)
        equal(done.returncode, 2)
        assert "queue 'left': on" in done.stderr, done.stderr


DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def hours():
    """jobs of a queue start in its hours, and say so while they wait"""
    today = time.localtime().tm_wday
    closed = DAYS[(today + 3) % 7]
    now = f"{DAYS[today]}-{DAYS[(today + 1) % 7]}"
    conf = 'queue day {{}}\nqueue night {{ hours = "{0}" }}\n'
    with Service(executor="rehearse") as service:
        configured(service, conf.format(closed))
        job = service.submit("true", count=1, queue="night")
        equal(service.ended(service.submit("true", count=1))["status"], 0)
        equal(service.job(job)["limit"], f"queue night's hours, {closed}")
        assert closed in tell(service, "queue"), "why it waits"
        service.kill()
        service.begin()
        equal(service.job(job)["state"], "queued")
        # In another queue the old one's hours count no longer.
        moved_away = service.submit("true", count=1, queue="night")
        wait(lambda: "limit" in service.job(moved_away), "it does not wait")
        tell(service, "change", str(moved_away), "--queue", "day")
        equal(service.ended(moved_away)["status"], 0)
        was = service.ask("GET", "/v1/queues")[1]
        reconfigured(service, conf.format(now), was)
        equal(service.ended(job)["status"], 0)
        reconfigured(service, conf.format("sometimes"), None)
        wait(lambda: "sometimes" in read(service.path("log")), "no word")
        equal(service.ask("GET", "/v1/queues")[1]["queues"][1]["hours"], now)


def of_users():
    """a queue has limits for each user"""
    if os.getuid() != 0:
        raise Skip("only root can be others")
    with Service(executor="rehearse") as service:
        os.chmod(service.files, 0o711)
        configured(service, """\
queue few { user-max-running = 2 user-max-nodes = 5 }
queue many {}
queue all { max-nodes = 4 }
""")
        many = {"count": 1, "time_limit": 600, "command": ["x"],
                "runtime": 1e6}
        for user in ("nobody", "daemon"):
            for queue in ("few", "many"):
                equal(as_user(user, lambda to=queue: service.ask(
                    "POST", "/v1/jobs", [{**many, "queue": to}] * 3)[0]), 201)

        def running():
            rows = service.ask("GET", "/v1/jobs?state=running")[1]["jobs"]
            return sorted((row["queue"], row["user"]) for row in rows)
        expected = sorted([("few", user) for user in ("nobody", "daemon")] * 2
                          + [("many", user) for user in
                             ("nobody", "daemon")] * 3)
        wait(lambda: running() == expected, "these run")
        equal(service.job(3)["limit"],
              "queue few's limit of 2 running jobs for each user")
        code, answer = as_user("bin", lambda: service.ask(
            "POST", "/v1/jobs", {**many, "count": 6}))
        equal((code, answer["error"]["message"]), (
            422, "it asks for 6 nodes; a user has at most 5 in queue 'few' "
            "(user-max-nodes)"))
        code, answer = service.ask(
            "POST", "/v1/jobs", {**many, "count": 5, "queue": "all"})
        equal((code, answer["error"]["message"]), (
            422, "it asks for 5 nodes; all jobs of queue 'all' together have "
            "at most 4 (max-nodes)"))
        ids = as_user("bin", lambda: service.ask(
            "POST", "/v1/jobs", [{**many, "count": 3}] * 2))[1]["ids"]
        wait(lambda: service.job(ids[0])["state"] == "running", "no start")
        equal(service.job(ids[1])["limit"],
              "queue few's limit of 5 nodes for each user")
        service.kill()
        service.begin()
        wait(lambda: service.job(3).get("limit"), "it waits still")
        tell(service, "cancel", "1")
        wait(lambda: service.job(3)["state"] == "running", "no start")


def changes(service, *words):
    """The record of changes, but for the configuration."""
    rows = json.loads(tell(service, "history", "--changes", "--json",
                           *words))["changes"]
    equal([row["number"] for row in rows],
          sorted({row["number"] for row in rows}))
    return [row for row in rows if row["what"] != "configure"]


def audited():
    """every change has an entry: who, when, what, from what to what, and why"""
    before = time.time()
    me = pwd.getpwuid(os.getuid()).pw_name
    with Service(executor="rehearse") as service:
        first = service.submit("true", shape="4x4", estimate=600, runtime=1e6)
        wait(lambda: service.job(first)["state"] == "running", "no start")
        job = service.submit("true", shape="4x4", estimate=60)
        tell(service, "change", str(job), "--priority", "3", "--name", "ahead",
             "--time", "90s", "--why", "the chief asked")
        tell(service, "hold", str(job))
        tell(service, "release", str(job), "--why", "ready")
        tell(service, "cancel", str(job), "--why", "no money & no time")
        tell(service, "cancel", str(first))
        tell(service, "drain", "0,0/2x2", "--why", "new cables")
        tell(service, "drain", "0,0/2x2", "--why", "new cables")
        tell(service, "resume", "0,0", "--why", "done")
        tell(service, "drain", "--down", "0,0-0,1")
        tell(service, "reserve", "--for", "1h", "3,3", "--name", "demo",
             "--why", "visitors")
        tell(service, "reserve", "--remove", "1", "--why", "they left")
        # what is refused changes nothing
        equal(service.tori("change", str(job), "--name", "late")[0], 2)
        expected = [
            ("change", job, {"time_limit": 60},
             {"time_limit": 90, "name": "ahead", "priority": 3},
             "the chief asked"),
            ("hold", job, {}, {"hold": "user"}, None),
            ("release", job, {"hold": "user"}, {}, "ready"),
            ("cancel", job, {"state": "queued"}, {"state": "ended"},
             "no money & no time"),
            ("cancel", first, {"state": "running"}, {"state": "ended"}, None),
            ("drain", "0,0/2x2", {"drained": 0},
             {"drained": 4, "why": "new cables"}, "new cables"),
            ("resume", "0,0", {"drained": 1, "why": "new cables"},
             {"drained": 0}, "done"),
            ("down", "0,0-0,1", {"down": False}, {"down": True}, None),
            ("reserve", 1, {}, "demo", "visitors"),
            ("unreserve", 1, "demo", {}, "they left")]

        def check():
            rows = changes(service)
            equal([row["user"] for row in rows], [me] * len(expected))
            assert all(before - 1 < row["time"] < time.time() + 1
                       for row in rows), rows
            equal([(row["what"],
                    row.get("job", row.get("node", row.get(
                        "link", row.get("reservation")))),
                    *(row[key].get("name") if row["what"].endswith("reserve")
                      and row[key] else row[key] for key in ("was", "is")),
                    row.get("why")) for row in rows], expected)
        check()
        # it survives what ends a torid, and the snapshots that end its records
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGTERM):
            service.kill(number)
            service.begin()
        check()
        equal([row["what"] for row in changes(service, "--job", str(job))],
              ["change", "hold", "release", "cancel"])
        equal(changes(service, "--user", "none"), [])
        equal(len(changes(service, "--user", me, "--since", "1h")),
              len(expected))
        equal(changes(service, "--until", "1h"), [])
        equal(tell(service, "history", "--changes", "--user", "none"),
              "no changes\n")
        rows = list(csv.DictReader(tell(
            service, "history", "--changes", "--csv", "--job",
            str(job)).splitlines()))
        equal((rows[0]["user"], rows[0]["on"], rows[0]["owner"],
               rows[0]["why"]), (me, f"job {job}", me, "the chief asked"))
        equal(sorted(rows[0]["change"].split(", ")),
              ["name ahead", "priority 3", "time_limit 1m -> 1m30s"])
        equal(rows[2]["change"], "hold user -> -")
        assert f"job {job}" in tell(service, "history", "--changes"), "a table"
        equal(service.tori("history", "--changes", "--queue", "a")[0], 2)
        equal(service.tori("history", "--job", "1")[0], 2)
        # pages, of which some may be empty
        code, page = service.ask("GET", "/v1/changes?limit=1&job=" + str(job))
        equal((code, len(page["changes"])), (200, 1))
        equal([row["what"] for row in service.ask(
            "GET", f"/v1/changes?job={job}&limit=3&after={page['next']}")[1][
                "changes"]], ["hold", "release", "cancel"])
        # since a point in time, or so long ago
        for since, n in (("0", 4), ("1h", 4), ("0s", 0), ("9999999999", 0)):
            equal((since, len(service.ask(
                "GET", f"/v1/changes?job={job}&since={since}")[1]["changes"])),
                  (since, n))
        for since in ("1:30", "1.5", "soon", "-1h"):
            equal(service.ask("GET", f"/v1/changes?since={since}")[0], 400)


def configuration():
    """a change of the configuration is in the record of changes"""
    with Service(executor=None) as service:
        configured(service, CONFIG)
        with open(service.path("conf"), "w", encoding="utf-8") as file:
            file.write("half-life = 7d\n" + CONFIG.replace("= 500", "= 400")
                       + "queue new { max-time = 90m user-max-nodes = 4 }\n")
        service.process.send_signal(signal.SIGHUP)

        def last():
            return json.loads(tell(service, "history", "--changes",
                                   "--json"))["changes"][-1]
        wait(lambda: last()["was"].get("queue urgent"), last())
        equal([last()[key] for key in ("user", "what", "was", "is")], [
            "torid", "configure", {"queue urgent": {"priority": 500}},
            {"half-life": 7 * 86400, "queue urgent": {"priority": 400},
             "queue new": {"max-time": 5400, "preempted": "requeue",
                           "user-max-nodes": 4}}])

        # As the file says it, and no more than what has changed.
        def told():
            rows = csv.DictReader(tell(service, "history", "--changes",
                                       "--csv").splitlines())
            return [row["change"] for row in rows][-1]
        equal(told(), "queue urgent priority 500 -> 400, half-life 7d, queue "
              "new is new, queue new max-time 1h30m, queue new preempted "
              "requeue, queue new user-max-nodes 4")
        with open(service.path("conf"), "w", encoding="utf-8") as file:
            file.write("half-life = 1d\n" + CONFIG.replace("= 500", "= 400"))
        service.process.send_signal(signal.SIGHUP)
        wait(lambda: told() == "half-life 7d -> 1d, queue new is gone", told())

        # Times are times, durations are durations.
        job = service.submit("true", count=1, time_limit=600, hold=True)
        tell(service, "change", str(job), "--time", "2h", "--begin",
             "2100-01-01 08:00")
        equal(told(), "time_limit 10m -> 2h, begin 2100-01-01 08:00:00")
        tell(service, "reserve", "--from", "2100-01-01 08:00", "--for", "1h",
             "0,0", "1,1")
        equal(told(), "from 2100-01-01 08:00:00, until 2100-01-01 09:00:00, "
              "nodes 0,0 1,1")


def seen():
    """users see the changes of their own jobs, operators all"""
    if os.getuid() != 0:
        raise Skip("only root can be others")
    with Service(executor=None) as service:
        os.chmod(service.files, 0o711)
        submit = {"count": 1, "time_limit": 9, "command": ["x"], "hold": True}
        mine, = as_user("nobody", lambda: service.ask(
            "POST", "/v1/jobs", submit)[1]["ids"])
        other, = service.ask("POST", "/v1/jobs", submit)[1]["ids"]
        tell(service, "change", str(mine), "--name", "a", "--why", "for you")
        tell(service, "change", str(other), "--name", "b")
        equal(as_user("nobody", lambda: service.ask(
            "PATCH", f"/v1/jobs/{mine}", {"hold": False, "why": 5})[0]), 200)
        equal(as_user("nobody", lambda: service.ask(
            "DELETE", f"/v1/jobs/{other}")[0]), 403)

        def shown():
            return [(row["user"], row["operator"], row["what"], row["job"],
                     row["owner"]) for row in service.ask(
                         "GET", "/v1/changes")[1]["changes"]
                    if row["what"] != "configure"]
        own = [["root", True, "change", mine, "nobody"],
               ["nobody", False, "release", mine, "nobody"]]
        equal(as_user("nobody", shown), own)
        equal([list(row) for row in shown()],
              [own[0], ["root", True, "change", other, "root"], own[1]])
        # A page ends after a MiB of changes, also of those that it leaves out.
        for i in range(200):
            equal(service.ask("PATCH", f"/v1/jobs/{other}", {
                "name": "ab"[i % 2] * 1000, "why": "x" * 3900})[0], 200)

        def page(after):
            return as_user("nobody", lambda: service.ask(
                "GET", f"/v1/changes?after={after}")[1])
        first = page(0)
        equal((len(first["changes"]), page(first["next"])),
              (2, {"changes": []}))


def lines(path):
    return read(path).splitlines()


def deeds():
    """what torid itself does to jobs has an entry, with the reason"""
    with Service() as service:
        configured(service, CONFIG)
        def last(job):
            rows = changes(service, "--job", str(job))
            return [(row["user"], row["operator"], row["what"], row["was"],
                     row["is"], row.get("why")) for row in rows][-1]
        runs, waits, over = ({"state": word} for word in
                             ("running", "queued", "ended"))
        rests = {"state": "queued", "suspended": True}
        late = service.submit("sleep", "100", time_limit=1)
        service.ended(late)
        equal(last(late), ("torid", False, "kill", runs, over, "time limit"))
        # preemption
        lower = {fate: service.submit("sleep", "1000", count=5, preempted=fate,
                                      time_limit=600)
                 for fate in ("suspend", "requeue", "kill")}
        for job in lower.values():
            wait(lambda it=job: not service.job(it).get("starting"),
                 "no start")
        first = service.submit("sleep", "1000", shape="4x4", queue="urgent",
                               time_limit=300)
        wait(lambda: service.job(first)["state"] == "running", "no start")
        why = f"job {first} took its place"
        for fate, is_ in (("suspend", rests), ("requeue", waits),
                          ("kill", over)):
            equal(last(lower[fate]), ("torid", False, fate, runs, is_, why))
        equal(service.job(lower["suspend"])["stop_reason"], why)
        tell(service, "cancel", str(first))
        wait(lambda: service.job(lower["suspend"])["state"] == "running",
             "it does not continue")
        equal(last(lower["suspend"])[:5],
              ("torid", False, "resume", rests, runs))
        equal(service.job(lower["suspend"]).get("stop_reason"), None)
        # a node fails
        wait(lambda: service.job(lower["requeue"]).get("place")
             and not service.job(lower["requeue"]).get("starting"), "it waits")
        node = service.job(lower["requeue"])["place"]["nodes"][0]
        tell(service, "drain", "--down", node)
        equal(last(lower["requeue"]), ("torid", False, "requeue", runs, waits,
                                       f"node {node} failed under it"))
        # an order of a user has one entry, and that is the user's
        rows = changes(service, "--job", str(first))
        equal([(row["user"] == "torid", row["what"]) for row in rows],
              [(False, "cancel")])
        # the table has them, too
        table = tell(service, "history", "--changes")
        assert f"node {node} failed under it" in table, table
        before = len(changes(service))
        service.kill()
        service.begin()
        equal(len(changes(service)), before)


def put_back():
    """that a backup was put back is in the record of changes"""
    with Service(executor=None) as service:
        equal(changes(service), [])
        service.kill(signal.SIGTERM)
        os.unlink(service.path("state.mark"))
        service.begin()
        row, = changes(service)
        equal((row["user"], row["what"], row["why"], row["was"]),
              ("torid", "restore", "there is no mark beside it",
               {"epoch": 1}))
        assert row["is"]["epoch"] > 1, row
        equal(list(csv.DictReader(tell(service, "history", "--changes",
                                       "--csv").splitlines()))[-1]["on"],
              "state")


def in_full():
    """the record of changes is cut nowhere"""
    name, why = "n" * 700, "because " * 200
    with Service(executor=None) as service:
        job = service.submit("true", hold=True)
        tell(service, "change", str(job), "--name", name, "--why", why)
        row, = csv.DictReader(tell(
            service, "history", "--changes", "--csv", "--job",
            str(job)).splitlines())
        equal((row["change"], row["why"]), (f"name {name}", why))
        told = tell(service, "history", "--changes", "--job", str(job))
        assert name in told and why.strip() in told, told
        equal(tell(service, "cancel", str(job)), "")
        row, = csv.DictReader(tell(service, "history", "--csv").splitlines())
        equal(row["name"], name)
        # A value that is too long for the record is named.
        first, job = (service.submit("true", hold=True) for _ in range(2))
        tell(service, "change", str(job), *["--after", f"any:{first}"] * 600)
        assert "after (too long for the record)" in tell(
            service, "history", "--changes", "--job", str(job)), "left out"


def reasons():
    """a job has the reason for which it was cancelled or suspended"""
    with Service(executor="rehearse") as service:
        first, second = (service.submit("true", count=2, runtime=1e6)
                         for _ in range(2))
        waits = service.submit("true", count=16, hold=True)
        for job in first, second:
            wait(lambda it=job: not service.job(it).get("starting"), "no start")
        tell(service, "suspend", str(first), "--why", "a demo")
        equal(service.job(first)["stop_reason"], "a demo")
        assert "\nstopped     a demo\n" in tell(service, "show", str(first))
        assert "suspended until it is released: a demo" in tell(
            service, "queue"), "queue"
        tell(service, "cancel", str(second), "--why", "no money")
        tell(service, "cancel", str(waits), "--why", "no time")
        for job, why in (second, "no money"), (waits, "no time"):
            job = service.ended(job)
            equal((job["why"], job["stop_reason"]), ("cancelled", why))
        for number in signal.SIGKILL, signal.SIGTERM:
            service.kill(number)
            service.begin()
            equal([service.job(job)["stop_reason"]
                   for job in (first, second, waits)],
                  ["a demo", "no money", "no time"])
        rows = list(csv.DictReader(tell(service, "history",
                                        "--csv").splitlines()))
        equal([(row["why"], row["reason"]) for row in rows],
              [("cancelled", "no money"), ("cancelled", "no time")])
        # It is the reason of the last time, and none if none was given.
        tell(service, "release", str(first))
        wait(lambda: service.job(first)["state"] == "running", "no resume")
        equal(service.job(first).get("stop_reason"), None)
        tell(service, "cancel", str(first))
        equal(service.ended(first).get("stop_reason"), None)
        equal([service.ask(method, path, body)[0] for method, path, body in (
            ("POST", f"/v1/jobs/{first}/suspend", {"why": 5}),
            ("DELETE", f"/v1/jobs/{first}?why=" + "x" * 501, None))],
              [409, 400])


TICKER = "while :; do echo tick >> ticks; sleep 0.05; done"


def suspended():
    """a suspended job stands still, gives its nodes away, and continues"""
    with Service() as service:
        first = service.submit("sh", "-c", TICKER, shape="4x4")
        ticks = service.path("ticks")
        wait(lambda: lines(ticks), "it does not run")
        tell(service, "suspend", str(first), "--why", "a demo")
        row = changes(service)[-1]
        equal((row["what"], row["is"]["suspended"], row["why"]),
              ("suspend", True, "a demo"))
        job = service.job(first)
        equal((job["state"], job["suspended"], job["hold"], job["waits"]),
              ("queued", True, "user", "suspended until it is released"))
        def still():
            before = len(lines(ticks))
            time.sleep(0.3)
            return len(lines(ticks)) == before
        wait(still, "it goes on")
        # others have its nodes meanwhile
        equal(service.ended(service.submit("true", shape="4x4"))["status"], 0)
        row = tell(service, "queue", "--state", "suspended").splitlines()[1]
        assert "  suspended  " in row, row
        equal([job["id"] for job in service.ask(
            "GET", "/v1/jobs?state=suspended")[1]["jobs"]], [first])
        assert tell(service, "show", str(first)).startswith(
            f"job {first} is suspended: suspended until"), "show"
        # both survive torid, and nothing is started twice
        service.kill()
        service.begin()
        equal((service.job(first)["suspended"], still()), (True, True))
        tell(service, "release", str(first))
        before = len(lines(ticks))
        wait(lambda: len(lines(ticks)) > before, "it does not continue")
        wait(lambda: service.job(first)["state"] == "running", "no resume")
        equal(service.job(first)["attempt"], 1)
        held = service.submit("true", hold=True)
        equal(service.tori("suspend", str(held))[::2],
              (2, f"tori: job {held} does not run\n"))
        tell(service, "cancel", str(first))
        equal(service.ended(first)["why"], "cancelled")
        equal(service.tori("suspend", str(first))[::2],
              (2, f"tori: job {first} has already ended\n"))
        equal(service.tori("suspend", "99")[::2],
              (2, "tori: there is no job 99\n"))


def requeued():
    """a requeued job waits under its number, and says why"""
    with Service() as service:
        script = "echo begun >> begun; exec sleep 1000"
        first = service.submit("sh", "-c", script, shape="4x4")
        begun = service.path("begun")
        wait(lambda: lines(begun), "it does not run")
        other = service.submit("true", shape="4x4")
        tell(service, "requeue", str(first), "--why", "wrong input")
        wait(lambda: len(lines(begun)) == 2, "it does not run again")
        job = service.job(first)
        equal((job["state"], job["attempt"], job["requeue_reason"]),
              ("running", 2, "wrong input"))
        equal(job.get("requeues"), None) # nothing has failed
        equal(service.job(other)["state"], "queued") # it kept its turn
        assert "\nrequeued    wrong input\n" in tell(service, "show",
                                                    str(first)), "show"
        equal(service.ask("POST", f"/v1/jobs/{first}/requeue",
                          {"why": 5})[0], 400)
        equal(service.ask("POST", f"/v1/jobs/{other}/requeue")[1]["error"],
              {"code": "not-running", "message":
               f"job {other} does not run"})
        row = changes(service)[-1]
        equal((row["what"], row["job"], row["was"], row["is"], row["why"]),
              ("requeue", first, {"state": "running"}, {"state": "queued"},
               "wrong input"))
        # a job that is suspended waits as any other then
        tell(service, "suspend", str(first))
        equal(service.ended(other)["status"], 0)
        code, job = service.ask("POST", f"/v1/jobs/{first}/requeue")
        equal((code, job.get("hold"), job.get("suspended"),
               job["requeue_reason"]), (200, None, None, "by request"))
        wait(lambda: len(lines(begun)) == 3, "it does not run again")
        service.kill()
        service.begin()
        equal(service.job(first)["requeue_reason"], "by request")
        # a node that fails is a reason, too
        tell(service, "drain", "--down", "0,0", "--why", "no power")
        assert "; requeued: node 0,0 failed under it" in tell(
            service, "queue"), "queue"
        tell(service, "resume", "--up", "0,0")
        wait(lambda: len(lines(begun)) == 4, "it does not run again")
        tell(service, "requeue", str(first), "--reason", "by its old name")
        equal(service.job(first)["requeue_reason"], "by its old name")
        tell(service, "cancel", str(first))
        equal(service.ended(first)["requeue_reason"], "by its old name")


def overtaken():
    """a job is moved ahead of another one, across queues"""
    with Service(executor="rehearse") as service:
        configured(service, "queue batch {}\nqueue urgent { priority = 500 }\n")
        service.submit("true", shape="4x4", runtime=1e6)
        jobs = [service.submit("true", shape="4x4") for _ in range(3)]
        urgent = service.submit("true", shape="4x4", queue="urgent")

        def order():
            rows = json.loads(tell(service, "queue", "--json"))["jobs"]
            return [row["id"] for row in sorted(
                (row for row in rows if row["state"] == "queued"),
                key=lambda row: row["position"])]
        wait(lambda: len(order()) == 4, "they do not wait")
        equal(order(), [urgent, *jobs])
        tell(service, "change", str(jobs[2]), "--before", str(jobs[1]))
        # Others of the same priority are behind it as well.
        equal(order(), [urgent, jobs[2], jobs[0], jobs[1]])
        tell(service, "change", str(jobs[0]), "--before", str(urgent),
             "--why", "the chief asked")
        equal(order(), [jobs[0], urgent, jobs[2], jobs[1]])
        row = changes(service)[-1]
        equal((row["what"], row["is"], row["why"]),
              ("change", {"priority": 500}, "the chief asked"))
        # One that is ahead stays where it is.
        tell(service, "change", str(jobs[0]), "--before", str(jobs[1]))
        equal(order(), [jobs[0], urgent, jobs[2], jobs[1]])
        service.kill()
        service.begin()
        equal(order(), [jobs[0], urgent, jobs[2], jobs[1]])
        for words, text in [
                ((str(jobs[1]), "--before", str(jobs[1])), "no other job"),
                ((str(jobs[1]), "--before", "99"), "no other job 99"),
                ((str(jobs[1]), "--before", "1"), "job 1 does not wait"),
                ((str(jobs[1]), "--before", "2", "--queue", "urgent"),
                 "priority or queue"),
                ((str(jobs[1]), "--before", "2", "--priority", "1"),
                 "--priority")]:
            code, _, err = service.tori("change", *words)
            assert code == 2 and text in err, err
        for before in ("1", 1.5, None, [2]):
            code, answer = service.ask("PATCH", f"/v1/jobs/{jobs[1]}",
                                       {"before": before})
            equal((code, answer["error"]["message"]),
                  (400, "before: expected the number of a job"))
        if os.getuid() == 0:
            os.chmod(service.files, 0o711)
            mine = as_user("daemon", lambda: service.submit(
                "true", count=1))
            code, answer = as_user("daemon", lambda: service.ask(
                "PATCH", f"/v1/jobs/{mine}", {"before": jobs[1]}))
            equal((code, answer["error"]["code"]), (403, "forbidden"))


def in_line():
    """the queue tells the order of jobs, their queues, and how long they run"""
    with Service(executor="rehearse") as service:
        configured(service, CONFIG)
        first = service.submit("true", shape="4x4", estimate=6000,
                               runtime=1e6)
        wait(lambda: "starting" not in service.job(first), "no start")
        last = service.submit("true", shape="4x4")
        ahead = service.submit("true", shape="4x4", queue="urgent",
                               time_limit=60, preempted="never", tier=0)
        held = service.submit("true", hold=True)
        array = service.ask("POST", "/v1/jobs", {
            "count": 16, "time_limit": 60, "command": ["true"],
            "array": "5-6"})[1]["ids"]
        told = {job["id"]: job for job in json.loads(
            tell(service, "queue", "--json"))["jobs"]}
        equal([told[job].get("position") for job in
               (first, last, ahead, held, *array)], [None, 2, 1, None, 3, 4])
        times = told[first]["elapsed"], told[first]["remaining"]
        assert times[0] >= 0 and sum(times) == 6000, times
        rows = tell(service, "queue").splitlines()
        equal(rows[0].split()[-6:-3], ["order", "queue", "array"])
        # They are listed in the order in which they are tried, held ones last.
        equal([row.split()[0] for row in rows[1:]],
              [str(first), str(ahead), str(last), f"{array[0]}-{array[1]}",
               str(held)])
        equal([job["id"] for job in json.loads(
            tell(service, "queue", "--json"))["jobs"]],
              [first, ahead, last, *array, held])
        assert f"  {array[0]}_[5-6]  " in rows[4], rows[4]
        assert "  urgent  " in rows[2], rows[2]
        # the place is among all jobs, also in a list of some
        equal(json.loads(tell(service, "queue", "--user", "nobody",
                              "--json"))["jobs"], [])
        page = service.ask("GET", f"/v1/jobs?limit=1&after={held}")[1]["jobs"]
        equal([(job["id"], job["position"]) for job in page], [(array[0], 3)])
        equal(order(service), [ahead, last, *array])


def printed():
    """what a job prints is in a file, unless that is not wanted"""
    with Service() as service:
        def submit(*words):
            return tell(service, "submit", "--count", "1", "--time", "1m",
                        "--wait", *words, "--", "sh", "-c",
                        "echo out; echo err >&2").strip()
        number = submit()
        equal(read(service.path(f"tori-{number}.out")), "out\nerr\n")
        equal(tell(service, "logs", number), "out\nerr\n")
        first = submit("--array", "7-8").split("-")[0]
        for index in 7, 8:
            equal(read(service.path(f"tori-{first}_{index}.out")),
                  "out\nerr\n")
        for none in "none", "/dev/null":
            number = submit("--output", none)
            equal(os.path.exists(service.path(f"tori-{number}.out")), False)
        number = submit("--output", "said-%j", "--error", "bad-%a")
        equal((read(service.path(f"said-{number}")),
               read(service.path("bad-0"))), ("out\n", "err\n"))


def only_placed():
    """without an executor, answers say that nothing runs"""
    with Service(executor=None) as service:
        lack = "jobs are only placed, and nothing runs: torid has no executor"
        equal(service.tori("submit", "--count", "1", "--time", "1m", "true"),
              (0, "1\n", f"tori: {lack}\n"))
        equal(service.ask("POST", "/v1/jobs", {
            "count": 1, "time_limit": 60, "command": ["true"]})[1],
              {"ids": [2], "message": lack})
        wait(lambda: service.job(1)["state"] == "running", "no place")
        equal(service.job(1)["only_placed"], True)
        equal([job["only_placed"] for job in service.ask(
            "GET", "/v1/jobs")[1]["jobs"]], [True, True])
        health = service.ask("GET", "/healthz")[1]
        equal((health["status"], health["message"]), ("ok", lack))
        code, out, err = service.tori("queue")
        equal((code, out.count("  placed  "), err), (0, 2, f"tori: {lack}\n"))
        assert "job 1 has been placed, but nothing runs it" in tell(
            service, "show", "1"), "show"
        # jobs that give their nodes back have no process that would keep them
        first, second = (service.submit("true", shape="4x4")
                         for _ in range(2))
        tell(service, "cancel", "1", "2")
        equal([service.ended(job)["why"] for job in (1, 2)],
              ["cancelled"] * 2)
        wait(lambda: service.job(first)["state"] == "running", "no place")
        tell(service, "requeue", str(first))
        tell(service, "change", str(second), "--priority", "1")
        service.kill()
        service.begin()
        wait(lambda: service.job(first)["state"] == "running", "no place")
        tell(service, "cancel", str(first))
        equal(service.ended(first)["why"], "cancelled")
        wait(lambda: service.job(second)["state"] == "running", "no place")


USUAL = ("run", "--count", "1", "--time", "1m")


def start(service, *words, **more):
    """tori run, which goes on."""
    return subprocess.Popen(
        [os.path.join(BUILD, "tori"), *USUAL, *words], cwd=service.files,
        env={**os.environ, "TORI_SOCKET": service.socket}, **more)


def beside():
    """a job that is run here has these streams, and ends as it does"""
    with Service() as service:
        pipes = {name: subprocess.PIPE for name in
                 ("stdin", "stdout", "stderr")}
        run_here = start(service, "--", "sh", "-c",
                         "cat; echo $TORI_RUN$TORI_JOB_ID; echo bad >&2; "
                         "exit 7", **pipes)
        out, err = run_here.communicate(b"one\ntwo\n", timeout=PATIENCE)
        equal((run_here.returncode, out, err), (7, b"one\ntwo\n1\n",
                                                b"bad\n"))
        job = service.job(1)
        equal((job["name"], job["status"]), ("sh", 7))
        for program, status in ("no-such-program", 127), ("/", 126):
            code, _, err = service.tori(*USUAL, program)
            equal((code, program in err), (status, True))
        equal(service.tori(*USUAL, "sh", "-c", "kill -9 $$")[0], 128 + 9)
        equal(service.tori("run", "--count", "99", "--time", "1m", "true"),
              (4, "", "tori: larger than the machine\n"))
        equal(service.tori(*USUAL, "--pty", "true")[::2],
              (2, "tori: --pty: standard input is not a terminal\n"))
        # Ctrl-C cancels, whether it runs or waits
        for words in (), ("--hold",):
            run_here = start(service, *words, "--", "sh", "-c",
                             "echo begun; exec sleep 1000", **pipes)
            if not words:
                equal(run_here.stdout.readline(), b"begun\n")
            wait(lambda: [job for job in service.ask(
                "GET", "/v1/jobs")[1]["jobs"] if job["state"] != "ended"],
                 "it does not come")
            run_here.send_signal(signal.SIGINT)
            run_here.communicate(timeout=PATIENCE)
            equal(run_here.returncode, 130)
            last = service.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"][-1]
            equal(service.ended(last["id"])["why"], "cancelled")
        # a requeued job comes back, and a job ends with its command
        run_here = start(service, "--", "sh", "-c",
                         "echo $TORI_ATTEMPT; exec sleep 1000", **pipes)
        equal(run_here.stdout.readline(), b"1\n")
        last = service.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"][-1]["id"]
        tell(service, "requeue", str(last))
        equal(run_here.stdout.readline(), b"2\n")
        run_here.kill()
        run_here.communicate(timeout=PATIENCE)
        equal(service.ended(last)["signal"], signal.SIGHUP)
    with Service(executor="rehearse") as service:
        code, out, err = service.tori(*USUAL, "true")
        equal((code, out, "an executor that runs jobs on this host" in err),
              (1, "", True))


def at_terminal():
    """with --pty a job has a terminal of its own"""
    with Service() as service:
        here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 33, 77, 0, 0))
        run_here = start(service, "--pty", "--", "sh", stdin=there,
                         stdout=there, stderr=there)
        os.close(there)
        said = b""
        def hear(words):
            nonlocal said
            until = time.monotonic() + PATIENCE
            while words not in said:
                assert time.monotonic() < until, said
                if select.select([here], [], [], 1)[0]:
                    said += os.read(here, 4096)
        os.write(here, b"stty size; tty; echo j$((20 + 3))\n")
        hear(b"j23")
        assert b"33 77" in said and b"/dev/pts/" in said, said
        # Ctrl-C goes to what runs there, and not to tori
        os.write(here, b"sh -c 'echo u$((1 + 1)); exec sleep 1000'\n")
        hear(b"u2")
        os.write(here, b"\x03")
        os.write(here, b"echo v$((4 + 4)); exit 5\n")
        hear(b"v8")
        equal(run_here.wait(timeout=PATIENCE), 5)
        os.close(here)


sys.exit(run([changed, dependencies, moved, overtaken, listed, targets, counted, past, used, all_runs,
              many_runs,
              audited, deeds, put_back, in_full, reasons,
              configuration, seen, access, token_groups, places, hours,
              of_users, suspended, requeued, in_line, printed,
              only_placed, beside, at_terminal]))
