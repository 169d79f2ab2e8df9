#!/usr/bin/env python3
"""Usage: python.py BUILD-DIRECTORY [--only NAME...]

`import tori`, as it was built: every structure as long as the library's, the
examples in its docstrings and in doc/guides/python.md, allocators in Python,
studies on files, and a client of a real torid. In TAP.
"""
import csv
import ctypes
import doctest
import glob
import gzip
import importlib
import importlib.util
import itertools
import json
import math
import os
import pickle
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import warnings
from fractions import Fraction

import numpy

from service import BUILD, Service, Skip, equal, run, wait

sys.path.insert(0, os.path.join(BUILD, "python"))
# pylint: disable=wrong-import-position
import tori  # noqa: E402
from tori import _library  # noqa: E402

warnings.simplefilter("ignore", tori.StudyWarning)
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def finished(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def raises(kind, call, *words, **members):
    """The exception that a call raises."""
    try:
        call(*words, **members)
    except kind as raised:
        return raised
    raise AssertionError(f"no {kind.__name__}")


def warned(call, *words, **members):
    """What a call returns, and what it warns of."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = call(*words, **members)
    equal({it.category for it in seen} - {tori.StudyWarning}, set())
    return found, [str(it.message) for it in seen]


def near(ours, theirs, what="", part=1e-6):
    assert abs(ours - theirs) <= part * max(1, abs(theirs)), (
        what, ours, theirs)


def command(*words):
    """What a command of tori answers in JSON."""
    done = finished(f"{BUILD}/tori", *words, "--json")
    equal((done.stderr, done.returncode), ("", 0))
    return json.loads(done.stdout)


# ---- declarations ----

def sizes():
    """every structure of the headers is declared, and as long as in C"""
    declared = set()
    for path in glob.glob(f"{SOURCE}/include/tori/*.h"):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        declared |= set(re.findall(r"typedef struct (\w+) \{", text))
    equal(declared - set(_library.ffi.list_types()[0]), set())
    # As a C program sees it: not by cffi.
    library = ctypes.CDLL(f"{BUILD}/include/libtori.so.0")
    library.tori_struct_size.restype = ctypes.c_size_t
    for name in declared:
        equal((name, library.tori_struct_size(name.encode())),
              (name, _library.ffi.sizeof(name)))


def differs():
    """a structure of another size is an error when the package is loaded"""
    class Other:
        """A library whose requests are longer."""
        TORI_SECOND = 1000000

        @staticmethod
        def tori_struct_size(name):
            more = 8 if name == b"tori_request" else 0
            return _library.lib.tori_struct_size(name) + more
        tori_version = staticmethod(_library.lib.tori_version)

    error = raises(ImportError, _library.check_sizes, Other)
    assert "tori_request has" in str(error), error
    del Other.tori_struct_size
    raises(ImportError, _library.check_sizes, Other)


def documented():
    """the examples in docstrings are true"""
    for path in glob.glob(f"{SOURCE}/python/tori/**/[!_]*.py", recursive=True):
        name = os.path.relpath(path, f"{SOURCE}/python")[:-3].replace("/", ".")
        found = doctest.testmod(importlib.import_module(name))
        equal((name, found.failed), (name, 0))


def guide():
    """so are those in the guide"""
    found = doctest.testfile(f"{SOURCE}/doc/guides/python.md",
                             module_relative=False)
    assert found.attempted > 10, found
    equal(found.failed, 0)


def typed():
    """mypy has nothing to say"""
    if importlib.util.find_spec("mypy") is None:
        raise Skip("no mypy")
    with tempfile.TemporaryDirectory(prefix="tori-python-") as cache:
        done = finished(sys.executable, "-m", "mypy", "--config-file",
                        f"{SOURCE}/python/mypy.ini", "--cache-dir", cache,
                        f"{BUILD}/python/tori")
    assert done.returncode == 0, done.stdout


USER = '''
from typing import Iterator, Sequence

import tori


def highest(state: tori.State, request: tori.Request) -> list[int]:
    return [n for n in range(64) if state.is_free(n)][-request.count:]


def patience(job: tori.Waiting) -> float:
    return -job.wait / job.time_limit


class Fits:
    def decide(self, now: float, queue: Sequence[tori.Queued],
               running: Sequence[tori.Running],
               state: tori.State) -> Iterator[tori.Start]:
        for job in queue:
            if job.nodes <= state.free_count and job.end > now:
                yield job


print(tori.Scheduler("torus:4x4", Fits), tori.Scheduler("torus:4x4", Fits()))


state = tori.State("torus:8x8")
place = tori.Allocator(state.machine, highest).place(state, count=3)
state.hold(place)
print(place.nodes[:2].tolist(), place.box)
sched = tori.Scheduler("torus:4x4", order=patience)
job = sched.submit(0, shape="4x3", time_limit=100)
for decision in sched.run(6):
    print(decision.kind, decision.place.count)
print(sched.why(job).text, [why.reason for why in sched.why()])
sched.finish(20, job)
result = tori.simulate("torus:8x8", "lublin", jobs=30, load=0.4, warm_up="10%")
waits: float = result["wait.mean"]
print(result.frame().groupby("user").wait.mean(), result.warnings)
results = tori.grid(machine="torus:8x8", work="lublin", jobs=30, load=0.4,
                    policy=["fcfs", "easy"], seed=range(2), keep_jobs=True)
some = results.select(lambda job: bool(job["asked"] > 2), user=[1, 2])
for it in some.difference("policy", "fcfs", "easy", "slowdown",
                          by=lambda job: job["user"], percent=True):
    print(it.group, it.mean, it.low)
for mean in some.means("distance", by=("size", "queue")):
    print(mean.choices["policy"], mean.mean)
client = tori.Client("http://127.0.0.1:8470", token="secret")
with client.events() as events:
    for event in events:
        print(event.kind, event.data)
'''


def typed_for_users():
    """a strict check of a program that uses the installed package is clean"""
    if importlib.util.find_spec("mypy") is None:
        raise Skip("no mypy")
    with tempfile.TemporaryDirectory(prefix="tori-python-") as files:
        shutil.copytree(f"{BUILD}/python/tori", f"{files}/lib/tori")
        with open(f"{files}/user.py", "w", encoding="utf-8") as file:
            file.write(USER)
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir",
             f"{files}/cache", f"{files}/user.py"], capture_output=True,
            text=True, check=False,
            env={**os.environ, "MYPYPATH": f"{files}/lib"})
        assert done.returncode == 0, done.stdout
        wrong = USER.replace('by=("size", "queue")', "by=3")
        with open(f"{files}/user.py", "w", encoding="utf-8") as file:
            file.write(wrong)
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir",
             f"{files}/cache", f"{files}/user.py"], capture_output=True,
            text=True, check=False,
            env={**os.environ, "MYPYPATH": f"{files}/lib"})
        assert 'Argument "by" to "means"' in done.stdout, done.stdout


# ---- the library ----

def placing():
    """places, refusals and their reasons; the state follows"""
    state = tori.State("torus:4x4")
    alloc = tori.Allocator("torus:4x4", "first-fit")
    place = alloc.place(state, shape=(2, 4), wiring="torus")
    equal((place.box, place.wiring, list(place.nodes), 5 in place),
          ("0,0/2x4", "torus", list(range(8)), True))
    state.hold(place)
    before = state.copy()
    equal(raises(tori.NotNow, alloc.place, state, shape="3x3").reason,
          "numerical")
    state.hold(alloc.place(state, shape="1x1"))
    equal(raises(tori.NotNow, alloc.place, state, shape="2x4").reason,
          "numerical")
    raises(tori.Never, alloc.place, state, shape="5x5")
    raises(tori.Invalid, alloc.place, state)
    raises(tori.Invalid, alloc.place, state, shape="2x2", wiring="rope")
    raises(ValueError, tori.Machine, "torus:0x4")
    raises(tori.NotNow, state.hold, place)
    assert state != before
    equal(tori.Placement.of(state.machine, [(3, 3), "0,1", 7]).nodes.tolist(),
          [1, 7, 15])
    raises(tori.Invalid, tori.Placement.of, state.machine, [1, 1])


def without_a_copy():
    """bitmaps and lists of nodes are views, which outlive their owners"""
    state = tori.State("mesh:10x10")
    bits = state.free_bits
    equal((len(bits), int(bits[1])), (2, (1 << 36) - 1))
    place = tori.Allocator(state.machine, "mm").place(state, count=9)
    nodes = place.nodes
    assert nodes is place.nodes
    state.hold(place)
    equal(sum(int(word).bit_count() for word in bits), 91)
    expected = nodes.tolist()
    del state, place
    for _ in range(100):
        tori.Allocator("mesh:10x10", "mm").place(
            tori.State("mesh:10x10"), count=30)
    equal((nodes.tolist(), sum(int(word).bit_count() for word in bits)),
          (expected, 91))
    raises((ValueError, TypeError), nodes.__setitem__, 0, 1)
    box = tori.Placement.of(tori.Machine("mesh:4x4"), "0,0/2x2")
    assert box.nodes is box.nodes
    raises((ValueError, TypeError), box.nodes.__setitem__, 0, 1)


def own_allocator():
    """a function of Python allocates; its exceptions come through"""
    class Mine(Exception):
        pass

    def last(state, request):
        if request.count in (3, 8):
            raise Mine(f"{request.count} of {state.free_count}")
        free = [i for i in range(16) if state.is_free(i)]
        return (free[-request.count:] if request.shape is None
                else "2,2/2x2" if state.is_free("2,2") else None)

    state = tori.State("mesh:4x4")
    alloc = tori.Allocator("mesh:4x4", last)
    equal((alloc.name, alloc.place(state, count=2).nodes.tolist()),
          ("last", [14, 15]))
    state.hold(alloc.place(state, shape="2x2"))
    raises(tori.NotNow, alloc.place, state, shape="2x2")
    equal(str(raises(Mine, alloc.place, state, count=3)), "3 of 12")
    raises(tori.Invalid, tori.Allocator(
        "mesh:4x4", lambda state, request: "0,0/1x1").place,
        state, shape="2x2")
    sched = tori.Scheduler("mesh:4x4", "fcfs", last)
    sched.submit(0, count=2, time_limit=9)
    equal([d.place.nodes.tolist() for d in sched.run(0)], [[14, 15]])
    sched.submit(1, count=3, time_limit=9)
    raises(Mine, sched.run, 1)
    raises(Mine, tori.simulate, "mesh:4x4", "lublin", alloc=last, jobs=50,
           shapes="count")
    result = tori.simulate("mesh:4x4", "lublin", jobs=50, shapes="count",
                           alloc=lambda state, request: [
                               i for i in range(16)
                               if state.is_free(i)][:request.count])
    equal(result["jobs"], 50)


def own_order():
    """a function of Python orders the queue; its exceptions come through"""
    class Mine(Exception):
        pass

    def wfp(job):
        if job.tag == 99:
            raise Mine(job.nodes)
        return -(job.wait / job.time_limit) ** 3 * job.nodes

    def submitted(order):
        sched = tori.Scheduler("mesh:4x4", "fcfs", "snake-bf", order=order)
        sched.submit(0, count=16, time_limit=100)
        sched.run(0)
        sched.submit(1, count=4, time_limit=50, tag=2)
        sched.submit(2, count=8, time_limit=10, tag=3)
        sched.submit(3, count=2, time_limit=90, tag=4)
        sched.run(90)
        return sched

    sched = submitted(wfp)
    equal(sched.queued, [3, 2, 4])
    equal(submitted(lambda job: -job.time_limit).queued, [4, 2, 3])
    equal(submitted(tori.Order(lambda job: job.request.count, ages=False)
                    ).queued, [4, 2, 3])
    equal(submitted("submit").queued, [2, 3, 4])
    equal(sched.copy().queued, sched.queued)
    equal(raises(Mine, sched.submit, 91, count=5, time_limit=1, tag=99).args,
          (5,))
    equal(sched.queued, [3, 2, 4])
    raises(tori.Invalid, submitted, lambda job: float("nan"))
    raises(ValueError, submitted, lambda job: "first")
    raises(AttributeError, submitted, lambda job: job.user)
    raises(tori.Invalid, submitted, tori.Order(wfp, name="largest"))
    raises(KeyboardInterrupt, submitted, interrupted)
    kept = []
    submitted(lambda job: len(kept.append(job) or kept))
    raises(ValueError, lambda: kept[0].request)

    taken = sched.snapshot()
    equal(taken["order"], "wfp")
    assert "unknown order 'wfp'" in str(raises(
        tori.Invalid, tori.Scheduler.restore, taken))
    again = tori.Scheduler.restore(taken, order=wfp)
    for it in (sched, again):
        it.finish(95, it.running[0])
    equal([d.tag for d in again.run(95)], [d.tag for d in sched.run(95)])
    raises(Mine, again.submit, 96, count=5, time_limit=1, tag=99)


def interrupted(_job):
    raise KeyboardInterrupt


def own_policies_simulated():
    """orders of Python in simulations; allocators of Python in snapshots"""
    def simulate(order):
        result = tori.simulate("mesh:4x4", "lublin", jobs=120, load=1.2,
                               seed=3, order=order, alloc="snake-bf")
        return list(result.table()["start"])

    equal(simulate(lambda job: job.time_limit), simulate("shortest"))
    equal(simulate(tori.Order(lambda job: -job.nodes, ages=False)),
          simulate("largest"))
    users = set()
    simulate(lambda job: users.add((job.user, job.group, job.queue)) or 0)
    assert users
    raises(ZeroDivisionError, simulate, lambda job: 1 / 0)

    def first(state, request):
        return [i for i in range(16) if state.is_free(i)][:request.count]

    sched = tori.Scheduler("mesh:4x4", "fcfs", first)
    sched.submit(0, count=3, time_limit=9)
    sched.run(0)
    taken = sched.snapshot()
    raises(tori.Invalid, tori.Scheduler.restore, taken)
    with tempfile.TemporaryDirectory() as room:
        path = f"{room}/snapshot.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(taken, file)
        again = tori.Scheduler.restore(path, alloc=first)
    again.submit(1, count=2, time_limit=9)
    equal([d.place.nodes.tolist() for d in again.run(1)], [[3, 4]])


def example(name):
    """A module of examples/."""
    spec = importlib.util.spec_from_file_location(
        name, f"{SOURCE}/examples/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def decided():
    """EASY as a class of Python starts the same jobs as tori's, at the same
    times and places; on the log KTH, too, where it is there"""
    def fates(machine, work, policy):
        table = tori.simulate(machine, work, policy=policy,
                              alloc="mm").table()
        return [table[name] if isinstance(table[name], list) else
                table[name].tolist()
                for name in ("start", "finish", "placement", "fate")]

    easy = example("easy").Easy
    works = [("torus:4x4x4", tori.Workload(
        "lublin", "torus:4x4x4", shapes="count", jobs=400, load=load,
        seed=seed)) for load in (0.6, 1.1) for seed in range(3)]
    log = os.path.join(os.environ.get("TORI_TRACES", ""),
                       "KTH-SP2-1996-2.1-cln.swf.gz")
    if os.path.exists(log):
        works.append(("torus:10x10", tori.Workload(log, "torus:10x10",
                                                   shapes="count")))
    for machine, work in works:
        equal(fates(machine, work, easy), fates(machine, work, "easy"))


def own_policy():
    """a class of Python decides which jobs start, and where; what is refused
    is an error, and its exceptions come through"""
    class Mine(Exception):
        pass

    class Once:
        """Answers what it is told to."""
        def __init__(self, answer):
            self.answer = answer
            self.seen = None

        def decide(self, now, queue, running, state):
            self.seen = (now, queue, running, state)
            return self.answer(queue, running, state)

    def scheduler(answer, alloc="first-fit+mm"):
        policy = Once(answer)
        sched = tori.Scheduler("mesh:4x4", policy, alloc)
        sched.submit(0, shape="4x2", time_limit=100, tag=7)
        sched.submit(1, count=3, time_limit=50, tag=8)
        return policy, sched

    policy, sched = scheduler(lambda queue, running, state: [
        (queue[1], [15, 0, 9])])
    equal([(d.tag, d.place.nodes.tolist()) for d in sched.run(5)],
          [(8, [0, 9, 15])])
    equal([(job.tag, job.nodes, job.submit, job.wait, job.time_limit, job.end,
            job.request.shape, job.request.count)
           for job in policy.seen[1]],
          [(7, 8, 0, 5, 100, 105, (2, 4), 8), (8, 3, 1, 4, 50, 55, None, 3)])
    raises(AttributeError, lambda: policy.seen[1][0].user)
    policy.answer = lambda queue, running, state: seen.append(
        (running[0].place.nodes.tolist(), state.free_count))
    seen = []
    equal(sched.run(6), [])
    equal(seen, [([0, 9, 15], 13)])
    equal([(job.tag, job.nodes, job.start, job.end) for job in policy.seen[2]],
          [(8, 3, 5, 55)])
    raises(ValueError, lambda: policy.seen[2][0].place)
    raises(AttributeError, lambda: policy.seen[3].free_count)
    policy.answer = lambda queue, running, state: () if running else queue
    equal([(f.tag, f.start) for f in sched.copy().forecast()], [(7, 55)])
    equal(sched.job(1).reason, "order")
    raises(tori.Invalid, sched.snapshot)
    raises(tori.Invalid, sched.why)
    policy.answer = lambda queue, running, state: [(queue[0], "0,2/4x2")]
    equal(str(raises(tori.NotNow, sched.run, 6)),
          "job 7: node 3,3 is not free")
    sched.finish(7, 2)
    equal([(d.kind, d.place.box) for d in sched.run(7)],
          [("start", "0,2/4x2")])

    def twice(queue, _running, _state):
        yield queue[0]
        yield queue[0]

    def fails(_queue, _running, _state):
        raise Mine("no")

    for kind, answer, text in (
            (tori.Invalid, twice, "no such job waits"),
            (Mine, fails, "no"),
            (KeyboardInterrupt, lambda *_: interrupted(_), ""),
            (TypeError, lambda *_: 3, "'int' object is not iterable"),
            (TypeError, lambda *_: [3], "decide: expected a job of the queue, "
             "or a job and its place, not 3"),
            (tori.Invalid, lambda queue, *_: [(queue[1], "0,0/2x2")],
             "job 8: a place of 4 nodes for a job that takes 3"),
            (tori.Invalid, lambda queue, *_: [(queue[1], "9,0/2x2")],
             None)):
        error = raises(kind, scheduler(answer)[1].run, 5)
        assert text in (None, str(error)), error
        error = raises(kind, tori.simulate, "mesh:4x4", "lublin", jobs=50,
                       policy=Once(lambda queue, *rest, say=answer: say(
                           queue, *rest) if len(queue) > 1 else ()),
                       shapes="count", load=2)

    def last(state, request):
        raise Mine(request.shape)
    equal(raises(Mine, scheduler(lambda queue, *_: queue, last)[1].run,
                 5).args, ((2, 4),))
    raises(tori.Invalid, tori.Scheduler, "mesh:4x4", Once(None), depth=2)
    raises(tori.Invalid, tori.Scheduler, "mesh:4x4", Once(None), moves=True)

    # Jobs that never start are rejected, and the users of jobs are known.
    users = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = tori.simulate(
            "mesh:4x4", "lublin", jobs=50, shapes="count",
            policy=Once(lambda queue, *_: users.update(
                job.user for job in queue) or [
                    job for job in queue if job.tag == 7][:1]))
    equal((result["jobs"], result["rejected"]), (1, 49))
    assert users


def simulated_parts():
    """what a simulation may have besides jobs: a network, turns, urgent jobs,
    moves, nodes that are down, options of an allocator, and who watches"""
    def simulate(**more):
        return tori.simulate("torus:8x8", "lublin", jobs=200, load=0.9, seed=1,
                             **more)

    seen = []
    plain = simulate(watch=lambda now, until, sched: seen.append(
        (until - now, 64 - sched.state.free_count, len(sched.queued),
         sched.blocked)))
    equal(dict(plain), dict(simulate()))
    near(sum(time * busy for time, busy, *_ in seen),
         plain["held"] * plain["makespan"] * 64)
    near(sum(time * queue for time, _, queue, _ in seen),
         plain["wait.mean"] * 200)
    near(sum(time * queue for time, _, queue, why in seen
             if why == "numerical"), plain["numerical"] * 200)
    equal({queue > 0 for *_, queue, why in seen if why}, {True})
    raises(ZeroDivisionError, simulate, watch=lambda *_: 1 / 0)
    kept = []
    simulate(watch=lambda now, until, sched: kept.append(sched))
    raises(AttributeError, lambda: kept[0].queued)
    words = ("sim", "--machine", "torus:8x8", "--model", "lublin", "--jobs",
             "200", "--load", "0.9", "--seed", "1", "--sched", "easy")
    for more, options in (
            ({"network": "ring"}, ["--network", "fluid", "--pattern", "ring"]),
            ({"urgent": 0.1, "preempted": "suspend"},
             ["--urgent", "0.1", "--preempted", "suspend"]),
            ({"moves": True, "move": "1m"}, ["--moves", "--move-cost", "1m"]),
            ({"alloc": "isomorphic", "noncubic": "decompose"},
             ["--alloc", "isomorphic", "--noncubic", "decompose"])):
        ours, theirs = simulate(**more), command(*words, *options)
        assert dict(ours) != dict(plain), more
        near(ours["wait.mean"], theirs["wait"]["mean"], options)
    turns = simulate(policy="gang", gang={"slot": "10s", "degree": 4})
    assert turns["gang.turns"] > turns["gang.switches"] > 0
    state = tori.State("torus:8x8")
    state.set_down("0,0")
    assert simulate(initial=state)["rejected"] > plain["rejected"]
    raises(tori.Invalid, simulate, network="gossip")
    raises(tori.Invalid, simulate, urgent=0.1, preempted="sleep")
    raises(TypeError, simulate, network={"speed": 3})


def situations():
    """rows of situation and decision are those of tori decide"""
    from tori.lab.decide import decide
    allocs = ["mc1x1", "mm", "row-ff"]
    theirs = command("decide", "--machine", "torus:8x8", "--jobs", "150",
                     "--load", "0.8", "--seed", "3", "--allocs",
                     ",".join(allocs))
    for alloc, numbers in theirs["situation"].items():
        row = decide("torus:8x8", "lublin", allocs, alloc, jobs=150, load=0.8,
                     seed=3)
        for cell in row.cells:
            near(cell.mean, numbers[cell.alloc])
    near(row["row-ff"].mean, tori.simulate(
        "torus:8x8", "lublin", jobs=150, load=0.8, seed=3, shapes="count",
        policy="fcfs", alloc="row-ff")["pairwise"])
    raises(tori.Invalid, decide, "torus:8x8", "lublin", allocs, "exact")
    raises(tori.Invalid, decide, "torus:8x8", "lublin", ["first-fit"],
           "first-fit", jobs=9)


def reserving():
    """places are kept free, starts are planned, and running jobs move"""
    sched = tori.Scheduler("mesh:4x4", "easy", "first-fit", places=True)
    place = tori.Placement.of(sched.machine, "0,0/4x2")
    sched.reserve(0, "service", 10, 20, place, tags=[9])
    first = sched.submit(0, shape="4x2", time_limit=15)
    second = sched.submit(0, shape="4x2", time_limit=15)
    third = sched.submit(0, shape="4x1", time_limit=5, earliest=7)
    equal([(d.job, d.place.box) for d in sched.run(0)], [(first, "0,2/4x2")])
    equal(sched.reservations, [tori.Reservation("service", 10, 20, place,
                                                (9,))])
    start, where = sched.planned(second)
    equal((start, where.box, sched.planned(first)), (15, "0,2/4x2", None))
    sched.set_earliest(1, third, 0)
    equal([(d.job, d.place.box) for d in sched.run(1)], [(third, "0,0/4x1")])
    sched.finish(2, third)
    sched.cancel_reservation(2, "service")
    equal([(d.job, d.place.box) for d in sched.run(2)], [(second, "0,0/4x2")])
    sched.move(3, {first: place, second: tori.Placement.of(
        sched.machine, "0,2/4x2")})
    equal([sched.job(job).place.box for job in (first, second)],
          ["0,0/4x2", "0,2/4x2"])
    raises(tori.Invalid, sched.cancel_reservation, 3, "service")
    raises(tori.Invalid, sched.admit, 3, "service", 9)
    sched.set_link_down(3, tori.wiring.Link.of(sched.machine, "0,0-0,1"))
    sched.fail(4, [(0, 0), (3, 3)])
    equal([(d.kind, d.tag, d.node) for d in sched.run(4)],
          [("kill", first, 0), ("kill", second, 15)])
    sched.drain(5, ["0,1"], tag=77)
    equal(([(d.kind, d.tag) for d in sched.run(5)], sched.gave_up),
          ([("drained", 77)], None))
    raises(tori.Invalid, sched.move, 3, {third: place})
    equal(tori.Allocator("mesh:4x4").impossible("5x1"),
          "the shape does not fit the machine's sides")
    equal(tori.Allocator("mesh:4x4").impossible("4x1"), None)


def defaults():
    """without an allocator, shapes and counts are both served"""
    sched = tori.Scheduler("mesh:4x4")
    sched.submit(0, count=3, time_limit=9)
    sched.submit(0, shape="2x2", time_limit=9)
    equal([d.kind for d in sched.run(0)], ["start", "start"])


def scheduling():
    """jobs start, wait, fail, and are explained"""
    sched = tori.Scheduler("torus:4x4", "easy")
    first = sched.submit(0, shape="4x3", time_limit=100, tag=7)
    second = sched.submit(1, shape="4x4", time_limit=50, wiring="torus")
    equal(sched.submit(2, shape="9x9", time_limit=5, tag=3), None)
    third = sched.submit(2, shape="4x1", time_limit=500)
    equal([(d.kind, d.job, d.tag) for d in sched.run(2)],
          [("reject", None, 3), ("start", first, 7)])
    equal((sched.queued, sched.running), ([second, third], [first]))
    why = sched.why(second)
    equal((why.reason, why.start, [b.job for b in why.blockers]),
          ("numerical", 102.0, [first]))
    assert why.text and any(h.change == "job" for h in why.helps), why
    equal([w.job for w in sched.why()], [second, third])
    equal([(f.job, f.start) for f in sched.forecast()],
          [(second, 102.0), (third, 152.0)])
    equal((sched.job(first).state, sched.job(first).end), ("running", 102.0))
    raises(KeyError, sched.job, 99)
    other = sched.copy()
    other.finish(10, first)
    equal([d.job for d in other.run(10)], [second])
    equal(sched.state.free_count, 4)
    sched.set_down(20, "0,0")
    killed = [d for d in sched.run(20) if d.kind == "kill"]
    equal([(d.job, d.node) for d in killed], [(first, 0)])
    raises(tori.Invalid, sched.finish, 21, first)
    raises(tori.Invalid, sched.run, 3)


def taken_over():
    """running jobs are taken over, stopped, held and cancelled"""
    sched = tori.Scheduler("mesh:4x4", "fcfs")
    first = sched.adopt(10, 4, tori.Placement.of(sched.machine, "0,0/4x2"),
                        time_limit=60)
    equal((sched.job(first).start, sched.job(first).end), (4.0, 64.0))
    second = sched.submit(10, shape="4x2", time_limit=9, earliest=20)
    equal((sched.run(10), sched.wake), ([], 20.0))
    equal([d.job for d in sched.run(20)], [second])
    sched.requeue(21, first)
    sched.hold(21, first)
    sched.run(21)
    equal(sched.job(first).reason, "held")
    sched.hold(22, first, False)
    sched.set_priority(22, first, 5)
    equal([d.job for d in sched.run(22)], [first])
    sched.set_time_limit(22, first, 100)
    equal(sched.job(first).end, 122.0)
    sched.set_drained(23, 15)
    sched.cancel(23, second)
    third = sched.submit(23, shape="4x2", time_limit=1)
    sched.run(23)
    equal((sched.job(third).reason, sched.running), ("numerical", [first]))


def snapshots():
    """a scheduler as a value decides as the first would"""
    sched = tori.Scheduler("torus:4x4", "conservative", "first-fit+mm")
    sched.submit(0, shape="4x2", time_limit=60, tag=1)
    sched.submit(0, count=9, time_limit=30, tag=2)
    sched.run(0)
    taken = sched.snapshot()
    equal(([j["id"] for j in taken["running"]], taken["machine"]),
          ([1], "torus:4x4"))
    again = tori.Scheduler.restore(taken)
    equal([(f.tag, f.start) for f in again.forecast()],
          [(f.tag, f.start) for f in sched.forecast()])
    equal(str(again.machine), "torus:4x4")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(taken, file)
        file.flush()
        equal(len(tori.Scheduler.restore(file.name).queued), 1)
    raises(tori.Invalid, tori.Scheduler.restore, {"machine": "rope:4"})
    raises(tori.Failed, tori.Scheduler.restore, "/nowhere")


# ---- studies ----

def write_log(path, step=20):
    """120 jobs of three users, one of them larger than the machine."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("; MaxProcs: 64\n")
        for i in range(1, 121):
            n = 99 if i == 60 else 1 + i * 7 % 33
            file.write(f"{i} {i * step} -1 {50 + i * 13 % 400} {n} -1 -1 {n} 600"
                       f" -1 1 {i % 3} 1 -1 1 -1 -1 -1\n")


def columns():
    """a simulation of a log, job by job, as the command has it"""
    with tempfile.TemporaryDirectory(prefix="tori-python-") as files:
        path = os.path.join(files, "log.swf.gz")
        write_log(path)
        result, sentences = warned(tori.simulate, "torus:4x4x4", path,
                                   policy="easy", wiring="mesh")
        table = result.table()
        theirs = command("sim", "--machine", "torus:4x4x4", "--trace", path,
                         "--sched", "easy", "--wiring", "mesh", "--log",
                         f"{files}/jobs.csv", "--log-format", "table")
        with open(f"{files}/jobs.csv", encoding="utf-8") as file:
            rows = {int(row["job"]): row for row in csv.DictReader(file)}
    equal((result["jobs"], result["rejected"], table["fate"].count("done")),
          (119, 1, 119))
    equal(result.source, {"tori": tori.__version__,
                          "commit": theirs.get("commit"),
                          "log_sha256": theirs["log_sha256"],
                          "shapes": "first-match"})
    assert sentences[0].startswith("1 of 120 jobs were rejected: "), sentences
    assert theirs["saturated"] and result["saturated"], theirs
    assert sentences[1].startswith("saturated: "), sentences
    for ours, name in (("utilization", "utilization"),
                       ("wait.mean", "wait"), ("wait.p90", "wait")):
        value = theirs[name]
        near(result[ours], value[ours.split(".")[1]] if "." in ours else value)
    check_rows(table, rows)
    rejected = table["fate"].index("rejected")
    equal((table["id"][rejected], math.isnan(table["start"][rejected]),
           int(table["nodes"][rejected])), (60, True, 0))
    equal(result.reasons, {table["reason"][rejected]: 1})
    equal(set(table["user"]), {0, 1, 2})
    counts = [volume(shape) for shape in table["shape"]]
    assert all(c >= a for c, a in zip(counts, table["asked"]) if c), counts
    equal((counts[rejected], table["wiring"][0]), (0, "mesh"))
    raises(ZeroDivisionError, tori.simulate, "torus:8x8", "lublin", jobs=3000,
           progress=lambda done, n: 1 // 0)
    raises(TypeError, tori.simulate, "torus:8x8",
           tori.Workload("lublin", "torus:8x8", jobs=9), load=3)
    assert "there are wait.mean, wait.p50" in str(raises(
        KeyError, result.__getitem__, "wait"))
    equal((result.get("mood"), "wait.mean" in result), (None, True))


def check_rows(table, rows):
    """A table has what the command's has."""
    equal(len(table["id"]), len(rows))
    names = {"user": "user", "group": "group", "queue": "queue",
             "asked": "nodes", "shape": "shape", "time_limit": "time_limit",
             "submit": "submit", "start": "start", "finish": "end",
             "wait": "waited", "ran": "ran", "distance": "distance",
             "placement": "placement", "fate": "fate", "reason": "reason",
             "starts": "starts", "moves": "moves"}
    for i, number in enumerate(table["id"]):
        for ours, name in names.items():
            value, cell = table[ours][i], rows[int(number)][name]
            if isinstance(value, str):
                equal((number, name, value), (number, name, cell))
            elif cell == "":
                assert value in (-1, 0) or math.isnan(value), (name, value)
            else:
                near(float(value), float(cell), (number, name))


def scattered():
    """places of counts, and of jobs that failures killed"""
    with tempfile.TemporaryDirectory(prefix="tori-python-") as files:
        path = os.path.join(files, "log.swf.gz")
        write_log(path, 300)
        result, _ = warned(tori.simulate, "torus:4x4x4", path, alloc="mm",
                           mtbf=100 * 3600, mttr=3600, on_failure="kill",
                           seed=3)
        command("sim", "--machine", "torus:4x4x4", "--trace", path, "--sched",
                "easy", "--alloc", "mm", "--mtbf", "100", "--mttr", "1",
                "--on-failure", "kill", "--seed", "3", "--log",
                f"{files}/jobs.csv", "--log-format", "table")
        with open(f"{files}/jobs.csv", encoding="utf-8") as file:
            rows = {int(row["job"]): row for row in csv.DictReader(file)}
    table = result.table()
    killed = [i for i, fate in enumerate(table["fate"]) if fate == "killed"]
    assert killed and "failed" in table["reason"][killed[0]], table["reason"]
    check_rows(table, rows)
    bare = warned(tori.simulate, "torus:4x4x4", "lublin", jobs=20,
                  placements=False)[0].table()
    equal(("placement" in bare, "reason" in bare), (False, True))
    raises(tori.Invalid, tori.simulate, "torus:4x4x4", "lublin", jobs=20,
           mtbf=1e6, on_failure="pray")


def measured():
    """begin and end are left out as by the command, and hopeless jobs named"""
    how = ("sim", "--machine", "torus:4x4x4", "--model", "lublin", "--jobs",
           "150", "--load", "0.5", "--seed", "1", "--sched", "easy")
    same = {"machine": "torus:4x4x4", "work": "lublin", "jobs": 150,
            "load": 0.5, "seed": 1}
    for words, members in (
            (("--warm-up", "10%", "--cool-down", "20jobs"),
             {"warm_up": "10%", "cool_down": "20jobs"}),
            (("--warm-up", "2h"), {"warm_up": 7200}),
            (("--cool-down", "7.5%"), {"cool_down": "7.5%"}),
            ((), {})):
        theirs = command(*how, *words)
        result, _ = warned(tori.simulate, **same, **members)
        for name in ("jobs", "utilization", "offered"):
            near(result[name], theirs[name], name)
        near(result["wait.mean"], theirs["wait"]["mean"], "wait")
        inside = result.table()["measured"]
        equal((int(sum(inside)), result["measured"]),
              (result["jobs"] + result["rejected"],) * 2)
    for wrong in ("7d", "101%", -1, 1e9, "150jobs", "%"):
        raises(tori.Invalid, tori.simulate, **same, warm_up=wrong)
    theirs = command(*how, "--mtbf", "20", "--mttr", "4")
    result, sentences = warned(tori.simulate, **same, mtbf=20 * 3600,
                               mttr=4 * 3600)
    near(result["steady.wait"], theirs["steady"]["wait"], "steady")
    near(result["steady.response"], theirs["steady"]["response"], "steady")
    assert any("can hardly ever finish" in it for it in sentences), sentences
    results, sentences = warned(
        tori.grid, **{**same, "seed": range(2)}, mtbf=[None, 20 * 3600],
        progress=False, keep_jobs=True)
    assert any("these are not compared" in it for it in sentences), sentences
    whole = results.difference("mtbf", None, 20 * 3600)[0]
    equal((whole.pairs, whole.jobs + whole.left_out), (2, 300))
    assert whole.left_out >= result["hopeless"] > 0, whole


def instead():
    """jobs take other boxes or counts as by the command"""
    how = ("sim", "--machine", "torus:4x4x4", "--model", "lublin", "--jobs",
           "150", "--load", "0.8", "--seed", "1", "--sched", "easy",
           "--shapes", "compact", "--alloc", "first-fit+mm")
    same = {"machine": "torus:4x4x4", "work": "lublin", "jobs": 150,
            "load": 0.8, "seed": 1, "shapes": "compact",
            "alloc": "first-fit+mm"}
    waits = []
    for words, members in (
            ((), {}),
            (("--or", "boxes"), {"instead": "boxes"}),
            (("--or", "both"), {"instead": "both"}),
            (("--or", "count", "--patience", "1h"),
             {"instead": "count", "patience": 3600})):
        theirs = command(*how, *words)
        result, _ = warned(tori.simulate, **same, **members)
        near(result["wait.mean"], theirs["wait"]["mean"], "wait")
        waits.append(result["wait.mean"])
    equal(len(set(waits)), 4)
    raises(tori.Invalid, tori.simulate, **same, instead="any")
    raises(tori.Invalid, tori.simulate, **same, patience=60)
    raises(tori.Invalid, tori.simulate, **{**same, "alloc": "first-fit"},
           instead="count")


def given():
    """a table with shapes and counts is taken as it is, as by the command"""
    with tempfile.TemporaryDirectory(prefix="tori-python-") as room:
        path = os.path.join(room, "jobs.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("submit,run_time,shape,count\n")
            for i in range(40):
                file.write(f"{i},{20 + i * 7 % 13},"
                           + ("1x4,\n", "2x3,\n", ",5\n")[i % 3])
        how = ("sim", "--machine", "mesh:4x4", "--trace", path)
        for words, members, has in (
                ((), {}, ["", "1x4", "2x3"]),
                (("--alloc", "best-fit"), {"alloc": "best-fit"},
                 ["", "1x4", "2x3"]),
                (("--alloc", "hilbert-bf"), {"alloc": "hilbert-bf"}, [""])):
            theirs = command(*how, *words)
            result, said = warned(tori.simulate, "mesh:4x4", path, **members)
            near(result["wait.mean"], theirs["wait"]["mean"], "wait")
            equal(sorted(set(result.table()["shape"])), has)
            lost = sum(i % 3 < 2 for i in range(40)) if len(has) == 1 else 0
            equal(theirs.get("unshaped", 0), lost)
            equal(any(f"{lost} of 40 jobs have a shape in the log" in text
                      for text in said), lost > 0)
        work = tori.Workload(path, "mesh:4x4")
        equal((work.shapes, work.unshaped), ("as-given", 0))


def volume(shape):
    return math.prod(map(int, shape.split("x"))) if shape else 0


def grids():
    """every combination, once; what is there already is kept"""
    with tempfile.TemporaryDirectory(prefix="tori-python-") as files:
        out = os.path.join(files, "out")
        choices = {"machine": ["torus:4x4", "mesh:4x4"], "work": "lublin",
                   "policy": ["fcfs", "easy"], "jobs": 60, "load": 0.8,
                   "seed": range(2), "processes": 2, "progress": False}
        first = tori.grid(out, keep_jobs=True, **choices)
        equal((len(first), first.axes), (8, ["machine", "policy", "seed"]))
        before = contents(out)
        equal(len(before), 8 + 8)
        names = sorted(before)
        for name in (names[0], names[1], names[5]):  # a whole one, and jobs
            os.remove(os.path.join(out, name))
        with open(os.path.join(out, names[8]), "w", encoding="utf-8") as file:
            file.write(before[names[8]][:20].decode())
        changed = {name: os.stat(os.path.join(out, name)).st_mtime_ns
                   for name in os.listdir(out)}
        second = tori.grid(out, keep_jobs=True, **choices)
        equal([plain_row(row) for row in second],
              [plain_row(row) for row in first])
        equal(contents(out), before)
        equal({name for name, when in changed.items() if when != os.stat(
            os.path.join(out, name)).st_mtime_ns},
            {names[4], names[8], names[9]})
        equal({row["commit"] for row in second}, {tori.__commit__ or None})
        for block in (7200, 7200.0):  # one choice
            tori.grid(out, **dict(choices, resample=block, seed=1))
        equal(len(contents(out)), 16 + 4)
        wrong = tori.grid(**dict(choices, alloc="isomorphic-not", seed=1,
                                 machine="torus:4x4"))
        equal([("error" in row, "jobs" in row, "done" in row)
               for row in wrong], [(True, False, False)] * 2)
        raises(tori.Invalid, tori.grid, __file__, **choices)
    raises(TypeError, tori.grid, machine="torus:4x4")
    raises(TypeError, tori.grid, machine="torus:4x4",
           work=tori.Workload("lublin", "torus:4x4", jobs=9))
    raises(TypeError, tori.grid, machine="torus:4x4", work="lublin", seed=1,
           case={"a": {"seed": 2}})
    both, sentences = warned(
        tori.grid, machine="torus:4x4x4", work="lublin", jobs=60, load=0.3,
        case={"count": {"alloc": "mm"}, "box": {"wiring": "torus"}},
        progress=False, keep_jobs=True)
    equal([(row["case"], row["alloc"] if "alloc" in row else None,
            row["shapes"]) for row in both],
          [("count", "mm", "count"), ("box", None, "first-match")])
    assert any("shapes was not given" in it for it in sentences), sentences
    equal([row["choices"] for row in both][1],
          ["machine", "work", "jobs", "load", "wiring", "case"])
    assert "placement" not in both.rows[0]["table"]


def contents(folder):
    """The files of a folder."""
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


def axes():
    """an axis keeps its values, whatever they are called; arrays are axes"""
    results = tori.grid(machine="torus:4x4", work="lublin", jobs=[30, 100],
                        load=numpy.arange(0.6, 0.85, 0.1), seed=range(2),
                        warm_up="10%", progress=False)
    equal(results["jobs"].tolist(), [30] * 6 + [100] * 6)
    alone = tori.simulate("torus:4x4", "lublin", jobs=100, load=0.6,
                          warm_up="10%")
    equal(results.only(jobs=100)["done"][0], alone["jobs"])
    equal([(m.choices["jobs"], m.samples) for m in results.means("wait.mean")],
          [(30, 2)] * 3 + [(100, 2)] * 3)
    assert results["load"][4] != 0.8, "arange has become exact"
    for wanted in (0.8, [0.1, 0.8], (0.75, 0.8), numpy.array([0.8])):
        equal(set(results.only(load=wanted)["load"]), {results["load"][4]})
    equal(len(results.only(load=0.8001)), 0)
    equal(results.difference("load", 0.6, 0.8, "makespan")[0].pairs, 2)
    equal((results["wait.mean"].dtype.kind, results["policy"]
           if "policy" in results.columns else None), ("f", None))
    assert "were not kept" in str(raises(
        tori.Invalid, results.difference, "load", 0.6, 0.8))
    assert "there is no measure mood" in str(raises(
        tori.Invalid, results.means, "mood"))
    parts = [tori.grid(machine="torus:4x4", work="lublin", jobs=30, load=0.5,
                       seed=range(5), progress=False, part=f"{i}/2")["seed"]
             for i in (1, 2)]
    equal([part.tolist() for part in parts], [[0, 2, 4], [1, 3]])
    for part in ("0/2", "3/2", "1"):
        raises(tori.Invalid, tori.grid, machine="torus:4x4", work="lublin",
               part=part)


def of_runs():
    """measures of whole runs have intervals, too: paired over the seeds"""
    results = tori.grid(machine="torus:4x4x4", work="lublin", jobs=150,
                        load=0.8, policy=["fcfs", "easy"],
                        wiring=["none", "torus"], seed=range(4),
                        progress=False)
    for measure in ("utilization", "makespan", "wait.p90"):
        value = {(policy, wiring, seed): tori.simulate(
            "torus:4x4x4", "lublin", jobs=150, load=0.8, policy=policy,
            wiring=wiring, seed=seed, quiet=True)[measure]
            for policy in ("fcfs", "easy") for wiring in ("none", "torus")
            for seed in range(4)}
        found = results.difference("policy", "fcfs", "easy", measure)
        equal([it.choices for it in found],
              [{"wiring": "none"}, {"wiring": "torus"}])
        for it in found:
            more = [value["easy", it.choices["wiring"], seed]
                    - value["fcfs", it.choices["wiring"], seed]
                    for seed in range(4)]
            near(it.mean, statistics.fmean(more), measure)
            near(it.high - it.mean,
                 3.18244630528 * statistics.stdev(more) / 2, measure)
        pooled, = results.difference("policy", "fcfs", "easy", measure,
                                     over=("seed", "wiring"))
        equal((pooled.pairs, pooled.choices), (8, {}))
        mean = results.means(measure)[1]
        values = [value["fcfs", "torus", seed] for seed in range(4)]
        equal(mean.choices, {"policy": "fcfs", "wiring": "torus"})
        near(mean.mean, statistics.fmean(values), measure)
        near(mean.mean - mean.low,
             3.18244630528 * statistics.stdev(values) / 2, measure)


# Student's t, 97.5 %, as tables print it: three decimals.
PRINTED = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447,
           7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201, 12: 2.179,
           13: 2.160, 14: 2.145, 15: 2.131, 16: 2.120, 17: 2.110, 18: 2.101,
           19: 2.093, 20: 2.086, 21: 2.080, 22: 2.074, 23: 2.069, 24: 2.064,
           25: 2.060, 26: 2.056, 27: 2.052, 28: 2.048, 29: 2.045, 30: 2.042,
           40: 2.021, 50: 2.009, 60: 2.000, 80: 1.990, 100: 1.984, 120: 1.980,
           1000: 1.962}


def student():
    """Student's t is that of printed tables, and of scipy, which has 8 digits"""
    lab = importlib.import_module("tori.lab.statistics")
    for freedom, printed in PRINTED.items():
        ours = lab.student(freedom)
        assert abs(ours - printed) <= 0.00051, (freedom, ours, printed)
    try:
        stdtrit = importlib.import_module("scipy.special").stdtrit
    except ImportError:
        return
    for freedom in (*range(1, 500), 1000, 1001, 5000):
        near(lab.student(freedom), float(stdtrit(freedom, 0.975)), freedom,
             1e-7)


def comparisons():
    """policies on the same jobs: means, paired differences and the best, by
    definition"""
    from types import SimpleNamespace
    from tori.lab.commands.standings import Comparison
    nan, inf = math.nan, math.inf

    def compared(*scenes):
        design = SimpleNamespace(
            scenes=len(scenes), policies=len(scenes[0]),
            seeds=len(scenes[0][0]), resampled=False)
        return Comparison(design, {
            (i, j, k): value for i, scene in enumerate(scenes)
            for j, row in enumerate(scene) for k, value in enumerate(row)},
            set())
    two = compared(
        ((10, 20, 30, 40), (11, 22, 33, 44), (9, 19, 31, 39)),
        ((5, 6, 7, 8), (nan,) * 4, (10, 12, 14, 16)))
    mean, half = two.mean(0, 0)
    # Student's t for three degrees of freedom.
    near(mean, 25)
    near(half, 3.182446305284263 * (500 / 3 / 4) ** 0.5)
    equal((two.has(1, 1), math.isnan(two.mean(1, 1)[0])), (False, True))
    # Every seed is a tenth above: that is certain, although the means are not.
    mean, half = two.difference(0, 1, 0)
    near(mean, 0.1)
    assert half < 1e-12, half
    near(two.difference(0, 2, 0)[0], (-0.1 - 0.05 + 1 / 30 - 0.025) / 4)
    near(two.excess(0, 2, 0)[0], -0.5)
    near(two.difference(1, 0, 2)[0], -0.5)
    near(two.difference(1, 2, 0)[0], 1)
    equal([two.alike(0, other, 0) for other in range(3)], [True, False, True])
    equal([two.first(1), two.best(0, False), two.best(0, True),
           two.best(1, True), two.best(0, True, 1), two.best(0, False, 2)],
          [0, 2, 1, 2, 0, 1])
    # One seed has no interval; what would be printed as 0.0 % is none.
    one = compared(((1,), (1.0004,), (1.0006,), (0,), (0,)))
    equal([one.alike(0, other, 0) for other in (1, 2)], [True, False])
    equal([one.difference(0, 4, 3)[0], one.difference(0, 0, 3)[0]], [0, inf])
    assert math.isnan(one.mean(0, 0)[1])


def intervals():
    """the mean and its interval, by the definition"""
    lab = importlib.import_module("tori.lab.statistics")
    low, high = lab.interval([1.0, 2.0, 6.0])[1:]
    near(high - low, 2 * 4.30265272991 * math.sqrt(7 / 3))
    near(lab.interval([1.0, 2.0, 6.0], True)[2], 3 + 4.30265272991 * 7 ** 0.5)
    equal(lab.interval([5.0]), (5, None, None))


def left_out():
    """what is not compared is counted by its reason"""
    ids = numpy.arange(9)
    table = {"id": ids, "wait": ids * 10.0, "user": ids % 2,
             "fate": ["done"] * 5 + ["rejected", "killed", "rejected", "done"],
             "measured": numpy.array([1, 1, 1, 1, 0, 1, 1, 0, 1], bool),
             "hopeless": numpy.array([0, 0, 0, 1, 1, 0, 0, 0, 0], bool)}
    other = {**table, "wait": table["wait"] + numpy.array(
        [4, math.nan, 8, 0, 0, 0, 0, 0, 99]),
        "fate": ["done"] * 7 + ["killed"] * 2}
    rows = [{"policy": name, "choices": ["policy"], "table": it, "done": 5,
             "saturated": False}
            for name, it in (("a", table), ("b", other))]
    whole, even, odd = tori.Grid(["policy"], rows).difference(
        "policy", "a", "b", by="user")
    equal((whole.mean, whole.jobs, whole.left_out), (6, 2, 7))
    equal([(it.unmeasured, it.rejected, it.killed, it.hopeless, it.no_value)
           for it in (whole, even, odd)],
          [(2, 1, 2, 1, 1), (1, 0, 2, 0, 0), (1, 1, 0, 1, 1)])
    equal((even.mean, odd.pairs, math.isnan(odd.mean)), (6, 0, True))


def units():
    """a time may have its unit, and then means the same to the command"""
    how = {"machine": "torus:4x4x4", "work": "lublin", "jobs": 150,
           "load": 0.5, "seed": 1, "quiet": True}
    for text, seconds in (("20h", 72000), ("20:00:00", 72000),
                          ("1-12:00:00", 129600), ("90m30s", 5430)):
        theirs = command("sim", "--machine", "torus:4x4x4", "--model",
                         "lublin", "--jobs", "150", "--load", "0.5", "--seed",
                         "1", "--mtbf", text, "--mttr", "1h")
        ours = [tori.simulate(**how, mtbf=mtbf, mttr=mttr)
                for mtbf, mttr in ((text, "1h"), (seconds, 3600))]
        equal(dict(ours[0]), dict(ours[1]))
        equal(ours[0]["requeues"], theirs["requeues"])
        near(ours[0]["wait.mean"], theirs["wait"]["mean"], text)
    for wrong in ("20", "1:20", "h", "2 days", "-3h"):
        raises(tori.Invalid, tori.simulate, **how, mtbf=wrong)


GRID = '''
import concurrent.futures
import contextlib
import sys

import tori


def widest(job):
    return -job.nodes


def open_executor(kind):
    if kind == "threads":
        return concurrent.futures.ThreadPoolExecutor(3)
    if kind == "mpi":
        from mpi4py.futures import MPIPoolExecutor
        return MPIPoolExecutor()
    if kind == "dask":
        from distributed import Client
        return Client(n_workers=3, threads_per_worker=1,
                      dashboard_address=None).get_executor()
    return contextlib.nullcontext()


if __name__ == "__main__":
    kind, out = sys.argv[1:]
    with open_executor(kind) as executor:
        tori.grid(out, executor=executor, machine="torus:4x4x4",
                  work="lublin", jobs=100, load=[0.5, 0.8],
                  order=["submit", widest], seed=range(5), keep_jobs=True)
'''


def start_grid(files, kind, out):
    """GRID on executors of a kind, in a process of its own."""
    path = os.path.join(files, "script.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(GRID)
    mpi = (shutil.which("mpiexec.openmpi") or "mpiexec", "-n", "4",
           sys.executable, "-m", "mpi4py.futures")
    return subprocess.Popen(
        [*(mpi if kind == "mpi" else [sys.executable]), path, kind, out],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=files,
        env={**os.environ, "PYTHONPATH": f"{BUILD}/python",
             "PYTHONWARNINGS": "ignore", "OMPI_ALLOW_RUN_AS_ROOT": "1",
             "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
             "OMPI_MCA_rmaps_base_oversubscribe": "1"})


def same_everywhere(kind):
    """A grid on executors of this kind is that of processes here."""
    with tempfile.TemporaryDirectory(prefix="tori-python-") as files:
        outs = [os.path.join(files, it) for it in ("processes", kind)]
        for it, out in zip(("processes", kind), outs):
            process = start_grid(files, it, out)
            said = process.communicate()[0]
            assert process.returncode == 0, (it, said)
        equal(len(contents(outs[0])), 2 * 20)
        assert contents(outs[0]) == contents(outs[1]), kind


def on_threads():
    """a grid on threads has the same bytes as on processes"""
    same_everywhere("threads")


def on_mpi():
    """so has one on processes of MPI"""
    if importlib.util.find_spec("mpi4py") is None:
        raise Skip("no python3-mpi4py")
    same_everywhere("mpi")


def on_dask():
    """so has one on workers of Dask"""
    if importlib.util.find_spec("distributed") is None:
        raise Skip("no python3-distributed")
    same_everywhere("dask")


SWEEP = ("sweep", "--machine", "mesh:4x4", "--jobs", "60", "--sched",
         "fcfs,easy", "--seeds", "3", "--per-job", "--out")
CLUSTER = """
import subprocess, sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1,
                      dashboard_address=None) as cluster:
        sys.exit(subprocess.run(
            [*sys.argv[1:], "--executor", "dask:" + cluster.scheduler_address],
            check=False).returncode)
"""
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def sweep_elsewhere():
    """a sweep on processes of MPI or workers of Dask has the same bytes"""
    found = {kind: importlib.util.find_spec(module) for kind, module in (
        ("mpi", "mpi4py"), ("dask", "distributed"))}
    with tempfile.TemporaryDirectory(prefix="tori-python-") as files:
        script = os.path.join(files, "cluster.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(CLUSTER)
        here = os.path.join(files, "here")
        finished(f"{BUILD}/tori", *SWEEP, here)
        words = {"mpi": (shutil.which("mpiexec.openmpi") or "mpiexec", "-n",
                         "1", f"{BUILD}/tori", *SWEEP, "mpi", "-j", "2",
                         "--executor", "mpi"),
                 "dask": (sys.executable, script, f"{BUILD}/tori", *SWEEP,
                          "dask")}
        for kind in filter(found.get, words):
            done = subprocess.run(
                words[kind], cwd=files, text=True, capture_output=True,
                check=False, env={**os.environ, **MPI, "PYTHONPATH":
                                  f"{BUILD}/python"})
            assert done.returncode == 0, (kind, done.stdout, done.stderr)
            assert "cells in" in done.stdout, (kind, done.stdout)
            for name in ("cells.jsonl", "cells.csv", "jobs/jobs-00006.csv"):
                both = []
                for folder in here, os.path.join(files, kind):
                    with open(os.path.join(folder, name), "rb") as file:
                        both.append(file.read())
                assert both[0] == both[1], (kind, name)


def killed_grid():
    """a grid that was killed goes on where it was"""
    with tempfile.TemporaryDirectory(prefix="tori-python-") as files:
        out, whole = (os.path.join(files, it) for it in ("out", "whole"))
        process = start_grid(files, "processes", out)
        wait(lambda: process.poll() is not None or os.path.isdir(out)
             and sum(it.endswith(".json") for it in os.listdir(out)) > 3,
             "no result is kept")
        process.kill()
        process.communicate()
        kept = {it: os.stat(os.path.join(out, it)).st_mtime_ns
                for it in os.listdir(out) if it.endswith(".json")}
        for it in (out, whole):
            process = start_grid(files, "processes", it)
            assert process.communicate()[1] is None and not process.returncode
        for name, when in kept.items():
            equal(os.stat(os.path.join(out, name)).st_mtime_ns, when)
        equal({name: it for name, it in contents(out).items()
               if not name.endswith(".part")}, contents(whole))


def time_left():
    """the bar has the time that is left, at the pace of this run"""
    bar = importlib.import_module("tori.lab.runner").bar
    for (done, n, kept, passed), expected in (
            ((5, 20, 0, 10), "[##########..............................] "
                             "5/20, 30 s left"),
            ((50, 100, 40, 60), "50/100, 5 min left"),
            ((1, 500, 0, 60), "1/500, 8 h left"), ((20, 20, 3, 9), "20/20")):
        assert bar(done, n, kept, passed).strip().endswith(expected)


def plain_row(row):
    """A row that can be compared: NaN is not equal to itself."""
    return {name: {key: str(list(column)) for key, column in value.items()}
            if name == "table" else value for name, value in row.items()}


def differences():
    """pairs of simulations, job by job, with intervals by Student's t"""
    results = tori.grid(machine="torus:4x4x4", work="lublin", jobs=150,
                        load=0.8, wiring=["none", "torus"], seed=range(4),
                        progress=False, processes=2, keep_jobs=True)
    every = results.difference("wiring", "none", "torus", by=lambda job: (
        "small" if job["asked"] <= 8 else "large"))
    equal([it.group for it in every], [None, "large", "small"])
    whole = every[0]
    equal((whole.pairs, whole.jobs + whole.left_out), (4, 600))
    equal(sum(it.jobs for it in every[1:]), whole.jobs)
    means = []
    for seed in range(4):
        one, other = (tori.simulate("torus:4x4x4", "lublin", jobs=150,
                                    load=0.8, wiring=wiring, seed=seed
                                    ).table() for wiring in ("none", "torus"))
        means.append(statistics.fmean(
            float(b - a) for a, b, f, g in zip(
                one["wait"], other["wait"], one["fate"], other["fate"])
            if f == g == "done"))
    half = 3.18244630528 * statistics.stdev(means) / 2
    for ours, theirs in ((whole.mean, statistics.fmean(means)),
                         (whole.high - whole.mean, half),
                         (whole.mean - whole.low, half)):
        assert abs(ours - theirs) < 1e-6 * max(1, abs(theirs)), (ours, theirs)
    assert results.difference("wiring", "none", "torus", by="user")
    check_measures(results)
    check_resampled()
    single = tori.grid(machine="torus:4x4", work="lublin", jobs=40,
                       policy=["fcfs", "easy"], progress=False,
                       keep_jobs=True)
    equal(single.difference("policy", "fcfs", "easy")[0].low, None)
    for words in (("load", 1, 2), ("policy", "fcfs", "gone"),
                  ("policy", "fcfs", "easy", "mood")):
        raises(tori.Invalid, single.difference, *words)


def check_measures(results):
    """Any column of numbers, also in percent, by several columns."""
    for measure in ("slowdown", "bounded_slowdown", "distance", "response"):
        means = []
        for seed in range(4):
            one, other = (row["table"] for wiring in ("none", "torus")
                          for row in results
                          if (row["seed"], row["wiring"]) == (seed, wiring))
            values = [(float(a), float(b)) for a, b, f, g in zip(
                one[measure], other[measure], one["fate"], other["fate"])
                if f == g == "done" and not math.isnan(a + b)]
            before, after = (statistics.fmean(it) for it in zip(*values))
            means.append(100 * (after - before) / before)
        found = results.difference("wiring", "none", "torus", measure,
                                   percent=True)[0]
        near(found.mean, statistics.fmean(means), measure)
        near(found.high - found.mean,
             3.18244630528 * statistics.stdev(means) / 2, measure)
    equal([row["seed"] for row in results.only(seed=[1, 3], wiring="none")],
          [1, 3])
    raises(tori.Invalid, results.only, policy="easy")
    by_size = results.difference("wiring", "none", "torus", by="size")
    equal([it.group for it in by_size],
          [None, "1", "2", "3-4", "5-8", "9-16", "17-32", "33-64"])
    top = by_size.largest(2)
    most = sorted(by_size[1:], key=lambda it: -it.jobs)[:2]
    equal(sorted(it.jobs for it in top[1:]), sorted(it.jobs for it in most))
    equal(top[0], by_size[0])
    pairs = results.difference("wiring", "none", "torus",
                               by=("class", "wiring"))
    assert ("long wide", "none") in [it.group for it in pairs], pairs
    equal(sum(it.jobs for it in pairs[1:]), pairs[0].jobs)
    raises(tori.Invalid, results.difference, "wiring", "none", "torus", "fate")
    raises(tori.Invalid, results.difference, "wiring", "none", "torus",
           by="mood")
    for it in results.means("wait", by="size"):
        rows = [row for row in results
                if row["wiring"] == it.choices["wiring"]]
        if it.group is None:
            near(it.mean, statistics.fmean(r["wait.mean"] for r in rows))
            assert it.low < it.mean < it.high, it
            equal((it.samples, it.jobs), (4, sum(r["jobs"] for r in rows)))


def selected():
    """some of the jobs of a grid: by columns, dates and functions"""
    with tempfile.TemporaryDirectory(prefix="tori-python-") as files:
        path = os.path.join(files, "log.swf")
        with open(path, "w", encoding="utf-8") as file:
            file.write("; UnixStartTime: 852076800\n")  # 1997-01-01
            for i in range(60):
                file.write(f"{i + 1} {i * 43200} -1 {1000 + 977 * i % 9000} "
                           f"{1 + i * 7 % 20} -1 -1 -1 20000 -1 1 {i % 12} 1 "
                           f"-1 {i % 2} -1 -1 -1\n")
        results = tori.grid(machine="torus:4x4x4", work=path, warm_up="5jobs",
                            policy=["fcfs", "easy"], progress=False,
                            keep_jobs=True)
    every = results.select()
    for row, same in zip(results, every):
        assert "utilization" not in same
        for name, value in same.items():
            if isinstance(value, float):
                near(value, row[name], name)
        equal((same["jobs"], same["log_sha256"], same["policy"]),
              (row["jobs"], row["log_sha256"], row["policy"]))
    january = results.select(date=("1997-01-08", "1997-01-09"))
    equal(list(january.rows[0]["table"]["id"]), [15, 16])
    equal(list(results.select(date=(None, 43200)).rows[0]["table"]["id"]), [1])
    some = results.select(lambda job: job["queue"] == 1, user=[1, 3],
                          size=(2, 12)).rows[0]["table"]
    expected = [i + 1 for i in range(60) if i % 2 == 1 and i % 12 in (1, 3)
                and 2 <= 1 + i * 7 % 20 <= 12]
    equal(list(some["id"]), expected)
    users = [it.group for it in results.select(user=(0, 10)).difference(
        "policy", "fcfs", "easy", by="user")]
    equal(users, [None, *range(11)])
    equal(results.select(user=99).rows[0]["wait.mean"], 0)
    raises(tori.Invalid, results.select, mood=3)
    raises(tori.Invalid, results.select, size=(1, 2, 3))


def check_resampled():
    """Seeds that draw blocks of one log do not add up: the interval is that of
    a single one."""
    how = {"machine": "torus:4x4x4", "work": "lublin", "jobs": 150,
           "load": 0.8, "progress": False, "resample": 4 * 3600,
           "keep_jobs": True}
    results = tori.grid(wiring=["none", "torus"], seed=range(3), **how)
    means = [tori.Grid(results.axes, [
        row for row in results if row["seed"] == seed]).difference(
            "wiring", "none", "torus")[0].mean for seed in range(3)]
    found = results.difference("wiring", "none", "torus")[0]
    assert any("in only " in it for it in warned(
        tori.grid, **{**how, "resample": 10 * 3600})[1])
    equal([it for it in warned(tori.grid, **how)[1] if "in only " in it], [])
    half = 4.30265272991 * statistics.stdev(means)
    assert abs(found.high - found.mean - half) < 1e-6 * half, (found, half)
    wrong = tori.grid(wiring=["none", "torus"], **{**how, "resample": 1e12})
    why = raises(tori.Invalid, wrong.difference, "wiring", "none", "torus")
    assert "2 of 2 failed, the first: " in str(why), why


def failing():
    """failures follow the seed of the jobs, unless they have one of their own"""
    def waits(**words):
        result = tori.simulate("torus:4x4x4", "lublin", jobs=150, load=0.8,
                               mtbf=20 * 3600, **words)
        return str(list(result.table()["wait"]))  # NaN is not equal to itself
    equal(waits(seed=1), waits(seed=1, failure_seed=1))
    assert waits(seed=1) != waits(seed=1, failure_seed=2)


def changed_log():
    """a grid whose log has changed is computed again"""
    with tempfile.TemporaryDirectory() as files:
        log, out = os.path.join(files, "log.swf"), os.path.join(files, "out")

        def waits(second):
            with open(log, "w", encoding="utf-8") as file:
                for i in range(4):
                    file.write(f"{i + 1} {i} -1 {second} 8 -1 -1 8 {second} -1"
                               " 1 1 1 1 1 -1 -1 -1\n")
            return [row["wait.mean"] for row in tori.grid(
                out, machine="torus:2x2x2", work=log, seed=[1, 2],
                progress=False)]
        before = waits(100)
        assert waits(90000) != before


def refused():
    """a simulation in which no job can run is an error, with the reason"""
    work = tori.Workload("lublin", "torus:4x4", jobs=20)
    why = str(raises(tori.Invalid, tori.simulate, "torus:4x4", work,
                     alloc="mm"))
    assert why.startswith("all 20 jobs were rejected: "), why
    equal(str(raises(TypeError, tori.simulate, "torus:4x4", "lublin",
                     mood=1)), "mood: there is no such option")
    rows = tori.grid(machine="torus:4x4", work="lublin", jobs=20, alloc="mm",
                     shapes=["count", "compact"], progress=False).rows
    equal(["error" in row for row in rows], [False, True])


def stopped():
    """an interrupt ends a simulation at once, and so does an exception"""
    seen = []

    def progress(done, n):
        seen.append((done, n))
        raise KeyboardInterrupt

    raises(KeyboardInterrupt, tori.simulate, "torus:8x8", "lublin",
           jobs=20000, load=0.7, progress=progress)
    equal(len(seen), 1)


def frames():
    """tables for pandas, and lines for matplotlib"""
    try:
        import matplotlib
        import pandas  # noqa: F401
    except ImportError as missing:
        raise Skip(str(missing)) from None
    matplotlib.use("svg")
    result = tori.simulate("torus:4x4", "lublin", jobs=60, seed=2)
    frame = result.frame()
    equal(len(frame), 60)
    done = frame[frame.fate == "done"]
    assert abs(done.wait.mean() - result["wait.mean"]) < 1e-6
    both = tori.grid(machine="torus:4x4", work="lublin", jobs=60,
                     policy=["fcfs", "easy"], load=[0.5, 0.9], seed=range(2),
                     progress=False, keep_jobs=True)
    equal(len(both.frame()), 8)
    means = both.means("wait", by="size").frame()
    equal(set(means.columns) >= {"policy", "load", "group", "mean", "low"},
          True)
    users = both.difference("policy", "fcfs", "easy", by="user").frame()
    equal((users.group[0], users.group[1]), (None, -1))
    equal(len(both.jobs()), 8 * 60)
    axes = both.plot("load", "wait.mean", by="policy")
    equal(len(axes.lines), 2)


def study():
    """the example answers its question on a log, with a figure"""
    with tempfile.TemporaryDirectory(prefix="tori-python-") as files:
        path = os.path.join(files, "log.swf.gz")
        write_log(path, 7 * 24 * 3600 // 60)
        done = subprocess.run(
            [sys.executable, f"{SOURCE}/examples/study.py", path, "--machine",
             "torus:4x4x4", "--samples", "2", "--block", "3", "--by", "user",
             "--keep", f"{files}/kept", "--out", files],
            capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": f"{BUILD}/python"})
        # matplotlib may remark that it has to look for fonts first.
        assert done.returncode == 0, done.stderr
        # User 1 in four tables, and jobs of one node in two.
        equal(len(re.findall(r"^  1 .* to ", done.stdout, re.M)), 6)
        equal(done.stdout.count("jobs were started again"), 2)
        equal(sorted(name for name in os.listdir(files) if "kept" in name),
              ["kept.cases", "kept.failures"])
        equal(os.path.exists(f"{files}/study.svg"),
              "no figure" not in done.stdout)


def plain():
    """without numpy, all but studies; these say what they need"""
    text = ("import sys; sys.modules['numpy'] = None; import tori; "
            "s = tori.State('mesh:9x9'); "
            "p = tori.Allocator(s.machine, 'mm').place(s, count=4); "
            "print(list(p.nodes), s.free_bits[0])")
    found = [finished("env", f"PYTHONPATH={BUILD}/python", sys.executable,
                      "-c", code) for code in (
        text, text.replace("sys.modules['numpy'] = None; ", ""),
        text + "; tori.simulate")]
    equal(re.sub(r"np\.\w+\(([^)]*)\)", r"\1", found[1].stdout),
          found[0].stdout)
    assert found[2].stderr.strip().endswith(
        "ImportError: studies need numpy: python3-numpy"), found[2].stderr


# ---- the rest of the library, by the definitions ----

# Functions of the headers that Python has otherwise: fractions, texts, JSON as
# a dictionary, logs by Workload, exceptions, and what another call includes.
OTHERWISE = """tori_exact_\\w+ tori_wide_\\w+ tori_swf_\\w+ tori_snapshot_\\w+
    tori_error_\\w+ tori_\\w+_(name|parse|format|text|list) tori_why_by
    tori_forecast_by tori_machine_create(_mixed)? tori_machine_\\w+
    tori_box_\\w+ tori_shape_(count|equal|fits) tori_state_(machine|node)
    tori_wiring_(closes|read|of_rings|runs) tori_placement_begin
    tori_work_label_field tori_alloc_serves tori_net_(configuration|job|links|
    machine) tori_fluid_flows tori_gang_tree_machine tori_saved_messages
    tori_preemptive_(check|side) tori_contention_check tori_decide_row
    tori_sim_(is_saturated|policy_list) tori_sched_(adopt_suspended|get_config|
    head|move|next|next_end|promised|reserve|set_all_(up|drained)|unfinished)"""


def whole():
    """every other function of the library can be called"""
    with open(f"{SOURCE}/include/tori.map", encoding="utf-8") as file:
        exported = re.findall(r"^    (tori_\w+);", file.read(), re.M)
    used = set()
    for path in glob.glob(f"{SOURCE}/python/tori/**/*.py", recursive=True):
        with open(path, encoding="utf-8") as file:
            used |= set(re.findall(r"tori_\w+", file.read()))
    otherwise = re.compile("|".join(re.sub(r"\|\s+", "|", OTHERWISE).split()))
    equal([name for name in exported if name not in used
           and not otherwise.fullmatch(name)], [])

def plans():
    """plans are exact: each job gets its time, no two are in one place, and no
    deadline below the least is met"""
    rng = random.Random(1)
    for _ in range(40):
        jobs = [(rng.randint(1, 4), Fraction(rng.randint(1, 9),
                                             rng.randint(1, 7)))
                for _ in range(rng.randint(1, 6))]
        least = tori.plans.preemptive_least("torus:4x4", jobs)
        plan = tori.plans.preemptive("torus:4x4", jobs)
        equal((plan.feasible, plan.finish), (True, least))
        bounds = tori.plans.preemptive_bounds("torus:4x4", jobs)
        assert max(bounds.longest, bounds.area) <= least
        assert not tori.plans.preemptive(
            "torus:4x4", jobs, least - Fraction(1, 10 ** 20)).feasible
        for i, (size, time) in enumerate(jobs):
            own = [s for s in plan.segments if s.job == i]
            equal((sum(s.finish - s.start for s in own), {s.size for s in own}),
                  (time, {size}))
        for a, b in itertools.combinations(plan.segments, 2):
            apart = a.finish <= b.start or b.finish <= a.start
            assert apart or (a.job != b.job and (
                a.first + a.size <= b.first or b.first + b.size <= a.first))
    raises(tori.Invalid, tori.plans.preemptive, "torus:4x4",
           [(1, Fraction(1, 2 ** 127))])
    raises(tori.Never, tori.plans.preemptive, "torus:4x4", [(5, 1)])

    plan = tori.plans.contention("torus:8x8", [
        ("4x4", "1/2"), ("4x4", 3), ("2x4", 1), ("8x8", "0.25")], steps=50)
    equal(plan.makespan, max(place.finish for place in plan.places))
    equal(sorted(place.order for place in plan.places), [0, 1, 2, 3])
    for a, b in itertools.combinations(plan.places, 2):
        assert (a.finish <= b.start or b.finish <= a.start
                or a.subtorus.node_disjoint(b.subtorus))
        equal(not set(a.subtorus.nodes.tolist())
              & set(b.subtorus.nodes.tolist()),
              a.subtorus.node_disjoint(b.subtorus))
    assert all(place.finish - place.start >= place.time
               for place in plan.places)
    assert float(plan.makespan) >= plan.bounds.contention_free


def networks():
    """messages go the way of routes, and what links carry adds up"""
    machine = tori.Machine("torus:4x5m")
    for src, dst in itertools.product(range(20), repeat=2):
        way = tori.network.route(machine, src, dst)
        equal((way[0], way[-1], len(way) - 1),
              (src, dst, machine.distance(src, dst)))
        assert all(machine.distance(a, b) == 1 for a, b in zip(way, way[1:]))
        outside = tori.network.escape(machine, {src, dst})
        equal(outside is None, set(way) <= {src, dst} and set(
            tori.network.route(machine, dst, src)) <= {src, dst})
    result = tori.network.traffic(
        machine, [tori.network.TrafficJob(range(20), "all-to-all", flits=3)],
        messages=True, network={"vcs": 2})
    seen = [message for _job, message in result.messages]
    equal((len(seen), result.jobs[0].messages), (380, 380))
    equal([message.hops for message in seen],
          [machine.distance(message.src, message.dst) for message in seen])
    equal((int(result.links["flits"].sum()), result.flit_hops),
          (3 * sum(message.hops for message in seen),) * 2)
    near(result.jobs[0].latency.mean, sum(
        message.delivered - message.sent for message in seen) / 380)
    raises(ValueError, result.links.__setitem__, 0, 0)
    net = tori.network.Network(machine)
    for node in range(1, 20):
        net.send(0, node, flits=2, tag=node)
    net.run()
    equal(sorted(message.tag for message in net.receive()),
          list(range(1, 20)))
    equal((net.idle, net.pending, net.flits, net.stats().delivered), (
        True, 0, 0, 19))
    equal(sum(link.flits for link in net.links), net.flit_hops)
    net.verify()
    raises(tori.Invalid, tori.network.Network, "torus:8x8", vcs=99)
    raises(tori.Invalid, tori.network.Network, "torus:8x8", routing="random")
    raises(tori.Invalid, tori.network.targets, "gossip", 4)
    fluid = tori.network.Fluid("mesh:4")
    fluid.start([0, 1], "ring", message=10, tag=1)
    fluid.start([2, 3], "ring", message=30, tag=2)
    equal([(fluid.run(), fluid.time) for _ in range(3)],
          [(1, 10), (2, 30), (None, 30)])


def trees():
    """in a slot a processor runs a process of a partition that it is in, and
    every process runs in a pass"""
    tree = tori.gang.Tree("mesh:4x2")
    boxes = [set(tori.Placement.of(tree.machine, part.box).nodes.tolist())
             for part in tree]
    for part in tree:
        equal(len(boxes[part.node]), part.size)
        equal(set().union(*(boxes[i] for i in part.children)),
              boxes[part.node] if part.children else set())
        assert all(tree[i].parent == part.node for i in part.children)
    rng = random.Random(2)
    lengths = [rng.randint(0, 2) for _ in tree]
    table = tree.table(lengths)
    equal(table.shape, (tree.period(lengths), 8))
    ran = set()
    for row in table:
        for processor, (node, process) in enumerate(row.tolist()):
            if node < len(tree):
                assert processor in boxes[node] and process < lengths[node]
                equal({tuple(row.tolist()[i]) for i in boxes[node]},
                      {(node, process)})
                ran.add((node, process))
    equal(ran, {(node, i) for node, n in enumerate(lengths)
                for i in range(n)})
    world = tori.gang.World(tree, slot=10, switch_cost=2, turns=True)
    tasks = [world.add(i, 1 + i % 8, 30) for i in range(12)]
    world.run()
    equal(set(world.finished), set(tasks))
    for task in tasks:
        equal(sum(t.end - t.begin for t in world.turns if t.task == task), 30)
    equal((world.turn_count, world.left(0, 10 ** 6)), (len(world.turns), 0))
    raises(tori.Never, world.add, 10 ** 6, 9, 1)


def lying():
    """subcubes, folds, wirings, clusters and moves are what they say"""
    cubes = tori.cubes.Cubes("torus:4x4x4")
    taken = [cubes.request(shape) for shape in ("2x2x4", "1x16", "2x2", "4x4")]
    nodes = [node for place in taken for node in place.nodes.tolist()]
    equal((len(set(nodes)), cubes.free_count), (52, 12))
    equal(raises(tori.NotNow, cubes.request, "4x4").reason, "numerical")
    fold = tori.cubes.fold(taken[1], "1x16")
    equal(sorted(fold.nodes.tolist()), taken[1].nodes.tolist())
    steps = [cubes.machine.distance(int(a), int(b)) for a, b in
             zip(fold.nodes, fold.nodes[1:])]
    equal((max(steps), sum(steps) / 15), (fold.longest, fold.average))

    state = tori.State("torus:4x8")
    place = tori.Allocator(state.machine).place(state, "2x3", wiring="torus")
    links = tori.wiring.links(place)
    equal(len(set(links)), len(links))
    # Whole rings: a column of 4 for its width, a row of 8 for its height.
    height, width = map(int, place.box.split("/")[1].split("x"))
    equal(len(links), width * 4 + height * 8)
    state.hold(place)
    equal((tori.wiring.taken_count(state), all(
        tori.wiring.is_taken(state, link) for link in links)),
        (len(links), True))
    equal([tori.wiring.Link.of(state.machine, str(link)) for link in links],
          links)

    rng = random.Random(3)
    for _ in range(30):
        points = [(rng.randint(0, 9), rng.randint(0, 9)) for _ in range(9)]
        k = rng.randint(1, 5)
        found = tori.points.choose(points, k)
        equal(found.pairwise, tori.points.pairwise(points, found.chosen))
        equal(found.pairwise, min(
            sum(abs(a - c) + abs(b - d) for (a, b), (c, d) in
                itertools.combinations(some, 2))
            for some in itertools.combinations(points, k)))

    state = tori.State("mesh:4x4")
    jobs = [tori.room.Holder(tori.Placement.of(state.machine, box))
            for box in ("0,1/1x2", "2,0/2x1", "2,2/1x2")]
    for job in jobs:
        state.hold(job.place)
    room = tori.room.make(state, jobs, "2x4")
    for i, _to in room.moves:
        state.release(jobs[i].place)
    for _i, to in room.moves:
        state.hold(to)
    state.hold(room.place)
    equal((room.found, state.free_count), (True, 2))


def pickled():
    """values can be pickled, and are what they were"""
    machine = tori.Machine("torus:4x4")
    work = tori.network.traffic(machine, [tori.network.TrafficJob(range(4))])
    for it in (machine, tori.wiring.Link.of(machine, "0,0-0,1"),
               tori.subtorus.Subtori(machine, "2x2")[1],
               tori.plans.preemptive(machine, [(2, "1/3"), (3, 1)]),
               tori.plans.contention(machine, [("2x2", "1/3"), ("4x4", 1)]),
               tori.network.escape("torus:8", "0/6"), work.jobs,
               tori.gang.Tree(machine)[1],
               tori.Placement.of(machine, "0,3/2x1", "torus"),
               tori.Placement.of(machine, [3, 1]),
               tori.pods.slice_of(tori.Machine("pod:4/4x4x4"),
                                  ["0/4x4x4", "2/4x4x4"], "1x1x2", "torus"),
               tori.gang.Message("add_task", tori.gang.HOST, 0, count=2),
               tori.preemption.preempt(
                   machine, load=0.1, switches=1, slice=50,
                   network={"switching": "cut-through"})):
        again = pickle.loads(pickle.dumps(it))
        equal(again, it)
        equal(hash(again), hash(it))
        if not isinstance(it, (tuple, tori.Machine, tori.Placement)):
            raises(AttributeError, setattr, it, next(iter(vars(it))), None)
    around = tori.State("multitorus:8")
    tori.wiring.set_down(around, tori.wiring.Link.of(around.machine, "2-3"))
    raises(TypeError, pickle.dumps, tori.wiring.rewire(tori.Placement.of(
        around.machine, "2/3", "torus"), around))
    equal(list(pickle.loads(pickle.dumps(tori.subtorus.Subtori(
        machine, "2x4")))), list(tori.subtorus.Subtori(machine, "2x4")))
    equal(pickle.loads(pickle.dumps(work)).links.tolist(), work.links.tolist())
    for machine, request in (
            ("torus:4x4x4", {"shape": "2x3x4", "wiring": "torus"}),
            ("mesh:6x6", {"count": 7}), ("pod:8/4x4x4", {
                "shape": "8x8x4", "wiring": "torus"})):
        state = tori.State(machine)
        place = tori.Allocator(machine, "mm" if "count" in request else None
                               ).place(state, **request)
        again = pickle.loads(pickle.dumps(place))
        equal((again.boxes, again.wiring, again.nodes.tolist(),
               again.pairwise, tori.wiring.links(again)),
              (place.boxes, place.wiring, place.nodes.tolist(),
               place.pairwise, tori.wiring.links(place)))
        state.hold(again)
        if "count" not in request:
            raises(TypeError, pickle.dumps, state)
        state.release(place)
        state.hold(tori.Placement.of(state.machine, [3, 5]))
        state.set_down(3)
        state.set_drained(7)
        equal(pickle.loads(pickle.dumps(state)), state)
        state.set_down(3, False)
        assert pickle.loads(pickle.dumps(tori.State(machine))) != state
    sched = tori.Scheduler("torus:4x4", "easy")
    sched.submit(0, shape="4x3", time_limit=100)
    sched.submit(1, shape="4x4", time_limit=50)
    decision, = sched.run(1)
    equal(pickle.loads(pickle.dumps(decision)).place.box, decision.place.box)
    why, again = sched.why(2), pickle.loads(pickle.dumps(sched.why(2)))
    equal((again.text, again.start_place.box), (why.text, why.start_place.box))


def pickled_studies():
    """a workload, a result and a grid are the same when they are unpickled"""
    work = tori.Workload("lublin", "torus:4x4", jobs=50, load=0.7, seed=3)
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(work))))
    equal((len(again), again.offered, again.seed, str(again.table())),
          (50, work.offered, 3, str(work.table())))
    result = tori.simulate("torus:4x4", work, alloc="first-fit", quiet=True)
    equal(str(tori.simulate("torus:4x4", again, alloc="first-fit",
                            quiet=True).table()), str(result.table()))
    same = tori.Workload("lublin", "torus:4x4", jobs=50, load=0.7, seed=3)
    equal(work.__getstate__()["_c"], same.__getstate__()["_c"])  # no addresses
    other = pickle.loads(pickle.dumps(result))
    equal((dict(other), str(other.table()), other.warnings, other.source,
           other.reasons), (dict(result), str(result.table()),
                            result.warnings, result.source, result.reasons))
    results = tori.grid(machine="torus:4x4", work="lublin", jobs=50,
                        policy=["fcfs", "easy"], seed=range(2),
                        keep_jobs=True, progress=False)
    several = pickle.loads(pickle.dumps(results))
    equal([plain_row(row) for row in several],
          [plain_row(row) for row in results])
    for one, two in zip(results.difference("policy", "fcfs", "easy"),
                        several.difference("policy", "fcfs", "easy")):
        equal(pickle.loads(pickle.dumps(one)), two)


def tables():
    """jobs come from arrays and DataFrames as from a file of the same table"""
    columns = {"submit": numpy.arange(40) * 7.5, "run_time": [
        20 + i * 7 % 13 for i in range(40)], "nodes": numpy.array(
        [1 + i % 5 for i in range(40)]), "user": ["ann", "bob"] * 20}
    with tempfile.TemporaryDirectory(prefix="tori-python-") as files:
        path = os.path.join(files, "jobs.csv")
        with open(path, "w", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values()))
        expected = tori.Workload(path, "torus:4x4").table()
        other = dict(columns, shape=["2x2", "", "1x3", ""] * 10)
        equal(tori.Workload(other, "torus:4x4").shapes, "as-given")
    sources = [columns]
    try:
        import pandas
    except ImportError:
        pass
    else:
        sources.append(pandas.DataFrame(columns))
        begin = pandas.Timestamp("2026-03-01T09:30:00")
        sources.append(pandas.DataFrame(columns).assign(
            submit=begin + pandas.to_timedelta(columns["submit"] // 1, "s"),
            note=None))
        expected_dates = list(columns["submit"] // 1)
    for i, source in enumerate(sources):
        work = tori.Workload(source, "torus:4x4")
        table = work.table()
        assert len(work.log_sha256) == 64
        if i == 2:
            equal(list(table["submit"]), expected_dates)
            table["submit"] = expected["submit"]
        equal(str(table), str(expected))
        raises(ValueError, table["asked"].__setitem__, 0, 3)
    counts = tori.Workload(columns, "torus:4x4", shapes="count").table()
    equal(str(tori.Workload(counts, "torus:4x4").table()), str(counts))
    asked = tori.Workload(columns, "torus:4x4").table()["asked"]
    equal(asked.tolist(), columns["nodes"].tolist())  # its workload is kept
    results = tori.grid(machine="torus:4x4", work=[columns, "lublin"],
                        jobs=40, seed=[1], progress=False)
    equal(results["done"].tolist(), [40, 40])
    assert results.rows[0]["work"].startswith("jobs-"), results.rows[0]
    for wrong in (3, [columns]):
        raises(TypeError, tori.Workload, wrong, "torus:4x4")
    raises(tori.Invalid, tori.Workload, {"submit": [1, 2], "nodes": [1]},
           "torus:4x4")
    raises(tori.Invalid, tori.Workload, {"submit": [1]}, "torus:4x4")


class Widest:
    """A policy with a choice of its own."""

    def __init__(self, most):
        self.most = most

    def decide(self, _now, queue, _running, state):
        for job in queue:
            if job.nodes <= min(self.most, state.free_count):
                yield job


def own_axes():
    """policies of one's own on an axis are told apart by what they do"""
    with tempfile.TemporaryDirectory(prefix="tori-python-") as files:
        for most in (4, 16, 16):
            results = tori.grid(
                files, machine="torus:4x4", work="lublin", jobs=30,
                load=0.5, alloc="mm", policy=[Widest(most), "fcfs"],
                progress=False, processes=1)
            equal(results["policy"].tolist(), ["Widest", "fcfs"])
        equal(len(os.listdir(files)), 3)
        states = [tori.State("torus:4x4") for _ in range(3)]
        for i, state in enumerate(states[1:]):
            state.set_down(i)
        results = tori.grid(
            files, machine="torus:4x4", work="lublin", jobs=30, load=0.5,
            initial=states, alloc="mm", progress=False)
        equal(len(os.listdir(files)), 3 + 3)
        results = tori.grid(
            machine="torus:4x4", work="lublin", jobs=30, load=0.5, alloc="mm",
            network={"pattern": "ring", "rounds": 2}, progress=False)
        equal((results.axes, results["messages"][0] > 0), ([], True))


# ---- the service ----

def client():
    """jobs are submitted, watched and explained"""
    with Service() as service:
        torid = tori.Client(service.socket)
        with torid.events() as events:
            first = torid.submit(["sh", "-c", "while ! test -e go; do sleep "
                                  "0.02; done"], shape="4x4", time_limit="1h",
                                 directory=service.files)
            second = torid.submit(["true"], count=2, time_limit=60, key="k",
                                  directory=service.files, name="second")
            equal(torid.submit(["true"], count=2, time_limit=60, key="k",
                               directory=service.files, name="second"), second)
            seen = [next(events) for _ in range(3)]
            while seen[-1].kind == "executor" or len(
                    [e for e in seen if e.kind == "submitted"]) < 2:
                seen.append(next(events))
        equal([e.data["job"]["id"] for e in seen if e.kind == "submitted"],
              [first, second])
        equal(torid.why(second)["jobs"][0]["reason"], "numerical")
        equal(torid.why(first)["jobs"],
              [{"id": first, "reason": "running", "text": "it runs"}])
        equal(raises(tori.ServiceError, torid.why, 999).status, 404)
        equal([j["id"] for j in torid.forecast()], [second])
        equal([j["id"] for j in torid.jobs(state="queued", limit=1)],
              [second])
        equal(len(list(torid.jobs(limit=1))), 2)
        sched = tori.Scheduler.restore(torid.snapshot())
        equal((len(sched.running), len(sched.queued)), (1, 1))
        equal(str(sched.machine), torid.machine()["machine"])
        torid.change(second, priority=-1)
        with open(service.path("go"), "w", encoding="utf-8"):
            pass
        equal(torid.wait(second)["status"], 0)
        equal(torid.why(second)["jobs"],
              [{"id": second, "reason": "ended", "text": "it has ended"}])
        error = raises(tori.ServiceError, torid.job, 999)
        equal(error.status, 404)
        error = raises(tori.ServiceError, torid.submit, ["true"],
                       shape="9x9x9", time_limit=60)
        assert error.status >= 400 and error.code, error
        third = torid.submit(["sleep", "99"], count=1, time_limit=60,
                             directory=service.files)
        torid.cancel(third)
        equal(torid.wait(third)["state"], "ended")
    raises(OSError, tori.Client("/nowhere/socket").machine)


def by_token():
    """over TCP a token says who it is"""
    with Service(tcp=True, executor=None) as service:
        token = service.token("eve", "reader")
        address = f"http://127.0.0.1:{service.port}"
        equal(raises(tori.ServiceError, tori.Client(address).machine).status,
              401)
        reader = tori.Client(address, token)
        wait(lambda: known(reader), "the token is not known")
        equal(reader.machine()["machine"], "torus:4x4")
        error = raises(tori.ServiceError, reader.submit, ["true"], count=1,
                       time_limit=60)
        equal((error.status, error.code), (403, "readers-look"))


def known(reader):
    try:
        return bool(reader.machine())
    except tori.ServiceError:
        return False


sys.exit(run([sizes, differs, documented, guide, typed, typed_for_users, placing,
              without_a_copy, own_allocator, own_order,
              own_policies_simulated, decided, own_policy, simulated_parts, situations, reserving, defaults, scheduling, taken_over, snapshots, columns,
              scattered, measured, instead, given, grids, axes, of_runs, student,
              comparisons, intervals,
              left_out, units, on_threads, on_mpi, on_dask, sweep_elsewhere, killed_grid, time_left,
              differences, selected, failing, changed_log, refused, stopped,
              frames, study, plain, whole, plans, networks, trees, lying, pickled, pickled_studies, tables, own_axes, client, by_token]))
