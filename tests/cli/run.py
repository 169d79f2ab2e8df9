#!/usr/bin/env python3
"""Usage: run.py [--accept] [--manual SOURCE] [--experiments SOURCE] DIRECTORY [FILE...]

Golden tests of the command line, reported in TAP: a test a command. DIRECTORY
is the one that the commands are in. A FILE is a *.t file, or a page of the
manual (*.md), of which the ```console blocks count that run `tori`. Both look as a terminal does:

    What is not indented like this in a .t file is a comment.

      $ printf '0,0/2x2 torus\\n' > parts
      $ tori wire --machine mesh:4x4 --partitions parts
      parts:1: 0,0/2x2 can never be wired: a mesh dimension cannot be wired ...
      [4]

`$` starts a command for the shell and `>` continues it; what it writes to
standard output and standard error follows, then its exit status in brackets
unless that is 0. A line `...` stands for any number of lines, and `...` within
a line for anything in it. A page has JSON answers as they are; in a .t file they
are shown without what all of them begin with (version, command, config, commit
and log), unless the expected line has it. In a .t file commands are indented by
two spaces. The commands of a file run one after another in one fresh directory;
`bare` drops that beginning in a pipe.

--manual SOURCE adds SOURCE/README.md and the pages below SOURCE/doc, but for those
below SOURCE/doc/experiments, which --experiments SOURCE adds.

--accept writes what came out into the files in place of what was expected.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TIMEOUT = 120


class Case:
    """A command with the lines that are expected of it: lines[start:end] of
    its file, each behind `indent`."""

    def __init__(self, number, indent):
        self.number = number
        self.indent = indent
        self.command = []
        self.expected = []
        self.start = self.end = 0

    def name(self):
        return self.command[0].replace("#", "")


def read_cases(lines, inside):
    """The cases of a file; `inside` says of each line how far it is indented
    if it belongs to a terminal session, else None."""
    cases, case = [], None
    for i, line in enumerate(lines):
        indent = inside[i]
        if indent is None:
            case = None
            continue
        text = line[indent:]
        if text.startswith("$ "):
            case = Case(i + 1, indent)
            case.command.append(text[2:])
            case.start = case.end = i + 1
            cases.append(case)
        elif case and text.startswith("> ") and case.end == case.start:
            case.command.append(text[2:])
            case.start = case.end = i + 1
        elif case:
            case.expected.append(text)
            case.end = i + 1
    return cases


def inside_script(lines):
    """What is indented, and a blank line of output: one that is followed by
    more of it."""
    inside = [None] * len(lines)
    output_follows = False
    for i in reversed(range(len(lines))):
        if lines[i].startswith("  "):
            inside[i] = 2
            output_follows = not lines[i].startswith("  $ ")
        elif not lines[i] and output_follows:
            inside[i] = 2
        else:
            output_follows = False
    return inside


# A command that is ours, also within a loop.
OURS = re.compile(r"(\$|>) +(.*\$\()?tori ")


def inside_manual(lines):
    """Blocks fenced by ```console that run our command."""
    inside = [None] * len(lines)
    start = None
    for i, line in enumerate(lines):
        if start is None and line.rstrip() == "```console":
            start = i + 1
        elif start is not None and line.rstrip() == "```":
            if any(OURS.match(text) for text in lines[start:i]):
                inside[start:i] = [0] * (i - start)
            start = None
    return inside


def matches(expected, actual):
    """Whether the lines agree, `...` standing for anything."""
    pattern = []
    for line in expected:
        if line == "...":
            pattern.append(r"(?:[^\n]*\n)*?")
        else:
            parts = (re.escape(part) for part in line.split("..."))
            pattern.append(r"[^\n]*".join(parts) + r"\n")
    return re.fullmatch("".join(pattern),
                        "".join(line + "\n" for line in actual)) is not None


BEGINNING = re.compile(
    r'^\{"tori":"[^"]*","command":"[^"]*","config":\{[^{}]*\},'
    r'(?:"commit":"[^"]*",)?(?:"log_sha256":"[^"]*",|"logs":\{[^{}]*\},)?')
BARE = """bare () { sed 's/^{"tori":"[^"]*","command":"[^"]*",\
"config":{[^{}]*},\\("commit":"[^"]*",\\)\\?\
\\("log_sha256":"[^"]*",\\)\\?/{/'; }
""".replace("\\\n", "")


def without_beginnings(case, lines):
    """JSON answers less what all of them begin with, unless it is expected."""
    if any(line.startswith('{"tori"') for line in case.expected):
        return lines
    return [BEGINNING.sub("{", line) for line in lines]


def run_case(case, directory, environment, whole):
    """The lines that the command wrote, and its status."""
    try:
        done = subprocess.run(
            ["sh", "-c", BARE + "\n".join(case.command)], cwd=directory,
            env=environment, stdin=subprocess.DEVNULL, timeout=TIMEOUT,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except subprocess.TimeoutExpired:
        return [f"ran for more than {TIMEOUT} s"]
    text = done.stdout.decode(errors="backslashreplace")
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += "%no newline"
        lines.append("")
    lines.pop()
    if done.returncode:
        lines.append(f"[{done.returncode}]")
    return lines if whole else without_beginnings(case, lines)


def environment_for(commands, home):
    """Nothing of the user's but what is meant for the tests."""
    kept = {name: os.environ[name]
            for name in ("TORI_TRACES", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                         "GLIBC_TUNABLES")
            if name in os.environ}
    return {**kept, "HOME": home, "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "NO_COLOR": "1", "TERM": "dumb",
            "PATH": commands + os.pathsep + os.environ["PATH"]}


class Runner:
    def __init__(self, commands, accept):
        self.commands = os.path.abspath(commands)
        self.accept = accept
        self.tests = 0
        self.failures = 0

    def report(self, path, case, actual):
        self.tests += 1
        good = matches(case.expected, actual)
        label = f"{os.path.basename(path)}:{case.number}: {case.name()}"
        print(f"{'ok' if good else 'not ok'} {self.tests} - {label}",
              flush=True)
        if not good:
            self.failures += 1
            for mark, lines in (("-", case.expected), ("+", actual)):
                for line in lines:
                    print(f"# {mark} {line}")
        return good

    def run_file(self, path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        manual = path.endswith(".md")
        inside = inside_manual(lines) if manual else inside_script(lines)
        directory = tempfile.mkdtemp(prefix="tori-test-")
        environment = environment_for(self.commands, directory)
        edits = []
        try:
            for case in read_cases(lines, inside):
                actual = run_case(case, directory, environment, manual)
                if not self.report(path, case, actual):
                    edits.append((case, actual))
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        if self.accept and edits:
            rewrite(path, lines, edits)


def rewrite(path, lines, edits):
    for case, actual in reversed(edits):
        lines[case.start:case.end] = [
            " " * case.indent + line if line else "" for line in actual]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def runs_elsewhere(path):
    """A page that needs more than commands names the test that runs it."""
    with open(path, encoding="utf-8") as file:
        return file.readline().startswith("<!-- tests/")


def manual_pages(source):
    if not source:
        return []
    return sorted(glob.glob(os.path.join(source, "README.md"))
                  + glob.glob(os.path.join(source, "doc", "*.md"))
                  + glob.glob(os.path.join(source, "doc", "*", "*.md")))


def pages_of(options):
    """Pages of the manual, and those of experiments, if they are asked for."""
    experiments = os.path.join("doc", "experiments")
    return [page for source, wanted in ((options.manual, False),
                                        (options.experiments, True))
            for page in manual_pages(source)
            if os.path.dirname(page).endswith(experiments) == wanted
            and not runs_elsewhere(page)]


def main():
    parser = argparse.ArgumentParser(
        description="Golden tests of the command line, in TAP.")
    parser.add_argument("--accept", action="store_true",
                        help="take what came out as what is expected")
    parser.add_argument("--manual", metavar="SOURCE",
                        help="also README.md and doc/*.md in there")
    parser.add_argument("--experiments", metavar="SOURCE",
                        help="also doc/experiments/*.md in there")
    parser.add_argument("directory", help="where the commands are")
    parser.add_argument("file", nargs="*", help="*.t and *.md")
    options = parser.parse_args()
    runner = Runner(options.directory, options.accept)
    for path in options.file + pages_of(options):
        runner.run_file(path)
    print(f"1..{runner.tests}" + ("" if runner.tests else " # SKIP no cases"))
    return 0 if options.accept or not runner.failures else 1


sys.exit(main())
