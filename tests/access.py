#!/usr/bin/env python3
"""Usage: access.py BUILD-DIRECTORY [--only NAME...]

Who may do what to torid, from where, and how much of it; its configuration, and
how it is kept by a system. In TAP.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile

from service import BUILD, PATIENCE, Service, equal, read, run, wait

FIELD = re.compile(r'([a-z_]+)=((?:[^ "=]+)|"(?:[^"\\]|\\.)*")')


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


# ---- settings ----

def torid(*words, **more):
    done = subprocess.run([os.path.join(BUILD, "torid"), *words], text=True,
                          capture_output=True, timeout=PATIENCE, check=False,
                          **more)
    return done.returncode, done.stdout, done.stderr


def write(path, *lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))


GOOD = ["# a comment, which does not count",
        "machine = torus:4x4",
        'executor = "sh -c \'read x # y\'" # another',
        "half-life = 7d", "usage-weight = 1000", "operator = alice",
        "operator = \"@staff\"",
        "queue short { max-time = 30m  priority = 100 }",
        "queue long { max-running = 20",
        "    preempted = suspend }"]


def checked():
    """--check tells what is wrong with a file, each error by its line"""
    with tempfile.TemporaryDirectory() as files:
        path, state = f"{files}/torid.conf", f"{files}/state"
        write(path, *GOOD, f"state = {state}")
        good = (0, "the settings are good\n"
                "the journal is good: 0 jobs wait, 0 run\n", "")
        equal(torid("--config", path, "--check", env={"TMPDIR": files}), good)
        equal(os.listdir(files), ["torid.conf"])
        write(path, *GOOD, "depth = many", "sched = esy", "half-life = 1d",
              "queue x {", "max-nodes = -1", "}", "public = perhaps",
              "listen = localhost", "bogus = 1")
        code, out, err = torid("--config", path, "--check")
        equal((code, out), (2, ""))
        said = [line.removeprefix(f"torid: {path}:")
                for line in err.splitlines()]
        for line, number, words in zip(
                said, (11, 12, 13, 15, 17, 18, 19),
                ("depth: 'many' is not", "did you mean 'easy'",
                 "given twice, first in line 4", "max-nodes: '-1'",
                 "neither true nor false", "ADDRESS:PORT",
                 "no such option 'bogus'"), strict=True):
            assert line.startswith(f"{number}: ") and words in line, line
        for words, code, text in [
                (["--config", f"{files}/none"], 2, "No such file"),
                (["--config", path, "--machine", "torus:2"], 2, "depth"),
                (["--machine", "torus:2"], 2, "--state"),
                (["--machine", "torus:2", "--state", state, "--listen",
                  "0.0.0.0:1"], 2, "--public")]:
            found, out, err = torid(*words)
            equal((found, out), (code, ""))
            assert text in err, err


def typed():
    """what is typed goes before what a file says"""
    with Service(executor="rehearse") as service:
        write(service.path("conf"), "machine = torus:2x2", "depth = x")
        found = torid(*service.words, "--config", service.path("conf"))
        assert found[0] == 2 and "depth" in found[2], found
        write(service.path("conf"), "machine = torus:2x2", "log = error")
        service.kill(signal.SIGTERM)
        service.words += ["--config", service.path("conf")]
        os.remove(service.path("log"))
        service.begin()
        equal(service.ask("GET", "/v1/machine")[1]["nodes"], 16)
        equal(read(service.path("log")), "")


def check_journal():
    """--check reads the journal, and neither changes nor disturbs it"""
    with Service(executor="rehearse") as service:
        service.submit("true", hold=True)
        equal(torid(*service.words, "--check")[:2],
              (0, "the settings are good\n"
               "torid is running: its journal is left alone\n"))
        service.kill()
        path = service.path("state/journal")

        def state():
            return [(name, os.stat(service.path(f"state/{name}")).st_mtime_ns)
                    for name in sorted(os.listdir(service.path("state")))]
        before = state()
        equal(torid(*service.words, "--check")[:2],
              (0, "the settings are good\n"
               "the journal is good: 1 jobs wait, 0 run\n"))
        equal(state(), before)
        write(path, "this is not a journal")
        code, out, err = torid(*service.words, "--check")
        equal((code, out), (2, "the settings are good\n"))
        assert "journal" in err, err
        service.begin = lambda: None


def reloaded():
    """SIGHUP takes what can change, and names what cannot"""
    with Service(executor="rehearse") as service:
        service.kill(signal.SIGTERM)
        conf = service.path("conf")
        write(conf, "log = debug")
        service.words += ["--config", conf]
        service.begin()

        def hangup(event):
            seen = len(log_of(service))
            service.process.send_signal(signal.SIGHUP)
            wait(lambda: event in [row["event"]
                                   for row in log_of(service)[seen:]],
                 f"no {event}")
            return log_of(service)[seen:]

        write(conf, "log = info", "max-queued = 2")
        rows = hangup("reloaded")
        equal([row.get("restart_for")
               for row in rows if row["event"] == "reloaded"], [None])
        write(conf, "max-queued = 2", "connections = 100", "sched = fcfs")
        rows = hangup("reloaded")
        equal(rows[-1]["restart_for"], "sched,connections")
        write(conf, "max-queued = 2", "bogus = 1")
        rows = hangup("not-reloaded")
        assert f"{conf}:2: " in rows[0]["why"], rows
        equal(service.answers(), True)


def private():
    """nobody else reads the journal"""
    with Service(executor="rehearse") as service:
        service.submit("true", hold=True)
        for name in ("journal", "journal-wal"):
            equal(os.stat(service.path(f"state/{name}")).st_mode & 0o777,
                  0o600)
        equal(os.stat(service.path("state")).st_mode & 0o777, 0o711)


sys.exit(run([logs, checked, typed, check_journal, reloaded, private]))
