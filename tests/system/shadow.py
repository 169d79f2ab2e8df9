#!/usr/bin/env python3
"""Usage: shadow.py BUILD-DIRECTORY [--only NAME...]

torid --shadow beside a live torid. With the live one's policy the two agree;
with another one the shadow decides what the simulator does with the same jobs,
to the microsecond. In TAP.
"""
import json
import random
import re
import signal
import subprocess
import sys
import time

from service import BUILD, Service, equal, read, run, wait
from faults import Puppet, states

TICK = 1000000


class Shadow(Service):
    """One that follows another service."""

    def __init__(self, live, *words, machine="torus:4x4"):
        super().__init__("--shadow", *words, machine=machine,
                         executor=lambda _: f"{BUILD}/torid-follow --socket "
                         f"{live.socket} --delay 0.5")

    def report(self):
        return self.ask("GET", "/v1/shadow")[1]

    def caught_up(self):
        """When everything that was heard is over here, too."""
        wait(lambda: not self.report()["pending"] and
             all(job["state"] == "ended" for job in
                 self.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"]),
             f"the shadow does not catch up: {self.report()}")
        return self.report()


def stream(chance, n):
    """Jobs that wait for each other on 16 nodes, in seconds of rehearsal."""
    for _ in range(n):
        runtime = chance.randint(50, 400)
        yield {"count": chance.choice([1, 2, 3, 4, 6, 8, 12]),
               "estimate": runtime + chance.randint(1, 300),
               "runtime": runtime, "command": ["true"]}


def play(live, n=40):
    """Submit jobs over some seconds, and wait for their end."""
    chance = random.Random(5)
    for job in stream(chance, n):
        equal(live.ask("POST", "/v1/jobs", job)[0], 201)
        time.sleep(chance.uniform(0, 0.08))
    wait(lambda: all(job["state"] == "ended" for job in
                     live.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"]),
         "the live one does not end")
    return live.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"]


def ticks(seconds):
    return round(seconds * TICK)


def simulated(jobs, *policy):
    """What the simulator does with jobs that ran: starts and nodes. One tick is
    a second of its log."""
    first = min(ticks(job["submit"]) for job in jobs)
    lines = []
    for job in jobs:
        runtime = ticks(job["end"]) - ticks(job["start"])
        # Live, a job has ticks from its limit; the log has whole seconds.
        lines.append(f"{job['id']} {ticks(job['submit']) - first} -1 "
                     f"{runtime} {job['count']} -1 -1 {job['count']} "
                     f"{ticks(job['estimate'])} -1 1 1 1 1 1 1 -1 -1")
    done = subprocess.run(
        [f"{BUILD}/tori", "sim", "--machine", "torus:4x4", "--trace", "-",
         "--estimates", "log", "--log", "-", *policy],
        input="\n".join(lines) + "\n", capture_output=True, text=True,
        check=False)
    equal((done.returncode, done.stderr), (0, ""))
    log = [json.loads(line) for line in done.stdout.splitlines()
           if line.startswith("{")]
    return {job["id"]: (job["start"] + first, sorted(job["nodes"]))
            for job in log if "nodes" in job}


def starts(service, jobs):
    ids = {node["node"]: node["id"]
           for node in service.ask("GET", "/v1/nodes")[1]["nodes"]}
    return {job["id"]: (ticks(job["start"]),
                        sorted(ids[node] for node in job["place"]["nodes"]))
            for job in jobs}


def same_policy():
    """with the same policy a shadow agrees with the live one"""
    with Service(executor="rehearse") as live, Shadow(live) as shadow:
        wait(lambda: shadow.report().get("heard", 0) > 0, "nothing is heard")
        jobs = play(live)
        report = shadow.caught_up()
        equal([report[key] for key in ("compared", "same", "earlier", "later",
                                       "elsewhere", "jobs")],
              [len(jobs), len(jobs), 0, 0, 0, []])
        equal(report["distance"]["live"], report["distance"]["shadow"])
        own = shadow.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"]
        equal(starts(shadow, own), starts(live, jobs))
        equal(shadow.ask("POST", "/v1/jobs", {"count": 1})[0], 409)
        equal(live.ask("GET", "/v1/shadow")[0], 404)
        assert "event=differs" not in read(shadow.path("log"))


def other_policy():
    """with another policy a shadow decides what the simulator does"""
    with Service("--sched", "easy", executor="rehearse") as live, \
            Shadow(live, "--sched", "fcfs", "--counts", "mc1x1") as shadow:
        wait(lambda: shadow.report().get("heard", 0) > 0, "nothing is heard")
        jobs = play(live)
        report = shadow.caught_up()
        own = shadow.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"]
        expected = simulated(jobs, "--sched", "fcfs", "--alloc", "mc1x1")
        equal(starts(live, own), expected)
        there = starts(live, jobs)
        equal(report["compared"], len(jobs))
        for name, differs in [("later", lambda a, b: a[0] > b[0] + TICK),
                              ("earlier", lambda a, b: a[0] < b[0] - TICK),
                              ("elsewhere", lambda a, b: a[1] != b[1])]:
            equal((name, report[name]),
                  (name, sum(differs(expected[job], there[job])
                             for job in there)))
        assert report["elsewhere"] > 0, report
        waits = sum(start - ticks(job["submit"]) for job, (start, _) in
                    zip(jobs, (expected[job["id"]] for job in jobs)))
        assert abs(report["wait"]["shadow"] - waits / TICK / len(jobs)) \
            < 1e-3, report
        sheets = shadow.ask("GET", "/openapi.json")[1]["components"]["schemas"]
        for name, found in [("shadow", report), ("shadow_wait", report["wait"]),
                            ("shadow_job", report["jobs"][0]),
                            ("shadow_side", report["jobs"][0]["live"])]:
            equal(set(found) - set(sheets[name]["properties"]), set())
        code, out, err = shadow.tori("shadow", "--limit", "3")
        equal((code, err, len(out.splitlines())), (0, "", 9))
        assert f"of {len(jobs)} jobs that both have started, " in out, out
        told = json.loads(shadow.tori("shadow", "--json")[1])
        equal([told["command"]] + [job["id"] for job in told["jobs"]],
              ["shadow"] + [job["id"] for job in report["jobs"][:20]])
        equal(live.tori("shadow")[::2],
              (2, "tori: this torid runs jobs; torid --shadow compares\n"))
        log = read(shadow.path("log"))
        assert log.count("event=differs") >= len(report["jobs"]) > 0, log
        assert re.search(r" live_start=\d{10}(\.\d+)? ", log), log


def interrupted():
    """a shadow that was killed goes on, and so does one whose live one was"""
    with Service(executor="rehearse") as live, Shadow(live) as shadow:
        wait(lambda: shadow.report().get("heard", 0) > 0, "nothing is heard")
        first = live.submit("true", count=16, estimate=3000)
        waiting = live.submit("true", count=8)
        wait(lambda: len(shadow.ask("GET", "/v1/jobs")[1]["jobs"]) == 2,
             "nothing is heard")
        shadow.kill()
        third = live.submit("true", count=8)
        live.ended(first)
        shadow.begin()
        live.kill()
        live.begin()
        live.ended(waiting)
        live.ended(third)
        report = shadow.caught_up()
        equal((report["compared"], report["elsewhere"]), (3, 0))
        shadow.kill(signal.SIGTERM)
        refused = subprocess.run(
            [f"{BUILD}/torid", "--machine", "torus:4x4", "--state",
             shadow.path("state"), "--check"], capture_output=True,
            text=True, check=False)
        assert refused.returncode > 0, refused
        assert "--shadow is missing" in refused.stderr, refused.stderr


def from_running():
    """what runs when a shadow begins runs there, too"""
    with Service(executor="rehearse") as live:
        running = live.submit("true", count=10, estimate=4000)
        waiting = live.submit("true", count=10, estimate=100)
        with Shadow(live) as shadow:
            wait(lambda: len(shadow.ask("GET", "/v1/jobs")[1]["jobs"]) == 2,
                 "nothing is heard")
            wait(lambda: shadow.job(1)["state"] == "running", "not taken over")
            equal(shadow.job(1)["place"], live.job(running)["place"])
            live.ended(waiting)
            report = shadow.caught_up()
            equal((report["compared"], report["same"]), (1, 1))
            equal(shadow.job(1)["start"], live.job(running)["start"])


class Reported(Puppet):
    """A shadow that hears what a test says."""

    def __init__(self, *words):
        super().__init__("--shadow", *words)

    def report(self):
        return self.ask("GET", "/v1/shadow")[1]


def job(key, at, count, **more):
    return {"is": "submit", "key": key, "user": "ann", "count": count,
            "estimate": 1000, "at": at, **more}


def faults():
    """what fails there fails here; what is refused stays refused when killed"""
    with Reported() as shadow:
        four = ["0,0", "0,1", "0,2", "0,3"]
        shadow.say(job("a", 100, 4), job("big", 110, 17), job("b", 120, 16),
                   {"is": "started", "key": "a", "at": 120, "nodes": four},
                   {"is": "change", "key": "b", "priority": 3, "at": 130},
                   {"is": "node", "node": "0,0/1x4", "state": "down",
                    "at": 150},
                   {"is": "time", "at": 200})
        wait(lambda: states(shadow)["0,0"] == "down", "the nodes are up")
        equal([found["id"] for found in shadow.jobs()], [1, 2])
        before = [shadow.job(1), shadow.job(2)]
        equal((before[0]["attempt"], before[0]["start"]), (2, 150))
        equal((before[1]["priority"], before[1]["state"]), (3, "queued"))
        for number in (signal.SIGKILL, signal.SIGTERM):
            status = shadow.kill(number)
            assert status == 0 or number == signal.SIGKILL, \
                read(shadow.path("log"))
            shadow.begin()
            equal([shadow.job(1), shadow.job(2)], before)
        equal(shadow.orders("start") + shadow.orders("stop"), [])
        shadow.say({"is": "ready", "version": 1})
        equal(shadow.told("list", 2)[-1]["since"], 150)


def heard_once():
    """a shadow that is killed after its first report knows that it had one"""
    with Reported() as shadow:
        shadow.say({"is": "time", "at": 100})
        wait(lambda: shadow.report()["heard"] == 100, "it does not listen")
        shadow.kill()
        shadow.begin()
        equal(shadow.report()["heard"], 100)
        shadow.say({"is": "ready", "version": 1})
        equal(shadow.told("list", 2)[-1]["since"], 100)


def by_hand():
    """a job that starts earlier here than there holds the clock"""
    with Reported() as shadow:
        shadow.say(job("a", 100, 4), job("b", 110, 16), job("c", 120, 16),
                   {"is": "time", "at": 500})
        wait(lambda: shadow.report()["heard"] == 500, "it does not listen")
        equal(shadow.report()["holder"], 1)
        report = shadow.report()
        equal((report["now"], report["heard"], report["pending"]),
              (100, 500, 2))
        shadow.say({"is": "started", "key": "a", "at": 600,
                    "nodes": ["0,0", "0,1", "0,2", "0,3"]},
                   {"is": "ended", "key": "a", "at": 650, "status": 3,
                    "signal": None})
        wait(lambda: shadow.report()["now"] == 150, "it does not go on")
        equal(shadow.job(1)["end"], 150)  # it ran for 50 seconds there
        equal(shadow.job(1)["status"], 3)
        equal(shadow.job(2)["start"], 150)
        shadow.say({"is": "cancel", "key": "b", "at": 700},
                   {"is": "cancel", "key": "c", "at": 710},
                   {"is": "time", "at": 1000})
        wait(lambda: shadow.job(2)["state"] == "ended", "b is not cancelled")
        equal((shadow.job(2)["end"], shadow.job(3)["start"]), (700, 700))
        equal(shadow.orders("start"), [])
        row, = shadow.report()["jobs"]
        equal((row["key"], row["live"]["start"], row["shadow"]["start"]),
              ("a", 600, 100))


def both_names():
    """a follower says a new time limit by both of its names"""
    with Service(executor=None) as live, subprocess.Popen(
            [f"{BUILD}/torid-follow", "--socket", live.socket], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as follow:
        number = live.submit("true", hold=True)
        follow.stdin.write('{"do": "list"}\n')
        follow.stdin.flush()
        words = map(json.loads, follow.stdout)
        equal(next(word["key"] for word in words if word["is"] == "submit"),
              str(number))
        live.ask("PATCH", f"/v1/jobs/{number}", {"time_limit": 90})
        word = next(word for word in words
                    if word["is"] == "change" and "priority" not in word)
        equal((word["time_limit"], word["estimate"]), (90, 90))
        follow.stdin.close()


def unended():
    """a shadow names the jobs of whose ends it has not heard"""
    with Reported() as shadow:
        shadow.say(*(job(key, 100, 16) for key in "abcde"),
                   *({"is": "started", "key": key, "at": 120} for key in "ab"),
                   {"is": "ended", "key": "b", "at": 130, "status": 0,
                    "signal": None},
                   {"is": "cancel", "key": "e", "at": 140},
                   job("f", 150, 16), {"is": "time", "at": 160})
        wait(lambda: shadow.report()["heard"] == 160, "it does not listen")
        shadow.say({"is": "ready", "version": 1})
        equal(shadow.told("list", 2)[-1]["jobs"],
              {"a": True, "c": False, "d": False, "f": False})


def gone():
    """jobs that the live one does not know any more are over"""
    with Service(executor=None) as live, subprocess.Popen(
            [f"{BUILD}/torid-follow", "--socket", live.socket], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as follow:
        number = str(live.submit("true", hold=True))
        follow.stdin.write(json.dumps({
            "do": "list", "since": time.time() + 1000,
            "jobs": {number: False, "98": True, "99": False}}) + "\n")
        follow.stdin.flush()
        said = {}
        for word in map(json.loads, follow.stdout):
            if word["is"] == "time":
                break
            said[word.get("key")] = word["is"]
        equal(said, {None: "ready", number: "submit", "98": "ended",
                     "99": "cancel"})
        follow.stdin.close()


TESTS = [by_hand, heard_once, unended, gone, faults, both_names, same_policy,
         other_policy, from_running, interrupted]

if __name__ == "__main__":
    sys.exit(run(TESTS))
