#!/usr/bin/env python3
"""Usage: api.py BUILD-DIRECTORY [--only NAME...]

What torid answers over HTTP, route by route. In TAP.
"""
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import time
import zlib

import service
from service import BUILD, PATIENCE, Local, Skip, equal, read, run, wait


ANSWERS = []  # of all tests: method, path, code and what was answered


def ask(service, method, path, body=None, **headers):
    """The code, the headers and the text of an answer."""
    connection = Local(service.socket)
    try:
        connection.request(method, path,
                           None if body is None else json.dumps(body),
                           {name.replace("_", "-"): value
                            for name, value in headers.items()})
        answer = connection.getresponse()
        text = answer.read().decode()
    finally:
        connection.close()
    if answer.headers["Content-Type"] == "application/json" and text:
        ANSWERS.append((method, path, answer.status, json.loads(text)))
    return answer.status, answer.headers, text


class Service(service.Service):
    """One whose answers are kept."""

    def ask(self, method, path, body=None, headers=None):
        code, _, text = ask(self, method, path, body, **(headers or {}))
        return code, json.loads(text) if text[:1] in "{[" else text


HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))

try:
    import jsonschema
except ImportError:
    jsonschema = None


def message(answer):
    return json.loads(answer[2])["error"]["message"]


def routes():
    """HEAD, OPTIONS and methods that there are not"""
    with Service(executor="rehearse") as service:
        for path, methods in [("/v1/jobs", "GET, HEAD, POST, OPTIONS"),
                              ("/v1/jobs/7",
                               "GET, HEAD, PATCH, DELETE, OPTIONS"),
                              ("/healthz", "GET, HEAD, OPTIONS")]:
            code, headers, text = ask(service, "OPTIONS", path)
            equal((code, headers["Allow"], text), (204, methods, ""))
            answer = ask(service, "PUT", path)
            equal((answer[0], answer[1]["Allow"]), (405, methods))
            assert methods in message(answer), answer
        whole = ask(service, "GET", "/v1/machine")
        head = ask(service, "HEAD", "/v1/machine")
        equal((head[0], head[2], head[1]["Content-Length"]),
              (200, "", str(len(whole[2]))))
        equal(ask(service, "OPTIONS", "/v1/nothing")[0], 404)


def queries():
    """what a query says is checked, and a refusal says what is expected"""
    with Service(executor="rehearse") as service:
        for words, expected in [
                ("limit=0", "limit: expected a whole number from 1 to 1000"),
                ("limit=ten", "limit: expected a whole number from 1 to"),
                ("limit=1001", "limit: expected a whole number from 1 to"),
                ("after=-1", "after: expected a whole number"),
                ("state=waiting",
                 "state: expected one of queued, running, ended"),
                ("stat=queued", "stat: expected state, user, alias, limit, after")]:
            answer = ask(service, "GET", "/v1/jobs?" + words)
            equal(answer[0], 400)
            assert expected in message(answer), answer
        answer = ask(service, "GET", "/healthz?x=1")
        assert "x: expected nothing" in message(answer), answer


def pages():
    """every page tells where the next one is"""
    with Service(executor="rehearse") as service:
        job = {"count": 16, "estimate": 6000, "command": ["x"]}
        equal(ask(service, "POST", "/v1/jobs", [job] * 7)[0], 201)
        users = json.loads(ask(service, "GET", "/v1/users")[2])["users"]
        queues = json.loads(ask(service, "GET", "/v1/queues")[2])["queues"]
        equal([queue["queue"] for queue in queues], ["default"])
        equal([one["queued"] + one["running"] for one in users], [7])
        path, seen = "/v1/jobs?limit=2&state=queued", []
        while path:
            code, headers, text = ask(service, "GET", path)
            equal(code, 200)
            page = json.loads(text)
            seen += [one["id"] for one in page["jobs"]]
            link = headers["Link"]
            equal("next" in page, link is not None)
            path = link and link[1:link.index(">")]
        equal(seen, [2, 3, 4, 5, 6, 7])


def created():
    """one job that is made is named by a header; more are not"""
    with Service(executor="rehearse") as service:
        job = {"count": 1, "estimate": 60, "command": ["x"]}
        code, headers, text = ask(service, "POST", "/v1/jobs", job)
        equal((code, json.loads(text)), (201, {"ids": [1]}))
        equal(headers["Location"], "/v1/jobs/1")
        equal(service.ask("GET", headers["Location"])[1]["id"], 1)
        code, headers, _ = ask(service, "POST", "/v1/jobs", [job, job])
        equal((code, headers["Location"]), (201, None))


def waits():
    """a job that waits says why, in the words of tori queue"""
    with Service(machine="torus:4x4") as service:
        first = service.submit("sleep", "1000", shape="2x4")
        waiting = service.job(service.submit("true", shape="4x4"))
        equal(waiting["waits"], "not enough free nodes")
        assert waiting["waits"] in service.tori("queue")[1], waiting
        listed = service.ask("GET", "/v1/jobs?state=queued")[1]["jobs"]
        equal([job["waits"] for job in listed], [waiting["waits"]])
        equal("waits" in service.job(first), False)


def why_ended():
    """why, of a job that is only in the history, is that it has ended"""
    with Service() as service:
        number = service.submit("true")
        service.ended(number)
        for _ in range(2):
            answer = ask(service, "GET", f"/v1/jobs/{number}/why")
            equal((answer[0], message(answer)),
                  (409, f"job {number} does not wait: it has ended"))
            service.kill(signal.SIGTERM)
            service.begin()


def large():
    """a large command is shown after the end, too; the memory has lost it"""
    job = {"count": 1, "estimate": 60, "command": ["x" * 20000], "hold": True}
    with Service(executor="rehearse") as service:
        service.ask("POST", "/v1/jobs", [job, job])
        service.ask("DELETE", "/v1/jobs/1")
        for path in ("/v1/jobs/1", "/v1/jobs?state=ended"):
            answer = service.ask("GET", path)[1]
            one = answer["jobs"][0] if "jobs" in answer else answer
            equal((one["command"], one["why"]),
                  (job["command"], "cancelled"))
        first, second = service.ask("GET", "/v1/jobs")[1]["jobs"]
        equal(("command" in first, second["command"]), (False, job["command"]))


def many():
    """of many jobs, the one that is wrong is named"""
    with Service(executor="rehearse") as service:
        good = {"count": 1, "estimate": 60, "command": ["x"]}
        for bad in ({"count": 0}, {"count": 17}, {"estimate": "x"},
                    {"estimate": "60"},
                    {"command": []}, {"after": "ok:99"}):
            answer = ask(service, "POST", "/v1/jobs",
                         [good, good, {**good, **bad}, good])
            assert answer[0] in (400, 404, 422), answer
            equal(json.loads(answer[2])["error"]["index"], 2)
        equal(json.loads(ask(service, "GET", "/v1/jobs")[2])["jobs"], [])


# ---- nodes ----

def walk(service, path):
    """The pages of nodes from this one on."""
    pages = []
    while path:
        code, headers, text = ask(service, "GET", path)
        equal((code, ask(service, "HEAD", path)[1]["Link"]),
              (200, headers["Link"]))
        pages.append(json.loads(text)["nodes"])
        link = headers["Link"]
        path = link and link[1:link.index(">")]
    return pages


def nodes():
    """nodes have pages, states and jobs"""
    with Service(executor=None, machine="mesh:192x64") as service:
        for path in ("/v1/nodes", "/v1/nodes/0,0/192x64"):
            equal([len(page) for page in walk(service, path)], [4096] * 3)
            equal([len(page) for page in walk(service, path + "?limit=65536")],
                  [8192, 4096])
    with Service(executor=None, machine="torus:4x5") as service:
        number = service.submit("true", shape="2x2")
        service.ask("PATCH", "/v1/nodes/3,3/1x2", {"state": "drain"})
        pages = walk(service, "/v1/nodes?limit=7")
        equal([len(page) for page in pages], [7, 7, 6])
        seen = [node for page in pages for node in page]
        equal([node["id"] for node in seen], list(range(20)))
        equal({node["node"]: node["job"] for node in seen if "job" in node},
              dict.fromkeys(("0,0", "0,1", "1,0", "1,1"), number))
        text = ask(service, "GET", "/v1/nodes?state=drained")[2]
        equal(json.loads(text), {"nodes": [
            {"id": 18, "node": "3,3", "state": "drained"},
            {"id": 19, "node": "3,4", "state": "drained"}]})
        for name in ("0,1", "1"):
            equal(service.ask("GET", "/v1/nodes/" + name)[1],
                  {"id": 1, "node": "0,1", "state": "busy", "job": number})
        equal([node["id"] for node in service.ask(
            "GET", "/v1/nodes/0,4/2x1")[1]["nodes"]], [4, 9])
        pages = walk(service, "/v1/nodes/0,1/4x4?limit=7")
        equal([len(page) for page in pages], [7, 7, 2])
        equal([node["id"] for page in pages for node in page],
              [i for i in range(20) if i % 5])
        for name in ("4,0", "20", "x", "0,0/5x1"):
            equal(service.ask("GET", "/v1/nodes/" + name)[0], 404)
            equal(service.ask("PATCH", "/v1/nodes/" + name,
                              {"state": "drain"})[0], 404)


def reservations():
    """nodes are kept free for a time, and what was chosen is kept"""
    with Service() as service:
        now = int(time.time())
        def post(**reservation):
            return service.ask("POST", "/v1/reservations", reservation)
        for reservation, words in [
                ({"box": "0,0/1x1"}, "until: is missing"),
                ({"until": now + 60}, "box: is missing"),
                ({"until": now - 5, "count": 1}, "until: in the past"),
                ({"from": "+2h", "until": "+1h", "count": 1}, "until: not"),
                ({"until": "+1h", "count": 17}, "not enough nodes"),
                ({"until": "+1h", "nodes": "9,9"}, "nodes"),
                ({"until": "+1h", "count": 1, "jobs": ["x"]}, "jobs"),
                ({"until": "+1h", "count": 1, "name": 5}, "name")]:
            code, answer = post(**reservation)
            equal(code, 400)
            assert words in answer["error"]["message"], answer
        equal(post(**{"from": now + 1000, "until": now + 2000,
                      "nodes": "0,0/2x4", "name": "service"}),
              (201, {"id": 1}))
        equal(post(**{"from": now + 1000, "until": now + 2000, "count": 3,
                      "jobs": [7]}), (201, {"id": 2}))
        late = service.submit("true", shape="4x4", estimate=5000)
        equal(service.job(late)["reason"], "window")
        listed = [{"id": 1, "name": "service", "from": now + 1000,
                   "until": now + 2000, "nodes": [
                       "0,0", "0,1", "0,2", "0,3", "1,0", "1,1", "1,2",
                       "1,3"]},
                  {"id": 2, "name": "", "from": now + 1000,
                   "until": now + 2000, "nodes": ["2,0", "2,1", "2,2"],
                   "count": 3, "jobs": [7]}]
        for _ in range(2):
            equal(service.ask("GET", "/v1/reservations"),
                  (200, {"reservations": listed, "windows": listed}))
            equal(service.ask("GET", "/v1/windows"),
                  service.ask("GET", "/v1/reservations"))
            equal(service.job(late)["reason"], "window")
            service.kill()
            service.begin()
        for number, code in ((1, 200), (1, 404), (2, 200)):
            equal(service.ask("DELETE", f"/v1/reservations/{number}")[0], code)
        equal(service.ask("GET", "/v1/reservations")[1],
              {"reservations": [], "windows": []})
        equal(service.ask("GET", "/v1/unknown"), (200, {"unknown": []}))
        service.ended(late)
        equal(post(until="+1s", box="0,0/1x1"), (201, {"id": 3}))
        wait(lambda: service.ask("GET", "/v1/reservations")[1][
            "reservations"] == [], "the reservation is over")
        equal(service.ask("POST", "/v1/windows",
                          {"until": "+1h", "count": 1}), (201, {"id": 4}))
        equal(service.ask("DELETE", "/v1/windows/4")[0], 200)
        paths = service.ask("GET", "/openapi.json")[1]["paths"]
        equal({(path, method) for path in paths for method in paths[path]
               if paths[path][method].get("deprecated")},
              {("/v1/windows", "get"), ("/v1/windows", "post"),
               ("/v1/windows/{id}", "delete")})


def tags():
    """nodes that have changed since they were looked at stay as they are"""
    with Service(executor=None) as service:
        for name in ("2,2", "2,0/2x4"):
            path = "/v1/nodes/" + name
            tag = ask(service, "GET", path)[1]["ETag"]
            equal(ask(service, "GET", path, If_None_Match=tag)[0], 304)
            equal(ask(service, "PATCH", path, {"state": "drain"},
                      If_Match=tag)[0], 200)
            answer = ask(service, "PATCH", path, {"state": "resume"},
                         If_Match=tag)
            equal((answer[0], json.loads(answer[2])["error"]["code"]),
                  (412, "changed"))
            after = ask(service, "GET", path)
            equal(after[1]["ETag"], answer[1]["ETag"])
            assert "drained" in after[2], after
            equal(ask(service, "GET", path, If_None_Match=tag)[0], 200)
            for names in (f'"x", {after[1]["ETag"]}', "*"):
                equal(ask(service, "PATCH", path, {"state": "resume"},
                          If_Match=names)[0], 200)
            equal(ask(service, "GET", path)[1]["ETag"], tag)
        tag = ask(service, "GET", "/v1/nodes/0,0")[1]["ETag"]
        service.submit("true", shape="1x1")
        assert ask(service, "GET", "/v1/nodes/0,0")[1]["ETag"] != tag


# ---- questions that take a while ----

def crowd(service):
    """A machine on which some jobs run and others wait; its snapshot."""
    for shape in ("2x2", "2x2", "1x4"):
        service.submit("sleep", "1000", shape=shape)
    service.submit("true", shape="4x3")
    service.submit("sleep", "1000", count=2, estimate=50)
    service.submit("true", shape="2x4", wiring="torus", hold=True)
    snapshot = ask(service, "GET", "/v1/snapshot")[2]
    equal(json.loads(snapshot)["alloc"],
          {"shape": "first-fit", "count": "snake-bf"})
    with open(service.path("snapshot"), "w", encoding="utf-8") as file:
        file.write(snapshot)


def said(service, *words):
    """The answer of a command about the snapshot, as JSON."""
    answer = json.loads(service.tori(words[0], "snapshot", *words[1:],
                                     "--json")[1])
    for key in ("tori", "command", "config"):
        del answer[key]
    return answer


def raw(service, text):
    """What comes back for these bytes, until the connection is closed, perhaps
    before they are read to the end, or nothing more comes."""
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(service.socket)
        one.settimeout(PATIENCE)
        back = b""
        try:
            one.sendall(text)
            one.shutdown(socket.SHUT_WR)
            while more := one.recv(65536):
                back += more
        except ConnectionError:
            back += one.recv(65536)
    return back


def misshapen():
    """a request that can be read in two ways is refused, and as JSON"""
    with Service(executor="rehearse") as service:
        post = b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\n"
        job = b'{"count":1,"estimate":60,"command":["true"],"hold":true}'
        length = b"Content-Length: %d\r\n" % len(job)
        chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(job), job)
        chunked = b"Transfer-Encoding: chunked\r\n"
        for text, word in [
                (post + length + length + b"\r\n" + job, "bad-length"),
                (post + length + b"Content-Length: 5\r\n\r\n" + job,
                 "bad-length"),
                (post + length + chunked + b"\r\n" + chunks, "bad-length"),
                (post + chunked + chunked + b"\r\n" + chunks, "bad-length"),
                (post + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks,
                 "bad-length"),
                (post + b"Idempotency-Key: a\xff\r\n" + length + b"\r\n" + job,
                 "bad-header"),
                (post + b"Idempotency-Key: " + b"a" * 256 + b"\r\n" + length
                 + b"\r\n" + job, "bad-header"),
                (post + b"Content-Length : 5\r\n\r\n", "bad-header"),
                (post + b"Idempotency-Key: a\r\nIdempotency-Key: b\r\n"
                 + length + b"\r\n" + job, "bad-header"),
                (post + b"Authorization: Bearer a\r\n"
                 b"Authorization: Bearer b\r\n" + length + b"\r\n" + job,
                 "bad-header"),
                # A byte that is 0 does not end a text.
                (post + b"Idempotency-Key: a\0b\r\n" + length + b"\r\n" + job,
                 "bad-header"),
                (post + b"X\0: a\r\n" + length + b"\r\n" + job, "bad-header"),
                (post + b"\0: a\r\n" + length + b"\r\n" + job, "bad-header"),
                (post + b"Transfer-Encoding: chunked\0x\r\n\r\n" + chunks,
                 "bad-header"),
                (post + length[:-2] + b"\0 9\r\n\r\n" + job, "bad-length"),
                (post + length + b"\r\n" + job[:-1] + b"\0", "not-json"),
                (b"GET /v1/jobs\0x HTTP/1.1\r\nHost: x\r\n\r\n",
                 "bad-address"),
                (b"GET /v1/jobs?user=a\0x HTTP/1.1\r\nHost: x\r\n\r\n",
                 "bad-address"),
                # Chunks are younger than HTTP/1.0.
                (post.replace(b"1.1", b"1.0") + chunked + b"\r\n" + chunks,
                 "bad-length"),
                # These libmicrohttpd cannot read.
                (post + b"Content-Length: 12x\r\n\r\n" + job, "bad-length"),
                (post + b"Content-Length: -1\r\n\r\n" + job, "bad-length"),
                (post + chunked + b"\r\nx\r\n" + job, "bad-length"),
                (post + b"no colon\r\n\r\n", "bad-header"),
                # So does it if another request comes first.
                (b"GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n" + post
                 + b"Content-Length: 12x\r\n\r\n", "bad-length"),
                *((b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path,
                   "bad-address")
                  for path in (b"/v1/jobs?user=%ff", b"/v1/jobs?%c3%28=1",
                               b"/v1/nodes/%fe", b"/v1/jobs%00x",
                               b"/v1/jobs/1%00", b"/v1/jobs?user=a%00b",
                               b"/v1/jobs?user=\xff"))]:
            said = raw(service, text)
            if text.startswith(b"GET /v1/nothing"):
                said = said[said.index(b"HTTP/1.1 400 "):]
            head, _, body = said.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 400 "), (text, head)
            equal((text, json.loads(body)["error"]["code"]), (text, word))
        said = raw(service, b"GET / HTTP/9.9\r\nHost: x\r\n\r\n")
        assert said.startswith(b"HTTP/1.1 505 ") and said.endswith(b"}"), said
        for long, code in ((b"GET /%s HTTP/1.1\r\n\r\n", 414),
                           (b"GET / HTTP/1.1\r\nX: %s\r\n\r\n", 431)):
            said = raw(service, long % (b"x" * 100000))
            equal((said.split()[1], json.loads(
                said.partition(b"\r\n\r\n")[2])["error"]["code"]),
                  (b"%d" % code, "header-too-large"))
        equal(service.ask("GET", "/v1/jobs")[1], {"jobs": []})
        for good in (length + b"\r\n" + job, chunked + b"\r\n" + chunks,
                     b"Idempotency-Key: \xc3\xa4\r\n" + length + b"\r\n" + job,
                     b"Idempotency-Key: " + b"a" * 255 + b"\r\n" + length
                     + b"\r\n" + job):
            assert raw(service, post + good).startswith(b"HTTP/1.1 201 ")
        # A refusal goes to the connection that it is about.
        with socket.socket(socket.AF_UNIX) as bad, \
                socket.socket(socket.AF_UNIX) as good:
            for one in (bad, good):
                one.settimeout(PATIENCE)
                one.connect(service.socket)
            get = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
            bad.sendall(post + b"Content-Length: 12x\r\n")
            good.sendall(get)
            assert good.recv(1000).startswith(b"HTTP/1.1 200 ")
            good.sendall(get[:-2])
            bad.sendall(b"\r\n")
            assert bad.recv(1000).startswith(b"HTTP/1.1 400 ")
            good.sendall(get[-2:])
            assert good.recv(1000).startswith(b"HTTP/1.1 200 ")
        # One that only wants the header of a stream gets no stream.
        head, _, body = raw(service, b"HEAD /v1/events HTTP/1.1\r\nHost: x\r\n"
                            b"Connection: close\r\n\r\n").partition(
                                b"\r\n\r\n")
        assert b"text/event-stream" in head and head.startswith(
            b"HTTP/1.1 200 "), head
        equal(body, b"")


def looks():
    """why, forecast, what-if and defrag answer as the commands do"""
    with Service(executor=None) as service:
        crowd(service)
        for path, words in [("/v1/why", ["why"]),
                            ("/v1/jobs/4/why", ["why", "4"]),
                            ("/v1/forecast", ["forecast"])]:
            code, answer = service.ask("GET", path)
            equal((code, answer), (200, said(service, *words)))
        assert answer["jobs"], answer
        for path, body, words in [
                ("what-if", {}, ["what-if"]),
                ("what-if", {"changes": [{"down": "3,3"}, {"cancel": 1},
                                         {"priority": "6=5", "depth": 2},
                                         {"sched": "conservative"}]},
                 ["what-if", "--down", "3,3", "--cancel", "1", "--priority",
                  "6=5", "--depth", "2", "--sched", "conservative"]),
                ("what-if", {"jobs": [{"shape": "2x2", "estimate": 60}]},
                 ["what-if", "--add", "shape=2x2,estimate=60"]),
                ("defrag", {"for": 4}, ["defrag", "--for", "4"]),
                ("defrag", {"shape": "2x4", "wiring": "torus", "live": True,
                            "keep": "1", "moves": 3},
                 ["defrag", "--shape", "2x4", "--wiring", "torus", "--live",
                  "--keep", "1", "--moves", "3"]),
                ("defrag", {"for": 4, "seconds": 9, "steps": 2},
                 ["defrag", "--for", "4", "--seconds", "9", "--steps", "2"])]:
            code, answer = service.ask("POST", "/v1/" + path, body)
            equal((code, answer), (200, said(service, *words)))
    with Service(machine="mesh:8") as service:
        _, hole, _ = [service.submit("sleep", "1000", shape="2")
                      for _ in range(3)]
        service.ask("DELETE", f"/v1/jobs/{hole}")
        service.ended(hole)
        last = service.submit("true", shape="4")
        code, answer = service.ask("POST", "/v1/defrag", {"for": last})
        told = json.loads(service.tori("defrag", "--for", str(last),
                                       "--json")[1])
        assert answer["start_after"] < answer["start_before"], answer
        for said_so in answer, told:  # costs grow with time
            for move in said_so["moves"]:
                assert move.pop("redone") >= 0 and move["stopped"] == 60, move
            del said_so["start_after"], said_so["start_before"]
        equal((code, answer), (200, {key: told[key] for key in answer}))
        equal(service.ask("POST", "/v1/moves", {"moves": answer["moves"],
                                                "for": last}),
              (200, {"moved": 1}))
        equal(service.job(last)["state"], "running")
        assert service.job(answer["moves"][0]["job"])["move_reason"]


def bad_looks():
    """a question that is wrong is refused, and the member is named"""
    with Service(executor=None) as service:
        crowd(service)
        for path, body, code, words in [
                ("what-if", {"changes": [{"downs": 1}]}, 400,
                 "changes[0]: 'downs': expected sched, alloc"),
                ("what-if", {"changes": {}}, 400, "changes: expected a list"),
                ("what-if", {"change": []}, 400, "expected changes, jobs"),
                ("what-if", {"changes": [{"cancel": 77}]}, 400,
                 "changes[0].cancel: there is no job 77"),
                ("what-if", {"changes": [{}, {"down": ["0,0", "9,9"]}]}, 400,
                 "changes[1].down: '9,9' is not a node"),
                ("what-if", {"changes": [{"hold": None}]}, 400,
                 "changes[0].hold: expected a text or a whole number"),
                ("what-if", {"changes": [{"sched": "fcfs"}] * 2}, 400,
                 "changes[1].sched: given twice"),
                ("what-if", {"changes": [{"json": True}]}, 400, "'json'"),
                ("what-if", {"changes": [{"depth": 0}]}, 400,
                 "changes[0].depth: '0' is not"),
                ("what-if", {"id": 1}, 400, "expected changes, jobs"),
                ("what-if", {"jobs": [{"id": 1, "count": 1, "estimate": 1}]},
                 400, "jobs[0].id: there is no such member"),
                ("what-if", {"jobs": [{"shape": "2x2"}]}, 400,
                 "jobs[0].time_limit"),
                ("what-if", {"jobs": [{"shape": "9x9", "estimate": 1}]}, 422,
                 "jobs[0]"),
                ("defrag", {}, 400, "no shape: for or shape is needed"),
                ("defrag", {"for": 1}, 400, "for: job 1 runs already"),
                ("defrag", {"for": 4, "shape": "2x2"}, 400,
                 "for has no effect with shape"),
                ("defrag", {"for": 4, "wrap": True}, 400,
                 "wrap has no effect without shape"),
                ("defrag", {"shape": "2x2", "keep": "1,x"}, 400, "keep: 'x'"),
                ("defrag", {"shape": "9x9"}, 422, ""),
                ("defrag", {"snapshot": "/etc/passwd"}, 400, "expected for"),
                ("defrag", {"shape": "2x2", "live": 1}, 400, "true or false"),
                ("defrag", {"shape": "2x2", "steps": 1 << 40}, 400,
                 "at most"),
                ("defrag", {"shape": "2x2", "seconds": 61}, 400,
                 "seconds: '61' is not")]:
            answer = ask(service, "POST", "/v1/" + path, body)
            assert answer[0] == code and words in message(answer), \
                (body, answer)
            assert "--" not in message(answer), answer
        for number, code in (1, 409), (99, 404):
            equal(service.ask("GET", f"/v1/jobs/{number}/why")[0], code)


def ending():
    """whoever waits for an answer is told that torid ends"""
    with Service(executor=None) as service:
        crowd(service)
        asking = [Local(service.socket) for _ in range(12)]
        for connection in asking:
            connection.request("GET", "/v1/why")
        equal(service.kill(signal.SIGTERM), 0)


# ---- looking back ----

def put_samples(service, times):
    """Write samples of these times into the journal, as torid does. One that
    torid has written itself is kept."""
    base = sqlite3.connect(service.path("state/journal"))
    for when in times:
        text = json.dumps({"time": when, "busy": when % 17, "free": 1,
                           "queued": 2, "running": 3}).encode()
        base.execute("INSERT OR IGNORE INTO sample VALUES (?, ?, ?)", (
            when, text, zlib.crc32(struct.pack("<qq", when, 0) + b"\0"
                                   + text)))
    base.commit()
    base.close()


def history():
    """samples outlast torid, and are read in pages"""
    with Service(machine="torus:4x4") as service:
        def samples(after=0):
            return service.ask("GET", f"/v1/history?after={after}")[1][
                "samples"]

        def commit():
            service.ask("PATCH", f"/v1/jobs/{waiting}", {"priority": 1})
            return samples()

        service.ask("PATCH", "/v1/nodes/0,0", {"state": "drain"})
        first = service.submit("sleep", "1000", shape="2x4")
        waiting = service.submit("true", shape="4x4")
        wait(lambda: service.job(first)["state"] == "running", "no start")
        equal(service.kill(signal.SIGTERM), 0)
        before = time.time()
        service.begin()
        wait(lambda: commit()[-1:] and commit()[-1]["running"] == 1,
             "there is no sample")
        last = samples()[-1]
        assert before - 1 < last["time"] <= time.time(), last
        listed = service.ask("GET", "/v1/nodes")[1]["nodes"]
        for state in ("busy", "free"):
            equal(last[state], len([n for n in listed if n["state"] == state]))
        equal((last["queued"], last["largest"]), (1, 4))
        service.kill()
        old = last["time"] - 2000 * 60
        put_samples(service, range(old, last["time"], 60))
        service.begin()
        equal([s for s in samples(last["time"] - 1)
               if s["time"] == last["time"]], [last])
        path, seen = "/v1/history?limit=900", []
        while path:
            code, headers, text = ask(service, "GET", path)
            page = json.loads(text)
            equal((code, "next" in page), (200, headers["Link"] is not None))
            assert len(page["samples"]) <= 900, len(page["samples"])
            seen += [sample["time"] for sample in page["samples"]]
            path = headers["Link"] and headers["Link"][1:].split(">")[0]
        equal((seen[0], seen), (old, sorted(set(seen))))


# ---- metrics ----

def scrape(service):
    """Samples by name and labels, as a parser of OpenMetrics reads them."""
    try:
        from prometheus_client.openmetrics import parser
    except ImportError:
        raise Skip("no python3-prometheus-client") from None
    code, headers, text = ask(service, "GET", "/metrics")
    equal((code, headers["Content-Type"]),
          (200, "application/openmetrics-text; version=1.0.0; charset=utf-8"))
    found = {}
    for family in parser.text_string_to_metric_families(text):
        assert family.documentation, family
        for sample in family.samples:
            found[(sample.name, *sorted(sample.labels.items()))] = \
                sample.value
    return found


def metrics():
    """metrics say what the API says"""
    with Service(machine="torus:4x4") as service:
        service.ask("PATCH", "/v1/nodes/0,0", {"state": "drain"})
        good = service.ended(service.submit("sleep", "0.1", shape="2x2"))
        bad = service.ended(service.submit("false", count=1))
        first = service.submit("sleep", "1000", shape="3x4")
        oldest = service.job(service.submit("true", count=4))
        service.submit("true", count=1, hold=True)
        equal(service.ask("GET", "/v1/nothing")[0], 404)
        found = scrape(service)
        wait(lambda: service.job(first)["state"] == "running", "no start")

        def value(name, **labels):
            return found[(name, *sorted(labels.items()))]

        listed = service.ask("GET", "/v1/nodes")[1]["nodes"]
        for state in ("free", "busy", "down", "drained"):
            equal(value("tori_nodes", state=state),
                  len([n for n in listed if n["state"] == state]))
        equal(value("tori_utilization_ratio"), 12 / 15)
        why = service.ask("GET", "/v1/why")[1]["jobs"][0]
        sides = why["largest"].split("/")[1].split("x")
        largest = int(sides[0]) * int(sides[1])
        equal((largest, why["free"]), (3, 3))
        equal(value("tori_largest_free_nodes"), largest)
        equal(value("tori_fragmentation_ratio"), 1 - largest / why["free"])
        used = [n * (job["end"] - job["start"])
                for n, job in ((4, good), (1, bad))]
        for how, seconds in zip(("well", "badly"), used):
            equal(value("tori_ends_total", how=how), 1)
            assert abs(value("tori_node_seconds_total", ended=how) - seconds) \
                < 1e-5, (found, used)
        assert abs(value("tori_goodput_ratio") - used[0] / sum(used)) < 1e-5
        equal([value("tori_jobs", state=state)
               for state in ("queued", "running")], [2, 1])
        user = service.job(first)["user"]
        for name in (user, "other"):
            mine = name == user
            equal([value("tori_user_jobs", user=name, state=state)
                   for state in ("queued", "running")], [2 * mine, mine])
            equal(value("tori_user_nodes", user=name), 12 * mine)
        equal([value("tori_queue_jobs", queue="default", state=state)
               for state in ("queued", "running")], [2, 1])
        equal(value("tori_queue_nodes", queue="default"), 12)
        age = time.time() - oldest["submit"]
        assert 0 < value("tori_queue_age_seconds") <= age, age
        equal([value("tori_wait_seconds_count", size=size)
               for size in ("1", "2-8", "9-64")], [1, 1, 1])
        equal(value("tori_submissions_total"), 5)
        equal(value("tori_http_requests_total", code="404"), 1)
        equal(value("tori_http_requests_total", code="201"), 5)
        assert value("tori_decision_seconds_count") >= 5
        assert value("tori_commit_seconds_sum") > 0
        assert value("tori_loop_seconds_max") > 0
        assert value("tori_loop_processor_seconds_max") > 0
        assert value("tori_journal_bytes") >= os.path.getsize(
            service.path("state/journal"))
        equal((value("tori_executor_up"), value("tori_disk_stuck"),
               value("tori_event_streams")), (1, 0, 0))


def metrics_begun():
    """metrics say when torid began, and have only sizes that jobs can have"""
    before = time.time()
    for machine, last in (("mesh:8x8x8", "65-512"),
                          ("mesh:8x8x9", "513 and more")):
        with Service(executor=None, machine=machine) as service:
            text = ask(service, "GET", "/metrics")[2]
        begun = re.search(r"^tori_start_time_seconds (\S+)$", text, re.M)
        assert before <= float(begun[1]) <= time.time(), begun
        equal(re.findall(r'wait_seconds_count{size="(.*)"}', text)[-1], last)


def dashboard():
    """the dashboard shows metrics that there are"""
    with open(os.path.join(HERE, "../../data/torid-dashboard.json"),
              encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    with Service(executor=None) as service:
        names = {sample[0] for sample in scrape(service)}
    shown = set()
    for panel in panels:
        for target in panel["targets"]:
            found = re.findall(r"\btori_\w+", target["expr"])
            assert found, target
            equal([name for name in found if name not in names], [])
            shown.update(found)
    whole = {name for name in names
             if not name.endswith(("_sum", "_count", "_info", "_created"))}
    equal(whole - shown, {"tori_node_seconds_total"})


def alerts():
    """alert rules are good, and are about metrics that there are"""
    path = os.path.join(HERE, "../../data/torid-alerts.yml")
    with open(path, encoding="utf-8") as file:
        rules = re.findall(r"^ +expr: (.*)$", file.read(), re.M)
    with Service(executor=None) as service:
        names = {sample[0] for sample in scrape(service)} | {"up"}
    assert len(rules) >= 10, rules
    for rule in rules:
        found = re.findall(r"\b(?:tori_\w+|up)\b", rule)
        assert found, rule
        equal([name for name in found if name not in names], [])
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "rules", path], text=True,
                              capture_output=True, check=False)
        equal((done.returncode, done.stderr), (0, ""))


# ---- events ----

class Stream:
    """Events, each as id, name and data; comments have neither."""

    def __init__(self, torid, last=None, path="/v1/events"):
        self.connection = Local(torid.socket)
        self.connection.request(
            "GET", path, headers={"Last-Event-ID": last} if last else {})
        self.lines = self.connection.getresponse()

    def next(self):
        event = [None, None, None]
        while True:
            line = self.lines.readline().decode()
            if line in ("\n", ""):
                return event
            for i, name in enumerate(("id: ", "event: ", "data: ")):
                if line.startswith(name):
                    event[i] = line[len(name):-1]

    def until(self, name):
        """The events up to one of this name."""
        found = [self.next()]
        while found[-1][1] != name:
            assert found[-1] != [None, None, None], found
            found.append(self.next())
        return found

    def close(self):
        self.connection.close()


def events():
    """events of jobs, nodes and the executor; numbers go on, or a reset"""
    with Service() as torid:
        stream = Stream(torid)
        number = torid.submit("true")
        told = stream.until("ended")
        equal([(name, json.loads(data)["job"]["id"])
               for _, name, data in told if name != "executor"],
              [("submitted", number), ("started", number), ("ended", number)])
        ids = [int(event[0]) for event in told]
        equal(ids, list(range(ids[0], ids[0] + len(ids))))
        torid.ask("PATCH", "/v1/nodes/1,1", {"state": "drain"})
        node = json.loads(stream.until("node")[-1][2])
        equal((node["node"], node["state"]), ("1,1", "drain"))
        stream.close()
        again = Stream(torid, last=str(ids[-1]))
        equal(again.next()[:2], [str(ids[-1] + 1), "node"])
        torid.kill_executor()
        equal([json.loads(again.until("executor")[-1][2])["up"]
               for _ in range(2)], [False, True])
        again.close()
        for wrong in ("1", "x", str(ids[-1] + 1000)):
            lost = Stream(torid, last=wrong)
            found = lost.next()
            equal(found[1:], ["reset", '{"event":"reset"}'])
            lost.close()
        torid.kill()
        torid.begin()
        lost = Stream(torid, last=found[0])
        equal(lost.next()[1], "reset")
        torid.submit("true")
        event = lost.until("submitted")[-1]
        assert int(event[0]) > int(found[0]), (event, found)
        torid.submit("true", directory="/" * 200000)
        equal(json.loads(lost.until("submitted")[-1][2])["job"]["left_out"],
              ["directory"])
        lost.close()


def heartbeat():
    """when nothing happens, a comment says that the line holds"""
    with Service(executor=None) as torid:
        stream = Stream(torid, path="/v1/events?beat=1")
        for _ in range(2):
            equal(stream.lines.readline(), b":\n")
            equal(stream.lines.readline(), b"\n")
        stream.close()


def slow():
    """who does not read in time misses events, and is told so"""
    with Service("--max-array", "4000", executor=None,
                 machine="torus:64x64") as torid:
        stream = Stream(torid)
        job = {"count": 1, "estimate": 60, "command": ["x" * 10000],
               "array": "1-4000"}
        equal(torid.ask("POST", "/v1/jobs", job)[0], 201)
        equal(torid.ask("POST", "/v1/jobs", job)[0], 201)
        seen = []
        while not seen or seen[-1][1] is not None:
            seen.append(stream.next())
            if seen[-1][1] == "reset" or len(seen) > 16000:
                break
        assert len(seen) < 16000, len(seen)
        stream.close()
        missed = re.search(r"tori_events_missed_total (\d+)",
                           ask(torid, "GET", "/metrics")[2])
        assert int(missed.group(1)) > 0, missed


# ---- the page ----

def page():
    """a client without gzip gets the page, or hears that there is none"""
    with Service(executor=None, machine="torus:4x4x4") as service:
        there = " dashboard=true" in read(service.path("log"))
        code, headers, text = ask(service, "GET", "/")
        equal((code, headers["Content-Type"]),
              (200, f"text/{'html' if there else 'plain'}; charset=utf-8"))
        if there:
            equal(text[:15].lower(), "<!doctype html>")
        else:
            assert "dashboard" in text and text.count("\n") == 1, text


# ---- the description ----

def schema_of(spec, method, path, code):
    """The schema of an answer, and the route; or that of a refusal."""
    path = path.split("?")[0]
    for route, item in spec["paths"].items():
        pattern = re.sub(r"\\{id\\}", "[0-9]+", re.escape(route))
        pattern = re.sub(r"\\{[a-z]+\\}", ".+", pattern)
        if method.lower() in item and re.fullmatch(pattern, path):
            answers = item[method.lower()]["responses"]
            # A request with a known key is answered by 200.
            found = answers.get(str(code)) if code >= 300 else \
                answers.get("201", answers.get("200"))
            return (found or answers["default"])["content"][
                "application/json"]["schema"]
    equal((method, path, code), (method, path, 405 if code == 405 else 404))
    return {"$ref": "#/components/schemas/error"}


def mark(spec, schema, value, seen):
    """Note which members of which schemas came."""
    if "oneOf" in schema:
        for one in schema["oneOf"]:
            mark(spec, one, value, seen)
    elif isinstance(value, list):
        for item in value:
            mark(spec, schema.get("items", {}), item, seen)
    elif "$ref" in schema and isinstance(value, dict):
        name = schema["$ref"].split("/")[-1]
        properties = spec["components"]["schemas"][name]["properties"]
        for key, item in value.items():
            if key in properties:
                seen.add(f"{name}.{key}")
                mark(spec, properties[key], item, seen)


def everything():
    """Jobs that ask for all that can be asked for."""
    with Service("--usage-weight", "1000", machine="torus:4x4") as torid:
        first = torid.submit("sleep", "1000", shape="2x4", name="first",
                             wiring="torus", movable=True, estimate=3600)
        torid.submit("sleep", "1000", count=3, on_failure="kill", estimate=3600,
                     output="out", error="err", input="/dev/null",
                     warn=60, warning=12, runtime=5)
        torid.submit("true", shape="3x4", fold="rings", after=f"any:{first}",
                     hold=True)
        for more in ({"wiring": "torus"}, {"directory": "/" * 200000}):
            torid.submit("true", shape="4x2", estimate=4000, **more)
        torid.submit("true", shape="4x4", fixed=True, wrap=True, level=1,
                     preempted="requeue", checkpoint=10, priority=3,
                     begin="+1h", array="1-2%1", queue="default",
                     only=["0,0/4x4"], alternatives=[
                         {"count": 16}, {"shape": "4x4", "fixed": True,
                                         "wrap": True, "wiring": "mesh"},
                         {"shape": "2x8", "fold": "rings"}], patience="5m")
        torid.ask("PATCH", "/v1/nodes/3,3", {"state": "drain", "why": "fan"})
        torid.ask("PATCH", "/v1/links/0,0-0,1",
                  {"state": "down", "why": "dust"})
        torid.ask("GET", "/v1/links")
        torid.ask("PATCH", "/v1/links/0,0-0,1", {"state": "up"})
        torid.ask("DELETE", f"/v1/jobs/{first + 2}")
        for place in ({"box": "3,0/1x1", "jobs": [first]}, {"count": 2}):
            torid.ask("POST", "/v1/reservations",
                      {"until": "+1h", "users": ["root"], "groups": ["root"],
                       "why": "dust",
                       **place})
        for when in ({"from": "+10m", "until": "+20m"},
                     {"every": "Mon 08:00-10:00"}):
            torid.ask("POST", "/v1/reservations", {"box": "0,0/4x4", **when})
        torid.ask("GET", "/v1/nodes")
        torid.ask("GET", "/v1/reservations")
        for number in range(1, 5):
            torid.ask("DELETE", f"/v1/reservations/{number}")
        for path in ("jobs", "jobs?limit=1", "why", "forecast", "nodes",
                     "nodes?limit=1", "snapshot", "machine", "nothing"):
            torid.ask("GET", "/v1/" + path)
        for shape in ("4x3", "2x2", "4x2"):
            torid.ask("POST", "/v1/defrag", {"shape": shape})
        torid.ask("POST", "/v1/what-if", {"changes": [{"down": "0,0"}]})
        torid.ask("PATCH", f"/v1/jobs/{first + 3}",
                  {"after": [f"any:{first}"] * 600, "why": "to see"})
        torid.ask("DELETE", f"/v1/jobs/{first}?why=enough")
        for path in ("changes", "changes?limit=1&since=1"):
            torid.ask("GET", "/v1/" + path)
        torid.ended(first)
    with Service(machine="torus:4x4") as torid:
        first = torid.submit("sleep", "1000", shape="4x2", estimate=3600)
        wait(lambda: torid.ask("GET", f"/v1/jobs/{first}")[1].get("place"),
             "the first does not start")
        torid.submit("true", count=1, after=f"any:{first}")
        torid.submit("true", shape="4x4", alternatives=[{"shape": "3x4"}])
        torid.submit("true", shape="4x4", tier=1, begin="+30m")
        for path in ("why", "forecast"):
            torid.ask("GET", "/v1/" + path)
        torid.ask("POST", "/v1/what-if", {})
        code, tried = torid.ask("POST", "/v1/snapshot", {"jobs": [
            {"count": 1, "time_limit": 60}]})
        equal((code, [job["id"] for job in tried["queue"] if "late" in job]),
              (200, [5]))
        torid.ask("DELETE", f"/v1/jobs/{first}")
        torid.ended(first)
    with Service(machine="pod:2/2x2") as torid:
        slice_ = torid.submit("sleep", "1000", shape="4x2", wiring="torus")
        wait(lambda: torid.ask("GET", f"/v1/jobs/{slice_}")[1].get("place"),
             "the slice does not start")
        equal(torid.ask("GET", f"/v1/jobs/{slice_}")[1]["place"], {
            "boxes": ["0,0,0/1x2x2", "1,0,0/1x2x2"], "across": "1x2",
            "box_wiring": "torus"})
        torid.ask("DELETE", f"/v1/jobs/{slice_}")
        torid.ended(slice_)
        ring = torid.submit("sleep", "1000", shape="4", wiring="torus",
                            fold="rings")
        wait(lambda: torid.ask("GET", f"/v1/jobs/{ring}")[1].get("place"),
             "the ring does not start")
        equal(torid.ask("GET", f"/v1/jobs/{ring}")[1]["map"],
              [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]])
        assert all("map" not in job
                   for job in torid.ask("GET", "/v1/jobs")[1]["jobs"])
        torid.ask("DELETE", f"/v1/jobs/{ring}")
        torid.ended(ring)
        equal(torid.ask("GET", f"/v1/jobs/{ring}")[1]["map"],
              [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]])
    with Service(machine="mesh:4x4", executor=None) as torid:
        for state in ("drain", "resume"):
            for column in (0, 2):
                torid.ask("PATCH", f"/v1/nodes/0,{column}/4x1",
                          {"state": state})
            if state == "drain":
                torid.submit("x", shape="4x1", fixed=True,
                             estimate=3600)
                torid.submit("x", shape="4x1", fixed=True,
                             estimate=3600)
        torid.submit("x", shape="4x2", fixed=True)
        torid.submit("x", count=9)
        counted = torid.submit("x", count=8, hold=True)
        torid.submit("x", shape="1x1", estimate=9000, only=["0,0/4x1"])
        for path in ("why", "forecast"):
            torid.ask("GET", "/v1/" + path)
        torid.ask("POST", "/v1/what-if", {})
        torid.ask("POST", "/v1/defrag", {"for": counted})
        torid.ask("GET", "/v1/whoami")
        equal(torid.ask("GET", "/v1/machine")[1]["last_job"],
              max(job["id"] for job in torid.ask("GET", "/v1/jobs")[1]["jobs"]))
        torid.ask("POST", "/signout")


def linted():
    """the description is OpenAPI 3.1, and every reference leads somewhere"""
    if not jsonschema:
        raise Skip("no python3-jsonschema")
    # The schema of the OpenAPI Initiative, as npm has it.
    name, packages = "@seriousme/openapi-schema-validator", f"{BUILD}/web/npm"
    if subprocess.run([os.path.join(SOURCE, "web/fetch"), packages, name],
                      check=False).returncode != 0:
        raise Skip("npm's packages cannot be had")
    with open(f"{packages}/node_modules/{name}/schemas/v3.1/schema.json",
              encoding="utf-8") as file:
        official = json.load(file)
    with Service(executor=None) as torid:
        spec = torid.ask("GET", "/openapi.json")[1]
    errors = list(jsonschema.Draft202012Validator(official).iter_errors(spec))
    equal([error.message for error in errors], [])
    schemas = spec["components"]["schemas"]
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    named = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(spec))
    equal(set(named) - set(schemas), set())
    operations = [operation for item in spec["paths"].values()
                  for operation in item.values()]
    names = [operation["operationId"] for operation in operations]
    equal(len(names), len(set(names)))
    for path, item in spec["paths"].items():
        for operation in item.values():
            equal(set(re.findall(r"\{(\w+)\}", path)),
                  {param["name"] for param in operation["parameters"]
                   if param["in"] == "path"})


def submitted():
    """every member of a submission that is described is known"""
    values = {
        "name": "a", "shape": "2x2", "count": 2, "wiring": "mesh",
        "fold": "none", "fixed": True, "wrap": True,
        "alternatives": [{"count": 1}], "patience": 90,
        "only": ["0,0/2x2"], "queue": "default", "time_limit": "1h",
        "estimate": "1h", "begin": 5, "priority": -1, "tier": 0, "level": 0, "preempted": "kill", "checkpoint": 60,
        "movable": False, "command": ["true"], "directory": "/", "input": "a",
        "output": "a", "error": "a", "after": [], "array": "1-2",
        "on_failure": "kill", "environment": {"A": "="}, "script": "",
        "hold": True, "warn": 5, "warning": 12, "runtime": 5}
    with Service(executor=None) as service:
        spec = service.ask("GET", "/openapi.json")[1]
        told = spec["components"]["schemas"]["submission"]["properties"]
        equal(sorted(values), sorted(told))
        code, answer = service.ask("POST", "/v1/jobs", {
            **values, "_remark": "not looked at"})
        equal((code, answer["ids"]), (201, [1, 2]))


def unknown_members():
    """a body with a member that nobody knows is refused, and changes nothing"""
    with Service(executor=None) as service:
        job = service.submit("true")
        for method, path, body in (
                ("PATCH", "/v1/nodes/0,0", {"state": "drain"}),
                ("PATCH", "/v1/links/0,0-0,1", {"state": "down"}),
                ("POST", "/v1/reservations",
                 {"nodes": ["0,0"], "from": "+1h", "until": "+2h"}),
                ("POST", f"/v1/jobs/{job}/requeue", {"why": "a test"}),
                ("POST", f"/v1/jobs/{job}/suspend", {"why": "a test"}),
                ("POST", "/v1/moves", {"moves": []})):
            code, answer = service.ask(method, path, {**body, "user": "ann"})
            equal((path, code, answer["error"]["code"]),
                  (path, 400, "bad-request"))
            assert answer["error"]["message"].startswith("'user': "), answer
        equal([change["what"] for change in
               service.ask("GET", "/v1/changes")[1]["changes"]], ["configure"])
        equal(service.ask("GET", "/v1/reservations")[1]["reservations"], [])


def changed():
    """a new time limit has the forms of a submission, by both of its names"""
    with Service(executor=None) as service:
        job = f"/v1/jobs/{service.submit('true', hold=True)}"
        for name, limit, seconds in (
                ("time_limit", "2h", 7200), ("time_limit", 90, 90),
                ("estimate", "1:30:00", 5400), ("estimate", "1.5s", 1.5)):
            code, answer = service.ask("PATCH", job, {name: limit})
            equal((code, answer.get("time_limit"), answer.get("estimate")),
                  (200, seconds, seconds))
        for name in ("time_limit", "estimate"):
            for bad in ("long", "1:30", "60", "1.5", "0", "", -1, 0, 1e300, None, True, [], {}):
                code, answer = service.ask("PATCH", job, {name: bad})
                equal((name, bad, code), (name, bad, 400))
                assert answer["error"]["message"].startswith("time_limit: "), answer
        for _ in range(2):
            equal(service.ask("GET", job)[1]["time_limit"], 1.5)
            service.kill()
            service.begin()


def read_source(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


def members():
    """the table of a job, the description, the guide and the page agree"""
    rows = read_source("src", "lib", "live", "jobrows.h")
    table = {kind: set(re.findall(rf"^JOB_{kind} \((\w+),", rows, re.M))
             for kind in ("SHOWN", "HIDDEN", "FOREIGN", "WISH", "CHANGE")}
    with Service(executor=None) as torid:
        spec = torid.ask("GET", "/openapi.json")[1]
    told = {name: {key: value for key, value in schema["properties"].items()
                   if not value.get("deprecated")}
            for name, schema in spec["components"]["schemas"].items()}
    submitted = table["SHOWN"] | table["HIDDEN"]
    equal(set(told["submission"]), submitted)
    equal(set(told["alternative"]), table["WISH"])
    equal(set(told["job_change"]), table["CHANGE"] | {"before", "why"})
    equal((table["SHOWN"] | table["FOREIGN"]) - set(told["job"]), set())
    guide = read_source("doc", "http-api.md")
    guide = guide[guide.index("A submitted job has the members"):]
    names = [name for row in re.findall(r"^\| (`.*?) \|", guide, re.M)
             for name in re.findall(r"`(\w+)`", row)]
    equal(sorted(names), sorted(submitted))
    page = re.search(r"interface Job {(.*?)}",
                     read_source("web", "src", "api.ts"), re.S)[1]
    kinds = {"number": {"number", "integer"}, "boolean": {"boolean"},
             "null": {"null"}, "string[]": {"array"}, "Place": {None}}
    for name, kind in re.findall(r"(\w+)\??: (.*?);", page):
        schema = told["job"][name]
        types = schema.get("type",
                           [one["type"] for one in schema.get("oneOf", ())]
                           or [None])
        types = set(types if isinstance(types, list) else [types])
        for part in [kind] if '"' in kind else kind.split(" | "):
            equal((name, part, bool(types & kinds.get(part, {"string"}))),
                  (name, part, True))


def described():
    """all that is answered is described, and all that is described comes"""
    if not jsonschema:
        raise Skip("no python3-jsonschema")
    with Service(executor=None) as torid:
        spec = torid.ask("GET", "/openapi.json")[1]
    for schema in spec["components"]["schemas"].values():
        schema["additionalProperties"] = False
    everything()
    seen = set()
    for method, path, code, answer in ANSWERS:
        schema = schema_of(spec, method, path, code)
        errors = list(jsonschema.Draft202012Validator(
            {**schema, "components": spec["components"]}).iter_errors(answer))
        equal([(method, path, error.message) for error in errors], [])
        mark(spec, schema, answer, seen)
    told = {f"{name}.{key}"
            for name, schema in spec["components"]["schemas"].items()
            for key in schema["properties"]}
    asked = {name for name in told if name.split(".")[0] in (
        "submission", "job_change", "node_change", "link_change",
        "what_if_ask", "snapshot_ask", "reservation", "signin", "requeue",
        "moves_ask")}
    asked |= {name for name in told
              if name.startswith("shadow")}  # of torid --shadow: shadow.py
    asked |= {name for name in told
              if name.startswith("stranger")}  # of a backup: restore.py
    asked |= {name for name in told
              if name.startswith("output.")}  # of files: output.py
    # Routes that need TCP, a configuration, reservations, or an executor that has some.
    elsewhere = {"job.limit", "job.effective_priority", "job.suspended",
                 "why_job.reservation", "why_job.window", "one_reservation.key",
                 "one_reservation.boxes", "one_reservation.across", "job.alias",
                 "why_job.alias", "health.message", "unknown_ended.id",
                 *(f"service_queue.{key}"
                   for key in ("allow", "deny", "on", "hours")),
                 *(f"account.{key}" for key in (
                     "account", "share", "shares", "target", "usage")),
                 "one_reservation.accounts", "user.account", "job.account",
                 "job.only_placed",
                 "job.expected_start", "job.expected_place"} # of tori show
    if "--only" not in sys.argv:
        equal(sorted(told - seen - asked - elsewhere), [])


if __name__ == "__main__":
    sys.exit(run([routes, queries, pages, created, waits, why_ended, large, many,
                  nodes, reservations, tags, misshapen, looks, bad_looks, ending, history, metrics,
                  metrics_begun, dashboard, alerts, events, heartbeat, slow, page,
                  linted, submitted, unknown_members, changed, members, described]))
