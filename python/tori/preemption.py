"""Network preemption: stop a partition's network, save it, and continue it
later (Hori et al., "Time Space Sharing Scheduling and Architectural Support",
1995, sections 3.3 and 4). Times are in cycles."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping, Optional, Union

from ._library import check, choice, ffi, lib, sized, value
from .network import Message, Network, net_config
from .place import Machine

_METHODS = ("drain", "all-fall-down")
_PROGRESS = ("running", "waiting", "terminated")
ROOT = int(lib.TORI_ROOT)  # a reference from a node's stacks and registers


def drain_config(method: str = "drain", **options: int) -> Any:
    """A tori_drain_config; the options are origin, hop and words."""
    return sized("tori_drain_config",
                 method=choice("method", _METHODS, method), **options)


def _box(machine: Machine, text: str) -> Any:
    box = ffi.new("tori_box *")
    err = ffi.new("tori_error *")
    check(lib.tori_box_parse(machine._c, text.encode(), box, err), err)
    return box


@dataclass(frozen=True)
class Report:
    """How far a drain has come, and what there is to save; see tori/drain.h.
    `bound` is Dmax Lmax + Dmax Hmax, of the `diameter`, the `longest` packet
    and the cycles of a hop of the signal."""

    routers: int
    interrupts: int
    begun: int
    cycles: int
    diameter: int
    longest: int
    bound: int
    packets: int
    flits: int
    waiting: int
    words: int
    words_used: int
    save_cycles: int


class Saved:
    """The network of a process that was stopped. It is used up when it is
    loaded."""

    def __init__(self, pointer: Any, keep: Any):
        self._keep = keep
        self._c = ffi.gc(pointer, lib.tori_saved_destroy)

    @property
    def time(self) -> int:
        """The cycle at which it was saved."""
        return int(lib.tori_saved_time(self._c))

    @property
    def job(self) -> int:
        return int(lib.tori_saved_job(self._c))

    @property
    def under_way(self) -> int:
        """Messages with a packet in a router."""
        return int(lib.tori_saved_under_way(self._c))

    @property
    def messages(self) -> list[Message]:
        """All messages in it, those sent while it was saved last."""
        found: list[Message] = []

        def visit(_arg: Any, it: Any) -> int:
            found.append(value(Message, it))
            return 0
        call = ffi.callback("int(void *, const tori_net_message *)", visit)
        lib.tori_saved_each(self._c, call, ffi.NULL)
        return found

    def send(self, src: int, dst: int, flits: int = 1, tag: int = 0) -> None:
        """Send while it is saved: as its process does at the end of a call."""
        err = ffi.new("tori_error *")
        check(lib.tori_saved_send(self._c, src, dst, flits, tag, err), err)

    def progress(self, local: Iterable[tuple[bool, int]]) -> str:
        """"running", "waiting" for system calls, or "terminated". For each
        node: whether it is idle, and the calls that have not returned."""
        own = ffi.new("tori_local[]", [{"idle": idle, "calls": calls}
                                       for idle, calls in local])
        return _PROGRESS[lib.tori_saved_progress(self._c, own, len(own))]

    def live(self, references: Iterable[tuple[int, int]], objects: int
             ) -> list[bool]:
        """Which objects 0 to objects - 1 are alive: those that a ROOT or a
        message refers to, by its tag, and so on."""
        own = ffi.new("tori_reference[]", [{"from": a, "to": b}
                                           for a, b in references])
        out = ffi.new("bool[]", max(objects, 1))
        err = ffi.new("tori_error *")
        check(lib.tori_saved_live(self._c, own, len(own), objects, out, err),
              err)
        return [bool(out[i]) for i in range(objects)]


class Drain:
    """Stop the network of a closed box: the signal is sent now.

    >>> net = Network("mesh:4x4", switching="cut-through")
    >>> for tag in (7, 8):
    ...     net.send("0,0", "1,1", flits=4, tag=tag)
    >>> net.step()
    >>> drain = Drain(net, "0,0/2x2")
    >>> while not drain.done:
    ...     net.step()
    >>> drain.report.interrupts, drain.report.cycles <= drain.report.bound
    (4, True)
    >>> saved = drain.save()
    >>> [message.tag for message in saved.messages], net.pending
    ([8], 0)
    >>> drain.load(saved)
    >>> drain.release()
    >>> net.run()
    >>> [message.tag for message in net.receive()]
    [7, 8]
    """

    def __init__(self, network: Network, box: str, method: str = "drain",
                 **options: int):
        self._network = network
        out = ffi.new("tori_drain **")
        self._err = ffi.new("tori_error *")
        check(lib.tori_drain_start(
            network._c, _box(network.machine, box),
            drain_config(method, **options), out, self._err), self._err)
        self._c = out[0]  # it ends with its network, or when it is released

    @property
    def _open(self) -> Any:
        if self._c is None:
            raise ValueError("the drain was released")
        return self._c

    @property
    def done(self) -> bool:
        """Whether all routers have interrupted their kernels."""
        return bool(lib.tori_drain_done(self._open))

    @property
    def report(self) -> Report:
        out = ffi.new("tori_drain_report *")
        lib.tori_drain_report_now(self._open, out)
        return value(Report, out)

    def interrupts(self) -> list[tuple[int, int]]:
        """Take the interrupts so far: node and cycle."""
        out = ffi.new("tori_interrupt *")
        found = []
        while lib.tori_drain_interrupt(self._open, out):
            found.append((int(out.node), int(out.cycle)))
        return found

    def save(self) -> Saved:
        """Take the state out of the routers and of the queues of their
        nodes."""
        out = ffi.new("tori_saved **")
        check(lib.tori_drain_save(self._open, out, self._err), self._err)
        return Saved(out[0], self._network)

    def load(self, saved: Saved) -> None:
        """Put a state into the routers, which must be empty."""
        if saved._c is None:
            raise ValueError("the state was loaded before")
        check(lib.tori_drain_load(self._open, saved._c, self._err), self._err)
        ffi.gc(saved._c, None)
        saved._c = None

    def release(self) -> None:
        """Let the routers work again."""
        lib.tori_drain_release(self._open)
        self._c = None


# ---- processes that take turns ----

@dataclass(frozen=True)
class Switch:
    """A switch between processes: its drain, the messages with a packet in a
    router, and what nodes sent after the signal."""

    src: int
    dst: int
    drain: Report
    messages: int
    sends: int


@dataclass(frozen=True)
class Process:
    """What a process sent and got. `kept`: each message arrived once, and in
    order."""

    sent: int
    delivered: int
    reordered: int
    sum_sent: int
    sum_delivered: int
    terminated: bool
    kept: bool


@dataclass(frozen=True)
class Preemption:
    """What came of processes that shared a partition in turns."""

    switches: tuple[Switch, ...] = field(repr=False)
    processes: tuple[Process, ...]
    cycles: int


def preempt(machine: Union[str, Machine], box: Optional[str] = None, *,
            load: float, network: Optional[Mapping[str, Any]] = None,
            drain: Optional[Mapping[str, Any]] = None,
            **options: int) -> Preemption:
    """Let processes share a closed box, or the whole machine, in turns. `load`
    is in flits per node and cycle; `network` has the options of Network,
    `drain` those of Drain; the others are processes, switches, slice, cycles,
    partners, flits and seed, as in tori/preempt.h.

    >>> result = preempt("mesh:4x4", load=0.2, switches=2, slice=100, seed=1,
    ...                  network={"switching": "cut-through", "buffer": 16})
    >>> len(result.switches), [process.kept for process in result.processes]
    (2, [True, True])
    """
    machine = Machine(machine)
    config = sized("tori_preempt_config", **options)
    net = net_config(**(network or {}))
    how = drain_config(**(drain or {}))
    part = _box(machine, box) if box is not None else ffi.NULL
    config.machine, config.box = machine._c, part
    config.net, config.drain, config.load = net, how, load
    out = ffi.gc(ffi.new("tori_preempt_result *"), lib.tori_preempt_clear)
    err = ffi.new("tori_error *")
    check(lib.tori_preempt_run(config, out, err), err)
    return Preemption(
        tuple(value(Switch, it, src=getattr(it, "from"), dst=it.to,
                    drain=value(Report, it.drain))
              for it in (out.switches[i] for i in range(out.nswitches))),
        tuple(value(Process, it, kept=bool(
            lib.tori_preempt_kept(ffi.addressof(it))))
              for it in (out.processes[i] for i in range(out.nprocesses))),
        out.cycles)
