#!/usr/bin/env python3
"""Usage: abi.py SOURCE-DIRECTORY BUILD-DIRECTORY [--write]

The binary interface of the library is compatible with that of the last release:
a program that was linked with that one runs with this one. tests/abi/libtori.h.xz
has the declarations of that release (`xzless` shows them), and --write writes it, at
a release.
abidiff compares what they and the public headers of today come to. In TAP.

A library of declarations alone, whose functions do nothing, has the types and
the names of the real one, and is compiled in a second.
"""
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = sys.argv[1]
INCLUDE = os.path.join(SOURCE, "include")
RELEASED = os.path.join(SOURCE, "tests/abi/libtori.h.xz")
# What it exported.
EXPORTED = "TORI_0 { global: tori_*; local: *; };\n"
# Structures grow at their end; those that may begin with their size.
GROWTH = """[suppress_type]
type_kind = struct
has_data_member_inserted_at = end
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def declarations(name, seen):
    """A public header and those that it includes, without comments, guards and
    C++."""
    if name in seen:
        return ""
    seen.add(name)
    text = re.sub(r"/\*.*?\*/", "", read(os.path.join(INCLUDE, name)), flags=re.S)
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
    guard = r"\s*#ifndef (\w+)\n#define \1\n(.*)#endif\s*"
    text = re.fullmatch(guard, text, re.S)[2]
    text = re.sub(r"#include <(tori/[^>]*)>\n",
                  lambda found: declarations(found[1], seen), text)
    return re.sub(r"[ \t]*\n(\s*\n)*", "\n", text)


def headers():
    """What all public headers declare, as one text."""
    seen = set()
    return "".join(declarations(f"tori/{name}", seen)
                   for name in sorted(os.listdir(os.path.join(INCLUDE, "tori")))
                   if name.endswith(".h")).lstrip()


def released():
    with lzma.open(RELEASED, "rt", encoding="utf-8") as file:
        return file.read()


def stubs(text):
    """A function for each one that a text declares."""
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)
    text = re.sub(r"__attribute__ \(\(.*?\)\)\)?", "", text, flags=re.S)
    return "".join(
        f"{found[1]}\n{{\n    __builtin_trap ();\n}}\n"
        for found in re.finditer(
            r"^((?!static|typedef)[\w \t*]+?[ *]tori_\w+\s\([^;{}]*\))"
            r"[\w\s(),]*;", text, re.M))


def library(folder, name, text, exported):
    """A library with the interface that a text declares."""
    made = os.path.join(folder, name)
    os.mkdir(made)
    write(os.path.join(made, "stubs.c"), text + stubs(text))
    write(os.path.join(made, "map"), exported)
    subprocess.run(
        ["gcc", "-g", "-O0", "-shared", "-fPIC", "-w", "-std=gnu17",
         "-fno-eliminate-unused-debug-types", "-o", "libtori.so.0", "stubs.c",
         "-Wl,-soname,libtori.so.0", "-Wl,--version-script=map"],
        check=True, cwd=made)
    return os.path.join(made, "libtori.so.0")


def compare(text):
    """What a text declares beside the last release, as abidiff says it."""
    with tempfile.TemporaryDirectory() as folder:
        growth = os.path.join(folder, "growth")
        write(growth, GROWTH)
        done = subprocess.run(
            ["abidiff", "--no-added-syms", "--no-show-locs",
             "--suppressions", growth,
             library(folder, "released", released(), EXPORTED),
             library(folder, "now", text, read(f"{INCLUDE}/tori.map"))],
            check=False, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def changed(form, by):
    """The headers with a change."""
    text, times = re.subn(form, by, headers(), count=1, flags=re.S)
    assert times == 1, form
    return text


def same():
    """the headers are compatible with the last release"""
    code, text = compare(headers())
    assert code == 0, text


def appended():
    """a member at the end of a sized structure is compatible"""
    code, text = compare(changed(
        r"(typedef struct tori_sim_config \{.*?)(\n\} )",
        r"\1\n    int64_t added_for_a_test;\2"))
    assert code == 0, text


def inserted():
    """a member before others is not, nor a name that is gone"""
    for form, by in ((r"(typedef struct tori_sim_config \{\n)",
                      r"\1    char *added_for_a_test;\n"),
                     (r"tori_version \(", "tori_edition (")):
        code, text = compare(changed(form, by))
        assert code != 0, f"{form}: {text}"


def main():
    if "--write" in sys.argv:
        with lzma.open(RELEASED, "wt", preset=9, encoding="utf-8") as file:
            file.write(headers())
        return 0
    tests = [same, appended, inserted]
    print(f"1..{len(tests)}")
    bad = 0
    for number, test in enumerate(tests, 1):
        word, note = "ok", ""
        if not shutil.which("abidiff"):
            note = " # SKIP no abidiff (package abigail-tools)"
        else:
            try:
                test()
            except AssertionError as why:
                word, bad = "not ok", bad + 1
                print("\n".join("# " + line for line in str(why).splitlines()))
        print(f"{word} {number} - {test.__doc__}{note}", flush=True)
    return bad > 0


sys.exit(main())
