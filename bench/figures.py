"""The figures of the pages. A command that measures keeps its tables in
doc/NAME.json, and this writes them into the pages: between the lines

    <!-- NAME: TABLE -->
    <!-- end -->

a whole table and its conditions; before <!-- NAME: TABLE; ROW; COLUMN -->, one
figure. The suite `pages` compares what the pages say with the files.
"""
import json
import math
import os
import re
import subprocess
import textwrap

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ("README.md", "doc/choosing.md", "doc/boxes.md", "doc/speed.md",
         "doc/slurm-compare.md")
# Student's t for 95 % by degrees of freedom; beyond, that of the normal.
T95 = [0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]


def estimate(values, drawn=False):
    """The mean, and half of its 95 % interval. Samples that were drawn from one log
    show how other logs of its kind would differ from it. More of them show that
    better, but the log is no longer, so the interval is no narrower."""
    n = len(values)
    mean = sum(values) / n
    if n < 2:
        return mean, math.nan
    spread = math.sqrt(sum((x - mean) ** 2 for x in values) / (n - 1)
                       / (1 if drawn else n))
    return mean, spread * (T95[n - 1] if n <= len(T95) else 1.96)


def cell(values, form, drawn=False):
    """The mean ± half of its interval, as text."""
    mean, half = estimate(values, drawn)
    if math.isnan(half):
        return form % mean
    return f"{form % mean} ±{form.replace('+', '') % half}"


def render(table):
    """A table as lines of markdown, and its conditions in italics."""
    rows = [table["columns"], ["---"] + ["---:"] * (len(table["columns"]) - 1),
            *table["rows"]]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines[1] = lines[1].replace(" ", "")
    about = textwrap.fill("*" + table["conditions"] + "*", 90,
                          break_on_hyphens=False, break_long_words=False)
    return "\n".join(lines) + "\n\n" + about + "\n"


def figure(tables, place):
    """The text of a cell that is named by table, row and column."""
    table, row, column = (word.strip() for word in place.split(";"))
    for cells in tables.get(table, {"rows": []})["rows"]:
        if cells[0] == row:
            return dict(zip(tables[table]["columns"], cells))[column]
    raise SystemExit(f"figures.py: a page has '{place}', and no table does")


def commit():
    """The commit of the sources, in short; nothing where there is no git."""
    try:
        return subprocess.run(["git", "-C", SOURCE, "describe", "--always",
                               "--abbrev=10", "--exclude=*"], text=True,
                              stdout=subprocess.PIPE).stdout.strip()
    except OSError:
        return ""


def write(name, command, tables):
    """Keeps the results, and brings all pages up to date."""
    text = json.dumps({"command": command, "commit": commit(),
                       "tables": tables}, indent=1, ensure_ascii=False)
    with open(f"{SOURCE}/doc/{name}.json", "w", encoding="utf-8") as file:
        file.write(re.sub(r"\[\s+([^][]+?)\s+\]",  # a row is a line
                          lambda m: "[" + re.sub(r"\n\s+", " ", m[1]) + "]",
                          text) + "\n")
    for page in PAGES:
        with open(f"{SOURCE}/{page}", encoding="utf-8") as file:
            text = file.read()
        text = re.sub(
            rf"(<!-- {name}: ([\w-]+) -->\n).*?(<!-- end -->)",
            lambda m: m[1] + render(tables[m[2]]) + m[3], text, flags=re.S)
        text = re.sub(
            rf"[-+]?\d[\d.,]*(?: ±[\d.,]+)?(<!-- {name}: ([^>]+;[^>]+) -->)",
            lambda m: figure(tables, m[2]) + m[1], text)
        with open(f"{SOURCE}/{page}", "w", encoding="utf-8") as file:
            file.write(text)
