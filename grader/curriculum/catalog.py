"""The catalog: which chapters and topics there are, in study order, and what is known about each.

All of it is read at once: ninety-five topics take about 15 ms, so there is nothing to put off.
"""

import difflib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from grader.curriculum.pack import Pack, own_pack
from grader.curriculum.toml_table import CatalogError as CatalogError
from grader.curriculum.toml_table import Table, read_table
from grader.curriculum.topic import Part as Part
from grader.curriculum.topic import Question as Question
from grader.curriculum.topic import Source as Source
from grader.curriculum.topic import Topic as Topic
from grader.curriculum.topic import duplicates, read_topic
from grader.curriculum.track import Track as Track
from grader.curriculum.track import read_tracks
from grader.curriculum.workspace import Workspace, current_workspace, read_settings


class PackError(CatalogError):
    """A pack that the workspace names breaks the rules; the message says which, and how."""


class UnknownTopic(LookupError):
    """No topic has this id; the message names the closest ones."""


@dataclass(frozen=True)
class Chapter:
    """A folder of topics, in study order."""

    id: str
    title: str
    topics: tuple[Topic, ...]


@dataclass(frozen=True)
class Catalog:
    """All chapters in study order, and the tracks that lead through them."""

    chapters: tuple[Chapter, ...]
    tracks: tuple[Track, ...] = ()

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The topics of all chapters, in study order."""
        return tuple(topic for chapter in self.chapters for topic in chapter.topics)

    def find(self, topic_id: str) -> Topic:
        """The topic of that id, or that once had it, like `catalog[topic_id]`. Raises `UnknownTopic`, which
        names close ids.
        """
        topics = {topic.id: topic for topic in self.topics}
        renamed = {former: topic for topic in self.topics for former in topic.formerly}
        if topic_id in topics | renamed:
            return (renamed | topics)[topic_id]
        closest = difflib.get_close_matches(topic_id, topics)
        raise UnknownTopic(f"no topic {topic_id!r}" + (f"; closest: {', '.join(closest)}" if closest else ""))

    __getitem__ = find

    def asked(self, name: str) -> Topic:
        """The topic of that name, or the part of one ("mla.decode"). Raises `UnknownTopic`."""
        topic_id, _, part_id = name.partition(".")
        topic = self.find(topic_id)
        if topic_id == name:
            return topic
        for part in topic.parts:
            if part.id == part_id:
                return topic.asked_in_part(part)
        raise UnknownTopic(f"no part {part_id!r} of {topic.id}")

    def track(self, track_id: str | None) -> Track | None:
        """The track of that id, if there is one."""
        return next((track for track in self.tracks if track.id == track_id), None)


def load_catalog(pack: Pack | None = None, workspace: Workspace | None = None) -> Catalog:
    """The catalog for a workspace (the current one), validated: byheart's own topics and those of the packs
    that the workspace names, or only those of the given pack. Raises `CatalogError`, which names file and
    key, and `PackError` for a pack that is named.
    """
    workspace = workspace or current_workspace()
    if pack is not None:
        return _read_catalog(pack, workspace)
    catalog = _read_catalog(own_pack(), workspace)
    for folder in read_settings(workspace).packs:
        catalog = with_pack(catalog, Pack.in_folder(folder), workspace)
    return catalog


def with_pack(catalog: Catalog, pack: Pack, workspace: Workspace) -> Catalog:
    """The catalog with the topics of one more pack behind those that it has; a chapter of the same id goes on
    with them. Raises `PackError`.
    """
    known = {chapter.id: chapter for chapter in catalog.chapters}
    try:
        read = _read_catalog(pack, workspace, catalog)
    except CatalogError as error:
        raise PackError(f"The pack in {pack.root}: {error}") from None
    for topic in read.topics:
        for other in catalog.topics:
            if {topic.id, *topic.formerly} & {other.id, *other.formerly}:
                both = f"in {other.pack.catalog} and in {pack.catalog}"
                raise PackError(f"There are two topics {topic.id}: {both}. Rename one of them.")
    for chapter in read.chapters:
        before = known[chapter.id].topics if chapter.id in known else ()
        title = known.get(chapter.id, chapter).title
        known[chapter.id] = Chapter(chapter.id, title, (*before, *chapter.topics))
    for track in read.tracks:
        if catalog.track(track.id) is not None:
            raise PackError(f"There are two tracks {track.id}, one of them in {pack.catalog}. Rename one.")
    return Catalog(tuple(known.values()), (*catalog.tracks, *read.tracks))


def _read_catalog(pack: Pack, workspace: Workspace, earlier: Catalog | None = None) -> Catalog:
    """Of one pack, whose topics may need `earlier` ones."""
    table = read_table(pack.root, pack.catalog)
    chapters = tuple(_read_chapter(pack, workspace, entry) for entry in table.tables("chapters", at_least=1))
    tracks = table.tables("tracks", at_least=0)
    table.finish()
    catalog, before = Catalog(chapters), () if earlier is None else earlier.topics
    for twice in duplicates(chapter.id for chapter in chapters):
        raise table.error("chapters", f"{twice} is listed twice")
    for twice in duplicates(topic.id for topic in catalog.topics):
        raise table.error("topics", f"{twice} is listed twice")
    _check_prerequisites(catalog, before)
    _check_former_names(catalog)
    found = read_tracks(tracks, (*before, *catalog.topics))
    for twice in duplicates(track.id for track in found):
        raise table.error("tracks", f"{twice} is listed twice")
    return Catalog(chapters, found)


def _read_chapter(pack: Pack, workspace: Workspace, entry: Table) -> Chapter:
    chapter, title, topic_ids = entry.id("id"), entry.text("title"), entry.ids("topics")
    entry.finish()
    return Chapter(chapter, title, tuple(read_topic(pack, workspace, chapter, each) for each in topic_ids))


def _check_prerequisites(catalog: Catalog, before: Iterable[Topic]) -> None:
    """Each must stand earlier in the study order, so no circle is possible."""
    known = {topic.id for topic in catalog.topics}
    earlier = {topic.id for topic in before}
    for topic in catalog.topics:
        for prerequisite in topic.prerequisites:
            if prerequisite not in earlier:
                is_known = prerequisite in known
                fault = "does not come earlier in the study order" if is_known else "is not a topic"
                file = topic.details.relative_to(topic.pack.root)
                raise CatalogError(f"{file}: prerequisites: {prerequisite} {fault}")
        earlier.add(topic.id)


def _check_former_names(catalog: Catalog) -> None:
    """Each leads to one topic, so what is kept under it has one place to go."""
    names = Counter(name for topic in catalog.topics for name in (topic.id, *topic.formerly))
    for topic in catalog.topics:
        for former in topic.formerly:
            if names[former] > 1:
                file = topic.details.relative_to(topic.pack.root)
                raise CatalogError(f"{file}: formerly: {former} is a name of another topic")
