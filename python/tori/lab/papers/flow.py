"""M. A. Bender et al., "Communication-Aware Processor Allocation for
Supercomputers", 2005, section 6: the log of the NASA Ames iPSC/860 with the sizes
of jobs divided by 4, on 32 processors, with messages that move through the
network; which allocator gives the least mean flow time.

The paper gives neither the shape of the mesh (4x8, as it is said not to be
square), nor the pattern of the messages, nor how many there are. So there are
several patterns; nodes that send at the speed of a link for all of their time in
the log, at three quarters and at half of it; and, as jobs that run longer may be
more than the machine can take, two lower loads."""
from __future__ import annotations

import functools
import itertools
import os
from typing import Any, Iterable, Optional

from tori import Failed
from tori.network import Fluid, TrafficJob, traffic

from .. import Workload, simulate
from . import BENDER_2005, Run, traces
from .rng import Random
from .sheets import Field, Row

CITATION = BENDER_2005
WHAT = ("Section 6: which allocator gives the least flow time once messages share "
        "the links")
TAKES = ("traces", "model", "limit")
QUICK = {"limit": 3000}
ANSWER = (
    Field("jobs_of", "the log or the model"),
    Field("jobs", "how many jobs there are"),
    Field("printed", "the allocators as the paper ranks them", list=True),
    Field("runs", "every simulation", list=True, sheet="flow", group=(
        Field("speed", "what a node sends of what a link carries", "speed"),
        Field("inject", "the same as a number"),
        Field("load", "the load that arrivals are stretched to; null: as they "
              "are"),
        Field("arrivals", "the same in words", "load"),
        Field("pattern", "who sends to whom", "messages"),
        Field("rounds", "how often a job goes through it"),
        Field("alloc", "the allocator"),
        Field("flow", "mean time from submission to end", decimals=1, unit="s"),
        Field("wait", "mean wait", unit="s"),
        Field("stretch", "time that jobs ran over that in the log, in the mean",
              decimals=4),
        Field("utilization", "the utilization"),
        Field("ranking", "the allocators by flow time, best first",
              "best first"),
        Field("as_printed", "whether the first three rank as printed",
              "as printed"))),
    Field("flits", "the fluid model beside the flit level", list=True,
          sheet="flow-flits", group=(
              Field("jobs", "where the jobs are", "jobs"),
              Field("pattern", "who sends to whom", "messages"),
              Field("flits", "flits of a message", "flits"),
              Field("packet", "flits of a packet", "packets"),
              Field("cycles", "when jobs end by flits, in the mean", "cycles", 1,
                    "cycles"),
              Field("fluid", "the same by flows", "fluid", 1, "cycles"),
              Field("apart", "fluid over cycles, less 1", "apart, %", 1,
                    scale=100),
              Field("worst", "the same of the job that is furthest apart",
                    "worst, %", 1, scale=100))),
)

MESH, LOG = "mesh:4x8", "NASA-iPSC-1993-3.1-cln.swf"
# The paper ranks the first three of these, in this order.
ALLOCS = ("mc1x1", "mm", "exact", "hilbert-bf")
RANKED = ALLOCS[:3]
PATTERNS = (("all-to-all", 1), ("nbody", 1), ("random", 16), ("ring", 1))
# The most that a node sends, as a part of a link's rate, and the load to which
# arrivals are stretched, in percent; 0: as they are.
SETTINGS = ((1, 1, 0), (3, 4, 0), (1, 2, 0), (1, 1, 30), (1, 1, 20))
MODEL_LOAD = 0.47  # as in the log

Setting = tuple[int, int, int]
Rounds = tuple[str, int]


# ---- the jobs ----

def find_log(how: Any) -> Optional[str]:
    """The path of the log, or None for a model's jobs."""
    if how.model:
        return None
    path = traces.find(how.traces, LOG)
    if path is None:
        raise Failed(f"{LOG}, plain or .gz, is not in "
                     f"{traces.said(how.traces)}; {traces.ARCHIVE} has it, "
                     "--traces says where it is, and --model lublin does "
                     "without")
    return path


@functools.cache  # also of processes that are forked
def jobs_of(path: Optional[str], model: str, load: int, limit: int, seed: int
            ) -> Workload:
    if path:
        return traces.read(path, MESH, load=load / 100, scale_num=1,
                           scale_den=4, limit=limit, seed=seed, shapes="count")
    return Workload(model, MESH, load=load / 100 or MODEL_LOAD, limit=limit,
                    seed=seed, jobs=limit or 10000, shapes="count")


# ---- simulations ----

def run_row(case: tuple[Setting, Rounds, str],
            source: tuple[Optional[str], str], limit: int, seed: int) -> Row:
    (num, den, load), (pattern, rounds), alloc = case
    result = simulate(
        MESH, jobs_of(*source, load, limit, seed), policy="fcfs", alloc=alloc,
        placements=False, quiet=True, network={
            "pattern": pattern, "rounds": rounds, "node": num, "link": den,
            "seed": seed})
    return {"speed": f"{num}/{den}", "inject": num / den,
            "load": load / 100 if load else None,
            "arrivals": f"{load} %" if load else "as it is",
            "pattern": pattern, "rounds": rounds, "alloc": alloc,
            "flow": result["response.mean"], "wait": result["wait.mean"],
            "stretch": result["stretch.mean"],
            "utilization": result["utilization"]}


def cases_of(rows: list[Row]) -> Iterable[dict[str, Row]]:
    """The runs of one pattern and setting, by allocator."""
    for i in range(0, len(rows), len(ALLOCS)):
        yield {row["alloc"]: row for row in rows[i:i + len(ALLOCS)]}


def rank(case: dict[str, Row]) -> None:
    ranking = sorted(ALLOCS, key=lambda it: float(case[it]["flow"]))
    first = tuple(alloc for alloc in ranking if alloc in RANKED)
    for row in case.values():
        row["ranking"] = ", ".join(ranking)
        row["as_printed"] = first == RANKED


# ---- the fluid model beside the flit level ----

SIDE, TICKS = 8, 1000  # ticks of the fluid model in a cycle
# Long messages hold up the packets after them; cut into packets they do so less.
LENGTHS = ((16, 16), (128, 128), (128, 16))
TALKS = (("all-to-all", 1), ("nbody", 1), ("random", 16), ("ring", 1),
         ("fft", 1))


def scattered() -> list[int]:
    """Four jobs with as many nodes each, anywhere."""
    rng, job_of = Random(1, 0), [0] * SIDE**2
    for i in range(SIDE**2):
        j = rng.below(i + 1)
        job_of[i], job_of[j] = job_of[j], i % 4
    return job_of


# The job that each node belongs to.
PLACES = (
    ("one job of 64 nodes", [0] * SIDE**2),
    ("four jobs, a quadrant each",
     [i // SIDE // 4 * 2 + i % SIDE // 4 for i in range(SIDE**2)]),
    ("four jobs, scattered", scattered()))


def flit_row(case: tuple[tuple[str, list[int]], Rounds, tuple[int, int]]
             ) -> Row:
    """The flit level has buffers, packets that wait for each other and the time
    that the first flit takes; flows have only the last."""
    (name, job_of), (pattern, rounds), (flits, packet) = case
    jobs = [[node for node, of in enumerate(job_of) if of == job]
            for job in range(max(job_of) + 1)]
    by_flits = [float(job.finish) for job in traffic(
        "mesh:8x8", [TrafficJob(nodes, pattern, flits, rounds)
                     for nodes in jobs],
        seed=1, network={"packet": packet}).jobs]
    fluid, by_flows = Fluid("mesh:8x8", latency=TICKS), [0.0] * len(jobs)
    for tag, nodes in enumerate(jobs):
        fluid.start(nodes, pattern, rounds=rounds, seed=1,
                    message=flits * TICKS, tag=tag)
    while (ended := fluid.run()) is not None:
        by_flows[ended] = fluid.time / TICKS
    cycles, flows = (sum(time / len(jobs) for time in times)
                     for times in (by_flits, by_flows))
    return {"jobs": name, "pattern": pattern, "flits": flits, "packet": packet,
            "cycles": cycles, "fluid": flows,
            "apart": (flows - cycles) / cycles,
            "worst": max(((b - a) / a for a, b in zip(by_flits, by_flows)),
                         key=abs)}


# ---- the entry ----

def compute(run: Run) -> None:
    how = run.how
    path = find_log(how)
    works = [jobs_of(path, how.model, load, how.limit, how.seed)
             for *_, load in SETTINGS]
    rows = run.map(functools.partial(run_row, source=(path, how.model),
                                     limit=how.limit, seed=how.seed),
                   itertools.product(SETTINGS, PATTERNS, ALLOCS))
    for case in cases_of(rows):
        rank(case)
    run.answer = {
        "jobs_of": os.path.basename(path) if path else how.model,
        "jobs": len(works[0]), "printed": list(RANKED), "runs": rows,
        "flits": run.map(flit_row, itertools.product(PLACES, TALKS, LENGTHS))}


def judge(run: Run) -> None:
    cases = list(cases_of(run.answer["runs"]))

    def flow(case: dict[str, Row], alloc: str) -> float:
        return float(case[alloc]["flow"])

    beaten = sum(flow(case, "exact") > min(flow(case, it) for it in RANKED)
                 for case in cases)
    run.compare("Section 6", "a case in which greedy is not the best over time",
                "1 log", f"{beaten} of {len(cases)} cases", beaten > 0,
                "there is none")
    for value, printed, so, why in (
            ("flow time: mc1x1, mm, greedy", "1 log",
             [case["exact"]["as_printed"] for case in cases],
             "mesh, pattern and amount of messages are not given"),
            ("hilbert-bf worse than all three", "1 log, much",
             [flow(case, "hilbert-bf") > max(flow(case, it) for it in RANKED)
              for case in cases], "our curve has no break on 4x8")):
        # One log has no interval.
        run.order("Section 6", value, printed, f"{sum(so)} of {len(so)} cases",
                  [(1 if it else -1, 0) for it in so], why)


def show(run: Run) -> None:
    run.say("Mean flow time of a job, in seconds, on a 4x8 mesh, first come, "
            f"first served: {run.answer['jobs_of']}, {run.answer['jobs']} "
            f"jobs{'' if run.how.model else ', sizes / 4'}. A job ends when its "
            "messages are through (tori sim --network fluid). exact is the "
            "greedy placement of least pairwise distance at each step. Printed: "
            "mc1x1 was best, followed by mm, and then greedy; hilbert-bf was "
            "much worse than all three, in part due to difficulties using it on "
            "a nonsquare mesh.")
    rows, each = run.answer["runs"], len(PATTERNS) * len(ALLOCS)
    for i, (num, den, load) in enumerate(SETTINGS):
        run.lines("\nnodes send " + (f"{num}/{den} of what a link carries"
                                     if num < den
                                     else "as much as a link carries")
                  + (f", arrivals stretched to a load of {load} %" if load
                     else "") + "\n")
        run.pivot("runs", ["pattern", "ranking", "as_printed"], "alloc", "flow",
                  rows[i * each:(i + 1) * each])
    run.lines("\ntime that jobs ran over their time in the log, mean\n")
    run.pivot("runs", ["speed", "arrivals", "pattern"], "alloc", "stretch")
    run.say("\nThe fluid model beside the flit level: when jobs end, on an 8x8 "
            "mesh, wormhole, 2 virtual channels of 8 flits; mean over the jobs, "
            "and the job that is furthest apart. The columns flits and packets "
            "are the lengths of both, in flits.\n")
    run.table("flits")
