"""A client of torid, over its socket, or over TCP with a token. It needs only
Python's own library, and knows JSON as torid gives it: `GET /openapi.json`
says every member."""
from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import urllib.parse
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence, Union

Answer = dict[str, Any]


class ServiceError(Exception):
    """torid refused: `status` is HTTP's, `code` says why, such as
    "no-such-job"."""

    def __init__(self, status: int, code: str, message: str):
        super().__init__(message)
        self.status = status
        self.code = code


@dataclass(frozen=True)
class Event:
    """Something that happened. `id` continues after it (Client.events)."""

    id: Optional[str]
    kind: str
    data: Any


class Events(Iterator[Event]):
    """An open stream of events (Client.events). Close it, or use `with`. It
    ends when torid ends."""

    def __init__(self, connection: http.client.HTTPConnection,
                 answer: http.client.HTTPResponse):
        self._connection = connection
        self._answer = answer

    def __next__(self) -> Event:
        members: dict[str, str] = {}
        while (raw := self._answer.readline()):
            line = raw.decode().rstrip("\r\n")
            if line and not line.startswith(":"):
                name, _, value = line.partition(":")
                members[name] = value.removeprefix(" ")
            elif not line and members:
                return Event(members.get("id"),
                             members.get("event", "message"),
                             json.loads(members.get("data", "null")))
        raise StopIteration

    def close(self) -> None:
        self._answer.close()
        self._connection.close()

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# What Client.why answers for a job that does not wait.
_NOT_WAITING = {"running": "it runs", "ended": "it has ended"}


class _Local(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: Optional[float]):
        super().__init__("torid", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _default_address() -> str:
    named = os.environ.get("TORI_SOCKET")
    if named:
        return named
    own = os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), "tori/socket")
    return own if os.path.exists(own) else "/run/tori/socket"


class Client:
    """torid, by the path of its socket or by its address:

        client = tori.Client()             # as `tori queue` finds it
        client = tori.Client("http://127.0.0.1:8470", token="...")
        job = client.submit(["./program"], shape="4x4x2", time_limit="1h")
        print(client.why(job)["jobs"][0]["text"])
        client.wait(job)

    Without an address it is that of TORI_SOCKET, of the user or of the
    system; without a token it is TORI_TOKEN, which only TCP needs. Errors are
    ServiceError, and OSError if torid cannot be reached. Each thread may use
    the same client.
    """

    def __init__(self, address: Optional[str] = None,
                 token: Optional[str] = None,
                 timeout: Optional[float] = 60):
        self.address = address or _default_address()
        self.timeout = timeout
        self._headers: dict[str, str] = {}
        if "://" in self.address:
            token = token or os.environ.get("TORI_TOKEN")
            if token:
                self._headers["Authorization"] = f"Bearer {token.strip()}"

    # ---- HTTP ----

    def _connect(self, timeout: Optional[float]
                 ) -> http.client.HTTPConnection:
        if "://" not in self.address:
            return _Local(self.address, timeout)
        parts = urllib.parse.urlsplit(self.address)
        if parts.scheme == "https":
            return http.client.HTTPSConnection(
                parts.netloc, timeout=timeout,
                context=ssl.create_default_context())
        return http.client.HTTPConnection(parts.netloc, timeout=timeout)

    @staticmethod
    def _refuse(status: int, body: bytes) -> None:
        try:
            error = json.loads(body)["error"]
            raise ServiceError(status, error["code"], error["message"])
        except (ValueError, KeyError, TypeError):
            raise ServiceError(status, "http", body.decode(
                errors="replace") or http.client.responses.get(
                    status, str(status))) from None

    def request(self, method: str, path: str, body: Any = None,
                headers: Optional[dict[str, str]] = None) -> Any:
        """Any request of the API; its answer as Python has JSON."""
        connection = self._connect(self.timeout)
        sent = {**self._headers, **(headers or {})}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        try:
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            content = answer.read()
            kind = answer.getheader("Content-Type", "")
        finally:
            connection.close()
        if answer.status >= 400:
            self._refuse(answer.status, content)
        if "json" in kind:
            return json.loads(content) if content else None
        return content.decode()

    # ---- jobs ----

    def submit(self, command: Sequence[str], *, time_limit: Union[str, float],
               shape: Optional[str] = None, count: Optional[int] = None,
               key: Optional[str] = None, **members: Any) -> int:
        """Submit a job; its number. `members` are the others of a submission,
        such as `wiring`, `name`, `directory`, `after`, `environment`. With a
        `key` a submission can be repeated without a second job."""
        job: Answer = {"command": list(command), "time_limit": time_limit,
                       **members}
        if shape is not None:
            job["shape"] = shape
        if count is not None:
            job["count"] = count
        job.setdefault("directory", os.getcwd())
        headers = {"Idempotency-Key": key} if key else None
        answer = self.request("POST", "/v1/jobs", job, headers)
        return int(answer["ids"][0])

    def job(self, number: int) -> Answer:
        """All about a job, even long after its end."""
        found: Answer = self.request("GET", f"/v1/jobs/{number}")
        return found

    def jobs(self, **query: Any) -> Iterator[Answer]:
        """Jobs, page by page: jobs(state="queued", user="alice")."""
        after: Any = query.pop("after", None)
        while True:
            page = dict(query, **({} if after is None else {"after": after}))
            answer = self.request(
                "GET", "/v1/jobs?" + urllib.parse.urlencode(page))
            yield from answer["jobs"]
            after = answer.get("next")
            if after is None:
                return

    def change(self, number: int, **members: Any) -> None:
        """Change a job: priority, time_limit, hold, name, ..."""
        self.request("PATCH", f"/v1/jobs/{number}", members)

    def cancel(self, number: int) -> None:
        """End a job, or take it out of the queue."""
        self.request("DELETE", f"/v1/jobs/{number}")

    def why(self, number: int) -> Answer:
        """Why a job waits, and what would help, as `tori why --json`. If it
        does not wait, the reason is "running" or "ended", and the text a
        sentence."""
        found: Answer
        try:
            found = self.request("GET", f"/v1/jobs/{number}/why")
        except ServiceError as error:
            if error.code != "not-queued":
                raise
            state = self.job(number)["state"]
            if state == "queued":  # since a moment ago
                return self.why(number)
            found = {"jobs": [{"id": number, "reason": state,
                               "text": _NOT_WAITING[state]}]}
        return found

    def wait(self, number: int) -> Answer:
        """Wait until a job has ended; the job."""
        while True:
            # The stream is open before the first look, so no end is missed.
            with self.events() as events:
                job = self.job(number)
                if job["state"] == "ended":
                    return job
                for event in events:
                    if event.kind == "reset" or event.data.get(
                            "job", {}).get("id") == number:
                        break

    # ---- the machine ----

    def forecast(self) -> list[Answer]:
        """When and where the waiting jobs will start."""
        found: list[Answer] = self.request("GET", "/v1/forecast")["jobs"]
        return found

    def snapshot(self) -> Answer:
        """The whole scheduler; Scheduler.restore makes one of it."""
        found: Answer = self.request("GET", "/v1/snapshot")
        return found

    def machine(self) -> Answer:
        found: Answer = self.request("GET", "/v1/machine")
        return found

    def events(self, after: Optional[str] = None) -> Events:
        """What happens from now on, as it happens:

            with client.events() as events:
                for event in events:
                    print(event.kind, event.data)

        `after` is the id of the last event that was seen; an event "reset"
        says that some were missed."""
        connection = self._connect(self.timeout)
        headers = dict(self._headers, Accept="text/event-stream")
        if after is not None:
            headers["Last-Event-ID"] = after
        try:
            connection.request("GET", "/v1/events", headers=headers)
            answer = connection.getresponse()
            if answer.status >= 400:
                self._refuse(answer.status, answer.read())
        except BaseException:
            connection.close()
            raise
        if connection.sock is not None:
            connection.sock.settimeout(None)
        return Events(connection, answer)

    def __repr__(self) -> str:
        return f"Client({self.address!r})"
