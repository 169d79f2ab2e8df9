#!/usr/bin/env python3
"""Usage: clients.py BUILD-DIRECTORY [--only NAME...]

The commands of tori that ask a running torid, all of it real. In TAP.
"""
import json
import sys

from service import Service, equal, read, run


def clients():
    """the commands of tori speak to torid"""
    with Service() as service:
        equal(service.tori("submit", "--shape", "4x4", "--time", "60",
                           "--output", "out", "--", "sh", "-c",
                           "echo hello; while ! test -e go; do sleep 0.02; "
                           "done; exit 5"), (0, "1\n", ""))
        equal(service.tori("submit", "--count", "3", "--time", "1:00",
                           "--name", "next", "true"), (0, "2\n", ""))
        code, out, err = service.tori("queue")
        equal((code, err), (0, ""))
        assert "next" in out and "numerical" in out, out
        code, out, err = service.tori("why", "2")
        equal((code, err), (0, ""))
        assert "job 1" in out, out
        equal(service.tori("forecast")[1].split()[:4],
              ["job", "start,", "s", "in"])
        equal(service.tori("why", "--json", "2")[0], 0)
        equal(service.tori("hold", "2")[0], 0)
        assert "held" in service.tori("queue")[1]
        equal(service.tori("release", "2")[0], 0)
        equal(service.tori("drain", "0,0")[0], 0)
        equal(service.tori("nodes"),
              (0, "0,0 drained\n15 of 16 nodes are in service\n", ""))
        equal(service.tori("resume", "0,0")[0], 0)
        open(service.path("go"), "w", encoding="utf-8").close()
        equal(service.tori("wait", "1", "2"), (5, "", ""))
        assert "hello" in read(service.path("out"))
        equal(service.tori("cancel", "7"),
              (2, "", "tori: there is no job 7\n"))
        equal(service.tori("submit", "--count", "99", "--time", "1",
                           "true")[0], 4)
        equal(json.loads(service.tori("show", "1", "--json")[1])["job"]["status"], 5)
        told = json.loads(service.tori("queue", "--json")[1])
        equal((told["command"], [job["id"] for job in told["jobs"]]),
              ("queue", [1, 2]))


sys.exit(run([clients]))
