"""Following a track: which topics come first, and how far one is."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.curriculum.catalog import Catalog, Topic, Track
from grader.practice.plan.interview import LAST_DAYS
from grader.practice.plan.standing import Standing, State
from grader.practice.record.progress import Progress


@dataclass(frozen=True)
class Followed:
    """A track, and where the learner stands with the topics of its path, in its order."""

    track: Track
    path: Mapping[str, Standing]

    @property
    def passed(self) -> int:
        """Topics of the path that are passed."""
        return sum(standing.has_passed for standing in self.path.values())

    @property
    def is_done(self) -> bool:
        """Whether nothing of the path is left to be passed."""
        return all(each.has_passed or each.state is State.SUSPENDED for each in self.path.values())

    @property
    def new_a_day(self) -> int:
        """Topics to begin on a day: where the track has its weeks, early enough for their reviews."""
        weeks = self.track.weeks
        return 1 if weeks is None else math.ceil(len(self.path) / (7 * weeks - LAST_DAYS))


def chosen_track(catalog: Catalog, progress: Progress) -> Track | None:
    """The track that the learner follows; none where it is no more."""
    return catalog.track(progress.choices.settings().track)


def in_its_order(track: Track | None, topics: Iterable[Topic]) -> Sequence[Topic]:
    """Topics, those of the track's path first."""
    if track is None:
        return tuple(topics)
    order = {topic.id: number for number, topic in enumerate(track.path)}
    return sorted(topics, key=lambda topic: order.get(topic.id, len(order)))


def followed(track: Track | None, standing: Mapping[str, Standing]) -> Followed | None:
    """The track with where one stands in it."""
    return None if track is None else Followed(track, {topic.id: standing[topic.id] for topic in track.path})
