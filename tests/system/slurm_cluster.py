#!/usr/bin/env python3
"""Usage: slurm_cluster.py [--nodes N] [COMMAND [ARGUMENT...]]

A real Slurm cluster on this machine, without systemd: munged, slurmctld and
one slurmd for every node, in a directory of their own, on ports that are
kept for them. COMMAND, by default a shell, runs with SLURM_CONF set; then
everything is taken down. In a test:

    with Cluster(nodes=8, options={"JobSubmitPlugins": "tori"}) as cluster:
        cluster.run("sbatch", "--wrap", "true")

The daemons are children of a keeper, a process that adopts all that they
leave behind and that ends them when its standard input closes. That happens
also when the test is killed, so nothing is left running. A daemon that dies
of itself is noticed by whoever waits for anything.
"""
import glob
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import guard
from patience import PATIENCE, WATCHED, wait

PACKAGES = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd",
            "sbatch": "slurm-client", "scontrol": "slurm-client"}
GROUPS = "/sys/fs/cgroup"
# Users read what a cluster writes, whatever the umask of who runs the tests.
os.umask(0o022)
ENV = {**os.environ, "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"}


def missing(packages=None):
    """What a cluster needs and this machine lacks, as one line, or None."""
    lacks = sorted({package for program, package in (
        packages or PACKAGES).items()
        if not shutil.which(program, path=ENV["PATH"])})
    if lacks:
        return "not installed: " + ", ".join(lacks)
    if not os.path.isdir(GROUPS) or not os.listdir(GROUPS):
        return f"slurmd needs control groups, and {GROUPS} has none"
    return None


def version():
    """The version of Slurm, such as (22, 5)."""
    said = subprocess.run(["slurmctld", "-V"], text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    return tuple(int(part) for part in said.split()[1].split(".")[:2])


def can_be_apart():
    """Whether two slurmctld can run here: Cluster (backup=True)."""
    return subprocess.run(
        ["unshare", "--uts", "--mount", "sh", "-c",
         "hostname first && mount --bind /etc/hosts /etc/hosts"],
        check=False, stderr=subprocess.DEVNULL).returncode == 0


# ---- the keeper ----

def begin(words, log):
    """Starts a program, which dies with the keeper; its process id."""
    with open(log, "ab") as file:
        return subprocess.Popen(
            words, env=ENV, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
            start_new_session=True,
            cwd=os.path.dirname(log),  # where a core would go
            preexec_fn=guard.die_with_parent).pid


def keep(files):
    """Starts what each line of standard input says; in the end, ends all."""
    guard.adopt()
    try:
        for line in sys.stdin:
            print(begin(*json.loads(line)), flush=True)
    finally:
        guard.end_all()
        shutil.rmtree(files, ignore_errors=True)


# ---- the cluster ----

def own_plugins():
    """Where Slurm has its plugins."""
    found = [path for below in ("", "local/", "*/", "local/*/")
             for path in glob.glob(f"/usr/{below}lib*/slurm*/auth_munge.so")
             + glob.glob(f"/usr/{below}lib*/*/slurm*/auth_munge.so")]
    return os.path.dirname(found[0])


def span(first, count):
    """The names of so many nodes."""
    return f"n[{first}-{first + count - 1}]" if count > 1 else f"n{first}"


class Cluster:
    """Nodes n0 to n[N-1]. `partitions` and `lines` are lines of slurm.conf
    (of a partition, what follows its name's key), `options` more settings
    there, `node` more settings of the nodes, or a list of numbers of nodes,
    each with their settings, `beside` the texts of files beside it, by name,
    `plugins` a directory of further plugins, which are copied, as users may
    not be able to read it. With `backup`, a second slurmctld can be started,
    which takes over from the first (see apart). While it is there, SLURM_CONF
    names it."""

    def __init__(self, nodes=64, partitions=("mesh Nodes=ALL Default=YES",),
                 options=None, node="CPUs=1 RealMemory=1000", lines=(),
                 beside=None, plugins=None, backup=False):
        self.nodes, self.partitions, self.lines = nodes, partitions, lines
        self.options = dict(options or {})
        self.kinds = [(nodes, node)] if isinstance(node, str) else node
        self.beside = beside or {}
        self.backup = backup
        if backup:
            self.beside = {**self.beside, "hosts": "127.0.0.1 first localhost"
                           "\n127.0.0.2 second\n"}
            self.lines = (*lines, "SlurmctldHost=second(127.0.0.2)")
        self.plugins = glob.glob(f"{plugins}/*.so") if plugins else []
        self.names = [f"n{i}" for i in range(nodes)]
        self.pids = {}
        self.keeper = self.port = self.before = None

    def path(self, name):
        return os.path.join(self.files, name)

    @property
    def pattern(self):
        return span(0, self.nodes)

    @property
    def conf(self):
        return self.path("slurm.conf")

    @property
    def env(self):
        return {**ENV, "SLURM_CONF": self.conf}

    # -- its files --

    def settings(self, port):
        me = pwd.getpwuid(os.geteuid()).pw_name
        return {
            "ClusterName": "tori", "SlurmctldHost": "localhost",
            "SlurmUser": me, "SlurmdUser": me, "SlurmctldPort": port,
            "AuthType": "auth/munge",
            "AuthInfo": f"socket={self.path('munge.socket')}",
            "CryptoType": "crypto/munge",
            "StateSaveLocation": self.path("state"),
            "SlurmdSpoolDir": self.path("spool/%n"),
            "SlurmctldPidFile": self.path("slurmctld.pid"),
            "SlurmdPidFile": self.path("slurmd-%n.pid"),
            "SlurmctldLogFile": self.path("slurmctld.log"),
            "SlurmdLogFile": self.path("slurmd-%n.log"),
            "ProctrackType": "proctrack/linuxproc",
            "TaskPlugin": "task/none",
            "JobAcctGatherType": "jobacct_gather/none",
            "AccountingStorageType": "accounting_storage/none",
            "MpiDefault": "none", "SlurmdTimeout": 0, "ReturnToService": 2,
            "TreeWidth": 512, "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_Core",
            "SchedulerType": "sched/builtin",
            "SchedulerParameters": "batch_sched_delay=0,sched_interval=5",
            **({"PluginDir": f"{own_plugins()}:{self.path('plugins')}"}
               if self.plugins else {}),
            **(self.settings_apart() if self.backup else {}), **self.options}

    def settings_apart(self):
        """In Slurm 22.05, one that has taken over starts jobs by backfill
        alone."""
        return {"SchedulerType": "sched/backfill", "SchedulerParameters":
                "batch_sched_delay=0,sched_interval=5,bf_interval=1",
                "SlurmctldHost": "first(127.0.0.1)", "SlurmctldTimeout": 3,
                "CommunicationParameters": "NoCtldInAddrAny",
                "SlurmctldPidFile": self.path("own/slurmctld.pid")}

    def write_files(self):
        self.files = tempfile.mkdtemp(prefix="tori-slurm-")
        os.chmod(self.files, 0o755)
        for name in ("state", "spool", "own", "plugins", "programs"):
            os.mkdir(self.path(name))
        for plugin in self.plugins:
            self.lend(plugin, "plugins")
        key = os.open(self.path("munge.key"), os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(key, os.urandom(128))
        os.close(key)
        for name, text in self.beside.items():
            self.write(name, text)

    def lend(self, path, where="programs"):
        """A copy of a file that all users can read and run."""
        copy = shutil.copy(path, self.path(where))
        os.chmod(copy, 0o755)
        return copy

    def write(self, name, text):
        """A file beside slurm.conf."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def write_conf(self):
        self.port = guard.kept_port()
        kinds = [settings for count, settings in self.kinds
                 for _ in range(count)]
        self.write("slurm.conf", "\n".join([
            *(f"{key}={value}" for key, value
              in self.settings(self.port).items()), *self.lines,
            *(f"NodeName={name} NodeHostname=localhost "
              f"Port={guard.kept_port()} {settings}"
              for name, settings in zip(self.names, kinds)),
            *(f"PartitionName={line}" for line in self.partitions), ""]))

    # -- its daemons --

    def apart(self, host, words):
        """A slurmctld as on a host of this name. Both have the same port, so
        each has an address; it takes its name for who it is; and it would end
        the one that the file of its process id names."""
        return ["unshare", "--uts", "--mount", "sh", "-c",
                'hostname "$1" && mount --bind "$2" /etc/hosts && '
                'mount -t tmpfs none "$3" && shift 3 && exec "$@"', "sh",
                host, self.path("hosts"), self.path("own"), *words]

    def begin(self, name, fresh=False):
        """Starts munged, slurmctld, its backup, or the slurmd of a node. A
        fresh slurmctld knows of nothing that was before."""
        control = ["slurmctld", "-D", "-f", self.conf] + ["-c"] * fresh
        if self.backup:
            control = self.apart("second" if name == "backup" else "first",
                                 control)
        words = {
            "munged": ["munged", "--foreground", "--force",
                       f"--key-file={self.path('munge.key')}",
                       f"--socket={self.path('munge.socket')}",
                       f"--pid-file={self.path('munge.pid')}",
                       f"--seed-file={self.path('munge.seed')}"],
            "slurmctld": control, "backup": control}.get(
                name, ["slurmd", "-D", "-f", self.conf, "-N", name])
        self.launch(name, words)

    def launch(self, name, words):
        """Starts another program, which ends with the cluster."""
        self.keeper.stdin.write(
            json.dumps([words, self.path(f"{name}.out")]) + "\n")
        self.keeper.stdin.flush()
        self.pids[name] = int(self.keeper.stdout.readline())

    def prepare(self):
        """Starts what slurmctld needs, after munged."""

    def look(self):
        """Raises if a daemon has died of itself."""
        for name, pid in self.pids.items():
            if not alive(pid):
                raise RuntimeError(f"{name} has died\n{self.logs(name)}")

    def kill(self, name, number=signal.SIGKILL):
        """Ends a daemon, and waits until it is gone. A slurmctld that is
        killed forgets what it was told in the last seconds; SIGTERM lets it
        save that."""
        pid = self.pids.pop(name)
        os.kill(pid, number)
        self.wait(lambda: not alive(pid), f"{name} does not end")

    def restart(self):
        """Another slurmctld, which knows all that the first one knew."""
        self.kill("slurmctld", signal.SIGTERM)
        self.begin("slurmctld")
        self.wait(lambda: self.call("sinfo").returncode == 0, "no slurmctld")

    def start(self):
        self.write_files()
        self.keeper = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--keep", self.files],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            start_new_session=True)
        WATCHED.append(self.look)
        self.begin("munged")
        self.wait(lambda: os.path.exists(self.path("munge.socket")),
                  "munged does not start")
        self.write_conf()
        self.prepare()
        self.begin("slurmctld", fresh=True)
        for name in self.names:
            self.begin(name)
        self.wait(lambda: self.answers() and self.states() == {"idle"},
                  "not all nodes are idle")
        self.before = os.environ.get("SLURM_CONF", "")
        os.environ["SLURM_CONF"] = self.conf

    def stop(self):
        if not self.keeper:
            return
        if self.before is not None:
            os.environ["SLURM_CONF"] = self.before
        WATCHED.remove(self.look)
        self.keeper.stdin.close()
        self.keeper.wait()
        self.keeper.stdout.close()
        self.keeper = None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    # -- its users --

    def call(self, *words, user=None, **more):
        """Runs a command; how it ended, with its output as text."""
        who = {"user": user, "group": pwd.getpwnam(user).pw_gid,
               "extra_groups": []} if user else {}
        while True:
            done = subprocess.run(
                words, env=self.env, cwd="/", text=True, check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, timeout=PATIENCE, **who, **more)
            # Slurm 26.05 says that now and then, also without tori.
            if "Resource temporarily unavailable" not in done.stderr:
                return done
            time.sleep(0.1)

    def run(self, *words, **more):
        """What a command that must not fail prints."""
        done = self.call(*words, **more)
        assert done.returncode == 0, \
            f"{' '.join(words)}: {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def wait(self, true, what):
        return wait(true, lambda: f"{what}\n{self.logs()}")

    def reach(self, job, *states):
        """Waits until a job is in one of these states."""
        self.wait(lambda: self.field(job, "JobState") in states,
                  f"{job} is not {states}")

    def empty(self):
        """Cancels all jobs, and waits until they are gone."""
        jobs = set(self.call("squeue", "-h", "-o", "%A").stdout.split())
        if jobs:
            self.call("scancel", *jobs)
        self.wait(lambda: not self.call("squeue", "-h").stdout,
                  "jobs stay in Slurm")

    def answers(self):
        """Whether slurmctld does. Commands would try again for long."""
        with socket.socket() as probe:
            return probe.connect_ex(("localhost", self.port)) == 0

    def states(self):
        """The states in which nodes are, each once."""
        return set(self.call("sinfo", "-h", "-o", "%T").stdout.split())

    def field(self, job, name):
        """A field of a job, as `scontrol show job` prints it, or None."""
        shown = self.call("scontrol", "-o", "show", "job", str(job)).stdout
        found = dict(word.split("=", 1) for word in shown.split()
                     if "=" in word)
        return found.get(name)

    def logs(self, *names):
        """The last lines of what daemons wrote."""
        text = ""
        for name in names or ("munged", "slurmctld", "n0"):
            for file in (f"{name}.out", f"{name}.log", f"slurmd-{name}.log"):
                try:
                    with open(self.path(file), encoding="utf-8") as log:
                        text += f"{file}:\n" + "".join(log.readlines()[-20:])
                except OSError:
                    pass
        return text


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def main():
    words = sys.argv[1:]
    if words[:1] == ["--keep"]:
        return keep(words[1])
    if words[:1] in (["--help"], ["-h"]):
        return print(__doc__.strip())
    nodes = 64
    if words[:1] == ["--nodes"] and words[1:] and words[1].isdigit():
        nodes, command = int(words[1]), words[2:]
    elif words and words[0].startswith("-"):
        sys.exit(__doc__.splitlines()[0])
    else:
        command = words
    if missing():
        sys.exit(f"slurm_cluster.py: {missing()}")
    with Cluster(nodes) as cluster:
        return subprocess.run(command or [ENV.get("SHELL", "/bin/sh")],
                              env=cluster.env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
