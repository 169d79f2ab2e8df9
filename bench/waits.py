#!/usr/bin/env python3
"""Measures what boxes, schedulers and allocators cost in waits and distances, for
doc/boxes.md, doc/choosing.md and README.md: writes doc/waits.json and the tables of
these pages (`make results`). It takes some minutes, one simulation at a time.

Waits are of job logs, at a load at which they do not depend on how long the run is:
each seed draws weeks of a log at random. A wait has half of the 95 % interval that
`tori compare` gives for such samples. A change is taken seed by seed, in per cent
of compact boxes placed by first-fit, and that of distances is in parentheses. The
gap that a rule closes is that between compact boxes and scattered jobs. The waits
of a model depend on how long the run is, so of the model it is measured how much of
the machine is busy while more work arrives than fits, with runs of two lengths.
"""
import argparse
import csv
import json
import os
import shlex
import subprocess
import sys
import tempfile

from figures import SOURCE, cell, estimate, write

LOGS = {"CTC": "CTC-SP2-1996-3.1-cln.swf", "KTH": "KTH-SP2-1996-2.1-cln.swf",
        "NASA": "NASA-iPSC-1993-3.1-cln.swf",
        "SDSC": "SDSC-SP2-1998-4.2-cln.swf"}
SEEDS, LOAD = 5, 0.7
MANY, FEW = 12000, 4000  # records of a log; few where allocators are slow
LENGTHS = (2000, 8000)
BASE = "--shapes compact --alloc first-fit+hilbert-bf"
RULES = {
    "compact": BASE,
    "best-fit": "--shapes compact --alloc best-fit+hilbert-bf",
    "anchors": "--shapes compact --alloc anchors+hilbert-bf",
    "boxes": BASE + " --or boxes",
    "both, 4h": BASE + " --or both --patience 4h",
    "moves": BASE + " --options --moves",
    "boxes and moves": BASE + " --or boxes --options --moves",
    "scattered": "--shapes none --alloc hilbert-bf",
}
CLOSING = ("boxes", "both, 4h", "moves", "boxes and moves")
SCHEDULERS = ("fcfs", "easy", "conservative", "backfill")
COUNTS = ("regard", "hilbert-bf", "snake-bf", "mm", "row-ff", "mc1x1")
# What jobs ask for when more work arrives than fits.
ASKED = {
    "compact boxes": "--machine torus:8x8x8 " + BASE,
    "other boxes": "--machine torus:8x8x8 --or boxes " + BASE,
    "any nodes": "--machine torus:8x8x8 --shapes none --alloc hilbert-bf",
    "rings on a torus": "--machine torus:8x8x8 --wiring torus "
                        "--shapes compact",
    "rings, other boxes": "--machine torus:8x8x8 --wiring torus "
                          "--shapes compact --or boxes",
    "rings on a multi-torus": "--machine multitorus:8x8x8 --wiring torus "
                              "--shapes compact",
    "boxes on a pod": "--machine pod:8/4x4x4 --shapes compact "
                      "--alloc cube-first",
}


def sweep(args, words):
    """The rows of a sweep, in the order of its cells."""
    with tempfile.TemporaryDirectory(prefix="tori-waits-") as folder:
        done = subprocess.run(
            [args.tori, "sweep", *shlex.split(words), "--seeds", str(SEEDS),
             "-j", "1", "--out", folder + "/out"], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"waits.py: {words}: {done.stderr.strip()}")
        with open(folder + "/out/cells.csv", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def of_log(args, name, first, words):
    """The same of a log's first jobs on 512 nodes."""
    path = next(path for path in (os.path.join(args.traces, LOGS[name] + end)
                                  for end in ("", ".gz"))
                if os.path.exists(path))
    return sweep(args, f"--machine torus:8x8x8 --trace {shlex.quote(path)} "
                 f"--limit {first} --resample 7d --load {LOAD} {words}")


def sample(first):
    return (f"{SEEDS} samples of the weeks of a log's first {first:,} jobs, on "
            f"torus:8x8x8 at a load of {LOAD}")


def numbers(rows, member, scale=1):
    return [float(row[member]) / scale for row in rows]


def size(rows):
    """How many jobs, and how many days, a sample has."""
    return [f"{estimate(numbers(rows, member, scale))[0]:,.0f}"
            for member, scale in (("jobs_run", 1), ("makespan", 86400))]


def changes(rows, base, member):
    """How far each seed is above the base, in per cent."""
    return [100 * (x / y - 1) for x, y in
            zip(numbers(rows, member), numbers(base, member))]


def share(found, whole):
    """The ratio of the means in per cent, and half of its interval: that of a
    ratio estimator, whose residuals are paired by seed."""
    ratio = sum(found) / sum(whole)
    half = estimate([x - ratio * y for x, y in zip(found, whole)], True)[1]
    return f"{100 * ratio:.0f} ±{100 * half / abs(estimate(whole)[0]):.0f}"


def boxes(args):
    """The waits of rules that find a box, under EASY, their changes from compact
    boxes, and the gap that they close."""
    waits, rules, gaps = [], [], []
    for log in LOGS:
        found = {name: of_log(args, log, MANY, "--sched easy " + words)
                 for name, words in RULES.items()}
        base = found["compact"]
        wait = {name: changes(found[name], base, "wait_mean") for name in RULES}
        waits.append([log, *size(base), *(
            cell(numbers(found[name], "wait_mean", 3600), "%.1f", True)
            for name in RULES)])
        rules.append([log, *(
            cell(wait[name], "%+.0f", True) + " (%+.1f)" % estimate(
                changes(found[name], base, "average"))[0]
            for name in list(RULES)[1:])])
        gaps.append([log, *(share(wait[name], wait["scattered"])
                            for name in CLOSING)])
        print(" ".join(waits[-1]), flush=True)
    about = f"under EASY: {sample(MANY)}."
    return {
        "waits": {
            "conditions": f"Mean waits in hours {about} Jobs and days: how many "
            "a sample has, on average.",
            "columns": ["log", "jobs", "days", *RULES], "rows": waits},
        "rules": {
            "conditions": "The change of the wait from compact boxes, in per "
            f"cent (that of the mean distance in parentheses), {about}",
            "columns": ["log", *list(RULES)[1:]], "rows": rules},
        "gap": {
            "conditions": "The share of the gap between compact boxes and "
            f"scattered jobs that a rule closes, in per cent, {about}",
            "columns": ["log", *CLOSING], "rows": gaps}}


def schedulers(args):
    """Waits and slowdowns by scheduler, but FCFS, which is saturated."""
    rows, names = [], SCHEDULERS[1:]
    for log in LOGS:
        found = of_log(args, log, MANY, f"--sched {','.join(names)} {BASE}")
        by = [[row for row in found if row["sched"] == name] for name in names]
        rows.append([log, *size(by[0]),
                     *(cell(numbers(x, "wait_mean", 3600), "%.1f", True)
                       for x in by),
                     *(cell(numbers(x, "bounded_slowdown_mean"), "%.0f", True)
                       for x in by)])
        print(" ".join(rows[-1]), flush=True)
    return {"schedulers": {
        "conditions": "Mean waits in hours, and mean bounded slowdowns, of "
        f"compact boxes: {sample(MANY)}.",
        "columns": ["log", "jobs", "days", *(f"{name}: wait" for name in names),
                    *(f"{name}: slowdown" for name in names)], "rows": rows}}


def counts(args):
    """How far apart the nodes of a job are that asks for a number."""
    rows = [[name] for name in COUNTS]
    for log in LOGS:
        found = of_log(args, log, FEW, "--sched easy --shapes none --alloc "
                       + ",".join(COUNTS))
        for row in rows:
            row.append(cell(numbers([x for x in found if x["alloc"] == row[0]],
                                    "average"), "%.2f", True))
        print(log, flush=True)
    return {"counts": {
        "conditions": "Mean distances in hops of jobs that ask for a number of "
        f"nodes, under EASY: {sample(FEW)}.",
        "columns": ["allocator", *LOGS], "rows": rows}}


def saturation(args):
    """How much of the machine is busy while more work arrives than fits."""
    rows = []
    for name, words in ASKED.items():
        found = [sweep(args, f"{words} --jobs {n} --load 1.5 --warm-up 10% "
                       f"--cool-down 40% --sched {','.join(SCHEDULERS)}")
                 for n in LENGTHS]
        rows.append([name, *(
            cell(numbers([x for x in of_length if x["sched"] == sched],
                         "utilization", 0.01), "%.0f")
            for sched in SCHEDULERS for of_length in found)])
        print(" ".join(rows[-1]), flush=True)
    return {"saturation": {
        "conditions": "The share of the 512 nodes that is busy while more work "
        "arrives than fits, in per cent: the Lublin-Feitelson model at a load of "
        f"1.5, {SEEDS} seeds, runs of {LENGTHS[0]:,} and of {LENGTHS[1]:,} jobs "
        "without the first tenth and the last two fifths.",
        "columns": ["jobs ask for", *(f"{sched} {n:,}" for sched in SCHEDULERS
                                      for n in LENGTHS)], "rows": rows}}


STUDIES = {study.__name__: study
           for study in (boxes, schedulers, saturation, counts)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tori", metavar="TORI", help="the program, build/tori")
    parser.add_argument("traces", metavar="FOLDER", nargs="?",
                        default=os.environ.get("TORI_TRACES", ""),
                        help="the folder with the job logs, .swf or .swf.gz; "
                        "if not given, that of TORI_TRACES")
    parser.add_argument("--only", metavar="STUDY", choices=STUDIES,
                        help="measure only this, and keep the others: "
                        + ", ".join(STUDIES))
    args = parser.parse_args()
    missing = [log for log in LOGS.values() if not any(
        os.path.exists(os.path.join(args.traces, log + end))
        for end in ("", ".gz"))]
    if missing:
        sys.exit(f"waits.py: no {', '.join(missing)} in '{args.traces}'")
    tables = {}
    if args.only:
        with open(f"{SOURCE}/doc/waits.json", encoding="utf-8") as file:
            tables = json.load(file)["tables"]
    for name, study in STUDIES.items():
        if args.only in (None, name):
            tables.update(study(args))
    write("waits", "make results TRACES=FOLDER", tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
