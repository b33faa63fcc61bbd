"""`results.csv`: a line for each student and topic, for a spreadsheet."""

from collections.abc import Iterable

from grader.batch.formats.csv_text import csv_text
from grader.batch.formats.numbers import encodable, plain
from grader.batch.scores.scoring import Scored

COLUMNS = (
    *("student", "topic", "outcome", "points", "of", "checks_passed", "checks", "mistakes", "suspicions"),
    *("attempts", "seconds", "finished", "file"),
)


def results_csv(results: Iterable[Scored]) -> str:
    """The whole file."""
    return csv_text([COLUMNS, *(_line(each) for each in results)])


def _line(each: Scored) -> tuple[object, ...]:
    row, verdict = each.row, each.row.verdict
    passed = sum(part.check.outcome == "passed" for part in each.parts)
    return (
        encodable(row.student),
        row.topic,
        "not graded" if verdict is None else str(verdict.outcome),
        None if each.is_lost else plain(each.points),
        plain(each.of),
        passed,
        len(each.parts),
        verdict.diagnosis.mistake if verdict and verdict.diagnosis else "",
        len(verdict.suspicions) if verdict else 0,
        each.attempts,
        verdict.seconds if verdict else "",
        row.finished,
        encodable(row.file),
    )
