#!/usr/bin/env python3
"""Usage: gang_run.py BUILD-DIRECTORY

'tori gang run' for real: under mpirun, with processes.
"""
import hashlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

from gangrun import (PATIENCE, STUBBORN, Run, equal, holds, read, states, tap,
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
-n 2 -- sh -c 'echo two $TORI_JOB $TORI_RANK/$TORI_SIZE'
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
    status, out, err, _ = run_all("-n 2 true\n", ranks=1)
    equal((status, out), (4, ""))
    holds("which has 1 processor\n" in err, err)


def bad_input():
    """bad job files and options: status 2 or 1, and nothing runs."""
    for jobs, words in (("-n 0 true\n", "jobs:1: "), ("-n 2\n", "jobs:1: "),
                        ("true\n-q true\n", "jobs:2: "),
                        ("true | | true\n", "jobs:1: "),
                        ("echo 'open\n", "quote")):
        status, out, err, _ = run_all(jobs, ranks=2)
        equal((status, out), (2, ""))
        holds(words in err, err)
    status, _, err, _ = run_all("true\n", "--machine", "mesh:5", ranks=2)
    equal(status, 2)
    holds("there are 2 ranks" in err, err)


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
            (4, f"-n 2 {tell} | {tell} | {tell}", ["0/2", "2/1", "3/1"]),
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
        client = run.submit("-n", "4", "echo", "word", "|", "cat", "|",
                            "-n", "2", "sh", "-c", "sort | uniq -c",
                            command="pipe")
        time.sleep(1)
        os.kill(relay, signal.SIGCONT)
        out, err = client.communicate(timeout=PATIENCE)
        equal((client.returncode, out.split(), err), (0, ["4", "word"], ""))


def pipes_together():
    """piped programs have their turns in the same slots."""
    busy = "-c", "while True: pass #"
    with Run(BUILD, "--slot", "400ms", "--freeze", "signal") as run:
        run.listens()
        clients = [
            run.submit("-n", "2", "python3", *busy[:1], busy[1] + "pipe", "|",
                       "-n", "1", "python3", *busy[:1], busy[1] + "pipe",
                       command="pipe"),
            run.submit("-n", "4", "python3", *busy[:1], busy[1] + "other")]
        limit = time.monotonic() + PATIENCE
        while ((len(run.programs("#pipe")) < 3
                or len(run.programs("#other")) < 4)
               and time.monotonic() < limit):
            time.sleep(0.05)
        pids, seen = run.programs("#pipe"), []
        equal(len(pids), 3)
        for _ in range(60):
            seen.append(sum(b") T " in read(pid, "stat") for pid in pids))
            time.sleep(0.05)
        mixed = [n for n in seen if n not in (0, 3)]
        holds(0 in seen and 3 in seen and len(mixed) < 10, seen)
        for client in clients:
            client.terminate()
            client.wait()


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
    whole_lines(run_all("-n 4 python3 long.py | cat\n", ranks=5,
                        before=write)[1])
    with Run(BUILD, *SLOT, before=write) as run:
        run.listens()
        status, out, err = run.job("-n", "4", "python3", "long.py")
        equal((status, err), (0, ""))
        whole_lines(out)


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


def taking_turns(how):
    """Half a second of processor time takes more than one slot, and two jobs
    on the same processors have every other one."""
    busy = ("python3 -c 'from time import process_time as t; "
            "[0 for _ in iter(lambda: t() > 0.5, True)]'")
    with Run(BUILD, "--slot", "50ms", "--freeze", how, "--report", "report",
             jobs=f"-n 2 {busy}\n" * 2, ranks=2) as run:
        status, _, err = run.end()
        equal((status, err), (0, ""))
        holds(run.gone(), run.all())
        with open(run.path("report"), encoding="utf-8") as file:
            report = json.load(file)
    holds(report["switches"] >= 20, report["switches"])
    # Of all switches that were ordered in time, half are nearer to each other
    # on all processors than half a slot: this is no clock, but turns that are
    # not of one gang are farther apart.
    for name in ("stop_skew", "continue_skew"):
        skew = report["microseconds"][name]
        holds(skew["n"] > 0 and skew["p50"] < 25000, report)


def turns_by_groups():
    """jobs take turns (control groups, where they can be made)."""
    taking_turns("auto")


def turns_by_signals():
    """jobs take turns (signals)."""
    taking_turns("signal")


# A process that tells when it ran: from when until when, in parts between
# which it was away for longer than a quarter of a slot of 200 ms. That the
# kernel gives the processor to others in between does not show.
PROBE = """import os, time
begin = last = time.monotonic()
end, parts = begin + 3, []
while last < end:
    now = time.monotonic()
    if now - last > 0.05:
        parts.append((begin, last))
        begin = now
    last = now
parts.append((begin, last))
print(os.environ["TORI_JOB"], os.environ["TORI_PROCESSOR"], parts)
"""


def common(one, other):
    """How long both ran, of the time that the one ran that ran less."""
    both = sum(max(0, min(a[1], b[1]) - max(a[0], b[0]))
               for a in one for b in other)
    return both / min(sum(a[1] - a[0] for a in parts)
                      for parts in (one, other))


def probe(*options):
    """Two jobs of two processes on two processors: how much of their time
    processes of different jobs on a processor have in common, at most, and
    those of a job on different processors, at least."""
    with Run(BUILD, "--slot", "200ms", *options, ranks=2,
             before=put_probe, jobs="-n 2 python3 probe\n" * 2) as run:
        status, out, err = run.end()
        equal((status, err), (0, ""))
    ran = {}
    for line in out.splitlines():
        job, processor, parts = line.split(" ", 2)
        ran[int(job), int(processor)] = json.loads(
            parts.replace("(", "[").replace(")", "]"))
    equal(sorted(ran), [(1, 0), (1, 1), (2, 0), (2, 1)])
    return (max(common(ran[1, p], ran[2, p]) for p in (0, 1)),
            min(common(ran[j, 0], ran[j, 1]) for j in (1, 2)))


def put_probe(files):
    with open(os.path.join(files, "probe"), "w", encoding="utf-8") as file:
        file.write(PROBE)


def alone_in_turns():
    """turns on a processor do not overlap, those of a job do on all of its.

    As the jobs see it themselves.
    """
    for how in ("auto", "signal"):
        others, own = probe("--freeze", how)
        holds(others < 0.25 and own > 0.7, how, others, own)
    # So that the probe can be trusted: what it sees without turns, and where
    # the turns of a job's processors are half a slot apart.
    others, own = probe("--turns", "none")
    holds(others > 0.5, others, own)
    others, own = probe("--turns", "local")
    holds(others < 0.25 and own < 0.65, others, own)


def stopped_between_turns():
    """of two jobs on the same processors only one runs at a time."""
    with Run(BUILD, "--slot", "400ms", "--freeze", "signal", ranks=2) as run:
        run.listens()
        script = "import time\nwhile True: time.sleep(0.001)"
        clients = [run.submit("-n", "2", "python3", "-c", script + "#" + name)
                   for name in ("alpha", "beta")]
        limit = time.monotonic() + PATIENCE
        while (any(len(run.programs("#" + name)) < 2
                   for name in ("alpha", "beta"))
               and time.monotonic() < limit):
            time.sleep(0.05)
        pids = {name: run.programs("#" + name) for name in ("alpha", "beta")}
        seen = []
        for _ in range(80):
            # Who is stopped, of those for whom it did not change meanwhile.
            first, second, again = (
                {b") T " in read(pid, "stat") for pid in pids[name]}
                for name in ("alpha", "beta", "alpha"))
            if first == again and len(first) == len(second) == 1:
                seen.append((first.pop(), second.pop()))
            time.sleep(0.05)
        holds((True, False) in seen and (False, True) in seen, seen)
        # One may be stopped a moment late; a slot is 400 ms.
        holds(seen.count((False, False)) <= len(seen) // 10, seen)
        for client in clients:
            client.terminate()
            client.wait()


BUSY = ("from time import process_time as t\n"
        "while t() < {}: pass #{}")


def stopped(run, name):
    """For each process of this name, whether it is stopped."""
    return [b") T " in read(pid, "stat") for pid in run.programs(name)]


def often_stopped(run, name, seconds):
    """How often processes of this name are found stopped, of all times."""
    seen = []
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        seen += stopped(run, name)
        time.sleep(0.01)
    return sum(seen) / len(seen)


def sleepers_leave():
    """who sleeps gives its slots to the others, and has them back."""
    with Run(BUILD, "--slot", "50ms", "--freeze", "signal", "--report",
             "report", ranks=2) as run:
        run.listens()
        busy = run.submit("-n", "2", "python3", "-c", BUSY.format(600, "busy"))
        sleeper = run.submit(
            "-n", "2", "python3", "-c", "import sys, time\n"
            "sys.stdin.readline()\n" + BUSY.format(600, "nap"),
            stdin=subprocess.PIPE)
        holds(until(lambda: len(run.programs("#busy")) == 2
                    and len(run.programs("#nap")) == 2), "not started")
        # The second has no input, so it is busy: the job does not sleep.
        holds(often_stopped(run, "#busy", 2) > 0.2, "no turns")
        sleeper.terminate()
        sleeper.communicate()
        sleeper = run.submit(
            "-n", "2", "python3", "-c", "import os, sys, time\n"
            "if os.environ['TORI_RANK'] == '0': sys.stdin.readline()\n"
            "else: time.sleep(600)\n" + BUSY.format(600, "nap"),
            stdin=subprocess.PIPE)
        holds(until(lambda: len(run.programs("#nap")) == 2), "not started")
        holds(until(lambda: often_stopped(run, "#busy", 1) < 0.1),
              "stopped for one that sleeps")
        # One process wakes up, and the job comes back as a whole.
        sleeper.stdin.write("\n")
        sleeper.stdin.flush()
        for name in ("#busy", "#nap"):
            holds(until(lambda n=name: 0.2 < often_stopped(run, n, 2) < 0.8),
                  name, "has no turns")
        for client in (busy, sleeper):
            client.terminate()
            client.communicate()


def sleeps_are_counted():
    """the report says how often a job slept; with 'keep' nobody does."""
    jobs = """-n 4 sleep 1
-n 2 sh -c 'for i in 1 2 3; do sleep 0.3; done'
-n 2 python3 -c 'import os, time; e = time.time() + 0.8; \
time.sleep(0.4) if os.environ["TORI_RANK"] == "0" else \
[0 for _ in iter(lambda: time.time() > e, True)]'
"""
    for how in ("auto", "signal"):
        for what, least in (("leave", 1), ("keep", 0)):
            status, _, err, report = run_all(
                jobs, "--report", "report", "--sleepers", what,
                "--freeze", how)
            equal((status, err), (0, ""))
            sleeps = [job["sleeps"] for job in report["jobs"]]
            holds((sleeps[0] > 0) == least and (sleeps[1] > 0) == least
                  and sleeps[0] < 10 and sleeps[2] == 0, how, what, sleeps)


def one_of_sleepers_ends():
    """a process that ends while the others sleep does not freeze them."""
    for how in ("auto", "signal"):
        with Run(BUILD, *SLOT, "--freeze", how) as run:
            run.listens()
            gates = [run.gate(f"gate{rank}") for rank in range(3)]
            client = run.submit("-n", "3", "sh", "-c",
                                "read x <gate$TORI_RANK; echo $x")
            for rank, gate in enumerate(gates):
                wait(lambda: "asleep" in states(run).values(), "it is awake")
                gate(f"{rank}\n")
                wait(lambda n=2 - rank: len(run.programs("read x")) == n,
                     f"process {rank} does not wake up")
            equal((client.communicate(timeout=PATIENCE), client.returncode),
                  (("0\n1\n2\n", ""), 0))


def sleepers_survive():
    """a job that sleeps while a rank dies wakes up afterwards."""
    for how in ("auto", "signal"):
        with Run(BUILD, *SLOT, "--freeze", how) as run:
            run.listens()
            client = run.submit("-n", "2", "sh", "-c",
                                "echo here; read x; echo got $x $TORI_RANK",
                                stdin=subprocess.PIPE)
            equal(sorted(client.stdout.readline() for _ in range(3)),
                  ["got 1\n", "here\n", "here\n"])
            time.sleep(0.3)
            os.kill(run.ranks()[3], signal.SIGKILL)
            equal(run.job("-n", "2", "echo", "alive")[1], "alive\n" * 2)
            client.stdin.write("it\n")
            client.stdin.flush()
            out, err = client.communicate(timeout=PATIENCE)
            equal((client.returncode, out, err), (0, "got it 0\n", ""))


def stops_itself(how):
    """A job that stops itself, until somebody continues it."""
    with Run(BUILD, "--slot", "50ms", "--freeze", how) as run:
        run.listens()
        script = "echo first; kill -STOP $$; echo again #halt"
        client = run.submit("-n", "2", "sh", "-c", script)
        busy = run.submit("-n", "4", "python3", "-c", BUSY.format(600, "busy"))
        first = [client.stdout.readline() for _ in range(2)]
        holds(first == ["first\n"] * 2, first, client.poll(), busy.poll())
        holds(until(lambda: stopped(run, "#halt") == [True] * 2), "runs")
        time.sleep(1)  # turns enough for others to continue it by mistake
        equal((stopped(run, "#halt"), client.poll()), ([True] * 2, None))
        equal(run.job("-n", "4", "echo", "alive")[1], "alive\n" * 4)
        for pid in run.programs("#halt"):
            os.kill(pid, signal.SIGCONT)
        equal((client.communicate(timeout=PATIENCE)[0], client.returncode),
              ("again\n" * 2, 0))
        busy.terminate()
        busy.communicate()


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
        holds("tori: the present directory" in done.stderr, done.stderr)
        # It goes while the job is on its way.
        os.mkdir(where)
        with subprocess.Popen(
                ["tori", "gang", "submit", "-t", "2", "pwd"], cwd=where,
                env=run.environment, text=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE) as client:
            wait(lambda: '"id"' in run.job("--json", command="status")[1],
                 "it is not known")
            os.rmdir(where)
            equal((client.communicate(timeout=PATIENCE), client.returncode),
                  (("", f"tori: {where}: No such file or directory\n"), 126))


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
        status, out, _ = run.job("sh", "-c", "sleep 1; md5sum", text=text)
        equal((status, out.split()[0]),
              (0, hashlib.md5(text.encode()).hexdigest()))
        equal(run.job("head", "-n", "1", text=text), (0, "0\n", ""))
        equal(run.job("sh", "-c", "exec <&-; sleep 0.5; exit 6", text=text),
              (6, "", ""))
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
        limit, total, still = time.monotonic() + PATIENCE, 0, 0
        while still < 20 and time.monotonic() < limit:
            try:
                total += os.write(ours[1], b"x" * 4096)
                still = 0
            except BlockingIOError:
                still += 1
                time.sleep(0.05)
        holds(65536 < total < 4 << 20, total)
        equal(run.job("echo", "alive")[1], "alive\n")
        client.kill()
        client.communicate()
        limit = time.monotonic() + PATIENCE
        while run.programs("603") and time.monotonic() < limit:
            time.sleep(0.02)
        equal(run.programs("603"), [])
        for fd in ours:
            os.close(fd)


def in_the_background():
    """submit does not read a terminal of which it is not in front."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        pid, terminal = pty.fork()
        if pid == 0:
            # A shell with job control; the job says what it has read.
            os.chdir(run.files.name)
            os.execvpe("sh", ["sh", "-mc",
                              "tori gang submit sh -c 'read x; echo got $x' &"
                              "sleep 1; echo before; fg >/dev/null"],
                       run.environment)
        os.write(terminal, b"words\n")
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


def interrupted():
    """who interrupts submit ends the job."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        client = run.submit("-n", "3", "sleep", "601")
        limit = time.monotonic() + PATIENCE
        while len(run.programs("601")) < 3 and time.monotonic() < limit:
            time.sleep(0.02)
        equal(len(run.programs("601")), 3)
        client.send_signal(signal.SIGINT)
        client.wait()
        while run.programs("601") and time.monotonic() < limit:
            time.sleep(0.02)
        equal(run.programs("601"), [])
        equal(run.job("echo", "alive")[1], "alive\n")


def nothing_left(how):
    """Jobs that fork, daemonise and ignore signals."""
    for script in (STUBBORN, STUBBORN + "sleep 0.3; exit 3",
                   STUBBORN + "kill -9 $$",
                   "for i in 1 2 3 4 5 6 7 8; do (while :; do sh -c : ; done)"
                   " & done; sleep 0.3"):
        with Run(BUILD, *SLOT, "--freeze", how, ranks=2) as run:
            run.listens()
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


def unheard():
    """submit without a run: status 1."""
    with Run(BUILD, *SLOT, ranks=1) as run:
        run.listens()
        status, _, err = run.job("--socket", "nowhere", "true")
        equal(status, 1)
        holds("nowhere: " in err, err)


def interrupted_run():
    """a run that is interrupted leaves nothing behind."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        client = run.submit("-n", "4", "sh", "-c", STUBBORN + "sleep 602")
        limit = time.monotonic() + PATIENCE
        while len(run.programs("602")) < 4 and time.monotonic() < limit:
            time.sleep(0.02)
        run.mpirun.send_signal(signal.SIGINT)
        client.wait(timeout=PATIENCE)
        equal(client.returncode, 137)
        holds(run.gone(), run.all())


sys.exit(tap(
    beside=[sizes, partitions, squares, statuses, too_large, bad_input, pipes,
            subpartitions, late_reader, large_output, long_lines,
            longest_lines, unended_line, labels, one_of_sleepers_ends,
            sleepers_survive, submitted, bars, no_directory, environment, environment_too_large,
            standard_input, waits_for_reader, in_the_background, interrupted,
            nothing_left_groups, nothing_left_signals, unheard],
    cases=[pipes_together, turns_by_groups, turns_by_signals, alone_in_turns,
           stopped_between_turns, sleepers_leave, sleeps_are_counted,
           stops_itself_groups, stops_itself_signals, interrupted_run]))
