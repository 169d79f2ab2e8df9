#!/usr/bin/env python3
"""Usage: output.py BUILD-DIRECTORY [--only NAME...]

The end of what a job has written, over HTTP: for its user and for operators, and
by the rights of that user alone. In TAP.
"""
import os
import sys

from service import Service, Skip, as_user, equal, read, run, wait


def output(service, job, query=""):
    return service.ask("GET", f"/v1/jobs/{job}/output{query}")


def refusal(answer):
    return answer[0], answer[1]["error"]["code"]


def written():
    """the end of the file, or why there is none"""
    with Service() as service:
        job = service.submit("sh", "-c", r"printf 'a\0b\377c\n'; echo bad >&2",
                             output="out-%j", error="err")
        service.ended(job)
        path = service.path(f"out-{job}")
        code, answer = output(service, job)
        equal((code, answer["file"], answer["size"], answer["from"]),
              (200, path, 6, 0))
        equal((answer["text"][:3], answer["text"][-2:]), ("a b", "c\n"))
        equal(output(service, job, "?of=error")[1]["text"], "bad\n")
        code, answer = output(service, job, "?tail=2")
        equal((answer["text"], answer["from"], answer["size"]), ("c\n", 4, 6))
        equal([output(service, job, query)[0] for query in (
            "?tail=0", "?tail=1048577", "?of=input")], [400, 400, 400])
        os.unlink(path)
        equal(output(service, job)[1],
              {"file": path, "why": "No such file or directory"})
        equal(refusal(output(service, 99)), (404, "no-such-job"))
        held = service.submit("true", hold=True, output="out")
        equal(refusal(output(service, held)), (409, "not-started"))
        none = service.submit("true")
        service.ended(none)
        equal(refusal(output(service, none)), (404, "no-output"))
        null = service.submit("true", output="/dev/null")
        service.ended(null)
        equal(output(service, null)[1]["why"], "it is not a file")


def elsewhere():
    """an executor that runs nothing here has no files here"""
    with Service(executor="rehearse") as service:
        job = service.submit("true", output="/etc/passwd")
        wait(lambda: "start" in service.job(job), "it does not start")
        equal(output(service, job), (200, {
            "file": "/etc/passwd",
            "why": "the executor keeps the files of jobs elsewhere"}))


def rights():
    """nothing is read that the user of the job could not read"""
    if os.getuid() != 0:
        raise Skip("only root can be another user")
    with Service() as service:
        os.chmod(service.files, 0o777)
        secret = service.path("secret")
        with open(secret, "w", encoding="utf-8") as file:
            file.write("of root\n")
        os.chmod(secret, 0o600)
        submit = lambda: service.ask("POST", "/v1/jobs", {
            "directory": service.files, "count": 1, "time_limit": 60,
            "output": "mine", "command": ["echo", "hello"]})[1]["ids"][0]
        job = as_user("nobody", submit)
        service.ended(job)
        equal(read(service.path("mine")), "hello\n")
        ask = lambda: output(service, job)
        equal((ask()[1]["text"], as_user("nobody", ask)[1]["text"]),
              ("hello\n", "hello\n"))
        code, answer = as_user("daemon", ask)
        equal((code, answer["error"]["message"]),
              (403, "only nobody or an operator may read the output of job "
                    f"{job}"))
        # a link to what only root may read
        os.unlink(service.path("mine"))
        os.symlink(secret, service.path("mine"))
        for answer in (ask(), as_user("nobody", ask)):
            equal(answer, (200, {"file": service.path("mine"),
                                 "why": "Permission denied"})
                  if isinstance(answer, tuple) else
                  [200, {"file": service.path("mine"),
                         "why": "Permission denied"}])
        # the same file is root's own output
        own = service.submit("true", output="secret")
        service.ended(own)
        equal(output(service, own)[1]["text"], "of root\n")


sys.exit(run([written, elsewhere, rights]))
