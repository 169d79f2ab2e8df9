"""Cases of tests: functions that raise when they fail, reported in TAP."""
import functools
import sys


class Skip(Exception):
    """A case that cannot be tried here, and why."""


def equal(found, expected):
    assert found == expected, f"{found!r}, not {expected!r}"


def only(cases):
    """Those named after --only, if it is there."""
    names = sys.argv[sys.argv.index("--only") + 1:] \
        if "--only" in sys.argv else []
    return [case for case in cases if not names or case.__name__ in names]


def given(cases, *things):
    """Cases that are called with these."""
    return [functools.wraps(case)(functools.partial(case, *things))
            for case in cases]


def verdict(case):
    """Runs a case; what TAP says of it, and the lines behind that."""
    name = (case.__doc__ or case.__name__.replace("_", " ")).strip()
    name = name.split("\n")[0].rstrip(".")
    try:
        case()
    except Skip as why:
        return "ok", f"{name} # SKIP {why}", []
    except Exception as error:  # pylint: disable=broad-except
        return "not ok", name, \
            f"{case.__name__}: {type(error).__name__}: {error}".split("\n")
    return "ok", name, []


def report(count, verdicts, stop=False):
    """The status of a test: 1 if a case failed. With `stop` there is none after
    one that failed."""
    bad = False
    print(f"1..{count}", flush=True)
    for number, (result, name, lines) in enumerate(verdicts, 1):
        for line in lines:
            print(f"# {line}")
        print(f"{result} {number} - {name}", flush=True)
        bad |= result != "ok"
        if bad and stop:
            break
    return int(bad)


def run(cases, lacks=None, stop=False):
    """Run cases one by one, or say what the machine lacks for all of them."""
    if lacks:
        print(f"1..0 # SKIP {lacks}")
        return 0
    cases = only(cases)
    return report(len(cases), map(verdict, cases), stop)
