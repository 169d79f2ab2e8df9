#!/usr/bin/env python3
"""Usage: verdicts.py BUILD SOURCE [--all | NAME...]
       verdicts.py BUILD SOURCE --write [FILE]

That short runs of papers conclude what full runs do. doc/papers.md has the
verdicts of full runs, doc/results.txt all short runs (`make results`): they agree,
row by row. Every table and figure of the five papers has a row, and so have the
claims of their running text. Papers without random numbers, which take a second,
are run once more. Reported in TAP.

With --all (`make soak`), or for the papers that are named, `tori paper NAME --quick`
is run as well, and must come to the same as the page; doc/results.txt stands for a
run that needs a job log that is not there.

With --write, the page gets the values of doc/results.txt. Its verdicts stay,
unless FILE is the output of `tori paper all` or of some papers in full.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

BUILD, SOURCE = sys.argv[1:3]
PAGE = os.path.join(SOURCE, "doc/papers.md")
VERDICTS = ("reproduced", "differs", "cannot be compared", "a drawing")
# Papers without random numbers: their pages are the same on every machine.
EXACT = ("clusters", "manhattan-median", "lines", "subcubes", "partitions",
         "preemptive")
# Papers that need a log, and run without one all the same.
ON_A_MODEL = {"multitoroidal": ("--model", "lublin", "--limit", "100"),
              "flow": ("--model", "lublin", "--limit", "100"),
              "table1": ("--limit", "100")}
LOGS = 4
# They take five times as long as all others together. They come first, so that
# none is left for the end.
LONG = ("queue-tree", "isomorphic", "table1", "multitoroidal")
BENDER, ARIDOR, KANG, HORI, GUPTA = (
    "Bender et al., 2005", "Aridor et al., 2004", "Kang et al., 2003",
    "Hori et al., 1995", "Gupta and Srimani, 1997")
# The last figure and the last table of each.
LAST = {ARIDOR: (14, 0), BENDER: (7, 1), KANG: (13, 1), HORI: (7, 1),
        GUPTA: (5, 0)}
# Claims of the running text: the place, and words of the value.
CLAIMS = {
    ARIDOR: (("Abstract", "factor of both"),
             ("Section 2.1, Property 1", "torus of 1"),
             ("Section 2.1, Theorem", "wired beside all others"),
             ("Section 4, Figure 14a", "fat shapes beside Figure 13"),
             ("Section 4, Figure 14b", "fat shapes beside Figure 13"),
             ("Section 4, Figures 12-14", "none, half and all"),
             ("Section 4, Figures 12, 13", "fcfs beside backfilling"),
             ("Section 4", "4x4x4"), ("Section 4", "torus of 8")),
    BENDER: (("Section 1", "tend to the curve"), ("Section 6", "greedy"),
             ("Section 6", "flow time"), ("Section 6", "isolated nodes"),
             ("Section 6", "hilbert-bf on N x N"), ("Theorem 1", "bound"),
             ("Theorem 4", "ptas")),
    KANG: (("Section 1", "sooner than etc"), ("Section 2", "positions"),
           ("Section 2", "mean hops"), ("Section 4.1", "isomorphic requests"),
           ("Section 4.2", "3x5 on"), ("Section 4.2", "3x5 in connected parts"),
           ("Section 5.1", "gain in response"),
           ("Section 5.1", "gain in utilization"),
           ("Section 5.2", "etc saturates sooner"),
           ("Section 5.2", "machines of all sizes"),
           ("Section 5.2", "external fragmentation"),
           ("Section 5.3", "isomorphic far worse"),
           ("Section 5.3", "if it rounds up"),
           ("Section 5.3", "the box asked for")),
    HORI: (("Section 1", "batch scheduling"), ("Section 2", "bottlenecks"),
           ("Section 2.1", "linear in the load"), ("Section 2.1", "stable"),
           ("Section 2.1", "every process has run"),
           ("Section 2.1", "balanced"), ("Section 2.2", "DHC"),
           ("Section 3.1", "fragmentation"), ("Section 3.1", "hot spots"),
           ("Section 3.3", "order of messages"),
           ("Section 3.3", "end of a computation"),
           ("Section 3.3", "garbage collection"),
           ("Section 3.3", "checkpointing"), ("Section 4", "drain of 1,024"),
           ("Section 4", "RWC-1"), ("Section 4", "CM-5")),
    GUPTA: (("Section 2.1", "link-disjoint"), ("Section 2.2", "dilation"),
            ("Section 2.4.4", "time for n jobs"),
            ("Theorem 2", "preemptions"), ("Theorem 3", "time for n jobs"),
            ("Section 4", "least finish"))}
# In the order of the page: the paper of a command, and the page about it.
ENTRIES = {
    "multitoroidal": (ARIDOR, "multitoroidal"),
    "lines": (ARIDOR, "multitoroidal"), "table1": (BENDER, "distance"),
    "flow": (BENDER, "flow"), "clusters": (BENDER, "clusters"),
    "manhattan-median": (BENDER, "clusters"),
    "isomorphic": (KANG, "isomorphic"), "subcubes": (KANG, "isomorphic"),
    "queue-tree": (HORI, "queue-tree"), "partitions": (HORI, "partitions"),
    "preemption": (HORI, "preemption"), "contention": (GUPTA, "contention"),
    "dilation": (GUPTA, "dilation"), "preemptive": (GUPTA, "preemptive"),
    "latency": ("Dally, 1990", "network"), "rfold": ("RFold, 2025", "rfold"),
    "slices": ("Nanyonga, 2026", "slices")}
HEAD = ("| paper | table or figure | published value | printed | ours "
        "| command | page | verdict |")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def paper(*words):
    return subprocess.run([f"{BUILD}/tori", "paper", *words], check=True,
                          capture_output=True, text=True).stdout


def escape(text):
    return re.sub(r"([|*_<])", r"\\\1", text)


def page_rows():
    """{command: {(where, value): (printed, ours, verdict)}} of the page."""
    rows = {name: {} for name in ENTRIES}
    for line in read("doc/papers.md").splitlines():
        cells = [re.sub(r"\\(.)", r"\1", cell).strip()
                 for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        match = len(cells) == 8 and re.fullmatch(r"`tori paper ([\w-]+)`",
                                                 cells[5])
        if match:
            rows[match[1]][cells[1], cells[2]] = (
                cells[3], cells[4].strip("`"), cells[7])
    return rows


def rows_of(text):
    """The same of a paper's output, where verdicts are the first table."""
    lines = iter(text.splitlines())
    head = next(line for line in lines if line.startswith("where "))
    starts = [match.start() for match in re.finditer(
        r"where|published value|printed|ours|verdict", head)]
    rows = {}
    for line in lines:
        if not line:
            break
        cells = [line[a:b].strip() for a, b in
                 zip(starts, starts[1:] + [None])]
        rows[cells[0], cells[1]] = tuple(cells[2:])
    return rows


def pages_of(text, names):
    """The page of each paper in the output of `tori paper all`, behind a line
    with its name."""
    lines = text.splitlines(keepends=True)
    at = [lines.index(f"{name}\n") for name in names] + [len(lines)]
    return {name: "".join(lines[a:b]).rstrip()
            for name, a, b in zip(names, at, at[1:])}


def write_page(kept, full):
    """The table of the page: values as kept, verdicts as in full runs."""
    page, lines = page_rows(), [HEAD, "|---" * 8 + "|"]
    for name, (title, about) in ENTRIES.items():
        known = page[name] | full.get(name, {})
        for key, row in rows_of(kept[name]).items():
            printed, ours, verdict = row
            verdict = known[key][2] if key in known else verdict
            ours = ("`" + ours.replace("|", r"\|") + "`"
                    if verdict == "a drawing" else escape(ours))
            lines.append(f"| {title} | {key[0]} | {escape(key[1])} "
                         f"| {escape(printed)} | {ours} | `tori paper {name}` "
                         f"| [{about}.md]({about}.md) | {escape(verdict)} |")
    text = read("doc/papers.md").partition("| paper | ")[0]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text + "\n".join(lines) + "\n")


def differences(ours, page, cells):
    """The rows whose cells are not those of the page."""
    for key in sorted(set(ours) | set(page)):
        mine, theirs = (row[key][cells] if key in row else None
                        for row in (ours, page))
        if mine != theirs:
            yield f"{key}: {mine}, in the page {theirs}"


def check(name, kept, page, logs):
    """What is wrong with a paper, in lines."""
    if name in ON_A_MODEL and not logs:
        paper(name, *ON_A_MODEL[name])
        return []
    text = paper(name, "--quick", "-j", "1").rstrip()
    wrong = list(differences(rows_of(text), page, slice(2, 3)))
    if name in EXACT and not kept.endswith("\n\n" + text):
        wrong.append("doc/results.txt has another page: make results")
    return wrong


def numbers(places, kind):
    """Those in "Table 1, rows", "Figures 12-14", "Figure 1a"."""
    found = set()
    for place in places:
        for text in re.findall(kind + r"s? ([\d a-z-]*?\d)(?=[a-z]?(?:,|$))",
                               place):
            ends = [int(n) for n in re.findall(r"\d+", text)]
            found.update(range(ends[0], ends[-1] + 1) if "-" in text else ends)
    return found


def missing(page):
    """Tables and figures of the five papers without a row."""
    for title, last in LAST.items():
        places = [where for name, rows in page.items()
                  if ENTRIES[name][0] == title for where, _ in rows]
        for kind, most in zip(("Figure", "Table"), last):
            for n in sorted(set(range(1, most + 1)) - numbers(places, kind)):
                yield f"{title}: {kind} {n}"


def unheard(page):
    """Claims of the running text without a row."""
    for title, claims in CLAIMS.items():
        rows = [row for name, rows in page.items()
                if ENTRIES[name][0] == title for row in rows]
        for place, words in claims:
            if not any(where.startswith(place) and words in value
                       for where, value in rows):
                yield f"{title}, {place}: {words}"


def main():
    names = [p["name"] for p in json.loads(paper("list", "--json"))["papers"]]
    kept = pages_of(read("doc/results.txt"), names)
    if sys.argv[3:4] == ["--write"]:
        full = {}
        for path in sys.argv[4:]:
            text = open(path, encoding="utf-8").read()
            there = [n for n in names if f"\n{n}\n" in "\n" + text]
            full = {n: rows_of(page)
                    for n, page in pages_of(text, there).items()}
        write_page(kept, full)
    page = page_rows()
    wanted = {"": EXACT, "--all": names, "--write": ()}.get(
        "".join(sys.argv[3:4]), sys.argv[3:])
    logs = set(wanted) & set(ON_A_MODEL) and len(json.loads(paper(
        "table1", "--limit", "2", "--json"))["runs"]) > LOGS
    wanted = sorted(wanted, key=lambda name: name not in LONG)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = dict(zip(wanted, pool.map(
            lambda name: check(name, kept[name], page[name], logs), wanted)))
    wrong["what results.txt has"] = [
        line for name in names
        for line in differences(rows_of(kept[name]), page[name], slice(0, 3))]
    wrong["a row for every table and figure"] = list(missing(page))
    wrong["a row for every claim of the text"] = list(unheard(page))
    wrong["verdicts of a kind"] = [
        row for rows in page.values() for row in rows.values()
        if not row[2].startswith(VERDICTS)]
    print(f"1..{len(wrong)}")
    for i, (name, lines) in enumerate(wrong.items(), 1):
        for line in lines:
            print(f"# {line}")
        print(f"{'not ' if lines else ''}ok {i} - {name}")
    return 1 if any(wrong.values()) else 0


sys.exit(main())
