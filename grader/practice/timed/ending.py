"""The end of a drill or a mock interview: topics get their new places in the schedule."""

from dataclasses import dataclass

from grader.curriculum.catalog import Topic
from grader.practice.schedule import Card, Level, Rating
from grader.practice.timed import mock as machine
from grader.practice.timed.drill import Drill
from grader.practice.timed.mock import Mock
from grader.practice.timed.resuming import drill_details, mock_details
from grader.practice.timed.timed_work import TimedWork


@dataclass(frozen=True)
class Rated:
    """A topic, how it was rated, and where it stands in the schedule now."""

    topic: Topic
    rating: Rating
    card: Card


def ended_drill(drill: Drill, work: TimedWork) -> Rated | None:
    """The review of a drill that has ended; None where that cannot be kept, as the work's notes say."""
    assert drill.end is not None and drill.rating is not None
    reviews = [(drill.topic, drill.rating, drill.level)]
    cards = work.end(drill_details(drill), drill.end, drill.seconds, reviews)
    return Rated(drill.topic, drill.rating, cards[0]) if cards else None


def ended_mock(mock: Mock, work: TimedWork) -> list[Rated]:
    """The reviews of an interview that has ended, of the topics that were worked at."""
    assert mock.end is not None
    reviews = [
        (topic, rating, Level.STUB)
        for topic, result in zip(mock.topics, mock.results, strict=True)
        if (rating := machine.rating(topic, result)) is not None
    ]
    cards = work.end(mock_details(mock), mock.end, mock.seconds, reviews)
    # No cards at all where they cannot be kept.
    return [Rated(topic, rating, card) for (topic, rating, _), card in zip(reviews, cards, strict=False)]
