#!/usr/bin/env python3
"""Usage: gang_hosts.py BUILD-DIRECTORY [--rounds N] [--seed N]

'tori gang run' across hosts, which are network namespaces of this machine with
clocks of their own. One that goes, and ranks and programs that are killed, leave
nothing behind, and the rest go on.
"""
import json
import os
import random
import signal
import sys

import hosts as world
from gangrun import (PATIENCE, Run, Skip, ask, equal, finish, have_turns,
                     holds, leave, read, running, tap, until, wait)

BUILD = os.path.abspath(sys.argv[1])
SHIM = os.path.join(BUILD, "tests", "libbad_clock.so")
SPIN = ("sh", "-c", "while :; do :; done")
NO_HOSTS = world.missing()


def number(name, otherwise):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv \
        else otherwise


def hosts(*ahead, environment=None):
    if NO_HOSTS:
        raise Skip(NO_HOSTS)
    return world.Hosts(ahead, environment)


def run_on(them, *options, ranks=None, **how):
    ranks = ranks or them.n
    return Run(BUILD, "--slot", "20ms", *options,
               launch=them.mpirun(ranks), **how)


def nothing_left(them, run):
    holds(until(lambda: not any(them.processes(i)
                                for i in range(1, them.n + 1))),
          {i: [read(pid, "comm") for pid in them.processes(i)]
           for i in range(1, them.n + 1)})
    holds(until(lambda: not run.groups()), "control groups left behind",
          run.groups())


def together():
    """jobs across hosts whose clocks are seconds apart and drift."""
    if not os.path.exists(SHIM):
        raise Skip("a shim is loaded before others, and sanitizers want that")
    drift = {2: 300, 3: -200, 4: 150}
    shims = {i: {"LD_PRELOAD": SHIM, "BAD_DRIFT": by}
             for i, by in drift.items()}
    jobs = ("-n 4 sh -c 'echo $TORI_RANK $(hostname); sleep 1'\n"
            + "-n 4 timeout 12 sh -c 'while :; do :; done' \n" * 2)
    with hosts(0, 7, 40, -3, environment=shims) as them, \
            run_on(them, "--report", "report", "--sleepers", "keep",
                   jobs=jobs) as run:
        status, out, err = run.end()
        equal(sorted(out.split("\n")),
              ["", "0 h1", "1 h2", "2 h3", "3 h4"])
        equal(status, 1)  # timeout ends with 124
        holds("jumped" not in err, err)
        with open(run.path("report"), encoding="utf-8") as file:
            report = json.load(file)
        equal([job["status"] for job in report["jobs"]], [0, 124, 124])
        for clock in report["clocks"][1:]:
            holds(clock["uncertainty"] < 0.001, clock)
            holds(abs(clock["drift"] + drift[clock["rank"] + 1]) < 100, clock)
        for sample in ("continue_skew", "stop_skew"):
            holds(report["microseconds"][sample]["n"] > 100, report)
            holds(report["microseconds"][sample]["p50"] < 1000, report)
        nothing_left(them, run)


def true_offsets():
    """what is known of a clock is as right as it says."""
    ahead = (0, 5, -2, 1000)
    with hosts(*ahead) as them, run_on(them) as run:
        run.listens()
        job = run.submit("-n", "4", *SPIN)
        running(run, "while", 4)
        have_turns(run, 1, more=100)
        for clock in ask(run)[0]["clocks"]:
            wrong = abs(clock["offset"] + ahead[clock["rank"]])
            holds(wrong <= clock["uncertainty"] + 1e-9, clock, wrong)
            equal(clock["host"], f"h{clock['rank'] + 1}")
        leave(job)


def jump():
    """a clock that jumps is noticed, and the run goes on."""
    if not os.path.exists(SHIM):
        raise Skip("a shim is loaded before others, and sanitizers want that")
    with hosts(0, 1, environment={2: {
            "LD_PRELOAD": SHIM, "BAD_JUMP": "/tmp/tori-jump-%d"
            % os.getpid()}}) as them, run_on(them) as run:
        path = them.environment[2]["BAD_JUMP"]
        try:
            run.listens()
            job = run.submit("-n", "2", *SPIN)
            running(run, "while", 2)
            have_turns(run, 1)
            with open(path, "w", encoding="utf-8") as file:
                file.write("2.5\n")
            wait(lambda: ask(run)[0]["clocks"][1]["jumps"] == 1,
                 "nobody noticed")
            have_turns(run, 1)
            leave(job)
            status, _, err = run.job("--now", command="stop")
            equal((status, err), (0, ""))
            _, _, err = run.end()
            told = err.rpartition("rank 1 on h2 has jumped by ")[2].split()
            holds(told and abs(float(told[0]) - 2.5) < 0.2, err)
        finally:
            if os.path.exists(path):
                os.unlink(path)
        nothing_left(them, run)


def lost(them, run, take_away):
    """A host goes with a job on it; one on another host stays."""
    run.listens()
    small = run.submit("-n", "1", *SPIN)
    running(run, "while", 1)
    large = run.submit("-n", "4", *SPIN)
    running(run, "while", 5)
    take_away(4)
    equal(large.wait(timeout=PATIENCE), 137)
    equal(run.job("-n", "2", "echo", "alive"), (0, "alive\nalive\n", ""))
    equal(small.poll(), None)
    status, _, err = run.job("-n", "4", "true")
    equal(status, 4)
    holds("rank 3 is dead" in err, err)
    leave(small)
    equal(run.job("--now", command="stop")[0], 0)
    nothing_left(them, run)


def host_dies():
    """all processes of a host are gone at once."""
    with hosts(0, 0, 3, 0) as them, run_on(them) as run:
        lost(them, run, them.kill)


def cable_pulled():
    """a host cannot be reached any more, and ends its processes by itself."""
    with hosts(0, 0, 3, 0) as them, run_on(them) as run:
        lost(them, run, them.cut)


def slow_network():
    """a network with delay and loss."""
    with hosts(0, 2) as them, run_on(them) as run:
        run.listens()
        try:
            them.slow(2, "delay", "5ms", "2ms", "loss", "2%")
        except FileNotFoundError as error:
            raise Skip("no tc here") from error
        except world.subprocess.CalledProcessError as error:
            raise Skip("no netem here") from error
        text = "".join(f"line {i}\n" for i in range(20000))
        job = run.submit("-n", "2", *SPIN)
        equal(run.job("cat", text=text), (0, text, ""))
        have_turns(run, 2 if job.poll() is not None else 1)
        leave(job)
        equal(run.job("--now", command="stop")[0], 0)
        nothing_left(them, run)


def mpi(kind, seconds=3):
    """Two jobs of this MPI share four hosts, and every message is checked."""
    program = os.path.join(BUILD, "tests", f"mpi_load_{kind}")
    if not os.path.exists(program):
        raise Skip(f"no {kind} here")
    with hosts(0, 3, -2, 9) as them, \
            run_on(them, "--report", "report") as run:
        run.listens()
        clients = [run.submit("-n", str(n), program, str(seconds))
                   for n in (4, 4, 3)]
        for n, client in zip((4, 4, 3), clients):
            out, err = client.communicate(timeout=PATIENCE)
            equal(client.returncode, 0)
            words = out.split()
            equal((words[:2], words[3:]),
                  ([str(n), "processes,"], ["rounds,", "all", "right"]))
            holds(int(words[2]) > 1, out, err)
        equal(run.job("--now", command="stop")[0], 0)
        run.end()
        with open(run.path("report"), encoding="utf-8") as file:
            report = json.load(file)
        holds(report["switches"] > 100, report["switches"])
        nothing_left(them, run)


def mpich():
    """programs of MPICH share hosts in gangs, and nothing is lost."""
    mpi("mpich", number("--seconds", 3))


def open_mpi():
    """programs of Open MPI share hosts in gangs, and nothing is lost."""
    mpi("openmpi", number("--seconds", 3))


def one_host_mpi():
    """an MPI program on one host, and one that is killed."""
    program = os.path.join(BUILD, "tests", "mpi_load_mpich")
    with Run(BUILD, "--slot", "20ms") as run:
        run.listens()
        status, out, _ = run.job("-n", "4", program, "0.5")
        equal((status, out.split()[:2]), (0, ["4", "processes,"]))
        client = run.submit("-n", "4", program, "600")
        running(run, "mpi_load_mpich 600", 4)
        kill = [pid for pid in run.programs("mpi_load_mpich 600")
                if read(pid, "comm").startswith(b"mpi_load")]
        os.kill(kill[-1], signal.SIGKILL)
        holds(client.wait(timeout=PATIENCE) != 0, "it ended with 0")
        holds(until(lambda: not run.programs("mpi_load_mpich 600")),
              "something is left")
        equal(run.job("echo", "alive")[1], "alive\n")


def one_kill(chance, seed):
    with hosts(0, 1, -1, 2) as them, run_on(them) as run:
        run.listens()
        clients = [run.submit("-n", str(chance.choice((1, 2, 4))), *SPIN)
                   for _ in range(chance.randint(1, 3))]
        if chance.random() < 0.7:
            running(run, "while", len(clients))
        victim = chance.choice(("host", "cable", "rank", "program", "keeper"))
        host = chance.randint(2, 4)
        if victim == "host":
            them.kill(host)
        elif victim == "cable":
            them.cut(host)
        else:
            found = run.programs("while") if victim == "program" \
                else [pid for pid in them.processes(host)
                      if read(pid, "comm").strip() == b"tori-"
                      + victim.encode()]
            for pid in found[:1]:
                os.kill(pid, signal.SIGKILL)
        status, out, err = run.job("echo", "alive")
        equal((status, out), (0, "alive\n"))
        equal(run.job("--now", command="stop")[0], 0)
        nothing_left(them, run)
        leave(*clients)
    return victim


def at_random():
    """hosts, ranks, keepers and programs that go at random leave nothing."""
    first, rounds = number("--seed", 0), number("--rounds", 3)
    counts = {}
    for seed in range(first, first + rounds):
        try:
            victim = one_kill(random.Random(seed), seed)
        except (AssertionError, OSError) as error:
            raise AssertionError(f"--seed {seed} --rounds 1: {error}") \
                from error
        counts[victim] = counts.get(victim, 0) + 1
    print(f"# {counts}", flush=True)


CASES = [together, true_offsets, jump, host_dies, cable_pulled, slow_network,
         mpich, open_mpi, one_host_mpi, at_random]
if "--only" in sys.argv:
    CASES = [case for case in CASES if case.__name__ in sys.argv]
sys.exit(tap(cases=CASES, plain=[true_offsets, cable_pulled, slow_network,
                                 open_mpi, one_host_mpi]))
