"""Rows of a result, described once: JSON, CSV and tables are made from this.

A row is a dict. A field says which of its values appears, under which name,
and what it means; `tori help json` prints that as well. In tables for people
are the fields that have a title. A real that is not a number, or None, was not
measured: it is null in JSON and empty elsewhere.
"""
from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence

Row = dict[str, Any]
PAGE_WIDTH = 79
SHORT = -1  # as few decimals as it takes


@dataclass(frozen=True)
class Field:
    """A value of a row. With a group, it is a list of rows or, if it is no
    `list`, one row."""

    name: str
    about: str
    title: str = ""
    decimals: int = 0  # of a real, for people
    unit: str = ""
    scale: float = 0  # for people: 100, for percent
    numeral: bool = False  # a text, to the right as numbers are
    group: Sequence[Field] = ()
    list: bool = False
    present: Optional[Callable[[Row], bool]] = None  # in JSON; None: always
    sheet: str = ""  # of a list: the name of its CSV file, if not its own


def estimate(name: str, about: str, **more: Any) -> tuple[Field, Field]:
    """A mean and half of its interval, as two fields."""
    return (Field(name, about, **more),
            Field(name + "_half", "half of its 95 % interval"))


# ---- JSON ----

def _real(value: float) -> str:
    """Fifteen significant digits, as the commands in C write them."""
    if not math.isfinite(value):
        return "null"
    text, e, power = f"{value:.15g}".partition("e")
    if e:
        return f"{text}e{int(power)}"
    return text if "." in text else text + ".0"


def encode(value: Any) -> str:
    if isinstance(value, float):
        return _real(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(encode, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{encode(key)}:{encode(it)}"
                              for key, it in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def members(fields: Iterable[Field], row: Row) -> str:
    """The members of a row, as they stand within an object."""
    parts = []
    for field in fields:
        if field.present is not None and not field.present(row):
            continue
        value = row[field.name]
        if field.list and field.group:
            text = json_rows(field.group, value)
        elif field.group:
            text = "{" + members(field.group, value) + "}"
        else:
            text = encode(value)
        parts.append(f'"{field.name}":{text}')
    return ",".join(parts)


def json_rows(fields: Sequence[Field], rows: Iterable[Row]) -> str:
    return "[" + ",".join("{" + members(fields, row) + "}"
                          for row in rows) + "]"


def describe(fields: Iterable[Field], before: str = ""
             ) -> Iterator[tuple[str, str]]:
    """Every field by the name that it has in JSON, and what it means."""
    for field in fields:
        name = before + field.name + ("[]" if field.list else "")
        yield name, field.about + (f", in {field.unit}" if field.unit else "")
        yield from describe(field.group, name + ".")


# ---- cells ----

def cell(field: Field, value: Any, people: bool = True) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return ("no", "yes")[value] if people else str(int(value))
    if not isinstance(value, float):
        return str(value)
    if people and field.scale:
        value *= field.scale
    if not math.isfinite(value):
        return ""
    if people and field.decimals == SHORT:
        return f"{value:.10g}"
    return f"{value:.{field.decimals if people else 6}f}"


def flat(fields: Iterable[Field], before: str = "", path: tuple[str, ...] = ()
         ) -> Iterator[tuple[str, tuple[str, ...], Field]]:
    """The numbers and texts of rows: their names, as in CSV, where they are in
    a row, and their fields."""
    for field in fields:
        name = f"{before}_{field.name}" if before else field.name
        if field.group and not field.list:
            yield from flat(field.group, name, (*path, field.name))
        elif not field.list:
            yield name, (*path, field.name), field


def value_at(row: Row, path: Iterable[str]) -> Any:
    value: Any = row
    for key in path:
        value = value[key]
    return value


def _csv_cell(text: str) -> str:
    if text[:1] in tuple("=+-@\t\r") and len(text) > 1:
        try:
            float(text)
        except ValueError:  # a spreadsheet would take it for a formula
            return '"\'' + text.replace('"', '""') + '"'
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def csv(fields: Sequence[Field], rows: Iterable[Row]) -> str:
    columns = list(flat(fields))
    lines = [",".join(_csv_cell(name) for name, _, _ in columns)]
    for row in rows:
        lines.append(",".join(_csv_cell(cell(field, value_at(row, path), False))
                              for _, path, field in columns))
    return "\n".join(lines) + "\n"


# ---- tables ----

def grid(titles: Sequence[str], left: Sequence[bool],
         rows: Sequence[Sequence[str]], bold: bool = False) -> str:
    """Columns two spaces apart under their titles, texts to the left."""
    lines = [titles, *rows] if any(titles) else list(rows)
    widths = [max(map(len, column)) for column in zip(*lines)]
    text = []
    for line in lines:
        text.append("  ".join(
            it.ljust(width) if to_left else it.rjust(width)
            for it, width, to_left in zip(line, widths, left)).rstrip(" "))
    if bold and any(titles):
        text[0] = f"\033[1m{text[0]}\033[m"
    return "".join(line + "\n" for line in text)


@dataclass(frozen=True)
class Shown:
    """How a field is shown, where it is not as its sheet says. `half` is the
    field with half of its interval: "1.2 ±0.1"."""

    name: str
    title: Optional[str] = None
    decimals: Optional[int] = None
    scale: float = 0
    half: str = ""


class _Column:
    """A column of a table."""

    def __init__(self, fields: Sequence[Field], shown: Shown):
        known = {name: (path, field) for name, path, field in flat(fields)}
        self.path, field = known[shown.name]
        if shown.decimals:
            field = replace(field, decimals=shown.decimals)
        self.field = replace(field, scale=shown.scale or field.scale)
        self.half = known[shown.half][0] if shown.half else ()
        self.title = field.title or field.name
        if shown.title is not None:
            self.title = shown.title

    def text(self, row: Row) -> str:
        text = cell(self.field, value_at(row, self.path))
        if self.half and text:
            text += " ±" + cell(self.field, value_at(row, self.half))
        return text

    def left(self, rows: Iterable[Row]) -> bool:
        return not self.field.numeral and any(
            isinstance(value_at(row, self.path), str) for row in rows)


def _columns(fields: Sequence[Field], shown: Iterable[Any]) -> list[_Column]:
    """A name alone is shown as its sheet says."""
    return [_Column(fields, it if isinstance(it, Shown) else Shown(it))
            for it in shown]


def table(fields: Sequence[Field], rows: Sequence[Row], bold: bool = False,
          shown: Optional[Iterable[Any]] = None) -> str:
    """All fields that have a title, or those that are named."""
    if shown is None:
        shown = [name for name, _, field in flat(fields) if field.title]
    columns = _columns(fields, shown)
    return grid([it.title for it in columns], [it.left(rows) for it in columns],
                [[it.text(row) for it in columns] for row in rows], bold)


def pivot(fields: Sequence[Field], rows: Sequence[Row], bold: bool,
          down: Iterable[Any], across: str, value: Any) -> str:
    """A line for each combination of the `down` fields, a column for each text
    of `across`, with `value` in it; the last row of a cell counts."""
    keys = _columns(fields, down)
    over, shown = _columns(fields, (across, value))
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    titles: dict[str, None] = {}
    for row in rows:
        title = over.text(row)
        titles[title] = None
        lines.setdefault(tuple(it.text(row) for it in keys),
                         {})[title] = shown.text(row)
    return grid([*(it.title for it in keys), *titles],
                [*(it.left(rows) for it in keys), *[False] * len(titles)],
                [[*key, *(line.get(title, "") for title in titles)]
                 for key, line in lines.items()], bold)


def wrap(text: str, indent: int = 0, column: Optional[int] = None) -> str:
    """Words, in lines that do not pass the width of a page."""
    done = ""
    column = indent if column is None else column
    for word in filter(None, text.split(" ")):
        long = len(word.encode())
        if column > indent and column + 1 + long > PAGE_WIDTH:
            done += "\n" + " " * indent
            column = indent
        elif column > indent:
            done += " "
            column += 1
        done += word
        column += long
    return done + "\n"
