"""What goes wrong most: topics by the wrong answers, the mistakes named in them and the reviews forgotten."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from grader.curriculum.catalog import Catalog
from grader.judge.verdict import Outcome, ids_of
from grader.practice.record.attempts import Attempt
from grader.practice.record.reviews import Review
from grader.practice.schedule import Rating

WRONG = {Outcome.FAILED, Outcome.ERROR, Outcome.TIMEOUT, Outcome.CRASHED, Outcome.FORBIDDEN}
"""Outcomes of an answer that is wrong; what is unfinished or cannot be read is not."""


@dataclass(frozen=True)
class WeakSpot:
    """How often a topic went wrong."""

    topic: str
    wrong: int  # answers, each counted once however often it was graded
    mistakes: tuple[str, ...]  # the known ones that were named in them, the most frequent first
    named: int  # how often they were
    forgotten: int  # reviews rated "again"

    @property
    def stumbles(self) -> int:
        """By which topics are told to be hard."""
        return self.wrong + self.named + self.forgotten


def weak_spots(
    catalog: Catalog,
    attempts: Iterable[Attempt],
    reviews: Iterable[Review],
    secret: Collection[int | None] = (),
) -> tuple[WeakSpot, ...]:
    """The topics that ever went wrong, the hardest first. What a mock interview that goes on (its session is
    `secret`) keeps to itself does not count yet.
    """
    wrong = [each for each in attempts if each.outcome in WRONG and each.session not in secret]
    answers = {(each.topic, each.source or each.id): each for each in wrong}.values()
    per_topic = Counter(each.topic for each in answers)
    forgotten = Counter(each.name for each in reviews if each.rating is Rating.AGAIN)
    named: dict[str, Counter[str]] = {topic.id: Counter() for topic in catalog.topics}
    for each in answers:
        if each.mistake and each.topic in named:
            named[each.topic].update(ids_of(each.mistake))
    found = [
        WeakSpot(
            topic=topic,
            wrong=per_topic[topic],
            mistakes=tuple(mistake for mistake, _ in mistakes.most_common()),
            named=mistakes.total(),
            forgotten=forgotten[topic],
        )
        for topic, mistakes in named.items()
    ]
    return tuple(sorted((each for each in found if each.stumbles), key=lambda each: -each.stumbles))
