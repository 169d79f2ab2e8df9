#!/usr/bin/env python3
"""Measures how long jobs wait for boxes, by the rule that finds them one: the study
of doc/boxes.md. Each scene and rule is a 'tori sweep' in DIR, so that a study
that was stopped continues where it was. Waits and distances are compared with
those of compact boxes placed by first-fit, seed by seed: a cell has the mean of
the differences of waits in per cent, with half of the 95 % interval (Student's),
and that of distances in parentheses. A second table has the share of the gap
between compact boxes and scattered jobs that a rule closes, where this gap is
clear. The scenes of job logs need --traces; each seed draws blocks of a week
from the log.
"""
import argparse
import csv
import math
import os
import shlex
import subprocess
import sys

BASE = "--shapes compact --alloc first-fit+hilbert-bf"
RULES = [
    ("first-fit", BASE),
    ("best-fit", "--shapes compact --alloc best-fit+hilbert-bf"),
    ("anchors", "--shapes compact --alloc anchors+hilbert-bf"),
    ("moves", BASE + " --options --moves"),
    ("moves, 30 min", BASE + " --options '--moves --move-cost 30m'"),
    ("boxes", BASE + " --or boxes"),
    ("boxes and moves", BASE + " --or boxes --options --moves"),
    ("boxes, best-fit",
     "--shapes compact --alloc best-fit+hilbert-bf --or boxes"),
    ("both, 4h", BASE + " --or both --patience 4h"),
    ("both, 1h", BASE + " --or both --patience 1h"),
    ("both", BASE + " --or both"),
    ("scattered", "--shapes none --alloc hilbert-bf"),
]
# The rules of the second table, and the one that has the whole gap.
SHARES = ("boxes", "moves", "moves, 30 min", "boxes and moves", "both, 4h")
WHOLE = "scattered"
# Pods have allocators of their own; links are for boxes alone.
POD = {"first-fit": "cube-first", "best-fit": "cube-best",
       "hilbert-bf": "row-bf"}
SCENES = [
    ("torus, load 0.7", "--machine torus:8x8x8 --sched easy --load 0.7"),
    ("torus, load 0.9", "--machine torus:8x8x8 --sched easy --load 0.9"),
    ("conservative, 0.7",
     "--machine torus:8x8x8 --sched conservative --load 0.7"),
    ("conservative, 0.9",
     "--machine torus:8x8x8 --sched conservative --load 0.9"),
    ("mixed sizes, 0.9",
     "--machine torus:8x8x8 --sched easy --load 0.9 --scale 0.7"),
    ("torus with rings, 0.5",
     "--machine torus:8x8x8 --wiring torus --sched easy --load 0.5"),
    ("multi-torus with rings, 0.9",
     "--machine multitorus:8x8x8 --wiring torus --sched easy --load 0.9"),
    ("multi-torus with rings, conservative, 0.9",
     "--machine multitorus:8x8x8 --wiring torus --sched conservative "
     "--load 0.9"),
    ("pod of 8 cubes, 0.9", "--machine pod:8/4x4x4 --sched easy --load 0.9"),
    ("pod, conservative, 0.9",
     "--machine pod:8/4x4x4 --sched conservative --load 0.9"),
    ("torus of 4,096 nodes, 0.9",
     "--machine torus:16x16x16 --sched easy --load 0.9"),
    ("CTC log, 0.9", "CTC-SP2-1996-3.1-cln.swf"),
    ("KTH log, 0.9", "KTH-SP2-1996-2.1-cln.swf"),
    ("SDSC log, 0.9", "SDSC-SP2-1998-4.2-cln.swf"),
    ("NASA log, 0.9", "NASA-iPSC-1993-3.1-cln.swf"),
]
# Logs give so many times the jobs: 3,000 jobs of some are but two whole weeks.
LOG_TIMES = 4
# Student's t for 95 % by degrees of freedom; beyond, that of the normal.
T95 = [0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]


def options_of(scene, args):
    """The options of a scene; None if its log is not there."""
    if scene.startswith("--"):
        return [*scene.split(), "--model", "lublin", "--jobs", str(args.jobs)]
    for path in (os.path.join(args.traces, scene + end) for end in ("", ".gz")):
        if args.traces and os.path.exists(path):
            return ["--machine", "torus:8x8x8", "--sched", "easy", "--load",
                    "0.9", "--trace", path, "--limit",
                    str(LOG_TIMES * args.jobs), "--resample", "7d"]
    return None


def words_of(rule, scene):
    """The options of a rule in a scene; None if it has no meaning there."""
    words = shlex.split(rule)
    if "pod:" in scene:
        if "anchors" in rule:
            return None
        for other, own in POD.items():
            words = [word.replace(other, own) for word in words]
    if "--wiring" in scene:
        if "both" in rule or "none" in words:
            return None
        words = [word.split("+")[0] for word in words]
    return words


def measure(args, scene, name, rule):
    """The waits and distances of a rule, by seed; None if it is left out."""
    given, words = options_of(scene[1], args), words_of(rule, scene[1])
    if given is None or words is None:
        return None
    folder = os.path.join(args.out, f"{scene[0]} - {name}".replace(
        ", ", "-").replace(" ", "_"))
    done = subprocess.run(
        [args.tori, "sweep", *given, *words, "--seeds", str(args.seeds), "-j",
         str(args.j), "--out", folder], stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"boxes.py: {scene[0]}, {name}: {done.stderr.strip()}")
    with open(os.path.join(folder, "cells.csv"), encoding="utf-8") as file:
        return [(float(row["wait_mean"]), float(row["average"]))
                for row in csv.DictReader(file)]


def differences(values, base, which):
    """The differences of waits (0) or distances (1) by seed, in per cent."""
    return [100 * (x[which] / y[which] - 1) for x, y in zip(values, base)]


def estimate(values):
    """The mean, and half of its interval."""
    n = len(values)
    mean = sum(values) / n
    if n < 2:
        return mean, math.nan
    spread = math.sqrt(sum((x - mean) ** 2 for x in values) / (n - 1) / n)
    return mean, spread * (T95[n - 1] if n <= len(T95) else 1.96)


def share(values, whole):
    """The ratio of the means in per cent, and half of its interval: that of a
    ratio estimator, whose residuals are paired by seed."""
    ratio = sum(values) / sum(whole)
    _, half = estimate([x - ratio * y for x, y in zip(values, whole)])
    return 100 * ratio, 100 * half / abs(estimate(whole)[0])


def share_row(title, found):
    """A row of the second table; None if the whole gap is not clear."""
    if WHOLE not in found:
        return None
    gap, half = estimate(found[WHOLE][0])
    if not gap + half < 0:
        return None
    cells = []
    for name in SHARES:
        if name not in found:
            cells.append("")
            continue
        waits, hops = found[name]
        cells.append("%.0f ±%.0f (%+.1f)" % (*share(waits, found[WHOLE][0]),
                                             estimate(hops)[0]))
    return f"| {title} | " + " | ".join(cells) + " |"


def draw(path, scene, points):
    """A figure: waits over distances, both beside compact boxes."""
    def at(x, y):
        return 70 + x * 34, 110 - y * 6
    lines = ["<svg xmlns='http://www.w3.org/2000/svg' width='560' height='350' viewBox='0 0 560 350' "
             "font-family='sans-serif' font-size='12'>",
             f"<title>Waits and distances by rule: {scene}</title>",
             "<rect width='560' height='350' fill='white'/>"]
    for x in range(0, 13, 2):
        lines.append("<path d='M%.0f 290V30' stroke='#ddd'/><text x='%.0f' "
                     "y='306' text-anchor='middle'>%+d</text>"
                     % (at(x, 0)[0], at(x, 0)[0], x))
    for y in range(-30, 11, 10):
        lines.append("<path d='M70 %.0fH500' stroke='#ddd'/><text x='62' "
                     "y='%.0f' text-anchor='end'>%+d</text>"
                     % (at(0, y)[1], at(0, y)[1] + 4, y))
    lines.append("<text x='280' y='332' text-anchor='middle'>distance, % "
                 "above compact boxes</text><text x='20' y='165' "
                 "text-anchor='middle' transform='rotate(-90 20 165)'>wait, % "
                 "against compact boxes</text>")
    for name, x, y in points:
        here = at(x, y)
        lines.append("<circle cx='%.1f' cy='%.1f' r='4' fill='#1565c0'/>"
                     "<text x='%.1f' y='%.1f'>%s</text>"
                     % (*here, here[0] + 7, here[1] + 4, name))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["</svg>"]) + "\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tori", metavar="TORI", help="the program, build/tori")
    parser.add_argument("out", metavar="DIR",
                        help="where the results are kept; made if missing")
    parser.add_argument("--traces", metavar="FOLDER",
                        default=os.environ.get("TORI_TRACES", ""),
                        help="the folder with the job logs, .swf or .swf.gz; "
                        "if not given, that of TORI_TRACES")
    parser.add_argument("--seeds", metavar="N", type=int, default=5,
                        help="how many seeds each cell has (5)")
    parser.add_argument("--jobs", metavar="N", type=int, default=3000,
                        help="how many jobs each simulation of the model has "
                        "(3000); those of logs have four times as many")
    parser.add_argument("--only", metavar="TEXT", default="",
                        help="only the scenes whose name contains TEXT")
    parser.add_argument("-j", metavar="N", type=int, default=1,
                        help="how many simulations run in parallel (1)")
    parser.add_argument("--svg", metavar="FILE",
                        help="draw the scene of the torus at 0.9 to FILE")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    print("| jobs and machine | first-fit: wait, h | "
          + " | ".join(name for name, _ in RULES[1:]) + " |")
    print("|---|" + len(RULES) * "---:|")
    shares = []
    for scene in SCENES:
        if args.only not in scene[0]:
            continue
        base = measure(args, scene, *RULES[0])
        if base is None:
            print(f"| {scene[0]} | no log in --traces |"
                  + (len(RULES) - 1) * " |")
            continue
        cells, points, found = [], [], {}
        for name, rule in RULES[1:]:
            values = measure(args, scene, name, rule)
            if values is None:
                cells.append("")
                continue
            found[name] = [differences(values, base, i) for i in (0, 1)]
            wait, hop = (estimate(by_seed) for by_seed in found[name])
            if "moves" not in name or name == "moves":
                points.append((name, hop[0], wait[0]))
            cells.append(f"{wait[0]:+.0f} ±{wait[1]:.0f} ({hop[0]:+.1f})")
        mean = sum(wait for wait, _ in base) / len(base) / 3600
        print(f"| {scene[0]} | {mean:.1f} | " + " | ".join(cells) + " |",
              flush=True)
        shares.append(share_row(scene[0], found))
        if args.svg and scene[0] == "torus, load 0.9":
            draw(args.svg, scene[0], points)
    if any(shares):
        print("\n| share of the gap | " + " | ".join(SHARES) + " |")
        print("|---|" + len(SHARES) * "---:|")
        print("\n".join(filter(None, shares)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
