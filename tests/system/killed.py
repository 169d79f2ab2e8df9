#!/usr/bin/env python3
"""Usage: killed.py BUILD-DIRECTORY [--rounds N] [--slow N] [--seed N]

torid and torid-local are killed with SIGKILL at random while clients submit and
cancel jobs; a journal loses its end; and many clients are slow. What must hold
is seen from outside: by the answers, and by what the jobs leave behind. In TAP.
"""
import http.client
import os
import random
import resource
import signal
import socket
import sys
import threading
import time

from service import Service, Skip, ask_journal, equal, read, run, wait


def option(name, otherwise):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv \
        else otherwise


ROUNDS, SLOW = option("--rounds", 24), option("--slow", 400)
SEED = option("--seed", 17)
CAUGHT = (OSError, http.client.HTTPException)

# A job locks its nodes, and leaves a line when it begins and when it ends. The
# locks go with its last process.
JOB = """
fd=3
for node in $TORI_NODES; do
    eval "exec $fd>>lock.$node"
    flock -n $fd || echo $TORI_JOB_ID >> clash
    fd=$((fd + 1))
done
exec 9>>lock.job.$TORI_JOB_ID
flock -n 9 || echo $TORI_JOB_ID >> twice
echo begin $TORI_JOB_ID $TORI_ATTEMPT $1 >> proof
sleep $2
echo end $TORI_JOB_ID $TORI_ATTEMPT $1 >> proof
"""


class Client(threading.Thread):
    """Submits jobs with a key each, again and again until they are
    acknowledged, and cancels some."""

    def __init__(self, service, name, done):
        super().__init__(daemon=True)  # a case that fails ends
        self.service, self.name, self.done = service, name, done
        self.chance = random.Random(f"{SEED} {name}")
        self.acked, self.cancelled, self.error = {}, set(), None
        self.start()

    def insist(self, *request):
        while True:
            try:
                code, answer = self.service.ask(*request)
                if code != 503:
                    return code, answer
            except CAUGHT:
                pass
            time.sleep(0.02)

    def submit(self, key):
        code, answer = self.insist("POST", "/v1/jobs", {
            "count": self.chance.randint(1, 4), "estimate": 60,
            "directory": self.service.files, "command": [
                "sh", "-c", JOB, "job", key,
                f"{self.chance.uniform(0, 0.15):.3f}"]},
            {"Idempotency-Key": key})
        assert code in (200, 201), answer
        self.acked[key] = answer["ids"][0]

    def cancel(self):
        number = self.chance.choice(list(self.acked.values()))
        self.cancelled.add(number)
        code, answer = self.insist("DELETE", f"/v1/jobs/{number}")
        assert code in (200, 409), answer

    def run(self):
        number = 0
        try:
            while not self.done.is_set():
                number += 1
                self.submit(f"{self.name}-{number}")
                if self.chance.random() < 0.1:
                    self.cancel()
                time.sleep(0.2)
        except AssertionError as error:
            self.error = error


def kill(service, chance):
    what = chance.random()
    if what < 0.6:
        service.kill_executor()
    if what > 0.4:
        service.kill(chance.choice([signal.SIGKILL] * 5 + [signal.SIGTERM]))
        service.begin()


def show(done, since):
    """How far it is, on a terminal or every hundred rounds."""
    left = (time.monotonic() - since) / done * (ROUNDS - done)
    tty = sys.stderr.isatty()
    if tty or done % 100 == 0:
        print(f"# seed {SEED}, {done} of {ROUNDS} rounds, {left:.0f} s left",
              end="\033[K\r" if tty else "\n", file=sys.stderr, flush=True)


def listed(service, state):
    """All jobs of a state, page by page."""
    jobs, page = [], {"next": 0}
    while "next" in page:
        page = service.ask("GET", f"/v1/jobs?state={state}&limit=1000&after="
                           f"{page['next']}")[1]
        jobs += page["jobs"]
    return jobs


def finish(service):
    """Wait as long as jobs end; an executor that was often killed may take a
    minute to return."""
    left, since = None, time.monotonic()
    while left != 0:
        jobs = listed(service, "queued") + listed(service, "running")
        if len(jobs) != left:
            left, since = len(jobs), time.monotonic()
        assert time.monotonic() < since + 150, \
            f"{left} jobs do not end: {jobs[:3]}"
        time.sleep(0.1)


def check_proofs(service, acked, cancelled):
    begun, ended = {}, {}
    finish(service)
    known = {job["id"]: job for job in listed(service, "ended")}
    jobs = {key: known[number] for key, number in acked.items()}
    for line in read(service.path("proof")).splitlines():
        what, number, attempt, key = line.split()
        lines = begun if what == "begin" else ended
        lines.setdefault((int(number), int(attempt)), []).append(key)
    equal([one for one, keys in begun.items() if len(keys) > 1], [])
    equal([one for one, keys in ended.items() if len(keys) > 1], [])
    for name in ("clash", "twice"):
        equal((name, read(service.path(name))), (name, ""))
    for key, job in jobs.items():
        number = job["id"]
        runs = [keys for (n, _), keys in ended.items() if n == number]
        if number in cancelled:
            assert len(runs) <= 1, (job, runs)
        else:
            equal((job["status"], job.get("why"), runs), (0, None, [[key]]))


def killed_at_random():
    """torid and torid-local are killed; nothing is lost, and nothing repeated"""
    chance, done = random.Random(SEED), threading.Event()
    since = time.monotonic()
    with Service() as service:
        clients = [Client(service, name, done) for name in "abc"]
        for number in range(1, ROUNDS + 1):
            time.sleep(chance.uniform(0, 0.3))
            kill(service, chance)
            show(number, since)
        done.set()
        for client in clients:
            client.join()
            equal(client.error, None)
        acked = {key: number for client in clients
                 for key, number in client.acked.items()}
        equal(len(acked), len(set(acked.values())))
        assert acked
        check_proofs(service, acked,
                     set.union(*(client.cancelled for client in clients)))
        wait(lambda: service.ask("GET", "/v1/machine")[1]["free"] == 16,
             "nodes are not given back")


def unfinished(service):
    """How many pieces the journal has that are of no snapshot."""
    return ask_journal(
        service, "SELECT count(*) FROM piece WHERE number > "
        "(SELECT coalesce(max(last), 0) FROM snapshot)")


def killed_in_pieces():
    """torid is killed while it writes a snapshot in pieces; nothing is lost"""
    chance, caught, jobs = random.Random(SEED), 0, {}
    with Service("--body", "8", executor=None) as service:
        def submit(size):
            word = str(chance.random()) + "x" * size
            jobs[service.submit(word, hold=True)] = word
        for _ in range(12):
            begun = read(service.path("log")).count("event=snapshot ")
            for number in list(jobs):
                equal(service.ask("DELETE", f"/v1/jobs/{number}")[0], 200)
            jobs.clear()
            while read(service.path("log")).count("event=snapshot ") == begun:
                submit(3 << 20)
            until = time.monotonic() + chance.uniform(0, 0.3)
            submit(10)
            while time.monotonic() < until:
                submit(10)
            service.kill()
            caught += unfinished(service) > 0
            service.begin()
            equal({job["id"] for job in listed(service, "queued")}, set(jobs))
            for number, word in jobs.items():
                assert service.job(number)["command"] == [word], number
            if caught:
                break
        assert caught > 0, "never in the middle"


def damaged_tail():
    """a journal that has lost its end is one of an earlier time"""
    chance = random.Random(SEED)
    there = []
    with Service(executor=None) as service:
        for _ in range(6):
            first = service.submit("true", hold=True)
            for _ in range(20):
                last = service.submit("true", hold=True)
            service.kill()
            wal = service.path("state/journal-wal")
            size = os.path.getsize(wal)
            cut = size - chance.randint(1, size // 3)
            with open(wal, "r+b") as file:
                if chance.random() < 0.5:
                    file.truncate(cut)
                else:
                    file.seek(cut)
                    file.write(b"\xff" * (size - cut))
            service.begin()
            ids = [job["id"] for job in
                   service.ask("GET", "/v1/jobs?limit=1000")[1]["jobs"]]
            there += list(range(first, last + 1))
            equal(ids, there[:len(ids)])
            next_one = service.submit("true", hold=True)
            assert next_one > last, (ids, first, last)  # no number twice
            there = ids + [next_one]


def slow_clients():
    """clients that say nothing, or one byte at a time, disturb nobody"""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    need = SLOW + 100
    if most < need:
        raise Skip(f"only {most} open files are allowed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(need, 1024), most))
    slow, text = [], b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 9"
    with Service("--connections", str(need), "--per-address", str(need),
                 executor="rehearse") as service:
        for _ in range(SLOW):
            one = socket.socket(socket.AF_UNIX)
            one.connect(service.socket)
            slow.append(one)
        for turn, byte in enumerate(text):
            for one in slow[turn % 7::7]:
                try:
                    one.send(bytes([byte]))
                except OSError:
                    pass  # it took too long
            if turn % 5 == 0:
                number = service.submit("true")
                equal(service.job(number)["id"], number)
        equal(service.ended(number)["status"], 0)
        equal(service.ask("GET", "/healthz")[0], 200)
        for one in slow:
            one.close()
        equal(service.ended(service.submit("true"))["status"], 0)


sys.exit(run([killed_at_random, killed_in_pieces, damaged_tail, slow_clients]))
