"""Published tables and figures, computed again: a module for each paper, or
part of one. `tori paper NAME` runs it. It has

    CITATION, WHAT   authors, title, year; its subject, in one line
    TAKES            the options that it takes beside those of all papers
    QUICK            values of `limit` and `seeds` for a run of a minute
    ANSWER           the fields of its JSON; each list is a CSV file as well
    compute(run)     fill `run.answer`, which has a value for each field
    judge(run)       a verdict for each published value
    show(run)        the page for people
    draw(run)        its figures, if it has any: they come last, so that all
                     else is there without matplotlib
    verify(run)      if it is there, fails if results cannot be trusted

There is one rule for each kind of published value, and no paper has a
tolerance of its own:

- a fact (run.compare): reproduced if ours is the same;
- a number (run.number): reproduced if ours is within a tenth of it;
- an order (run.order), such as "A is ahead of B": reproduced if every case of
  ours has it beyond the 95 % interval of the difference. It differs if a case
  surely has another. Else nothing is decided, and it cannot be compared.

The verdict of a short run (--quick) must be that of the full run:
tests/system/verdicts.py compares them.
"""
from __future__ import annotations

import concurrent.futures
import contextlib
import math
import multiprocessing
import os
import sys
import tempfile
from types import ModuleType
from typing import (Any, Callable, Iterable, Iterator, Optional, Sequence,
                    TypeVar, Union)

from tori import Failed

from .. import figures
from ..statistics import student
from . import sheets
from .sheets import Field, Row

ARIDOR_2004 = (
    "Y. Aridor, T. Domany, O. Goldshmidt, E. Shmueli, J. E. Moreira, "
    "L. Stockmeyer: Multi-Toroidal Interconnects: Using Additional "
    "Communication Links To Improve Utilization of Parallel Computers. 2004")
BENDER_2005 = (
    "M. A. Bender, D. P. Bunde, E. D. Demaine, S. P. Fekete, V. J. Leung, "
    "H. Meijer, C. A. Phillips: Communication-Aware Processor Allocation for "
    "Supercomputers: Finding Point Sets of Small Average Distance. 2005")
KANG_2003 = (
    "M. Kang, C. Yu, H. Y. Youn, B. Lee, M. Kim: Isomorphic Strategy for "
    "Processor Allocation in k-Ary n-Cube Systems. 2003")
HORI_1995 = (
    "A. Hori, T. Yokota, Y. Ishikawa, S. Sakai, H. Konaka, M. Maeda, "
    "T. Tomokiyo, J. Nolte, H. Matsuoka, K. Okamoto, H. Hirono: Time Space "
    "Sharing Scheduling and Architectural Support. 1995")
GUPTA_1997 = ("S. K. S. Gupta, P. K. Srimani: Job Scheduling for Torus Connected "
              "Networks. 1997")

VERDICTS = (
    Field("where", "table, figure or section", "where"),
    Field("value", "the published value", "published value"),
    Field("printed", "as the paper prints it", "printed"),
    Field("ours", "as this run has it", "ours"),
    Field("verdict", "reproduced, differs, cannot be compared, or a drawing"),
    Field("why", "why it differs or cannot be compared; empty if it is "
          "reproduced"),
    Field("shown", "verdict and reason in one", "verdict"),
)
OF_ALL = (Field("verdicts", "every published value, and ours", group=VERDICTS,
                list=True),)

Item = TypeVar("Item")
Result = TypeVar("Result")
Lead = tuple[float, float]  # a mean, and half of its 95 % interval


def estimate(values: Sequence[float]) -> Lead:
    """The mean, and half of its 95 % interval: 0 for one value."""
    n = len(values)
    mean = sum(values) / n
    squares = sum((value - mean)**2 for value in values)
    return mean, (student(n - 1) * math.sqrt(squares / (n - 1) / n)
                  if n > 1 else 0.0)


def estimated(name: str, values: Sequence[float]) -> Row:
    """The same as values of sheets.estimate."""
    mean, half = estimate(values)
    return {name: mean, f"{name}_half": half}


def lead(less: Sequence[float], more: Sequence[float]) -> Lead:
    """By how much `more` is ahead, of pairs of values."""
    return estimate([b - a for a, b in zip(less, more)])


class Run:
    """A paper under way, with the options of `how`."""

    def __init__(self, paper: ModuleType, how: Any):
        self.paper = paper
        self.how = how
        self.answer: Row = {}
        self.verdicts: list[Row] = []
        self.page: list[str] = []

    # ---- work ----

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]
            ) -> list[Result]:
        """What `work`, which depends only on its item, returns for each item.
        It is done by as many processes as there are processors."""
        items = list(items)
        n = min(self.how.workers or len(os.sched_getaffinity(0)), len(items))
        if n <= 1:
            return [work(item) for item in self._counted(items, len(items))]
        with concurrent.futures.ProcessPoolExecutor(
                n, multiprocessing.get_context("fork")) as pool:
            return list(self._counted(pool.map(work, items), len(items)))

    @staticmethod
    def _counted(results: Iterable[Item], n: int) -> Iterator[Item]:
        """The same, with progress on a terminal."""
        shown = sys.stderr.isatty()
        for done, result in enumerate(results):
            if shown:
                print(f"\r{done} of {n} simulations", end="", file=sys.stderr,
                      flush=True)
            yield result
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    # ---- verdicts ----

    def _add(self, where: str, value: str, printed: str, ours: str,
             verdict: str, why: str = "") -> None:
        self.verdicts.append({
            "where": where, "value": value, "printed": printed, "ours": ours,
            "verdict": verdict, "why": why,
            "shown": f"{verdict}: {why}" if why else verdict})

    def compare(self, where: str, value: str, printed: str, ours: Any,
                same: bool, why: str) -> None:
        """A fact. `why` says why ours differs."""
        self._add(where, value, printed, str(ours),
                  *(("reproduced",) if same else ("differs", why)))

    def number(self, where: str, value: str, printed: str, ours: str,
               pair: tuple[float, float], why: str) -> None:
        """A number: the printed one, and ours."""
        its, mine = pair
        # A tenth that floating point makes a little more is a tenth.
        near = abs(mine - its) <= abs(its) * (0.1 + 1e-9)
        self.compare(where, value, printed, ours, near, why)

    def order(self, where: str, value: str, printed: str, ours: str,
              leads: Sequence[Lead], why: str) -> None:
        """An order, by how far the printed one is ahead in each case (`lead`),
        and half of the interval of that: 0 if it is known exactly."""
        if any(mean + half <= 0 for mean, half in leads):
            self._add(where, value, printed, ours, "differs", why)
        elif leads and all(mean > half for mean, half in leads):
            self._add(where, value, printed, ours, "reproduced")
        else:
            self._add(where, value, printed, ours, "cannot be compared",
                      "intervals hold 0" if leads
                      else "there is no such case")

    def drawing(self, where: str, value: str, command: str,
                printed: str = "-") -> None:
        """A picture without values, and the command that draws ours."""
        self._add(where, value, printed, command, "a drawing")

    def refuse(self, where: str, value: str, printed: str, ours: str, why: str
               ) -> None:
        """A value that cannot be compared."""
        self._add(where, value, printed, ours, "cannot be compared", why)

    # ---- the page ----

    def say(self, text: str) -> None:
        """A paragraph; newlines at its beginning and end stay."""
        words = text.lstrip("\n")
        before = len(text) - len(words)
        rest = words.rstrip("\n")
        self.page.append("\n" * before + sheets.wrap(rest)
                         + "\n" * (len(words) - len(rest)))

    def lines(self, text: str) -> None:
        """Text as it is."""
        self.page.append(text)

    def fields(self, name: str) -> Sequence[Field]:
        """Those of a list of the answer."""
        return next(f.group for f in self.paper.ANSWER if f.name == name)

    def table(self, name: str, shown: Optional[Iterable[Any]] = None,
              rows: Optional[Sequence[Row]] = None) -> None:
        """A list of the answer, or some of its columns and rows."""
        self.page.append(sheets.table(
            self.fields(name), self.answer[name] if rows is None else rows,
            self.how.bold, shown))

    def pivot(self, name: str, down: Iterable[Any], across: str, value: Any,
              rows: Optional[Sequence[Row]] = None) -> None:
        self.page.append(sheets.pivot(
            self.fields(name), self.answer[name] if rows is None else rows,
            self.how.bold, down, across, value))

    # ---- figures ----

    def line(self, name: str, rows: Iterable[Row], x: str, y: str, title: str,
             half: str = "", **how: Any) -> figures.Line:
        """Of rows of a list, in the units that people see."""
        scale = {field.name: field.scale or 1 for field in self.fields(name)}
        rows = list(rows)
        return figures.Line(
            title, [row[x] * scale[x] for row in rows],
            [row[y] * scale[y] for row in rows],
            [row[half] * scale[y] for row in rows] if half else None, **how)

    def figure(self, name: str, graph: figures.Graph) -> None:
        for kind in ("svg", "pdf"):
            write_file(self.how.out, f"{name}.{kind}",
                       figures.draw(graph, kind))

    # ---- all of it ----

    def do(self) -> str:
        """Compute, write the files, and return what is to be printed."""
        if self.how.out:
            _try_folder(self.how.out)
        self.paper.compute(self)
        self.paper.judge(self)
        if self.how.out:
            self._write_lists()
        if self.how.json:
            lists = [f for f in self.paper.ANSWER if f.list and f.group]
            scalars = [f for f in self.paper.ANSWER if f not in lists]
            self.answer["verdicts"] = self.verdicts
            members = sheets.members([*OF_ALL, *scalars, *lists], self.answer)
            return f"{self.how.beginning},{members}}}\n"
        self.page.append(sheets.table(VERDICTS, self.verdicts, self.how.bold)
                         + "\n")
        self.paper.show(self)
        return "".join(self.page)

    def finish(self) -> None:
        """What comes after the answer."""
        draw, verify = (getattr(self.paper, it, None)
                        for it in ("draw", "verify"))
        try:
            if draw and self.how.out:
                draw(self)
        except Failed as why:
            raise Failed(f"the tables are in {self.how.out}, the figures are "
                         f"not: {why}") from None
        if verify:
            verify(self)

    def _write_lists(self) -> None:
        write_file(self.how.out, "verdicts.csv",
                   sheets.csv(VERDICTS, self.verdicts))
        for field in self.paper.ANSWER:
            if field.list and field.group:
                write_file(self.how.out, f"{field.sheet or field.name}.csv",
                           sheets.csv(field.group, self.answer[field.name]))


@contextlib.contextmanager
def _blamed(folder: str) -> Iterator[None]:
    """An error is about the folder."""
    try:
        yield
    except OSError as why:
        raise Failed(f"{folder}: {why.strerror}") from None


def _try_folder(folder: str) -> None:
    """Make it, and see whether files can be written into it, before much time
    is spent on results."""
    with _blamed(folder):
        made = not os.path.lexists(folder)
        if made:
            os.mkdir(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
        if made:
            os.rmdir(folder)


def write_file(folder: str, name: str, text: Union[str, bytes]) -> None:
    """The file is there whole or not at all."""
    data = text.encode() if isinstance(text, str) else text
    with _blamed(folder):
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, name)
        number, kept = tempfile.mkstemp(prefix=".tori-", dir=folder)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(data)
                os.fchmod(file.fileno(), 0o666 & ~_umask())
            os.replace(kept, path)
        except BaseException:
            os.unlink(kept)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
