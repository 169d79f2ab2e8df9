#!/usr/bin/env python3
"""An executor for torid in 60 lines: jobs run through ssh, on the first of their
nodes. HOSTS names one host per line, by node id; without it, they run here.
    torid --machine torus:8x8x8 --state DIR --executor './executor.py HOSTS'
Jobs end with this program, even if it is killed; behind ssh, by a hangup. It
does not know input, error, user, warn, suspend and limit, as torid-local does."""
import json, os, shlex, sys, threading, time
from subprocess import DEVNULL, PIPE, STDOUT, Popen, TimeoutExpired, call
HOSTS = open(sys.argv[1]).read().split() if len(sys.argv) > 1 else []
SCRIPT = 'f=$(mktemp); printf %s "$0" >$f; chmod 700 $f; $f "$@"; s=$?; rm $f; exit $s'
running, known = {}, set()  # an attempt is never started twice
def say(what, **more):
    os.write(1, json.dumps({"is": what, **more}).encode() + b"\n")
def launch(order):
    words, where = order["command"], order.get("directory") or os.getcwd()
    env = {**order.get("environment", {}), "TORI_JOB_ID": str(order["job"]),
           **{f"TORI_{key.upper()}": str(order.get(key, ""))
              for key in ("attempt", "shape", "box", "across")},
           **{f"TORI_{name}": " ".join(map(str, order.get(key, []))) for name, key
              in (("NODES", "ids"), ("COORDS", "nodes"), ("BOXES", "boxes"))}}
    if "script" in order:
        words = ["sh", "-c", SCRIPT, order["script"], *words[1:]]
    if HOSTS:
        words = ["env", "-C", where, *map("=".join, env.items()), *words]
        words = ["ssh", "-tt", HOSTS[order["ids"][0]], shlex.join(words)]
    with open(os.path.join(where, order.get("output") or os.devnull), "ab") as out:
        job = Popen(words, cwd=where, env={**os.environ, **env}, stdin=DEVNULL,
                    stdout=out, stderr=STDOUT, start_new_session=True)
    guard = f"read end; kill -s KILL -- -{job.pid}"  # when nobody holds its input
    return job, Popen(["sh", "-c", guard], stdin=PIPE, stderr=DEVNULL)
def stop(job, guard, number, grace):
    call(["sh", "-c", f"kill -s {number} -- -{job.pid}"], stderr=DEVNULL)
    threading.Timer(grace, guard.stdin.close).start()
def watch(order, key, job, guard):
    try:
        job.wait(order.get("limit"))
    except TimeoutExpired:
        stop(job, guard, 15, order.get("grace", 30))
    status = job.wait()
    running.pop(key)[1].stdin.close()
    say("ended", at=time.time(), job=key[0], attempt=key[1], signal=-status
        if status < 0 else None, status=status if status >= 0 else None)
say("ready", version=1)
for line in sys.stdin:
    order = json.loads(line)
    key = order.get("job"), order.get("attempt")
    if order["do"] == "start" and key not in known:
        known.add(key)
        try:
            running[key] = launch(order)
            say("started", job=key[0], attempt=key[1])
            task = order, key, *running[key]
            threading.Thread(target=watch, args=task, daemon=True).start()
        except OSError as error:
            say("failed", why=str(error), job=key[0], attempt=key[1])
    elif order["do"] == "stop" and key in running:
        stop(*running[key], order.get("signal", 15), order.get("grace", 30))
    elif order["do"] == "list":
        say("running", jobs=[{"job": j, "attempt": a} for j, a in running])
os._exit(0)
