#!/usr/bin/env python3
"""Usage: studies.py BUILD

Comparisons in which jobs are rejected or killed: every log has them, with the
reason, and policies are compared on the jobs that all of them ran. What `tori
compare` says is recomputed from its tables of jobs. Reported in TAP.
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
POD = ("--machine", "pod:64/4x4x4", "--load", "0.8")
GRID = (*POD, "--jobs", "200", "--wiring", "none,torus", "--seeds", "3")


def tori(*words):
    done = subprocess.run([f"{BUILD}/tori", *words], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def close(a, b):
    assert math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6), (a, b)


def test_logs(room):
    """every format of a log has the jobs that were rejected, and why"""
    words = ("sim", *POD, "--jobs", "60", "--wiring", "torus")
    result = json.loads(tori(*words, "--json"))
    rejected = result["rejected"]
    why, = result["rejections"]
    assert 0 < rejected < 60 and result["rejections"][why] == rejected, result
    assert 0 < result["accepted"] < result["offered"], result
    lines = [json.loads(line) for line in
             tori(*words, "--log", "-").splitlines()]
    assert len(lines) == 60
    lost = [line for line in lines if "start" not in line]
    assert len(lost) == rejected, lines
    assert {(line["fate"], line["reason"]) for line in lost} == {
        ("rejected", why)}, lost
    path = os.path.join(room, "log")
    tori(*words, "--log", path, "--log-format", "csv")
    states = [row["final_state"] for row in table(path)]
    assert (len(states), states.count("REJECTED")) == (60, rejected), states
    tori(*words, "--log", path, "--log-format", "table")
    rows = table(path)
    assert sorted(int(row["job"]) for row in rows) == list(range(1, 61))
    assert sorted(int(row["job"]) for row in rows if row["fate"] == "rejected"
                  and row["reason"] == why) == sorted(
                      line["id"] for line in lost), rows
    events = json.loads(tori(*words, "--log", "-", "--log-format", "events"))
    kinds = [event["ph"] for event in events["traceEvents"]]
    assert (kinds.count("i"), kinds.count("X")) == (rejected, 60 - rejected)


def measures(row):
    response = float(row["end"]) - float(row["submit"])
    ran = max(10, float(row["ran"]))
    return {"response": response, "wait": float(row["waited"]),
            "bounded_slowdown": max(1, response / ran),
            "average": float(row["distance"] or "nan")}


def mean(values):
    values = [value for value in values if not math.isnan(value)]
    return sum(values) / len(values)


def test_common(room):
    """policies are compared on the jobs that all of them ran"""
    answer = json.loads(tori("compare", *GRID, "--pair", "wiring", "--per-job",
                             room, "--json"))
    free, ring = answer["standings"]
    tables = [table(os.path.join(room, f"jobs-{i:05}.csv"))
              for i in range(1, 7)]
    ran = [{row["job"]: row for row in rows if row["fate"] == "done"}
           for rows in tables]
    common = [ran[seed].keys() & ran[3 + seed].keys() for seed in range(3)]
    assert (free["policy"], ring["policy"]) == ("wiring none", "wiring torus")
    assert ring["rejected"] > 0 == free["rejected"], answer
    for first, row in (0, free), (3, ring):
        assert row["jobs_run"] == sum(map(len, ran[first:first + 3]))
        assert row["compared"] == sum(map(len, common)) < free["jobs_run"]
        for name in "response", "wait", "bounded_slowdown", "average":
            close(row[name]["mean"], sum(
                mean([measures(ran[first + seed][job])[name]
                      for job in common[seed]]) for seed in range(3)) / 3)
    text = tori("compare", *GRID, "--pair", "wiring")
    assert f"wiring torus: {ring['rejected']} of 600 jobs were rejected, so " \
        f"the load was {100 * ring['accepted']:.1f} %: a ring goes" in text, \
        text
    assert "--pair compares them" in tori("compare", *GRID)


def test_same(_):
    """where all run the same jobs, the numbers are those of tori sim"""
    words = ("--machine", "torus:4x4x4", "--jobs", "300", "--load", "0.9")
    answer = json.loads(tori("compare", *words, "--sched", "fcfs,easy",
                             "--seeds", "1", "--json"))
    for row in answer["standings"]:
        alone = json.loads(tori("sim", *words, "--sched", row["policy"],
                                "--json"))
        assert row["compared"] == row["jobs_run"] == alone["jobs"] == 300
        assert row["wait"]["mean"] == alone["wait"]["mean"], (row, alone)
        assert row["average"]["mean"] == alone["average"], (row, alone)


def test_pair(_):
    """--pair takes options with several values"""
    for words, said in (("nothing", "'nothing': expected options with several "
                         "values, such as wiring,shapes"),
                        ("load", "--load has only one value")):
        done = subprocess.run(
            [f"{BUILD}/tori", "compare", *GRID, "--pair", words],
            capture_output=True, text=True, check=False)
        assert done.returncode == 2 and said in done.stderr, done
    both = json.loads(tori(
        "compare", *POD, "--jobs", "50", "--wiring", "none,mesh", "--shapes",
        "compact,first-match", "--pair", "shapes", "--seeds", "2", "--json"))
    assert [(row["scene"], row["policy"]) for row in both["standings"]] == [
        (f"wiring {wiring}", f"shapes {shape}") for wiring in ("none", "mesh")
        for shape in ("compact", "first-match")], both


def test_sweep(room):
    """a sweep writes a table of jobs for every cell, also for those it had"""
    words = ("sweep", *GRID, "--out", room)
    text = tori(*words)
    assert "the rows are means of different jobs" in text, text
    tori(*words, "--per-job")
    names = sorted(os.listdir(os.path.join(room, "jobs")))
    assert names == [f"jobs-{i:05}.csv" for i in range(1, 7)], names
    cells = table(os.path.join(room, "cells.csv"))
    for cell, name in zip(cells, names):
        fates = [row["fate"] for row in table(
            os.path.join(room, "jobs", name))]
        assert (fates.count("done"), fates.count("rejected")) == (
            int(cell["jobs_run"]), int(cell["rejected"])), cell


def hardly_ends(row):
    """By definition, for nodes that are down for 4 of 404 hours."""
    nodes = int(row["nodes"])
    down = 512 * 4 / 404
    up = sum(math.exp(-down) * down ** k / math.factorial(k)
             for k in range(512 - nodes + 1)) if 512 - nodes < down else 1
    alone = math.exp(-nodes * float(row["time_limit"]) / 3600 / 400)
    return up < 0.01 or alone < 0.01


def test_failures(room):
    """no failures are a baseline; jobs that hardly end do not carry a mean"""
    words = ("--machine", "torus:8x8x8", "--jobs", "400", "--load", "0.7")
    path = os.path.join(room, "log")
    never, plain = (json.loads(tori("sim", *words, *more, "--json"))
                    for more in (("--mtbf", "none", "--on-failure", "kill"),
                                 ()))
    assert never["response"] == plain["response"], never
    result = json.loads(tori("sim", *words, "--mtbf", "400", "--json", "--log",
                             path, "--log-format", "table"))
    rows = [row for row in table(path) if row["fate"] == "done"]
    steady = [row for row in rows if not hardly_ends(row)]
    assert result["steady"]["jobs"] == len(steady) < len(rows), result
    close(result["steady"]["response"],
          mean([measures(row)["response"] for row in steady]))
    close(result["steady"]["wait"],
          mean([measures(row)["wait"] for row in steady]))
    text = tori("compare", *words, "--mtbf", "none,400", "--pair", "mtbf",
                "--seeds", "1")
    assert "can hardly ever finish" in text, text


def power(nodes):
    most = 1
    while most < nodes:
        most *= 2
    return str(most) if most < 3 else f"{most // 2 + 1}-{most}"


def kind(nodes, seconds):
    return f"{'long' if seconds > 3600 else 'short'} " \
        f"{'wide' if nodes > 8 else 'narrow'}"


def test_groups(room):
    """the jobs of each user, queue, size and class by themselves"""
    path, log = os.path.join(room, "log"), os.path.join(room, "log.swf")
    with open(log, "w", encoding="utf-8") as file:
        file.write("; Queue: 1 batch\n; User: 2 ann\n")
        for i in range(60):
            file.write(f"{i + 1} {100 * i} -1 {40 + 97 * i % 9000} "
                       f"{1 + 7 * i % 40} -1 -1 -1 -1 -1 1 {i % 5} {i % 2} 1 "
                       f"{i % 3} -1 -1 -1\n")
    words = ("--machine", "mesh:4x8", "--trace", log)
    tori("sim", *words, "--log", path, "--log-format", "table")
    rows = table(path)
    ways = {"user": lambda row: {"2": "ann"}.get(row["user"], row["user"]),
            "group": lambda row: row["group"],
            "queue": lambda row: {"1": "batch"}.get(row["queue"],
                                                    row["queue"]),
            "size": lambda row: power(int(row["nodes"])),
            "class": lambda row: kind(int(row["nodes"]),
                                      float(row["time_limit"]))}
    for way, of in ways.items():
        found = {group["name"]: group for group in json.loads(tori(
            "sim", *words, "--by", way, "--json"))["by"]}
        assert found.keys() == {of(row) for row in rows}, (way, found)
        for name, group in found.items():
            own = [row for row in rows if of(row) == name]
            ran = [row for row in own if row["fate"] == "done"]
            assert (group["jobs"], group["rejected"]) == (
                len(ran), len(own) - len(ran)), group
            for key, source in (("wait", "wait"), ("response", "response"),
                                ("bounded_slowdown", "bounded_slowdown")):
                if ran:
                    close(group[key], mean([measures(row)[source]
                                            for row in ran]))
        compared = json.loads(tori(
            "compare", *words, "--sched", "easy,fcfs", "--by", way,
            "--json"))["by"]
        for row in compared:
            if row["policy"] == "easy":
                alone = found[row["name"]]
                assert row["jobs_run"] == alone["jobs"], row
                assert row["wait"]["mean"] == alone["wait"], (row, alone)
    assert "'tori compare --by' has intervals" in subprocess.run(
        [f"{BUILD}/tori", "sim", *POD, "--by", "size", "--seeds", "2"],
        capture_output=True, text=True, check=False).stderr


TESTS = [test_groups, test_logs, test_common, test_same, test_pair, test_sweep,
         test_failures]


def main():
    failed = 0
    print(f"1..{len(TESTS)}")
    for i, test in enumerate(TESTS, 1):
        with tempfile.TemporaryDirectory() as room:
            try:
                test(room)
                print(f"ok {i} - {test.__doc__}")
            except AssertionError as error:
                failed += 1
                print(f"# {test.__name__}: {str(error)[:2000]}")
                print(f"not ok {i} - {test.__doc__}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
