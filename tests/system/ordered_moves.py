#!/usr/bin/env python3
"""Usage: ordered_moves.py BUILD-DIRECTORY [--only NAME...]

Running jobs that are moved to make room, by an operator and by torid: exactly
as shown, with a reason, a line in the log and an entry in the record. In TAP.
"""
import json
import os
import re
import sys
import time

from service import Service, Skip, as_user, equal, read, run, wait


def lines(path):
    return read(path).splitlines()


def changes(service):
    return [row for row in service.ask("GET", "/v1/changes")[1]["changes"]
            if row["what"] == "move"]


def fragmented(service):
    """Two jobs run, with their files, and nodes 2, 3, 6 and 7 are free."""
    script = "echo $TORI_ATTEMPT >> {}; exec sleep 1000"
    files = {service.submit("sh", "-c", script.format(name), shape="2"):
             name
             for name in ("first", "hole", "last")}
    for name in files.values():
        wait(lambda name=name: lines(service.path(name)), "it does not run")
    hole = list(files)[1]
    service.ask("DELETE", f"/v1/jobs/{hole}")
    service.ended(hole)
    del files[hole]
    return files


def plan_of(service, job):
    code, out, _ = service.tori("defrag", "--for", str(job), "--json")
    equal(code, 0)
    return json.loads(out)


def log(service):
    return [line.split(" event=job-moved ")[1]
            for line in lines(service.path("log"))
            if " event=job-moved " in line]


def applied():
    """the plan that was shown is carried out, and the job starts"""
    with Service(machine="mesh:8") as service:
        movers = fragmented(service)
        waiting = service.submit("sleep", "1000", shape="4")
        code, out, _ = service.tori("defrag", "--for", str(waiting))
        equal(code, 0)
        name = re.search(r"with --apply ([0-9a-f]{8})\n", out)[1]
        plan = plan_of(service, waiting)
        equal(plan["plan"], name)
        move, = plan["moves"]
        mover = move["job"]
        code, out, err = service.tori(
            "defrag", "--for", str(waiting), "--apply", "00000000")
        equal((code, out, err), (2, "", "tori: nothing was moved, because the "
              f"state has changed since: the plan is {name} now\n"))
        equal((service.job(mover)["attempt"], changes(service)), (1, []))
        code, out, err = service.tori("defrag", "--for", str(waiting),
                                      "--apply", name, "--why", "a deadline")
        equal((code, err), (0, ""))
        assert out.endswith("\n1 job has moved\n"), out
        wait(lambda: lines(service.path(movers[mover])) == ["1", "2"],
             "it does not start again")
        wait(lambda: service.job(waiting)["state"] == "running", "no start")
        reason = f"it made room for job {waiting}: a deadline"
        job = service.job(mover)
        equal(job["place"], {"box": move["to"]})
        equal((job["attempt"], job["move_reason"], job.get("requeue_reason")),
              (2, reason, None))
        assert f"\nmoved       {reason}\n" in service.tori(
            "show", str(mover))[1], "show"
        row, = changes(service)
        equal((row["job"], row["was"], row["is"], row["why"], row["operator"]),
              (mover, {"place": move["from"]}, {"place": move["to"]}, reason,
               True))
        line, = log(service)
        assert line.startswith(f"job={mover} by=") and reason in line, line
        # it is as it was after torid was killed
        service.kill()
        service.begin()
        again = service.job(mover)
        equal((again["place"], again["move_reason"], again["start"]),
              (job["place"], reason, job["start"]))
        equal(service.job(waiting)["state"], "running")


def refused():
    """nothing moves if the state is another one, or the job would wait"""
    with Service(machine="mesh:8") as service:
        first, last = fragmented(service)
        waiting = service.submit("sleep", "1000", shape="4", hold=True)
        plan = plan_of(service, waiting)["moves"]
        ask = lambda **body: service.ask("POST", "/v1/moves", body)
        def because(code, name, text, **body):
            status, answer = ask(**body)
            equal((status, answer["error"]["code"]), (code, name))
            assert text in answer["error"]["message"], answer
        because(409, "still-waits", f"job {waiting} would still wait",
                moves=plan, **{"for": waiting})
        because(409, "changed", f"job {first} is elsewhere by now",
                moves=[{"job": first, "from": "1/2", "to": "6/2"}])
        because(409, "changed", "node 4 is not free",
                moves=[{"job": first, "from": "0/2", "to": "3/2"}])
        because(409, "changed", f"job {waiting} does not run any more",
                moves=[{"job": waiting, "from": "0/4", "to": "4/4"}])
        because(404, "no-such-job", "there is no job 99",
                moves=[{"job": 99, "from": "0/2", "to": "3/2"}])
        because(400, "bad-request", "keeps its number of nodes",
                moves=[{"job": first, "from": "0/2", "to": "6/1"}])
        because(400, "bad-request", "a job that moves twice",
                moves=2 * [{"job": first, "from": "0/2", "to": "6/2"}])
        because(400, "bad-request", "to of job", moves=[
            {"job": first, "from": "0/2", "to": "no/where"}])
        because(400, "bad-request", "expected a list of moves")
        equal(ask(moves=plan, why=5)[0], 400)
        code, _ = service.ask("POST", "/v1/reservations", {
            "nodes": ["2/2", "6/2"], "until": 1e10, "from": 9e9})
        equal(code, 201)
        code, _ = service.ask("POST", "/v1/reservations", {
            "nodes": ["6"], "until": service.job(last)["start"] + 100,
            "from": service.job(last)["start"] + 30})
        equal(code, 201)
        because(409, "changed", f"job {first} would run into a reservation",
                moves=[{"job": first, "from": "0/2", "to": "6/2"}])
        equal(([service.job(id)["attempt"] for id in (first, last)],
               changes(service)), ([1, 1], []))
        equal(ask(moves=[{"job": first, "from": "0/2", "to": "2/2"}]),
              (200, {"moved": 1}))
        equal(service.job(first)["move_reason"], "it made room")
        if os.getuid() != 0:
            raise Skip("only root can be another user")
        os.chmod(service.files, 0o755)
        equal(as_user("nobody", lambda: ask(moves=plan))[0], 403)


def by_itself():
    """torid's own moves say why, too, and keep the time limit"""
    with Service("--moves", machine="mesh:8") as service:
        movers = fragmented(service)
        waiting = service.submit("sleep", "1000", shape="4")
        wait(lambda: service.job(waiting)["state"] == "running", "no start")
        reason = f"it made room for job {waiting}"
        row, = changes(service)
        mover = row["job"]
        equal((row["user"], row["operator"], row["why"]),
              ("torid", False, reason))
        wait(lambda: lines(service.path(movers[mover])) == ["1", "2"],
             "it does not start again")
        equal(service.job(mover)["move_reason"], reason)
        line, = log(service)
        assert line.startswith(f"job={mover} by=torid "), line
        # it starts from zero, and has all of its time for that
        left, = [job["remaining"] for job in json.loads(
            service.tori("queue", "--json")[1])["jobs"] if job["id"] == mover]
        elapsed = time.time() - service.job(mover)["start"]
        assert left > 55 - elapsed, (left, elapsed)
    # a failed node is a reason as well
    with Service(machine="mesh:8") as service:
        job = service.submit("sleep", "1000", shape="2", on_failure="repair")
        wait(lambda: not service.job(job).get("starting"), "it does not run")
        service.tori("drain", "--down", "0")
        equal(service.job(job)["move_reason"], "node 0 failed under it")
        equal(changes(service)[0]["user"], "torid")


sys.exit(run([applied, refused, by_itself]))
