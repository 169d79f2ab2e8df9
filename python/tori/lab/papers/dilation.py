"""S. K. S. Gupta and P. K. Srimani, "Job Scheduling for Torus Connected
Networks", 1997, section 2.2: jobs on interleaved subtori that share links
dilate each other. Their model's dilation beside that of jobs whose messages are
simulated flit by flit.

A job sends all the time, in phases, as the model supposes. It runs alone first
and then with others, all from cycle 0 on; its dilation is the time it takes then
over the time it took alone."""
from __future__ import annotations

import functools
import itertools
from typing import NamedTuple

from tori.network import TrafficJob, traffic
from tori.subtorus import Subtori, Subtorus

from . import GUPTA_1997, Run
from .sheets import Field, Row

CITATION = GUPTA_1997
WHAT = ("the model of contention of section 2.2 held against messages: how much "
        "longer jobs take that share links")
TAKES = ("limit",)
QUICK: dict[str, int] = {}
ANSWER = (
    Field("cells", "every case", list=True, sheet="dilation", group=(
        Field("machine", "the machine"),
        Field("side", "the side of a subtorus"),
        Field("subtori", "both in words", "subtori"),
        Field("pattern", "who sends to whom"),
        Field("traffic", "the same in words", "pattern"),
        Field("packet", "flits of a packet"),
        Field("flits", "flits of a message", "flits"),
        Field("jobs", "where the other jobs are"),
        Field("predicted", "how many times as long as alone the job takes, by "
              "the model", decimals=2),
        Field("measured", "the same with messages", decimals=2))),
)

SETTINGS = (("torus:8x8", 4), ("torus:16x16", 8), ("torus:16x16", 4))


class Pattern(NamedTuple):
    name: str
    pattern: str
    rounds: int  # about 64 phases of 16 nodes
    packet: int = 0  # flits at most; 0: the whole message


PATTERNS = (
    Pattern("ring", "ring", 64), Pattern("ring, packets of 8", "ring", 64, 8),
    Pattern("neighbour", "neighbour", 16), Pattern("random", "random", 64),
    Pattern("transpose", "transpose", 64), Pattern("fft", "fft", 16),
    Pattern("all-to-all", "all-to-all", 4))
FLITS = (1, 8, 64)


class Group(NamedTuple):
    """The jobs beside the one that is measured, which has offset 0,0: subtori
    of the same rows, link-disjoint ones (as many as there are), or all."""

    name: str
    company: str
    jobs: int = 0  # of a row
    share: int = 1  # the others are this many times shorter


GROUPS = (Group("disjoint", "set"), Group("2 in a row", "row", 2),
          Group("3 in a row", "row", 3), Group("4 in a row", "row", 4),
          Group("2, half", "row", 2, 2), Group("2, quarter", "row", 2, 4),
          Group("all", "every"))

def company(subtori: Subtori, group: Group) -> list[Subtorus]:
    """The subtori of a group, the measured job's first; none if the machine
    does not have so many in a row."""
    stride = subtori.strides[0]
    if group.company == "row":
        offsets = {(0, i) for i in range(group.jobs)}
        if group.jobs > stride:
            return []
    elif group.company == "set":
        offsets = {(i, i) for i in range(stride)}
    else:
        return list(subtori)
    return [it for it in subtori if it.offset in offsets]


def predict(subtori: list[Subtorus], share: int, stride: int) -> float:
    """Theorem 1 for the first job: 1/m of the time that each other job overlaps
    with it, if they share links; m, the number of jobs that can share a link,
    is the stride."""
    load = 0.0
    for other in subtori[1:]:
        if not subtori[0].link_disjoint(other):
            load += 1.0 / share / stride
    return 1 + load


def cases_of(case: tuple[tuple[str, int], Pattern, int], limit: int, seed: int
             ) -> list[Row]:
    """All groups of a setting, a pattern and a length of messages."""
    (name, side), pattern, flits = case
    subtori = Subtori(name, (side, side))
    rounds = min(pattern.rounds, limit or pattern.rounds)

    def finish(together: list[Subtorus], share: int = 1) -> int:
        """When the first of the jobs ends."""
        jobs = [TrafficJob(it.nodes, pattern.pattern, flits,
                           max(1, rounds // (share if i else 1)), it.shape)
                for i, it in enumerate(together)]
        return traffic(name, jobs, seed=seed, network={
            "vcs": 2, "buffer": 8, "packet": pattern.packet}).jobs[0].finish

    alone = finish([subtori[0]])
    rows = []
    for group in GROUPS:
        together = company(subtori, group)
        if together:
            rows.append({
                "machine": name, "side": side,
                "subtori": f"{name}, {side}x{side}",
                "pattern": pattern.pattern, "traffic": pattern.name,
                "packet": pattern.packet or flits, "flits": flits,
                "jobs": group.name,
                "predicted": predict(together, group.share, subtori.strides[0]),
                "measured": finish(together, group.share) / alone})
    return rows


def compute(run: Run) -> None:
    work = functools.partial(cases_of, limit=run.how.limit, seed=run.how.seed)
    cases = itertools.product(SETTINGS, PATTERNS, FLITS)
    run.answer = {"cells": [row for rows in run.map(work, cases)
                            for row in rows]}


def judge(run: Run) -> None:
    def measured(jobs: str) -> tuple[float, float]:
        """The least and the most in a company; of all patterns with messages
        of more than a flit."""
        found = [row["measured"] for row in run.answer["cells"]
                 if row["jobs"] == jobs and row["flits"] > 1
                 and row["subtori"] == "torus:8x8, 4x4"]
        return min(found), max(found)

    least, most = measured("disjoint")
    run.compare("Section 2.1, Figure 1", "dilation on link-disjoint subtori",
                "1", f"{least:.2f} to {most:.2f}",
                least > 0.995 and most < 1.005, "messages meet")
    least, most = measured("2 in a row")
    run.number("Section 2.2", "dilation of two jobs in a row of 8x8",
               "1.5 for all", f"{least:.2f} to {most:.2f}",
               (1.5, most if most - 1.5 > 1.5 - least else least),
               "it depends on the messages")


def show(run: Run) -> None:
    run.say("How many times as long as alone a job takes on the subtorus of "
            "offset 0,0. The others are link-disjoint with it, or in its rows, "
            "as long as it or shorter, or everywhere.")
    run.lines("\nBy the model\n")
    run.pivot("cells", ["subtori"], "jobs", "predicted")
    run.lines("\nMeasured\n")
    run.pivot("cells", ["subtori", "traffic", "flits"], "jobs", "measured")
