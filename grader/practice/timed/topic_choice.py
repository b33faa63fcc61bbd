"""Which topics a mock interview asks: the more often they are asked and the weaker one is in them."""

import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from grader.curriculum.catalog import Topic, Track
from grader.practice.plan.standing import Standing, State
from grader.practice.schedule import retrievability

FLOOR = 0.1
"""The weakness of what is remembered for certain: it is asked now and then all the same."""


class DoesNotFit(Exception):
    """So many topics cannot be asked; the message says why, with the arithmetic."""


def drawn(
    standings: Mapping[str, Standing], count: int, seed: int, now: datetime, minutes: int
) -> tuple[Topic, ...]:
    """So many of the topics, each at most once, which take no longer than there is time. A topic that has
    parts is asked by one of them, unless it is the only one and fits whole. The same seed draws the same.
    Raises DoesNotFit.
    """
    forms = {id_: _forms(each.topic, count, minutes) for id_, each in standings.items()}
    least = {id_: min(form.minutes for form in forms[id_]) for id_ in forms}
    _check_fit(list(least.values()), count, minutes)
    draws = random.Random(seed)
    left = {id_: weight(each, now) for id_, each in standings.items()}
    topics: list[Topic] = []
    while len(topics) < count:
        others = count - len(topics) - 1
        room = minutes - sum(topic.minutes for topic in topics)
        spare = {id_: room - _shortest(least, left, id_, others) for id_ in left}
        fitting = {id_: each for id_, each in left.items() if least[id_] <= spare[id_]}
        (id_,) = draws.choices(list(fitting), list(fitting.values()))
        possible = [form for form in forms[id_] if form.minutes <= spare[id_]]
        topics.append(random.Random(f"{seed} {id_}").choice(possible))
        del left[id_]
    return tuple(topics)


def _forms(topic: Topic, count: int, minutes: int) -> Sequence[Topic]:
    """In which a topic may be asked: whole, or one of its parts."""
    if not topic.parts or (count == 1 and topic.minutes <= minutes):
        return [topic]
    return [topic.asked_in_part(part) for part in topic.parts]


def _check_fit(least: Sequence[int], count: int, minutes: int) -> None:
    """Raise DoesNotFit if there are fewer topics, or even the shortest ones take longer."""
    if count > len(least):
        raise DoesNotFit(f"{count} topics cannot be asked: there {_are(len(least))}.")
    shortest = sorted(least)
    needed = shortest[:count]
    if sum(needed) > minutes:
        most = sum(sum(shortest[: number + 1]) <= minutes for number in range(len(shortest)))
        fit = f"at most {most} {'fits' if most == 1 else 'fit'}" if most else "none fits"
        raise DoesNotFit(
            f"{_topics(count)} at least {_sum(needed)} minutes, and there are {minutes}: {fit}. "
            f"Say {f'count={most}, or ' if most else ''}minutes={sum(needed)}."
        )


def _shortest(least: Mapping[str, int], left: Iterable[str], topic: str, others: int) -> int:
    """The minutes that so many others than the topic take at least."""
    return sum(sorted(least[each] for each in left if each != topic)[:others])


def _topics(count: int) -> str:
    return "1 topic needs" if count == 1 else f"{count} topics need"


def _sum(minutes: Sequence[int]) -> str:
    """Such as "5 + 8 = 13"."""
    added = " + ".join(map(str, minutes))
    return added if len(minutes) == 1 else f"{added} = {sum(minutes)}"


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"


def weight(standing: Standing, now: datetime) -> float:
    """How much a topic should be asked: how often it is, times how weak one is in it."""
    return standing.topic.frequency * weakness(standing, now)


def weakness(standing: Standing, now: datetime) -> float:
    """From the floor, for what is remembered for certain, to 1, for what was never passed or fails."""
    if not standing.has_passed or standing.is_failing or standing.card is None:
        return 1.0
    return max(1.0 - retrievability(standing.card, now), FLOOR)


def askable(
    standings: Mapping[str, Standing], chapter: str | None = None, track: Track | None = None
) -> dict[str, Standing]:
    """Those of a chapter, those that a track is about (not what they build on), or all; none that are
    suspended.
    """
    return {
        id_: each
        for id_, each in standings.items()
        if chapter in (None, each.topic.chapter)
        and (track is None or each.topic in track.topics)
        and each.state is not State.SUSPENDED
    }


def new_seed() -> int:
    """One that can be typed."""
    return random.SystemRandom().randrange(10**6)
