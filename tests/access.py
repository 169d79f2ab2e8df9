#!/usr/bin/env python3
"""Usage: access.py BUILD-DIRECTORY [--only NAME...]

Who may do what to torid, from where, and how much of it; its configuration, and
how it is kept by a system. In TAP.
"""
import http.client
import json
import os
import pwd
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from service import BUILD, PATIENCE, Service, Skip, equal, read, run, wait

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIELD = re.compile(r'([a-z_]+)=((?:[^ "=]+)|"(?:[^"\\]|\\.)*")')


def log_of(service):
    """The lines of a log as dictionaries; every one is logfmt."""
    rows = []
    for line in read(service.path("log")).splitlines():
        assert re.fullmatch(f"{FIELD.pattern}( {FIELD.pattern})*", line), line
        rows.append({key: value.strip('"')
                     for key, value in FIELD.findall(line)})
    return rows


def logs():
    """every line of the log has a time, a level and an event"""
    with Service(executor="rehearse") as service:
        equal(service.kill(15), 0)
        rows = log_of(service)
        assert all({"time", "level", "event"} <= set(row) for row in rows), rows
        events = [row["event"] for row in rows]
        equal((events[0], events[-1]), ("listening", "ending"))
        equal(rows[0]["socket"], service.socket)
        equal((rows[-1]["level"], rows[-1]["signal"]), ("info", "15"))


# ---- settings ----

def torid(*words, **more):
    done = subprocess.run([os.path.join(BUILD, "torid"), *words], text=True,
                          capture_output=True, timeout=PATIENCE, check=False,
                          **more)
    return done.returncode, done.stdout, done.stderr


def write(path, *lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))


GOOD = ["# a comment, which does not count",
        "machine = torus:4x4",
        'executor = "sh -c \'read x # y\'" # another',
        "half-life = 7d", "usage-weight = 1000", "operator = alice",
        "operator = \"@staff\"",
        "queue short { max-time = 30m  priority = 100 }",
        "queue long { max-running = 20",
        "    preempted = suspend }"]


def checked():
    """--check tells what is wrong with a file, each error by its line"""
    with tempfile.TemporaryDirectory() as files:
        path, state = f"{files}/torid.conf", f"{files}/state"
        write(path, *GOOD, f"state = {state}")
        good = (0, "the settings are good\n"
                "the journal is good: 0 jobs wait, 0 run\n", "")
        equal(torid("--config", path, "--check", env={"TMPDIR": files}), good)
        equal(os.listdir(files), ["torid.conf"])
        write(path, *GOOD, "depth = many", "sched = esy", "half-life = 1d",
              "queue x {", "max-nodes = -1", "}", "public = perhaps",
              "listen = localhost", "bogus = 1")
        code, out, err = torid("--config", path, "--check")
        equal((code, out), (2, ""))
        said = [line.removeprefix(f"torid: {path}:")
                for line in err.splitlines()]
        for line, number, words in zip(
                said, (11, 12, 13, 15, 17, 18, 19),
                ("depth: 'many' is not", "did you mean 'easy'",
                 "given twice, first in line 4", "max-nodes: '-1'",
                 "neither true nor false", "ADDRESS:PORT",
                 "no such option 'bogus'"), strict=True):
            assert line.startswith(f"{number}: ") and words in line, line
        for words, code, text in [
                (["--config", f"{files}/none"], 2, "No such file"),
                (["--config", path, "--machine", "torus:2"], 2, "depth"),
                (["--machine", "torus:2"], 2, "--state"),
                (["--machine", "torus:2", "--state", state, "--listen",
                  "0.0.0.0:1"], 2, "--public")]:
            found, out, err = torid(*words)
            equal((found, out), (code, ""))
            assert text in err, err


def typed():
    """what is typed goes before what a file says"""
    with Service(executor="rehearse") as service:
        write(service.path("conf"), "machine = torus:2x2", "depth = x")
        found = torid(*service.words, "--config", service.path("conf"))
        assert found[0] == 2 and "depth" in found[2], found
        write(service.path("conf"), "machine = torus:2x2", "log = error")
        service.kill(signal.SIGTERM)
        service.words += ["--config", service.path("conf")]
        os.remove(service.path("log"))
        service.begin()
        equal(service.ask("GET", "/v1/machine")[1]["nodes"], 16)
        equal(read(service.path("log")), "")


def check_journal():
    """--check reads the journal, and neither changes nor disturbs it"""
    with Service(executor="rehearse") as service:
        service.submit("true", hold=True)
        equal(torid(*service.words, "--check")[:2],
              (0, "the settings are good\n"
               "torid is running: its journal is left alone\n"))
        service.kill()
        path = service.path("state/journal")

        def state():
            return [(name, os.stat(service.path(f"state/{name}")).st_mtime_ns)
                    for name in sorted(os.listdir(service.path("state")))]
        before = state()
        equal(torid(*service.words, "--check")[:2],
              (0, "the settings are good\n"
               "the journal is good: 1 jobs wait, 0 run\n"))
        equal(state(), before)
        write(path, "this is not a journal")
        code, out, err = torid(*service.words, "--check")
        equal((code, out), (2, "the settings are good\n"))
        assert "journal" in err, err
        service.begin = lambda: None


def reloaded():
    """SIGHUP takes what can change, and names what cannot"""
    with Service(executor="rehearse") as service:
        service.kill(signal.SIGTERM)
        conf = service.path("conf")
        write(conf, "log = debug")
        service.words += ["--config", conf]
        service.begin()

        def hangup(event):
            seen = len(log_of(service))
            service.process.send_signal(signal.SIGHUP)
            wait(lambda: event in [row["event"]
                                   for row in log_of(service)[seen:]],
                 f"no {event}")
            return log_of(service)[seen:]

        def restarts():
            return [row.get("restart_for") for row in hangup("reloaded")
                    if row["event"] == "reloaded"]

        write(conf, "log = info", "max-queued = 2")
        equal(restarts(), [None])
        write(conf, "max-queued = 2", "connections = 100", "sched = fcfs")
        equal(restarts(), ["sched,connections"])
        write(conf, "max-queued = 2", "bogus = 1")
        rows = hangup("not-reloaded")
        assert any(f"{conf}:2: " in row.get("why", "") for row in rows), rows
        equal(service.answers(), True)


def private():
    """nobody else reads the journal"""
    with Service(executor="rehearse") as service:
        service.submit("true", hold=True)
        for name in ("journal", "journal-wal"):
            equal(os.stat(service.path(f"state/{name}")).st_mode & 0o777,
                  0o600)
        equal(os.stat(service.path("state")).st_mode & 0o777, 0o711)


# ---- who may ----

def ask_tcp(port, method, path, token=None, body=None, headers=None):
    """Status, headers and JSON of an answer over TCP."""
    connection = http.client.HTTPConnection("127.0.0.1", port,
                                            timeout=PATIENCE)
    try:
        connection.request(
            method, path, None if body is None else json.dumps(body),
            {**({"Authorization": f"Bearer {token}"} if token else {}),
             **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.headers, json.loads(answer.read())
    finally:
        connection.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_token(service, name, role, *more):
    code, out, err = torid("token", "add", name, "--role", role, "--state",
                           service.path("state"), *more)
    equal((code, err), (0, ""))
    return out.strip()


JOB = {"count": 1, "estimate": 60, "command": ["true"], "hold": True}


def tokens():
    """over TCP a token says who asks, and what he may; at once"""
    port = free_port()
    with Service("--listen", f"127.0.0.1:{port}",
                 executor="rehearse") as service:
        code, headers, answer = ask_tcp(port, "GET", "/v1/jobs")
        equal((code, headers["WWW-Authenticate"], answer["error"]["code"]),
              (401, 'Bearer realm="torid"', "no-token"))
        reader = make_token(service, "page", "reader")
        alice = make_token(service, "alice", "user")
        bob = make_token(service, "bob-laptop", "user", "--user", "bob")
        chief = make_token(service, "chief", "operator")
        assert re.fullmatch("tori_[A-Za-z0-9_-]{43}", alice), alice
        kept = read(service.path("state/tokens"))
        equal(os.stat(service.path("state/tokens")).st_mode & 0o777, 0o600)
        for text in (reader, alice, bob, chief):
            assert text not in kept and text[5:] not in kept
            equal(ask_tcp(port, "GET", "/v1/jobs", text)[0], 200)
        for wrong in (alice[:-1], alice + "x", "", "tori_"):
            code, headers, answer = ask_tcp(
                port, "GET", "/v1/jobs",
                headers={"Authorization": f"Bearer {wrong}"})
            equal((code, answer["error"]["code"]), (401, "bad-token"))
            assert "invalid_token" in headers["WWW-Authenticate"]
        code, _, answer = ask_tcp(port, "POST", "/v1/jobs", reader, JOB)
        equal(code, 403)
        assert "GET" in answer["error"]["message"], answer
        equal([ask_tcp(port, "POST", "/v1/jobs", text, JOB)[2]["ids"]
               for text in (alice, bob)], [[1], [2]])
        equal([service.job(n)["user"] for n in (1, 2)], ["alice", "bob"])
        drain = {"state": "drain"}
        equal([ask_tcp(port, "DELETE", "/v1/jobs/2", alice)[0],
               ask_tcp(port, "PATCH", "/v1/nodes/0,0", alice, drain)[0],
               ask_tcp(port, "PATCH", "/v1/nodes/0,0", alice,
                       {**drain, "root": True})[0],
               ask_tcp(port, "DELETE", "/v1/jobs/1", alice)[0],
               ask_tcp(port, "DELETE", "/v1/jobs/2", chief)[0],
               ask_tcp(port, "PATCH", "/v1/nodes/0,0", chief, drain)[0]],
              [403, 403, 403, 200, 200, 200])
        state = ["--state", service.path("state")]
        listed = torid("token", "list", *state)[1].splitlines()
        equal([line.split()[:3] for line in listed],
              [["page", "reader", "page"], ["alice", "user", "alice"],
               ["bob-laptop", "user", "bob"], ["chief", "operator", "chief"]])
        equal(torid("token", "remove", "alice", *state), (0, "", ""))
        equal(ask_tcp(port, "GET", "/v1/jobs", alice)[0], 401)
        equal(ask_tcp(port, "GET", "/v1/jobs", bob)[0], 200)
        os.chmod(service.path("state/tokens"), 0o644)
        equal(ask_tcp(port, "GET", "/v1/jobs", bob)[0], 200)
        assert "bad-tokens" in [row["event"] for row in log_of(service)]
        code, out, err = torid(*service.words, "--check")
        equal((code, out), (2, "the settings are good\n"))
        assert "others can read" in err, err
        refused = [int(row["times"]) for row in log_of(service)
                   if row["event"] == "token-refused"]
        assert 1 <= len(refused) < 5 and refused[0] == 1, refused
        for words, text in [
                (["remove", "alice"], "others can read"),
                (["add", "a b", "--role", "user"], "not a name"),
                (["add", "x", "--role", "king"], "is not one of")]:
            code, out, err = torid("token", *words, *state)
            equal((code, out), (2, ""))
            assert text in err, err


def clients():
    """the commands of tori reach torid over TCP with a token"""
    port = free_port()
    with Service("--listen", f"127.0.0.1:{port}",
                 executor="rehearse") as service:
        def tori(words, **environment):
            done = subprocess.run(
                [os.path.join(BUILD, "tori"), *words], text=True,
                env={**os.environ, **environment}, capture_output=True,
                timeout=PATIENCE, check=False)
            return done.returncode, done.stdout, done.stderr
        alice = make_token(service, "alice", "user")
        where = f"http://127.0.0.1:{port}/"
        equal(tori(["submit", "--socket", where, "--count", "1", "--time",
                    "60", "--hold", "true"], TORI_TOKEN=alice),
              (0, "1\n", ""))
        equal(service.job(1)["user"], "alice")
        code, out, err = tori(["nodes"], TORI_SOCKET=where)
        equal((code, out), (2, ""))
        assert "Authorization" in err, err
        equal(tori(["cancel", "1"], TORI_SOCKET=where, TORI_TOKEN=alice)[0],
              0)


def as_user(name, work):
    """What work returns, in a process of that user."""
    entry = pwd.getpwnam(name)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(entry.pw_gid)
            os.setuid(entry.pw_uid)
            os.write(writing, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text)


def peers():
    """who comes by the socket is known; operators are those that are named"""
    if os.getuid() != 0:
        raise Skip("only root can be others")
    with Service() as service:
        os.chmod(service.files, 0o711)

        def drains():
            return service.ask("PATCH", "/v1/nodes/0,0",
                               {"state": "drain"})[0]

        equal(as_user("nobody", drains), 403)
        equal(drains(), 200)
        # Files of a job are opened by its user: root's are out of reach.
        secret = service.path("state/secret")
        number = as_user("nobody", lambda: service.submit(
            "echo", "mine", directory="/", output=secret))
        job = service.ended(number)
        assert job.get("status") != 0 and not os.path.exists(secret), job
        equal(job["user"], "nobody")
        service.kill(signal.SIGTERM)
        service.words += ["--operator", "@nogroup"]
        service.begin()
        equal(as_user("nobody", drains), 200)


# ---- how much ----

def refusals():
    """what is refused is refused in JSON, and says what is allowed"""
    port = free_port()
    with Service("--listen", f"127.0.0.1:{port}", "--body", "1", "--requests",
                 "20", "--streams", "1", executor="rehearse") as service:
        alice = make_token(service, "alice", "user")
        chief = make_token(service, "chief", "operator")
        for method, path, body, headers, code, words in [
                ("PUT", "/v1/jobs", None, {}, 405, "GET"),
                ("POST", "/v1/jobs", "x" * (2 << 20), {}, 413, "1 MiB"),
                ("GET", "/v1/jobs", None, {"X-Long": "x" * 20000}, 431,
                 "16 KiB"),
                ("GET", "/v1/nothing", None, {}, 404, "")]:
            found, said, answer = ask_tcp(port, method, path, chief, body,
                                          headers)
            equal((found, said["Content-Type"]), (code, "application/json"))
            assert words in answer["error"]["message"] + str(
                said["Allow"]), answer
        with socket.create_connection(("127.0.0.1", port)) as polite:
            polite.sendall(f"POST /v1/jobs HTTP/1.1\r\nHost: x\r\n"
                           f"Authorization: Bearer {chief}\r\n"
                           "Content-Length: 9999999\r\n"
                           "Expect: 100-continue\r\n\r\n".encode())
            assert polite.recv(1000).startswith(b"HTTP/1.1 413 ")
        rest = [ask_tcp(port, "GET", "/healthz", alice)
                for _ in range(60)]
        late = [answer for answer in rest if answer[0] != 200]
        assert 0 < len(late) < 60 and late[0][0] == 429, rest
        equal(late[0][1]["Retry-After"], "1")
        assert "20 requests per second" in late[0][2]["error"]["message"]
        equal({ask_tcp(port, "GET", "/healthz", chief)[0]
               for _ in range(60)}, {200})

        def watch():
            stream = http.client.HTTPConnection("127.0.0.1", port,
                                                timeout=PATIENCE)
            stream.request("GET", "/v1/events",
                           headers={"Authorization": f"Bearer {chief}"})
            return stream, stream.getresponse().status
        stream, code = watch()
        equal(code, 200)
        code, _, answer = ask_tcp(port, "GET", "/v1/events", chief)
        equal((code, answer["error"]["code"]), (503, "too-many-streams"))
        stream.close()

        def again():
            service.ask("POST", "/v1/jobs", JOB)
            stream, code = watch()
            stream.close()
            return code == 200
        wait(again, "a stream that has ended is still counted")


def silent():
    """those who say nothing keep nobody from asking, and are shown out"""
    port = free_port()
    with Service("--listen", f"127.0.0.1:{port}", "--connections", "100",
                 "--patience", "3s", executor="rehearse") as service:
        chief = make_token(service, "chief", "operator")
        crowd = []
        for number in range(400):
            if number % 2:
                crowd.append(socket.create_connection(("127.0.0.1", port)))
            else:
                crowd.append(socket.socket(socket.AF_UNIX))
                crowd[-1].connect(service.socket)
            if number % 3 == 0:
                crowd[-1].sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\n")
        equal(ask_tcp(port, "GET", "/healthz", chief)[0], 200)
        equal(service.ask("GET", "/healthz")[0], 200)
        # One that sends a byte now and then is shown out all the same.
        slow, until = crowd[-1], time.monotonic() + PATIENCE
        slow.settimeout(0.2)
        gone = False
        while not gone and time.monotonic() < until:
            try:
                slow.sendall(b"X")
                gone = slow.recv(1) == b""
            except TimeoutError:
                pass
            except OSError:
                gone = True
        assert gone, "it may stay"
        for one in crowd:
            one.settimeout(PATIENCE)
            try:
                while one.recv(1000):
                    pass
            except ConnectionError:
                pass
            one.close()
        equal(service.ask("GET", "/healthz")[0], 200)


# ---- the service manager ----

def notified():
    """a service manager hears that torid is ready, reads, lives and ends"""
    for abstract in (False, True):
        with tempfile.TemporaryDirectory() as files, \
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            name = f"{files}/notify"
            manager.bind("\0" + name if abstract else name)
            manager.settimeout(PATIENCE)
            process = subprocess.Popen(
                [os.path.join(BUILD, "torid"), "--machine", "torus:4x4",
                 "--state", f"{files}/state", "--executor",
                 f"env > {files}/env; cat > {files}/told"],
                env={**os.environ, "WATCHDOG_USEC": "100000",
                     "NOTIFY_SOCKET": f"@{name}" if abstract else name},
                stderr=subprocess.DEVNULL)

            def heard(wanted):
                said = ""
                while wanted not in said.split("\n"):
                    said = manager.recv(4096).decode()
                return said
            try:
                heard("READY=1")
                assert os.path.exists(f"{files}/state/socket")
                heard("WATCHDOG=1")
                heard("WATCHDOG=1")
                process.send_signal(signal.SIGHUP)
                assert "MONOTONIC_USEC=" in heard("RELOADING=1")
                heard("READY=1")
                wait(lambda: "PATH=" in read(f"{files}/env"), "no executor")
                for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC"):
                    assert name not in read(f"{files}/env")
                process.send_signal(signal.SIGTERM)
                heard("STOPPING=1")
                equal(process.wait(PATIENCE), 0)
            finally:
                process.kill()
                process.wait()


def activated():
    """with sockets of the service manager, a restart turns nobody away"""
    with Service(executor="rehearse") as service:
        chief = make_token(service, "chief", "operator")
        service.kill(signal.SIGTERM)
        path = service.path("given")
        with socket.socket(socket.AF_UNIX) as local, \
                socket.create_server(("127.0.0.1", 0)) as far:
            local.bind(path)
            local.listen(100)
            port = far.getsockname()[1]
            given = [os.dup2(one.fileno(), 100 + i)
                     for i, one in enumerate((local, far))]

            def begin():
                def preexec():
                    for i, fd in enumerate(given):
                        os.dup2(fd, 3 + i)
                with open(service.path("log"), "ab") as log:
                    service.process = subprocess.Popen(
                        ["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh",
                         os.path.join(BUILD, "torid"), *service.words],
                        env={**os.environ, "LISTEN_FDS": "2"}, stderr=log,
                        pass_fds=(3, 4, *given), preexec_fn=preexec)
            service.socket = path
            begin()
            equal(service.ask("POST", "/v1/jobs", JOB)[1]["ids"], [1])
            equal(ask_tcp(port, "GET", "/v1/jobs/1", chief)[0], 200)
            equal(service.kill(signal.SIGTERM), 0)
            asked = []
            for work in (lambda: service.ask("GET", "/v1/jobs/1")[0],
                         lambda: ask_tcp(port, "GET", "/v1/jobs/1",
                                         chief)[0]):
                asked.append(threading.Thread(
                    target=lambda work=work: asked.append(work())))
                asked[-1].start()
                for thread in asked[:1]:
                    thread.join(0.1)
            begin()
            for thread in asked[:2]:
                thread.join()
            equal(asked[2:], [200, 200])
            assert os.path.exists(path)
            for fd in given:
                os.close(fd)


def units():
    """systemd finds nothing wrong with the units, nor torid with its example"""
    with tempfile.TemporaryDirectory() as files:
        text = read(f"{SOURCE}/data/torid.conf")
        write(f"{files}/conf", text.replace("/var/lib/tori",
                                            f"{files}/state"))
        equal(torid("--config", f"{files}/conf", "--check")[0], 0)
        if not shutil.which("systemd-analyze"):
            raise Skip("no systemd-analyze")
        unit = read(f"{SOURCE}/data/torid.service.in").replace(
            "@bindir@", BUILD)
        write(f"{files}/torid.service", unit)
        shutil.copy(f"{SOURCE}/data/torid.socket", files)

        def analyze(*words):
            done = subprocess.run(["systemd-analyze", *words], text=True,
                                  capture_output=True, check=False)
            equal((words, done.returncode, done.stderr), (words, 0, ""))
        analyze("verify", "--man=no", f"{files}/torid.service",
                f"{files}/torid.socket")
        analyze("security", "--offline=true", "--threshold=70",
                f"{files}/torid.service")
        write(f"{files}/hard.service", unit,
              read(f"{SOURCE}/data/torid-hardened.conf"))
        analyze("security", "--offline=true", "--threshold=20",
                f"{files}/hard.service")


# ---- TLS ----

def proxied():
    """nginx with the example speaks TLS for torid, streams included"""
    for program in ("nginx", "openssl"):
        if not shutil.which(program):
            raise Skip(f"no {program}")
    port, front = free_port(), free_port()
    with Service("--listen", f"127.0.0.1:{port}",
                 executor="rehearse") as service:
        chief = make_token(service, "chief", "operator")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
             "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost", "-keyout", service.path("key"),
             "-out", service.path("cert")], check=True, capture_output=True)
        site = read(f"{SOURCE}/data/nginx.conf")
        for old, new in [("/etc/ssl/certs/tori.pem", service.path("cert")),
                         ("/etc/ssl/private/tori.key", service.path("key")),
                         ("listen 443", f"listen 127.0.0.1:{front}"),
                         ("tori.example.org", "localhost"),
                         ("127.0.0.1:8470", f"127.0.0.1:{port}")]:
            assert old in site, old
            site = site.replace(old, new)
        temporary = [f"{kind}_temp_path {files};" for kind, files in (
            (kind, service.path(f"nginx-{kind}")) for kind in (
                "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))]
        write(service.path("nginx.conf"), "daemon off;",
              *(["user root;"] if os.getuid() == 0 else []),
              f"pid {service.path('nginx.pid')};", "error_log stderr;",
              "events {}", "http {", "access_log off;", *temporary, site, "}")
        nginx = subprocess.Popen(
            ["nginx", "-p", service.files, "-c", service.path("nginx.conf"),
             "-e", "stderr"], stderr=subprocess.DEVNULL)
        try:
            trust = ssl.create_default_context(cafile=service.path("cert"))

            def ask(method, path, body=None, **headers):
                connection = http.client.HTTPSConnection(
                    "localhost", front, timeout=PATIENCE, context=trust)
                connection.request(method, path, body, {
                    "Authorization": f"Bearer {chief}", **headers})
                return connection, connection.getresponse()

            def ready():
                try:
                    return ask("GET", "/healthz")[1].status == 200
                except OSError:
                    return False
            wait(ready, "nginx does not answer")
            equal(ask("GET", "/healthz", Authorization="Bearer x")[1].status,
                  401)
            connection, stream = ask("GET", "/v1/events")
            equal(stream.status, 200)
            equal(ask("POST", "/v1/jobs", json.dumps(JOB))[1].status, 201)
            line = ""
            while not line.startswith("event: submitted"):
                line = stream.readline().decode()
                assert line, "the stream has ended"
            connection.close()
            done = subprocess.run(
                [os.path.join(BUILD, "tori"), "cancel", "1"], text=True,
                env={**os.environ, "TORI_TOKEN": chief,
                     "SSL_CERT_FILE": service.path("cert"),
                     "TORI_SOCKET": f"https://localhost:{front}"},
                capture_output=True, timeout=PATIENCE, check=False)
            equal((done.returncode, done.stderr), (0, ""))
        finally:
            nginx.terminate()
            nginx.wait()


sys.exit(run([logs, checked, typed, check_journal, reloaded, private, tokens,
              clients, peers, refusals, silent, notified, activated, units,
              proxied]))
