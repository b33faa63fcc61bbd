"""Known wrong versions of `conv2d` that place a window with the dilation of the other direction."""

from grader.kit import Mistake

_READ = "    read_rows, read_columns = (_places_read(*direction, x.device) for direction in sizes)\n"
_MOVED = """\
    steps = _pair(dilation)
    padded = functional.pad(padded, (0, steps[0] * kernel[1], 0, steps[1] * kernel[0]))
"""
_COLUMNS = """\
    read_columns = read_columns[:1] + steps[0] * torch.arange(kernel[1], device=x.device)[:, None]
"""
_ROWS = """\
    read_rows = read_rows[:1] + steps[1] * torch.arange(kernel[0], device=x.device)[:, None]
"""

MISTAKES = [
    Mistake(
        f"{name}-placed-with-the-dilation-of-the-other-direction",
        find=_READ,
        replace=_READ + _MOVED + edit,
        says=f"The output has the right size, but {where}. A pair is (height, width): the first number is "
        "the distance of the rows that a window reads, the second that of its columns.",
    )
    for name, edit, where in (
        ("columns", _COLUMNS, "your windows read columns that are the dilation of the height apart"),
        ("rows", _ROWS, "your windows read rows that are the dilation of the width apart"),
        (
            "rows-and-columns",
            _COLUMNS + _ROWS,
            "your windows take the two numbers of dilation the other way round",
        ),
    )
]
