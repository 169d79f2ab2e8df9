#!/usr/bin/env python3
"""Usage: executors.py BUILD-DIRECTORY [--rounds N] [--only NAME...]

torid-local and torid-rehearse as torid sees them: orders in, words out, and
real processes. Also with the executor killed at random. In TAP.
"""
import contextlib
import ctypes
import fcntl
import glob
import json
import os
import pwd
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from cases import Skip, equal
from patience import PATIENCE
from service import Service, remove
from silent import Silent

BUILD = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[sys.argv.index("--rounds") + 1]) \
    if "--rounds" in sys.argv else 20
# Jobs are of other users, too, whatever the umask is here.
os.umask(0o022)


def wait(true, what):
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until, what
        time.sleep(0.01)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


class Executor:
    """One of the programs, with a directory of its own."""

    def __init__(self, program="torid-local", *words, files=None):
        self.files = files or tempfile.mkdtemp(prefix="tori-exec-")
        os.chmod(self.files, 0o777)
        self.program, self.words, self.text, self.heard = program, words, b"", []
        self.begin()

    def path(self, name):
        return os.path.join(self.files, name)

    def begin(self):
        keep = [] if self.program.endswith(".py") \
            else ["--jobs", self.path("jobs")]
        self.process = subprocess.Popen(
            [os.path.join(BUILD, self.program), *keep, *self.words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.text = b""
        equal(self.hear("ready")["version"], 1)

    def tell(self, do, job=None, attempt=1, **more):
        message = {"do": do, **more}
        if job is not None:
            message.update(job=job, attempt=attempt)
        self.write(json.dumps(message))

    def write(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def start(self, job, *command, box="0,0/1x2", **more):
        place = {"box": box} if box else {}
        self.tell("start", job, command=list(command),
                  directory=self.files, nodes=["0,0", "0,1"], ids=[0, 1],
                  shape="1x2", **place, **more)

    def shell(self, job, text, **more):
        self.start(job, "/bin/sh", "-c", text, **more)

    def fill(self, patience):
        """Whether something has come."""
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        if not ready:
            return False
        more = os.read(self.process.stdout.fileno(), 65536)
        self.text += more
        *lines, self.text = self.text.split(b"\n")
        self.heard += [json.loads(line) for line in lines]
        return bool(more)

    def hear(self, what, job=None, attempt=1):
        """The next word of this kind about a job."""
        until = time.monotonic() + PATIENCE
        while True:
            for at, word in enumerate(self.heard):
                if word["is"] == what and (job is None or (
                        word["job"], word["attempt"]) == (job, attempt)):
                    return self.heard.pop(at)
            assert time.monotonic() < until, \
                f"no {what} of {job} in {self.heard}"
            self.fill(0.1)

    def guard(self, job, attempt=1):
        return int(read(self.path(f"jobs/{job}.{attempt}/guard")))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        remove(self.files)


# ---- one job ----

def an_ordinary_job():
    """a job runs, with its environment and files, and ends"""
    with Executor() as local:
        local.shell(17, 'echo $TORI_JOB_ID "$TORI_NODE_IDS" "$TORI_COORDS" '
                    '$TORI_SHAPE $COLOUR; cat $TORI_HOSTS; pwd; exit 3',
                    output="out", environment={"COLOUR": "red"})
        local.hear("started", 17)
        ended = local.hear("ended", 17)
        equal((ended["status"], ended["signal"]), (3, None))
        equal(read(local.path("out")), "17 0 1 0,0 0,1 1x2 red\nlocalhost\n"
              f"localhost\n{os.path.realpath(local.files)}\n")


BOXES = 'echo "${TORI_BOX-}" "$TORI_BOXES" "${TORI_ACROSS-}" ${TORI_MAP-}'


def several_boxes():
    """a job finds its box, or the pieces of its slice"""
    with Executor() as local:
        local.shell(1, BOXES, output="out")
        equal(local.hear("ended", 1)["status"], 0)
        local.shell(2, BOXES, output="out", box=None, across="1x2",
                    boxes=["0,0/1x1", "1,0/1x1"], map=[1, 0])
        equal(local.hear("ended", 2)["status"], 0)
        equal(read(local.path("out")),
              "0,0/1x2 0,0/1x2 \n 0,0/1x1 1,0/1x1 1x2 1 0\n")


def with_mpirun():
    """mpirun starts as many processes as there are nodes, here"""
    mpirun = shutil.which("mpirun.mpich") or shutil.which("mpirun")
    if not mpirun or "HYDRA" not in subprocess.run(
            [mpirun, "--version"], capture_output=True, text=True,
            check=False).stdout:
        raise Skip("needs mpirun of MPICH")
    with Executor() as local:
        local.shell(1, f"{mpirun} -f $TORI_HOSTS -n $(wc -l < $TORI_HOSTS) "
                    "sh -c 'echo $PMI_RANK of $PMI_SIZE'", output="out")
        equal(local.hear("ended", 1)["status"], 0)
        equal(sorted(read(local.path("out")).splitlines()),
              ["0 of 2", "1 of 2"])


def appended():
    """output is appended to what is there, so a second attempt adds to it"""
    with Executor() as local:
        for job in (1, 2):
            local.shell(job, f"echo {job}", output="out")
            local.hear("ended", job)
        equal(read(local.path("out")), "1\n2\n")


def a_script():
    """a script comes with the order, and only its user can read it"""
    with Executor() as local:
        text = "#!/usr/bin/env python3\nimport sys\nprint(sys.argv[1:])\n"
        local.start(1, "name", "a b", "c", script=text + "#" * 500000,
                    output="out")
        equal(local.hear("ended", 1)["status"], 0)
        equal(read(local.path("out")), "['a b', 'c']\n")
        equal(os.stat(local.path("jobs/1.1/script")).st_mode & 0o777, 0o700)
        if os.geteuid() == 0:
            local.start(2, "name", script="#!/bin/sh\nid -un\n",
                        user="nobody", output="out2")
            equal(local.hear("ended", 2)["status"], 0)
            equal(read(local.path("out2")), "nobody\n")
        local.tell("forget", 1)
        wait(lambda: not os.path.exists(local.path("jobs/1.1/script")),
             "the script stays")


def what_cannot_start():
    """a job that cannot start failed, and says why"""
    with Executor() as local:
        with open(local.path("script"), "w", encoding="utf-8") as file:
            file.write("#!/no/python\n")
        os.chmod(local.path("script"), 0o755)
        for job, (words, more, why) in enumerate([
                (["no-such-program"], {}, "no-such-program: No such file"),
                (["/etc/passwd"], {}, "/etc/passwd: Permission denied"),
                (["true"], {"directory": "/no/where"}, "/no/where: No such"),
                (["true"], {"script": "#! /no/sh -e\ntrue\n"},
                 "/no/sh, the interpreter of the script: No such file"),
                (["./script"], {}, "/no/python, the interpreter of ./script: "
                 "No such file"),
                (["true"], {"output": "no/where"}, "no/where: No such file"),
                (["true"], {"output": "no/x" + "ü" * 200}, "no/xüüü"),
                (["true"], {"user": "nobody-of-this-name"}, "no such user"),
                (["true"], {"user": "x" + "ü" * 70}, "no such user: xüü"),
                (["true"], {"directory": "here"}, '"directory": expected'),
                ([], {}, '"command": expected a list of words'),
                (["true"], {"limit": "long"}, '"limit": expected')]):
            local.tell("start", job, **{"command": words, "nodes": [],
                                        "directory": local.files, **more})
            said = local.hear("failed", job)["why"]
            assert said.startswith(why), said


def waits_for_nobody():
    """a job whose input is a pipe, or whose output nobody reads, fails"""
    with Executor() as local:
        os.mkfifo(local.path("pipe"))
        local.start(1, "true", input="pipe")
        equal(local.hear("failed", 1)["why"],
              "pipe: the input is neither a file nor a device")
        local.start(2, "true", output="pipe")
        equal(local.hear("failed", 2)["why"],
              "pipe: No such device or address")


def waits_for_ever():
    """a start that nothing answers has a deadline, and can be stopped"""
    if os.geteuid() != 0:
        raise Skip("needs root")
    with Executor("torid-local", "--patience", "1") as local, \
            deaf(local) as place:
        local.tell("start", 1, command=["true"], directory=place)
        assert local.hear("failed", 1)["why"].startswith(
            "it did not begin within 1 s")
    with Executor("torid-local", "--patience", "1000") as local, \
            deaf(local) as place:
        for job in (2, 3):
            local.tell("start", job, command=["true"], directory=place)
            wait(lambda n=job: read(local.path(f"jobs/{n}.1/guard")),
                 "there is no guard")
        local.tell("stop", 2, signal=15, grace=30)
        equal(local.hear("failed", 2)["why"], "stopped before it began")
        local.kill()
        local.begin()
        local.tell("stop", 3, signal=15, grace=30)
        equal(local.hear("failed", 3)["why"], "stopped before it began")
        local.tell("list")
        equal(local.hear("running")["jobs"], [])


def hung():
    """a guard sleeps while a file system keeps its job from dying"""
    if os.geteuid() != 0:
        raise Skip("needs root")

    def child(guard):
        pid = read(f"/proc/{guard}/task/{guard}/children").strip()
        return read(f"/proc/{pid}/comm").strip()

    def switches(guard):
        return int(read(f"/proc/{guard}/status").split(
            "\nvoluntary_ctxt_switches:")[1].split()[0])

    def sleeps(guard):
        before = switches(guard)
        time.sleep(1)
        return switches(guard) - before < 10

    with Silent() as silent, Executor() as local:
        local.start(1, "cat", silent.file)
        local.shell(2, f"cat {silent.file} & wait")
        wait(lambda: silent.hanging() == 2, "nothing hangs")
        for job in 1, 2:
            local.hear("started", job)
            local.tell("stop", job, signal=9, grace=0)
        for guard in local.guard(1), local.guard(2):
            wait(lambda pid=guard: child(pid) == "cat", "the shell is left")
            wait(lambda pid=guard: sleeps(pid), "the guard does not sleep")
        silent.release()
        for job in 1, 2:
            equal(local.hear("ended", job)["signal"], 9)


def slow_names():
    """a user's name that does not come keeps only that user's job waiting"""
    library = f"{BUILD}/tests/libbad_names.so"
    if not os.path.exists(library):
        raise Skip("needs a build without sanitizers")
    files = tempfile.mkdtemp(prefix="tori-exec-")
    names = os.path.join(files, "names")
    with open(names, "w", encoding="utf-8"):
        pass
    os.environ.update(LD_PRELOAD=library, BAD_NAMES=names)
    try:
        with Executor(files=files) as local:
            local.start(1, "true", user="nobody-of-this-name")
            wait(lambda: os.path.exists(names + ".asked"), "no name is asked")
            local.start(2, "true", user="root")
            assert local.hear("failed" if os.geteuid() else "ended", 2)
            os.remove(names)
            assert local.hear("failed", 1)["why"].startswith("no such user")
    finally:
        del os.environ["LD_PRELOAD"], os.environ["BAD_NAMES"]


@contextlib.contextmanager
def mounted(kind, path, options):
    """Something else in place of a directory, which root may do."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", path.encode(), kind.encode(), 0,
                  options.encode()) < 0:
        raise Skip(f"no {kind} can be mounted: "
                   f"{os.strerror(ctypes.get_errno())}")
    try:
        yield path
    finally:
        libc.umount2(path.encode(), 2)  # MNT_DETACH


@contextlib.contextmanager
def deaf(local):
    """A directory on a file system that never answers."""
    path = local.path("deaf")
    os.mkdir(path)
    try:
        fuse = os.open("/dev/fuse", os.O_RDWR)
    except OSError as why:
        raise Skip(f"/dev/fuse: {why}") from why
    try:
        with mounted("fuse", path, f"fd={fuse},rootmode=40000,user_id=0,"
                     "group_id=0"):
            yield path
    finally:
        os.close(fuse)


def full_host():
    """trouble of the host is not the job's: it can be tried elsewhere"""
    library = f"{BUILD}/tests/libbad_fork.so"
    if not os.path.exists(library):
        raise Skip("needs a build without sanitizers")
    files = tempfile.mkdtemp(prefix="tori-exec-")
    full = os.path.join(files, "full")
    os.environ.update(LD_PRELOAD=library, BAD_FORK=full)
    try:
        with Executor(files=files) as local:
            with open(full, "w", encoding="utf-8"):
                pass
            local.start(1, "true")
            failed = local.hear("failed", 1)
            equal((failed["retry"], failed["host"]), (True, True))
            os.remove(full)
            local.start(1, "true", attempt=2)
            equal(local.hear("ended", 1, 2)["status"], 0)
    finally:
        del os.environ["LD_PRELOAD"], os.environ["BAD_FORK"]


def full_disk():
    """starts wait while the folder of jobs is full, and can be stopped"""
    if os.geteuid() != 0:
        raise Skip("needs root")
    with Executor() as local:
        local.kill()
        jobs = local.path("jobs")
        with mounted("tmpfs", jobs, "nr_inodes=80"):
            local.begin()
            for left in range(9):
                n = 0
                while os.statvfs(jobs).f_ffree > left:
                    os.mkdir(os.path.join(jobs, f"filler{n}"))
                    n += 1
                local.start(left, "true")
                if left == 8:
                    equal(local.hear("ended", left)["status"], 0)
                    continue
                assert "is full" in local.hear("trouble")["why"]
                local.start(left + 20, "true")
                local.start(left + 40, "true")
                local.tell("suspend", left + 40)
                local.tell("list")
                equal([job["job"] for job in local.hear("running")["jobs"]],
                      [left, left + 20, left + 40])
                for number in (left + 20, left + 40):
                    local.tell("stop", number, signal=15, grace=0)
                    equal(local.hear("failed", number)["why"],
                          "it was stopped before it began")
                for i in range(n):
                    os.rmdir(os.path.join(jobs, f"filler{i}"))
                equal(local.hear("ended", left)["status"], 0)
                equal(local.hear("trouble").get("why"), None)
                guard = local.guard(left)
                local.tell("forget", left)
                local.tell("list")  # when it answers, that is done
                equal(local.hear("running")["jobs"], [])
                # Until it has ended, it takes room for files without a name.
                wait(lambda pid=guard: not alive(pid), "its guard stays")
            local.kill()
        local.begin()


def nonsense():
    """what is not an order is passed over"""
    with Executor() as local:
        for line in ("", "{", "[]", "17", '{"do":17}', '{"do":"fly"}',
                     '{"do":"stop","job":1,"attempt":1}', "{}",
                     '{"do":"start"}', '{"do":"start","job":-1,"attempt":1}',
                     '{"do":"forget","job":7,"attempt":1}', "x" * 1000):
            local.write(line)
        local.start(1, "true")
        local.hear("ended", 1)
        local.tell("list")
        equal(local.hear("running"), {"is": "running", "jobs": []})


def leftovers():
    """what a job leaves behind is ended with it"""
    with Executor() as local:
        local.shell(1, "setsid sleep 1000 & echo $! > left; "
                    "(trap '' TERM; sleep 1000) & echo $! >> left; exit 0")
        equal(local.hear("ended", 1)["status"], 0)
        for pid in read(local.path("left")).split():
            wait(lambda p=pid: not alive(p), f"{pid} is left")


# ---- stopping ----

def stopped():
    """a job that is stopped may clean up, and is killed if it takes too long"""
    with Executor() as local:
        local.shell(1, "trap 'echo bye > bye; exit 5' TERM; touch here; "
                    "while :; do sleep 0.02; done")
        local.shell(2, "trap '' TERM; touch there; while :; do sleep 0.02; "
                    "done")
        wait(lambda: os.path.exists(local.path("here"))
             and os.path.exists(local.path("there")), "jobs do not begin")
        local.tell("stop", 1, signal=15, grace=50)
        local.tell("stop", 2, signal=15, grace=0)
        ended = local.hear("ended", 1)
        equal((ended["status"], ended["why"], read(local.path("bye"))),
              (5, "stopped", "bye\n"))
        equal(local.hear("ended", 2)["signal"], signal.SIGKILL)


def out_of_time():
    """a job is warned before its limit, and ended at it"""
    with Executor() as local:
        local.shell(1, "trap 'echo warned > word' USR1; trap 'exit 5' TERM; "
                    "touch here; while :; do sleep 0.02; done",
                    limit=1000, warn=0.5, grace=1000)
        begun = time.time()
        wait(lambda: os.path.exists(local.path("here")), "no beginning")
        limit = time.time() - begun + 1
        local.tell("limit", 1, limit=limit)
        ended = local.hear("ended", 1)
        equal((ended["why"], ended["status"], read(local.path("word"))),
              ("time limit", 5, "warned\n"))
        assert ended["at"] - ended["began"] >= limit - 0.01, ended


def still(path):
    """Wait until nobody writes to a file; what it has then."""
    text = [read(path)]
    def same():
        time.sleep(0.3)
        text.append(read(path))
        return text[-2] == text[-1]
    wait(same, "it goes on")
    return text[-1]


def suspended():
    """a suspended job stands still, and its time with it"""
    with Executor() as local:
        local.shell(1, "while :; do echo x >> count; sleep 0.01; done",
                    limit=1000, grace=0)
        begun = time.time()
        count = local.path("count")
        wait(lambda: len(read(count)) > 10, "no beginning")
        local.tell("suspend", 1)
        before = still(count)
        local.tell("limit", 1, limit=time.time() - begun + 0.5)
        time.sleep(1.5)
        equal(read(count), before)
        local.tell("limit", 1, limit=1000)
        local.tell("resume", 1)
        wait(lambda: read(count) != before, "no resumption")
        local.tell("limit", 1, limit=0.01)
        ended = local.hear("ended", 1)
        equal(ended["why"], "time limit")
        assert ended["at"] - ended["began"] > 1.5, ended


GATE = "until test -e go; do sleep 0.02; done; exit 7"
OLD = 5  # seconds: the limit that a job outlives


def pass_old_limit(since):
    """Wait until a limit would have ended a job that began before then."""
    wait(lambda: time.monotonic() > since + OLD + 0.5, "time stands still")


def relimited():
    """a new limit counts from the start of the job, and outlives the executor"""
    with Executor() as local:
        local.shell(1, f"trap 'echo warned > word' USR1; {GATE}",
                    limit=OLD, warn=1, grace=0)
        local.shell(2, GATE, limit=1000, grace=60)
        for job in (1, 2):
            local.hear("started", job)
        since = time.monotonic()
        local.tell("limit", 1, limit=1000)
        local.tell("limit", 2, limit=0.5)
        ended = local.hear("ended", 2)
        equal((ended["why"], ended["signal"]), ("time limit", 15))
        assert ended["at"] - ended["began"] >= 0.99, ended
        local.kill()
        local.begin()
        for limit in (1000, "long", None):
            local.tell("limit", 1, limit=limit)
        local.tell("limit", 3, limit=1)
        pass_old_limit(since)
        local.tell("list")
        equal(local.hear("running")["jobs"], [{"job": 1, "attempt": 1}])
        equal(read(local.path("word")), "")
        local.tell("limit", 1, limit=2)
        equal(local.hear("ended", 1)["why"], "time limit")


def patched():
    """a job of torid learns its new limit, also if the executor was away"""
    if not os.path.exists(f"{BUILD}/torid"):
        raise Skip("there is no torid")
    with Service() as service:
        longer = service.submit("sh", "-c", GATE, time_limit=OLD)
        wait(lambda: "starting" not in service.job(longer), "no start")
        # However slow all else is, the guard hears of its limit in time.
        guard, = map(read, glob.glob(service.path(f"jobs/{longer}.*/guard")))
        os.kill(int(guard), signal.SIGSTOP)
        since = time.monotonic()
        shorter = [service.submit("sh", "-c", GATE, time_limit=1000)
                   for _ in range(2)]

        def change(job, limit):
            equal(service.ask("PATCH", f"/v1/jobs/{job}",
                              {"time_limit": limit})[0], 200)

        change(shorter[0], 1)
        equal(service.ended(shorter[0])["why"], "time limit")
        wait(lambda: "starting" not in service.job(shorter[1]), "no start")
        service.kill_executor()
        wait(lambda: "executor-away" in read(service.path("log")),
             "the executor does not go")
        change(longer, 1000)
        change(shorter[1], 1)
        equal(service.ended(shorter[1])["why"], "time limit")
        pass_old_limit(since)
        os.kill(int(guard), signal.SIGCONT)
        time.sleep(0.3)  # for its end, if it had the old limit
        with open(service.path("go"), "w", encoding="utf-8"):
            pass
        ended = service.ended(longer)
        equal((ended["status"], ended.get("why")), (7, None))


def threaded():
    """... and outlives no guard, also where no control group can be made"""
    mounts = [line.split()[1] for line in read("/proc/mounts").splitlines()
              if line.split()[2] == "cgroup2"]
    if not mounts:
        raise Skip("needs control groups")
    own = read("/proc/self/cgroup").rpartition("0::")[2].strip()
    group = f"{mounts[0]}{own}/tori-threads-{os.getpid()}"
    try:
        os.mkdir(group)
        with open(f"{group}/cgroup.type", "w", encoding="utf-8") as file:
            file.write("threaded")
    except OSError as why:
        raise Skip(f"no control group of threads: {why}") from why
    try:
        with Executor() as local:
            with open(f"{group}/cgroup.procs", "w", encoding="utf-8") as file:
                file.write(str(local.process.pid))
            local.shell(1, "while :; do echo x >> count; sleep 0.01; done")
            wait(lambda: len(read(local.path("count"))) > 10, "no beginning")
            local.tell("suspend", 1)
            still(local.path("count"))
            local.tell("stop", 1, signal=signal.SIGKILL)
            local.hear("ended", 1)
            local.shell(2, "sleep 1000 & echo $! > pid; wait")
            wait(lambda: read(local.path("pid")), "no beginning")
            os.kill(local.guard(2), signal.SIGKILL)
            local.hear("ended", 2)
            wait(lambda: not alive(int(read(local.path("pid")))), "it lives")
    finally:
        wait(lambda: subprocess.run(
            ["rmdir", group], check=False,
            stderr=subprocess.DEVNULL).returncode == 0, "processes stay there")


# ---- surviving ----

def executor_killed():
    """jobs outlive the executor; the next one finds them, and how they ended"""
    with Executor() as local:
        local.shell(1, "while ! test -e go; do sleep 0.02; done; exit 4")
        local.shell(2, "while ! test -e on; do sleep 0.02; done; exit 6")
        local.hear("started", 1)
        local.hear("started", 2)
        local.kill()
        open(local.path("go"), "w", encoding="utf-8").close()
        wait(lambda: os.path.exists(local.path("jobs/1.1/ended")), "no end")
        over = time.time()
        local.begin()
        ended = local.hear("ended", 1)
        equal(ended["status"], 4)
        assert ended["at"] <= over, f"it ended at {ended['at']}, not {over}"
        local.tell("list")
        equal(local.hear("running")["jobs"], [{"job": 2, "attempt": 1}])
        open(local.path("on"), "w", encoding="utf-8").close()
        equal(local.hear("ended", 2)["status"], 6)


def twice():
    """an attempt is never started twice, also after it has been forgotten"""
    with Executor() as local:
        for _ in range(3):
            local.shell(1, "echo x >> count; while ! test -e go; do sleep "
                        "0.02; done")
            local.hear("started", 1)
        local.kill()
        local.begin()
        local.shell(1, "echo x >> count")
        open(local.path("go"), "w", encoding="utf-8").close()
        equal(local.hear("ended", 1)["status"], 0)
        local.shell(1, "echo x >> count")
        equal(local.hear("ended", 1)["status"], 0)
        local.tell("forget", 1)
        local.shell(1, "echo x >> count")
        local.tell("list")
        equal(local.hear("running")["jobs"], [])
        equal(read(local.path("count")), "x\n")
        local.tell("start", 1, 2, command=["true"], directory=local.files)
        equal(local.hear("ended", 1, 2)["status"], 0)


def deafened(program):
    """An executor, as a command: it says that a job has started only once there
    is a file "heard"."""
    def command(files):
        path = f"{files}/deafened"
        whole = f"{BUILD}/{program} --jobs {files}/jobs"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncd {files}\n"
                       f"if test -e heard; then exec {whole}; fi\n"
                       f"{whole} | grep --line-buffered -v started\n")
        os.chmod(path, 0o755)
        return path
    return command


def unheard_start():
    """a job whose start nobody heard counts as started after a restart"""
    if not os.path.exists(f"{BUILD}/torid"):
        raise Skip("there is no torid")
    for program in ("torid-rehearse", "torid-local"):
        with Service(executor=deafened(program)) as service:
            job = service.submit("sh", "-c", "echo x > begun; exec sleep 1000",
                                 time_limit=1000)
            wait(lambda: read(service.path("begun")) or f'"job":{job},' in read(
                service.path("jobs")), "it is not started")
            assert service.job(job)["starting"]
            service.kill()
            open(service.path("heard"), "w", encoding="utf-8").close()
            service.begin()
            wait(lambda: "starting" not in service.job(job),
                 f"{program}: its start is not reported again")
            equal(service.job(job)["state"], "running")


def begins_late():
    """a job that begins after its executor was killed is reported by the next"""
    with Executor() as local:
        local.kill()
        os.mkdir(local.path("jobs/7.1"))
        with open(local.path("jobs/7.1/guard"), "w", encoding="utf-8") as file:
            file.write(str(os.getpid()))
        with open(local.path("jobs/7.1/lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            local.begin()
            local.tell("list")
            equal(local.hear("running")["jobs"], [{"job": 7, "attempt": 1}])
            open(local.path("jobs/7.1/began"), "w", encoding="utf-8").close()
            local.hear("started", 7)


def guard_killed():
    """a job does not outlive its guard"""
    with Executor() as local:
        local.shell(1, "echo $$ > pid; exec sleep 1000")
        local.hear("started", 1)
        wait(lambda: read(local.path("pid")), "no beginning")
        os.kill(local.guard(1), signal.SIGKILL)
        ended = local.hear("ended", 1)
        equal((ended["signal"], ended["why"]), (9, "its guard was killed"))
        wait(lambda: not alive(int(read(local.path("pid")))), "it lives")


def one_at_a_time():
    """a second executor of the same directory is refused"""
    with Executor() as local:
        second = subprocess.run(
            [os.path.join(BUILD, "torid-local"), "--jobs",
             local.path("jobs")], input=b"", capture_output=True, check=False)
        equal((second.returncode, second.stdout), (1, b""))
        assert b"another torid-local uses it" in second.stderr, second.stderr


def others():
    """a job of another user has that user's rights, and no more"""
    if os.geteuid() != 0:
        raise Skip("only root can do that")
    nobody = pwd.getpwnam("nobody").pw_uid
    with Executor() as local:
        os.mkdir(local.path("closed"), 0o700)
        local.shell(1, "id -u; touch mine; touch closed/theirs", user="nobody",
                    output="out")
        local.hear("ended", 1)
        equal(read(local.path("out")).splitlines()[0], str(nobody))
        equal(os.stat(local.path("mine")).st_uid, nobody)
        equal(os.stat(local.path("out")).st_uid, nobody)
        equal(os.listdir(local.path("closed")), [])
        local.shell(3, "id -G; echo $HOME $USER $LOGNAME $SHELL",
                    user="nobody", output="who")
        local.hear("ended", 3)
        entry = pwd.getpwnam("nobody")
        equal(read(local.path("who")).split(),
              [*map(str, os.getgrouplist("nobody", entry.pw_gid)),
               entry.pw_dir, "nobody", "nobody", entry.pw_shell])
        local.shell(2, "true", user="nobody", output="closed/out")
        assert "Permission denied" in local.hear("failed", 2)["why"]


def killed_at_random():
    """an executor that is killed at random loses nothing and repeats nothing"""
    chance = random.Random(17)
    jobs = 0
    with Executor() as local:
        ended = {}
        for _ in range(ROUNDS):
            for _ in range(chance.randint(1, 4)):
                jobs += 1
                local.shell(jobs, f"echo {jobs} >> ran; sleep "
                            f"{chance.uniform(0, 0.2):.3f}; exit {jobs % 100}")
            until = time.monotonic() + chance.uniform(0, 0.15)
            while time.monotonic() < until:
                local.fill(0.01)
            local.kill()
            local.begin()
            for job in range(1, jobs + 1):  # torid repeats what it has not heard
                if job not in ended:
                    local.shell(job, f"echo {job} >> ran; exit {job % 100}")
            ended.update((word["job"], word["status"]) for word in local.heard
                         if word["is"] == "ended")
        local.tell("list")
        until = time.monotonic() + PATIENCE
        while len(ended) < jobs:
            assert time.monotonic() < until, \
                f"{set(range(1, jobs + 1)) - set(ended)} never end"
            local.fill(0.1)
            for word in local.heard:
                if word["is"] == "ended":
                    ended[word["job"]] = word["status"]
                elif word["is"] == "failed" \
                        and word["why"] == "it was never started":
                    ended[word["job"]] = None  # killed before it began
            local.heard = []
        ran = [int(line) for line in read(local.path("ran")).split()]
        equal(len(ran), len(set(ran)))
        for job, status in ended.items():
            assert status in (None, job % 100), (job, status)
            assert (status is None) == (job not in ran), (job, status)


# ---- rehearsals ----

def rehearsal():
    """a rehearsal ends jobs by the clock, and goes on after it was killed"""
    with Executor("torid-rehearse", "--speed", "1000") as stage:
        stage.start(1, "never", runtime=1)
        stage.start(2, "never", limit=100000)
        stage.start(3, "never", limit=100000)
        for job in (1, 2, 3):
            stage.hear("started", job)
        equal(stage.hear("ended", 1)["status"], 0)
        stage.start(4, "never", runtime=200)
        stage.hear("started", 4)
        stage.kill()
        over = time.time() + 0.2
        time.sleep(0.3)
        stage.begin()
        at = stage.hear("ended", 4)["at"]
        assert at <= over, f"it ended at {at}, not {over}"
        stage.tell("list")
        equal([job["job"] for job in stage.hear("running")["jobs"]], [2, 3])
        stage.tell("stop", 2, signal=15, grace=0)
        equal(stage.hear("ended", 2)["signal"], 15)


def relimited_rehearsal():
    """a rehearsal follows a new limit, and goes on after it was killed"""
    with Executor("torid-rehearse", "--speed", "1000") as stage:
        stage.start(1, "never", limit=OLD * 1000)
        stage.start(2, "never", limit=1e6)
        stage.start(3, "never", runtime=1e6, limit=2e6)
        for job in (1, 2, 3):
            stage.hear("started", job)
            since = time.monotonic()
        stage.tell("limit", 1, limit=1e6)
        stage.tell("limit", 2, limit=1500)
        stage.tell("limit", 3, limit=1)
        equal(stage.hear("ended", 2)["status"], 0)
        stage.kill()
        stage.begin()
        pass_old_limit(since)
        stage.tell("list")
        equal([job["job"] for job in stage.hear("running")["jobs"]], [1, 3])
        stage.tell("suspend", 1)
        stage.tell("limit", 1, limit=1)
        ended = stage.hear("ended", 1)
        equal((ended["why"], ended["signal"]), ("time limit", 15))


def paused():
    """no time passes in a rehearsal while the file of --pause exists"""
    with tempfile.TemporaryDirectory(prefix="tori-exec-") as files:
        pause = os.path.join(files, "pause")
        open(pause, "w", encoding="utf-8").close()
        with Executor("torid-rehearse", "--speed", "1000", "--pause",
                      pause) as stage:
            for job, runtime in ((1, 100), (2, 1)):
                stage.start(job, "never", runtime=runtime)
                stage.hear("started", job)
            time.sleep(0.3)  # for all of both, if time passed
            stage.tell("list")
            equal([job["job"] for job in stage.hear("running")["jobs"]],
                  [1, 2])
            on = time.time()
            os.unlink(pause)
            for job, runtime in ((2, 1), (1, 100)):
                at = stage.hear("ended", job)["at"]
                assert at >= on + runtime / 1000 - 0.001, (at, on)


def example():
    """the executor of examples/ starts, stops and lists jobs"""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    path = os.path.join(here, "examples/executor.py")
    assert read(path).count("\n") <= 60, "it has more than 60 lines"
    with Executor(path) as other:
        other.start(1, "sh", "-c", "echo $COLOUR > word; echo said; exit 3",
                    output="out", environment={"COLOUR": "red"})
        other.hear("started", 1)
        equal(other.hear("ended", 1)["status"], 3)
        equal((read(other.path("word")), read(other.path("out"))),
              ("red\n", "said\n"))
        other.start(2, "sleep", "1000")
        other.hear("started", 2)
        other.tell("list")
        equal(other.hear("running")["jobs"], [{"job": 2, "attempt": 1}])
        other.tell("stop", 2, signal=15)
        equal(other.hear("ended", 2)["signal"], 15)
        other.start(3, "no-such-program")
        assert "No such file" in other.hear("failed", 3)["why"]
        stubborn = "trap '' TERM; touch here; while :; do sleep 0.02; done"
        other.start(4, "sh", "-c", stubborn)
        wait(lambda: os.path.exists(other.path("here")), "no beginning")
        other.tell("stop", 4, signal=15, grace=0.1)
        equal(other.hear("ended", 4)["signal"], signal.SIGKILL)
        other.start(5, "sleep", "1000", limit=0.2, grace=5)
        equal(other.hear("ended", 5)["signal"], signal.SIGTERM)
        other.start(6, "sh", "-c", stubborn, limit=0.2, grace=0.1)
        equal(other.hear("ended", 6)["signal"], signal.SIGKILL)
        other.start(7, "name", "a b", "c", output="out7", script="#!/bin/sh\n"
                    'echo $TORI_JOB_ID "$TORI_NODES" "$TORI_COORDS" '
                    '$TORI_SHAPE $TORI_BOX $TORI_ATTEMPT "$@" $#\nexit 9\n')
        equal(other.hear("ended", 7)["status"], 9)
        equal(read(other.path("out7")),
              "7 0 1 0,0 0,1 1x2 0,0/1x2 1 a b c 2\n")
        other.shell(9, BOXES, output="out9", box=None, across="1x2",
                    boxes=["0,0/1x1", "1,0/1x1"])
        equal(other.hear("ended", 9)["status"], 0)
        equal(read(other.path("out9")), " 0,0/1x1 1,0/1x1 1x2\n")
        other.start(8, "sh", "-c", "sleep 1000 & echo $! $$ > pids; wait")
        other.hear("started", 8)
        wait(lambda: read(other.path("pids")), "no beginning")
        other.kill()
        for pid in read(other.path("pids")).split():
            wait(lambda p=pid: not alive(p), f"{pid} is left")
        other.begin()


def late_guard():
    """an order for a guard that has not said its number yet is not lost"""
    with Executor() as local:
        local.process.kill()
        local.process.wait()
        os.mkdir(local.path("jobs/7.1"))
        with open(local.path("jobs/7.1/lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            local.begin()
            local.tell("stop", 7, signal=15, grace=0)
            local.tell("list")
            equal(local.hear("running")["jobs"], [{"job": 7, "attempt": 1}])
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
            with open(local.path("guard"), "w", encoding="utf-8") as file:
                file.write(str(os.getpid()))
            os.rename(local.path("guard"), local.path("jobs/7.1/guard"))
            heard = signal.sigtimedwait([signal.SIGRTMIN], PATIENCE)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGRTMIN])
            assert heard, "the guard was not told"


def half_made():
    """an executor killed while it prepared a start leaves nothing behind"""
    with Executor() as local:
        local.process.kill()
        local.process.wait()
        os.mkdir(local.path("jobs/next"))
        with open(local.path("jobs/next/lock"), "w", encoding="utf-8"):
            pass
        local.begin()
        local.start(7, "true")
        equal(local.hear("ended")["status"], 0)
        equal(sorted(os.listdir(local.path("jobs"))), ["7.1", "lock"])


def interrupted():
    """a start that fails at any point, and is ordered again, has an end"""
    with Executor() as local:
        for spare in range(8):
            fds = len(os.listdir(f"/proc/{local.process.pid}/fd"))
            _, most = resource.prlimit(local.process.pid,
                                       resource.RLIMIT_NOFILE)
            resource.prlimit(local.process.pid, resource.RLIMIT_NOFILE,
                             (fds + spare, most))
            local.start(spare, "true")
            time.sleep(0.05)
            local.kill()
            local.heard = []
            local.begin()
            local.start(spare, "true")
            local.tell("list")
            until = time.monotonic() + PATIENCE
            while not any(word["is"] in ("ended", "failed")
                          for word in local.heard):
                assert time.monotonic() < until, (spare, local.heard)
                local.fill(0.1)


TESTS = [an_ordinary_job, several_boxes, with_mpirun, appended, a_script, what_cannot_start,
         waits_for_nobody, waits_for_ever, hung, full_host, full_disk, slow_names,
         nonsense, leftovers,
         stopped, out_of_time, suspended, relimited, patched, threaded, executor_killed, twice,
         unheard_start, begins_late, guard_killed,
         late_guard, half_made, interrupted, one_at_a_time, others, killed_at_random, rehearsal,
         relimited_rehearsal, paused, example]


def main():
    tests = [test for test in TESTS if "--only" not in sys.argv
             or test.__name__ in sys.argv]
    print(f"1..{len(tests)}")
    bad = 0
    for number, test in enumerate(tests, 1):
        word, note = "ok", ""
        try:
            test()
        except Skip as why:
            note = f" # SKIP {why}"
        except Exception as error:  # pylint: disable=broad-except
            word, bad = "not ok", bad + 1
            print(f"# {test.__name__}: {type(error).__name__}: {error}",
                  flush=True)
        print(f"{word} {number} - {test.__doc__}{note}", flush=True)
    return bad > 0


sys.exit(main())
