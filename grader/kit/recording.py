"""What came from the submission in a check, assertion by assertion: diagnosis compares it with what a mistake
gives.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Record:
    """One assertion: what came and what was expected, with the tolerances of `assert_close` if it has any."""

    came: Any
    expected: Any
    tolerance: float | None = None
    absolute: float | None = None


_current: ContextVar[list[Record] | None] = ContextVar("records", default=None)


def record(came: Any, expected: Any, tolerance: float | None = None, absolute: float | None = None) -> None:
    """Note one assertion; does nothing outside `recording`."""
    records = _current.get()
    if records is not None:
        records.append(Record(came, expected, tolerance, absolute))


@contextmanager
def recording() -> Iterator[list[Record]]:
    """The records made inside, in order."""
    records: list[Record] = []
    token = _current.set(records)
    try:
        yield records
    finally:
        _current.reset(token)
