#!/usr/bin/env python3
"""Usage: check.py [--all | --fuzz]

`make check`: build, and run the suites that need nothing but what the build needs.
--all (`make check-all`) goes on with the others: clusters, browser, MPI, packages,
papers; then, under the address and undefined-behaviour sanitizers, with those of `make
check` again and those in which memory runs out. --fuzz runs each fuzz target for a
minute.

A suite is a test of tests/meson.build; it prints its cases in TAP, or is a case
itself. A failed case is shown at once, with what its suite printed around it. The end
lists the slowest suites and what was left out with the reason. The last line, "N passed,
N failed, N skipped", counts cases; the status is 0 if none failed and at least one ran.

Tests on real job logs look for them in $TORI_TRACES. If that is not set, it is a
folder `traces` beside this checkout, or one level below what is beside it, if
there is one; without logs these tests are skipped.
"""
import glob
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from patience import load

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")

# Compiling takes longer than running the tests: little is optimized, and a
# finding names lines but no variables.
SANITIZED = ["-Doptimization=1", "-Ddebug=false", "-Dc_args=-g1",
             "-Dpage=false", "-Db_lundef=false", "-Db_sanitize=address,undefined"]

# tests/meson.build gives this suite to what is not in `make check`, and the other to
# those of them in which memory runs out.
MORE, MEMORY = "more", "memory"

# Title, build directory, its options, environment of its set-up, which suites of
# it, how many at once for each processor. Many suites wait more than they work; a
# fuzz target only works.
QUICK = ("make check", "build", ["-Dtests=enabled"], {},
         lambda suites: MORE not in suites, 2)
REST = ("the other suites", "build", ["-Dtests=enabled"], {},
        lambda suites: MORE in suites, 2)
WITH_SANITIZERS = ("under sanitizers", "build-asan",
                   ["-Dtests=enabled"] + SANITIZED, {},
                   lambda suites: MORE not in suites or MEMORY in suites, 2)
FUZZ = ("fuzz targets", "build-fuzz", ["-Dfuzz=true"] + SANITIZED,
        {"CC": "clang"}, lambda suites: True, 1)
PHASES = {(): (QUICK,), ("--all",): (QUICK, REST, WITH_SANITIZERS),
          ("--fuzz",): (FUZZ,)}

PLAN = re.compile(r"^1\.\.(\d+)(?: *# *SKIP *(.*))?", re.M)
CASE = re.compile(r"^(not )?ok\b *\d* *-? *([^#\n]*)(#[^\n]*)?$", re.M)
# A row of the table in tests/README.md: a suite, and its seconds.
ROW = re.compile(r"^\| `([^`]+)` \| ([\d.]+) \|", re.M)
SKIPPED = 77  # the status of a test without TAP that was skipped


class Tally:
    def __init__(self):
        self.names = {"passed": [], "failed": [], "skipped": []}
        self.absent = {}
        self.seconds = []

    def add(self, verdict, name):
        self.names[verdict].append(name)
        if verdict == "failed":
            say(f"failed: {name}")

    def count(self, verdict):
        return len(self.names[verdict])

    def add_absent(self, suites):
        """Suites that a build does not have: name and reason."""
        for name, why in suites.items():
            self.absent.setdefault(name, why)

    def report(self):
        for seconds, name in sorted(self.seconds, reverse=True)[:5]:
            print(f"slow: {seconds:.0f} s, {name}")
        for verdict in ("skipped", "failed"):
            for name in self.names[verdict]:
                print(f"{verdict}: {name}")
        for name, why in self.absent.items():
            print(f"left out: {name} ({why})")
        print(", ".join(f"{len(n)} {v}" for v, n in self.names.items()))
        return 0 if self.names["passed"] and not self.names["failed"] else 1


def say(line, end="\n"):
    clear = "\r\x1b[K" if sys.stdout.isatty() else ""
    print(f"{clear}{line}", end=end, flush=True)


class Progress:
    """How many suites are done, and how long the rest may take: what they took
    where tests/README.md was measured, times how much slower this machine is."""

    def __init__(self, tests, at_once):
        with open(os.path.join(SOURCE, "tests/README.md"),
                  encoding="utf-8") as page:
            measured = {name: float(s) for name, s in ROW.findall(page.read())}
        self.expected = {test["name"]: measured.get(test["name"], 0.5)
                         for test in tests}
        self.all = len(tests)
        self.at_once = at_once
        self.done, self.took, self.meant = 0, 1.0, 1.0
        self.said = time.monotonic()

    def end(self, test, seconds):
        self.done += 1
        self.took += seconds
        self.meant += self.expected.pop(test["name"], 0)
        now = time.monotonic()
        if sys.stdout.isatty() or now > self.said + 30:
            self.said = now
            say(self.line(), end="" if sys.stdout.isatty() else "\n")

    def line(self):
        left = self.expected.values()
        seconds = max(sum(left) / self.at_once, max(left, default=0)) \
            * self.took / self.meant
        return f"{self.done} of {self.all} suites, " + (
            f"about {math.ceil(seconds / 60)} min left" if seconds > 60
            else "less than a minute left")


def run(*command, **environment):
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


def indented(lines):
    return "".join(f"\n    {line[:300]}" for line in lines)


def said(out, cases, i):
    """What a test printed right before and after a case, indented."""
    begin = cases[i - 1].end() if i > 0 else 0
    end = cases[i + 1].start() if i + 1 < len(cases) else len(out)
    return indented(out[begin:cases[i].start()].strip().splitlines()[-8:]
                    + out[cases[i].end():end].strip().splitlines()[:8])


def count_suite(tally, name, result, out):
    """Count one suite: its cases if it printed any, else itself. A suite can
    fail although all its cases pass: by a crash or a leak at its end, or
    because it ran fewer than it announced."""
    failed_before = tally.count("failed")
    cases = list(CASE.finditer(out))
    plan = PLAN.search(out)
    for i, case in enumerate(cases if plan else []):
        verdict, what = case_verdict(case)
        if verdict == "failed":
            what += said(out, cases, i)
        tally.add(verdict, f"{name}: {what}")
    if plan and result == "ended" and cases \
            and int(plan[1]) not in (0, len(cases)):
        result = f"{len(cases)} cases of {plan[1]}"
    if result == "ended":
        if not (plan and cases):
            tally.add("skipped" if plan else "passed", name + (
                f": {plan[2]}" if plan and plan[2] else ""))
    elif result == f"status {SKIPPED}" and not plan:
        tally.add("skipped", name)
    elif tally.count("failed") == failed_before:
        tally.add("failed", f"{name}: {result}"
                  + indented(out.strip().splitlines()[-16:]))


class Suite:
    """A test of meson's list that runs. It writes to a file, so that nothing it
    leaves behind can keep its end from being seen; guard.py leaves nothing."""

    def __init__(self, test, where, limit):
        self.test = test
        self.limit = limit
        self.out = tempfile.TemporaryFile()
        self.begun = time.monotonic()
        self.worked = 0.0
        self.process = subprocess.Popen(
            test["cmd"], cwd=test["workdir"] or where, stdin=subprocess.DEVNULL,
            stdout=self.out, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, **test["env"]})

    def result(self):
        """How it ended, or None while it runs."""
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if pid == 0:
            if time.monotonic() < self.begun + self.limit:
                return None
            return f"does not end within {self.limit} s"
        self.worked = usage.ru_utime + usage.ru_stime
        self.process.returncode = status = os.waitstatus_to_exitcode(status)
        if status < 0:
            return f"killed by {signal.Signals(-status).name}"
        return "ended" if status == 0 else f"status {status}"

    def end(self):
        """End it if it still runs; what it printed."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self.process.wait()
        self.out.seek(0)
        return self.out.read().decode(errors="replace")


def finish(tally, title, suite, result, progress):
    out = suite.end()
    seconds = time.monotonic() - suite.begun
    name = f"{title}: {suite.test['name']}"
    tally.seconds.append((seconds, name))
    count_suite(tally, name, result, out)
    progress.end(suite.test, seconds)
    return {"name": suite.test["name"], "duration": round(seconds, 2),
            "processor": round(suite.worked, 2), "result": result,
            "stdout": out}


def run_suites(tally, title, where, tests, at_once):
    """Run them, the urgent first; what must run alone waits for the others."""
    limit = math.ceil(load())
    waiting = sorted(tests, key=lambda test: -test["priority"])
    progress = Progress(tests, at_once)
    running = []
    say(progress.line())
    log = os.path.join(where, "meson-logs/testlog.json")
    with open(log, "w", encoding="utf-8") as file:
        while waiting or running:
            while waiting and len(running) < at_once and not any(
                    not suite.test["is_parallel"] for suite in running) and (
                    waiting[0]["is_parallel"] or not running):
                test = waiting.pop(0)
                running.append(Suite(test, where, test["timeout"] * limit))
            for suite in running[:]:
                result = suite.result()
                if result:
                    running.remove(suite)
                    row = finish(tally, title, suite, result, progress)
                    file.write(json.dumps(row) + "\n")
                    file.flush()
            time.sleep(0.05)


def listed(where, chosen):
    """The tests of a build that are chosen by their suites."""
    tests = json.loads(subprocess.run(
        ["meson", "introspect", "--tests", where], check=True,
        stdout=subprocess.PIPE).stdout)
    return [test for test in tests
            if chosen({suite.split(":")[-1] for suite in test["suite"]})]


def count_absent(tally, where):
    """tests/meson.build writes a line for each suite that is left out."""
    path = os.path.join(where, "tests", "absent.txt")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            tally.add_absent(dict(line.rstrip("\n").split(": ", 1)
                                  for line in file if line.strip()))


def check(tally, phase, built):
    title, where, options, environment, chosen, at_once = phase
    say(f"== {title}: build in {where}")
    quiet = [] if sys.stdout.isatty() else ["--quiet"]
    if where not in built:
        again = ["--reconfigure"] if os.path.exists(f"{where}/build.ninja") \
            else []
        if run("meson", "setup", *again, where, *options, **environment) != 0:
            tally.add("failed", f"{where}: cannot be configured")
            return
        if "sanitize" not in " ".join(options):
            count_absent(tally, where)
        if run("ninja", "-C", where, *quiet) != 0:
            tally.add("failed", f"{where}: does not build")
            return
        built.add(where)
    tests = listed(where, chosen)
    if not tests:
        tally.add("failed", f"{where}: no test is there")
    run_suites(tally, title, where, tests,
               at_once * len(os.sched_getaffinity(0)))


def main():
    os.chdir(SOURCE)
    phases = PHASES.get(tuple(sys.argv[1:]))
    if phases is None:
        print(__doc__, file=sys.stderr)
        return 2
    # Memory of threads that have ended is given back, so that tests/unit/leaks.c
    # finds none.
    os.environ.setdefault("GLIBC_TUNABLES", "glibc.pthread.stack_cache_size=0")
    # Memory that is given back changes at once.
    os.environ.setdefault("MALLOC_PERTURB_", "165")
    for folder in find_traces()[:1]:
        os.environ.setdefault("TORI_TRACES", folder)
    tally, built = Tally(), set()
    for phase in phases:
        check(tally, phase, built)
    if phases == (QUICK,):
        tally.add_absent({"clusters, browser, MPI, packages, papers, sanitizers":
                          "make check-all"})
    return tally.report()


if __name__ == "__main__":
    sys.exit(main())
