#!/usr/bin/env python3
"""Usage: check.py [build] [build-asan] [build-fuzz]

Build and run every test, plainly and under the address and undefined-behaviour
sanitizers, or those of the builds named. The fuzz targets run for a minute each if
they are named: `make soak` does. Ends in one line, "N passed, N failed, N skipped", which counts
the cases within each test program, and in a status that is 0 only if nothing
failed. Suites that no build could have, and why, are named before. Limits of
time grow with the load of the machine.

Up to three tests of real processes that failed beside others run once more,
alone. If one passes then, it is unsteady: what failed is listed, and the last line
counts it apart. It is to be mended, but a busy machine alone fails no build.

Tests on real job logs look for them in $TORI_TRACES. If that is not set, it is a
folder `traces` beside this checkout, or one level below what is beside it, if
there is one; without logs these tests are skipped.
"""
import glob
import json
import math
import os
import re
import subprocess
import sys

from patience import load

# Compiling takes longer than running the tests: little is optimized, and a
# finding names lines but no variables.
SANITIZED = ["-Doptimization=1", "-Ddebug=false", "-Dc_args=-g1",
             "-Dpage=false", "-Db_lundef=false", "-Db_sanitize=address,undefined"]
# Directory, options of the configuration, environment of the configuration,
# tests at once for each processor. Many tests wait more than they work; a fuzz
# target only works.
BUILDS = (
    ("build", ["-Dtests=enabled"], {}, 2),
    ("build-asan", ["-Dtests=enabled"] + SANITIZED, {}, 2),
    ("build-fuzz", ["-Dfuzz=true"] + SANITIZED, {"CC": "clang"}, 1),
)

# Without a word about builds.
USUAL = ("build", "build-asan")

# So many tests may run once more.
REPEATED = 3

PLAN = re.compile(r"^1\.\.\d+", re.M)
CASE = re.compile(r"^(not )?ok\b *\d* *-? *([^#\n]*)(#[^\n]*)?$", re.M)


class Tally:
    def __init__(self):
        self.names = {"passed": [], "failed": [], "skipped": [],
                      "unsteady": []}
        self.absent = None

    def add(self, verdict, name):
        self.names[verdict].append(name)

    def count(self, verdict):
        return len(self.names[verdict])

    def add_absent(self, suites):
        """Suites that a build does not have: name and reason. What another
        build has is not absent."""
        before = suites if self.absent is None else self.absent
        self.absent = {name: why for name, why in before.items()
                       if name in suites}

    def report(self):
        for verdict in ("skipped", "unsteady", "failed"):
            for name in self.names[verdict]:
                print(f"{verdict}: {name}")
        for name, why in (self.absent or {}).items():
            print(f"did not run: {name} ({why})")
        print(", ".join(f"{len(n)} {v}" for v, n in self.names.items()
                        if n or v != "unsteady"))
        return 1 if self.names["failed"] else 0


def run(*command, **environment):
    sys.stdout.flush()
    return subprocess.run(command, env={**os.environ, **environment},
                          check=False).returncode


def find_traces():
    """Folders with job logs, as the docstring says."""
    logs = glob.glob("../traces/*.swf*") + glob.glob("../*/traces/*.swf*")
    return sorted({os.path.abspath(os.path.dirname(log)) for log in logs})


def case_verdict(case):
    """What became of a case, and its name, with the reason if skipped."""
    skip = re.match(r"# *skip\S*\s*(.*)", case[3] or "", re.I)
    name = case[2].strip()
    if skip:
        return "skipped", f"{name}: {skip[1]}" if skip[1] else name
    return "failed" if case[1] else "passed", name


def said(out, cases, i):
    """What a test printed right before and after a case, indented."""
    begin = cases[i - 1].end() if i > 0 else 0
    end = cases[i + 1].start() if i + 1 < len(cases) else len(out)
    lines = out[begin:cases[i].start()].strip().splitlines()[-8:] \
        + out[cases[i].end():end].strip().splitlines()[:8]
    return "".join(f"\n    {line[:300]}" for line in lines)


def count_test(tally, where, test):
    """Count one test program: its cases if it printed any, else itself. A
    program can fail although all its cases pass: by a crash or a leak at its
    end, or because it ran fewer than it announced."""
    name = f"{where} {test['name']}"
    out = test.get("stdout", "")
    failed_before = tally.count("failed")
    cases = list(CASE.finditer(out)) if PLAN.search(out) else []
    if cases:
        for i, case in enumerate(cases):
            verdict, what = case_verdict(case)
            if verdict == "failed":
                what += said(out, cases, i)
            tally.add(verdict, f"{name}: {what}")
        if test["result"] in ("OK", "SKIP"):
            return
        if tally.count("failed") == failed_before:
            tally.add("failed", f"{name}: {test['result'].lower()}")
    else:
        verdict = {"OK": "passed", "SKIP": "skipped"}.get(test["result"],
                                                          "failed")
        tally.add(verdict, name)


def read_log(where, base="testlog"):
    path = os.path.join(where, "meson-logs", f"{base}.json")
    with open(path, encoding="utf-8") as log:
        return [json.loads(line) for line in log]


def is_of_processes(test):
    """Whether a test starts programs, which others on this machine disturb."""
    return any(folder in word for word in test["command"]
               for folder in ("tests/system/", "web/tests/"))


def repeat(where, failed):
    """The results of tests that failed, alone."""
    names = [test["name"].split(" / ")[-1] for test in failed]
    print(f"== {where}: once more, alone: {' '.join(names)}", flush=True)
    run("meson", "test", "-C", where, "--no-rebuild", "--print-errorlogs",
        "--logbase", "alone", "--num-processes", "1", *names)
    return {test["name"]: test for test in read_log(where, "alone")}


def count_log(tally, where):
    tests = read_log(where)
    failed = [test for test in tests if test["result"] not in ("OK", "SKIP")]
    again = repeat(where, failed) if 0 < len(failed) <= REPEATED and all(
        map(is_of_processes, failed)) else {}
    for test in tests:
        alone = again.get(test["name"])
        if alone and alone["result"] == "OK":
            first = Tally()
            count_test(first, where, test)
            tally.names["unsteady"] += first.names["failed"]
            test = alone
        count_test(tally, where, test)
    if not tests:
        tally.add("failed", f"{where}: no test ran")


def count_absent(tally, where):
    """tests/meson.build writes a line for each suite that is left out."""
    path = os.path.join(where, "tests", "absent.txt")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            tally.add_absent(dict(line.rstrip("\n").split(": ", 1)
                                  for line in file if line.strip()))


def check(tally, where, options, environment, at_once):
    print(f"== {where}: {' '.join(options)}", flush=True)
    log = os.path.join(where, "meson-logs", "testlog.json")
    if os.path.exists(log):
        os.remove(log)
    again = ["--reconfigure"] if os.path.exists(f"{where}/build.ninja") else []
    if run("meson", "setup", *again, where, *options, **environment) != 0:
        tally.add("failed", f"{where}: cannot be configured")
        return
    count_absent(tally, where)
    if run("ninja", "-C", where) != 0:
        tally.add("failed", f"{where}: does not build")
        return
    failed_before = tally.count("failed")
    status = run("meson", "test", "-C", where, "--no-rebuild",
                 "--print-errorlogs", "--timeout-multiplier",
                 str(math.ceil(load())), "--num-processes",
                 str(at_once * len(os.sched_getaffinity(0))))
    unsteady_before = tally.count("unsteady")
    if os.path.exists(log):
        count_log(tally, where)
    if status != 0 and tally.count("failed") == failed_before \
            and tally.count("unsteady") == unsteady_before:
        tally.add("failed", f"{where}: meson test, status {status}")


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    # Memory of threads that have ended is given back, so that tests/unit/leaks.c
    # finds none.
    os.environ.setdefault("GLIBC_TUNABLES", "glibc.pthread.stack_cache_size=0")
    for folder in find_traces()[:1]:
        os.environ.setdefault("TORI_TRACES", folder)
    tally = Tally()
    wanted = sys.argv[1:] or USUAL
    for where, *how in BUILDS:
        if where in wanted:
            check(tally, where, *how)
    return tally.report()


if __name__ == "__main__":
    sys.exit(main())
