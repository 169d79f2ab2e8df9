#!/usr/bin/env python3
"""EASY backfilling as a class of Python, beside tori's own.

    python3 easy.py [LOG.swf.gz] [--machine torus:10x10]

Jobs ask for a number of nodes. The first job of the queue that cannot start has
a planned start: when enough running jobs have ended, by their time limits. A
later job starts before it if it ends by then, or if it takes only nodes that
the first job leaves over.
"""
import sys

import tori


class Easy:
    def decide(self, now, queue, running, state):
        queue = list(queue)
        ends = [(job.end, job.nodes) for job in running]
        while queue and queue[0].nodes <= state.free_count:
            job = queue.pop(0)
            ends.append((job.end, job.nodes))
            yield job
        if not queue:
            return
        first = queue.pop(0)
        planned, spare = now, state.free_count - first.nodes
        for end, nodes in sorted(ends):
            if spare >= 0 and end > planned:
                break
            planned, spare = end, spare + nodes
        for job in queue:
            if job.nodes > state.free_count:
                continue
            if job.end > planned:
                if job.nodes > spare:
                    continue
                spare -= job.nodes
            yield job


def main(words):
    machine = "torus:10x10"
    if "--machine" in words:
        at = words.index("--machine")
        machine = words[at + 1]
        del words[at:at + 2]
    work = (tori.Workload(words[0], machine, shapes="count") if words else
            tori.Workload("lublin", machine, shapes="count", jobs=2000,
                          load=0.8, seed=1))
    ours, theirs = (tori.simulate(machine, work, policy=policy, alloc="mm")
                    for policy in (Easy, "easy"))
    same = list(ours.table()["start"]) == list(theirs.table()["start"])
    print(f"{len(work)} jobs, mean wait {ours['wait.mean']:.0f} s: "
          f"{'the same' if same else 'not'} as tori's EASY")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
