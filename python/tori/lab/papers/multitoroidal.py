"""Y. Aridor et al., "Multi-Toroidal Interconnects", 2004, sections 3 and 4,
Figures 12 to 14: the utilization of a torus, some or all of whose jobs ask for
tori, beside that of a multi-torus, by the offered load.

A panel is one graph of the paper, or one that it does not have: jobs under a
scheduler, with shapes of one kind. It has a point for every offered load, and a
point has a simulation for each of four configurations: a machine, and the share
of the jobs that ask for a torus."""
from __future__ import annotations

import functools
import itertools
import math
import os
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence

from tori import Failed

from .. import Result, Workload, figures, simulate
from . import ARIDOR_2004, Lead, Run, traces
from .sheets import Field, Row, Shown

CITATION = ARIDOR_2004
WHAT = "Figures 12-14: how far a torus and a multi-torus can be loaded"
TAKES = ("traces", "model", "limit")
QUICK = {"limit": 55000}
PANEL = (
    Field("figure", "the figure of the paper; empty if it has none", "figure"),
    Field("source", "whose jobs", "jobs"),
    Field("sched", "the scheduler", "scheduler"),
    Field("shapes", "how jobs get shapes", "shapes"))


def straight(name: str, machine: str) -> tuple[Field, ...]:
    """Up to which load a graph is straight."""
    return (
        Field(name.replace("-", ""),
              f"up to which load that of the {name} is straight"),
        Field(f"{machine}_beyond", "whether it is straight as far as it goes"),
        Field(f"{machine}_shown", "both in words, in percent", name,
              numeral=True),
        Field(f"{machine}_paper", "what the paper says; null if it does not",
              "paper", scale=100))


ANSWER = (
    Field("coincide", "whether all pairs of simulations do"),
    Field("sources", "whose jobs are simulated", list=True, group=(
        Field("name", "whose jobs"),
        Field("file", "the file of the log; null for a model"),
        Field("path", "where it is; null for a model, and if it was not found"),
        Field("model", "the model; null for a log"),
        Field("scale", "what sizes are multiplied by"),
        Field("jobs", "how many jobs there are"),
        Field("offered", "the offered load as logged"))),
    Field("simulations", "every simulation", list=True, group=(
        *PANEL,
        Field("load", "the load asked for", "load", scale=100),
        Field("configuration", "machine and jobs in words"),
        Field("machine", "the machine"),
        Field("torus_fraction", "the part of the jobs that ask for a torus"),
        Field("offered", "the offered load that was measured"),
        Field("utilization", "the utilization", decimals=1, scale=100),
        Field("internal_fragmentation",
              "the part of nodes held that no job asked for"),
        Field("makespan", "from the first submission to the last end",
              unit="s"),
        Field("wait", "mean wait", unit="s"),
        Field("bounded_slowdown", "mean bounded slowdown"),
        Field("jobs", "jobs that ran"),
        Field("rejected", "jobs that never fit"),
        Field("coincide", "whether the torus with meshes and the multi-torus "
              "with tori ran every job at the same time in the same place"))),
    Field("readings", "up to which load graphs are straight", list=True, group=(
        *PANEL,
        Field("share", "the share of the load at which a graph counts as "
              "straight", "share", 2),
        *straight("torus", "torus"), *straight("multi-torus", "multitorus"),
        Field("factor", "how many times the load the multi-torus takes, at "
              "least that many if its graph is straight as far as it goes; "
              "null if that of the torus is"),
        Field("factor_shown", "the same in words", "factor", numeral=True),
        Field("factor_paper", "what the paper says; null if it does not",
              "paper", 2),
        Field("factor_at_full_load",
              "the factor between utilizations at a load of 1", "at 100 %",
              2))),
)

TORUS, MULTITORUS = "torus:8x8x8", "multitorus:8x8x8"
LOADS = range(20, 101, 10)  # percent
MODEL_JOBS = 10000  # of a model, if there is no limit
# A graph counts as straight while utilization is a share of the load: this one.
# The others show how much a reading depends on it.
SHARE, SHARES = 0.95, (0.9, 0.95, 0.99)
# Machine and jobs in words, the line in a figure, and how many jobs are tori.
# The last two share a workload.
CONFIGS = (
    ("torus, meshes", "torus, all jobs meshes", TORUS, 0.0),
    ("torus, half tori", "torus, half of the jobs tori", TORUS, 0.5),
    ("torus, tori", "torus, all jobs tori", TORUS, 1.0),
    ("multi-torus, tori", "multi-torus, all jobs tori", MULTITORUS, 1.0))
MESHES, HALF, TORI, MULTI = range(4)
Claim = tuple[Optional[int], Optional[int], float]


@dataclass(frozen=True)
class Experiment:
    """A figure; with `claims`, for each log: up to which load the graphs of
    tori on both machines are straight, and how far apart they are."""

    figure: str
    sched: str
    shapes: str
    claims: Sequence[Claim] = ()


# EASY is not in the paper; a site that runs a scheduler with backfilling wants
# to know whether the finding holds for it.
EXPERIMENTS = (
    Experiment("12", "fcfs", "first-match",
               ((40, 50, 50 / 40), (30, 60, 60 / 30))),
    Experiment("13", "backfill", "first-match",
               ((60, 80, 80 / 60), (40, 80, 80 / 40))),
    Experiment("14", "backfill", "fat", ((None, None, 4), (None, None, 2.5))),
    Experiment("", "easy", "first-match"))


# ---- section 3: the jobs ----

@dataclass(frozen=True)
class Source:
    """Jobs of a log, or of a model. `part` is that in the paper's figures."""

    name: str
    slug: str
    file: Optional[str] = None
    part: str = ""
    scale: int = 1
    path: Optional[str] = None
    model: Optional[str] = None

    @property
    def there(self) -> bool:
        return bool(self.path or self.model)

    def jobs(self, how: Any, shapes: str, fraction: float, load: float
             ) -> Workload:
        options: dict[str, Any] = {
            "shapes": shapes, "wiring": "torus", "torus_fraction": fraction,
            "load": load, "scale_num": self.scale, "scale_den": 1,
            "limit": how.limit, "seed": how.seed,
            "jobs": how.limit or MODEL_JOBS}
        if self.path:
            return traces.read(self.path, TORUS, **options)
        return Workload(self.model, TORUS, **options)


def find_sources(how: Any) -> list[Source]:
    logs = [Source(name, slug, file, part, scale, traces.find(how.traces, file))
            for name, slug, file, part, scale in (
                ("CTC SP2", "ctc", "CTC-SP2-1996-3.1-cln.swf", "a", 1),
                ("SDSC SP2", "sdsc", "SDSC-SP2-1998-4.2-cln.swf", "b", 4))]
    models = [Source(how.model, how.model, model=how.model)] if how.model else []
    if not any(it.there for it in (*logs, *models)):
        raise Failed(f"neither {logs[0].file} nor {logs[1].file}, plain or .gz, "
                     f"is in {traces.said(how.traces)}; {traces.ARCHIVE} has "
                     "them, --traces says where they are, and --model lublin "
                     "does without")
    return logs + models


def source_row(source: Source, how: Any) -> Row:
    """Its properties; this also finds logs that cannot be read."""
    work = source.there and source.jobs(how, "first-match", 1, 0)
    return {**vars(source), "jobs": len(work) if work else 0,
            "offered": work.offered if work else 0.0}


# ---- section 4: the simulations ----

@dataclass(frozen=True)
class Panel:
    experiment: Experiment
    source: Source

    @property
    def figure(self) -> str:
        return self.experiment.figure and self.source.part and (
            self.experiment.figure + self.source.part)

    @property
    def title(self) -> str:
        return (f"Figure {self.figure}: " if self.figure else "") + (
            f"{self.source.name}, {self.experiment.sched}, "
            f"{self.experiment.shapes} shapes")

    @property
    def slug(self) -> str:
        return f"figure-{self.figure}" if self.figure else (
            f"{self.source.slug}-{self.experiment.sched}-"
            f"{self.experiment.shapes}")

    @property
    def claim(self) -> Claim:
        part = "ab".find(self.source.part) if self.source.part else -1
        claims = self.experiment.claims
        return claims[part] if claims and part >= 0 else (
            None, None, math.nan)

    @property
    def columns(self) -> Row:
        return {"figure": self.figure, "source": self.source.name,
                "sched": self.experiment.sched,
                "shapes": self.experiment.shapes}

    def simulate(self, machine: str, work: Workload) -> Result:
        return simulate(machine, work, policy=self.experiment.sched,
                        alloc="first-fit", quiet=True)

    def jobs(self, how: Any, fraction: float, load: int) -> Workload:
        return self.source.jobs(how, self.experiment.shapes, fraction,
                                load / 100)


def differ(ours: Result, theirs: Result) -> Optional[int]:
    """The first job that did not run at the same time in the same place, by
    its id."""
    one, other = (
        {it for it in zip(table["start"].tolist(), table["id"].tolist(),
                          table["placement"]) if it[2]}
        for table in (ours.table(), theirs.table()))
    return int(min(one ^ other)[1]) if one != other else None


def point_rows(case: tuple[int, Panel], how: Any) -> list[Row]:
    """The simulations of a panel at a load."""
    load, panel = case
    results, work = [], None
    for *_, machine, fraction in CONFIGS:
        if machine != MULTITORUS:
            work = panel.jobs(how, fraction, load)
        assert work is not None
        results.append(panel.simulate(machine, work))
    differs = differ(results[MESHES], results[MULTI])
    return [{**panel.columns, "load": load / 100, "configuration": name,
             "machine": machine, "torus_fraction": fraction,
             **{key: result[key] for key in (
                 "offered", "utilization", "internal_fragmentation", "makespan",
                 "jobs", "rejected")},
             "wait": result["wait.mean"],
             "bounded_slowdown": result["bounded_slowdown.mean"],
             "coincide": differs is None, "differs": differs}
            for (name, _, machine, fraction), result in zip(CONFIGS, results)]


# ---- readings of graphs ----

def read_graph(points: Sequence[tuple[int, float]], share: float,
               measure: Callable[[int], float]) -> tuple[int, bool]:
    """The largest whole load on the line y = x, of those below the first given
    point that is off it, and whether none is. Points, of loads that ascend, are
    loads and utilizations in percent; one is on the line if its utilization is
    at least this share of the load. 0 is on the line.

    A graph follows the line as long as the machine can take the load; then it
    bends. Simulations at a few loads, far apart, show between which two it first
    bends; `measure` is asked where, from the top down. A line drawn between the
    two would put the bend too early, since a graph goes straight on and then
    turns. So would halving the stretch between them, since a graph may leave
    the line and come back."""
    low = 0
    for load, utilization in points:
        if utilization < share * load:
            return next((at for at in range(load - 1, low, -1)
                         if measure(at) >= share * at), low), False
        low = load
    return low, True


def readings_of(case: tuple[Panel, int, Sequence[float]], how: Any
                ) -> list[tuple[int, bool]]:
    """A graph by each share; simulations are kept from one to the next."""
    panel, config, utilizations = case
    *_, machine, fraction = CONFIGS[config]

    @functools.cache
    def measure(load: int) -> float:
        work = panel.jobs(how, fraction, load)
        return 100 * panel.simulate(machine, work)["utilization"]

    points = list(zip(LOADS, utilizations))
    return [read_graph(points, share, measure) for share in SHARES]


def reading_row(panel: Panel, share: float, torus: tuple[int, bool],
                multi: tuple[int, bool], full: Sequence[float]) -> Row:
    known = torus[0] > 0 and not torus[1]
    factor = multi[0] / torus[0] if known else math.nan
    torus_claim, multi_claim, factor_claim = panel.claim
    row = {**panel.columns, "share": share, "factor": factor,
           "factor_shown": f"{'>= ' * multi[1]}{factor:.2f}" if known else "-",
           "factor_paper": float(factor_claim),
           "factor_at_full_load": full[MULTI] / full[TORI]
           if full[TORI] > 0 else 0.0}
    for name, (load, beyond), claim in (("torus", torus, torus_claim),
                                        ("multitorus", multi, multi_claim)):
        row |= {name: load / 100, f"{name}_beyond": beyond,
                f"{name}_shown": f"{'>= ' * beyond}{load}",
                f"{name}_paper": claim / 100 if claim else math.nan}
    return row


# ---- the entry ----

@dataclass
class Graph:
    """A panel and its simulations, by load and configuration."""

    panel: Panel
    rows: list[Row]

    def utilization(self, config: int) -> list[float]:
        """In percent, by load."""
        return [100 * row["utilization"]
                for row in self.rows[config::len(CONFIGS)]]

    def at_most(self, config: int) -> float:
        return self.utilization(config)[-1]


def graphs_of(run: Run) -> Iterator[Graph]:
    """Panel by panel."""
    rows, each = run.answer["simulations"], len(LOADS) * len(CONFIGS)
    for i, panel in enumerate(run.answer["panels"]):
        yield Graph(panel, rows[i * each:(i + 1) * each])


def compute(run: Run) -> None:
    how = run.how
    sources = find_sources(how)
    surveyed = [source_row(source, how) for source in sources]
    panels = [Panel(experiment, source) for experiment, source in
              itertools.product(EXPERIMENTS, sources) if source.there]
    # Heavy loads take longest; they come first, so that no processor is left
    # alone with one at the end.
    cases = list(itertools.product(reversed(LOADS), panels))
    points = dict(zip(cases, run.map(
        functools.partial(point_rows, how=how), cases)))
    run.answer = {
        "panels": panels, "sources": surveyed, "simulations": [
            row for panel, load in itertools.product(panels, LOADS)
            for row in points[load, panel]]}
    run.answer["coincide"] = all(
        row["coincide"] for row in run.answer["simulations"])
    graphs = list(graphs_of(run))
    read = run.map(functools.partial(readings_of, how=how), [
        (graph.panel, config, graph.utilization(config))
        for graph, config in itertools.product(graphs, (TORI, MULTI))])
    run.answer["readings"] = [
        reading_row(graph.panel, share, torus, multi,
                    [graph.at_most(config) for config in range(len(CONFIGS))])
        for graph, tori, multis in zip(graphs, read[::2], read[1::2])
        for share, torus, multi in zip(SHARES, tori, multis)]


def verify(run: Run) -> None:
    """The theorem of section 2: a multi-torus wires every box as a torus. If
    the run contradicts it, the numbers cannot be trusted."""
    for graph in graphs_of(run):
        for row in graph.rows:
            if not row["coincide"]:
                raise Failed(
                    f"{graph.panel.title}, load {100 * row['load']:.0f} %: the "
                    "multi-torus with tori and the torus with meshes differ "
                    f"from job {row['differs']} on")


# ---- verdicts ----

def judge_readings(run: Run, row: Row) -> None:
    where = f"Figure {row['figure']}"
    for name, key in (("torus", "torus"), ("multi-torus", "multitorus")):
        its, ours = 100 * row[f"{key}_paper"], 100 * row[key]
        if not math.isnan(its):
            run.number(where, f"{name} straight up to load, %", f"{its:.0f}",
                       f"{ours:.0f}", (its, ours), "ours is straight for longer"
                       if ours > its else "ours bends sooner")
    its, ours = row["factor_paper"], row["factor"]
    run.number(where, "factor of both", f"{its:.2f}", row["factor_shown"],
               (its, ours), "ours are further apart" if ours > its
               else "ours are closer")


def judge_fat(run: Run, graphs: dict[str, Graph]) -> None:
    """The text says that with fat shapes the multi-torus does as in Figure
    13."""
    for part in "ab":
        if f"13{part}" not in graphs:
            continue
        slim, fat = (graphs[figure + part].at_most(MULTI)
                     for figure in ("13", "14"))
        run.number(f"Section 4, Figure 14{part}", "multi-torus, fat shapes "
                   "beside Figure 13, at 100 %, %", "the same",
                   f"{fat:.1f} beside {slim:.1f}", (slim, fat),
                   "jobs of 1 to 7 nodes get 2x2x2, and count as asked for")


def judge_orders(run: Run, graphs: dict[str, Graph]) -> None:
    """A simulation has no interval: its log is what it is."""
    def sure(leads: Iterable[Lead]) -> int:
        return sum(mean > 0 for mean, _ in leads)

    tori: list[Lead] = [
        (graph.at_most(less) - graph.at_most(more), 0)
        for graph in graphs.values()
        for less, more in ((HALF, TORI), (MESHES, HALF))]
    fcfs: list[Lead] = [
        (graphs["13" + figure[2:]].at_most(config) - graph.at_most(config), 0)
        for figure, graph in graphs.items() if figure.startswith("12")
        for config in range(len(CONFIGS))]
    if not tori:
        return
    run.order("Section 4, Figures 12-14", "utilization of the torus with none, "
              "half and all of the jobs tori", "decreases",
              f"decreases in {sure(tori)} of {len(tori)} steps", tori,
              "it does not")
    run.order("Section 4, Figures 12, 13", "utilization by fcfs beside "
              "backfilling", "lower",
              f"lower in {sure(fcfs)} of {len(fcfs)} graphs", fcfs,
              "it is not lower")


def judge(run: Run) -> None:
    pairs = run.answer["simulations"][::len(CONFIGS)]
    same = sum(row["coincide"] for row in pairs)
    graphs = {graph.panel.figure: graph for graph in graphs_of(run)
              if graph.panel.figure}
    run.compare("Figures 12-14",
                "tori on the multi-torus as meshes on the torus",
                "completely overlap", f"{same} of {len(pairs)} schedules the "
                "same", same == len(pairs), "schedules differ")
    claimed = [row for row in run.answer["readings"] if row["share"] == SHARE
               and not math.isnan(row["factor_paper"])]
    for row in claimed:
        judge_readings(run, row)
    judge_fat(run, graphs)
    judge_orders(run, graphs)
    factors = [row["factor"] for row in claimed
               if not math.isnan(row["factor"])]
    if factors:
        least, most = min(factors), max(factors)
        run.compare("Abstract", "factor of both, all figures", "2 to 4",
                    f"{least:.2f} to {most:.2f}",
                    least >= 1.8 and 3.6 <= most <= 4.4,
                    "its own text has 1.25 and 1.33 for CTC")
    for row in run.answer["sources"]:
        if row["file"] and not row["path"]:
            run.refuse("Figures " + ", ".join(
                f"{figure}{row['part']}" for figure in (12, 13, 14)),
                "readings and factors", "6 and 3", "-", "the log is not there")


# ---- the page ----

def said(source: Row, how: Any) -> str:
    text = f"{source['name']}: "
    if source["model"]:
        text += f"a model, {source['jobs']} jobs"
    elif not source["path"]:
        return (text + f"left out, no {source['file']}[.gz] in "
                f"{traces.said(how.traces)}\n")
    else:
        text += f"{os.path.basename(source['path'])}, {source['jobs']} jobs"
    if source["scale"] > 1:
        text += f", sizes times {source['scale']}"
    return (text + f", offered load {100 * source['offered']:.1f} % before "
            "stretching\n")


def show(run: Run) -> None:
    run.say(f"{CITATION}\n")
    for source in run.answer["sources"]:
        run.lines(said(source, run.how))
    run.lines("\nUtilization of 8x8x8 nodes in %, by the offered load in %.\n")
    for graph in graphs_of(run):
        run.lines(f"\n{graph.panel.title}\n\n")
        run.pivot("simulations", ["load"], "configuration", "utilization",
                  graph.rows)
    run.say("\nThe load, to a percent, up to which the graphs of torus jobs are "
            "straight: the largest at which utilization is at least "
            f"{SHARE:.2f} of the load, below the first of the loads above at "
            "which it is not. Next to ours is what the paper's text says. The "
            "last column is the factor between the utilizations at a load of "
            "100 %.\n")
    readings = run.answer["readings"]
    panel = [field.name for field in PANEL]
    run.table("readings", [
        *panel, *(f"{name}_{end}" for name in ("torus", "multitorus", "factor")
                  for end in ("shown", "paper")), "factor_at_full_load"],
              [row for row in readings if row["share"] == SHARE])
    run.lines("\nThe same by other shares of the load:\n\n")
    run.table("readings", [*panel, "share", "torus_shown", "multitorus_shown",
                           "factor_shown"])
    pairs = run.answer["simulations"][::len(CONFIGS)]
    run.lines("\nThe multi-torus with tori and the torus with meshes ran every "
              "job at the same\ntime in the same place in "
              f"{sum(row['coincide'] for row in pairs)} of {len(pairs)} pairs "
              "of simulations.\n")


def draw(run: Run) -> None:
    for graph in graphs_of(run):
        run.figure(graph.panel.slug, figures.Graph(
            graph.panel.title, "offered load, %", "utilization, %", [
                run.line("simulations", graph.rows[i::len(CONFIGS)], "load",
                         "utilization", CONFIGS[i][1], broad=i == MULTI)
                for i in (MESHES, HALF, TORI, MULTI)],
            "utilization = offered load", 100, 100))
