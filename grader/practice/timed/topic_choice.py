"""Which topics a mock interview asks: the more often they are asked and the weaker one is in them."""

import random
from collections.abc import Mapping
from datetime import datetime

from grader.curriculum.catalog import Topic
from grader.practice.plan.schedule import retrievability
from grader.practice.plan.standing import Standing, State

FLOOR = 0.1
"""The weakness of what is remembered for certain: it is asked now and then all the same."""


def drawn(standings: Mapping[str, Standing], count: int, seed: int, now: datetime) -> tuple[Topic, ...]:
    """So many of the topics (or all, if they are fewer), each at most once. The same seed draws the same."""
    draws = random.Random(seed)
    left = {standing.topic: weight(standing, now) for standing in standings.values()}
    topics: list[Topic] = []
    while left and len(topics) < count:
        (topic,) = draws.choices(list(left), list(left.values()))
        topics.append(topic)
        del left[topic]
    return tuple(topics)


def weight(standing: Standing, now: datetime) -> float:
    """How much a topic should be asked: how often it is, times how weak one is in it."""
    return standing.topic.frequency * weakness(standing, now)


def weakness(standing: Standing, now: datetime) -> float:
    """From the floor, for what is remembered for certain, to 1, for what was never passed or fails."""
    if not standing.has_passed or standing.is_failing or standing.card is None:
        return 1.0
    return max(1.0 - retrievability(standing.card, now), FLOOR)


def of_chapter(standings: Mapping[str, Standing], chapter: str | None) -> dict[str, Standing]:
    """Those of a chapter, or all; none that are suspended."""
    return {
        id_: each
        for id_, each in standings.items()
        if chapter in (None, each.topic.chapter) and each.state is not State.SUSPENDED
    }


def new_seed() -> int:
    """One that can be typed."""
    return random.SystemRandom().randrange(10**6)
