"""Matrices as colours."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, Normalize, TwoSlopeNorm, to_rgba
from matplotlib.ticker import MaxNLocator

from grader.show.figures.picture import COLOURS, GRID, GROUND, INK, Picture, blank, dress, numbers

FEW = 13
"""Rows and columns up to which a heat map has a number in each cell."""
_GREY = "#c9ccc8"
_LETTER = 0.11
"""The width of a letter of the labels, in inches, with what has to stay free."""


def heatmap(
    values: Any,
    *,
    rows: Sequence[Any] | None = None,
    columns: Sequence[Any] | None = None,
    title: str | Sequence[str] = "",
    x: str = "key",
    y: str = "query",
    digits: int = 2,
    blocks: tuple[int, int] | None = None,
    width: float | None = None,
    own_scales: bool = False,
    hidden: bool | None = None,
) -> Picture:
    """A matrix as colours with the numbers in the cells; (n, rows, columns) gives n of them side by side.

    `rows` and `columns` are tokens or other names along the axes, `title` one text or one for each matrix.
    Values of both signs are coloured around 0. What is -inf, inf or nan stays grey, and with `hidden` (by
    default where x are keys) an exact 0 among fractions too, written as 0: a weight that a mask or dropout
    took away, not one that is merely small. What a masked array masks is grey without a number. `blocks`
    draws the borders of tiles of that many rows and columns. Matrices have one scale of colours, unless
    `own_scales`, for things that cannot be compared.
    """
    stack = numbers(values)
    absent = np.ma.getmaskarray(values) if np.ma.isMaskedArray(values) else np.zeros(stack.shape, bool)
    stack, absent = (stack[None], absent[None]) if stack.ndim == 2 else (stack, absent)
    if stack.ndim != 3:
        raise ValueError(f"a heat map needs 2 or 3 dimensions, not the shape {stack.shape}")
    titles = [title if i == 0 else "" for i in range(len(stack))] if isinstance(title, str) else list(title)
    across = min(len(stack), 4)
    down = -(-len(stack) // across)
    cell = min(0.62, 7.0 / across / stack.shape[2])
    panel_width = max(stack.shape[2] * cell, 1.2) + 0.9
    panel_height = max(stack.shape[1] * cell, 0.5) + 0.9
    scale = 1.0 if width is None else width / (panel_width * across)
    figure = blank(panel_width * across * scale, panel_height * down * scale)
    zeros_are_grey = x == "key" if hidden is None else hidden
    for i, matrix in enumerate(stack):
        axes = figure.add_subplot(down, across, i + 1)
        alike = stack[i : i + 1] if own_scales else stack
        colours, norm = _colours(alike)
        grey = absent[i] | ~np.isfinite(matrix) | ((matrix == 0) & zeros_are_grey & _are_fractions(alike))
        axes.imshow(np.ma.masked_array(matrix, grey), cmap=colours, norm=norm, aspect="equal")
        dress(axes, titles[i] if i < len(titles) else "", x, y if i % across == 0 else "")
        axes.set_facecolor(_GREY)
        _name_ticks(axes, matrix.shape, rows, columns, cell * scale)
        _draw_blocks(axes, matrix.shape, blocks)
        if max(matrix.shape) <= FEW:
            _write_numbers(axes, np.ma.masked_array(matrix, absent[i]), grey, colours, norm, digits)
    words = title if isinstance(title, str) else ", ".join(title)
    return Picture(figure, words or f"heat map of {stack.shape[1]} × {stack.shape[2]} values")


def masks(kinds: Mapping[str, Any], *, across: int = 3, size: float = 2.4) -> Picture:
    """Boolean masks side by side, `across` in a line; what is kept is dark. `size`: inches of each."""
    down = -(-len(kinds) // across)
    figure = blank(size * min(across, len(kinds)), (size + 0.35) * down)
    for i, (name, mask) in enumerate(kinds.items()):
        axes = figure.add_subplot(down, min(across, len(kinds)), i + 1)
        kept = numbers(mask)
        axes.imshow(kept, cmap=ListedColormap([GROUND, COLOURS[0]]), norm=Normalize(0, 1), aspect="equal")
        dress(axes, name, "key" if i >= len(kinds) - across else "", "query" if i % across == 0 else "")
        for edge in range(kept.shape[0] + 1):
            axes.axhline(edge - 0.5, color=GRID, linewidth=0.6)
        for edge in range(kept.shape[1] + 1):
            axes.axvline(edge - 0.5, color=GRID, linewidth=0.6)
        axes.set_xticks(range(0, kept.shape[1], 4))
        axes.set_yticks(range(0, kept.shape[0], 4))
    return Picture(figure, f"masks: {', '.join(kinds)}")


def _colours(stack: "np.ndarray[Any, Any]") -> tuple[Any, Normalize]:
    finite = stack[np.isfinite(stack)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    if low < 0 < high or high <= 0 > low:
        reach = max(-low, high)
        return colormaps["RdBu_r"], TwoSlopeNorm(0, -reach, reach)
    return colormaps["Blues"], Normalize(0, max(high, 1e-12) * 1.15)


def _are_fractions(stack: "np.ndarray[Any, Any]") -> bool:
    finite = stack[np.isfinite(stack)]
    return bool((finite >= 0).all() and (finite % 1 != 0).any())


def _name_ticks(axes: Axes, shape: tuple[int, ...], rows: Any, columns: Any, cell: float) -> None:
    for names, count, place, axis in (
        (rows, shape[0], axes.set_yticks, axes.yaxis),
        (columns, shape[1], axes.set_xticks, axes.xaxis),
    ):
        if names is not None:
            place(range(count), [str(name) for name in names])
        elif count <= FEW:
            place(range(count))
        else:
            axis.set_major_locator(MaxNLocator(integer=True))
    longest = max((len(str(name)) for name in columns or ()), default=0)
    if longest * _LETTER > cell:
        axes.tick_params(axis="x", rotation=45)


def _draw_blocks(axes: Axes, shape: tuple[int, ...], blocks: tuple[int, int] | None) -> None:
    if blocks is None:
        return
    for edge in range(blocks[0], shape[0], blocks[0]):
        axes.axhline(edge - 0.5, color=INK, linewidth=1.5)
    for edge in range(blocks[1], shape[1], blocks[1]):
        axes.axvline(edge - 0.5, color=INK, linewidth=1.5)


def _write_numbers(axes: Axes, matrix: Any, grey: Any, colours: Any, norm: Normalize, digits: int) -> None:
    whole = bool((matrix[np.isfinite(matrix)] % 1 == 0).all())
    for row, column in np.argwhere(~np.ma.getmaskarray(matrix)):
        value = matrix[row, column]
        red, green, blue, _ = to_rgba(_GREY) if grey[row, column] else colours(norm(value))
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
        text = f"{value:.0f}" if whole or grey[row, column] else f"{value:.{digits}f}"
        axes.text(column, row, text, ha="center", va="center", fontsize=8, color=GROUND if dark else INK)
