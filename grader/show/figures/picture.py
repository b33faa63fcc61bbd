"""A figure that shows itself as a PNG, wherever it is the value of a cell."""

import io
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

GROUND, INK, FAINT, GRID = "#fafaf7", "#1f2328", "#57606a", "#d7d9d6"
"""Figures have a solid ground: text and axes keep their contrast in every theme."""
COLOURS = ("#0969a8", "#d55e00", "#1a7f5a", "#a0408f", "#b8860b", "#4b5563", "#5aa9dd", "#8c2d04")
"""Told apart by people with any colour vision, and dark enough for lines on `GROUND`."""
DPI = 160
SCREEN_DPI = 80
"""Twice as many pixels as are asked for on the page: sharp on dense screens."""


class Picture:
    """A finished figure. `figure` is matplotlib's, for whatever is still to be added."""

    def __init__(self, figure: Figure, says: str) -> None:
        """`says`: what is to be seen, for those who cannot see it."""
        self.figure = figure
        self.says = says

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        data = self.png()
        width, height = self.figure.get_size_inches() * SCREEN_DPI
        return data, {"width": round(width), "height": round(height), "alt": self.says}

    def png(self) -> bytes:
        """The picture as a file."""
        self.figure.draw_without_rendering()  # one layout is not enough for titles over several axes
        file = io.BytesIO()
        self.figure.savefig(file, format="png", dpi=DPI)
        return file.getvalue()

    def __repr__(self) -> str:
        return f"<picture: {self.says}>"


def canvas(
    title: str = "", *, x: str = "", y: str = "", width: float = 7.0, height: float = 3.5
) -> tuple[Picture, Axes]:
    """An empty picture with one pair of axes to draw on: for what no function here draws.

    `x` and `y` label the axes; sizes are in inches of 80 pixels.
    """
    figure = blank(width, height)
    axes = figure.add_subplot()
    dress(axes, title, x, y)
    return Picture(figure, title), axes


def blank(width: float, height: float) -> Figure:
    """A figure with nothing on it. It is laid out when it is drawn, so that labels never collide."""
    figure = Figure(figsize=(width, height), facecolor=GROUND)
    figure.set_layout_engine("constrained", w_pad=0.09, h_pad=0.09)
    return figure


def dress(axes: Axes, title: str = "", x: str = "", y: str = "") -> None:
    """Give axes their words, and the colours of all figures."""
    axes.set_facecolor(GROUND)
    axes.set_title(title, color=INK, fontsize=11)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.tick_params(colors=FAINT, labelcolor=INK)
    for name, spine in axes.spines.items():
        spine.set_color(FAINT)
        spine.set_visible(name in ("left", "bottom"))


def numbers(values: Any) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Values as an array of floats: tensors (with or without gradients), arrays, lists."""
    plain = values.detach().cpu().double().numpy() if hasattr(values, "detach") else values
    return np.asarray(plain, dtype=np.float64)
