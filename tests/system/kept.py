#!/usr/bin/env python3
"""Usage: kept.py BUILD-DIRECTORY [--only NAME...]
       kept.py BUILD-DIRECTORY --write VERSION

What each release left behind is read by this version: the journal of a torid that
was killed, that of one that ended in order, its configuration, and a snapshot. In TAP.
At a release, --write keeps what this build leaves behind.

So do names that scripts and programs use: interface.json has the options of all
commands and programs, the members of JSON answers, the routes, parameters and
members of the HTTP API with their types, the metrics with their labels, and what
Python's module offers. All of them are still there. Old names are not in it.

The folder "kept" has a folder for each release; 0.1.0-format-2 is from before the
first, whose journals have format 4. killed.sql is a journal as SQL, after a line with
the mark that torid keeps beside it; ended.sql is what the same journal has besides,
after torid began again and ended in order. Their jobs have every
member that a submission can have, and are in all states: running, suspended, put
off, held, in arrays, waiting for others, for a queue's limit and for another day, of
an executor's own queue, ended. There are other users, nodes and a link that are out
of service, and reservations. answers.json is what that torid said of it, and what
tori said of snapshot.json, which is the same as a snapshot. There may be more in an
answer by now, but nothing less and nothing else. The journals are of the year 2100,
and torid goes on from there.
"""
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from faults import Puppet
from service import BUILD, Service, Skip, as_user, equal, read, run, wait

KEPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kept")
# Members that count the time that has passed since, sentences for people, and the
# bound of a search that nobody has bounded.
PASSING = {"now", "effective_priority", "usage", "share", "penalty", "text",
           "waits", "steps"}

# Starts that were open, and that are estimates with a condition by now.
ESTIMATED = {"start", "place"}

# What waiting jobs get is decided by the policy of today, not by the journal. It is
# only compared whether there is such a member, if a job was suspended then: such a
# job waited in the queue, and now its place is kept before all of the queue, so
# that most plans, and the changes that would start a job, are others. (Of these,
# less than half of a job's nodes is no longer one.)
AHEAD = {"start", "start_place", "start_nodes", "helps"}
PLANNED = {"/v1/why": AHEAD, "tori why": AHEAD,
           "tori forecast": {"start", "place", "nodes"}}

# The settings that have come since: torid records their defaults when it begins.
SETTINGS = {"max-batch": 1001}


def without_plans(answer, members):
    """An answer that says of these members of its jobs only that they are there."""
    return {**answer, "jobs": [
        {name: "planned" if name in members and value is not None else value
         for name, value in job.items()} for job in answer["jobs"]]}


def change_of(asked, found, answers):
    """Where the answer to a question differs from the one among those that were
    kept; None: nowhere."""
    kept = answers[asked]
    if asked in PLANNED and any("suspended" in job for job
                                in answers["/v1/jobs?limit=1000"]["jobs"]):
        kept, found = (without_plans(answer, PLANNED[asked])
                       for answer in (kept, found))
    if asked == "/v1/changes":
        found = {**found, "changes": [
            change for change in found["changes"] if change["is"] != SETTINGS]}
    return difference(found, kept)


def as_before(found, key):
    """A member as it was meant before 0.1.0: users and queues had one number for
    jobs that run and jobs that are suspended."""
    apart = found.get("suspended") if key == "running" else None
    return found.get(key) if apart is None else found[key] + apart


def difference(found, kept, where=""):
    """Where an answer differs from the one that was kept; None: nowhere."""
    if isinstance(kept, dict) and isinstance(found, dict):
        member = dict.get if "suspended" in kept else as_before
        pairs = [(f"{where}.{key}", member(found, key), value)
                 for key, value in kept.items() if key not in PASSING
                 and not (key in ESTIMATED and value is None
                          and "condition" in found)]
    elif isinstance(kept, list) and isinstance(found, list) \
            and len(kept) == len(found):
        pairs = [(f"{where}[{i}]", *both)
                 for i, both in enumerate(zip(found, kept))]
    else:
        return None if found == kept else f"{where}: {found!r}, not {kept!r}"
    return next(filter(None, (difference(now, then, path)
                              for path, now, then in pairs)), None)


class Kept(Puppet):
    """A service that goes on from a journal, and its mark."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.answers_then = json.loads(read(f"{folder}/answers.json") or "{}")
        super().__init__("--config", f"{folder}/torid.conf", "--heartbeat", "0",
                         machine="torus:6x4")

    def begin(self):
        if not os.path.exists(self.path("state")):
            self.put_back()
        super().begin()

    def put_back(self):
        os.mkdir(self.path("state"), 0o700)
        base = sqlite3.connect(self.path("state/journal"))
        for name in dict.fromkeys(("killed", self.name)):
            text = read(f"{self.folder}/{name}.sql")
            base.executescript(text)
        base.close()
        mark = text.split("\n", 1)[0].removeprefix("-- ")
        with open(self.path("state.mark"), "w", encoding="utf-8") as file:
            file.write(f"{mark} {os.fstat(file.fileno()).st_ino}\n")

    def say_running(self, n):
        """The executor's answer when it is asked for the nth time."""
        self.told("list", n)
        self.say({"is": "running", "jobs": [
            {"job": job["id"], "attempt": job["attempt"]} for job in self.jobs()
            if job["state"] == "running" or "suspended" in job]})

    def end(self, number):
        self.say({"is": "ended", "job": number, "attempt": 1, "status": 0,
                  "signal": None})

    def compare(self):
        for path in self.answers_then:
            if path.startswith("/"):
                equal((path, change_of(path, self.ask("GET", path)[1],
                                       self.answers_then)), (path, None))

    def named(self, name):
        return next(job["id"] for job in self.jobs() if job.get("name") == name)


def goes_on(folder, name):
    with Kept(folder, name) as service:
        service.compare()
        jobs = service.jobs()
        service.say_running(1)
        if os.geteuid() == 0:  # a key is its user's, who was root
            equal(service.ask("POST", "/v1/jobs", *HELD),
                  (200, {"ids": [service.named("held")]}))
        service.compare()
        equal(service.submit("true", hold=True), jobs[-1]["id"] + 1)
        # All others end: what was suspended goes on, and after it the executor's
        # own job starts.
        patient = service.named("patient")
        for job in jobs:
            if job.get("attempt") and job["id"] != patient:
                service.end(job["id"])
        equal(service.told("resume")[0]["job"], patient)
        service.kill()
        service.begin()
        equal(service.job(patient)["state"], "running")
        equal(service.job(service.named("urgent"))["status"], 0)
        service.say({"is": "ready", "version": 1})
        service.say_running(2)
        service.end(patient)
        wait(lambda: any(order.get("key") == "19.0"
                         for order in service.orders("start")), "no start")


def snapshot(folder):
    with Puppet() as service:
        answers = json.loads(read(f"{folder}/answers.json"))
        for line in answers:
            if line.startswith("tori "):
                name, *more = line.split()[1:]
                _, out, err = service.tori(
                    name, f"{folder}/snapshot.json", *more, "--json")
                equal((line, err, change_of(line, json.loads(out), answers)),
                      (line, "", None))


# ---- names ----

PROGRAMS = ["torid", "torid-local", "torid-rehearse", "torid-follow",
            "tori-slurm", "tori-kube"]


def output(program, *words):
    return subprocess.run([f"{BUILD}/{program}", *words], text=True, check=True,
                          capture_output=True).stdout


def options(program, words=()):
    """The options of a command or program, and of the commands below it."""
    text = output(program, *words, "--help")
    part = re.search(r"^Options:\n(.*?)(?:^[A-Z]|\Z)", text, re.M | re.S)
    yield " ".join([program, *words]), re.findall(
        r"^  (?:-\w, |    )?(--[a-z][a-z-]*)", part[1] if part else "", re.M)
    part = re.search(r"^Commands:\n(.*?)^[A-Z]", text, re.M | re.S)
    for name in re.findall(r"^  ([a-z][a-z-]*)  ", part[1] if part else "",
                           re.M):
        yield from options(program, [*words, name])


def described():
    """The members of the JSON answers of each command."""
    text = output("tori", "help", "json")
    for part in re.split(r"^(?=tori \S.*:$)", text, flags=re.M)[1:]:
        name, rows = part.split(":\n", 1)
        yield name, [found[1] for found in re.finditer(
            r"^  ([a-z]\S*)(.*(?:\n {10}.*)*)", rows, re.M)
            if "old name" not in " ".join(found[2].split())]


def routes(spec):
    """The routes and parameters of the API, and the types of members."""
    for path, methods in spec["paths"].items():
        for method, route in methods.items():
            if isinstance(route, dict) and not route.get("deprecated"):
                yield f"{method} {path}", sorted(
                    found["name"] for found in route.get("parameters", [])
                    if "name" in found)
    for name, schema in spec["components"]["schemas"].items():
        yield name, sorted(
            f"{member}: {told.get('type', '')}" for member, told
            in schema.get("properties", {}).items()
            if not told.get("deprecated"))


def metrics(text):
    """Each metric with its type and the labels that it has."""
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M))
    for name, kind in kinds.items():
        labels = {label for row in re.findall(
            rf"^{name}\w*{{(.*)}} ", text, re.M)
            for label in re.findall(r'(\w+)="', row)}
        yield f"{name} {kind}", sorted(labels)


def interface():
    """All names that others use."""
    found = {}
    for program in ["tori", *PROGRAMS]:
        if os.path.exists(f"{BUILD}/{program}"):
            found.update(options(program))
    found.update((f"JSON of {name}", members) for name, members in described())
    with Service(executor="rehearse") as service:
        service.submit("true")
        found.update((f"HTTP: {name}", members) for name, members in routes(
            service.ask("GET", "/openapi.json")[1]))
        found.update((f"metric {name}", labels) for name, labels in metrics(
            service.ask("GET", "/metrics")[1]))
    return found


def same_names(folder):
    kept, now = json.loads(read(f"{folder}/interface.json")), interface()
    assert len(kept) > 200, f"only {len(kept)} of {folder}"
    built = {name.split()[0] for name in now}
    if not os.path.exists(f"{BUILD}/python/tori"):
        # What its commands answer is in the package, which a build may be without.
        kept = {name: members for name, members in kept.items()
                if name in now or not re.match(
                    "JSON of tori (compare|decide|paper|report|sweep)", name)}
    gone = [f"{name}: {member}" for name, members in kept.items()
            if name.split()[0] in built or not name.startswith("tori")
            for member in ["", *members]
            if name not in now or member and member not in now[name]]
    equal(gone, [])


def tests_of(version):
    """What is tried with what a release has left behind."""
    folder = f"{KEPT}/{version}"

    def killed():
        goes_on(folder, "killed")

    def ended():
        goes_on(folder, "ended")

    def snapshots():
        snapshot(folder)

    def names():
        same_names(folder)
    killed.__doc__ = f"{version}: a journal of a torid that was killed goes on"
    ended.__doc__ = f"{version}: so does that of one that ended in order"
    snapshots.__doc__ = f"{version}: a snapshot is understood as it was"
    names.__doc__ = f"{version}: every name that others use is there"
    return [killed, ended, snapshots] + [names] * os.path.exists(
        f"{folder}/interface.json")


# ---- to keep a release ----

CONFIGURATION = """half-life = "1d"
usage-weight = 1000
queue batch {}
queue urgent { priority = 500 max-time = "2h" max-running = 1 tier = 1 }
counts = mm
"""
HELD = ({"estimate": 36000, "directory": "/tmp", "command": ["true"],
         "name": "held", "count": 1, "hold": True,
         "script": "#!/bin/sh\necho hello\n"},
        {"Idempotency-Key": "key of held"})
EVERY_MEMBER = {
    "shape": "3x3", "wiring": "torus", "fixed": True, "wrap": True,
    "alternatives": [{"shape": "4x2", "wiring": "mesh", "fixed": True},
                     {"count": 5}],
    "patience": "10m", "only": ["0,0/5x4"], "priority": -3, "tier": 1,
    "preempted": "kill", "checkpoint": "5s", "movable": False,
    "on_failure": "kill", "begin": "+30d", "time_limit": "1h30m",
    "command": ["a", "b c"], "environment": {"A": "b", "C": ""}, "input": "in",
    "output": "out.%j", "error": "err.%A.%a", "queue": "batch", "warn": 5,
    "warning": 12}
ASKED = ["/v1/jobs?limit=1000", "/v1/nodes", "/v1/links", "/v1/reservations",
         "/v1/users", "/v1/queues", "/v1/why", "/v1/unknown", "/v1/changes"]
TOLD = ["tori why", "tori forecast", "tori defrag --shape 4x2"]


class Life:
    """What a torid goes through before its journal is kept."""

    def __init__(self, service, passes):
        self.service, self.passes = service, passes

    def put(self, method, path, body):
        code, answer = self.service.ask(method, path, body)
        assert code < 300, (path, code, answer)

    def submit(self, name, **ask):
        key = {"Idempotency-Key": f"key of {name}"}
        ask = {"time_limit": 36000, "directory": "/tmp", "command": ["true"],
               "name": name, **ask}
        code, answer = self.service.ask("POST", "/v1/jobs", ask, key)
        equal((name, code), (name, 201))
        return answer["ids"][0]

    def started(self, *numbers):
        for number in numbers:
            self.service.say({"is": "started", "job": number, "attempt": 1})
        wait(lambda: not any("starting" in self.service.job(number)
                             for number in numbers), f"no start: {numbers}")

    def others(self, user):
        """Jobs of another user: one runs, and of two more the queue takes one."""
        urgent = {"time_limit": 600, "directory": "/tmp", "command": ["true"],
                  "count": 1, "queue": "urgent"}
        more = {**urgent, "time_limit": 36000, "count": 3, "name": f"of {user}"}
        more.pop("queue")
        for body in (more, [urgent, urgent]):
            equal(as_user(user, lambda ask=body: self.service.ask(
                "POST", "/v1/jobs", ask)[0]), 201)

    def jobs(self):
        self.others("nobody")
        self.others("daemon")
        patient = self.submit("patient", shape="2x4", wiring="mesh",
                              preempted="suspend", checkpoint=600)
        moved = self.submit("moved", shape="2x2", wiring="torus",
                            on_failure="repair")
        self.started(1, 2, 4, patient)
        self.passes(120)
        urgent = self.submit("urgent", shape="4x2", tier=2)
        self.service.told("suspend")
        self.service.say({"is": "suspended", "job": patient, "attempt": 1})
        wait(lambda: {"starting": True} in [
            {"starting": self.service.job(number).get("starting")}
            for number in (urgent, moved)], "nothing gives way")
        self.started(urgent, moved)
        self.passes(60)
        array = self.submit("array", count=1, array="1-4%2")
        self.submit("dependent", count=2, after=["ok:1", "any:2"])
        self.submit("other", count=1, after=["failed:3"],
                    environment={"A": 'b " \\ ä'})
        equal(self.service.ask("POST", "/v1/jobs", *HELD)[0], 201)
        self.submit("whole", shape="6x4", priority=5)
        folded = self.submit("folded", shape="8x2", wiring="torus", fold="rings")
        self.submit("every member", **EVERY_MEMBER)
        self.started(array, array + 1)
        return folded

    def machine(self):
        for path, state, why in (("nodes/5,3", "drain", "new cables"),
                                 ("nodes/5,0", "down", "no power"),
                                 ("links/0,0-0,1", "down", "cable")):
            self.put("PATCH", f"/v1/{path}", {"state": state, "why": why})
        for days, length, more in (
                (30, "1h", {"box": "0,0/2x4", "name": "cables", "jobs": [1]}),
                (40, "30m", {"nodes": ["4,3", "4,2"]}), (50, "2h", {"count": 3})):
            self.put("POST", "/v1/reservations", {
                "from": f"+{days}d", "until": f"+{days}d{length}", **more})

    def play(self):
        folded = self.jobs()
        self.machine()
        self.passes(60)
        self.submit("short", count=1, time_limit=60)
        cancelled = self.submit("cancelled", count=9, time_limit=60)
        self.put("DELETE", f"/v1/jobs/{cancelled}?why=a%20mistake", None)
        self.put("PATCH", f"/v1/jobs/{folded}", {"hold": True, "why": "later"})
        self.service.say(
            {"is": "ended", "job": 1, "attempt": 1, "status": 0, "signal": None},
            {"is": "submit", "key": "19.0", "user": "ann", "time_limit": 60,
             "count": 16, "alias": "slurm:19"})
        wait(lambda: self.service.jobs()[-1].get("alias") == "slurm:19",
             "the executor's job does not come")
        wait(lambda: self.service.job(1)["state"] == "ended", "no end")


def literal(value):
    if isinstance(value, bytes):
        text = value.decode().replace("'", "''")
        return f"CAST ('{text}' AS BLOB)"
    if isinstance(value, str):
        value = value.replace("'", "''")
        return f"'{value}'"
    return "NULL" if value is None else str(value)


def dump(service, path, known=()):
    """A journal that nobody has open, as SQL without known statements, and its
    mark, without that of its own file. Returns the statements."""
    mark = read(service.path("state.mark")).split()
    base = sqlite3.connect(service.path("state/journal"))
    lines = [f"-- {' '.join(mark[:4])}"]
    for pragma in ("application_id", "user_version"):
        lines.append(f"PRAGMA {pragma} = "
                     f"{base.execute(f'PRAGMA {pragma}').fetchone()[0]};")
    lines += [f"{sql};" for sql, in base.execute(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
    for table, in base.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"):
        lines += [f"INSERT OR REPLACE INTO {table} VALUES "
                  f"({', '.join(map(literal, row))});"
                  for row in base.execute(f"SELECT * FROM {table} ORDER BY 1")]
    base.close()
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines[:1] + [
            line for line in lines[1:] if line not in known]) + "\n")
    return lines


def keep(path, members):
    """JSON, a line a member."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("{" + ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}"
                                    for name, value in members.items()) + "}\n")


def play(folder):
    """The journals of a torid of the year 2100, and a snapshot of it."""
    with tempfile.TemporaryDirectory() as clocks:
        begin = time.time()
        passed = []

        def passes(seconds):
            passed.append(seconds)
            for name, value in (("day", 4102444800 - begin + sum(passed)),
                                ("uptime", sum(passed))):
                with open(f"{clocks}/{name}.new", "w", encoding="ascii") as file:
                    file.write(str(value))
                os.rename(f"{clocks}/{name}.new", f"{clocks}/{name}")
        passes(0)
        os.environ.update(BAD_CLOCK=f"{clocks}/day", BAD_JUMP=f"{clocks}/uptime",
                          LD_PRELOAD=f"{BUILD}/tests/libbad_clock.so")
        with Puppet("--config", f"{folder}/torid.conf", "--heartbeat", "0",
                    machine="torus:6x4") as service:
            os.chmod(service.files, 0o711)
            Life(service, passes).play()
            service.kill()
            known = dump(service, f"{folder}/killed.sql")
            service.begin()
            keep(f"{folder}/snapshot.json",
                 service.ask("GET", "/v1/snapshot")[1])
            service.kill(signal.SIGTERM)
            dump(service, f"{folder}/ended.sql", known)
        del os.environ["LD_PRELOAD"]


def write(version):
    folder = f"{KEPT}/{version}"
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    with open(f"{folder}/torid.conf", "w", encoding="utf-8") as file:
        file.write(CONFIGURATION)
    play(folder)
    with Kept(folder, "killed") as service:
        answers = {path: service.ask("GET", path)[1] for path in ASKED}
        for line in TOLD:
            name, *more = line.split()[1:]
            answers[line] = json.loads(service.tori(
                name, f"{folder}/snapshot.json", *more, "--json")[1])
            del answers[line]["config"]["snapshot"]  # a path of this machine
    keep(f"{folder}/answers.json", answers)
    keep(f"{folder}/interface.json", interface())


if __name__ == "__main__":
    if "--write" in sys.argv:
        write(sys.argv[sys.argv.index("--write") + 1])
    else:
        sys.exit(run([test for version in sorted(os.listdir(KEPT))
                      for test in tests_of(version)]))
