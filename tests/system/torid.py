#!/usr/bin/env python3
"""Usage: torid.py BUILD-DIRECTORY [--only NAME...]

The service from outside: torid, its executors and its socket, all of them
real. In TAP.
"""
import glob
import json
import os
import resource
import signal
import subprocess
import sys
import time

from service import (BUILD, PATIENCE, Local, Service, ask_journal, equal, read,
                     run, wait)


# ---- jobs ----

def a_job():
    """a job is placed, runs and ends"""
    with Service() as service:
        number = service.submit(
            "sh", "-c", "echo $TORI_JOB_ID $TORI_BOX $TORI_COORDS; exit 3",
            shape="2x2", wiring="torus", output="out", name="first")
        job = service.ended(number)
        equal((job["id"], job["status"], job["name"], job["place"]),
              (1, 3, "first", {"box": "0,0/2x2"}))
        equal(read(service.path("out")), "1 0,0/2x2 0,0 0,1 1,0 1,1\n")


def by_default():
    """a torid that is not given an executor runs jobs on this host"""
    with Service(executor="default") as service:
        job = service.ended(service.submit("sh", "-c", "echo here",
                                           shape="2x2", output="out"))
        equal((job["status"], read(service.path("out"))), (0, "here\n"))
        assert os.listdir(service.path("state/jobs"))


def a_queue():
    """jobs wait for a stated reason, and start when there is room"""
    with Service() as service:
        first = service.submit("sh", "-c", "while ! test -e go; do sleep "
                               "0.02; done", shape="4x4")
        second = service.submit("true", shape="4x4")
        third = service.submit("true", shape="2x2", hold=True)
        equal([service.job(n)["state"] for n in (first, second, third)],
              ["running", "queued", "queued"])
        equal([service.job(n).get("reason") for n in (second, third)],
              ["numerical", "held"])
        open(service.path("go"), "w", encoding="utf-8").close()
        service.ended(second)
        equal(service.job(third)["state"], "queued")
        equal(service.ask("PATCH", f"/v1/jobs/{third}", {"hold": False})[0],
              200)
        equal(service.ended(third)["status"], 0)


def cancelled():
    """jobs are cancelled, waiting or running"""
    with Service() as service:
        first = service.submit("sleep", "1000", shape="4x4")
        second = service.submit("true", shape="4x4")
        for number in (second, first):
            equal(service.ask("DELETE", f"/v1/jobs/{number}")[0], 200)
        equal([service.ended(n)["why"] for n in (first, second)],
              ["cancelled", "cancelled"])
        equal(service.ask("DELETE", f"/v1/jobs/{first}")[0], 409)


def dependencies():
    """jobs start after others, or never"""
    with Service() as service:
        slow = service.submit("sh", "-c", "sleep 0.3; echo 1 >> order")
        after = service.submit("sh", "-c", "echo 2 >> order",
                               after=[f"ok:{slow}"])
        bad = service.submit("false", after=[f"any:{after}"])
        never = service.submit("true", after=[f"ok:{bad}"])
        equal(service.ended(after)["status"], 0)
        equal(read(service.path("order")), "1\n2\n")
        equal(service.ended(bad)["status"], 1)
        assert "otherwise" in service.ended(never)["why"]
        equal(service.ask("POST", "/v1/jobs", {
            "count": 1, "estimate": 1, "command": ["x"],
            "after": "ok:77"})[1]["error"]["code"], "no-such-job")


def arrays():
    """an array runs as many of its jobs at once as it may"""
    with Service() as service:
        number = service.submit(
            "sh", "-c", "mkdir lock.$TORI_ARRAY_INDEX; ls -d lock.* | wc -l "
            ">> seen; sleep 0.1; rmdir lock.$TORI_ARRAY_INDEX",
            array="1-6%2")
        for i in range(6):
            service.ended(number + i)
        seen = [int(n) for n in read(service.path("seen")).split()]
        equal(len(seen), 6)
        assert max(seen) <= 2, seen
        number = service.submit("sh", "-c", "echo $TORI_ARRAY_INDEX",
                                array="7-8", output="%A-%a.%j%%%x")
        names = [f"{number}-{7 + i}.{number + i}%%x" for i in range(2)]
        for i, name in enumerate(names):
            equal(service.ended(number + i)["output"], name)
            equal(read(service.path(name)), f"{7 + i}\n")


def same_key():
    """a request with the same key is the same request"""
    with Service() as service:
        job = {"count": 1, "estimate": 60, "command": ["true"],
               "directory": service.files}
        key = {"Idempotency-Key": "a"}
        equal([service.ask("POST", "/v1/jobs", job, key)
               for _ in range(2)],
              [(201, {"ids": [1]}), (200, {"ids": [1]})])
        service.kill()
        service.begin()
        equal(service.ask("POST", "/v1/jobs", job, key), (200, {"ids": [1]}))
        equal(service.ask("POST", "/v1/jobs", [job, job])[1]["ids"], [2, 3])
        for _ in range(2):
            code, answer = service.ask("POST", "/v1/jobs",
                                       {**job, "command": ["false"]}, key)
            equal((code, answer["error"]),
                  (409, {"code": "key-used", "message":
                         "the key was used for another submission"}))
            service.kill(signal.SIGTERM)
            service.begin()
        job = dict(reversed(job.items()))
        equal(service.ask("POST", "/v1/jobs", job, key), (200, {"ids": [1]}))


def refused():
    """what is wrong is refused in one line, and changes nothing"""
    with Service() as service:
        good = {"count": 1, "estimate": 1, "command": ["true"]}
        for body, code, words in [
                ({}, 400, "jobs[0].shape: is missing, and so is a count"),
                ({**good, "count": 0}, 400, "count"),
                ({**good, "estimate": "long"}, 400, "estimate"),
                ({**good, "command": "true"}, 400, "command"),
                ({**good, "shape": "2x2x2"}, 400, "dimensions"),
                ([good, {**good, "wiring": "wool"}], 400, "jobs[1].wiring"),
                ({**good, "alternatives": [{}]}, 400,
                 "jobs[0].alternatives[0].shape"),
                ({**good, "only": ["9,9"]}, 400, "jobs[0].only"),
                ({**good, "count": 3, "only": ["0,0", "1,0"]}, 422,
                 "it asks for 3 nodes, but may use only 2"),
                ({**good, "level": -1}, 400, "jobs[0].level"),
                ({**good, "preempted": "often"}, 400, "jobs[0].preempted"),
                ({**good, "checkpoint": -5}, 400, "jobs[0].checkpoint"),
                ({**good, "begin": "soon"}, 400, "jobs[0].begin"),
                ({**good, "priority": "high"}, 400, "jobs[0].priority"),
                ({**good, "movable": 1}, 400, "jobs[0].movable"),
                ({**good, "on_failure": "weep"}, 400, "kill, requeue or rep"),
                ({**good, "hold": "yes"}, 400, "jobs[0].hold"),
                ({**good, "name": 5}, 400, "jobs[0].name"),
                ({**good, "environment": {"A": 1}}, 400,
                 "jobs[0].environment"),
                ({**good, "hodl": True}, 400,
                 "jobs[0].hodl: there is no such member; did you mean "
                 "'hold'?"),
                ([good, {**good, "frobnicate": 1}], 400,
                 "jobs[1].frobnicate: there is no such member"),
                ({**good, "alternatives": [{"count": 1, "warp": True}]}, 400,
                 "jobs[0].alternatives[0].warp: there is no such member; did "
                 "you mean 'wrap'?"),
                ({**good, "environment": {"": "1"}}, 400,
                 "jobs[0].environment: '' is not the name of a variable"),
                ({**good, "environment": {"A=B": "1"}}, 400,
                 "jobs[0].environment: 'A=B' is not the name of a variable"),
                ({**good, "directory": "here"}, 400,
                 "jobs[0].directory: expected a path that begins with '/'"),
                *(({**good, "estimate": much}, 400,
                   "jobs[0].time_limit: expected more than 0 seconds, and at "
                   "most 1000 years") for much in (0, "0", 1e300, 4e10)),
                ({**good, "count": 17}, 422, "machine"),
                ({**good, "array": "5-1"}, 400, "array"),
                ([good, {**good, "count": 99}], 422, "machine"),
                ([], 400, "jobs")]:
            found, answer = service.ask("POST", "/v1/jobs", body)
            equal(found, code)
            assert words in answer["error"]["message"], answer
        for method, path, code in [
                ("GET", "/v1/jobs/1", 404), ("DELETE", "/v1/jobs/1", 404),
                ("GET", "/v1/jobs/x", 404), ("PUT", "/v1/jobs", 405),
                ("GET", "/etc/passwd", 404), ("GET", "/../journal", 404)]:
            equal(service.ask(method, path)[0], code)
        connection = Local(service.socket)
        connection.request("POST", "/v1/jobs", "{not json")
        equal(connection.getresponse().status, 400)
        connection.close()
        equal(service.ask("GET", "/v1/jobs")[1], {"jobs": []})
        number = service.submit("true", count=1, hold=True)
        for much in (0, 1e300, 4e10):
            found, answer = service.ask("PATCH", f"/v1/jobs/{number}",
                                        {"estimate": much})
            equal((found, answer["error"]["message"]),
                  (400, "time_limit: expected more than 0 seconds, and at most "
                   "1000 years"))
        for other in ("tier", "bogus"):
            found, answer = service.ask("PATCH", f"/v1/jobs/{number}",
                                        {"time_limit": 60, other: 1})
            equal((found, answer["error"]["message"]),
                  (400, f"{other}: cannot be changed"))


def wishes():
    """a job may leave a choice, use only some nodes, and begin later"""
    with Service() as service:
        first = service.submit("sleep", "1000", shape="4x4",
                               alternatives=[{"shape": "4x3"}])
        equal(service.job(first)["place"], {"box": "0,0/4x4"})
        service.ask("DELETE", f"/v1/jobs/{first}")
        service.ended(first)
        equal(service.ended(service.submit("true", only=["2,0/2x4"]))["place"],
              {"nodes": ["2,0"]})
        stays = service.submit("sleep", "1000", shape="1x4")
        other = service.submit("sleep", "1000", alternatives=[
            {"shape": "4x4"}, {"shape": "3x4", "wiring": "torus"}])
        equal(service.job(other)["place"], {"box": "1,0/3x4"})
        waits = service.submit("true", shape="2x4", patience=3600,
                               alternatives=[{"count": 7}, {"count": 6}])
        for asked, left in ({"shape": "2x4", "priority": 1}, 2), (
                {"shape": "2x4"}, 2), ({"shape": "4x2"}, None):
            service.ask("PATCH", f"/v1/jobs/{waits}", asked)
            job = service.job(waits)
            equal((job.get("patience"), len(job.get("alternatives", []))),
                  (left and 3600, left or 0))
        service.ask("DELETE", f"/v1/jobs/{waits}")
        service.kill()
        service.begin()
        equal([service.job(n)["place"]["box"] for n in (stays, other)],
              ["0,0/1x4", "1,0/3x4"])
        for number in (stays, other):
            service.ask("DELETE", f"/v1/jobs/{number}")
            service.ended(number)
        before = time.time()
        late = service.submit("true", begin="+1s", estimate="1m")
        job = service.job(late)
        equal((job["reason"], job["estimate"]), ("not-yet", 60))
        assert before + 1 <= job["begin"] <= time.time() + 1, job
        assert service.ended(late)["start"] >= before + 1


def preempted():
    """a job of a higher level takes the place of others, as they chose"""
    with Service() as service:
        number = {fate: service.submit(
            "sh", "-c", f"while ! test -e go; do echo >> {fate}; sleep 0.02; "
            "done", shape="4x1", preempted=fate)
            for fate in ("suspend", "requeue", "kill", "never")}
        for fate in number:
            wait(lambda f=fate: read(service.path(f)), f"{fate} begins")
        urgent = service.submit("sh", "-c", "echo > begun; "
                                "while ! test -e done; do sleep 0.02; done",
                                shape="4x3", level=1)
        wait(lambda: read(service.path("begun")), "the urgent one begins")
        jobs = {fate: service.job(number[fate]) for fate in number}
        equal({fate: jobs[fate]["state"] for fate in jobs},
              {"suspend": "queued", "requeue": "queued", "kill": "ended",
               "never": "running"})
        equal(jobs["suspend"]["suspended"], True)
        equal(jobs["suspend"]["place"], {"box": "0,0/1x4"})
        equal(jobs["kill"]["why"], f"job {urgent} took its place")
        before = read(service.path("suspend"))
        service.kill()
        service.begin()
        time.sleep(0.3)
        equal(read(service.path("suspend")), before)
        equal(service.job(number["suspend"]), jobs["suspend"])
        for name in ("go", "done"):
            open(service.path(name), "w", encoding="utf-8").close()
        equal(service.ended(urgent)["status"], 0)
        for fate, attempt in (("suspend", 1), ("requeue", 2), ("never", 1)):
            job = service.ended(number[fate])
            equal((job["status"], job["attempt"]), (0, attempt))


def moved():
    """running jobs move to make room, one attempt after the other"""
    with Service("--moves", "--move-time", "0s", machine="mesh:4") as service:
        jobs = [service.submit(
            "sh", "-c", "echo $TORI_ATTEMPT $TORI_NODES >> runs; trap exit "
            "TERM; while ! test -e go; do sleep 0.02; done", shape="1")
            for _ in range(4)]
        wait(lambda: read(service.path("runs")).count("\n") == 4, "all run")
        for number in (jobs[0], jobs[2]):
            service.ask("DELETE", f"/v1/jobs/{number}")
            service.ended(number)
        wide = service.submit("sh", "-c", "echo $TORI_ATTEMPT $TORI_NODES >> "
                              "runs", shape="2")
        equal(service.ended(wide)["status"], 0)
        equal(service.job(wide)["place"], {"box": "0/2"})
        places = [service.job(jobs[i])["place"]["box"] for i in (1, 3)]
        equal(places, ["2/1", "3/1"])
        service.kill()
        service.begin()
        equal([service.job(jobs[i])["place"]["box"] for i in (1, 3)], places)
        open(service.path("go"), "w", encoding="utf-8").close()
        equal([service.ended(jobs[i])["attempt"] for i in (1, 3)], [2, 1])


def repaired():
    """a job on a node that fails goes to a place nearby, if it wants to"""
    with Service() as service:
        number = service.submit(
            "sh", "-c", "echo $TORI_COORDS >> places; "
            "while ! test -e go; do sleep 0.02; done", shape="2x2",
            on_failure="repair")
        wait(lambda: read(service.path("places")), "it begins")
        service.ask("PATCH", "/v1/nodes/0,0", {"state": "down"})
        job = service.job(number)
        equal((job["state"], job["place"]), ("running", {"box": "0,1/2x2"}))
        wait(lambda: read(service.path("places")).count("\n") == 2,
             "it begins again")
        equal(read(service.path("places")),
              "0,0 0,1 1,0 1,1\n0,1 0,2 1,1 1,2\n")
        open(service.path("go"), "w", encoding="utf-8").close()
        equal(service.ended(number)["attempt"], 2)


def nodes():
    """nodes are drained and resumed; a job on a node that fails runs again"""
    with Service() as service:
        equal(service.ask("PATCH", "/v1/nodes/0,0/4x2",
                          {"state": "drain"})[1], {"nodes": 8})
        number = service.submit("sh", "-c", "echo x >> runs; "
                                "while ! test -e go; do sleep 0.02; done",
                                shape="4x2")
        equal(service.job(number)["place"], {"box": "0,2/4x2"})
        wait(lambda: read(service.path("runs")), "it does not begin")
        service.ask("PATCH", "/v1/nodes/0,0/4x4", {"state": "resume"})
        service.ask("PATCH", "/v1/nodes/0,2", {"state": "down"})
        wait(lambda: service.job(number).get("attempt") == 2, "no restart")
        equal(service.job(number)["place"], {"box": "0,0/4x2"})
        open(service.path("go"), "w", encoding="utf-8").close()
        equal(service.ended(number)["status"], 0)
        states = {node["node"]: node["state"] for node in
                  service.ask("GET", "/v1/nodes")[1]["nodes"]}
        equal((states["0,2"], states["0,0"]), ("down", "free"))


def pods():
    """slices of a pod are placed, explained and found again after a crash"""
    with Service(machine="pod:4/2x2x2", executor="rehearse") as service:
        for shape, wiring in ("4x2x2", "torus"), ("2x2x2", "torus"):
            service.submit("1000000", shape=shape, wiring=wiring,
                           estimate=1000000)
        equal(service.job(1)["place"],
              {"boxes": ["0,0,0,0/1x2x2x2", "1,0,0,0/1x2x2x2"],
               "across": "1x1x2", "box_wiring": "torus"})
        equal(service.ask("PATCH", "/v1/links/3,1,0,0%20%2B1",
                          {"state": "down"})[0], 200)
        waits = service.submit("1000000", shape="2x2x2", wiring="torus")
        wait(lambda: service.ask("GET", f"/v1/jobs/{waits}/why")[1]["jobs"][0]["reason"]
             == "wiring", "the port is up")
        service.ask("PATCH", "/v1/nodes/3/2x2x2", {"state": "drain"})
        equal(service.tori("submit", "--count", "2", "--time", "60s", "1")[2],
              "tori: the allocator takes a shape, not a count\n")
        jobs = service.ask("GET", "/v1/jobs")[1]["jobs"]
        snapshot = service.ask("GET", "/v1/snapshot")[1]
        service.kill()
        service.begin()
        equal(service.ask("GET", "/v1/jobs")[1]["jobs"], jobs)
        again = service.ask("GET", "/v1/snapshot")[1]
        equal({**again, "now": 0}, {**snapshot, "now": 0})
        equal(snapshot["alloc"], {"shape": "cube-best"})
        equal(service.tori("forecast")[0], 0)
        equal(service.tori("map")[0], 0)
        service.ask("PATCH", "/v1/links/3,1,0,0%20%2B1", {"state": "up"})
        service.ask("PATCH", "/v1/nodes/3/2x2x2", {"state": "resume"})
        wait(lambda: service.job(waits)["state"] != "queued", "it waits")
        equal(service.job(waits)["place"],
              {"box": "3,0,0,0/1x2x2x2", "box_wiring": "torus"})


def pod_moves():
    """a slice of a pod moves to make room, also before a crash"""
    with Service("--moves", "--move-time", "0s", machine="pod:2/2x2") as service:
        where = "echo $TORI_BOX >> where; exec sleep 1000"
        for name in "abc":
            service.submit("sh", "-c", where, shape="1x2", name=name,
                           estimate=100000, directory=service.files)
        wait(lambda: len(read(service.path("where")).split()) == 3, "no start")
        equal(service.job(2)["place"], {"box": "0,1,0/1x1x2"})
        service.ask("DELETE", "/v1/jobs/2")
        wait(lambda: service.job(2)["state"] == "ended", "it runs")
        cube = service.submit("sh", "-c", where, shape="2x2", estimate=1000,
                              directory=service.files)
        wait(lambda: len(read(service.path("where")).split()) == 5, "no move")
        places = [service.job(number)["place"] for number in (1, 3, cube)]
        equal(places, [{"box": "1,1,0/1x1x2"}, {"box": "1,0,0/1x1x2"},
                       {"box": "0,0,0/1x2x2"}])
        service.kill()
        service.begin()
        equal([service.job(number)["place"] for number in (1, 3, cube)], places)
        equal(sorted(read(service.path("where")).split())[-2:],
              ["1,0,0/1x1x2", "1,1,0/1x1x2"])


# ---- watching ----

def events():
    """whoever watches is told, also of what happened while he was away"""
    with Service() as service:
        connection = Local(service.socket)
        connection.request("GET", "/v1/events")
        stream = connection.getresponse()
        number = service.submit("true")
        seen, last = [], None
        while "ended" not in seen:
            line = stream.readline().decode().strip()
            if line.startswith("event: "):
                seen.append(line[7:])
            elif line.startswith("id: "):
                last = line[4:]
        equal([event for event in seen if event != "executor"],
              ["submitted", "started", "ended"])
        connection.close()
        service.ended(service.submit("true"))
        connection.request("GET", "/v1/events",
                           headers={"Last-Event-ID": last})
        stream = connection.getresponse()
        equal(stream.readline().decode().strip(), f"id: {int(last) + 1}")
        connection.close()
        equal(number, 1)


def pages():
    """long lists come in pages"""
    with Service(executor="rehearse") as service:
        service.ask("POST", "/v1/jobs", [
            {"count": 1, "estimate": 60, "command": ["true"],
             "hold": True}] * 250)
        page, after, ids = None, 0, []
        while page is None or "next" in page:
            page = service.ask("GET", f"/v1/jobs?limit=100&after={after}")[1]
            ids += [job["id"] for job in page["jobs"]]
            after = page.get("next")
        equal(ids, list(range(1, 251)))


# ---- surviving ----

def restarted():
    """torid ends in order, and the next one goes on"""
    with Service() as service:
        number = service.submit("sh", "-c", "echo > begun; while ! test -e "
                                "go; do sleep 0.02; done; exit 4",
                                shape="4x4")
        waiting = service.submit("true")
        wait(lambda: read(service.path("begun")), "it does not begin")
        equal(service.kill(signal.SIGTERM), 0)
        open(service.path("go"), "w", encoding="utf-8").close()
        wait(lambda: glob.glob(service.path(f"jobs/{number}.1.*/ended")),
             "no end")
        over = time.time()
        time.sleep(1.1)
        service.begin()
        job = service.ended(number)
        equal(job["status"], 4)
        assert job["end"] <= over, f"it ended at {job['end']}, not {over}"
        equal(service.ended(waiting)["status"], 0)
        service.kill()
        service.begin()
        equal(service.ended(number), job)


def snapshots():
    """a long journal is replaced by a snapshot while the service goes on"""
    with Service("--max-array", "20001",
                 executor=lambda files: "cat > /dev/null",
                 machine="torus:160x160") as service:
        service.submit("true", shape="1x1", array="1-20001")
        wait(lambda: "event=snapshot " in read(service.path("log")),
             "there is no snapshot")
        later = service.submit("true", shape="1x1")
        wait(lambda: ask_journal(service, "SELECT count(*) FROM snapshot"),
             "its pieces do not become a snapshot")
        service.kill()
        service.begin()
        equal([service.job(n)["state"] for n in (1, 20001, later)],
              ["running"] * 3)


def one_thread():
    """torid has one thread, so what it forks may use malloc"""
    with Service("--listen", "127.0.0.1:0") as service:
        service.ended(service.submit("true", shape="1x1"))
        for path in ("snapshot", "forecast", "nodes", "jobs?limit=1"):
            equal(service.ask("GET", f"/v1/{path}")[0], 200)
        equal(len(os.listdir(f"/proc/{service.process.pid}/task")), 1)


def full_disk():
    """a full disk: no acknowledgements, reads go on, and it recovers"""
    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE,
                           (600 << 10, resource.RLIM_INFINITY))
    with Service(executor="rehearse", limits=small) as service:
        big = {"count": 1, "estimate": 60, "hold": True,
               "command": ["x" * 50000]}
        acked, code = 0, 201
        while code == 201 and acked < 100:
            key = {"Idempotency-Key": f"k{acked}"}
            code, answer = service.ask("POST", "/v1/jobs", big, key)
            acked += code == 201
        equal((code, answer["error"]["code"]), (503, "no-disk"))
        assert "may still take effect" in answer["error"]["message"], answer
        equal(service.ask("GET", "/healthz")[0], 503)
        equal(service.ask("POST", "/v1/jobs", big)[0], 503)
        equal(service.job(acked)["state"], "queued")
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE,
                         (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        wait(lambda: service.ask("GET", "/healthz")[0] == 200, "no recovery")
        equal(service.ask("POST", "/v1/jobs", big, key),
              (200, {"ids": [acked + 1]}))
        number = service.submit("true")
        service.kill()
        service.begin()
        assert service.job(acked)["id"] == acked
        assert service.job(number)["id"] == number


def alone():
    """a second torid of the same directory is refused"""
    with Service() as service:
        second = subprocess.run(
            [os.path.join(BUILD, "torid"), *service.words],
            capture_output=True, text=True, timeout=PATIENCE, check=False)
        equal((second.returncode, second.stderr),
              (1, f"torid: {service.path('state')}: another torid uses this "
               f"directory (process {service.process.pid})\n"))
        equal(service.answers(), True)


def misuse():
    """wrong options are refused in one line"""
    for words, code in [([], 2), (["--machine", "torus:4x4"], 2),
                        (["--no"], 2),
                        (["--check", "--config", "/nonexistent"], 2),
                        (["token", "list", "--state", "/nonexistent"], 1),
                        (["--machine", "ring:4", "--state", "/tmp/x"], 2)]:
        done = subprocess.run([os.path.join(BUILD, "torid"), *words],
                              capture_output=True, text=True, check=False)
        equal((done.returncode, done.stdout, done.stderr.count("\n")),
              (code, "", 1))


def old_names():
    """members by their names of the version before are the same members"""
    with Service(executor=None) as service:
        def told(number):
            return {key: value for key, value in service.job(number).items()
                    if key in ("time_limit", "estimate", "tier", "level")}

        for limit in ("time_limit", "estimate"):
            for tier in ("tier", "level"):
                number = service.submit("true", hold=True,
                                        **{limit: "2m", tier: 3})
                equal(told(number), {"time_limit": 120, "estimate": 120,
                                     "tier": 3, "level": 3})
                equal(service.ask("PATCH", f"/v1/jobs/{number}",
                                  {limit: 90})[0], 200)
                equal(told(number)["time_limit"], 90)
                equal(told(number)["estimate"], 90)
        equal(told(service.submit("true", hold=True, time_limit=7,
                                  estimate=7))["estimate"], 7)
        before = service.ask("GET", "/v1/jobs")[1]
        job = {"count": 1, "command": ["true"], "time_limit": 60}
        for more, text in (
                ({"estimate": 61}, "jobs[0].time_limit: differs from estimate, "
                 "which is its old name"),
                ({"tier": 1, "level": 2}, "jobs[0].tier: differs from level, "
                 "which is its old name")):
            code, answer = service.ask("POST", "/v1/jobs", {**job, **more})
            equal((code, answer["error"]["message"]), (400, text))
        code, answer = service.ask("PATCH", "/v1/jobs/1",
                                   {"time_limit": 5, "estimate": 6})
        equal((code, answer["error"]["message"]), (
            400, "time_limit: differs from estimate, which is its old name"))
        service.kill()
        service.begin()
        equal(service.ask("GET", "/v1/jobs")[1], before)
        properties = service.ask("GET", "/openapi.json")[1][
            "components"]["schemas"]["submission"]["properties"]
        equal({name for name, is_ in properties.items()
               if is_.get("deprecated")}, {"estimate", "level"})


def only_places():
    """with the executor none, jobs are placed, and nothing is started"""
    with Service(executor=None) as service:
        job = service.submit("touch", service.path("began"), shape="4x4")
        equal(service.job(job)["place"], {"box": "0,0/4x4"})
        equal(service.ask("GET", "/healthz")[0], 200)
        log = read(service.path("log"))
        assert "executor" not in log and "none" not in log, log
        equal(os.path.exists(service.path("began")), False)


sys.exit(run([only_places, by_default, old_names, a_job, a_queue, cancelled, dependencies, arrays, same_key,
              refused, wishes, preempted, moved, repaired, nodes, pods, pod_moves,
              events,
              pages,
              restarted, snapshots, one_thread, full_disk, alone, misuse]))
