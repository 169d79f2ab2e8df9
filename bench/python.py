#!/usr/bin/env python3
"""Usage: python.py BUILD-DIRECTORY PLACE-CALL

The cost of tori from Python: a call of `Allocator.place` beside
tori_alloc_place in C (PLACE-CALL), a list of nodes, and a simulation beside
`tori sim`. The goal is at most 5 microseconds more per call.
"""
import json
import os
import subprocess
import sys
import time

BUILD, PLACE_CALL = sys.argv[1:3]
sys.path.insert(0, os.path.join(BUILD, "python"))
import tori  # noqa: E402  pylint: disable=wrong-import-position


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
    print(f"{'16,384 nodes as an array':40} {timed(nodes, 5000):8.2f} us")


def simulations():
    words = {"machine": "torus:8x8x8", "policy": "easy", "alloc": "first-fit"}
    done = subprocess.run(
        [f"{BUILD}/tori", "sim", "--machine", words["machine"], "--sched",
         words["policy"], "--alloc", words["alloc"], "--model", "lublin",
         "--jobs", "20000", "--load", "0.7", "--shapes", "compact", "--json",
         "--timing", "--seed", "0"], capture_output=True, text=True, check=True)
    command = json.loads(done.stdout)["seconds"]
    work = tori.Workload("lublin", words["machine"], jobs=20000, load=0.7)
    begin = time.process_time()
    tori.simulate(work=work, **words)
    here = time.process_time() - begin
    print(f"{'20,000 jobs, tori sim':40} {command:8.3f} s")
    print(f"{'20,000 jobs, tori.simulate':40} {here:8.3f} s")


calls()
simulations()
