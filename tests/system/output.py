#!/usr/bin/env python3
"""Usage: output.py BUILD-DIRECTORY [--only NAME...]

The end of what a job has written, over HTTP: for its user and for operators, and
by the rights of that user alone. In TAP.
"""
import os
import signal
import sys

from patience import PATIENCE
from service import AsUser, Service, Skip, as_user, equal, read, run, wait
from silent import Silent


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


def replaced(service, silent):
    """A job whose user has put a file that does not answer in place of its
    output."""
    os.chmod(service.files, 0o777)
    job = as_user("nobody", lambda: service.ask("POST", "/v1/jobs", {
        "directory": service.files, "count": 1, "time_limit": 60,
        "output": "mine", "command": ["echo", "hello"]})[1]["ids"][0])
    service.ended(job)
    os.unlink(service.path("mine"))
    os.symlink(silent.file, service.path("mine"))
    return job


def unanswered():
    """a file system that does not answer keeps only those who read it waiting"""
    if os.getuid() != 0:
        raise Skip("only root can mount one, and be another user")
    with Silent() as silent, Service("--question-time", "1s") as service:
        job = replaced(service, silent)
        ask = lambda: output(service, job)
        for reader in 1, 2:
            asked = AsUser("nobody", ask)
            wait(lambda n=reader: silent.hanging() == n, "nothing hangs")
            # the process of the first has been killed, and does not die
            code, answer = asked.result()
            equal((code, answer["error"]["code"]), (503, "too-long"))
            equal(service.metric("tori_stuck_processes"), reader)
        # whoever asks for files of this user; nothing else is refused
        for answer in ask(), as_user("nobody", ask):
            equal((answer[0], answer[1]["error"]), (503, {
                "code": "files-hang", "message":
                "the files of nobody do not answer: 2 processes that read "
                "them were killed, and have not died"}))
        equal(as_user("nobody", lambda: service.ask("GET", "/v1/why"))[0], 200)
        own = service.submit("echo", "hello", output="own")
        service.ended(own)
        equal(output(service, own)[1]["text"], "hello\n")
        silent.release()
        wait(lambda: service.metric("tori_stuck_processes") == 0,
             "they have not died")
        assert ask()[1]["why"], ask()


def unanswered_end():
    """torid ends while a file system does not answer"""
    if os.getuid() != 0:
        raise Skip("only root can mount one, and be another user")
    with Silent() as silent, Service("--question-time", "1s") as service:
        job = replaced(service, silent)
        late = AsUser("nobody", lambda: output(service, job))
        equal(late.result()[0], 503)
        asked = AsUser("nobody", lambda: output(service, job))
        wait(lambda: silent.hanging() == 2, "nothing hangs")
        service.process.send_signal(signal.SIGTERM)
        equal(service.process.wait(timeout=PATIENCE), 0)
        equal(asked.result()[0], 503)


sys.exit(run([written, elsewhere, rights, unanswered, unanswered_end]))
