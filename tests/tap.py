#!/usr/bin/env python3
"""Usage: tap.py PROGRAM [ARGUMENT...]

Run a cmocka test and mend its TAP: cmocka 1.1 reports a skipped test as "not
ok N # SKIP name", which counts as a failure by the TAP specification, and
lines that a test prints itself are not comments. In a build for another
architecture the program is run as meson says.
"""
import os
import re
import shlex
import subprocess
import sys

SKIP = re.compile(r"(?:not )?ok (\d+) # SKIP (.*)")
TAP = re.compile(r"(?:not )?ok\b|#|1\.\.\d+|Bail out!|TAP version|\s|$")


def mend(line):
    skip = SKIP.match(line)
    if skip:
        return f"ok {skip[1]} - {skip[2]} # SKIP"
    return line if TAP.match(line) else "# " + line


def main():
    wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
    with subprocess.Popen([*wrapper, *sys.argv[1:]],
                          stdout=subprocess.PIPE) as test:
        for line in test.stdout:
            print(mend(line.decode(errors="replace").rstrip("\n")),
                  flush=True)
    if test.returncode < 0:
        print(f"Bail out! killed by signal {-test.returncode}")
        return 1
    return test.returncode


sys.exit(main())
