"""A proxy between tori-kube and a real API server, which delays, drops and
refuses what a test says.

    with Proxy(cluster) as proxy:
        proxy.rule = lambda request: Drop() if request.is_binding() else None

A rule looks at each request before it goes to the server, and returns None or
one of the classes below. Everything that was asked for is in `requests`.
"""
import contextlib
import http.client
import http.server
import json
import os
import re
import ssl
import subprocess
import threading
import time


class Answer:
    """This instead of an answer of the server."""

    def __init__(self, code, reason, text="as the test says"):
        self.code = code
        self.body = {"kind": "Status", "apiVersion": "v1", "status": "Failure",
                     "reason": reason, "message": text, "code": code}


class Drop:
    """No answer: before the server has the request, or after."""

    def __init__(self, after=False):
        self.after = after


class Request:
    def __init__(self, method, path, body):
        self.method, self.path, self.body = method, path, body
        self.code = None  # of the answer
        self.at = time.monotonic()

    def is_watch(self, kind="pods"):
        return f"/{kind}?watch=1" in self.path

    def is_binding(self):
        return self.path.endswith("/binding")

    def pod(self):
        found = re.search(r"/pods/([^/?]+)", self.path)
        return found and found[1]

    def right(self):
        """The verb and the resource that a role has to name."""
        parts = re.sub(r"\?.*", "", self.path).split("/")
        parts = parts[3:] if parts[1] == "api" else parts[4:]
        if parts[0] == "namespaces" and len(parts) > 2:
            parts = parts[2:]
        resource = parts[0] + (f"/{parts[2]}" if len(parts) > 2 else "")
        verb = {"POST": "create", "PATCH": "patch", "DELETE": "delete",
                "GET": "watch" if "watch=1" in self.path
                else "get" if len(parts) > 1 else "list"}[self.method]
        return verb, resource


class Proxy:
    def __init__(self, cluster):
        self.cluster = cluster
        self.rule = None
        self.page = None    # pods in a page of a list, not as asked for
        self.requests = []
        self.streams = set()
        self.certificate = f"{cluster.directory}/proxy.crt"
        key = f"{cluster.directory}/proxy.key"
        if not os.path.exists(self.certificate):
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
                 "-keyout", key, "-out", self.certificate, "-days", "2",
                 "-subj", "/CN=proxy", "-addext",
                 "subjectAltName=IP:127.0.0.1"], check=True,
                stderr=subprocess.DEVNULL)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), make_handler(self))
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.url = f"https://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.05,),
                         daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.cut()

    def cut(self):
        """End all watches, in the middle of what they say."""
        for stream in list(self.streams):
            with contextlib.suppress(OSError):
                stream.shutdown(2)

    def of(self, check):
        return [request for request in list(self.requests) if check(request)]


def make_handler(proxy):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self):
            self.request.settimeout(60)
            self.request = proxy.context.wrap_socket(self.request,
                                                     server_side=True)
            super().setup()

        def log_message(self, *_):
            pass

        def answer(self, code, body, kind="application/json"):
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def relay(self, asked):
            path = asked.path
            if proxy.page:
                path = re.sub("limit=[0-9]+", f"limit={proxy.page}", path)
            there = proxy.cluster.api.connect(timeout=300)
            there.request(self.command, path, asked.body, {
                name: self.headers[name] for name
                in ("Authorization", "Content-Type", "Accept")
                if name in self.headers})
            answer = there.getresponse()
            asked.code = answer.status
            if "watch=1" not in path or answer.status != 200:
                body = answer.read()
                there.close()
                return answer.status, body
            self.stream(answer)
            there.close()
            return None

        def stream(self, answer):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            proxy.streams.add(self.request)
            try:
                while more := answer.read1(1 << 16):
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(more), more))
                self.wfile.write(b"0\r\n\r\n")
            finally:
                proxy.streams.discard(self.request)

        def handle_one(self):
            size = int(self.headers.get("Content-Length") or 0)
            asked = Request(self.command, self.path,
                            self.rfile.read(size) if size else None)
            verdict = proxy.rule(asked) if proxy.rule else None
            if isinstance(verdict, Answer):
                asked.code = verdict.code
                proxy.requests.append(asked)
                self.answer(verdict.code, json.dumps(verdict.body).encode())
                return
            if isinstance(verdict, (int, float)):
                time.sleep(verdict)
            proxy.requests.append(asked)
            lost = isinstance(verdict, Drop)
            if not lost or verdict.after:
                try:
                    done = self.relay(asked)
                except (OSError, http.client.HTTPException):
                    done, lost = None, True
                if done and not lost:
                    self.answer(*done)
            if lost:
                self.close_connection = True

        do_GET = do_POST = do_PATCH = do_DELETE = handle_one

    return Handler
