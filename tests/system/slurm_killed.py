#!/usr/bin/env python3
"""Usage: slurm_killed.py BUILD-DIRECTORY [--jobs N] [--seed N]

torid, tori-slurm and slurmctld are killed with SIGKILL at random while users
submit jobs to a real cluster of 64 nodes: shapes with links of their own,
numbers of nodes, arrays, dependencies, srun, and some that are cancelled. What
must hold is seen from outside: by what the jobs leave behind, against the
orders that torid gave. In TAP.

A slurmctld saves its state every six seconds. One that is killed has forgotten
what came after that, with or without tori: a job that was submitted then is
gone, and another one gets its number; one that was started then waits again;
one that ended then runs again. When the processes of such a job end, Slurm
takes that for the end of whatever has the number now. So slurmctld is killed
just after a save, and its log tells what it did between the two. Only jobs
with these numbers may be run again, or have to be submitted again; and those
whose script a slurmd has removed.
"""
import collections
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time

from patience import wait
from service import equal, read
from slurm_world import (MACHINE, PLUGINS, SIDES, SITE, World, nodes_of,
                         spread)


def option(name, otherwise):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv \
        else otherwise


JOBS, SEED = option("--jobs", 60), option("--seed", 7)

# A job locks its nodes, and leaves a line when it begins and when it ends. The
# locks go with its last process. A job that is cancelled ends its child itself:
# Slurm loses sight of a process that was born meanwhile when its parent ends.
SCRIPT = """#!/bin/bash
test "${SLURM_PROCID:-0}" = 0 || exec sleep "$1"
who="$SLURM_JOB_NAME ${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}"
who="$who${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}"
say () {
    echo "$1 $EPOCHREALTIME $who ${SLURM_RESTART_COUNT:-0}" \\
        "$SLURM_JOB_NODELIST" >> "$RUNS"
}
trap 'kill $!; wait; say end; exit 1' TERM
say begin
for node in $(scontrol show hostnames); do
    exec {fd}>> "$RUNS.$node"
    flock -n $fd || say clash
done
sleep "$1" &
wait $!
say end
"""

SHAPES = ("2x2x1", "4x2x1", "2x2x2", "4x4x1", "1x1x3", "4x1x1", "3x2x1")


# ---- what users want ----

class Ask:
    """A job that somebody wants, however often it has to be submitted."""

    def __init__(self, name, words, seconds, tasks=(None,)):
        self.name, self.words, self.seconds = name, words, seconds
        self.tasks = tasks
        self.after = self.cancel = self.job = None
        self.turn, self.srun = 0, False
        self.submitted = self.cancelled = 0.0

    @property
    def title(self):
        """Its name in Slurm, another one for every submission."""
        return f"{self.name}.{self.turn}"


def size_words(chance):
    if chance.random() < 0.4:
        return ["-N", str(chance.randrange(1, 12))]
    wiring = chance.choice(("", ",wiring=mesh", ",wiring=torus"))
    return [f"--comment=tori:shape={chance.choice(SHAPES)}{wiring}"]


def stream(chance):
    """So many jobs, where each task of an array counts."""
    asks, count = [], 0
    while count < JOBS:
        ask = Ask(f"j{len(asks)}", size_words(chance),
                  round(chance.uniform(0.1, 2.5), 1))
        kind = chance.random()
        if kind < 0.05:
            ask.tasks = tuple(range(chance.randrange(2, 5)))
            ask.words += ["--array", f"0-{len(ask.tasks) - 1}"]
        elif kind < 0.15 and any(not one.srun for one in asks[-10:]):
            ask.after = chance.choice([one for one in asks[-10:]
                                       if not one.srun])
        elif kind < 0.2:
            ask.srun = True
        elif kind < 0.28:
            ask.cancel = chance.uniform(0.1, 6)
        count += len(ask.tasks)
        asks.append(ask)
    return asks


class Users(threading.Thread):
    """Submit, and cancel some. A job that slurmctld has forgotten is submitted
    again, as is one of srun that was not heard of any more."""

    def __init__(self, world, asks, chance):
        super().__init__(daemon=True)
        self.world, self.asks, self.chance = world, asks, chance
        self.error, self.lock = None, threading.Lock()
        self.sruns, self.lost, self.given_up = [], [], []

    def words(self, ask):
        after = ["--dependency", f"afterany:{ask.after.job}"] \
            if ask.after else []
        return ["-t", "10", "-J", ask.title, *after, *ask.words]

    def submit(self, ask):
        """Until it is known to be submitted, once."""
        while not ask.job:
            done = self.world.cluster.call(
                "env", f"RUNS={self.world.runs}", "sbatch", "--parsable",
                "-o", "/dev/null", *self.words(ask), self.world.script,
                str(ask.seconds))
            assert "tori" not in done.stderr, done.stderr
            ask.submitted = time.time()
            ask.job = done.stdout.strip() or self.find(ask)

    def find(self, ask):
        """The job, if slurmctld has it although it has not said so. One that
        does not answer may have it, too."""
        done = self.world.cluster.call("squeue", "-h", "-t", "all", "-o", "%F",
                                       "-n", ask.title)
        while done.returncode != 0:
            time.sleep(0.2)
            done = self.world.cluster.call("squeue", "-h", "-t", "all", "-o",
                                           "%F", "-n", ask.title)
        return done.stdout.split()[0] if done.stdout else None

    def begin_srun(self, ask):
        ask.submitted, ask.job = time.time(), None
        self.sruns.append((ask, subprocess.Popen(
            ["srun", "--quiet", *self.words(ask), self.world.script,
             str(ask.seconds)], cwd="/",
            env={**self.world.cluster.env, "RUNS": self.world.runs},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)))

    def reap(self):
        """Those of srun that are over; some were given up."""
        for ask, process in list(self.sruns):
            if process.poll() is None:
                continue
            self.sruns.remove((ask, process))
            if process.returncode != 0:
                self.try_again(ask)

    def try_again(self, ask):
        self.given_up.append(ask.title)
        ask.turn += 1
        self.begin_srun(ask)

    def give_up(self):
        """slurmctld may have forgotten that a job of srun has ended. No node
        tells it, as for a batch job, so the job runs until its time is up. Or
        srun waits without end for an answer. Somebody who sees nothing happen
        cancels that, and tries again. Whether that was so."""
        waits, found = [ask for ask, _ in self.sruns], False
        shown = dict(map(str.split, self.world.cluster.run(
            "squeue", "-h", "-o", "%j %A,%T").splitlines()))
        for ask in filter(lambda ask: ask.srun, self.asks):
            runs = [title for title, state in shown.items() if state.endswith(
                "RUNNING") and title.split(".")[0] == ask.name]
            for title in runs:
                self.world.cluster.call("scancel", shown[title].split(",")[0])
            lost = ask in waits and ask.title not in shown
            if lost or ask.title in runs:
                self.drop(ask)
            found |= lost or bool(runs)
        return found

    def drop(self, ask):
        for one, process in list(self.sruns):
            if one is ask:
                process.kill()
                process.wait()
                self.sruns.remove((one, process))
        self.try_again(ask)

    def cancel(self, ask):
        if self.chance.random() < 0.5 or not self.cancel_in_torid(ask):
            self.cancel_in_slurm(ask)
        ask.cancelled = time.time()

    def cancel_in_torid(self, ask):
        """Whether torid has heard it."""
        try:
            job = self.world.of(ask.title)
            return bool(job) and self.world.ask(
                "DELETE", f"/v1/jobs/{job['id']}")[0] == 200
        except OSError:
            return False

    def cancel_in_slurm(self, ask):
        """Again while slurmctld is away; but a job may be over by now."""
        while self.world.cluster.call("scancel", ask.job).returncode != 0 \
                and self.may_be_there(ask):
            time.sleep(0.2)

    def may_be_there(self, ask):
        done = self.world.cluster.call("squeue", "-h", "-t", "PD,R", "-n",
                                       ask.title)
        return done.returncode != 0 or done.stdout

    def turn(self, ask):
        with self.lock:
            if ask.srun:
                self.begin_srun(ask)
            else:
                self.submit(ask)
            for one in self.asks:
                if one.cancel and one.job and not one.cancelled \
                        and time.time() > one.submitted + one.cancel:
                    self.cancel(one)
            self.reap()
        time.sleep(self.chance.uniform(0, 0.3))

    def run(self):
        try:
            for ask in self.asks:
                self.turn(ask)
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error

    def again(self, ask, why):
        self.lost.append((ask.title, ask.job, why))
        ask.turn, ask.job = ask.turn + 1, None
        self.submit(ask)

    def look_after(self):
        """slurmctld was killed: what it has forgotten is submitted again."""
        known = self.world.cluster.run("squeue", "-h", "-t", "all", "-o",
                                       "%j").split()
        for ask in self.asks:
            if ask.job and ask.title not in known and not ask.cancelled:
                self.again(ask, "forgotten")

    def finish(self):
        """All is over: what did not complete is submitted again."""
        bad = {title for (title, _), state in states(self.world).items()
               if state != "COMPLETED"}
        found = [ask for ask in self.asks if ask.title in bad
                 and not ask.cancelled and not ask.srun]
        for ask in found:
            self.again(ask, "ended")
        return found


def states(world):
    """Of every job that Slurm has, by its name and number."""
    lines = world.cluster.run("squeue", "-h", "-r", "-t", "all", "-o",
                              "%j %i %T").splitlines()
    return dict(((title, name), state)
                for title, name, state in map(str.split, lines))


# ---- who is killed ----

class Kills:
    """Who was killed, and the numbers of the jobs of which slurmctld has
    forgotten something."""

    def __init__(self, world, users, chance):
        self.world, self.users, self.chance = world, users, chance
        self.forgotten, self.count = set(), collections.Counter()

    def saved(self):
        """When slurmctld has saved its state."""
        path = self.world.cluster.path("state/job_state")
        return os.path.getmtime(path) if os.path.exists(path) else 0

    def executor(self):
        pid = self.world.executor()
        if pid:
            os.kill(pid, signal.SIGKILL)

    def torid(self):
        self.world.kill()
        if self.chance.random() < 0.3:
            time.sleep(self.chance.uniform(0, 2))
        self.world.begin()

    def note_forgotten(self):
        """Its log has a line of everything that changes a job."""
        since = time.strftime("[%Y-%m-%dT%H:%M:%S.",
                              time.localtime(self.saved() - 0.1))
        since += f"{(self.saved() - 0.1) % 1:.3f}"[2:]
        for line in read(self.world.cluster.path(
                "slurmctld.log")).splitlines():
            if line > since:
                self.forgotten |= set(re.findall(r"JobId=(\d+)", line))

    def note_purged(self):
        """A slurmctld that has begun asks all nodes for their jobs. A slurmd
        that is about to begin one takes its script for a leftover then, and
        removes it, so that the job fails: Slurm has lost it, too."""
        cluster = self.world.cluster
        first = dict(map(str.split, cluster.run(
            "squeue", "-h", "-r", "-t", "all", "-o", "%A %F").splitlines()))
        for name in cluster.names:
            self.forgotten |= {first.get(job, job) for job in re.findall(
                r"Purging vestigial job script .*/job0*(\d+)/",
                read(cluster.path(f"slurmd-{name}.log")))}

    def slurmctld(self):
        """Just after a save. If nothing happens, there is none for minutes."""
        cluster, before = self.world.cluster, self.saved()
        until = time.monotonic() + 10
        while self.saved() == before and time.monotonic() < until:
            time.sleep(0.005)
        cluster.kill("slurmctld")
        self.note_forgotten()
        # A job is known by its number and the second of its submission. One
        # that is forgotten and another with its number must not share both.
        time.sleep(1)
        cluster.begin("slurmctld")
        wait(lambda: cluster.call("sinfo").returncode == 0, "no slurmctld")
        with self.users.lock:
            self.users.look_after()

    def some(self, count):
        """So many, each as often as the others, and at times two at once."""
        names = ["executor", "torid", "slurmctld"] * (count // 3)
        self.chance.shuffle(names)
        for name in names:
            self.count[name] += 1
            getattr(self, name)()
            if self.chance.random() < 0.8:
                time.sleep(self.chance.uniform(0.5, 4))

    def has_forgotten(self, name):
        return name.split("_")[0] in self.forgotten


# ---- what has happened ----

Run = collections.namedtuple("Run", "title name restart nodes begin end")


def read_runs(world):
    """What the jobs say: all runs, and who did not get a node of his own."""
    open_runs, runs, clashes = {}, [], []
    for line in read(world.runs).splitlines():
        what, when, *who, nodes = line.split()
        if what == "begin":
            run_ = [*who, frozenset(spread(nodes)), float(when), None]
            open_runs[tuple(who)] = run_
            runs.append(run_)
        elif what == "end":
            open_runs[tuple(who)][5] = float(when)
        else:
            clashes.append((float(when), line))
    return [Run(*run_) for run_ in runs], clashes


def read_orders(world):
    """By job of torid: its key, and the nodes and the box of its attempts."""
    keys, places = {}, collections.defaultdict(dict)
    for line in read(world.path("orders")).splitlines():
        order = json.loads(line)
        if order["do"] == "start":
            place = (frozenset(f"n{i}" for i in order["ids"]),
                     order.get("box"))
            keys[order["job"]] = order["key"]
            equal(places[order["job"]].setdefault(order["attempt"], place),
                  place)
    return keys, places


def check_ordered(world, runs, kills):
    """Every run was ordered, each by an order of its own, and a job was not
    started again unless slurmctld had forgotten that. By run: its job, and
    the box that was ordered."""
    jobs = {job["id"]: job for job in world.list()}
    keys, places = read_orders(world)
    found, asked, ordered_at = {}, collections.defaultdict(list), {}
    for number, key in sorted(keys.items()):
        who = (jobs[number]["name"], key.split(".")[0])
        found[who] = jobs[number]
        asked[who] += [place for _, place in sorted(places[number].items())]
    for who, mine in itertools.groupby(
            sorted(runs, key=lambda run_: run_[:2] + (run_.begin,)),
            key=lambda run_: run_[:2]):
        assert who in found, \
            f"{who} was not ordered: {list(mine)}; {keys}; {jobs}"
        mine, ordered, job = list(mine), iter(asked[who]), found[who]
        for run_ in mine:
            box = next((box for nodes, box in ordered
                        if nodes == run_.nodes), False)
            assert box is not False, f"{run_} is none of {asked[who]}: {job}"
            ordered_at[run_] = (job, box)
        for run_ in mine[:-1]:
            assert kills.has_forgotten(run_.name), \
                f"{mine} were started twice: {job}"
        if "why" not in job:
            equal((job["status"], mine[-1].nodes),
                  (0, frozenset(nodes_of(job["place"]))))
    return ordered_at


def check_wanted(world, users, runs, kills):
    """Every job that was wanted has run to its end; and once, but for what
    slurmctld has forgotten."""
    now = states(world)
    for ask, task in ((ask, task) for ask in users.asks for task in ask.tasks):
        suffix = "" if task is None else f"_{task}"
        ended = {state for (title, name), state in now.items()
                 if title == ask.title and name.endswith(suffix)}
        mine = sorted((run_ for run_ in runs if run_.name.endswith(suffix)
                       and run_.title.split(".")[0] == ask.name),
                      key=lambda run_: run_.begin)
        if not ask.cancelled:
            assert ended == {"COMPLETED"} and mine, (ask.title, ended, mine)
            assert mine[-1].end is not None, mine
        elif not kills.has_forgotten(ask.job):
            assert all(run_.begin < ask.cancelled + 3 for run_ in mine), mine
        for run_ in mine[:-1]:
            assert kills.has_forgotten(run_.name) \
                or run_.title in users.given_up, \
                f"{mine}: more than once, not only {kills.forgotten}"
    for title, job, why in users.lost:
        assert job in kills.forgotten, (title, job, why, kills.forgotten)


def box_links(box, wiring):
    """The links that a box takes, on a torus: a ring of part of a line takes
    all of the line."""
    origin, shape = box.split("/")
    spans = [(int(first), int(size)) for first, size in
             zip(origin.split(","), shape.split("x"))]
    found = set()
    for dim, (first, size) in enumerate(spans):
        side = SIDES[dim]
        along = range(first, first + size - 1) if wiring == "mesh" \
            else range(side)
        for line in itertools.product(*(
                [None] if at == dim else range(start, start + long)
                for at, (start, long) in enumerate(spans))):
            found |= {(dim, line, i % side) for i in along if size > 1}
    return found


def check_links(world, ordered):
    """Of jobs that ran at the same time, none shared a node or a link. A job
    that ran again had another box then."""
    now = []
    for run_ in sorted(ordered, key=lambda run_: run_.begin):
        job, box = ordered[run_]
        now = [one for one in now if one[0].end > run_.begin]
        if run_.end is None or "why" in job:
            continue
        wiring = job.get("wiring", "none")
        links = box_links(box, wiring) if wiring != "none" else set()
        for other, _, taken in now:
            assert not other.nodes & run_.nodes, (other, run_)
            assert not taken & links, (other, run_, taken & links)
        now.append((run_, box and f"{box} {wiring}\n", links))
        lines = [line for _, line, _ in now if line]
        with open(world.path("boxes"), "w", encoding="utf-8") as file:
            file.writelines(lines)
        status, _, error = world.tori("wire", "--machine", MACHINE,
                                      "--partitions", "boxes")
        equal((status, error), (0, ""))


# ---- the test ----

def over(world, users):
    """Whether all is over, everywhere."""
    with users.lock:
        users.reap()
    for line in world.cluster.run("sinfo", "-h", "-N", "-o",
                                  "%N %E").splitlines():
        if "Duplicate" in line:  # one that was forgotten ran there
            world.cluster.call("scontrol", "update", "State=resume",
                               f"NodeName={line.split()[0]}")
    return not users.is_alive() and not users.sruns \
        and not world.cluster.call("squeue", "-h", "-t",
                                   "PD,R,CG,CF,S").stdout \
        and all(job["state"] == "ended" for job in world.all().values()) \
        and not users.finish()


def history(world, users):
    """What slurmctld says of the jobs that remain, and of their nodes."""
    names = world.cluster.call("squeue", "-h", "-o", "%A").stdout.split()
    found = [line for line in read(world.cluster.path(
        "slurmctld.log")).splitlines() if re.search(
            r"JobId=(\w+\()?(" + "|".join(names) + r")\b|not responding|"
            "started on|[Rr]ecovered state|Registr|econfigur", line)]
    return "\n".join([str(users.sruns), *found[-60:]])


def finish(world, users):
    """Wait as long as jobs end. A slurmctld that was killed before a job was
    launched hears only when nodes register, which takes minutes if nobody
    asks, that it does not run. It believes that of jobs that it has known for
    eleven seconds; and from 23.11 on, it begins anew whenever it is asked."""
    left, since = None, time.monotonic()
    asked = since
    while not over(world, users):
        now = len(world.cluster.call("squeue", "-h", "-r").stdout.split("\n"))
        if now != left:
            left, since = now, time.monotonic()
        assert time.monotonic() < since + 90, \
            f"{now} remain: {world.state()}\n{history(world, users)}"
        if time.monotonic() > max(since, asked) + 15:
            world.cluster.call("scontrol", "reconfigure")
            with users.lock:
                since = time.monotonic() if users.give_up() else since
            asked = time.monotonic()
        time.sleep(0.3)


def tell(users, runs, kills, since):
    again = len(runs) - len({(run_.title.split(".")[0], run_.name)
                             for run_ in runs})
    print(f"# {sum(len(ask.tasks) for ask in users.asks)} jobs, seed {SEED}, "
          f"{time.monotonic() - since:.0f} s; killed: " + ", ".join(
              f"{name} {n}" for name, n in sorted(kills.count.items()))
          + f"; {len(kills.forgotten)} jobs of which slurmctld has forgotten "
          f"something: {len(users.lost)} were submitted again, {again} ran "
          f"again; srun gave up {len(users.given_up)}", flush=True)


SITE.asked.update(
    plugins=PLUGINS,
    beside={"tori.conf": f"partitions=mesh\nmachine={MACHINE}\n"},
    options={"JobSubmitPlugins": "tori", "MinJobAge": 3600,
             # how soon jobs are found that have ended and been forgotten
             "SlurmdTimeout": 30, "BatchStartTimeout": 1})


def killed_at_random():
    """all jobs run once where torid says, whoever is killed meanwhile"""
    chance, since = random.Random(SEED), time.monotonic()
    with World(script=SCRIPT, orders="FILES/orders") as world:
        users = Users(world, stream(chance), random.Random(SEED + 1))
        kills = Kills(world, users, chance)
        users.start()
        kills.some(JOBS // 8)
        users.join()
        equal(users.error, None)
        finish(world, users)
        kills.note_purged()
        runs, clashes = read_runs(world)
        tell(users, runs, kills, since)
        equal(clashes, [])
        ordered = check_ordered(world, runs, kills)
        check_wanted(world, users, runs, kills)
        check_links(world, ordered)
        # a slurmctld that has just begun does not know all nodes yet
        wait(lambda: world.ask("GET", "/v1/machine")[1]["free"] == 64,
             "not all nodes are free")


sys.exit(SITE.run([killed_at_random]))
