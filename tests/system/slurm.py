#!/usr/bin/env python3
"""Usage: slurm.py BUILD-DIRECTORY [--only NAME...]

torid and tori-slurm with a real cluster of 64 nodes on this machine: jobs are
submitted to Slurm, and run where torid says. In TAP.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from patience import wait
from service import BUILD, Skip, bad, equal, read
from slurm_cluster import Cluster, version
from slurm_world import (MACHINE, PLUGINS, PROGRAM, SITE, Bridge, World,
                         check_places, nodes_of, spread)


# ---- names and coordinates ----

def names(*words):
    done = subprocess.run([PROGRAM, "--names", "--machine", *words],
                          capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else done.stderr


def mapping():
    """nodes have names in the order of ids, or of Slurm's tori, or of a file"""
    equal(names("mesh:2x3", "--nodes", "a[0-1],b[7-9],c"),
          "a0 0,0\na1 0,1\nb7 0,2\nb8 1,0\nb9 1,1\nc 1,2\n")
    equal(names("mesh:2x3", "--nodes", "n[0-5]", "--fastest", "first"),
          "n0 0,0\nn2 0,1\nn4 0,2\nn1 1,0\nn3 1,1\nn5 1,2\n")
    first = names("torus:4x3x2", "--nodes", "n[00-23]", "--fastest", "first")
    for line in first.splitlines():
        name, where = line.split()
        x, y, z = map(int, where.split(","))
        equal(name, "n%02d" % (x + 4 * (y + 3 * z)))
    path = SITE.path("map")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# by hand\n\n" + "".join(reversed(
            first.splitlines(keepends=True))))
    equal(names("torus:4x3x2", "--map", path), first)


def example():
    """the sample of tori.conf is right, and its rule fills the machine"""
    conf = os.path.join(os.path.dirname(__file__), "../../data/tori.conf")
    first = names(MACHINE, "--nodes", "n[0-63]")
    done = subprocess.run([PROGRAM, "--names", "--nodes", "n[0-63]", "--conf",
                           conf], capture_output=True, text=True, check=False)
    equal((done.stdout, done.stderr), (first, ""))
    wiring, = re.findall(r"^wiring=(\w+)", read(conf), re.M)
    boxes = SITE.path("boxes")
    with open(boxes, "w", encoding="utf-8") as file:
        file.writelines(f"{x},{y},{z}/2x2x2 {wiring}\n" for x in (0, 2)
                        for y in (0, 2) for z in (0, 2))
    equal(subprocess.run(
        [os.path.join(BUILD, "tori"), "wire", "--machine", MACHINE,
         "--partitions", boxes, "--json"], capture_output=True,
        check=False).returncode, 0)


def bad_maps():
    """a map that is not one is refused"""
    path = SITE.path("bad")
    for text, why in (
            ("a 0,0\nb 0,1\n", f"{path}: node 1,0 has no name"),
            ("a 0,0\na 0,1\n", f"{path}:2: node a is mapped twice"),
            ("a 0,0\nb 0,0\n", f"{path}:2: a and b are both node 0,0"),
            ("a\n", f"{path}:1: expected NAME COORDINATES, not 'a'")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        equal(names("mesh:2x2", "--map", path), f"tori-slurm: {why}\n")
    equal(names("mesh:2x2", "--nodes", "n[0-2]"),
          "tori-slurm: 'n[0-2]' has 3 nodes, but the machine has 4\n")


# ---- jobs ----

def surveyed():
    """what Slurm does not have or allow is said, and may end the start"""
    cluster = SITE.cluster_up()
    program = cluster.lend(PROGRAM)

    def begin(*words, user=None):
        done = cluster.call(program, "--machine", MACHINE, *words, user=user)
        return done.returncode, done.stderr.replace("tori-slurm: ", "")
    lacks = "Slurm does not have "
    for words, status, text in (
            (["n[0-63]"], 0, ""),
            (["m[0-63]"], 2, "Slurm has none of the nodes of the machine: "
             "m[0-63]\n"),
            (["n[0-61],m[0-1]", "--partitions", "mash,mesh"], 0, lacks
             + "these nodes of the machine, which stay out of service: m[0-1]"
             f"\n{lacks}partition mash\n"),
            (["n[0-63]", "--partitions", "mash,mush"], 2, "Slurm has none of "
             "the partitions that torid places: mash,mush\n")):
        equal(begin("--nodes", *words), (status, text))
    equal(begin("--nodes", "n[0-63]", user="nobody"), (
        1, "user nobody may not release jobs: slurmctld lets only root and "
        "its own user, root, do that\n"))
    equal(begin("--nodes", "n[0-63]", "--shadow", user="nobody"), (0, ""))


def configured_anew():
    """a Slurm that was configured anew is looked at again"""
    line = "tori-slurm: Slurm does not have partition late\n"
    SITE.cluster_up().run("scontrol", "create", "PartitionName=late",
                          "Nodes=ALL")
    with World("--partitions mesh,late") as world:
        world.batch("before")
        world.wait_all(1)
        assert line not in read(world.path("log"))
        world.cluster.restart()  # slurm.conf does not have it
        world.logged(line)


def submit_mixed(world, chance, count):
    """Some jobs with shapes, some with counts; their names."""
    shapes = ("2x2x1", "4x2x1", "2x2x2", "4x4x1", "1x1x3", "4x4x2")
    found = []
    for i in range(count):
        if chance.random() < 0.6:
            shape = chance.choice(shapes)
            words = ["-N", str(eval(shape.replace("x", "*"))),
                     f"--comment=tori:shape={shape}"
                     + chance.choice(("", ",wiring=mesh"))]
        else:
            words = ["-N", str(chance.randrange(1, 12))]
        found.append(f"j{i}")
        world.batch(found[-1], *words,
                    seconds=round(chance.uniform(0.1, 0.8), 1))
    return found


def mixed():
    """jobs, an array and a dependency run where torid says"""
    with World() as world:
        jobs = submit_mixed(world, random.Random(1), 12)
        first = world.batch("first", "-N", "2")
        world.batch("second", "-N", "2", f"--dependency=afterok:{first}")
        world.batch("array", "-N", "2", "--array=1-7:2")
        world.batch("range", "-N", "2-4")
        # Of an array no more tasks are released than may run at once.
        world.batch("some", "-N", "1", "--array=1-5%2", seconds=0.5)
        world.wait_all(len(jobs) + 12)
        check_places(world, *jobs, "first", "second", "array", "range",
                     "some")
        ended = world.ended_jobs()
        equal({f"slurm:{first}"}, {job["alias"] for job in ended
                                   if job["name"] == "first"})
        equal({job["alias"].split("_")[1] for job in ended
               if job["name"] == "array"}, {"1", "3", "5", "7"})
        equal({job["status"] for job in ended}, {0})
        assert world.of("second")["start"] >= world.of("first")["end"] - 1
        spans = [(job["start"], job["end"]) for job in ended
                 if job["name"] == "some"]
        for first, _ in spans:
            assert sum(start <= first < end for start, end in spans) <= 2, \
                spans


def cancelled():
    """a job that is cancelled in one place is cancelled in the other"""
    with World() as world:
        runs = world.start("runs", "-N", "60")
        queued = [world.batch(f"q{i}", "-N", "32") for i in range(2)]
        world.hears("q0", "q1")
        world.scancel(queued[0])
        equal(world.ended(world.of("q0")["id"])["why"], "cancelled")
        equal(world.tori("cancel", f"slurm:{queued[1]}"), (0, "", ""))
        world.reach(queued[1], "CANCELLED")
        world.ask("DELETE", f"/v1/jobs/{world.of('runs')['id']}")
        world.reach(runs, "CANCELLED")
        equal(world.ended(world.of("runs")["id"])["why"], "cancelled")
        last = world.start("last", "-N", "60")
        world.scancel(last)
        equal(world.ended(world.of("last")["id"])["why"], "cancelled")
        assert "declined" not in read(world.path("log")), "it is logged"


def refused():
    """what can never run here is over in Slurm, too, with the reason"""
    with World() as world:
        never = world.batch("never", "-N", "5", "--comment=tori:shape=5x1x1")
        odd = world.batch("odd", "-N", "5", "--comment=tori:colour=red")
        world.reach(never, "CANCELLED")
        world.logged(f"tori-slurm: job {never}: declined: ")
        shown = world.scontrol("show", "job", never)
        assert "AdminComment=tori: " in shown, shown
        assert " Comment=tori:shape=5x1x1 | tori: " in shown, shown
        world.remarked(odd, "tori:colour=red | tori: the comment says "
                       "'colour=red'; expected")
        equal(world.slurm(odd), "PENDING")
        world.update(odd, "comment=tori:shape=1x1x5,wiring=none")


def drained(world):
    return {node["node"] for node in world.ask(
        "GET", "/v1/nodes?state=drained&limit=100")[1]["nodes"]}


def set_node(world, name, state):
    world.scontrol("update", f"NodeName={name}", f"State={state}",
                   "Reason=test")


def why_of(world, node):
    return world.ask("GET", f"/v1/nodes/{node}")[1].get("why")


def foreign(world):
    """Jobs that torid has not started, as it knows them."""
    return [window for window in world.reservations()
            if window.get("key", "").startswith("job ")]


def nodes():
    """nodes that Slurm has drained, or has given to others, are not used"""
    with World() as world:
        set_node(world, "n5", "drain")
        wait(lambda: drained(world) == {"0,1,1"}, "it is not drained")
        equal(why_of(world, "0,1,1"), "test")
        world.scontrol("update", "NodeName=n5", "State=drain",
                       "Reason=another")
        wait(lambda: why_of(world, "0,1,1") == "another", "no other reason")
        other = world.batch("other", "-N", "3", "-w", "n[61-63]", "-t", "5",
                            seconds=100, held=False)
        wait(lambda: foreign(world), "others are not seen")
        window, = foreign(world)
        equal((window["name"], len(window["nodes"]),
               window["until"] - window["from"]), (f"slurm:{other}", 3, 300))
        equal(drained(world), {"0,1,1"})
        world.batch("some", "-N", "60")
        world.wait_all(1)
        world.batch("all", "-N", "64")
        set_node(world, "n5", "resume")
        wait(lambda: world.of("all").get("reason") == "window",
             "it waits for something else")
        said = world.tori("why", str(world.of("all")["id"]))[1]
        assert f"(slurm:{other})" in said and re.search(" in [1-4]m", said), \
            said
        world.scancel(other)
        world.wait_all(2)
        equal(foreign(world), [])
        check_places(world, "some", "all")
        equal(drained(world), set())


def first_words(end):
    """What tori-slurm says from its beginning until something is said."""
    said = []
    with subprocess.Popen(
            [PROGRAM, "--machine", MACHINE, "--nodes", "n[0-63]"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        while not said or not end(said[-1]):
            said.append(json.loads(program.stdout.readline()))
        program.kill()
    return said


def closed():
    """nodes that cannot be had are known before jobs are submitted"""
    with World() as world:
        set_node(world, "n5", "drain")
        set_node(world, "n6", "down")
        world.kill()  # torid must not place it
        world.batch("waits", "-N", "64")
        said = first_words(lambda word: word["is"] == "submit")
        equal([(word["node"], word["state"]) for word in said
               if word.get("state") == "drain"],
              [("0,1,1", "drain"), ("0,1,2", "drain")])
        said = first_words(lambda word: word.get("node") == "0,1,3")
        equal([word["state"] for word in said
               if word.get("node") == "0,1,2"], ["drain", "down", "resume"])
        said = first_words(lambda word: word["is"] in ("reservations",
                                                       "windows"))
        equal(said[-1], {"is": "reservations", "reservations": [],
                         "windows": []})
        set_node(world, "n5", "resume")
        set_node(world, "n6", "resume")
        world.begin()


def node_failure():
    """a job that Slurm requeues is placed anew, and without the node"""
    with World() as world:
        job = world.start("job", "-N", "8", "--requeue",
                          "--comment=tori:shape=2x2x2", seconds=1.5)
        lost = max(world.ran("job")[0])
        set_node(world, lost, "down")
        world.running("job", times=2)
        assert lost not in world.ran("job")[1]
        set_node(world, lost, "resume")
        world.reach(job, "COMPLETED")
        world.wait_all(1)
        equal(nodes_of(world.of("job")["place"]), world.ran("job")[1])


def changes():
    """a limit changes in Slurm and in torid, a nice value and the begin in Slurm"""
    with World() as world:
        wall = world.start("wall", "-N", "64")
        job = world.batch("job", "-N", "1", "--begin=now+1hour")
        world.batch("other", "-N", "1")
        world.hears("other")
        assert not world.of("job"), "a job that may not begin was submitted"
        late = world.batch("late", "-N", "1", f"--dependency=afterok:{job}")
        tasks = world.batch("tasks", "-N", "1", "--array=0-1")
        task, soon = (
            world.batch("after", "-N", "1", f"--dependency={dependency}")
            for dependency in (f"afterok:{tasks}_1", f"after:{wall}+1"))
        for number, words in (
                (job, r"it may not begin before (\d\d \w+ )?\d\d:\d\d"),
                (late, rf"it waits for other jobs: afterok:{job}.*"),
                (task, rf"it waits for other jobs: afterok:{tasks}_1.*"),
                (soon, rf"it waits for other jobs: after:{wall}\+1.*")):
            wait(lambda: re.fullmatch(r"\| tori: " + words,
                                      world.comment(number)), "no reason")
        world.update(job, "StartTime=now")
        world.hears("job")
        equal(world.of("job")["estimate"], 600)
        world.update(job, "TimeLimit=20", "Nice=7")
        world.until(lambda: (world.of("job")["estimate"], world.of("job")[
            "priority"]) == (1200, -7), "it does not change")
        equal(world.ask("PATCH", f"/v1/jobs/{world.of('wall')['id']}",
                        {"time_limit": 1230})[0], 200)
        world.reach(wall, "00:21:00", name="TimeLimit")
        world.until(lambda: world.of("wall")["time_limit"] == 1260,
                    "torid does not hear the limit")
        world.scancel(soon, wall)
        world.wait_all(7)


def kept():
    """a job that an administrator holds waits until that one lets it go"""
    with World("--patience 2s", "--remarks 0.2s") as world:
        wall = world.start("wall", "-N", "64")
        job = world.batch("job", "-N", "2")
        other = world.batch("other", "-N", "2", "--array=0-1")
        world.hears("job", "other")
        world.scontrol("hold", job)
        world.update(other, "Priority=0")
        world.held("job")
        world.held("other")
        equal(why_waits(world, job), "an administrator holds it in Slurm")
        world.remarked(job, "| tori: an administrator holds it in Slurm")
        world.signal(signal.SIGKILL)
        world.scancel(wall)
        world.wait_all(1)
        world.batch("last", "-N", "64")  # all nodes are free
        world.wait_all(2)
        equal(world.slurm(job, "Reason"), "JobHeldAdmin")
        for each in job, other:
            world.scontrol("uhold", each)
        world.wait_all(5)
        check_places(world, "job", "other", "last")


def check_placed(world, name, count):
    """It runs for the last of so many times, and where torid says."""
    world.running(name, times=count)
    equal(len(world.ran(name)), count)
    equal(world.of(name)["state"], "running")
    equal(world.ran(name)[-1], nodes_of(world.of(name)["place"]))


def requeued():
    """jobs that Slurm has started by hand are torid's after a requeue"""
    with World() as world:
        job = world.start("job", "-N", "4", "--requeue")
        world.scontrol("requeuehold", job)
        world.held("job")
        wall = world.start("wall", "-N", "64")
        new = world.batch("new", "-N", "2", "--requeue", seconds=100)
        world.hears("new")
        executor = world.executor()
        os.kill(executor, signal.SIGSTOP)
        world.scancel(wall)
        for each in job, new:
            world.scontrol("release", each)
            world.reach(each, "RUNNING")
        os.kill(executor, signal.SIGCONT)
        for name in "job", "new":
            world.until(lambda: world.of(name).get("why") == "cancelled",
                        "torid still has it")
        for name, number, count in (("job", job, 3), ("new", new, 2),
                                    ("job", job, 4)):
            world.scontrol("requeue", number)
            check_placed(world, name, count)
        world.signal(signal.SIGKILL)
        world.batch("last", "-N", "2")
        world.ended_well("last")
        for each in job, new:
            equal(world.slurm(each), "RUNNING")


def requeued_after_opening():
    """jobs that Slurm has placed without torid are torid's after a requeue"""
    with World("--fail-open 1s", "--lock FILES/lock") as world:
        old = world.start("old", "-N", "4", "--requeue")
        world.scontrol("requeuehold", old)
        world.held("old")
        world.kill()
        world.scontrol("uhold", old)
        new = world.batch("new", "-N", "4", "--requeue", seconds=100)
        for each in old, new:
            world.reach(each, "RUNNING")
        world.begin()
        world.batch("last", "-N", "2")
        world.ended_well("last")
        for name, number, count in ("old", old, 3), ("new", new, 2):
            world.scontrol("requeue", number)
            check_placed(world, name, count)


def mistaken():
    """tasks of which Slurm says that an administrator holds them are placed"""
    if version() >= (24, 11):
        raise Skip("this Slurm copies no reason over an array")
    with World() as world:
        wall = world.start("wall", "-N", "60")
        # Slurm cannot start this job, so it starts none that came later.
        first = world.batch("first", "-N", "64", held=False)
        tasks = world.batch("tasks", "-N", "4", "--array=0-2")
        world.reach(f"{tasks}_0", "Priority", name="Reason")
        world.signal(signal.SIGSTOP)
        world.scancel(first)
        world.reach(f"{tasks}_1", "JobHeldAdmin", name="Reason")
        world.signal(signal.SIGCONT)
        world.wait_all(3)
        world.scancel(wall)
        world.wait_all(4)
        check_places(world, "tasks")


def slipped():
    """a job that Slurm has tried to start meanwhile is held again"""
    if version() >= (24, 11):
        raise Skip("in this Slurm, Nice= does not wake a held job")
    with World() as world:
        wall = world.start("wall", "-N", "64")
        job = world.batch("job", "-N", "1")
        world.hears("job")
        world.signal(signal.SIGSTOP)
        world.update(job, "Nice=7")
        world.batch("other", "-N", "1", held=False)  # so Slurm tries all
        wait(lambda: world.slurm(job, "Reason") != "JobHeldUser",
             "Slurm does not try it")
        world.signal(signal.SIGCONT)
        world.until(lambda: world.of("job")["priority"] == -7,
                    "it does not change")
        equal(world.slurm(job, "Priority"), "0")
        world.scancel(wall)
        world.wait_all(2)
        check_places(world, "job")


def reshaped():
    """a job that waits may ask for another shape, or takes other nodes in time"""
    with World() as world:
        world.start("wall", "-N", "48", "--comment=tori:shape=4x4x3")
        job = world.batch("job", "-N", "32", "--comment=tori:shape=4x4x2")

        def change(comment, nodes=0, **expected):
            sizes = [f"Num{what}={nodes}" for what in (
                "Nodes", "CPUs", "Tasks")] if nodes else []
            world.update(job, f"Comment={comment}", *sizes)
            world.until(lambda: expected.items() <= world.of("job").items(),
                        f"it is not {expected}")
        world.hears("job")
        change("tori:shape=4x4x2,wiring=mesh", wiring="mesh")
        change("tori:shape=4x4x2,colour=red", reason="held")
        change("nothing", 20, count=20, reason="numerical")
        change("tori:shape=2x2x3", 12, shape="2x2x3", reason="topological")
        change("tori:shape=4x1x4", 16)
        world.wait_all(1)
        world.batch("other", "-N", "8",
                    "--comment=tori:shape=2x2x2@2s,count=8")
        world.wait_all(2)
        check_places(world, "job", "other")
        other = world.of("other")
        equal((other["shape"], other["patience"], other["alternatives"]),
              ("2x2x2", 2, [{"count": 8}]))
        equal(len(nodes_of(other["place"])), 8)
        assert other["start"] - other["submit"] >= 2, other


def remarks():
    """comments say why jobs wait, beside what their users wrote"""
    own = "tori:shape=2x2x2 for me | and you"
    with World("--remarks 0.2s") as world:
        wall = world.start("wall", "-N", "60")
        box = world.batch("box", "-N", "8", f"--comment={own}", seconds=2)
        tasks = world.batch("tasks", "-N", "32", "--array=0-3")
        world.until(lambda: re.fullmatch(re.escape(own + (
            " | tori: not enough free nodes: it asks for a box of 2x2x2 with 8 "
            "nodes; only 4 are free; starts about "))
            + r"(.. ... )?\d\d:\d\d", world.comment(box)), "no remark")
        world.remarked(tasks, "| tori: not enough free nodes: it asks for 32 "
                       "nodes; only 4 are free;")
        equal(world.slurm(tasks, "ArrayTaskId"), "0-3")
        for start, words in (("now+1hour", "it may not begin before "),
                             ("now", "not enough free nodes: it asks for ")):
            world.update(box, f"StartTime={start}")
            world.remarked(box, f"{own} | tori: {words}")
        world.scancel(wall)
        world.running("box")
        equal(world.comment(box), own)
        world.wait_all(6)
        check_places(world, "box", "tasks")


def why_waits(world, job):
    """What tori why and tori queue say; they have to agree, if nothing has
    changed between the two."""
    def agreed():
        why, queue, after = (world.tori(*words)[1] for words in (
            ["why", f"slurm:{job}"], ["queue"], ["why", f"slurm:{job}"]))
        why = why.partition("\n")[0]
        return why and why == after.partition("\n")[0] and (why, queue)
    why, queue = world.until(agreed, "it does not wait")
    text = why.partition(": ")[2]
    assert text and text in queue, f"{why}\n{queue}"
    return text


def never_starts():
    """what Slurm can never start is held, with the reason, and tried once"""
    words = ("-N", "40", "-O", "--ntasks-per-node=2", "--mem-per-cpu=600")
    never = "Slurm can never start it: BadConstraints"
    with World("--remarks 0.2s") as world:
        jobs = {name: world.batch(name, *words, f"--comment={name}")
                for name in ("less", "same")}
        for name, job in jobs.items():
            world.held(name)
            world.remarked(job, name + " | tori: Slurm can never start it "
                           "here: BadConstraints; it is held until it asks "
                           "for something else")
            equal(why_waits(world, job), never)
        world.signal(signal.SIGKILL)
        world.batch("other", "-N", "40")
        world.wait_all(1)
        equal(why_waits(world, jobs["less"]), never)
        equal([world.of(name)["attempt"] for name in jobs], [1, 1])
        world.update(jobs["less"], "MinMemoryCPU=400")
        # Slurm may be faster than tori-slurm, and try it first.
        world.signal(signal.SIGSTOP)
        world.cluster.call("scontrol", "release", jobs["same"])
        world.reach(jobs["same"], "BadConstraints", name="Reason")
        world.signal(signal.SIGCONT)
        check_places(world, "other")
        for name in jobs:
            world.held(name)
            world.until(lambda: world.of(name)["attempt"] == 2
                        and world.of(name).get("reason") == "held",
                        "it is not tried again")


def limited():
    """a job that waits for a license leaves its nodes to others meanwhile"""
    with World("--patience 2s", "--remarks 0.2s") as world:
        first = world.start("first", "-N", "2", "-L", "key")
        second = world.batch("second", "-N", "60", "-L", "key")
        world.held("second")
        world.remarked(second, "| tori: Slurm does not start it: Licenses; "
                       "tried again at ")
        equal(why_waits(world, second), "Slurm does not start it: Licenses")
        world.batch("other", "-N", "60")
        world.wait_all(1)
        world.scancel(first)
        world.wait_all(3)
        check_places(world, "first", "second", "other")


def ruled():
    """without the plugin, too, numbers of nodes become shapes by a rule"""
    with World(conf="partitions=big, mesh\nmachine=torus:4x4x4\n"
               "shapes=compact\nwiring=mesh\n") as world:
        wall = world.start("wall", "-N", "64", "--comment=tori:shape=4x4x4")
        four = world.batch("four", "-N", "4", "--comment=mine")
        world.batch("seven", "-N", "7")
        world.batch("tasks", "-N", "2", "--array=1-3")
        world.hears("four", "seven", "tasks")
        world.scancel(wall)
        world.wait_all(6)
        equal({name: (job["shape"], job["wiring"]) for name, job in
               world.all().items() if name != "wall"},
              {"four": ("1x2x2", "mesh"), "seven": ("2x2x2", "mesh"),
               "tasks": ("1x1x2", "mesh")})
        check_places(world, "wall", "four", "seven", "tasks")
        shown = world.scontrol("show", "job", four)
        assert re.search("Comment=tori:shape=1x2x2,wiring=mesh,"
                         "rule=compact,or=boxes mine *\n",
                         shown), shown


def other_boxes():
    """a job of the rule takes any box of as many nodes, one of a user its own"""
    with World(conf="partitions=mesh\nmachine=torus:4x4x4\n"
               "shapes=compact\n") as world:
        world.start("wall", "--comment=tori:shape=3x4x4", "-N", "48")
        world.batch("own", "--comment=tori:shape=2x2x4", "-N", "16")
        world.batch("none", "--comment=tori:shape=2x2x4,rule=compact",
                    "-N", "16")
        late = world.batch("late", "--comment=tori:shape=2x2x4", "-N", "16")
        world.batch("any", "-N", "16")
        world.batch("mine", "--comment=tori:shape=2x2x2,or=boxes", "-N", "8")
        world.wait_all(2)
        equal({job["name"] for job in world.ended_jobs()}, {"any", "mine"})
        world.update(late, "Comment=tori:shape=2x2x4,or=boxes")
        world.running("late")
        jobs = world.all()
        equal([jobs[name]["place"]["box"].split("/")[1]
               for name in ("any", "mine")], ["1x4x4", "1x2x4"])
        check_places(world, "wall", "any", "mine", "late")


# ---- with the plugins ----

SECOND = 1000000  # of age
SMALL = SITE.second(lambda: Cluster(
    8, ["mesh Nodes=ALL Default=YES PriorityJobFactor=1",
        "fast Nodes=ALL PriorityJobFactor=4"], plugins=PLUGINS,
    beside={"tori.conf": "partitions=mesh,fast\nmachine=torus:2x2x2"},
    options={"JobSubmitPlugins": "tori", "JobCompType": "jobcomp/tori",
             "PriorityType": "priority/multifactor",
             "PriorityWeightPartition": 1000, "PriorityWeightJobSize": 80,
             "PriorityWeightAge": 60 * SECOND, "PriorityMaxAge": "00:01:00"}))


def small_world(*words):
    cluster = SMALL()
    return Bridge(cluster, f"--conf {cluster.path('tori.conf')}",
                  "--nodes 'n[0-7]'", *words, machine="torus:2x2x2")


def with_plugin():
    """with job_submit/tori, users need not hold anything, and srun works"""
    with small_world() as world:
        world.batch("box", "--comment=tori:shape=2x2x1", user="nobody")
        ran = world.cluster.run("srun", "-N2", "-t1", "printenv",
                                "SLURMD_NODENAME", user="nobody")
        jobs = [world.ended(number) for number in (1, 2)]
    equal([job["user"] for job in jobs], ["nobody"] * 2)
    equal(jobs[0]["place"], {"box": "0,0,0/1x2x2"})
    equal([sorted(ran.split()), jobs[1]["place"]],
          [["n6", "n7"], {"nodes": ["1,1,0", "1,1,1"]}])


def woken():
    """with jobcomp/tori, too, jobs start when others end, though nobody asks"""
    with small_world("--every 1h") as world:
        wait(lambda: os.path.exists(world.cluster.path("state/tori.wake")),
             "nobody listens")
        for name in ("a", "b", "c"):
            world.batch(name, "-N8")
        world.hears("a", "b", "c")
        # No job waits for the end of the last one, so nobody hurries to hear it.
        world.until(lambda: {job["name"] for job in world.list()
                             if "start" in job} == {"a", "b", "c"},
                    "they do not start")


def priorities():
    """held jobs have the priorities that Slurm would give them"""
    with small_world("--priorities 1s") as world:
        def ranks():
            return {job["name"]: job["priority"] % SECOND
                    for job in world.list("&state=queued")}

        def ages():
            return [job["priority"] // SECOND
                    for job in world.list("&state=queued")]
        world.batch("wall", "-N8", seconds=100)
        wait(lambda: world.cluster.states() == {"allocated"},
             "it does not run")
        world.batch("plain", "-N4")
        world.batch("nice", "-N4", "--nice=100")
        tasks = world.batch("fast", "-N8", "-p", "fast", "--array=1-2")
        wait(lambda: ranks() == {"plain": 290, "nice": 190, "fast": 1080},
             "others")
        wait(lambda: ages() and min(ages()) >= 2, "they do not age")
        equal(world.slurm(tasks, "ArrayTaskId"), "1-2")
        world.scontrol("update", "PartitionName=mesh", "PriorityJobFactor=2")
        wait(lambda: ranks() == {"plain": 540, "nice": 440, "fast": 1080},
             "they stay")


# ---- Slurm places ----

def heard(world):
    return world.ask("GET", "/v1/shadow")[1]


def shadow():
    """a shadow tells where Slurm differs, and changes nothing there"""
    with World("--shadow", torid=("--shadow",)) as world:
        log = world.cluster.path("slurmctld.log")
        before = len(read(log))
        wait(lambda: heard(world).get("heard", 0) > 0, "nothing is heard")
        runs = world.start("runs", "-N", "2", held=False, seconds=3)
        world.kill()  # what it has not heard, it hears later
        jobs = [runs, *(world.batch(
            f"box{i}", "-N", "8", "--comment=tori:shape=2x2x2,wiring=mesh",
            held=False) for i in range(3)),
                world.batch("wall", "-N", "60", held=False)]
        world.begin()
        jobs.append(world.batch("late", "-N", "8", held=False))
        gone = world.batch("gone", "-N", "8", "--begin=now+1hour", held=False)
        held = world.batch("held", "-N", "1")
        left = [world.batch("left", "-N", "5", f"--comment=tori:{ask}",
                            held=False) for ask in ("shape=5x1x1", "x=y")]
        world.reach(jobs[-1], "COMPLETED")
        world.scancel(gone)
        names = {"runs", "box0", "box1", "box2", "wall", "late"}
        world.until(lambda: names <= {job["name"] for job in
                                      world.ended_jobs()},
                    "the shadow does not catch up")
        said = heard(world)
        assert said["compared"] >= len(names) and said["elsewhere"], said
        # Tasks of the case before may still be ending.
        own = {job["alias"] for job in said["jobs"] if int(
            re.match(r"slurm:(\d+)", job["alias"])[1]) >= int(runs)}
        equal(own - {f"slurm:{job}" for job in jobs}, set())
        equal({"held", "gone", "left"} & world.all().keys(), set())
        for job, what in zip(left, ("declined", "left out")):
            world.logged(f"tori-slurm: job {job}: {what}: ")
        for job in (*jobs, held):
            equal([world.slurm(job, name) for name in (
                "AdminComment", "ReqNodeList")], [None, "(null)"])
        equal(world.slurm(held, "Priority"), "0")
        assert "_update_job" not in read(log)[before:], read(log)[before:]


def shadow_begins():
    """what ends between the first question and the first look stays in no shadow"""
    with World("--shadow", "--every 3s", torid=("--shadow",)) as world:
        world.kill()
        shutil.rmtree(world.path("state"))
        job = world.start("short", "-N", "2", held=False, seconds=2)
        world.begin()
        first = wait(lambda: heard(world).get("heard"), "nothing is heard")
        world.reach(job, "COMPLETED")
        wait(lambda: (said := heard(world))["heard"] > first
             and said["pending"] == 0, "no more is heard")
        world.until(lambda: all(job["state"] == "ended" for job
                                in world.list()), "it does not end")


def shadow_was_away():
    """a shadow hears of jobs that Slurm has forgotten when it comes back"""
    with World("--shadow", torid=("--shadow",)) as world:
        wait(lambda: heard(world).get("heard", 0) > 0, "nothing is heard")
        copy = Copy(world.cluster)
        world.start("lost", "-N", "4", held=False)
        world.batch("wall", "-N", "64", held=False)
        world.until(lambda: {name: job["state"] for name, job in
                             world.all().items()}.items() >= {
                                 ("lost", "running"), ("wall", "queued")},
                    "nothing is heard of them")
        world.kill()
        copy.put_back()
        world.begin()
        world.until(lambda: {"lost", "wall"} <= {
            job["name"] for job in world.ended_jobs()}, "they do not end")


# ---- faults ----

def slow_names():
    """a user's name that does not come keeps only that user's jobs waiting"""
    with tempfile.TemporaryDirectory() as files:
        hang = os.path.join(files, "names")
        with open(hang, "w", encoding="utf-8") as file:
            file.write("1")  # root has one
        with World(environment=bad("names", BAD_NAMES=hang)) as world:
            Bridge.batch(world, "slow", "-H", "-N", "2", user="nobody")
            wait(lambda: os.path.exists(hang + ".asked"), "nobody asks")
            world.batch("quick", "-N", "2")
            world.ended_well("quick")
            equal(world.all().keys(), {"quick"})
            os.remove(hang)
            world.ended_well("slow")
            equal(world.of("slow")["user"], "nobody")


def put_back():
    """an old state of torid is put back: no job starts or ends twice"""
    with World("--patience", "5") as world:
        numbers = {name: world.start(name, "-N", count, seconds=600)
                   for name, count in [("known", "12"), ("over", "52")]}
        for name, seconds in ("later", 600), ("done", 0.3):
            numbers[name] = world.batch(name, "-N", "12", seconds=seconds)
        world.hears("later", "done")
        world.kill(signal.SIGTERM)
        shutil.copytree(world.path("state"), world.path("backup"))
        world.begin()
        numbers["lost"] = world.batch("lost", "-N", "12", seconds=600)
        world.scancel(numbers["over"])
        world.running("lost", "later")
        world.reach(numbers["done"], "COMPLETED")
        world.reach(numbers["over"], "CANCELLED")
        world.kill(signal.SIGTERM)
        shutil.rmtree(world.path("state"))
        shutil.copytree(world.path("backup"), world.path("state"))
        world.begin()
        # A job that torid does not know is Slurm's, and keeps its nodes.
        world.until(lambda: len(world.reservations()) == 2,
                    "torid does not hear of their nodes")
        equal({name: (world.of(name)["state"], world.of(name).get("why"))
               for name in ("known", "over", "later")},
              {"known": ("running", None), "over": ("ended", "cancelled"),
               "later": ("ended", "cancelled")})
        numbers["new"] = world.batch("new", "-N", "28")
        wide = world.batch("wide", "-N", "40")
        world.reach(numbers["new"], "COMPLETED")
        world.ended_well("done")
        equal(world.of("wide")["state"], "queued")
        equal({world.slurm(numbers[name])
               for name in ("known", "later", "lost")}, {"RUNNING"})
        world.scancel(numbers["lost"])
        world.reach(wide, "COMPLETED")
        equal(sorted(line.split()[0] for line in
                     read(world.runs).splitlines()),
              sorted([*numbers, "wide"]))
        equal({world.slurm(job, "Restarts") for job in numbers.values()},
              {"0"})


class Copy:
    """What slurmctld has saved now, to be put back later. tori-slurm may write or
    remove its own file there meanwhile."""

    def __init__(self, cluster):
        self.cluster, self.kept = cluster, SITE.path("state")
        cluster.kill("slurmctld", signal.SIGTERM)
        shutil.copytree(cluster.path("state"), self.kept,
                        ignore=shutil.ignore_patterns("*tori*"))
        cluster.begin("slurmctld")

    def put_back(self):
        self.cluster.kill("slurmctld")
        state, old = self.cluster.path("state"), self.cluster.path("old")
        os.rename(state, old)
        os.rename(self.kept, state)
        shutil.rmtree(old, ignore_errors=True)
        self.cluster.begin("slurmctld")


def forgotten_at_once():
    """slurmctld forgets a release before tori-slurm looks: it is repeated"""
    with World() as world:
        wall = world.start("wall", "-N", "60")
        # Slurm cannot start this job, so it starts none that came later.
        first = world.batch("first", "-N", "64", held=False)
        job = world.batch("job", "-N", "8")
        world.hears("job")
        path = f"/v1/jobs/{world.of('job')['id']}"
        equal(world.ask("PATCH", path, {"hold": True})[0], 200)
        world.update(job, "NumNodes=2", "NumCPUs=2", "NumTasks=2")
        world.until(lambda: world.of("job").get("count") == 2,
                    "it does not change")
        copy = Copy(world.cluster)
        executor = world.executor()
        equal(world.ask("PATCH", path, {"hold": False})[0], 200)
        wait(lambda: f"release hold on JobId={job} " in read(
            world.cluster.path("slurmctld.log")), "it is not released")
        os.kill(executor, signal.SIGSTOP)
        copy.put_back()
        world.reach(job, "0", name="Priority")
        os.kill(executor, signal.SIGCONT)
        world.scancel(first)
        world.reach(job, "COMPLETED")
        world.scancel(wall)
        world.wait_all(2)
        check_places(world, "job")


def forgotten():
    """slurmctld forgets jobs and ends: none runs twice, but for one needed"""
    with World() as world:
        world.kill()
        old = world.batch("old", "-N", "2")
        needed = world.batch("needed", "-N", "2")
        after = world.batch("after", "-N", "2", "-d", f"afterok:{needed}",
                            "--begin=now+1hour")
        copy = Copy(world.cluster)
        world.begin()
        world.reach(old, "COMPLETED")
        world.start("lost", "-N", "4", seconds=30)
        world.wait_all(2)
        copy.put_back()
        world.reach(needed, "COMPLETED")
        world.update(after, "StartTime=now")
        world.reach(after, "COMPLETED")
        world.wait_all(5)
        equal(world.of("lost")["why"], "Slurm has lost the job")
        world.reach(old, "CANCELLED")
        check_places(world, "old", "lost", "needed", "after")


def forgotten_by_both():
    """... also if tori-slurm, which knew of the ends, was killed as well"""
    with World() as world:
        needed = world.batch("needed", "-N", "2", seconds=2)
        useless = world.batch("useless", "-N", "2", seconds=2)
        after = world.batch("after", "-N", "2", "-d", f"afterok:{needed}",
                            "--begin=now+1hour")
        world.running("needed", "useless")
        copy = Copy(world.cluster)
        world.wait_all(2)
        world.kill()
        copy.put_back()
        world.begin()
        world.reach(needed, "COMPLETED")
        world.update(after, "StartTime=now")
        world.reach(after, "COMPLETED")
        world.reach(useless, "CANCELLED")
        equal(sorted(line.split()[0] for line in
                     read(world.runs).splitlines()),
              ["after", "needed", "needed", "useless"])


def roll_back(world):
    """tori.conf does not name the partition any more: the end of both
    processes. What somebody holds himself stays held."""
    with open(world.runs + ".conf", "w", encoding="utf-8") as file:
        file.write(f"partitions=other\nmachine={MACHINE}\n")
    first = world.executor()

    def children():
        return subprocess.run(["pgrep", "-P", str(first)], text=True,
                              capture_output=True, check=False).stdout.split()
    # Others look up a name, and end with it.
    wait(lambda: len(children()) == 1, "there is not one second process")
    pids = [first, *children()]
    world.kill()
    own = world.batch("own", "-N", "2")
    world.until(lambda: not any(os.path.exists(f"/proc/{pid}")
                                for pid in pids), "tori-slurm stays")
    equal(world.slurm(own, "Reason"), "JobHeldUser")
    world.begin()


def fail_open():
    """without torid for long enough, Slurm places what waits"""
    # One that torid has left stays, but not when its files are removed.
    with World("--fail-open 1s", "--lock FILES/lock",
               conf=f"partitions=mesh\nmachine={MACHINE}\n") as world:
        world.batch("before", "-N", "2")
        world.wait_all(1)
        first = world.executor()
        lock = world.path("lock")
        with subprocess.Popen(
                [PROGRAM, "--machine", MACHINE, "--nodes", "n[0-63]",
                 "--lock", lock], text=True, stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE) as second:
            equal(second.stderr.readline(),
                  f"tori-slurm: {lock}: process {first} has the lock; waiting "
                  "for its end\n")
            second.kill()
        world.kill()
        world.begin()  # a short absence
        wait(lambda: world.executor() and not os.path.exists(
            f"/proc/{first}"), "the first tori-slurm stays")
        world.batch("after", "-N", "2")
        world.wait_all(2)
        for number in range(2):
            speaker = world.executor()
            world.kill()
            if number == 1:  # all of them at once
                os.kill(speaker, signal.SIGKILL)
            job = world.batch("open", "-N", "2")
            world.reach(job, "COMPLETED")
            world.begin()
            world.batch(f"again{number}", "-N", "2")
            world.ended_well(f"again{number}")
        check_places(world, "before", "after", "again0", "again1")
        roll_back(world)


def no_second_process():
    """--fail-open holds also where no process can be started at first"""
    library = f"{BUILD}/tests/libbad_fork.so"
    if not os.path.exists(library):
        raise Skip("needs a build without sanitizers")
    SITE.cluster_up()
    files = tempfile.mkdtemp(dir=SITE.files)
    full = os.path.join(files, "full")
    with open(full, "w", encoding="utf-8"):
        pass
    with subprocess.Popen(
            [PROGRAM, "--machine", MACHINE, "--nodes", "n[0-63]", "--every",
             "0.1", "--fail-open", "1h", "--lock", os.path.join(files, "lock")],
            env={**os.environ, "LD_PRELOAD": library, "BAD_FORK": full},
            text=True, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE) as program:
        def second():
            return subprocess.run(
                ["pgrep", "-P", str(program.pid)], capture_output=True,
                text=True, check=False).stdout.split()
        try:
            line = program.stderr.readline()
            assert "no second process for --fail-open" in line, line
            equal(second(), [])
            os.remove(full)
            wait(second, "there is no second process")
        finally:
            others = second()
            program.kill()
            for pid in others:
                os.kill(int(pid), signal.SIGKILL)


sys.exit(SITE.run([
    mapping, example, bad_maps, surveyed, configured_anew, mixed, cancelled,
    refused, nodes, closed, node_failure, changes, kept, requeued, mistaken,
    slipped, reshaped, shadow, shadow_begins, shadow_was_away, remarks,
    never_starts, limited, ruled, other_boxes, with_plugin, woken, priorities,
    slow_names, put_back, forgotten_at_once, forgotten, forgotten_by_both,
    fail_open, requeued_after_opening, no_second_process]))
