#!/usr/bin/env python3
"""Usage: embed.py SOURCE-DIRECTORY BUILD-DIRECTORY

libtori as others build it: as a subproject of a small program, without the
command, where there is no jansson. Only the library is compiled, and nothing
is optimized. In TAP.
"""
import os
import shutil
import subprocess
import sys

PLAIN = ["-Doptimization=0", "-Ddebug=false"]
PROJECT = """project('small', 'c')
executable('small', 'small.c',
  dependencies: dependency('tori', fallback: 'tori',
    default_options: ['command=false', 'default_library=static']))
"""


def must(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def fresh(path):
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def only(package, folder):
    """A folder for pkg-config in which there is this package alone."""
    where = must("pkg-config", "--variable=pcfiledir", package).strip()
    shutil.copy(f"{where}/{package}.pc", fresh(folder))
    return folder


def built(source, build):
    """as a subproject of a small program; the command alone needs jansson"""
    where = fresh(f"{build}/embed-small")
    os.mkdir(f"{where}/subprojects")
    os.symlink(source, f"{where}/subprojects/tori")
    shutil.copy(f"{source}/examples/embed.c", f"{where}/small.c")
    with open(f"{where}/meson.build", "w", encoding="utf-8") as file:
        file.write(PROJECT)
    must("meson", "setup", *PLAIN, "--wrap-mode=forcefallback",
         f"{where}/build", where,
         PKG_CONFIG_LIBDIR=only("zlib", f"{build}/embed-pkgconfig"))
    must("ninja", "-C", f"{where}/build")
    if os.path.exists(f"{where}/build/subprojects/tori/tori"):
        raise RuntimeError("the command is built")


def program(source, build):
    """the small program runs"""
    with open(f"{source}/examples/embed.txt", encoding="utf-8") as file:
        if must(f"{build}/embed-small/build/small") != file.read():
            raise RuntimeError("the program prints something else")


def main():
    source, build = (os.path.abspath(path) for path in sys.argv[1:3])
    cases = (built, program)
    failed = 0
    print(f"1..{len(cases)}", flush=True)
    for number, case in enumerate(cases, 1):
        try:
            case(source, build)
            print(f"ok {number} - {case.__doc__}", flush=True)
        except RuntimeError as error:
            failed += 1
            print(f"not ok {number} - {case.__doc__}")
            print("# " + str(error).replace("\n", "\n# "), flush=True)
    return failed > 0


sys.exit(main())
