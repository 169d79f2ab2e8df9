#!/usr/bin/env python3
"""Usage: circles.py BUILD-DIRECTORY FOLDER...

No two files of a folder of src need each other, directly or by way of others:
a file can be read after those that it calls. From the symbols of the objects
(nm). In TAP.
"""
import glob
import os
import subprocess
import sys


def symbols(path):
    """The names that an object defines, and those that it needs."""
    lines = subprocess.run(["nm", path], text=True, capture_output=True,
                           check=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    return ({row[2] for row in rows if len(row) == 3 and row[1] in "TDRB"},
            {row[1] for row in rows if len(row) == 2 and row[0] == "U"})


def reach(start, needs):
    seen, left = set(), [start]
    while left:
        for other in needs[left.pop()] - seen:
            seen.add(other)
            left.append(other)
    return seen


def circles(build, folder):
    """Of its library, and of what tori-gang is made of beside it."""
    flat = folder.replace("/", "_")
    tables = {os.path.basename(path)[:-2]: symbols(path)
              for path in glob.glob(f"{build}/src/{folder}/*.a.p/*.o")
              + glob.glob(f"{build}/tori-gang.p/src_{flat}_*.o")
              if os.path.exists(path)}
    home = {name: file for file, (defined, _) in tables.items()
            for name in defined}
    needs = {file: {home[name] for name in needed if name in home} - {file}
             for file, (_, needed) in tables.items()}
    return [file for file in sorted(needs) if file in reach(file, needs)]


def main():
    folders = sys.argv[2:]
    print(f"1..{len(folders)}")
    for number, folder in enumerate(folders, 1):
        found = circles(sys.argv[1], folder)
        print("not ok" if found else "ok", number, "-", folder)
        if found:
            print("# in a circle:", ", ".join(found))


main()
