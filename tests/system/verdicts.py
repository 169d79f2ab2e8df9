#!/usr/bin/env python3
"""Usage: verdicts.py BUILD SOURCE [NAME...]

That short runs of papers conclude what full runs do. doc/papers.md has the
verdicts of full runs, and the command and the page of each. They are compared
with those of `tori paper NAME --quick`: the papers that take no time, or those
that are named, are run now; of the others doc/results.txt has the run.
Reported in TAP.
"""
import json
import os
import re
import subprocess
import sys

BUILD, SOURCE = sys.argv[1:3]
NAMES = sys.argv[3:] or ["clusters", "manhattan-median", "contention", "lines",
                         "subcubes", "partitions", "preemptive"]
VERDICTS = ("reproduced", "differs", "cannot be compared")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def run(*words):
    return subprocess.run([f"{BUILD}/tori", "paper", *words], check=True,
                          capture_output=True, text=True).stdout


def page_rows():
    """{command: {(where, value): verdict}} of doc/papers.md, and the pages."""
    rows, pages = {}, set()
    for line in read("doc/papers.md").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        match = len(cells) == 6 and re.fullmatch(r"`tori paper ([\w-]+)`",
                                                 cells[3].strip())
        if not match:
            continue
        pages.add(re.search(r"\((.*?)\)", cells[4])[1])
        verdict = cells[5].strip()
        value = cells[2].strip().replace(r"\*", "*")
        rows.setdefault(match[1], {})[cells[1].strip(), value] = verdict
    return rows, pages


def recorded():
    """The same of doc/results.txt, where verdicts are the first table."""
    rows, name, columns = {}, None, None
    names = {p["name"] for p in json.loads(run("list", "--json"))["papers"]}
    for line in read("doc/results.txt").splitlines():
        if line in names:
            name, columns = line, None
        elif line.startswith("where ") and name not in rows:
            columns = [match.start() for match in
                       re.finditer(r"where|published value|printed|ours|"
                                   r"verdict", line)]
            rows[name] = {}
        elif columns and line:
            cells = [line[a:b].strip() for a, b in
                     zip(columns, columns[1:] + [None])]
            rows[name][cells[0], cells[1]] = cells[4]
        elif columns:
            columns = None
    return rows


def quick(name):
    found = json.loads(run(name, "--quick", "--json"))["verdicts"]
    return {(row["where"], row["value"]): row["shown"] for row in found}


def main():
    page, pages = page_rows()
    kept = recorded()
    names = [p["name"] for p in json.loads(run("list", "--json"))["papers"]]
    failed = 0
    print(f"1..{len(names) + len(pages)}")
    for i, name in enumerate(names, 1):
        ours = quick(name) if name in NAMES else kept.get(name, {})
        same = bool(ours) and ours == page.get(name)
        for key in sorted(set(ours) | set(page.get(name, {}))):
            if ours.get(key) != page.get(name, {}).get(key):
                print(f"# {key}: {ours.get(key)}, in the page "
                      f"{page.get(name, {}).get(key)}")
        same &= all(v.startswith(VERDICTS) for v in ours.values())
        failed += not same
        print(f"{'' if same else 'not '}ok {i} - {name}")
    for i, path in enumerate(sorted(pages), len(names) + 1):
        there = os.path.exists(os.path.join(SOURCE, "doc", path))
        failed += not there
        print(f"{'' if there else 'not '}ok {i} - {path}")
    return 1 if failed else 0


sys.exit(main())
