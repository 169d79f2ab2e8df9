"""tori sweep - a grid of simulations that may take days."""
from __future__ import annotations

import concurrent.futures
import importlib
import os
import re
import sys
from contextlib import contextmanager
from typing import Any, Iterator, Optional

from ..._library import Invalid
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
_PARTS = 16  # of an array of Slurm, if -j does not say how many
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


@contextmanager
def _executor(how: Any) -> Iterator[Optional[concurrent.futures.Executor]]:
    """Where simulations run; None: in processes here. Others import tori, and
    have the same files."""
    kind, _, address = (how.executor or "processes").partition(":")
    if kind == "mpi":
        futures: Any = importlib.import_module("mpi4py.futures")
        mpi: Any = importlib.import_module("mpi4py.MPI")
        try:
            with futures.MPIPoolExecutor(how.workers, path=sys.path) as pool:
                yield pool
        finally:
            mpi.Finalize()
    elif kind == "dask":
        distributed: Any = importlib.import_module("distributed")
        with distributed.Client(address) as client:
            yield client.get_executor()
    else:
        yield None


def _check_executor(how: Any) -> None:
    kind, colon, address = (how.executor or "processes").partition(":")
    if kind == "dask" and not address or kind != "dask" and colon or (
            kind not in ("processes", "mpi", "dask", "slurm")):
        raise Invalid(f"--executor: '{how.executor[:60]}' is not one of "
                      "processes, mpi, dask:ADDRESS, slurm")
    if kind == "slurm":
        how.slurm = how.slurm or how.workers or _PARTS
        if how.part or how.merge:
            raise Invalid("--executor slurm has no effect with --part or "
                          "--merge")


def sweep(how: Any) -> None:
    _check_executor(how)
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
    with _executor(how) as executor:
        _run(how, Cells(design), figures, executor)


def _run(how: Any, cells: Cells, figures: Figures,
         executor: Optional[concurrent.futures.Executor]) -> None:
    part, parts = _read_part(how.part)
    running = Running(how.tori, how.workers or 0, executor, how.out, part,
                      parts,
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
