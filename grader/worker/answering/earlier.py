"""What the call before gave: it is the caller's, and no later call may write to it."""

from typing import Any

from grader.worker.answering.inputs import copied, is_same


class Earlier:
    """The result of one call, until the next. At first there is none."""

    def __init__(self, value: Any = None) -> None:
        self._value = value
        self._copy: Any = None

    def look(self) -> None:
        """Note how it is now, before the next call. (In between it may change: weights are loaded.)"""
        self._copy = copied(self._value)

    def is_overwritten(self) -> bool:
        """Whether it is no longer as it was when it was looked at."""
        return not is_same(self._copy, self._value)
