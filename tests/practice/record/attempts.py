"""Attempts to record."""

from dataclasses import replace
from pathlib import Path

from grader.judge.verdict import Check, Diagnosis, Outcome, Verdict
from grader.practice.record import clock
from grader.practice.record.attempts import Attempt
from grader.practice.record.progress import Progress

RIGHT = Verdict("softmax", "softmax.py", Outcome.PASSED, (Check("a", "A", Outcome.PASSED),))
WRONG = replace(
    RIGHT,
    outcome=Outcome.FAILED,
    checks=(*RIGHT.checks, Check("b", "B", Outcome.FAILED)),
    diagnosis=Diagnosis("no-maximum", "You forget it."),
)


def database(root: Path) -> Path:
    return root / ".practice" / "progress.db"


def record(progress: Progress, verdict: Verdict, source: bytes = b"answer") -> Attempt:
    return progress.attempts.record(verdict, "check", clock.now(), source)
