#!/usr/bin/env python3
"""Usage: kept.py BUILD-DIRECTORY [--only NAME...]

What version 0.1.0 left behind is read by this one: the journal of a torid that
was killed, the same with what an orderly end saves, and a snapshot. In TAP.

The folder "kept" has the journal as SQL, journal.sql, and in saved.sql what an
orderly end adds. Its jobs have every member that a submission can have, and are
in all states: running, suspended, put off, held, in arrays, waiting for others,
for a queue's limit and for another day, of an executor's own queue, ended. It
has other users, nodes and a link that are out of service, and reservations.
answers.json is what torid 0.1.0 said of it, and what tori said of snapshot.json,
which is the same as a snapshot. There may be more in an answer by now, but
nothing less and nothing else. The journal is of the year 2100, and torid goes
on from there.
"""
import json
import os
import sqlite3
import sys

from faults import Puppet
from service import equal, read, run, wait

KEPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kept")
ANSWERS = json.loads(read(f"{KEPT}/answers.json"))
# Members that count the time that has passed since, and sentences for people.
PASSING = {"now", "effective_priority", "usage", "share", "penalty", "text",
           "waits"}

# Starts that 0.1.0 left open, and that are estimates with a condition by now.
ESTIMATED = {"start", "place"}


def as_before(found, key):
    """A member as 0.1.0 meant it: users and queues had one number for jobs that
    run and jobs that are suspended."""
    apart = found.get("suspended") if key == "running" else None
    return found.get(key) if apart is None else found[key] + apart


def difference(found, kept, where=""):
    """Where an answer differs from the one that was kept; None: nowhere."""
    if isinstance(kept, dict) and isinstance(found, dict):
        pairs = [(f"{where}.{key}", as_before(found, key), value)
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
    """A service that goes on from the journal, and its mark."""

    def __init__(self, *texts):
        self.texts = texts
        super().__init__("--config", f"{KEPT}/torid.conf", "--heartbeat", "0",
                         machine="torus:6x4")

    def begin(self):
        if not os.path.exists(self.path("state")):
            self.put_back()
        super().begin()

    def put_back(self):
        os.mkdir(self.path("state"), 0o700)
        base = sqlite3.connect(self.path("state/journal"))
        for name in self.texts:
            base.executescript(read(f"{KEPT}/{name}"))
        last, = base.execute("SELECT max (seq) FROM record").fetchone()
        origin, = base.execute("SELECT text FROM record").fetchone()
        base.close()
        jobs = ANSWERS["/v1/jobs?limit=1000"]["jobs"]
        with open(self.path("state.mark"), "w", encoding="utf-8") as file:
            file.write(f"{json.loads(origin)['identity']} 1 {last} "
                       f"{jobs[-1]['id']} {os.fstat(file.fileno()).st_ino}\n")

    def end(self, number):
        self.say({"is": "ended", "job": number, "attempt": 1, "status": 0,
                  "signal": None})

    def compare(self):
        for path, kept in ANSWERS.items():
            if path.startswith("/"):
                equal((path, difference(self.ask("GET", path)[1], kept)),
                      (path, None))


def named(name):
    return next(job["id"] for job in ANSWERS["/v1/jobs?limit=1000"]["jobs"]
                if job.get("name") == name)


def goes_on(*texts):
    with Kept(*texts) as service:
        service.compare()
        jobs = service.jobs()
        service.told("list")
        service.say({"is": "running", "jobs": [
            {"job": job["id"], "attempt": job["attempt"]}
            for job in jobs if job["state"] == "running" or "suspended" in job]})
        key = {"Idempotency-Key": "key of held"}
        held = {"estimate": 36000, "directory": "/tmp", "command": ["true"],
                "name": "held", "count": 1, "hold": True,
                "script": "#!/bin/sh\necho hello\n"}
        if os.geteuid() == 0:  # a key is its user's, who was root
            equal(service.ask("POST", "/v1/jobs", held, key),
                  (200, {"ids": [named("held")]}))
        service.compare()
        equal(service.submit("true", hold=True), jobs[-1]["id"] + 1)
        # All others end: the executor's own job starts, and after it what was
        # suspended goes on.
        patient = named("patient")
        for job in jobs:
            if job.get("attempt") and job["id"] != patient:
                service.end(job["id"])
        wait(lambda: any(order.get("key") == "19.0"
                         for order in service.orders("start")), "no start")
        service.end(jobs[-1]["id"])
        equal(service.told("resume")[0]["job"], patient)
        service.kill()
        service.begin()
        equal(service.job(patient)["state"], "running")
        equal(service.job(named("urgent"))["status"], 0)


def killed():
    """what a torid that was killed left behind is gone on with"""
    goes_on("journal.sql")


def ended():
    """so is what an orderly end saved"""
    goes_on("journal.sql", "saved.sql")


def snapshots():
    """a snapshot is understood as it was"""
    with Puppet() as service:
        for line, kept in ANSWERS.items():
            if line.startswith("tori "):
                name, *more = line.split()[1:]
                _, out, err = service.tori(
                    name, f"{KEPT}/snapshot.json", *more, "--json")
                equal((line, err, difference(json.loads(out), kept)),
                      (line, "", None))


if __name__ == "__main__":
    sys.exit(run([killed, ended, snapshots]))
