#!/usr/bin/env python3
"""Usage: tags.py SOURCE-DIRECTORY

A tag of a structure or an enumeration that a folder of the library defines
means one thing: no other file of the library defines it. In TAP.
"""
import collections
import glob
import os
import re
import sys

LIBRARY = "base core wiring alloc net plan gang sched workload sim live room"
# Folders whose tags are all their own.
OWN = "base net plan gang"


def tags_of(path):
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return re.findall(r"^(?:static |const |typedef )*(?:struct|enum) (\w+) \{",
                      text, re.M)


def main():
    places = collections.defaultdict(set)
    for folder in LIBRARY.split():
        pattern = os.path.join(sys.argv[1], "src", folder, "**", "*.[ch]")
        for path in glob.glob(pattern, recursive=True):
            for tag in tags_of(path):
                places[tag].add(os.path.relpath(path, sys.argv[1]))
    print(f"1..{len(OWN.split())}")
    for number, folder in enumerate(OWN.split(), 1):
        twice = {tag: sorted(files) for tag, files in places.items()
                 if len(files) > 1
                 and any(file.startswith(f"src/{folder}/") for file in files)}
        print("not ok" if twice else "ok", number, "-", folder)
        for tag, files in sorted(twice.items()):
            print(f"# {tag}: {', '.join(files)}")


main()
