"""A. Hori et al., "Time Space Sharing Scheduling and Architectural Support",
1995, section 4: how long it takes to drain a partition's network and to save its
routers, on partitions up to their 1,024 processors; and how long the CM-5's
all-fall-down takes instead. Section 3.3: what saved routers tell beside the
messages in them."""
from __future__ import annotations

import functools
import itertools
from typing import Any

from tori.network import Network
from tori.preemption import ROOT, Drain, Preemption, preempt

from . import HORI_1995, Run
from .rng import Random
from .sheets import Field, Row

CITATION = HORI_1995
WHAT = ("network preemption: how long a partition's network takes to be drained "
        "and saved, against the bound of section 4, and compared with the CM-5's "
        "all-fall-down")
TAKES = ("limit",)
QUICK = {"limit": 40}
ANSWER = (
    Field("printed", "of 1,024 processors", group=(
        Field("drain", "what the paper expects a drain to take at most",
              unit="cycles"),
        Field("save", "what it expects saving to take at most",
              unit="cycles"))),
    Field("rows", "every simulation", list=True, sheet="preemption", group=(
        Field("machine", "the machine"),
        Field("network", "the same in words", "machine"),
        Field("routers", "routers of the partition", "routers"),
        Field("load", "the load", "load", 2, "flits per node and cycle"),
        Field("method", "how the network is emptied", "method"),
        Field("partners", "nodes that each node sends to", "partners"),
        Field("messages", "messages in routers at the signal, in the mean",
              "messages"),
        Field("waiting", "packets that wait at their source, in the mean"),
        Field("drain", "from the signal to the last interrupt, in the mean",
              "drain", 1, "cycles"),
        Field("drain_most", "the same at most", "most", unit="cycles"),
        Field("bound", "Dmax Lmax + Dmax Hmax", "bound", unit="cycles"),
        Field("save", "to save a router, one word per cycle", "save",
              unit="cycles"),
        Field("words", "words of a router"),
        Field("words_used", "words in use of the fullest router", "words"),
        Field("sent", "messages that were sent", "sent"),
        Field("delivered", "messages that arrived"),
        Field("reordered", "messages overtaken by a later one of their pair",
              "overtaken"),
        Field("lost", "messages that did not arrive, or not as they were",
              "lost"),
        Field("contents", "whether all arrived as they were sent"))),
)

SWITCHES = 6
NET = {"switching": "cut-through", "buffer": 16}
# The first is theirs: its network partitions as a hypercube does.
MACHINES = (("mesh:2^10", "hypercube of 1024"), ("mesh:2^6", "hypercube of 64"),
            *((name, name) for name in (
                "torus:8x8", "torus:16x16", "torus:32x32", "mesh:32x32",
                "torus:8x8x8", "torus:10x10x10")))
# Flits per node and cycle; the last is more than any of these can carry.
LOADS = (0.05, 0.2, 0.4, 1.0)
# Nodes send to all others, or each to one.
KINDS = tuple((method, partners) for partners in (0, 1)
              for method in ("drain", "all-fall-down"))


# ---- section 4: drains ----

def switch_row(case: tuple[tuple[str, str], float, tuple[str, int]], cycles: int,
               seed: int) -> Row:
    (machine, name), load, (method, partners) = case
    result = preempt(machine, load=load, network=NET, drain={"method": method},
                     partners=partners, switches=SWITCHES, slice=cycles,
                     flits=16, seed=seed)
    drains = [it.drain for it in result.switches]
    last, n = drains[-1], len(drains)
    sent, delivered, reordered = (
        sum(getattr(it, what) for it in result.processes)
        for what in ("sent", "delivered", "reordered"))
    contents = all(it.sum_sent == it.sum_delivered and it.terminated
                   for it in result.processes)
    return {
        "machine": machine, "network": name, "routers": last.routers,
        "load": load, "method": method, "partners": partners or last.routers - 1,
        "messages": sum(it.messages / n for it in result.switches),
        "waiting": sum(it.waiting / n for it in drains),
        "drain": sum(it.cycles / n for it in drains),
        "drain_most": max(it.cycles for it in drains), "bound": last.bound,
        "save": last.save_cycles, "words": last.words,
        "words_used": max(it.words_used for it in drains), "sent": sent,
        "delivered": delivered, "reordered": reordered,
        "lost": sent - delivered + (not contents), "contents": contents}


def late_switches(result: Preemption) -> int:
    return sum(it.drain.cycles > it.drain.bound for it in result.switches)


def ring_late(seed: int) -> int:
    """Drains beyond the bound of a ring whose links have more virtual channels
    than Dmax, which is 1: channels share a link, which the bound does not take
    into account."""
    return late_switches(preempt("torus:3", load=1, network={**NET, "vcs": 8},
                                 switches=12, slice=97, flits=16, seed=seed))


# ---- section 3.3: what saved routers tell ----

NODES, TOTAL, FLITS, TURNS, OBJECTS = 16, 1024, 4, 300, 200


def end_of_computation(seed: int) -> dict[str, int]:
    """A diffusing computation on 16 nodes that is preempted again and again. At
    each look it has ended, or not, and its saved state says so, or not. A
    message of weight k makes its receiver send messages of weights k - 1 down to
    1, so it stands for 2^(k - 1) of them."""
    rng, net, heard = Random(seed, 71), Network("torus:4x4",
                                                switching="cut-through"), 0
    net.send(0, 5, FLITS, TOTAL.bit_length())

    def step() -> int:
        net.step()
        messages = net.receive()
        for message in messages:
            for k in range(message.tag - 1, 0, -1):
                net.send(message.dst, rng.below(NODES), FLITS, k)
        return len(messages)

    looks = {"looks": 0, "wrong": 0, "blind": 0}
    while heard < TOTAL and looks["looks"] < TURNS:
        heard += sum(step() for _ in range(25))
        drain = Drain(net, "0,0/4x4")
        while not drain.done:
            heard += step()
        saved = drain.save()
        # Nodes have heard all that came, so all of them are idle.
        told = saved.progress([(True, 0)] * NODES) == "terminated"
        ended = heard == TOTAL
        looks["looks"] += 1
        looks["wrong"] += told != ended
        looks["blind"] += not ended
        drain.load(saved)
        drain.release()
    return looks


class Heap:
    """16 nodes that pass on and drop references to objects."""

    def __init__(self, seed: int):
        self.rng = Random(seed, 71)
        self.net = Network("torus:4x4", switching="cut-through")
        self.held = [[int(node == i % NODES) for i in range(OBJECTS)]
                     for node in range(NODES)]
        self.sent = [0] * OBJECTS
        self.refers = [{self.rng.below(OBJECTS) for _ in range(2)}
                       for _ in range(OBJECTS)]

    def work(self) -> None:
        """Hear what has come, send on or drop a few references, and cut
        one."""
        below = self.rng.below
        for message in self.net.receive():
            self.sent[message.tag] -= 1
            self.held[message.dst][message.tag] += 1
        for _ in range(8):
            node, to, it = below(NODES), below(NODES), below(OBJECTS)
            if not self.held[node][it]:
                continue
            self.held[node][it] -= 1
            if below(5):
                self.sent[it] += 1
                self.net.send(node, to, FLITS, it)
        a, b = below(OBJECTS), below(OBJECTS)
        self.refers[a].discard(b)

    def rooted(self, it: int) -> bool:
        return any(held[it] for held in self.held)

    def living(self, routers: bool) -> set[int]:
        """By going through everything until nothing changes."""
        live = {it for it in range(OBJECTS)
                if self.rooted(it) or (routers and self.sent[it])}
        new = live
        while new:
            new = set().union(*(self.refers[it] for it in new)) - live
            live |= new
        return live

    def references(self) -> list[tuple[int, int]]:
        return [(a, b) for a in range(OBJECTS) for b in self.refers[a]] + [
            (ROOT, it) for it in range(OBJECTS) for held in self.held
            if held[it]]


def garbage(seed: int) -> dict[str, int]:
    """At each look, an object is alive or garbage, as is known by counting, and
    it is marked as that, or not."""
    heap, marks = Heap(seed), {"objects": 0, "wrong": 0, "blind": 0}
    for _ in range(TURNS):
        for _ in range(3):
            heap.net.step()
            heap.work()
        drain = Drain(heap.net, "0,0/4x4")
        while not drain.done:
            heap.net.step()
        heap.work()
        saved = drain.save()
        live = {it for it, is_live in enumerate(
            saved.live(heap.references(), OBJECTS)) if is_live}
        should = heap.living(True)
        marks["objects"] += OBJECTS
        marks["wrong"] += len(live ^ should)
        marks["blind"] += len(should - heap.living(False))
        drain.load(saved)
        drain.release()
    return marks


# ---- the entry ----

def compute(run: Run) -> None:
    work = functools.partial(switch_row, cycles=run.how.limit or 300,
                             seed=run.how.seed)
    run.answer = {"printed": {"drain": 200, "save": 2000},
                  "rows": run.map(work, itertools.product(MACHINES, LOADS,
                                                          KINDS))}


def longest_drain(run: Run) -> Any:
    """Of the paper's machine, at any load."""
    return max(row["drain_most"] for row in run.answer["rows"]
               if row["machine"] == MACHINES[0][0] and row["method"] == "drain")


def judge_saved(run: Run) -> None:
    """Saved routers are good for more than fast switches."""
    end, marks = end_of_computation(run.how.seed), garbage(run.how.seed)
    rows = run.answer["rows"]
    run.compare("Section 3.3", "the end of a computation, by saved routers",
                "detected", f"{end['looks'] - end['wrong']} of {end['looks']} "
                f"looks right, {end['looks'] - end['blind']} without routers",
                end["wrong"] == 0, "some looks are wrong")
    run.compare("Section 3.3", "global garbage collection, by saved routers",
                "the same technique",
                f"{marks['objects'] - marks['wrong']} of {marks['objects']} "
                f"marks right, {marks['blind']} living objects lost without "
                "routers", marks["wrong"] == 0,
                "some objects are marked wrong")
    lost = sum(row["lost"] for row in rows)
    run.compare("Section 3.3", "checkpointing: routers are stored and restored",
                "can be restarted",
                f"{lost} messages lost in {len(rows) * SWITCHES} switches",
                lost == 0, "messages are lost")


def judge(run: Run) -> None:
    rows = run.answer["rows"]
    first, small = rows[0], rows[len(LOADS) * len(KINDS)]
    drained = [row for row in rows if row["method"] == "drain"]
    fallen = [row for row in rows if row["method"] != "drain"]
    late = sum(row["drain_most"] > row["bound"] for row in drained)
    run.compare("Section 4", "bound Dmax Lmax + Dmax Hmax, 2 virtual channels",
                "never exceeded", f"exceeded in {late} of {len(drained)} drains",
                late == 0, "it is exceeded")
    ring = sum(run.map(ring_late, range(run.how.seed, run.how.seed + 20)))
    run.compare("Section 4", "the same, more virtual channels than Dmax",
                "never exceeded", f"exceeded in {ring} of 240 drains of torus:3 "
                "with 8 channels", ring == 0, "channels take turns on a link")
    drain = longest_drain(run)
    run.compare("Section 4", "drain of 1,024 processors, cycles", "< 200",
                f"{drain}, by the bound {first['bound']}",
                drain < run.answer["printed"]["drain"], "it takes longer")
    run.compare("Section 4", "saving or restoring routers, cycles", "< 2,000",
                first["save"], first["save"] < run.answer["printed"]["save"],
                "it takes longer")
    ordered, overtaken = (sum(row["reordered"] for row in some)
                          for some in (drained, fallen))
    run.compare("Section 3.3", "order of messages after a drain", "preserved",
                f"{ordered} overtaken", ordered == 0, "messages overtake")
    run.compare("Section 3.3", "the same after all-fall-down", "not preserved",
                f"{overtaken} overtaken", overtaken > 0, "none overtakes")
    run.compare("Section 3.3", "time to preempt a network",
                "may not depend on its size",
                f"{small['bound']} cycles for 64, {first['bound']} for 1,024",
                small["bound"] == first["bound"],
                "the bound grows with the diameter")
    judge_saved(run)
    time = (first["bound"] + 2 * first["save"]) / 50
    run.refuse("Section 4", "a switch on the RWC-1, us", "< 500",
               f"{time:.1f} for the network at 50 MHz",
               "kernels are not simulated")
    run.refuse("Section 4", "a switch on the CM-5, us", "4,000", "-",
               "it was measured on that machine")


def show(run: Run) -> None:
    run.say("Messages in routers; cycles from the signal to the last interrupt "
            "(mean and most of the switches) beside Dmax Lmax + Dmax Hmax; "
            "cycles to save a router, one word per cycle; words of the fullest "
            "one; messages overtaken by a later one of their pair. The same "
            "where all falls down, and with one partner for each node.\n")
    run.table("rows")
    run.say("\nWith 1,024 processors the paper expects less than "
            f"{run.answer['printed']['drain']} cycles to drain and less than "
            "2,000 to save or restore the routers. Here a hypercube of 1024 took "
            f"up to {longest_drain(run)} and {run.answer['rows'][0]['save']}.")
