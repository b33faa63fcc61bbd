"""Figures of values: lines, bars and contours."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from grader.show.figures.picture import (
    COLOURS,
    FAINT,
    GRID,
    INK,
    Picture,
    canvas,
    numbers,
)

FEW = 8
"""Places up to which each has a tick of its own."""


def lines(
    at: Any,
    curves: Mapping[str, Any],
    *,
    x: str,
    y: str,
    title: str = "",
    log: str = "",
    points: bool = False,
    levels: Mapping[str, float] | None = None,
    width: float = 7.0,
    height: float = 3.5,
) -> Picture:
    """Curves over common x values. `log`: the axes with a logarithmic scale, "x", "y" or "xy". `levels` are
    dotted lines across the picture, each at its height.
    """
    picture, axes = canvas(title, x=x, y=y, width=width, height=height)
    for i, (name, values) in enumerate(curves.items()):
        style = "-" if i < len(COLOURS) else "--"
        marker = "o" if points else ""
        axes.plot(
            numbers(at),
            numbers(values),
            style,
            marker=marker,
            markersize=4,
            color=COLOURS[i % len(COLOURS)],
            label=name,
        )
    for name, level in (levels or {}).items():
        axes.axhline(level, color=INK, linestyle=":", linewidth=1.5, label=name)
    axes.grid(color=GRID, linewidth=0.7)
    if "x" in log:
        places = numbers(at)
        doubling = (np.log2(places) % 1 == 0).all()
        axes.set_xscale("log", base=2 if doubling else 10)
        if not doubling and len(places) <= FEW:  # within one power of ten, matplotlib's labels would collide
            axes.set_xticks(places, [f"{place:g}" for place in places])
            axes.minorticks_off()
    if "y" in log:
        axes.set_yscale("log")
    if len(axes.lines) > 1:
        axes.legend(frameon=False, labelcolor=INK, fontsize=9)
    picture.says = title or f"{y} over {x}: {', '.join(curves)}"
    return picture


def bars(
    values: Mapping[str, Any],
    *,
    x: str = "",
    y: str = "",
    title: str = "",
    stacked: bool = False,
    upright: bool = False,
    digits: int = 3,
    log: bool = False,
    width: float = 7.0,
    height: float | None = None,
) -> Picture:
    """A bar for each name, with its number. `{name: {part: value}}` gives a bar for each part, in a group or
    (`stacked`) on top of each other. Bars lie, so that long names fit, unless `upright`. `x` and `y` label
    the axes as they are seen. With `log` there are dots instead: a logarithmic axis has no 0 from which the
    length of a bar would count.
    """
    grouped = {name: part if isinstance(part, Mapping) else {"": part} for name, part in values.items()}
    parts = list(dict.fromkeys(part for group in grouped.values() for part in group))
    tall = 0.9 + 0.36 * len(grouped) * (1 if stacked else max(1.0, 0.7 * len(parts)))
    picture, axes = canvas(title, x=x, y=y, width=width, height=height or (3.5 if upright else tall))
    places = np.arange(len(grouped))
    thickness = 0.75 if stacked else 0.8 / len(parts)
    base = np.zeros(len(grouped))
    for i, part in enumerate(parts):
        sizes = np.array([float(group.get(part, 0)) for group in grouped.values()])
        at = places if stacked else places + (i - (len(parts) - 1) / 2) * thickness
        style: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], "label": part}
        if log:
            _dots(axes, at, sizes, upright, digits, style)
            continue
        if upright:
            drawn = axes.bar(at, sizes, thickness * 0.94, bottom=base.copy(), **style)
        else:
            drawn = axes.barh(at, sizes, thickness * 0.94, left=base.copy(), **style)
        base += sizes if stacked else 0
        if not stacked or part == parts[-1]:
            totals = base if stacked else sizes
            labels = [_short(total, digits) for total in totals]
            axes.bar_label(drawn, labels, padding=3, color=INK, fontsize=9)
    _name_bars(axes, places, list(grouped), upright)
    (axes.set_yscale if upright else axes.set_xscale)("log" if log else "linear")
    if log and not upright:
        axes.set_ylim(len(grouped) - 0.5, -0.5)
    axes.margins(x=None if upright else 0.12, y=0.12 if upright else None)
    if parts != [""]:
        axes.legend(frameon=False, labelcolor=INK, fontsize=9)
    picture.says = title or f"bars: {', '.join(grouped)}"
    return picture


def contours(
    x_values: Any,
    y_values: Any,
    heights: Any,
    *,
    x: str,
    y: str,
    title: str = "",
    paths: Mapping[str, Any] | None = None,
    width: float = 5.5,
    height: float = 4.0,
) -> Picture:
    """A surface seen from above: `heights` has a row for each y. `paths` are lists of (x, y) points on it."""
    picture, axes = canvas(title, x=x, y=y, width=width, height=height)
    filled = axes.contourf(numbers(x_values), numbers(y_values), numbers(heights), levels=20, cmap="viridis")
    axes.locator_params(nbins=6)  # labels such as -0.25 need room
    bar = picture.figure.colorbar(filled, ax=axes)
    bar.ax.tick_params(colors=FAINT, labelcolor=INK)
    for i, (name, points) in enumerate((paths or {}).items()):
        track = numbers(points)
        axes.plot(
            track[:, 0], track[:, 1], "o-", markersize=3, color=("#ffffff", "#ffb000")[i % 2], label=name
        )
    if paths:
        axes.legend(facecolor="#30343a", labelcolor="#ffffff", fontsize=9)
    return picture


def _dots(axes: Axes, at: Any, sizes: Any, upright: bool, digits: int, style: dict[str, Any]) -> None:
    at, sizes = at[sizes > 0], sizes[sizes > 0]
    across, up = (at, sizes) if upright else (sizes, at)
    axes.plot(across, up, "o", markersize=8, **style)
    offset: dict[str, Any] = (
        {"xytext": (0, 8), "ha": "center"} if upright else {"xytext": (8, 0), "va": "center"}
    )
    for x, y, size in zip(across, up, sizes, strict=True):
        axes.annotate(
            _short(size, digits), (x, y), textcoords="offset points", color=INK, fontsize=9, **offset
        )
    axes.grid(axis="y" if upright else "x", color=GRID, linewidth=0.7)


def _name_bars(axes: Axes, places: Any, names: list[str], upright: bool) -> None:
    if upright:
        axes.set_xticks(places, names)
        return
    axes.set_yticks(places, names)
    axes.invert_yaxis()  # the first name is read first


def _short(value: float, digits: int) -> str:
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 10**digits else f"{value:.{digits}g}"
