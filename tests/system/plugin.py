#!/usr/bin/env python3
"""Usage: plugin.py BUILD PLUGIN INCLUDE

Every command that takes the name of an allocator takes a file (tori/plugin.h):
PLUGIN is examples/plugin.c. Its choices are recomputed, snapshots know it by
its name, and files that are no allocators are refused. Reported in TAP.
"""
import json
import os
import subprocess
import sys
import tempfile
import traceback

BUILD = os.path.abspath(sys.argv[1])
PLUGIN = os.path.abspath(sys.argv[2])
INCLUDE = os.path.abspath(sys.argv[3])
SIM = ("--machine", "torus:8x8", "--jobs", "60", "--load", "0.9", "--model",
       "lublin", "--shapes", "count")


# A file that is loaded stays loaded, so that a sanitizer would look for leaks,
# four seconds a command (tests/unit/leaks.c).
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}


def run(*words, status=0, cwd=None):
    done = subprocess.run([f"{BUILD}/tori", *words], capture_output=True,
                          text=True, check=False, cwd=cwd, env=ENVIRONMENT)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout if status == 0 else done.stderr


def ask(*words):
    return json.loads(run(*words, "--json"))


def test_place(_room):
    """place: the last nodes; also by a path without a slash"""
    answer = ask("place", "--machine", "mesh:4x4", "--count", "3", "--alloc",
                 PLUGIN)
    assert answer["nodes"] == [[3, 1], [3, 2], [3, 3]], answer
    assert answer["config"]["alloc"] == PLUGIN
    folder, name = os.path.split(PLUGIN)
    assert "3,1/1x3" in run("place", "--machine", "mesh:4x4", "--count", "3",
                        "--alloc", name, cwd=folder)
    assert "takes no shape" in run("place", "--machine", "mesh:4x4", "--shape",
                                   "2x2", "--alloc", PLUGIN, status=2)


def test_sim(room):
    """sim: every job has the last nodes that are free"""
    log = f"{room}/log"
    result = ask("sim", *SIM, "--alloc", PLUGIN, "--log", log)
    assert result["jobs"] == 60 and result["rejected"] == 0
    with open(log, encoding="utf-8") as file:
        first = json.loads(file.readline())
    assert first["nodes"] == list(range(64 - first["count"], 64))
    assert "last-nodes" in run("sim", *SIM, "--alloc", PLUGIN)


def test_pair(_room):
    """sim: a pair of one of tori's and a file"""
    pair = ask("sim", *SIM[:-2], "--count-fraction", "0.5", "--alloc",
               f"first-fit+{PLUGIN}")
    assert pair["jobs"] == 60
    assert pair["config"]["alloc"].endswith(".so")
    assert "takes no shape" in run("sim", *SIM[:-2], "--alloc",
                                   f"{PLUGIN}+mm", status=2)


def test_grids(room):
    """compare, sweep and decide: beside tori's own"""
    if not os.path.exists(f"{BUILD}/python/tori"):
        return  # they are in the package, which a build may be without
    said = run("compare", *SIM, "--seeds", "2", "--alloc",
               f"row-ff,{PLUGIN}", "-j", "2")
    assert "row-ff" in said and PLUGIN in said, said
    run("sweep", *SIM, "--seeds", "2", "--alloc", f"row-ff,{PLUGIN}", "--out",
        f"{room}/sweep", "-j", "2")
    with open(f"{room}/sweep/cells.jsonl", encoding="utf-8") as file:
        assert sum(PLUGIN in line for line in file) == 2
    answer = ask("decide", "--machine", "torus:8x8", "--jobs", "40",
                 "--allocs", f"mm,{PLUGIN}")
    rows = answer["situation"]
    assert rows["mm"]["mm"] <= rows["mm"]["last-nodes"], rows


def test_snapshot(room):
    """a snapshot has its name, and is refused without the file"""
    path = f"{room}/snapshot"
    whole = ask("sim", *SIM, "--alloc", PLUGIN)
    run("sim", *SIM, "--alloc", PLUGIN, "--snapshot", f"20000:{path}")
    with open(path, encoding="utf-8") as file:
        assert json.load(file)["alloc"]["count"] == "last-nodes"
    refused = run("sim", "--from", path, status=2)
    assert "alloc.count: unknown allocator 'last-nodes'" in refused, refused
    rest = ask("sim", "--from", path, "--model", "lublin", "--jobs", "60",
               "--load", "0.9", "--shapes", "count", "--alloc", PLUGIN)
    assert 0 < rest["jobs"] <= whole["jobs"]
    run("what-if", path, status=2)
    assert "job" in run("what-if", path, "--alloc", PLUGIN)
    with open(path, encoding="utf-8") as file:
        queue = json.load(file)["queue"]
    assert len(queue) > 0
    for words in (("why", path), ("forecast", path), ("map", path),
                  ("defrag", path, "--for", str(queue[0]["id"]))):
        assert "unknown allocator 'last-nodes'" in run(*words, status=2), words
        assert "is no file" in run(*words, "--alloc", "mm", status=2), words
        assert "cannot open" in run(*words, "--alloc", "./no.so", status=2)
    rows = {row["id"]: row for row in
            ask("forecast", path, "--alloc", PLUGIN)["jobs"]}
    assert rows.keys() == {job["id"] for job in queue}, rows
    assert {job["id"] for job in ask("why", path, "--alloc", PLUGIN)["jobs"]
            } == rows.keys()
    assert "nodes are free" in run("map", path, "--alloc", PLUGIN)
    answer = ask("defrag", path, "--shape", "1x1", "--alloc", PLUGIN)
    assert answer["possible"] is True, answer
    assert "torid has only" in run("forecast", "--alloc", PLUGIN, status=2)
    other = ask("what-if", path, "--alloc", "mm", "--plugin", PLUGIN)
    assert {job["id"]: job["without"]["start"] for job in other["jobs"]} == {
        job: row["start"] for job, row in rows.items()}, other
    as_told = ask("what-if", path, "--alloc", PLUGIN)
    assert {job["id"]: job["start"] for job in as_told["jobs"]} == {
        job: row["start"] for job, row in rows.items()}, as_told


def compile_module(room, name, text):
    source, path = f"{room}/{name}.c", f"{room}/{name}.so"
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["cc", "-shared", "-fPIC", "-I", INCLUDE, source, "-o",
                    path], check=True)
    return path


OPS = """
#include <tori/plugin.h>
static int place (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *to,
                  tori_error *err) { %s }
const tori_alloc_ops tori_plugin_alloc = {.size = %s,
    .info = {"%s", "none", TORI_BY_COUNT, 0}, .place = place};
"""


def test_refused(room):
    """files that are no allocators are refused, each with its reason"""
    def expect(path, text):
        said = run("place", "--machine", "mesh:4x4", "--count", "3",
                   "--alloc", path, status=2)
        assert said.startswith("tori: ") and text in said, said
    size = "sizeof tori_plugin_alloc"
    expect("./nowhere.so", "nowhere.so: cannot open shared object file")
    expect(compile_module(room, "empty", "int nothing;"),
           "has no tori_plugin_alloc: see tori/plugin.h")
    expect(compile_module(room, "known", OPS % ("return 0;", size, "mm")),
           "has the name of one of tori's: mm")
    expect(compile_module(room, "sizeless", OPS % ("return 0;", "0", "mine")),
           "the size of a tori_alloc_ops is not set")
    expect(compile_module(
        room, "old", OPS % ("return 0;", size, "mine")
        + 'const char *tori_version (void) { return "0.0.1"; }'),
        "is linked with tori 0.0.1, and this is ")
    expect(compile_module(room, "wrong", OPS % (
        "*to = (tori_placement){.count = 2}; return 1;", size, "mine")),
        "mine")


def test_names(_room):
    """a name that is not a file is looked up as before"""
    said = run("sim", *SIM, "--alloc", "first-fot", status=2)
    assert "did you mean 'first-fit'?" in said, said


def main():
    tests = [value for name, value in sorted(globals().items())
             if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = False
    for i, test in enumerate(tests):
        with tempfile.TemporaryDirectory() as room:
            try:
                test(room)
                print(f"ok {i + 1} - {test.__doc__}")
            except AssertionError:
                said = traceback.format_exc().replace("\n", "\n# ")
                print(f"not ok {i + 1} - {test.__doc__}\n# {said}")
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
