"""What a page folds: everything between a question and what is said next, and the code of pictures.

A question is a Markdown cell with **Predict:** in it. Its answer is the cells below it: code, and Markdown
that is an answer, up to the next Markdown cell of another kind. An answer in words stands folded in the
notebook itself, so that it is folded wherever the notebook is opened.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

QUESTION = "**Predict:**"
OPENING, CLOSING = "<details>\n<summary>Answer</summary>\n\n", "\n\n</details>"
"""What an answer in Markdown begins and ends with."""

_SHOWN = re.compile(
    r"^(?!%%).*\bshow\.(?!(?:canvas|measure|measure_memory|mistake|model|trace)\b)[a-z_]+\(", re.S
)


def is_answer(cell: Any) -> bool:
    """Whether it is an answer in words."""
    return bool(cell.cell_type == "markdown" and cell.source.startswith(OPENING))


def unfolded(source: str) -> str:
    """An answer without what folds it."""
    return source.removeprefix(OPENING).removesuffix(CLOSING)


def draws(source: str) -> bool:
    """Whether code draws a picture, a table or a listing: its result is for looking at, the code is not."""
    return _SHOWN.match(source) is not None


def folds(cells: Sequence[Any]) -> Iterator[range]:
    """The numbers of the cells that answer each question."""
    first = None
    for number, cell in enumerate(cells):
        if cell.cell_type == "code" or is_answer(cell):
            continue
        if first is not None and first < number:
            yield range(first, number)
        first = number + 1 if QUESTION in cell.source else None
