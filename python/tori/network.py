"""Messages in the network: flit by flit, as traffic of jobs, or as flows; and
partitions that disturb each other. Times are in cycles, or in ticks of a
fluid."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

from ._library import (Invalid, array_of, check, choice, ffi, lib, made,
                       pointer_to, records, sized, value)
from .place import (Machine, Node, Nodes, Placement, Shape, _names,
                    fill_shape)

_SWITCHINGS = ("wormhole", "cut-through")
_ROUTINGS = ("dimension-order", "adaptive")


# ---- who sends to whom ----

def patterns() -> list[str]:
    """The names of the patterns in which processes talk.

    >>> patterns()[:2]
    ['all-to-all', 'ring']
    """
    return list(_names(lib.tori_pattern_list))


def pattern_number(name: str) -> int:
    found = lib.tori_pattern_find(name.encode())
    if found < 0:
        raise Invalid(f"there is no pattern {name}: {', '.join(patterns())}")
    return int(found)


def phases(pattern: str, n: int) -> int:
    """How many phases a round of n processes has.

    >>> phases("all-to-all", 8)
    7
    """
    return int(lib.tori_pattern_phases(pattern_number(pattern), n))


def targets(pattern: str, n: int, phase: int = 0, seed: int = 0) -> Any:
    """To whom each of n processes sends in a phase, as an array; to itself if
    it sends nothing.

    >>> targets("ring", 4).tolist()
    [1, 2, 3, 0]
    """
    own = array_of("uint32_t", n)
    lib.tori_pattern_targets(pattern_number(pattern), n, phase, seed,
                             pointer_to("uint32_t", own) if n else ffi.NULL)
    return own


def route(machine: Union[str, Machine], src: Node, dst: Node) -> list[int]:
    """The nodes on the way of a message in dimension order, with both ends.

    >>> route("torus:4x4", "0,0", "3,1")
    [0, 12, 13]
    """
    machine = Machine(machine)
    way, to = [machine.id(src)], machine.id(dst)
    step = ffi.new("int[2]")
    while way[-1] != to:
        way.append(int(lib.tori_route_next(machine._c, way[0], way[-1], to,
                                           step, step + 1)))
    return way


# ---- flit by flit ----

@dataclass(frozen=True)
class Message:
    """A message that was delivered. `entered` is the cycle in which its first
    flit left, `blocked` the cycles beyond what it would need alone."""

    src: int
    dst: int
    flits: int
    job: int
    tag: int
    hops: int
    sent: int
    entered: int
    delivered: int
    blocked: int


@dataclass(frozen=True)
class Stats:
    """The messages of a job so far. All but the numbers of messages and flits
    are sums over messages."""

    sent: int
    delivered: int
    flits_sent: int
    flits_delivered: int
    latency: int
    latency_most: int
    waited: int
    blocked: int
    hops: int


@dataclass(frozen=True)
class Link:
    """A link of the network, one way."""

    src: int
    dst: int
    dim: int
    step: int
    flits: int


def net_config(switching: str = "wormhole", routing: str = "dimension-order",
               **options: int) -> Any:
    """A tori_net_config; the options are vcs, buffer, width and packet."""
    return sized("tori_net_config",
                 switching=choice("switching", _SWITCHINGS, switching),
                 routing=choice("routing", _ROUTINGS, routing), **options)


class Network:
    """A network of routers, at cycle 0. `switching` is "wormhole" or
    "cut-through", `routing` "dimension-order" or "adaptive"; `vcs`, `buffer`,
    `width` and `packet` are as in tori/net.h.

    >>> net = Network("torus:4x4", buffer=4)
    >>> net.send("0,0", "2,2", flits=8)
    >>> net.run()
    >>> [(message.hops, message.delivered) for message in net.receive()]
    [(4, 12)]
    """

    def __init__(self, machine: Union[str, Machine], *,
                 switching: str = "wormhole",
                 routing: str = "dimension-order", **options: int):
        self.machine = Machine(machine)
        config = net_config(switching, routing, **options)
        self._c = made("tori_net", lib.tori_net_create, lib.tori_net_destroy,
                       self.machine._c, config, keep=self.machine._c)
        self._err = ffi.new("tori_error *")

    def assign(self, job: int, nodes: Iterable[Node]) -> None:
        """Give nodes to a job. Messages stay within a job."""
        ids = [self.machine.id(node) for node in nodes]
        check(lib.tori_net_assign(self._c, job, ids, len(ids), self._err),
              self._err)

    def send(self, src: Node, dst: Node, flits: int = 1, tag: int = 0) -> None:
        """Put a message into the queue of its source."""
        check(lib.tori_net_send(self._c, self.machine.id(src),
                                self.machine.id(dst), flits, tag, self._err),
              self._err)

    def step(self) -> None:
        """Simulate a cycle."""
        lib.tori_net_step(self._c)

    def run(self, until: Optional[int] = None, *, stop: bool = False) -> None:
        """Simulate until a cycle, or until nothing can move any more; with
        `stop`, no longer than until a message has been delivered."""
        lib.tori_net_run(self._c, 2 ** 64 - 1 if until is None else until,
                         stop)

    def receive(self) -> list[Message]:
        """Take the delivered messages, in the order of delivery."""
        out = ffi.new("tori_net_message *")
        found = []
        while lib.tori_net_receive(self._c, out):
            found.append(value(Message, out))
        return found

    @property
    def time(self) -> int:
        return int(lib.tori_net_time(self._c))

    @property
    def idle(self) -> bool:
        """Whether nothing can move until something is sent."""
        return bool(lib.tori_net_idle(self._c))

    @property
    def pending(self) -> int:
        """Messages that were sent and not yet delivered."""
        return int(lib.tori_net_pending(self._c))

    @property
    def flits(self) -> int:
        """Flits under way."""
        return int(lib.tori_net_flits(self._c))

    @property
    def flit_hops(self) -> int:
        """Flits times links that they have crossed."""
        return int(lib.tori_net_flit_hops(self._c))

    def stats(self, job: int = 0) -> Stats:
        out = ffi.new("tori_net_stats *")
        lib.tori_net_job_stats(self._c, job, out)
        return value(Stats, out)

    @property
    def links(self) -> list[Link]:
        """All links, and what they have carried."""
        out = ffi.new("tori_net_link *")
        found: list[Link] = []
        while lib.tori_net_link_at(self._c, len(found), out):
            found.append(Link(getattr(out, "from"), out.to, out.dim,
                              out.step, out.flits))
        return found

    def reset_counts(self) -> None:
        """Count links and jobs anew, as at the end of a warm-up."""
        lib.tori_net_reset_counts(self._c)

    def verify(self) -> None:
        """Fail if the network is inconsistent; slow."""
        check(lib.tori_net_check(self._c, self._err), self._err)

    def __repr__(self) -> str:
        return f"<Network of {self.machine}: cycle {self.time}>"


# ---- traffic ----

@dataclass(frozen=True)
class TrafficJob:
    """A job that sends messages among its nodes. `pattern` is one of
    patterns(), "neighbour", which needs a `shape`, or "list": then `messages`
    has a source, destination, flits and cycle of each, in the order of
    cycles."""

    nodes: Sequence[int]
    pattern: str = "all-to-all"
    flits: int = 1
    rounds: int = 1
    shape: Optional[Shape] = None
    messages: Sequence[tuple[int, int, int, int]] = ()


@dataclass(frozen=True)
class Sample:
    """A sample in numbers; percentiles by nearest rank."""

    mean: float
    p50: int
    p90: int
    p99: int
    max: int


@dataclass(frozen=True)
class Outcome:
    """The messages of a job that were measured. `latency` is in cycles from
    being sent to delivery; `waited` the part of it at the source, `blocked`
    what is beyond a message alone, both means; `offered` and `accepted` are
    flits per node and cycle."""

    messages: int
    flits: int
    latency: Sample
    waited: float
    blocked: float
    hops: float
    offered: float
    accepted: float
    finish: int
    saturated: bool
    unfinished: bool


@dataclass(frozen=True, eq=False)
class Traffic:
    """What came of the jobs. `links` is a numpy array with the fields from,
    to, dim, step and flits, for each link."""

    jobs: tuple[Outcome, ...]
    links: Any = field(repr=False)
    measured: int
    cycles: int
    flit_hops: int
    messages: Sequence[tuple[int, Message]] = field(default=(), repr=False)


_OWN_PATTERNS = {"neighbour": lib.TORI_TRAFFIC_NEIGHBOUR,
                 "list": lib.TORI_TRAFFIC_LIST}


def _fill_traffic(to: Any, job: TrafficJob) -> Any:
    """Returns what it points to."""
    nodes = ffi.new("uint32_t[]", [int(node) for node in job.nodes])
    shape = ffi.NULL
    if job.shape is not None:
        shape = ffi.new("tori_shape *")
        fill_shape(shape[0], job.shape)
    listed = ffi.new("tori_traffic_message[]", [
        {"src": src, "dst": dst, "flits": flits, "time": time}
        for src, dst, flits, time in job.messages])
    to.nodes, to.n, to.shape = nodes, len(nodes), shape
    to.pattern = (_OWN_PATTERNS[job.pattern] if job.pattern in _OWN_PATTERNS
                  else pattern_number(job.pattern))
    to.flits, to.rounds = job.flits, job.rounds
    to.list, to.nlist = listed, len(listed)
    return nodes, shape, listed


def traffic(machine: Union[str, Machine], jobs: Iterable[TrafficJob], *,
            rate: float = 0, warmup: int = 0, cycles: int = 0, limit: int = 0,
            seed: int = 0, messages: bool = False,
            network: Optional[Mapping[str, Any]] = None) -> Traffic:
    """Let jobs send messages. With a `rate`, in flits per node and cycle,
    messages begin at random and those of `cycles` after the `warmup` are
    measured; without, each phase begins when the one before is through, up to
    the cycle `limit`. `network` has the options of Network. With `messages`
    the result has each measured message, with the index of its job.

    >>> result = traffic("mesh:4x4", [TrafficJob(range(16), "ring", flits=4)])
    >>> result.jobs[0].messages, result.jobs[0].finish, len(result.links)
    (16, 10, 48)
    """
    machine = Machine(machine)
    listed = list(jobs)
    own = ffi.new("tori_traffic_job[]", len(listed))
    keep = [_fill_traffic(to, job) for to, job in zip(own, listed)]
    seen: list[tuple[int, Message]] = []
    net = net_config(**(network or {}))
    config = sized("tori_traffic_config", machine=machine._c, net=net,
                   jobs=own, njobs=len(own), rate=rate, warmup=warmup,
                   cycles=cycles, limit=limit, seed=seed)
    if messages:
        call = ffi.callback(
            "void(void *, size_t, const tori_net_message *)",
            lambda _arg, job, it: seen.append((job, value(Message, it))))
        config.on_message = call
    out = ffi.gc(ffi.new("tori_traffic_result *"), lib.tori_traffic_clear)
    err = ffi.new("tori_error *")
    check(lib.tori_traffic_run(config, out, err), err)
    del keep
    return Traffic(
        tuple(value(Outcome, out.jobs[i], latency=value(
            Sample, out.jobs[i].latency)) for i in range(out.njobs)),
        records(out.links, "tori_net_link", out.nlinks, out),
        out.measured, out.cycles, out.flit_hops, tuple(seen))


# ---- flows ----

@dataclass(frozen=True)
class Flow:
    """A message under way, with its rate and what is left of it."""

    src: int
    dst: int
    tag: int
    rate: float
    left: float


class Fluid:
    """Messages as flows that share links fairly, at time 0. A link carries
    `link` per tick, a node sends and receives `node`, and `latency` is in
    ticks per hop.

    >>> fluid = Fluid("torus:4x4")
    >>> fluid.start(range(8), "all-to-all", time=100, tag=7)
    >>> fluid.run(), fluid.time > 100
    (7, True)
    """

    def __init__(self, machine: Union[str, Machine], *, link: int = 1,
                 node: int = 1, latency: int = 0):
        self.machine = Machine(machine)
        config = sized("tori_fluid_config", link=link, node=node,
                       latency=latency)
        self._c = made("tori_fluid", lib.tori_fluid_create,
                       lib.tori_fluid_destroy, self.machine._c, config,
                       keep=self.machine._c)

    def start(self, nodes: Iterable[Node], pattern: str = "all-to-all", *,
              time: int = 0, message: int = 0, rounds: int = 1, seed: int = 0,
              tag: int = 0) -> None:
        """Start a job: its messages have this length, or the one with which it
        would take `time` if only its nodes limited it."""
        ids = ffi.new("uint32_t[]", [self.machine.id(it) for it in nodes])
        job = ffi.new("tori_fluid_job *", {
            "nodes": ids, "n": len(ids), "pattern": pattern_number(pattern),
            "rounds": rounds, "seed": seed, "time": time, "message": message})
        err = ffi.new("tori_error *")
        check(lib.tori_fluid_start(self._c, job, tag, err), err)

    def run(self, until: Optional[int] = None) -> Optional[int]:
        """Let time pass until a job ends, and return its tag; None if none
        ends by then."""
        out = ffi.new("uint64_t *")
        err = ffi.new("tori_error *")
        found = lib.tori_fluid_run(
            self._c, 2 ** 63 - 1 if until is None else until, out, err)
        check(found, err)
        return int(out[0]) if found else None

    @property
    def time(self) -> int:
        return int(lib.tori_fluid_time(self._c))

    @property
    def events(self) -> int:
        """How often a message began or ended being sent."""
        return int(lib.tori_fluid_events(self._c))

    @property
    def flows(self) -> list[Flow]:
        """The messages under way."""
        out = ffi.new("tori_fluid_flow *")
        found: list[Flow] = []
        while lib.tori_fluid_flow_at(self._c, len(found), out):
            found.append(value(Flow, out))
        return found


# ---- partitions ----

Part = Union[str, Placement, Iterable[Node]]  # a box, or nodes


@dataclass(frozen=True)
class Escape:
    """A message that leaves its partition, and the first node outside."""

    src: int
    dst: int
    outside: int


@dataclass(frozen=True)
class Disturbance:
    """Two partitions share the link between two nodes; of each a message that
    can use it."""

    parts: tuple[int, int]
    link: tuple[int, int]
    dim: int
    step: int
    messages: tuple[tuple[int, int], tuple[int, int]]


def _parts(machine: Machine, parts: Iterable[Part]) -> Iterator[Any]:
    """Each as a tori_partition, and what it points to."""
    for part in parts:
        place = (part if isinstance(part, Placement)
                 else Placement.of(machine, part))
        one = place._c.nboxes == 1
        nodes = ffi.new("uint32_t[]", [] if one else place.nodes.tolist())
        yield ({"box": ffi.addressof(place._c, "box") if one else ffi.NULL,
                "nodes": nodes, "n": len(nodes)}, place, nodes)


def escape(machine: Union[str, Machine], part: Part) -> Optional[Escape]:
    """A message that leaves a partition on its way between two of its nodes,
    in dimension order; None if the partition is closed.

    >>> escape("torus:8", "0/4") is None
    True
    >>> escape("torus:8", "0/6")
    Escape(src=0, dst=5, outside=7)
    """
    machine = Machine(machine)
    (own, *keep), = _parts(machine, [part])
    closed = ffi.new("bool *")
    out = ffi.new("tori_escape *")
    err = ffi.new("tori_error *")
    check(lib.tori_partition_closed(machine._c, ffi.new(
        "tori_partition *", own), closed, out, err), err)
    del keep
    return None if closed[0] else value(Escape, out)


def disturbances(machine: Union[str, Machine], parts: Iterable[Part],
                 routing: str = "dimension-order") -> list[Disturbance]:
    """All pairs of partitions that share a link, each with the first one.

    >>> [it.parts for it in disturbances("torus:8", ["0/6", "6/2"])]
    [(0, 1)]
    """
    machine = Machine(machine)
    kept = list(_parts(machine, parts))
    out = ffi.new("tori_disturbance **")
    n = ffi.new("size_t *")
    err = ffi.new("tori_error *")
    check(lib.tori_partition_disturb(
        machine._c, choice("routing", _ROUTINGS, routing),
        ffi.new("tori_partition[]", [own for own, *_ in kept]), len(kept),
        out, n, err), err)
    held = ffi.gc(out[0], lib.free)
    return [Disturbance((it.part[0], it.part[1]),
                        (getattr(it, "from"), it.to), it.dim, it.step,
                        ((it.src[0], it.dst[0]), (it.src[1], it.dst[1])))
            for it in (held[i] for i in range(n[0]))]
