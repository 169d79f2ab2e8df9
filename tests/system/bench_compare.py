#!/usr/bin/env python3
"""Usage: bench_compare.py COMPARE PEERS

bench/compare.py with scripts in place of both commands, as tests in TAP: it
marks what is slower than before, and that alone. A path that is not there is
refused in one line, by bench/peers.py as well.
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
REFUSED = [  # of compare.py (0) or peers.py (1); the command is this Python
    ("a command that is not there", 0, ["/nonexistent/tori"], "no command"),
    ("a commit that is not there", 0, [sys.executable, "none"], "no commit"),
    ("a part to be saved", 0, [sys.executable, "--save", "--only", "place"],
     "every row"),
    ("a row that is not there", 0, [sys.executable, "--only", "!"], "no row"),
    ("peers: a command that is not there", 1, ["/nonexistent/tori"],
     "no command"),
    ("peers: a peer that is not there", 1,
     [sys.executable, "--sst", "/nonexistent/sst"], "/nonexistent/sst"),
    ("peers: no peer", 1, [sys.executable], "no peer"),
]


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


def is_refused(program, arguments, text):
    """Status 2, and the last line of standard error has the text."""
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("PYSS", "RFOLD", "SST", "BOOKSIM", "SIMGRID")}
    done = subprocess.run([sys.executable, program, *arguments],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, env=environment)
    return done.returncode == 2 and text in done.stderr.splitlines()[-1]


def main():
    program = sys.argv[1]
    git = subprocess.run(["git", "-C", os.path.dirname(program), "rev-parse",
                          "HEAD"], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)
    if git.returncode:
        print("1..0 # SKIP this is not a checkout of git")
        return 0
    print(f"1..{len(CASES) + len(REFUSED)}")
    failed = 0
    for number, (name, before, now, status, text) in enumerate(CASES, 1):
        done = compare(program, git.stdout.strip(), before, now)
        good = done.returncode == status and text in done.stdout
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
        if not good:
            print("# " + done.stdout.replace("\n", "\n# "))
        failed += not good
    for number, (name, which, arguments, text) in enumerate(
            REFUSED, len(CASES) + 1):
        good = is_refused(sys.argv[1 + which], arguments, text)
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
        failed += not good
    return failed > 0


sys.exit(main())
