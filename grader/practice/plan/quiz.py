"""Follow-up questions as flash cards: which come today, and what keys do to them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from grader.curriculum.catalog import Question, Topic
from grader.practice.record.reviews import Review, question_name
from grader.practice.schedule import Card, Rating

NEW_PER_DAY = 20
"""Questions asked for the first time; each comes back several times soon."""


@dataclass(frozen=True)
class Flashcard:
    """A question of a topic."""

    topic: Topic
    question: Question
    card: Card | None  # None: it was never asked

    @property
    def name(self) -> str:
        """In the schedule."""
        return question_name(self.topic, self.question)


@dataclass(frozen=True)
class Quiz:
    """How far a quiz is."""

    deck: tuple[Flashcard, ...]
    is_open: bool = False  # the answer to the question at hand is shown
    ratings: tuple[Rating, ...] = ()
    is_left: bool = False

    @property
    def current(self) -> Flashcard | None:
        """The question at hand; None: it is over."""
        done = len(self.ratings)
        return None if self.is_left or done == len(self.deck) else self.deck[done]


@dataclass(frozen=True)
class Outlook:
    """What comes after a quiz."""

    waiting: int  # today
    day: date | None  # of the next ones after today
    count: int  # on that day


def deck(topics: Sequence[Topic], reviews: Sequence[Review], now: datetime) -> tuple[Flashcard, ...]:
    """The questions of these topics to ask now: those due, the most overdue first, then new ones in study
    order, as many as are left of the day's. All reviews tell which are new.
    """
    due, new = _due(topics, reviews, now), _new(topics, reviews)
    return (*due, *new[: max(NEW_PER_DAY - _begun_today(reviews, now), 0)])


def outlook(topics: Sequence[Topic], reviews: Sequence[Review], now: datetime) -> Outlook:
    """When more questions of these topics come."""
    today = now.astimezone().date()
    left = deck(topics, reviews, now)
    days = Counter(
        each.card.due.astimezone().date()
        for each in _flashcards(topics, reviews)
        if each.card and not each.card.is_due(now)
    )
    new = len(_new(topics, reviews)) - sum(each.card is None for each in left)
    if new:
        days[today + timedelta(days=1)] += min(new, NEW_PER_DAY)
    day = min(days, default=None)
    return Outlook(len(left), day, days[day] if day else 0)


def pressed(quiz: Quiz, key: str) -> Quiz:
    """After a key: q leaves, u takes the last rating back; another turns the card, then 1 to 4 rate it."""
    if quiz.current is None:
        return quiz
    if key == "q":
        return replace(quiz, is_left=True)
    if key == "u":
        return replace(quiz, is_open=True, ratings=quiz.ratings[:-1]) if quiz.ratings else quiz
    if not quiz.is_open:
        return replace(quiz, is_open=True)
    if key in KEYS:
        return replace(quiz, is_open=False, ratings=(*quiz.ratings, KEYS[key]))
    return quiz


KEYS = {str(rating.value): rating for rating in Rating}


def _flashcards(topics: Sequence[Topic], reviews: Sequence[Review]) -> list[Flashcard]:
    cards = {review.name: review.card for review in reviews}
    return [
        Flashcard(topic, question, cards.get(question_name(topic, question)))
        for topic in topics
        for question in topic.questions
    ]


def _due(topics: Sequence[Topic], reviews: Sequence[Review], now: datetime) -> list[Flashcard]:
    found = [
        (each.card.due, each) for each in _flashcards(topics, reviews) if each.card and each.card.is_due(now)
    ]
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]


def _new(topics: Sequence[Topic], reviews: Sequence[Review]) -> list[Flashcard]:
    return [each for each in _flashcards(topics, reviews) if each.card is None]


def _begun_today(reviews: Sequence[Review], now: datetime) -> int:
    """How many questions were asked for the first time today."""
    first: dict[str, Review] = {}
    for review in reviews:
        first.setdefault(review.name, review)
    today = now.astimezone().date()
    return sum("/" in name and each.card.at.astimezone().date() == today for name, each in first.items())
