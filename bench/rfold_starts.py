#!/usr/bin/env python3
"""RFold's own simulator beside ours, on the same jobs: when each job starts.

Usage: rfold_starts.py BUILD RFOLD [--policy firstfit|reconfig|rfold]
                       [--seeds N] [--first-seed N] [--jobs N] [--load X]
                       [--side N] [--minutes X] [-j N]

BUILD is the folder of our build, RFOLD a checkout of RFold's public code
(github.com/shuoshuc/RFold). Nothing is fetched. Its modules numpy, simpy,
networkx and sympy must be importable; matplotlib and the Hilbert curve are never
called here, so empty modules stand in for them.

Jobs are those of our model rfold. For firstfit only those that fit the torus are
taken, N of each seed, and arrivals are stretched to the load. Each starts when RFold
says and when bench_rfold_starts says, which has FirstFit as an allocator of libtori.
The torus is 16x16x16, or of another --side.

For reconfig and rfold it tells how many of the places can be wired: a switch joins
equal positions of opposite faces only. See `joined` and `line_joined`.

RFold is slow. After --minutes of a seed it is stopped; the jobs that it has started
until then are compared. It starts them in their order.
"""
import argparse
import collections
import json
import logging
import math
import multiprocessing
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time
import types

CUBE = 4
TRIES = 100  # of the search for a ring or a line through given nodes


# ---- jobs ----

def draw(build, seed, jobs, load, fitting, side=16):
    """(submit, run time, shape) of the model; shapes as RFold draws them."""
    many = jobs * 12 * (16 // side) ** 2 + 100 if fitting else jobs
    with tempfile.NamedTemporaryFile() as log:
        subprocess.run(
            [build / "tori", "sim", "--machine", "pod:64/4x4x4", "--model", "rfold",
             "--jobs", str(many), "--seed", str(seed), "--sched", "easy",
             "--alloc", "cube-first", "--log", log.name]
            + ([] if fitting else ["--load", str(load)]),
            check=True, stdout=subprocess.DEVNULL)
        drawn = [json.loads(line) for line in open(log.name)]
    drawn.sort(key=lambda job: job["id"])
    out = []
    for job in drawn:
        sides = sorted(s for s in job["shape"] if s > 1)
        shape = tuple(sides + [1] * (3 - len(sides)))
        if not fitting or max(shape) <= side:
            out.append((job["submit"], round(job["finish"] - job["start"], 6), shape))
    out = out[:jobs]
    if fitting:
        work = sum(run * math.prod(shape) for _, run, shape in out)
        stretch = work / side**3 / load / out[-1][0]
        out = [(round(submit * stretch), run, shape) for submit, run, shape in out]
    return out


# ---- RFold ----

def stand_in(name, **members):
    sys.modules[name] = types.ModuleType(name)
    for member, value in members.items():
        setattr(sys.modules[name], member, value)


def rfold(checkout, policy, jobs, minutes, side=16):
    """Start, shape as placed and nodes of every job that RFold starts, and the
    seconds of processor time per decision."""
    sys.path.insert(0, str(checkout))
    sys.argv = ["launch.py", "--place_policy", policy, "--dim", ",".join([str(side)] * 3)]
    stand_in("matplotlib")
    stand_in("matplotlib.pyplot")
    stand_in("hilbert", encode=lambda *_: [0], decode=lambda *_: None)
    # It looks for paths in processes of its own, and expects them to be forked.
    multiprocessing.set_start_method("fork", force=True)
    import simpy
    from Cluster.cluster import Cluster
    from Cluster.model_builder import build_torus
    from ClusterManager.manager import ClusterManager
    from WorkloadGen.trace import TraceReplay
    logging.disable(logging.CRITICAL)
    env = simpy.Environment()
    cluster = Cluster(env, spec=build_torus(name="c3", dimension=(side,) * 3))
    manager = ClusterManager(env, cluster=cluster, sim_njobs=len(jobs) + 1)
    decisions, places = [0], {}

    def place(job, ask=manager.scheduler.place):
        decisions[0] += 1
        return ask(job)

    def execute(job, start=cluster.execute):
        places[job.uuid] = (env.now, job.shape, list(job.allocation))
        start(job)

    manager.scheduler.place, cluster.execute = place, execute
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as trace:
        for i, (submit, run, shape) in enumerate(jobs):
            sides = "x".join(map(str, shape))
            print(i, submit, "T3D_NT", sides, math.prod(shape), run, sep=",", file=trace)
        trace.flush()
        replay = TraceReplay(env, tracefile=trace.name, cluster_mgr=manager)
    env.process(manager.schedule())
    env.process(replay.run())
    began, until = seconds(), time.monotonic() + 60 * minutes
    while env.peek() < math.inf and time.monotonic() < until:
        env.step()
    return places, (seconds() - began) / decisions[0]


def seconds():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF,
                                                resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


# ---- ours ----

def ours(build, jobs, side):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as csv:
        print("submit,run_time,shape,wiring", file=csv)
        for submit, run, shape in jobs:
            print(submit, run, "x".join(map(str, shape)), "none", sep=",", file=csv)
        csv.flush()
        out = subprocess.run([build / "bench" / "bench_rfold_starts",
                              f"torus:{side}^3", csv.name],
                             check=True, capture_output=True, text=True).stdout
    return [int(line) for line in out.split()]


# ---- what can be wired ----

def by_cube(nodes):
    """The nodes of a place, x3-y0-z12, by cube: a set of places within."""
    cubes = collections.defaultdict(set)
    for name in nodes:
        at = [int(part[1:]) for part in name.split("-")]
        cubes[tuple(c // CUBE for c in at)].add(tuple(c % CUBE for c in at))
    return cubes


def joined(shape, nodes):
    """Whether a box that was cut into pieces can be joined: along each dimension
    all pieces that do not fill their cube begin alike, and at a face if the box
    goes on in other cubes."""
    for d in range(3):
        begins = set()
        for piece in by_cube(nodes).values():
            low = min(at[d] for at in piece)
            high = max(at[d] for at in piece) + 1
            if high - low < CUBE:
                begins.add((low, high))
        if len(begins) > 1:
            return False
        if shape[d] > CUBE and any(low > 0 and high < CUBE for low, high in begins):
            return False
    return True


def neighbours(nodes):
    """Mesh links within a cube, and links from one end of a cube to the other end,
    at the same position, of any cube of the job."""
    cubes = by_cube(nodes)
    near = {(cube, at): [] for cube, piece in cubes.items() for at in piece}
    for cube, at in near:
        for d in range(3):
            for step in (-1, 1):
                to = list(at)
                to[d] = (at[d] + step) % CUBE
                crosses = not 0 <= at[d] + step < CUBE
                for other in cubes if crosses else [cube]:
                    if (other, tuple(to)) in near:
                        near[cube, at].append((other, tuple(to)))
    return near


def line_joined(nodes):
    """Whether the nodes can be wired as a ring, or as a line only; no, or not found.
    Colours alternate along any link, so a line has as many of one as of the other,
    or one more, and a ring as many. Else we look: go to the neighbour with the fewest
    ways on, and at a dead end turn a part of the line around."""
    near = neighbours(nodes)
    more = abs(len(near) - 2 * sum(sum(at) % 2 for _, at in near))
    if more > 1 or not connected(near):
        return "no"
    rng = random.Random(1)
    found = "not found"
    for _ in range(TRIES):
        is_line, is_ring = walk(near, rng)
        if is_ring:
            return "ring"
        if is_line:
            found = "line"
        if is_line and more:
            break
    return found


def connected(near):
    seen, todo = set(), [next(iter(near))]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += near[at]
    return len(seen) == len(near)


def walk(near, rng):
    """Whether it found a line through all nodes, and one whose ends meet."""
    line = [rng.choice(sorted(near))]
    used = set(line)
    for _ in range(20 * len(near)):
        whole = len(line) == len(near)
        if whole and (line[0] in near[line[-1]] or len(line) <= 2):
            return True, True
        free = [to for to in near[line[-1]] if to not in used]
        if free:
            ways = [sum(n not in used for n in near[to]) for to in free]
            to = rng.choice([t for t, w in zip(free, ways) if w == min(ways)])
            line.append(to)
            used.add(to)
        elif len(near[line[-1]]) < 2:
            line.reverse()
        else:
            turn = line.index(rng.choice(near[line[-1]])) + 1
            line[turn:] = line[:turn - 1:-1]
    return len(line) == len(near), False


# ---- the comparison ----

def compare_starts(task):
    build, checkout, policy, seed, jobs, load, minutes, side = task
    work = draw(build, seed, jobs, load, True, side)
    places, cost = rfold(checkout, policy, work, minutes, side)
    starts = ours(build, work, side)
    theirs = [round(places[i][0] * 1e6) for i in sorted(places)]
    waited = sum(t > w[0] * 10**6 for t, w in zip(theirs, work))
    same = sum(t == s for t, s in zip(theirs, starts))
    first = next((f"job {i}: RFold {t}, ours {s}"
                  for i, (t, s) in enumerate(zip(theirs, starts)) if t != s), "")
    print(f"seed {seed}: {len(work)} jobs, {len(places)} started, {waited} waited, "
          f"{same} start alike, {cost * 1e3:.0f} ms a decision {first}", flush=True)
    return len(places), waited, same


def tell_wiring(task):
    build, checkout, policy, seed, jobs, load, minutes, _ = task
    work = draw(build, seed, jobs, load, False)
    places, cost = rfold(checkout, policy, work, minutes)
    count = collections.Counter()
    response = []
    for i, (start, shape, nodes) in places.items():
        submit, run, asked = work[i]
        response.append(start + run - submit)
        is_line = policy == "rfold" and sum(s > 1 for s in asked) == 1
        if is_line:
            count["line: " + line_joined(nodes)] += 1
        else:
            count["box: " + ("joined" if joined(shape, nodes) else "no")] += 1
    response.sort()
    hours = [t / 3600 for t in response]
    print(f"seed {seed}: {len(work)} jobs, {len(places)} placed, {dict(count)}, "
          f"completion {sum(hours) / len(hours):.1f} h, "
          f"median {hours[(len(hours) + 1) // 2 - 1]:.1f}, "
          f"p90 {hours[(9 * len(hours) + 9) // 10 - 1]:.1f}, "
          f"{cost * 1e3:.0f} ms a decision", flush=True)
    return (len(places), count["box: joined"] + count["line: ring"] + count["line: line"],
            count["box: no"] + count["line: no"])


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("build", type=pathlib.Path)
    ask.add_argument("rfold", type=pathlib.Path)
    ask.add_argument("--policy", default="firstfit",
                     choices=["firstfit", "reconfig", "rfold"])
    ask.add_argument("--seeds", type=int, default=7)
    ask.add_argument("--first-seed", type=int, default=1)
    ask.add_argument("--jobs", type=int, default=1000)
    ask.add_argument("--load", type=float)
    ask.add_argument("--side", type=int, default=16)
    ask.add_argument("--minutes", type=float, default=math.inf)
    ask.add_argument("-j", "--workers", type=int, default=1)
    args = ask.parse_args()
    first_fit = args.policy == "firstfit"
    load = args.load or (1.0 if first_fit else 0.17)
    tasks = [(args.build, args.rfold, args.policy, seed, args.jobs, load,
              args.minutes, args.side)
             for seed in range(args.first_seed, args.first_seed + args.seeds)]
    # A process a seed: RFold keeps its flags in its modules.
    with concurrent(args.workers) as pool:
        sums = [sum(column) for column in zip(*pool.map(
            compare_starts if first_fit else tell_wiring, tasks))]
    if first_fit:
        print(f"all: {sums[0]} jobs, {sums[1]} waited, {sums[2]} start alike")
        return 0 if sums[0] == sums[2] else 1
    print(f"all: {sums[0]} placed, {sums[1]} can be wired, {sums[2]} cannot")
    return 0


def concurrent(workers):
    from concurrent.futures import ProcessPoolExecutor
    return ProcessPoolExecutor(workers, max_tasks_per_child=1,
                               mp_context=multiprocessing.get_context("spawn"))


if __name__ == "__main__":
    sys.exit(main())
