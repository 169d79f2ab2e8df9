#!/usr/bin/env python3
"""Usage: slurm_moves.py BUILD-DIRECTORY [--only NAME...]

Jobs of a real Slurm cluster that torid suspends, stops for others, moves and
repairs. In TAP.
"""
import os
import signal
import sys
import time

from service import equal, read
from slurm_world import SITE, World, check_places, nodes_of, spread

POLICY = """queue mesh {}
queue still { preempted = "suspend" }
queue urgent { tier = 1 }
"""
COUNTS = """#!/bin/sh
echo "$SLURM_JOB_NAME $SLURM_JOB_ID $SLURM_JOB_NODELIST" >> "$RUNS"
while :; do echo x >> "$RUNS.$SLURM_JOB_NAME"; sleep 0.05; done
"""
SITE.asked["partitions"] = (
    "mesh Nodes=ALL Default=YES", "still Nodes=ALL", "urgent Nodes=ALL",
    "half Nodes=n[1-31,48]")


class Preempting(World):
    """Partitions are queues of torid, with levels."""

    def __init__(self, *words, torid=()):
        policy = SITE.path("policy")
        with open(policy, "w", encoding="utf-8") as file:
            file.write(POLICY)
        super().__init__(*words, torid=("--config", policy, *torid))

    def counter(self, name, *words):
        """A job that counts; its number in Slurm."""
        script = self.runs + ".count"
        with open(script, "w", encoding="utf-8") as file:
            file.write(COUNTS)
        job = self.batch(name, *words, script=script)
        self.until(lambda: self.count(name) > 0, f"{name} does not run")
        return job

    def count(self, name):
        return len(read(f"{self.runs}.{name}"))

    def stands(self, name):
        before = self.count(name)
        time.sleep(0.3)
        return self.count(name) == before


def suspended():
    """a job is suspended for an urgent one on its nodes, and goes on there"""
    with Preempting() as world:
        low = world.counter("low", "-p", "still", "-N", "60")
        high = world.start("high", "-p", "urgent", "-N", "32")
        equal(world.slurm(low), "SUSPENDED")
        equal(world.of("low")["suspended"], True)
        world.until(lambda: world.stands("low"), "it goes on")
        assert world.ran("high")[0] & world.ran("low")[0], "it had room"
        world.signal(signal.SIGKILL)
        world.kill()
        world.begin()
        world.cluster.restart()
        world.scontrol("resume", low)
        world.reach(low, "SUSPENDED")
        world.until(lambda: world.stands("low"), "it goes on")
        world.scancel(high)
        world.reach(low, "RUNNING")
        world.until(lambda: not world.stands("low"), "it does not go on")
        equal(len(world.ran("low")), 1)
        equal(world.of("low")["attempt"], 1)
        world.scancel(low)
        world.wait_all(2)
        check_places(world, "low", "high")


def cancelled_asleep():
    """a job that is cancelled while it is suspended leaves"""
    with Preempting() as world:
        low = [world.counter(f"low{i}", "-p", "still", "-N", "30")
               for i in range(2)]
        world.batch("high", "-p", "urgent", "-N", "64", seconds=100)
        for job in low:
            world.reach(job, "SUSPENDED")
        world.scancel(low[0])
        world.ask("DELETE", f"/v1/jobs/{world.of('low1')['id']}")
        for job in low:
            world.reach(job, "CANCELLED")
        world.wait_all(2)
        equal({job["why"] for job in world.ended_jobs()}, {"cancelled"})


def requeued():
    """a job is stopped for an urgent one, waits in Slurm, and runs again"""
    with Preempting() as world:
        low = world.counter("low", "-p", "mesh", "-N", "60")
        fixed = world.counter("fixed", "-p", "mesh", "-N", "2",
                              "--no-requeue")
        number = world.of("low")["id"]
        world.batch("high", "-p", "urgent", "-N", "40", seconds=1.5)
        world.until(lambda: world.of("low")["state"] == "queued", "it runs")
        world.running("low", times=2)
        world.reach(low, "RUNNING")
        equal((world.of("low")["id"], world.of("low")["attempt"]),
              (number, 2))
        equal(world.ran("low")[1], nodes_of(world.of("low")["place"]))
        equal(world.slurm(fixed), "RUNNING")
        equal(len(world.ran("fixed")), 1)
        world.batch("last", "-p", "urgent", "-N", "40", seconds=100)
        world.running("last")
        equal(world.of("low")["state"], "queued")
        world.ask("DELETE", f"/v1/jobs/{number}")
        world.reach(low, "CANCELLED")


def moved():
    """a job moves to make room, as a new attempt; one that cannot stays"""
    with Preempting(torid=("--moves", "--move-time", "0s")) as world:
        shape = "--comment=tori:shape=4x4x1"
        jobs = [world.counter(f"j{i}", "-N", "16", shape, *more)
                for i, more in enumerate(
                    ([], [], [], ["--no-requeue"]))]
        slabs = [{int(node[1:]) // 16 for node in world.ran(f"j{i}")[0]}
                 for i in range(4)]
        equal(sorted(map(len, slabs)), [1] * 4)
        # Two that are not neighbours stand in the way of the next.
        away = next(i for i in range(3)
                    if (min(slabs[i]) - min(slabs[3])) % 4 == 2)
        for i in range(3):
            if i != away:
                world.scancel(jobs[i])
        wide = world.batch("wide", "-N", "32", "--comment=tori:shape=4x4x2",
                           seconds=1)
        world.reach(wide, "COMPLETED")
        world.running(f"j{away}", times=2)
        equal(len(world.ran("j3")), 1)
        job = world.of(f"j{away}")
        equal((job["attempt"], world.ran(f"j{away}")[1]),
              (2, nodes_of(job["place"])))
        assert world.ran("wide")[0].isdisjoint(world.ran(f"j{away}")[1])


def repaired():
    """a job whose node fails goes to a place nearby, and is the same job"""
    with Preempting() as world:
        job = world.counter("job", "-N", "8", "--comment=tori:shape=2x2x2")
        number = world.of("job")["id"]
        lost = max(world.ran("job")[0])
        world.scontrol("update", f"NodeName={lost}",
                          "State=down", "Reason=test")
        world.running("job", times=2)
        world.scontrol("update", f"NodeName={lost}",
                          "State=resume")
        first, second = world.ran("job")
        assert lost not in second and first & second, (first, second)
        equal((world.of("job")["id"], world.of("job")["attempt"],
               nodes_of(world.of("job")["place"])), (number, 2, second))
        world.scontrol("requeue", job)  # by hand
        world.running("job", times=3)
        equal((world.of("job")["id"], world.of("job")["attempt"]),
              (number, 3))


def ran_before():
    """a job that is over and requeued by hand is a new one for torid"""
    with World() as world:
        job = world.batch("job", "-N", "2")
        world.wait_all(1)
        world.scontrol("requeue", job)
        world.wait_all(2)
        check_places(world, "job")


def elsewhere():
    """a job that leaves the partition and comes back is taken again"""
    with World("--partitions mesh,urgent") as world:
        def waiting():
            return sorted(job["name"] for job in world.list("&state=queued"))

        def move(*jobs, to):
            for job in jobs:
                world.update(job, f"Partition={to}")
        wall = world.start("wall", "-N", "64")
        job = world.batch("job", "-N", "2")
        tasks = world.batch("tasks", "-N", "2", "--array=1-2")
        every = ["job", "tasks", "tasks"]
        world.until(lambda: waiting() == every, "they do not wait")
        move(job, tasks, to="still")
        world.until(lambda: waiting() == [], "they wait still")
        move(job, tasks, to="mesh")
        world.until(lambda: waiting() == every, "they are not taken again")
        world.kill()
        move(job, to="still")  # while nobody looks
        world.begin()
        world.scancel(wall)
        world.wait_all(7)
        move(job, to="mesh")
        world.wait_all(8)
        equal(sorted(line.split()[0] for line in read(
            world.runs).splitlines()), ["job", "tasks", "tasks", "wall"])


def within():
    """a job gets nodes of its partition, and of another when it moves"""
    with World("--partitions mesh,half") as world:
        def move(to):
            world.update(job, f"Partition={to}")
        world.batch("first", "-p", "half", "-N", "32")
        world.batch("box", "-p", "half", "-N", "8",
                    "--comment=tori:shape=2x2x2")
        large = world.batch("large", "-p", "half", "-N", "33")
        world.wait_all(2)
        equal(world.ran("first"), [set(spread("n[1-31,48]"))])
        equal(world.of("large"), {})
        equal(world.of("first")["only"], ["0,0,1/2x4x3", "0,1,0/2x3x1",
                                          "1,0,0/1x1x1", "3,0,0/1x1x1"])
        world.remarked(large, "| tori: partition half has 32 nodes, but the "
                       "job asks for 33")
        world.scontrol("update", "PartitionName=half",
                          "Nodes=n[1-31,48-49]")
        world.running("large")
        world.scontrol("update", "PartitionName=half",
                          "Nodes=n[1-31,48]")
        world.wait_all(3)
        check_places(world, "first", "box")
        wall = world.start("wall", "-N", "60")
        job = world.batch("job", "-N", "32")
        for to in "half", "mesh":
            world.until(lambda: world.of("job").get("state") == "queued",
                        "it does not wait")
            equal("only" in world.of("job"), to == "mesh")
            move(to)
            world.until(lambda: ("only" in world.of("job")) == (
                to == "half"), "it does not move")
        world.kill()
        move("half")  # while nobody looks
        world.begin()
        world.scancel(wall)
        world.running("job")
        equal(world.ran("job"), [set(spread("n[1-31,48]"))])


def changed_mind():
    """a job that torid starts and cancels at once does not run"""
    with Preempting() as world:
        wall = world.start("wall", "-N", "64")
        job = world.batch("job", "-N", "2")
        world.hears("job")
        path = f"/v1/jobs/{world.of('job')['id']}"
        equal(world.ask("PATCH", path, {"hold": True})[0], 200)
        world.scancel(wall)
        world.wait_all(1)
        world.signal(signal.SIGSTOP)
        equal(world.ask("PATCH", path, {"hold": False})[0], 200)
        world.until(lambda: world.of("job")["state"] != "queued", "it waits")
        equal(world.ask("DELETE", path)[0], 200)
        world.signal(signal.SIGCONT)
        world.reach(job, "CANCELLED")
        world.wait_all(2)
        equal(world.ran("job"), [])
        # without a tag: Slurm could not have started it
        equal(world.slurm(job, "AdminComment"), "tori:")


def odd_name():
    """the name of a job need not be UTF-8"""
    with Preempting() as world:
        world.batch("\udce9t\xe9", "-N", "2")
        world.wait_all(1)
        equal(world.ended_jobs()[0]["name"], "?t\xe9")


def left_open():
    """without torid, what it has suspended goes on when there is room"""
    with Preempting("--fail-open 1s", "--lock FILES/lock") as world:
        low = world.counter("low", "-p", "still", "-N", "60")
        high = world.batch("high", "-p", "urgent", "-N", "32", seconds=3)
        world.reach(low, "SUSPENDED")
        world.running("high")
        world.kill()
        world.reach(low, "RUNNING")
        equal(world.slurm(high), "COMPLETED")
        world.begin()


sys.exit(SITE.run([
    suspended, cancelled_asleep, requeued, moved, repaired, ran_before,
    elsewhere, within, changed_mind, odd_name, left_open]))
