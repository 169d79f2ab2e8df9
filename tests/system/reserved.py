#!/usr/bin/env python3
"""Reservations of a real torid: who may run inside, and where they are seen.

    reserved.py BUILD [--only TEST ...]
"""

import json
import os
import signal
import subprocess
import time

from service import BUILD, Service, Skip, as_user, configured, equal, run, wait


def tell(service, *words):
    """What a command prints, if all is well."""
    code, out, err = service.tori(*words)
    equal((code, err), (0, ""))
    return out


def submit(service, user, **more):
    """A job of a user that fills the machine; and its number."""
    body = {"shape": "4x4", "time_limit": 600, "command": ["x"],
            "runtime": 600, **more}
    code, answer = as_user(user, lambda: service.ask("POST", "/v1/jobs",
                                                     body))
    equal(code, 201)
    return answer["ids"][0]


def expect(service, jobs, states):
    """The states of jobs, soon."""
    wait(lambda: [service.job(job)["state"] for job in jobs] == states.split(),
         f"not {states}")


def cancel(service, job):
    tell(service, "cancel", str(job))
    service.ended(job)


def named():
    """the jobs of the users and groups that are named run inside, no others"""
    if os.getuid() != 0:
        raise Skip("only root can be others")
    with Service(executor="rehearse") as service:
        os.chmod(service.files, 0o711)
        # these are there before the reservation, ...
        first = submit(service, "nobody", hold=True)
        other = submit(service, "bin", hold=True)
        equal(tell(service, "reserve", "--for", "1h", "0,0/4x4", "--user",
                   "daemon", "--group", "nogroup", "--name", "course"), "1\n")
        # ... and these come later
        others = [submit(service, user) for user in ("bin", "sys")]
        mine = submit(service, "daemon")
        expect(service, (*others, mine), "queued queued running")
        cancel(service, mine)
        wait(lambda: service.job(others[0])["reason"] == "window", "why")
        tell(service, "release", str(other), str(first))
        expect(service, (other, first), "queued running")
        cancel(service, first)
        last = submit(service, "nobody")
        expect(service, (last,), "running")
        # after a restart, the same
        service.kill()
        service.begin()
        expect(service, (last,), "running")
        cancel(service, last)
        expect(service, [submit(service, user) for user in ("bin", "nobody")],
               "queued running")
        rows = tell(service, "reserve", "--list").splitlines()
        assert "daemon @nogroup" in rows[1] and "course" in rows[1], rows
        one, = service.ask("GET", "/v1/reservations")[1]["reservations"]
        equal((one["users"], one["groups"], "members" in one),
              (["daemon"], ["nogroup"], False))


def of_accounts():
    """accounts have shares, and reservations are for accounts"""
    if os.getuid() != 0:
        raise Skip("only root can be others")
    with Service(executor="rehearse") as service:
        os.chmod(service.files, 0o711)
        text = ('half-life = "7d"\nusage-weight = 1000\n'
                'account = "science 30 daemon bin"\n'
                'account = "arts 10 nobody"\n')
        configured(service, text)
        code, _, err = service.tori("reserve", "--for", "1h", "0,0",
                                    "--account", "sport")
        equal((code != 0, err), (True, "tori: there is no account 'sport'\n"))
        tell(service, "reserve", "--for", "1h", "0,0/4x4", "--account",
             "science")
        jobs = [submit(service, user) for user in ("nobody", "sys", "bin")]
        expect(service, jobs, "queued queued running")
        assert "account science" in tell(service, "reserve", "--list")
        rows = [line.split() for line in tell(service, "users").splitlines()]
        equal([row[:2] for row in rows[1:4]],
              [["science", "30"], ["arts", "10"], ["other", "1"]])
        equal({row[0]: row[-1] for row in rows[6:]},
              {"bin": "science", "nobody": "arts", "sys": "other"})
        # another configuration
        with open(service.path("conf"), "w", encoding="utf-8") as file:
            file.write(text.replace("bin", "sys"))
        service.process.send_signal(signal.SIGHUP)
        cancel(service, jobs[2])
        expect(service, jobs, "queued running ended")
        service.kill()
        service.begin()
        expect(service, jobs, "queued running ended")


def tried():
    """a question about a job knows whose it is"""
    if os.getuid() != 0:
        raise Skip("only root can be others")
    with Service(executor=None) as service:
        os.chmod(service.files, 0o711)
        tell(service, "reserve", "--for", "1h", "0,0/4x4", "--group",
             "nogroup")

        def planned(user):
            code, answer = as_user(user, lambda: service.ask(
                "POST", "/v1/what-if",
                {"jobs": [{"shape": "4x4", "time_limit": 600}]}))
            equal(code, 200)
            row, = answer["jobs"]
            return row["start"] - answer["now"]
        soon, late = planned("nobody"), planned("bin")
        assert soon < 600 and late > 3000, (soon, late)


def in_the_way():
    """running jobs on the nodes are named, and why names the reservation"""
    with Service(executor="rehearse") as service:
        short, long, inside = (
            service.submit("true", shape=shape, fixed=True, time_limit=limit, runtime=1e6)
            for shape, limit in (("1x4", 600), ("1x4", 7200), ("1x4", 7200)))
        expect(service, (short, long, inside), "running running running")
        end = service.job(long)["start"] + 7200
        code, out, err = service.tori(
            "reserve", "--from", "+1h", "--for", "1h", "0,0/3x4", "--name",
            "course", "--job", str(inside))
        equal((code, out), (0, "1\n"))
        line, = err.splitlines()
        user = service.job(long)["user"]
        assert line.startswith(f"tori: job {long} of {user} is in the way: "), err
        code, answer = service.ask("POST", "/v1/reservations", {
            "from": "+3h", "until": "+4h", "box": "0,0/4x4"})
        equal((code, answer), (201, {"id": 2}))
        code, answer = service.ask("POST", "/v1/reservations", {
            "from": "+1h", "until": "+2h", "box": "1,0/1x4"})
        equal([(job["id"], job["user"], abs(job["end"] - end) < 1)
               for job in answer["in_the_way"]], [(long, user, True)])
        waits = service.submit("true", shape="4x1", time_limit=4 * 3600)
        out = tell(service, "why", str(waits))
        assert "it would run into reservation 2" in out, out


def overlapping():
    """reservations of the same nodes and time are named; the list has reasons"""
    with Service(executor="rehearse") as service:
        begin = time.time() + 3600
        for where, name in (("0,0/2x4", "pump"), ("2,0/2x4", "fan")):
            equal(service.tori("reserve", "--from", "+1h", "--for", "2h", where,
                               "--name", name, "--why", f"the {name} leaks")[2], "")
        code, out, err = service.tori(
            "reserve", "--from", "+2h", "--for", "2h", "1,0/2x1")
        equal((code, out), (0, "3\n"))
        equal([line.split(" keeps some of these nodes, too: from ")[0]
               for line in err.splitlines()],
              ["tori: reservation 1 (pump)", "tori: reservation 2 (fan)"])
        equal(service.tori("reserve", "--from", "+3h2m", "--for", "5m",
                           "0,0/1x1")[2], "")
        code, answer = service.ask("POST", "/v1/reservations", {
            "every": "00:00-12:00, 12:00-23:59", "box": "0,0/1x1"})
        equal([row["id"] for row in answer["overlaps"]], [1, 4])
        assert abs(answer["overlaps"][0]["from"] - begin) < 120, answer
        for _ in range(2):
            listed = service.ask("GET", "/v1/reservations")[1]["reservations"]
            equal([one.get("why") for one in listed],
                  ["the pump leaks", "the fan leaks", None, None, None])
            assert "the pump leaks" in tell(service, "reserve", "--list")
            service.kill()
            service.begin()


def weekdays():
    """a reservation begins on the next such day of the week"""
    with Service(executor="rehearse") as service:
        day = time.localtime(time.time() + 3 * 86400)
        tell(service, "reserve", "--from", time.strftime("%a 08:30", day),
             "--for", "1h", "0,0")
        one, = service.ask("GET", "/v1/reservations")[1]["reservations"]
        equal(one["from"], time.mktime((*day[:3], 8, 30, 0, 0, 0, -1)))


def again():
    """a reservation comes again every week; what-if takes dates"""
    with Service(executor="rehearse") as service:
        day = time.localtime(time.time() + 2 * 86400)
        hours = time.strftime("%a 08:00-10:00", day)
        begin = time.mktime((*day[:3], 8, 0, 0, 0, 0, -1))
        equal(tell(service, "reserve", "--every", hours, "0,0/4x4", "--name",
                   "course"), "1\n")
        for _ in range(2):
            one, = service.ask("GET", "/v1/reservations")[1]["reservations"]
            equal((one["every"], one["from"], one["until"]),
                  (hours, begin, begin + 7200))
            equal([span["from"] for span in one["times"]],
                  [time.mktime((*day[:2], day[2] + 7 * i, 8, 0, 0, 0, 0, -1))
                   for i in range(len(one["times"]))])
            assert len(one["times"]) in (3, 4), one
            service.kill()
            service.begin()
        rows = tell(service, "reserve", "--list").splitlines()
        assert hours in rows[1], rows
        # forecasts know it
        job = service.submit("true", shape="4x4", time_limit=4 * 86400)
        wait(lambda: service.job(job)["reason"] == "window", "no reason")
        row, = json.loads(tell(service, "forecast", "--json"))["jobs"]
        equal(row["start"], begin + 7200)
        out = tell(service, "why", str(job))
        assert time.strftime("reservation 1 (course) of %Y-%m-%d 08:00",
                             day) in out, out
        other = service.submit("true", shape="4x4", time_limit=60)
        expect(service, (other,), "running")
        for words, text in (
                (("--every", "Mon-Sun"), "every: expected hours with an end"),
                (("--every", "Mon 8-9"), "every: 'Mon 8-9': expected hours")):
            code, _, err = service.tori("reserve", "0,0", *words)
            assert code != 0 and text in err, err
        # dates in what-if
        later = time.localtime(begin + 7200)
        spec = time.strftime("box=0,0/4x4,from=%Y-%m-%d 10:00,"
                             "until=%Y-%m-%d 12:00", later)
        row, = [row for row in json.loads(tell(
            service, "what-if", "--reservation", spec, "--json"))["jobs"]
                if row["id"] == job]
        equal(row["start"], begin + 4 * 3600)
        tell(service, "reserve", "--remove", "1")
        equal(tell(service, "reserve", "--list"), "nothing is reserved\n")


def seen():
    """reservations are in the map, top, nodes and the metrics"""
    with Service(executor=None, machine="torus:4x4x2") as service:
        tell(service, "drain", "0,0,0/4x4x1", "--why", "cables")
        equal(tell(service, "nodes"), """\
node         state    why
0,0,0/4x4x1  drained  cables
16 of 32 nodes are in service
""")
        tell(service, "resume", "0,0,0/4x4x1")
        job = service.submit("true", shape="1x4x1", fixed=True, time_limit=60)
        tell(service, "reserve", "--for", "1h", "0,0,0/2x4x1", "--name",
             "course", "--job", str(job))
        tell(service, "reserve", "--from", "+1h", "--for", "1h", "--count",
             "3")
        out = tell(service, "map")
        equal((out.count("="), "reservation 1 (course), 0,0,0/2x4x1" in out),
              (5, True))
        out = tell(service, "top")
        assert ", 8 reserved" in out and "=" in out, out
        lines = tell(service, "nodes").splitlines()
        equal(lines[0], "32 of 32 nodes are in service")
        assert lines[1].startswith("reservation 1 (course) from "), lines
        assert lines[1].endswith(": 0,0,0/2x4x1"), lines
        assert lines[2].startswith("reservation 2 from "), lines
        nodes = service.ask("GET", "/v1/nodes")[1]["nodes"]
        equal([node["id"] for node in nodes if node.get("reservation") == 1],
              [x * 8 + y * 2 for x in range(2) for y in range(4)])
        equal(sum(node.get("job") == job for node in nodes), 4)
        text = service.ask("GET", "/metrics")[1]
        for line in ("tori_reserved_nodes 8",
                     'tori_reservations{state="open"} 1',
                     'tori_reservations{state="coming"} 1'):
            assert line in text.splitlines(), text


def unknown():
    """users and groups that do not exist are refused, or warned of"""
    with Service(executor=None) as service:
        for words, text in (
                (("--user", "ghost"), "there is no user 'ghost' on this host, "
                 "with a token or with jobs"),
                (("--user", "root", "--group", "ghosts"),
                 "there is no group 'ghosts' on this host")):
            code, out, err = service.tori("reserve", "--for", "1h", "0,0",
                                          *words)
            equal((code != 0, out, err), (True, "", f"tori: {text}\n"))
        equal(tell(service, "reserve", "--list"), "nothing is reserved\n")
        subprocess.run([f"{BUILD}/torid", "token", "add", "ghost", "--role",
                        "user", "--state", service.path("state")], check=True,
                       capture_output=True)
        wait(lambda: service.tori("reserve", "--for", "1h", "0,0", "--user",
                                  "ghost")[0] == 0, "a user with a token")
        with open(service.path("conf"), "w", encoding="utf-8") as file:
            file.write('machine = "torus:4x4"\nqueue a { allow = "root ghost '
                       '@ghosts" deny = "@root" }\n')
        out = subprocess.run(
            [f"{BUILD}/torid", "--check", "--config", service.path("conf"),
             "--state", service.path("state"), "--executor", "none"],
            text=True, check=True, capture_output=True).stdout
        equal([line for line in out.splitlines() if "queue" in line],
              ["queue a: allow ghost: there is no such user on this host",
               "queue a: allow @ghosts: there is no such group on this host"])


run([named, of_accounts, tried, in_the_way, overlapping, weekdays, again, seen,
     unknown])
