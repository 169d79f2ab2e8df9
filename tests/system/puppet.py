#!/usr/bin/env python3
"""Usage: puppet.py DIRECTORY

An executor in the hands of a test: it says what is appended to the file "words"
of a directory, and appends what it is told to "orders". It starts nothing, and
ends when there is a file "end" or its standard input is at its end.
"""
import os
import select
import sys

FILES = sys.argv[1]


def said(more=b""):
    """How much was said; the next one goes on from there."""
    with open(os.path.join(FILES, "said"), "ab") as file:
        file.write(b"." * len(more))
        return file.tell()


def hear(orders):
    """Take what there is to hear. False if there will be no more."""
    if not select.select([0], [], [], 0.01)[0]:
        return True
    heard = os.read(0, 65536)
    orders.write(heard)
    orders.flush()
    return heard != b""


with open(os.path.join(FILES, "pid"), "w", encoding="utf-8") as pid:
    pid.write(str(os.getpid()))
with open(os.path.join(FILES, "words"), "ab+") as words, \
        open(os.path.join(FILES, "orders"), "ab") as orders:
    # Nothing is said to somebody who is gone.
    while hear(orders) and not os.path.exists(os.path.join(FILES, "end")):
        words.seek(said())
        line = words.readline()
        if line.endswith(b"\n"):
            said(line)
            print(line.decode(), end="", flush=True)
