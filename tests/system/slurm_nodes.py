#!/usr/bin/env python3
"""Usage: slurm_nodes.py BUILD-DIRECTORY [--only NAME...]

Jobs that ask for more than a number of nodes, on a real cluster whose nodes
differ: features, memory, processors and generic resources. In TAP.
"""
import os
import re
import sys

from patience import wait
from service import equal
from slurm_world import MACHINE, PLUGINS, SITE, World, check_places

CONF = f"partitions=mesh\nmachine={MACHINE}\n"
# Half of the nodes, and of the others one half each.
SMALL, OLD, FAST = range(32), range(32, 48), range(48, 64)
KINDS = [(32, "CPUs=1 RealMemory=1000 Feature=small,old"),
         (16, "CPUs=4 RealMemory=4000 Feature=big,old Gres=gpu:a100:2"),
         (16, "CPUs=4 RealMemory=8000 Feature=big,fast "
          "Gres=gpu:a100:2,ssd:4")]
GRES = """NodeName=n[32-63] Name=gpu Type=a100 File=/dev/null,/dev/zero
NodeName=n[48-63] Name=ssd Count=4
"""


SITE.asked.update(
    node=KINDS, plugins=PLUGINS, beside={"gres.conf": GRES, "tori.conf": CONF},
    options={"GresTypes": "gpu,ssd", "JobSubmitPlugins": "tori",
             "SlurmdParameters": "config_overrides"})


def new_world(rules=""):
    return World("--remarks 0.2s", conf=CONF + rules)


def names(*ranges):
    return {f"n{i}" for some in ranges for i in some}


# ---- jobs that run ----

# What each asks for, and the nodes that have it.
ASKED = {
    "feature": (["-N20", "-C", "big"], names(OLD, FAST)),
    "either": (["-N40", "-C", "fast|small"], names(SMALL, FAST)),
    "both": (["-N10", "-C", "big&old"], names(OLD)),
    "nested": (["-N4", "-C", "(fast|small)&old"], names(SMALL)),
    "memory": (["-N4", "--mem=5000"], names(FAST)),
    "each": (["-N4", "--mem-per-cpu=1500", "-c2"], names(OLD, FAST)),
    "threads": (["-N4", "-c4"], names(OLD, FAST)),
    "tasks": (["-N4", "-n16"], names(OLD, FAST)),
    "spread": (["-n12"], names(OLD, FAST)),
    "pernode": (["-N4", "--ntasks-per-node=3"], names(OLD, FAST)),
    "shared": (["-N40", "-n80", "-O"], names(SMALL, OLD, FAST)),
    "gpus": (["-N4", "--gres=gpu:1"], names(OLD, FAST)),
    "typed": (["-N4", "--gpus-per-node=a100:2"], names(OLD, FAST)),
    "jobgpus": (["-N4", "--gpus=8"], names(OLD, FAST)),
    "taskgpus": (["-N4", "--gpus-per-task=2"], names(OLD, FAST)),
    "disks": (["-N4", "--gres=ssd:3,gpu:1"], names(FAST)),
    "toofew": (["-N40", "--prefer=fast"], names(SMALL, OLD, FAST)),
    "without": (["-N4", "--exclude=n[0-55]"], names(FAST)),
    "box": (["--comment=tori:shape=2x4x4", "-C", "big"], names(OLD, FAST)),
}


def differ():
    """a job gets nodes that have all that it asks for"""
    with new_world() as world:
        for name, (words, _) in ASKED.items():
            world.batch(name, *words, held=False)
        world.wait_all(len(ASKED))
        for name, (words, may) in ASKED.items():
            ran = world.ran(name)[0]
            assert ran <= may, f"{name}, {words}: {ran - may}"
        check_places(world, *ASKED)
        equal([job["attempt"] for job in world.ended_jobs()],
              [1] * len(ASKED))


def waits():
    """it waits for those nodes while others are free, and says so"""
    with new_world() as world:
        first = world.batch("first", "-N30", "-C", "big", held=False,
                            seconds=100)
        world.running("first")
        second = world.batch("second", "-N10", "-C", "big", held=False)
        said = "only 2 are free of those it may use"
        world.until(lambda: said in world.comment(second),
                    f"no remark: {world.comment(second)}")
        assert said in world.tori("why", f"slurm:{second}")[1]
        world.batch("liked", "-N2", "--prefer=big", held=False)
        world.running("liked")
        assert world.ran("liked")[0] <= names(OLD, FAST)
        world.batch("small", "-N10", held=False)
        world.running("small")
        assert world.ran("small")[0] <= names(SMALL)
        world.scancel(first)
        world.wait_all(4)


def shared():
    """a job that is smaller than a node has it alone, as far as Slurm lets it"""
    last = ["-n1", "--exclude=n[0-62]"]
    with new_world() as world:
        world.scontrol("create", "PartitionName=other",
                          "Nodes=n63")
        small = [world.batch(f"small{i}", "-n1", "--exclude=n[0-59]",
                             *how, held=False, seconds=100)
                 for i, how in enumerate(([], ["-s"], ["-n2"], ["-O"]))]
        world.running(*(f"small{i}" for i in range(len(small))))
        equal(set.union(*(world.ran(f"small{i}")[0] for i in range(len(small)))),
              names(range(60, 64)))
        fifth = world.batch("fifth", "-n1", "--exclude=n[0-59]", held=False)
        world.until(lambda: "only 0 are free" in world.comment(fifth),
                    "it does not wait")
        # A job of another partition uses the other processors of the node.
        theirs = world.batch("theirs", "-p", "other", "-n1", held=False,
                             seconds=100)
        world.reach(theirs, "RUNNING")
        world.scancel(theirs, *small)
        world.ended_well("fifth")
        world.scontrol("update", "PartitionName=mesh",
                          "OverSubscribe=EXCLUSIVE")
        ours = world.batch("ours", *last, held=False, seconds=100)
        world.reach(ours, "RUNNING")
        theirs = world.batch("theirs", "-p", "other", "-n1", held=False,
                             seconds=100)
        world.reach(theirs, "Resources", name="Reason")
        waits = world.batch("waits", *last, held=False)
        world.scancel(ours)
        world.reach(theirs, "RUNNING")
        world.until(lambda: re.search(
            rf"would run into reservation \d+ \(slurm:{theirs}\)",
            world.comment(waits)), "it does not wait")
        world.scancel(theirs)
        world.reach(waits, "COMPLETED")
        world.scontrol("update", "PartitionName=mesh",
                          "OverSubscribe=NO")
        world.scontrol("delete", "PartitionName=other")


# ---- jobs that do not ----

# Refused by the plugin, if tori-slurm has told it what the nodes have.
NEVER = {
    "any": (["--mem=9000"], "no node of partition mesh has what the job asks "
            "for: 9000 MB of memory"),
    "feature": (["-N20", "-C", "fast"], "only 16 nodes of partition mesh have "
                "what the job asks for, features fast; it asks for 20"),
    "memory": (["-N20", "--mem=5000"], "only 16 nodes of partition mesh have "
               "what the job asks for, 5000 MB of memory; it asks for 20"),
    "processors": (["-N33", "-c4"], "only 32 nodes of partition mesh have "
                   "what the job asks for, 4 processors; it asks for 33"),
    "gpus": (["-N4", "--gres=gpu:3"], "no node of partition mesh has what the "
             "job asks for: gpu:3"),
    "two": (["-N8", "-C", "small", "--mem=3000"], "no node of partition mesh "
            "has what the job asks for: 3000 MB of memory, features small"),
    "chosen": (["-N9", "--exclude=n[0-55]"], "only 8 nodes of partition mesh "
               "are left after --exclude; the job needs 9"),
    "none": (["-N1", "--exclude=n[0-63]"], "no node of partition mesh is left "
             "after --exclude"),
    "both": (["-N9", "-C", "fast", "--exclude=n[0-2,48-55]"], "only 8 nodes "
             "of partition mesh have what the job asks for, features fast, "
             "and are left after --exclude; it asks for 9"),
}
NO_PLACE = "it has no place among the nodes in service that it may use"
REFUSED = {
    "--constraint and --prefer cannot have counts": (
        ["-C", "[big*2&small*2]"], ["-C", "[big|small]"],
        ["--prefer=big*2"]),
    "--batch cannot be used": (["-C", "big|small", "--batch=big"],),
    "asks for: features nosuch": (["-C", "nosuch"],),
    "Invalid generic resource": (["--gres=nosuch"],),
    "a task asks for 5 processors": (["-c5"],),
    "the 12 tasks of the job need 3 nodes, but it asks for 2": (
        ["-N2", "-n12"],),
}


def kinds(world):
    """The file by which the plugin knows the nodes."""
    return world.cluster.path("state/tori_nodes")


def refuse(world, text, words):
    done = world.cluster.call("sbatch", *words, world.script)
    assert done.returncode != 0 and text in done.stderr, \
        f"{words}: {done.stdout}{done.stderr}"


def nowhere():
    """what too few nodes have is refused, or held with the reason"""
    with new_world() as world:
        wait(lambda: os.path.exists(kinds(world)), "no file about nodes")
        for text, all_words in REFUSED.items():
            for words in all_words:
                refuse(world, text, words)
        for words, text in NEVER.values():
            refuse(world, text, words)
        os.utime(kinds(world), (1, 1))  # and from now on it is too old
        jobs = {name: world.batch(name, *words, held=False)
                for name, (words, _) in NEVER.items()}
        jobs["shape"] = world.batch("shape", "--comment=tori:shape=3x3x3",
                                    "-C", "big", held=False)
        for name, text in [("shape", NO_PLACE), *(
                (name, text) for name, (_, text) in NEVER.items())]:
            world.until(lambda: world.comment(jobs[name]).endswith(
                f"| tori: {text}"), f"{name}: {world.comment(jobs[name])}")
        wait(lambda: os.stat(kinds(world)).st_mtime > 1, "it stays old")
        refuse(world, *reversed(NEVER["any"]))
        world.batch("other", "-N64", held=False)
        world.wait_all(1)


def changed():
    """other needs, or other nodes, and it starts"""
    with new_world() as world:
        wait(lambda: os.path.exists(kinds(world)), "no file about nodes")
        os.unlink(kinds(world))
        jobs = {name: world.batch(name, *NEVER[name][0], held=False)
                for name in ("memory", "two")}
        for name, job in jobs.items():
            world.until(lambda: NEVER[name][1] in world.comment(job),
                        f"{name}: {world.comment(job)}")
        world.update(jobs['memory'], "MinMemoryNode=3000")
        world.wait_all(1)
        assert world.ran("memory")[0] <= names(OLD, FAST)
        world.scontrol("update", "NodeName=n[32-47]",
                          "AvailableFeatures=big,old,small",
                          "ActiveFeatures=big,old,small")
        world.wait_all(2)
        assert world.ran("two")[0] <= names(OLD)
        check_places(world, *jobs)
        wait(lambda: os.path.exists(kinds(world)), "the file stays away")
        refuse(world, "only 16 nodes of partition mesh have what the job asks "
               "for, 5000 MB of memory; it asks for 20", NEVER["memory"][0])
        world.batch("now", *NEVER["two"][0], held=False)
        world.wait_all(3)
        world.scontrol("update", "NodeName=n[32-47]",
                          "AvailableFeatures=big,old",
                          "ActiveFeatures=big,old")


def ruled():
    """a shape of the rule fits the nodes of the job, one of its user stays"""
    with new_world("shapes=compact\n") as world:
        own = world.batch("own", "--comment=tori:shape=2x2x4", "-C", "fast",
                          held=False)
        world.batch("plane", "-N16", "-C", "fast", held=False)
        world.batch("apart", "-N4", "--exclude=n[0-47,49-52,54-57,59-62]",
                    held=False)
        world.batch("cube", "-N8", "-C", "big", held=False)
        world.wait_all(3)
        equal(world.ran("plane")[0], names(FAST))
        equal(world.ran("apart")[0], {"n48", "n53", "n58", "n63"})
        jobs = world.all()
        equal([jobs[name].get("shape") for name in ("plane", "apart", "cube")],
              ["1x4x4", None, "2x2x2"])
        world.until(lambda: world.comment(own).endswith(NO_PLACE),
                    world.comment(own))
        done = world.tori("queue")[1]
        assert NO_PLACE in done, done
        world.cluster.write("tori.conf", CONF + "shapes=compact\n")
        refuse(world, "only 16 nodes of partition mesh have what the job asks "
               "for, features fast; it asks for 18, the box for 17 nodes",
               ["-N17", "-C", "fast"])
        refuse(world, "only 8 nodes of partition mesh are left after "
               "--exclude; the job needs 12, the box for 11 nodes",
               ["-N11", "--exclude=n[0-55]"])
        world.cluster.write("tori.conf", CONF)
    wait(lambda: not os.path.exists(kinds(world)), "the file stays")


sys.exit(SITE.run([
    differ, waits, shared, nowhere, changed, ruled]))
