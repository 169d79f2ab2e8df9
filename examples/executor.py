#!/usr/bin/env python3
"""An executor for torid in 60 lines: jobs are run through ssh, on the first of
their nodes. Replace what `launch` does by whatever starts jobs at your site.

    torid --machine torus:8x8x8 --state DIR --executor './executor.py HOSTS'

HOSTS names one host per line, in the order of the node ids. Without it, jobs
run here. Jobs end with this program; torid-local shows how they can survive it.
"""
import json, os, shlex, subprocess, sys, threading

HOSTS = open(sys.argv[1]).read().split() if len(sys.argv) > 1 else []
running = {}
known = set()  # an attempt is never started twice
lock = threading.Lock()


def say(**message):
    with lock:
        print(json.dumps(message), flush=True)


def launch(order):
    command, where = order["command"], order.get("directory") or os.getcwd()
    output = os.path.join(where, order.get("output") or os.devnull)
    if HOSTS:
        command = ["ssh", HOSTS[order["ids"][0]], shlex.join(command)]
    return subprocess.Popen(
        command, cwd=where, stdin=subprocess.DEVNULL, start_new_session=True,
        stdout=open(output, "ab"), stderr=subprocess.STDOUT,
        env={**os.environ, **order.get("environment", {})})


def run(key, order):
    about = {"job": key[0], "attempt": key[1]}
    try:
        running[key] = launch(order)
    except OSError as error:
        return say(**{"is": "failed", "why": str(error), **about})
    say(**{"is": "started", **about})
    status = running[key].wait()
    del running[key]
    return say(**{"is": "ended", "status": status if status >= 0 else None,
                  "signal": -status if status < 0 else None, **about})


say(**{"is": "ready", "version": 1})
for line in sys.stdin:
    order = json.loads(line)
    key = order.get("job"), order.get("attempt")
    if order["do"] == "start" and key not in known:
        known.add(key)
        threading.Thread(target=run, args=(key, order), daemon=True).start()
    elif order["do"] == "stop" and key in running:
        os.killpg(running[key].pid, order.get("signal", 15))
    elif order["do"] == "list":
        jobs = [{"job": job, "attempt": attempt} for job, attempt in running]
        say(**{"is": "running", "jobs": jobs})
