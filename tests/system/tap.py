#!/usr/bin/env python3
"""Usage: tap.py PROGRAM [ARGUMENT...]

Run a cmocka test and mend its TAP: cmocka 1.1 reports a skipped test as "not
ok N # SKIP name", which counts as a failure by the TAP specification, and
lines that a test prints itself are not comments. One that a test prints as
"REASON: skipped" says why it was. In a build for another architecture the
program is run as meson says.
"""
import os
import re
import shlex
import subprocess
import sys

SKIP = re.compile(r"(?:not )?ok (\d+) # SKIP (.*)")
TAP = re.compile(r"(?:not )?ok\b|#|1\.\.\d+|Bail out!|TAP version|\s|$")
REASON = re.compile(r"(.*): skipped$")


def mend(line, reason):
    skip = SKIP.match(line)
    if skip:
        return f"ok {skip[1]} - {skip[2]} # SKIP {reason}".rstrip()
    return line if TAP.match(line) else "# " + line


def main():
    wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
    reason = ""
    with subprocess.Popen([*wrapper, *sys.argv[1:]],
                          stdout=subprocess.PIPE) as test:
        for raw in test.stdout:
            line = raw.decode(errors="replace").rstrip("\n")
            print(mend(line, reason), flush=True)
            said = REASON.match(line)
            reason = said[1] if said else ""
    if test.returncode < 0:
        print(f"Bail out! killed by signal {-test.returncode}")
        return 1
    return test.returncode


sys.exit(main())
