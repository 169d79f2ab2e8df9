#!/usr/bin/env python3
"""Usage: gang_kill.py BUILD-DIRECTORY [--rounds N] [--seed N]

Kill processes of a run with SIGKILL, and look for what is left of it: all that
look after jobs at once, and at random ranks, programs, the wardens between
them, keepers, clients, mpirun itself. After each of the latter the jobs that it
does not concern go on, and what it does concern is gone; when the run is over
no process of it is left. Each round has a seed of its own, the first that of
--seed and each other the next number, which says what is done; 18 rounds on end
have all kinds of kills. Prints TAP, the seeds, and what was killed how often.

Nothing else of the same user may run jobs meanwhile: each run, as it begins and
ends, removes what is left of others.
"""
import argparse
import collections
import os
import random
import signal
import subprocess
import sys
import time

from gangrun import (PATIENCE, RANKS, STUBBORN, Run, Skip, equal, have_groups,
                     holds, leave, read, running, tap, until, wait)

# One that is never at rest for long, and one that sleeps.
SCRIPT = """trap '' TERM HUP INT
sleep 600 &
(env -i setsid sh -c 'sleep 600; : '$TORI_TEST &)
setsid sh -c 'trap "" TERM HUP; while :; do sleep 0.05; done' &
while :; do sleep 0.02; done
"""
SLEEPS = "sleep 600 & wait "


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Round:
    """A run with jobs on it, and one kill."""

    def __init__(self, build, seed):
        chance = self.chance = random.Random(seed)
        self.kill = self.KINDS[seed % len(self.KINDS)]
        self.clients, self.before, self.spared = [], {}, []
        self.counts = []
        how = chance.choice(("auto", "signal"))
        self.run = Run(build, "--slot", "20ms", "--freeze", how)

    def start(self, number):
        """Jobs of random sizes, the run settled or not."""
        self.run.listens()
        for job in range(number):
            count = self.chance.choice((1, 1, 2, 2, 3, 4))
            self.counts.append(count)
            self.clients.append(self.submit(count, f"# job {job}"))
        if self.chance.random() < 0.7:
            until(lambda: all(
                len({self.where(pid) for pid in self.of_job(j)})
                >= self.counts[j] for j in range(number)))
            time.sleep(self.chance.random() * 0.3)
            self.before = {j: self.begun(j) for j in range(number)}

    def submit(self, count, name):
        """A job, some of them of two programs in a pipe."""
        program = ("sh", "-c", self.chance.choice((SCRIPT, SLEEPS)) + name)
        if count == 1 or self.chance.random() < 0.7:
            return self.run.submit("-n", str(count), *program)
        return self.run.submit("-n", str(count - 1), *program, "|", *program,
                               command="pipe")

    def of_job(self, job):
        return self.run.programs(f"# job {job}")

    def begun(self, job):
        """The programs of a job, each of which has a session. What a shell
        forks has the words of its parent until it becomes another program."""
        return [pid for pid in self.of_job(job)
                if read(pid, "stat").rpartition(b")")[2].split()[3:4]
                == [str(pid).encode()]]

    @staticmethod
    def where(pid):
        """The processor that a program runs on."""
        words = dict(word.partition(b"=")[::2]
                     for word in read(pid, "environ").split(b"\0"))
        return int(words.get(b"TORI_PROCESSOR", b"-1"))

    # ---- who is killed; each answers whether the run must go on ----

    def kill_ranks(self, number, ranks=None):
        ranks = ranks or self.run.ranks()
        chosen = self.chance.sample(sorted(ranks), number)
        on = {job: {self.where(pid) for pid in pids}
              for job, pids in self.before.items()}
        self.spared = [job for job, where in on.items()
                       if len(where) == self.counts[job]
                       and -1 not in where and not where & set(chosen)]
        for rank in chosen:
            kill(ranks[rank])
            time.sleep(self.chance.choice((0, 0.01, 0.1)))
        return 0 not in chosen

    def kill_rank(self):
        return self.kill_ranks(1)

    def kill_two_ranks(self):
        return self.kill_ranks(2)

    def kill_program(self):
        found = self.run.programs("# job")
        if found:
            kill(self.chance.choice(found))
        return True

    def kill_warden(self):
        found = self.run.wardens()
        if found:
            kill(self.chance.choice(found))
        return True

    def kill_client(self):
        kill(self.chance.choice(self.clients).pid)
        return True

    def kill_keeper(self):
        return self.kill_ranks(1, self.run.keepers())

    def kill_standin(self):
        kill(self.chance.choice(self.run.named(b"tori-standin")))
        return False

    def kill_mpirun(self):
        self.run.mpirun.kill()
        return False

    # Each so often of 19, in an order in which all kinds come early.
    KINDS = (kill_rank, kill_two_ranks, kill_program, kill_warden,
             kill_client, kill_keeper, kill_mpirun, kill_standin) + (
                 kill_rank, kill_program, kill_warden) * 2 + (
                     kill_rank, kill_client, kill_rank, kill_two_ranks,
                     kill_rank)

    # ---- what must hold afterwards ----

    def goes_on(self):
        """A job of one process still runs, and the jobs that are left are
        those whose client still waits."""
        status, out, err = self.run.job("echo", "alive", timeout=PATIENCE)
        if (status, out) != (0, "alive\n"):
            return f"a new job: status {status}, {out!r}, {err!r}"
        for job in self.spared:
            if (self.clients[job].poll() is not None
                    or not set(self.before[job]) <= set(self.of_job(job))):
                return f"job {job} has nothing to do with it, and has ended"
        for job, client in enumerate(self.clients):
            if client.poll() is None:
                continue
            if not until(lambda j=job: not self.of_job(j)):
                return (f"job {job} has ended with {client.returncode}, and "
                        f"left {self.of_job(job)}")
        return None

    def ends(self):
        run = self.run
        if run.mpirun.poll() is None:
            run.mpirun.terminate()
        if not until(lambda: run.mpirun.poll() is not None):
            return "mpirun does not end"
        if not run.gone():
            return "left behind: " + ", ".join(
                f"{pid} {read(pid, 'cmdline')!r}" for pid in run.all())
        if run.groups():
            return f"control groups left behind: {run.groups()}"
        return None

    def play(self):
        try:
            self.start(self.chance.randint(1, 4))
            on = self.kill(self)
            if not on and self.run.mpirun.poll() is None:
                # A run that cannot go on ends by itself.
                until(lambda: self.run.mpirun.poll() is not None)
                if self.run.mpirun.poll() is None:
                    return "the run does not end"
            return (on and self.goes_on()) or self.ends()
        finally:
            for client in self.clients:
                client.kill()
                client.communicate()
            self.run.__exit__()


def at_random():
    """kills at random leave nothing behind."""
    tally, failures = collections.Counter(), []
    print(f"# again: --seed {OPTIONS.seed} --rounds {OPTIONS.rounds}",
          flush=True)
    for seed in range(OPTIONS.seed, OPTIONS.seed + OPTIONS.rounds):
        this = Round(BUILD, seed)
        name = this.kill.__name__
        try:
            failure = this.play()
        except (AssertionError, OSError,
                subprocess.TimeoutExpired) as error:
            failure = str(error)
        tally[name] += 1
        if failure:
            failures.append(f"{name}: {failure}; this round again: "
                            f"--seed {seed} --rounds 1")
    print("# " + ", ".join(f"{n} x {k}" for k, n in sorted(tally.items())))
    holds(not failures, "\n".join(failures))


def forked():
    """what a shell forks is not counted as a program of its job."""
    this = Round(BUILD, 0)
    with this.run as run:
        run.listens()
        client = run.submit("-n", "2", "sh", "-c",
                            "(sleep 600; :) & (sleep 600; :) & wait # job 0")
        wait(lambda: len(this.of_job(0)) == 6, "not all are there")
        equal(sorted(map(this.where, this.begun(0))), [0, 1])
        leave(client)


def kill_all(run):
    """Everything that looks after jobs, at once: nobody can notice."""
    everybody = run.launchers() + [
        pid for pid in run.all() if read(pid, "comm").startswith(b"tori-")]
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in everybody:
            os.kill(pid, number)
    run.mpirun.wait()


def all_at_once():
    """what is left of a run that was killed at once is ended by the next.

    What is of a run that lives is spared.
    """
    if not have_groups():
        raise Skip("no control groups")
    how = ("--slot", "20ms", "--freeze", "cgroup")
    with Run(BUILD, *how, ranks=2) as other, Run(BUILD, *how, ranks=2) as run:
        other.listens()
        run.listens()
        spared = other.submit("-n", "2", "sleep", "617")
        client = run.submit("-n", "2", "sh", "-c", STUBBORN + "sleep 618")
        running(other, "617", 2)
        running(run, "sleep 618", 2)
        running(run, "sleep 600", 12)
        live = set(other.programs("617")), set(other.groups())
        equal((len(live[0]), len(live[1]), len(run.groups())), (2, 2, 2))
        kill_all(run)
        client.communicate(timeout=PATIENCE)
        wait(lambda: not run.wardens(), "the wardens live")
        holds(run.all() and len(run.groups()) == 2, "nothing is left to end")
        with Run(BUILD, jobs="true\n", ranks=2) as third:
            equal(third.end(), (0, "", ""))
        holds(run.gone(), "left behind:", run.all())
        equal(run.groups(), [])
        equal((set(other.programs("617")), set(other.groups())), live)
        equal((other.job("echo", "alive")[1], spared.poll()),
              ("alive\n", None))
        leave(spared)
        wait(lambda: not other.groups(), "groups are left")


def options():
    known = argparse.ArgumentParser()
    known.add_argument("build")
    known.add_argument("--rounds", type=int, default=18)
    known.add_argument("--seed", type=int, default=0)
    known.add_argument("--sanitized", action="store_true")
    return known.parse_args()


OPTIONS = options()
BUILD = os.path.abspath(OPTIONS.build)
sys.exit(tap(cases=[all_at_once, forked, at_random],
             plain=[all_at_once, forked]))
