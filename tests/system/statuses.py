#!/usr/bin/env python3
"""Usage: statuses.py BUILD-DIRECTORY [--only NAME...]

Exit statuses have one meaning in all commands and programs: 0 done, 1 a
failure, 2 bad usage or bad input, 3 not now, 4 never on this machine. In TAP.
"""
import os
import re
import subprocess
import sys
import tempfile

from service import BUILD, Skip, equal, run

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PROGRAMS = ["torid", "torid-local", "torid-rehearse", "torid-follow",
            "tori-slurm", "tori-kube"]
# The commands whose status may be that of a job or of another program.
PASS = {"submit", "run", "wait", "gang submit", "gang pipe",
        "gang fg", "gang wait",
        "gang stop", "gang run", "slurm", "slurm sbatch", "slurm salloc",
        "slurm srun"}


def call(program, *words, **how):
    done = subprocess.run([os.path.join(BUILD, program), *words], text=True,
                          check=False, stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE,
                          stdout=how.pop("out", subprocess.PIPE), **how)
    return done.returncode, done.stdout, done.stderr


def commands(path=()):
    """The words of every command, in the order of the help."""
    text = call("tori", "help", *path)[1]
    parts = re.search(r"^Commands:\n(.*?)^\S", text, re.M | re.S)
    if path:
        yield path
    for name in re.findall(r"^  ([a-z][a-z-]*)  ", parts[1] if parts else "",
                           re.M):
        yield from commands((*path, name))


ALL = list(commands())


def table(text):
    """The exit statuses of a help text, {number: meaning}."""
    lines = re.search(r"^Exit status:\n(.*?)(?:^\n|\Z)", text, re.M | re.S)[1]
    rows = re.findall(r"^  (\d)  (.*(?:\n {5}.*)*)", lines, re.M)
    return {int(number): " ".join(said.split()) for number, said in rows}


def tables():
    """the help of every command has the statuses, and they mean the same"""
    assert len(ALL) > 50, ALL
    for words in ALL:
        rows = table(call("tori", "help", *words)[1])
        assert {0, 1, 2} <= set(rows) or " ".join(words) in PASS, (words, rows)
        if " ".join(words) in PASS:
            continue
        assert not re.search("usage|not now|never", rows[1]), (words, rows[1])
        assert rows[2].startswith(("bad usage", "bad input")), (words, rows[2])
        assert "never" in rows.get(4, "never") or "larger than" in rows[4], \
            (words, rows[4])


def usage():
    """a wrong option is 2 and one line, for every command and program"""
    for words in ALL:
        if len(words) > 1 and words[0] == "slurm" and " ".join(words) in PASS:
            continue  # options that it does not know are for Slurm
        code, out, err = call("tori", *words, "--no-such-option")
        equal((words, code, out, err.count("\n")), (words, 2, "", 1))
        assert err.startswith("tori: "), err
    for name in PROGRAMS:
        if os.path.exists(os.path.join(BUILD, name)):
            code, out, err = call(name, "--no-such-option")
            equal((name, code, out, err.count("\n")), (name, 2, "", 1))
            assert err.startswith(name + ": "), err


def absent():
    """without a service, every client says so in one line, and it is 1"""
    words = {"submit": ["--count", "1", "--time", "1m", "true"],
             "run": ["--count", "1", "--time", "1m", "true"],
             "show": ["1"], "wait": ["--patience", "0", "1"],
             "logs": ["--patience", "0", "1"], "change": ["1", "--name", "x"],
             "cancel": ["1"], "hold": ["1"], "release": ["1"],
             "suspend": ["1"], "requeue": ["1"], "drain": ["0,0"],
             "resume": ["0,0"], "reserve": ["--list"], "why": [],
             "forecast": [], "what-if": ["--cancel", "1"], "map": [],
             "defrag": ["--shape", "2x2"], "queue": [], "history": [],
             "top": ["--json"], "nodes": [], "queues": [], "users": []}
    with tempfile.TemporaryDirectory() as folder:
        socket = os.path.join(folder, "none")
        for name, rest in words.items():
            code, out, err = call("tori", name, *rest,
                                  env={**os.environ, "TORI_SOCKET": socket})
            equal((name, code, out, err.count("\n")), (name, 1, "", 1))
            assert err.startswith("tori: "), err


def answers():
    """3 is not now, 4 is never"""
    with tempfile.TemporaryDirectory() as folder:
        busy = os.path.join(folder, "busy")
        with open(busy, "w", encoding="ascii") as out:
            out.write("0,0/4x3\n")
        place = "place", "--machine", "mesh:4x4", "--busy", busy, "--shape"
        equal([call("tori", *place, shape)[0]
               for shape in ("1x4", "2x2", "5x5")], [0, 3, 4])
        equal([call("tori", *place[:-1], "--count", n)[0]
               for n in ("4", "5", "17")], [0, 3, 4])


def full():
    """a full disk is a failure, 1"""
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    for words in (["list"], ["help"], ["--version"],
                  ["place", "--machine", "mesh:4", "--count", "1", "--json"]):
        with open("/dev/full", "w", encoding="ascii") as out:
            equal((words, call("tori", *words, out=out)[0]), (words, 1))


def page():
    """the page about promises has the table of the program"""
    with open(os.path.join(SOURCE, "doc/stability.md"),
              encoding="utf-8") as file:
        rows = re.findall(r"^\| `(\d)` \| ([^|]*) \|", file.read(), re.M)
    equal({int(number): text.strip() for number, text in rows},
          table(call("tori", "help")[1]))


sys.exit(run([tables, usage, absent, answers, full, page]))
