"""Which of its two rounds an answer is in.

In the second, which only an answer meets that has passed the first, some assertions also look at what the
worker has reported about itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_second: ContextVar[bool] = ContextVar("is_second", default=False)


def is_second_round() -> bool:
    """Whether this is the second round."""
    return _is_second.get()


def careful() -> dict[str, bool]:
    """What a request has in the second round: the worker sees to it that libraries are what they were."""
    return {"careful": True} if is_second_round() else {}


@contextmanager
def second_round() -> Iterator[None]:
    """What is asserted inside belongs to the second round."""
    token = _is_second.set(True)
    try:
        yield
    finally:
        _is_second.reset(token)
