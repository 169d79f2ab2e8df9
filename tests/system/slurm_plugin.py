#!/usr/bin/env python3
"""Usage: slurm_plugin.py BUILD-DIRECTORY [--only NAME...]

The plugin job_submit/tori in a real slurmctld, with a machine of eight nodes.
In TAP.
"""
import functools
import os
import signal
import subprocess
import sys

import guard
from service import BUILD, equal, read
from slurm_cluster import Cluster, version
from slurm_world import PLUGINS, SITE, Bridge

USER = "daemon"  # 26.05 lets no reservation have "nobody"
CONF = "# who waits for tori\npartitions=mesh\nmachine=torus:4x2\n"
SITE.asked.update(
    nodes=8, plugins=PLUGINS, beside={"tori.conf": CONF},
    partitions=["mesh Nodes=ALL Default=YES", "other Nodes=ALL",
                "half Nodes=n[0-3]", "one Nodes=n0", "few Nodes=ALL MaxNodes=7"],
    options={"JobSubmitPlugins": "tori", "SchedulerType": "sched/backfill"})


def submit(cluster, *words, **more):
    """The number of a job that sleeps."""
    return cluster.run("sbatch", "--parsable", "-o", "/dev/null", *words,
                       "--wrap", "sleep 1000", user=USER, **more)


def refused(cluster, text, *words):
    """That a submission is refused with such a text, and leaves no job."""
    before = set(cluster.run("squeue", "-h", "-o", "%i").split())
    done = cluster.call("sbatch", "-o", "/dev/null", *words, "--wrap", "true",
                        user=USER)
    assert done.returncode != 0 and text in done.stderr, \
        f"{words}: {done.stdout}{done.stderr}"
    # A cancelled one may leave the list meanwhile.
    equal(set(cluster.run("squeue", "-h", "-o", "%i").split()) - before, set())


def denied(cluster, *words):
    done = cluster.call("scontrol", *words, user=USER)
    assert "denied" in done.stdout + done.stderr, f"{words}: {done.stderr}"


def state(cluster, job):
    return cluster.field(job, "JobState"), cluster.field(job, "Priority")


def running(cluster, job):
    cluster.reach(job, "RUNNING")
    return cluster.field(job, "NodeList")


HELD = ("PENDING", "0")


# ---- submissions ----

def held(cluster):
    """a job of a watched partition is held, also of the default one"""
    for words in ([], ["-p", "mesh"], ["-N", "8"], ["-n", "4"]):
        job = submit(cluster, *words)
        equal(state(cluster, job), HELD)
        cluster.run("scancel", job)


def shapes(cluster):
    """a shape says how many nodes"""
    for ask, nodes in (("shape=4x1", 4), ("shape=2x4,wiring=torus", 8),
                       ("wiring=mesh,shape=1x1 and more", 1)):
        job = submit(cluster, f"--comment=tori:{ask}")
        equal(cluster.field(job, "NumNodes"), f"{nodes}-{nodes}")
        equal(cluster.field(job, "NumCPUs"), str(nodes))
        cluster.run("scancel", job)
    for words in [], ["--ntasks-per-node=1"], ["-c1"], ["-n6", "-O"]:
        counts = []
        for more in ["-p", "other", "-H", "-N4"], ["--comment=tori:shape=2x2"]:
            job = submit(cluster, *words, *more)
            counts.append([cluster.field(job, name) for name in (
                "NumNodes", "NumCPUs", "NumTasks")])
            cluster.run("scancel", job)
        equal(counts[1], counts[0])
    job = submit(cluster, "-N", "4", "--comment=tori:shape=2x2")
    equal(state(cluster, job), HELD)
    cluster.run("scancel", job)


def by_command(cluster):
    """tori slurm sbatch submits a shape"""
    tori = cluster.lend(os.path.join(BUILD, "tori"))
    job = cluster.run(tori, "slurm", "sbatch", "--shape", "2x2",
                      "--wiring", "torus", "--parsable", "--output=/dev/null",
                      "--wrap=true", user=USER)
    equal((cluster.field(job, "NumNodes"), cluster.field(job, "Comment")),
          ("4-4", "tori:shape=2x2,wiring=torus"))
    equal(state(cluster, job), HELD)
    cluster.run("scancel", job)


def never(cluster):
    """what the machine can never hold is refused, with the reason"""
    machine = "the machine, torus:4x2, can never hold "
    for option in "-N", "-n":
        refused(cluster, machine + "9 nodes: larger than the machine", option,
                "9")
    for ask, why in (
            ("3x3", machine + "3x3: larger than the machine"),
            ("5x1", machine + "5x1: the shape does not fit the machine's"),
            ("2x2x1", "the shape has another number of dimensions")):
        refused(cluster, why, f"--comment=tori:shape={ask}")


def too_small(cluster):
    """what a partition can never hold is refused, with the reason"""
    cluster.write("tori.conf", CONF.replace("=mesh", "=mesh,half,one"))
    few = "partition half has 4 nodes, but the job asks for "
    refused(cluster, few + "5", "-p", "half", "-N", "5")
    refused(cluster, few + "8", "-p", "half", "--comment=tori:shape=4x2")
    refused(cluster, "partition half,one has 4 nodes, but the job asks for 6",
            "-p", "half,one", "-n", "6")
    job = submit(cluster, "-p", "one,half", "-N", "4")
    equal(state(cluster, job), HELD)
    done = cluster.call("scontrol", "update", f"JobId={job}", "NumNodes=5",
                        user=USER)
    assert "configuration is not available" in done.stderr, done.stderr
    cluster.run("scancel", job)
    cluster.write("tori.conf", CONF)


def tasks(cluster):
    """a job whose tasks do not fit its nodes is refused, with the reason"""
    needs = "the 8 tasks of the job need 8 nodes, but it asks for "
    refused(cluster, needs + "2", "-N", "2", "-n", "8")
    refused(cluster, needs + "2", "-N", "2", "--ntasks-per-node=4")
    refused(cluster, needs + "4", "-n", "8", "--comment=tori:shape=2x2")
    refused(cluster, "the 4 tasks of the job, which Slurm makes of sockets, "
            "cores and threads if -n is not given, need 4 nodes", "-N", "1",
            "--cores-per-socket=4")
    refused(cluster, "a task asks for 4 processors, but no node has more than "
            "1", "-c", "4")
    over = ["-N", "2", "-n", "8", "-O"]  # Slurm 26.05 counts eight nodes
    job = submit(cluster, "-p", "other", "-H", *over)
    stock = cluster.field(job, "NumNodes").split("-")[0]
    cluster.run("scancel", job)
    for nodes, words in ((stock, over), ("5", ["-n", "5"]),
                         ("4", ["-N2-8", "-n", "4"])):
        job = submit(cluster, *words)
        equal(state(cluster, job), HELD)
        equal(cluster.field(job, "NumNodes").split("-")[0], nodes)
        cluster.run("scancel", job)


def not_followed(cluster):
    """what tori does not follow is refused, with the reason"""
    for option in ["--switches=1"], ["--contiguous"], ["--spread-job"]:
        name = option[0].split("=")[0]
        refused(cluster, f"{name} cannot be used", "-N", "2", *option)
    if "--segment" in cluster.run("sbatch", "--help"):
        refused(cluster, "--segment cannot be used", "-N", "4", "--segment=2")
    refused(cluster, "--test-only cannot be used, but tori submit --test-only "
            "--time TIME --shape SHAPE -- true can", "--test-only")
    done = cluster.call("srun", "-N", "2", "--immediate", "true", user=USER)
    assert "--immediate cannot be used, but with seconds" in done.stderr, \
        done.stderr
    for words in ["--test-only"], ["--contiguous"]:
        done = cluster.call("sbatch", "-p", "other", "-N", "2", *words,
                            "-o", "/dev/null", "--wrap", "true", user=USER)
        assert done.returncode == 0, done.stderr
    job = submit(cluster, "-N", "2")
    for change in "Switches=1", "Contiguous=yes", "Features=[a|b]":
        done = cluster.call("scontrol", "update", f"JobId={job}", change,
                            user=USER)
        assert done.returncode != 0, f"{change} is allowed"
        assert version() < (23, 2) or "cannot" in done.stderr, done.stderr
    equal((cluster.field(job, "Contiguous"), cluster.field(job, "Features")),
          ("0", "(null)"))
    cluster.run("scancel", job)
    cluster.empty()


def most(cluster):
    """a job that has more nodes than MaxNodes lets it have is refused"""
    cluster.write("tori.conf", CONF.replace("=mesh", "=few"))
    many = "partition few lets a job have at most 7 nodes, but the job asks "
    refused(cluster, many + "for 8", "-p", "few", "-N", "8")
    refused(cluster, many + "for 8", "-p", "few", "--comment=tori:shape=4x2")
    cluster.write("tori.conf", CONF.replace("=mesh", "=few")
                  + "shapes=compact\n")
    refused(cluster, many + "for 8", "-p", "few", "-N", "8")
    refused(cluster, "partition few lets a job have at most 7 nodes, but a box "
            "for 7 nodes has 8", "-p", "few", "-N", "7")
    job = submit(cluster, "-p", "few", "-N", "5")
    equal(cluster.field(job, "NumNodes"), "6-6")
    cluster.run("scancel", job)
    cluster.write("tori.conf", CONF)
    cluster.empty()


def nonsense(cluster):
    """a comment that is not understood is refused, with the reason"""
    refused(cluster, "asks for 2 nodes, but its shape, 2x2, has 4",
            "-N", "2", "--comment=tori:shape=2x2")
    refused(cluster, "'shpae=2x2'; expected tori:shape=SHAPE",
            "--comment=tori:shpae=2x2")
    refused(cluster, "a wiring, but no shape", "--comment=tori:wiring=mesh")
    refused(cluster, "2y2", "--comment=tori:shape=2y2")
    refused(cluster, "ring", "--comment=tori:shape=2x2,wiring=ring")


def not_for_users(cluster):
    """nodes and a mixed list of partitions are refused"""
    refused(cluster, "tori chooses the nodes", "-w", "n3")
    refused(cluster, "--batch cannot be used", "--batch=x")
    refused(cluster, "cannot be named together", "-p", "other,mesh")


def heterogeneous(cluster):
    """a heterogeneous job is refused, and elsewhere it is not"""
    text = "tori places no heterogeneous jobs: submit their parts as jobs of"
    refused(cluster, text, "-N", "1", ":", "-N", "2")
    refused(cluster, text, "-p", "other", "-N", "1", ":", "-p", "mesh")
    done = cluster.call("srun", "-N", "1", ":", "-N", "2", "true", user=USER)
    assert text in done.stderr, done.stderr
    equal(cluster.run("squeue", "-h"), "")
    job = cluster.run("sbatch", "--parsable", "-o", "/dev/null", "-p", "other",
                      "-N", "1", ":", "-p", "other", "-N", "2", "--wrap",
                      "sleep 1000", user=USER)
    cluster.run("scancel", job)


# ---- changes ----

def users_change(cluster):
    """a user can neither release a job nor choose its nodes"""
    job = submit(cluster, "-N", "2", "--comment=tori:shape=2x1")
    denied(cluster, "release", job)
    denied(cluster, "update", f"JobId={job}", "Priority=5")
    denied(cluster, "update", f"JobId={job}", "Nice=10")
    denied(cluster, "update", f"JobId={job}", "ReqNodeList=n[0-1]")
    equal(state(cluster, job), HELD)
    equal(cluster.field(job, "ReqNodeList"), "(null)")
    cluster.run("scontrol", "update", f"JobId={job}", "TimeLimit=5", user=USER)
    equal(cluster.field(job, "TimeLimit"), "00:05:00")
    done = cluster.call("scontrol", "update", f"JobId={job}",
                        "Comment=tori:shape=3x3", user=USER)
    assert done.returncode != 0, "a shape that never fits"
    equal(cluster.field(job, "Comment"), "tori:shape=2x1")
    for shape, nodes in ("2x2,wiring=mesh", 4), ("1x1", 1):
        cluster.run("scontrol", "update", f"JobId={job}",
                    f"Comment=tori:shape={shape}", user=USER)
        equal([cluster.field(job, name) for name in (
            "Comment", "NumNodes", "NumCPUs", "NumTasks")],
            [f"tori:shape={shape}", f"{nodes}-{nodes}", str(nodes),
             str(nodes)])
        equal(state(cluster, job), HELD)
    cluster.run("scancel", job)


def users_hold(cluster):
    """a user holds an own job and lets it go; it stays held in Slurm"""
    def said(job):
        return cluster.run("squeue", "-h", "-j", job, "-o", "%k")
    for own, held in (("", "tori:hold"), ("mine", "tori:hold mine"),
                      ("tori:shape=2x1", "tori:shape=2x1,hold"),
                      ("tori:shape=2x1 mine", "tori:shape=2x1,hold mine")):
        words = [f"--comment={own}"] if own else []
        job = submit(cluster, *words)
        for _ in range(2):  # a hold of what is held changes nothing
            cluster.run("scontrol", "hold", job, user=USER)
            equal((said(job), *state(cluster, job)), (held, *HELD))
        cluster.run("scontrol", "release", job, user=USER)
        equal((said(job), *state(cluster, job)), (own, *HELD))
        denied(cluster, "release", job)
        cluster.run("scancel", job)
        job = submit(cluster, "--hold", *words)
        equal((said(job), *state(cluster, job)), (held, *HELD))
        cluster.run("scancel", job)
    job = submit(cluster, "-H", "-N2")
    cluster.run("scontrol", "update", f"JobId={job}",
                "Comment=tori:shape=2x2", user=USER)
    equal((said(job), cluster.field(job, "NumNodes")),
          ("tori:shape=2x2,hold", "4-4"))
    cluster.run("scontrol", "update", f"JobId={job}", "Partition=other",
                user=USER)
    equal((said(job), *state(cluster, job)), ("tori:shape=2x2", *HELD))
    cluster.run("scontrol", "release", job, user=USER)
    running(cluster, job)
    cluster.run("scancel", job)


def remarked_late(cluster):
    """a remark about an earlier comment does not undo the user's change"""
    def comment():
        return cluster.run("squeue", "-h", "-j", job, "-o", "%k")

    def change(text, *more, **by):
        cluster.run("scontrol", "update", f"JobId={job}", f"Comment={text}",
                    *more, **by)
    job = submit(cluster, "-H", "--comment=tori:shape=2x1")
    cluster.run("scontrol", "release", job, user=USER)
    change("tori:shape=2x1,hold | tori: its user holds it")
    equal(comment(), "tori:shape=2x1 | tori: its user holds it")
    change("tori:shape=2x2 mine", user=USER)
    change("tori:shape=2x1 | tori: it waits")
    equal(comment(), "tori:shape=2x2 mine | tori: it waits")
    equal(cluster.field(job, "NumNodes"), "4-4")
    change("tori:shape=2x1 mine")  # an administrator's own
    equal(comment(), "tori:shape=2x1 mine")
    change("tori:shape=4x1 | tori: it waits", "NumNodes=4")
    equal(comment(), "tori:shape=4x1 | tori: it waits")
    cluster.run("scancel", job)


def placed(cluster):
    """the user of slurmctld places a job, and its user cannot move it"""
    job = submit(cluster, "-N", "3")
    cluster.run("scontrol", "update", f"JobId={job}", "ReqNodeList=n[1,4,6]")
    cluster.run("scontrol", "release", job)
    equal(running(cluster, job), "n[1,4,6]")
    cluster.run("scancel", job)


def interactive(cluster):
    """srun waits, and runs where it is placed"""
    with subprocess.Popen(
            ["srun", "-J", "talk", "-N", "2", "printenv", "SLURMD_NODENAME"],
            env=cluster.env, cwd="/", user=USER, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as talk:
        def job():
            return cluster.run("squeue", "-h", "-n", "talk", "-o", "%i")
        cluster.wait(job, "srun submits nothing")
        equal(state(cluster, job()), HELD)
        cluster.run("scontrol", "update", f"JobId={job()}",
                    "ReqNodeList=n[2,5]")
        cluster.run("scontrol", "release", job())
        equal(sorted(talk.communicate(timeout=60)[0].split()), ["n2", "n5"])


def arrays(cluster):
    """all of an array is held"""
    job = submit(cluster, "--array=1-3")
    denied(cluster, "release", f"{job}_2")
    denied(cluster, "release", job)
    equal(state(cluster, job), HELD)
    cluster.run("scancel", job)


def reserved(cluster):
    """a job with a reservation is Slurm's own, and stays so"""
    cluster.run("scontrol", "create", "reservation", "ReservationName=mine",
                "Nodes=n[3,6]", "StartTime=now", "Duration=5",
                f"Users={USER}")
    job = submit(cluster, "--reservation=mine", "-N", "2")
    equal(running(cluster, job), "n[3,6]")
    cluster.run("scancel", job)
    job = submit(cluster, "--reservation=mine", "--hold")
    denied(cluster, "update", f"JobId={job}", "ReservationName=")
    cluster.run("scontrol", "release", job, user=USER)
    running(cluster, job)
    cluster.run("scancel", job)
    job = submit(cluster)
    denied(cluster, "update", f"JobId={job}", "ReservationName=mine")
    cluster.run("scancel", job)
    cluster.empty()
    cluster.run("scontrol", "delete", "ReservationName=mine")


# ---- elsewhere ----

def others(cluster):
    """other partitions are as they were"""
    job = submit(cluster, "-p", "other", "-w", "n5", "--comment=tori:nothing")
    equal(running(cluster, job), "n5")
    cluster.run("scancel", job)
    job = submit(cluster, "-p", "other", "--hold")
    equal(state(cluster, job), HELD)
    cluster.run("scontrol", "update", f"JobId={job}", "ReqNodeList=n7",
                user=USER)
    cluster.run("scontrol", "release", job, user=USER)
    equal(running(cluster, job), "n7")
    cluster.run("scancel", job)


def moves(cluster):
    """a job cannot be moved to a watched partition; from one it can, and runs"""
    job = submit(cluster, "-p", "other", "--hold")
    denied(cluster, "update", f"JobId={job}", "Partition=mesh")
    cluster.run("scancel", job)
    job = submit(cluster, "--comment=mine")
    cluster.run("scontrol", "update", f"JobId={job}",
                "Comment=mine | tori: it waits")
    cluster.run("scontrol", "update", f"JobId={job}", "Partition=other",
                user=USER)
    running(cluster, job)
    equal(cluster.run("squeue", "-h", "-j", job, "-o", "%k"), "mine")
    cluster.run("scancel", job)
    job = submit(cluster)
    cluster.run("scontrol", "hold", job)
    denied(cluster, "update", f"JobId={job}", "Partition=other")
    equal(state(cluster, job), HELD)
    cluster.run("scancel", job)


# ---- the file ----

def file_changes(cluster):
    """tori.conf may change at any time; a bad or an empty one holds nobody"""
    cluster.write("tori.conf", "machine=mesh:8\npartitions=big, other")
    job = submit(cluster, "-p", "other")
    equal(state(cluster, job), HELD)
    cluster.run("scancel", job)
    cluster.write("tori.conf", "machine=mesh:8\npartition=mesh\n")
    job = submit(cluster)
    running(cluster, job)
    cluster.run("scancel", job)
    assert "tori.conf:2: 'partition=mesh' is not understood" in cluster.logs()
    cluster.write("tori.conf", "machine=mesh:8\npartitions=\n")
    cluster.restart()
    job = submit(cluster)
    running(cluster, job)
    cluster.run("scancel", job)
    cluster.write("tori.conf", CONF)


def rules(cluster):
    """a number of nodes becomes a shape by the rule of tori.conf"""
    cluster.write("tori.conf", CONF.replace("=mesh", "=mesh,half")
                  + "shapes=compact\nwiring=torus\n")
    refused(cluster, "partition half has 4 nodes, but the box for 5 nodes has "
            "6", "-p", "half", "-N", "5")
    for nodes, words, shape, given in (
            (4, [], "2x2", 4), (3, [], "3x1", 3), (7, [], "4x2", 8),
            (2, ["--comment=tori:shape=2x1"], "2x1", 2)):
        job = submit(cluster, "-N", str(nodes), *words)
        wired = "" if words else ",wiring=torus,rule=compact,or=boxes"
        equal((cluster.field(job, "NumNodes"), cluster.field(job, "Comment")),
              (f"{given}-{given}", f"tori:shape={shape}{wired}"))
        cluster.run("scancel", job)
    job = submit(cluster, "-N", "2", "--comment=mine")
    assert "Comment=tori:shape=1x2,wiring=torus,rule=compact,or=boxes mine" in cluster.run(
        "scontrol", "-o", "show", "job", job)
    cluster.run("scancel", job)
    cluster.write("tori.conf", CONF)


def reconfigure(cluster):
    """... when no job is on a node: Slurm 26.05 starts all slurmd again."""
    cluster.wait(lambda: not cluster.run("squeue", "-h", "-t", "R,CG"),
                 "jobs stay")
    cluster.run("scontrol", "reconfigure")
    cluster.wait(lambda: cluster.states() == {"idle"}, "slurmctld ends")


def restarts(cluster):
    """jobs stay held over a restart, which a bad tori.conf does not prevent"""
    job = submit(cluster)
    cluster.kill("slurmctld", signal.SIGTERM)  # or it loses the last seconds
    cluster.write("tori.conf", "partitions=mesh\n")
    cluster.begin("slurmctld")
    cluster.wait(lambda: cluster.field(job, "JobState"), "no slurmctld")
    with open(cluster.path("slurmctld.log"), encoding="utf-8") as log:
        assert "machine= is missing; jobs are not held" in log.read()
    equal(state(cluster, job), HELD)
    free = submit(cluster)
    running(cluster, free)
    cluster.run("scancel", free)
    for text, held in ("nonsense\n", None), (CONF, HELD):
        cluster.write("tori.conf", text)
        reconfigure(cluster)
        last = submit(cluster)
        if held:
            equal(state(cluster, last), held)
        else:
            running(cluster, last)
        cluster.run("scancel", last)
    equal(state(cluster, job), HELD)
    denied(cluster, "release", job)
    cluster.run("scancel", job)


# ---- with torid ----

def together(cluster):
    """torid places what users submit"""
    with Bridge(cluster, "--machine torus:4x2 --nodes 'n[0-7]' "
                "--partitions mesh --remarks 0.2s", machine="torus:4x2"):
        first = submit(cluster, "--comment=tori:shape=2x2,wiring=mesh",
                       "--time=60")
        equal(running(cluster, first), "n[0-3]")
        second = submit(cluster, "--comment=tori:shape=4x1")
        third = submit(cluster, "--comment=tori:shape=2x2", "--time=10")
        equal(running(cluster, third), "n[4-7]")
        mine = submit(cluster, "--hold", "-N1", "--comment=mine")
        cluster.run("scancel", first, third)
        equal(running(cluster, second), "n[0,2,4,6]")
        cluster.wait(lambda: cluster.run(
            "squeue", "-h", "-j", mine, "-o", "%k") == "tori:hold mine | "
            "tori: its user holds it in Slurm", "no remark")
        equal(state(cluster, mine), HELD)
        cluster.run("scontrol", "release", mine, user=USER)
        equal(running(cluster, mine), "n1")
        equal(cluster.run("squeue", "-h", "-j", mine, "-o", "%k"), "mine")
        cluster.run("scancel", second, mine)


def release_all(cluster):
    """The command of the page that releases what tori has held."""
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../../doc/slurm.md")
    with open(page, encoding="utf-8") as file:
        part = file.read().split("\n## Roll back\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith(" " * 7)]
    cluster.run("sh", "-c", "\n".join(lines))


def wait_for(cluster, jobs, states):
    """These jobs are in these states, each with all of its tasks."""
    def found():
        return cluster.run("squeue", "-h", "-t", "all", "-j", ",".join(jobs),
                           "-o", "%T").split()
    cluster.wait(lambda: set(found()) <= set(states),
                 f"{jobs} are not {states}: " + cluster.run("squeue"))


def rolled_back(cluster):
    """after a roll back, as the page has it, Slurm runs all without tori"""
    cluster.wait(lambda: not os.path.exists(cluster.path("state/tori_nodes")),
                 "the file of the last tori-slurm stays")
    huge = submit(cluster, "-N2", "--mem=5000")  # more than a node has
    with Bridge(cluster, f"--conf {cluster.path('tori.conf')}",
                "--nodes 'n[0-7]' --fail-open 1s --lock FILES/lock",
                machine="torus:4x2") as service:
        def brief(*words):
            return cluster.run("sbatch", "--parsable", "-o", "/dev/null",
                               *words, "--wrap", "sleep 0.2", user=USER)
        cluster.wait(lambda: "executor-ready" in read(service.path("log")),
                     "tori-slurm does not begin")
        for text, line in (
                ("nonsense\n", "'nonsense' is not understood; expected "),
                (CONF + "shapes=fat\n", "tori.conf has changed: restart")):
            cluster.write("tori.conf", text)
            reconfigure(cluster)
            cluster.wait(lambda: line in read(service.path("log")),
                         "tori-slurm does not report it")
        cluster.write("tori.conf", CONF)
        cluster.wait(lambda: "5000 MB of memory" in cluster.run(
            "squeue", "-h", "-j", huge, "-o", "%k"), "it is not held")
        wall = submit(cluster, "-N7", "--requeue")
        running(cluster, wall)
        first = brief("-N4", "--comment=tori:shape=2x2")
        jobs = [first, brief("-N2", "--array=1-3%1"), brief("-N3"),
                brief("-N1", "-d", f"afterok:{first}")]
        kept = brief("-N2")  # one node is free
        cluster.run("scontrol", "hold", kept)
        own = brief("-N2", "--hold")
        cluster.wait(lambda: len(service.list("&state=queued")) >= 3,
                     "not all are heard of")
        cluster.write("tori.conf", CONF.replace("=mesh", "="))
        late = submit(cluster, "-N1")
        running(cluster, late)
        service.kill(signal.SIGTERM)
        cluster.wait(lambda: not at_work(service.files), "tori-slurm stays")
        release_all(cluster)
        cluster.run("scontrol", "requeue", wall)
        cluster.run("scancel", late)
        wait_for(cluster, jobs, ["COMPLETED"])
        equal(cluster.field(kept, "Reason"), "JobHeldAdmin")
        equal(state(cluster, own), HELD)
        cluster.run("scontrol", "release", own, user=USER)
        wait_for(cluster, [own], ["COMPLETED"])
        cluster.run("scancel", wall, kept, huge)
    cluster.write("tori.conf", CONF)


# ---- the cluster itself ----

def nothing_left(cluster):
    """a cluster whose user is killed leaves nothing behind"""
    with subprocess.Popen(
            [sys.executable, os.path.join(os.path.dirname(
                os.path.abspath(__file__)), "slurm_cluster.py"),
             "--nodes", "2", "sh", "-c", "sbatch --wrap 'sleep 1000' >&2;"
             "echo $SLURM_CONF; exec >&-; sleep 1000"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/tmp",
            text=True, start_new_session=True) as user:
        files = os.path.dirname(user.stdout.readline())
        assert os.path.isdir(files), files
        os.killpg(user.pid, 9)
    cluster.wait(lambda: not os.path.isdir(files) and not at_work(files),
                 f"something of {files} is left")


class Broken(Cluster):
    """Of its daemons, one ends when it begins."""

    def __init__(self, victim):
        super().__init__(2)
        self.victim = victim

    def launch(self, name, words):
        super().launch(name, ["sh", "-c", "echo no luck; exit 1"]
                       if name == self.victim else words)


def noticed(cluster):
    """a daemon that dies when it begins is noticed, and what it said"""
    for victim in "munged", "slurmctld", "n1":
        try:
            with Broken(victim):
                raise AssertionError(f"nobody misses {victim}")
        except RuntimeError as error:
            equal(str(error), f"{victim} has died\n{victim}.out:\nno luck\n")


def usage(cluster):
    """slurm_cluster.py says how it is used, and starts no cluster then"""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                           "slurm_cluster.py")
    asked, wrong = (cluster.call(sys.executable, program, word)
                    for word in ("--help", "--node"))
    first = "Usage: slurm_cluster.py"
    equal((asked.returncode, asked.stderr, asked.stdout[:len(first)]),
          (0, "", first))
    equal((wrong.returncode, wrong.stdout, wrong.stderr[:len(first)]),
          (1, "", first))


def at_work(files):
    """Processes that name these files."""
    return list(guard.knowing(files))


def on_the_cluster(test):
    """A test that leaves the cluster as it was, also if it fails."""
    @functools.wraps(test)
    def call():
        cluster = SITE.cluster_up()
        try:
            test(cluster)
        except BaseException:
            cluster.empty()
            cluster.write("tori.conf", CONF)
            raise
    return call


sys.exit(SITE.run([on_the_cluster(test) for test in (
    held, shapes, by_command, never, too_small, tasks, nonsense,
    not_followed, most, not_for_users, heterogeneous, users_change,
    users_hold, remarked_late, placed, interactive, arrays, reserved,
    others, moves, file_changes, rules, restarts, together, rolled_back,
    nothing_left, noticed, usage)],
    None if os.geteuid() == 0 else "only root can have several users"))
