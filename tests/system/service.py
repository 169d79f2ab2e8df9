"""A real torid with a real executor, for tests: a directory of its own, what is
asked of it, and its clients. The first argument of a test is the build's
directory; --only NAME... runs some of its cases.
"""
import contextlib
import http.client
import json
import os
import pwd
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

import guard
from cases import Skip, equal, run
from patience import PATIENCE, wait

guard.keep()
BUILD = os.path.abspath(sys.argv[1])
# Whoever begins in the background of a shell ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Without sanitizers.
SIMPLE = os.path.exists(f"{BUILD}/tests/libbad_clock.so")
# Other users come to torid and its executors, whatever the umask is here.
os.umask(0o022)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def remove(files):
    """A directory, and whoever works in it: executors, guards and jobs."""
    for _ in range(100):
        guard.end_knowing(files)
        if subprocess.run(["rm", "-rf", files], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.05)
    raise AssertionError(f"{files} cannot be removed")


class Local(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("torid", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


def bad(what, **variables):
    """The environment of a program on a machine with something bad: a library of
    this folder, which has a variable."""
    library = f"{BUILD}/tests/libbad_{what}.so"
    if not os.path.exists(library):
        raise Skip("needs a build without sanitizers")
    return {"LD_PRELOAD": library, **variables}


class Service:
    """With `clock`, its time is moved by passes()."""

    def __init__(self, *words, machine="torus:4x4", executor="local",
                 limits=None, tcp=False, environment=None, clock=False):
        self.files = tempfile.mkdtemp(prefix="torid-")
        self.port = guard.kept_port() if tcp else None
        command = executor(self.files) if callable(executor) else {
            None: "none",
            "default": None,
            "local": f"{BUILD}/torid-local --jobs {self.path('jobs')}",
            "rehearse": f"{BUILD}/torid-rehearse --speed 1000 --jobs "
                        f"{self.path('acts')}"}[executor]
        self.words, self.limits = [
            "--machine", machine, "--state", self.path("state"), *words,
            *(["--listen", f"127.0.0.1:{self.port}"] if tcp else []),
            *(["--executor", command] if command else [])], limits
        self.socket = self.path("state/socket")
        self.environment, self.passed = environment or {}, None
        self.under = []  # a program that runs torid
        if clock and SIMPLE:
            self.passed = 0
            more = bad("clock", **dict.fromkeys(
                ("BAD_CLOCK", "BAD_JUMP"), self.path("clock")))
            more["LD_PRELOAD"] += ":" + self.environment.get("LD_PRELOAD", "")
            self.environment = {**self.environment, **more}
        self.begin()

    def path(self, name):
        return os.path.join(self.files, name)

    def begin(self):
        with open(self.path("log"), "ab") as log:
            self.process = subprocess.Popen(
                [*self.under, os.path.join(BUILD, "torid"), *self.words],
                stderr=log,
                stdout=subprocess.DEVNULL, preexec_fn=self.limits,
                start_new_session=True, env={**os.environ, **self.environment})
        wait(self.answers, f"torid does not answer: {read(self.path('log'))}")

    def answers(self):
        try:
            return self.ask("GET", "/healthz")[0] in (200, 503)
        except OSError:
            assert self.process.poll() is None, read(self.path("log"))
            return False

    def ask(self, method, path, body=None, headers=None):
        connection = Local(self.socket)
        try:
            connection.request(method, path,
                               None if body is None else json.dumps(body),
                               headers or {})
            answer = connection.getresponse()
            text = answer.read().decode()
            return answer.status, json.loads(text) if text[:1] in "{[" \
                else text
        finally:
            connection.close()

    def asked(self, method, path, token=None, body=None, headers=None):
        """A connection over TCP that has asked, and is not yet answered."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=PATIENCE)
        if token:
            headers = {"Authorization": f"Bearer {token}", **(headers or {})}
        connection.request(method, path, None if body is None
                           else json.dumps(body), headers or {})
        return connection

    def tcp(self, *request, **more):
        """Status, headers and JSON of an answer over TCP."""
        with contextlib.closing(self.asked(*request, **more)) as connection:
            answer = connection.getresponse()
            return answer.status, answer.headers, json.loads(answer.read())

    def token(self, name, role, *more):
        return subprocess.run(
            [f"{BUILD}/torid", "token", "add", name, "--role", role, "--state",
             self.path("state"), *more], check=True, text=True,
            stdout=subprocess.PIPE).stdout.strip()

    def metric(self, name):
        """The value of a metric without labels."""
        return float(self.ask("GET", "/metrics")[1].split(
            f"\n{name} ")[1].split()[0])

    def passes(self, seconds):
        """So much time passes for torid, its executor and its jobs. In a build with
        sanitizers, which want to be loaded first, it really does, or is too long."""
        if self.passed is None:
            if seconds > 5:
                raise Skip("needs a build without sanitizers")
            time.sleep(seconds)
            return
        self.passed += seconds
        with open(self.path("clock.new"), "w", encoding="ascii") as file:
            file.write(str(self.passed))
        os.rename(self.path("clock.new"), self.path("clock"))
        if self.process.poll() is None:
            self.ask("GET", "/healthz")  # it looks at the clock

    def submit(self, *command, **more):
        if not {"shape", "count", "alternatives"} & set(more):
            more["count"] = 1
        if "estimate" not in more:
            more.setdefault("time_limit", 60)
        code, answer = self.ask("POST", "/v1/jobs", {
            "directory": self.files, "command": list(command), **more})
        equal(code, 201)
        return answer["ids"][0]

    def job(self, number):
        return self.ask("GET", f"/v1/jobs/{number}")[1]

    def ended(self, number):
        wait(lambda: self.job(number)["state"] == "ended",
             f"job {number} does not end: {self.job(number)}")
        return self.job(number)

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        return self.process.wait()

    def kill_executor(self, number=signal.SIGKILL):
        """torid-local itself; its guards have the same command line."""
        for pid in guard.knowing(f"jobs {self.path('jobs')}"):
            if read(f"/proc/{pid}/comm") == "torid-local\n":
                os.kill(pid, number)

    def tori(self, *words):
        """A command of tori's: its status, output and errors."""
        done = subprocess.run(
            [os.path.join(BUILD, "tori"), *words], text=True, cwd=self.files,
            env={**os.environ, "TORI_SOCKET": self.socket, "TZ": "UTC"},
            capture_output=True, timeout=PATIENCE, check=False)
        return done.returncode, done.stdout, done.stderr

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        remove(self.files)


class AsUser:
    """Work in a process of that user, by name, or by a number without one."""

    def __init__(self, name, work):
        entry = pwd.getpwnam(name) if isinstance(name, str) else \
            pwd.struct_passwd((str(name), "x", name, name, "", "/", ""))
        self.reading, writing = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            try:
                os.setgroups([])
                os.setgid(entry.pw_gid)
                os.setuid(entry.pw_uid)
                os.write(writing, json.dumps(work()).encode())
            finally:
                os._exit(0)
        os.close(writing)

    def is_ready(self):
        return bool(select.select([self.reading], [], [], 0)[0])

    def result(self):
        with os.fdopen(self.reading, encoding="utf-8") as file:
            text = file.read()
        os.waitpid(self.child, 0)
        return json.loads(text)


def as_user(name, work):
    """What work returns, in a process of that user."""
    return AsUser(name, work).result()


def ask_journal(service, question):
    """The one value that a copy of the journal gives: torid keeps its own
    locked. A copy in the middle of a commit has the commits before."""
    with tempfile.TemporaryDirectory() as copy:
        for end in ("", "-wal"):
            shutil.copy(service.path(f"state/journal{end}"),
                        f"{copy}/journal{end}")
        base = sqlite3.connect(f"{copy}/journal")
        try:
            return base.execute(question).fetchone()[0]
        finally:
            base.close()


def configured(service, text):
    """Have the service read a configuration."""
    with open(service.path("conf"), "w", encoding="utf-8") as file:
        file.write(text)
    service.kill(signal.SIGTERM)
    service.words += ["--config", service.path("conf")]
    service.begin()
