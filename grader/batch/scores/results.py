"""All rows of a log with their points, and what counts for everybody."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from grader.batch.results.log import ResultsLog
from grader.batch.results.row import Row
from grader.batch.scores.points import Points
from grader.batch.scores.scoring import Scored, scored
from grader.judge.verdict import Check, Outcome


@dataclass(frozen=True)
class OfStudent:
    """One student's results. `most`: the points that there are, by topic; a topic that was not handed in
    counts with none of them.
    """

    student: str
    rows: tuple[Scored, ...]
    most: Mapping[str, float]

    @property
    def counted(self) -> list[Scored]:
        """Rows about topics that count."""
        return [each for each in self.rows if each.row.topic in self.most]

    @property
    def missing(self) -> dict[str, float]:
        """Topics that count and were not handed in, with the points that there are for them."""
        handed_in = {each.row.topic for each in self.rows}
        return {topic: most for topic, most in self.most.items() if topic not in handed_in}

    @property
    def points(self) -> float:
        """In all topics."""
        return round(sum(each.points for each in self.rows), 4)

    @property
    def of(self) -> float:
        """The most that they could be: the same for every student."""
        return round(sum(self.most.values()), 4)

    @property
    def is_lost(self) -> bool:
        """Whether something could not be graded, by a fault of ours."""
        return any(each.is_lost for each in self.rows)


@dataclass(frozen=True)
class Results:
    """All rows, by student and topic. `most`: the points that there are for each topic that counts, which it
    does for every student. `ungraded`: topics that have points, but no row, and were not asked for.
    `students`: some that may have no row.
    """

    rows: tuple[Scored, ...]
    most: Mapping[str, float]
    ungraded: frozenset[str] = frozenset()
    students: frozenset[str] = frozenset()

    def by_student(self) -> Iterator[OfStudent]:
        """Each student's, in the order of their names."""
        own: dict[str, list[Scored]] = {student: [] for student in self.students}
        for each in self.rows:
            own.setdefault(each.row.student, []).append(each)
        for student in sorted(own):
            yield OfStudent(student, tuple(own[student]), self.most)


def results_of(
    log: ResultsLog,
    points: Points,
    checks_of: Callable[[str], tuple[Check, ...]],
    names_of: Callable[[str], Collection[str]],
    asked: Collection[str] = (),
    student: str | None = None,
) -> Results:
    """The results in a log. `asked`: the topics that were to be graded, none for all that points are given
    for; `student`: whose they are, if somebody in particular. `checks_of`: those of a topic on which no row
    has any, for there was nothing that could be read. `names_of`: how they are called, which takes no judge.

    What counts is what was asked for, and every topic that somebody began: a batch may come topic by topic.
    """
    rows = list(log.rows())
    graded = {row.topic for row in rows}
    counts = {row.topic for row in rows if _is_begun(row)} | (points.named & graded)
    counts |= set(asked) or points.named
    checks = {row.topic: row.verdict.checks for row in rows if row.verdict and row.verdict.checks}
    checks |= {topic: checks_of(topic) for topic in (counts & graded) - checks.keys()}
    every = tuple(
        scored(row, points, checks.get(row.topic, ()), log.attempts[row.owner])  # none: nobody began it
        for row in rows
    )
    most = {topic: points.of(topic).most(names_of(topic)) for topic in counts - graded}
    for each in every:
        if each.row.topic in counts:
            most[each.row.topic] = max(each.of, most.get(each.row.topic, 0.0))
    most = dict(sorted(most.items()))
    students = frozenset() if student is None else frozenset((student,))
    return Results(every, most, frozenset(points.named - counts), students)


def _is_begun(row: Row) -> bool:
    """Whether it is more than what was handed out: workspaces have a file for every topic."""
    return row.verdict is None or row.verdict.outcome is not Outcome.NOT_STARTED
