"""Being ready on a day: what must be known then, how many topics a day that means, what to leave out."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from grader.curriculum.catalog import Topic
from grader.practice.plan.standing import Standing, State

SITTINGS = 3
"""How often a new topic is worked at until it is remembered: once to learn it, and two reviews."""

A_DAY = 4
"""Topics a day, where the learner has not said how many: about an hour."""

LAST_DAYS = 2
"""How long before the day what would come due until then is reviewed."""


@dataclass(frozen=True)
class Aim:
    """The way to a day. Topics are in the order in which they should be learned."""

    day: date
    days: int  # that are left before it, today included
    known: tuple[Topic, ...]
    to_learn: tuple[Topic, ...]
    left_out: tuple[Topic, ...]  # there is no time for them
    sittings: int  # with topics that are learned or reviewed, in all

    @property
    def a_day(self) -> int:
        """Topics a day that have to be worked at."""
        return math.ceil(self.sittings / self.days)

    @property
    def new_a_day(self) -> int:
        """Of these, topics to begin: early enough for their reviews."""
        return max(math.ceil(len(self.to_learn) / max(self.days - LAST_DAYS, 1)), 1)

    def is_last_call(self, due: datetime) -> bool:
        """Whether a review that comes due then is to be done now."""
        return self.days <= LAST_DAYS and due.astimezone().date() <= self.day

    def in_order(self, new: Iterable[Standing]) -> list[Standing]:
        """Of new topics those that are to be learned."""
        order = {topic.id: number for number, topic in enumerate(self.to_learn)}
        return sorted((each for each in new if each.topic.id in order), key=lambda each: order[each.topic.id])


def aim_at(day: date, standing: Mapping[str, Standing], now: datetime, limit: int | None) -> Aim | None:
    """The way to that day, with at most `limit` topics a day; None when it is here or over."""
    days = (day - now.astimezone().date()).days
    if days <= 0:
        return None
    wanted = [each for each in standing.values() if each.state is not State.SUSPENDED]
    known = [each for each in wanted if each.has_passed and not each.is_failing]
    room = days * (A_DAY if limit is None else limit)
    room -= (reviews := sum(_comes_before(each, day) for each in known))
    unknown = [each.topic for each in wanted if each not in known]
    taken: list[Topic] = []
    for topic in sorted(unknown, key=lambda topic: -topic.frequency):
        needed = _with_prerequisites(topic, unknown, taken)
        if SITTINGS * (len(taken) + len(needed)) <= room:
            taken += needed
    return Aim(
        day=day,
        days=days,
        known=tuple(each.topic for each in known),
        to_learn=tuple(taken),
        left_out=tuple(topic for topic in unknown if topic not in taken),
        sittings=reviews + SITTINGS * len(taken),
    )


def _comes_before(standing: Standing, day: date) -> bool:
    """Whether a known topic has to be reviewed to be known on the day."""
    return standing.card is None or standing.card.due.astimezone().date() <= day


def _with_prerequisites(topic: Topic, unknown: Sequence[Topic], taken: Sequence[Topic]) -> list[Topic]:
    """The topic behind those that it builds on, as far as they are unknown and not taken."""
    if topic in taken:
        return []
    needed: list[Topic] = []
    for id_ in topic.prerequisites:
        for each in unknown:
            if each.id == id_:
                needed += _with_prerequisites(each, unknown, [*taken, *needed])
    return [*needed, topic]
