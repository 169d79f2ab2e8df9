#!/usr/bin/env python3
"""An executor for torid in 60 lines: jobs are run through ssh, on the first of
their nodes. Replace what `launch` does by whatever starts jobs at your site.

    torid --machine torus:8x8x8 --state DIR --executor './executor.py HOSTS'

HOSTS names one host per line, in the order of the node ids. Without it, jobs
run here. Jobs end with this program; torid-local shows how they can survive it.
"""
import json
import os
import shlex
import signal
import subprocess
import sys
import threading

HOSTS = open(sys.argv[1], encoding="utf-8").read().split() \
    if len(sys.argv) > 1 else []
running = {}
known = set()  # an attempt is never started twice
lock = threading.Lock()


def say(**message):
    with lock:
        print(json.dumps(message), flush=True)


def launch(order):
    command = order["command"]
    if HOSTS:
        command = ["ssh", HOSTS[order["ids"][0]], shlex.join(command)]
    return subprocess.Popen(
        command, cwd=order.get("directory"), stdin=subprocess.DEVNULL,
        stdout=open(order.get("output") or os.devnull, "ab"),
        stderr=subprocess.STDOUT, start_new_session=True)


def run(key, order):
    about = {"job": key[0], "attempt": key[1]}
    try:
        running[key] = launch(order)
    except OSError as error:
        return say(**{"is": "failed", "why": str(error), **about})
    say(**{"is": "started", **about})
    status = running[key].wait()
    del running[key]
    return say(**{"is": "ended", "status": max(status, 0),
                  "signal": -status if status < 0 else None, **about})


say(**{"is": "ready", "version": 1})
for line in sys.stdin:
    order = json.loads(line)
    key = order.get("job"), order.get("attempt")
    if order["do"] == "start" and key not in known:
        known.add(key)
        threading.Thread(target=run, args=(key, order), daemon=True).start()
    elif order["do"] == "stop" and key in running:
        os.killpg(running[key].pid, order.get("signal", signal.SIGTERM))
    elif order["do"] == "list":
        say(**{"is": "running", "jobs": [{"job": job, "attempt": attempt}
                                         for job, attempt in running]})
