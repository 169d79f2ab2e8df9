#!/usr/bin/env python3
"""Usage: abi.py SOURCE-DIRECTORY BUILD-DIRECTORY [--write]

The binary interface of the library is compatible with that of the last release:
a program that was linked with that one runs with this one. abidiff compares the
public headers with tests/abi/libtori.abi, which --write writes, at a release.
In TAP.

A library of the headers alone, whose functions do nothing, has the types and
the names of the real one, and is compiled in a second.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = sys.argv[1]
DUMP = os.path.join(SOURCE, "tests/abi/libtori.abi")
# Structures grow at their end; those that may begin with their size.
GROWTH = """[suppress_type]
type_kind = struct
has_data_member_inserted_at = end
"""


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def stubs(folder, change=None):
    """The text of all headers, and functions for what they declare."""
    headers = sorted(glob.glob(f"{SOURCE}/include/tori/*.h"))
    include = os.path.join(folder, "include/tori")
    os.makedirs(include, exist_ok=True)
    lines = []
    for path in headers:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if change:
            text = change(os.path.basename(path), text)
        with open(os.path.join(include, os.path.basename(path)), "w",
                  encoding="utf-8") as file:
            file.write(text)
        lines.append(f"#include <tori/{os.path.basename(path)}>")
    for path in headers:
        with open(os.path.join(include, os.path.basename(path)),
                  encoding="utf-8") as file:
            text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "",
                          without_comments(file.read()), flags=re.M)
        text = re.sub(r"__attribute__ \(\(.*?\)\)\)?", "", text, flags=re.S)
        for found in re.finditer(
                r"^((?!static|typedef)[\w \t*]+?[ *]tori_\w+\s\([^;{}]*\))"
                r"[\w\s(),]*;", text, re.M):
            lines.append(found[1] + "\n{\n    __builtin_trap ();\n}")
    return "\n".join(lines) + "\n"


def library(folder, change=None):
    """A library with the interface of the headers."""
    text = os.path.join(folder, "stubs.c")
    made = os.path.join(folder, "libtori.so.0")
    with open(text, "w", encoding="utf-8") as file:
        file.write(stubs(folder, change))
    subprocess.run(
        ["gcc", "-g", "-O0", "-shared", "-fPIC", "-w", "-std=gnu17",
         "-fno-eliminate-unused-debug-types", "-Iinclude", "-o", made,
         "stubs.c", "-Wl,-soname,libtori.so.0",
         f"-Wl,--version-script={os.path.abspath(SOURCE)}/include/tori.map"],
        check=True, cwd=folder)
    return made


def compare(made, folder):
    """What is not compatible with the dump, as abidiff says it."""
    growth = os.path.join(folder, "growth")
    with open(growth, "w", encoding="ascii") as file:
        file.write(GROWTH)
    done = subprocess.run(
        ["abidiff", "--no-added-syms", "--no-show-locs", "--no-architecture",
         "--suppressions", growth, DUMP, made], check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def same(folder):
    """the headers are compatible with the last release"""
    code, text = compare(library(folder), folder)
    if code:
        raise AssertionError(text)


def appended(folder):
    """a member at the end of a sized structure is compatible"""
    seen = []

    def change(name, text):
        if name == "sim.h":
            new = re.sub(r"(typedef struct tori_sim_config \{.*?)(\n\} )",
                         r"\1\n    int64_t added_for_a_test;\2", text,
                         count=1, flags=re.S)
            seen.append(new != text)
            return new
        return text
    code, text = compare(library(folder, change), folder)
    if seen != [True] or code:
        raise AssertionError(f"{seen} {text}")


def inserted(folder):
    """a member before others is not, nor a name that is gone"""
    for name, form, by in (
            ("sim.h", r"(typedef struct tori_sim_config \{\n)",
             r"\1    char *added_for_a_test;\n"),
            ("version.h", r"tori_version \(", "tori_edition (")):
        seen = []

        def change(at, text, name=name, form=form, by=by, seen=seen):
            new = re.sub(form, by, text, count=1) if at == name else text
            seen.append(new != text)
            return new
        code, text = compare(library(folder, change), folder)
        if not any(seen) or not code:
            raise AssertionError(f"{name}: {seen} {text}")


def main():
    if "--write" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            made = library(folder)
            subprocess.run(["abidw", "--no-corpus-path", "--no-show-locs",
                            "--no-comp-dir-path", "--out-file",
                            os.path.abspath(DUMP), made], check=True)
        return 0
    tests = [same, appended, inserted]
    print(f"1..{len(tests)}")
    bad = 0
    for number, test in enumerate(tests, 1):
        word, note = "ok", ""
        if not shutil.which("abidiff"):
            note = " # SKIP no abidiff (package abigail-tools)"
        else:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    test(folder)
                except AssertionError as why:
                    word, bad = "not ok", bad + 1
                    print("\n".join("# " + line
                                    for line in str(why).splitlines()))
        print(f"{word} {number} - {test.__doc__}{note}", flush=True)
    return bad > 0


sys.exit(main())
