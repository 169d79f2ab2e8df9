#!/usr/bin/env python3
"""Usage: plan_check.py -      check the plan on standard input
       plan_check.py BUILD    check many, in TAP

Checks plans of 'tori plan ... --json' from their JSON alone, in exact
fractions, and with nothing of the code that makes them. A plan with contention
is carried out again, job by job: two jobs meet if they share a ring, and delay
each other. A preemptive plan is laid out on its positions. If dimensions divide
each other, the least times come from a rule that tells whether jobs can be done
by a time (doc/experiments/preemptive.md). Otherwise they come from a linear program over
all sets of jobs that fit, for few jobs only.
"""
import itertools
import json
import math
import os
import random
import subprocess
import sys
from fractions import Fraction

FEW = 7  # jobs whose sets can be listed
ROUNDING = Fraction(1, 2 ** 42)  # of the makespan, for numbers without fractions


class Fault(Exception):
    """A plan does not hold."""


def expect(true, text):
    if not true:
        raise Fault(text)


def near(a, b, scale):
    return abs(a - b) <= ROUNDING * scale


def exact(item, key):
    """The fraction of a member, which is beside its rounded value."""
    value = Fraction(item[key + "_exact"])
    expect(near(item[key], value, abs(value)), f"{key} is not {value}")
    return value


def sizes(machine):
    kind, text = machine.split(":")
    expect(kind == "torus", "not a torus")
    return [int(size) for size in text.split("x")]


def fit(jobs, side, time):
    """Whether jobs (dimension, time) can be done on `side` positions by then.

    Each position has `time` left. The larger jobs go first and the longest
    first among equals: a job takes the tightest unit that is long enough, and
    runs on in the next one, which has less."""
    left, room, before = [], 0, None
    for dimension, group in itertools.groupby(
            sorted(jobs, reverse=True), lambda job: job[0]):
        left = [unit for unit in left for _ in range(before // dimension)]
        left += [time] * ((side - room) // dimension)
        room, before = side // dimension * dimension, dimension
        for _, length in group:
            left.sort()
            at = next((i for i, unit in enumerate(left) if unit >= length),
                      None)
            if at is None:
                return False
            lower = left[at - 1] if at else 0
            left[max(at - 1, 0):at + 1] = [left[at] + lower - length]
    return True


def pivot(table, row, column):
    """The simplex method's step on a table of fractions."""
    by = table[row][column]
    table[row] = [value / by for value in table[row]]
    for number, line in enumerate(table):
        factor = line[column]
        if number != row and factor:
            table[number] = [a - factor * b for a, b in zip(line, table[row])]


def least_time(jobs, side):
    """The least sum of times of sets of jobs, each within `side`, that give
    each job its own time. This solves the dual: each job has a weight, no set
    weighs more than 1, and the weighted times shall be large. Each row is a
    set with its slack, and the weights 0 are where it begins."""
    count = len(jobs)
    sets = [one for size in range(1, count + 1)
            for one in itertools.combinations(range(count), size)
            if sum(jobs[i][0] for i in one) <= side]
    # Sets within others say nothing more.
    sets = [one for one in sets if not any(
        len(other) == len(one) + 1 and set(one) < set(other)
        for other in sets)]
    table = [[Fraction(i in one) for i in range(count)]
             + [Fraction(one is other) for other in sets] + [Fraction(1)]
             for one in sets]
    table.append([-Fraction(time) for _, time in jobs]
                 + [Fraction(0)] * (len(sets) + 1))
    basis = [count + number for number in range(len(sets))]
    while True:
        column = next((j for j, cost in enumerate(table[-1][:-1])
                       if cost < 0), None)
        if column is None:
            return table[-1][-1]
        row = min((line[-1] / line[column], basis[number], number)
                  for number, line in enumerate(table[:-1])
                  if line[column] > 0)[2]
        pivot(table, row, column)
        basis[row] = column


def divide(jobs):
    sizes_ = sorted({size for size, _ in jobs}, reverse=True)
    return all(a % b == 0 for a, b in zip(sizes_, sizes_[1:]))


def expect_least(jobs, side, least, error):
    if not divide(jobs):
        found = least_time(jobs, side)
        expect(near(found, least, least * error / ROUNDING),
               f"the least is {found}, not {least}")
        return
    expect(fit(jobs, side, least * (1 + error)), f"the least is above {least}")
    expect(not fit(jobs, side, least * (1 - max(error, ROUNDING))),
           f"the least is below {least}")


# ---- plans with contention ----

def meet(a, b):
    """The first dimension in which two jobs share a ring, or None."""
    same = [(x - y) % math.gcd(s, t) == 0 for x, y, s, t in zip(
        a["offset"], b["offset"], a["stride"], b["stride"])]
    expect(not all(same), f"jobs {a['id']} and {b['id']} share a node")
    return next((d for d in range(len(same))
                 if all(same[:d] + same[d + 1:])), None)


def carry_out(jobs, slack, own):
    """Start the jobs in their order, each when an earlier one ends."""
    running, now = [], Fraction(0)
    for job in sorted(jobs, key=lambda job: job["order"]):
        now = min([now, *(other["known"] for other in running)],
                  key=lambda end: abs(end - job["start"]))
        expect(abs(now - job["start"]) <= slack,
               f"job {job['id']} starts at {float(job['start'])}")
        job["known"] = now + job["length"]
        running = [other for other in running if other["known"] > now]
        met = [(other, ring) for other in running
               for ring in [meet(job, other)] if ring is not None]
        length = length_of(job, [(other, Fraction(1, other["stride"][ring]))
                                 for other, ring in met], now, own)
        for other, ring in met:
            overlap = min(length, other["known"] - now)
            other["known"] += overlap / job["stride"][ring]
            job["known"] += overlap / other["stride"][ring]
        running.append(job)


def length_of(job, met, now, own):
    """For how long a job overlaps with others at most; `met` has pairs of a
    running job and the part of a ring that it has. With its own delay, this is
    the T with T = time + sum (part * min (T, left))."""
    if not own:
        return job["length"]
    lefts = sorted((other["known"] - now, part) for other, part in met)
    for ended in range(len(lefts) + 1):
        part = sum(part for _, part in lefts[ended:])
        done = job["length"] + sum(left * part for left, part in lefts[:ended])
        if part < 1 and (ended == len(lefts)
                         or done / (1 - part) <= lefts[ended][0]):
            return done / (1 - part)
    raise Fault("no length")


def start(running, job, now, own):
    """The running jobs after the start of one more, or None if its place is
    taken."""
    met = []
    for other in running:
        same = [(x - y) % math.gcd(s, t) == 0 for x, y, s, t in zip(
            job["offset"], other["offset"], job["stride"], other["stride"])]
        if all(same):
            return None
        if same.count(False) == 1:
            met.append((other, same.index(False)))
    length = length_of(job, [(other, Fraction(1, other["stride"][ring]))
                             for other, ring in met], now, own)
    known, after = now + job["length"], {}
    for other, ring in met:
        overlap = min(length, other["known"] - now)
        known += overlap / other["stride"][ring]
        after[id(other)] = other["known"] + overlap / job["stride"][ring]
    return [dict(other, known=after.get(id(other), other["known"]))
            for other in running] + [dict(job, known=known)]


def least_at_events(waiting, running, now, own, best):
    """The least makespan of all plans that start jobs at events, by trying
    every one, if it is less than `best`."""
    last = max((job["known"] for job in running), default=now)
    if last >= best or not waiting:
        return min(last, best)
    for i, job in enumerate(waiting):
        for offset in itertools.product(*(range(step)
                                          for step in job["stride"])):
            after = start(running, dict(job, offset=offset), now, own)
            if after:
                best = least_at_events(waiting[:i] + waiting[i + 1:], after,
                                       now, own, best)
    if running:
        end = min(job["known"] for job in running)
        best = least_at_events(waiting, [job for job in running
                                         if job["known"] > end],
                               end, own, best)
    return best


def check_contention(plan):
    machine, jobs, makespan = sizes(plan["machine"]), plan["jobs"], plan["makespan"]
    slack = ROUNDING * makespan
    expect([job["id"] for job in jobs] == list(range(1, len(jobs) + 1))
           and sorted(job["order"] for job in jobs)
           == list(range(1, len(jobs) + 1)), "jobs are missing")
    for job in jobs:
        job["length"] = exact(job, "time")
        expect(all(size % side == 0
                   for size, side in zip(machine, job["shape"])), "shapes")
        job["stride"] = [size // side
                         for size, side in zip(machine, job["shape"])]
        expect(all(0 <= at < step for at, step in zip(
            job["offset"], job["stride"])), f"job {job['id']} is outside")
        expect(len(machine) != 2
               or [job["row"], job["col"]] == job["offset"], "row and col")
        job["known"] = Fraction(0)
    run = [job for job in jobs if job["length"]]
    expect(all(job["start"] == job["finish"] == 0
               for job in jobs if not job["length"]), "jobs that take no time")
    carry_out(run, slack, plan.get("own_delay", False))
    for job in jobs:
        expect(abs(job["finish"] - job["known"]) <= slack,
               f"job {job['id']} ends at {float(job['finish'])}, but its time "
               f"and its delays make that {float(job['known'])}")
        for key in "start", "finish":
            if key + "_exact" in job:
                exact(job, key)
        expect("finish_exact" not in job
               or Fraction(job["finish_exact"]) == job["known"], "fractions")
    last = max(job["known"] for job in jobs)
    expect(abs(makespan - last) <= slack, f"the makespan is {float(last)}")
    expect("makespan_exact" not in plan or exact(plan, "makespan") == last,
           "the makespan is another fraction")
    expect(plan.get("makespan_before", makespan) >= makespan - slack,
           "the search made it longer")
    bound, nodes = plan["lower_bound"], math.prod(machine)
    sized = [(math.prod(job["shape"]), job["length"]) for job in run]
    longest = max((time for _, time in sized), default=0)
    area = sum(count * time for count, time in sized) / nodes
    expect(near(bound["longest"], longest, longest), "longest")
    expect(near(bound["area"], area, area), "area")
    if run:
        expect_least(sized, nodes, bound["contention_free"],
                     Fraction(1, 10 ** 9))
    highest = bound.get("events", bound["contention_free"])
    expect(bound["contention_free"] <= highest <= last + slack, "events")
    expect(not plan.get("least") or near(highest, last, last), "least")
    gap = last / highest - 1 if run else 0
    expect(abs(plan["gap"] - gap) < 1e-9 * (1 + gap), "gap")


# ---- preemptive plans ----

def lay_out(segments, jobs, side):
    """Every position has one segment at a time, and so has every job."""
    taken = {}
    for one in segments:
        job = jobs[one["id"]]
        expect(one["size"] == job["dimension"], f"job {one['id']} has a size")
        expect(0 <= one["first"] and one["first"] + one["size"] <= side,
               f"job {one['id']} is outside")
        span = exact(one, "start"), exact(one, "finish")
        expect(0 <= span[0] < span[1], f"job {one['id']} ends before it starts")
        for key in [f"job {one['id']}", *range(one["first"],
                                               one["first"] + one["size"])]:
            taken.setdefault(key, []).append(span)
    for key, spans in taken.items():
        spans.sort()
        expect(all(a[1] <= b[0] for a, b in zip(spans, spans[1:])),
               f"{key} is there twice at a time")
    return taken


def room(sizes_, side):
    """The largest sum of these sizes that is within `side`."""
    sums = {0}
    for at in range(side + 1):
        if at in sums:
            sums.update(at + size for size in sizes_ if at + size <= side)
    return max(sums)


def check_preemptive(plan):
    expect(plan["feasible"] is True, "not feasible")
    side = min(sizes(plan["machine"]))
    expect(plan["machine"].count("x") > 0, "a ring has no subtori")
    jobs = {job["id"]: job for job in plan["jobs"]}
    sized = [(job["dimension"], exact(job, "time")) for job in jobs.values()]
    expect(list(jobs) == list(range(1, len(plan["jobs"]) + 1)), "ids")
    taken = lay_out(plan["segments"], jobs, side)
    for number, job in jobs.items():
        done = sum(b - a for a, b in taken.get(f"job {number}", []))
        expect(done == exact(job, "time"), f"job {number} runs for {done}")
    last = max((spans[-1][1] for spans in taken.values()), default=0)
    run = [(size, time) for size, time in sized if time]
    least, count = exact(plan, "least"), len(plan["segments"]) - len(run)
    expect(exact(plan, "finish") == last, f"it ends at {last}")
    expect(last <= exact(plan, "deadline") if "deadline" in plan
           else last == least, "it ends too late")
    expect(plan["preemptions"] == count, "preemptions")
    expect(plan["stages"] <= len(run) if "stages" in plan
           else count < len(run) or not run, "too many preemptions")
    expect(("stages" in plan) != divide(run), "stages")
    if divide(run) or len(run) <= FEW:
        expect_least(run, side, least, 0)
    bound = plan["lower_bound"]
    expect(exact(bound, "longest") == max(time for _, time in sized),
           "longest")
    expect(exact(bound, "area") == max(
        (sum(size * time for size, time in run if size >= least_size)
         / room({size for size, _ in run if size >= least_size}, side)
         for least_size, _ in run), default=0), "area")
    gap = last / least - 1 if least else 0
    expect(near(plan["gap"], gap, gap + 1), "gap")


CHECKS = {"contention": check_contention, "preemptive": check_preemptive}


def check(text):
    plan = json.loads(text, parse_float=Fraction)
    CHECKS[plan["plan"]](plan)
    return plan


# ---- many plans ----

def make(build, words, jobs):
    return subprocess.run(
        [os.path.join(build, "tori"), "plan", *words, "--jobs", "-", "--json"],
        input="".join(f"{size} {time}\n" for size, time in jobs),
        capture_output=True, text=True, check=True).stdout


def some_jobs(chance, most, count):
    return [(2 ** chance.randrange(most),
             f"{chance.randint(1, 100)}/{chance.randint(1, 7)}")
            for _ in range(count)]


def random_plans(build):
    """plans of random jobs hold"""
    chance = random.Random(1)
    for _ in range(10):
        jobs = some_jobs(chance, 4, 60)
        for words in (["contention", "--machine", "torus:8x8"],
                      ["contention", "--machine", "torus:8x8", "--own-delay"],
                      ["contention", "--machine", "torus:8x8x8", "--steps",
                       "3"],
                      ["preemptive", "--machine", "torus:8x8", "--min"]):
            check(make(build, words, jobs))
        jobs = [(f"{2 ** chance.randrange(4)}x{2 ** chance.randrange(5)}", time)
                for _, time in jobs]
        words = ["contention", "--machine", "torus:8x16"]
        plan = check(make(build, words, jobs))
        jobs[1:1] = [("8x16", 0), ("1x2", 0)]
        again = check(make(build, words, jobs))
        expect(again["makespan"] == plan["makespan"],
               "jobs that take no time delay others")
        check(make(build, ["preemptive", "--machine", "torus:20x12x9",
                           "--deadline", "10000"], some_jobs(chance, 4, 60)))


def mixed_plans(build):
    """plans of jobs of any dimensions hold, and none is shorter"""
    chance = random.Random(2)
    for number in range(80):
        side = chance.randint(2, 16)
        jobs = [(chance.randint(1, side),
                 f"{chance.randint(0, 100)}/{chance.randint(1, 7)}")
                for _ in range(chance.randint(1, FEW))]
        words = ["preemptive", "--machine", f"torus:{side}x{side}"]
        plan = check(make(build, [*words, "--min"], jobs))
        if number % 3 == 0:
            check(make(build, [*words, "--deadline", "10000"], jobs))
        if number % 3 == 1:
            jobs = jobs * 6
            again = check(make(build, [*words, "--min"], jobs))
            # Six copies after each other are a plan; no more is known.
            expect(exact(again, "least") <= 6 * exact(plan, "least"),
                   "copies take longer")


def least_plans(build):
    """no plan that starts jobs at events is shorter than the least"""
    chance = random.Random(2)
    for _ in range(30):
        machine = chance.choice(["torus:4x4", "torus:4", "torus:2x4",
                                 "torus:8", "torus:2x2x2", "torus:8x2"])
        sides = sizes(machine)
        jobs = [("x".join(str(2 ** chance.randrange(side.bit_length()))
                          for side in sides),
                 chance.choice(["1", "2", "3/2", "1/3", "5/2", "4", "0.7"]))
                for _ in range(3 if math.prod(sides) > 4 else 4)]
        own = chance.choice([[], ["--own-delay"]])
        plan = check(make(build, ["contention", "--machine", machine,
                                  "--steps", "1000000", *own], jobs))
        expect(plan["least"] is True, "it is not the least")
        least = least_at_events(
            [{"length": Fraction(time),
              "stride": [side // int(mine)
                         for side, mine in zip(sides, shape.split("x"))]}
             for shape, time in jobs], [], Fraction(0), bool(own), Fraction(100))
        expect(near(plan["makespan"], least, least),
               f"{machine} {jobs} {own}: {least}")


def start_between(build):
    """a start between two events can be better than any at an event"""
    plan = check(make(build, ["contention", "--machine", "torus:4", "--steps",
                              "100"], [(1, 2), (2, 1)]))
    expect(plan["least"] and plan["makespan"] == Fraction(5, 2), "events")
    jobs = [{"length": Fraction(2), "stride": [4], "offset": [1]},
            {"length": Fraction(1), "stride": [2], "offset": [0]}]
    running = start([], jobs[0], Fraction(0), False)
    running = start(running, jobs[1], Fraction(6, 5), False)
    expect([job["known"] for job in running] == [Fraction(12, 5)] * 2,
           "between")


def long_plans(build):
    """a plan of more digits than are kept holds"""
    jobs = [(1, f"{1 + i * i % 101}/7") for i in range(6000)]
    plan = check(make(build, ["contention", "--machine", "torus:4x4"], jobs))
    expect(plan["exact"] is False, "it is exact")


def changed_plans(build):
    """a plan with one number changed does not hold"""
    for words, jobs in ((
            ["contention", "--machine", "torus:8x8", "--steps", "5"],
            [(8, 2), (4, 2), (4, 4), (4, 4), (4, 1), (2, 4)]), (
            ["preemptive", "--machine", "torus:16x16", "--deadline", "4"],
            [(8, 2), (4, 4), (4, 3), (2, 2), (2, "5/2")]), (
            ["preemptive", "--machine", "torus:6x6", "--min"],
            [(3, 1), (2, 1), (2, 1), (2, 1)])):
        text = make(build, words, jobs)
        check(text)
        for where in list(numbers(json.loads(text))):
            plan = json.loads(text)
            item = plan
            for key in where[:-1]:
                item = item[key]
            value = item[where[-1]]
            # A place beside it may be free as well; one outside is not there.
            more = 16 if where[-1] == "first" else 1
            item[where[-1]] = (str(Fraction(value) + more)
                               if isinstance(value, str) else value + more)
            try:
                check(json.dumps(plan))
            except (Fault, KeyError):
                continue
            raise Fault(f"{where} is not checked")


# A deadline may be later; how a plan was asked for or found is not a claim.
UNCHECKED = {"config", "tori", "deadline", "makespan_before", "seed", "steps",
             "stages", "events"}


def numbers(value, where=()):
    """The places of all numbers and fractions of a plan."""
    if isinstance(value, (dict, list)):
        for key, inner in (value.items() if isinstance(value, dict)
                           else enumerate(value)):
            if key not in UNCHECKED:
                yield from numbers(inner, (*where, key))
    elif isinstance(value, (int, float)) and not isinstance(value, bool) \
            or str(where[-1]).endswith("_exact"):
        yield where


def main(where):
    if where == "-":
        check(sys.stdin.read())
        return 0
    tests = [random_plans, mixed_plans, least_plans, start_between, long_plans,
             changed_plans]
    print(f"1..{len(tests)}")
    failed = 0
    for number, test in enumerate(tests, 1):
        try:
            test(where)
            print(f"ok {number} - {test.__doc__}")
        except Fault as fault:
            failed = 1
            print(f"not ok {number} - {test.__doc__}\n# {fault}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
