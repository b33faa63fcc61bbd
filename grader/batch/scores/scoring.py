"""The points of a verdict, check by check."""

from dataclasses import dataclass

from grader.batch.results.row import Row
from grader.batch.scores.points import Points
from grader.judge.verdict import Check, Outcome

UNCOUNTED = frozenset((Outcome.UNREADABLE, Outcome.NOT_STARTED))
"""Outcomes of what is no answer yet."""


@dataclass(frozen=True)
class Part:
    """A check with its points."""

    check: Check
    points: float
    of: float


@dataclass(frozen=True)
class Scored:
    """A row with its points. `attempts`: how many contents its student handed in for its topic, so far."""

    row: Row
    parts: tuple[Part, ...]
    points: float
    of: float
    attempts: int = 1

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.points / self.of if self.of else 0.0

    @property
    def is_answer(self) -> bool:
        """Whether there was anything to grade."""
        return self.row.verdict is not None and self.row.verdict.outcome not in UNCOUNTED

    @property
    def is_lost(self) -> bool:
        """Whether it could not be graded, by a fault of ours: then its points are none, not 0."""
        return self.row.verdict is None


def scored(row: Row, points: Points, checks: tuple[Check, ...], attempts: int = 1) -> Scored:
    """What a row is worth. `checks`: those of its topic, for a verdict without any.

    A check is worth its weight. What used forbidden built-ins, or passed every check and did not pass all the
    same (its cost is not what it should be), is worth nothing.
    """
    rule, verdict = points.of(row.topic), row.verdict
    made = verdict.checks if verdict is not None else ()
    every = made or tuple(Check(each.name, each.title, Outcome.NOT_RUN) for each in checks)
    weights = [rule.weight(check.name) for check in every]
    total = sum(weights)
    of = rule.most(check.name for check in every)
    factor = of / total if total else 0.0
    counts = verdict is not None and (verdict.passed or _fails_by_checks(verdict.outcome, made))
    if rule.all_or_nothing:
        counts = verdict is not None and verdict.passed
    parts = tuple(
        Part(
            check,
            _rounded(weight * factor * (counts and check.outcome is Outcome.PASSED)),
            _rounded(weight * factor),
        )
        for check, weight in zip(every, weights, strict=True)
    )
    earned = sum(
        weight * factor
        for check, weight in zip(every, weights, strict=True)
        if counts and check.outcome is Outcome.PASSED
    )
    return Scored(row, parts, _rounded(earned), _rounded(of), attempts)


def _fails_by_checks(outcome: Outcome, checks: tuple[Check, ...]) -> bool:
    others = any(check.outcome is not Outcome.PASSED for check in checks)
    return outcome is not Outcome.FORBIDDEN and others


def _rounded(points: float) -> float:
    """Without the last digits of a sum of fractions."""
    return round(points, 4)
