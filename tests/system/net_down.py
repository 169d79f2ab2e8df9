#!/usr/bin/env python3
"""Usage: net_down.py BUILD

`tori net` with nodes and links that are down: a run is refused exactly if a
message could meet one of them. The messages are those of a run in which all is
up; the routes of each are found here by distances alone. Reported in TAP.

Exactly half way round a ring the direction is fixed, so rings are odd here.
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
CASES = max(36, int(120 * float(os.environ.get("TORI_CASES", "1"))))
PATTERNS = ("all-to-all", "ring", "nbody", "fft", "transpose", "complement",
            "neighbour")
MACHINES = ("mesh:4x5", "mesh:7", "torus:5x5", "torus:7", "mesh:3x2x4",
            "torus:3x3x3", "torus:5x4m")


class Net:
    """A machine as the neighbours of its nodes, and all distances."""

    def __init__(self, text):
        kind, sizes = text.split(":")
        sides = sizes.split("x")
        wraps = [kind == "torus" and side[-1] != "m" for side in sides]
        self.size = [int(side.rstrip("m")) for side in sides]
        self.nodes = list(itertools.product(*map(range, self.size)))
        self.next = {node: self._neighbours(node, wraps)
                     for node in self.nodes}
        self.far = {node: self._distances(node) for node in self.nodes}

    def _neighbours(self, node, wraps):
        found = set()
        for d, side in enumerate(self.size):
            for step in (-1, 1):
                at = node[d] + step
                if wraps[d]:
                    at %= side
                if 0 <= at < side and at != node[d]:
                    found.add(node[:d] + (at,) + node[d + 1:])
        return found

    def _distances(self, source):
        far, front = {source: 0}, [source]
        while front:
            front = [there for here in front for there in self.next[here]
                     if there not in far
                     and far.setdefault(there, far[here] + 1)]
        return far

    def any_route(self, src, dst):
        """The nodes and links of all shortest routes."""
        total = self.far[src][dst]
        nodes = {node for node in self.nodes
                 if self.far[src][node] + self.far[node][dst] == total}
        return nodes, {
            frozenset((a, b)) for a in nodes for b in self.next[a]
            if self.far[src][a] + 1 + self.far[b][dst] == total}

    def one_route(self, src, dst):
        """Those of the route in dimension order."""
        at, nodes, links = src, {src}, set()
        while at != dst:
            d = [a == b for a, b in zip(at, dst)].index(False)
            there = next(n for n in self.next[at]
                         if n[:d] == at[:d] and n[d + 1:] == at[d + 1:]
                         and self.far[n][dst] < self.far[at][dst])
            links.add(frozenset((at, there)))
            nodes.add(there)
            at = there
        return nodes, links


def text(node):
    return ",".join(map(str, node))


def tori(*words):
    return subprocess.run([f"{BUILD}/tori", "net", *words, "--flits", "1"],
                          capture_output=True, text=True, check=False)


def messages(words):
    """The pairs that a run without failures sends."""
    done = tori(*words, "--log", "-")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {(tuple(line["src"]), tuple(line["dst"])) for line in lines}


def case(rng, nets, room):
    """A run; whether it was refused, and whether it had to be."""
    machine = rng.choice(MACHINES)
    net = nets[machine]
    low = [rng.randrange(side) for side in net.size]
    box = [1 + rng.randrange(side - at) for at, side in zip(low, net.size)]
    words = ["--machine", machine, "--pattern", rng.choice(PATTERNS),
             "--box", f"{text(low)}/" + "x".join(map(str, box))]
    adaptive = rng.random() < 0.7
    nodes = rng.sample(net.nodes, rng.randrange(2))
    links = {frozenset((node, rng.choice(sorted(net.next[node]))))
             for node in rng.sample(net.nodes, rng.randrange(3))}
    for name, lines in (("down", map(text, nodes)),
                        ("down-links", ("-".join(map(text, sorted(link)))
                                        for link in links))):
        path = os.path.join(room, name)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
    meets = False
    for src, dst in messages(words):
        passed = net.any_route if adaptive else net.one_route
        on, over = passed(src, dst)
        meets |= bool(on & set(nodes) or over & links)
    done = tori(*words, "--down", f"{room}/down", "--down-links",
                f"{room}/down-links",
                *(("--routing", "adaptive", "--vcs", "3") if adaptive else ()))
    assert done.returncode in (0, 3), (words, done.stderr)
    assert (done.returncode == 3) == meets, (words, adaptive, nodes, links,
                                             done.stderr)
    assert not meets or (" could " if adaptive else " would ") in done.stderr
    return adaptive, meets


def main():
    rng = random.Random(1)
    nets = {machine: Net(machine) for machine in MACHINES}
    seen = set()
    print("1..1")
    with tempfile.TemporaryDirectory() as room:
        try:
            for _ in range(CASES):
                seen.add(case(rng, nets, room))
            assert len(seen) == 4, seen
            print("ok 1 - refused exactly if a message could meet a failure")
        except AssertionError as why:
            print(f"# {why}\nnot ok 1 - refused exactly if a message could "
                  "meet a failure")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
