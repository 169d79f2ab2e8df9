"""The comparison of the policies of a grid, for each group of jobs by itself:
those of a user, group, queue, size or class."""
from __future__ import annotations

import math
from typing import Any, Optional

from ..papers.sheets import Field, Shown
from .cells import Cells, number_at
from .design import Row
from .standings import MEASURE, NAN, Comparison, shown_table

MOST = 20  # groups that are compared

ROW = (
    Field("name", "the user, group, queue, size or class"),
    Field("scene", "what tells the scene from others"),
    Field("policy", "what tells the policy from others"),
    Field("seeds", "seeds in which all policies ran jobs of the group: the "
          "others do not count for the means"),
    Field("jobs_run", "jobs that ran to their end, over all seeds"),
    Field("rejected", "jobs that can never run there"),
    Field("killed", "jobs that started and did not run to their end"),
    Field("hopeless", "jobs that can hardly ever finish, because failures are "
          "frequent: they are not compared",
          present=lambda row: bool(row["hopeless"])),
    Field("compared", "of those that ran, jobs that all policies ran, without "
          "the hopeless ones: the means are theirs"),
    Field("wait", "mean time from submission to start", unit="s",
          group=MEASURE),
    Field("longer", "how much longer they wait than with the first policy, "
          "seed by seed", unit="s"),
    Field("longer_half",
          "half of its 95 % interval; null with a single seed", unit="s"),
    Field("bounded_slowdown",
          "response over run time, of at least 10 s, at least 1",
          group=MEASURE),
)

# Sizes and classes in their order; the first is that of a size of up to 2^i.
_ORDERS: dict[Optional[str], list[str]] = {
    "size": [str(1 << i) if i < 2 else f"{(1 << i) // 2 + 1}-{1 << i}"
             for i in range(32)],
    "class": [f"{length} {width}" for length in ("short", "long")
              for width in ("narrow", "wide")],
}


class GroupStandings:
    """Without groups there are no rows. Sizes and classes are in their order,
    users, groups and queues in that of their node-hours, the most first; only
    the first are compared. Rows are by group, scene and policy."""

    def __init__(self, cells: Cells):
        self._cells = cells
        # By cell: all jobs of each group, and those that all policies ran.
        self._all = [_by_name((it or {}).get("by")) for it in cells.outcome]
        self._compared = [
            _by_name(compared["by"]) if "by" in (compared := (it or {}).get(
                "compared", {})) else mine
            for it, mine in zip(cells.outcome, self._all)]
        names = self._names()
        self.left_out = max(len(names) - MOST, 0)
        self.rows = [row for name in names[:MOST]
                     for row in self._rows_of(name)]

    def _names(self) -> list[str]:
        """A group need not be in every cell: seeds have jobs of their own."""
        hours: dict[str, float] = {}
        for groups in self._all:
            for name, group in groups.items():
                hours[name] = hours.get(name, 0.0) + group["node_hours"]
        order = {name: i for i, name in enumerate(
            _ORDERS.get(self._cells.by, ()))}
        return sorted(hours, key=lambda name: (
            order.get(name, 0), -hours[name], name.encode()))

    def _comparison(self, name: str, measure: str,
                    absent: set[tuple[int, int]]
                    ) -> tuple[Comparison, dict[tuple[int, int, int], float]]:
        design = self._cells.design
        values = {}
        for i, groups in enumerate(self._compared):
            it = design.of(i)
            values[it.scene, it.policy, i % design.seeds] = number_at(
                groups.get(name), measure)
        return Comparison(design, values, absent), values

    def _absent(self, values: dict[tuple[int, int, int], float]
                ) -> set[tuple[int, int]]:
        """The seeds that do not count for a group: those in which a policy has
        run no jobs of it, unless that policy never has."""
        ever = {key[:2] for key, value in values.items()
                if not math.isnan(value)}
        design = self._cells.design
        return self._cells.absent | {
            (scene, seed) for scene, policy in ever
            for seed in range(design.seeds)
            if math.isnan(values.get((scene, policy, seed), NAN))}

    def _rows_of(self, name: str) -> list[Row]:
        design = self._cells.design
        absent = self._absent(self._comparison(name, "wait", set())[1])
        waits = self._comparison(name, "wait", absent)[0]
        slowdowns = self._comparison(name, "bounded_slowdown", absent)[0]
        rows = []
        for n, it in enumerate(design.combinations):
            row: Row = {"name": name, "scene": design.scene(it.scene),
                        "policy": design.policy(it.policy),
                        "seeds": sum((it.scene, seed) not in absent
                                     for seed in range(design.seeds)),
                        **self._counts(name, n * design.seeds),
                        "wait": _measure(waits, it.scene, it.policy)}
            base = waits.first(it.scene)
            row["longer"], row["longer_half"] = (
                waits.excess(it.scene, it.policy, base)
                if base is not None and waits.has(it.scene, it.policy)
                else (NAN, NAN))
            row["bounded_slowdown"] = _measure(slowdowns, it.scene, it.policy)
            rows.append(row)
        return rows

    def _counts(self, name: str, first: int) -> Row:
        found = dict.fromkeys(("jobs_run", "rejected", "killed", "hopeless",
                               "compared"), 0)
        for i in range(first, first + self._cells.design.seeds):
            group = self._all[i].get(name)
            if group is None or self._cells.is_absent(i):
                continue
            found["jobs_run"] += group["jobs"]
            for member in ("rejected", "killed", "hopeless"):
                found[member] += group.get(member, 0)
            found["compared"] += self._compared[i].get(name, {}).get("jobs", 0)
        return found

    def text(self, bold: bool) -> str:
        """The table, with an empty line before it; none without groups."""
        rows, design = self.rows, self._cells.design
        if not rows:
            return ""
        scarce = any(row["seeds"] < design.seeds for row in rows)
        policies = design.policies > 1
        columns = (
            (design.scenes > 1, Shown("scene")), (True, Shown("name", "jobs of")),
            (policies, Shown("policy")), (scarce, Shown("seeds", "seeds")),
            (True, Shown("jobs_run", "jobs run")),
            (True, Shown("rejected", "rejected")),
            (any(row["killed"] for row in rows), Shown("killed", "killed")),
            (any(row["compared"] < row["jobs_run"] for row in rows),
             Shown("compared", "compared")),
            (True, Shown("wait_mean", "wait, s", half="wait_half_interval")),
            (policies, Shown("longer", "vs the first, s", half="longer_half")),
            (policies, Shown("wait_difference", "vs the first, %", 1, 100,
                             "wait_difference_half")),
            (True, Shown("bounded_slowdown_mean", "slowdown", 2,
                         half="bounded_slowdown_half_interval")))
        return ("\n" + shown_table(ROW, rows, bold, columns, design.seeds)
                + self._notes(scarce))

    def _notes(self, scarce: bool) -> str:
        text = ""
        if scarce:
            text += ("\na seed counts for a group if there are jobs of it that "
                     "all policies ran (\"seeds\")\n")
        if any(math.isnan(row["wait"]["mean"]) for row in self.rows):
            text += ("\na wait is missing where no jobs of the group ran to "
                     "their end, or none that all policies ran\n")
        if any(math.isnan(row["wait"]["difference"])
               and not math.isnan(row["wait"]["mean"]) for row in self.rows):
            text += ("\na difference in percent is missing where, with some "
                     "seed, jobs of the first policy did not wait\n")
        if self.left_out:
            text += (f"and {self.left_out} more, which cells.jsonl of a sweep "
                     "has\n")
        return text


def _by_name(groups: Any) -> dict[str, Row]:
    return {group["name"]: group for group in reversed(groups or ())}


def _measure(comparison: Comparison, scene: int, policy: int) -> Row:
    """A policy without jobs of the group has no mean. Seconds more than none
    are no part of them, so there may be no difference."""
    found = {"mean": NAN, "half_interval": NAN, "difference": NAN,
             "difference_half": NAN}
    base = comparison.first(scene)
    if not comparison.has(scene, policy):
        return found
    found["mean"], found["half_interval"] = comparison.mean(scene, policy)
    if base is not None:
        mean, half = comparison.difference(scene, policy, base)
        if math.isfinite(mean):
            found["difference"], found["difference_half"] = mean, half
    return found
