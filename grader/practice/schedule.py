"""When a card (a topic, or a question) comes back: FSRS, counted in whole days, weighted by how much had to
be recalled.

Source: the `fsrs` package, which implements FSRS-6 (github.com/open-spaced-repetition/py-fsrs).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import fsrs

LONGEST_DAYS = 365
"""Nothing is put off for longer than this."""


class Rating(IntEnum):
    """How a review went."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


class Level(StrEnum):
    """How much of an answer has to be recalled: the key lines, all bodies, or everything but the contract."""

    BLANKS = "blanks"
    STUB = "stub"
    EMPTY = "empty"

    def harder(self) -> "Level":
        """The next one, or this one if there is none."""
        levels = list(Level)
        return levels[min(levels.index(self) + 1, len(levels) - 1)]

    def easier(self) -> "Level":
        """The one before, or this one if there is none."""
        levels = list(Level)
        return levels[max(levels.index(self) - 1, 0)]


WEIGHTS = {Level.BLANKS: 0.6, Level.STUB: 1.0, Level.EMPTY: 1.4}
"""The exponent of how much longer a card is remembered for after a review. What is forgotten counts the other
way round: it weighs less where more was to be recalled.
"""


@dataclass(frozen=True)
class Card:
    """Where a card stands after its last review."""

    at: datetime
    stability: float  # days until it is remembered with a probability of 0.9
    difficulty: float  # 1 to 10
    due: datetime
    level: Level  # of the next review

    def is_due(self, moment: datetime) -> bool:
        """Whether it should be reviewed: on its day from midnight on, whatever the hour of the last time."""
        return self.due.astimezone().date() <= moment.astimezone().date()


def reviewed(
    card: Card | None, rating: Rating, at: datetime, level: Level = Level.STUB, is_second: bool = False
) -> Card:
    """The card after a review at this level; None is a card that was never reviewed. `is_second`: the review
    before was a good pass from the stub, too, or from less.
    """
    import fsrs

    if card is None:
        before, at_or_later = fsrs.Card(card_id=0), at
    else:
        at_or_later = max(at, card.at)
        before = _as_fsrs(card)
    after, _ = _scheduler().review_card(before, fsrs.Rating(rating), review_datetime=at_or_later)
    assert after.stability is not None and after.difficulty is not None
    weight = WEIGHTS[level]
    if card is None:
        stability = after.stability * weight
    else:
        growth = after.stability / card.stability
        stability = card.stability * growth ** (weight if growth > 1 else 1 / weight)
    days = min(max(round(stability), 1), LONGEST_DAYS)
    return Card(
        at=at_or_later,
        stability=stability,
        difficulty=after.difficulty,
        due=at_or_later + timedelta(days=days),
        level=_next_level(rating, level, is_second),
    )


def retrievability(card: Card, at: datetime) -> float:
    """The probability that the card is still remembered then."""
    return float(_scheduler().get_card_retrievability(_as_fsrs(card), max(at, card.at)))


def proposed_rating(
    passed: bool, seconds: float | None, budget: float, hints: int, solution_seen: bool, tries: int
) -> Rating:
    """What the result of an attempt says of how well it was remembered.

    seconds: worked at it (None: unknown), of a budget; hints: levels taken; tries: verdicts until it passed.
    """
    if not passed or solution_seen:
        return Rating.AGAIN
    if hints > 0 or (seconds is not None and seconds > budget):
        return Rating.HARD
    if seconds is not None and seconds <= budget / 2 and tries == 1:
        return Rating.EASY
    return Rating.GOOD


def allowed_ratings(passed: bool, hints: int, solution_seen: bool) -> tuple[Rating, ...]:
    """Those that the learner may choose from: what was not recalled is forgotten, and with a hint it was hard
    at best.
    """
    if not passed or solution_seen:
        return (Rating.AGAIN,)
    return (Rating.AGAIN, Rating.HARD) if hints else tuple(Rating)


def _next_level(rating: Rating, level: Level, is_second: bool) -> Level:
    """Everything has to be recalled after two good passes from the stub in a row."""
    if rating is Rating.AGAIN:
        return level.easier()
    if rating is Rating.HARD or (level is Level.STUB and not is_second):
        return level
    return level.harder()


def _as_fsrs(card: Card) -> "fsrs.Card":
    import fsrs

    return fsrs.Card(
        card_id=0,
        state=fsrs.State.Review,
        stability=card.stability,
        difficulty=card.difficulty,
        due=card.due,
        last_review=card.at,
    )


@cache
def _scheduler() -> "fsrs.Scheduler":
    import fsrs

    # No steps of minutes: a topic takes a quarter of an hour, and is practised once a day.
    return fsrs.Scheduler(
        learning_steps=(), relearning_steps=(), enable_fuzzing=False, maximum_interval=LONGEST_DAYS
    )
