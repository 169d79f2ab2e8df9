#!/usr/bin/env python3
"""Usage: gang_drain.py BUILD-DIRECTORY [--hosts N] [--slot MS] [--blocks N]
                     [--quick]

What draining the network at a switch gains or costs. Two MPI programs, each an
all-to-all on all hosts (mpi_work.c), have turns. Their processes are in
control groups, as those of 'tori gang run' are, and a turn ends in one of
three ways:

  no drain   the job is stopped wherever it is, and the next is continued
  wire       the job is stopped; the next is continued when nothing that was
             sent is without acknowledgement any more (tx_queue of
             /proc/net/tcp), or after a grace of 20 ms
  program    the job is asked to stop, and does so before its next round, when
             every message has arrived; then the next is continued

Beside them 'no switch': one job, never stopped. For each: how long the switch
waits, what is in the kernel's queues when the job is stopped and when the wait
is over, what TCP sends again, how long it takes from when a job is continued
to the end of its first round, and rounds per second of all the time used. The
hosts are network namespaces (tests/system/hosts.py); the network is as it is, with
delay, and with delay and loss. All ways have blocks of 50 turns, one after
another, again and again. Reading the queues, and waiting for the job to stand
still for that, is left out of the time where a way does not need it.
"""
import argparse
import bisect
import mmap
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "tests/system"))
# pylint: disable=wrong-import-position
import hosts as world  # noqa: E402
from gangrun import group_home, read, until  # noqa: E402

GRACE = 0.02
TURNS = 50  # of a block
NOTES = 4 + (1 << 20)
ASKED, ALLOWED, STOPPED, ROUNDS, ENDS = range(5)
NETWORKS = {"as it is": None, "delay 1 ms": ("delay", "1ms"),
            "delay 1 ms, loss 0.5 %": ("delay", "1ms", "loss", "0.5%")}


class Job:
    """An MPI program in a control group, and the notes that it shares."""

    def __init__(self, build, them, number):
        self.them, self.asked = them, 0
        self.group = f"{group_home()[0]}/tori-drain-{os.getpid()}-{number}"
        os.mkdir(self.group)
        path = them.path(f"notes{number}")
        with open(path, "wb") as file:
            file.truncate(8 * NOTES)
        with open(path, "r+b") as file:
            self.notes = memoryview(mmap.mmap(file.fileno(), 0)).cast("q")
        self.mpirun = subprocess.Popen(
            them.mpirun(them.n) + [f"{build}/bench/mpi_work", "alltoall",
                                   str(1 << 30), path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, preexec_fn=self.enter)

    def enter(self):
        self.write("cgroup.procs", "0")

    def write(self, name, text):
        with open(f"{self.group}/{name}", "w", encoding="ascii") as file:
            file.write(text)

    def pids(self):
        with open(f"{self.group}/cgroup.procs", encoding="ascii") as file:
            return [int(line) for line in file]

    def begin(self):
        """Wait until all connections are there, and note whose they are."""
        assert until(lambda: self.notes[ROUNDS] > 20), "it does not begin"
        self.ranks = [pid for pid in self.pids()
                      if read(pid, "comm").strip() == b"mpi_work"]
        self.sockets = set()
        for pid in self.ranks:
            for name in os.listdir(f"/proc/{pid}/fd"):
                try:
                    to = os.readlink(f"/proc/{pid}/fd/{name}")
                except FileNotFoundError:
                    continue
                if to.startswith("socket:["):
                    self.sockets.add(to[8:-1].encode())
        self.stop()
        self.be_stopped()

    def stop(self):
        self.write("cgroup.freeze", "1")

    def be_stopped(self):
        with open(f"{self.group}/cgroup.events", "rb") as file:
            while b"frozen 1" not in file.read():
                file.seek(0)

    def go_on(self):
        self.notes[ALLOWED] = self.asked
        self.write("cgroup.freeze", "0")

    def ask_to_stop(self):
        self.asked += 1
        self.notes[ASKED] = self.asked
        want = self.asked * len(self.ranks)
        while self.notes[STOPPED] < want:
            time.sleep(0.0001)

    def queues(self):
        """Bytes that were sent and are without acknowledgement, and that have
        come and were not read: of all connections."""
        sent = come = 0
        for pid in self.ranks:
            for name in ("net/tcp", "net/tcp6"):
                for line in read(pid, name).split(b"\n")[1:]:
                    words = line.split()
                    if len(words) > 9 and words[9] in self.sockets \
                            and words[3] == b"01":
                        out, _, into = words[4].partition(b":")
                        sent += int(out, 16)
                        come += int(into, 16)
        return sent, come

    def first_rounds(self, times):
        """From each of these times to the end of the next round."""
        ends = self.notes[ENDS:ENDS + self.notes[ROUNDS]].tolist()
        found = []
        for begin in times:
            i = bisect.bisect(ends, begin)
            if i < len(ends):
                found.append((ends[i] - begin) / 1e6)
        return found

    def end(self):
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.write("cgroup.freeze", "0")
        self.mpirun.wait()
        until(lambda: not self.pids())
        os.rmdir(self.group)


def counters(job):
    """What TCP has sent again, and how often a timer ran out, on all hosts."""
    again = timers = 0
    for pid in job.ranks:
        for name, field in (("net/snmp", b"RetransSegs"),
                            ("net/netstat", b"TCPTimeouts")):
            lines = read(pid, name).split(b"\n")
            for head, values in zip(lines[::2], lines[1::2]):
                if field in head.split():
                    value = int(values.split()[head.split().index(field)])
                    again += value * (field == b"RetransSegs")
                    timers += value * (field == b"TCPTimeouts")
    return again, timers


# ---- the ways to end a turn ----

def no_drain(job, sample):
    begin = time.monotonic()
    job.stop()
    wait = time.monotonic() - begin
    job.be_stopped()
    sample["stopped"] = sample["left"] = job.queues()
    return wait


def wire(job, sample):
    begin = time.monotonic()
    job.stop()
    job.be_stopped()
    sample["stopped"] = sample["left"] = job.queues()
    while sample["left"][0] and time.monotonic() < begin + GRACE:
        sample["left"] = job.queues()
    return time.monotonic() - begin


def program(job, sample):
    begin = time.monotonic()
    job.ask_to_stop()
    job.stop()
    wait = time.monotonic() - begin
    job.be_stopped()
    sample["stopped"] = sample["left"] = job.queues()
    return wait


WAYS = {"no switch": None, "no drain": no_drain, "wire": wire,
        "program": program}


def play(setup, jobs, way, found):
    """A block of turns."""
    before, rounds = counters(jobs[0]), sum(j.notes[ROUNDS] for j in jobs)
    turns = TURNS if way else 1
    for i in range(turns):
        job = jobs[i % 2 if way else 0]
        begin = time.monotonic()
        job.go_on()
        found["begun"][jobs.index(job)].append(time.monotonic_ns())
        time.sleep(setup.slot * (1 if way else TURNS))
        length = time.monotonic() - begin
        sample = {}
        wait = (way or no_drain)(job, sample)
        found["time"] += length + wait
        if way:
            found["wait"].append(1000 * wait)
            for name, pair in sample.items():
                found[name].append(pair)
    after = counters(jobs[0])
    found["rounds"] += sum(j.notes[ROUNDS] for j in jobs) - rounds
    found["again"] += after[0] - before[0]
    found["timers"] += after[1] - before[1]


def measure(setup, how):
    found = {name: {"time": 0, "rounds": 0, "again": 0, "timers": 0,
                    "wait": [], "stopped": [], "left": [], "begun": ([], [])}
             for name in WAYS}
    with world.Hosts([0] * setup.hosts) as them:
        for i in range(1, them.n + 1) if how else ():
            them.slow(i, *how)
        jobs = [Job(setup.build, them, i) for i in range(2)]
        try:
            for job in jobs:
                job.begin()
            for _ in range(setup.blocks):
                for name, way in WAYS.items():
                    play(setup, jobs, way, found[name])
            for one in found.values():
                one["first"] = [x for job, times in zip(jobs, one["begun"])
                                for x in job.first_rounds(times)]
        finally:
            for job in jobs:
                job.end()
    return found


# ---- the table ----

def of(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))]


def kib(pairs, which, part):
    return f"{of([pair[which] for pair in pairs], part) / 1024:.0f}"


HEAD = ("network", "turns end by", "switches", "wait ms p50", "p99",
        "sent KiB p50", "max", "come KiB p50", "max", "left sent max",
        "sent again", "timers", "first round ms p50", "p99", "rounds/s",
        "over no drain")


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def show(network, found):
    base = found["no drain"]["rounds"] / found["no drain"]["time"]
    for name, one in found.items():
        rate = one["rounds"] / one["time"]
        n = len(one["wait"])
        if n:
            cells = [n, f"{of(one['wait'], .5):.2f}",
                     f"{of(one['wait'], .99):.2f}",
                     kib(one["stopped"], 0, .5), kib(one["stopped"], 0, 1),
                     kib(one["stopped"], 1, .5), kib(one["stopped"], 1, 1),
                     kib(one["left"], 0, 1)]
        else:
            cells = [0] + [""] * 7
        cells += [one["again"], one["timers"]]
        cells += [f"{of(one['first'], p):.1f}" if n else "" for p in (.5, .99)]
        row(network, name, *cells, f"{rate:.0f}", f"{rate / base:.3f}")


def main():
    known = argparse.ArgumentParser()
    known.add_argument("build", type=os.path.abspath)
    known.add_argument("--hosts", type=int, default=4)
    known.add_argument("--slot", type=float, default=50)
    known.add_argument("--blocks", type=int, default=0)
    known.add_argument("--quick", action="store_true")
    setup = known.parse_args()
    setup.slot /= 1000
    setup.blocks = setup.blocks or (2 if setup.quick else 10)
    if world.missing():
        sys.exit(f"gang_drain.py: {world.missing()}")
    print(f"{setup.hosts} hosts on {os.cpu_count()} cores, load average before "
          f"this {os.getloadavg()[0]:.1f}; slots of {1000 * setup.slot:g} ms\n")
    row(*HEAD)
    row(*["--:"] * len(HEAD))
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK,
                              os.sched_param(1))
    except PermissionError:
        pass
    for network, how in list(NETWORKS.items())[:1 if setup.quick else None]:
        try:
            show(network, measure(setup, how))
        except (FileNotFoundError, subprocess.CalledProcessError):
            print(f"\n{network}: not here, as there is no netem")
    return 0


sys.exit(main())
