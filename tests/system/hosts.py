"""Several hosts on one machine: network namespaces that a bridge joins, each
with a host name and a monotonic clock of its own.

A launcher takes the place of ssh: it starts a command on the host that its first
argument names. Needs root and iproute2; `missing()` says what is not there.
"""
import os
import shutil
import subprocess
import tempfile
import unittest.mock

# With two kinds of MPI, that of MPICH has this name.
MPIRUN = shutil.which("mpirun.mpich") or "mpirun"

LAUNCHER = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
number=${1##*.}; shift
. %(files)s/host$number
exec nsenter --net=/run/netns/%(name)s-$number \\
    unshare --uts --mount --time --fork --monotonic "$AHEAD" \\
    sh -c "hostname h$number; $OWN_SYS; $ENV $*"
"""

# /sys/class/net shows the devices of the mounter; control groups are below it.
OWN_SYS = ("mount --rbind /sys/fs/cgroup {0} && mount -t sysfs tori /sys && "
           "mount --rbind {0} /sys/fs/cgroup")


def call(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)


def missing():
    """Why there can be no hosts here; None if there can."""
    if os.geteuid() != 0:
        return "only root can make hosts"
    for program in ("ip", "nsenter", "unshare"):
        if not shutil.which(program):
            return f"no {program} here"
    name = f"tori-try-{os.getpid()}"
    try:
        call("ip", "netns", "add", name)
        with tempfile.TemporaryDirectory() as aside:
            call("nsenter", f"--net=/run/netns/{name}", "unshare", "--uts",
                 "--mount", "--time", "--fork", "--monotonic", "1", "sh", "-c",
                 OWN_SYS.format(aside))
    except subprocess.CalledProcessError as error:
        return error.stderr.decode().strip() or "no namespaces here"
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False,
                       stderr=subprocess.DEVNULL)
    return None


class Hosts:
    """`ahead` has by how many seconds the clock of each host is ahead."""

    def __init__(self, ahead, environment=None):
        self.ahead = ahead
        self.n = len(ahead)
        self.environment = environment or {}
        self.name = f"tori-{os.getpid()}"
        self.bridge = f"tb{os.getpid()}"
        self.subnet = f"10.231.{os.getpid() % 250}"
        self.files = tempfile.TemporaryDirectory(prefix="tori-hosts-")
        # UCX, below MPICH, sees one kernel and would use shared memory.
        self.over_tcp = unittest.mock.patch.dict(
            os.environ, UCX_TLS="tcp,self", UCX_NET_DEVICES="e0")

    def __enter__(self):
        self.over_tcp.start()
        try:
            self.make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def make(self):
        os.mkdir(self.path("aside"))
        call("ip", "link", "add", self.bridge, "type", "bridge")
        call("ip", "link", "set", self.bridge, "up")
        call("ip", "addr", "add", f"{self.subnet}.254/24", "dev", self.bridge)
        for i in range(1, self.n + 1):
            space = f"{self.name}-{i}"
            call("ip", "netns", "add", space)
            call("ip", "link", "add", self.wire(i), "type", "veth", "peer",
                 "name", "e0", "netns", space)
            call("ip", "link", "set", self.wire(i), "master", self.bridge,
                 "up")
            call("ip", "-n", space, "addr", "add", f"{self.subnet}.{i}/24",
                 "dev", "e0")
            call("ip", "-n", space, "link", "set", "e0", "up")
            call("ip", "-n", space, "link", "set", "lo", "up")
            self.describe(i)
        launcher = self.path("launcher")
        with open(launcher, "w", encoding="utf-8") as file:
            file.write(LAUNCHER % {"files": self.files.name,
                                   "name": self.name})
        os.chmod(launcher, 0o755)

    def describe(self, i):
        words = " ".join(f"{name}={value}" for name, value
                         in self.environment.get(i, {}).items())
        with open(self.path(f"host{i}"), "w", encoding="utf-8") as file:
            file.write(f"AHEAD={self.ahead[i - 1]}\nENV='{words}'\n"
                       f"OWN_SYS='{OWN_SYS.format(self.path('aside'))}'\n")

    def __exit__(self, *_):
        for i in range(1, self.n + 1):
            self.kill(i)
            for words in (["link", "del", self.wire(i)],
                          ["netns", "del", f"{self.name}-{i}"]):
                subprocess.run(["ip", *words], check=False,
                               stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "del", self.bridge], check=False,
                       stderr=subprocess.DEVNULL)
        self.files.cleanup()
        self.over_tcp.stop()

    def path(self, name):
        return os.path.join(self.files.name, name)

    def wire(self, i):
        return f"tv{os.getpid()}-{i}"

    def address(self, i):
        return f"{self.subnet}.{i}"

    def mpirun(self, ranks):
        """The words that start a program on all hosts, in turn."""
        return [MPIRUN, "-localhost", self.address(254), "-launcher", "ssh",
                "-launcher-exec", self.path("launcher"), "-hosts",
                ",".join(self.address(i) for i in range(1, self.n + 1)),
                "-n", str(ranks)]

    def traffic(self):
        """Bytes that have gone to the hosts over their wires."""
        total = 0
        for i in range(1, self.n + 1):
            with open(f"/sys/class/net/{self.wire(i)}/statistics/tx_bytes",
                      encoding="ascii") as file:
                total += int(file.read())
        return total

    # ---- what happens to hosts ----

    def processes(self, i):
        done = subprocess.run(["ip", "netns", "pids", f"{self.name}-{i}"],
                              check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
        return [int(word) for word in done.stdout.split()]

    def kill(self, i):
        """All that runs there is gone at once."""
        for pid in self.processes(i):
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass

    def cut(self, i):
        """Its cable is pulled."""
        call("ip", "link", "set", self.wire(i), "down")

    def slow(self, i, *how):
        """Delay or loss, as tc's netem has them."""
        call("tc", "qdisc", "replace", "dev", self.wire(i), "root", "netem",
             *how)
