"""M. Kang, C. Yu, H. Y. Youn, B. Lee, M. Kim, "Isomorphic Strategy for Processor
Allocation in k-Ary n-Cube Systems", 2003, section 5, Figures 9 to 13. Beyond the
figures: the three causes of delay that section 5.1 names, service times that vary
more than exponential ones, and the rule for sibling subcubes that adapts to the
load, which section 6 leaves for later.

Beyond the load that a strategy can carry, its queue grows as long as jobs arrive,
and a mean response says how long the run was. So responses and delays are
compared up to nine tenths of what both strategies achieve. A printed value beyond
that cannot be compared."""
from __future__ import annotations

import copy
import functools
import itertools
import math
from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, Optional, Sequence

import numpy

from tori import Allocator, Machine, Scheduler
from tori._library import SECOND, ffi, lib

from .. import Result, Workload, figures, simulate
from ..statistics import student
from . import KANG_2003, Lead, Run, estimate, estimated, lead
from . import sheets
from .sheets import Field, Row, Shown

CITATION = KANG_2003
WHAT = "Figures 9-13: response time and delays of jobs that ask for subcubes"
TAKES = ("limit", "seeds", "service")
QUICK = {"seeds": 10}


@dataclass(frozen=True)
class Measure:
    """Of a simulation. A delay is numerical while fewer nodes are free than the
    first of the queue asks for, or, by nodes held, than it has to hold at its
    start. The part of the topological delay in which a box of the shape asked
    for is free, though the strategy does not see it, is unrecognised."""

    slug: str
    name: str
    label: str = ""


MEASURES = (
    Measure("response", "response time", "mean response time"),
    Measure("numerical", "numerical delay", "numerical delay"),
    Measure("topological", "topological delay", "topological delay"),
    Measure("unrecognised", "delay while a box is free that the strategy does "
            "not recognise"),
    Measure("utilization", "utilization"),
    Measure("numerical_held", "numerical delay by nodes held",
            "numerical delay"),
    Measure("topological_held", "topological delay by nodes held",
            "topological delay"))


def measured(name: str, about: str, title: str = "", unit: str = "service times"
             ) -> tuple[Field, Field]:
    return sheets.estimate(name, about, title=title, decimals=2, unit=unit)


def percent(name: str, about: str, title: str) -> tuple[Field, Field]:
    return sheets.estimate(name, about, title=title, decimals=1, scale=100)


ANSWER = (
    Field("seeds", "how many seeds each mean is of"),
    Field("jobs", "how many jobs a simulation has"),
    Field("service_jobs", "how many jobs a simulation of service times has"),
    Field("points", "every machine, strategy and load", list=True, group=(
        Field("machine", "the machine", "machine"),
        Field("model", "the model of the jobs"),
        Field("what", "machine and jobs in words", "machine and jobs"),
        Field("strategy", "the allocator, and what it is asked for", "strategy"),
        Field("load", "the offered load", "load", 1),
        *measured("response", "mean response"),
        *measured("numerical", "mean delay while fewer nodes are free than the "
                  "first job asks for", "numerical"),
        *measured("topological", "mean delay while enough are free",
                  "topological"),
        *measured("utilization", "the utilization", unit=""),
        *measured("numerical_held", "mean delay while fewer nodes are free than "
                  "the first job holds at its start", "numerical, held"),
        *measured("topological_held", "mean delay while enough are free by that",
                  "topological, held"),
        Field("gain", "by how much isomorphic answers sooner than this",
              unit="%"),
        Field("comparable", "whether the load is at most nine tenths of the most "
              "that both achieve"),
        Field("gain_shown", "the gain, in brackets if it cannot be compared",
              numeral=True),
        *measured("unrecognised", "the part of it in which a box of this shape "
                  "is free, though the strategy does not see it",
                  "of it unrecognised"))),
    Field("services", "etc and isomorphic by the distribution of service times",
          list=True, group=(
              Field("machine", "the machine; jobs are cubic", "machine"),
              Field("load", "the offered load", "load", 1),
              Field("service", "how service times are distributed", "service"),
              Field("cv2", "their variance over the squared mean", "CV^2", 1),
              *measured("etc", "mean response of etc", "etc"),
              *measured("isomorphic", "mean response of isomorphic",
                        "isomorphic"),
              *percent("gain", "by how much isomorphic answers sooner",
                       "sooner by, %"),
              *percent("etc_utilization", "utilization by etc", "etc, %"),
              *percent("isomorphic_utilization", "utilization by isomorphic",
                       "isomorphic, %"),
              *percent("more", "by how much isomorphic's utilization is larger",
                       "more by, %"),
              Field("saturated", "which of them do less than 95 % of the load: "
                    "their response says how long the run was",
                    "saturated"))),
)

JOBS, SEEDS = 1000, 20
LOADS = [i / 10 for i in range(1, 10)]
AT_40, AT_50, MOST = 3, 4, 8  # in that list


# ---- the strategies ----

@dataclass(frozen=True)
class Line:
    """An allocator, and what it is asked for a job: the same shape with sides
    that are not rotated, or whose sides are rounded up to powers of two. Then
    all of the box is taken; the number asked for, by which a delay is numerical
    or topological, stays. One that `gives_back` rounds up itself, holds the box
    at the start, and gives the rest of it back at once."""

    name: str
    alloc: str
    how: dict[str, Any] = field(default_factory=dict, hash=False)
    fixed: bool = False
    rounded: bool = False
    gives_back: bool = False


ISOMORPHIC = Line("isomorphic", "isomorphic", gives_back=True)
KEPT = Line("isomorphic, all kept", "isomorphic", rounded=True)
DECOMPOSED = Line("isomorphic, decomposed", "isomorphic",
                  {"noncubic": "decompose"})
LISTED = Line("isomorphic, free-list", "isomorphic", {"hypercube": "free-list"},
              gives_back=True)
ADAPTIVE = Line("isomorphic, adaptive", "isomorphic", {"hypercube": "adaptive"},
                gives_back=True)
ETC = Line("etc", "etc")
ETC_ROUNDED = Line("etc, rounded up", "etc", rounded=True)
EB_FIXED = Line("eb, not rotated", "eb", fixed=True)
EB, EGC = Line("eb", "eb"), Line("egc", "egc")
K_PARTNER = Line("k-partner", "k-partner")
MULTIPLE = Line("multiple-gc", "multiple-gc")


@dataclass(frozen=True)
class Panel:
    """A machine and its jobs. The paper has `figures` of measures."""

    arity: int
    model: str
    figures: dict[str, str] = field(hash=False)
    lines: Sequence[Line]

    @property
    def slug(self) -> str:
        return f"{self.model}-{self.arity}"

    @property
    def what(self) -> str:
        return f"{self.arity}-ary 3-cube, {self.model} jobs"

    @property
    def machine(self) -> str:
        return f"torus:{self.arity}^3"

    def title(self, measure: Measure) -> str:
        figure = self.figures.get(measure.slug)
        return ((f"Figure {figure}: " if figure else "")
                + f"{self.what}, {measure.name}")


# Figure 9 is of all strategies on the smallest machine; its two best lines are
# Figure 10a. Beside the text's strategies are other readings of it: eb that keeps
# a job's sides along their given dimensions, and etc that looks for rounded-up
# boxes and keeps them, which would cause the internal fragmentation by which the
# text explains noncubic results.
ARITIES = (4, 8, 16)
CUBIC = (
    Panel(4, "cubic", {"response": "9, 10a"},
          (EB_FIXED, EB, EGC, K_PARTNER, MULTIPLE, ETC, ISOMORPHIC)),
    *(Panel(arity, "cubic", {"response": f"10{part}"},
            (ETC, ISOMORPHIC, LISTED, ADAPTIVE))
      for arity, part in ((8, "b"), (16, "c"))))
NONCUBIC = tuple(
    Panel(arity, "noncubic", {
        "response": f"11{part}",
        **dict.fromkeys(("numerical", "numerical_held"), f"12{part}"),
        **dict.fromkeys(("topological", "topological_held"), f"13{part}")},
        (ETC_ROUNDED, ETC, ISOMORPHIC, KEPT, DECOMPOSED))
    for arity, part in zip(ARITIES, "abc"))
PANELS = (*CUBIC, *NONCUBIC)
FIRST, LARGEST = CUBIC[0], CUBIC[-1]

# The paper names these distributions of service times, and gives no parameters.
# With each, the squared coefficient of variation.
SERVICES = {"exponential": 1.0, "hyperexponential:2": 2.0, "uniform-log": 3.6,
            "hyperexponential:5": 5.0, "hyperexponential:10": 10.0}
# At the last, the queue only grows: it shows the most that a strategy achieves.
SERVICE_LOADS = (0.2, 0.3, 0.4, 0.9)
SERVICE_LENGTH = 10  # times as many jobs as in the figures; 1 in a short run


# ---- simulations ----

def sides_of(work: Workload) -> list[Any]:
    """The sides that jobs ask for, by dimension, as arrays that can be
    written."""
    sides = [work._column("uint32", "request", "shape", "size", d)
             for d in range(3)]
    for side in sides:
        side.flags.writeable = True
    return sides


def rounded_up(side: Any) -> Any:
    """To powers of two."""
    return 1 << numpy.ceil(numpy.log2(side)).astype(int)


def asked_of(line: Line, work: Workload) -> Workload:
    """The jobs as a strategy is asked for them."""
    if not line.fixed and not line.rounded:
        return work
    work = copy.copy(work)
    for side in sides_of(work) if line.rounded else ():
        side[:] = rounded_up(side)
    if line.fixed:
        fixed = work._column("bool", "request", "fixed")
        fixed.flags.writeable = True
        fixed[:] = True
    return work


class Unseen:
    """The delay while a box is free that a strategy does not see, summed over
    jobs. etc finds every box."""

    def __init__(self, work: Workload):
        self.work = work
        self.seeing = Allocator(work.machine, "etc")
        self.place = ffi.new("tori_placement *")
        self.own = ffi.new("tori_job *"), ffi.new("uint64_t *")
        self.err = ffi.new("tori_error *")
        self.sum = 0.0  # seconds

    def __call__(self, now: float, until: float, sched: Scheduler) -> None:
        """If the first job of the queue waits, though enough nodes are free,
        look whether there is a box for the job as it was given."""
        if (lib.tori_sched_blocked(sched._c) != lib.TORI_REASON_TOPOLOGICAL
                or not lib.tori_sched_head(sched._c, *self.own)):
            return
        job = self.work._c.jobs[self.own[1][0]]
        outcome = lib.tori_alloc_place(
            self.seeing._c, lib.tori_sched_state(sched._c),
            ffi.addressof(job, "request"), self.place, self.err)
        lib.tori_placement_clear(self.place)
        if outcome == lib.TORI_PLACED:
            self.sum += (round((until - now) * SECOND) / SECOND
                         * lib.tori_sched_queued(sched._c))


def ticks(column: Any) -> Any:
    return numpy.rint(column * SECOND).astype("int64")


def waited_for_nodes(submit: Any, start: Any, finish: Any, need: Any, held: Any,
                     nodes: int) -> int:
    """The sum over all jobs, which start in the order of submission, of the time
    in which they waited and the first of the queue needed more nodes than were
    free. A strategy may need more at the start than it holds afterwards, as
    when sides are rounded up and the rest is given back; the simulator counts
    by what the job asks for.

    While a job is the first, nodes only become free. Enough of them are when
    what has ended, by the order of ends, reaches what it lacks."""
    before = numpy.concatenate(([0], numpy.cumsum(held)[:-1]))
    order = numpy.argsort(finish, kind="stable")
    freed = numpy.concatenate(([0], numpy.cumsum(held[order])))
    ends = numpy.concatenate(([submit[0]], finish[order]))
    first = numpy.maximum(submit, numpy.concatenate((submit[:1], start[:-1])))
    enough = ends[numpy.searchsorted(freed, need + before - nodes)]
    lacked = numpy.clip(enough, first, start) - first
    total = numpy.concatenate(([0], numpy.cumsum(lacked)))
    # The first of the queue when a job came, and how long that had lacked them.
    head = numpy.searchsorted(start, submit, side="right")
    head = numpy.minimum(head, numpy.arange(len(submit)))
    since = numpy.clip(submit - first[head], 0, lacked[head])
    return int((total[1:] - total[head] - since).sum())


def by_held(line: Line, work: Workload, result: Result) -> Row:
    """The delays by nodes held: every wait is numerical or topological."""
    table = result.table()
    submit, start, finish = (ticks(table[name])
                             for name in ("submit", "start", "finish"))
    held = table["nodes"].astype("int64")
    need = math.prod(map(rounded_up, sides_of(work))
                     ) if line.gives_back else held
    numerical = waited_for_nodes(submit, start, finish, need, held,
                                 work.machine.nodes)
    unit = SECOND * len(work)
    return {"numerical_held": numerical / unit,
            "topological_held":
                (int((start - submit).sum()) - numerical) / unit}


def replay(line: Line, work: Workload, **how: Any) -> Result:
    return simulate(work.machine, asked_of(line, work), policy="fcfs",
                    alloc=line.alloc, placements=False, quiet=True, **line.how,
                    **how)


def point(case: tuple[Panel, float, int], jobs: int, service: Optional[str]
          ) -> dict[Line, Row]:
    """A panel at a load with a seed: every strategy gets the same jobs."""
    panel, load, seed = case
    work = Workload(panel.model, panel.machine, load=load, seed=seed, jobs=jobs,
                    service=service)
    samples = {}
    for line in panel.lines:
        unseen = Unseen(work)
        result = replay(line, work, watch=unseen)
        samples[line] = {
            "response": result["response.mean"],
            "unrecognised": unseen.sum / result["jobs"],
            **{name: result[name] for name in ("numerical", "topological",
                                               "utilization")},
            **by_held(line, work, result)}
    return samples


Service = tuple[Panel, float, str]


def serve(case: tuple[Service, int, int]) -> list[Row]:
    """etc and isomorphic, with cubic jobs."""
    (panel, load, service), seed, jobs = case
    work = Workload("cubic", panel.machine, load=load, seed=seed, jobs=jobs,
                    service=service)
    results = [replay(line, work) for line in (ETC, ISOMORPHIC)]
    return [{"response": result["response.mean"],
             "utilization": result["utilization"],
             "offered": result["offered"]} for result in results]


# ---- rows ----

class Samples(dict[tuple[Panel, float], list[dict[Line, Row]]]):
    """By panel and load, seed, strategy and measure."""

    def of(self, panel: Panel, line: Line, load: int, measure: str
           ) -> list[float]:
        """With each seed."""
        return [sample[line][measure] for sample in self[panel, LOADS[load]]]

    def mean(self, panel: Panel, line: Line, load: int, measure: str) -> float:
        return estimate(self.of(panel, line, load, measure))[0]

    def most(self, panel: Panel, line: Line) -> float:
        """The utilization that a strategy achieves, in percent."""
        return 100 * max(self.mean(panel, line, load, "utilization")
                         for load in range(len(LOADS)))

    def stable(self, panel: Panel, one: Line, other: Line) -> int:
        """At how many loads, from the least on, two strategies can be
        compared."""
        most = min(self.most(panel, one), self.most(panel, other))
        return sum(100 * load <= 0.9 * most for load in LOADS)

    def highest(self, panel: Panel, one: Line, other: Line = ISOMORPHIC) -> int:
        """The highest of these."""
        return max(self.stable(panel, one, other) - 1, 0)

    def gain(self, panel: Panel, line: Line, load: int) -> int:
        """By how much isomorphic answers sooner than this, in percent."""
        its = self.mean(panel, line, load, "response")
        ours = self.mean(panel, ISOMORPHIC, load, "response")
        if its <= 0:
            return 0
        gain = 100 * (1 - ours / its)
        return int(math.copysign(math.floor(abs(gain) + 0.5), gain))

    def leads(self, panel: Panel, less: Line, more: Line,
              measure: str = "response") -> list[Lead]:
        """By how much one strategy has less of a measure than another, at the
        highest load at which they can be compared. Both have the same jobs."""
        n = self.stable(panel, less, more)
        return [lead(self.of(panel, less, n - 1, measure),
                     self.of(panel, more, n - 1, measure))] if n else []


def point_rows(samples: Samples) -> Iterator[Row]:
    for panel in PANELS:
        for line in panel.lines:
            comparable = samples.stable(panel, line, ISOMORPHIC)
            for i, load in enumerate(LOADS):
                gain = samples.gain(panel, line, i)
                row = {"panel": panel, "machine": panel.machine,
                       "model": panel.model, "what": panel.what,
                       "strategy": line.name, "load": load, "gain": gain,
                       "comparable": i < comparable,
                       "gain_shown": f"{gain}" if i < comparable
                       else f"({gain})"}
                for measure in MEASURES:
                    row |= estimated(measure.slug, samples.of(
                        panel, line, i, measure.slug))
                yield row


def ratio(above: Sequence[float], below: Sequence[float]) -> Lead:
    """Of means. Both strategies have the same jobs, so the interval is that of a
    ratio of paired samples."""
    n, mean = len(above), estimate(below)[0]
    found = estimate(above)[0] / mean
    squares = sum(((a - found * b) / mean)**2 for a, b in zip(above, below))
    return found, student(n - 1) * math.sqrt(squares / (n - 1) / n)


def service_row(case: Service, ran: list[list[Row]]) -> Row:
    panel, load, service = case
    etc, ours = ({name: [sample[i][name] for sample in ran]
                  for name in ("response", "utilization", "offered")}
                 for i in range(2))
    gain = ratio(ours["response"], etc["response"])
    more = ratio(ours["utilization"], etc["utilization"])
    row: Row = {"machine": panel.machine, "load": load, "service": service,
           "cv2": SERVICES[service], **estimated("etc", etc["response"]),
           **estimated("isomorphic", ours["response"]),
           **estimated("etc_utilization", etc["utilization"]),
           **estimated("isomorphic_utilization", ours["utilization"]),
           "gain": 1 - gain[0], "gain_half": gain[1],
           "more": more[0] - 1, "more_half": more[1]}
    least = 0.95 * estimate(etc["offered"])[0]
    row["saturated"] = ("both" if row["isomorphic_utilization"] < least
                        else "etc" * (row["etc_utilization"] < least))
    return row


def compute(run: Run) -> None:
    how = run.how
    jobs = how.limit or JOBS
    seeds = range(how.seed, how.seed + (how.seeds or SEEDS))
    some = jobs * (1 if how.quick else SERVICE_LENGTH)
    points = list(itertools.product(PANELS, LOADS, seeds))
    samples = Samples()
    for (panel, load, _), sample in zip(points, run.map(
            functools.partial(point, jobs=jobs, service=how.service), points)):
        samples.setdefault((panel, load), []).append(sample)
    # A verdict is on the least load, so it always has the jobs of a full run.
    services = list(itertools.product(CUBIC, SERVICE_LOADS, SERVICES))
    served = run.map(serve, [
        (case, seed, jobs * SERVICE_LENGTH if case[1] == SERVICE_LOADS[0]
         else some) for case in services for seed in seeds])
    n = len(seeds)
    run.answer = {
        "seeds": n, "jobs": jobs, "service_jobs": some, "samples": samples,
        "points": list(point_rows(samples)),
        "services": [service_row(case, served[i * n:(i + 1) * n])
                     for i, case in enumerate(services)]}


# ---- section 5.1: Figure 9 ----

def judge_figure_9(run: Run, samples: Samples) -> None:
    """Slices carry the least, so all are compared at the highest of their
    loads."""
    at = samples.highest(FIRST, EB)
    ours, buddy, partner, collapsing = (
        samples.mean(FIRST, line, at, "response")
        for line in (ISOMORPHIC, EB, K_PARTNER, ETC))
    load, level = LOADS[at], samples.most(FIRST, EB)
    run.order("Figure 9", "isomorphic ahead of eb, egc and k-partner",
              "by a considerable margin", f"{ours:.2f}, {buddy:.2f} and "
              f"{partner:.2f} service times at {load:.1f}",
              [it for line in (EB, EGC, K_PARTNER)
               for it in samples.leads(FIRST, ISOMORPHIC, line)], "it is not")
    run.number("Figure 9", "etc comparable with isomorphic", "comparable",
               f"{collapsing:.2f} and {ours:.2f} at {load:.1f}",
               (ours, collapsing), "it is not")
    run.order("Figure 9", "k-partner ahead of eb and egc", "yes",
              f"{partner:.2f} and {buddy:.2f} at {load:.1f}",
              [it for line in (EB, EGC)
               for it in samples.leads(FIRST, K_PARTNER, line)],
              "no slice of other dimensions is free when it matters")
    run.number("Figure 9", "utilization at which eb and egc degrade, %", "30",
               f"{level:.0f}", (30, level), "they level off elsewhere")
    # The reading under which k-partner is ahead of eb.
    at = samples.highest(FIRST, K_PARTNER, EB_FIXED)
    partner, buddy = (samples.mean(FIRST, line, at, "response")
                      for line in (K_PARTNER, EB_FIXED))
    level = samples.most(FIRST, EB_FIXED)
    run.order("Figure 9", "the same if eb does not rotate jobs", "yes",
              f"{partner:.2f} and {buddy:.2f} at {LOADS[at]:.1f}",
              samples.leads(FIRST, K_PARTNER, EB_FIXED),
              "k-partner is not ahead")
    run.number("Figure 9", "utilization at which that eb degrades, %", "30",
               f"{level:.0f}", (30, level),
               f"it levels off {'before' if level < 30 else 'after'}")


# ---- section 5.2: sizes of machines ----

def judge_levels(run: Run, samples: Samples) -> None:
    """At the largest load, the queue only grows: it shows the most that a
    strategy achieves."""
    etc, ours = ([samples.most(panel, line) for panel in CUBIC]
                 for line in (ETC, ISOMORPHIC))
    run.number("Figure 10c", "utilization at which etc saturates, %", "about 50",
               f"{etc[-1]:.1f}", (50, etc[-1]), "it levels off elsewhere")
    run.order("Section 5.2", "etc saturates sooner on larger machines", "yes",
              f"at {etc[0]:.0f}, {etc[1]:.0f} and {etc[2]:.0f} % on 4-, 8- and "
              "16-ary", [lead(*(samples.of(panel, ETC, MOST, "utilization")
                                for panel in (larger, smaller)))
                         for smaller, larger in zip(CUBIC, CUBIC[1:])],
              "it does not")
    run.number("Section 5.2", "isomorphic alike on machines of all sizes",
               "consistent", f"levels off at {ours[0]:.0f}, {ours[1]:.0f} and "
               f"{ours[2]:.0f} % on 4-, 8- and 16-ary", (ours[0], ours[-1]),
               "it carries less on larger ones, too")


def judge_fragmentation(run: Run, samples: Samples) -> None:
    """At a load that all machines carry: the part of the delay by etc that is
    topological, with each seed."""
    at = min(samples.highest(panel, ETC) for panel in CUBIC)
    shares = [[their / (its + their) if its + their > 0 else 0.0
               for its, their in zip(*(samples.of(panel, ETC, at, delay)
                                       for delay in ("numerical",
                                                     "topological")))]
              for panel in CUBIC]
    means = [100 * estimate(share)[0] for share in shares]
    run.order("Section 5.2", "external fragmentation of etc, as the machine "
              "grows", "more critical",
              f"{means[0]:.0f}, {means[1]:.0f} and {means[2]:.0f} % of its delay "
              f"is topological at {LOADS[at]:.1f}",
              [lead(*pair) for pair in zip(shares, shares[1:])], "it is not")


# ---- Figures 10 and 11: responses ----

def judge_gain_at(run: Run, of: tuple[str, str, int], panels: Sequence[Panel],
                  other: Line, load: int) -> None:
    """The largest gain at a load. If a machine does not carry the load, nobody
    knows it."""
    where, value, printed = of
    samples, texts, stable = run.answer["samples"], [], True
    for panel in panels:
        if load < samples.stable(panel, other, ISOMORPHIC):
            texts.append(f"{samples.gain(panel, other, load)} on "
                         f"{panel.arity}-ary")
        else:
            stable = False
            most = min(samples.most(panel, line)
                       for line in (other, ISOMORPHIC))
            texts.append(f"{panel.arity}-ary carries {most:.0f} %")
    ours = ", ".join(texts)
    if stable:
        most = max(samples.gain(panel, other, load) for panel in panels)
        run.number(where, value, f"up to {printed}", ours, (printed, most),
                   "another gain")
    else:
        run.refuse(where, value, f"up to {printed}", ours,
                   "queues only grow beyond what a machine carries")


def judge_gain(run: Run, where: str, value: str, panels: Sequence[Panel],
               other: Line, why: str = "it is not") -> None:
    """The order at the highest loads that can be compared."""
    samples = run.answer["samples"]
    at = [samples.highest(panel, other) for panel in panels]
    gains = [samples.gain(panel, other, load)
             for panel, load in zip(panels, at)]
    run.order(where, value, "sooner",
              f"by {gains[0]}, {gains[1]} and {gains[2]} % at "
              f"{LOADS[at[0]]:.1f}, {LOADS[at[1]]:.1f} and {LOADS[at[2]]:.1f}",
              [it for panel in panels
               for it in samples.leads(panel, ISOMORPHIC, other)], why)


def judge_gains(run: Run) -> None:
    judge_gain_at(run, ("Figure 10", "isomorphic sooner than etc at 50 %, cubic "
                        "jobs, %", 49), CUBIC, ETC, AT_50)
    judge_gain(run, "Figure 10", "the same on 4-, 8- and 16-ary, where both "
               "carry the load", CUBIC, ETC)
    judge_gain_at(run, ("Figure 11", "sooner than etc at 40 %, noncubic jobs, %",
                        45), NONCUBIC, ETC, AT_40)
    judge_gain(run, "Figure 11", "the same, where both carry the load", NONCUBIC,
               ETC, "etc of section 2 takes the box that is asked for")
    judge_gain_at(run, ("Figure 11", "at 40 %, if etc rounds up, too, %", 45),
                  NONCUBIC, ETC_ROUNDED, AT_40)
    judge_gain(run, "Figure 11", "the same, where both carry the load, if etc "
               "rounds up", NONCUBIC, ETC_ROUNDED)
    run.refuse("Section 1", "isomorphic sooner than etc, %", "7 to 49", "-",
               "its loads are not given")


# ---- section 5.3: jobs that are not cubic ----

def judge_worse(run: Run, value: str, line: Line, cubic: Line, why: str) -> None:
    """At the highest load that noncubic jobs can have: whether a strategy is
    worse on a machine than with cubic jobs by a quarter or more."""
    samples = run.answer["samples"]
    at = [samples.highest(panel, line) for panel in NONCUBIC]
    pairs = [(samples.of(ours, cubic, load, "response"),
              samples.of(panel, line, load, "response"))
             for ours, panel, load in zip(CUBIC, NONCUBIC, at)]
    worse = [100 * (estimate(other)[0] / estimate(one)[0] - 1)
             for one, other in pairs]
    run.order("Section 5.3", value, "far worse",
              f"by {worse[0]:.0f}, {worse[1]:.0f} and {worse[2]:.0f} % at "
              f"{LOADS[at[0]]:.1f}, {LOADS[at[1]]:.1f} and {LOADS[at[2]]:.1f}",
              [lead([1.25 * it for it in one], other)
               for one, other in pairs], why)


def judge_noncubic(run: Run) -> None:
    judge_worse(run, "isomorphic far worse with noncubic jobs, by 25 % or more",
                ISOMORPHIC, ISOMORPHIC, "it is not")
    judge_worse(run, "etc the same, if it rounds up", ETC_ROUNDED, ETC,
                "it is not")
    judge_worse(run, "etc the same, if it takes the box asked for", ETC, ETC,
                "that etc has no internal fragmentation")


# ---- section 5.1: service times ----

def judge_services(run: Run) -> None:
    """At the least load, where no strategy is saturated with any service times;
    and at the most that both achieve. A case is a machine: the gain of the most
    variable service times beyond exponential ones."""
    rows, each = run.answer["services"], len(SERVICES)
    cases = [rows[i:i + each] for i in range(0, len(rows), each)]

    def beyond(value: str, cases: Iterable[list[Row]]) -> list[Lead]:
        return [(many[value] - few[value],
                 math.hypot(few[f"{value}_half"], many[f"{value}_half"]))
                for few, *_, many in cases]

    least = cases[::len(SERVICE_LOADS)]
    full = cases[len(SERVICE_LOADS) - 1::len(SERVICE_LOADS)]
    stable = not any(row["saturated"] for case in least for row in case)
    few, *_, many = least[-1]
    ours = (f"16-ary at {few['load']:.1f}, "
            f"{'stable' if stable else 'saturated'}: {100 * few['gain']:.0f} %, "
            f"and {100 * many['gain']:.0f} % at CV^2 = 10")
    of = ("Section 5.1", "gain in response if service times vary widely",
          "more favourable", ours)
    if stable:
        run.order(*of, beyond("gain", least), "it is not more")
    else:
        run.refuse(*of, "queues only grow at this load")
    few, *_, many = full[-1]
    run.order("Section 5.1", "gain in utilization if they do", "more favourable",
              f"16-ary, saturated: {100 * few['more']:.0f} %, and "
              f"{100 * many['more']:.0f} % at CV^2 = 10", beyond("more", full),
              "long jobs hold up large ones, wherever they are")


# ---- Figures 12 and 13: delays ----

def judge_delays(run: Run, samples: Samples) -> None:
    for where, value, measure, printed in (
            ("Figure 12", "numerical delay, both round up", "numerical_held",
             "less than with etc"),
            ("Figure 13", "topological delay, both round up", "topological_held",
             "much less")):
        saving = 100.0  # the least of isomorphic, which keeps its box
        for panel in NONCUBIC:
            at = samples.highest(panel, KEPT, ETC_ROUNDED)
            ours, theirs = (samples.mean(panel, line, at, measure)
                            for line in (KEPT, ETC_ROUNDED))
            saving = min(saving, 100 * (1 - ours / theirs) if theirs > 0
                         else 0.0)
        run.order(where, value, printed, f"at least {saving:.0f} % less",
                  [it for panel in NONCUBIC for it in samples.leads(
                      panel, KEPT, ETC_ROUNDED, measure)], "it is more")


def judge(run: Run) -> None:
    samples = run.answer["samples"]
    judge_figure_9(run, samples)
    judge_levels(run, samples)
    judge_fragmentation(run, samples)
    judge_gains(run)
    judge_noncubic(run)
    judge_services(run)
    judge_delays(run, samples)


# ---- the page ----

def some(run: Run, panels: Iterable[Panel], load: Optional[float] = None,
         line: Optional[Line] = None) -> list[Row]:
    return [row for row in run.answer["points"] if row["panel"] in panels
            and load in (None, row["load"])
            and (line is None or row["strategy"] == line.name)]


def halved(*names: str) -> list[Shown]:
    return [Shown(name, half=f"{name}_half") for name in names]


def show_services(run: Run) -> None:
    jobs = run.answer["service_jobs"]
    run.lines("\nPrinted: more favourable results for isomorphic are expected if "
              "the workload varies\nwidely (section 5.1). Ours: cubic jobs, "
              f"{jobs} a seed ({run.answer['jobs'] * SERVICE_LENGTH} at the "
              "least load), by\nthe service times. Where a strategy is "
              "saturated, a mean says how long the run was:\n")
    rows = run.answer["services"]
    run.table("services", ["machine", "load", "service", "cv2",
                           *halved("etc", "isomorphic", "gain"), "saturated"],
              [row for row in rows if row["load"] <= 0.5])
    run.lines("\nThe most that they achieve: utilization at an offered load of "
              "90 %\n")
    run.table("services", ["machine", "service", "cv2", *halved(
        "etc_utilization", "isomorphic_utilization", "more")],
              [row for row in rows if row["load"] > 0.5])


def show(run: Run) -> None:
    answer, samples = run.answer, run.answer["samples"]
    run.lines(f"Poisson arrivals, {run.how.service or 'exponential'} service of "
              f"mean 1, fcfs; {answer['seeds']} seeds of {answer['jobs']} "
              "jobs;\nmeans and 95 % intervals over seeds, in service times.\n")
    for panel, measure in itertools.product(PANELS, MEASURES):
        run.lines(f"\n{panel.title(measure)}\n")
        run.pivot("points", ["load"], "strategy", halved(measure.slug)[0],
                  some(run, [panel]))
    run.lines("\nBy how much isomorphic answers sooner than etc, in %, at each "
              "load\n(printed: up to 49 at 50 % with cubic jobs, up to 45 at 40 "
              "% with noncubic ones).\nIn brackets: beyond nine tenths of the "
              "most that both achieve, where a mean says\nhow long the run "
              "was\n")
    run.pivot("points", ["what"], "load", "gain_shown", some(
        run, PANELS, line=ETC))
    run.lines("\nThe same if etc rounds sides up to powers of two, too, and "
              "keeps all of the box\n")
    run.pivot("points", ["what"], "load", "gain_shown", some(
        run, PANELS, line=ETC_ROUNDED))
    run.lines("\nPrinted: on 16-ary with cubic jobs etc saturates near 50 % "
              "utilization.\nOurs: etc levels off at "
              f"{samples.most(LARGEST, ETC):.0f} %, isomorphic at "
              f"{samples.most(LARGEST, ISOMORPHIC):.0f} %.\n\n"
              "The three causes of delay that section 5.1 names, with cubic "
              "jobs at 40 %: too few\nnodes, no box among enough nodes, and a "
              "box that the strategy does not recognise,\nwhich is part of the "
              "topological delay\n")
    run.table("points", ["machine", "strategy", *halved(
        "numerical", "topological", "unrecognised")],
              some(run, CUBIC, LOADS[AT_40]))
    show_services(run)
    run.lines("\nPrinted: isomorphic has less numerical delay than etc (Figure "
              "12), and the\ndifference in topological delay is much larger "
              "(Figure 13). Ours at 40 %, by the\nnodes that a job asks for, "
              "and by those that it holds at its start:\n")
    run.table("points", ["machine", "strategy", *halved(
        "numerical", "topological", "numerical_held", "topological_held")],
              some(run, NONCUBIC, LOADS[AT_40]))


def draw(run: Run) -> None:
    """The x axis is the achieved utilization, as in the paper. A queue that
    grows without end is not drawn, and the figure says so. Delays by nodes held
    are drawn if the paper has figures of them."""
    for panel, measure in itertools.product(PANELS, MEASURES):
        if not measure.label or (measure.slug.endswith("_held")
                                 and measure.slug not in panel.figures):
            continue
        run.figure(f"{panel.slug}-{measure.slug}", figures.Graph(
            panel.title(measure), "utilization achieved, %",
            f"{measure.label}, service times (up to 20)", [
                figures.Line(
                    line.name, [100 * row["utilization"] for row in rows],
                    [row[measure.slug] for row in rows],
                    [row[f"{measure.slug}_half"] for row in rows],
                    baseline=line is ETC)
                for line in panel.lines
                for rows in [some(run, [panel], line=line)]],
            x_most=100, y_most=20))
