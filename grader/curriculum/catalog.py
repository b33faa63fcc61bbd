"""The catalog: which chapters and topics there are, in study order, and what is known about each.

All of it is read at once: seventy topics take about 15 ms, so there is nothing to put off.
"""

import difflib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.curriculum.pack import Pack, own_pack
from grader.curriculum.toml_table import CatalogError as CatalogError
from grader.curriculum.toml_table import Table, read_table
from grader.curriculum.workspace import Workspace, current_workspace, read_settings


class PackError(CatalogError):
    """A pack that the workspace names breaks the rules; the message says which, and how."""


class UnknownTopic(LookupError):
    """No topic has this id; the message names the closest ones."""


@dataclass(frozen=True)
class Question:
    """An interviewer's follow-up question, with its answer."""

    question: str
    answer: str


@dataclass(frozen=True)
class Source:
    """Where a topic comes from: a paper, mostly."""

    title: str
    url: str


@dataclass(frozen=True)
class Topic:
    """One thing to know. Its files are found by its name: the curriculum's in its pack, the learner's in the
    workspace.
    """

    id: str
    chapter: str
    title: str
    difficulty: int  # 1 to 3
    minutes: int  # the interview budget
    frequency: int  # how often it is asked, 1 to 3
    framework: str  # "torch" or "numpy"
    prerequisites: tuple[str, ...]
    hints: tuple[str, ...]  # the idea, the steps with shapes, the skeleton
    blanks: tuple[str, ...] = field(default=(), kw_only=True)  # see `grader.curriculum.exercises.blanks`
    formerly: tuple[str, ...] = field(default=(), kw_only=True)  # ids that it had in earlier versions
    questions: tuple[Question, ...]
    sources: tuple[Source, ...]
    pack: Pack = field(repr=False)
    workspace: Workspace = field(repr=False)

    @property
    def exercise(self) -> Path:
        """What the learner fills in."""
        return self.workspace.exercise(self.chapter, self.id)

    @property
    def exercise_name(self) -> str:
        """The path of the exercise as the learner reads it: from the workspace on."""
        return self.exercise.relative_to(self.workspace.root).as_posix()

    @property
    def solution(self) -> Path:
        """The reference, from which the exercise is made."""
        return self.pack.solution(self.chapter, self.id)

    @property
    def notebook(self) -> Path:
        """The explanation."""
        return self.pack.notebook(self.chapter, self.id)

    @property
    def checks(self) -> Path:
        """The pytest file that grades a submission."""
        return self.pack.room(self.chapter, self.id) / f"test_{self.id}.py"

    @property
    def mistakes(self) -> list[Path]:
        """The files that list its known mistakes: `mistakes.py`, or several that begin alike."""
        return sorted(self.pack.room(self.chapter, self.id).glob("mistakes*.py"))

    @property
    def details(self) -> Path:
        """The TOML file that holds everything from `title` to `sources`."""
        return _details_path(self.pack, self.chapter, self.id)


@dataclass(frozen=True)
class Chapter:
    """A folder of topics, in study order."""

    id: str
    title: str
    topics: tuple[Topic, ...]


@dataclass(frozen=True)
class Catalog:
    """All chapters in study order."""

    chapters: tuple[Chapter, ...]

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
    return Catalog(tuple(known.values()))


def _read_catalog(pack: Pack, workspace: Workspace, earlier: Catalog | None = None) -> Catalog:
    """Of one pack, whose topics may need `earlier` ones."""
    table = read_table(pack.root, pack.catalog)
    chapters = tuple(_read_chapter(pack, workspace, entry) for entry in table.tables("chapters", at_least=1))
    table.finish()
    catalog = Catalog(chapters)
    for twice in _duplicates(chapter.id for chapter in chapters):
        raise table.error("chapters", f"{twice} is listed twice")
    for twice in _duplicates(topic.id for topic in catalog.topics):
        raise table.error("topics", f"{twice} is listed twice")
    _check_prerequisites(catalog, () if earlier is None else earlier.topics)
    _check_former_names(catalog)
    return catalog


def _details_path(pack: Pack, chapter: str, topic_id: str) -> Path:
    return pack.room(chapter, topic_id) / "topic.toml"


def _read_chapter(pack: Pack, workspace: Workspace, entry: Table) -> Chapter:
    chapter, title, topic_ids = entry.id("id"), entry.text("title"), entry.ids("topics")
    entry.finish()
    return Chapter(chapter, title, tuple(_read_topic(pack, workspace, chapter, each) for each in topic_ids))


def _read_topic(pack: Pack, workspace: Workspace, chapter: str, topic_id: str) -> Topic:
    table = read_table(pack.root, _details_path(pack, chapter, topic_id))
    topic = Topic(
        id=topic_id,
        chapter=chapter,
        title=table.text("title"),
        difficulty=table.number("difficulty", 1, 3),
        minutes=table.number("minutes", 1),
        frequency=table.number("frequency", 1, 3),
        framework=table.choice("framework", ("torch", "numpy"), default="torch"),
        prerequisites=table.ids("prerequisites"),
        hints=table.texts("hints"),
        blanks=table.texts("blanks"),
        formerly=table.ids("formerly", optional=True),
        questions=tuple(_read_question(entry) for entry in table.tables("questions", at_least=4)),
        sources=tuple(_read_source(entry) for entry in table.tables("sources", at_least=1)),
        pack=pack,
        workspace=workspace,
    )
    table.finish()
    for twice in _duplicates(topic.prerequisites):
        raise table.error("prerequisites", f"{twice} is listed twice")
    for twice in _duplicates((topic.id, *topic.formerly)):
        fault = "is its name now" if twice == topic.id else "is listed twice"
        raise table.error("formerly", f"{twice} {fault}")
    if len(topic.hints) != 3:
        raise table.error("hints", f"needs exactly three, found {len(topic.hints)}")
    if not topic.blanks:
        raise table.error("blanks", "needs at least one, found 0")
    return topic


def _read_question(entry: Table) -> Question:
    question = Question(entry.text("question"), entry.text("answer"))
    entry.finish()
    return question


def _read_source(entry: Table) -> Source:
    source = Source(entry.text("title"), entry.text("url"))
    entry.finish()
    if not source.url.startswith(("https://", "http://")):
        raise entry.error("url", f"must start with https://, not {source.url!r}")
    return source


def _check_prerequisites(catalog: Catalog, before: Iterable[Topic]) -> None:
    """Each must stand earlier in the study order, so no circle is possible."""
    known = {topic.id for topic in catalog.topics}
    earlier = {topic.id for topic in before}
    for topic in catalog.topics:
        for prerequisite in topic.prerequisites:
            if prerequisite not in earlier:
                fault = "does not come earlier in the study order" if prerequisite in known else "is no topic"
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


def _duplicates(ids: Iterable[str]) -> list[str]:
    return [id_ for id_, times in Counter(ids).items() if times > 1]
