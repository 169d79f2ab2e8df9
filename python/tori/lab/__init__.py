"""The laboratory: libtori computes, Python experiments.

study       one run: simulate and its Result
workload    the jobs: a log, a table or a model
grid        many runs, on any executor: grid and its Grid
statistics  means and paired differences, with intervals
figures     graphs with intervals, by matplotlib
papers      published tables and figures, which `tori paper` computes again
"""
try:
    import numpy as _numpy  # noqa: F401  pylint: disable=unused-import
except ImportError:
    raise ImportError("studies need numpy: python3-numpy") from None

from .workload import Workload, models
from .study import Result, StudyWarning, simulate
from .statistics import Answers, Difference, Mean
from .grid import Grid, grid

__all__ = ["Answers", "Difference", "Grid", "Mean", "Result", "StudyWarning",
           "Workload", "grid", "models", "simulate"]
