#!/usr/bin/env python3
"""Usage: api.py BUILD-DIRECTORY [--only NAME...]

What torid answers over HTTP, route by route. In TAP.
"""
import json
import sys

from service import Local, Service, equal, run


def ask(service, method, path, body=None, **headers):
    """The code, the headers and the text of an answer."""
    connection = Local(service.socket)
    try:
        connection.request(method, path,
                           None if body is None else json.dumps(body),
                           {name.replace("_", "-"): value
                            for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


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
                ("stat=queued", "stat: expected state, user, limit, after")]:
            answer = ask(service, "GET", "/v1/jobs?" + words)
            equal(answer[0], 400)
            assert expected in message(answer), answer
        answer = ask(service, "GET", "/healthz?x=1")
        assert "x: expected nothing" in message(answer), answer


def pages():
    """every page tells where the next one is"""
    with Service(executor="rehearse") as service:
        job = {"count": 16, "estimate": 60, "command": ["x"]}
        equal(ask(service, "POST", "/v1/jobs", [job] * 7)[0], 201)
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


def many():
    """of many jobs, the one that is wrong is named"""
    with Service(executor="rehearse") as service:
        good = {"count": 1, "estimate": 60, "command": ["x"]}
        for bad in ({"count": 0}, {"count": 17}, {"estimate": "x"},
                    {"command": []}, {"after": "ok:99"}):
            answer = ask(service, "POST", "/v1/jobs",
                         [good, good, {**good, **bad}, good])
            assert answer[0] in (400, 404, 422), answer
            equal(json.loads(answer[2])["error"]["index"], 2)
        equal(json.loads(ask(service, "GET", "/v1/jobs")[2])["jobs"], [])


if __name__ == "__main__":
    sys.exit(run([routes, queries, pages, many]))
