#!/usr/bin/env python3
"""Usage: answers.py BUILD-DIRECTORY [--all]

Every field of every JSON answer is on the page that `tori help json` prints:
commands are run, and what they answer is compared with that page. With --all (`make
soak`), papers that simulate a network for seconds are asked as well. In TAP.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

TORI = os.path.join(os.path.abspath(sys.argv[1]), "tori")
FILES = {
    "jobs": "4 2\n2 3\n2 7/3\n1 4\n",
    "mixed": "3 2\n2 3\n2 7/3\n1 0\n",
    "parts": "0,0/2x2 torus\n2,2/2x2 mesh\n",
    "rings": "0,0/2x2 torus\n2,0/2x2 torus\n",
    "down": "0,0\n",
    "points": "0,0\n9,9\n1,0\n0,1\n8,9\n",
    "snapshot": '{"machine": "torus:4x4", "alloc": {"shape": "first-fit"},'
                ' "running": [{"id": 1, "box": "0,0/2x4", "end": 9}],'
                ' "queue": [{"id": 2, "shape": "4x4", "estimate": 5}]}',
    "counts": '{"machine": "torus:4x4", "queue": '
              '[{"id": 2, "count": 4, "estimate": 5}]}',
    "scattered": '{"machine": "mesh:4", "running": [{"id": 1, "box": "0/1",'
                 ' "end": 9}, {"id": 2, "nodes": ["2"], "end": 9}], "queue":'
                 ' [{"id": 3, "shape": "2", "estimate": 5}]}',
    "messages": "0,0 3,3 8\n",
}
# Command lines, and the answers that they are to show.
LINES = """
sim --machine mesh:4x4 --jobs 20
sim --machine mesh:4x4 --jobs 20 --seeds 2 --network fluid
sim --machine mesh:2x2 --wiring torus --jobs 20 --timing
sim --machine mesh:8x8 --alloc exact --steps 10 --jobs 50
place --machine mesh:4x4 --shape 2x3 --count 5
place --machine torus:4x4 --shape 2x2 --wiring torus
place --machine torus:4x4 --alloc isomorphic --shape 2x8
place --machine torus:4x4 --alloc isomorphic --shape 3x3
place --machine torus:4x4 --shape 8 --fold rings --wiring torus
place --machine torus:4x4 --partitions parts --down down --shape 1x1
place --machine torus:4x4 --partitions parts --down down --shape 4x4
place --machine mesh:8x8 --alloc exact --steps 10 --count 20
place --machine mesh:2x2 --count 9
place --points points --count 3
place --points points --alloc exact --steps 1 --count 3
place --points points --count 9
wire --machine multitorus:4x4 --partitions parts
wire --machine torus:4x4 --partitions rings
wire --machine mesh:4x4 --partitions parts
twist --shape 4x4x8
why snapshot
why counts
forecast snapshot
forecast counts
what-if snapshot --down 0,0
defrag scattered --for 3
defrag counts --for 2
decide --machine mesh:4x4 --jobs 20 --allocs mm,mc1x1
decide --machine mesh:8x8 --allocs mm,exact --steps 10 --jobs 50
plan contention --machine torus:4x4 --jobs jobs
plan contention --machine torus:4x4 --jobs jobs --steps 5
plan contention --machine torus:2x2 --jobs jobs
plan preemptive --machine torus:4x4 --jobs jobs --min
plan preemptive --machine torus:4x4 --jobs jobs --deadline 1
plan preemptive --machine torus:2x2 --jobs jobs --min
plan preemptive --machine torus:4x4 --jobs mixed --min
net --machine torus:4x4 --pattern ring --links l.csv --box 0,0/2x4 --box 2,0/2x4
net --machine torus:4x4 --pattern random --rate 0.1 --cycles 100
net --machine torus:4x4 --pattern file --messages messages
net drain --machine torus:4x4
gang table --levels 2 --queues 0:1,1:2
gang sim --machine mesh:4x4 --jobs 50
compare --machine torus:4x4 --jobs 50 --sched fcfs,easy
sweep --machine torus:4x4 --jobs 50 --seeds 2 --out swept
report swept --out swept.html
list
paper list
paper multitoroidal --limit 2 --model lublin --traces none
paper table1 --limit 2 --traces none
paper flow --limit 2 --model lublin --traces none
paper isomorphic --limit 2 --seeds 2
paper queue-tree --limit 2 --seeds 2
paper contention --limit 2 --seeds 2
paper rfold --limit 2 --seeds 2
paper slices --limit 2 --seeds 2
paper lines
paper subcubes
paper partitions
paper preemptive
paper clusters
"""
LONG = "paper all --limit 2 --seeds 2 --model lublin --traces none"


# These ask a service that runs: tests/system/clients.py.
ASK_SERVICES = {"submit", "queue", "show", "nodes", "reserve", "top", "wait", "logs", "cancel",
                "hold", "release", "drain", "resume", "shadow", "change", "suspend", "requeue",
                "history", "queues", "users",
                "gang status"}


def run(words):
    return subprocess.run([TORI, *words], text=True, capture_output=True,
                          check=False)


def documented():
    """By command, the names on the page."""
    page, command = {}, None
    for line in run(["help", "json"]).stdout.splitlines():
        heading = re.fullmatch(r"tori (.*):", line)
        item = re.match(r"  (\S+)(  |$)", line)
        if heading:
            command = page.setdefault(heading[1], set())
        elif item and command is not None:
            command.add(pattern_of(item[1]))
    return page


def names(value, before=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield before + key
            yield from names(inner, f"{before}{key}.")
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict):
                yield from names(inner, before[:-1] + "[].")


def known(name, page):
    """A name as it is, or as an array; a star on the page is any key."""
    return any(re.fullmatch(pattern, name) for pattern in page)


def pattern_of(name):
    """Arrays may be of no objects, and then have no brackets."""
    return re.escape(name).replace(r"\*", r"[^.]+").replace(
        r"\[\]", r"(\[\])?")


def complaints(line, page):
    done = run([*line.split(), "--json"])
    if ("built without esbuild" in done.stderr
            or "without its Python package" in done.stderr):
        return []
    answer = json.loads(done.stdout)
    if list(answer)[:3] != ["tori", "command", "config"]:
        return [f"begins with {', '.join(list(answer)[:3])}"]
    command = answer["command"]
    if command == "paper" and "papers" not in answer:
        command += " " + answer["config"]["name"]
    if command not in page:
        return [f"nothing on {command}"]
    # The answer of each paper alone is on the page under its own name.
    wrong = [complaint for entry in answer.get("papers", ())
             for complaint in unknown(f"paper {entry['name']}",
                                      entry.pop("result", {}), page)]
    return wrong + unknown(command, answer, page)


def unknown(command, answer, page):
    # With several seeds, each measure is an object of two numbers.
    found = {re.sub(r"\.(mean|half_interval)$", "", name) if "seeds" in answer
             else name for name in names(answer)}
    return [f"{command}: {name}" for name in sorted(found)
            if name.split(".")[0] not in ("tori", "command", "config")
            and not known(name, page[command])]


def with_json(*words):
    """The commands that have --json."""
    text = run(["help", *words]).stdout
    listed = re.search(r"^Commands:\n(.*?)^\S", text, re.M | re.S)
    inner = re.findall(r"^  ([a-z-]+)", listed[1] if listed else "", re.M)
    if not inner and re.search(r"^  --json\b", text, re.M):
        yield " ".join(words)
    for name in inner:
        yield from with_json(*words, name)


def main():
    page = documented()
    lines = LINES.strip().splitlines() + [LONG] * ("--all" in sys.argv)
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for name, text in FILES.items():
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        print(f"1..{len(lines) + 1}")
        for number, line in enumerate(lines, 1):
            wrong = complaints(line, page)
            print(f"{'not ok' if wrong else 'ok'} {number} - {line}")
            for complaint in wrong:
                print(f"# {complaint}")
            failed += bool(wrong)
        missing = [command for command in with_json()
                   if command not in ASK_SERVICES
                   and not any(f"{line} ".startswith(command + " ")
                               for line in lines)]
        print(f"{'not ok' if missing else 'ok'} {len(lines) + 1} - all "
              f"commands with --json are asked {', '.join(missing)}")
        failed += bool(missing)
        os.chdir("/")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
