#!/usr/bin/env python3
"""Usage: clients.py BUILD-DIRECTORY [--only NAME...]

The commands of tori that ask a running torid, all of it real. In TAP.
"""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

import answers
from faults import Puppet, submission
from service import (BUILD, PATIENCE, Skip, Service, configured, equal, read,
                     run, wait)


def clients():
    """the commands of tori speak to torid"""
    with Service() as service:
        equal(service.tori("submit", "--shape", "4x4", "--time", "1h",
                           "--output", "out", "--", "sh", "-c",
                           "echo hello; while ! test -e go; do sleep 0.02; "
                           "done; exit 5"), (0, "1\n", ""))
        equal(service.tori("submit", "--count", "3", "--time", "1:00:00",
                           "--name", "next", "true"), (0, "2\n", ""))
        for text, readings in (("1:00", "write 1h or 1m"),
                               ("60", "write 1m or 1h")):
            for words in (("submit", "--count", "3", "--time", text, "true"),
                          ("change", "2", "--time", text)):
                code, out, err = service.tori(*words)
                equal((code, out, err.count("\n")), (2, "", 1))
                assert readings in err, err
        code, out, err = service.tori("queue")
        equal((code, err), (0, ""))
        assert "next" in out and "not enough free nodes" in out, out
        code, out, err = service.tori("why", "2")
        equal((code, err), (0, ""))
        assert "job 1" in out, out
        equal(service.tori("forecast")[1].split()[:4],
              ["job", "start", "in", "place"])
        equal(service.tori("why", "--json", "2")[0], 0)
        equal(service.tori("hold", "2")[0], 0)
        assert "held" in service.tori("queue")[1]
        equal(service.tori("release", "2")[0], 0)
        open(service.path("go"), "w", encoding="utf-8").close()
        equal(service.tori("wait", "1", "2"), (5, "", ""))
        assert "hello" in read(service.path("out"))
        equal(service.tori("cancel", "7"),
              (2, "", "tori: there is no job 7\n"))
        equal(service.tori("submit", "--count", "99", "--time", "1s",
                           "true")[0], 4)
        equal(json.loads(service.tori("show", "1", "--json")[1])["job"]["status"], 5)
        told = json.loads(service.tori("queue", "--all", "--json")[1])
        equal((told["command"], [job["id"] for job in told["jobs"]]),
              ("queue", [1, 2]))


WAIT = "while ! test -e go; do sleep 0.02; done"
CLOCK = re.compile(r"\b(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\b")


def clocked(text):
    """A text with all clock times alike, and no blanks at the ends of lines.
    """
    return re.sub(r" +$", "", CLOCK.sub("hh:mm:ss", text), flags=re.M)


def tell(service, *words):
    """What a command prints, if all is well."""
    code, out, err = service.tori(*words)
    equal((code, err), (0, ""))
    return out


def restarted():
    """whoever waits for a job waits for a torid that is restarted"""
    with Service() as service:
        service.submit("sh", "-c", "until test -e go; do sleep 0.05; done; exit 7",
                       output="out")
        wait(lambda: service.job(1)["state"] == "running", "it does not run")
        say = {**os.environ, "TORI_SOCKET": service.socket}

        def begin(*words):
            return subprocess.Popen([f"{BUILD}/tori", *words], env=say, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        early, follows = begin("wait", "1"), begin("logs", "-f", "1")
        equal(service.kill(signal.SIGTERM), 0)
        equal(service.tori("wait", "--patience", "0", "1")[0], 1)
        brief = service.tori("wait", "--patience", "1s", "1")
        equal(brief[:2], (1, ""))
        assert brief[2].count("; trying again for 1s\n") == 1, brief
        late = begin("wait", "1")
        for process in early, late, follows:
            equal(process.stderr.readline().rpartition("; ")[2],
                  "trying again for 2m\n")
        open(service.path("go"), "w", encoding="utf-8").close()
        service.begin()
        for process in early, late:
            out, err = process.communicate(timeout=PATIENCE)
            equal((process.returncode, out, err), (7, "", ""))
        follows.communicate(timeout=PATIENCE)
        equal(follows.returncode, 0)


def listed():
    """the queue is a table: who, what, how long, since when, where and why"""
    with Service() as service:
        me = service.submit("sh", "-c", WAIT, shape="4x2", estimate=5400,
                            name="long name of a job")
        service.submit("true", shape="4x4", wiring="torus")
        service.submit("true", after=["ok:1"])
        service.submit("true", hold=True, array="1-30")
        service.submit("true", array="1-3%1", hold=True)
        service.submit("true", count=5, begin=4000000000)
        wait(lambda: "starting" not in service.job(me), "it does not begin")
        user = service.job(me)["user"]
        rows = [re.split(" {2,}", line.strip())
                for line in clocked(tell(service, "queue")).splitlines()]
        equal(rows[0], ["job", "user", "name", "asks for", "time", "state",
                        "since", "elapsed", "left", "order", "array",
                        "where or why"])
        equal(rows[1][:7] + rows[1][9:],
              ["1", user, "long name of a job", "4x2", "1h30m", "running",
               "hh:mm:ss", "0,0/2x4"])
        assert rows[1][8].startswith("1h"), rows[1]
        equal(rows[2:], [
            ["2", user, "4x4 torus", "1m", "queued", "hh:mm:ss", "1",
             "not enough free nodes"],
            ["3", user, "1 node", "1m", "queued", "hh:mm:ss",
             "waits for ok:1"],
            ["4-33", user, "1 node", "1m", "queued", "hh:mm:ss",
             "4_[1-30]", "held"],
            ["34-36", user, "1 node", "1m", "queued", "hh:mm:ss",
             "34_[1-3]", "held"],
            ["37", user, "5 nodes", "1m", "queued", "hh:mm:ss",
             "not before hh:mm:ss"]])
        equal(tell(service, "queue", "--ended"), "no jobs\n")
        equal(tell(service, "queue", "--user", "a b&state=ended"),
              "no jobs\n")
        equal([job["id"] for job in json.loads(tell(
            service, "queue", "--state", "running", "--mine",
            "--json"))["jobs"]], [1])
        service.tori("cancel", "2", "3")
        assert tell(service, "queue", "--ended").endswith("  cancelled\n")
        equal(service.tori("queue", "--ended", "--all"),
              (2, "", "tori: --all cannot be used with --ended\n"))


def shown():
    """all about a job is shown, and why it waits"""
    with Service() as service:
        service.submit("sh", "-c", WAIT, shape="4x2", output="out")
        service.submit("true", "it's", "", shape="4x4", wiring="torus",
                       name="all", warn="90s", warning=12, runtime=5)
        wait(lambda: service.job(1)["state"] == "running", "does not start")
        out = clocked(tell(service, "show", "2"))
        out = re.sub(r", in \d+s,", ", in 1m,", out).splitlines()
        assert re.fullmatch(r"job 2 has waited for \d+s: not enough free "
                            r"nodes", out[0]), out
        equal([line for line in out[1:]
               if line.split()[:1] not in (["user"], ["directory"])], [
            "asks for    4x4 torus", "name        all", "time limit  1m",
            "warned      1m30s", "by signal   12", "rehearsed   5s",
            "submitted   hh:mm:ss", "command     true 'it'\\''s' ''", "",
            "job 2: not enough free nodes: it asks for a box of 4x4 with 16 "
            "nodes; only 8 are free",
            "  nearest place: 0,0/4x4 lacks 8 nodes; in the way: job 1 (8 "
            "nodes)", "  expected to start at hh:mm:ss, in 1m, on 0,0/4x4",
            "  would start now at 2,0/2x4 with 8 nodes instead of 16, as a "
            "box of 2x4", "  would start now at 0,0/4x4 if job 1 ended"])
        # In JSON, too, with the words of `tori why`.
        job = json.loads(tell(service, "show", "2", "--json"))["job"]
        why = json.loads(tell(service, "why", "2", "--json"))["jobs"][0]
        equal((job["reason"], round(job["expected_start"], 2),
               job["expected_place"]),
              (why["reason"], round(why["start"], 2),
               {"box": why["start_place"]}))
        open(service.path("go"), "w", encoding="utf-8").close()
        service.ended(2)
        out = clocked(tell(service, "show", "1"))
        assert re.match(r"job 1 ended after \d+s: exit status 0\n", out), out
        assert "\nended       hh:mm:ss\nplace       0,0/2x4\n" in out, out
        equal(service.tori("show", "x")[0], 2)
        equal(service.tori("show", "99"), (2, "", "tori: there is no job 99\n"))


def aliases():
    """jobs of another queue are known by their names there"""
    with Puppet() as service:
        service.say(submission("19.0.5", count=16, alias="slurm:19"),
                    submission("20_3.0.5", count=16, alias="slurm:20_3"),
                    submission("21.0.5", count=16, alias="slurm:21"))
        equal([job["alias"] for job in service.counted(3)],
              ["slurm:19", "slurm:20_3", "slurm:21"])
        equal(service.submit("true", hold=True), 4)
        for _ in range(2):  # ... also after a restart
            rows = tell(service, "queue").splitlines()
            equal([row[:16].split() for row in rows],
                  [["known", "as", "job"], ["slurm:19", "1"],
                   ["slurm:20_3", "2"], ["slurm:21", "3"], ["4"]])
            service.kill()
            service.begin()
        assert "known as    slurm:20_3\n" in tell(service, "show",
                                                  "slurm:20_3")
        equal(tell(service, "why", "slurm:21").split(": ")[0],
              "job 3 (slurm:21)")
        told = json.loads(tell(service, "why", "--json"))["jobs"]
        equal([job.get("alias") for job in told],
              ["slurm:20_3", "slurm:21", None])
        equal(service.ask("GET", "/v1/jobs/3/why")[1]["jobs"][0]["alias"],
              "slurm:21")
        tell(service, "hold", "slurm:20_3")
        equal(service.job(2)["hold"], "user")
        tell(service, "release", "slurm:20_3")
        tell(service, "cancel", "slurm:21", "slurm:20_3")
        equal(service.tori("wait", "slurm:21")[0], 1)
        equal(service.ask("GET", "/v1/jobs?alias=slurm:21&state=ended")[1][
            "jobs"], [service.job(3)])
        service.say(submission("21.0.7", count=16, alias="slurm:21"))
        service.counted(5)  # Slurm may give a number twice: it is the last
        assert tell(service, "show", "slurm:21").startswith("job 5 ")
        equal(service.tori("why", "slurm:7"),
              (2, "", "tori: there is no job slurm:7; if Slurm holds it, its "
               "comment there has the reason: squeue -o %k -j 7\n"))
        equal(service.ask("POST", "/v1/jobs", {
            "count": 1, "estimate": 1, "command": ["true"],
            "alias": "slurm:8"})[0], 400)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def scripts():
    """a batch script goes with its job, and its lines are options"""
    with Service() as service:
        write(service.path("job.sh"), """#!/bin/bash

#TORI --shape 4x4 --time 1:00:00 --name "my job"
#TORI --output 'the log' --hold --env COLOUR=red --env SHADE=dark
# a remark
echo "$@" $TORI_JOB_ID $COLOUR
exit 7
#TORI --nonsense
""")
        equal(tell(service, "submit", "job.sh", "a", "b  c"), "1\n")
        job = service.job(1)
        equal((job["shape"], job["estimate"], job["name"]),
              ("4x4", 3600, "my job"))
        os.remove(service.path("job.sh"))
        tell(service, "release", "1")
        equal(service.tori("wait", "1")[0], 7)
        equal(read(service.path("the log")), "a b  c 1 red\n")
        write(service.path("job.py"), """#!/usr/bin/env python3
#TORI --shape 4x4 --time 60s --output "the log" --env COLOUR=red
import os, sys
print(os.environ["COLOUR"], sys.argv[1:])
""")
        equal(service.tori("submit", "--count", "2", "--time", "5m", "--env",
                           "COLOUR=blue", "--wait", "job.py", "x"),
              (0, "2\n", ""))
        job = service.job(2)
        equal((job["count"], job.get("shape"), job["estimate"]),
              (2, None, 300))
        equal(read(service.path("the log")).splitlines()[-1], "blue ['x']")


def bad_scripts():
    """what is wrong with a script is said, with its line"""
    with Service() as service:
        for text, line in [
                ("#TORI --shape 4x4\n\n#TORI --tim 5", "bad:4: unknown option "
                 "'--tim'; did you mean '--time'? see 'tori submit --help'"),
                ("#TORI --wiring torus\n#TORI --shape '4x4",
                 "bad:3: a quote that is not closed"),
                ("#TORI --wiring torus\n# --shape 4x4\n#TORI --time 5s",
                 "bad:2: --wiring has no effect without --shape or --or"),
                ("#TORI --time 5s true",
                 "bad:2: 'true' is not an option: what runs is the script"),
                ("#TORI --shape 4x4",
                 "--time DURATION is missing; see 'tori submit --help'"),
                ("#TORIA --shape 4x4", "expected --shape SHAPE or --count N"),
                ("\ntrue\n#TORI --shape 4x4",
                 "expected --shape SHAPE or --count N"),
                ("\udcff", "bad: not UTF-8")]:
            with open(service.path("bad"), "w", encoding="utf-8",
                      errors="surrogateescape") as file:
                file.write("#!/bin/sh\n" + text)
            equal(service.tori("submit", "bad"), (2, "", f"tori: {line}\n"))
        write(service.path("bad"), "# mine\n\n#TORI --count 1 --time 5s\ntrue")
        equal(service.tori("submit", "bad"),
              (2, "", "tori: bad: #TORI lines count only in a script that "
               "begins with #!, such as #!/bin/sh\n"))
        equal(service.tori("submit", "bad.sh", "--count", "1"),
              (2, "", "tori: expected --shape SHAPE or --count N; '--count' "
               "stands after 'bad.sh', and is given to that\n"))
        code, _, err = service.tori("submit", "--count", "1", "--time", "5s",
                                    "--array", "x", "true")
        equal((code, err[:13]), (2, "tori: array: "))
        equal(tell(service, "queue", "--all"), "no jobs\n")


def ends():
    """how a job ended without an exit status is said"""
    with Service() as service:
        words = "submit", "--count", "1", "--time", "60s"
        equal(service.tori(*words, "--wait", "--", "/nonexistent"),
              (1, "1\n", "tori: job 1: /nonexistent: No such file or "
               "directory\n"))
        tell(service, *words, "--hold", "--array", "1-3", "true")
        tell(service, "cancel", "2-4")
        equal(service.tori("wait", "2-4"),
              (1, "", "tori: job 2: cancelled\n"
               "tori: and 2 more without an exit status\n"))
        equal(service.tori(*words, "--wait", "--", "sh", "-c", "exit 3"),
              (3, "5\n", ""))
        equal(service.tori("why", "5"),
              (2, "", "tori: job 5 has ended: exit status 3\n"))
        equal(service.tori("why", "77"), (2, "", "tori: there is no job 77\n"))
        tell(service, *words, "--", "sh", "-c", WAIT)
        wait(lambda: service.job(6)["state"] == "running", "it does not run")
        equal(service.tori("why", "6"), (2, "", "tori: job 6 runs at 0,0\n"))
        tell(service, *words, "--hold", "--", "true", "a\b\u009bc\nd")
        assert "true 'a???c\nd'" in tell(service, "show", "7")

        # Those that wait are explained beside those that do not.
        tell(service, *words, "--hold", "--", "true")
        code, out, err = service.tori("why", "7", "5", "8", "77")
        equal((code, [line.split(":")[0] for line in out.splitlines()
                      if not line.startswith(" ")], err),
              (2, ["job 7", "job 8"],
               "tori: job 5 has ended: exit status 3\n"))
        code, out, err = service.tori("forecast", "8", "6")
        equal((code, out.split()[-2:], err),
              (2, ["8", "never"], "tori: job 6 runs at 0,0\n"))
        equal([job["id"] for job in json.loads(tell(
            service, "forecast", "--json", "7"))["jobs"]], [7])


def submissions():
    """everything that a job can say can be said on the command line"""
    with Service() as service:
        os.mkdir(service.path("sub"))
        write(service.path("sub/in"), "what is read\n")
        equal(service.tori(
            "submit", "--shape", "3x3", "--or", "4x2", "--or", "5",
            "--wiring", "torus", "--no-rotate", "--wrap", "--only",
            "0,0/4x2", "--time", "1h", "--begin", "2040-01-02 03:04",
            "--patience", "90", "--queue", "default", "--priority", "-3",
            "--level", "2",
            "--preempted", "suspend", "--on-failure", "repair",
            "--checkpoint", "10m", "--immovable", "--hold", "--directory",
            "sub", "--input", "in", "--output", "out", "--error", "err",
            "--clean-env", "--env", "A=b=c", "--", "sh", "-c",
            "cat; env; echo no >&2"), (0, "1\n", ""))
        job = service.job(1)
        wish = {"shape": "4x2", "wiring": "torus", "fixed": True,
                "wrap": True}
        equal({key: job.get(key) for key in (
            "shape", "wiring", "fixed", "wrap", "alternatives", "patience", "only",
            "estimate", "begin", "queue", "priority", "level", "preempted",
            "on_failure", "checkpoint", "movable", "hold", "name")}, {
                **wish, "shape": "3x3",
                "alternatives": [wish, {"count": 5}], "patience": 90,
                "only": ["0,0/4x2"],
                "estimate": 3600, "begin": 2209086240, "queue": "default",
                "priority": -3, "level": 2, "preempted": "suspend",
                "on_failure": "repair", "checkpoint": 600, "movable": False,
                "hold": "user", "name": "sh"})
        equal(service.tori(
            "submit", "--count", "1", "--time", "1h", "--directory", "sub",
            "--input", "in", "--output", "out", "--error", "err",
            "--clean-env", "--env", "A=b=c", "--wait", "--", "sh", "-c",
            "cat; env; echo no >&2"), (0, "2\n", ""))
        text = read(service.path("sub/out"))
        assert text.startswith("what is read\n") and "A=b=c\n" in text, text
        assert "TORI_SOCKET" not in text, text
        equal(read(service.path("sub/err")), "no\n")
        equal(service.tori("submit", "--count", "1", "--time", "5s", "--env",
                           "x", "true"),
              (2, "", "tori: --env: 'x' is not NAME=VALUE\n"))
        equal(service.tori("submit", "--count", "1", "--time", "5s",
                           "--begin", "soon", "true"),
              (2, "", "tori: 'soon' is not a time such as +1h20m, 18:00, "
               "Mon 18:00 or 2026-11-16 18:00\n"))
        equal(service.tori("submit", "--count", "1", "--time", "5s", "--wait",
                           "--array", "1-3", "--", "sh", "-c",
                           "exit $TORI_ARRAY_INDEX"), (3, "3-5\n", ""))
        equal(service.tori("wait", "2-4", "2"), (2, "", ""))
        equal(service.tori("wait", "4-2")[0], 2)


def other_bytes():
    """what is not UTF-8 is refused by name; a variable is left out aloud"""
    with Service() as service:
        words = ("submit", "--count", "1", "--time", "5s")

        def submit(*more, where=service.files, **variables):
            done = subprocess.run(
                [os.path.join(BUILD, "tori"), *words, *more], cwd=where,
                env={**os.environ, "TORI_SOCKET": service.socket,
                     **variables},
                capture_output=True, timeout=PATIENCE, check=False)
            return done.returncode, done.stdout, done.stderr.decode()

        equal(submit("--", "echo", b"caf\xe9", "x"),
              (2, b"", "tori: command: 'caf?' is not UTF-8\n"))
        equal(submit("--output", b"o\xe9", "true"),
              (2, b"", "tori: --output: 'o?' is not UTF-8\n"))
        equal(submit("--env", b"A=\xe9", "true"),
              (2, b"", "tori: --env: 'A=?' is not UTF-8\n"))
        odd = os.path.join(os.fsencode(service.files), b"d\xe9")
        os.mkdir(odd)
        for more, where in ((["--directory", b"d\xe9"], service.files),
                            ([], odd)):
            status, out, err = submit(*more, "true", where=where)
            equal((status, out), (2, b""))
            assert err.endswith("d?' is not UTF-8\n"), err
        status, out, err = submit("--output", "out", "--wait", "env",
                                  COLOUR="\udce9", OTHER="gr\u00fcn")
        equal((status, out, err),
              (0, b"1\n", "tori: the variable COLOUR is not UTF-8, and the "
               "job does not get it\n"))
        text = read(service.path("out"))
        assert "OTHER=grün\n" in text and "COLOUR" not in text, text
        equal(service.tori("reserve", "0,0", b"1,\xe9", "--for", "1h")[0], 2)
        equal(service.tori("drain", "0,0", "--why", b"\xe9")[0], 2)


def secrets():
    """a job does not get the token of who submitted it, unless that is asked"""
    with Service() as service:
        words = ("submit", "--count", "1", "--time", "5s", "--wait",
                 "--output", "out")
        os.environ["TORI_TOKEN"] = "very-secret"
        try:
            equal(service.tori(*words, "env"), (0, "1\n", ""))
        finally:
            del os.environ["TORI_TOKEN"]
        text = read(service.path("out"))
        assert "TORI_JOB_ID=1\n" in text and "TORI_TOKEN" not in text, text
        for folder, _, names in os.walk(service.path("state")):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        assert b"very-secret" not in file.read(), path
        equal(service.tori(*words, "--env", "TORI_TOKEN=own", "env"),
              (0, "2\n", ""))
        assert "TORI_TOKEN=own\n" in read(service.path("out"))


def tried():
    """a job is tried: when and where it would start, and why not at once"""
    with Service() as service:
        service.submit("sh", "-c", WAIT, shape="4x2", estimate=3600)
        wait(lambda: service.job(1)["state"] == "running", "does not start")
        equal(service.tori("submit", "--test-only", "--shape", "4x2",
                           "--time", "1h", "true"),
              (0, "it would start at once, on 2,0/2x4\n", ""))
        code, out, err = service.tori("submit", "--test-only", "--shape",
                                      "4x4", "--or", "3x4", "--time", "1h",
                                      "true")
        equal((code, err), (3, ""))
        equal(re.sub(r"in (1h|59m\d+s)", "in 1h", clocked(out)), """\
it would wait
not enough free nodes: it asks for a box of 3x4 or 1 alternative; only 8 are free
  nearest place: 1,0/3x4 lacks 4 nodes; in the way: job 1 (4 nodes)
  expected to start at hh:mm:ss, in 1h, on 0,0/4x4
  would start now at 2,0/2x4 with 8 nodes instead of 16, as a box of 2x4, for its first choice 4x4
  would start now at 0,0/4x4 if job 1 ended
""")
        equal(service.tori("submit", "--test-only", "--count", "17",
                           "--time", "1h", "true"),
              (4, "", "tori: larger than the machine\n"))
        code, out, err = service.tori("submit", "--test-only", "--json",
                                      "--count", "9", "--time", "1h", "true")
        equal((code, err), (3, ""))
        equal(json.loads(out)["jobs"][0]["reason"], "numerical")
        equal(service.tori("submit", "--test-only", "--count", "1", "--hold",
                           "--time", "5s", "true")[0], 3)
        equal([job["id"] for job in service.ask("GET", "/v1/jobs")[1]["jobs"]],
              [1])
        # The number of a job that has ended is not used for it.
        service.submit("true", shape="1x1", estimate=60)
        wait(lambda: service.job(2)["state"] == "ended", "does not end")
        out = service.tori("submit", "--test-only", "--json", "--count", "9",
                           "--time", "1h", "true")[1]
        equal(json.loads(out)["jobs"][0]["id"], 3)


def closed_hours():
    """an hour of another day"""
    day = time.strftime("%a", time.localtime(time.time() + 3 * 86400))
    return f"{day} 10:00-11:00"


def tried_in_queues():
    """a job is tried as its user's, in its queue, beside planned starts"""
    with Service() as service:
        configured(service, """\
queue batch {}
queue urgent {
    priority = 10
    max-time = "1h"
}
queue closed { allow = "nobody @root" }
queue nights { hours = "%s" }
""" % closed_hours())
        service.submit("sh", "-c", WAIT, shape="4x2", estimate=3600)
        wait(lambda: service.job(1)["state"] == "running", "does not start")
        service.submit("true", shape="4x4", estimate=60)
        wait(lambda: "promise" in service.ask("GET", "/v1/snapshot")[1]
             ["queue"][0], "has no planned start")
        # It goes before the job with the planned start.
        code, out, err = service.tori("submit", "--test-only", "--json",
                                      "--queue", "urgent", "--shape", "4x4",
                                      "--time", "1h", "true")
        equal((code, err), (3, ""))
        job = json.loads(out)["jobs"][0]
        equal((job["id"], job["reason"]), (3, "numerical"))
        first = service.ask("POST", "/v1/what-if", {"jobs": [
            {"queue": "urgent", "shape": "4x4", "time_limit": "1h"}]})[1]
        starts = {row["id"]: row["start"] for row in first["jobs"]}
        equal(starts[3], job["start"])
        assert starts[2] >= starts[3] + 3600, starts
        again = json.loads(tell(service, "what-if", "--json", "--add",
                                "queue=urgent,shape=4x4,time=1h"))
        equal({row["id"]: row["start"] for row in again["jobs"]}, starts)
        # A refusal is that of a submission.
        for words in (["--queue", "urgent", "--time", "2h"],
                      ["--queue", "other", "--time", "1h"]):
            words += ["--shape", "1x1", "true"]
            equal(service.tori("submit", "--test-only", *words),
                  service.tori("submit", *words))
        equal(service.tori("what-if", "--add",
                           "shape=1x1,queue=urgent,time=2h"),
              service.tori("submit", "--queue", "urgent", "--time", "2h",
                           "--shape", "1x1", "true"))
        # Another user may not use the queue, and is refused as by submit.
        code, _, err = service.tori(
            "what-if", "--add", "shape=1x1,time=60,queue=closed,user=mallory")
        equal((code, err), (2, "tori: queue 'closed' does not take jobs of "
                               "mallory; it is for nobody @root (allow)\n"))
        service.tori("what-if", "--add", "shape=1x1,time=60,queue=closed")
        # The group of root is looked up.
        if os.getuid() == 0:
            for user, code in (("root", 0), ("nobody", 0), ("daemon", 2)):
                equal(service.tori("what-if", "--add", "shape=1x1,time=60,"
                                   "queue=closed,user=" + user)[0], code)
        # A queue that is not open now says when a job would start.
        code, out, _ = service.tori("submit", "--test-only", "--queue",
                                    "nights", "--time", "60s", "--shape",
                                    "1x1", "true")
        equal((code, out.splitlines()[:2]),
              (3, ["it would wait",
                   f"waits for queue nights's hours, {closed_hours()}"]))
        assert "expected to start at" in out, out
        # Dependencies and arrays have an expected start.
        tell(service, "submit", "--count", "1", "--time", "60s", "--after",
             "any:1", "true")
        why = json.loads(tell(service, "why", "3", "--json"))["jobs"][0]
        equal((why["condition"], why["text"], len(why["start_nodes"])),
              ("job 1 ends at its time limit", "waits for any:1", 1))
        rows = json.loads(tell(service, "forecast", "--json"))["jobs"]
        equal([row["start"] for row in rows if row["id"] == 3],
              [why["start"]])
        assert "if job 1 ends at its time limit" in tell(service, "show", "3")


def together():
    """several jobs, and whole arrays, are held, released and cancelled"""
    with Service() as service:
        tell(service, "submit", "--shape", "4x4", "--time", "60s", "--", "sh",
             "-c", WAIT)
        tell(service, "submit", "--count", "1", "--time", "5s", "--array",
             "1-5", "true")
        equal(json.loads(tell(service, "hold", "--json", "2-6"))["jobs"],
              [2, 3, 4, 5, 6])
        tell(service, "release", "3-4", "6")
        equal([service.job(n).get("hold") for n in range(2, 7)],
              ["user", None, None, "user", None])
        tell(service, "cancel", "2")
        tell(service, "cancel", "1-3", "5")
        equal([service.ended(n)["why"] for n in (1, 2, 3, 5)],
              ["cancelled"] * 4)
        service.ended(4)
        service.ended(6)
        equal(service.tori("cancel", "2-6"),
              (2, "", "tori: no job of 2-6 runs or waits\n"))
        equal(tell(service, "submit", "--count", "1", "--hold", "--time", "5s",
                   "true"), "7\n")
        code, out, err = service.tori("cancel", "1", "77", "7", "--json")
        equal((code, json.loads(out)["jobs"]), (2, [7]))
        equal(err.splitlines()[1], "tori: there is no job 77")
        equal(service.ended(7)["why"], "cancelled")
        equal(service.tori("hold", "x")[2], "tori: 'x' is not the number of "
              "a job, such as 17, or of several, such as 17-26\n")


class Pretender(socketserver.ThreadingUnixStreamServer):
    """One who says that jobs 1 to 9 wait, and answers a change only when a
    second one is under way; or hangs up."""
    daemon_threads = True
    request_queue_size = 99

    def __init__(self, path):
        self.two, self.hangs_up = threading.Barrier(2), False
        super().__init__(path, Answers)


class Answers(socketserver.StreamRequestHandler):
    def handle(self):
        while (line := self.rfile.readline()):
            while self.rfile.readline().strip():
                pass
            if line.startswith(b"GET"):
                ids = range(1, 10) if b"state=queued" in line else []
                body = json.dumps({"jobs": [{"id": n} for n in ids]})
            elif self.server.hangs_up:
                return
            else:
                self.server.two.wait(PATIENCE)
                body = "{}"
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
                             b"%s" % (len(body), body.encode()))


def at_once():
    """jobs are changed several at a time, and not after torid has gone"""
    with Service() as service:
        with Pretender(service.path("fake")) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            words = "cancel", "--socket", service.path("fake"), "1-8"
            equal(service.tori(*words), (0, "", ""))
            server.hangs_up = True
            code, out, err = service.tori(*words)
            equal((code, out, err.count("\n")), (1, "", 1))
            server.shutdown()
        service.kill()
        equal(service.tori("cancel", "1", "2", "3"),
              (1, "", f"tori: {service.socket}: cannot connect; is torid "
               "running?\n"))


def found():
    """the socket of the user is found, if it is there"""
    with Service() as service:
        def queue():
            done = subprocess.run(
                [os.path.join(BUILD, "tori"), "queue"], text=True, env={
                    "XDG_RUNTIME_DIR": service.path("mine")},
                capture_output=True, timeout=PATIENCE, check=False)
            return done.stdout or done.stderr

        assert "/run/tori/socket" in queue()
        os.makedirs(service.path("mine/tori"))
        os.symlink(service.socket, service.path("mine/tori/socket"))
        equal(queue(), "no jobs\n")


def drained():
    """nodes are drained for a reason, which survives, and resumed"""
    with Service() as service:
        equal(tell(service, "drain", "0,0/1x2", "3,3", "--why",
                   "new cables"), "3 nodes drained\n")
        service.kill()
        service.begin()
        equal(tell(service, "nodes"), """\
node     state    why
0,0/1x2  drained  new cables
3,3      drained  new cables
13 of 16 nodes are in service
""")
        equal(json.loads(tell(service, "drain", "0,0", "--json", "--why",
                              "burnt"))["nodes"], 1)
        equal(service.kill(signal.SIGTERM), 0)
        service.begin()
        equal([node.get("why") for node in json.loads(
            tell(service, "nodes", "--json"))["nodes"][:3]],
            ["burnt", "new cables", None])
        equal(service.ask("GET", "/v1/nodes/3,3")[1]["why"], "new cables")
        equal(tell(service, "resume", "0,0/4x4"), "16 nodes resumed\n")
        equal(tell(service, "nodes"), "16 of 16 nodes are in service\n")
        equal(service.tori("drain", "x y")[0], 2)
        equal(tell(service, "drain", "--down", "1,1", "--why",
                   "a\033[31m\nb\u009bc"), "1 node taken down\n")
        equal(tell(service, "nodes"), """\
node  state  why
1,1   down   a?[31m?b??c
15 of 16 nodes are in service
""")
        equal(service.tori("resume", "0,0/2x2", "3,3"),
              (0, "5 nodes resumed\n", "tori: 1 of them is still down; an "
               "operator brings them up with 'tori resume --up'\n"))
        tell(service, "drain", "1,1")
        equal(tell(service, "resume", "--up", "1,1"), "1 node resumed\n")
        equal(tell(service, "nodes"), "16 of 16 nodes are in service\n")
        equal(service.tori("drain", "9\033,\n1")[2].count("\n"), 1)
        equal("\033" in service.tori("drain", "9\033,\n1")[2], False)
        for port in ("0,0-0,1", "0,0-9,9"):
            equal(service.tori("drain", port), (
                2, "", f"tori: '{port}': a link needs --down\n"))
        equal(tell(service, "drain", "--down", "0,0-0,1", "3,3"),
              "1 node taken down\n1 link taken down\n")
        equal(service.ask("GET", "/v1/snapshot")[1]["down_links"],
              ["0,0-0,1 n"])
        equal(json.loads(tell(service, "resume", "--up", "0,0-0,1", "3,3",
                              "--json"))["links"], 1)
        equal(service.ask("GET", "/v1/snapshot")[1].get("down_links", []), [])
        equal(service.tori("drain", "--down", "0,0-2,2")[0], 2)
    with Service(machine="pod:2/2x2") as service:
        equal(tell(service, "drain", "--down", "1,0,1 +2"),
              "1 link taken down\n")
        equal(service.ask("GET", "/v1/snapshot")[1]["down_links"],
              ["1,0,1 +2"])
        tell(service, "drain", "--down", "0,0,0-0,0,1", "--why", "dust")
        tell(service, "drain", "--down", "1,0,1 +2", "--why", "bent")
        tell(service, "drain", "0,0,1", "--why", "fan")
        for _ in range(2):
            equal(tell(service, "nodes"), """\
node                state    why
0,0,1               drained  fan
link 1,0,1 +2       down     bent
link 0,0,0-0,0,1 n  down     dust
7 of 8 nodes are in service
""")
            service.kill(signal.SIGTERM)
            service.begin()
        tell(service, "resume", "--up", "1,0,1 +2")
        equal(json.loads(tell(service, "nodes", "--json"))["links"],
              [{"link": "0,0,0-0,0,1 n", "state": "down", "why": "dust"}])
        tell(service, "resume", "--up", "0,0,0-0,0,1")
        tell(service, "drain", "--down", "0,0,0-0,0,1")
        equal(service.ask("GET", "/v1/links")[1]["links"],
              [{"link": "0,0,0-0,0,1 n", "state": "down"}])


def logs():
    """what a job writes is shown, and followed from before it starts"""
    with Service() as service:
        tell(service, "submit", "--shape", "4x4", "--time", "60s", "--output",
             "none", "--", "sh", "-c", WAIT)
        os.mkdir(service.path("sub"))
        tell(service, "submit", "--count", "1", "--time", "60s", "--directory",
             "sub", "--output", "out", "--error", service.path("err"), "--",
             "sh", "-c", "echo one; echo bad >&2; " + WAIT.replace(
                 "go", "../go2") + "; echo two")
        equal(service.tori("logs", "2"),
              (3, "", "tori: job 2 has not started\n"))
        with subprocess.Popen(
                [f"{BUILD}/tori", "logs", "-f", "2"], text=True,
                env={**os.environ, "TORI_SOCKET": service.socket},
                stdout=subprocess.PIPE, stderr=subprocess.PIPE) as follower:
            write(service.path("go"), "")
            equal(follower.stdout.readline(), "one\n")
            equal(follower.stderr.readline(), "bad\n")
            equal(service.tori("logs", "2"), (0, "one\n", "bad\n"))
            equal({key: json.loads(tell(service, "logs", "2", "--json"))[key]
                   for key in ("output", "error")},
                  {"output": "one\n", "error": "bad\n"})
            service.kill()  # it waits for the next one
            service.begin()
            write(service.path("go2"), "")
            equal((follower.stdout.read(), follower.wait()), ("two\n", 0))
        equal(service.tori("logs", "1"),
              (2, "", "tori: job 1 has no file for its output: see --output "
               "of 'tori submit'\n"))
        equal(service.tori("logs", "9")[0], 2)


def reserved():
    """operators keep nodes free for a time; jobs keep clear of it"""
    with Service() as service:
        for words, why in [
                ([], "expected NODE|BOX or --count N; or --list or --remove "
                 "ID"),
                (["0,0"], "--for DURATION or --every HOURS is missing; see 'tori "
                          "reserve --help'"),
                (["--count", "3", "0,0", "--for", "1"],
                 "expected NODE|BOX or --count, not both"),
                (["--list", "0,0"],
                 "NODE|BOX cannot be used with --list or --remove"),
                (["--list", "--for", "1h"],
                 "--for cannot be used with --list")]:
            equal(service.tori("reserve", *words),
                  (2, "", f"tori: {why}\n"))
        equal(tell(service, "reserve", "--list"), "nothing is reserved\n")
        service.submit("true", shape="1x1", hold=True)
        equal(tell(service, "reserve", "--from", "+10m", "--for", "1h",
                   "0,0/2x4", "--name", "new cables", "--job", "1"), "1\n")
        equal(tell(service, "reserve", "--from", "2040-01-02 03:04", "--for",
                   "30m", "3,3", "3,2"), "2\n")
        equal([re.split(" {2,}", line.strip()) for line in clocked(
            tell(service, "reserve", "--list")).splitlines()], [
                ["id", "from", "until", "where", "for", "every", "name",
                 "why"],
                ["1", "hh:mm:ss", "hh:mm:ss", "0,0/2x4", "1", "new cables"],
                ["2", "hh:mm:ss", "hh:mm:ss", "3,2 3,3"]])
        windows = json.loads(tell(service, "reserve", "--list",
                                  "--json"))["reservations"]
        equal((windows[0]["until"] - windows[0]["from"], windows[1]["from"]),
              (3600, 2209086240))
        long = service.submit("sleep", "1000", shape="2x4", estimate=3600)
        wait(lambda: service.job(long)["state"] == "running", "not started")
        equal(service.job(long)["place"], {"box": "2,0/2x4"})
        tell(service, "reserve", "--remove", "1-2")
        equal(tell(service, "reserve", "--list"), "nothing is reserved\n")
        equal(service.tori("reserve", "--remove", "7")[0], 2)
        service.tori("cancel", str(long))


class Terminal:
    """A command in a terminal: tori top of a service, or another."""

    def __init__(self, service, columns=80, rows=24, words=("top",),
                 **environment):
        known, tell_known = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.read(known, 1)
            if service:
                os.environ["TORI_SOCKET"] = service.socket
            os.environ.update({"TERM": "xterm", "TZ": "UTC",
                               "LC_ALL": "C.UTF-8", **environment})
            os.execv(f"{BUILD}/tori", ["tori", *words])
        self.text = ""
        self.before = termios.tcgetattr(self.fd)
        self.resize(columns, rows)
        os.write(tell_known, b".")
        os.close(tell_known)
        os.close(known)

    def resize(self, columns, rows):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds=0.05):
        try:
            while select.select([self.fd], [], [], seconds)[0]:
                self.text += os.read(self.fd, 65536).decode()
        except OSError:
            pass

    def press(self, text):
        self.text = ""
        os.write(self.fd, text.encode())

    def lines(self):
        """The lines of the last frame that is complete."""
        self.read()
        frames = self.text.split("\033[J")
        frame = frames[-2].rpartition("\033[H")[2] if frames[1:] else ""
        return re.sub(r"\033\[[0-9;]*[mK]", "", frame).split("\r\n")

    def wait(self, true, what):
        """The lines of a frame of which this is true."""
        found = []

        def look():
            found[:] = self.lines()
            try:
                return true(found)
            except IndexError:
                return False
        try:
            wait(look, what)
        except AssertionError:
            raise AssertionError(f"{what}: {found}") from None
        return found

    def end(self, then=""):
        """How it ended, what it said then, and whether the terminal is as it
        was."""
        seen = 0, 0

        def ended():
            nonlocal seen
            self.read(0)
            seen = os.waitpid(self.pid, os.WNOHANG)
            return seen[0]
        wait(ended, "it does not end")
        self.read()
        _, left, after = self.text.rpartition("\033[?7h\033[?25h\033[?1049l")
        assert left, self.text
        after = re.sub(r"\033\[[0-9;]*m", "", after)
        equal(after.replace("\r\n", "\n"), then)
        equal(termios.tcgetattr(self.fd), self.before)
        os.close(self.fd)
        return seen[1]


def top():
    """a live view: map, jobs and numbers, by events, in any terminal"""
    with Service(machine="torus:3x4x6", executor="rehearse") as service:
        service.submit("x", shape="3x4x4", estimate=36000, runtime=36000,
                       name="a\033[31mb")
        service.submit("x", shape="3x4x3", estimate=3600)
        screen = Terminal(service)
        lines = screen.wait(lambda it: " 2 " in it[11],
                            "nothing is shown")
        equal(lines[0],
              "torus:3x4x6: 48 of 72 nodes busy (67 %), 24 free, 0 out of "
              "service")
        equal(clocked(lines[1]), "hh:mm:ss  1 run, 1 wait; largest free box: "
              "3x4x2 (24 nodes)")
        equal(lines[3:8], ["0       1       2"]
              + ["aaaa..  aaaa..  aaaa.."] * 4)
        assert "a?[31mb" in lines[10], lines
        assert "not enough free nodes" in lines[11], lines
        assert lines[-1].startswith("q quit"), lines
        service.tori("drain", "0,0,5")  # an event
        screen.wait(lambda it: it[4] == "aaaa.-  aaaa..  aaaa..",
                    "what happens is not shown")
        for number in range(30):
            service.submit("x", count=60, estimate=60 + number)
        screen.wait(lambda it: it[1].split()[3] == "31", "no new jobs")
        screen.press("\033[F")  # the end
        screen.wait(lambda it: " 32 " in it[-2], "does not scroll")
        screen.press("g")
        screen.wait(lambda it: " 1 " in it[10], "does not scroll back")
        screen.press("s")
        screen.wait(lambda it: "by user" in it[-1], "does not sort")
        screen.press("ss")
        screen.wait(lambda it: "by time" in it[-1] and " 1 " in it[10]
                    and " 2 " in it[11] and " 32 " in it[12], "not by time")
        screen.press("m")
        screen.wait(lambda it: " 1 " in it[3], "the map is not hidden")
        screen.press("m")
        for columns, rows in ((40, 12), (10, 5), (200, 60), (1, 1), (80, 24)):
            screen.resize(columns, rows)
            lines = screen.wait(
                lambda it, r=rows, c=columns: 1 <= len(it) <= max(r, 3)
                and max(map(len, it)) <= c and (r < 24 or len(it) > 20),
                f"not drawn for {columns} columns")
        screen.press("q")
        equal(screen.end(), 0)
        screen = Terminal(service, NO_COLOR="1")
        screen.wait(lambda it: len(it) > 10, "nothing is shown")
        assert not re.search(r"\033\[[0-9;]*m", screen.text), screen.text
        service.kill()
        screen.wait(lambda it: "cannot connect" in it[2], "no word of it")
        service.begin()
        screen.wait(lambda it: it[2] == "", "does not find torid again")
        os.kill(screen.pid, signal.SIGTERM)
        equal(screen.end(), signal.SIGTERM)
        screen = Terminal(service)
        screen.wait(lambda it: len(it) > 10, "nothing is shown")
        screen.press("\003")
        equal(screen.end(), 0)


def top_once():
    """without a terminal one picture is printed, whole"""
    with Service(machine="torus:2x2x2x12", executor="rehearse") as service:
        service.submit("x", shape="2x2x2x5", estimate=3600, runtime=3600,
                       name="n" * 90)
        equal(clocked(tell(service, "top")).splitlines()[:7], [
            "torus:2x2x2x12: 40 of 96 nodes busy (42 %), 56 free, 0 out of "
            "service",
            "hh:mm:ss  1 run, 0 wait; largest free box: 2x2x2x7 (56 nodes)",
            "", "0,0           0,1           1,0           1,1",
            "  ".join(["aaaaa......."] * 4), "  ".join(["aaaaa......."] * 4),
            ""])
        assert "n" * 90 in tell(service, "top")
        answer = json.loads(tell(service, "top", "--json"))
        equal([answer[key] for key in ("machine", "busy", "free", "out",
                                       "largest")],
              ["torus:2x2x2x12", 40, 56, 0, "2x2x2x7"])
        dumb = Terminal(service, 60, 20, TERM="dumb")
        wait(lambda: dumb.read() or "where or why" in dumb.text, "nothing")
        assert "\033" not in dumb.text, dumb.text
        equal(os.waitpid(dumb.pid, 0)[1], 0)
        os.close(dumb.fd)


TWO_JOBS = """\
1 0 -1 3600 12 -1 -1 12 3600 -1 1 1 1 -1 1 -1 -1 -1
2 5 -1 3600 24 -1 -1 24 3600 -1 1 1 1 -1 1 -1 -1 -1
"""


def watched():
    """a simulation is drawn as it runs, and answers as without"""
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log.swf"
        with open(log, "w", encoding="utf-8") as out:
            out.write(TWO_JOBS)
        words = ("sim", "--machine", "torus:4x6", "--trace", log)

        def watch(*more, **environment):
            return Terminal(None, words=(*words, "--watch", *more),
                            **environment)

        def answer(*more):
            return subprocess.run(
                [f"{BUILD}/tori", *words, *more], text=True, check=True,
                capture_output=True,
                env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout

        screen = watch("--speed", "10s")
        lines = screen.wait(lambda it: it[0].endswith("1 wait"), "no queue")
        assert re.fullmatch(r"torus:4x6 after [0-9.ms]+: 12 of 24 nodes busy "
                            r"\(50 %\), 1 run, 1 wait", lines[0]), lines
        assert re.fullmatch(r"job 2 \(4x6\) waits first, for [0-9.ms]+: "
                            "not enough free nodes", lines[1]), lines
        equal(lines[2:8], ["", "aaaaaa", "aaaaaa", "......", "......", ""])
        equal(lines[8:], ["a 1 2x6", "q leave  space stop  + - speed (10s "
                          "per second)  arrows planes"])
        assert "\033[31ma" in screen.text, screen.text
        screen.press(" ")
        lines = screen.wait(lambda it: "space go on" in it[-1], "no stop")
        screen.press(" --")
        screen.wait(lambda it: "(2.5s per second)" in it[-1], "not slower")
        screen.press("+" * 12)  # 10240 s in a second
        screen.wait(lambda it: "24 of 24 nodes" in screen.text
                    and "\033[32mb" in screen.text, "job 2 does not start")
        equal(screen.end(answer()), 0)
        screen = watch("--json", NO_COLOR="1")
        screen.wait(lambda it: it[0].endswith("1 wait"), "no queue")
        assert not re.search(r"\033\[[0-9;]*m", screen.text), screen.text
        screen.press("q")
        equal(screen.end(answer("--json")), 0)
        screen = watch()
        screen.wait(lambda it: len(it) > 5, "nothing is shown")
        screen.press("\003")
        equal(screen.end(), signal.SIGINT)
        screen = watch()
        screen.wait(lambda it: len(it) > 5, "nothing is shown")
        os.kill(screen.pid, signal.SIGTERM)
        equal(screen.end(), signal.SIGTERM)


def in_bash(line, environment):
    """What bash offers for the last word of a line."""
    words = line.split(" ")
    done = subprocess.run(
        ["bash", "--norc", "-c", f"source {BUILD}/doc/tori; COMP_WORDS=("
         + " ".join(f"'{word}'" for word in words)
         + f"); COMP_CWORD={len(words) - 1}; _tori; "
         "printf '%s\\n' \"${COMPREPLY[@]}\""],
        text=True, capture_output=True, check=True, env=environment)
    return set(done.stdout.split()), done.stderr


def in_fish(line, environment):
    done = subprocess.run(
        ["fish", "--no-config", "-c",
         f"source {BUILD}/doc/tori.fish; complete -C '{line}'"],
        text=True, capture_output=True, check=True, env=environment)
    return {row.split("\t")[0] for row in done.stdout.splitlines()}, \
        done.stderr


def in_zsh(line, environment):
    """zsh completes only in a terminal; a mark ends what it offers."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update({**environment, "TERM": "dumb",
                           "ZDOTDIR": "/nonexistent"})
        os.execlp("zsh", "zsh", "-f", "-i")
    text = ""

    def read_until(mark):
        nonlocal text
        text, until = "", time.monotonic() + 20
        while mark not in text and time.monotonic() < until:
            if select.select([fd], [], [], 1)[0]:
                text += os.read(fd, 65536).decode("utf-8", "replace")
    os.write(fd, f"""
PS1='%'; unsetopt zle_bracketed_paste 2>/dev/null; stty columns 200
fpath=({BUILD}/doc $fpath); autoload -U compinit; compinit -u -D
LISTMAX=1000; bindkey '^I' list-choices
""".encode())
    os.write(fd, b"echo rea''dy\n")
    read_until("ready")
    os.write(fd, line.encode() + b"\t")
    os.write(fd, b"\x15echo do''ne\n")
    read_until("done\r\n")
    os.write(fd, b"\x04")
    os.close(fd)
    os.waitpid(pid, 0)
    return set(text.partition(line)[2].split()), ""


def completed():
    """shells complete the numbers of jobs and the names of nodes"""
    shells = [(name, complete) for name, complete in
              (("bash", in_bash), ("fish", in_fish), ("zsh", in_zsh))
              if shutil.which(name)]
    if not os.path.exists(f"{BUILD}/doc/tori"):
        raise Skip("no completion was made")
    with Service(machine="torus:2x3") as service:
        for _ in range(3):
            service.submit("true", hold=True)
        service.submit("true")
        service.ended(4)
        environment = {**os.environ, "TORI_SOCKET": service.socket,
                       "HOME": service.files,
                       "PATH": f"{BUILD}:{os.environ['PATH']}"}
        away = {**environment, "TORI_SOCKET": service.path("nothing")}
        mute = {**environment, "TORI_SOCKET": service.path("mute")}
        with socket.socket(socket.AF_UNIX) as deaf:
            deaf.bind(service.path("mute"))
            deaf.listen()
            for name, complete in shells:
                for line, least, none in [
                        ("tori cancel ", {"1", "2", "3"}, {"4"}),
                        ("tori show ", {"1", "2", "3", "4"}, {"5"}),
                        ("tori drain 1,", {"1,0", "1,1", "1,2"}, {"1"}),
                        ("tori submit --only ", {"0,0", "1,2"}, {"1"})]:
                    # On a busy machine torid may answer too late.
                    until = time.monotonic() + PATIENCE
                    words, err = complete(line, environment)
                    while not least <= words and time.monotonic() < until:
                        words, err = complete(line, environment)
                    assert least <= words and not none & words, \
                        (name, line, words)
                    equal(err, "")
                for where in (away, mute):
                    words, err = complete("tori cancel ", where)
                    assert not {"1", "2", "3"} & words, (name, words)
                    equal(err, "")
        equal(service.tori("completion", "jobs"), (0, "1\n2\n3\n", ""))


def patient():
    """a job waits for its box for a while, also over a restart of torid"""
    with Service(machine="mesh:4") as service:
        service.submit("sh", "-c", WAIT, shape="2", only=["1/2"])
        for words, why in (
                (("2@soon,count=2",), "soon"),
                (("2@10,count=2",), "'10' has two meanings"),
                (("2@5m,2",), "expected a shape, or SHAPE@TIME"),
                (("2@5m", "--or", "1", "--patience", "9"), "both say")):
            code, _, err = service.tori("submit", "--time", "1h", "--shape",
                                        *words, "true")
            assert code == 2 and why in err, err
        equal(service.tori("submit", "--time", "1h", "--shape", "2@8s,count=2",
                           "true")[0], 0)
        job = service.job(2)
        equal((job["shape"], job["patience"], job["alternatives"]),
              ("2", 8, [{"count": 2}]))
        text = tell(service, "why", "2")
        assert "waits for that until" in text \
            and "then also takes 2 nodes" in text, text
        service.kill()
        service.begin()
        wait(lambda: service.job(2)["state"] == "ended", "it does not run")
        job = service.job(2)
        equal(sorted(job["place"]["nodes"]), ["0", "3"])
        assert 8 <= job["start"] - job["submit"] < 60, job


def silent():
    """a torid that is stopped is reported, and its answer still awaited"""
    with Service() as service:
        service.process.send_signal(signal.SIGSTOP)
        with subprocess.Popen(
                [os.path.join(BUILD, "tori"), "submit", "--socket",
                 service.socket, "--shape", "2x2", "--time", "1m", "true"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True) as client:
            try:
                line = client.stderr.readline()
            finally:
                service.process.send_signal(signal.SIGCONT)
            equal(line, f"tori: {service.socket}: torid has not answered for "
                  "5 s: it is busy, or stopped; still waiting\n")
            equal((*client.communicate(), client.returncode), ("1\n", "", 0))


def described():
    """every field of every answer is in 'tori help json'"""
    with Service() as service:
        os.environ["TORI_SOCKET"] = service.socket
        page = answers.documented()
        service.submit(
            "sh", "-c", WAIT, alternatives=[{"shape": "1x2"}], only=["0,0/4x4"],
            shape="2x2", wiring="torus", fixed=True, wrap=True, queue="default",
            output="out", error="err", input="/dev/null", name="all",
            priority=1, level=1, preempted="kill", checkpoint=5,
            movable=False, on_failure="repair", after=[], begin=5)
        wait(lambda: service.job(1)["state"] == "running", "does not start")
        wait(lambda: os.path.exists(service.path("err")), "no files")
        service.submit("true", hold=True, array="1-2%1")
        service.submit("true", shape="4x4")
        for line in ["queue", "show 1", "show 2", "show 4", "why 4", "top",
                     "forecast", "what-if --cancel 1", "defrag --for 4",
                     "drain 3,3 --why x", "nodes", "resume 3,3", "logs 1",
                     "hold 4", "release 4", "change 4 --name x", "cancel 3",
                     "users", "queues",
                     "reserve --from +1h --for 1h --count 2 --job 2",
                     "reserve --list", "reserve --remove 1",
                     "submit --json --count 1 --hold --time 5s true",
                     "submit --json --test-only --count 99 --or 1 --time 5s x",
                     "submit --json --test-only --shape 4x4 --time 5s true",
                     "cancel 1", "wait 1 3", "queue --all", "history"]:
            equal((line, answers.complaints(line, page)), (line, []))


sys.exit(run([clients, restarted, listed, shown, aliases, scripts, bad_scripts, ends,
              submissions, other_bytes, secrets,
              tried, tried_in_queues, together, at_once, found, drained, logs, reserved,
              top, top_once, watched, completed, patient, silent, described]))
