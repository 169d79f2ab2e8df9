#!/usr/bin/env python3
"""What operators do with a real torid all day: change jobs, and look at users,
queues and the past.

    operators.py BUILD [--only TEST ...]
"""

import json
import sys
import time

from service import Service, configured, equal, run, wait

CONFIG = """\
queue batch {}
queue urgent {
    priority = 500
    tier = 2
    preempted = kill
    max-time = "10m"
    max-queued = 3
}
"""


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
            ["batch", "2", "0", "0", "0", "0", "requeue", "-", "-", "-", "-"],
            ["urgent", "0", "1", "16", "500", "2", "kill", "10m", "-", "3",
             "-"]])
        me = service.job(1)["user"]
        equal([line.split()[:4] for line in
               tell(service, "users").splitlines()[1:]], [[me, "2", "1", "16"]])
        told = json.loads(tell(service, "users", "--json"))
        equal((told["command"], told["users"][0]["nodes"]), ("users", 16))


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


sys.exit(run([changed, dependencies, moved, listed, past]))
