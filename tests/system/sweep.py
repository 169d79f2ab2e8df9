#!/usr/bin/env python3
"""Usage: sweep.py BUILD

Sweeps that are killed, resumed, divided and extended: the same bytes in the
end, and nothing simulated twice. Reported in TAP.
"""
import csv
import glob
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
AXES = ("--machine", "torus:4x4x4,mesh:8x8", "--model", "lublin",
        "--load", "0.5:0.9:0.2", "--sched", "fcfs,easy",
        "--alloc", "first-fit,mm", "--seeds", "4")
CELLS = 2 * 3 * 2 * 2 * 4


def sweep(out, *words, jobs=300, wait=True):
    command = [f"{BUILD}/tori", "sweep", *AXES, "--jobs", str(jobs),
               "--out", out, *words]
    # pylint: disable=consider-using-with
    running = subprocess.Popen(command, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    if wait:
        running.said, running.complained = running.communicate(timeout=300)
        assert running.returncode == 0, running.complained
    return running


def files(out):
    found = {}
    for name in ("cells.jsonl", "cells.csv"):
        with open(os.path.join(out, name), "rb") as file:
            found[name] = file.read()
    return found


def kept(out):
    try:
        with open(os.path.join(out, "done.jsonl"), "rb") as file:
            return file.read().count(b'"result"')
    except FileNotFoundError:
        return 0


def test_workers(whole, room):
    """Any number of workers gives the same bytes."""
    for workers in "1", "2", "5":
        sweep(room, "-j", workers)
        assert files(room) == files(whole), workers
        shutil.rmtree(room)


def test_killed(whole, room):
    """A sweep that is killed at random, again and again, goes on."""
    rng = random.Random(1)
    deaths = 0
    while not os.path.exists(os.path.join(room, "cells.csv")):
        before = kept(room)
        running = sweep(room, wait=False)
        until = before + rng.randrange(1, CELLS // 6)
        while running.poll() is None and kept(room) < until:
            time.sleep(0.001)
        if running.poll() is None:
            running.send_signal(signal.SIGKILL)
            deaths += 1
        running.communicate()
        assert kept(room) >= before or running.returncode == 0
    assert deaths >= 3, deaths
    assert files(room) == files(whole)
    assert not os.path.exists(os.path.join(room, "done.jsonl"))


def test_last_first(whole, room):
    """The last cells, often the longest, begin first."""
    running = sweep(room, "-j", "1", wait=False)
    while running.poll() is None and kept(room) < 3:
        time.sleep(0.001)
    running.kill()
    running.communicate()
    with open(os.path.join(room, "done.jsonl"), "rb") as file:
        done = [line for line in file.read().splitlines() if line][:3]
    lines = files(whole)["cells.jsonl"].splitlines()
    assert done == lines[:-4:-1], done


def test_torn(whole, room):
    """The last line was cut off in the middle: that cell runs again."""
    lines = files(whole)["cells.jsonl"].splitlines(keepends=True)
    os.mkdir(room)
    with open(os.path.join(room, "done.jsonl"), "wb") as file:
        file.write(b"".join(lines[5:30]) + lines[30][:200])
    done = sweep(room)
    assert f"25 cells are there already; {CELLS - 25} to go" in \
        done.complained, done.complained
    assert files(room) == files(whole)


def test_nothing_left(whole, room):
    """A sweep that is complete simulates nothing, and says the same."""
    shutil.copytree(whole, room)
    before = files(room)
    done = sweep(room)
    assert files(room) == before
    assert done.complained == "", done.complained
    assert "96 cells" in done.said, done.said


def test_extended(whole, room):
    """Further values run only what is new."""
    shutil.copytree(whole, room)
    done = sweep(room, "--order", "submit,smallest")
    assert f"{CELLS} cells are there already; {CELLS} to go" in \
        done.complained, done.complained
    old = set(files(whole)["cells.jsonl"].splitlines())
    new = files(room)["cells.jsonl"].splitlines()
    assert len(new) == 2 * CELLS and old < set(new)


def test_parts(whole, room):
    """Parts in one folder, or in a folder each."""
    for part in 3, 1, 2:
        sweep(room, "--part", f"{part}/3")
    sweep(room)
    assert files(room) == files(whole)
    shutil.rmtree(room)
    for part in 1, 2:
        sweep(f"{room}-{part}", "--part", f"{part}/2")
    merge = ["--merge", f"{room}-1", "--merge", f"{room}-2"]
    sweep(room, *merge)
    assert files(room) == files(whole)
    for part in 1, 2:
        shutil.rmtree(f"{room}-{part}")


def test_other_jobs(whole, room):
    """Cells of another sweep are not taken for those of this one."""
    shutil.copytree(whole, room)
    sweep(room, jobs=200)
    assert files(room) != files(whole)
    for line in files(room)["cells.jsonl"].splitlines():
        assert json.loads(line)["config"]["jobs"] == 200


def test_busy(_, room):
    """Two at once in one folder: the second is refused."""
    first = sweep(room, jobs=5000, wait=False)
    while not os.path.exists(os.path.join(room, "done.jsonl")):
        time.sleep(0.01)
    second = sweep(room, jobs=5000, wait=False)
    complained = second.communicate()[1]
    first.kill()
    first.communicate()
    assert second.returncode == 1, second.returncode
    assert "another sweep is running there" in complained, complained


def test_slurm(whole, room):
    """The script for sbatch, run task by task."""
    script = subprocess.run(
        [f"{BUILD}/tori", "sweep", *AXES, "--jobs", "300", "--out", room,
         "--slurm", "4"], capture_output=True, text=True, check=True).stdout
    assert "#SBATCH --array=1-4" in script, script
    for task in range(1, 5):
        subprocess.run(["sh"], input=script, text=True, check=True,
                       stdout=subprocess.DEVNULL,
                       env={**os.environ, "SLURM_ARRAY_TASK_ID": str(task),
                            "PATH": f"{BUILD}:{os.environ['PATH']}"})
    done = subprocess.run(["sh"], input=script, text=True, check=True,
                          capture_output=True,
                          env={**os.environ,
                               "PATH": f"{BUILD}:{os.environ['PATH']}"})
    assert f"{CELLS} cells in" in done.stdout and not done.stderr, done
    assert files(room) == files(whole)


HOPELESS = ("--machine", "mesh:8x4", "--jobs", "47", "--seed", "65", "--seeds",
            "1", "--sched", "fcfs,easy", "--options",
            "--mtbf 20 --on-failure kill")


def is_hopeless(job):
    """By the definition, with nodes that fail after 20 hours in the mean and
    come back after 4: in 99 of 100 runs a node fails, or in as many moments
    too few nodes are up."""
    nodes, run = int(job["nodes"]), float(job["ran"])
    if nodes * run / (20 * 3600) > math.log(100):
        return True
    mean, spare = 32 * 4 / 24, 32 - nodes
    return spare < mean and sum(
        math.exp(-mean) * mean ** down / math.factorial(down)
        for down in range(spare + 1)) < 0.01


def test_hopeless(_, room):
    """Jobs that are not compared because they can hardly ever finish: every
    form says how many, or which."""
    os.mkdir(room)
    answer = json.loads(subprocess.run(
        [f"{BUILD}/tori", "compare", *HOPELESS, "--csv", f"{room}/cells.csv",
         "--per-job", room, "--by", "size", "--json"], capture_output=True,
        check=True).stdout)
    tables = []
    for path in sorted(glob.glob(f"{room}/jobs-*.csv")):
        with open(path, encoding="utf-8") as file:
            tables.append({row["job"]: row for row in csv.DictReader(file)})
    assert len(tables) == 2, tables
    everywhere = [job for job in tables[0] if all(
        table[job]["fate"] == "done" for table in tables)]
    hopeless = {job for job, row in tables[0].items()
                if row["hopeless"] == "1"}
    # A job that was killed did not run to its end, so its time is not known.
    assert {job for job in everywhere if is_hopeless(tables[0][job])} \
        == hopeless & set(everywhere) != set()
    compared = len(set(everywhere) - hopeless)
    assert compared < len(everywhere), everywhere
    with open(f"{room}/cells.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        assert int(row["hopeless"]) == len(hopeless), row
        assert int(row["compared_jobs"]) == compared, row
    for row in answer["standings"]:
        assert row["hopeless"] == len(hopeless), row
        assert row["compared"] == compared, row
    for policy in "fcfs", "easy":
        assert sum(row.get("hopeless", 0) for row in answer["by"]
                   if row["policy"] == policy) == len(hopeless), answer
    words = ["sweep", *HOPELESS, "--out", f"{room}/sweep"]
    said = [subprocess.run([f"{BUILD}/tori", *words, *more], text=True,
                           capture_output=True, check=True).stdout
            for more in ((), ("--json",))]
    assert f"{len(hopeless)} job" in said[0] and "not compared" in said[0]
    assert json.loads(said[1])["standings"][0]["hopeless"] == len(hopeless)
    words = ["compare", *HOPELESS[:-6], "--seeds", "2", *HOPELESS[-4:]]
    said = [subprocess.run([f"{BUILD}/tori", *words, *more], text=True,
                           capture_output=True, check=True).stdout
            for more in ((), ("--json",))]
    n = json.loads(said[1])["standings"][0]["hopeless"]
    assert n > len(hopeless) and f"{n} jobs can hardly ever finish, over all" \
        in said[0], said[0]
    with open(f"{room}/sweep/cells.csv", encoding="utf-8") as file:
        assert [row["hopeless"] for row in csv.DictReader(file)] \
            == [row["hopeless"] for row in rows]


def test_given_back(_, room):
    """The config of a cell, given back as options, is that of its answer, and
    the answer is the same: all options of a sweep, and those of a simulation
    by --options."""
    log = f"{room}.swf"
    with open(log, "w", encoding="utf-8") as file:
        for i in range(1, 61):
            n = 1 + i * 7 % 5
            file.write(f"{i} {i * 20} -1 {50 + i * 13 % 400} {n} -1 -1 {n} 600"
                       f" -1 1 {i % 3} 1 -1 1 -1 -1 -1\n")
    model = ("--jobs", "30")
    trace = ("--trace", log)
    for words in ((*model, "--options", "--mtbf 200 --on-failure kill"),
                  (*model, "--mtbf", "none,200", "--options",
                   "--on-failure kill --checkpoint 600"),
                  (*model, "--mtbf", "200", "--on-failure",
                   "requeue,kill,repair", "--options", "--mttr 2 --restarts 3"),
                  (*model, "--sched", "gang,easy"),
                  (*model, "--sched", "gang", "--options", "--slot 5s"),
                  (*model, "--or", "none,boxes", "--patience", "1h"),
                  (*model, "--or", "both", "--alloc", "first-fit+mm"),
                  (*model, "--urgent", "0.1", "--preempted",
                   "requeue,kill,suspend"),
                  (*model, "--order", "submit,shortest", "--depth", "1,4"),
                  (*model, "--count-fraction", "0,0.5", "--alloc",
                   "first-fit+mm"),
                  (*model, "--wiring", "none,torus", "--machine", "torus:4x4",
                   "--torus-fraction", "0.5,1"),
                  (*model, "--shapes", "compact,count", "--alloc",
                   "first-fit,mm", "--load", "0.5,0.9"),
                  (*model, "--network", "none,fluid", "--options",
                   "--pattern ring --rounds 2 --inject 1/2"),
                  (*model, "--options", "--late 10s:0.5 --no-distance"),
                  ("--jobs", "20,30", "--model", "cubic,lublin", "--seed", "5",
                   "--seeds", "2"),
                  (*trace, "--limit", "20,30", "--scale", "2,0.5",
                   "--estimates", "log,exact"),
                  (*trace, "--keep", "user=1", "--warm-up", "10%",
                   "--cool-down", "5jobs"),
                  (*trace, "--resample", "3m", "--size-from", "8"),
                  (*trace, "--options", "--at-limit kill --strict")):
        machine = () if "--machine" in words else ("--machine", "mesh:4x4")
        subprocess.run([f"{BUILD}/tori", "sweep", *machine, "--out", room,
                        *words], check=True, capture_output=True)
        for line in files(room)["cells.jsonl"].splitlines():
            cell = json.loads(line)
            config = cell["config"]
            given = [word for name, value in config.items()
                     if value is not False for word in (
                         "--" + name.replace("_", "-"),
                         *([] if value is True else [str(value)]))]
            done = subprocess.run([f"{BUILD}/tori", "sim", *given, "--json"],
                                  capture_output=True, text=True, check=False)
            assert done.returncode == 0, (config, done.stderr)
            answer = json.loads(done.stdout)
            assert answer["config"] == config, config
            for name in "jobs", "rejected", "wait", "utilization", "events":
                assert answer[name] == cell["result"][name], (config, name)
        shutil.rmtree(room)
    os.remove(log)


def main():
    tests = [(name, case) for name, case in globals().items()
             if name.startswith("test_")]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        whole = os.path.join(folder, "whole")
        sweep(whole)
        print(f"1..{len(tests)}", flush=True)
        for i, (name, case) in enumerate(tests, 1):
            room = os.path.join(folder, name)
            try:
                case(whole, room)
                print(f"ok {i} - {name}", flush=True)
            except (AssertionError, OSError) as why:
                failed += 1
                print(f"not ok {i} - {name}\n# {why!r}", flush=True)
            shutil.rmtree(room, ignore_errors=True)
    return 1 if failed else 0


sys.exit(main())
