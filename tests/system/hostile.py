#!/usr/bin/env python3
"""A real torid with users who mean harm, and one who works: nothing of that
one's is lost, ended or late.

    hostile.py BUILD [--seconds N] [--late SECONDS] [--seed N]
    hostile.py BUILD --idle [--deeds NAME ...]
    hostile.py BUILD --all --minutes N

Each deed of a table (deeds.py) is done to a torid of its own, while a bystander
asks: how long does it wait for an answer at most, and how long are the turns of
torid's loop? Here they are judged by their processor time, as other work on
this machine cannot lengthen that, and generously. With --idle, on a machine
with nothing else to do, none may take 0.1 s by the clock; the table goes into
doc/trust.md. With --all, all deeds are done again and again to one torid.

Others, each a process of its own, submit chains of jobs that end together,
arrays beyond all limits and as large as allowed, jobs that would push out
everybody, bodies that are too long or have too many members; they ask for why,
forecast, what-if and snapshots, cancel and change the jobs of others, watch all
events and ask for long lists without reading them, open connections and say
nothing. Meanwhile one user submits, looks and waits, and the answers are timed.
"""
import collections
import contextlib
import json
import multiprocessing
import os
import random
import socket
import sys
import tempfile
import time

from deeds import DEEDS, JOB, SMALL, Client, Place
from service import (BUILD, PATIENCE, SIMPLE, Service, Skip, as_user, bad,
                     equal, read, run, wait)
from silent import Silent


def option(name, usual):
    words = sys.argv
    return float(words[words.index(name) + 1]) if name in words else usual


SECONDS = option("--seconds", 8)
# `make soak` wants a second; here only a hang is late.
LATE = option("--late", PATIENCE)
SEED = int(option("--seed", 1))
IDLE, ALL = "--idle" in sys.argv, "--all" in sys.argv
# Seconds that a turn may take on an idle machine; elsewhere, seconds of the
# processor, the best of some tries.
TURN = 0.1
TURN_ELSEWHERE, TRIES = 5 * TURN, 3

# How long such a job runs by itself: torid-rehearse is a thousand times as fast.
RUN = JOB["estimate"] / 1000
FATES = ("chain", "array", "beyond", "tyrant", "others", "questions",
         "snapshots", "bodies", "members", "watch", "unread", "silence")


# ---- harm ----

class Harm:
    """One who means harm, and what came of it."""

    def __init__(self, port, token, seed):
        self.user, self.stranger = Client(port, token), Client(port, None)
        self.port, self.token = port, token
        self.dice = random.Random(seed)
        self.heads, self.open = [], []
        self.asked = 0

    def forbid(self, code, *allowed):
        """A request that must be refused; 429 and 503 may come first."""
        assert code in (None, 408, 413, 429, 503) + allowed, \
            f"answered with {code}, not one of {allowed}"

    def submit(self, *jobs):
        return self.user.ask("POST", "/v1/jobs", list(jobs))

    def chain(self):
        """Hundreds of jobs, each after the one before; then the head goes."""
        code, said = self.submit({**JOB, "hold": True})
        if code == 429 and self.heads:
            self.user.ask("DELETE", f"/v1/jobs/{self.heads.pop()}")
        if code != 201:
            return
        head = said["ids"][0]
        self.heads.append(head)
        last = head
        for _ in range(3):
            code, said = self.submit(*[
                {**JOB, "after": f"ok:{last + i}"} for i in range(500)])
            if code != 201:  # somebody else had these numbers
                code, said = self.submit({**JOB, "after": f"ok:{last}"})
            if code != 201:
                break
            last = said["ids"][-1]
        if self.dice.random() < 0.8:
            self.user.ask("DELETE", f"/v1/jobs/{self.heads.pop(0)}")

    def array(self):
        """As large as allowed, and after as many."""
        head = self.heads[-1] if self.heads else 1
        code, said = self.submit({**JOB, "array": "0-1000%3", "after": [
            f"any:{max(1, head - i)}" for i in range(1001)]})
        if code == 201 and self.dice.random() < 0.5:
            for number in said["ids"][::97]:
                self.user.ask("DELETE", f"/v1/jobs/{number}")

    def beyond(self):
        code, _ = self.submit({**JOB, "array": "0-100000",
                               "after": ["any:1"] * 5000})
        self.forbid(code, 422)

    def tyrant(self):
        more = self.dice.choice([{"level": 4000000000}, {"priority": 1},
                                 {"preempted": "never"}])
        code, _ = self.submit({**JOB, **more})
        self.forbid(code, 403)

    def others(self):
        """The jobs of the one who works have names."""
        code, said = self.user.ask("GET", "/v1/jobs?user=alice&limit=20")
        jobs = said.get("jobs", []) if code == 200 else []
        for job in self.dice.sample(jobs, min(3, len(jobs))):
            where = f"/v1/jobs/{job['id']}"
            # One that has ended may be forgotten meanwhile.
            for words in ("DELETE", where), ("PATCH", where, {"hold": True}):
                self.forbid(self.user.ask(*words)[0], 403, 404)

    def questions(self):
        for path, body in (("why", None), ("forecast", None),
                           ("what-if", {"jobs": [JOB] * 20}),
                           ("defrag", {"shape": "4x4"})):
            self.user.ask("POST" if body else "GET", f"/v1/{path}", body)

    def snapshots(self):
        for path in ("/v1/snapshot", "/v1/jobs?limit=1000", "/metrics"):
            self.user.ask("GET", path)

    def bodies(self):
        """Long ones, of a user and of a stranger."""
        text = b"[" * 3000000
        self.forbid(self.user.ask("POST", "/v1/jobs", text)[0], 413)
        text = b"[" + b"1," * 3900000 + b"1]"
        self.forbid(self.user.ask("POST", "/v1/jobs", text)[0], 413)
        self.forbid(self.user.ask("POST", "/v1/jobs", 5 * text)[0], 413)
        self.forbid(self.stranger.ask("POST", "/v1/jobs", text)[0], 401)

    def members(self):
        """Many in each of six bodies; the last one costs too much."""
        text = json.dumps({f"k{number}": 1 for number in range(24000)})
        for _ in range(6):
            self.forbid(self.user.ask("POST", "/v1/jobs", text)[0], 400)

    def unread(self):
        """Long lists, and long commands, that nobody reads."""
        code, said = self.submit({**JOB, "hold": True,
                                  "command": ["true", "x" * 2000000]})
        number = said["ids"][0] if code == 201 else 1
        for path in ("?limit=1000", f"/{number}"):
            self.keep(b"GET /v1/jobs%s HTTP/1.1\r\nHost: torid\r\n"
                      b"Authorization: Bearer %s\r\n\r\n"
                      % (path.encode(), self.token.encode()))
        self.user.ask("DELETE", f"/v1/jobs/{number}")

    def watch(self):
        """Streams that nobody reads."""
        self.keep(b"GET /v1/events HTTP/1.1\r\nHost: torid\r\n"
                  b"Authorization: Bearer " + self.token.encode()
                  + b"\r\n\r\n")

    def silence(self):
        self.keep(b"GET /v1/jobs HTTP/1.1\r\nHos")

    def keep(self, text):
        try:
            for _ in range(10):
                self.open.append(
                    socket.create_connection(("127.0.0.1", self.port), 10))
                self.open[-1].sendall(text)
        except OSError:
            pass
        while len(self.open) > 100:
            self.open.pop(0).close()

    def go_on(self, until):
        while time.monotonic() < until:
            getattr(self, self.dice.choice(FATES))()
            self.asked += 1


def do_harm(port, token, seed, until, found):
    harm = Harm(port, token, seed)
    try:
        harm.go_on(until)
        found.put((harm.asked, None))
    except AssertionError as error:
        found.put((harm.asked, f"seed {seed}: {error}"))


# ---- work ----

class Work:
    """One who works: every request is answered soon, every job ends well."""

    def __init__(self, port, token):
        self.client, self.numbers = Client(port, token), []
        self.times = {"submit": [], "look": [], "cancel": [], "end": []}

    def timed(self, what, *words):
        begin = time.monotonic()
        code, said = self.client.ask(*words)
        self.times[what].append(time.monotonic() - begin)
        assert code and code < 300, f"{what}: {code} {said}"
        return said

    def one_job(self, seed):
        job = {**JOB, "name": "work", "hold": seed % 5 == 0}
        number = self.timed("submit", "POST", "/v1/jobs", job)["ids"][0]
        if job["hold"]:
            self.timed("cancel", "DELETE", f"/v1/jobs/{number}")
            return
        begin = time.monotonic()
        while self.timed("look", "GET",
                         f"/v1/jobs/{number}")["state"] != "ended":
            assert time.monotonic() < begin + 10 * LATE, \
                f"job {number} does not end"
            time.sleep(0.02)
        self.times["end"].append(time.monotonic() - begin - RUN)
        self.numbers.append(number)

    def look(self, number):
        """A job, at the pace at which a user may ask."""
        while True:
            code, job = self.client.ask("GET", f"/v1/jobs/{number}")
            if code != 429:
                return code, job
            time.sleep(0.5)

    def check(self):
        assert self.numbers, "nothing was done"
        for number in self.numbers:
            code, job = self.look(number)
            equal((number, code, job.get("state"), job.get("status")),
                  (number, 200, "ended", 0))

    def report(self):
        for what, times in self.times.items():
            times.sort()
            if times:
                print(f"# {what}: {len(times)} times, median "
                      f"{1e3 * times[len(times) // 2]:.1f} ms, 99 of 100 "
                      f"within {1e3 * times[len(times) * 99 // 100]:.1f} ms, "
                      f"most {1e3 * times[-1]:.1f} ms", flush=True)


def memory(service):
    """Of torid, in MiB: now, and at most."""
    status = read(f"/proc/{service.process.pid}/status")
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return [int(fields[key].split()[0]) // 1024
            for key in ("VmRSS", "VmHWM")]


def hostile():
    """users who mean harm do none to one who works"""
    with Service("--max-nodes", "32", tcp=True, machine="torus:8x8",
                 executor="rehearse") as service:
        work = Work(service.port, service.token("alice", "user"))
        found = multiprocessing.Queue()
        until = time.monotonic() + SECONDS
        harms = [multiprocessing.Process(
            target=do_harm,
            args=(service.port, service.token(f"mallory{i}", "user"), SEED + i,
                  until, found)) for i in range(3)]
        for harm in harms:
            harm.start()
        jobs = 0
        while time.monotonic() < until:
            jobs += 1
            work.one_job(jobs)
        told = [found.get(timeout=600) for _ in harms]
        for harm in harms:
            harm.join()
        print(f"# {SECONDS:.0f} s, {sum(n for n, _ in told)} deeds, memory "
              f"in MiB {memory(service)}", flush=True)
        work.report()
        work.check()
        equal([why for _, why in told if why], [])
        equal(service.process.poll(), None)
        equal(service.ask("GET", "/healthz")[0], 200)
        late = {what: times[-1] for what, times in work.times.items()
                if times and times[-1] > LATE}
        equal(late, {})
        service.kill()
        service.begin()
        work.client.hang_up()
        work.check()


# ---- deeds ----

Row = collections.namedtuple("Row", "wait asked turn processor")


def stand_by(port, token, over, found):
    """One who submits, looks and cancels meanwhile; how long that takes."""
    client, longest, asked, why = Client(port, token), 0, 0, None
    while not over.is_set() and not why:
        number = None
        for method in ("POST", "GET", "DELETE"):
            begin = time.monotonic()
            code, said = client.ask(
                method, f"/v1/jobs/{number}" if number else "/v1/jobs",
                None if number else {**JOB, "hold": True})
            longest = max(longest, time.monotonic() - begin)
            if not code or code >= 300:
                why = f"{method}: {code} {said}"
                break
            asked += 1
            number = number or said["ids"][0]
        time.sleep(0.01)
    found.put((longest, asked, why))


class Bystander:
    """A process that stands by."""

    def __init__(self, service):
        self.over, self.found = multiprocessing.Event(), multiprocessing.Queue()
        self.process = multiprocessing.Process(target=stand_by, args=(
            service.port, service.token("alice", "user"), self.over,
            self.found))
        self.process.start()

    def end(self):
        self.over.set()
        longest, asked, why = self.found.get(timeout=2 * PATIENCE)
        self.process.join()
        equal(why, None)
        return longest, asked


@contextlib.contextmanager
def large(machine):
    """What a Place is of: a torid with much to plan, a file that keeps names from
    it, and a job of nobody's whose output does not answer, or None."""
    with contextlib.ExitStack() as stack:
        slow = os.path.join(stack.enter_context(tempfile.TemporaryDirectory()),
                            "names")
        try:
            silent = stack.enter_context(Silent()) if os.geteuid() == 0 \
                else None
        except Skip:
            silent = None
        service = stack.enter_context(Service(
            "--sched", "conservative", "--question-time", "1s", tcp=True,
            machine=machine, environment=bad("names", BAD_NAMES=slow)
            if SIMPLE else None))
        os.chmod(service.files, 0o777)
        job = None
        if silent:
            job = as_user("nobody", lambda: service.submit(
                "echo", "hello", output="mine"))
            service.ended(job)
            os.unlink(service.path("mine"))
            os.symlink(silent.file, service.path("mine"))
        yield service, slow, job


def turns(service):
    def scraped():
        code, text = service.ask("GET", "/metrics")
        return text if code == 200 else None
    text = wait(scraped, "no metrics")
    return [float(text.split(f"\ntori_loop_{kind}seconds_max ")[1].split()[0])
            for kind in ("", "processor_")]


def play(deed):
    with large("torus:16x16x16" if deed in SMALL
               else "torus:32x32x32") as (service, *more):
        bystander = Bystander(service)
        try:
            deed(Place(service, *more, rounds=20 if IDLE else 4))
        finally:
            longest, asked = bystander.end()
        return Row(longest, asked, *turns(service))


def is_good(row):
    return row.turn <= TURN if IDLE else row.processor <= TURN_ELSEWHERE


def judged(deed):
    """The best of some tries; with --idle, there is one."""
    for _ in range(1 if IDLE else TRIES):
        row = play(deed)
        if is_good(row) or not SIMPLE:
            break
    return row


def deeds():
    """no deed of a user makes others wait"""
    late = []
    chosen = sys.argv[sys.argv.index("--deeds") + 1:] \
        if "--deeds" in sys.argv else []
    print("# | deed | longest wait of a bystander | longest turn | of the "
          "processor |\n# |---|---:|---:|---:|")
    for deed in DEEDS:
        if chosen and deed.__name__ not in chosen:
            continue
        try:
            row = judged(deed)
        except Skip as why:
            print(f"# {deed.__name__}: skipped, {why}", flush=True)
            continue
        print(f"# | {deed.__doc__} | {1e3 * row.wait:.0f} ms | "
              f"{1e3 * row.turn:.0f} ms | {1e3 * row.processor:.0f} ms |",
              flush=True)
        if SIMPLE and not is_good(row):
            late.append(deed.__name__)
    equal(late, [])


def repeat(deed, place, until, found):
    """A deed again and again; how often, and what was wrong."""
    count, why = 0, None
    while time.monotonic() < until and not why:
        try:
            deed(place)
            count += 1
        except Skip:
            break
        except Exception as error:  # pylint: disable=broad-except
            why = f"{type(error).__name__}: {error}"
    found.put((deed.__name__, count, why))


def all_at_once():
    """all deeds at once, and three users who mean harm, make nobody wait"""
    found, until = multiprocessing.Queue(), \
        time.monotonic() + 60 * option("--minutes", 10)
    with large("torus:32x32x32") as (service, *more):
        bystander, longest = Bystander(service), [0, 0]
        workers = [multiprocessing.Process(target=repeat, args=(
            deed, Place(service, *more, i, 20, until), until, found))
                   for i, deed in enumerate(DEEDS)]
        workers += [multiprocessing.Process(target=do_harm, args=(
            service.port, service.token(f"harm{i}", "user"), SEED + i,
            until, found)) for i in range(3)]
        for worker in workers:
            worker.start()
        while time.monotonic() < until:
            time.sleep(10)
            longest = list(map(max, zip(longest, turns(service))))
        told = [found.get(timeout=10 * PATIENCE) for _ in workers]
        for worker in workers:
            worker.join()
        row = Row(*bystander.end(), *longest)
        print(f"# {row}\n# {told}, memory in MiB {memory(service)}")
        slow = [line for line in read(service.path("log")).splitlines()
                if "event=slow-turn" in line]
        slow.sort(key=lambda line: -float(
            line.split("processor=")[1].split()[0]))
        print("# " + "\n# ".join(slow[:20]), flush=True)
        equal([one for one in told if one[-1]], [])
        equal(service.process.poll(), None)
        assert row.processor <= TURN, row


if __name__ == "__main__":
    sys.exit(run([all_at_once] if ALL else [deeds] if IDLE
                 else [hostile, deeds]))
