#!/usr/bin/env python3
"""Usage: python.py BUILD-DIRECTORY PLACE-CALL

The cost of tori from Python: a call of `Allocator.place` beside
tori_alloc_place in C (PLACE-CALL), a list of nodes, and a simulation beside
`tori sim`. The goal is at most 5 microseconds more per call.
"""
import os
import resource
import subprocess
import sys
import time

BUILD, PLACE_CALL = sys.argv[1:3]
sys.path.insert(0, os.path.join(BUILD, "python"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../examples"))
# pylint: disable=wrong-import-position
import tori  # noqa: E402
from easy import Easy  # noqa: E402


def timed(call, times):
    """Microseconds of the processor for a call: the least of five rounds."""
    rounds = []
    for _ in range(5):
        begin = time.process_time()
        for _ in range(times):
            call()
        rounds.append((time.process_time() - begin) / times * 1e6)
    return min(rounds)


def calls():
    in_c = min(float(subprocess.run([PLACE_CALL], capture_output=True,
                                    text=True, check=True).stdout)
               for _ in range(5))
    state = tori.State("torus:8x8x8")
    alloc = tori.Allocator(state.machine, "first-fit")
    print(f"{'tori_alloc_place in C':40} {in_c:8.2f} us")
    for label, shape in (("Allocator.place, shape as a tuple", (2, 2, 4)),
                         ("Allocator.place, shape as text", "2x2x4")):
        here = timed(lambda: alloc.place(state, shape), 20000)
        print(f"{label:40} {here:8.2f} us  {here - in_c:+.2f}")
    big = tori.State("torus:32x32x32")
    mm = tori.Allocator(big.machine, "row-ff").place(big, count=16384)

    def nodes():
        mm._nodes = None  # pylint: disable=protected-access
        return mm.nodes
    print(f"{'16,384 nodes as an array, no copy':40} "
          f"{timed(nodes, 5000):8.2f} us")
    box = tori.Placement.of(big.machine, "0,0,0/16x32x32")

    def of_a_box():
        box._nodes = None  # pylint: disable=protected-access
        return box.nodes
    print(f"{'16,384 nodes of a box, written once':40} "
          f"{timed(of_a_box, 500):8.2f} us")


def simulations():
    """Making the jobs, and simulating them: processor time of each."""
    shapes, jobs = "compact", 50000
    words = [f"{BUILD}/tori", "sim", "--machine", "torus:8x8x8", "--sched",
             "easy", "--alloc", "first-fit", "--model", "lublin", "--jobs",
             str(jobs), "--load", "0.7", "--shapes", shapes, "--json",
             "--seed", "0"]
    command, here, table = [], [], []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        command.append(after.ru_utime + after.ru_stime - before.ru_utime
                       - before.ru_stime)
        begin = time.process_time()
        result = tori.simulate("torus:8x8x8", "lublin", jobs=jobs, load=0.7,
                               shapes=shapes, alloc="first-fit", seed=0)
        here.append(time.process_time() - begin)
        begin = time.process_time()
        result.table()
        table.append(time.process_time() - begin)
    print(f"{f'{jobs:,} jobs, tori sim':40} {min(command):8.3f} s")
    print(f"{f'{jobs:,} jobs, tori.simulate':40} {min(here):8.3f} s")
    print(f"{'their table':40} {min(table):8.3f} s")


def policies():
    """EASY of tori, and as a class of Python (examples/easy.py)."""
    work = tori.Workload("lublin", "torus:8x8x8", jobs=20000, load=0.7,
                         shapes="count", seed=0)
    for label, policy in (("20,000 jobs, easy", "easy"),
                          ("20,000 jobs, EASY in Python", Easy)):
        took = timed(lambda: tori.simulate("torus:8x8x8", work, policy=policy,
                                           alloc="row-ff"), 1)
        print(f"{label:40} {took / 1e6:8.3f} s")


calls()
simulations()
policies()
