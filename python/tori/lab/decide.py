"""Situation and decision (Bender et al., "Communication-Aware Processor
Allocation for Supercomputers", 2005, section 5): one allocator places the
jobs, and the others are asked where they would put them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence, Union

from .._library import Invalid, check, ffi, lib, sized, value
from ..order import OrderLike
from ..place import AllocConfig, Machine, State
from ..scheduler import PolicyLike, SchedConfig
from .study import _Watch, members
from .workload import Source, Workload, as_source


@dataclass(frozen=True)
class Cell:
    """What an allocator decided in a row: the mean sum of distances in its
    answers, how many jobs it gave up on, and the mean over the jobs that all
    decided."""

    alloc: str
    mean: float
    left_out: int
    common: float


@dataclass(frozen=True)
class Row:
    """The decisions of all allocators while one, `situation`, placed the
    jobs. `common` is the number of jobs that all decided; `measures` are those
    of that simulation, as in a Result."""

    situation: str
    cells: tuple[Cell, ...]
    common: int
    measures: dict[str, float]

    def __getitem__(self, alloc: str) -> Cell:
        for cell in self.cells:
            if cell.alloc == alloc:
                return cell
        raise KeyError(alloc)


def decide(machine: Union[str, Machine], work: Union[Source, Workload],
           allocs: Sequence[str], situation: str, *,
           policy: PolicyLike = "fcfs", order: OrderLike = "submit",
           depth: int = 0, epsilon: float = 0, steps: int = 0,
           initial: Optional[State] = None,
           progress: Optional[Callable[[int, int], None]] = None,
           **options: Any) -> Row:
    """A row: the allocator `situation` places the jobs. All take a count.
    `options` are those of Workload. `progress` is called with how many jobs
    are decided, and how many there are.

    >>> row = decide("mesh:8x8", "lublin", ["mm", "row-ff"], "mm", jobs=100,
    ...              load=0.5, seed=1)
    >>> row["mm"].mean <= row["row-ff"].mean, row["mm"].left_out
    (True, 0)
    """
    machine = Machine(machine)
    if not isinstance(work, Workload):
        options.setdefault("shapes", "count")
        work = Workload(as_source(work), machine, **options)
    elif options:
        raise TypeError(f"a Workload already has its {', '.join(options)}")
    if situation not in allocs:
        raise Invalid(f"situation: {situation} is none of {', '.join(allocs)}")
    sched = SchedConfig(machine, policy, None, order, depth, work=work._c)
    asked = [AllocConfig(machine, alloc, sched.raised, epsilon=epsilon,
                         steps=steps) for alloc in allocs]
    config = sized("tori_decide_config", nallocs=len(asked))
    listed = ffi.new("tori_alloc_config *[]", [it.c for it in asked])
    config.machine, config.sched, config.allocs = machine._c, sched.c, listed
    if initial is not None:
        config.initial = initial._c
    calls = _Watch(progress)
    if progress is not None:
        config.on_progress = calls.on_progress
    row = ffi.new("tori_decide_cell[]", len(asked))
    common = ffi.new("size_t *")
    # It gets the members up to `accepted`, and the others stay 0.
    out = ffi.new("tori_sim_result *")
    err = ffi.new("tori_error *")
    check(lib.tori_decide_cells(config, list(allocs).index(situation), work._c,
                                row, common, out, err), err, sched.raised)
    return Row(situation, tuple(value(Cell, row[i], alloc=alloc)
                                for i, alloc in enumerate(allocs)),
               common[0], dict(members(out[0])))
