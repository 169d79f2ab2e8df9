"""How tests wait for what they expect, and how long. No test waits that long if all
is well, so limits are generous, and more so on a machine that is busy.
"""
import os
import time


def load():
    """How many processes want each processor: 1 to 4, so that a test that
    fails ends some day."""
    wanted = os.getloadavg()[0] / len(os.sched_getaffinity(0))
    return min(max(1, wanted), 4)


# Seconds until what has not happened is given up.
PATIENCE = int(int(os.environ.get("PATIENCE", 120)) * load())

# Functions that raise when something has died that everything waits for.
WATCHED = []


def wait(true, what, seconds=None):
    """What a condition gives when it holds, as soon as it does. Looking costs
    no more than half of the time. `what` may be a function, for the end."""
    until = time.monotonic() + (seconds or PATIENCE)
    while True:
        began = time.monotonic()
        if found := true():
            return found
        for look in WATCHED:
            look()
        now = time.monotonic()
        if now > until:
            raise AssertionError(what() if callable(what) else what)
        time.sleep(min(max(0.02, now - began), 0.5))
