"""tori compare - policies on the same jobs, in one table."""
from __future__ import annotations

import sys
from typing import Any

from ..._library import Invalid
from .. import report
from . import check_files, run, write_output
from .answer import ANSWER, Figures, as_json
from .cells import Cells, Running
from .design import Design
from .groups import GroupStandings
from .report import write_page
from .server import Server
from .standings import Standings

__all__ = ["ANSWER"]


def _check_files(how: Any, design: Design) -> None:
    for log in design.axes.get("trace", ()):
        for label, path in (("--csv", how.csv), ("--html", how.html)):
            if path:
                check_files([("--trace", log, False), (label, path, True)])


def compare(how: Any) -> None:
    figures = Figures(how)
    to_stdout = (how.csv == "-") + (how.html == "-") + figures.to_stdout
    if to_stdout + how.json > 1:
        raise Invalid("only one of --csv, --svg, --pdf, --html and --json can "
                      "go to standard output")
    if how.html:
        report.check()
    design = Design(how.given, Server(how.tori))
    sys.stderr.write(design.left_out_lines("tori: "))
    _check_files(how, design)
    figures.check(design)
    cells = Cells(design)
    cells.run(Running(how.tori, how.workers or 0, per_job=how.per_job), True)
    standings, groups = Standings(cells), GroupStandings(cells)
    if how.csv:
        write_output(how.csv, cells.csv())
    figures.draw(standings)
    if how.html:
        write_page(how, standings, groups, standings.best_cell(), how.html)
    if how.json:
        sys.stdout.write(as_json(how, cells, len(design), standings, groups))
    elif not to_stdout:
        sys.stdout.write(standings.text(how.bold) + groups.text(how.bold)
                         + standings.notes())


if __name__ == "__main__":
    run(compare)
