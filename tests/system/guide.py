#!/usr/bin/env python3
"""Usage: guide.py BUILD-DIRECTORY

The operators' page, doc/guides/administer.md, as it stands: its commands run in
one shell, with a torid, its files and a port of their own in place of those of a
system, and print what the page says. In TAP.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import guard

BUILD = os.path.abspath(sys.argv[1])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PAGE = f"{SOURCE}/doc/guides/administer.md"
MARK = "@@ends@@"

# The work of the units, without systemd.
SYSTEMCTL = """#!/bin/sh
cd "$(dirname "$0")" || exit
begin () {
    BUILD/torid --config etc/torid.conf 2>>log </dev/null >/dev/null &
    echo $! >pid
    until BUILD/tori nodes >/dev/null 2>&1; do
        kill -0 "$(cat pid)" || exit 1
        sleep 0.05
    done
}
end () {
    kill "$(cat pid)"
    while kill -0 "$(cat pid)" 2>/dev/null; do sleep 0.05; done
}
case $1 in
enable | start) begin ;;
stop) end ;;
restart) end; begin ;;
reload) kill -HUP "$(cat pid)" ;;
*) exit 1 ;;
esac
"""

# As much of curl as the page has.
CURL = """#!/usr/bin/env python3
import argparse, http.client, socket, sys, urllib.parse
words = argparse.ArgumentParser()
words.add_argument("-s", "-N", action="store_true")
words.add_argument("-H", "--header", default="")
words.add_argument("-d", "--data")
words.add_argument("--max-time", type=float)
words.add_argument("--unix-socket")
words.add_argument("url", type=urllib.parse.urlsplit)
asked = words.parse_args()
client = http.client.HTTPConnection(asked.url.netloc)
if asked.unix_socket:
    client.sock = socket.socket(socket.AF_UNIX)
    client.sock.connect(asked.unix_socket)
client.request("POST" if asked.data else "GET", asked.url.path, asked.data,
               dict([asked.header.split(": ")] if asked.header else []))
answer = client.getresponse()
if asked.max_time:
    client.sock.settimeout(asked.max_time)
try:
    while text := answer.read1():
        sys.stdout.buffer.write(text)
except TimeoutError:
    sys.exit(28)
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def cases():
    """Commands of the page, with the lines that they print."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", read(PAGE),
                            re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def matches(expected, actual):
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line == "..." else
        r"[^\n]*".join(map(re.escape, line.split("..."))) + r"\n"
        for line in expected)
    return re.fullmatch(pattern, actual) is not None


class Shell:
    def __init__(self, files):
        self.files = files
        self.places = [("/usr/share/doc/tori/examples", f"{SOURCE}/data"),
                       ("/etc/tori", f"{files}/etc"),
                       ("/var/lib/tori", f"{files}/state"),
                       ("/run/tori/socket", f"{files}/socket"),
                       ("127.0.0.1:8470", f"127.0.0.1:{guard.kept_port()}")]
        self.process = subprocess.Popen(
            ["bash"], cwd=files, stdin=subprocess.PIPE, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "TORI_SOCKET": f"{files}/socket",
                 "PATH": f"{files}:{BUILD}:{os.environ['PATH']}"})

    def run(self, command):
        for old, new in self.places:
            command = command.replace(old, new)
        # Commands of the page have the places of a system as defaults.
        command = command.replace("torid token add ", "torid token add "
                                  f"--config {self.files}/etc/torid.conf ")
        for word in ("list", "remove", "code"):
            command = command.replace(
                f"torid token {word}",
                f"torid token {word} --config {self.files}/etc/torid.conf")
        if command.startswith("unset TORI_SOCKET"):
            command += f"; export TORI_SOCKET={self.files}/socket"
        if command.startswith("cp ") and "examples" not in command \
                and command.endswith("torid.conf"):
            # The example, in this directory.
            command += "".join(
                f"; sed -i 's#{old}#{new}#g' {self.files}/etc/torid.conf"
                for old, new in self.places)
        self.process.stdin.write(f"{command}\necho {MARK}$?\n")
        self.process.stdin.flush()
        said = ""
        while MARK not in said:
            line = self.process.stdout.readline()
            assert line, f"the shell has ended: {said}"
            said += line
        text, status = said.rsplit(MARK, 1)
        if text and not text.endswith("\n"):
            text += "\n"
        return text + ("" if status == "0\n" else f"[{status.strip()}]\n")


def page(shell):
    for command, expected in cases():
        said = shell.run(command)
        yield (f"$ {command}", matches(expected, said),
               f"expected {expected}, found {said!r}")


def events():
    """Every event of the log is on the page."""
    for name in sorted(os.listdir(f"{SOURCE}/src/torid/shell")):
        text = read(f"{SOURCE}/src/torid/shell/{name}")
        for call in re.findall(r"torid_log \((.*?)\);", text, re.S):
            for event in re.findall(r'"([a-z]+(?:-[a-z]+)*)"',
                                    call.split('"{')[0]):
                yield event


def main():
    files = tempfile.mkdtemp(prefix="torid-guide-")
    bad = number = 0
    known = read(PAGE)
    missing = {event for event in events() if f"`{event}`" not in known}
    for name, text in (("systemctl", SYSTEMCTL), ("curl", CURL)):
        with open(f"{files}/{name}", "w", encoding="utf-8") as file:
            file.write(text.replace("BUILD", BUILD))
        os.chmod(f"{files}/{name}", 0o755)
    shell = Shell(files)
    try:
        for name, good, why in [
                *page(shell), ("events of the log are on the page",
                               not missing, f"missing: {missing}")]:
            number += 1
            bad += not good
            print(f"{'ok' if good else 'not ok'} {number} - "
                  f"{name.replace('#', '')}", flush=True)
            if not good:
                print(f"# {why}", flush=True)
    finally:
        shell.process.stdin.close()
        shell.process.wait()
        guard.end_knowing(files)
        shutil.rmtree(files, ignore_errors=True)
    print(f"1..{number}")
    return bad > 0


guard.keep()
sys.exit(main())
