"""All rows of a log with their points."""

from collections.abc import Callable

from grader.batch.results.log import ResultsLog
from grader.batch.scores.points import Points
from grader.batch.scores.scoring import Scored, scored
from grader.judge.verdict import Check


def scored_rows(
    log: ResultsLog, points: Points, checks_of: Callable[[str], tuple[Check, ...]]
) -> list[Scored]:
    """By student and topic. `checks_of`: those of a topic on which no row has any: what was handed in for it
    could not even be read.
    """
    rows = list(log.rows())
    checks = {row.topic: row.verdict.checks for row in rows if row.verdict and row.verdict.checks}
    for topic in {row.topic for row in rows} - checks.keys():
        checks[topic] = checks_of(topic)
    return [scored(row, points, checks[row.topic], log.attempts[row.owner]) for row in rows]
