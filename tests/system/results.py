#!/usr/bin/env python3
"""Usage: results.py BUILD SOURCE

That doc/results.txt has all papers, and what the command says now of those
that need no log and no time; `make results` brings the rest up to date.
Reported in TAP.
"""
import json
import os
import subprocess
import sys

BUILD, SOURCE = sys.argv[1:]
QUICK = ("clusters", "manhattan-median", "lines", "subcubes", "partitions",
         "preemptive")


def paper(*words):
    return subprocess.run([f"{BUILD}/tori", "paper", *words], check=True,
                          capture_output=True, text=True).stdout


def parts(text, names):
    """The page of each paper, behind a line with its name."""
    lines = text.splitlines(keepends=True)
    at = [lines.index(f"{name}\n") for name in names]
    assert at == sorted(at), at
    return {name: "".join(lines[start:end]).rstrip() for name, start, end
            in zip(names, at, at[1:] + [len(lines)])}


def main():
    listed = json.loads(paper("list", "--json"))["papers"]
    with open(os.path.join(SOURCE, "doc/results.txt"), encoding="utf-8") as it:
        kept = parts(it.read(), [entry["name"] for entry in listed])
    print(f"1..{len(QUICK)}")
    failed = 0
    for i, name in enumerate(QUICK, 1):
        same = kept[name].endswith("\n\n" + paper(name, "--quick").rstrip())
        failed += not same
        print(f"{'' if same else 'not '}ok {i} - {name}")
    return 1 if failed else 0


sys.exit(main())
