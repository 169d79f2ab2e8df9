#!/usr/bin/env python3
"""Usage: gang_run.py BUILD-DIRECTORY

'tori gang run' for real: under mpirun, with processes.
"""
import contextlib
import hashlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

from gangrun import (PATIENCE, STUBBORN, Run, asleep, equal, finish,
                     group_home, have_turns, holds, leave, read, states, tap,
                     until, wait)

BUILD = os.path.abspath(sys.argv[1])
SLOT = ("--slot", "20ms")


def run_all(jobs, *options, ranks=4, before=None):
    """Run jobs to their end; nothing may be left."""
    with Run(BUILD, *SLOT, *options, jobs=jobs, ranks=ranks,
             before=before) as run:
        status, out, err = run.end()
        holds(run.gone(), "left behind:", run.all())
        report = None
        if os.path.exists(run.path("report")):
            with open(run.path("report"), encoding="utf-8") as file:
                report = json.load(file)
        return status, out, err, report


def sizes():
    """jobs of several sizes, from a file."""
    status, out, err, _ = run_all("""# a comment
-n 2 -- sh -c 'echo two $TORI_JOB_ID $TORI_RANK/$TORI_SIZE'
-n1 -t 0.2 echo "one word" 'and another' \\$x
-n 4 sh -c 'for i in 1 2 3; do echo four $TORI_RANK $i; done'
-n 3 sh -c 'echo three $TORI_RANK >&2'
""")
    equal(status, 0)
    lines = out.splitlines()
    equal(sorted(lines), sorted(
        ["two 1 0/2", "two 1 1/2", "one word and another $x"]
        + [f"four {r} {i}" for r in range(4) for i in (1, 2, 3)]))
    for rank in range(4):
        equal([line[-1] for line in lines
               if line.startswith(f"four {rank}")], ["1", "2", "3"])
    equal(sorted(err.splitlines()), [f"three {r}" for r in range(3)])


def partitions():
    """processes of a job are in one partition, on processors of their own."""
    tell = "sh -c 'echo $TORI_JOB $TORI_PARTITION $TORI_PROCESSOR'"
    status, out, _, report = run_all(
        f"-n 2 {tell}\n-n 2 {tell}\n-n 4 {tell}\n-n 1 {tell}\n-n 3 {tell}\n",
        "--report", "report")
    equal(status, 0)
    where = {}
    for line in out.splitlines():
        job, box, processor = line.split()
        where.setdefault(int(job), []).append((box, int(processor)))
    equal([len(where[j]) for j in range(1, 6)], [2, 2, 4, 1, 3])
    for job, found in where.items():
        first, size = (int(x) for x in found[0][0].split("/"))
        equal({box for box, _ in found}, {found[0][0]})
        equal(sorted(p for _, p in found),
              list(range(first, first + len(found))))
        holds(len(found) <= size, "job", job, found)
        equal(report["jobs"][job - 1]["partition"], found[0][0])
    holds({where[1][0][0], where[2][0][0]} == {"0/2", "2/2"}, where)


def squares():
    """a machine of two dimensions, split in four."""
    status, out, _, _ = run_all(
        "-n 4 sh -c 'echo $TORI_PARTITION'\n-n 1 sh -c 'echo $TORI_PARTITION'"
        "\n", "--machine", "mesh:2x2", "--degree", "4")
    equal((status, sorted(out.splitlines())),
          (0, ["0,0/1x1"] + ["0,0/2x2"] * 4))


def statuses():
    """exit statuses, and the first failure ends a job."""
    status, _, err, report = run_all(
        "-n 2 true\n-n 3 sh -c 'test $TORI_RANK = 1 && exit 7; sleep 600'\n"
        "-n 1 sh -c 'kill -9 $$'\nno-such-program\n",
        "--report", "report")
    equal(status, 1)
    equal([job["status"] for job in report["jobs"]], [0, 7, 137, 127])
    for line in ("job 2 (sh): status 7", "job 3 (sh): status 137",
                 "job 4 (no-such-program): status 127"):
        holds(line in err, err)


def too_large():
    """a job larger than the machine: status 4, and nothing runs."""
    status, out, err, _ = run_all("-n 1 echo never\n-n 5 true\n")
    equal((status, out), (4, ""))
    holds("jobs:2: a job of 5 processes is larger than the machine, which "
          "has 4 processors\n" in err, err)


def bad_input():
    """bad job files: status 2, and nothing runs."""
    for jobs, words in (("true\n-q true\n", "jobs:2: "),
                        ("echo 'open\n", "quote")):
        status, out, err, _ = run_all(jobs, ranks=2)
        equal((status, out), (2, ""))
        holds(words in err, err)


def pipes():
    """piped programs: all output of one goes into the first of the next."""
    status, out, err, _ = run_all(
        "-n 2 seq 1000 | -n 1 sort -n | -n 1 sh -c 'uniq -c | wc -l; "
        "echo stage $TORI_STAGE of $TORI_STAGES'\n"
        "-n 1 yes | -n 1 head -n 2\n")
    equal((status, err), (0, ""))
    equal(sorted(out.split("\n")), sorted(["1000", "stage 2 of 3", "y", "y",
                                           ""]))


def box(text):
    """The processors of a partition of a line."""
    first, size = (int(x) for x in text.split("/"))
    return set(range(first, first + size))


def subpartitions():
    """piped programs are in disjoint partitions within that of their job."""
    tell = ("sh -c 'cat >/dev/null; echo $TORI_STAGE $TORI_PARTITION "
            "$TORI_JOB_PARTITION $TORI_PROCESSOR >&2'")
    for ranks, jobs, expected in (
            (4, f"{tell} | -n 2 {tell}", ["2/1", "0/2"]),
            (8, f"-n 4 {tell} | -n 2 {tell}", ["0/4", "4/2"]),
            (4, f"-n 3 {tell} | -n 1 {tell}", ["0/4", "0/4"])):
        status, _, err, report = run_all(jobs, "--report", "report",
                                         ranks=ranks)
        equal(status, 0)
        equal(report["jobs"][0]["partition"], f"0/{ranks}")
        used = []
        for line in err.splitlines():
            stage, part, job, processor = line.split()
            equal((part, job), (expected[int(stage)], f"0/{ranks}"))
            holds(int(processor) in box(part), line)
            used.append(processor)
        equal(len(used), len(set(used)))
        equal(len(used), report["jobs"][0]["count"])


def late_reader():
    """what is written before the next program is started is not lost."""
    with Run(BUILD, *SLOT, ranks=8) as run:
        run.listens()
        # The order to start goes to rank 6 by way of rank 4.
        relay = run.ranks()[4]
        os.kill(relay, signal.SIGSTOP)
        client = run.submit("-n", "4", "sh", "-c",
                            "echo word; touch said$TORI_RANK", "|", "cat", "|",
                            "-n", "2", "sh", "-c", "sort | uniq -c",
                            command="pipe")
        wait(lambda: all(os.path.exists(run.path(f"said{rank}"))
                         for rank in range(4)), "nothing is said")
        wait(lambda: not run.wardens(), "it does not end")
        os.kill(relay, signal.SIGCONT)
        equal(finish(client).split(), ["4", "word"])


def part_of_a_line():
    """who writes into a pipe alone is read at once, without a newline."""
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        status, out, _ = run.job("sh", "-c", "printf ab; exec sleep 600", "|",
                                 "sh", "-c", "head -c 2; exit 3",
                                 command="pipe")
        equal((status, out), (3, "ab"))


def large_output():
    """output is neither lost nor mixed within a line, however much it is."""
    status, out, _, _ = run_all(
        "-n 4 sh -c 'seq 1 20000 | sed s/^/$TORI_RANK:/'\n")
    equal(status, 0)
    last = {}
    for line in out.splitlines():
        rank, number = line.split(":")
        equal(int(number), last.get(rank, 0) + 1)
        last[rank] = int(number)
    equal(last, {str(r): 20000 for r in range(4)})


LONG = """import os, sys, time
r = int(os.environ['TORI_RANK'])
for size in (5000, 4095, 4096, 70000, 300000, 9000):
    text = str(r) * size + ('' if size == 9000 else chr(10))
    for at in range(0, len(text), 3000):
        sys.stdout.write(text[at:at + 3000])
        sys.stdout.flush()
        if at % 30000 == 3000: time.sleep(0.001)
"""
SIZES = [4095, 4096, 5000, 9000, 70000, 300000]


def whole_lines(text):
    """Lines of several processes, each of one digit; the last of each has no
    newline, so those of two may be joined."""
    found = {}
    for part in re.findall(r"0+|1+|2+|3+", text):
        found.setdefault(part[0], []).append(len(part))
    for parts in found.values():
        equal(sorted(parts), SIZES)
    equal(sorted(found), list("0123"))


def long_lines():
    """long lines of several processes are not mixed, wherever they go."""
    def write(files):
        with open(files + "/long.py", "w", encoding="utf-8") as file:
            file.write(LONG)
    whole_lines(run_all("-n 4 python3 long.py\n", before=write)[1])
    with Run(BUILD, *SLOT, before=write, ranks=5) as run:
        run.listens()
        job = "-n", "4", "python3", "long.py"
        whole_lines(finish(run.submit(*job)))
        whole_lines(finish(run.submit(*job, "|", "cat", command="pipe")))


def longest_lines():
    """lines above 1 MiB come in parts of that size, and nothing is lost."""
    size = (5 << 20) + 7
    # Without a buffer Python loses what a write did not take at once.
    program = ("env -u PYTHONUNBUFFERED python3 -c \"import os; print(os.environ['TORI_RANK'] * "
               f"{size})\"")
    status, out, _, _ = run_all(f"-n 2 {program}\n", ranks=2)
    equal((status, len(out), out.count("0"), out.count("1")),
          (0, 2 * size + 2, size, size))
    for part in re.findall("0+|1+", out)[:-1]:
        holds(len(part) % (1 << 20) in (0, 7), len(part))
    status, out, _, _ = run_all(f"{program}\n", "--label", ranks=1)
    equal((status, out.count("1.0: "), out.count("0") - 6),
          (0, 6, size))


def unended_line():
    """the line that a job was killed in is not lost."""
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        client = run.submit("-n", "2", "sh", "-c", "test $TORI_RANK = 1 || "
                            "{ printf %05000d 0; touch said; exec sleep 600; }"
                            "; until test -e said; do sleep 0.01; done; exit 3")
        equal((client.communicate()[0], client.returncode), ("0" * 5000, 3))


def labels():
    """with --label every line says whose it is."""
    status, out, _, _ = run_all("-n 2 printf 'a\\nb\\n'\n", "--label", ranks=2)
    equal((status, sorted(out.splitlines())),
          (0, ["1.0: a", "1.0: b", "1.1: a", "1.1: b"]))


class Looker:
    """Looks who of some jobs is stopped, by their names. For each process
    there is a file that tells."""

    def __init__(self, run, jobs):
        wait(lambda: all(len(run.programs(name)) == count
                         for name, count in jobs.items()), "not started")
        self.files = {name: [self.file_of(pid) for pid in run.programs(name)]
                      for name in jobs}

    @staticmethod
    def file_of(pid):
        group = read(pid, "cgroup").decode().rpartition("0::")[2].strip()
        if "tori-gang-" not in group:
            return f"/proc/{pid}/stat", ") T "
        return group_home()[1] + group + "/cgroup.events", "frozen 1"

    @staticmethod
    def runs(file, what):
        with open(file, encoding="utf-8") as told:
            return what not in told.read()

    def look(self):
        """Which part of each job runs: all, none or some of its processes. As
        it was for a moment, not from one to the next."""
        while True:
            once, again = ([[self.runs(*file) for file in files]
                            for files in self.files.values()]
                           for _ in range(2))
            if once == again:
                return ["all" if all(job) else "some" if any(job) else "none"
                        for job in once]

    def watch(self, number=100):
        """Of so many looks, the shares in which several jobs run, some
        processes of a job do, and no job does; how often another one does."""
        several, some, none, changes, last = 0, 0, 0, 0, None
        for _ in range(number):
            seen = self.look()
            several += len(seen) - seen.count("none") > 1
            some += "some" in seen
            none += seen.count("none") == len(seen)
            changes += last not in (None, seen)
            last = seen
            time.sleep(0.01)
        return several / number, some / number, none / number, changes


def turns_of(expected, *options):
    """Two jobs that share processors, one of them piped programs: whether they
    come to have turns as expected. They sleep, which makes no difference, so
    that they are in nobody's way."""
    with Run(BUILD, "--slot", "100ms", "--sleepers", "keep", *options) as run:
        run.listens()
        clients = [
            run.submit("-n", "2", "sleep", "604", "|", "sleep", "604",
                       command="pipe"),
            run.submit("-n", "4", "sleep", "605")]
        looker = Looker(run, {"sleep 604": 3, "sleep 605": 4})
        seen = []
        holds(until(lambda: seen.append(looker.watch())
                    or expected(*seen[-1])), seen)
        leave(*clients)


def in_gangs(several, some, none, changes):
    return several < 0.1 and some < 0.1 and none < 0.1 and changes >= 4


def turns_by_groups():
    """jobs take turns, with all processes (control groups, where they can be
    made)."""
    turns_of(in_gangs, "--freeze", "auto")


def turns_by_signals():
    """jobs take turns, with all processes (signals)."""
    turns_of(in_gangs, "--freeze", "signal")


def turns_of_processors():
    """with --turns local each processor has its own turns."""
    turns_of(lambda several, some, none, changes: some > 0.4 and changes >= 4,
             "--turns", "local")


def no_turns():
    """with --turns none nobody is stopped."""
    turns_of(lambda several, some, none, changes: several == 1 and some == 0,
             "--turns", "none")


SPIN = "touch spins$TORI_JOB.$TORI_RANK; while :; do :; done"


def spinning(run, job, *ranks):
    """Wait until these processes of a job use time."""
    wait(lambda: all(os.path.exists(run.path(f"spins{job}.{rank}"))
                     for rank in ranks), "they do not run")


def sleepers_leave():
    """who sleeps gives its slots to the others, and has them back."""
    with Run(BUILD, "--slot", "50ms", "--freeze", "signal", "--report",
             "report", ranks=2) as run:
        run.listens()
        gates = [run.gate(f"gate{rank}") for rank in range(2)]
        busy = run.submit("-n", "2", "sh", "-c", SPIN + " #busy")
        spinning(run, 1, 0, 1)
        # One of two sleeps: the job does not.
        half = run.submit("-n", "2", "sh", "-c", "test $TORI_RANK = 1 || "
                          "read x <gate0; " + SPIN)
        spinning(run, 2, 1)
        have_turns(run, 1, 2)
        leave(half)
        wait(lambda: list(states(run)) == [1], "it does not end")
        nap = run.submit("-n", "2", "sh", "-c",
                         "read x <gate$TORI_RANK; " + SPIN + " #nap")
        asleep(run, 3)
        looker = Looker(run, {"#busy": 2})
        holds(until(lambda: looker.watch(20)[2:] == (0, 0)),
              "stopped for one that sleeps")
        # One process wakes up, and the job comes back as a whole.
        gates[0]()
        spinning(run, 3, 0)
        have_turns(run, 1, 3)
        holds(until(lambda: looker.look() == ["none"]), "never stopped")
        gates[1]()
        spinning(run, 3, 1)
        leave(busy, nap)
        equal(run.job(command="stop"), (0, "", ""))
        with open(run.path("report"), encoding="utf-8") as file:
            sleeps = [job["sleeps"] for job in json.load(file)["jobs"]]
        holds(sleeps[0] == 0 and sleeps[2] > 0, sleeps)


def sleepers_kept():
    """with --sleepers keep nobody leaves the queue."""
    with Run(BUILD, *SLOT, "--sleepers", "keep", "--report", "report",
             ranks=2) as run:
        run.listens()
        go = run.gate("go")
        client = run.submit("-n", "2", "sh", "-c", "read x <go")
        wait(lambda: len(run.programs("read x")) == 2, "not started")
        have_turns(run, 1, more=10)
        go("\n" * 2)
        finish(client)
        equal(run.job(command="stop"), (0, "", ""))
        with open(run.path("report"), encoding="utf-8") as file:
            equal(json.load(file)["jobs"][0]["sleeps"], 0)


def one_of_sleepers_ends():
    """a process that ends while the others sleep does not freeze them."""
    for how in ("auto", "signal"):
        with Run(BUILD, *SLOT, "--freeze", how) as run:
            run.listens()
            gates = [run.gate(f"gate{rank}") for rank in range(3)]
            client = run.submit("-n", "3", "sh", "-c",
                                "read x <gate$TORI_RANK; echo $x")
            for rank, gate in enumerate(gates):
                asleep(run)
                gate(f"{rank}\n")
                wait(lambda n=2 - rank: len(run.programs("read x")) == n,
                     f"process {rank} does not wake up")
            finish(client, output="0\n1\n2\n")


def sleepers_survive():
    """a job that sleeps while a rank dies wakes up afterwards."""
    for how in ("auto", "signal"):
        with Run(BUILD, *SLOT, "--freeze", how) as run:
            run.listens()
            gates = [run.gate(f"gate{rank}") for rank in range(2)]
            client = run.submit("-n", "2", "sh", "-c",
                                "read x <gate$TORI_RANK; echo got $x")
            asleep(run)
            os.kill(run.ranks()[3], signal.SIGKILL)
            equal(run.job("-n", "2", "echo", "alive")[1], "alive\n" * 2)
            for rank, gate in enumerate(gates):
                gate(f"{rank}\n")
            equal(sorted(finish(client).splitlines()), ["got 0", "got 1"])


def continued(run, client):
    """Continue a job, and say whether it has ended. With signals, what comes
    in the moment of a switch is lost, and has to be sent again."""
    for pid in run.programs("#halt"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    return client.poll() is not None


def stops_itself(how):
    """A job that stops itself, until somebody continues it."""
    with Run(BUILD, *SLOT, "--freeze", how) as run:
        run.listens()
        script = "echo first; kill -STOP $$; echo again #halt"
        client = run.submit("-n", "2", "sh", "-c", script)
        equal([client.stdout.readline() for _ in range(2)], ["first\n"] * 2)
        busy = run.submit("-n", "4", "sh", "-c", SPIN)
        spinning(run, 2, 0, 1, 2, 3)
        asleep(run)
        have_turns(run, 2, more=10)  # somebody might continue it by mistake
        equal([b") T " in read(pid, "stat") for pid in run.programs("#halt")],
              [True] * 2)
        wait(lambda: continued(run, client), "it does not go on")
        finish(client, output="again\n" * 2)
        leave(busy)


def stops_itself_groups():
    """a job that stops itself is out of the way (control groups)."""
    stops_itself("auto")


def stops_itself_signals():
    """a job that stops itself stays stopped (signals)."""
    stops_itself("signal")


def submitted():
    """tori gang submit prints what the job prints and returns its status."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        equal(run.job("-n", "1", "--", "sh", "-c",
                      "echo out; echo err >&2; exit 9"), (9, "out\n", "err\n"))
        equal(run.job("pwd")[:2], (0, run.files.name + "\n"))
        status, _, err = run.job("-n", "5", "true")
        equal(status, 4)
        holds("larger than the machine" in err, err)
        status, out, _ = run.job("-n", "2", "seq", "3", "|", "-n", "2", "sh",
                                 "-c", "sort | uniq -c | wc -l",
                                 command="pipe")
        equal((status, sorted(out.split())), (0, ["0", "3"]))
        clients = [run.submit("-n", str(1 + i % 4), "sh", "-c",
                              "echo $TORI_RANK; exit 0") for i in range(12)]
        for i, client in enumerate(clients):
            out, err = client.communicate(timeout=PATIENCE)
            equal((client.returncode, len(out.split()), err),
                  (0, 1 + i % 4, ""))


def bars():
    """a bar is a word for submit, and can be one in pipe and in a file."""
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        equal(run.job("--", "expr", "0", "|", "5"), (0, "5\n", ""))
        equal(run.job("expr", "0", "\\|", "6", "|", "cat", command="pipe"),
              (0, "6\n", ""))
        equal(run.job("echo", "\\\\|", command="pipe"), (0, "\\|\n", ""))
    equal(run_all("expr 0 '|' 7 | cat\n", ranks=2)[:3], (0, "7\n", ""))


def no_directory():
    """a job runs where submit was called, or not at all."""
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        where = run.path("gone")
        os.mkdir(where)
        remove = f"cd {where} && rmdir {where} && exec tori gang submit pwd"
        done = subprocess.run(["sh", "-c", remove], env=run.environment,
                              text=True, capture_output=True, timeout=PATIENCE,
                              check=False)
        equal((done.returncode, done.stdout), (1, ""))
        holds("tori: the current directory" in done.stderr, done.stderr)
        # It goes while the job is on its way: nobody makes a process now.
        os.mkdir(where)
        keepers = run.keepers().values()
        for pid in keepers:
            os.kill(pid, signal.SIGSTOP)
        with subprocess.Popen(
                ["tori", "gang", "submit", "pwd"], cwd=where,
                env=run.environment, text=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE) as client:
            wait(lambda: states(run), "it is not known")
            os.rmdir(where)
            for pid in keepers:
                os.kill(pid, signal.SIGCONT)
            finish(client, status=126,
                   errors=f"tori: {where}: No such file or directory\n")


def environment():
    """a submitted job has the environment of its client, and none of MPI."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        mine = dict(run.environment, TORI_RANK="7", TORI_MINE="yes",
                    PMI_RANK="3", LONG="l" * 100000)
        mine.pop("HOME", None)
        status, out, _ = run.job(
            "-n", "2", "sh", "-c", "echo ${#LONG}; unset LONG; env", env=mine)
        equal(status, 0)
        lines = out.splitlines()
        for line in ("TORI_MINE=yes", "TORI_SIZE=2", "100000"):
            equal(lines.count(line), 2)
        for number in range(2):
            equal(lines.count(f"TORI_RANK={number}"), 1)
        for line in lines:
            holds(not line.startswith(("PMI_", "HYDI_", "MPI", "HOME=",
                                       "TORI_RANK=7")), line)
        for size in (60000, 600):
            large = dict(run.environment)
            large.update((f"V{i}", "v" * size)
                         for i in range(1500000 // size))
            equal(run.job("-n", "3", "echo", "started", env=large),
                  (0, "started\n" * 3, ""))
    status, out, _, _ = run_all("-n 1 env\n")
    equal(status, 0)
    for line in out.splitlines():
        holds(not line.startswith(("PMI_", "HYDI_", "MPI")), line)


def environment_too_large():
    """an environment with no room for the job's own variables: status 126."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        large, fill = dict(run.environment), 131000
        while fill > 8:
            try:
                large["W" + str(len(large))] = "w" * fill
                run.submit("--socket", "nowhere", "true",
                           env=large).communicate()
            except OSError:  # as large as it can be, but for some bytes
                large.popitem()
                fill //= 2
        status, _, err = run.job("true", env=large)
        equal(status, 126)
        holds("tori: true: Argument list too long" in err, err)
        equal(run.job("echo", "alive")[1], "alive\n")


def late_for_input(run, text):
    """A job that begins to read when what it has to read has long come."""
    go = run.gate("late")
    with open(run.path("text"), "w+", encoding="utf-8") as file:
        file.write(text)
        file.seek(0)
        client = run.submit("sh", "-c", "read x <late; md5sum", stdin=file)
    wait(lambda: "asleep" in states(run).values(), "it is awake")
    go()
    equal(finish(client).split()[0], hashlib.md5(text.encode()).hexdigest())


def standard_input():
    """what submit reads goes to the first process; the others have nothing."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        equal(run.job("cat", text="hello\n"), (0, "hello\n", ""))
        equal(run.job("cat", text=""), (0, "", ""))
        equal(run.job("cat"), (0, "", ""))
        status, out, _ = run.job(
            "-n", "3", "sh", "-c", "echo $TORI_RANK $(cat)", text="only one")
        equal((status, sorted(out.splitlines())), (0, ["0 only one", "1",
                                                       "2"]))
        # The first of piped programs, which is not on the first processor.
        equal(run.job("sort", "|", "-n", "2", "sh", "-c",
                      "cat; echo end >&2", command="pipe",
                      text="b\na\n")[:2], (0, "a\nb\n"))
        # Much more than fits into a pipe, read as it comes or not at all.
        text = "".join(f"{i}\n" for i in range(300000))
        equal(run.job("cat", text=text), (0, text, ""))
        equal(run.job("head", "-n", "1", text=text), (0, "0\n", ""))
        equal(run.job("sh", "-c", "exec <&-; exit 6", text=text),
              (6, "", ""))
        late_for_input(run, text)
        # An answer to each line, as with a terminal.
        client = run.submit("sed", "-u", "s/^/got /", stdin=subprocess.PIPE)
        for word in ("one", "two"):
            client.stdin.write(word + "\n")
            client.stdin.flush()
            equal(client.stdout.readline(), f"got {word}\n")
        client.stdin.close()
        equal(client.wait(timeout=PATIENCE), 0)
        client.stdout.close()
        client.stderr.close()


def waits_for_reader():
    """who writes faster than the job reads has to wait."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        ours = os.pipe()
        os.set_blocking(ours[1], False)
        client = run.submit("sleep", "603", stdin=ours[0])
        total, still = 0, 0
        while total < 4 << 20 and (total <= 65536 or still < 10):
            try:
                total += os.write(ours[1], b"x" * 4096)
                still = 0
            except BlockingIOError:
                still += 1
                time.sleep(0.02)
        holds(65536 < total < 4 << 20, total)
        equal(run.job("echo", "alive")[1], "alive\n")
        # Who interrupts submit ends the job.
        client.send_signal(signal.SIGINT)
        client.communicate(timeout=PATIENCE)
        wait(lambda: not run.programs("603"), "it does not end")
        for fd in ours:
            os.close(fd)


def in_the_background():
    """submit does not read a terminal of which it is not in front."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        go = run.gate("go")
        pid, terminal = pty.fork()
        if pid == 0:
            # A shell with job control; the job says what it has read.
            os.chdir(run.files.name)
            os.execvpe("sh", ["sh", "-mc",
                              "tori gang submit sh -c 'read x; echo got $x' &"
                              "read x <go; echo before; fg >/dev/null"],
                       run.environment)
        os.write(terminal, b"words\n")
        asleep(run)
        go()
        out = b""
        try:
            while b"got" not in out.partition(b"before")[2]:
                more = os.read(terminal, 4096)
                out += more
                if not more:
                    break
        except OSError:
            pass
        os.waitpid(pid, 0)
        os.close(terminal)
        first, before, then = out.partition(b"before")
        holds(before and b"got" not in first and b"got words" in then, out)


def nothing_left(how):
    """Jobs that fork, daemonise and ignore signals."""
    with Run(BUILD, *SLOT, "--freeze", how, ranks=2) as run:
        run.listens()
        for script in (STUBBORN, STUBBORN + "kill -9 $$",
                       STUBBORN + "sleep 0.1; exit 3",
                       "for i in 1 2 3 4; do (while :; do sh -c : ; done) & "
                       "done; sleep 0.1"):
            run.job("-n", "2", "sh", "-c", script)
            holds(not run.programs("sleep") and not run.programs("sh -c"),
                  "left behind", run.all())
            equal(run.groups(), [])
            wait(lambda: not run.wardens(), "a warden stays")


def nothing_left_groups():
    """forks, daemons and those that ignore signals leave nothing behind."""
    nothing_left("auto")


def nothing_left_signals():
    """the same where there are no control groups."""
    nothing_left("signal")


# How processes are stopped, and what they leave: sanitizers see no more of it
# than in the others, which stop processes in either way, too.
PLAIN = [squares, subpartitions, large_output, longest_lines, turns_by_groups,
         turns_by_signals, turns_of_processors, sleepers_leave,
         stops_itself_groups, bars, environment_too_large,
         nothing_left_groups, nothing_left_signals]

sys.exit(tap(
    beside=[sizes, partitions, squares, statuses, too_large, bad_input, pipes,
            subpartitions, late_reader, part_of_a_line, large_output,
            long_lines, longest_lines, unended_line, labels, turns_by_groups,
            turns_by_signals, turns_of_processors, no_turns, sleepers_leave,
            sleepers_kept, one_of_sleepers_ends, sleepers_survive,
            stops_itself_groups, stops_itself_signals, submitted, bars,
            no_directory, environment, environment_too_large, standard_input,
            waits_for_reader, in_the_background, nothing_left_groups,
            nothing_left_signals],
    plain=PLAIN))
