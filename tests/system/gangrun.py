"""What the tests of 'tori gang run' share: a run under mpirun in a process
tree that can be looked at, and a search for what was left behind.

Every process that a run starts inherits an environment variable, and those
that drop their environment have its value among their words. Whoever descends
from one of them, is in a control group that one of them has made, or was seen
to be one of these before, is of the run, too: so those left behind are found,
whatever they have done to hide.
"""
import contextlib
import functools
import itertools
import json
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid

from cases import Skip, equal, only, report, verdict
from hosts import MPIRUN
from patience import PATIENCE, wait

RANKS = 4
# A job that has its turns with --sleepers keep, and leaves the processors to
# others.
STAY = ("sleep", "631")
KEEP = ("--sleepers", "keep")
# Whoever begins in the background of a shell ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
SHARED = "/dev/shm" if os.access("/dev/shm", os.W_OK) else "/tmp"
LAUNCHER = (b"mpirun", b"mpirun.mpich", b"mpiexec", b"mpiexec.hydra",
            b"hydra_pmi_proxy")
# Children, a session of their own, one that is nobody's child any more, and
# one that has no environment, either.
STUBBORN = """trap '' HUP INT QUIT TERM USR1 USR2 PIPE CONT TSTP
sleep 600 & setsid sleep 600 &
(setsid sh -c 'trap "" TERM; sleep 600 & sleep 600' &)
(env -i setsid sh -c 'trap "" TERM; sleep 600; : '$TORI_TEST &)
"""


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


KERNEL = 0x200000  # flag of its threads, which are of no run


def stat(pid):
    """State, parent and start time of a process; None if there is none."""
    words = read(pid, "stat").rpartition(b")")[2].split()
    return (words[0], int(words[1]), int(words[19])) \
        if words and not int(words[6]) & KERNEL else None


def parent(pid):
    found = stat(pid)
    return found[1] if found else 0


def group_home():
    """Where control groups are made from here, and where they are mounted;
    None if nowhere."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        mounts = [line.split()[1] for line in file
                  if line.split()[2] == "cgroup2"]
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        own = [line.strip()[3:] for line in file if line.startswith("0::")]
    return (mounts[0] + own[0].rstrip("/"), mounts[0]) \
        if mounts and own else None


def have_groups():
    """Whether a control group can be made, and frozen."""
    home = group_home()
    name = os.path.join(home[0] if home else "/nowhere",
                        "test-" + uuid.uuid4().hex)
    try:
        os.mkdir(name)
        there = os.path.exists(name + "/cgroup.freeze")
        os.rmdir(name)
    except OSError:
        return False
    return there


def maker(group):
    """Process and start time of who made a group, by its name."""
    words = os.path.basename(group).split("-")
    if words[:2] != ["tori", "gang"] or len(words) != 5:
        return None
    return int(words[2]), int(words[3])


class Run:
    """A run; `files` is its directory. Leaves nothing when it is closed."""

    def __init__(self, build, *options, jobs=None, ranks=RANKS,
                 before=None, user=None, files=None, launch=None):
        """`before` is called with the directory before anything runs. The run
        is of another user, or with a soft limit of open files, if given.
        `launch` are words to use in place of mpirun's for this host."""
        self.gates = []
        self.user = user
        self.known = {}  # processes of the run: when they were started
        self.others = {}  # those that are not of it
        self.mark = "TORI_TEST=" + uuid.uuid4().hex
        self.files = tempfile.TemporaryDirectory(prefix="tori-gang-")
        self.environment = dict(
            os.environ, PATH=build + os.pathsep + os.environ["PATH"],
            TORI_GANG_SOCKET=self.path("socket"),
            # MPI keeps what it has until the end, and some of it beyond.
            ASAN_OPTIONS="detect_leaks=0")
        # Others may take a network away while MPI looks at it; several hosts
        # say which network they have.
        self.environment.setdefault("UCX_NET_DEVICES", "lo")
        name, _, value = self.mark.partition("=")
        self.environment[name] = value
        if "--freeze" not in options and not have_groups():
            options = (*options, "--freeze", "signal")
        if jobs is None:
            options = ("--listen", "socket", *options)
        else:
            with open(self.path("jobs"), "w", encoding="utf-8") as file:
                file.write(jobs)
            options = ("--jobs", "jobs", *options)
        if before:
            before(self.files.name)
        if user is not None:
            os.chown(self.files.name, user, -1)
        soft = (f"--nofile={files}:",) if files else ()
        self.mpirun = subprocess.Popen(
            ["prlimit", *soft, *(launch or [MPIRUN, "-n", str(ranks)]),
             "tori", "gang", "run", *options],
            env=self.environment, cwd=self.files.name, text=True, user=user,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)

    def path(self, name):
        return os.path.join(self.files.name, name)

    def gate(self, name):
        """A pipe of this name for jobs to read from, asleep; what to call to
        have something written there."""
        os.mkfifo(self.path(name))
        self.gates.append(os.open(self.path(name), os.O_RDWR))
        return functools.partial(self.write, self.gates[-1])

    @staticmethod
    def write(gate, text="\n"):
        os.write(gate, text.encode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.mpirun.poll() is None:
            self.mpirun.terminate()
        try:
            self.mpirun.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.mpirun.kill()
            self.mpirun.communicate()
        for pid in self.all():
            os.kill(pid, signal.SIGKILL)
        for gate in self.gates:
            os.close(gate)
        self.files.cleanup()

    def end(self, timeout=PATIENCE):
        """Wait for the end: status, output, errors."""
        out, err = self.mpirun.communicate(timeout=timeout)
        return self.mpirun.returncode, out, err

    def listens(self, timeout=PATIENCE):
        def listens():
            if self.mpirun.poll() is not None:
                raise AssertionError("mpirun has ended: "
                                     + self.mpirun.stderr.read())
            return self.answers()
        wait(listens, "the run does not listen", timeout)

    def answers(self):
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(self.path("socket"))
            except OSError:
                return False
        return True

    def submit(self, *words, command="submit", env=None,
               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
               stderr=subprocess.PIPE):
        return subprocess.Popen(
            ["tori", "gang", command, *words], env=env or self.environment,
            cwd=self.files.name, text=True, stdin=stdin, user=self.user,
            stdout=stdout, stderr=stderr)

    def job(self, *words, timeout=PATIENCE, text=None, **how):
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
        found = self.find()
        return [pid for pid in found
                if read(pid, "comm").strip() not in LAUNCHER
                and found[pid][0] not in (b"Z", b"X")]

    def launchers(self):
        return [pid for pid in self.find()
                if read(pid, "comm").strip() in LAUNCHER]

    def find(self):
        table = {pid: stat(pid) for pid in processes()}
        table = {pid: found for pid, found in table.items() if found}
        mine = {pid for pid, found in table.items()
                if self.known.get(pid) == found[2] or self.has_mark(pid, found)}
        if self.mpirun.poll() is None:
            mine.add(self.mpirun.pid)
        grows = True
        while grows:
            more = {pid for pid in table
                    if pid not in mine and table[pid][1] in mine}
            mine |= more
            grows = bool(more)
        self.remember(mine, table)
        mine |= {pid for pid in table if pid not in self.others and self.made(
            read(pid, "cgroup").decode().rpartition("0::")[2].strip())}
        self.remember(mine, table)
        return {pid: table[pid] for pid in mine if pid in table}

    def remember(self, mine, table):
        """Who is of the run now is so for ever."""
        self.known.update((pid, table[pid][2]) for pid in mine
                          if pid in table)
        for pid in mine:
            self.others.pop(pid, None)

    def has_mark(self, pid, found):
        """Whether a process shows that it is of the run. Those of others are
        looked at once: only who descends from the run can come to have a mark,
        and while a process starts a program there is nothing to read."""
        if self.others.get(pid) == found[2]:
            return False
        self.others.pop(pid, None)
        mark = self.mark.encode()
        environ = read(pid, "environ")
        if (mark in environ.split(b"\0")
                or mark.partition(b"=")[2] in read(pid, "cmdline")):
            return True
        if environ:
            self.others[pid] = found[2]
        return False

    def made(self, group):
        """Whether a process of the run has made this control group, or
        folder."""
        who = maker(group)
        return bool(who) and self.known.get(who[0]) == who[1]

    def groups(self):
        """The control groups that processes of the run have made, and the
        folders of MPI programs."""
        home = group_home()
        return [name for name in (os.listdir(home[0]) if home else [])
                if self.made(name)] + self.folders()

    def folders(self):
        self.find()
        return [os.path.join(SHARED, name) for name in os.listdir(SHARED)
                if self.made(name)]

    def gone(self, timeout=PATIENCE):
        """Whether everything has gone, as soon as it has."""
        return until(lambda: not self.all(), timeout)

    def named(self, name):
        """Those of this name whose parent has another."""
        return [pid for pid in self.all()
                if read(pid, "comm").strip() == name
                and read(parent(pid), "comm").strip() != name]

    def by_rank(self, name):
        found = {}
        for pid in self.named(name):
            for word in read(pid, "environ").split(b"\0"):
                if word.startswith(b"PMI_RANK="):
                    found[int(word[9:])] = pid
        return found

    def keepers(self):
        """What looks after a rank: by rank."""
        return self.by_rank(b"tori-keeper")

    def ranks(self):
        """The process of each rank."""
        return self.by_rank(b"tori-rank")

    def wardens(self):
        return self.named(b"tori-warden")

    def programs(self, name):
        """Processes of the run whose words, with blanks between, have this in
        them. tori's own are left out: a client has the words of its job. They
        are known by their names, as the words of any program may have the path
        of a checkout in them."""
        return [pid for pid in self.all()
                if name.encode() in read(pid, "cmdline").replace(b"\0", b" ")
                and not read(pid, "comm").startswith(b"tori")]


@contextlib.contextmanager
def another_user(build):
    """A user that is not this one and runs nothing, and a directory with
    programs of the build: the build itself may be closed to others."""
    if os.geteuid() != 0:
        raise Skip("only root can be another user")
    with tempfile.TemporaryDirectory(prefix="tori-gang-") as programs:
        os.chmod(programs, 0o755)
        for name in ("tori", "tori-gang"):
            shutil.copy(os.path.join(build, name), programs)
            os.chmod(os.path.join(programs, name), 0o755)
        yield 50000 + os.getpid() % 10000, programs


def until(condition, seconds=None):
    """Whether a condition comes to hold, as soon as it does."""
    try:
        return bool(wait(condition, "", seconds))
    except AssertionError:
        return False


def holds(true, *what):
    if not true:
        raise AssertionError(" ".join(str(w) for w in what))


def unwarned(lines):
    """Lines but one of Open MPI: its mpiexec warns, and is right in all else,
    if the agent has begun another program before its group could be set."""
    return [line for line in lines.splitlines()
            if "plm:rsh: Warning: setpgid" not in line]


def ask(run, silent=()):
    """What 'tori gang status' says, and its jobs by their numbers. On a busy
    machine a rank may take too long to answer: then again."""
    answers = []

    def asked():
        status, out, err = run.job("--json", command="status")
        equal((status, err), (0, ""))
        answers.append(json.loads(out))
        return answers[-1]["silent"] == list(silent)
    wait(asked, f"not {silent}, but others are silent")
    return answers[-1], {job["id"]: job for job in answers[-1]["jobs"]}


def states(run):
    return {number: job["state"] for number, job in ask(run)[1].items()}


def asleep(run, number=1):
    """Wait until a job sleeps. It may wake up once more: a process that is
    about to become a program may have to wait for it."""
    wait(lambda: states(run).get(number) == "asleep", "it is awake")


def turns(run):
    return {number: job.get("turns", 0)
            for number, job in ask(run)[1].items()}


def have_turns(run, *numbers, more=4):
    """Wait until jobs have had so many more turns."""
    before = turns(run)
    wait(lambda: all(turns(run)[number] >= before[number] + more
                     for number in numbers), f"{numbers} have no turns")


def finish(client, *, output=None, status=0, errors=""):
    """Wait for the end of a client, which is to be as told."""
    out, err = client.communicate(timeout=PATIENCE)
    equal((client.returncode, err), (status, errors))
    if output is not None:
        equal(out, output)
    return out


def running(run, name, number):
    """Wait until so many processes run."""
    wait(lambda: len(run.programs(name)) >= number, f"{number} of {name}")


def leave(*clients):
    """Clients that are not needed any more; their jobs go with them."""
    for client in clients:
        client.kill()
        client.communicate()


AT_ONCE = 4


def side_by_side(cases):
    """What becomes of cases of which some run at once. The pool is gone before
    the last is told: while it lives it forks, and a process forked while a
    command is being started keeps open what the starter waits to be closed."""
    with multiprocessing.get_context("fork").Pool(
            AT_ONCE, maxtasksperchild=1) as pool:
        verdicts = pool.map(verdict, cases, chunksize=1)
        pool.close()
        pool.join()
    return verdicts


def tap(beside=(), cases=(), plain=()):
    """Run cases, functions without arguments that raise when they fail.

    Those of `beside` do not look for what a run leaves when it has ended, which
    the start of another might take away: some of them run at once, each in a
    process of its own. Those of `cases` run one by one. Those of `plain`, of
    either kind, are about processes and run the same code as others: with the
    word --sanitized they are left out."""
    left_out = plain if "--sanitized" in sys.argv else ()
    beside, cases = ([case for case in only(some) if case not in left_out]
                     for some in (beside, cases))
    return report(len(beside) + len(cases), itertools.chain(
        side_by_side(beside), map(verdict, cases)))
