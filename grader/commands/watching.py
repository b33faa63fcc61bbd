"""Working in one's own editor: `watch` and `edit`."""

from pathlib import Path
from typing import Annotated

import typer

from grader.catalog import PROJECT, load_catalog
from grader.commands.usage import AnyTopicId, TopicId, fail, find, refuse

Answers = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Without a terminal: saves and keys, as JSON Lines.")
]


def watch(topic: AnyTopicId = None, answers: Answers = None) -> None:
    """Grade on every save; keys give hints, the list, the next topic."""
    catalog = load_catalog()
    chosen = None if topic is None else find(catalog, topic)
    from grader.practice.events import Events
    from grader.practice.grading import BackgroundJudge
    from grader.practice.progress import open_progress
    from grader.practice.script import ScriptError
    from grader.practice.watch import Watch
    from grader.show.screen import Screen
    from grader.show.watch import WatchPages

    files = [each.exercise for each in (catalog.topics if chosen is None else [chosen])]
    notes: list[str] = []
    progress = open_progress(PROJECT, notes.append)
    try:
        with (
            Events(files, answers) as events,
            Screen() as screen,
            BackgroundJudge(events.post, in_two_steps=screen.paints) as judge,
        ):
            Watch(catalog, chosen, progress, notes, events, judge, WatchPages(screen, catalog)).run()
    except ScriptError as error:
        refuse(str(error))


def edit(topic: TopicId) -> None:
    """Open an exercise in your editor."""
    from grader.practice.editor import NoEditor, chosen_editor
    from grader.practice.exercises import stub
    from grader.stubs import replace_text

    found = find(load_catalog(), topic)
    if not found.exercise.exists():
        replace_text(found.exercise, stub(found))
    try:
        chosen_editor().open(found.exercise)
    except NoEditor as problem:
        fail(str(problem))
