#!/usr/bin/env python3
"""Usage: access.py BUILD-DIRECTORY [--only NAME...]

Who may do what to torid, from where, and how much of it; its configuration, and
how it is kept by a system. In TAP.
"""
import re
import sys

from service import Service, equal, read, run

FIELD = re.compile(r'([a-z-]+)=((?:[^ "=]+)|"(?:[^"\\]|\\.)*")')


def log_of(service):
    """The lines of a log as dictionaries; every one is logfmt."""
    rows = []
    for line in read(service.path("log")).splitlines():
        assert re.fullmatch(f"{FIELD.pattern}( {FIELD.pattern})*", line), line
        rows.append({key: value.strip('"')
                     for key, value in FIELD.findall(line)})
    return rows


def logs():
    """every line of the log has a time, a level and an event"""
    with Service(executor="rehearse") as service:
        equal(service.kill(15), 0)
        rows = log_of(service)
        assert all({"time", "level", "event"} <= set(row) for row in rows), rows
        events = [row["event"] for row in rows]
        equal((events[0], events[-1]), ("listening", "ending"))
        equal(rows[0]["socket"], service.socket)
        equal((rows[-1]["level"], rows[-1]["signal"]), ("info", "15"))


sys.exit(run([logs]))
