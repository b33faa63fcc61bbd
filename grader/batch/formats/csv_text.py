"""CSV in which no cell is anything but text or a number."""

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front,
    as OWASP's page on CSV injection advises: names are what students say they are.
    """
    text = io.StringIO()
    csv.writer(text).writerows([safe(cell) for cell in row] for row in rows)
    return text.getvalue()


def safe(cell: object) -> object:
    """The cell as it may stand there."""
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        return f"'{cell}"
    return "" if cell is None else cell
