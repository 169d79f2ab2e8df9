#!/usr/bin/env python3
"""Usage: gang_kill.py BUILD-DIRECTORY [--rounds N] [--seconds S] [--seed N]

Kill processes of a run at random, with SIGKILL: ranks, programs, the wardens
between them, keepers, clients, mpirun itself. After each of them the jobs that
it does not concern go on, and what it does concern is gone; when the run is
over no process of it is left. As many rounds as are asked for, or as fit into
some seconds; each has a seed of its own, the first that of --seed and each
other the next number, which says what is done. Prints TAP, the seeds, and what
was killed how often.
"""
import argparse
import collections
import os
import random
import signal
import sys
import time

from gangrun import PATIENCE, RANKS, Run, read, until

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

    def __init__(self, build, chance):
        self.chance = chance
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
                >= self.counts[j] for j in range(number)), 10)
            time.sleep(self.chance.random() * 0.3)
            self.before = {j: self.of_job(j) for j in range(number)}

    def submit(self, count, name):
        """A job, some of them of two programs in a pipe."""
        program = ("sh", "-c", self.chance.choice((SCRIPT, SLEEPS)) + name)
        if count == 1 or self.chance.random() < 0.7:
            return self.run.submit("-n", str(count), *program)
        return self.run.submit("-n", str(count - 1), *program, "|", *program,
                               command="pipe")

    def of_job(self, job):
        return self.run.programs(f"# job {job}")

    @staticmethod
    def where(pid):
        """The processor that a program runs on."""
        words = dict(word.partition(b"=")[::2]
                     for word in read(pid, "environ").split(b"\0"))
        return int(words.get(b"TORI_PROCESSOR", b"-1"))

    # ---- who is killed; each answers whether the run must go on ----

    def kill_ranks(self, number):
        ranks = self.run.ranks()
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
        kill(self.chance.choice(sorted(self.run.keepers().values())))
        return False

    def kill_mpirun(self):
        self.run.mpirun.kill()
        return False

    KINDS = (("rank", kill_rank, 6), ("two ranks", kill_two_ranks, 2),
             ("program", kill_program, 3), ("warden", kill_warden, 3),
             ("client", kill_client, 2), ("keeper", kill_keeper, 1),
             ("mpirun", kill_mpirun, 1))

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
            if not until(lambda j=job: not self.of_job(j), 10):
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
        names = [kind for kind in self.KINDS for _ in range(kind[2])]
        name, who, _ = self.chance.choice(names)
        try:
            self.start(self.chance.randint(1, 4))
            on = who(self)
            if not on and self.run.mpirun.poll() is None:
                # A run that cannot go on ends by itself.
                until(lambda: self.run.mpirun.poll() is not None)
                if self.run.mpirun.poll() is None:
                    return name, "the run does not end"
            return name, (on and self.goes_on()) or self.ends()
        finally:
            for client in self.clients:
                client.kill()
                client.communicate()
            self.run.__exit__()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("build")
    options.add_argument("--rounds", type=int, default=200)
    options.add_argument("--seconds", type=float, default=float("inf"))
    options.add_argument("--seed", type=int, default=1000)
    options = options.parse_args()
    limit = time.monotonic() + options.seconds
    tally, failures, rounds = collections.Counter(), [], 0
    print(f"1..1\n# again: --seed {options.seed}", flush=True)
    while rounds < options.rounds and time.monotonic() < limit:
        seed = options.seed + rounds
        name, failure = Round(os.path.abspath(options.build),
                              random.Random(seed)).play()
        rounds += 1
        tally[name] += 1
        if failure:
            failures.append(f"{name}: {failure}; this round again: "
                            f"--seed {seed} --rounds 1")
            print("# " + failures[-1], flush=True)
    print("# " + ", ".join(f"{n} x {k}" for k, n in sorted(tally.items())))
    print(f"{'not ok' if failures else 'ok'} 1 - {rounds} kills among "
          f"{RANKS} ranks leave nothing behind")
    return bool(failures)


sys.exit(main())
