#!/usr/bin/env python3
"""Usage: day.py [DIRECTORY] [--jobs N] [--hours N] [--seed N]

A day of a machine, in some seconds: 200 jobs of 20 users in 3 queues, on a pod of
8 x 8 x 8 nodes, with a real torid. The jobs are rehearsed: nothing runs, and an hour
takes a quarter of a second. An operator holds, changes, reserves, drains, suspends,
cancels and requeues in between. Every hour the script looks at all of it from outside,
and ends with an error if something does not add up:

- no node has two jobs, and no drained or reserved one gets a job;
- every job that was submitted is there, once;
- what `tori why` says of a job is what `tori forecast` says of it;
- users, queues and metrics have each job once: it waits, runs, or is suspended;
- the history has every job and every deed, and its sums are right: those of users, of
  queues and of the metrics are those of all runs of the jobs.

DIRECTORY has tori, torid and torid-rehearse; if it is not given, they are in the PATH.
"""
import argparse
import collections
import http.client
import itertools
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

MACHINE = "pod:8/4x4x4"  # 8 cubes of 4 x 4 x 4 nodes
SIDES = (8, 4, 4, 4)
SPEED = 14400            # seconds of a job that pass in one second
PATIENCE = 600           # seconds, for a machine that is busy with other things
QUEUES = """\
queue batch {}
queue long { priority = -10  max-running = 12 }
queue urgent { priority = 100  tier = 1  max-time = 2h }
"""
# Shapes, and how often each is asked for.
SHAPES = {"2x2x2": 3, "2x2x4": 3, "4x4x2": 4, "4x4x4": 5, "4x4x8": 3, "4x8x8": 1}


def check(true, *what):
    if not true:
        raise SystemExit(f"day.py: {' '.join(map(str, what))}")


def nodes_of(place):
    """The nodes of a place: boxes of a pod are CUBE,X,Y,Z/1xAxBxC."""
    found = []
    for box in place.get("boxes") or [place["box"]]:
        origin, shape = box.split("/")
        ranges = [[(first + i) % side for i in range(int(size))]
                  for first, size, side in zip(map(int, origin.split(",")),
                                               shape.split("x"), SIDES)]
        found += itertools.product(*ranges)
    check(len(found) == len(set(found)), "a place has a node twice:", place)
    return set(found)


def state_of(job):
    return "suspended" if job.get("suspended") else job["state"]


def runs_of(job):
    """The times that a job that has ended had its nodes."""
    if "start" not in job:
        return []
    return [(run["start"], run["end"]) for run in job.get("runs", [job])]


def metric(text, name, **labels):
    """A value in the text of the metrics; 0 if it is not there."""
    inside = ",".join(f'{key}="{value}"' for key, value in labels.items())
    start = f"{name}{{{inside}}} "
    return sum(float(line[len(start):]) for line in text.splitlines()
               if line.startswith(start))


class Machine:
    """A torid with a folder of its own, its users and its operator."""

    def __init__(self, programs):
        self.programs = programs
        self.files = tempfile.mkdtemp(prefix="tori-day-")
        self.state = os.path.join(self.files, "state")
        self.pause = os.path.join(self.files, "pause")
        # Bound to, and not listening: nobody else gets the port, and torid does.
        self.kept = socket.socket()
        self.kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.kept.bind(("127.0.0.1", 0))
        self.port = self.kept.getsockname()[1]
        conf = os.path.join(self.files, "torid.conf")
        with open(conf, "w", encoding="utf-8") as file:
            file.write(QUEUES)
        executor = (f"{self.program('torid-rehearse')} --speed {SPEED} "
                    f"--jobs {self.files}/acts --pause {self.pause}")
        self.stop_time()
        with open(os.path.join(self.files, "log"), "wb") as log:
            self.process = subprocess.Popen(
                [self.program("torid"), "--machine", MACHINE, "--state",
                 self.state, "--config", conf, "--listen",
                 f"127.0.0.1:{self.port}", "--executor", executor],
                stderr=log)
        self.wait(lambda: os.path.exists(f"{self.state}/socket")
                  and self.tori("queue", may_fail=True), "torid is silent")
        self.tokens = {}

    def program(self, name):
        return os.path.join(self.programs, name) if self.programs else name

    def wait(self, true, what):
        until = time.monotonic() + PATIENCE
        while not true():
            check(self.process.poll() is None, "torid has ended")
            check(time.monotonic() < until, what)
            time.sleep(0.02)

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.kept.close()
        shutil.rmtree(self.files)

    # ---- the operator, and users ----

    def tori(self, *words, may_fail=False):
        done = subprocess.run(
            [self.program("tori"), *words], text=True, check=False,
            env={**os.environ, "TORI_SOCKET": f"{self.state}/socket"},
            capture_output=True)
        check(may_fail or done.returncode == 0, "tori", *words, done.stderr)
        return done.stdout

    def ask(self, path, user=None, body=None):
        """What torid answers; a user has a token."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=PATIENCE)
        connection.request("POST" if body else "GET", path,
                           json.dumps(body) if body else None,
                           {"Authorization": f"Bearer {self.token(user)}"})
        answer = connection.getresponse()
        value = answer.read().decode()
        if value[:1] in "{[":
            value = json.loads(value)
        connection.close()
        check(answer.status < 300, path, value)
        return value

    def token(self, user):
        name, role = (user, "user") if user else ("day", "operator")
        if name not in self.tokens:
            self.tokens[name] = subprocess.run(
                [self.program("torid"), "token", "add", name, "--role", role,
                 "--state", self.state], text=True, check=True,
                capture_output=True).stdout.strip()
        return self.tokens[name]

    def jobs(self):
        rows, after = [], 0
        while after is not None:
            page = self.ask(f"/v1/jobs?limit=1000&after={after}")
            rows += page["jobs"]
            after = page.get("next")
        return rows

    # ---- time ----

    def stop_time(self):
        with open(self.pause, "w", encoding="utf-8"):
            pass

    def let_pass(self, seconds):
        os.remove(self.pause)
        time.sleep(seconds / SPEED)
        self.stop_time()

    def settle(self):
        """Wait until all that was ordered has begun."""
        before = None
        def is_calm():
            nonlocal before
            now, before = before, self.jobs()
            return before == now and not any(job.get("starting")
                                             for job in before)
        self.wait(is_calm, "torid does not settle")
        return before


class Day:
    def __init__(self, machine, jobs, hours, seed):
        self.machine, self.random = machine, random.Random(seed)
        self.users = [f"user{i:02}" for i in range(1, 21)]
        self.plan = self.plan_jobs(jobs, hours)
        self.ids, self.deeds = set(), []
        self.closed = {}     # by node: jobs that may be there, though drained
        self.reserved = {}   # by node: when that begins, and jobs before it
        self.cancelled = set()
        self.compared = 0    # answers about the future

    def plan_jobs(self, n, hours):
        """The jobs of each hour: most come by day."""
        weights = [3 if 8 <= hour % 24 < 18 else 1 for hour in range(hours)]
        plan = [[] for _ in range(hours)]
        for number in range(n):
            queue = self.random.choices(["batch", "long", "urgent"],
                                        [12, 6, 1])[0]
            hour = self.random.choices(range(hours), weights)[0]
            limit = self.random.choice([1800, 3600, 7200]) if queue != "long" \
                else self.random.choice([14400, 21600])
            plan[hour].append((self.users[number % len(self.users)], {
                "queue": queue, "time_limit": limit, "command": ["true"],
                "shape": self.random.choices(list(SHAPES),
                                             list(SHAPES.values()))[0],
                "runtime": int(limit * self.random.uniform(0.1, 0.8))}))
        return plan

    def submit(self, hour):
        for user, job in self.plan[hour]:
            others = sorted(self.ids)[-20:]
            if others and self.random.random() < 0.1:
                job["after"] = f"any:{self.random.choice(others)}"
            found = self.machine.ask("/v1/jobs", user, job)["ids"]
            check(self.ids.isdisjoint(found), "a number was given twice")
            self.ids.update(found)

    # ---- deeds of an operator: whether there was a job for it ----

    def do(self, what, job, *words):
        """A deed, which the record of changes has to name."""
        why = f"deed {len(self.deeds)}"
        self.machine.tori(*words, "--why", why)
        self.deeds.append((what, job, why))
        return self.machine.ask(f"/v1/jobs/{job}") if job else {}

    def pick(self, state, **members):
        """A job in this state, or None."""
        found = [job for job in self.machine.settle()
                 if job["state"] == state and not job.get("suspended")
                 and all(job.get(key) == value
                         for key, value in members.items())]
        return self.random.choice(found)["id"] if found else None

    def hold(self):
        job = self.pick("queued", hold=None)
        if job:
            row = self.do("hold", job, "hold", str(job))
            check(row["hold"] == "user", "job", job, "is not held")
        return job

    def release(self):
        for job in self.machine.settle():
            if job.get("hold") == "user":
                row = self.do("release", job["id"], "release", str(job["id"]))
                check(row.get("hold") != "user", "job", job["id"], "is held")
        return True

    def change(self):
        job, other = (self.pick("queued", hold=None) for _ in range(2))
        if not job or job == other:
            return False
        row = self.do("change", job, "change", str(job), "--time", "50m",
                      "--name", "shorter", "--before", str(other))
        check((row["time_limit"], row["name"]) == (3000, "shorter"),
              "job", job, "has not changed")
        order = {row["id"]: row.get("position") for row in json.loads(
            self.machine.tori("queue", "--json"))["jobs"]}
        check(not order[job] or not order[other] or order[job] < order[other],
              "job", job, "is not ahead of job", other)
        return True

    def reserve(self):
        box = "7,0,0,0/1x4x4x4"
        there = {job["id"] for job in self.machine.settle()
                 if job["state"] == "running" or job.get("suspended")}
        self.do("reserve", None, "reserve", "--from", "+90m", "--for", "1h", box)
        one, = json.loads(self.machine.tori("reserve", "--list", "--json"))[
            "reservations"]
        self.reserved = dict.fromkeys(nodes_of({"box": box}),
                                      (one["from"], there))
        return True

    def unreserve(self):
        self.do("unreserve", None, "reserve", "--remove", "1")
        self.reserved = {}
        return True

    def drain(self):
        box = "5,0,0,0/1x4x4x4"
        there = {job["id"] for job in self.machine.settle()
                 if job["state"] == "running" or job.get("suspended")}
        self.do("drain", None, "drain", box)
        self.closed = dict.fromkeys(nodes_of({"box": box}), there)
        return True

    def resume(self):
        self.do("resume", None, "resume", "5,0,0,0/1x4x4x4")
        self.closed = {}
        return True

    def suspend(self):
        job = self.pick("running")
        if job:
            row = self.do("suspend", job, "suspend", str(job))
            check(row.get("suspended"), "job", job, "is not suspended")
        return job

    def cancel(self):
        jobs = [self.pick(state) for state in ("running", "queued")]
        for job in filter(None, jobs):
            self.cancelled.add(job)
            self.do("cancel", job, "cancel", str(job))
        return all(jobs)

    def requeue(self):
        job = self.pick("running")
        if job:
            row = self.do("requeue", job, "requeue", str(job))
            check(row["requeue_reason"] == self.deeds[-1][2], "job", job,
                  "does not say why")
        return job

    # ---- what is seen from outside ----

    def look(self):
        """All jobs, when nothing has changed while they were looked at."""
        while True:
            jobs = self.machine.settle()
            nodes = json.loads(self.machine.tori("nodes", "--all", "--json"))
            answers = [self.machine.ask(path)
                       for path in ("/v1/why", "/v1/forecast")]
            counts = [self.machine.ask(path)
                      for path in ("/v1/users", "/v1/queues", "/metrics")]
            if self.machine.jobs() == jobs:
                break
        self.check_jobs(jobs)
        busy = self.check_nodes(jobs, nodes["nodes"])
        self.check_future(jobs, *answers)
        self.check_counts(jobs, *counts)
        return jobs, busy

    def check_counts(self, jobs, users, queues, metrics):
        """Each job is counted once, for its user, its queue and all."""
        states = ("queued", "running", "suspended")
        for key, rows in (("user", users["users"]),
                          ("queue", queues["queues"])):
            for row in rows:
                mine = [job for job in jobs if job[key] == row[key]]
                count = collections.Counter(map(state_of, mine))
                busy = sum(len(nodes_of(job["place"])) for job in mine
                           if job["state"] == "running")
                told = [row[state] for state in states] + [row["nodes"]]
                check(told == [*(count[state] for state in states), busy],
                      key, row[key], "is said to have", told)
                shown = [metric(metrics, f"tori_{key}_jobs",
                                **{key: row[key], "state": state})
                         for state in states] + [metric(
                             metrics, f"tori_{key}_nodes", **{key: row[key]})]
                check(shown == told, "the metrics of", row[key], "are", shown)
        count = collections.Counter(map(state_of, jobs))
        for state in states:
            shown = metric(metrics, "tori_jobs", state=state)
            check(shown == count[state], shown, "jobs are", state,
                  "by the metrics, and not", count[state])

    def check_jobs(self, jobs):
        ids = [job["id"] for job in jobs]
        check(sorted(ids) == sorted(self.ids), "jobs are missing, or new:",
              self.ids ^ set(ids))

    def check_nodes(self, jobs, nodes):
        owner = {}
        for job in jobs:
            for node in nodes_of(job["place"]) if job["state"] == "running" \
                    else ():
                check(node not in owner, "node", node, "has jobs",
                      owner.get(node), "and", job["id"])
                check(job["id"] in self.closed.get(node, [job["id"]]),
                      "job", job["id"], "has started on a drained node")
                begins, there = self.reserved.get(node, (0, [job["id"]]))
                check(job["id"] in there
                      or job["start"] + job["time_limit"] <= begins,
                      "job", job["id"], "may run into the reservation")
                owner[node] = job["id"]
        told = {tuple(map(int, node["node"].split(","))): node["job"]
                for node in nodes if node.get("job")}
        check(told == owner, "tori nodes and the jobs disagree")
        return len(owner)

    def check_future(self, jobs, why, forecast):
        waiting = {job["id"] for job in jobs if job["state"] == "queued"}
        said = {row["id"]: (row["start"], row.get("start_place"),
                            row.get("condition")) for row in why["jobs"]}
        meant = {row["id"]: (row["start"], row["place"], row.get("condition"))
                 for row in forecast["jobs"]}
        check(set(said) == waiting, "why speaks of others")
        for job in sorted(said):
            check(said[job] == meant.get(job), "job", job, "starts at",
                  said[job], "by why, and at", meant.get(job), "by forecast")
        self.compared += sum(start is not None for start, *_ in said.values())

    def check_intervals(self, jobs):
        """No node had two jobs at any time of the day."""
        uses = collections.defaultdict(list)
        for job in jobs:
            runs = runs_of(job)
            if "requeue_reason" in job:  # it may have been elsewhere before
                runs = runs[-1:]
            for node in nodes_of(job["place"]) if runs else ():
                uses[node] += [(*run, job["id"]) for run in runs]
        for node, spans in uses.items():
            spans.sort()
            for one, next_one in zip(spans, spans[1:]):
                check(one[1] <= next_one[0], "node", node, "had jobs", one,
                      "and", next_one)

    def check_history(self):
        past = json.loads(self.machine.tori("history", "--json"))["jobs"]
        check({job["id"] for job in past} == self.ids, "history lacks jobs")
        for job in past:
            expected = "cancelled" if job["id"] in self.cancelled \
                else "completed"
            check(job["outcome"] == expected, "job", job["id"], "ended as",
                  job["outcome"])
        hours = collections.defaultdict(float)
        for job in past:
            runs = runs_of(job)
            used = len(nodes_of(job["place"])) * sum(
                end - start for start, end in runs) / 3600 if runs else 0
            check(abs(job["node_hours"] - used) < 1e-6, "job", job["id"],
                  "has used", used, "and not", job["node_hours"])
            for key in ("user", "queue") if runs else ():
                hours[key, job[key]] += used
        total = sum(use for (key, _), use in hours.items() if key == "user")
        text = self.machine.ask("/metrics")
        shown = sum(metric(text, "tori_node_seconds_total", ended=how)
                    for how in ("well", "badly")) / 3600
        check(abs(shown - total) < 1e-4, "the metrics have", shown,
              "node-hours, and the history has", total)
        for key in ("user", "queue"):
            uses = json.loads(self.machine.tori("history", "--by", key,
                                                "--json"))["uses"]
            for use in uses:
                # Times are in microseconds, so sums differ by as much.
                own = hours.pop((key, use[key]))
                check(abs(use["node_hours"] - own) < 1e-4, "the node-hours of",
                      use[key], "are", own, "and not", use["node_hours"])
            check(abs(sum(use["share"] for use in uses) - 1) < 1e-6,
                  "shares do not add up")
        check(not hours, "some use is not in the sums:", hours)
        return past

    def check_deeds(self):
        changes = json.loads(self.machine.tori("history", "--changes",
                                               "--json"))["changes"]
        told = {(change["what"], change.get("job"), change.get("why"))
                for change in changes}
        for deed in self.deeds:
            check(deed in told, "the record lacks", deed)

    # ---- the day ----

    def tell(self, hour, deed):
        jobs, busy = self.look()
        states = collections.Counter(job["state"] for job in jobs)
        print(f"{hour % 24:02}:00  {states['running']:3} run, "
              f"{states['queued']:3} wait, {states['ended']:3} have ended; "
              f"{busy:3} nodes are busy  {deed}", flush=True)
        return states["ended"] == len(jobs)

    def play(self):
        """A deed waits for a job that fits it; a whole day has one for each."""
        deeds = [self.hold, self.change, self.reserve, self.suspend,
                 self.drain, self.cancel, self.requeue, self.release,
                 self.resume, self.change, self.suspend, self.requeue,
                 self.unreserve, self.cancel, self.hold, self.release]
        over, hour, missed = False, 0, []
        while not over:
            by_day = hour < len(self.plan)
            if by_day:
                self.submit(hour)
            deed = deeds[0] if hour > 1 and deeds else None
            done = deed and deed()
            if deed and (done or not by_day):
                deeds.pop(0)
            if deed and not done and not by_day:
                missed.append(deed.__name__)
            over = self.tell(hour, deed.__name__ if done else "") \
                and not by_day and not deeds
            hour += 1
            check(hour < 500, "the day does not end")
            if not over:
                self.machine.let_pass(3600)
        check(not missed or len(self.plan) < 24, "there was no job for",
              *missed)
        past = self.check_history()
        self.check_intervals(past)
        self.check_deeds()
        print(f"{len(past)} jobs of {len({job['user'] for job in past})} "
              f"users in {len({job['queue'] for job in past})} queues, "
              f"{len(self.deeds)} deeds, {self.compared} forecasts: all adds "
              "up")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("directory", nargs="?")
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    machine = Machine(asked.directory and os.path.abspath(asked.directory))
    try:
        Day(machine, asked.jobs, asked.hours, asked.seed).play()
    finally:
        machine.close()


if __name__ == "__main__":
    sys.exit(main())
