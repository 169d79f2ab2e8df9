#!/usr/bin/env python3
"""What do boxes and torus wiring cost in waits, by job size and by user, under
EASY and conservative backfilling, and what do failures change?

    python3 study.py [LOG.swf.gz] [--machine torus:8x8x8] [--load 0.7]
                     [--samples 8] [--by size,user] [--keep FOLDER] [--out FOLDER]

Without a log it uses the model of Lublin and Feitelson (2003). Differences are
paired: both sides have the same jobs, only jobs that both sides ran are
compared, and each mean comes with a 95 % interval. The samples of a model are
seeds; those of a log are drawn from its weeks. The first and the last twentieth
of the jobs only fill and empty the machine, and are not measured. Failures are paired in the same
way, and every sample has its own. Where a side cannot bear the load, its waits
grow with the length of a sample: that is marked, and a lower --load helps.
Figures are written where matplotlib is there.
"""
import argparse
import os
import sys

import tori

# What is compared: nodes anywhere, boxes, and boxes wired as tori. (A box that
# is wired as a mesh needs no links but those between its own nodes: it waits as
# long as one without wiring.)
CASES = {"count": {"shapes": "count", "alloc": "mm"},
         "box": {"shapes": "compact", "alloc": "first-fit"},
         "torus": {"shapes": "compact", "alloc": "first-fit",
                   "wiring": "torus"}}
STEPS = (("count", "box"), ("box", "torus"))
POLICIES = ("easy", "conservative")
DAY = 24 * 3600
FEW = 8  # groups to show: those with most jobs


def run(options, out, **choices):
    """Every combination, for every sample."""
    work = ({"work": options.log, "resample": options.block * DAY,
             "limit": options.limit} if options.log
            else {"work": "lublin", "jobs": options.limit or 1000})
    return tori.grid(options.keep and f"{options.keep}.{out}",
                     machine=options.machine, load=options.load,
                     policy=POLICIES, seed=range(options.samples),
                     warm_up="5%", cool_down="5%", keep_jobs=True, **work,
                     **choices)


def show(title, differences):
    whole = differences[0]
    print(f"\n{title}: minutes of waiting more, over {whole.jobs} jobs that "
          f"both sides ran; {whole.unmeasured} at the ends are not measured, "
          f"{whole.rejected} were rejected, {whole.killed} killed")
    if whole.saturated:
        print(f"  {whole.saturated} of {whole.pairs} pairs are saturated: "
              "these waits tell how long the samples are")
    for it in differences.largest(FEW):
        name = "all" if it.group is None else it.group
        between = (f"{it.low / 60:9.1f} to {it.high / 60:.1f}"
                   if it.low is not None else "  one sample: no interval")
        print(f"  {name!s:14} {it.mean / 60:9.1f} {between}")


def compare(options):
    """What each step costs, by policy and group."""
    results = run(options, "cases", case=CASES)
    found = {}
    for policy in POLICIES:
        for first, second in STEPS:
            for by in options.by.split(","):
                found[policy, first, second, by] = some = results.only(
                    policy=policy).difference("case", first, second, by=by)
                show(f"{policy}: {first} -> {second}, by {by}", some)
        print(f"\n{policy}: mean hops between two nodes of a job")
        for mean in results.only(policy=policy).means("distance"):
            print(f"  {mean.choices['case']:14} {mean.mean:9.2f}")
    return found


def fail(options):
    """What failures change for boxes wired as tori."""
    mtbf = options.mtbf * DAY
    results = run(options, "failures", **CASES["torus"], mtbf=[None, mtbf])
    for policy in POLICIES:
        some = results.only(policy=policy)
        show(f"{policy}: no failures -> a node fails in {options.mtbf} days",
             some.difference("mtbf", None, mtbf, by="size"))
        rows = some.only(mtbf=mtbf).rows
        print(f"  {sum(row['requeues'] for row in rows)} jobs were started "
              f"again, {sum(row['killed'] for row in rows)} killed")


def draw(found, folder, by):
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
    for ax, policy in zip(axes[0], POLICIES):
        names = []
        for i, step in enumerate(STEPS):
            some = found[(policy, *step, by)].largest(FEW)
            names = names or [it.group for it in some]
            bars = [it for it in some if it.group in names]
            at = [names.index(it.group) + 0.4 * i for it in bars]
            ax.bar(at, [it.mean / 60 for it in bars], 0.36, color=f"C{i}",
                   label=" -> ".join(step))
            known = [it for it in bars if it.low is not None]
            ax.vlines([names.index(it.group) + 0.4 * i for it in known],
                      [it.low / 60 for it in known],
                      [it.high / 60 for it in known], color="black")
        ax.set_title(policy)
        ax.set_xticks([at + 0.2 for at in range(len(names))],
                      ["all" if it is None else str(it) for it in names],
                      rotation=45)
        ax.legend(loc="upper left")
    axes[0][0].set_ylabel(f"minutes of waiting more, by {by}")
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
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--block", type=float, default=7,
                        help="days of a log that are drawn together")
    parser.add_argument("--limit", type=int, default=0,
                        help="the first jobs of the log, this many; or the "
                             "jobs of the model")
    parser.add_argument("--mtbf", type=float, default=60,
                        help="days from a failure of a node to the next")
    parser.add_argument("--by", default="size,user")
    parser.add_argument("--keep", help="folder that keeps results, to continue")
    parser.add_argument("--out", default=".", help="folder for the figure")
    options = parser.parse_args()
    print(f"{options.machine}, load {options.load}, {options.samples} samples "
          f"of {options.log or 'the model lublin'}; tori {tori.__version__} "
          f"{tori.__commit__}")
    found = compare(options)
    fail(options)
    draw(found, options.out, options.by.split(",")[0])


if __name__ == "__main__":
    sys.exit(main())
