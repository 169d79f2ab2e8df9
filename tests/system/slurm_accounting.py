#!/usr/bin/env python3
"""Usage: slurm_accounting.py BUILD-DIRECTORY [--only NAME...]

What Slurm itself does with jobs that tori places: limits and shares of users,
accounts (slurmdbd, with MariaDB), preemption by another partition, and nodes
that are powered down. On a real cluster of this machine. In TAP.
"""
import os
import subprocess
import sys
import tempfile
import time

from guard import kept_port
from service import Skip, equal, read
from slurm_cluster import ENV, Cluster, alive, missing
from slurm_world import PLUGINS, SITE, Bridge, spread

MACHINE = "torus:4x4"
DATABASE = {"mariadbd": "mariadb-server", "mariadb-install-db":
            "mariadb-server", "slurmdbd": "slurmdbd"}


# ---- a cluster with accounts ----

class Accounts(Cluster):
    """A cluster that has MariaDB, slurmdbd, and these settings of users."""

    def prepare(self):
        dbd, sql = kept_port(), kept_port()
        folder = self.path("database")
        subprocess.run(
            ["mariadb-install-db", "--no-defaults", f"--datadir={folder}",
             "--user=root", "--auth-root-authentication-method=normal",
             "--skip-test-db"], env=ENV, check=True, capture_output=True)
        self.launch("mariadbd", [
            "mariadbd", "--no-defaults", f"--datadir={folder}", "--user=root",
            "--bind-address=127.0.0.1", f"--port={sql}", "--skip-grant-tables",
            f"--socket={self.path('sql')}", f"--pid-file={folder}.pid",
            "--innodb-flush-log-at-trx-commit=0"])  # it need not last
        self.wait(lambda: os.path.exists(self.path("sql")),
                  "mariadbd does not start")
        self.write("slurmdbd.conf", "\n".join([
            "AuthType=auth/munge", f"AuthInfo=socket={self.path('munge.socket')}",
            "DbdHost=localhost", f"DbdPort={dbd}", "SlurmUser=root",
            f"PidFile={self.path('slurmdbd.pid')}",
            f"LogFile={self.path('slurmdbd.log')}",
            "StorageType=accounting_storage/mysql", "StorageHost=127.0.0.1",
            f"StoragePort={sql}", "StorageUser=root", "StorageLoc=accounts",
            ""]))
        os.chmod(self.path("slurmdbd.conf"), 0o600)
        self.write("slurm.conf", read(self.conf) + "\n".join([
            "AccountingStorageHost=localhost", f"AccountingStoragePort={dbd}",
            f"AccountingStoragePass={self.path('munge.socket')}", ""]))
        self.launch("slurmdbd", ["env", f"SLURM_CONF={self.conf}",
                                 "slurmdbd", "-D"])
        self.wait(lambda: not alive(self.pids["slurmdbd"]) or self.call(
            "sacctmgr", "-n", "show", "qos").returncode == 0,
            "slurmdbd does not start")
        if not alive(self.pids["slurmdbd"]):  # as with MariaDB 11.8.9
            raise Skip("slurmdbd does not run with this MariaDB: "
                       + read(self.path("slurmdbd.log")).splitlines()[-1])
        for line in SETTINGS.strip().splitlines():
            self.run("sacctmgr", "-i", *line.split())


# Slurm's user names are real ones; 26.05 knows no "nobody".
SETTINGS = """
add cluster tori
add account much fairshare=1
add account little fairshare=1
add qos single MaxJobsPerUser=1
add qos eight GrpTRES=node=8
add user daemon account=much qos=normal,single,eight defaultqos=normal
add user bin account=little qos=normal,single,eight defaultqos=normal
"""


def site(kind=Cluster, more=None, partitions=("mesh Nodes=ALL Default=YES",)):
    return kind(16, partitions, plugins=PLUGINS,
                beside={"tori.conf": f"partitions=mesh\nmachine={MACHINE}\n"},
                options={"JobSubmitPlugins": "tori", **(more or {})})


ACCOUNTED = {"AccountingStorageType": "accounting_storage/slurmdbd",
             "AccountingStorageEnforce": "associations,limits,qos",
             "PriorityType": "priority/multifactor",
             "PriorityWeightFairshare": 1000000,
             "PriorityCalcPeriod": "00:01:00"}


class Torid(Bridge):
    """torid, whose jobs are those of the cluster, and of its users."""

    def __init__(self, cluster, *words):
        super().__init__(
            cluster, "--conf", cluster.path("tori.conf"), "--nodes 'n[0-15]'",
            *words, machine=MACHINE)

    def batch(self, name, *words, user="daemon", **more):
        return super().batch(name, *words, user=user, **more)

    def place_of(self, job):
        """The nodes that torid gave to a job."""
        return next(set(one["place"]["nodes"]) for one in self.list()
                    if one["alias"] == f"slurm:{job}")


def records(cluster, jobs, *fields):
    """What sacct says of jobs, when slurmdbd answers it: rows of fields."""
    said = []

    def ask():
        said.append(cluster.call("sacct", "-X", "-n", "-P", "-j",
                                 ",".join(jobs), "-o", ",".join(fields)))
        return said[-1].returncode == 0
    cluster.wait(ask, "sacct fails")
    return [line.split("|") for line in said[-1].stdout.splitlines()]


def when(cluster, jobs):
    """When jobs ran, by sacct: pairs of seconds. slurmdbd may hear of an end
    before it hears of the start, which is None or Unknown until then."""
    def known():
        rows = records(cluster, jobs, "State", "Start", "End")
        return len(rows) == len(jobs) and all(
            state == "COMPLETED" and "T" in start and "T" in end
            for state, start, end in rows) and rows
    return [tuple(time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))
                  for text in row[1:])
            for row in cluster.wait(known, "sacct does not know")]


# ---- accounts ----

ACCOUNTS = SITE.second(lambda: site(Accounts, ACCOUNTED))


def accounts():
    if missing(DATABASE):
        raise Skip(missing(DATABASE))
    return ACCOUNTS()


def limits():
    """limits of a QOS hold, and jobs beyond them leave their nodes to others"""
    cluster = accounts()
    with Torid(cluster, "--patience 2s", "--remarks 0.2s") as torid:
        first = torid.batch("first", "-N2", "--qos=single", seconds=4)
        torid.reach(first, "RUNNING")
        single = [first] + [torid.batch(f"single{i}", "-N8", "--qos=single")
                            for i in range(2)]
        eight = [torid.batch(f"eight{i}", "-N6", "--qos=eight", seconds=2)
                 for i in range(3)]
        torid.until(lambda: "QOSMaxJobsPerUserLimit" in cluster.run(
            "squeue", "-h", "-o", "%k", "-j", single[1]), "no remark")
        others = [torid.batch("other", "-N10", user="bin")]
        jobs = single + eight + others
        for job in jobs:
            torid.reach(job, "COMPLETED")
        for group, most in ((single, 1), (eight, 1)):
            times = sorted(when(cluster, group))
            for i in range(len(times) - most):
                assert times[i][1] <= times[i + most][0], times


def shares():
    """the user who has used less goes first"""
    cluster = accounts()
    with Torid(cluster, "--priorities 1s") as torid:
        wall = torid.batch("wall", "-N16", seconds=1000)
        torid.reach(wall, "RUNNING")
        rich = torid.batch("rich", "-N16")
        poor = torid.batch("poor", "-N16", user="bin")
        # Slurm counts once a minute, and when it begins.
        time.sleep(1)
        cluster.restart()
        cluster.wait(lambda: int(cluster.run(
            "sshare", "-n", "-P", "-a", "-u", "daemon", "-o",
            "RawUsage").split()[-1]) > 0, "nothing counts")

        def rank(job):
            return next((one["priority"] for one in torid.list("&state=queued")
                         if one["alias"] == f"slurm:{job}"), 0)
        torid.until(lambda: rank(poor) > rank(rich) > 0,
                    f"{rank(poor)} is not above {rank(rich)}")
        torid.scancel(wall)
        for job in (rich, poor):
            torid.reach(job, "COMPLETED")
        (rich_start, _), (_, poor_end) = when(cluster, [rich, poor])
        assert poor_end <= rich_start


def recorded():
    """sacct tells of a job what it tells of one that Slurm places itself"""
    cluster = accounts()
    fields = ("State", "ExitCode", "NNodes", "AllocNodes", "Account", "User",
              "Partition", "QOS", "Comment")
    words = {"good": "true", "bad": "exit 3", "killed": "kill -9 $$"}

    def submit(comment, command):
        return cluster.run("sbatch", "--parsable", "-N3", "-t5", "-o",
                           "/dev/null", "--comment", comment, "--wrap",
                           command, user="daemon")

    def rows(jobs):
        """slurmdbd hears of ends before it hears of partitions."""
        def known():
            found = records(cluster, jobs, "State", "Partition")
            return len(found) == len(jobs) and all(
                part and state not in ("PENDING", "RUNNING")
                for state, part in found)
        cluster.wait(known, "sacct does not know")
        return records(cluster, jobs, *fields)
    with Torid(cluster) as torid:
        ours = [submit(*item) for item in words.items()]
        found = rows(ours)
        for job, row in zip(ours, records(cluster, ours, "NodeList")):
            equal({f"n{4 * int(x) + int(y)}" for x, y in (
                node.split(",") for node in torid.place_of(job))},
                set(spread(row[0])))
    conf = read(cluster.path("tori.conf"))
    cluster.write("tori.conf", conf.replace("=mesh", "="))
    theirs = [submit(*item) for item in words.items()]
    expected = rows(theirs)
    cluster.write("tori.conf", conf)
    equal(found, expected)
    equal([row[0] for row in found], ["COMPLETED", "FAILED", "FAILED"])


# ---- preemption ----

def preempted(mode):
    with site(more={"PreemptType": "preempt/partition_prio",
                    "PreemptMode": mode},
              partitions=("mesh Nodes=ALL Default=YES PriorityTier=1",
                          "urgent Nodes=ALL PriorityTier=9")) as cluster:
        with Torid(cluster) as torid:
            low = torid.batch("low", "-N12", "--requeue", seconds=4)
            torid.reach(low, "RUNNING")
            high = torid.batch("high", "-N10", "-p", "urgent", seconds=2)
            torid.reach(high, "RUNNING", "COMPLETED")
            waiting = torid.batch("next", "-N8")
            torid.reach(high, "COMPLETED")
            torid.reach(low, "COMPLETED" if mode == "REQUEUE"
                             else "PREEMPTED")
            torid.reach(waiting, "COMPLETED")
            torid.wait_all(2)
            equal(sorted(torid.all()), ["low", "next"])
            if mode == "REQUEUE":
                equal(len(spread(cluster.field(low, "NodeList"))), 12)
                assert cluster.field(low, "Restarts") == "1"


def requeued():
    """a job of another partition preempts one, which runs again later"""
    preempted("REQUEUE")


def cancelled():
    """... or ends"""
    preempted("CANCEL")


# ---- power ----

def powered():
    """nodes that Slurm has powered down are powered up for a job"""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("SuspendProgram", "ResumeProgram"):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\necho "$1" >> {path}.nodes\n')
            os.chmod(path, 0o755)

        def named(name):
            path = os.path.join(folder, f"{name}.nodes")
            return {node for line in (read(path).split() if os.path.exists(
                path) else []) for node in spread(line)}
        with site(more={
                "SuspendTime": 2, "SuspendTimeout": 1, "ResumeTimeout": 60,
                "SuspendRate": 0, "ResumeRate": 0, "SchedulerParameters":
                "batch_sched_delay=0,power_save_interval=1", **{
                    name: os.path.join(folder, name)
                    for name in ("SuspendProgram", "ResumeProgram")}}
                ) as cluster, Torid(cluster) as torid:
            torid.until(lambda: named("SuspendProgram") == set(cluster.names),
                        "they stay up")
            for node in cluster.names:
                cluster.kill(node)
            torid.until(lambda: cluster.states() <= {"idle~", "powered_down"},
                        "they are not down")
            torid.until(lambda: not torid.ask(
                "GET", "/v1/nodes?state=drained")[1]["nodes"],
                "torid does not use them")
            job = torid.batch("job", "-N6")
            torid.until(lambda: len(named("ResumeProgram")) == 6,
                        "they are not powered up")
            # A node that was booted in the second in which that was asked for
            # may count as booted before; -b: it was booted now.
            time.sleep(2)
            for node in named("ResumeProgram"):
                cluster.launch(node, ["slurmd", "-D", "-b", "-f",
                                      cluster.conf, "-N", node])
            torid.reach(job, "COMPLETED")
            equal(named("ResumeProgram"),
                  set(spread(cluster.field(job, "NodeList"))))


sys.exit(SITE.run([limits, shares, recorded, requeued, cancelled, powered]))
