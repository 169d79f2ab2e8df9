"""Parts of a simulation that few studies need: a network, how `gang` shares
time, and a function that watches the scheduler."""
from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Optional, Union

from .._library import Invalid, ffi, lib, seconds, sized, text, ticks
from ..network import net_config, pattern_number
from ..place import Machine
from ..preemption import drain_config
from ..scheduler import Scheduler
from .workload import as_seconds

# It is called before time passes from one time to the next, with the scheduler
# as it is in between.
Watch = Callable[[float, float, Scheduler], Any]
Options = Mapping[str, Any]


def network_part(options: Union[str, Options]) -> Any:
    """A tori_sim_network: a pattern, or a mapping of pattern, rounds, link,
    node and seed."""
    given = ({"pattern": options} if isinstance(options, str)
             else dict(options))
    number = pattern_number(given.pop("pattern", "all-to-all"))
    return sized("tori_sim_network", pattern=number, **given)


class GangPart:
    """A tori_sim_gang, and what it points to. The options are `branch`, one of
    tori.gang.policies(), the times slot, switch_cost and hop; degree and leaf;
    and `preempt`, what the network adds to a switch: a mapping of network,
    drain and clock."""

    def __init__(self, options: Options):
        given = dict(options)
        self._name = ffi.new("char[]", given.pop("branch",
                                                 "lightest").encode())
        preempt: Optional[Options] = given.pop("preempt", None)
        times = {name: ticks(as_seconds(given.pop(name)))
                 for name in ("slot", "switch_cost", "hop") if name in given}
        self.result = ffi.new("tori_sim_gang_result *")
        self.c = sized("tori_sim_gang", policy=self._name, result=self.result,
                       **times, **given)
        if preempt is not None:
            self._parts = (net_config(**preempt.get("network", {})),
                           drain_config(**preempt.get("drain", {})))
            self._preempt = sized("tori_sim_preempt", net=self._parts[0],
                                  drain=self._parts[1],
                                  clock=preempt.get("clock", 0))
            self.c.preempt = self._preempt

    def measures(self) -> Iterator[tuple[str, float]]:
        """As keys of a result; times in seconds."""
        for name, field in ffi.typeof("tori_sim_gang_result").fields:
            number = getattr(self.result, name)
            yield f"gang.{name}", (seconds(number) if field.type.cname in (
                "tori_time", "int64_t") else number)


def watcher(machine: Machine, watch: Watch,
            stop: Callable[[BaseException], None]) -> Any:
    """The callback on_pass of a simulation."""
    view = Scheduler._lent(machine)

    def on_pass(_arg: Any, sched: Any, now: int, until: int, _err: Any) -> int:
        try:
            view._c = ffi.cast("tori_sched *", sched)
            watch(seconds(now), seconds(until), view)
            return 0
        except BaseException as raised:  # pylint: disable=broad-except
            stop(raised)
            return -1
        finally:
            del view._c
    return ffi.callback("int(void *, const tori_sched *, tori_time, tori_time,"
                        " tori_error *)", on_pass, error=-1)


def preempted_number(name: str) -> int:
    """What becomes of a job when an urgent one needs its place."""
    names = [text(lib.tori_preempted_name(i)) for i in
             sorted(ffi.typeof("tori_preempted").elements)]
    if name not in names:
        raise Invalid(f"preempted: {name} is none of {', '.join(names)}")
    return names.index(name)
