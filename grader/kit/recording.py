"""What came from the submission in a check, assertion by assertion: diagnosis compares it with what a mistake
gives. And the one place where a stated fact fails.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from grader.kit.outcomes import CheckFailed


@dataclass(frozen=True)
class Record:
    """One assertion: what came and what was expected, with the tolerances of `assert_close` if it has any,
    and whether it holds.
    """

    came: Any
    expected: Any
    tolerance: float | None = None
    absolute: float | None = None
    holds: bool = True


@dataclass
class _Recording:
    records: list[Record]
    goes_on: Callable[[str], bool]
    most: float


_current: ContextVar[_Recording | None] = ContextVar("recording", default=None)


def record(came: Any, expected: Any, tolerance: float | None = None, absolute: float | None = None) -> None:
    """Note one assertion; does nothing outside `recording`."""
    current = _current.get()
    if current is not None:
        current.records.append(Record(came, expected, tolerance, absolute))
        if len(current.records) > current.most:
            raise CheckFailed("no more than that was to be recorded")


def fail(message: str) -> None:
    """What was recorded last does not hold: ends the check, unless it is to be recorded to its end."""
    current = _current.get()
    if current is None or not current.records or not current.goes_on(message):
        raise CheckFailed(message)
    current.records[-1] = replace(current.records[-1], holds=False)


def never(message: str) -> bool:
    """Ends with the first fact that does not hold."""
    return False


def always(message: str) -> bool:
    """Goes on, whatever does not hold."""
    return True


@contextmanager
def recording(goes_on: Callable[[str], bool] = never, most: float = math.inf) -> Iterator[list[Record]]:
    """The records made inside, in order. `goes_on` is told what is wrong with a fact that does not hold, and
    says whether it ends nothing. What comes after so many (`most`) is of no interest: the next ends it.
    """
    current = _Recording([], goes_on, most)
    token = _current.set(current)
    try:
        yield current.records
    finally:
        _current.reset(token)
