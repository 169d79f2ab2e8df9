#!/usr/bin/env python3
"""Usage: bench_compare.py COMPARE

bench/compare.py with scripts in place of both commands, as tests in TAP: it
marks what is slower than before, and that alone.
"""
import os
import subprocess
import sys
import tempfile

FAST = "#!/bin/sh\nexit 0\n"
SLOW = "#!/bin/sh\ni=0; while [ $i -lt 60000 ]; do i=$((i+1)); done\n"
FAILS = "#!/bin/sh\nexit 2\n"
CASES = [("slower than before", FAST, SLOW, 1, " !\n"),
         ("faster than before", SLOW, FAST, 0, "start of the command"),
         ("unknown before", FAILS, FAST, 0, "        -"),
         ("fails now", FAST, FAILS, 1, "failed")]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def compare(program, commit, before, now):
    with tempfile.TemporaryDirectory(prefix="tori-compare-") as folder:
        tori = os.path.join(folder, "tori")
        write(tori, now)
        write(os.path.join(folder, "compare", commit, "build", "tori"), before)
        return subprocess.run(
            [sys.executable, program, tori, commit, "--rounds", "2", "--only",
             "start of"], stdout=subprocess.PIPE, text=True)


def main():
    program = sys.argv[1]
    git = subprocess.run(["git", "-C", os.path.dirname(program), "rev-parse",
                          "HEAD"], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)
    if git.returncode:
        print("1..0 # SKIP this is not a checkout of git")
        return 0
    print(f"1..{len(CASES)}")
    failed = 0
    for number, (name, before, now, status, text) in enumerate(CASES, 1):
        done = compare(program, git.stdout.strip(), before, now)
        good = done.returncode == status and text in done.stdout
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
        if not good:
            print("# " + done.stdout.replace("\n", "\n# "))
        failed += not good
    return failed > 0


sys.exit(main())
