"""How long tests wait for what they expect. No test waits that long if all is
well, so limits are generous, and more so on a machine that is busy.
"""
import os


def load():
    """How many processes want each processor: 1 to 4, so that a test that
    fails ends some day."""
    wanted = os.getloadavg()[0] / len(os.sched_getaffinity(0))
    return min(max(1, wanted), 4)


# Seconds until what has not happened is given up.
PATIENCE = int(int(os.environ.get("PATIENCE", 120)) * load())
