#!/usr/bin/env python3
"""Usage: studies.py BUILD

Comparisons in which jobs are rejected or killed: every log has them, with the
reason, and policies are compared on the jobs that all of them ran. What `tori
compare` says is recomputed from its tables of jobs. Reported in TAP.
"""
import base64
import csv
import gzip
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

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
    assert {row["metadata"].split()[-1] for row in table(path)
            if row["final_state"] == "REJECTED"} == {
                "reason=" + re.sub('[ ,"]', "_", why)}, why
    tori(*words, "--log", path, "--log-format", "table")
    rows = table(path)
    assert sorted(int(row["job"]) for row in rows) == list(range(1, 61))
    assert sorted(int(row["job"]) for row in rows if row["fate"] == "rejected"
                  and row["reason"] == why) == sorted(
                      line["id"] for line in lost), rows
    events = json.loads(tori(*words, "--log", "-", "--log-format", "events"))
    kinds = [event["ph"] for event in events["traceEvents"]]
    assert (kinds.count("i"), kinds.count("X")) == (rejected, 60 - rejected)


def test_killed(room):
    """every format of a log says why a job was killed"""
    words = ("sim", "--machine", "torus:4x4x4", "--jobs", "60", "--load", "1")
    path = os.path.join(room, "log")
    failed = "a node or link under it failed"
    often = "nodes or links under it failed too often to start it again"
    for more, reasons in ((("--mtbf", "100", "--on-failure", "kill"),
                           {failed}),
                          (("--mtbf", "100", "--restarts", "1"), {often}),
                          (("--urgent", "0.3", "--preempted", "kill"),
                           {"an urgent job needed its place"})):
        killed = json.loads(tori(*words, *more, "--json"))["killed"]
        assert killed > 0, more
        tori(*words, *more, "--log", path, "--log-format", "table")
        rows = table(path)
        lost = {row["job"]: row["reason"] for row in rows
                if row["fate"] == "killed"}
        assert len(lost) == killed and set(lost.values()) == reasons, rows
        assert not any(row["reason"] for row in rows
                       if row["fate"] == "done"), rows
        lines = [json.loads(line) for line in
                 tori(*words, *more, "--log", "-").splitlines()]
        assert {str(line["id"]): line["reason"] for line in lines
                if line.get("killed")} == lost, lines
        assert not any("reason" in line for line in lines
                       if line.get("killed") is False), lines
        tori(*words, *more, "--log", path, "--log-format", "csv")
        assert {row["job_id"]: row["metadata"].split(" reason=")[1]
                for row in table(path)
                if row["final_state"] == "COMPLETED_KILLED"} == {
                    job: why.replace(" ", "_") for job, why in lost.items()}
        events = json.loads(tori(*words, *more, "--log", "-", "--log-format",
                                 "events"))["traceEvents"]
        assert {event["name"][4:]: event["args"]["reason"]
                for event in events if event["ph"] == "X"
                and "reason" in event["args"]} == lost, events


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
    hopeless = [row for row in rows if hardly_ends(row)]
    assert (result["hopeless_ran"], result["hopeless"]) == (
        len(hopeless), sum(map(hardly_ends, table(path)))), result
    assert f"{len(hopeless)} ran to their end; without such jobs the mean " \
        f"response is {result['steady']['response']:.2f} s" in tori(
            "sim", *words, "--mtbf", "400")
    text = tori("sim", *words[:3], "300", *words[4:], "--mtbf", "400",
                "--on-failure", "kill")
    assert "none of them ran to its end" in text, text
    assert "without such jobs the mean" not in text, text
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


def test_seeds_of_groups(room):
    """a group counts with the seeds that have jobs of it, and all are there"""
    grid = ("--machine", "torus:4x4x4", "--jobs", "30", "--load", "0.7",
            "--sched", "easy,fcfs", "--seeds", "4")
    answer = json.loads(tori("compare", *grid, "--by", "size", "--per-job",
                             room, "--json"))
    waits = {}
    for i in range(8):
        for row in table(os.path.join(room, f"jobs-{i + 1:05}.csv")):
            waits.setdefault((power(int(row["nodes"])), i // 4), {}).setdefault(
                i % 4, []).append(float(row["waited"]))
    names = [row["name"] for row in answer["by"] if row["policy"] == "easy"]
    assert set(names) == {name for name, _ in waits}, names
    assert names == sorted(names, key=lambda name: int(name.split("-")[0]))
    for row in answer["by"]:
        own = [sum(of) / len(of) for of in waits[
            row["name"], row["policy"] == "fcfs"].values()]
        assert row["seeds"] == len(own), row
        close(row["wait"]["mean"], sum(own) / len(own))
        if row["policy"] == "fcfs":
            was = waits[row["name"], False]
            apart = [sum(of) / sum(was[seed]) - 1 if sum(was[seed]) else
                     math.inf if sum(of) else 0 for seed, of in waits[
                         row["name"], True].items()]
            close(row["longer"], mean([sum(of) / len(of) - sum(was[seed])
                                       / len(of) for seed, of in waits[
                                           row["name"], True].items()]))
            if math.inf in apart:
                assert row["wait"]["difference"] is None, row
            else:
                close(row["wait"]["difference"], sum(apart) / len(apart))
    assert {row["seeds"] for row in answer["by"]} > {4}, answer["by"]
    assert None in {row["wait"]["difference"] for row in answer["by"]}
    text = tori("compare", *grid, "--by", "size")
    assert not re.search("±(?![0-9])", text), text
    assert "did not wait" in text and '("seeds")' in text, text


def test_common_groups(room):
    """groups are compared on the jobs that all policies ran, also in a report"""
    words = (*GRID, "--pair", "wiring")
    rows = json.loads(tori("compare", *words, "--by", "size", "--per-job",
                           room, "--json"))["by"]
    ran = [{row["job"]: row for row in table(os.path.join(
        room, f"jobs-{i:05}.csv")) if row["fate"] == "done"}
           for i in range(1, 7)]
    common = [ran[seed].keys() & ran[3 + seed].keys() for seed in range(3)]
    for row in rows:
        first = 3 * (row["policy"] == "wiring torus")
        waits = [[float(ran[first + seed][job]["waited"])
                  for job in sorted(common[seed])
                  if power(int(ran[first + seed][job]["nodes"])) ==
                  row["name"]] for seed in range(3)]
        assert row["compared"] == sum(map(len, waits)), row
        assert row["seeds"] == sum(map(bool, waits)) or not any(waits), row
        if any(waits):
            close(row["wait"]["mean"], mean([mean(of) for of in waits if of]))
    assert any(row["compared"] < row["jobs_run"] for row in rows), rows
    text = tori("compare", *words, "--by", "size")
    assert re.search("jobs of.*compared", text), text
    sweeps = [os.path.join(room, name) for name in ("with", "without")]
    for sweep, more in zip(sweeps, (("--by", "size"), ())):
        found = json.loads(tori("sweep", *words, *more, "--out", sweep,
                                "--json"))
        assert found.get("by", rows) == rows, found
    if not has_pages():
        return
    pages = []
    for sweep in sweeps:
        path = os.path.join(sweep, "own.html")
        tori("report", sweep, "--by", "size", "--out", path)
        pages.append(page_data(path))
        assert pages[-1]["by"] == rows, pages[-1]["by"]
    assert pages[0]["standings"] == pages[1]["standings"]
    tori("report", sweeps[0], "--by", "class", "--out", path)
    assert {row["name"] for row in page_data(path)["by"]} == {
        f"{long} {wide}" for long in ("short", "long")
        for wide in ("narrow", "wide")}
    log = os.path.join(room, "log.swf")
    write_log(log, 40)
    tori("sweep", "--machine", "mesh:8x8", "--trace", log, "--out",
         os.path.join(room, "log"))
    write_log(log, 50)
    assert "the log was changed since the sweep" in refused(
        "report", os.path.join(room, "log"), "--by", "user")


def test_unsuitable(room):
    """what does not suit a machine is left out, with a line, and the rest runs"""
    grid = ("--machine", "torus:8x8x6,pod:8/4x4x4", "--jobs", "30", "--seeds",
            "2", "--alloc", "cube-best,first-fit,row-bf")
    lines = ("left out: torus:8x8x6 cube-best: cube-best places slices on a "
             "pod, and this machine is not a pod",
             "left out: pod:8/4x4x4 first-fit: first-fit does not place "
             "slices on a pod: cube-first and cube-best do, and row-ff, "
             "row-bf and row-ss take counts")
    sweep = os.path.join(room, "sweep")
    page = os.path.join(room, "page.html")
    pages = has_pages()
    for words in (("compare", *grid, *(("--html", page) if pages else ())),
                  ("sweep", *grid, "--out", sweep)):
        done = subprocess.run([f"{BUILD}/tori", *words], capture_output=True,
                              text=True, check=True)
        for line in lines:
            assert f"tori: {line}\n" in done.stderr, done.stderr
            assert f"\n{line}\n" in done.stdout, done.stdout
    report = os.path.join(room, "report.html")
    if pages:
        tori("report", sweep, "--out", report)
    for path in (page, report) if pages else ():
        assert all(line in page_data(path)["verdict"] for line in lines), path
    answer = json.loads(tori("compare", *grid, "--json"))
    assert [(row["scene"], row["policy"]) for row in answer["standings"]] == [
        ("torus:8x8x6", "first-fit"), ("torus:8x8x6", "row-bf"),
        ("pod:8/4x4x4", "cube-best"), ("pod:8/4x4x4", "row-bf")], answer
    assert answer["left_out"] == 2
    assert [(row["combinations"], f"left out: {row['first']}: {row['why']}")
            for row in answer["left_out_why"]] == [(1, line)
                                                  for line in lines], answer
    for more in (("--sched", "easy,gang"), ("--network", "none,fluid")):
        answer = json.loads(tori("compare", "--machine", "mesh:4x4,pod:8/4x4x4",
                                 "--jobs", "20", "--seeds", "1", *more,
                                 "--json"))
        assert (answer["cells"], answer["left_out"]) == (3, 1), answer
    assert "not a pod" in refused("compare", "--machine", "torus:8x8x6",
                                  "--alloc", "cube-best,cube-first")
    assert "is not one of" in refused("compare", "--machine", "torus:8x8x6",
                                      "--alloc", "first-fit,fist-fit")


def write_log(path, n=240, gap=3600, start=852076800):
    """A log that begins on 1997-01-01."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"; UnixStartTime: {start}\n; Queue: 1 batch\n"
                   "; User: 2 ann\n")
        for i in range(n):
            file.write(f"{i + 1} {gap * i + 7 * i % 11} -1 "
                       f"{600 + 977 * i % 40000} {1 + 7 * i % 40} -1 -1 -1 -1 "
                       f"-1 1 {i % 5} {i % 2} 1 {i % 3} -1 -1 -1\n")


def refused(*words):
    done = subprocess.run([f"{BUILD}/tori", *words], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 2, done
    return done.stderr


def test_keep(room):
    """jobs are chosen by user, group, queue, size and date"""
    path, log = os.path.join(room, "log"), os.path.join(room, "log.swf")
    write_log(log)
    words = ("--machine", "mesh:8x8", "--trace", log)
    tori("sim", *words, "--log", path, "--log-format", "table")
    rows = table(path)
    day = 86400
    cases = {
        "user=ann,4": lambda row: row["user"] in ("2", "4"),
        "user!=2": lambda row: row["user"] != "2",
        "queue=batch;group=1": lambda row: (row["queue"], row["group"]) ==
                               ("1", "1"),
        "size=1-8,33-": lambda row: not 9 <= int(row["nodes"]) <= 32,
        "size=-8; user=3": lambda row: int(row["nodes"]) < 9 and
                           row["user"] == "3",
        "date=1997-01-02..1997-01-04": lambda row: day <= float(
            row["submit"]) < 3 * day,
        "date=1997-01-02T12:00..": lambda row: float(
            row["submit"]) >= 1.5 * day,
        f"date=..{day}": lambda row: float(row["submit"]) < day}
    for keep, meets in cases.items():
        kept = {row["job"] for row in rows if meets(row)}
        assert 0 < len(kept) < 240, keep
        found = json.loads(tori("sim", *words, "--keep", keep, "--json",
                                "--log", path, "--log-format", "table"))
        assert (found["submitted"], found["left_out"]) == (
            len(kept), 240 - len(kept)), (keep, found)
        assert {row["job"] for row in table(path)} == kept, keep
        text = tori("compare", *words, "--keep", keep, "--sched", "easy,fcfs")
        assert f"{len(kept)} of 240 jobs are kept" in text, text
    text = tori("sim", *words, "--keep", "user=1", "--limit", "20")
    assert "jobs run                 20" in text, text
    before = sorted(int(row["job"]) for row in rows
                    if row["user"] == "1")[19]
    assert f"kept: 20 of the first {before} jobs (--keep)" in text, text
    tori("sweep", *words, "--keep", "user=1", "--out",
         os.path.join(room, "sweep"))
    cell, = table(os.path.join(room, "sweep", "cells.csv"))
    assert (cell["jobs_run"], cell["keep"]) == ("48", "user=1"), cell
    for keep, said in (("user=bob", "no such name"), ("colour=2", "expected "
                       "user=, group=, queue=, size= or date="),
                       ("size=8-4", "expected nodes"),
                       ("date=1997", "expected FROM..TO"),
                       ("user=77", "none of the 240 jobs")):
        assert said in refused("sim", *words, "--keep", keep), keep
    assert "(UnixStartTime)" in refused(
        "sim", *POD, "--keep", "date=1997-01-01..1997-02-01")


def test_window(room):
    """a warm-up and a cool-down run, and are not measured"""
    path, log = os.path.join(room, "log"), os.path.join(room, "log.swf")
    write_log(log)
    words = ("--machine", "mesh:8x8", "--trace", log)
    more = ("--json", "--log", path, "--log-format", "table")
    tori("sim", *words, *more)
    rows = table(path)
    submits = sorted(float(row["submit"]) for row in rows)
    for part, begin, end in (
            (("--warm-up", "10%"), submits[24], submits[-1] + 1e-6),
            (("--warm-up", "1d", "--cool-down", "30jobs"), 86400,
             submits[-30]),
            (("--cool-down", "25%", "--warm-up", "7jobs"), submits[7],
             submits[-60])):
        own = [row for row in rows if begin <= float(row["submit"]) < end]
        found = json.loads(tori("sim", *words, *part, *more))
        assert found["jobs"] == found["window"]["jobs"] == len(own), found
        close(found["window"]["begin"], begin)
        close(found["window"]["end"], end)
        for name in "response", "wait", "bounded_slowdown":
            close(found[name]["mean"], mean([measures(row)[name]
                                             for row in own]))
        close(found["utilization"], sum(
            int(row["nodes"]) * max(0, min(end, float(row["end"])) - max(
                begin, float(row["start"]))) for row in rows)
            / 64 / (end - begin))
        answer = json.loads(tori("compare", *words, *part, "--sched",
                                 "easy,fcfs", "--by", "size", "--json"))
        easy = answer["standings"][0]
        assert easy["compared"] == len(own), easy
        assert easy["wait"]["mean"] == found["wait"]["mean"], easy
        assert sum(row["jobs_run"] for row in answer["by"]
                   if row["policy"] == "easy") == len(own), answer
    text = tori("compare", *words, "--warm-up", "10%", "--sched", "easy,fcfs")
    assert "216 of 240 jobs are measured" in text, text
    for part, said in (("100%", "expected a time"),
                       ("240jobs", "leave no job"), ("90d", "leave no job")):
        assert said in refused("sim", *words, "--warm-up", part), part


def test_window_failures(room):
    """failures and a warm-up go together"""
    path = os.path.join(room, "log")
    words = ("sim", "--machine", "torus:4x4x4", "--jobs", "300", "--load",
             "0.7", "--mtbf", "2000", "--json", "--log", path, "--log-format",
             "table")
    plain = json.loads(tori(*words))
    rows = [row for row in table(path) if row["fate"] == "done"]
    found = json.loads(tori(*words, "--warm-up", "20%"))
    begin, end = found["window"]["begin"], found["window"]["end"]
    own = [row for row in rows if begin <= float(row["submit"]) < end]
    assert plain["requeues"] > 0 and len(own) < len(rows), plain
    assert found["jobs"] == len(own), found
    close(found["wait"]["mean"], mean([measures(row)["wait"] for row in own]))
    for name in "failures", "requeues", "goodput", "lost", "killed":
        assert found[name] == plain[name], (name, found)


def read_swf(text):
    """Submission, run time and size of each record."""
    return [(float(part[1]), float(part[3]), int(
        part[7] if int(part[7]) > 0 else part[4])) for part in
            (line.split() for line in text.splitlines()
             if not line.startswith(";"))]


T4 = 2.7764451051977987  # Student's t within which 95 % are, 4 degrees


def half(values):
    """Of a 95 % interval of the value of one of five logs."""
    middle = sum(values) / len(values)
    return T4 * math.sqrt(sum((value - middle) ** 2 for value in values)
                          / (len(values) - 1))


def test_resample(room):
    """a log has intervals by blocks that are drawn from it"""
    log = os.path.join(room, "log.swf")
    write_log(log)
    words = ("--machine", "mesh:8x8", "--trace", log)
    with open(log, encoding="utf-8") as file:
        jobs = read_swf(file.read())
    day = 86400
    blocks = [[(submit - day * i, *rest) for submit, *rest in jobs
               if day * i <= submit < day * (i + 1)] for i in range(9)]
    drawn = {}
    for seed in range(1, 6):
        found = read_swf(tori("sim", *words, "--resample", "1d", "--seed",
                              str(seed), "--out-swf", "-"))
        drawn[seed] = [blocks.index([(submit - day * i, *rest) for
                                     submit, *rest in found if day * i <=
                                     submit < day * (i + 1)])
                       for i in range(9)]
    assert len({tuple(found) for found in drawn.values()}) == 5, drawn
    used = sum(drawn.values(), [])
    assert all(used.count(i) > 0 for i in range(9)), drawn
    found = json.loads(tori("sim", *words, "--resample", "1d", "--json"))
    assert found["resampled"] == {"blocks": 9, "rest": 240 - 9 * 24}, found
    many = json.loads(tori("sim", *words, "--resample", "1d", "--seeds", "5",
                           "--json"))
    waits = [run["wait"]["mean"] for run in many["runs"]]
    assert waits[0] == found["wait"]["mean"], many
    close(many["wait"]["mean"]["mean"], sum(waits) / 5)
    close(many["wait"]["mean"]["half_interval"], half(waits))
    path = os.path.join(room, "cells.csv")
    answer = json.loads(tori("compare", *words, "--sched", "easy,fcfs",
                             "--resample", "1d", "--seeds", "5", "--csv",
                             path, "--json"))
    cells = [float(cell["wait_mean"]) for cell in table(path)]
    assert cells[:5] == waits, cells
    fcfs = answer["standings"][1]["wait"]
    close(fcfs["half_interval"], half(cells[5:]))
    close(fcfs["difference_half"], half([
        (b - a) / a for a, b in zip(cells[:5], cells[5:])]))
    text = tori("compare", *words, "--sched", "easy,fcfs")
    assert "(no interval)" in text and "--resample 7d has intervals" in text
    text = tori("compare", *words, "--sched", "easy,fcfs", "--resample", "1d")
    assert "no interval" not in text and "±" in text, text
    assert "less than two blocks" in refused("sim", *words, "--resample",
                                             "7d")


def checksum(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def test_provenance(room):
    """results have the checksum of the log, and the commit"""
    log, packed = (os.path.join(room, name) for name in ("a.swf", "b.swf.gz"))
    out = os.path.join(room, "sweep")
    for n in (1, 3, 50, 700, 5000):
        write_log(log, n, gap=60)
        with open(log, "rb") as file, gzip.open(packed, "wb") as to:
            to.write(file.read())
        for path in log, packed:
            for more in (), ("--limit", "1"):
                found = json.loads(tori("sim", "--machine", "mesh:8x8",
                                        "--trace", path, *more, "--json"))
                assert found["log_sha256"] == checksum(path), (path, found)
    assert re.fullmatch("([0-9a-f]{12,}(-dirty)?)?", found.get("commit", ""))
    assert "log_sha256" not in json.loads(tori("sim", *POD, "--jobs", "9",
                                               "--json"))
    words = ("--machine", "mesh:8x8", "--limit", "40", "--trace",
             f"{log},{packed}")
    sums = {path: checksum(path) for path in (log, packed)}
    for command in ("compare",), ("sweep", "--out", out):
        found = json.loads(tori(*command, *words, "--json"))
        assert found["logs"] == sums, found
    with open(os.path.join(out, "cells.jsonl"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    rows = table(os.path.join(out, "cells.csv"))
    assert [line["log_sha256"] for line in lines] == list(sums.values())
    assert [row["log_sha256"] for row in rows] == list(sums.values())
    assert [row.get("commit") for row in rows] == [
        line.get("commit") for line in lines], rows
    text = tori("sweep", "--out", out, *words)
    assert "the log was changed" not in text, text
    write_log(log, 60)
    text = tori("sweep", "--out", out, *words, "--sched", "easy,fcfs")
    assert "the log was changed between simulations" in text, text


def page_data(path):
    """The data of a report."""
    with open(path, encoding="utf-8") as file:
        found = re.search('<script id="data" type="text/plain">([^<]*)<',
                          file.read())
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def has_pages():
    return b"without esbuild" not in subprocess.run(
        [f"{BUILD}/tori", "report", "nowhere"], check=False,
        capture_output=True).stderr


def test_unfinished(room):
    """a sweep that is not finished has a report, which says what is missing"""
    if not has_pages():
        raise unittest.SkipTest("tori was built without esbuild")
    words = ("sweep", "--machine", "torus:4x4x4", "--jobs", "150", "--sched",
             "easy,fcfs", "--load", "0.6,0.9", "--seeds", "4", "--by", "size",
             "--out", room)
    whole = json.loads(tori(*words, "--json"))
    path = os.path.join(room, "report.html")
    tori("report", room)
    page = page_data(path)
    assert page["by"] == whole["by"] and len(page["by"]) > 8, page["by"]
    assert "not finished" not in page["verdict"], page["verdict"]
    with open(os.path.join(room, "cells.jsonl"), encoding="utf-8") as file:
        lines = file.read().splitlines(keepends=True)
    os.remove(os.path.join(room, "cells.jsonl"))
    with open(os.path.join(room, "done.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(line for i, line in enumerate(lines)
                        if i not in (5, 8, 9, 10, 11))
    found = json.loads(tori("report", room, "--json"))
    assert found["missing"] == 5, found
    page = page_data(path)
    assert "not finished: 5 of 16 simulations are missing" in page["verdict"]
    assert "3 of 8" in page["verdict"], page["verdict"]
    cells = [json.loads(line)["result"] for line in lines]
    for first, row, full in zip((0, 4), page["standings"],
                                whole["standings"]):
        waits = [cells[first + seed]["wait"]["mean"] for seed in (0, 2, 3)]
        assert row["seeds"] == 3 and full["seeds"] == 4, row
        close(row["wait"]["mean"], sum(waits) / 3)
        assert row["jobs_run"] == sum(cells[first + seed]["jobs"]
                                      for seed in (0, 2, 3)), row
    assert page["standings"][2]["wait"]["mean"] is None, page["standings"]
    assert "at load 0.9" not in page["verdict"], page["verdict"]
    os.remove(os.path.join(room, "done.jsonl"))
    assert "all 16 cells are missing" in refused("report", room)


def test_shapes(_):
    """where the default of --shapes decides distances, that is said"""
    words = ("compare", "--machine", "torus:8x8x8", "--jobs", "200", "--load",
             "0.7", "--seeds", "2", "--alloc")
    said = "--shapes was not given, and decides the verdict on distances"
    assert said in tori(*words, "first-fit,mm")
    for more in (("first-fit,best-fit",), ("mm,hilbert-bf",),
                 ("first-fit,mm", "--shapes", "compact,count", "--pair",
                  "shapes")):
        assert said not in tori(*words, *more), more
    found = {row["policy"]: row["average"]["mean"] for row in json.loads(tori(
        *words, "first-fit,hilbert-bf", "--shapes",
        "compact,first-match,count", "--pair", "shapes", "--json"))[
            "standings"]}
    short, long, count = (found[f"shapes {name}"] for name in (
        "compact first-fit", "first-match first-fit", "count hilbert-bf"))
    assert short < count < long, found


def frontier(i):
    """A size as Frontier's log has it."""
    return (2500, 1, 9408, 16, 64, 317)[i % 6]


def write_frontier(path, n, gap=60):
    """21 fields; the usual ones have processors of one kind or another."""
    with open(path, "w", encoding="utf-8") as file:
        for i in range(n):
            file.write(f"{i + 1} {gap * i} -1 {300 + 977 * i % 40000} "
                       f"{56 * frontier(i)} -1 -1 {8 * (i % 7)} 50000 -1 1 "
                       f"{i % 50} 1 -1 {i % 3} -1 -1 -1 {i} 17 "
                       f"frontier{i % 2}:excl:{frontier(i)}x112\n")


def test_size_from(room):
    """sizes come from the field that is named"""
    path, log = os.path.join(room, "log"), os.path.join(room, "log.swf")
    out = ("--log", path, "--log-format", "table")
    words = ("sim", "--machine", "torus:21x21x22", "--shapes", "count",
             "--alloc", "row-ff", "--trace")
    write_frontier(log, 60)
    asked = [8 * (i % 7) or 56 * frontier(i) for i in range(60)]
    large = sum(size > 21 * 21 * 22 for size in asked)
    said = f"warning: {large} of 60 jobs ask for more nodes than the machine"
    text = tori(*words, log)
    assert f"{said} has, up to {max(asked)}: " in text and large > 0, text
    text = tori("compare", *words[1:], log, "--sched", "easy,fcfs")
    assert said in text and "--size-from" in text, text
    for spelled in "last::#x", "21::#x", "21:excl:#", "21:#x":
        found = json.loads(tori(*words, log, "--size-from", spelled, "--json",
                                *out))
        assert "too_large" not in found, found
        assert {int(row["job"]): int(row["nodes"]) for row in table(path)} == {
            i + 1: frontier(i) for i in range(60)}, spelled
    tori(*words, log, "--size-from", "5", "--procs-per-node", "56", *out)
    assert {int(row["job"]): int(row["nodes"]) for row in table(path)} == {
        i + 1: frontier(i) for i in range(60)}
    found = json.loads(tori(*words, log, "--size-from", "21:frontier1:excl:#x",
                            "--json"))
    assert (found["submitted"], found["unusable"]) == (30, 30), found
    csv_log = os.path.join(room, "log.csv")
    with open(csv_log, "w", encoding="utf-8") as file:
        file.write("submit,run_time,where\n")
        file.writelines(f"{i},60,a:{frontier(i)}x2\n" for i in range(12))
    tori(*words, csv_log, "--size-from", "Where::#x", *out)
    assert sorted(int(row["nodes"]) for row in table(path)) == sorted(
        frontier(i) for i in range(12))
    for spelled, said in (("last:x", "with one # for the number"),
                          ("cores", "its fields have no names"),
                          ("22", "none of 60 records has a size"),
                          ("last:zz#", "none of 60 records has a size")):
        assert said in refused(*words, log, "--size-from", spelled), spelled
    assert "no such column" in refused(*words, csv_log, "--size-from", "last")
    assert "--size-from is for a log" in refused("sim", *POD, "--size-from",
                                                 "2")


def test_sweep_common(room):
    """a sweep compares policies on the jobs that all of them ran, too"""
    words = (*GRID, "--pair", "wiring")
    compared = json.loads(tori("compare", *words, "--json"))["standings"]
    assert compared[0]["compared"] < compared[0]["jobs_run"], compared
    for _ in range(2):
        found = json.loads(tori("sweep", *words, "--out", room, "--json"))
        for ours, theirs in zip(found["standings"], compared):
            assert ours["compared"] == theirs["compared"], found
            for name in "response", "wait", "bounded_slowdown", "average":
                for member, value in theirs[name].items():
                    close(ours[name][member], value)
    for cell, jobs in zip(table(os.path.join(room, "cells.csv")),
                          compared[0:1] * 3 + compared[1:2] * 3):
        assert 0 < int(cell["compared_jobs"]) < jobs["jobs_run"], cell
    text = tori("sweep", *words, "--out", room)
    assert "are of the jobs that all policies of a scene ran" in text, text
    assert "the rows are means of different jobs" not in text, text
    grid = [word for word in words if word not in ("--wiring", "none,torus")]
    more = (*grid, "--wiring", "none,mesh,torus")
    compared = json.loads(tori("compare", *more, "--json"))["standings"]
    found = json.loads(tori("sweep", *more, "--out", room, "--json"))
    for ours, theirs in zip(found["standings"], compared):
        assert ours["compared"] == theirs["compared"], found
        close(ours["wait"]["mean"], theirs["wait"]["mean"])


TESTS = [test_sweep_common, test_size_from, test_shapes, test_unfinished, test_provenance, test_keep, test_window, test_window_failures, test_resample,
         test_groups, test_logs, test_common, test_same, test_pair, test_sweep,
         test_failures, test_killed, test_seeds_of_groups, test_unsuitable,
         test_common_groups]


def main():
    failed = 0
    print(f"1..{len(TESTS)}")
    for i, test in enumerate(TESTS, 1):
        with tempfile.TemporaryDirectory() as room:
            try:
                test(room)
                print(f"ok {i} - {test.__doc__}")
            except unittest.SkipTest as why:
                print(f"ok {i} - {test.__doc__} # SKIP {why}")
            except AssertionError as error:
                failed += 1
                print(f"# {test.__name__}: {str(error)[:2000]}")
                print(f"not ok {i} - {test.__doc__}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
