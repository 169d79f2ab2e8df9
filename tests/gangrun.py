"""What the tests of 'tori gang run' share: a run under mpirun in a process
tree that can be looked at, and a search for what was left behind.

Every process that a run starts inherits an environment variable, so that
those left behind can be found, whatever they have done to hide.
"""
import os
import signal
import socket
import subprocess
import tempfile
import time
import uuid

RANKS = 4
LAUNCHER = (b"mpirun", b"mpiexec", b"mpiexec.hydra", b"hydra_pmi_proxy")
# Children, a session of their own, and one that is nobody's child any more.
STUBBORN = """trap '' HUP INT QUIT TERM USR1 USR2 PIPE CONT TSTP
sleep 600 & setsid sleep 600 &
(setsid sh -c 'trap "" TERM; sleep 600 & sleep 600' &)
"""


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def parent(pid):
    stat = read(pid, "stat").rpartition(b")")[2].split()
    return int(stat[1]) if len(stat) > 1 else 0


class Run:
    """A run; `files` is its directory. Leaves nothing when it is closed."""

    def __init__(self, build, *options, jobs=None, ranks=RANKS,
                 before=None):
        """`before` is called with the directory before anything runs."""
        self.build = build
        self.mark = "TORI_TEST=" + uuid.uuid4().hex
        self.files = tempfile.TemporaryDirectory(prefix="tori-gang-")
        self.environment = dict(
            os.environ, PATH=build + os.pathsep + os.environ["PATH"],
            TORI_GANG_SOCKET=self.path("socket"),
            # MPI keeps what it has until the end, and some of it beyond.
            ASAN_OPTIONS="detect_leaks=0")
        name, _, value = self.mark.partition("=")
        self.environment[name] = value
        if jobs is None:
            options = ("--listen", "socket", *options)
        else:
            with open(self.path("jobs"), "w", encoding="utf-8") as file:
                file.write(jobs)
            options = ("--jobs", "jobs", *options)
        if before:
            before(self.files.name)
        self.mpirun = subprocess.Popen(
            ["mpirun", "-n", str(ranks), "tori", "gang", "run", *options],
            env=self.environment, cwd=self.files.name, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)

    def path(self, name):
        return os.path.join(self.files.name, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.mpirun.poll() is None:
            self.mpirun.terminate()
        try:
            self.mpirun.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.mpirun.kill()
            self.mpirun.communicate()
        for pid in self.all():
            os.kill(pid, signal.SIGKILL)
        self.files.cleanup()

    def end(self, timeout=60):
        """Wait for the end: status, output, errors."""
        out, err = self.mpirun.communicate(timeout=timeout)
        return self.mpirun.returncode, out, err

    def listens(self, timeout=30):
        limit = time.monotonic() + timeout
        while not self.answers():
            if time.monotonic() > limit or self.mpirun.poll() is not None:
                raise TimeoutError("the run does not listen: "
                                   + self.mpirun.stderr.read())
            time.sleep(0.02)

    def answers(self):
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(self.path("socket"))
            except OSError:
                return False
        return True

    def submit(self, *words, command="submit", env=None,
               stdin=subprocess.DEVNULL):
        return subprocess.Popen(
            ["tori", "gang", command, *words], env=env or self.environment,
            cwd=self.files.name, text=True, stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def job(self, *words, timeout=60, text=None, **how):
        """Submit and wait; with a text as standard input."""
        if text is not None:
            how["stdin"] = subprocess.PIPE
        client = self.submit(*words, **how)
        try:
            out, err = client.communicate(text, timeout=timeout)
        except subprocess.TimeoutExpired:
            client.kill()
            client.communicate()
            raise
        return client.returncode, out, err

    # ---- looking at processes ----

    def all(self):
        """All processes of the run but mpirun's own, and but the dead that
        nobody has asked for."""
        mark = self.mark.encode()
        return [pid for pid in processes()
                if mark in read(pid, "environ").split(b"\0")
                and read(pid, "comm").strip() not in LAUNCHER
                and b") Z " not in read(pid, "stat")]

    def gone(self, timeout=15):
        """Whether everything has gone, as soon as it has."""
        limit = time.monotonic() + timeout
        while self.all() and time.monotonic() < limit:
            time.sleep(0.02)
        return not self.all()

    def keepers(self):
        """What mpirun has started: by rank."""
        found = {}
        mine = set(self.all())
        for pid in mine:
            if (read(pid, "comm").strip() == b"tori-gang"
                    and read(parent(pid), "comm").strip() != b"tori-gang"):
                for word in read(pid, "environ").split(b"\0"):
                    if word.startswith(b"PMI_RANK="):
                        found[int(word[9:])] = pid
        return found

    def ranks(self):
        """The process of each rank: the first child of its keeper."""
        mine = self.all()
        return {rank: min(pid for pid in mine if parent(pid) == keeper)
                for rank, keeper in self.keepers().items()
                if any(parent(pid) == keeper for pid in mine)}

    def programs(self, name):
        """Processes of the run whose command line has this in it."""
        return [pid for pid in self.all()
                if name.encode() in read(pid, "cmdline")
                and b"tori" not in read(pid, "cmdline")]


def wait(condition, what, seconds=20):
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            raise TimeoutError(what)
        time.sleep(0.02)


def equal(found, expected):
    if found != expected:
        raise AssertionError(f"{found!r}, expected {expected!r}")


def holds(true, *what):
    if not true:
        raise AssertionError(" ".join(str(w) for w in what))


def tap(cases):
    """Run cases, functions without arguments that raise when they fail."""
    failed = 0
    print(f"1..{len(cases)}", flush=True)
    for number, case in enumerate(cases, 1):
        name = case.__doc__.split("\n")[0].rstrip(".")
        try:
            case()
            print(f"ok {number} - {name}", flush=True)
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            print(f"not ok {number} - {name}")
            for line in f"{type(error).__name__}: {error}".split("\n"):
                print("# " + line, flush=True)
    return failed > 0
