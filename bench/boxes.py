#!/usr/bin/env python3
"""Usage: boxes.py TORI DIR [--traces FOLDER] [--seeds N] [--jobs N] [--only TEXT]
                [-j N] [--svg FILE]

Measures how long jobs wait for boxes, by the rule that finds them one: the study
of doc/boxes.md. Each scene and rule is a 'tori sweep' in DIR, so that a study
that was stopped continues where it was. Waits and distances are compared with
those of compact boxes placed by first-fit, seed by seed: a cell has the mean of
the differences of waits in per cent, with half of the 95 % interval (Student's),
and that of distances in parentheses. The scenes of job logs need --traces; each
seed draws blocks of a week from the log.
"""
import argparse
import csv
import math
import os
import subprocess
import sys

BASE = "--shapes compact --alloc first-fit+hilbert-bf"
RULES = [
    ("first-fit", BASE),
    ("best-fit", "--shapes compact --alloc best-fit+hilbert-bf"),
    ("anchors", "--shapes compact --alloc anchors+hilbert-bf"),
    ("moves", BASE + " --options --moves"),
    ("boxes", BASE + " --or boxes"),
    ("boxes, best-fit",
     "--shapes compact --alloc best-fit+hilbert-bf --or boxes"),
    ("both, 4h", BASE + " --or both --patience 4h"),
    ("both, 1h", BASE + " --or both --patience 1h"),
    ("both", BASE + " --or both"),
    ("scattered", "--shapes none --alloc hilbert-bf"),
]
# Pods have allocators of their own; links are for boxes alone, and moves that
# look at links take minutes.
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
    ("pod of 8 cubes, 0.9", "--machine pod:8/4x4x4 --sched easy --load 0.9"),
    ("CTC log, 0.9", "CTC-SP2-1996-3.1-cln.swf"),
    ("KTH log, 0.9", "KTH-SP2-1996-2.1-cln.swf"),
    ("SDSC log, 0.9", "SDSC-SP2-1998-4.2-cln.swf"),
    ("NASA log, 0.9", "NASA-iPSC-1993-3.1-cln.swf"),
]
# Jobs of these logs are so short that moves take minutes.
SLOW_MOVES = ("KTH", "SDSC", "NASA")
# Student's t for 95 % by degrees of freedom; beyond, that of the normal.
T95 = [0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]


def options_of(scene, args):
    """The options of a scene; None if its log is not there."""
    if scene.startswith("--"):
        return [*scene.split(), "--model", "lublin", "--jobs", str(args.jobs)]
    for path in (os.path.join(args.traces, scene + end) for end in ("", ".gz")):
        if args.traces and os.path.exists(path):
            return ["--machine", "torus:8x8x8", "--sched", "easy", "--load",
                    "0.9", "--trace", path, "--limit", str(args.jobs),
                    "--resample", "7d"]
    return None


def words_of(rule, scene):
    """The options of a rule in a scene; None if it has no meaning there."""
    words = rule.split()
    if "--moves" in words and scene.startswith(SLOW_MOVES):
        return None
    if "pod:" in scene:
        if "anchors" in rule or "--moves" in rule:
            return None
        for other, own in POD.items():
            words = [word.replace(other, own) for word in words]
    if "--wiring" in scene:
        if "both" in rule or "none" in words or "--moves" in words:
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


def compared(values, base):
    """The mean of the differences in per cent, and half of its interval."""
    all_of = [100 * (x / y - 1) for x, y in zip(values, base)]
    n = len(all_of)
    mean = sum(all_of) / n
    if n < 2:
        return mean, math.nan
    spread = math.sqrt(sum((x - mean) ** 2 for x in all_of) / (n - 1) / n)
    return mean, spread * (T95[n - 1] if n <= len(T95) else 1.96)


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
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 1)[0][7:])
    parser.add_argument("tori")
    parser.add_argument("out")
    parser.add_argument("--traces", default=os.environ.get("TORI_TRACES", ""))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=3000)
    parser.add_argument("--only", default="", help="scenes with this text")
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("--svg", help="draw the scene of the torus at 0.9")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    print("| jobs and machine | first-fit: wait, h | "
          + " | ".join(name for name, _ in RULES[1:]) + " |")
    print("|---|" + len(RULES) * "---:|")
    for scene in SCENES:
        if args.only not in scene[0]:
            continue
        cells, points = [], []
        base = measure(args, scene, *RULES[0])
        if base is None:
            print(f"| {scene[0]} | no log in --traces |" + 9 * " |")
            continue
        for name, rule in RULES[1:]:
            values = measure(args, scene, name, rule)
            if values is None:
                cells.append("")
                continue
            wait, hop = (compared(*(list(zip(*of))[i] for of in (values, base)))
                         for i in (0, 1))
            points.append((name, hop[0], wait[0]))
            cells.append(f"{wait[0]:+.0f} ±{wait[1]:.0f} ({hop[0]:+.1f})")
        mean = sum(wait for wait, _ in base) / len(base) / 3600
        print(f"| {scene[0]} | {mean:.1f} | " + " | ".join(cells) + " |",
              flush=True)
        if args.svg and scene[0] == "torus, load 0.9":
            draw(args.svg, scene[0], points)
    return 0


if __name__ == "__main__":
    sys.exit(main())
