#!/usr/bin/env python3
"""Usage: sites.py BUILD-DIRECTORY [--only NAME...]

What 'tori place' writes for sites, as others read it: a Slice of Google
Kubernetes Engine and rank bindings of Tenstorrent by PyYAML, checked by the
rules of those who take them; mesh graph descriptors in and out; and the order of
ranks in a slice, against its pieces; and the segments of a job on a pod, node by
node. In TAP.
"""
import itertools
import json
import math
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

from service import BUILD, Skip, run
from service import equal as same

FILES = tempfile.TemporaryDirectory(prefix="tori-sites-")


def equal(found, expected, what):
    try:
        same(found, expected)
    except AssertionError as error:
        raise AssertionError(f"{what}: {error}") from error


def path(name, text=None):
    found = os.path.join(FILES.name, name)
    if text is not None:
        with open(found, "w", encoding="utf-8") as file:
            file.write(text)
    return found


def read(name):
    with open(path(name), encoding="utf-8") as file:
        return file.read()


def place(*words, status=0):
    """The JSON of an answer, or what is said of a refusal."""
    done = subprocess.run([os.path.join(BUILD, "tori"), "place", *words,
                           "--json"],
                          capture_output=True, text=True, check=False)
    equal(done.returncode, status, f"{words}: {done.stderr}")
    return json.loads(done.stdout) if status == 0 else done.stderr


# ---- Google Kubernetes Engine ----

SMALL = [[2, 2, 1], [2, 2, 2], [2, 2, 4], [2, 4, 4]]


def check_slice(found):
    """What the webhook of GKE demands."""
    equal(sorted(found), ["apiVersion", "kind", "metadata", "spec"], "keys")
    equal((found["apiVersion"], found["kind"]),
          ("accelerator.gke.io/v1beta1", "Slice"), "kind")
    assert re.fullmatch("[a-z]([-a-z0-9]*[a-z0-9])?", found["metadata"]["name"])
    spec = found["spec"]
    equal(sorted(spec), ["partitionIds", "topology", "type"], "spec")
    equal(spec["type"], "tpu7x", "type")
    sides = [int(side) for side in spec["topology"].split("x")]
    ids = spec["partitionIds"]
    assert all(isinstance(name, str) for name in ids), ids
    if sides in SMALL:
        equal(len(ids), 1, "partitions")
        return sides, ids
    assert len(sides) == 3 and sides == sorted(sides), sides
    assert all(side % 4 == 0 for side in sides) and math.prod(sides) <= 9216
    equal(len(set(ids)), math.prod(sides) // 64, "partitions")
    return sides, ids


def slices():
    """a slice is what GKE takes, and its cubes are those of the answer"""
    if not yaml:
        raise Skip("PyYAML is not installed")
    cases = [("pod:64/4x4x4", "8x4x4", ()), ("pod:64/4x4x4", "8x4x12", ()),
             ("pod:64/4x4x4", "16x8x4", ("--no-rotate",)),
             ("pod:4x4x4/4x4x4", "4x12x8", ("--no-rotate",)),
             ("2*pod:12/4x4x4", "4x4x4", ()), ("pod:2/4x4x4", "4x4x4", ())]
    random.seed(1)
    for machine, shape, more in cases:
        counts = [int(n) for n in
                  re.findall(r"\d+", machine.split("/", maxsplit=1)[0])]
        cubes = list(itertools.product(*map(range, counts)))
        # Names that YAML would take for numbers and truths, unless in quotes.
        names = {cube: name for cube, name in zip(cubes, random.sample(
            ["1e3", "no", "0x10", "~", 'a"b'] + [f"{i:032x}" for i in range(200)],
            len(cubes)))}
        path("names", "".join(f"{name} {','.join(map(str, cube))}\n"
                              for cube, name in names.items()))
        answer = place("--machine", machine, "--shape", shape, "--wiring",
                       "torus", *more, "--names", path("names"),
                       "--slice-file", path("slice.yaml"), "--slice-name",
                       "train-1")
        found = yaml.safe_load(read("slice.yaml"))
        sides, ids = check_slice(found)
        # The place of each cube in the box of the job, dimensions sorted by sides.
        order = sorted(range(3), key=lambda d: answer["shape"][d])
        at = {tuple(piece["at"][d] for d in order):
              names[tuple(piece["origin"][:len(counts)])]
              for piece in answer["pieces"]}
        equal(ids, [at[corner] for corner in
                    itertools.product(*(range(0, n, 4) for n in sides))],
              f"partitions of {shape} on {machine}")
        equal(answer["slice"], {
            "name": "train-1", "type": "tpu7x", "partitions": ids,
            "topology": found["spec"]["topology"], "labels": {
                "cloud.google.com/gke-tpu-accelerator": "tpu7x",
                "cloud.google.com/gke-tpu-topology": found["spec"]["topology"],
                "cloud.google.com/gke-tpu-slice": "train-1"}}, "the answer")


def small_slices():
    """a small slice is the partition of its chips, or none; one of a list always is"""
    if not yaml:
        raise Skip("PyYAML is not installed")
    random.seed(2)
    written = 0
    for i in range(24):
        sides = random.choice(SMALL)
        listed = ["--slices", ",".join("x".join(map(str, all_)) for all_ in SMALL)]
        # By the chips that are in it, as the labels of their nodes tell.
        parts = {}
        for chip in itertools.product(range(3), *[range(4)] * 3):
            part = (chip[0], *(c // n for c, n in zip(chip[1:], sides)))
            parts.setdefault(part, set()).add(chip)
        path("names", "".join(f"p{'-'.join(map(str, part))} "
                              f"{','.join(map(str, part))}\n" for part in parts))
        busy = [(cube, *(random.randrange(2) * 2 for _ in range(3)))
                for cube in range(3) for _ in range(random.randrange(4))]
        path("busy", "".join(f"{','.join(map(str, at))}/1x2x2x{random.choice((1, 2))}\n"
                             for at in sorted(set(busy))))
        words = ["--machine", "pod:3/4x4x4", "--shape", "x".join(map(str, sides)),
                 "--no-rotate", "--wiring", "mesh", "--busy", path("busy"), *listed[:i % 2 * 2]]
        done = subprocess.run([os.path.join(BUILD, "tori"), "place", *words, "--json"],
                              capture_output=True, text=True, check=False)
        if done.returncode == 3:
            continue
        chips = {tuple(node) for node in json.loads(done.stdout)["nodes"]}
        name = next((f"p{'-'.join(map(str, part))}" for part, has in parts.items()
                     if has == chips), None)
        words += ["--names", path("names"), "--slice-file", path("slice.yaml")]
        if not name:
            assert i % 2 == 0
            assert "no partition there" in place(*words, status=2) \
                or len({chip[0] for chip in chips}) > 1
            continue
        answer = place(*words)
        found = yaml.safe_load(read("slice.yaml"))
        equal(check_slice(found), (sides, [name]), f"the partition of {sides}")
        equal(answer["slice"]["partitions"], [name], "the answer")
        written += 1
    assert written > 8, written


# ---- Tenstorrent ----

GALAXY = """# a galaxy
mesh_descriptors: {{
  name: "M0"  arch: WORMHOLE_B0
  device_topology {{ dims: [ {dims} ] {types} }}
  host_topology: {{ dims: [ {hosts} ] }}
  channels <count: 4, policy: RELAXED>
  express_connections {{ src: 0 dst: 4 }}
}}
mesh_descriptors {{ name: 'M1' device_topology {{ dims: 2 dims: 2 }} }}
top_level_instance {{ mesh {{ mesh_descriptor: "M0" mesh_id: 0 }} }}
"""


def write_galaxy(dims, rings, hosts, types="dim_types"):
    words = ", ".join("RING" if ring else "LINE" for ring in rings)
    return path("mgd.textproto", GALAXY.format(
        dims=", ".join(map(str, dims)), hosts=", ".join(map(str, hosts)),
        types=f"{types}: [ {words} ]" if types else ""))


def machines():
    """a descriptor is a machine, dimension by dimension a mesh or a torus"""
    for dims, rings, types, text in [
            ((8, 4), (0, 1), "dim_types", "mesh:8x4t"),
            ((8, 4), (1, 0), "types", "torus:8x4m"),
            ((1, 32), (0, 0), "", "mesh:1x32"),
            ((4, 4, 2), (1, 1, 1), "dim_types", "torus:4x4x2")]:
        galaxy = write_galaxy(dims, rings, [1] * len(dims), types)
        found = place("--mesh-graph", galaxy, "--count", "1")
        equal(found["config"]["machine"], text, "machine")
    for text, why in [
            ("top_level_instance { graph { graph_descriptor: 'G' } }\n"
             "mesh_descriptors { }", "a graph of meshes is no machine"),
            ("mesh_descriptors { name: 'M'", ":1: what begins here has no '}'"),
            ("\nmesh_descriptors { device_topology { dims: 0 } }",
             ":2: '0' is not the length of a side"),
            ("mesh_descriptors { device_topology { dims: 4 dim_types: 1 } }",
             "neither LINE nor RING"),
            ("mesh_descriptors { device_topology { dims: 4 }\n"
             "host_topology { dims: 3 } }", "cannot be shared by 3 hosts"),
            ("", "there are no mesh_descriptors"),
            ("mesh_descriptors { name: 'a } ", "a text has no end")]:
        said = place("--mesh-graph", path("bad", text), "--count", "1",
                     status=2)
        assert why in said, f"{text}: {said}"


def bindings():
    """every device of the job is bound once, at the host that has it"""
    if not yaml:
        raise Skip("PyYAML is not installed")
    random.seed(2)
    met = set()
    for _ in range(40):
        dims = [random.choice((2, 4, 8)) for _ in range(random.choice((1, 2, 3)))]
        hosts = [random.choice([h for h in (1, 2, 4) if n % h == 0])
                 for n in dims]
        rings = [random.random() < 0.5 for _ in dims]
        galaxy = write_galaxy(dims, rings, hosts)
        shape = "x".join(str(random.choice([s for s in (1, 2, 4, 8) if s <= n]))
                         for n in dims)
        busy = path("busy", "" if random.random() < 0.5 else
                    ",".join("0" for _ in dims) + "\n")
        words = ("--mesh-graph", galaxy, "--shape", shape, "--busy", busy)
        job = subprocess.run([os.path.join(BUILD, "tori"), "place", *words,
                              "--json"], capture_output=True, text=True,
                             check=False)
        if job.returncode:
            continue
        job = json.loads(job.stdout)
        block = [n // h for n, h in zip(dims, hosts)]
        owners = [tuple(c // b for c, b in zip(node, block))
                  for node in job["nodes"]]
        fits = all(o // b == (o + s - 1) // b or (o % b == 0 and s % b == 0)
                   for o, s, b in zip(job["origin"], job["shape"], block))
        met.add(fits)
        if not fits:
            said = place(*words, "--rank-file", path("job.yaml"),
                         "--rank-format", "tenstorrent", status=2)
            assert "cuts a host" in said, said
            continue
        place(*words, "--rank-file", path("job.yaml"), "--rank-format",
              "tenstorrent")
        found = yaml.safe_load(read("job.yaml"))
        whole = job["shape"] == dims
        equal(found["mesh_graph_desc_path"],
              galaxy if whole else path("job.textproto"), "descriptor")
        equal([r["rank"] for r in found["rank_bindings"]],
              list(range(len(set(owners)))), "ranks")
        for host, rank in zip(sorted(set(owners)), found["rank_bindings"]):
            equal((rank["mesh_id"], rank["mesh_host_rank"]), (0, rank["rank"]),
                  "mesh")
            local = [[c - h * b for c, h, b in zip(node, host, block)]
                     for node, owner in zip(job["nodes"], owners)
                     if owner == host]
            numbers = []
            for at in local:
                number = 0
                for c, b in zip(at, block):
                    number = number * b + c
                numbers.append(number)
            equal(rank["env_overrides"]["TT_VISIBLE_DEVICES"],
                  ",".join(map(str, sorted(numbers))), f"devices of {host}")
        place(*words, "--rank-file", path("own.textproto"), "--rank-format",
              "tenstorrent-mesh")
        own = place("--mesh-graph", path("own.textproto"), "--shape",
                    "x".join(map(str, job["shape"])), "--no-rotate")
        equal(own["shape"], job["shape"], "the job's own mesh")
        said = read("own.textproto")
        assert "arch: WORMHOLE_B0" in said and "count: 4" in said, said
        equal(math.prod(map(int, re.search(
            r"host_topology {\s*dims: \[(.*)\]", said)[1].split(","))),
            len(set(owners)), "its hosts")
    equal(met, {True, False}, "boxes that cut hosts, and others")


# ---- ranks ----

def ranks():
    """ranks of a slice go along the box of the job, whatever its cubes"""
    busy = path("cubes", "0,0,0,0\n3/4x4x4\n")
    for shape, wiring in [("8x4x4", "torus"), ("6x4x2", "mesh"),
                          ("8x8x4", "torus"), ("3x2x2", "none")]:
        words = ("--machine", "pod:8/4x4x4", "--shape", shape, "--wiring",
                 wiring, "--busy", busy)
        job = place(*words)
        where = {}
        for piece in job["pieces"]:
            for step in itertools.product(*map(range, piece["shape"])):
                node = [o + s for o, s in zip(piece["origin"], step)]
                where[tuple(a + s for a, s in zip(piece["at"], step[1:]))] = node
        box = list(itertools.product(*map(range, job["shape"])))
        bits = lambda at: [c >> b & 1 for b in range(8, -1, -1) for c in at]
        equal(place(*words, "--ranks", "row")["ranks"],
              [where[at] for at in box], f"rows of {shape}")
        equal(place(*words, "--ranks", "morton")["ranks"],
              [where[at] for at in sorted(box, key=bits)], f"Morton, {shape}")
        walk = place(*words, "--ranks", "hilbert")["ranks"]
        equal(sorted(walk), sorted(where.values()), f"Hilbert, {shape}")
        back = {tuple(node): at for at, node in where.items()}
        steps = [sum(abs(a - b) for a, b in zip(back[tuple(x)], back[tuple(y)]))
                 for x, y in zip(walk, walk[1:])]
        assert all(step == 1 for step in steps), f"{shape}: {steps}"


def weights():
    """weights of nodes go along the order that ranks of a whole machine have"""
    for machine, nodes in [("torus:4x4x2", 32), ("mesh:3x5", 15)]:
        for order in "row", "morton", "hilbert", "folded":
            text = subprocess.run(
                [os.path.join(BUILD, "tori"), "slurm", "topology", "--machine",
                 machine, "--nodes", f"n[0-{nodes - 1}]", "--format", "weights",
                 "--order", order], capture_output=True, text=True,
                check=True).stdout
            found = re.findall(r"^NodeName=n(\d+) Weight=(\d+)$", text, re.M)
            equal([int(weight) for _, weight in found],
                  list(range(1, nodes + 1)), "weights")
            sides = [int(n) for n in machine.split(":")[1].split("x")]
            job = place("--machine", machine, "--shape",
                        machine.split(":")[1], "--no-rotate", "--ranks", order)
            ids = []
            for node in job["ranks"]:
                ids.append(0)
                for c, n in zip(node, sides):
                    ids[-1] = ids[-1] * n + c
            equal([int(name) for name, _ in found], ids, f"{order}, {machine}")
    # A place without a node has no weight, and the others no gap.
    names = path("some", "a 0,0\n- 0,1\nb 1,0\nc 1,1\n")
    text = subprocess.run(
        [os.path.join(BUILD, "tori"), "slurm", "topology", "--machine",
         "mesh:2x2", "--map", names, "--format", "weights", "--order", "row"],
        capture_output=True, text=True, check=True).stdout
    equal(text, "NodeName=a Weight=1\nNodeName=b Weight=2\n"
          "NodeName=c Weight=3\n", "weights around an empty place")


# ---- segments ----

def spread(pieces):
    """Which node is where in the box of a job, and in which piece."""
    where = {}
    for i, piece in enumerate(pieces):
        apart = len(piece["origin"]) - len(piece["at"])
        for step in itertools.product(*map(range, piece["shape"])):
            at = tuple(a + s for a, s in zip(piece["at"], step[apart:]))
            assert at not in where, f"two nodes at {at}"
            where[at] = (tuple(o + s for o, s in zip(piece["origin"], step)), i)
    return where


def joins(where, sides, closed, apart):
    """Neighbours in the box of a job: those that a link joins, and the
    cross-connects, where a step leaves a piece or goes round."""
    near, crosses = set(), set()
    for at, (node, piece) in where.items():
        for d, n in enumerate(sides):
            if n == 1 or (at[d] + 1 == n and not closed[d]):
                continue
            to, other = where[at[:d] + ((at[d] + 1) % n,) + at[d + 1:]]
            if piece != other or at[d] + 1 == n:
                crosses.add((apart + d, node, to))
            else:
                near.add((node, to))
    return near, crosses


def check_rings(shape, nodes, steps):
    """Neighbours in the shape, which is a torus, are joined."""
    at = dict(zip(itertools.product(*map(range, shape)), nodes))
    for place_of, node in at.items():
        for d, n in enumerate(shape):
            to = at[place_of[:d] + ((place_of[d] + 1) % n,) + place_of[d + 1:]]
            assert n == 1 or (node, to) in steps or (to, node) in steps, \
                f"{node} and {to} are not joined"


def check_segments(answer, shape, n, wiring, fold, apart):
    """Whole, apart from each other, each a slice, and joined by its own
    cross-connects; how many pieces the largest has."""
    volume = math.prod(shape)
    pieces, ranks_left, nodes_left = [list(answer[key]) for key in
                                      ("pieces", "ranks", "nodes")]
    crosses = [(c["dim"], tuple(c["from"]), tuple(c["to"]))
               for c in answer["cross_connects"]]
    folded = list(map(tuple, answer.get("map", [])))
    expected, used = set(), set()
    equal((len(answer["segments"]), len(nodes_left)), (n, n * volume), "size")
    for segment in answer["segments"]:
        own = [pieces.pop(0) for _ in segment["boxes"]]
        where, sides = spread(own), segment["shape"]
        equal(sorted(where), list(itertools.product(*map(range, sides))), "box")
        equal(len({tuple(piece["origin"][:apart]) for piece in own}), len(own),
              "a cube has one piece of a slice")
        closed = [wiring == "torus"] * len(sides)
        if fold:
            word = segment["box_wiring"]
            closed = [word == "torus" or (word != "mesh" and kind == "t")
                      for kind in (word[apart:] if word not in (
                          "mesh", "torus", "none") else "m" * len(sides))]
        else:
            equal(sorted(sides), sorted(shape), "sides")
        near, over = joins(where, sides, closed, apart)
        expected |= over if wiring != "none" else set()
        nodes = {node for node, _ in where.values()}
        assert not nodes & used, "two segments have a node in common"
        used |= nodes
        equal([tuple(ranks_left.pop(0)) for _ in range(volume)],
              folded[:volume] if fold
              else [where[at][0] for at in sorted(where)], "ranks")
        if fold:
            equal({*folded[:volume]}, nodes, "map")
            check_rings(shape, folded[:volume],
                        near | {cross[1:] for cross in over})
            del folded[:volume]
    equal(pieces + folded, [], "left over")
    equal({*map(tuple, nodes_left)}, used, "nodes")
    equal(sorted(crosses), sorted(expected), "cross-connects")
    links = [json.dumps(link) for link in answer.get("links", [])]
    equal(len(links), len(set(links)), "links taken once")
    return max(len(segment["boxes"]) for segment in answer["segments"])


def segments():
    """segments of a job on a pod are whole slices, apart and joined each"""
    random.seed(3)
    met = {"one": 0, "several": 0, "fold": 0, 3: 0, 4: 0}
    for _ in range(50):
        machine, apart = random.choice([("pod:6/2x2x2", 1), ("pod:5/4x4", 1),
                                        ("2*pod:2x2/2x2", 3)])
        cube = [int(n) for n in machine.split("/")[1].split("x")]
        fold = random.random() < 0.3
        wiring = "torus" if fold else random.choice(["none", "mesh", "torus"])
        shape = [random.choice([1, side, 2 * side]) if wiring == "torus"
                 else random.randint(1, 2 * side) for side in cube]
        if fold:
            shape = random.choice([[4], [8], [4, 2], [16]])
        n = random.randint(2, 4)
        words = ["--machine", machine, "--shape", "x".join(map(str, shape)),
                 "--segments", str(n), "--wiring", wiring, "--ranks", "row",
                 *(["--fold", "rings"] if fold else []), "--json"]
        zeros = ",".join(["0"] * (apart - 1 + len(cube)))
        path("busy", f"0,{zeros}\n1,{zeros}\n")
        answers = [subprocess.run([os.path.join(BUILD, "tori"), "place", *words,
                                   *more], capture_output=True, text=True,
                                  check=False)
                   for more in ((), ("--busy", path("busy")))]
        idle, now = [done.returncode for done in answers]
        assert idle in (0, 4) and now in ((0, 3) if idle == 0 else (0, 4)), \
            f"{words}: {idle}, {now}: {answers[1].stderr}"
        if n * math.prod(shape) > (math.prod(cube) * math.prod(
                int(n) for n in re.findall(r"\d+", machine.split("/")[0]))):
            equal((idle, now), (4, 4), f"{words}: more nodes than there are")
        for done in answers:
            if done.returncode:
                met[done.returncode] += 1
                continue
            try:
                most = check_segments(json.loads(done.stdout), shape, n, wiring,
                                      fold, apart)
            except AssertionError as error:
                raise AssertionError(f"{words}: {error}") from error
            met["fold" if fold else "one" if most == 1 else "several"] += 1
    assert min(met.values()) > 2, met


sys.exit(run([slices, small_slices, machines, bindings, ranks, weights, segments]))
