#!/usr/bin/env python3
"""Usage: gang_ops.py BUILD-DIRECTORY

'tori gang run' for who looks after it: its socket, its report, how it is
stopped, what it says when something is wrong. Under mpirun, with processes.
"""
import contextlib
import fcntl
import glob
import json
import os
import resource
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

from gangrun import (KEEP, MPIRUN, PATIENCE, STAY, STUBBORN, Run, Skip,
                     another_user, ask, asleep, equal, finish, group_home,
                     have_groups, have_turns, holds, leave, parent, processes,
                     read, running, states, tap, turns, unwarned, wait)

BUILD = os.path.abspath(sys.argv[1])
SLOT = ("--slot", "20ms")


def other_mpirun():
    """a run that MPICH does not know to be of several: one line, status 2.

    Open MPI's mpirun has started it, or srun without --mpi=pmi2."""
    for name, says in (
            ("OMPI_COMM_WORLD_SIZE", "this was started by Open MPI"),
            ("SLURM_STEP_NUM_TASKS", "srun has told MPICH nothing of the")):
        done = subprocess.run(
            [os.path.join(BUILD, "tori"), "gang", "run", "--listen",
             "/nonexistent/socket"], check=False, capture_output=True,
            text=True, env=dict(os.environ, **{name: "4"}))
        equal((done.returncode, done.stdout), (2, ""))
        holds(done.stderr.startswith("tori: " + says), done.stderr)


def lines(text):
    """What tori itself says."""
    return [line for line in text.splitlines() if line.startswith("tori: ")]


def alone(run, *words, stdin=""):
    """Another run, in the files of the first, to its end."""
    how = () if have_groups() else ("--freeze", "signal")
    return under_mpirun(run, "gang", "run", *SLOT, *how, *words, stdin=stdin)


def under_mpirun(run, *words, stdin=""):
    """On a busy machine, Hydra's mpirun may itself die of a broken pipe when
    ranks end before it has passed on its standard input: then once more."""
    for _ in range(5):
        done = subprocess.run(
            [MPIRUN, "-n", "2", "tori", *words],
            env=run.environment, cwd=run.files.name, text=True, input=stdin,
            capture_output=True, timeout=PATIENCE, check=False)
        if done.returncode != -signal.SIGPIPE:
            break
    return done.returncode, done.stdout, done.stderr


def taken_place():
    """a socket of a run that listens is refused, one that is left replaced."""
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        equal(alone(run, "--listen", "socket"),
              (1, "", "tori: socket: another run listens there\n"))
        equal(run.job("echo", "here"), (0, "here\n", ""))
    with Run(BUILD, *SLOT, ranks=2, before=leave_socket) as run:
        wait(run.answers, "the run does not answer")
        equal(run.job("echo", "here"), (0, "here\n", ""))


def leave_socket(files):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(os.path.join(files, "socket"))


def no_socket():
    """what is no socket is never replaced."""
    with Run(BUILD, *SLOT, jobs="true\n", ranks=1) as run:
        run.end()
        with open(run.path("thesis"), "w", encoding="utf-8") as file:
            file.write("years of work")
        os.symlink("nowhere", run.path("link"))
        for name in ("thesis", "link"):
            equal(alone(run, "--listen", name),
                  (1, "", f"tori: {name}: exists already and is not a "
                   "socket\n"))
        with open(run.path("thesis"), encoding="utf-8") as file:
            equal(file.read(), "years of work")
        equal(alone(run, "--listen", "no/where")[0], 1)


def stranger():
    """a socket where another user listens is sent nothing."""
    with another_user(BUILD) as (user, programs):
        for listener, client, sent in ((user, 0, False), (0, user, True),
                                       (user, user, True)):
            meets(listener, client, user, programs, sent)


def meets(listener, client, user, programs, sent):
    """What a client sends to a listener, and says of it."""
    words = "tori", "gang", "submit", "--socket", "socket", "true"
    how = {"env": dict(os.environ, PATH=programs), "text": True,
           "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
           "stderr": subprocess.PIPE}
    with tempfile.TemporaryDirectory(prefix="tori-gang-") as files, \
            socket.socket(socket.AF_UNIX) as there:
        os.chmod(files, 0o777)
        os.seteuid(listener)
        there.bind(files + "/socket")
        there.listen()
        there.settimeout(PATIENCE)
        os.seteuid(0)
        os.chmod(files + "/socket", 0o777)
        with subprocess.Popen(words, cwd=files, user=client, **how) as who:
            with there.accept()[0] as heard:
                equal(bool(heard.recv(1)), sent)
            err = who.communicate(timeout=PATIENCE)[1]
    equal((who.returncode, err),
          (1, "tori: socket: the run has died\n" if sent else
           f"tori: socket: another user ({user}) listens there; "
           "nothing was sent\n"))


def killed_first():
    """a first rank that is killed leaves no socket."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        os.kill(run.ranks()[0], signal.SIGKILL)
        equal(run.end()[0], 1)
        holds(not os.path.exists(run.path("socket")), "the socket is left")


def report_first():
    """a report that cannot be written: status 1, and nothing runs."""
    with Run(BUILD, *SLOT, "--report", "no/report", jobs="echo ran\n") as run:
        equal(run.end(), (1, "", "tori: no/report: No such file or directory"
                          "\n"))


def report_last():
    """a report that fails at the end: status 1, one line."""
    with Run(BUILD, *SLOT, "--report", "folder/report", ranks=2,
             jobs="-t 0.2 rm -r folder\n",
             before=lambda files: os.mkdir(files + "/folder")) as run:
        status, out, err = run.end()
        equal((status, out), (1, ""))
        equal(len(lines(err)), 1)
        holds("tori: folder/report: " in err, err)


def put_report(files):
    with open(os.path.join(files, "report"), "w", encoding="utf-8") as file:
        file.write("old")


def report_old():
    """an old report is gone when a run begins, and stays if none does."""
    with Run(BUILD, *SLOT, "--report", "report", ranks=2,
             before=put_report) as run:
        run.listens()
        wait(run.ranks, "no ranks")
        holds(not os.path.exists(run.path("report")), "it is there")
        os.kill(run.ranks()[0], signal.SIGKILL)
        equal(run.end()[0], 1)
        holds(not os.path.exists(run.path("report")), "it is there")
    with Run(BUILD, *SLOT, "--report", "report", ranks=2, jobs="-n 3 true\n",
             before=put_report) as run:
        equal(run.end()[0], 4)
        with open(run.path("report"), encoding="utf-8") as file:
            equal(file.read(), "old")


def without_groups():
    """Words in front of a program that is to find no control groups."""
    home = group_home()
    hide = ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-ec",
            'mount -t tmpfs none "$0"; exec "$@"', home[1]] if home else []
    if subprocess.run([*hide, "true"], check=False,
                      capture_output=True).returncode:
        raise Skip("groups cannot be hidden")
    return hide


def fallback():
    """Where no group can be made, the run says that it stops by signals."""
    with Run(BUILD, *SLOT, "--freeze", "auto",
             launch=[*without_groups(), MPIRUN, "-n", "2"]) as run:
        run.listens()
        said = run.mpirun.stderr.readline()
        holds(": processes are stopped by signals: no control group can be "
              "created here (" in said, said)
        equal(ask(run)[0]["freeze"], "signal")
        holds("; stops by signals; " in run.job(command="status")[1])
        equal(run.job(command="stop")[0], 0)
        equal(run.end(), (0, "", ""))


def no_groups():
    """--freeze cgroup where no group can be made: one line, nothing runs."""
    hide = without_groups()
    with Run(BUILD, *SLOT, "--report", "report", jobs="echo ran\n" * 3,
             ranks=1) as run:
        run.end()
        put_report(run.files.name)
        done = subprocess.run(
            [*hide, MPIRUN, "-n", "2", "tori", "gang", "run", "--freeze",
             "cgroup", "--jobs", "jobs", "--report", "report"],
            env=run.environment, cwd=run.files.name, text=True,
            capture_output=True, timeout=PATIENCE, check=False)
        equal((done.returncode, done.stdout, len(lines(done.stderr)),
               done.stderr.count("\n")), (1, "", 1, 1))
        holds(done.stderr.startswith("tori: --freeze cgroup: no control group "
                                     "can be created here ("), done.stderr)
        with open(run.path("report"), encoding="utf-8") as file:
            equal(file.read(), "old")


def in_checkout():
    """processes of a job are found in a folder named tori, too."""
    with Run(BUILD, *SLOT, ranks=2) as run:
        os.mkdir(run.path("tori"))
        os.symlink(shutil.which("sleep"), run.path("tori/sleep"))
        run.listens()
        client = run.submit("-n", "2", run.path("tori/sleep"), "625")
        running(run, "tori/sleep 625", 2)
        equal([read(pid, "comm") for pid in run.programs("625")],
              [b"sleep\n"] * 2)
        leave(client)


def names():
    """keepers, ranks and wardens have names of their own."""
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        clients = [run.submit("-n", n, "sleep", "619") for n in ("2", "1")]
        running(run, "619", 3)
        keepers, ranks = run.keepers(), run.ranks()
        equal((sorted(keepers), sorted(ranks)), ([0, 1], [0, 1]))
        equal(len(run.wardens()), 3)
        for pid in (*ranks.values(), *run.wardens()):
            holds(parent(pid) in keepers.values(), pid)
        for pid in run.programs("619"):
            holds(parent(pid) in run.wardens(), pid)
            equal(read(pid, "comm"), b"sleep\n")
        leave(*clients)


def said_once():
    """what is wrong with the words is said once, however many ranks."""
    with Run(BUILD, *SLOT, jobs="true\n", ranks=1) as run:
        run.end()
        for words in (("--no-such-option",), ("--jobs",), (),
                      ("--slot", "1us", "--jobs", "jobs"),
                      ("--machine", "mesh:5", "--jobs", "jobs")):
            status, out, err = alone(run, *words)
            equal((status, out, len(lines(err))), (2, "", 1))
        status, out, err = alone(run, "--help")
        equal((status, out.count("Usage:"), err), (0, 1, ""))
        for words in (("gang", "rnu"), ("gnag", "run"), ("gang",), (),
                      ("gang", "--no-such-option")):
            status, out, err = under_mpirun(run, *words)
            equal((status, out, len(lines(err))), (2, "", 1))
        status, out, err = under_mpirun(run, "gang", "--help")
        equal((status, out.count("Usage:"), err), (0, 1, ""))
        # Each does what it was asked for.
        equal(under_mpirun(run, "--version")[1].count("tori "), 2)
        status, _, err = under_mpirun(run, "gang", "stop", "--socket", "none")
        equal((status, len(lines(err))), (1, 2))


def no_jobs():
    """a file without jobs is an error; standard input is '-'."""
    with Run(BUILD, *SLOT, jobs="# none yet\n", ranks=2) as run:
        equal(run.end(), (2, "", "tori: jobs: no job; expected one per line: "
                          "[-n COUNT] PROGRAM [ARGUMENT...]\n"))
        equal(alone(run, "--jobs", "-", stdin="echo from a pipe\n"),
              (0, "from a pipe\n", ""))


def nothing_is_left(run):
    holds(run.gone(), "left behind:", run.all())
    equal(run.groups(), [])
    holds(not os.path.exists(run.path("socket")), "the socket is left")


def drained():
    """'tori gang stop' waits for the jobs, and takes no new ones."""
    with Run(BUILD, *SLOT, "--report", "report") as run:
        run.listens()
        go = run.gate("go")
        client = run.submit("-n", "3", "sh", "-c", "read x <go; echo went")
        running(run, "read x", 3)
        later = run.submit("-t", "0.5", "echo", "later")
        wait(lambda: len(ask(run)[1]) + ask(run)[0]["ended"] >= 2,
             "it is not known")
        stopper = run.submit(command="stop")
        wait(lambda: ask(run)[0]["stop"] == "drain", "it does not stop")
        equal(run.job("true"), (1, "", "tori: the run is being stopped, and "
                                "takes no jobs\n"))
        equal((stopper.poll(), client.poll()), (None, None))
        go("\n" * 3)
        finish(client, output="went\n" * 3)
        finish(later, output="later\n")
        finish(stopper, output="")
        equal(set(statuses(run)), {0})
        equal(run.end(), (0, "", ""))
        nothing_is_left(run)
        status, out, err = run.job(command="status")
        equal((status, out, len(lines(err))), (1, "", 1))


def statuses(run):
    with open(run.path("report"), encoding="utf-8") as file:
        return [job["status"] for job in json.load(file)["jobs"]]


def stopped_now():
    """'tori gang stop --now' kills the jobs, also of a run that drains."""
    with Run(BUILD, *SLOT, "--report", "report") as run:
        run.listens()
        clients = [run.submit("-n", n, "sh", "-c", STUBBORN + "sleep 611")
                   for n in ("4", "2")]
        later = run.submit("-t", "500", "true")
        running(run, STUBBORN, 6)
        wait(lambda: len(states(run)) == 3, "it is not known")
        stopper = run.submit(command="stop")
        wait(lambda: ask(run)[0]["stop"] == "drain", "it does not stop")
        equal(run.job("--now", command="stop"), (0, "", ""))
        finish(stopper)
        for client in clients:
            finish(client, status=137, errors="tori: the run was stopped, and "
                   "the job killed\n")
        finish(later, status=1,
               errors="tori: the run was stopped before the job began\n")
        status, _, err = run.end()
        equal((status, lines(err)),
              (0, ["tori: stopped: 2 jobs killed, 1 never began"]))
        equal(statuses(run), [137, 137, 137])
        nothing_is_left(run)


def interrupted(who, number, ranks=4):
    with Run(BUILD, *SLOT, "--report", "report", ranks=ranks) as run:
        run.listens()
        client = run.submit("-n", str(ranks), "sh", "-c",
                            STUBBORN + "sleep 612")
        running(run, STUBBORN, ranks)
        os.kill(who(run), number)
        status, _, err = run.end()
        equal((status, lines(err)),
              (0, ["tori: stopped: 1 job killed, 0 never began"]))
        finish(client, status=137,
               errors="tori: the run was stopped, and the job killed\n")
        equal(statuses(run), [137])
        nothing_is_left(run)


def interrupted_launcher():
    """SIGINT and SIGTERM of mpirun end a run in order, with status 0."""
    interrupted(lambda run: run.mpirun.pid, signal.SIGINT)
    interrupted(lambda run: run.mpirun.pid, signal.SIGTERM, ranks=2)


def interrupted_rank():
    """so do SIGINT and SIGTERM of a rank, and of its keeper."""
    interrupted(lambda run: run.ranks()[0], signal.SIGINT)
    interrupted(lambda run: run.ranks()[2], signal.SIGTERM)
    interrupted(lambda run: run.keepers()[0], signal.SIGTERM)


def interrupted_idle():
    """a run without jobs ends silently."""
    with Run(BUILD, *SLOT, "--report", "report", ranks=3) as run:
        run.listens()
        run.mpirun.send_signal(signal.SIGTERM)
        status, _, err = run.end()
        equal((status, lines(err)), (0, []))
        equal(statuses(run), [])
        nothing_is_left(run)


def interrupted_file():
    """jobs of a file that are killed have failed: status 1."""
    with Run(BUILD, *SLOT, "--report", "report", ranks=2,
             jobs="-n 2 sh -c 'echo began; sleep 613'\n-t 500 true\n") as run:
        equal([run.mpirun.stdout.readline() for _ in range(2)],
              ["began\n"] * 2)
        # An mpirun that is interrupted may lose the status of the ranks.
        os.kill(run.ranks()[0], signal.SIGTERM)
        status, _, err = run.end()
        equal((status, lines(err)),
              (1, ["tori: stopped: 1 job killed, 1 never began"]))
        equal(statuses(run), [137, 137])
        holds(run.gone(), run.all())


def lose_rank(run, rank):
    os.kill(run.ranks()[rank], signal.SIGKILL)
    equal(run.mpirun.stderr.readline(),
          f"tori: rank {rank} has died, and its jobs with it\n")


def interrupted_without_rank():
    """a run that has lost a rank ends in order, too."""
    with Run(BUILD, *SLOT, "--report", "report") as run:
        run.listens()
        lose_rank(run, 3)
        client = run.submit("-n", "2", "sleep", "614")
        running(run, "614", 2)
        run.mpirun.send_signal(signal.SIGINT)
        status, _, err = run.end()
        equal(lines(err), ["tori: stopped: 1 job killed, 0 never began"])
        # An interrupted mpirun often loses the status of the killed rank.
        holds(status in (0, signal.SIGKILL), status)
        equal(client.wait(timeout=PATIENCE), 137)
        equal(statuses(run), [137])
        nothing_is_left(run)


def busy(seconds):
    return ("python3 -c 'from time import process_time as t; "
            f"[0 for _ in iter(lambda: t() > {seconds}, True)]'")


def accounts(how):
    """Two jobs that need more than a slot, one that comes later, and one that
    spends its time in a child."""
    with Run(BUILD, "--slot", "50ms", "--freeze", how, "--report", "report",
             ranks=2, jobs=f"-n 2 {busy(0.3)}\n-n 2 {busy(0.2)}\n"
             f"-t 0.2 true\nsh -c \"{busy(0.2)}; true\"\n") as run:
        equal(run.end(), (0, "", ""))
        with open(run.path("report"), encoding="utf-8") as file:
            report = json.load(file)
    jobs = report["jobs"]
    holds(report["switches"] >= sum(job["count"] for job in jobs), report)
    for sample in report["microseconds"].values():
        holds(sample["n"] == 0 or sample["p50"] <= sample["p99"]
              <= sample["max"], report)
    for job, least in zip(jobs, (0.6, 0.4, 0, 0.2)):
        holds(job["submit"] <= job["start"] <= job["first_turn"]
              < job["finish"], job)
        # Its processes were never on more processors than it has, nor for
        # longer than its turns.
        holds(least <= job["cpu"] < 10 * (least + 0.1), job)
        holds(job["turns"] >= 1, job)
        holds(job["cpu"] / job["count"] <= job["turns"] * 0.1 + 0.1, job)
        holds(job["turns"] * 0.05 - 0.1 <= job["finish"] - job["first_turn"],
              job)
    holds(jobs[2]["submit"] == 0.2 and jobs[2]["first_turn"] >= 0.2, jobs[2])
    holds(jobs[0]["turns"] >= 3 and jobs[1]["turns"] >= 2, jobs)


def accounts_by_groups():
    """the report says when a job first ran, its turns and its time."""
    if not have_groups():
        raise Skip("no control groups")
    accounts("cgroup")


def accounts_by_signals():
    """the same where there are no control groups."""
    accounts("signal")


def text_of(run, name):
    with open(run.path(name), encoding="utf-8") as file:
        return file.read()


def detached():
    """a job that nobody waits for prints to a file, and can be cancelled."""
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        go = run.gate("go")
        equal(run.job("--detach", "-n", "2", "sh", "-c", "echo first; "
                      "read x <go; echo last 1>&2"), (0, "1\n", ""))
        tail = run.submit("-f", "1", command="logs")
        equal([tail.stdout.readline() for _ in range(2)], ["first\n"] * 2)
        equal(run.job("1", command="logs"), (0, "first\n" * 2, ""))
        waits = run.submit("1", command="wait")
        go("\n" * 2)
        finish(tail)
        finish(waits)
        equal(text_of(run, "tori-gang-1.out"), "first\n" * 2 + "last\n" * 2)
        equal(run.job("1", command="cancel"),
              (1, "", "tori: job 1 has ended already\n"))
        equal(run.job("7", command="cancel"),
              (2, "", "tori: there is no job 7\n"))
        equal(run.job("-n", "2", "--detach", "-t", "500", "true")[1], "2\n")
        equal(run.job("2", command="cancel"), (0, "", ""))
        client = run.submit("-n", "2", "sleep", "621")
        running(run, "621", 2)
        equal(run.job("3", command="logs")[0], 2)
        equal(run.job("3", command="cancel"), (0, "", ""))
        finish(client, status=137, errors="tori: the job was cancelled\n")
        equal((ask(run)[1], ask(run)[0]["ended"]), ({}, 3))
        equal(run.job("--detach", "sh", "-c", "sleep 0.2; exit 3")[1], "4\n")
        equal(run.job("4", command="wait"), (3, "", ""))
        equal(run.job("2", command="wait"),
              (137, "", "tori: the job was cancelled\n"))
        equal(run.job("7", command="wait"),
              (2, "", "tori: there is no job 7\n"))
        ended = json.loads(run.job("--all", "--json", command="status")[1])
        equal([(job["id"], job["state"], job["status"])
               for job in ended["jobs"]],
              [(1, "ended", 0), (2, "ended", 137), (3, "ended", 137),
               (4, "ended", 3)])
        table = run.job("--all", command="status")[1].splitlines()
        equal((table[2].split()[1], table[5].split()[-2:]),
              ("ended", ["status", "3"]))


def output_files():
    """a file for a job, for each of its processes, or none of its own."""
    def put_folder(files):
        os.mkdir(files + "/out")
        os.mkfifo(files + "/fifo")
    with Run(BUILD, *SLOT, ranks=2, before=put_folder) as run:
        run.listens()
        say = ("-n", "2", "sh", "-c", "echo $TORI_RANK; echo e >&2")
        equal(run.job("--output", "%j.%r%%x", *say), (0, "", ""))
        equal([text_of(run, f"1.{rank}%x") for rank in (0, 1)],
              ["0\ne\n", "1\ne\n"])
        equal(run.job("--output=out", *say), (0, "", ""))
        equal([text_of(run, f"out/2.{rank}") for rank in (0, 1)],
              ["0\ne\n", "1\ne\n"])
        equal(run.job("2", command="logs"), (0, "0\ne\n1\ne\n", ""))
        equal(run.job("-f", "2", command="logs")[1], "0\ne\n1\ne\n")
        equal(run.job("--rank", "1", "2", command="logs"), (0, "1\ne\n", ""))
        equal(run.job("--rank", "2", "2", command="logs"),
              (2, "", "tori: job 2 has no process 2\n"))
        equal(run.job("--output", "all%%r", *say), (0, "", ""))
        equal(sorted(run.job("3", command="logs")[1].split()),
              ["0", "1", "e", "e"])
        equal(run.job("--output", run.path("both"), "printf", "x"),
              (0, "", ""))
        equal(text_of(run, "both"), "x")
        equal(run.job("--output", "no/where", "true"),
              (1, "", f"tori: {run.path('no/where')}: No such file or "
               "directory\n"))
        equal(run.job("--output", "fifo", "true")[0], 1)
        for pattern in ("a%q", "%", "%%%"):
            equal(run.job("--output", pattern, "true"),
                  (2, "", f"tori: --output: '{pattern}': only j, r, t or % "
                   "may follow a %\n"))
        holds(not os.path.exists(run.path("a%q")))
    with Run(BUILD, *SLOT, ranks=2,
             jobs="-n 2 --output %t.txt echo a\necho b\n") as run:
        equal(run.end(), (0, "b\n", ""))
        equal([text_of(run, f"{rank}.txt") for rank in (0, 1)], ["a\n"] * 2)


def slow_reader():
    """what nobody reads yet waits, also where writing does not"""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with Run(BUILD, *SLOT, ranks=1) as run:
        run.listens()
        client = run.submit("seq", "50000", stdout=writer)
        os.close(writer)
        time.sleep(0.3)  # more than fits into a pipe is there
        with open(reader, encoding="utf-8") as file:
            equal(len(file.read().split()), 50000)
        equal((client.communicate()[1], client.returncode), ("", 0))


def mpi_files(kind):
    """Each process of an MPI program prints to its own file."""
    program = os.path.join(BUILD, "tests", f"mpi_load_{kind}")
    if not os.path.exists(program):
        raise Skip(f"no {kind} here")
    with Run(BUILD, *SLOT, ranks=3) as run:
        run.listens()
        equal(run.job("-n", "3", "--output", "%r", program, "0", "from"),
              (0, "", ""))
        for rank in range(3):
            told = sorted(text_of(run, str(rank)).splitlines())
            end = told.pop(0) if rank == 0 else "all right"
            equal((told, end[-9:]),
                  ([f"from {rank}", f"this is {rank}"], "all right"))
        rank = {"mpich": "$PMI_RANK", "openmpi": "$OMPI_COMM_WORLD_RANK"}[kind]
        _, out, _ = run.job("-n", "3", "--mpi", kind, "sh", "-c",
                            f"echo $TORI_RANK $TORI_PROCESSOR {rank} "
                            "$(stat -c %a $UCX_POSIX_DIR)")
        equal(sorted(out.splitlines()), [f"{i} {i} {i} 700" for i in range(3)])
        status, out, err = run.job("-n", "3", program, "0", "from")
        equal((status, sorted(line for line in err.splitlines()
                              if line.startswith("from")),
               len(out.splitlines())),
              (0, ["from 0", "from 1", "from 2"], 4))


def mpich_files():
    """processes of MPICH print to files of their own."""
    mpi_files("mpich")


def open_mpi_files():
    """processes of Open MPI print to files of their own."""
    mpi_files("openmpi")


def shared_memory(run):
    """Open MPI cannot speak but by shared memory."""
    return dict(run.environment, TMPDIR=run.files.name, OMPI_MCA_pml="ob1",
                OMPI_MCA_btl="vader,self")


def two_lines(file):
    """The first two that a job itself says."""
    lines = []
    while len(lines) < 2:
        line = file.readline()
        assert line, lines
        lines += unwarned(line)
    return sorted(lines)


def open_mpi_folders():
    """Open MPI speaks through files in memory; none is left by a kill."""
    program = os.path.join(BUILD, "tests", "mpi_load_openmpi")
    if not os.path.exists(program):
        raise Skip("no Open MPI here")
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        clients = [run.submit("-n", "2", program, "600", "from",
                              env=shared_memory(run)) for _ in range(3)]
        for client in clients:
            equal(two_lines(client.stderr), ["from 0", "from 1"])
        have_turns(run, 1, 2, 3)
        equal(len(run.folders()), 6)
        holds(all(glob.glob(name + "/vader*") for name in run.folders()))
        leave(clients[0])
        wait(lambda: len(run.folders()) == 4, "a client was killed")
        os.kill(run.programs("mpi_load_openmpi 600")[-1], signal.SIGKILL)
        wait(lambda: len(run.folders()) == 2, "a program was killed")
        os.kill(run.wardens()[-1], signal.SIGKILL)
        wait(lambda: not run.folders(), "a warden was killed")
        leave(*clients)
        equal(glob.glob(run.path("*ompi*")), [])


def open_mpi_signals():
    """a job of Open MPI is stopped and continued by signals, unharmed."""
    program = os.path.join(BUILD, "tests", "mpi_load_openmpi")
    if not os.path.exists(program):
        raise Skip("no Open MPI here")
    with Run(BUILD, "--slot", "50ms", *KEEP, "--freeze", "signal",
             ranks=3) as run:
        run.listens()
        other = run.submit("-n", "3", *STAY)
        status, out, err = run.job("-n", "3", program, "2",
                                   env=shared_memory(run))
        equal((status, "all right" in out, unwarned(err)), (0, True, []))
        leave(other)


def mpi_named():
    """an MPI program behind others is found, or said to be one."""
    program = os.path.join(BUILD, "tests", "mpi_load_mpich")
    script = "sh", "-c", f"exec {program} 0"
    with Run(BUILD, *SLOT, ranks=4) as run:
        run.listens()
        for words, counts in ((("env", "A=b", "nice", program, "0"), ["2"]),
                              (("--mpi", "mpich", *script), ["2"]),
                              (("--mpi=none", program, "0"), ["1", "1"])):
            status, out, err = run.job("-n", "2", *words)
            equal((status, [line.split()[0] for line in out.splitlines()]),
                  (0, counts))
        piped = "-n", "2", program, "0", "|", "wc", "-l"
        for words in ((), ("--mpi", "mpich")):
            equal(run.job(*words, *piped, command="pipe")[:2], (2, ""))
        status, out, _ = run.job("--mpi=none", *piped, command="pipe")
        equal((status, out.split()), (0, ["2"]))
        equal(run.job("--mpi", "openmpi", "-n", "2", "env", program, "0"),
              (2, "", "tori: --mpi openmpi: the program was built with "
               "mpich\n"))
        equal(run.job("--mpi", "lam", "true"),
              (2, "", "tori: --mpi: 'lam' is not mpich, openmpi or none\n"))


def shares():
    """a job with two shares has two turns to one of another."""
    with Run(BUILD, *SLOT, *KEEP, ranks=2) as run:
        run.listens()
        clients = submit_all(run, [("-n", "2", *STAY),
                                   ("-n", "2", "--shares", "2", *STAY)])
        have_turns(run, 1, 2)
        before = turns(run)
        have_turns(run, 1, more=10)
        more = {job: had - before[job] for job, had in turns(run).items()}
        holds(abs(more[2] - 2 * more[1]) <= 3, more)
        equal(ask(run)[0]["period"], 0.06)
        leave(*clients)


def restarted():
    """a job that asked for it begins again when a rank has died, so often."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        client = run.submit("-n", "2", "--restart", "1", "sh", "-c", "echo "
                            "$TORI_RESTART $TORI_PARTITION; exec sleep 622")
        wait(lambda: 1 in ask(run)[1], "no such job")
        equal(run.job("--detach", "-n", "2", "--restart", "5", "sleep",
                      "622")[0], 0)
        seen = []
        for _ in range(2):
            lines_of = [client.stdout.readline().split() for _ in range(2)]
            equal(lines_of[0], lines_of[1])
            seen.append(lines_of[0])
            lose_rank(run, int(lines_of[0][1].partition("/")[0]) + 1)
        equal(sorted(partition for _, partition in seen), ["0/2", "2/2"])
        equal([times for times, _ in seen], ["0", "1"])
        finish(client, status=137, errors="tori: lost with a rank\n")
        for _ in range(2):
            equal(run.job("2", command="wait"),
                  (4, "", "tori: a job of 2 processes is too large: ranks 1, "
                   "3 are dead, and the largest partition without a dead "
                   "processor has 1\n"))
        wait(lambda: not run.programs("622"), "it is left")


class Terminal:
    """A terminal with a program in it."""

    def __init__(self, run, *words):
        self.screen, self.line = os.openpty()
        self.text = ""
        self.resize(33, 91)
        self.before = termios.tcgetattr(self.line)
        self.program = run.submit(*words, stdin=self.line, stdout=self.line,
                                  stderr=self.line)

    def resize(self, rows, columns):
        fcntl.ioctl(self.line, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text, *, answer):
        os.write(self.screen, text.encode())
        self.expect(answer)

    def expect(self, answer):
        limit = time.monotonic() + PATIENCE
        while answer not in self.text:
            holds(time.monotonic() < limit, answer, "is not in", self.text)
            if select.select([self.screen], [], [], 1)[0]:
                self.text += os.read(self.screen, 4096).decode()
        self.text = self.text.partition(answer)[2]

    def end(self, status):
        equal(self.program.wait(timeout=PATIENCE), status)
        equal(termios.tcgetattr(self.line), self.before)
        os.close(self.screen)
        os.close(self.line)


def terminal():
    """an interactive program has a terminal, and its turns."""
    with Run(BUILD, *SLOT, *KEEP, ranks=2) as run:
        run.listens()
        client = run.submit("-n", "2", *STAY)
        at = Terminal(run, "--pty", "--", "sh", "-i")
        at.type("stty size\n", answer="33 91")
        at.resize(40, 100)
        at.program.send_signal(signal.SIGWINCH)
        at.type("until [ \"$(stty size)\" = '40 100' ]; do :; done; "
                "echo a''s told\n", answer="as told")
        at.type("echo o''n; sleep 623\n", answer="on\r\n")
        running(run, "623", 1)
        at.type("\x03", answer="^C")
        at.type("echo a''live; echo o''f $TORI_SIZE\n",
                answer="alive\r\nof 1")
        wait(lambda: not run.programs("623"), "it was not interrupted")
        at.type("exit 7\n", answer="exit 7")
        at.end(7)
        at = Terminal(run, "--pty", "cat")
        at.type("x", answer="x")
        running(run, "cat", 1)
        at.program.terminate()
        at.end(-signal.SIGTERM)
        wait(lambda: not run.programs("cat"), "it is left")
        equal(run.job("--pty", "true")[0], 2)
        for words in (("--detach",), ("--output", "x"), ("--restart", "1")):
            equal(run.job("--pty", *words, "true"),
                  (2, "", f"tori: --pty cannot be used with {words[0]}\n"))
        leave(client)


def pinned():
    """a process that is pinned has one core: that of its rank."""
    may = sorted(os.sched_getaffinity(0))
    script = "python3", "-c", "import os; print(os.environ['TORI_RANK'], " \
        "*sorted(os.sched_getaffinity(0)))"
    with Run(BUILD, *SLOT, ranks=3) as run:
        run.listens()
        out = run.job("-n", "3", "--pin", *script)[1]
        equal(sorted(out.splitlines()),
              [f"{rank} {may[rank % len(may)]}" for rank in range(3)])
        equal(run.job(*script)[1].split(), list(map(str, [0, *may])))


def own_status():
    """what is submit's own is told from what is the job's."""
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        own = ("--own-status", "125")
        for number in (1, 2, 4):
            equal(run.job(*own, "sh", "-c", f"exit {number}"),
                  (number, "", ""))
        equal(run.job(*own, "no-such-program")[0], 127)
        equal(run.job(*own, "/etc")[0], 126)
        equal(run.job(*own, "sh", "-c", "kill -9 $$")[0], 137)
        for words in (("--socket", "nowhere", "true"), ("-n", "3", "true"),
                      ("-n", "0", "true")):
            status, out, err = run.job(*own, *words)
            equal((status, out, len(lines(err))), (125, "", 1))
            holds(run.job(*words)[0] in (1, 2, 4), words)


def not_found():
    """what is in no folder of PATH is not found, whatever is wrong there."""
    def put(files):
        os.makedirs(files + "/folder/name")
        os.mkdir(files + "/closed", 0)
        for name in ("text", "closed/secret"):
            with open(f"{files}/{name}", "w", encoding="utf-8") as file:
                file.write("no program")
    with Run(BUILD, *SLOT, ranks=1, before=put) as run:
        run.listens()
        path = run.environment["PATH"]
        for name, folder, status, why in (
                ("name", "folder", 127, "No such file or directory"),
                ("name", "text", 127, "No such file or directory"),
                ("name", "closed", 127, "No such file or directory"),
                ("text", ":", 126, "Permission denied"),
                ("./folder", "folder", 126, "Permission denied")):
            mine = dict(run.environment, PATH=f"{path}:{folder}")
            equal(run.job(name, env=mine),
                  (status, "", f"tori: {name}: {why}\n"))


def limit(pid, what, most=None):
    """Limit a process softly, or not any more. Who may not limit those of
    others is for a moment whoever runs it."""
    own = os.getuid()
    os.setresuid(os.stat(f"/proc/{pid}").st_uid, -1, -1)
    hard = resource.prlimit(pid, what)[1]
    resource.prlimit(pid, what, (hard if most is None else most, hard))
    os.setresuid(own, -1, -1)


def files_of(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def many_files():
    """a run may open more files than the soft limit says, its jobs not."""
    with Run(BUILD, *SLOT, ranks=1, files=48) as run:
        run.listens()
        go = run.gate("go")
        clients = [run.submit("sh", "-c", "read x <go; ulimit -n")
                   for _ in range(16)]
        running(run, "read x", len(clients))
        holds(files_of(run.ranks()[0]) > 48, "it needs less")
        go("\n" * len(clients))
        for client in clients:
            equal((client.communicate(timeout=PATIENCE), client.returncode),
                  (("48\n", ""), 0))


def few_files():
    """a job for which there are no files left fails alone."""
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        go = run.gate("go")
        wait(lambda: len(run.ranks()) == 2, "no ranks")
        for rank, status, why in (
                (0, 1, "the run has too many jobs now"), (1, 126, "sh")):
            pid = run.ranks()[rank]
            limit(pid, resource.RLIMIT_NOFILE, files_of(pid) + 40)
            clients = []
            while all(client.poll() is None for client in clients):
                clients.append(run.submit("-n", "2", "sh", "-c", "read x <go"))
                wait(lambda: len(run.programs("read x")) == 2 * len(clients)
                     or clients[-1].poll() is not None, "it does not start")
            equal((clients[-1].communicate()[1], clients[-1].returncode),
                  (f"tori: {why}: Too many open files\n", status))
            clients.pop()
            holds(len(clients) > 2, "no job fits")
            equal(len(ask(run)[0]["jobs"]), len(clients))
            go("\n" * 2 * len(clients))
            for client in clients:
                equal((client.communicate(timeout=PATIENCE)[1],
                       client.returncode), ("", 0))
            equal(run.job("echo", "alive")[1], "alive\n")
            limit(pid, resource.RLIMIT_NOFILE)


def no_door():
    """an MPI program whose processes cannot meet fails alone."""
    program = os.path.join(BUILD, "tests", "mpi_load_mpich")
    with Run(BUILD, *SLOT, ranks=2) as run:
        run.listens()
        first = run.submit(*SPIN)
        wait(lambda: 1 in ask(run)[1]
             and ask(run)[1][1].get("partition") == "0/1", "it is elsewhere")
        pid = run.ranks()[1]
        limit(pid, resource.RLIMIT_NOFILE, files_of(pid))
        equal(run.job(program, "0"),
              (126, "", f"tori: {program}: Too many open files\n"))
        limit(pid, resource.RLIMIT_NOFILE)
        status, out, _ = run.job(program, "0")
        equal((status, out.split()[:2]), (0, ["1", "processes,"]))
        equal(ask(run)[0]["dead"], [])
        leave(first)


def processes_of(user):
    return sum(len(os.listdir(f"/proc/{pid}/task")) for pid in processes()
               if os.path.exists(f"/proc/{pid}") and
               os.stat(f"/proc/{pid}").st_uid == user)


def few_processes():
    """a job for which there are no processes left says so: status 126."""
    other = another_user(BUILD) if os.geteuid() == 0 \
        else contextlib.nullcontext((None, BUILD))
    with other as (user, programs), \
            Run(programs, *SLOT, ranks=2, user=user) as run:
        run.listens()
        wait(lambda: len(run.ranks()) == 2, "no ranks")
        # Not even a warden; then submit and a warden, if all can be counted.
        for most in [1] + [processes_of(user) + 2] * (user is not None):
            limit(run.keepers()[0], resource.RLIMIT_NPROC, most)
            equal(run.job("echo", "started"),
                  (126, "", "tori: echo: Resource temporarily unavailable\n"))
        limit(run.keepers()[0], resource.RLIMIT_NPROC)
        equal(run.job("-n", "2", "echo", "alive")[1], "alive\n" * 2)


def without_rank():
    """without a rank, what needs it is refused with the reason, and what does
    not is placed."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        lose_rank(run, 3)
        wait(lambda: run.job("-n", "3", "true")[0] == 4, "it is placed")
        equal(run.job("-n", "3", "true"),
              (4, "", "tori: a job of 3 processes is too large: rank 3 is "
               "dead, and the largest partition without a dead processor has "
               "2\n"))
        equal(run.job("-n", "2", "sh", "-c", "echo $TORI_PARTITION")[:2],
              (0, "0/2\n" * 2))
        # A sleeping process is not a load: the next would be placed beside it.
        clients = [run.submit("sh", "-c", "echo $TORI_PARTITION; "
                              "until test -e go; do :; done")
                   for _ in range(6)]
        equal({client.stdout.readline() for client in clients},
              {"0/1\n", "1/1\n", "2/1\n"})
        put(run, "go")
        for client in clients:
            finish(client)


SPIN = ("sh", "-c", "while :; do :; done")


def submit_all(run, jobs):
    """One after another, so that they are numbered in this order."""
    clients = []
    for words in jobs:
        clients.append(run.submit(*words))
        wait(lambda: len(states(run)) == len(clients), "it is not known")
    return clients


def put(run, name):
    with open(run.path(name), "w", encoding="utf-8"):
        pass


def told():
    """'tori gang status' tells the state of every job, and why."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        answer, jobs = ask(run)
        equal((answer["ranks"], answer["dead"], answer["slot"],
               answer["stop"], answer["ended"], jobs),
              (4, [], 0.02, "no", 0, {}))
        clients = submit_all(run, [("-n", "4", *SPIN), ("-n", "3", *SPIN),
                                   ("-n", "2", "sleep", "615"),
                                   ("-t", "500", "true")])
        told_of_turns(run)
        told_of_rest(run)
        clients[0].kill()
        wait(lambda: 1 not in states(run), "it has not ended")
        equal(ask(run)[0]["ended"], 1)
        leave(*clients)


def told_of_turns(run):
    """Two jobs have turns, and never at the same time."""
    seen, turns = set(), {1: 0, 2: 0}

    def look():
        answer, jobs = ask(run)
        if not all("partition" in jobs[number] for number in turns):
            return False
        two = {number: jobs[number]["state"] for number in turns}
        holds(list(two.values()) != ["running"] * 2, jobs)
        holds(set(two.values()) <= {"running", "ready"}, jobs)
        for number, last in turns.items():
            job = jobs[number]
            holds(last <= job["turns"], last, job)
            turns[number] = job["turns"]
            holds(job["submit"] <= job["start"] <= answer["now"], job)
            holds(job["start"] <= job["first_turn"] <= answer["now"]
                  if job["turns"] else "first_turn" not in job, job)
            holds(job["submit"] <= job["since"] <= answer["now"], job)
            holds(("why" in job) == (job["state"] == "ready"), job)
            seen.add((number, job["state"]))
        return len(seen) == 4 and min(turns.values()) > 2
    wait(look, "they have no turns")


def ticks(pid):
    """Processor time of a process and of those that it has waited for."""
    words = read(pid, "stat").rpartition(b")")[2].split()
    return sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK") \
        if words else 0


def told_time():
    """'tori gang status' tells the processor time of a job, as /proc does."""
    script = "(while :; do :; done) & while :; do :; done"
    for how in ("auto", "signal"):
        with Run(BUILD, *SLOT, "--freeze", how, ranks=2) as run:
            run.listens()
            client = run.submit("-n", "2", "sh", "-c", script)
            wait(lambda: ask(run)[1].get(1, {}).get("cpu", 0) > 0.3,
                 "it has no time")
            pids = run.programs("while :")
            least = sum(map(ticks, pids))
            told = ask(run)[1][1]["cpu"]
            most = sum(map(ticks, pids))
            holds(least - 0.1 <= told <= most + 0.1, least, told, most)
            leave(client)


def told_of_rest(run):
    """One sleeps, and one has not come; people get a table of it."""
    def sleeps():
        answer, jobs = ask(run)
        # A pass of the root: a turn of each, the sleeper has none.
        return ((answer["period"], jobs[1]["partition"], jobs[2]["count"],
                 jobs[3]["state"])
                == (0.04, "0/4", 3, "asleep")) and jobs
    wait(sleeps, "it does not sleep")
    jobs = sleeps()
    equal((jobs[3]["why"], jobs[3]["command"], jobs[3]["partition"]),
          ("all its processes sleep", "sleep 615", "0/2"))
    equal((jobs[4]["state"], jobs[4]["why"]),
          ("waiting", "its time (-t) has not come"))
    holds(jobs[4]["submit"] >= 500 and "since" not in jobs[4]
          and "partition" not in jobs[4] and "turns" not in jobs[4], jobs[4])
    status, out, err = run.job(command="status")
    equal((status, err, len(out.splitlines())), (0, "", 6))
    way = "control groups" if have_groups() else "signals"
    holds(out.startswith("4 processors; slot 0.02 s; a turn within 0.04 s; "
                         f"stops by {way}; 0 jobs ended\njob  state"), out)


def told_without_rank():
    """a rank that is stuck is named, and one that is dead."""
    with Run(BUILD, *SLOT) as run:
        run.listens()
        # A sleeping process is not a load: the next would be placed beside it.
        script = "until test -e go; do :; done; exec sleep 616"
        clients = submit_all(run, [("-n", "2", "sh", "-c", script)] * 2)
        running(run, "616", 4)
        wait(lambda: {job.get("partition") for job in ask(run)[1].values()}
             == {"0/2", "2/2"}, "they are not placed")
        put(run, "go")
        right = max(ask(run)[1].values(), key=lambda job: job["partition"])
        number, owner = right["id"], run.ranks()[2]
        os.kill(owner, signal.SIGSTOP)
        answer, jobs = ask(run, silent=[2])
        equal((jobs[number]["state"], answer["dead"]), ("unknown", []))
        os.kill(owner, signal.SIGCONT)
        asleep(run, number)
        # One of its processes is not to be had, so it cannot end.
        held = [pid for pid in run.wardens()
                if parent(pid) == run.keepers()[3]]
        for pid in held:
            os.kill(pid, signal.SIGSTOP)
        clients[number - 1].kill()
        wait(lambda: states(run)[number] == "ending", "it does not end")
        equal(ask(run)[1][number]["why"], "the client that submitted it has gone")
        os.kill(run.ranks()[3], signal.SIGKILL)
        wait(lambda: ask(run)[0]["dead"] == [3], "it is not dead")
        wait(lambda: number not in states(run), "it is not lost")
        for pid in held:
            os.kill(pid, signal.SIGCONT)
        leave(*clients)


PLAIN = [open_mpi_files, open_mpi_folders, open_mpi_signals, mpi_named,
         no_groups, said_once, not_found, no_socket, in_checkout,
         report_first, report_old, accounts_by_signals, interrupted_launcher,
         interrupted_idle]

sys.exit(tap(
    beside=[pinned, terminal, told_time, detached, shares, restarted,
            output_files, slow_reader, mpich_files, open_mpi_files,
            open_mpi_folders,
            open_mpi_signals, mpi_named,
            own_status, not_found, many_files, few_files, no_door,
            few_processes,
            without_rank, drained, taken_place, no_socket, stranger,
            killed_first, report_first, report_last, report_old, names, in_checkout,
            said_once, other_mpirun, no_jobs, accounts_by_groups, accounts_by_signals, told,
            told_without_rank, stopped_now, interrupted_launcher,
            interrupted_rank, interrupted_idle, interrupted_file,
            interrupted_without_rank, no_groups, fallback],
    plain=PLAIN))
