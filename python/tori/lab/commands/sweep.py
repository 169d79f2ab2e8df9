"""tori sweep - a grid of simulations that may take days."""
from __future__ import annotations

import concurrent.futures
import os
import re
import sys
from typing import Any, Callable, Optional

from ..._library import Failed, Invalid
from . import run, write_output
from .answer import ANSWER, Figures, as_json
from .cells import Cells, Running, make_folder
from .design import Design
from .groups import GroupStandings
from .server import Server
from .standings import Standings

__all__ = ["ANSWER"]

_SCRIPT = """#!/bin/sh
#SBATCH --job-name=tori-sweep
#SBATCH --array=1-{parts}
#SBATCH --cpus-per-task=1
# sbatch SCRIPT runs the parts. When they have ended, sh SCRIPT writes
# cells.jsonl and cells.csv, and prints the table. If some were killed,
# either runs what is missing.
part=${{SLURM_ARRAY_TASK_ID:+$SLURM_ARRAY_TASK_ID/{parts}}}
exec tori sweep{grid} \\
    ${{part:+--part "$part"}} -j "${{SLURM_CPUS_PER_TASK:-1}}"
"""
# Texts among the options that are not of the grid.
_OTHERS = ("part", "measure", "executor")


def _script(how: Any) -> str:
    """For Slurm: each of its tasks runs a part."""
    grid = ""
    for name, value in how.given.items():
        if isinstance(value, str) and name not in _OTHERS:
            quoted = value.replace("'", "'\\''")
            grid += f" \\\n    --{name.replace('_', '-')} '{quoted}'"
    grid += f" \\\n    --seed {how.seed} --seeds {how.seeds}"
    grid += " --per-job" * how.per_job
    return _SCRIPT.format(parts=how.slurm, grid=grid)


def _read_part(text: Optional[str]) -> tuple[int, int]:
    if text is None:
        return 0, 0
    found = re.fullmatch(r"(\d+)/(\d+)", text, re.ASCII)
    part, parts = map(int, found.groups()) if found else (0, 0)
    if not 1 <= part <= parts <= 100000:
        raise Invalid("--part: expected I/N with I from 1 to N, such as 3/8, "
                      f"not '{text[:40]}'")
    return part, parts


def _check_merged(cells: Cells) -> None:
    design, missing = cells.design, len(cells.design) - cells.n
    if missing:
        i = cells.outcome.index(None)
        it = design.of(i)
        first = ", ".join(filter(None, (
            design.scene(it.scene), design.policy(it.policy),
            f"seed {design.seed_of(i)}")))
        raise Invalid(f"--merge: {missing} of {len(design)} cells are "
                      f"missing; the first: {first}")


def _finish(how: Any, cells: Cells, figures: Figures) -> None:
    standings, groups = Standings(cells), GroupStandings(cells)
    figures.draw(standings)
    n = len(cells.design)
    if how.json:
        sys.stdout.write(as_json(how, cells, n, standings, groups))
    elif not figures.to_stdout:
        sys.stdout.write(
            standings.text(how.bold) + groups.text(how.bold)
            + standings.notes()
            + f"\n{n} cells in {how.out}: cells.csv, cells.jsonl\n")


def _finish_part(how: Any, cells: Cells, running: Running) -> None:
    """The other parts run elsewhere."""
    n = sum(map(running.has, range(len(cells.design))))
    sys.stdout.write(
        as_json(how, cells, n) if how.json else
        f"part {running.part} of {running.parts}: {n} of "
        f"{len(cells.design)} cells are done\n")


def sweep(how: Any) -> None:
    figures = Figures(how)
    design = Design(how.given, Server(how.tori))
    sys.stderr.write(design.left_out_lines("tori: "))
    if figures and (how.part or how.slurm):
        raise Invalid("--svg and --pdf draw the whole sweep, and --part and "
                      "--slurm run parts of it")
    if figures.to_stdout + how.json > 1:
        raise Invalid("only one of --svg, --pdf and --json can go to standard "
                      "output")
    figures.check(design)
    if how.slurm:
        sys.stdout.write(_script(how))
        return
    cells = Cells(design)
    part, parts = _read_part(how.part)
    running = Running(how.tori, how.workers or 0, None, how.out, part, parts,
                      os.path.join(how.out, "jobs") if how.per_job else None)
    cells.load(how.out)
    for folder in how.merge or ():
        cells.load(folder)
    if how.merge:
        _check_merged(cells)
    make_folder(how.out)
    write_output(os.path.join(how.out, "sweep.json"),
                 f"{how.beginning}}}\n".encode())
    cells.forget(running)
    missing = len(cells.missing(running))
    if cells.n and missing:
        print(f"tori: {cells.n} cells are there already; {missing} to go",
              file=sys.stderr)
    cells.run(running)
    if parts > 1:
        _finish_part(how, cells, running)
        return
    if not how.merge:
        cells.compare(running)
    cells.write(how.out)
    _finish(how, cells, figures)


if __name__ == "__main__":
    run(sweep)
