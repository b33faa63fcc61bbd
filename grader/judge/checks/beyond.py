"""What else is wrong in a case, after the first fact that does not hold: seen in the same run, where there is
time for it. It changes nothing in what the check says.
"""

import time
from dataclasses import dataclass, field

from grader.judge.pace import paced
from grader.judge.workers.client import Heard
from grader.kit.recording import Record

TO_THE_END_SECONDS = 0.1
"""Time for seeing what else is wrong in a submission: the checks are shown after it."""
EARLY_SECONDS = 0.02
"""A case that fails later than this is not gone on with at once: those that are quick come first."""


@dataclass(frozen=True)
class CaseToItsEnd:
    """One case, run on past facts that do not hold: what came, and the exception that ended it, if any."""

    records: tuple[Record, ...]
    error: Exception | None = None


@dataclass
class Spare:
    """The seconds that are left for seeing what else is wrong in a submission, over all its checks."""

    seconds: float = field(default_factory=lambda: paced(TO_THE_END_SECONDS))


class FirstWrong:
    """The first fact of a case that does not hold, to be made when the case begins.

    `message` says what is wrong, if anything is, and `output` what was printed before. `goes_on` is for
    `recording`: it says whether the case goes on then, which is the case where that comes early and there is
    time to spare; `went_on` whether it did.
    """

    def __init__(self, worker: Heard, spare: Spare | None) -> None:
        self._worker = worker
        self._spare = spare
        self._begun = time.monotonic()
        self._noticed = 0.0
        self.message: str | None = None
        self.output = ""
        self.went_on = False

    def goes_on(self, message: str) -> bool:
        if self.message is None:
            self.message, self.output = message, self._worker.take_output()
            self._noticed = time.monotonic()
            if self._spare is not None:
                self.went_on = self._noticed - self._begun < min(paced(EARLY_SECONDS), self._spare.seconds)
                if self.went_on:
                    latest = self._noticed + self._spare.seconds
                    self._worker.deadline = min(self._worker.deadline, latest)
        return self.went_on

    def case_ended(self) -> None:
        """What the case took since then was time to spare."""
        if self._spare is not None and self.went_on:
            self._spare.seconds -= time.monotonic() - self._noticed
