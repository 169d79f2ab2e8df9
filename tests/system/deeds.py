"""What one user may do to all others of a torid: each deed is a function, and they
are in a table (DEEDS). hostile.py does them, and measures who waits for them.
"""
import contextlib
import http.client
import json
import math
import os
import random
import socket
import time

from service import PATIENCE, SIMPLE, AsUser, Skip, as_user, equal, wait

JOB = {"command": ["true"], "count": 1, "estimate": 60}


class Client:
    """Requests of a user, by token; None for a stranger."""

    def __init__(self, port, token):
        self.port, self.token, self.connection = port, token, None

    def ask(self, method, path, body=None, **more):
        """The status and the answer; None and why if there is none."""
        text = body if body is None or isinstance(body, (bytes, str)) \
            else json.dumps(body)
        headers = {"Content-Type": "application/json", **more}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            if not self.connection:
                self.connection = http.client.HTTPConnection(
                    "127.0.0.1", self.port, timeout=PATIENCE)
            self.connection.request(method, path, text, headers)
            answer = self.connection.getresponse()
            said = answer.read()
            return answer.status, json.loads(said) \
                if said[:1] in (b"{", b"[") else said
        except (OSError, http.client.HTTPException) as error:
            self.hang_up()
            return None, str(error)

    def hang_up(self):
        self.connection.close()
        self.connection = None


class Place:
    """A torid with many nodes and a planned start for every job, and a user who
    does something to it. Names do not come while the file `slow` is there; the
    output of a job of nobody's, if there is one, never comes."""

    def __init__(self, service, slow, hung=None, number=0, rounds=4,
                 until=math.inf):
        self.service, self.slow, self.hung = service, slow, hung
        self.rounds, self.filled, self.until = rounds, False, until
        self.user = Client(service.port,
                           service.token(f"mallory{number}", "user"))
        self.stranger, self.owner = Client(service.port, None), None

    def ask(self, *words, **more):
        """A request that may be refused, and must be answered."""
        code, said = self.user.ask(*words, **more)
        assert code and code not in (500, 504), f"{words[:2]}: {code} {said}"
        return code, said

    def submit(self, *jobs):
        code, said = self.ask("POST", "/v1/jobs", list(jobs))
        return said["ids"] if code == 201 else []

    def fill(self):
        """A queue of shapes, each with a planned start, behind a long job."""
        dice = random.Random(1)
        if self.filled:
            return
        self.filled = True
        self.submit({"command": ["sleep", "1000000"], "estimate": 1000000,
                     "only": ["0,0,0/16x16x16"], "count": 16 ** 3})
        for _ in range(self.rounds):
            if time.monotonic() > self.until:
                break
            self.submit(*[
                {"command": ["true"], "estimate": dice.randint(60, 9999),
                 "shape": "x".join(str(dice.randint(1, 8)) for _ in "xyz")}
                for _ in range(470)])

    def cancel(self, numbers):
        for number in numbers:
            self.ask("DELETE", f"/v1/jobs/{number}")


def files(place):
    """output is read, 3 times, from a file system that does not answer"""
    if not place.hung:
        raise Skip("needs root, and FUSE")
    place.owner = place.owner or Client(
        place.service.port, place.service.token("nobody", "user"))
    for _ in range(3):
        code, said = place.owner.ask("GET", f"/v1/jobs/{place.hung}/output")
        assert code in (503, 429), f"{code} {said}"


def names(place):
    """80 users of this host ask, and the names of none of them come"""
    if os.geteuid() != 0 or not SIMPLE:
        raise Skip("needs root, and a build without sanitizers")

    def ask():
        return place.service.ask("GET", "/v1/machine")[0]
    first = 1 << 20
    with open(place.slow, "w", encoding="utf-8") as file:
        file.write(str(first))
    hung = [AsUser(first + i, ask) for i in range(80)]
    wait(lambda: os.path.exists(place.slow + ".asked"), "nobody asks")
    equal((as_user("daemon", ask), ask()), (200, 200))
    os.remove(place.slow)
    os.remove(place.slow + ".asked")
    for one in hung:
        assert one.result() in (200, 503)


def rename(place):
    """30 held jobs get names of 7 MiB"""
    for number in place.submit(*[{**JOB, "hold": True}] * 30):
        # It may be told so, and cut off, before all of it is sent.
        place.user.ask("PATCH", f"/v1/jobs/{number}",
                       {"name": "x" * (7 << 20)})
        place.cancel([number])


def keys(place):
    """300 jobs with keys of 15 kB"""
    for i in range(300):
        place.ask("POST", "/v1/jobs", {**JOB, "hold": True},
                  **{"Idempotency-Key": f"{i:015000}"})


def sets(place):
    """jobs that may each run on all nodes are refused for the last one"""
    for n in (8999, 999, 999):
        place.ask("POST", "/v1/jobs", [
            {**JOB, "only": ["0,0,0/32x32x32"]} for _ in range(n)]
                  + [{**JOB, "only": ["99,0,0/1x1x1"]}])


def nodes(place):
    """all nodes are listed, and HEAD of that, 10 times"""
    for _ in range(10):
        for method in ("GET", "HEAD"):
            place.ask(method, "/v1/nodes/0,0,0/32x32x32")


def priorities(place):
    """a priority is changed before thousands of waiting shapes, 20 times"""
    place.fill()
    for number in place.submit(JOB):
        for i in range(20):
            place.ask("PATCH", f"/v1/jobs/{number}", {"priority": -1 - i})
        place.cancel([number])


def alternatives(place):
    """500 jobs with four shapes each come to thousands of others"""
    place.fill()
    place.cancel(place.submit(*[
        {"command": ["true"], "estimate": 99, "shape": "9x8x7",
         "alternatives": [{"shape": shape} for shape in (
             "8x8x8", "16x8x4", "16x4x8")]}] * 500))


def signins(place):
    """a stranger signs in 500 times with tokens that are not known"""
    for i in range(500):
        code, said = place.stranger.ask("POST", "/signin",
                                        {"token": f"{i:064}"})
        assert code and code < 500, f"{code} {said}"


def changes(place):
    """a job is held and released 1,000 times"""
    for number in place.submit({**JOB, "hold": True}):
        for i in range(1000):
            place.ask("PATCH", f"/v1/jobs/{number}", {"hold": i % 2 == 0})
        place.cancel([number])


def lists(place):
    """1,000 waiting shapes are listed, between changes, again and again"""
    place.fill()
    for number in place.submit({**JOB, "hold": True}):
        for i in range(place.rounds):
            place.ask("PATCH", f"/v1/jobs/{number}", {"hold": i % 2 == 0})
            place.ask("GET", "/v1/jobs?limit=1000")
        place.cancel([number])


def chains(place):
    """1,000 jobs wait for one, which is cancelled"""
    for head in place.submit({**JOB, "hold": True}):
        place.submit(*[{**JOB, "after": f"ok:{head}"}] * 1000)
        place.cancel([head])


def many(place):
    """800 jobs with 16 alternatives each come in one request"""
    shapes = ["x".join(str(side) for side in (a, b, c))
              for a in (1, 2, 3) for b in (2, 3) for c in (2, 4, 5)][:16]
    place.cancel(place.submit(*[
        {"command": ["true"], "estimate": 99, "shape": "2x3x7", "hold": True,
         "alternatives": [{"shape": shape} for shape in shapes]}] * 800)[:1])


def counts(place):
    """470 jobs want numbers of nodes, each planned node by node"""
    dice = random.Random(2)
    place.fill()
    for number in place.submit(*[
            {"command": ["true"], "estimate": dice.randint(60, 9999),
             "count": dice.randint(1, 1 << 14)} for _ in range(470)])[:1]:
        place.cancel([number])


def questions(place):
    """why each of thousands of jobs waits, forecasts and snapshots"""
    place.fill()
    for i in range(2 * place.rounds):
        place.ask("GET", ("/v1/why", "/v1/forecast", "/v1/snapshot",
                          "/metrics")[i % 4])


def record(place):
    """others ask for their changes after thousands of long ones of one user"""
    for number in place.submit({**JOB, "hold": True}):
        for i in range(100 * place.rounds):
            place.ask("PATCH", f"/v1/jobs/{number}", {
                "name": "ab"[i % 2] * 1000, "why": "x" * 3900})
        place.cancel([number])
    place.owner = place.owner or Client(
        place.service.port, place.service.token("idle", "user"))
    for _ in range(3):
        code, said = place.owner.ask("GET", "/v1/changes?limit=1000")
        assert code in (200, 429), f"{code} {said}"


def whole(place):
    """a job of 28,000 nodes starts, is renamed and cancelled, 3 times"""
    for _ in range(3):
        for number in place.submit({"command": ["true"], "count": 28000,
                                    "estimate": 60}):
            place.ask("GET", f"/v1/jobs/{number}")
            place.ask("PATCH", f"/v1/jobs/{number}", {"name": "x"})
            place.cancel([number])


def drains(place):
    """an operator drains and resumes half of the nodes, 3 times"""
    place.fill()
    for state in ("drain", "resume") * 3:
        equal(place.service.ask("PATCH", "/v1/nodes/0,0,16/32x32x16",
                                {"state": state})[0], 200)


def connections(place):
    """500 connections ask at once, 5 times"""
    text = (f"GET /v1/jobs?limit=10 HTTP/1.1\r\nHost: torid\r\n"
            f"Authorization: Bearer {place.user.token}\r\n\r\n").encode()
    # Those that wait for longer than torid has patience are cut off.
    with contextlib.ExitStack() as stack, contextlib.suppress(ConnectionError):
        every = [stack.enter_context(socket.create_connection(
            ("127.0.0.1", place.user.port), PATIENCE)) for _ in range(500)]
        for _ in range(5):
            for one in every:
                one.sendall(text[:-1])
            for one in every:
                one.sendall(text[-1:])
            for one in every:
                one.recv(1 << 16)


def values(place):
    """bodies come with as many values as may be, and with more"""
    held = {**JOB, "hold": True}
    for n in (4000, 24000, 120000):
        members = {f"A{i}": "x" for i in range(n)}
        place.cancel(place.submit({**held, "environment": members}))
        place.ask("POST", "/v1/jobs", {**held, **members})
        place.ask("PATCH", "/v1/jobs/1", members)
        for member, word in (("command", "x"), ("only", "0,0,0/32x32x32"),
                             ("alternatives", {"count": 1})):
            place.cancel(place.submit({**held, member: [word] * 2 * n}))
    for n in (40, 240):
        place.cancel(place.submit(
            *[{**held, "command": ["true"] * n}] * 900)[:1])


def orders(place):
    """an array of 200 jobs starts, and each start carries 4,000 variables"""
    place.cancel(place.submit(
        {**JOB, "array": "0-199", "environment": {
            f"A{i}": "x" for i in range(4000)}}))


def events(place):
    """an array of 1,001 jobs with a command of 120 kB comes, and is watched"""
    with socket.create_connection(
            ("127.0.0.1", place.user.port), PATIENCE) as watcher:
        watcher.sendall(f"GET /v1/events HTTP/1.1\r\nHost: torid\r\n"
                        f"Authorization: Bearer {place.user.token}\r\n\r\n"
                        .encode())
        watcher.recv(1 << 16)
        place.cancel(place.submit({
            **JOB, "hold": True, "array": "0-1000",
            "command": ["true", "x" * 120000]}))


DEEDS = (files, names, rename, keys, sets, nodes, priorities, alternatives,
         signins, changes, lists, chains, many, counts, questions,
         connections, values, orders, events, record, whole, drains)
# These are about planning, the others about the number of nodes.
SMALL = {priorities, alternatives, lists, questions}
