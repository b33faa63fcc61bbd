"""Charts of statistics as SVG to be put into a page, drawn by matplotlib.

They have no colours of their own: each is a CSS variable of the page (`VARIABLES`), so they follow it into
the dark. The same statistics give the same text.
"""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

from grader.practice.plan.statistics import Coming, Times, Week
from grader.practice.plan.weak_spots import WeakSpot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GRID, FIRST, SECOND, THIRD = "#010101", "#020202", "#030303", "#040404", "#050505"
VARIABLES = {INK: "--ink", GRID: "--grid", FIRST: "--first", SECOND: "--second", THIRD: "--third"}
"""What stands for a colour while matplotlib draws, and the variable that takes its place."""

WIDTH = 5.0
"""Inches, about as wide as a phone: on it, text of 12 points stays readable."""

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "font.size": 12.0,
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GRID,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.major.size": 0.0,
    "ytick.major.size": 0.0,
    "legend.frameon": False,
    "legend.fontsize": "small",
}


def passes_chart(weeks: Sequence[Week], description: str) -> str:
    """The passes of each week."""
    labels = [f"{week.monday.day}\n{week.monday:%b}" for week in weeks[:-1]]
    with _figure("passes", 2.2, description) as (figure, svg):
        _columns(figure.subplots(), [week.passes for week in weeks], [*labels, "this\nweek"], FIRST)
    return svg()


def due_chart(forecast: Sequence[Coming], description: str) -> str:
    """The topics that come due each day, and below them the questions: they take a different time."""
    labels = ["now", *(f"{day.day:%a}\n{day.day.day}" for day in forecast[1:])]
    topics, questions = [day.topics for day in forecast], [day.questions for day in forecast]
    with _figure("due", 3.6, description) as (figure, svg):
        for axes, counts, name, colour in zip(
            figure.subplots(2, 1), (topics, questions), ("topics", "questions"), (FIRST, SECOND), strict=True
        ):
            _columns(axes, counts, labels, colour)
            axes.set_title(name, loc="left", fontsize="medium", pad=9)
    return svg()


def hardest_chart(hardest: Sequence[WeakSpot], description: str) -> str:
    """The stumbles of each topic, by kind."""
    rows = range(len(hardest))
    kinds = {
        "wrong answers": ([each.wrong for each in hardest], FIRST),
        "known mistakes": ([each.named for each in hardest], SECOND),
        "forgotten": ([each.forgotten for each in hardest], THIRD),
    }
    with _figure("hardest", 0.8 + 0.3 * len(hardest), description) as (figure, svg):
        axes = figure.subplots()
        left = [0] * len(hardest)
        for kind, (counts, colour) in kinds.items():
            bars = axes.barh(rows, counts, left=left, color=colour, label=kind)
            left = [before + count for before, count in zip(left, counts, strict=True)]
        axes.bar_label(bars, labels=[str(each.stumbles) for each in hardest], color=INK, padding=3)
        _label_rows(axes, [each.topic for each in hardest])
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.4, 1), columnspacing=1)
    return svg()


def times_chart(times: Sequence[Times], description: str) -> str:
    """Each pass against the clock as a share of the topic's budget; the last one of each topic is filled."""
    with _figure("times", 0.9 + 0.3 * len(times), description) as (figure, svg):
        axes = figure.subplots()
        for row, each in enumerate(times):
            shares = [min(seconds / each.budget, _FURTHEST) for seconds in each.seconds[-_LATEST:]]
            axes.plot([min(shares), max(shares)], [row, row], color=GRID, linewidth=2, zorder=1)
            axes.scatter(shares[:-1], [row] * (len(shares) - 1), s=22, facecolors="none", edgecolors=FIRST)
            axes.scatter(shares[-1:], [row], s=34, color=FIRST)
        axes.axvline(1.0, color=SECOND, linewidth=1.5, zorder=0)
        _label_rows(axes, [each.topic for each in times])
        axes.set_xlim(0, _FURTHEST + 0.08)
        axes.set_xticks([0, 0.5, 1, 1.5, 2], ["0", "half", "budget", "1.5 x", "2 x"])
        axes.set_ylim(len(times) - 0.5, -0.5)
    return svg()


_FURTHEST = 2.0
_LATEST = 20


def _columns(axes: "Axes", counts: Sequence[int], labels: Sequence[str], colour: str) -> None:
    bars = axes.bar(range(len(counts)), counts, color=colour)
    axes.bar_label(bars, labels=[str(count or "") for count in counts], color=INK)
    axes.set_xticks(range(len(labels)), labels, fontsize="small")
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_ylim(0, 1.15 * max(*counts, 1))


def _label_rows(axes: "Axes", labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.spines["left"].set_visible(False)


@contextmanager
def _figure(name: str, height: float, description: str) -> "Iterator[tuple[Figure, Callable[[], str]]]":
    """A figure to draw into, and what gives the drawing after that."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    drawn = io.StringIO()
    with rc_context({**_STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        yield figure, lambda: _inline(drawn.getvalue(), description)
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(drawn, format="svg", transparent=True, metadata=nothing)


def _inline(svg: str, description: str) -> str:
    """The drawing as an element of a page: no prolog and size, no fonts and ids but those referred to."""
    (box,) = re.findall(r'<svg [^>]*viewBox="([^"]+)"', svg)
    body = svg[svg.index("</defs>") + len("</defs>") :]  # the first are styles for the whole page
    body = re.sub(r' id="([^"]+)"', lambda id_: id_[0] if f"#{id_[1]}" in body else "", body)
    body = re.sub(r"font-family: [^;\"]+;? ?", "", body)
    for colour, variable in VARIABLES.items():
        body = body.replace(colour, f"var({variable})")
    return f'<svg viewBox="{box}" role="img" aria-label="{escape(description)}">{body}'
