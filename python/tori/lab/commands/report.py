"""tori report - a sweep as one HTML page, with a replay of one of its
simulations."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction
from typing import Any

from ..._library import Invalid, version
from .. import report
from ..papers.sheets import Field, encode, json_rows, members
from . import run, write_output
from .cells import Cells, Running
from .design import Design
from .groups import ROW as GROUP_ROW
from .groups import GroupStandings
from .server import Server
from .standings import ROW, Standings

ANSWER = (
    Field("report", "the file that was written"),
    Field("replayed", "the config of the simulation that it replays", group=(
        Field("*", "as 'tori sim' has it"),)),
    Field("missing", "simulations that the sweep has not run yet"),
)


# ---- the page ----

def _replay(how: Any, words: list[str]) -> str:
    """The jobs of a simulation as a table: it runs once more."""
    with tempfile.TemporaryDirectory(prefix="tori-") as folder:
        path = os.path.join(folder, "jobs.csv")
        done = subprocess.run(
            [how.tori, "sim", *words, "--log", path, "--log-format", "csv"],
            stdout=subprocess.DEVNULL, check=False)
        if done.returncode:
            os._exit(done.returncode)  # it has said why
        with open(path, encoding="utf-8") as file:
            return file.read()


def _about(design: Design) -> str:
    """One line about what was simulated."""
    n = len(design)
    given = "trace" in design.axes or "model" in design.axes
    return (f"{n} simulation{'s' * (n != 1)} by tori {version}: "
            f"{'' if given else 'lublin '}{design.common()}")


def _standing(design: Design, row: dict[str, Any], policy: Any) -> str:
    load = design.values(policy.scene, policy.policy).get("load")
    number = encode(float(Fraction(load))) if load else "null"
    return f'{{{members(ROW, row)},"load":{number}}}'


def write_page(how: Any, standings: Standings, groups: GroupStandings,
               cell: int, path: str) -> None:
    """The page with a replay of a cell; "-" is standard output."""
    design = standings.design
    it = design.of(cell)
    rows = [_standing(design, row, of)
            for row, of in zip(standings.rows, design.combinations)]
    data = {
        "about": encode(_about(design)),
        "verdict": encode(standings.verdict() + standings.notes()),
        "standings": f"[{','.join(rows)}]",
        "by": json_rows(GROUP_ROW, groups.rows),
        "machine": encode(it.config["machine"]),
        "replay": encode(", ".join(filter(None, (
            design.scene(it.scene)[:80], design.policy(it.policy)[:80],
            f"seed {design.seed_of(cell)}")))),
        "jobs": encode(_replay(how, design.words(cell))),
    }
    write_output(path, report.page("{" + ",".join(
        f'"{name}":{text}' for name, text in data.items()) + "}"))


# ---- the sweep ----

def _read_sweep(folder: str) -> Any:
    """The options of the sweep."""
    path = os.path.join(folder, "sweep.json")
    try:
        with open(path, encoding="utf-8") as file:
            sweep = json.load(file)
    except (OSError, ValueError) as why:
        text = why.strerror if isinstance(why, OSError) else why
        raise Invalid(f"{path}: {text}; expected a folder of 'tori sweep'"
                      ) from None
    config = sweep.get("config") if isinstance(sweep, dict) else None
    if not isinstance(config, dict) or config.get("seeds", 0) < 1:
        raise Invalid("expected the config of a sweep")
    return config


def _check_complete(cells: Cells, folder: str) -> int:
    """A sweep that is not finished has a report of what there is."""
    n = len(cells.design)
    missing = n - cells.n
    if cells.n == 0:
        raise Invalid(f"{folder}: all {n} cells are missing; run the sweep "
                      "again, it goes on where it was")
    if missing:
        print(f"tori: {folder}: {missing} of {n} cells are missing; run the "
              "sweep again, it goes on where it was", file=sys.stderr)
    return missing


def command(how: Any) -> None:
    report.check()
    cells = Cells(Design(_read_sweep(how.dir), Server(how.tori)))
    cells.load(how.dir)
    missing = _check_complete(cells, how.dir)
    cells.find_absent()
    if how.by and how.by != cells.by:
        cells.regroup(Running(how.tori, how.workers or 0), how.by)
    standings, groups = Standings(cells), GroupStandings(cells)
    n = len(cells.design)
    if (how.cell or 0) > n:
        raise Invalid(f"--cell: there are {n} cells")
    cell = how.cell - 1 if how.cell else standings.best_cell()
    path = how.out or os.path.join(how.dir, "report.html")
    write_page(how, standings, groups, cell, path)
    if how.json and path != "-":
        replayed = encode(json.loads(cells.design.key(cell)))
        print(f'{how.beginning},"report":{encode(path)},"replayed":{replayed}'
              + f',"missing":{missing}' * (missing > 0) + "}")
    elif path != "-":
        print(path)


if __name__ == "__main__":
    run(command)
