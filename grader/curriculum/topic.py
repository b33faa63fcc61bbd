"""A topic: one thing to know, and what its TOML file says of it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.curriculum.pack import Pack
from grader.curriculum.toml_table import Table, read_table
from grader.curriculum.workspace import Workspace


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
class Part:
    """Functions, methods or classes of a long topic that may be asked alone, with everything else given."""

    id: str
    title: str
    minutes: int  # the interview budget
    names: tuple[str, ...]  # such as "rotate_half", "KVCache" or "KVCache.update"


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
    parts: tuple[Part, ...] = field(default=(), kw_only=True)
    part: Part | None = field(default=None, kw_only=True)  # that is asked; None: all of it is
    questions: tuple[Question, ...]
    sources: tuple[Source, ...]
    pack: Pack = field(repr=False)
    workspace: Workspace = field(repr=False)

    @property
    def name(self) -> str:
        """Under which work at it is kept: its id, with the part that is asked, such as "mla.decode"."""
        return self.id if self.part is None else f"{self.id}.{self.part.id}"

    def asked_in_part(self, part: Part) -> "Topic":
        """The topic when only a part of it is asked: in a file of its own, beside the exercise."""
        return replace(self, part=part, title=f"{self.title}: {part.title}", minutes=part.minutes)

    @property
    def exercise(self) -> Path:
        """What the learner fills in."""
        return self.workspace.exercise(self.chapter, self.name)

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


def topic_in(name: str) -> str:
    """The id of the topic in the name of a topic or of one of its parts."""
    return name.partition(".")[0]


def read_topic(pack: Pack, workspace: Workspace, chapter: str, topic_id: str) -> Topic:
    """The topic of a chapter, from its TOML file. Raises `CatalogError`."""
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
        parts=tuple(_read_part(entry) for entry in table.tables("parts", at_least=0)),
        questions=tuple(_read_question(entry) for entry in table.tables("questions", at_least=4)),
        sources=tuple(_read_source(entry) for entry in table.tables("sources", at_least=1)),
        pack=pack,
        workspace=workspace,
    )
    table.finish()
    for twice in duplicates(topic.prerequisites):
        raise table.error("prerequisites", f"{twice} is listed twice")
    for twice in duplicates((topic.id, *topic.formerly)):
        fault = "is its name now" if twice == topic.id else "is listed twice"
        raise table.error("formerly", f"{twice} {fault}")
    for twice in duplicates(part.id for part in topic.parts):
        raise table.error("parts", f"{twice} is listed twice")
    for part in topic.parts:
        if part.minutes >= topic.minutes:
            raise table.error("parts", f"{part.id} takes {part.minutes} of {topic.minutes} minutes")
    if len(topic.hints) != 3:
        raise table.error("hints", f"needs exactly three, found {len(topic.hints)}")
    if not topic.blanks:
        raise table.error("blanks", "needs at least one, found 0")
    return topic


def _read_part(entry: Table) -> Part:
    part = Part(entry.id("id"), entry.text("title"), entry.number("minutes", 1), entry.texts("names"))
    entry.finish()
    if part.id == "new":
        raise entry.error("id", "new is what an update calls a stub that it puts beside an answer")
    if not part.names:
        raise entry.error("names", "needs at least one, found 0")
    for twice in duplicates(part.names):
        raise entry.error("names", f"{twice} is listed twice")
    return part


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


def _details_path(pack: Pack, chapter: str, topic_id: str) -> Path:
    return pack.room(chapter, topic_id) / "topic.toml"


def duplicates(ids: Iterable[str]) -> list[str]:
    """Those that stand there several times."""
    return [id_ for id_, times in Counter(ids).items() if times > 1]
