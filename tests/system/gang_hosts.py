#!/usr/bin/env python3
"""Usage: gang_hosts.py BUILD-DIRECTORY [--only NAME] [--rounds N] [--seed N]
                     [--seconds N]

'tori gang run' across hosts, which are network namespaces of this machine with
clocks of their own. One that goes, and ranks and programs that are killed, leave
nothing behind, and the rest go on: '--only at_random --rounds 200'. MPI programs
that send all the time lose nothing by being stopped in the middle of it: '--only
mpich --seconds 60', and open_mpi.
"""
import hmac
import json
import os
import random
import signal
import socket
import sys
import threading
import time

import hosts as world
from gangrun import (KEEP, PATIENCE, STAY, Run, Skip, ask, equal, finish,
                     have_turns, holds, leave, read, running, tap, until,
                     unwarned, wait)

BUILD = os.path.abspath(sys.argv[1])
SHIM = os.path.join(BUILD, "tests", "libbad_clock.so")
NO_HOSTS = world.missing()


def option(name, otherwise):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv \
        else otherwise


def hosts(*ahead, environment=None):
    if NO_HOSTS:
        raise Skip(NO_HOSTS)
    return world.Hosts(ahead, environment)


def run_on(them, *options, slot="20ms", **how):
    return Run(BUILD, "--slot", slot, *KEEP, *options,
               launch=them.mpirun(them.n), **how)


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
            + "-n 4 timeout 12 sleep 600\n" * 2)
    with hosts(0, 7, 40, -3, environment=shims) as them, \
            run_on(them, "--report", "report", jobs=jobs) as run:
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
            print(f"# {sample}, microseconds: {report['microseconds'][sample]}",
                  flush=True)
            holds(report["microseconds"][sample]["n"] > 100, report)
            holds(report["microseconds"][sample]["p50"] < 1000, report)
        nothing_left(them, run)


def true_offsets():
    """what is known of a clock is as right as it says."""
    ahead = (0, 5, -2, 1000)
    with hosts(*ahead) as them, run_on(them) as run:
        run.listens()
        job = run.submit("-n", "4", *STAY)
        running(run, "631", 4)
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
            job = run.submit("-n", "2", *STAY)
            running(run, "631", 2)
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
    small = run.submit("-n", "1", *STAY)
    running(run, "631", 1)
    large = run.submit("-n", "4", *STAY)
    running(run, "631", 5)
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
    """all processes of a host are gone at once; mpirun notices it late."""
    with hosts(0, 0, 3, 0) as them, run_on(them) as run:
        def kill(host):
            run.mpirun.send_signal(signal.SIGSTOP)
            them.kill(host)
            wait(lambda: ask(run)[0]["dead"], "nobody noticed")
            time.sleep(1.1)
            run.mpirun.send_signal(signal.SIGCONT)
            run.mpirun.wait(timeout=PATIENCE)
            time.sleep(1.3)
        lost(them, run, kill)


def cable_pulled():
    """a host is cut off, and ends its processes; mpirun goes before that."""
    with hosts(0, 0, 3, 0) as them, run_on(them) as run:
        def cut(host):
            them.cut(host)
            run.mpirun.kill()
        lost(them, run, cut)


def mpirun_killed():
    """without mpirun, but with all hosts, the run ends."""
    with hosts(0, 2) as them, run_on(them) as run:
        run.listens()
        job = run.submit("-n", "2", *STAY)
        running(run, "631", 2)
        run.mpirun.kill()
        equal(job.wait(timeout=PATIENCE), 137)
        nothing_left(them, run)


def file_goes_on():
    """jobs of a file go on without mpirun; what they print is in a file."""
    jobs = ("-n 3 sleep 600\n"
            "sh -c 'hostname; while [ ! -e go ]; do echo tick; sleep 0.05; "
            "done; echo late'\n")
    with hosts(0, 0, 0) as them, run_on(them, jobs=jobs) as run:
        where = run.mpirun.stdout.readline().strip()
        them.kill(2 if where == "h3" else 3)
        status, _, err = run.end()
        holds(status != 0, err)
        open(run.path("go"), "w", encoding="utf-8").close()
        wait(lambda: "run has ended" in read_file(run.path("tori-gang.out")),
             "the run does not end")
        told = read_file(run.path("tori-gang.out")).splitlines()
        holds("late" in told, told, err)
        equal(told[-3:], ["tori: job 1 (sleep): status 137",
                          "tori: job 2 (sh): status 0",
                          "tori: the run has ended with status 1"])
        nothing_left(them, run)


def read_file(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


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
        job = run.submit("-n", "2", *STAY)
        equal(run.job("cat", text=text), (0, text, ""))
        have_turns(run, 2 if job.poll() is not None else 1)
        leave(job)
        equal(run.job("--now", command="stop")[0], 0)
        nothing_left(them, run)


def mpi(kind, seconds):
    """Jobs of this MPI share four hosts, and every message is checked. Turns are
    short, so that many of them end in the middle of an exchange."""
    program = os.path.join(BUILD, "tests", f"mpi_load_{kind}")
    if not os.path.exists(program):
        raise Skip(f"no {kind} here")
    with hosts(0, 3, -2, 9) as them, \
            run_on(them, "--report", "report", slot="5ms") as run:
        run.listens()
        clients = [run.submit("-n", str(n), program, str(seconds))
                   for n in (4, 4, 3)]
        rounds = 0
        for n, client in zip((4, 4, 3), clients):
            out, err = client.communicate(timeout=PATIENCE + 10 * seconds)
            holds(client.returncode == 0, client.returncode, out, err)
            words = out.split()
            equal((words[:2], words[3:]),
                  ([str(n), "processes,"], ["rounds,", "all", "right"]))
            holds(int(words[2]) > 1, out)
            rounds += int(words[2])
        equal(run.job("--now", command="stop")[0], 0)
        run.end()
        with open(run.path("report"), encoding="utf-8") as file:
            report = json.load(file)
        turns = sum(job["turns"] for job in report["jobs"])
        print(f"# {kind}: {rounds} rounds in {turns} turns; processes were "
              f"continued {report['switches']} times", flush=True)
        holds(report["switches"] > 100 * seconds, report["switches"])
        # 8 bytes a word, 2048 words in an exchange and in a burst.
        holds(them.traffic() > rounds * 3 * 2 * 2 * 2048 * 8, them.traffic(),
              "bytes: it was not by TCP")
        nothing_left(them, run)


def mpich():
    """programs of MPICH share hosts in gangs, and nothing is lost."""
    mpi("mpich", option("--seconds", 3))


def open_mpi():
    """programs of Open MPI share hosts in gangs, and nothing is lost."""
    mpi("openmpi", option("--seconds", 3))


def near_and_far():
    """Open MPI has one daemon a host, and processes in the job's order."""
    program = os.path.join(BUILD, "tests", "mpi_load_openmpi")
    if not os.path.exists(program):
        raise Skip("no Open MPI here")
    words = "$TORI_RANK $OMPI_COMM_WORLD_RANK $OMPI_COMM_WORLD_LOCAL_SIZE"
    with hosts(0, 5) as them, \
            Run(BUILD, "--slot", "20ms", launch=them.mpirun(4)) as run:
        run.listens()
        status, out, err = run.job("-n", "4", "--mpi", "openmpi", "sh", "-c",
                                   f"echo {words} $(hostname)")
        equal((status, sorted(out.splitlines()), unwarned(err)),
              (0, ["0 0 2 h1", "1 1 2 h2", "2 2 2 h1", "3 3 2 h2"], []))
        status, out, err = run.job("-n", "4", program, "0.3")
        equal((status, out.endswith("all right\n"), unwarned(err)),
              (0, True, []))
        equal(run.job("--now", command="stop")[0], 0)
        nothing_left(them, run)


class Ear:
    """Hears all that goes over the wires of the hosts."""

    def __init__(self, them):
        self.heard = []
        self.sockets = []
        for i in range(1, them.n + 1):
            ear = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                socket.ntohs(3))  # packets of all kinds
            ear.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 25)
            ear.bind((them.wire(i), 0))
            ear.settimeout(0.1)
            self.sockets.append(ear)
        self.over = False
        self.threads = [threading.Thread(target=self.listen, args=[ear])
                        for ear in self.sockets]
        for thread in self.threads:
            thread.start()

    def listen(self, ear):
        while not self.over:
            try:
                self.heard.append(ear.recv(1 << 17))
            except TimeoutError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over = True
        for thread in self.threads:
            thread.join()
        for ear in self.sockets:
            ear.close()

    def end(self):
        self.__exit__()
        return self.heard


def is_among(heard, found):
    """Whether 16 bytes after each other are such, in what was heard."""
    seen = set()
    for part in heard:
        for i in range(len(part) - 15):
            word = part[i:i + 16]
            if word not in seen:
                seen.add(word)
                if found(word):
                    return True
    return False


def key_of_job(run, number):
    """What ranks make of the key of a run for a job that begins first."""
    text = b"j" + number.to_bytes(4, "little") + b"\1\0\0\0"
    return hmac.digest(run, text, "sha256")[:16]


def listened_to():
    """who hears all that is sent does not hear the keys of the run and jobs."""
    kinds = [name for name in ("mpich", "openmpi") if os.path.exists(
        os.path.join(BUILD, "tests", f"mpi_load_{name}"))]
    with hosts(0, 1) as them, Ear(them) as ear, \
            Run(BUILD, "--slot", "20ms", launch=them.mpirun(4)) as run:
        run.listens()
        start = list(ear.heard)
        for kind in kinds:
            status, out, err = run.job(
                "-n", "4", "--mpi", kind, "sh", "-c",
                f"echo $TORI_MEET > {run.path(kind)}.$TORI_RANK")
            equal((status, out, unwarned(err)), (0, "", []))
        heard = ear.end()
        holds(any(b"$TORI_MEET" in part for part in heard), "nothing heard")
        keys = [{read_file(f"{run.path(kind)}.{i}").split()[2]
                 for i in range(4)} for kind in kinds]
        equal([len(of) for of in keys], [1] * len(kinds))
        keys = [bytes.fromhex(key) for of in keys for key in of]
        equal((len(set(keys)), {len(key) for key in keys}), (len(kinds), {16}))
        for key in keys:
            for form in (key, key.hex().encode(), key[7::-1] + key[:7:-1]):
                holds(not any(form in part for part in heard), form)
        holds(not is_among(start, lambda run: key_of_job(run, 1) == keys[0]),
              "the key of the run was sent in clear")
        equal(run.job("--now", command="stop")[0], 0)
        nothing_left(them, run)


def one_host_mpi():
    """an MPI program on one host, and one that is killed."""
    program = os.path.join(BUILD, "tests", "mpi_load_mpich")
    with Run(BUILD, "--slot", "20ms") as run:
        run.listens()
        status, out, _ = run.job("-n", "4", program, "0.5")
        equal((status, out.split()[:2]), (0, ["4", "processes,"]))
        client = run.submit("-n", "4", program, "600")
        running(run, "mpi_load_mpich 600", 4)
        equal(len(run.folders()), 4)
        kill = [pid for pid in run.programs("mpi_load_mpich 600")
                if read(pid, "comm").startswith(b"mpi_load")]
        os.kill(kill[-1], signal.SIGKILL)
        holds(client.wait(timeout=PATIENCE) != 0, "it ended with 0")
        holds(until(lambda: not run.programs("mpi_load_mpich 600")
                    and not run.folders()), "something is left")
        equal(run.job("echo", "alive")[1], "alive\n")


class Kill:
    """A run with jobs on four hosts, and one kill."""
    LOAD = ("./load", "600")

    def __init__(self, them, run, chance):
        self.them, self.run, self.chance = them, run, chance
        self.clients, self.where = {}, {}  # by number of job
        self.host = chance.randint(2, 4)
        kinds = [name for name in ("mpich", "openmpi") if os.path.exists(
            os.path.join(BUILD, "tests", f"mpi_load_{name}"))]
        os.symlink(os.path.join(BUILD, "tests",
                                f"mpi_load_{chance.choice(kinds)}"),
                   run.path("load"))

    def start(self):
        """One to three jobs, MPI programs or not, at work already or not."""
        for number in range(1, self.chance.randint(1, 3) + 1):
            self.clients[number] = self.run.submit(
                "-n", str(self.chance.choice((1, 2, 4))),
                *self.chance.choice((STAY, self.LOAD)))
            wait(lambda n=number: len(ask(self.run)[1]) == n, "no such job")
        if self.chance.random() < 0.7:
            have_turns(self.run, *self.clients)
            self.where = {
                number: job["partition"].split("/")
                for number, job in ask(self.run)[1].items()}

    def has(self, number, host):
        """Whether a job is on a host."""
        first, count = (int(word) for word in self.where[number])
        return first < host <= first + count

    def of_job(self, number):
        """Its processes, on all hosts."""
        mark = f"TORI_JOB={number}".encode()
        return [pid for pid in self.run.all()
                if mark in read(pid, "environ").split(b"\0")]

    # ---- what is killed; the jobs that go with it ----

    def host_and_jobs(self, kill):
        """Until it is known, jobs are still sent there."""
        kill(self.host)
        wait(lambda: ask(self.run)[0]["dead"] == [self.host - 1],
             "nobody noticed")
        return [n for n in self.where if self.has(n, self.host)]

    def kill_host(self):
        return self.host_and_jobs(self.them.kill)

    def pull_cable(self):
        return self.host_and_jobs(self.them.cut)

    def kill_named(self, name):
        def kill(host):
            for pid in self.them.processes(host):
                if read(pid, "comm").strip() == name:
                    os.kill(pid, signal.SIGKILL)
                    return
        return self.host_and_jobs(kill)

    def kill_rank(self):
        return self.kill_named(b"tori-rank")

    def kill_keeper(self):
        return self.kill_named(b"tori-keeper")

    def kill_program(self):
        number = self.chance.choice(list(self.clients))
        words = ["\0".join((*words, "")).encode()
                 for words in (STAY, self.LOAD)]
        found = []

        def find():
            found[:] = [pid for pid in self.of_job(number)
                        if read(pid, "cmdline") in words]
            return found or not self.where
        wait(find, "it has no program")
        if found:
            os.kill(self.chance.choice(found), signal.SIGKILL)
        return [number]

    def kill_job(self):
        number = self.chance.choice(list(self.clients))
        self.clients[number].kill()
        return [number]

    KINDS = (kill_host, pull_cable, kill_rank, kill_keeper, kill_program,
             kill_job)

    # ---- what must hold afterwards ----

    def check(self, struck):
        """Those that were struck have ended, and nothing is left of them; the
        others have turns."""
        equal(self.run.job("echo", "alive")[:2], (0, "alive\n"))
        for number in struck if self.where else ():
            holds(self.clients[number].wait(timeout=PATIENCE) != 0,
                  f"job {number} ended with 0")
            holds(until(lambda n=number: not self.of_job(n)),
                  f"left of job {number}:", self.of_job(number))
        spared = [n for n in self.where if n not in struck]
        for number in spared:
            equal(self.clients[number].poll(), None)
        have_turns(self.run, *spared)
        return len(spared)


def one_kill(chance, kind):
    with hosts(0, 1, -1, 2) as them, run_on(them) as run:
        run.listens()
        this = Kill(them, run, chance)
        this.start()
        spared = this.check(kind(this))
        code, _, said = run.job("--now", command="stop")
        equal((code, said if code else ""), (0, ""))
        nothing_left(them, run)
        leave(*this.clients.values())
    return spared


def at_random():
    """hosts, ranks, keepers, programs and jobs that go leave nothing."""
    first, rounds = option("--seed", 0), option("--rounds", 3)
    counts, spared = {}, 0
    for seed in range(first, first + rounds):
        kind = Kill.KINDS[seed % len(Kill.KINDS)]
        try:
            spared += one_kill(random.Random(seed), kind)
        except (AssertionError, OSError,
                world.subprocess.TimeoutExpired) as error:
            raise AssertionError(f"--seed {seed} --rounds 1: {error}") \
                from error
        counts[kind.__name__] = counts.get(kind.__name__, 0) + 1
    print(f"# {counts}; {spared} jobs had nothing to do with it, and went on",
          flush=True)


CASES = [together, true_offsets, jump, host_dies, cable_pulled, mpirun_killed,
         file_goes_on, slow_network, mpich, open_mpi, near_and_far,
         listened_to, one_host_mpi, at_random]
sys.exit(tap(cases=CASES, plain=[true_offsets, cable_pulled, slow_network,
                                 open_mpi, near_and_far, listened_to,
                                 one_host_mpi]))
