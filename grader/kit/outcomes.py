"""What can stop a check: a fact that does not hold, or a submission that gave no answer."""

from typing import Any


class CheckFailed(AssertionError):
    """A stated fact does not hold; the message is for the learner."""


class Stopped(Exception):
    """The submission gave no value to compare."""


class Raised(Stopped):
    """It raised an exception. `types` are the names of its classes, most derived first; `frames` the
    submission's own ([line, function, text], outermost first)."""

    def __init__(self, raised: dict[str, Any]) -> None:
        super().__init__(raised["message"])
        self.types: list[str] = raised["types"]
        self.message: str = raised["message"]
        self.frames: list[list[Any]] = raised["frames"]


class NotWritten(Raised):
    """It raised NotImplementedError where code is still to be written."""


class TimedOut(Stopped):
    """It took longer than the limit, and was killed. `position` is [line, text] in the submission, where it
    was then, if that is known.
    """

    def __init__(self, position: list[Any] | None = None) -> None:
        super().__init__(position)
        self.position = position


class Crashed(Stopped):
    """Its process ended, or was ended, without an answer; the message says how."""


class Forbidden(Stopped):
    """It used what the topic forbids, or reached for the reference. `position` is [line, text] in the
    submission.
    """

    def __init__(self, refused: dict[str, Any]) -> None:
        super().__init__(refused["text"])
        self.what: str = refused["what"]
        self.position: list[Any] | None = refused["position"]


class Misused(Stopped):
    """The check met something that it cannot go on with (a class that makes no module, say): the message is
    for the learner."""
