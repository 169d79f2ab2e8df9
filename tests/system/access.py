#!/usr/bin/env python3
"""Usage: access.py BUILD-DIRECTORY [--only NAME...]

Who may do what to torid, from where, and how much of it; its configuration, and
how it is kept by a system. In TAP.
"""
import contextlib
import fcntl
import gzip
import http.client
import json
import os
import pwd
import re
import resource
import select
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import termios
import threading
import time

from guard import kept_port
from service import (BUILD, PATIENCE, Service, Skip, as_user, equal, read, run,
                     wait)

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
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
        wait(lambda: "executor-ready" in read(service.path("log")),
             "the executor does not begin")
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
        code, out, err = torid("--config", path, "--check",
                               env={"TMPDIR": files})
        lines = out.splitlines()
        equal((code, lines[0], lines[-3:], err), (0, "the settings are good", [
            f"the folders are good: {state} will be created",
            "the executor is there: sh",
            "the journal is good: 0 jobs wait, 0 run"], ""))
        equal(os.listdir(files), ["torid.conf"])
        write(path, *GOOD, "depth = many", "sched = esy", "half-life = 1d",
              "queue x {", "max-nodes = -1", "tier = 1", "level = 2", "}",
              "public = perhaps",
              "listen = localhost", "bogus = 1")
        code, out, err = torid("--config", path, "--check")
        equal((code, out), (2, ""))
        said = [line.removeprefix(f"torid: {path}:")
                for line in err.splitlines()]
        for line, number, words in zip(
                said, (11, 12, 13, 15, 17, 19, 20, 21),
                ("depth: 'many' is not", "did you mean 'easy'",
                 "given twice, first in line 4", "max-nodes: '-1'",
                 "'tier' is given twice, first in line 16",
                 "neither true nor false", "ADDRESS:PORT",
                 "no such option 'bogus'"), strict=True):
            assert line.startswith(f"{number}: ") and words in line, line
        # An error at which the reader stops hides no other.
        write(path, "bogus = 1", "depth = many", "queue x { wrong = 'a { b'",
              "  other += { 1, 2 }", "  tier = x }", "que y { tier = 1 }",
              "max-queued 5", "sched = esy", "first = 1 second = 2", "word",
              "max-rate = -1", "queue z { tier = y", "  max-nodes 4",
              "  hours = never }")
        code, out, err = torid("--config", path, "--check")
        said = [line.removeprefix(f"torid: {path}:")
                for line in err.splitlines()]
        for line, words in zip(said, (
                "1: no such option 'bogus'", "2: --depth: 'many' is not",
                "3: no such option 'wrong'", "4: no such option 'other'",
                "5: --tier: 'x' is not", "6: no such option 'que'",
                "7: missing equal sign after option 'max-queued'",
                "8: --sched: the scheduler: 'esy'",
                "9: no such option 'first'", "9: no such option 'second'",
                "10: no such option 'word'", "11: --max-rate: '-1'",
                "12: --tier: 'y' is not",
                "13: missing equal sign after option 'max-nodes'",
                "14: --hours: "), strict=True):
            assert line.startswith(words), (line, words)
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
        good = ("the settings are good\nthe operators are good: root\n"
                f"the folders are good: {service.path('state')}\n"
                f"the executor is good: {BUILD}/torid-rehearse\n")
        equal(torid(*service.words, "--check")[:2],
              (0, good + "torid is running: its journal is left alone\n"))
        service.kill()
        path = service.path("state/journal")

        def state():
            return [(name, os.stat(service.path(f"state/{name}")).st_mtime_ns)
                    for name in sorted(os.listdir(service.path("state")))]
        before = state()
        equal(torid(*service.words, "--check")[:2],
              (0, good + "the journal is good: 1 jobs wait, 0 run\n"))
        equal(state(), before)
        write(path, "this is not a journal")
        code, out, err = torid(*service.words, "--check")
        equal((code, out), (2, good))
        assert err.startswith(f"torid: {path}: "), err
        service.begin = lambda: None


def check_host():
    """--check tells whether the host has what torid needs"""
    with tempfile.TemporaryDirectory() as files:
        state = f"{files}/state"

        def said(*words, state=state):
            code, out, err = torid("--machine", "torus:2x2", "--state", state,
                                   "--check", *words)
            return code, out.splitlines()[1:], err
        local = f"{BUILD}/torid-local"
        folders = f"the folders are good: {state} will be created"
        journal = "the journal is good: 0 jobs wait, 0 run"
        equal(said(), (0, ["the operators are good: root", folders,
                           f"the executor is good: {local}", journal], ""))
        equal(said("--operator", "root", "--operator", "no-such",
                   "--operator", "@no-such", "--executor", "none"),
              (0, ["operator no-such: there is no such user on this host",
                   "operator @no-such: there is no such group on this host",
                   folders, "there is no executor: jobs are only placed, and "
                   "nothing runs", journal], ""))
        for executor, program in [
                ("no-such --jobs x", "no-such"),
                (f"exec {files}/no-such", f"{files}/no-such")]:
            equal(said("--executor", executor)[::2],
                  (1, f"torid: the executor: {program}: not found, or not a "
                   "program\n"))
        write(f"{files}/torid-local", "#!/bin/sh", "exit 1")
        os.chmod(f"{files}/torid-local", 0o755)
        equal(said("--executor", f"{files}/torid-local --jobs x")[::2],
              (1, f"torid: the executor: {files}/torid-local: does not run\n"))
        equal(said("--executor", "A=b x; y")[1][2],
              "the executor is a command of the shell, and was not tried")
        write(state, "no folder")
        equal(said()[::2], (1, f"torid: {state}: Not a directory\n"))
        equal(said(state=f"{files}/a/b")[::2],
              (1, f"torid: {files}/a: No such file or directory\n"))
        equal(said("--socket", f"{files}/c/socket", state=f"{files}/b")[1][1],
              f"the folder of the socket is not there yet: {files}/c")
        equal(said("--socket", f"{state}/socket", state=f"{files}/b")[::2],
              (1, f"torid: {state}: Not a directory\n"))


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

        def restarts():
            return [row.get("restart_for") for row in hangup("reloaded")
                    if row["event"] == "reloaded"]

        write(conf, "log = info", "max-queued = 2")
        equal(restarts(), [None])
        write(conf, "max-queued = 2", "connections = 100", "sched = fcfs")
        equal(restarts(), ["sched,connections"])
        write(conf, "max-queued = 2", "bogus = 1")
        rows = hangup("not-reloaded")
        assert any(f"{conf}:2: " in row.get("why", "") for row in rows), rows
        equal(service.answers(), True)


def private():
    """nobody else reads the journal, or holds the lock of the directory"""
    with Service(executor="rehearse") as service:
        service.submit("true", hold=True)
        os.chmod(service.path("state/lock"), 0o644)  # as it was before
        service.kill(signal.SIGTERM)
        service.begin()
        for name in ("journal", "journal-wal", "lock"):
            equal(os.stat(service.path(f"state/{name}")).st_mode & 0o777,
                  0o600)
        equal(os.stat(service.path("state")).st_mode & 0o777, 0o711)


def masked():
    """users reach the socket and their jobs their folders, with any umask"""
    with Service(tcp=True, limits=lambda: os.umask(0o077)) as service:
        os.chmod(service.files, 0o777)
        name = "nobody" if os.getuid() == 0 else pwd.getpwuid(
            os.getuid()).pw_name
        code, _, answer = service.tcp("POST", "/v1/jobs", service.token(name, "user"), {
                **JOB, "hold": False, "directory": service.files,
                "command": ["sh"], "output": "said",
                "script": "#!/bin/sh\ncat $TORI_HOSTS; umask\n"})
        equal(code, 201)
        number = answer["ids"][0]
        done = service.ended(number)
        equal((done["status"], done.get("why")), (0, None))
        equal(read(service.path("said")).splitlines()[1:], ["0022"])
        folder, = (name for name in os.listdir(service.path("jobs"))
                   if name.startswith(f"{number}."))
        for name, mode in (("state", 0o711), ("jobs", 0o755),
                           (f"jobs/{folder}", 0o755),
                           ("state/journal", 0o600)):
            equal((name, os.stat(service.path(name)).st_mode & 0o777),
                  (name, mode))


def unread_log():
    """torid goes on if nobody reads its log, which tells what it lacks"""
    with Service(executor=None) as service:
        service.kill(signal.SIGTERM)
        reading, writing = os.pipe()
        fcntl.fcntl(writing, 1031, 4096)  # F_SETPIPE_SZ
        service.process = subprocess.Popen(
            [f"{BUILD}/torid", *service.words], stderr=writing)
        os.close(writing)
        wait(service.answers, "torid does not answer")
        for _ in range(200):
            service.process.send_signal(signal.SIGHUP)
            equal(service.ask("GET", "/healthz")[0], 200)
        said = ""
        while "lost=" not in said:
            service.process.send_signal(signal.SIGHUP)
            said += os.read(reading, 65536).decode()
        lost = re.search(r"event=reloaded .*lost=(\d+)\n", said)
        assert int(lost[1]) > 50, said
        os.close(reading)


def second():
    """a torid does not take the socket of one that runs, but one that is left"""
    with Service(executor=None) as first, Service(executor=None) as other:
        other.kill(signal.SIGTERM)
        other.words += ["--socket", first.socket]
        code, out, err = torid(*other.words)
        equal((code, out, err.splitlines()[-1]),
              (1, "", f"torid: {first.socket}: another program listens there"))
        equal(first.ask("GET", "/healthz")[0], 200)
        write(other.path("text"), "kept")
        code, _, err = torid(*other.words[:-1], other.path("text"))
        equal((code, err.splitlines()[-1], read(other.path("text"))), (
            1, f"torid: {other.path('text')}: is there already, and is not a "
            "socket", "kept\n"))
        first.kill()
        assert os.path.exists(first.socket)
        other.socket = first.socket
        other.begin()
        equal(other.ask("GET", "/healthz")[0], 200)


def holds(process, path):
    """Whether a process has a file open."""
    folder = f"/proc/{process.pid}/fd"
    return any(os.path.realpath(f"{folder}/{name}") == path
               for name in os.listdir(folder))


def left_lock():
    """what a torid that was killed has left has its directory for a moment"""
    with Service(executor=None) as service:
        owner = service.process.pid
        service.kill()
        lock = service.path("state/lock")
        equal(read(lock), f"{owner}\n")
        with open(lock, encoding="ascii") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            with subprocess.Popen(
                    [f"{BUILD}/torid", *service.words],
                    stderr=subprocess.DEVNULL) as next_one:
                wait(lambda: holds(next_one, lock), "it does not begin")
                service.process = next_one
                equal(next_one.poll(), None)
                fcntl.flock(held, fcntl.LOCK_UN)
                wait(service.answers, "it does not wait for the lock")
                service.kill()


def together():
    """of torids that come to a socket at the same instant, one has it"""
    with Service(executor=None) as first:
        first.kill()
        left, lock = os.stat(first.socket), first.socket + ".lock"
        with open(lock, encoding="ascii") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            several = [subprocess.Popen(
                [f"{BUILD}/torid", "--machine", "torus:4x4", "--executor",
                 "none", "--state", first.path(f"state{number}"), "--socket",
                 first.socket], stderr=subprocess.PIPE, text=True)
                for number in range(3)]
            for one in several:
                wait(lambda: holds(one, lock), "it does not wait for the lock")
            equal(os.stat(first.socket).st_ino, left.st_ino)
        wait(lambda: sum(one.poll() is None for one in several) == 1,
             "more than one, or none, has the socket")
        for one in several:
            if one.poll() is None:
                first.process = one
                wait(first.answers, "nobody answers")
                continue
            equal((one.returncode, one.stderr.read().splitlines()[-1]), (
                1, f"torid: {first.socket}: another program listens there"))
        equal(stat.S_IMODE(os.stat(lock).st_mode), 0o600)
        first.kill(signal.SIGTERM)
        equal(os.path.exists(first.socket), False)


# ---- who may ----

JOB = {"count": 1, "estimate": 60, "command": ["true"], "hold": True}


def tokens():
    """over TCP a token says who asks, and what he may; at once"""
    with Service(tcp=True, executor="rehearse") as service:
        code, headers, answer = service.tcp("GET", "/v1/jobs")
        equal((code, headers["WWW-Authenticate"], answer["error"]["code"]),
              (401, 'Bearer realm="torid"', "no-token"))
        reader = service.token("page", "reader")
        alice = service.token("alice", "user")
        bob = service.token("bob-laptop", "user", "--user", "bob")
        chief = service.token("chief", "operator")
        assert re.fullmatch("tori_[A-Za-z0-9_-]{43}", alice), alice
        kept = read(service.path("state/tokens"))
        equal(os.stat(service.path("state/tokens")).st_mode & 0o777, 0o600)
        for text in (reader, alice, bob, chief):
            assert text not in kept and text[5:] not in kept
            equal(service.tcp("GET", "/v1/jobs", text)[0], 200)
        for wrong in (alice[:-1], alice + "x", "", "tori_"):
            code, headers, answer = service.tcp("GET", "/v1/jobs",
                headers={"Authorization": f"Bearer {wrong}"})
            equal((code, answer["error"]["code"]), (401, "bad-token"))
            assert "invalid_token" in headers["WWW-Authenticate"]
        # A reader asks what changes nothing; only operators see processes
        # that are not known.
        equal([service.tcp("POST", path, reader, body)[0] for path, body in (
            ("/v1/what-if", {}), ("/v1/defrag", {"shape": "1x1"}),
            ("/v1/snapshot", {"jobs": []}), ("/v1/moves", {"moves": []}),
            ("/v1/reservations", {}), ("/v1/jobs/1/suspend", {}))],
              [200, 200, 200, 403, 403, 403])
        equal([service.tcp("GET", "/v1/unknown", text)[0]
               for text in (reader, alice, chief)], [403, 403, 200])
        code, _, answer = service.tcp("POST", "/v1/jobs", reader, JOB)
        equal(code, 403)
        assert "GET" in answer["error"]["message"], answer
        equal([service.tcp("POST", "/v1/jobs", text, JOB)[2]["ids"]
               for text in (alice, bob)], [[1], [2]])
        equal([service.job(n)["user"] for n in (1, 2)], ["alice", "bob"])
        drain = {"state": "drain"}
        equal([service.tcp("DELETE", "/v1/jobs/2", alice)[0],
               service.tcp("PATCH", "/v1/nodes/0,0", alice, drain)[0],
               service.tcp("PATCH", "/v1/nodes/0,0", alice,
                       {**drain, "root": True})[0],
               service.tcp("DELETE", "/v1/jobs/1", alice)[0],
               service.tcp("DELETE", "/v1/jobs/2", chief)[0],
               service.tcp("PATCH", "/v1/nodes/0,0", chief, drain)[0]],
              [403, 403, 400, 200, 200, 200])
        # Only an operator tries a job as another user's.
        tried = {"jobs": [{**JOB, "user": "bob"}]}
        equal([service.tcp("POST", path, text, tried)[0]
               for path in ("/v1/what-if", "/v1/snapshot")
               for text in (alice, bob, chief)], [403, 200, 200] * 2)
        state = ["--state", service.path("state")]
        listed = torid("token", "list", *state)[1].splitlines()
        equal([line.split()[:3] for line in listed],
              [["NAME", "ROLE", "USER"], ["page", "reader", "page"], ["alice", "user", "alice"],
               ["bob-laptop", "user", "bob"], ["chief", "operator", "chief"]])
        equal(torid("token", "remove", "alice", *state), (0, "", ""))
        equal(service.tcp("GET", "/v1/jobs", alice)[0], 401)
        equal(service.tcp("GET", "/v1/jobs", bob)[0], 200)
        os.chmod(service.path("state/tokens"), 0o644)
        equal(service.tcp("GET", "/v1/jobs", bob)[0], 200)
        assert "bad-tokens" in [row["event"] for row in log_of(service)]
        code, out, err = torid(*service.words, "--check")
        equal((code, out.splitlines()[0]), (2, "the settings are good"))
        assert "others can read" in err, err
        refused = [int(row["times"]) for row in log_of(service)
                   if row["event"] == "token-refused"]
        assert 1 <= len(refused) < 5 and refused[0] == 1, refused
        for words, text in [
                (["remove", "alice"], "others can read"),
                (["add", "a b", "--role", "user"], "not a name"),
                (["add", "x", "--role", "king"], "is not one of")]:
            code, out, err = torid("token", *words, *state)
            equal((code, out), (2, ""))
            assert text in err, err


def next_line(stream):
    """A line of a stream that is not empty; None at its end."""
    while line := stream.readline():
        if line.strip():
            return line
    return None


def revoked():
    """a stream ends with its token, which may expire; the last use is known"""
    with Service(tcp=True, executor="rehearse", clock=True) as service:
        state = ["--state", service.path("state")]
        soon = service.token("soon", "user", "--expires", "1h")
        alice = service.token("alice", "user")
        service.token("unused", "reader", "--expires", "30d")
        mine = [service.asked("GET", "/v1/events?beat=1", token).getresponse()
                for token in (soon, alice)]
        equal([one.status for one in mine], [200, 200])
        for one in mine:
            assert next_line(one), "nothing comes"
        service.passes(3601)
        while next_line(mine[0]):
            pass
        code, _, answer = service.tcp("GET", "/v1/jobs", soon)
        equal((code, answer["error"]["message"]),
              (401, "this token has expired"))
        equal(service.tcp("GET", "/v1/jobs", alice)[0], 200)
        equal(torid("token", "remove", "alice", *state)[0], 0)
        while next_line(mine[1]):
            pass
        equal(service.ask("GET", "/healthz")[0], 200)
        service.kill(signal.SIGTERM)
        rows = [line.split() for line in torid(
            "token", "list", *state, env={**os.environ, **service.environment}
            )[1].splitlines()]
        today = time.strftime("%Y-", time.gmtime())
        equal([(row[0], row[4] != "never", row[5].startswith(today), row[6:])
               for row in rows[1:]],
              [("soon", True, True, ["expired"]),
               ("unused", True, False, [])])
        for words, text in ((["--expires", "0"], "below a second"),
                            (["--expires", "x"], "expires")):
            code, _, err = torid("token", "add", "y", "--role", "user",
                                 *words, *state)
            assert code == 2 and text in err, err


def last_used():
    """the first use of each token is written at once, not in a minute"""
    with Service(tcp=True, executor=None, clock=True) as service:
        tokens = {name: service.token(name, "reader")
                  for name in ("first", "second")}

        def listed(name):
            rows = torid("token", "list", "--state", service.path("state"))[1]
            row, = [row for row in rows.splitlines()
                    if row.startswith(name + " ")]
            return row.split()[-1] != "never"
        for name, token in tokens.items():
            equal(listed(name), False)
            equal(service.tcp("GET", "/v1/jobs", token)[0], 200)
            wait(lambda n=name: listed(n), f"{name} is not listed")


def sessions():
    """a browser has a session, not the token, and only for torid's page"""
    with Service(tcp=True, executor="rehearse") as service:
        here = f"http://127.0.0.1:{service.port}"
        alice = service.token("alice", "user")

        def sign_in(body, **headers):
            return service.tcp("POST", "/signin", None, body, {
                "Content-Type": "application/json", **headers})
        code, headers, answer = sign_in({"token": alice})
        equal((code, answer), (200, {"user": "alice", "role": "user"}))
        cookie = headers["Set-Cookie"]
        assert alice not in cookie and alice[5:] not in cookie, cookie
        for word in ("HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604800"):
            assert word in cookie.split("; "), cookie
        assert "Secure" not in cookie, cookie
        assert "Secure" in sign_in({"token": alice}, **{
            "X-Forwarded-Proto": "https"})[1]["Set-Cookie"].split("; ")
        assert sign_in({"token": alice})[1]["Set-Cookie"] != cookie
        mine = {"Cookie": cookie.split(";")[0]}
        # A page that signs in for others does so with a form, or from elsewhere.
        for body, more, expected in [
                ({"token": alice}, {"Content-Type": "text/plain"}, 403),
                ({"token": alice}, {"Origin": "http://elsewhere"}, 403),
                ({"token": alice}, {"Sec-Fetch-Site": "cross-site"}, 403),
                ({"token": alice + "x"}, {}, 401), ({"code": "x"}, {}, 401),
                ({}, {}, 400), ([1], {}, 400), ("x" * 5000, {}, 413),
                ({"token": alice}, {"Origin": here}, 200)]:
            equal((body, sign_in(body, **more)[0]), (body, expected))

        def post(**headers):
            return service.tcp("POST", "/v1/jobs", None, JOB, {
                **mine, "Content-Type": "application/json", **headers})[0]
        equal(service.tcp("GET", "/v1/jobs", None, None, mine)[0], 200)
        equal(service.tcp("GET", "/v1/whoami", None, None, mine)[2],
              {"user": "alice", "role": "user"})
        equal(service.tcp("GET", "/v1/whoami")[0], 401)
        equal(service.ask("GET", "/v1/whoami")[1]["role"], "operator")
        equal([post(Origin=here), post(**{"Sec-Fetch-Site": "same-origin"})],
              [201, 201])
        equal([post(), post(Origin="null"),
               post(Origin=f"http://127.0.0.1:{service.port + 1}"),
               post(**{"Sec-Fetch-Site": "same-site", "Origin": here}),
               post(**{"Sec-Fetch-Site": "cross-site"}),
               post(**{"Content-Type": "text/plain", "Origin": here}),
               service.tcp("DELETE", "/v1/jobs/1", None, None, mine)[0],
               service.tcp("GET", "/v1/jobs", None, None, {
                   **mine, "Sec-Fetch-Site": "same-site"})[0]], [403] * 8)
        equal(service.job(1)["state"], "queued")
        # A token is not a session, nor is another text, nor the address.
        held = mine["Cookie"][5:]
        other = held[:-1] + ("1" if held[-1] == "0" else "0")
        for value in (alice, "0" * 176, other):
            equal(service.tcp("GET", "/v1/jobs", None, None,
                          {"Cookie": f"tori={value}"})[0], 401)
        one = service.asked("GET", f"/?token={alice}")
        equal(one.getresponse().headers["Set-Cookie"], None)
        equal(service.ask("POST", "/signin", {"token": alice}, {
            "Content-Type": "application/json"})[0], 404)
        # Signing out removes the cookie; only torid's own page does that.
        def sign_out(**headers):
            code, said, answer = service.tcp("POST", "/signout", None, None,
                                         {**mine, **headers})
            return code, said["Set-Cookie"], answer.get("signed_out")
        gone = "tori=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
        equal([sign_out(), sign_out(Origin=here),
               sign_out(Origin="http://elsewhere"),
               sign_out(**{"Sec-Fetch-Site": "cross-site"})],
              [(200, gone, True)] * 2 + [(403, None, None)] * 2)
        equal(service.tcp("GET", "/signout")[0], 401)
        equal(service.tcp("GET", "/signout", None, None, mine)[0], 405)
        # It outlasts a restart, and ends with its token.
        service.kill(signal.SIGTERM)
        service.begin()
        equal(service.tcp("GET", "/v1/jobs", None, None, mine)[0], 200)
        equal(os.stat(service.path("state/session-key")).st_mode & 0o777,
              0o600)
        torid("token", "remove", "alice", "--state", service.path("state"))
        equal(service.tcp("GET", "/v1/jobs", None, None, mine)[0], 401)
        bob = service.token("bob", "reader")
        one = service.asked("GET", "/", bob, None, {"Accept-Encoding": "gzip"})
        answer = one.getresponse()
        packed = answer.read()
        one.request("GET", "/") # of a stranger, who takes no gzip
        plain = one.getresponse()
        text = plain.read()
        if answer.headers["Content-Encoding"] == "gzip":
            equal((plain.status, plain.headers["Content-Encoding"],
                   plain.headers["Vary"], gzip.decompress(packed) == text),
                  (200, None, "Accept-Encoding", True))
            policy = answer.headers["Content-Security-Policy"]
            assert "frame-ancestors 'none'" in policy, policy
            assert "unsafe" not in policy, policy


def codes():
    """a code is good for one sign-in, also if torid is killed then"""
    with Service(tcp=True, executor="rehearse", clock=True) as service:
        service.token("alice", "user")

        def code_of(*more):
            done = torid("token", "code", "alice", "--state",
                         service.path("state"), *more)
            equal(done[0], 0)
            return done[1].strip()

        def use(code):
            return service.tcp("POST", "/signin", None, {"code": code},
                           {"Content-Type": "application/json"})[0]
        first = code_of()
        equal([use(first), use(first)], [200, 401])
        service.kill()
        service.begin()
        equal(use(first), 401)
        second_code, third = code_of(), code_of()
        equal([use(second_code), use(third)], [401, 200])
        short = code_of("--expires", "2s")
        service.passes(3)
        equal(use(short), 401)
        equal(service.tcp("GET", "/v1/jobs", third)[0], 401)


def failed_sign_ins():
    """those who fail to sign in keep nobody else out"""
    with Service("--requests", "1", tcp=True, executor=None) as service:
        token = {name: service.token(name, "user")
                 for name in ("alice", "bob")}

        def sign_in(text):
            return service.tcp("POST", "/signin", None, {"token": text},
                               {"Content-Type": "application/json"})[0]
        for text in token.values():
            wait(lambda: sign_in("x") == 429, "strangers are never too many")
            equal(sign_in(text), 200)
        wait(lambda: sign_in(token["bob"]) == 429, "nor is bob")


def clients():
    """the commands of tori reach torid over TCP with a token"""
    with Service(tcp=True, executor="rehearse") as service:
        def tori(words, **environment):
            done = subprocess.run(
                [os.path.join(BUILD, "tori"), *words], text=True,
                env={**os.environ, **environment}, capture_output=True,
                timeout=PATIENCE, check=False)
            return done.returncode, done.stdout, done.stderr
        alice = service.token("alice", "user")
        where = f"http://127.0.0.1:{service.port}/"
        equal(tori(["submit", "--socket", where, "--count", "1", "--time",
                    "60s", "--hold", "true"], TORI_TOKEN=alice),
              (0, "1\n", ""))
        equal(service.job(1)["user"], "alice")
        code, out, err = tori(["nodes"], TORI_SOCKET=where)
        equal((code, out), (2, ""))
        assert "Authorization" in err, err
        equal(tori(["cancel", "1"], TORI_SOCKET=where, TORI_TOKEN=alice)[0],
              0)


def peers():
    """who comes by the socket is known; operators are those that are named"""
    if os.getuid() != 0:
        raise Skip("only root can be others")
    with Service() as service:
        os.chmod(service.files, 0o711)

        def drains():
            return service.ask("PATCH", "/v1/nodes/0,0",
                               {"state": "drain"})[0]

        equal(as_user("nobody", drains), 403)
        equal(drains(), 200)
        # Files of a job are opened by its user: root's are out of reach.
        secret = service.path("state/secret")
        number = as_user("nobody", lambda: service.submit(
            "echo", "mine", directory="/", output=secret))
        job = service.ended(number)
        assert job.get("status") != 0 and not os.path.exists(secret), job
        equal(job["user"], "nobody")
        service.kill(signal.SIGTERM)
        service.words += ["--operator", "@nogroup"]
        service.begin()
        equal(as_user("nobody", drains), 200)


# ---- how much ----

def refusals():
    """what is refused is refused in JSON, and says what is allowed"""
    with Service("--body", "2", "--requests",
                 "20", "--streams", "1", tcp=True, executor="rehearse") as service:
        alice = service.token("alice", "user")
        chief = service.token("chief", "operator")
        for method, path, body, headers, code, words in [
                ("PUT", "/v1/jobs", None, {}, 405, "GET"),
                ("POST", "/v1/jobs", "x" * (2 << 20), {}, 413, "2 MiB"),
                ("PATCH", "/v1/jobs/1", "x" * (1 << 20), {}, 413, "1 MiB"),
                ("GET", "/v1/jobs", None, {"X-Long": "x" * 20000}, 431,
                 "16 KiB"),
                ("GET", "/v1/nothing", None, {}, 404, "")]:
            found, said, answer = service.tcp(method, path, chief, body,
                                          headers)
            equal((found, said["Content-Type"]), (code, "application/json"))
            assert words in answer["error"]["message"] + str(
                said["Allow"]), answer
        with socket.create_connection(("127.0.0.1", service.port)) as polite:
            polite.sendall(f"POST /v1/jobs HTTP/1.1\r\nHost: x\r\n"
                           f"Authorization: Bearer {chief}\r\n"
                           "Content-Length: 9999999\r\n"
                           "Expect: 100-continue\r\n\r\n".encode())
            assert polite.recv(1000).startswith(b"HTTP/1.1 413 ")
        # 60 at once
        with socket.create_connection(("127.0.0.1", service.port)) as one:
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nAuthorization: "
                        b"Bearer %s\r\n\r\n" % alice.encode() * 60)
            said = b""
            while len(codes := re.findall(rb"HTTP/1.1 (\d+)", said)) < 60:
                said += one.recv(65536)
        equal(set(codes), {b"200", b"429"})
        assert b"Retry-After: 1\r\n" in said, said
        assert b"20 requests per second" in said, said
        equal({service.tcp("GET", "/healthz", chief)[0]
               for _ in range(60)}, {200})

        def watch():
            stream = service.asked("GET", "/v1/events", chief)
            return stream, stream.getresponse().status
        stream, code = watch()
        equal(code, 200)
        code, _, answer = service.tcp("GET", "/v1/events", chief)
        equal((code, answer["error"]["code"]), (503, "too-many-streams"))
        stream.close()

        def again():
            service.ask("POST", "/v1/jobs", JOB)
            stream, code = watch()
            stream.close()
            return code == 200
        wait(again, "a stream that has ended is still counted")


def memory(service):
    """What torid has had of memory at most, in MiB."""
    text = read(f"/proc/{service.process.pid}/status")
    return int(re.search(r"VmHWM:\s+(\d+) kB", text)[1]) >> 10


def send_body(service, head, mebibytes):
    """A connection that sends a header and so much of a body, and is not
    answered before; None if it was cut off."""
    one = socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE)
    try:
        one.sendall("\r\n".join(["POST /v1/jobs HTTP/1.1", "Host: x", *head,
                                 "", ""]).encode())
        for _ in range(mebibytes):
            one.sendall(b" " * (1 << 20))
    except ConnectionError:
        one.close()
        return None
    return one


def strangers():
    """who has no token takes no memory, however much he sends"""
    with Service(tcp=True, executor="rehearse") as service:
        before = memory(service)
        crowd = []
        for number in range(60):
            head = [["Content-Length: 67000000"],
                    ["Content-Length: 8000000", "Authorization: Bearer x"],
                    ["Transfer-Encoding: chunked"]][number % 3]
            if number % 3 == 2:
                head[-1] += "\r\n\r\n600000"
            crowd.append(send_body(service, head, 5))
        assert memory(service) - before < 40, (before, memory(service))
        equal(service.ask("GET", "/healthz")[0], 200)
        for one in crowd:
            if one:
                one.close()
        # One that waits to be told hears it before it sends anything; and a
        # short body is heard to the end, so that the answer arrives.
        for head, code in [
                (["Content-Length: 9", "Expect: 100-continue"], 401),
                (["Content-Length: 67000000"], 401)]:
            with send_body(service, head, 0) as one:
                assert one.recv(1000).startswith(f"HTTP/1.1 {code} ".encode())
        equal(service.tcp("POST", "/v1/jobs", None, "x" * 500000)[0], 401)
        equal(service.tcp("GET", "/v1/jobs", None, "x" * 500000)[0], 401)


def too_long():
    """a body that is too long is refused before it has come"""
    with Service("--body", "1",
                 tcp=True, executor="rehearse") as service:
        alice = f"Authorization: Bearer {service.token('alice', 'user')}"
        for head, text, code in [
                (["Content-Length: 99000000", alice], b"", 413),
                (["Transfer-Encoding: chunked", alice], b"5e69ec0\r\n", 413),
                (["Content-Length: 99000000"], b"", 401)]:
            with send_body(service, head, 0) as one:
                one.sendall(text)
                if text:
                    one.sendall(b" " * (2 << 20))
                said = b""
                while not said.endswith(b"}"):
                    said += one.recv(1000)
                equal(int(said.split()[1]), code)
                equal(one.recv(1), b"")
                sent = 0
                try:
                    while sent < 64:
                        one.sendall(b" " * (1 << 20))
                        sent += 1
                except ConnectionError:
                    pass
                assert sent < 64, "all of it may come"
        equal(service.ask("GET", "/healthz")[0], 200)


def bodies():
    """the bodies of a user, and of all, have limits"""
    with Service("--body", "3",
                 "--user-bodies", "4", "--bodies", "9",
                 tcp=True, executor="rehearse") as service:
        token = {name: service.token(name, "user")
                 for name in ("alice", "bob", "carol")}
        size = (5 << 20) // 2

        def begin(name, *more):
            return send_body(service, [
                f"Content-Length: {size}",
                f"Authorization: Bearer {token[name]}", *more], 0)

        def post(name):
            with begin(name) as one:
                one.sendall(b" " * size)
                return int(one.recv(1000).split()[1])

        held = []

        def fill(name):
            """Hold one more body, which lacks a byte; whether there is no room
            for it. Of two that come together, one may lose its room."""
            held.append(begin(name, "Expect: 100-continue"))
            if held[-1].recv(1000).startswith(b"HTTP/1.1 100 "):
                held[-1].sendall(b" " * (size - 1))
                return False
            return True
        equal([post(name) for name in token], [400] * 3)
        wait(lambda: fill("alice") and post("alice") == 429,
             "alice has too much")
        equal(post("bob"), 400)
        for name in ("bob", "carol"):
            wait(lambda name=name: fill(name), f"{name} has too much")
        wait(lambda: service.tcp("POST", "/v1/jobs", service.token(
            f"x{time.monotonic_ns()}", "user"), "x" * size)[0] == 503,
             "all have too much")
        for one in held:
            one.close()
        wait(lambda: post("alice") == 400, "nothing is given back")


def many_values():
    """a body with many members counts as many requests"""
    with Service("--requests", "30",
                 tcp=True, executor=None) as service:
        token = {name: service.token(name, "user")
                 for name in ("alice", "bob")}
        body = {f"k{number}": 1 for number in range(24000)}
        equal(service.tcp("POST", "/v1/jobs", token["alice"], body)[0], 400)
        code, head, answer = service.tcp("POST", "/v1/jobs", token["alice"],
                                     body)
        equal((code, head["Retry-After"], answer["error"]["code"]),
              (429, "1", "too-many-requests"))
        equal(service.tcp("POST", "/v1/jobs", token["bob"], [JOB] * 100)[0],
              201)
        equal({service.tcp("GET", "/v1/jobs", token["bob"])[0]
               for _ in range(20)}, {200})


def unread_of(one):
    """How many bytes torid has not yet read of what was sent to it."""
    return int.from_bytes(fcntl.ioctl(one, termios.TIOCOUTQ, bytes(4)),
                          sys.byteorder)


def by_turns():
    """a small request does not wait for all large ones of others before it"""
    with Service(tcp=True, executor=None) as service:
        token = service.token("bob", "user")
        body = json.dumps({f"k{number}": 1 for number in range(24000)})
        crowd = []
        for _ in range(8):
            crowd.append(socket.socket(socket.AF_UNIX))
            crowd[-1].settimeout(PATIENCE)
            crowd[-1].connect(service.socket)
        small = socket.create_connection(("127.0.0.1", service.port),
                                         timeout=PATIENCE)
        for one in crowd:
            one.sendall(
                (f"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: "
                 f"{len(body)}\r\n\r\n{body[:-1]}").encode())
        wait(lambda: not any(unread_of(one) for one in crowd),
             "torid does not read")
        # The last bytes of all come at once.
        service.process.send_signal(signal.SIGSTOP)
        for one in crowd:
            one.sendall(body[-1:].encode())
        small.sendall(f"GET /v1/machine HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                      f"Authorization: Bearer {token}\r\n\r\n".encode())
        service.process.send_signal(signal.SIGCONT)
        assert small.recv(1000).startswith(b"HTTP/1.1 200 ")
        early = len(select.select(crowd, [], [], 0)[0])
        assert early < len(crowd), "all large ones were answered before"
        for one in crowd:
            assert one.recv(1000).startswith(b"HTTP/1.1 400 ")
        for one in (*crowd, small):
            one.close()


def read_slowly(service, path):
    """How many bytes of an answer are read, a page a second, before torid hangs
    up."""
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(service.socket)
        one.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n"
                    "Connection: close\r\n\r\n".encode())
        ended = select.poll()
        ended.register(one, select.POLLHUP)
        n = 0
        while not ended.poll(0):
            n += len(one.recv(4096))
            service.passes(1)
        return n


def unread():
    """answers that nobody reads are bounded, and lists leave out what is long"""
    with Service("--body", "8", "--user-answers", "16", "--patience", "3s",
                 tcp=True, executor=None, clock=True) as service:
        token = {name: service.token(name, "user")
                 for name in ("alice", "bob")}
        long = {**JOB, "command": ["true", "x" * (7 << 20)]}
        numbers = list(range(1, 9))
        for _ in numbers:
            equal(service.tcp("POST", "/v1/jobs", token["alice"],
                          long)[0], 201)
        before = memory(service)
        _, _, page = service.tcp("GET", "/v1/jobs", token["alice"])
        equal([(job["id"], job["left_out"]) for job in page["jobs"]],
              [(number, ["command"]) for number in numbers])
        equal(service.tcp("PATCH", "/v1/jobs/1", token["alice"],
                      {"priority": -1})[2]["left_out"], ["command"])
        crowd = [service.asked("GET",
                       f"/v1/jobs/{number % 8 + 1}", token["alice"]) for number in range(40)]
        equal(service.tcp("GET", "/v1/jobs", token["bob"])[0], 200)
        code, head, answer = service.tcp("GET", "/v1/jobs/1", token["alice"])
        equal((code, head["Retry-After"], answer["error"]["code"]),
              (429, "1", "too-many-answers"))
        # Whoever does not read is cut off, which gives room.
        service.passes(4)
        wait(lambda: service.tcp("GET", "/v1/jobs", token["alice"])[0]
             == 200, "nothing is given back")
        grown = memory(service) - before
        assert grown < 100, f"torid took {grown} MiB for answers"
        equal(service.tcp("GET", "/v1/jobs/1", token["alice"])[2]["command"],
              long["command"])
        for one in crowd:
            one.close()
        service.submit("true", "x" * (2 << 20), hold=True)
        n = read_slowly(service, "/v1/jobs/9")
        assert n < 2 << 20, f"{n} bytes were read"
        # Each is a page of the history, as two would be too long.
        for number in numbers:
            equal(service.ask("DELETE", f"/v1/jobs/{number}")[0], 200)
        found, after = [], 0
        while after is not None:
            page = service.ask("GET", f"/v1/jobs?state=ended&after={after}")[1]
            found += [job["id"] for job in page["jobs"]]
            after = page.get("next")
        equal(found, numbers)


# A question that takes half a minute with the jobs of `scattered`.
LARGE = "torus:16x16x16"
def slow(service, token):
    return service.asked("POST", "/v1/defrag", token, {
        "shape": "8x10x8", "moves": 1000, "steps": 16777216})


def scattered(service):
    """Fill a machine with jobs that lie in the way of large ones; the last one
    waits."""
    shapes = ["2x3x2", "5x4x3", "1x2x7", "3x3x3"]
    return [service.submit("true", shape=shapes[number % 4],
                           estimate=600 + 37 * number)
            for number in range(120)] + [service.submit("true", shape="16x16x16")]


def error_of(connection):
    answer = connection.getresponse()
    text = json.loads(answer.read())
    return answer.status, text.get("error", {}).get("code")


def questions():
    """long questions have shares and deadlines, and nobody waits for them"""
    with Service(tcp=True, machine=LARGE,
                 executor=None) as service:
        token = {name: service.token(name, "user")
                 for name in ("alice", "bob", "carol", "dora", "eve",
                              "frank", "grace")}
        service.kill(signal.SIGTERM)
        write(service.path("conf"), "question-time = 10m")
        service.words += ["--config", service.path("conf")]
        service.begin()
        number = scattered(service)[-1]
        # A user has four open, two of which are worked at.
        mine = [slow(service, token["alice"]) for _ in range(6)]
        equal([error_of(one) for one in mine[4:]],
              [(429, "too-many-questions")] * 2)
        why = ("GET", f"/v1/jobs/{number}/why")
        equal(service.asked(*why, token["bob"]).getresponse().status, 200)
        # All users have sixteen open, the last of which are for those who
        # have none.
        theirs = {name: [slow(service, token[name]) for _ in range(4)]
                  for name in ("bob", "carol", "dora", "eve")}
        equal([error_of(one) for one in theirs["dora"][2:]
               + theirs["eve"][1:]], [(429, "too-many-questions")] * 5)
        last = service.asked(*why, token["frank"])
        equal(error_of(slow(service, token["grace"])), (503, "busy"))
        equal(service.tcp("GET", "/v1/jobs", token["alice"])[0], 200)

        def take(most):
            write(service.path("conf"), f"question-time = {most}")
            service.process.send_signal(signal.SIGHUP)
        take("1s")
        equal(error_of(mine[0]), (503, "too-long"))
        # Users take turns: the first of the last user is before others' third.
        take("10m")
        equal(select.select([last.sock, mine[2].sock], [], [], PATIENCE)[0],
              [last.sock])
        take("1s")
        for one in sum(theirs.values(), mine):
            one.close()
        wait(lambda: service.tcp(*why, token["alice"])[0] == 200,
             "nothing is given back")


def snapshots():
    """whoever reads snapshots, others are answered meanwhile"""
    with Service("--max-queued", "0",
                 tcp=True, machine="torus:8x8x8", executor=None) as service:
        chief = service.token("chief", "operator")
        for number in range(40):
            equal(service.ask("POST", "/v1/jobs", {
                "shape": "4x4x4", "estimate": 600 + 37 * number,
                "command": ["true"], "array": "1-1000"})[0], 201)
        service.process.send_signal(signal.SIGSTOP)
        readers = [service.asked("GET", "/v1/snapshot", chief)
                   for _ in range(16)]
        other = service.asked("GET", "/healthz", chief)
        service.process.send_signal(signal.SIGCONT)
        equal(other.getresponse().status, 200)
        early = select.select([one.sock for one in readers], [], [], 0)[0]
        assert len(early) < len(readers), "all readers were answered before"
        equal({len(one.getresponse().read()) > 1 << 20 for one in readers},
              {True})


def ends_soon():
    """questions do not keep torid from ending"""
    with Service(tcp=True, machine=LARGE, executor=None) as service:
        chief = service.token("chief", "operator")
        scattered(service)
        waiting = [slow(service, chief) for _ in range(12)]
        equal(service.ask("GET", "/healthz")[0], 200)
        equal(service.kill(signal.SIGTERM), 0)
        # A quick machine may answer some while torid waits for them.
        assert {error_of(one) for one in waiting} <= {
            (200, None), (503, "ending")}


def streams():
    """streams are limited by user, and never take all connections"""
    # Descriptors for 164 connections of each kind.
    with Service("--user-streams", "2",
                 tcp=True, executor=None, limits=lambda: resource.setrlimit(
                     resource.RLIMIT_NOFILE, (456, 456))) as service:
        token = {name: service.token(name, "user")
                 for name in ("alice", "bob")}
        chief = service.token("chief", "operator")
        mine = [service.asked("GET", "/v1/events", token["alice"])
                for _ in range(3)]
        codes = [one.getresponse().status for one in mine]
        equal(codes, [200, 200, 429])
        other = service.asked("GET", "/v1/events", token["bob"])
        equal(other.getresponse().status, 200)
        crowd = [service.asked("GET", "/v1/events", chief) for _ in range(160)]
        codes = [one.getresponse().status for one in crowd]
        assert set(codes) == {200, 503}, codes
        equal(codes, sorted(codes))
        equal(service.tcp("GET", "/healthz", token["bob"])[0], 200)
        equal(service.ask("GET", "/healthz")[0], 200)
        for one in (other, *mine, *crowd):
            one.close()


def limit_rows():
    """The table of limits on the page about security: what, default, setting,
    refusal, operators."""
    text = read(f"{SOURCE}/doc/security.md").split("## Limits")[1]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")]
            for line in text.split("\n## ")[0].splitlines()
            if line.startswith("| ")]
    assert rows[0][:4] == ["what", "default", "setting", "refusal"], rows[0]
    return rows[1:]


def documented():
    """the limits on the page about security are those of torid"""
    told = dict(re.findall(r"\n  --([a-z-]+) [A-Z]+(?:(?!\n  -).)*?"
                           r"\(default\s+(\S+)\)", torid("--help")[1],
                           re.DOTALL))
    rows = limit_rows()
    equal({row[2]: row[1] for row in rows if row[2]},
          {row[2]: told.get(row[2]) for row in rows if row[2]})
    bounds = {name for name in told if name.startswith(("max-", "user-"))}
    equal(bounds - {row[2] for row in rows}, set())
    key = {row[2] or row[0]: row for row in rows}

    def refused(name, *settings, path="/v1/jobs", method="POST", bodies=(),
                headers=None, role="user"):
        """The last of these bodies is refused as the page says."""
        with Service(*settings,
                     tcp=True, executor=None) as service:
            token = service.token("alice", role)
            codes = [service.tcp(method, path, token, body, {
                "Content-Type": "application/json", **(headers or {})})[0]
                for body in bodies]
        equal((name, codes[-1]), (name, int(key[name][3])))
        assert codes[:-1] == [201] * (len(codes) - 1), (name, codes)
    refused("max-array", "--max-array", "2",
            bodies=[JOB, {**JOB, "array": "1-3"}])
    refused("max-after", "--max-after", "1",
            bodies=[JOB, {**JOB, "after": ["ok:1", "ok:1"]}])
    refused("max-batch", "--max-batch", "3",
            bodies=[[JOB] * 3, {**JOB, "array": "1-4"},
                    [JOB, {**JOB, "array": "1-3"}]])
    refused("max-queued", "--max-queued", "1", bodies=[JOB, JOB])
    refused("max-stored", "--max-stored", "1", bodies=[
        {**JOB, "script": "x" * 600000}] * 2)
    with Service("--max-stored", "1", tcp=True, executor=None) as service:
        token = service.token("alice", "user")

        def change(number, **members):
            return service.tcp("PATCH", f"/v1/jobs/{number}", token,
                               members)[0]
        equal(service.tcp("POST", "/v1/jobs", token,
                          [{**JOB, "hold": True}] * 30)[0], 201)
        codes = [change(n, after=["any:1"] * 1001) for n in range(2, 31)]
        equal((codes[0], codes[-1]), (200, 429))
        equal((change(2, after=[]), change(30, after=["any:1"] * 1001)),
              (200, 200))
        equal([change(2, name="x" * n) for n in (1024, 1025)], [200, 400])
        equal([service.tcp("POST", "/v1/jobs", token,
                           {**JOB, "name": "x" * n})[0]
               for n in (1024, 1025)], [201, 400])
    with Service(executor=None) as service:
        most = key["what the memory keeps of the submission of a job that has "
                   "ended"][1]
        equal(most, "8 KiB")
        small, large = ({**JOB, "directory": "/" * n} for n in (7000, 8192))
        service.ask("POST", "/v1/jobs", [small, large])
        for number in (1, 2):
            service.ask("DELETE", f"/v1/jobs/{number}")
        equal(["directory" in job for job in service.ask("GET", "/v1/jobs")[1][
            "jobs"]], [True, False])
        most = key["the memory for a member of a job in a list, an event or "
                   "the answer to a change; a longer one is left out"][1]
        equal(most, "128 KiB")
        service.ask("POST", "/v1/jobs", [
            {**JOB, "directory": "/" * n} for n in (130000, 131072)])
        equal([job.get("left_out") for job in service.ask(
            "GET", "/v1/jobs?after=2")[1]["jobs"]], [None, ["directory"]])
        equal(key["what the history on disk keeps of it"][1], "64 KiB")
        small, large = ({**JOB, "directory": "/" * n} for n in (60000, 65536))
        service.ask("POST", "/v1/jobs", [small, large])
        for number in (5, 6):
            service.ask("DELETE", f"/v1/jobs/{number}")
        equal(["directory" in service.job(number) for number in (2, 5, 6)],
              [True, True, False])
    refused("max-jobs", "--max-jobs", "1", bodies=[JOB, JOB])
    refused("body", "--body", "1", bodies=["x" * (1 << 20)])
    values = "values of JSON in the body of a request, and names of members"
    most = int(key[values][1])
    refused(values, bodies=[[1] * most])  # the list is a value, too
    with Service(executor=None) as service:
        equal(service.ask("PATCH", "/v1/jobs/1", [1] * (most - 1))[0], 400)
        code, answer = service.ask("POST", "/v1/jobs", {
            **JOB, "environment": {f"A{i}": "x" for i in range(most)}})
        equal((code, answer["error"]["code"]), (413, "too-large"))
        assert f"at most {most} values" in answer["error"]["message"], answer
        full = {**JOB, "name": "x", "directory": "/", "priority": 0,
                "output": "x", "environment": {"A": "x"}, "after": [],
                "alternatives": [{"count": 1}] * 5}
        equal(service.ask("POST", "/v1/jobs", [full] * 1001)[0], 201)
    for name, member, of in (
            ("words of the command of a job", "command",
             lambda n: ["true"] * n),
            ("variables of the environment of a job", "environment",
             lambda n: {f"A{i}": "x" for i in range(n)})):
        most = int(key[name][1])
        refused(name, bodies=[{**JOB, member: of(most)},
                              {**JOB, member: of(most + 1)}])
    refused("the header of a request", method="GET", bodies=[None],
            headers={"X-Long": "x" * (16 << 10)})
    refused("the body of a request to sign in", path="/signin",
            bodies=["x" * 4096])
    for name in ("streams", "user-streams"):
        refused(name, f"--{name}", "0", method="GET", path="/v1/events",
                bodies=[None])
    with Service("--session-time", "1h", tcp=True, executor=None,
                 clock=True) as service:
        cookie = service.tcp("POST", "/signin", None, {
            "token": service.token("alice", "user")}, {
                "Content-Type": "application/json"})[1]["Set-Cookie"]

        def look():
            return service.tcp("GET", "/v1/jobs", None, None, {
                "Cookie": cookie.split(";")[0]})[0]
        equal(look(), 200)
        service.passes(3601)
        equal(look(), int(key["session-time"][3]))


def silent():
    """those who say nothing keep nobody from asking, and are shown out"""
    with Service("--connections", "100", "--patience", "3s", tcp=True,
                 executor="rehearse", clock=True) as service:
        chief = service.token("chief", "operator")
        crowd = []
        for number in range(400):
            if number % 2:
                crowd.append(socket.create_connection(("127.0.0.1", service.port)))
            else:
                crowd.append(socket.socket(socket.AF_UNIX))
                crowd[-1].connect(service.socket)
            if number % 3 == 0:
                crowd[-1].sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\n")
        equal(service.tcp("GET", "/healthz", chief)[0], 200)
        equal(service.ask("GET", "/healthz")[0], 200)
        # One that sends a byte now and then is shown out all the same.
        def shown_out():
            service.passes(0.5)
            try:
                crowd[-1].sendall(b"X")
                return crowd[-1].recv(1, socket.MSG_DONTWAIT) == b""
            except BlockingIOError:
                return False
            except OSError:
                return True
        wait(shown_out, "it may stay")
        for one in crowd:
            one.settimeout(PATIENCE)
            try:
                while one.recv(1000):
                    pass
            except ConnectionError:
                pass
            one.close()
        equal(service.ask("GET", "/healthz")[0], 200)


# ---- the service manager ----

def notified():
    """a service manager hears that torid is ready, reads, lives and ends"""
    for abstract in (False, True):
        with tempfile.TemporaryDirectory() as files, \
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            name = f"{files}/notify"
            manager.bind("\0" + name if abstract else name)
            manager.settimeout(PATIENCE)
            process = subprocess.Popen(
                [os.path.join(BUILD, "torid"), "--machine", "torus:4x4",
                 "--state", f"{files}/state", "--executor",
                 f"env > {files}/env; cat > {files}/told"],
                env={**os.environ, "WATCHDOG_USEC": "100000",
                     "NOTIFY_SOCKET": f"@{name}" if abstract else name},
                stderr=subprocess.DEVNULL)

            def heard(wanted):
                said = ""
                while wanted not in said.split("\n"):
                    said = manager.recv(4096).decode()
                return said
            try:
                heard("READY=1")
                assert os.path.exists(f"{files}/state/socket")
                heard("WATCHDOG=1")
                heard("WATCHDOG=1")
                process.send_signal(signal.SIGHUP)
                assert "MONOTONIC_USEC=" in heard("RELOADING=1")
                heard("READY=1")
                wait(lambda: "PATH=" in read(f"{files}/env"), "no executor")
                for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC"):
                    assert name not in read(f"{files}/env")
                process.send_signal(signal.SIGTERM)
                heard("STOPPING=1")
                equal(process.wait(PATIENCE), 0)
            finally:
                process.kill()
                process.wait()


def activated():
    """with sockets of the service manager, a restart turns nobody away"""
    with Service(executor="rehearse") as service:
        chief = service.token("chief", "operator")
        service.kill(signal.SIGTERM)
        path = service.path("given")
        with socket.socket(socket.AF_UNIX) as local, \
                socket.create_server(("127.0.0.1", 0)) as far:
            local.bind(path)
            local.listen(100)
            service.port = far.getsockname()[1]
            given = [os.dup2(one.fileno(), 100 + i)
                     for i, one in enumerate((local, far))]

            def begin():
                def preexec():
                    for i, fd in enumerate(given):
                        os.dup2(fd, 3 + i)
                with open(service.path("log"), "ab") as log:
                    service.process = subprocess.Popen(
                        ["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh",
                         os.path.join(BUILD, "torid"), *service.words],
                        env={**os.environ, "LISTEN_FDS": "2"}, stderr=log,
                        pass_fds=(3, 4, *given), preexec_fn=preexec)
            service.socket = path
            begin()
            equal(service.ask("POST", "/v1/jobs", JOB)[1]["ids"], [1])
            equal(service.tcp("GET", "/v1/jobs/1", chief)[0], 200)
            equal(service.kill(signal.SIGTERM), 0)
            asked = []
            for work in (lambda: service.ask("GET", "/v1/jobs/1")[0],
                         lambda: service.tcp("GET", "/v1/jobs/1",
                                         chief)[0]):
                asked.append(threading.Thread(
                    target=lambda work=work: asked.append(work())))
                asked[-1].start()
                for thread in asked[:1]:
                    thread.join(0.1)
            begin()
            for thread in asked[:2]:
                thread.join()
            equal(asked[2:], [200, 200])
            assert os.path.exists(path)
            for fd in given:
                os.close(fd)


def restarted():
    """of those who ask while torid is restarted, nobody is turned away"""
    with Service(executor="rehearse") as service:
        service.kill(signal.SIGTERM)
        service.socket = service.path("given")
        over, answers = threading.Event(), []

        def ask(request):
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(PATIENCE)
                client.connect(service.socket)
                client.sendall(request)
                return client.makefile("rb").readline()[9:12]

        def work(request):
            while not over.is_set():
                try:
                    answers.append(ask(request))
                except OSError as error:
                    answers.append(error)
        with socket.socket(socket.AF_UNIX) as local:
            local.bind(service.socket)
            local.listen(100)
            given = os.dup2(local.fileno(), 100)

            def begin():
                with open(service.path("log"), "ab") as log:
                    service.process = subprocess.Popen(
                        ["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh",
                         os.path.join(BUILD, "torid"), *service.words],
                        env={**os.environ, "LISTEN_FDS": "1"}, stderr=log,
                        pass_fds=(3, given),
                        preexec_fn=lambda: os.dup2(given, 3))
            begin()
            body = json.dumps(JOB).encode()
            requests = [b"GET /v1/jobs HTTP/1.0\r\n\r\n"] * 3 + [
                b"POST /v1/jobs HTTP/1.0\r\nContent-Length: %d\r\n\r\n"
                % len(body) + body]
            clients = [threading.Thread(target=work, args=(one,))
                       for one in requests]
            for client in clients:
                client.start()
            try:
                for _ in range(10):
                    more = len(answers) + 40
                    wait(lambda more=more: len(answers) >= more, "no answers")
                    equal(service.kill(signal.SIGTERM), 0)
                    begin()
            finally:
                over.set()
                for client in clients:
                    client.join()
                os.close(given)
            equal([one for one in answers if one not in (b"200", b"201")], [])


def late_request():
    """who has connected before torid ends is answered, also when he asks late"""
    with Service(executor=None) as service, \
            socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(service.socket)
        equal(service.ask("GET", "/healthz")[0], 200)  # both are accepted
        service.process.send_signal(signal.SIGTERM)
        wait(lambda: "event=ending" in read(service.path("log")),
             "it does not hear the signal")
        client.sendall(b"GET /v1/jobs HTTP/1.1\r\nHost: torid\r\n\r\n")
        answer = client.makefile("rb").read()  # up to the end: it closes
        equal(answer[9:12], b"200")
        equal(service.process.wait(), 0)
    # Nobody has accepted these when the signal comes.
    with Service(executor=None) as service, contextlib.ExitStack() as stack:
        service.process.send_signal(signal.SIGSTOP)
        clients = [stack.enter_context(socket.socket(socket.AF_UNIX))
                   for _ in range(15)]
        for client in clients:
            client.settimeout(PATIENCE)
            client.connect(service.socket)
            client.sendall(b"GET /v1/jobs HTTP/1.1\r\nHost: torid\r\n\r\n")
        service.process.send_signal(signal.SIGTERM)
        service.process.send_signal(signal.SIGCONT)
        equal({client.makefile("rb").read()[9:12] for client in clients},
              {b"200"})
        equal(service.process.wait(), 0)


def units():
    """systemd finds nothing wrong with the units, nor torid with its example"""
    with tempfile.TemporaryDirectory() as files:
        text = read(f"{SOURCE}/data/torid.conf")
        write(f"{files}/conf", text.replace("/var/lib/tori",
                                            f"{files}/state"))
        equal(torid("--config", f"{files}/conf", "--check", env={
            "PATH": f"{BUILD}:{os.environ['PATH']}"})[0], 0)
        if not shutil.which("systemd-analyze"):
            raise Skip("no systemd-analyze")
        unit = read(f"{SOURCE}/data/torid.service.in").replace(
            "@bindir@", BUILD)
        write(f"{files}/torid.service", unit)
        shutil.copy(f"{SOURCE}/data/torid.socket", files)

        def analyze(*words):
            done = subprocess.run(["systemd-analyze", *words], text=True,
                                  capture_output=True, check=False)
            equal((words, done.returncode, done.stderr), (words, 0, ""))
        analyze("verify", "--man=no", f"{files}/torid.service",
                f"{files}/torid.socket")
        analyze("security", "--offline=true", "--threshold=70",
                f"{files}/torid.service")
        write(f"{files}/hard.service", unit,
              read(f"{SOURCE}/data/torid-hardened.conf"))
        analyze("security", "--offline=true", "--threshold=20",
                f"{files}/hard.service")


# ---- TLS ----

def proxied():
    """nginx with the example speaks TLS for torid, streams included"""
    for program in ("nginx", "openssl"):
        if not shutil.which(program):
            raise Skip(f"no {program}")
    front = kept_port()
    with Service(tcp=True, executor="rehearse") as service:
        chief = service.token("chief", "operator")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
             "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost", "-keyout", service.path("key"),
             "-out", service.path("cert")], check=True, capture_output=True)
        site = read(f"{SOURCE}/data/nginx.conf")
        for old, new in [("/etc/ssl/certs/tori.pem", service.path("cert")),
                         ("/etc/ssl/private/tori.key", service.path("key")),
                         ("listen 443", f"listen 127.0.0.1:{front}"),
                         ("tori.example.org", "localhost"),
                         ("127.0.0.1:8470", f"127.0.0.1:{service.port}")]:
            assert old in site, old
            site = site.replace(old, new)
        temporary = [f"{kind}_temp_path {files};" for kind, files in (
            (kind, service.path(f"nginx-{kind}")) for kind in (
                "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))]
        write(service.path("nginx.conf"), "daemon off;",
              *(["user root;"] if os.getuid() == 0 else []),
              f"pid {service.path('nginx.pid')};", "error_log stderr;",
              "events {}", "http {", "access_log off;", *temporary, site, "}")
        nginx = subprocess.Popen(
            ["nginx", "-p", service.files, "-c", service.path("nginx.conf"),
             "-e", "stderr"], stderr=subprocess.DEVNULL)
        try:
            trust = ssl.create_default_context(cafile=service.path("cert"))

            def ask(method, path, body=None, **headers):
                connection = http.client.HTTPSConnection(
                    "localhost", front, timeout=PATIENCE, context=trust)
                connection.request(method, path, body, {
                    "Authorization": f"Bearer {chief}", **headers})
                return connection, connection.getresponse()

            def ready():
                try:
                    return ask("GET", "/healthz")[1].status == 200
                except OSError:
                    return False
            wait(ready, "nginx does not answer")
            equal(ask("GET", "/healthz", Authorization="Bearer x")[1].status,
                  401)
            connection, stream = ask("GET", "/v1/events")
            equal(stream.status, 200)
            equal(ask("POST", "/v1/jobs", json.dumps(JOB))[1].status, 201)
            line = ""
            while not line.startswith("event: submitted"):
                line = stream.readline().decode()
                assert line, "the stream has ended"
            connection.close()
            done = subprocess.run(
                [os.path.join(BUILD, "tori"), "cancel", "1"], text=True,
                env={**os.environ, "TORI_TOKEN": chief,
                     "SSL_CERT_FILE": service.path("cert"),
                     "TORI_SOCKET": f"https://localhost:{front}"},
                capture_output=True, timeout=PATIENCE, check=False)
            equal((done.returncode, done.stderr), (0, ""))
        finally:
            nginx.terminate()
            nginx.wait()


sys.exit(run([logs, checked, typed, check_journal, check_host, reloaded, private, masked, unread_log, second,
              left_lock, together,
              tokens, revoked, last_used, sessions, codes, failed_sign_ins,
              clients, peers, refusals, strangers,
              too_long, bodies,
              many_values, by_turns, unread,
              questions, snapshots, ends_soon, streams,
              documented, silent, notified, activated, restarted,
              late_request, units, proxied]))
