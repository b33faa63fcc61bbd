"""Which of its two rounds an answer is in.

In the second, which only an answer meets that has passed the first, some assertions also look at what the
worker has reported about itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_seed: ContextVar[int | None] = ContextVar("seed", default=None)


def is_second_round() -> bool:
    """Whether this is the second round."""
    return _seed.get() is not None


def round_seed() -> int:
    """What draws anew in the second round what is the same for everybody in the first: 0 there."""
    return _seed.get() or 0


def careful() -> dict[str, bool]:
    """What a request has in the second round: the worker sees to it that libraries are what they were."""
    return {"careful": True} if is_second_round() else {}


@contextmanager
def second_round(seed: int) -> Iterator[None]:
    """What is asserted inside belongs to the second round of this seed."""
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)
