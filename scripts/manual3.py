#!/usr/bin/env python3
"""Usage: manual3.py DATE DIRECTORY HEADER...

Write the manual of the library from its public headers, which are its only
source: DIRECTORY/tori_alloc.3 from tori/alloc.h and libtori.3 from
tori/tori.h, in mdoc. Every function has a page of its name, which leads to
that of its header.

A header is a comment that says what it is for, then blocks that blank lines
part: comments, declarations, or a comment right above a declaration. Lines of
a comment that are indented by four or more are shown as they are.
"""
import os
import re
import sys

HEAD = re.compile(r"/\* (tori/(\w+)\.h) - (.*?)\*/", re.S)
FUNCTION = re.compile(r"\b(tori_\w+) \(")
SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!\bal\.) +|"
                      r"(?<=[.!?][)\"]) +")
WIDTH = 72


def escape(line):
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line[:1] in (".", "'") else line


def filled(paragraph):
    """One sentence on each line, none of them too long."""
    for sentence in SENTENCE.split(" ".join(paragraph)):
        line = ""
        for word in sentence.split():
            if line and len(escape(line)) + len(escape(word)) >= WIDTH:
                yield escape(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        if line:
            yield escape(line)


def literal(lines):
    yield ".Bd -literal"
    yield from (escape(line) for line in lines)
    yield ".Ed"


def chunks(text):
    """Paragraphs, and lines that are to be shown as they are."""
    lines = [re.sub(r"^ \* ?", "", line) for line in text.split("\n")]
    chunk, kind = [], None
    for line in lines + [""]:
        now = None if not line.strip() else (
            "code" if line.startswith("    ") else "text")
        if now != kind and not (kind == "code" and now is None):
            if chunk:
                yield kind, chunk
            chunk, kind = [], now
        if now or (kind == "code" and line is not None):
            chunk.append(line.rstrip() if now == "code" or kind == "code"
                         else line.strip())
    if chunk:
        yield kind, chunk


def prose(text):
    first = True
    for kind, chunk in chunks(text):
        while chunk and not chunk[-1]:
            chunk.pop()
        if kind == "code":
            yield from literal(chunk)
        elif kind == "text":
            if not first:
                yield ".Pp"
            yield from filled(chunk)
        first = kind == "code"


def blocks(code):
    """Comments and declarations, in their order."""
    at = 0
    for comment in re.finditer(r"^/\*(.*?)\*/\n", code, re.S | re.M):
        yield "code", code[at:comment.start()]
        yield "text", comment[1].strip()
        at = comment.end()
    yield "code", code[at:]


def declarations(code):
    """The rest of code without guards and brackets for C++."""
    code = re.sub(r"^#ifdef __cplusplus.*?^#endif$", "", code,
                  flags=re.S | re.M)
    code = re.sub(r"^#(ifndef|define) TORI_\w+_H$|^#include.*$|^#endif$", "",
                  code, flags=re.M)
    return code.strip("\n")


def described(code):
    """Declarations, each before the comment that stands above it."""
    text = ""
    for kind, block in blocks(code):
        if kind == "text":
            if text:
                yield from shown(prose(text))
            text = block
            continue
        lines = declarations(block).strip("\n")
        joined = text and lines and not block.startswith("\n")
        if text and not joined:
            yield from shown(prose(text))
        if lines:
            first, _, rest = lines.partition("\n\n") if joined else (
                lines, "", "")
            yield from literal(first.split("\n"))
            if joined:
                yield ".Bl -item -offset indent"
                yield ".It"
                yield from prose(text)
                yield ".El"
            if rest:
                yield from literal(rest.strip("\n").split("\n"))
        text = ""


def shown(lines):
    yield ".Pp"
    yield from lines


def page(date, header, name, about, code):
    summary, _, rest = about.partition("\n *\n")
    summary = " ".join(re.sub(r"^ \* ?", "", summary, flags=re.M).split())
    summary, rest = SENTENCE.split(summary)[0].rstrip(".?"), rest or summary
    yield f".Dd {date}"
    yield f".Dt {name.upper()} 3"
    yield ".Os"
    yield ".Sh NAME"
    yield f".Nm {name}"
    yield f".Nd {escape(summary)}"
    yield ".Sh SYNOPSIS"
    yield f".In {header}"
    yield ".Sh DESCRIPTION"
    yield from prose(rest)
    yield from described(code)


def tidy(lines):
    """A paragraph breaks once, and not before what breaks anyway."""
    out = []
    for line in lines:
        if out and out[-1] == ".Pp" and (line == ".Pp"
                                         or line.startswith(".B")):
            out.pop()
        if out and out[-1] in (".Ed", ".El") and not line.startswith("."):
            out.append(".Pp")
        out.append(line)
    return "\n".join(out) + "\n"


def write(directory, name, text):
    with open(os.path.join(directory, name + ".3"), "w",
              encoding="utf-8") as file:
        file.write(text)


def link(directory, name, page):
    path = os.path.join(directory, name + ".3")
    if os.path.lexists(path):
        os.unlink(path)
    os.symlink(page + ".3", path)


def main():
    date, directory, *headers = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    for path in headers:
        with open(path, encoding="utf-8") as file:
            source = file.read()
        head = HEAD.match(source)
        if not head:
            sys.exit(f"{path}: does not begin with a comment on itself")
        name = "libtori" if head[2] == "tori" else f"tori_{head[2]}"
        code = source[head.end():]
        write(directory, name,
              tidy(page(date, head[1], name, head[3], code)))
        plain = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
        for function in set(FUNCTION.findall(plain)) - {name}:
            link(directory, function, name)


main()
