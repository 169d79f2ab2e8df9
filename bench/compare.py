#!/usr/bin/env python3
"""Prints one table: the work, its result now, the same at an earlier commit, and the
ratio. The work is replays, placements, answers from snapshots, and the start of
the command; a result is the best processor time of all rounds. The command of the
commit is built from 'git archive' in compare/COMMIT beside TORI, once. Both run in
every round, in turns, so that what else the machine does hits both. '!' marks what
takes more than 1.1 times as long now. '-' stands where the earlier command does not
know a question or an option, or gives up; then there is only the new time, as without
COMMIT. Replays are of the job logs in $TORI_TRACES; where a log is missing, of the
Lublin-Feitelson model. A command that has taken 20 seconds is not run again.

With --save, the table is also written to doc/speed.json and to the pages that
show it: the least and the most of all rounds, in milliseconds, and the least beside
that of the first row. That needs all logs and all rows.

The status is 1 if something is marked, or if the new command fails; it is 2 if TORI
or COMMIT is not there.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import figures

SLOW = 1.1
ENOUGH = 2e4  # milliseconds of one command, then no more rounds
WIDTH = 104  # of the column of works
LOGS = {"CTC": "CTC-SP2-1996-3.1-cln.swf", "KTH": "KTH-SP2-1996-2.1-cln.swf",
        "SDSC": "SDSC-SP2-1998-4.2-cln.swf"}
REPLAYS = [
    ("CTC", "--sched easy --machine torus:8x8x8"),
    ("CTC", "--sched easy --machine torus:8x8x8 --wiring torus"),
    ("CTC", "--sched easy --machine multitorus:8x8x8 --wiring torus --load 1.2"),
    ("KTH", "--sched easy --machine mesh:100 --alloc row-ff"),
    ("CTC", "--sched fcfs --machine mesh:8x8x8"),
    ("SDSC", "--sched fcfs --machine mesh:16x22 --alloc hilbert-bf"),
    ("SDSC", "--sched fcfs --machine mesh:16x22 --alloc mc1x1"),
    ("SDSC", "--sched fcfs --machine mesh:16x22 --alloc mm --limit 10000"),
    ("CTC", "--sched fcfs --machine torus:8x8x8 --alloc isomorphic"),
    ("CTC", "--sched backfill --machine multitorus:8x8x8 --wiring torus"),
    ("CTC", "--sched conservative --machine torus:8x8x8 --wiring torus "
            "--limit 5000"),
    ("CTC", "--sched conservative --machine mesh:8x8x8 --alloc row-ff "
            "--load 1.2 --limit 5000"),
    ("CTC", "--sched conservative --machine torus:8x8x8 --shapes compact "
            "--load 1.2 --limit 3000"),
    ("CTC", "--sched conservative --machine torus:8x8x8 --wiring torus "
            "--load 1.2 --limit 3000"),
    ("lublin", "--sched easy --machine mesh:93312 --alloc row-ff --load 2.5 "
               "--limit 20000"),
    ("lublin", "--sched easy --machine pod:256/4x4x4 --alloc cube-best "
               "--load 1.2 --limit 1000"),
    ("lublin", "--sched fcfs --machine pod:64/4x4x4 --moves --load 0.9 "
               "--limit 300"),
    ("lublin", "--sched easy --machine torus:8x8x8 --alloc mm --shapes count "
               "--network fluid --load 0.8 --limit 300"),
]
PLACES = [
    "--machine torus:64x64x64 --shape 7x9x11",
    "--machine torus:64x64x64 --count 1000 --alloc hilbert-bf",
    "--machine mesh:128x128 --count 200 --alloc mm",
    "--machine mesh:128x128 --count 200 --alloc mc1x1",
    "--machine mesh:128x128 --count 200 --alloc regard",
    "--machine mesh:1024x1024 --count 1000 --alloc mm",
]
POINTS = [  # how many, of how many dimensions, and the arguments
    (4000, 2, "--count 250 --alloc mm"),
    (4000, 3, "--count 250 --alloc gen-alg"),
]
SNAPSHOTS = [  # question, side of the torus, jobs
    ("forecast", 16, 1000),
    ("why", 16, 1000),
    ("why", 32, 1000),
]


def build(root, folder, commit):
    """The command of a commit, built below the folder unless it is there."""
    top = os.path.join(folder, "compare", commit)
    tori = os.path.join(top, "build", "tori")
    if os.path.exists(tori):
        return tori
    source = os.path.join(top, "source")
    os.makedirs(source, exist_ok=True)
    print(f"# building {commit[:10]} in {top}", flush=True)
    archive = subprocess.Popen(["git", "-C", root, "archive", commit],
                               stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", source], stdin=archive.stdout,
                   check=True)
    if archive.wait():
        sys.exit(f"compare.py: git archive {commit} failed")
    with open(os.path.join(top, "build.log"), "w", encoding="utf-8") as log:
        options = open(os.path.join(source, "meson_options.txt"),
                       encoding="utf-8").read()
        page = ["-Dpage=false"] if "'page'" in options else []
        for step in (["meson", "setup", *page, "-Dtests=disabled",
                      os.path.join(top, "build"), source],
                     ["ninja", "-C", os.path.join(top, "build"), "tori"]):
            if subprocess.run(step, stdout=log, stderr=log).returncode:
                sys.exit(f"compare.py: {commit} does not build: see "
                         f"{log.name}")
    return tori


def snapshot(side, jobs, seed):
    """A torus with a job in every other slice, and so many that wait."""
    rng = random.Random(seed)
    sides = [n * side // 16 for n in [1, 2, 3, 4, 6, 8, 12, 16]]
    running = [{"id": z + 1, "box": f"0,0,{z}/{side}x{side}x1",
                "end": rng.randrange(1000, 90000)} for z in range(0, side, 2)]
    queue = [{"id": 100 + i, "estimate": rng.randrange(60, 80000),
              "shape": "x".join(str(rng.choice(sides)) for _ in range(3))}
             for i in range(jobs)]
    return {"machine": f"torus:{side}x{side}x{side}", "now": 0, "sched": "easy",
            "running": running, "queue": queue}


def write(folder, name, text):
    """The path of a file with this text."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def random_points(n, dims, seed):
    """A line of text for each point."""
    rng = random.Random(seed)
    return "".join(",".join(str(rng.randrange(10**9)) for _ in range(dims))
                   + "\n" for _ in range(n))


def find_log(log):
    """Where a job log is, or None."""
    traces = os.environ.get("TORI_TRACES", "")
    path = os.path.join(traces, LOGS.get(log, ""))
    return next((p for p in (path, path + ".gz")
                 if traces and os.path.isfile(p)), None)


def questions(folder):
    """Pairs of a name and the arguments of a command."""
    for log, options in REPLAYS:
        found = find_log(log)
        if found:
            source = ["--trace", found]
        else:
            log = "lublin"
            options = options.replace("--limit", "--jobs")
            source = [] if "--jobs" in options else ["--jobs", "20000"]
        yield f"{log} {options}", ["sim", *source, *options.split(), "--json"]
    for options in PLACES:
        yield f"place {options}", ["place", *options.split()]
    for n, dims, options in POINTS:
        path = write(folder, f"points-{n}-{dims}", random_points(n, dims, 1))
        yield (f"place {options}, {n:,} points, {dims} dimensions",
               ["place", "--points", path, *options.split()])
    for question, side, jobs in SNAPSHOTS:
        machine = snapshot(side, jobs, 1)
        path = write(folder, f"snapshot-{side}.json", json.dumps(machine))
        yield (f"{question} of {jobs:,} jobs, {machine['machine']}, "
               f"{machine['sched']}", [question, path])
    yield "start of the command", ["--version"]


def spent(command):
    """Milliseconds of processor time, or None if it fails."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        return None
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def best(times):
    """The least of all rounds; None if one failed."""
    return None if None in times else min(times)


def duration(ms):
    """A time for people; a dash if there is none."""
    if ms is None:
        return "-"
    return f"{ms / 1e3:.2f} s" if ms >= 1e4 else f"{ms:.1f} ms"


def compare(programs, name, arguments, rounds):
    """Prints a row. Whether it is slower now, or fails; and the times now."""
    times = [[] for _ in programs]
    for _ in range(rounds):
        for program, column in zip(programs, times):
            if None not in column and sum(column) < ENOUGH:
                column.append(spent([program, *arguments]))
    now = best(times[0])
    before = best(times[1]) if len(times) > 1 else None
    ratio = (None if before is None or now is None
             else now / max(before, 0.001))
    slow = ratio is not None and ratio > SLOW
    print("%-*s %10s" % (WIDTH, name,
                         "failed" if now is None else duration(now))
          + (" %10s %6s%s" % (duration(before),
                              "-" if ratio is None else f"{ratio:.2f}",
                              " !" if slow else "")
             if len(times) > 1 else ""), flush=True)
    return slow or now is None, times[0]


def conditions(rounds):
    """On what, and beside what, this was measured."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = [line.partition(":")[2].strip() for line in file
                 if line.startswith("model name")]
    return (f"Milliseconds of processor time: the least and the most of "
            f"{rounds} runs (of fewer where these take 20 seconds), and how many "
            "times the first row's least this is. With the start of the command "
            f"and reading the log. {os.cpu_count()} processors"
            + (f" ({model[0]})" if model else "")
            + f", load average {os.getloadavg()[0]:.0f}, commit "
            f"{figures.commit()}.")


def save(about, names, times):
    """The table for the pages."""
    first = min(times[0])
    figures.write("speed", "make bench", {"bench": {
        "conditions": about,
        "columns": ["work", "least", "most", "beside the first row"],
        "rows": [[name.replace(" --", ", "), f"{min(all_of):.1f}",
                  f"{max(all_of):.1f}", f"{min(all_of) / first:.3f}"]
                 for name, all_of in zip(names, times)]}})


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tori", metavar="TORI",
                        help="the new command, such as build/tori")
    parser.add_argument("commit", metavar="COMMIT", nargs="?",
                        help="the earlier commit, by any name that git knows; "
                        "if not given, there is no comparison")
    parser.add_argument("--rounds", metavar="N", type=int, default=5,
                        help="run every command N times (default 5)")
    parser.add_argument("--only", metavar="TEXT", default="",
                        help="only the rows whose name has this text")
    parser.add_argument("--save", action="store_true",
                        help="write doc/speed.json and the pages")
    args = parser.parse_args()
    if args.save and (args.only or not all(map(find_log, LOGS))):
        parser.error("--save: needs every row, and every log in $TORI_TRACES")
    if args.rounds < 1:
        parser.error("--rounds: at least 1")
    if not os.access(args.tori, os.X_OK):
        parser.error(f"there is no command '{args.tori}'")
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    programs = [os.path.abspath(args.tori)]
    if args.commit:
        named = subprocess.run(["git", "-C", root, "rev-parse", "--verify",
                                "--quiet", args.commit + "^{commit}"],
                               stdout=subprocess.PIPE, text=True)
        if named.returncode:
            parser.error(f"there is no commit '{args.commit}'")
        programs.append(build(root, os.path.dirname(programs[0]),
                              named.stdout.strip()))
    with tempfile.TemporaryDirectory(prefix="tori-compare-") as folder:
        wanted = [q for q in questions(folder) if args.only in q[0]]
        if not wanted:
            parser.error(f"--only: no row has the text '{args.only}'")
        print("%-*s %10s" % (WIDTH, "work", "result")
              + (" %10s %6s" % (args.commit[:10], "ratio")
                 if args.commit else ""))
        about = conditions(args.rounds)
        slow, times = zip(*(compare(programs, *question, args.rounds)
                            for question in wanted))
    if args.save and not any(slow):
        save(about, [name for name, _ in wanted], times)
    if any(slow):
        print(f"{sum(slow)} of {len(slow)} take more than {SLOW} times as "
              "long as before, or fail")
    return 1 if any(slow) else 0


if __name__ == "__main__":
    sys.exit(main())
