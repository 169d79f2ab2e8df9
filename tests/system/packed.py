#!/usr/bin/env python3
"""Usage: packed.py SOURCE-DIRECTORY BUILD-DIRECTORY

How tori is given away, as tests in TAP: the list of what is linked and bundled
(scripts/spdx.py) names every library of every program, and refers to nothing that it
does not describe; the tarball of a commit (scripts/dist) has its files, and the same
bytes twice; Debian's list of the names of the library has every name that the library
exports, and what `make install` installs is in a package.
"""
import fnmatch
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

SOURCE, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])


class Skip(Exception):
    pass


def output(*command):
    return subprocess.run(command, capture_output=True, text=True,
                          check=True).stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def equal(found, expected):
    if found != expected:
        raise AssertionError(f"{found!r} is not {expected!r}")


def listed_links():
    """every library of every program is in the SPDX list, nothing dangles"""
    script = [sys.executable, f"{SOURCE}/scripts/spdx.py", SOURCE, BUILD]
    text = output(*script)
    document = json.loads(text)
    ids = [row["SPDXID"] for row in document["packages"]]
    equal(len(ids), len(set(ids)))
    used = {row[end] for row in document["relationships"]
            for end in ("spdxElementId", "relatedSpdxElement")}
    equal(used - {"SPDXRef-DOCUMENT"}, set(ids))
    names = {row["SPDXID"]: row["name"] for row in document["packages"]}
    links = {(names[row["spdxElementId"]], names[row["relatedSpdxElement"]])
             for row in document["relationships"]
             if row["relationshipType"] == "DYNAMIC_LINK"}
    for program in ("tori", "torid", "tori-gang", "tori-slurm"):
        if os.path.exists(f"{BUILD}/{program}"):
            equal({name for user, name in links if user == program},
                  set(re.findall(r"NEEDED\s+(\S+)", output(
                      "objdump", "-p", f"{BUILD}/{program}"))))
    equal(output(*script), text)


def steady_tarball():
    """the tarball of a commit has its files and its dashboard, and the same bytes twice"""
    if not os.path.exists(f"{SOURCE}/.git"):
        raise Skip("not a git checkout")
    listed = output("git", "-C", SOURCE, "ls-tree", "-rz", "--name-only",
                    "HEAD").split("\0")[:-1]
    found, bundled = [], [f"web/bundled/{name}.html.gz"
                          for name in ("page", "report")]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            path = output(f"{SOURCE}/scripts/dist", folder).strip()
            with open(path, "rb") as file:
                found.append(file.read())
        with tarfile.open(path) as tar:
            equal(sorted(entry.name.partition("/")[2] for entry in tar
                         if not entry.isdir()), sorted(listed + bundled))
            for name in bundled:
                data = tar.extractfile(f"{path[len(folder) + 1:-7]}/{name}")
                equal(gzip.decompress(data.read())[:15], b"<!doctype html>")
    equal(found[0] == found[1], True)


def symbols_of_debian():
    """Debian's list of names is what the library exports"""
    exported = re.findall(r"^\w+ [A-Z] (\w+)@@(TORI_\w+)$", output(
        "nm", "-D", "--defined-only", f"{BUILD}/include/libtori.so"), re.M)
    listed = re.findall(r"^ (tori_\w+)@(\S+) ",
                        read(f"{SOURCE}/debian/libtori0.symbols"), re.M)
    equal(sorted(set(exported) - set(listed)), [])
    equal(sorted(set(listed) - set(exported)), [])


def everything_packed():
    """what is installed is in a Debian package"""
    patterns = [line.split()[0] for path in glob.glob(
        f"{SOURCE}/debian/*.install") for line in read(path).splitlines()]
    rules = read(f"{SOURCE}/debian/rules")
    plan = json.loads(output("meson", "introspect", "--installed", BUILD))
    options = {row["name"]: row["value"] for row in json.loads(output(
        "meson", "introspect", "--buildoptions", BUILD))}
    complaints = []
    for path in plan.values():
        name = "usr/" + os.path.relpath(path, options["prefix"])
        name = re.sub(r"/python3[.\d]*/(site|dist)-packages",
                      "/python3/dist-packages", name)
        # Where the build puts libraries, Debian has a folder of the architecture.
        names = (name, name.replace(f"usr/{options['libdir']}/", "usr/lib/any/", 1))
        if not any(fnmatch.fnmatch(name, pattern)
                   or fnmatch.fnmatch(name, pattern + "/*")
                   or pattern.startswith(name + "/")
                   for pattern in patterns for name in names) \
                and os.path.dirname(name) not in rules:
            complaints.append(name)
    equal(complaints, [])


def main():
    cases = [listed_links, steady_tarball, symbols_of_debian,
             everything_packed]
    print(f"1..{len(cases)}")
    failed = 0
    for number, case in enumerate(cases, 1):
        try:
            case()
            print(f"ok {number} - {case.__doc__}", flush=True)
        except Skip as why:
            print(f"ok {number} - {case.__doc__} # SKIP {why}", flush=True)
        except (AssertionError, subprocess.CalledProcessError) as error:
            failed += 1
            print(f"not ok {number} - {case.__doc__}\n# {error}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
