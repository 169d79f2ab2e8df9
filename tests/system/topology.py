#!/usr/bin/env python3
"""Usage: topology.py BUILD-DIRECTORY [--only NAME...]

Files that 'tori slurm topology' writes, as others read them: topology.yaml by
PyYAML and by the rules that topology/torus3d of Slurm 26.05 checks, as far as
they concern a file (src/plugins/topology/torus3d/torus3d_record.c there); and
topology.conf as topology/tree reads it. In TAP.
"""
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    yaml = None

from service import BUILD, Skip, equal, run

AXES = "xyz"
FILES = tempfile.TemporaryDirectory(prefix="tori-topology-")


def path(name, text=None):
    found = os.path.join(FILES.name, name)
    if text is not None:
        with open(found, "w", encoding="utf-8") as file:
            file.write(text)
    return found


def tori(*words):
    done = subprocess.run(
        [os.path.join(BUILD, "tori"), "slurm", "topology", *words],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


def spread(pattern):
    """The names of a pattern with at most one pair of brackets each."""
    found = []
    for item in re.findall(r"(?:[^,\[]|\[[^]]*\])+", pattern):
        front, _, inside = item.rstrip("]").partition("[")
        for part in inside.split(",") if inside else []:
            first, _, last = part.partition("-")
            found += [f"{front}{i:0{len(first)}}" for i in
                      range(int(first), int(last or first) + 1)]
        found += [] if inside else [front]
    return found


# ---- the rules of torus3d ----

def triple(value, least, most):
    """An object of x, y and z, each an unsigned number of 16 bits."""
    assert set(value) <= set(AXES), value
    found = [value.get(axis, 0) for axis in AXES]
    assert all(isinstance(i, int) and least <= i < 65536 for i in found), value
    assert all(i <= j for i, j in zip(found, most)), (value, most)
    return found


def cell(dims, at):
    """torus3d_coord_to_index."""
    return at[0] + at[1] * dims[0] + at[2] * dims[0] * dims[1]


def read_region(region, dims, nodes):
    sides = triple(region["dims"], 1, dims)
    anchor = triple(region["anchor"], 0, dims)
    assert all(a + s <= d for a, s, d in zip(anchor, sides, dims)), region
    names = spread(region["nodes"])
    equal(len(names), sides[0] * sides[1] * sides[2])
    for index, name in enumerate(names):
        offset = (index % sides[0], index // sides[0] % sides[1],
                  index // (sides[0] * sides[1]))
        at = cell(dims, [a + o for a, o in zip(anchor, offset)])
        assert at not in nodes, f"regions overlap at {at}"
        nodes[at] = name


def read_torus(text):
    """The sides and the names by their places, if Slurm takes the file."""
    topologies = yaml.safe_load(text)
    equal([list(t)[0] for t in topologies], ["topology"])
    equal(topologies[0]["cluster_default"], True)
    equal(set(topologies[0]), {"topology", "cluster_default", "torus3d"})
    torus, = topologies[0]["torus3d"]["toruses"]
    assert set(torus) <= {"name", "dims", "nodes", "regions", "placements"}
    assert isinstance(torus["name"], str) and torus["name"]
    dims = triple(torus["dims"], 1, [65535] * 3)
    nodes = {}
    assert ("nodes" in torus) != ("regions" in torus), torus
    if "nodes" in torus:
        nodes = dict(enumerate(spread(torus["nodes"])))
        equal(len(nodes), dims[0] * dims[1] * dims[2])
    for region in torus.get("regions", []):
        read_region(region, dims, nodes)
    for placement in torus.get("placements", []):
        triple(placement["dims"], 1, dims)
        triple(placement.get("anchor_spacing", {}), 0, dims)
        triple(placement.get("anchor_seed", {}), 0, [d - 1 for d in dims])
    return dims, nodes


def random_torus(chance):
    """Sides, and names by coordinates: some of them in order, some not, and
    at times with holes."""
    dims = [chance.choice((1, 2, 3, 4, 5, 7)) for _ in range(3)]
    places = list(itertools.product(*map(range, dims)))
    names = [f"{chance.choice('ab')}{i:02}" for i in range(len(places))]
    if chance.random() < 0.5:
        chance.shuffle(names)
    if chance.random() < 0.5:
        names = [name if chance.random() < 0.8 else "-" for name in names]
        names[chance.randrange(len(names))] = "c"
    return dims, dict(zip(places, names))


def as_map(names):
    return "".join(f"{name} {','.join(map(str, at))}\n"
                   for at, name in names.items())


def same_nodes():
    """Slurm finds every node of a file where it is, with x fastest"""
    if yaml is None:
        raise Skip("python3-yaml is missing")
    chance = random.Random(1)
    for _ in range(60):
        dims, names = random_torus(chance)
        text = tori("--machine", "torus:" + "x".join(map(str, dims)), "--map",
                    path("map", as_map(names)), "--placement", "1x1x1",
                    "--name", "no")
        found, nodes = read_torus(text)
        equal(found, dims)
        equal(nodes, {cell(dims, at): name for at, name in names.items()
                      if name != "-"})
        again = path("topology.yaml", text)
        equal(tori("--topology", again), text)
        equal(tori("--topology", again, "--format", "map"), as_map(names))


def where(topology):
    """Names and coordinates, as tori reads them."""
    lines = tori("--topology", topology, "--format", "map").splitlines()
    equal(len(lines), 32)
    return [(name, map(int, at.split(","))) for name, at in
            map(str.split, lines)]


def of_slurm():
    """the examples of Slurm's own manual are read as it says"""
    flat = path("flat.yaml", """
- topology: topo1
  cluster_default: true
  tree:
    switches:
      - switch: sw_root
        children: s[1-2]
- topology: topo5
  cluster_default: false
  torus3d:
    toruses:
      - name: pod1
        dims:
          x: 4
          y: 4
          z: 2
        nodes: node[01-32]
        placements:
          - dims:
              x: 2
              y: 2
              z: 1
""")
    for name, (x, y, z) in where(flat):
        equal(name, f"node{1 + x + 4 * y + 16 * z:02}")
    parts = path("parts.yaml", """
- topology: topo-torus
  cluster_default: true
  torus3d:
    toruses:
      - name: pod1
        dims:
          x: 4
          y: 4
          z: 2
        regions:
          - anchor: {x: 0, y: 0, z: 0}
            dims: {x: 4, y: 2, z: 2}
            nodes: rack1-node[01-16]
          - anchor: {x: 0, y: 2, z: 0}
            dims: {x: 4, y: 2, z: 2}
            nodes: rack2-node[01-16]
        placements:
          - dims: {x: 2, y: 2, z: 2}
          - dims: {x: 4, y: 2, z: 1}
            anchor_spacing: {x: 2, y: 2, z: 1}
          - dims: {x: 4, y: 2, z: 1}
            anchor_seed: {x: 1, y: 0, z: 0}
""")
    for name, (x, y, z) in where(parts):
        equal(name, f"rack{1 + y // 2}-node{1 + x + 4 * (y % 2) + 8 * z:02}")
    if yaml:
        written = yaml.safe_load(tori("--topology", parts))
        with open(parts, encoding="utf-8") as file:
            equal(written, yaml.safe_load(file))


# ---- trees ----

def leaves(text):
    """The nodes below every switch, as topology/tree finds them; each switch
    but the first is below one other, and no node is named twice."""
    switches = {}
    for line in text.splitlines():
        words = dict(word.split("=", 1) for word in
                     line.partition("#")[0].split())
        assert ("Nodes" in words) != ("Switches" in words), line
        assert words["SwitchName"] not in switches, line
        switches[words["SwitchName"]] = words
    below = [name for words in switches.values()
             for name in spread(words.get("Switches", ""))]
    equal(sorted(below), sorted(list(switches)[1:]))
    return [spread(words["Nodes"]) for words in switches.values()
            if "Nodes" in words]


def boxes():
    """the leaves of a tree are boxes without a side above 3, and all nodes"""
    chance = random.Random(2)
    for _ in range(40):
        dims = [chance.choice((1, 2, 3, 4, 5, 6, 9)) for _ in
                range(chance.randrange(1, 4))]
        at = dict(enumerate(itertools.product(*map(range, dims))))
        machine = chance.choice(("mesh:", "torus:")) + "x".join(map(str, dims))
        nodes = f"n[0-{len(at) - 1}]" if len(at) > 1 else "n0"
        text = tori("--machine", machine, "--nodes", nodes, "--format", "conf")
        found = leaves(text)
        equal(sorted(sum(found, [])), sorted(f"n{i}" for i in at))
        for leaf in found:
            sides = [{at[int(name[1:])][d] for name in leaf}
                     for d in range(len(dims))]
            volume = 1
            for side in sides:
                equal(max(side) - min(side) + 1, len(side))
                assert len(side) <= 3, leaf
                volume *= len(side)
            equal(volume, len(leaf))
        conf = path("topology.conf", text)
        equal(tori("--machine", machine, "--topology", conf, "--format",
                   "map"), as_map({at[i]: f"n{i}" for i in at}))


sys.exit(run([same_nodes, of_slurm, boxes]))
