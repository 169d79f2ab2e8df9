#!/usr/bin/env python3
"""What do boxes and torus wiring cost in waits, by job size or by user, under
EASY and conservative backfilling, and what do failures change?

    python3 study.py [LOG.swf.gz] [--machine torus:8x8x8] [--load 0.7]
                     [--weeks 6] [--by size|user] [--out FOLDER]

Without a log it uses the model of Lublin and Feitelson (2003). Differences are
paired: both sides have the same jobs (a log in blocks of weeks, a model by
seeds), only jobs that both sides ran are compared, and each mean comes with a
95 % interval by bootstrap. Jobs that a side rejected are counted, not
forgotten. Where a side cannot bear the load, its waits grow with the length of
a sample: then lower --load. Figures are written where matplotlib is there.
"""
import argparse
import gzip
import os
import random
import statistics
import sys
import tempfile

import tori

# What is compared: nodes anywhere, boxes, and boxes wired as tori. (A box that
# is wired as a mesh needs no links but those between its own nodes: it waits as
# long as one without wiring.)
KINDS = {"count": {"shapes": "count", "alloc": "mm"},
         "box": {"shapes": "compact", "alloc": "first-fit"},
         "torus": {"shapes": "compact", "alloc": "first-fit",
                   "wiring": "torus"}}
PAIRS = (("count", "box"), ("box", "torus"))
POLICIES = ("easy", "conservative")
CLASSES = ((1, "1-8"), (9, "9-64"), (65, "more than 64"))
WEEK = 7 * 24 * 3600


def interval(differences, rounds=2000):
    """The mean of paired differences, and its 95 % interval."""
    if len(differences) < 2:
        return statistics.fmean(differences or [float("nan")]), None
    rng = random.Random(1)
    means = sorted(statistics.fmean(rng.choices(differences,
                                                k=len(differences)))
                   for _ in range(rounds))
    return (statistics.fmean(differences),
            (means[int(0.025 * rounds)], means[int(0.975 * rounds)]))


def group_of(options, asked, user):
    if options.by == "user":
        return f"user {user}"
    return [name for least, name in CLASSES if asked >= least][-1]


def blocks(log, weeks, folder):
    """A log cut into files of a week each; the first of them."""
    opened = gzip.open if log.endswith(".gz") else open
    parts = {}
    with opened(log, "rt", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.strip() and not line.startswith(";"):
                week = int(float(line.split()[1]) // WEEK)
                parts.setdefault(week, []).append(line)
    full = [week for week in sorted(parts) if len(parts[week]) >= 50][:weeks]
    for week in full:
        path = os.path.join(folder, f"week-{week}.swf")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(parts[week])
        yield path


def samples(options, folder):
    """Each sample of jobs, as arguments of tori.simulate."""
    if options.log:
        for path in blocks(options.log, options.weeks, folder):
            yield {"work": path}
    else:
        for seed in range(options.weeks):
            yield {"work": "lublin", "jobs": options.jobs, "seed": seed}


def waits(options, sample, kind, policy, **failures):
    """The wait and the group of each job that ran, by its id; and how many
    were rejected."""
    result = tori.simulate(options.machine, policy=policy, load=options.load,
                           **sample, **KINDS[kind], **failures)
    table = result.table()
    ran = {number: (float(wait), group_of(options, asked, user))
           for number, wait, asked, user, fate in zip(
               table["id"], table["wait"], table["asked"], table["user"],
               table["fate"]) if fate == "done"}
    return ran, table["fate"].count("rejected"), result


def compare(options, every, first, second):
    """Mean paired differences second - first of waits in minutes, by group:
    one number for each sample."""
    found, common, rejected = {"all": []}, 0, 0
    for sample in every:
        ours, _, _ = waits(options, sample, *first)
        theirs, lost, _ = waits(options, sample, *second)
        both = ours.keys() & theirs.keys()
        common += len(both)
        rejected += lost
        groups = {}
        for number in sorted(both):
            wait, group = ours[number]
            for name in ("all", group):
                groups.setdefault(name, []).append(
                    (theirs[number][0] - wait) / 60)
        for name, some in groups.items():
            found.setdefault(name, []).append(statistics.fmean(some))
    return found, common, rejected


def names_of(found):
    """The groups to show: of many users, those with most samples."""
    known = [name for _, name in CLASSES]
    users = sorted((name for name in found if name not in ("all", *known)),
                   key=lambda name: (-len(found[name]), name))
    return ["all", *(name for name in known if name in found), *users[:5]]


def show(title, found, common, rejected):
    print(f"\n{title}: minutes of waiting more, over {common} jobs that both "
          f"sides ran ({rejected} rejected by the second)")
    for name in names_of(found):
        mean, between = interval(found[name])
        text = (f"{between[0]:9.1f} to {between[1]:.1f}" if between
                else "  one sample: no interval")
        print(f"  {name:14} {mean:9.1f} {text}")


def study(options, folder):
    every = list(samples(options, folder))
    print(f"{options.machine}, load {options.load}, {len(every)} samples of "
          f"{options.log or 'the model lublin'}")
    results = {}
    for policy in POLICIES:
        for first, second in PAIRS:
            results[policy, first, second] = found = compare(
                options, every, (first, policy), (second, policy))
            show(f"{policy}: {first} -> {second}", *found)
    print("\nfailures: mean wait in minutes, jobs killed or started again")
    for label, failures in (("none", {}), ("a node fails in 60 days",
                            {"mtbf": 60 * 24 * 3600, "mttr": 4 * 3600})):
        for policy in POLICIES:
            runs = [waits(options, sample, "torus", policy, **failures)[2]
                    for sample in every]
            mean = statistics.fmean(run["wait.mean"] for run in runs) / 60
            again = sum(run["killed"] + run["requeues"] for run in runs)
            print(f"  {label:24} {policy:13} {mean:9.1f} {again:6.0f}")
    return results


def draw(results, folder):
    """Bars of the differences, with their intervals."""
    try:
        import matplotlib
        matplotlib.use("svg")
        from matplotlib import pyplot
    except ImportError:
        print("no figure: this needs python3-matplotlib")
        return
    figure, axes = pyplot.subplots(1, len(POLICIES), sharey=True,
                                   figsize=(9, 4), squeeze=False)
    names = names_of(next(iter(results.values()))[0])
    for ax, policy in zip(axes[0], POLICIES):
        pairs = [key for key in results if key[0] == policy]
        for i, key in enumerate(pairs):
            found = results[key][0]
            for at, name in enumerate(names):
                if not found.get(name):
                    continue
                mean, between = interval(found[name])
                ax.bar(at + 0.25 * i, mean, 0.22, color=f"C{i}",
                       label=f"{key[1]} -> {key[2]}" if name == "all" else None)
                if between:
                    ax.vlines(at + 0.25 * i, *between, color="black")
        ax.set_title(policy)
        ax.set_xticks([at + 0.125 for at in range(len(names))], names)
        ax.legend(loc="upper left")
    axes[0][0].set_ylabel("minutes of waiting more")
    figure.tight_layout()
    path = os.path.join(folder, "study.svg")
    figure.savefig(path)
    print(f"\n{path}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n\n")[0].replace("\n", " "))
    parser.add_argument("log", nargs="?")
    parser.add_argument("--machine", default="torus:8x8x8")
    parser.add_argument("--load", type=float, default=0.7)
    parser.add_argument("--weeks", type=int, default=6,
                        help="of a log, or samples of the model")
    parser.add_argument("--by", choices=("size", "user"), default="size")
    parser.add_argument("--jobs", type=int, default=1000, help="of the model")
    parser.add_argument("--out", default=".", help="folder for the figure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = study(options, folder)
    draw(results, options.out)


if __name__ == "__main__":
    sys.exit(main())
