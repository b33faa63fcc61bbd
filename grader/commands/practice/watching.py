"""Working in one's own editor: `watch` and `edit`."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from grader.commands.usage import AnyTopicId, TopicId, fail, find, refuse
from grader.curriculum.catalog import Topic, load_catalog

Answers = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Without a terminal: saves and keys, as JSON Lines.")
]


def watch(topic: AnyTopicId = None, answers: Answers = None) -> None:
    """Grade on every save; keys give hints, the list, the next topic."""
    watched(None if topic is None else find(load_catalog(), topic), answers)


def watched(topic: Topic | None, answers: Path | None = None, is_one_of_many: bool = False) -> None:
    """Watch a topic, or all, until q is pressed; `is_one_of_many`: something else comes after it."""
    from grader.practice.live.background_judge import BackgroundJudge
    from grader.practice.live.script import ScriptError
    from grader.practice.live.terminal_events import TerminalEvents
    from grader.practice.live.watch import Watch
    from grader.practice.record.progress import open_progress
    from grader.show.pages.watch import WatchPages
    from grader.show.terminal.screen import Screen

    catalog = load_catalog()
    files = [each.exercise for each in (catalog.topics if topic is None else [topic])]
    notes: list[str] = []
    progress = open_progress(told=notes.append)
    try:
        with (
            TerminalEvents(files, answers) as events,
            Screen() as screen,
            BackgroundJudge(events.post, in_two_steps=screen.paints) as judge,
        ):
            pages = WatchPages(screen, catalog, "go on" if is_one_of_many else "quit")
            Watch(catalog, topic, progress, notes, events, judge, pages).run()
    except ScriptError as error:
        refuse(str(error))


def edit(topic: TopicId) -> None:
    """Open an exercise in your editor."""
    from grader.practice.exercises.contents import is_changed
    from grader.practice.exercises.replacing import ensure_exercise
    from grader.practice.live.editor import NoEditor, chosen_editor
    from grader.practice.record.progress import open_progress
    from grader.practice.record.unavailable import ProgressUnavailable

    found = find(load_catalog(), topic)
    ensure_exercise(found)
    if not is_changed(found):
        with contextlib.suppress(ProgressUnavailable):  # only the time is lost
            open_progress().attempts.note_blank(found.id)
    try:
        chosen_editor().open(found.exercise)
    except NoEditor as problem:
        fail(str(problem))
