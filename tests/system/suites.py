#!/usr/bin/env python3
"""Usage: suites.py BUILD-DIRECTORY [--write LOG...]

That tests/README.md has a row for each suite of `make check-all`, and the table of
dependencies one for each package that the Makefile installs. In TAP. --write takes
the seconds from logs of check.py (build/meson-logs/testlog.json) and the words of a
new row from the first sentence of the suite's own file.
"""
import json
import os
import re
import subprocess
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PAGE = os.path.join(SOURCE, "tests/README.md")
ROW = re.compile(r"^\| `([^`]+)` \| ([\d.]+) \| (.*) \|$", re.M)
TABLES = (("In `make check`", lambda suites: "more" not in suites),
          ("In `make check-all`, besides", lambda suites: "more" in suites))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def introspected(build):
    return json.loads(subprocess.run(
        ["meson", "introspect", "--tests", build], check=True,
        stdout=subprocess.PIPE).stdout)


def source_of(test):
    """The file that says what a suite is for."""
    name = test["name"]
    guesses = [f"tests/unit/test_{name}.c", f"tests/cli/{name[4:]}.t",
               f"examples/{name.removeprefix('example ')}.c"]
    guesses += [word for word in test["cmd"][1:3]
                if word.endswith((".py", ".mjs", ".t"))]
    paths = (os.path.join(SOURCE, guess) for guess in guesses)
    return next(filter(os.path.isfile, paths), None)


def first_sentence(test):
    path = source_of(test)
    if path is None:
        return ""
    words = re.sub(r"^#!.*\n|^Usage:.*(?:\n .*)*\n|^ ?/?\*+ ?|^//|^# ?|\"\"\"", "",
                   read(path), flags=re.M)
    words = re.sub(r"^Usage:.*(?:\n .*)*\n", "", words, flags=re.M)
    return " ".join(re.split(r"(?<=[.])\s", words.strip(), maxsplit=1)[0]
                    .split())[:200]


def table(title, tests, seconds, words):
    rows = [f"\n## {title}\n\n| suite | seconds | what it is for |\n|---|---|---|"]
    for test in sorted(tests, key=lambda test: test["name"]):
        name = test["name"]
        rows.append(f"| `{name}` | {seconds.get(name, 0.1):.1f} | "
                    f"{words.get(name) or first_sentence(test)} |")
    return "\n".join(rows) + "\n"


def write(tests, logs):
    page = read(PAGE)
    old = ROW.findall(page)
    words = {name: what for name, _, what in old}
    seconds = {name: float(taken) for name, taken, _ in old}
    for log in logs:
        for row in map(json.loads, read(log).splitlines()):
            seconds[row["name"]] = max(row["duration"], 0.1)
    tables = "".join(
        table(title, [t for t in tests if chosen(
            {suite.split(":")[-1] for suite in t["suite"]})], seconds, words)
        for title, chosen in TABLES)
    before = page.split("\n## In `make check`")[0].rstrip() + "\n"
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + tables)


def dependencies():
    """The packages that the Makefile installs, and those of the table."""
    text = read(os.path.join(SOURCE, "Makefile")).replace("\\\n", " ")
    lists = re.findall(r"^\w+_NEEDS = (.*)$|^ESBUILD = (.*)$"
                       r"|scripts/need (.*)$", text, re.M)
    words = " ".join(map(" ".join, lists))
    words = re.sub(r"\$\(shell .*?echo ([^)]*)\)", r"\1", words)
    words = re.sub(r"\$\(if .*?\)\)|\$\(\w+\)", "", words)
    page = read(os.path.join(SOURCE, "doc/architecture.md"))
    table = page.split("## Dependencies")[1].split("\n## ")[0]
    named = " ".join(re.findall(r"^\| ([^|]*) \|", table, re.M))
    return set(words.split()), set(re.split(r"[\s,;:]+", named))


def show(number, what, missing):
    print(f"{'not ' if missing else ''}ok {number} - {what}")
    for name in missing:
        print(f"# missing: {name}")
    return bool(missing)


def main():
    tests = introspected(sys.argv[1])
    if "--write" in sys.argv:
        write(tests, sys.argv[sys.argv.index("--write") + 1:])
        return 0
    rows = {name for name, _, what in ROW.findall(read(PAGE)) if what}
    installed, named = dependencies()
    print("1..2")
    return show(1, "tests/README.md has a row for each suite",
                sorted({test["name"] for test in tests} - rows)) \
        | show(2, "the table of dependencies has each package of the Makefile",
               sorted(installed - named))


if __name__ == "__main__":
    sys.exit(main())
