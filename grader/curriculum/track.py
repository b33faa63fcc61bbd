"""Tracks: paths through the topics, for one purpose each. The catalog names what a track is about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.curriculum.toml_table import Table
from grader.curriculum.topic import Topic, duplicates

NONE = "none"
"""What is said to follow no track."""


@dataclass(frozen=True)
class Track:
    """Topics to learn for one purpose, the most important first."""

    id: str
    title: str
    weeks: int | None  # that it is made for; None: as long as it takes
    topics: tuple[Topic, ...]
    path: tuple[Topic, ...] = field(repr=False)  # these and what they build on, in an order to learn them in

    def builds_on(self, topic: Topic) -> bool:
        """Whether a topic stands in the path only because others build on it."""
        return topic in self.path and topic not in self.topics


def read_tracks(entries: Iterable[Table], topics: Sequence[Topic]) -> tuple[Track, ...]:
    """The tracks that lead through some of these topics. Raises `CatalogError`."""
    known = {topic.id: topic for topic in topics}
    return tuple(_read_track(entry, known) for entry in entries)


def _read_track(entry: Table, known: Mapping[str, Topic]) -> Track:
    id_, title, ids = entry.id("id"), entry.text("title"), entry.ids("topics")
    weeks = entry.number("weeks", 1) if "weeks" in entry else None
    entry.finish()
    if id_ == NONE:
        raise entry.error("id", f"{NONE} stands for no track")
    if not ids:
        raise entry.error("topics", "needs at least one, found 0")
    for twice in duplicates(ids):
        raise entry.error("topics", f"{twice} is listed twice")
    for topic in ids:
        if topic not in known:
            raise entry.error("topics", f"{topic} is not a topic")
    path: dict[str, Topic] = {}
    for topic in ids:
        _add_with_prerequisites(known[topic], known, path)
    return Track(id_, title, weeks, tuple(known[topic] for topic in ids), tuple(path.values()))


def _add_with_prerequisites(topic: Topic, known: Mapping[str, Topic], path: dict[str, Topic]) -> None:
    """Go on with a topic, behind all that it builds on; there are no circles among them."""
    if topic.id not in path:
        for id_ in topic.prerequisites:
            _add_with_prerequisites(known[id_], known, path)
        path[topic.id] = topic
