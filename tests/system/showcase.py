#!/usr/bin/env python3
"""Usage: showcase.py BUILD-DIRECTORY [--only NAME...]

What `make run` does (scripts/showcase): its sentences are true, its commands work
when they are typed, and it leaves nothing behind. In TAP.
"""
import contextlib
import http.client
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

import guard
from service import BUILD, PATIENCE, equal, run, wait

SHOWCASE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../../scripts/showcase")


def has_dashboard():
    """Whether torid was built with its dashboard."""
    page = os.path.join(BUILD, "web/page.html.gz")
    return os.path.exists(page) and os.path.getsize(page) > 0


def left(files):
    """What is left in a folder, or of programs that know it."""
    return os.listdir(files), list(guard.knowing(files))


class Terminal:
    """A showcase on a terminal. Its output goes there, or into a pipe."""

    def __init__(self, files, piped=False):
        ours, theirs = os.pipe()
        self.pid, self.keys = pty.fork()
        if self.pid == 0:
            if piped:
                os.dup2(theirs, 1)
            # Whoever started the tests may have chosen to ignore it.
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            os.execve(SHOWCASE, [SHOWCASE, BUILD],
                      {**os.environ, "TMPDIR": files})
        os.close(theirs)
        self.output = ours if piped else self.keys
        self.text = ""
        last = (r"Another link.*\n +echo .*\n" if has_dashboard()
                else r"\n    tori .*--apply .*\n")
        while not re.search(last, self.text):
            more = os.read(self.output, 65536)
            assert more, f"it has ended: {self.text}"
            self.text += more.decode()
        self.commands = re.findall(r"^    (\w.*?)\r?$", self.text, re.M)

    def type(self, command):
        """A command in another shell: what it prints."""
        where = [c for c in self.commands if c.startswith("export ")]
        done = subprocess.run(
            ["sh", "-c", "\n".join([*where, command])], text=True,
            capture_output=True, timeout=PATIENCE, check=False)
        equal((command, done.returncode, done.stderr), (command, 0, ""))
        return done.stdout

    def jobs(self, **members):
        """The running and waiting jobs that have these members."""
        jobs = json.loads(self.type("tori queue --json"))["jobs"]
        return [job for job in jobs if members.items() <= job.items()]

    def interrupt(self):
        """Ctrl-C, when it has not ended before."""
        equal(os.waitpid(self.pid, os.WNOHANG), (0, 0))
        os.write(self.keys, b"\x03")
        with contextlib.suppress(OSError):  # a terminal that is closed
            while os.read(self.output, 65536):
                pass
        status, self.pid = os.waitpid(self.pid, 0)[1], 0
        equal(status, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.keys)
        if self.pid:
            os.waitpid(self.pid, 0)


@contextlib.contextmanager
def folder(**more):
    with tempfile.TemporaryDirectory(**more) as files:
        yield files
        equal(left(files), ([], []))


# ---- without a terminal ----

def ends():
    """without a terminal, make run explains, ends by itself and gives no address"""
    with folder() as files:
        done = subprocess.run(
            [SHOWCASE, BUILD], text=True, stdin=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": files}, capture_output=True,
            timeout=PATIENCE, check=False)
        equal((done.returncode, done.stderr), (0, ""))
        for words in ("climate", "job 9: fragmented: ", "would start now",
                      "then it fits at", "torid ends now"):
            assert words in done.stdout, done.stdout
        equal("dashboard is missing" in done.stdout, not has_dashboard())
        assert not re.search("http:|TORI_SOCKET|Ctrl-C:", done.stdout), \
            done.stdout
        # The free nodes are those of the map.
        drawn = done.stdout.partition("$ tori map\n")[2].partition("$ ")[0]
        rows = re.findall(r"^[.a-z]{4}(?:  [.a-z]{4})+$", drawn, re.M)
        free = "".join(rows).count(".")
        equal(len("".join(rows).replace(" ", "")), 256)
        assert f"{free} of 256 nodes are free" in drawn, drawn
        assert f"job 9: fragmented: {free} nodes are free" in done.stdout


def cut():
    """make run leaves nothing behind when nothing reads its output"""
    reading, writing = os.pipe()
    os.close(reading)
    with folder() as files:
        done = subprocess.run(
            [SHOWCASE, BUILD], stdin=subprocess.DEVNULL, stdout=writing,
            env={**os.environ, "TMPDIR": files}, stderr=subprocess.DEVNULL,
            timeout=PATIENCE, check=False)
        assert done.returncode >= 0, done
    os.close(writing)


# ---- on a terminal ----

def check_others(shown):
    """Other jobs keep half of the nodes busy for nine hours."""
    assert "half of the nodes busy for the next nine\nhours" in shown.text
    others = shown.jobs(name="other", state="running")
    nodes = json.loads(shown.type("tori nodes --all --json"))["nodes"]
    ids = {job["id"] for job in others}
    equal((sum(node.get("job") in ids for node in nodes), len(nodes)),
          (128, 256))
    for job in others:
        assert job["start"] + job["time_limit"] > time.time() + 9 * 3600, job


def check_stays(shown):
    """What was explained is so when searches have ended, and others begun."""
    for _ in range(3):
        wait(lambda: len(shown.jobs(name="search")) == 2, "no search follows")
        first, second = shown.jobs(name="search")
        shown.type(f"tori cancel {first['id']}")
        wait(lambda n=second["id"]: shown.jobs(id=n, state="running"),
             "the next search does not start")
    for command, lines in (("tori why 9", slice(0, 2)),
                           ("tori map", slice(1, 9)),
                           ("tori defrag --for 9", slice(-2, None))):
        printed = shown.text.partition(f"$ {command}\n")[2].split("\n\n")[0]
        equal(shown.type(command).strip("\n").split("\n")[lines][0],
              printed.split("\n")[lines][0])


def check_clock(shown):
    """The jobs have the clock of torid: they take the time that they ask for."""
    number = shown.type("tori submit --count 1 --time 1s true").strip()
    shown.type(f"tori wait {number}")
    job = json.loads(shown.type(f"tori show {number} --json"))["job"]
    assert job["end"] - job["start"] >= 1, job


def sign_in(link):
    """What torid answers to the dashboard at the address of a link."""
    address, code = re.fullmatch(r"http://([\d.:]+)/#code=(\S+)",
                                 link).groups()
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    connection.request("GET", "/")
    answer = connection.getresponse()
    answer.read()
    equal(answer.status, 200)
    connection.request("POST", "/signin", json.dumps({"code": code}),
                       {"Content-Type": "application/json"})
    status = connection.getresponse().status
    connection.close()
    return status


def check_links(shown):
    """A link works once, and then another one; there is none to a page that is
    missing."""
    if not has_dashboard():
        assert "http:" not in shown.text, shown.text
        return
    link = next(c for c in shown.commands if c.startswith("http:"))
    equal([sign_in(link), sign_in(link)], [200, 401])
    other = next(c for c in shown.commands if c.startswith("echo "))
    equal(sign_in(shown.type(other).strip()), 200)


def check_commands(shown):
    """Each command that is printed works: first those for another shell."""
    number = shown.jobs(name="climate", state="queued")[0]["id"]
    listed = [c for c in shown.commands if c.startswith("tori ")]
    equal([c.split()[1] for c in listed], ["submit", "queue", "defrag"])
    for command in listed:
        shown.type(command)
    equal(len(shown.jobs(id=number, state="running")), 1)
    tried = re.findall(r"^\$ (.*?)\r?$", shown.text, re.M)
    equal(len(tried), 8)
    for command in tried:
        if command.split()[1] in ("submit", "queue", "map", "forecast"):
            shown.type(command)


def true():
    """what make run prints is true as long as it runs, also through a pipe"""
    with folder(prefix="it's a ") as files, \
            Terminal(files, piped=True) as shown:
        for check in (check_others, check_stays, check_clock, check_links,
                      check_commands):
            check(shown)
        shown.interrupt()


def stays():
    """in a terminal, make run stays until Ctrl-C"""
    with folder() as files, Terminal(files) as shown:
        wait(lambda: len(shown.jobs(name="search")) == 2, "no search follows")
        shown.interrupt()


def closed():
    """make run leaves nothing behind when its terminal is closed"""
    with folder() as files, Terminal(files):
        pass


sys.exit(run([ends, cut, true, stays, closed]))
