"""The end of a drill or a mock interview: topics get their new places in the schedule."""

from dataclasses import dataclass

from grader.catalog import Topic
from grader.practice import mock as machine
from grader.practice.drill import Drill
from grader.practice.mock import Mock
from grader.practice.resuming import drill_details, mock_details
from grader.practice.schedule import Card, Level, Rating
from grader.practice.sitting import Sitting


@dataclass(frozen=True)
class Rated:
    """A topic, how it was rated, and where it stands in the schedule now."""

    topic: Topic
    rating: Rating
    card: Card


def ended_drill(drill: Drill, sitting: Sitting) -> Rated | None:
    """The review of a drill that has ended; None where that cannot be kept, as the sitting's notes say."""
    assert drill.end is not None and drill.rating is not None
    card = sitting.review(drill.topic, drill.rating, drill.level)
    sitting.end(drill_details(drill), drill.end, drill.seconds)
    return None if card is None else Rated(drill.topic, drill.rating, card)


def ended_mock(mock: Mock, sitting: Sitting) -> list[Rated]:
    """The reviews of an interview that has ended, of the topics that were worked at."""
    assert mock.end is not None
    rated = []
    for topic, result in zip(mock.topics, mock.results, strict=True):
        rating = machine.rating(topic, result)
        card = None if rating is None else sitting.review(topic, rating, Level.STUB)
        if rating is not None and card is not None:
            rated.append(Rated(topic, rating, card))
    sitting.end(mock_details(mock), mock.end, mock.seconds)
    return rated
