"""Graphs as SVG and PDF, drawn by matplotlib. Lines differ in colour, marker
and dashes, so they can be told apart in print; legends are beside the graph and
cover nothing. The same figure gives the same bytes."""
from __future__ import annotations

import importlib
import io
import warnings
from dataclasses import dataclass
from typing import Any, Optional, Sequence

from .._library import Failed

# Okabe and Ito's colours, which the colour-blind can tell apart as well.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000",
           "#56B4E9", "#7F7F7F")
MARKERS = "osD^vPX<>"
DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.5)), (0, (5, 1.5, 1.5, 1.5)))
GREY = "#606060"
# Sizes are those in a text of 16 cm, in inches and points.
SIZE, LOOK = (6.3, 3.9), {
    "font.size": 9.5, "axes.titlesize": 10.5, "axes.titlepad": 8.0,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "axes.axisbelow": True, "grid.color": "#E4E4E4", "lines.linewidth": 1.5,
    "lines.markersize": 4.5, "legend.frameon": False, "legend.fontsize": 9.0,
    "legend.handlelength": 3.0, "svg.fonttype": "none", "svg.hashsalt": "tori",
    "text.parse_math": False, "pdf.fonttype": 42}


@dataclass(frozen=True)
class Line:
    """A line, or bars if x are texts. `half` is half of the interval of each
    y. The `baseline` is what the others are compared with: it is black, and
    dashed. A `broad` line is pale and beneath the others, so that one that
    coincides with it shows."""

    title: str
    x: Sequence[Any]
    y: Sequence[float]
    half: Optional[Sequence[float]] = None
    baseline: bool = False
    broad: bool = False


@dataclass(frozen=True)
class Graph:
    """Axes end where lines do, unless there is a limit; x and y begin at 0 if
    they are not logarithmic (by powers of 2 and of 10). The `diagonal` is the
    title of the line y = x."""

    title: str
    x: str
    y: str
    lines: Sequence[Line]
    diagonal: str = ""
    x_most: Optional[float] = None
    y_most: Optional[float] = None
    logarithmic: bool = False


def _style(i: int, line: Line) -> dict[str, Any]:
    if line.broad:
        return {"color": "#A6CEE3", "linewidth": 6, "zorder": 1.5}
    if line.baseline:
        return {"color": "#000000", "linestyle": DASHES[1], "marker": "o",
                "markerfacecolor": "white"}
    turn = i // len(COLOURS)
    return {"color": COLOURS[i % len(COLOURS)],
            "marker": MARKERS[i % len(MARKERS)],
            "linestyle": DASHES[(i + turn) % len(DASHES)]}


def _draw(axes: Any, graph: Graph) -> None:
    if graph.diagonal:
        most = graph.x_most or max(max(line.x) for line in graph.lines)
        axes.plot((0, most), (0, most), color=GREY, linewidth=1,
                  linestyle=DASHES[2], label=graph.diagonal)
    for i, line in enumerate(graph.lines):
        axes.errorbar(line.x, line.y, yerr=line.half, capsize=2.5,
                      elinewidth=1, label=line.title, **_style(i, line))
    if graph.logarithmic:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=10)
        axes.xaxis.set_major_formatter("{x:g}")
    else:
        axes.set_xlim(0, graph.x_most)
        axes.set_ylim(0, graph.y_most)
    axes.set_title(graph.title, loc="left")
    axes.set(xlabel=graph.x, ylabel=graph.y)
    if len(graph.lines) > 1 or graph.diagonal:
        axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.02))


def check() -> None:
    """Fails where there is no matplotlib, before hours are spent on results."""
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        raise Failed("matplotlib is missing (Debian: python3-matplotlib)"
                     ) from None


def draw(graph: Graph, kind: str) -> bytes:
    """The figure as "svg" or "pdf"."""
    check()
    matplotlib: Any = importlib.import_module("matplotlib")
    figures: Any = importlib.import_module("matplotlib.figure")
    with matplotlib.rc_context(LOOK), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font has not
        figure = figures.Figure(figsize=SIZE, layout="constrained")
        _draw(figure.add_subplot(), graph)
        out = io.BytesIO()
        figure.savefig(out, format=kind, metadata={
            "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind])
    return out.getvalue()
