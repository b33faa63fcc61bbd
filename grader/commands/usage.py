"""What the commands share: arguments, and the ways to say no."""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from grader.curriculum.catalog import Catalog, Chapter, Topic, Track, UnknownTopic, load_catalog
from grader.curriculum.pack import is_clone
from grader.curriculum.track import NONE
from grader.practice.command_line import typed

NOT_PASSED, WRONG_USAGE = 1, 2


def topic_ids(incomplete: str) -> list[str]:
    """What a topic's name may go on as, where Tab is pressed."""
    return [topic.id for topic in load_catalog().topics if topic.id.startswith(incomplete)]


def chapter_ids(incomplete: str) -> list[str]:
    """The same of chapters."""
    return [chapter.id for chapter in load_catalog().chapters if chapter.id.startswith(incomplete)]


def track_ids(incomplete: str) -> list[str]:
    """The same of tracks."""
    return [track.id for track in load_catalog().tracks if track.id.startswith(incomplete)]


def work_names(incomplete: str) -> list[str]:
    """The same of topics and of their parts, such as mla.decode."""
    topics = load_catalog().topics
    names = [each.name for topic in topics for each in (topic, *map(topic.asked_in_part, topic.parts))]
    return [name for name in names if name.startswith(incomplete)]


TopicId = Annotated[
    str, typer.Argument(metavar="TOPIC", help="Its id, such as softmax.", autocompletion=topic_ids)
]
AnyTopicId = Annotated[
    str | None,
    typer.Argument(metavar="[TOPIC]", help="Its id. Without one: all.", autocompletion=topic_ids),
]
AnyWork = Annotated[
    str | None,
    typer.Argument(metavar="[TOPIC]", help="Its id. Without one: all.", autocompletion=work_names),
]
Work = Annotated[
    str, typer.Argument(metavar="TOPIC", help="Its id, such as softmax.", autocompletion=work_names)
]
ChapterId = Annotated[
    str | None,
    typer.Option(metavar="CHAPTER", help="Only its topics, such as attention.", autocompletion=chapter_ids),
]
TrackId = Annotated[
    str | None,
    typer.Option(metavar="TRACK", help="Along this track, such as interview.", autocompletion=track_ids),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]


def find(catalog: Catalog, topic: str) -> Topic:
    """The topic of that id; an unknown one ends the command as wrong usage, with the closest names."""
    try:
        return catalog[topic]
    except UnknownTopic as error:
        refuse(f"There is {error}. All topics: {typed('list')}")


def find_work(catalog: Catalog, name: str) -> Topic:
    """The topic of that id, or one of its parts as a mock interview asks it, such as mla.decode."""
    try:
        return catalog.asked(name)
    except UnknownTopic as error:
        refuse(f"There is {error}. All topics: {typed('list')}")


def find_chapter(catalog: Catalog, chapter: str) -> Chapter:
    """The chapter of that id; an unknown one ends the command as wrong usage, with the closest name."""
    for each in catalog.chapters:
        if each.id == chapter:
            return each
    known = [each.id for each in catalog.chapters]
    refuse(f"There is no chapter {chapter!r}.{meant(chapter, known)} Chapters: {', '.join(known)}")


def meant(word: str, known: Sequence[str]) -> str:
    """A question whether the closest of the known words was meant; nothing where none is close."""
    closest = difflib.get_close_matches(word, known, 1)
    return f" Did you mean {closest[0]}?" if closest else ""


def find_track(catalog: Catalog, track: str) -> Track | None:
    """The track of that id, nothing for "none"; an unknown one ends the command as wrong usage."""
    found = catalog.track(track)
    if found is None and track != NONE:
        known = [*(each.id for each in catalog.tracks), NONE]
        refuse(f"There is no track {track!r}.{meant(track, known)} There are: {', '.join(known)}")
    return found


def refuse(sentence: str) -> NoReturn:
    """End as wrong usage."""
    tell(sentence)
    raise typer.Exit(WRONG_USAGE)


def fail(sentence: str) -> NoReturn:
    """End as not passed: the command was right, but what it was to do did not come about."""
    tell(sentence)
    raise typer.Exit(NOT_PASSED)


def say(sentence: str) -> None:
    """A plain sentence on standard output."""
    from grader.show.terminal import console

    console.say(sentence)


def tell(sentence: str) -> None:
    """A plain sentence on standard error."""
    from grader.show.terminal import console

    console.tell(sentence)


def require_clone() -> None:
    """End as wrong usage where this program is installed: its curriculum is not there to be worked on."""
    if not is_clone():
        refuse(
            "This is for authors, and needs a clone of byheart. For a pack of your own: byheart verify FOLDER"
        )


def nearby(path: Path) -> Path:
    """A path as one would type it: relative where it lies below the current directory."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
