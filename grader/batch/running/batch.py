"""A batch from what was found to its rows."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from grader.batch.results.log import ResultsLog
from grader.batch.results.row import Row
from grader.batch.running.work import Graded, Work


class Grading(Protocol):
    """Whoever grades: judges on this machine, or on others."""

    def graded(self, works: Sequence[Work]) -> Iterator[Graded]: ...


@dataclass
class Tally:
    """What came of a batch so far. `slowest`: seconds, and whose."""

    total: int
    done: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: int = 0
    slowest: tuple[float, str] = (0.0, "")

    def note(self, row: Row) -> None:
        """One more row."""
        self.done += 1
        if row.verdict is None:
            self.faults += 1
        else:
            self.outcomes[row.verdict.outcome] += 1
            self.slowest = max(self.slowest, (row.verdict.seconds, f"{row.student} {row.topic}"))

    @property
    def passed(self) -> int:
        return self.outcomes["passed"]

    @property
    def not_passed(self) -> int:
        return sum(self.outcomes.values()) - self.passed


def grade_all(
    todo: Sequence[Work | Row],
    log: ResultsLog,
    grading: Callable[[int], AbstractContextManager[Grading]],
    seen: Callable[[Tally], None],
) -> Tally:
    """Write a row for each submission that is to be graded. `grading` begins with so many pieces of work, and
    is not begun for none; `seen` is told after every row. Raises `ResultsUnusable`.
    """
    works = [each for each in todo if isinstance(each, Work)]
    rows = [each for each in todo if isinstance(each, Row)]
    tally = Tally(len(rows) + sum(len(work.submissions) for work in works))
    seen(tally)

    def keep(row: Row) -> None:
        log.append(row)
        tally.note(row)
        seen(tally)

    for row in rows:
        keep(row)
    if works:
        with grading(len(works)) as judges:
            for graded in judges.graded(works):
                for row in graded.work.rows(graded):
                    keep(row)
    return tally
