#!/usr/bin/env python3
"""A file system that does not answer, for tests: whoever opens its one file, or looks
for another, waits in the kernel, and SIGKILL does not end that.

    with Silent() as silent, Service() as service:
        ...                  # somebody opens silent.file, or silent.path("x")
        silent.hanging()     # how many requests have not been answered
        silent.release()     # all of them fail, and whatever comes

Only processes that begin later see it: it is in a namespace of mounts of this
process, and so goes with it, however it ends. A process of its own (this file, with
the directory) serves it by FUSE, without a library.
"""
import ctypes
import errno
import os
import struct
import subprocess
import sys
import tempfile

import guard
from cases import Skip

LIBC = ctypes.CDLL(None, use_errno=True)
NEWNS, PRIVATE, DETACH = 0x20000, 0x4000 | 0x40000, 2
LOOKUP, FORGET, GETATTR, OPEN, READ = 1, 2, 3, 14, 15
INIT, INTERRUPT, FORGET_MANY = 26, 36, 42
ROOT, FILE = 1, 2


def check(status, what):
    if status < 0:
        raise OSError(f"{what}: {os.strerror(ctypes.get_errno())}")


# ---- the server ----

def attributes(node):
    mode = 0o040755 if node == ROOT else 0o100666
    return struct.pack("<6Q10I", node, 4096, 8, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0,
                       0, 4096, 0)


def answer(code, node, body):
    """What is written back: bytes, or a number of errno; None: never anything."""
    if code == INIT:
        return struct.pack("<IIIIHHIIHHI28x", 7, 31, 0, 0, 0, 0, 4096, 1, 0, 0, 0)
    if code == GETATTR:
        return struct.pack("<QII", 60, 0, 0) + attributes(node)
    if code == LOOKUP and body == b"file\0":
        return struct.pack("<4Q2I", FILE, 0, 60, 60, 0, 0) + attributes(FILE)
    return None if code in (LOOKUP, OPEN, READ) else errno.ENOSYS


def serve(path):
    """Mount it and say so; then a byte for each request that gets no answer."""
    fuse = os.open("/dev/fuse", os.O_RDWR)
    check(LIBC.mount(b"silent", path.encode(), b"fuse", 0,
                     f"fd={fuse},rootmode=40000,user_id=0,group_id=0,"
                     "allow_other".encode()), "FUSE cannot be mounted")
    os.write(1, b"!")
    while True:
        try:
            request = os.read(fuse, 1 << 17)
        except FileNotFoundError:  # it was interrupted before it was read
            continue
        _, code, number, node = struct.unpack_from("<IIQQ", request)
        if code in (FORGET, INTERRUPT, FORGET_MANY):
            continue
        said = answer(code, node, request[40:])
        if said is None:
            os.write(1, b".")
            continue
        wrong, said = (-said, b"") if isinstance(said, int) else (0, said)
        os.write(fuse, struct.pack("<IiQ", 16 + len(said), wrong, number) + said)


# ---- the test ----

class Silent:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="silent-")
        self.file, self.count, self.server = self.path("file"), 0, None

    def path(self, name):
        return os.path.join(self.folder, name)

    def __enter__(self):
        try:
            check(LIBC.unshare(NEWNS), "a namespace of mounts")
            check(LIBC.mount(b"none", b"/", None, PRIVATE, None),
                  "a namespace of mounts")
        except OSError as why:
            raise Skip(why) from why
        self.server = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), self.folder],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if os.read(self.server.stdout.fileno(), 1) != b"!":
            raise Skip(self.server.communicate()[1].decode().strip())
        os.set_blocking(self.server.stdout.fileno(), False)
        return self

    def hanging(self):
        """How many requests have not been answered so far."""
        try:
            self.count += len(os.read(self.server.stdout.fileno(), 4096))
        except BlockingIOError:
            pass
        return self.count

    def release(self):
        """The end of the server is that of all requests."""
        self.server.kill()
        self.server.communicate()

    def __exit__(self, *_):
        self.release()
        LIBC.umount2(self.folder.encode(), DETACH)
        os.rmdir(self.folder)


if __name__ == "__main__":
    guard.die_with_parent()
    try:
        serve(sys.argv[1])
    except OSError as why:
        sys.exit(str(why))
