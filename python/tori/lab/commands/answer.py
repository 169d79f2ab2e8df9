"""The answer of `tori compare` and `tori sweep`, and their figures."""
from __future__ import annotations

from typing import Any, Optional

from ..._commit import COMMIT
from ..._library import Invalid
from ..papers.sheets import Field, encode, json_rows
from . import check_files, write_output
from .cells import Cells, trace_of
from .design import Design
from .groups import GroupStandings
from .groups import ROW as GROUP_ROW
from .standings import ROW, Standings

ANSWER = (
    Field("commit",
          "the commit that tori was built from, if that is known"),
    Field("logs", "the logs", group=(
        Field("*", "the checksum of this log's file, as sha256sum prints it"),
    )),
    Field("cells", "how many simulations"),
    Field("left_out", "combinations that make no sense, and were not run"),
    Field("left_out_why", "these combinations, by the reason", list=True,
          group=(Field("combinations", "how many"),
                 Field("first", "the values of the first"),
                 Field("why", "why it makes no sense, or does not suit the "
                       "machine"))),
    Field("standings", "how each policy did in each scene, over all seeds",
          list=True, group=ROW),
    Field("by", "with --by: the same for the jobs of each user, queue, ...",
          list=True, group=GROUP_ROW),
)


def as_json(how: Any, cells: Cells, n: int,
            standings: Optional[Standings] = None,
            groups: Optional[GroupStandings] = None) -> str:
    """The whole answer, of n cells. A part of a sweep has no standings."""
    design, members = cells.design, {}
    if COMMIT:
        members["commit"] = encode(COMMIT)
    if trace_of(cells.first()):
        members["logs"] = encode({
            str(trace_of(it)): it["log_sha256"] for it in cells.outcome
            if it and trace_of(it) and "log_sha256" in it})
    members |= {"cells": str(n), "left_out": str(design.left_out)}
    if design.reasons:
        members["left_out_why"] = encode([
            {"combinations": count, "first": first, "why": why}
            for why, (first, count) in design.reasons.items()])
    if standings:
        members["standings"] = json_rows(ROW, standings.rows)
    if groups and groups.rows:
        members["by"] = json_rows(GROUP_ROW, groups.rows)
    return f"{how.beginning}," + ",".join(
        f'"{name}":{text}' for name, text in members.items()) + "}\n"


# ---- figures ----

# Names of --measure: the row's, title, label and factor.
_MEASURES: dict[str, tuple[str, str, Optional[str], float]] = {
    "response": ("response", "Mean response", None, 1),
    "wait": ("wait", "Mean wait", None, 1),
    "slowdown": ("bounded_slowdown", "Mean bounded slowdown",
                 "bounded slowdown", 1),
    "utilization": ("utilization", "Utilization", "utilization, %", 100),
    "distance": ("average", "Mean distance between the nodes of a job",
                 "distance, hops", 1),
}
# Axes of scenes that are numbers.
_ACROSS = {"load": ("offered load, %", 100),
           "scale": ("factor for the sizes of jobs", 1),
           "torus-fraction": ("jobs that ask for a torus, %", 100),
           "count-fraction": ("jobs that ask for any nodes, %", 100),
           "mtbf": ("mean time to the next failure of a node, h", 1),
           "urgent": ("urgent jobs, %", 100)}
# Seconds, minutes or hours, by the largest mean.
_UNITS = ((600, 1, "s"), (7200, 60, "min"), (float("inf"), 3600, "h"))
_MOST_LINES = 8


def _across(design: Design) -> Optional[str]:
    """The only axis of scenes that has several values, if it is a number."""
    return next((name for name in _ACROSS if design.scenes > 1
                 and len(design.axes.get(name, ())) == design.scenes), None)


class Figures:
    """Those that were asked for: a line with intervals for each policy."""

    def __init__(self, how: Any):
        self._files = {"svg": how.svg, "pdf": how.pdf}
        self._measure = how.measure or "response"

    def __bool__(self) -> bool:
        return any(self._files.values())

    @property
    def to_stdout(self) -> int:
        return sum(path == "-" for path in self._files.values())

    def check(self, design: Design) -> None:
        """Before the simulations, which may take hours: whether the grid can
        be drawn, and no log of the grid would be overwritten."""
        if not self:
            return
        if not _across(design):
            raise Invalid("--svg and --pdf draw over the load or another "
                          "number: they need several values of one, and a "
                          "single value of everything else that is not a "
                          "policy")
        if design.policies > _MOST_LINES:
            raise Invalid(f"--svg and --pdf: more than {_MOST_LINES} policies "
                          "in one figure")
        logs = [("--trace", log, False)
                for log in design.axes.get("trace", ())]
        for kind, path in self._files.items():
            if path and path != "-":
                check_files([(f"--{kind}", path, True), *logs])
        from .. import figures
        figures.check()

    def draw(self, standings: Standings) -> None:
        if self:
            from .. import figures
            graph = self._graph(standings)
            for kind, path in self._files.items():
                if path:
                    write_output(path, figures.draw(graph, kind))

    def _graph(self, standings: Standings) -> Any:
        from ..figures import Graph, Line
        design = standings.design
        axis = _across(design) or ""
        label, factor = _ACROSS[axis]
        name, title, y, scale = _MEASURES[self._measure]
        rows = standings.rows
        if y is None:
            most = max((row[name]["mean"] for row in rows
                        if row[name]["mean"] == row[name]["mean"]), default=0)
            _, seconds, unit = next(it for it in _UNITS if most < it[0])
            y, scale = f"{name}, {unit}", 1 / seconds
        if design.seeds > 1:
            title += f", 95 % intervals of {design.seeds} seeds"
        lines = []
        for policy in range(design.policies):
            points = [(factor * _number(design.values(it.scene, 0)[axis]), row)
                      for it, row in zip(design.combinations, rows)
                      if it.policy == policy]
            if points:
                lines.append(Line(
                    design.policy(policy) or name, [x for x, _ in points],
                    [scale * row[name]["mean"] for _, row in points],
                    [scale * row[name]["half_interval"] for _, row in points]
                    if design.seeds > 1 else None, baseline=policy == 0
                    and design.policies > 1))
        return Graph(title, label, y, lines)


def _number(text: str) -> float:
    """A decimal or a fraction; NaN for `none`."""
    above, _, below = text.partition("/")
    try:
        return float(above) / float(below or 1)
    except ValueError:
        return float("nan")
