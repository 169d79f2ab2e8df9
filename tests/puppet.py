#!/usr/bin/env python3
"""Usage: puppet.py DIRECTORY

An executor in the hands of a test: it says what is appended to the file "words"
of a directory, and appends what it is told to "orders". It starts nothing, and
ends when there is a file "end" or its standard input is at its end.
"""
import os
import sys
import threading
import time

FILES = sys.argv[1]


def listen():
    with open(os.path.join(FILES, "orders"), "a", encoding="utf-8") as orders:
        for line in sys.stdin:
            orders.write(line)
            orders.flush()
    os._exit(0)


def said(more=b""):
    """How much was said; the next one goes on from there."""
    with open(os.path.join(FILES, "said"), "ab") as file:
        file.write(b"." * len(more))
        return file.tell()


with open(os.path.join(FILES, "pid"), "w", encoding="utf-8") as pid:
    pid.write(str(os.getpid()))
threading.Thread(target=listen, daemon=True).start()
with open(os.path.join(FILES, "words"), "ab+") as words:
    words.seek(said())
    while not os.path.exists(os.path.join(FILES, "end")):
        line = words.readline()
        if line.endswith(b"\n"):
            said(line)
            print(line.decode(), end="", flush=True)
        else:
            words.seek(said())
            time.sleep(0.01)
