#!/usr/bin/env python3
"""Usage: entry.py BUILD-DIRECTORY [--only NAME...]

What `make check` itself rests on: that it finds what was installed since the
build was set up, that it says what it did not run, that no test is ended
because the machine is busy, and that none leaves a process. In TAP.
"""
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile

from check import Tally, count_absent, run_suites
from service import BUILD, Skip, equal, read, run, wait

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
HEADERS = "/usr/include/slurm"
# A machine without Slurm, as far as this command can see.
WITHOUT = ["unshare", "--mount", "sh", "-c",
           f'mount -t tmpfs none {HEADERS} && exec "$@"', "sh"]
LEAST = 1200  # seconds; a loaded machine takes a multiple


def set_up(before, build, *options):
    """Set a build of tori up; its list of absent suites."""
    done = subprocess.run(
        [*before, "meson", "setup", *options, build, SOURCE], text=True,
        check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    equal(done.returncode, 0)
    return read(os.path.join(build, "tests/absent.txt"))


def found_again():
    """a package that was installed after the set-up is found by the next"""
    if not os.path.isdir(HEADERS):
        raise Skip("no headers of Slurm")
    if subprocess.run([*WITHOUT, "true"], check=False,
                      stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("nothing can be hidden here")
    with tempfile.TemporaryDirectory(prefix="tori-entry-") as files:
        build = os.path.join(files, "build")
        first = set_up(WITHOUT, build, "-Dpage=false", "-Dtests=enabled")
        assert "slurm: slurm/slurm.h is missing" in first, first
        again = set_up([], build, "--reconfigure")
        equal(again, "page: -Dpage=false\n")


def report_of(*texts):
    """What is reported of builds with such lists of absent suites."""
    tally, out = Tally(), io.StringIO()
    with tempfile.TemporaryDirectory(prefix="tori-entry-") as files:
        for number, text in enumerate(texts):
            tests = os.path.join(files, str(number), "tests")
            os.makedirs(tests)
            with open(os.path.join(tests, "absent.txt"), "w",
                      encoding="utf-8") as file:
                file.write(text)
            count_absent(tally, os.path.dirname(tests))
        count_absent(tally, os.path.join(files, "fuzz"))
    with contextlib.redirect_stdout(out):
        tally.report()
    return out.getvalue()


def said():
    """suites that a build cannot have are named at the end, with the reason"""
    end = "0 passed, 0 failed, 0 skipped\n"
    equal(report_of("\n"), end)
    equal(report_of("gang: no mpich\npage: no npm\n"),
          "left out: gang (no mpich)\nleft out: page (no npm)\n" + end)


def run_scripts(limit, **scripts):
    """Run scripts of sh as the suites of a build; the tally, and what was
    printed."""
    tally, out = Tally(), io.StringIO()
    with tempfile.TemporaryDirectory(prefix="tori-entry-") as files, \
            contextlib.redirect_stdout(out):
        os.mkdir(os.path.join(files, "meson-logs"))
        tests = [{"name": name, "cmd": ["/bin/sh", "-c", script], "env": {},
                  "workdir": files, "timeout": limit, "priority": 0,
                  "is_parallel": True} for name, script in scripts.items()]
        run_suites(tally, "t", files, tests, 2)
    return tally.names, out.getvalue()


def failures():
    """a failed case is shown at once with its reason, whatever way it failed"""
    names, out = run_scripts(
        LEAST,
        good="echo 1..2; echo ok 1 - a; echo 'ok 2 - b # SKIP no c'",
        bad="echo 1..1; echo not ok 1 - d; echo '# because'",
        few="echo 1..3; echo ok 1 - e",
        dead="echo 1..1; echo ok 1 - f; kill -9 $$",
        plain="exit 0", wrong="echo why; exit 1", without="exit 77")
    equal(sorted(names["passed"]),
          ["t: dead: f", "t: few: e", "t: good: a", "t: plain"])
    equal(sorted(names["skipped"]), ["t: good: b: no c", "t: without"])
    equal(sorted(name.split("\n")[0] for name in names["failed"]),
          ["t: bad: d", "t: dead: killed by SIGKILL", "t: few: 1 cases of 3",
           "t: wrong: status 1"])
    for line in "failed: t: bad: d\n    1..1\n    # because\n", \
            "failed: t: wrong: status 1\n    why\n":
        assert line in out, out


def left_behind():
    """what a suite leaves behind does not keep its end from being seen"""
    with tempfile.TemporaryDirectory(prefix="tori-entry-") as files:
        started = os.path.join(files, "pid")
        names, _ = run_scripts(
            LEAST, leaves=f"sh -c 'echo $$ > {started}; sleep {LEAST}' & "
            f"until [ -s {started} ]; do sleep 0.01; done; kill -9 $$")
        equal([name.split("\n")[0] for name in names["failed"]],
              ["t: leaves: killed by SIGKILL"])
        pid = int(read(started))
        wait(lambda: not os.path.exists(f"/proc/{pid}"), "its end")


def hangs():
    """a suite that does not end is ended"""
    names, _ = run_scripts(1, hangs=f"sleep {LEAST}")
    equal(len(names["failed"]), 1)
    assert "does not end within" in names["failed"][0], names


def limits():
    """no test has a limit that a busy machine could reach"""
    tests = json.loads(subprocess.run(
        ["meson", "introspect", "--tests", BUILD], check=True,
        stdout=subprocess.PIPE).stdout)
    assert len(tests) > 100, len(tests)
    equal([test["name"] for test in tests if 0 < test["timeout"] < LEAST], [])


GUARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guard.py")
# Who is nobody's child any more, and has neither a session nor a name in common.
LEAVES = """(env -i setsid sh -c 'trap "" HUP TERM; echo $$; exec sleep 1000' &)
touch $TMPDIR/left; echo $$ $PPID $TMPDIR; """


def nothing_left():
    """a test that ends or is killed, at any place, takes all that it started with it"""
    for end in ("exit 3", "kill -KILL $$", "kill -KILL $PPID; wait",
                "exec sleep 1000"):
        with subprocess.Popen([sys.executable, GUARD, "sh", "-c", LEAVES + end],
                              text=True, stdout=subprocess.PIPE) as test:
            *pids, folder = " ".join(sorted(
                (test.stdout.readline() for _ in range(2)), key=len)).split()
            if end == "exec sleep 1000":
                test.send_signal(signal.SIGKILL)
            wait(lambda: not any(os.path.exists(f"/proc/{pid}")
                                 for pid in pids), f"{pids} are left")
            wait(lambda: not os.path.exists(folder), f"{folder} is left")
            equal((end, test.wait()), (end, {"exit 3": 3}.get(
                end, -9 if end == "exec sleep 1000" else 137)))


sys.exit(run([nothing_left, found_again, said, failures, left_behind, hangs,
              limits]))
