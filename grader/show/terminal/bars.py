"""Small charts for the terminal. Beside or below each bar stands its number: colours and blocks only help."""

from collections.abc import Sequence

from rich.text import Text

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEVELS = "▁▂▃▄▅▆▇█"
_STYLE = "cyan"


def bar(value: float, most: float, width: int) -> str:
    """A bar from left to right, `width` columns for the most; what is not nothing is to be seen."""
    if value <= 0 or most <= 0:
        return ""
    eighths = max(round(8 * width * value / most), 1)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def sparkline(values: Sequence[float]) -> str:
    """A column for each value, the highest for the greatest of them."""
    most = max(values, default=0.0) or 1.0
    return "".join(_LEVELS[round((len(_LEVELS) - 1) * value / most)] for value in values)


def columns(labels: Sequence[str], values: Sequence[int], width: int) -> Text:
    """A column for each value, with its number and its label below; in several rows where they do not fit."""
    cell = max(map(len, [*labels, *map(str, values)])) + 2
    room = max((width - 2) // cell, 1)
    rows = -(-len(values) // room)
    room = -(-len(values) // rows)
    most = max(values)
    lines = []
    for start in range(0, len(values), room):
        part = slice(start, start + room)
        lines += [
            Text(_cells([_column(value, most) for value in values[part]], cell), style=_STYLE),
            Text(_cells([str(value) for value in values[part]], cell)),
            Text(_cells(labels[part], cell), style="dim"),
        ]
    return Text("\n").join(lines)


def _column(value: int, most: int) -> str:
    return 3 * _LEVELS[-(-len(_LEVELS) * value // most) - 1] if value else ""


def _cells(texts: Sequence[str], cell: int) -> str:
    return ("  " + "".join(f"{text:^{cell - 1}} " for text in texts)).rstrip()
