"""Work against the clock: `drill` and `mock`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.commands.practice.watching import Answers
from grader.commands.usage import (
    NOT_PASSED,
    ChapterId,
    TrackId,
    fail,
    find,
    find_chapter,
    find_track,
    refuse,
    say,
    topic_ids,
)
from grader.curriculum.catalog import Catalog, Topic, load_catalog
from grader.practice.command_line import typed
from grader.practice.schedule import Level

if TYPE_CHECKING:
    from grader.practice.record.progress import Progress

MOST = 9
"""Topics of a mock interview: there is a key for each."""

Resume = Annotated[bool, typer.Option("--resume", help="Go on with the one that was cut off.")]
Drop = Annotated[bool, typer.Option("--drop", help="Drop the one that was cut off; what you wrote stays.")]


def drill(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPIC]", help="Its id. Without one: the most due.", autocompletion=topic_ids
        ),
    ] = None,
    minutes: Annotated[
        int | None, typer.Option(min=1, max=600, help="On the clock; else those of the topic.")
    ] = None,
    level: Annotated[
        Level | None, typer.Option(help="What is missing: key lines, all bodies, or everything.")
    ] = None,
    resume: Resume = False,
    drop: Drop = False,
    answers: Answers = None,
) -> None:
    """Write a topic from memory against the clock; without one, the most due."""
    from grader.commands.practice.leading import led_drill
    from grader.commands.practice.unfinished import alone, to_resume
    from grader.practice.record.progress import open_progress
    from grader.practice.timed.beginning import NotBlanked, begun_drill

    catalog = load_catalog()
    wanted = None if topic is None else find(catalog, topic)
    _check(answers)
    notes: list[str] = []
    progress = open_progress(told=notes.append)
    with alone():
        session = to_resume("drill", catalog, progress, resume, drop, can_ask=_can_ask(answers))
        is_new = session is None
        if session is None:
            chosen = wanted or _most_due(catalog, progress)
            try:
                session = begun_drill(chosen, level, minutes, progress, notes)
            except NotBlanked as problem:
                fail(str(problem))
        if not led_drill(session, is_new, catalog, progress, notes, answers):
            raise typer.Exit(NOT_PASSED)


def mock(
    minutes: Annotated[int, typer.Option(min=1, max=600, help="On the clock, for all topics.")] = 45,
    count: Annotated[int, typer.Option(min=1, max=MOST, help="How many topics.")] = 3,
    chapter: ChapterId = None,
    track: TrackId = None,
    seed: Annotated[int | None, typer.Option(help="Draw the same topics again.")] = None,
    resume: Resume = False,
    drop: Drop = False,
    answers: Answers = None,
) -> None:
    """Rehearse an interview: drawn topics, one clock, no hints, a score card."""
    from grader.commands.practice.leading import led_mock
    from grader.commands.practice.unfinished import alone, to_resume
    from grader.practice.plan.following import chosen_track
    from grader.practice.plan.standing import standings
    from grader.practice.record import clock
    from grader.practice.record.progress import open_progress
    from grader.practice.timed.beginning import NotBlanked, begun_mock
    from grader.practice.timed.topic_choice import DoesNotFit, askable, drawn, new_seed

    catalog = load_catalog()
    if chapter is not None:
        find_chapter(catalog, chapter)
    about = None if track is None else find_track(catalog, track)
    _check(answers)
    notes: list[str] = []
    progress = open_progress(told=notes.append)
    with alone():
        session = to_resume("mock", catalog, progress, resume, drop, can_ask=_can_ask(answers))
        is_new = session is None
        if session is None:
            now = clock.now()
            seed = new_seed() if seed is None else seed
            if track is None and chapter is None:
                about = chosen_track(catalog, progress)
            asked = askable(standings(catalog, progress, now), chapter, about)
            try:
                topics = drawn(asked, count, seed, now, minutes)
                session = begun_mock(topics, minutes, seed, progress, notes)
                notes += [] if about is None else [f"Asked is what the track {about.id} is about."]
            except DoesNotFit as problem:
                refuse(str(problem))
            except NotBlanked as problem:
                fail(str(problem))
        if not led_mock(session, is_new, catalog, progress, notes, answers):
            raise typer.Exit(NOT_PASSED)


def _most_due(catalog: Catalog, progress: "Progress") -> Topic:
    """What is to be done now; ends the command if that is nothing."""
    from grader.practice.plan.steps import load_plan
    from grader.practice.record import clock

    step = load_plan(catalog, progress, clock.now()).next
    if step.topic is None:
        again = typed("drill", topic=catalog.topics[0].id)
        say(f"{step.reason}. To drill a topic all the same: {again}")
        raise typer.Exit
    return step.topic


def _check(answers: Path | None) -> None:
    """Refuse a script that cannot be followed before anything is blanked."""
    if answers is None:
        return
    from grader.practice.live.script import ScriptError, read_script

    try:
        read_script(answers)
    except ScriptError as error:
        refuse(str(error))


def _can_ask(answers: Path | None) -> bool:
    return answers is None and sys.stdin.isatty()
