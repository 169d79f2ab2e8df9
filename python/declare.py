#!/usr/bin/env python3
"""Usage: declare.py INCLUDE-DIRECTORY OUTPUT COMPILER...

Write the declarations of libtori as a module of Python: OUTPUT is `_tori.py`,
which cffi reads without a compiler (ABI mode). They come from the headers
themselves, as the C compiler's preprocessor gives them, so nothing is declared
a second time. The sizes of structures are compared with the library's when it
is loaded (tori/_library.py).
"""
import os
import re
import subprocess
import sys

import cffi

START = "#include <tori/tori.h>\n#include <tori/plugin.h>\n"

# cffi does not know numbers of 128 bits: these lie in memory as they do, so
# that structures with them are right. Two of them are passed by value as
# exact_by_value (tori/plans.py), because cffi passes no unions.
WIDE = "__extension__ typedef __int128 tori_wide;"
AS_WIDE = """
typedef union tori_wide { uint64_t half[2]; long double align; } tori_wide;
typedef struct exact_by_value { uint64_t a, b, c, d; } exact_by_value;
"""


def preprocess(compiler, include, text, *options):
    done = subprocess.run(
        [*compiler, "-E", "-I", include, "-D__attribute__(x)=", *options,
         "-x", "c", "-"],
        input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"declare.py: {done.stderr}")
    return done.stdout


def ours(text, include):
    """The lines that come from headers of tori."""
    keep = False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            folder = os.path.dirname(marker[1])
            keep = os.path.abspath(folder) == os.path.join(include, "tori")
        elif keep:
            yield line.replace(WIDE, AS_WIDE)


def constants(lines, compiler, include):
    """Macros that are whole numbers, as cffi takes them."""
    names = [match[1] for line in lines if (match := re.match(
        r"#define (TORI_\w+) (?!\(\(tori_)\S", line))]
    values = preprocess(compiler, include, START + "".join(
        f'"{name}" {name}\n' for name in names), "-P")
    return [f"#define {name} {number(value)}" for name, value in re.findall(
        r'^"(TORI_\w+)" (.*)$', values, re.M)]


def number(text):
    """The value of an expression in C of whole numbers."""
    plain = re.sub(r"(?<=\d)[uUlL]+\b", "", text)
    if not re.fullmatch(r"[\d\s()<+*-]+", plain):
        raise SystemExit(f"declare.py: what is {text}?")
    return eval(plain)  # pylint: disable=eval-used


def main(include, output, *compiler):
    include = os.path.abspath(include)
    lines = list(ours(preprocess(compiler, include, START, "-dD"), include))
    declared = [line for line in lines if not line.startswith("#")]
    ffi = cffi.FFI()
    # What the library allocates for the caller is freed so.
    ffi.cdef("void free (void *);")
    ffi.cdef("\n".join([*declared, *constants(lines, compiler, include)]))
    ffi.set_source("tori._tori", None)
    ffi.emit_python_code(output)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
