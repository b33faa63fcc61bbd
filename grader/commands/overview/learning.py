"""Finding one's way: the list, what to do next, hints, the solution, and answers of earlier times."""

import sys
from typing import Annotated

import typer

from grader.commands.overview.filters import chosen_topics, filters
from grader.commands.usage import (
    AnyWork,
    TopicId,
    TrackId,
    Work,
    fail,
    find,
    find_track,
    find_work,
    nearby,
    refuse,
    say,
    tell,
)
from grader.curriculum.catalog import load_catalog
from grader.practice.command_line import typed


def list_topics(
    only: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHICH]...",
            help="States (due, failing, new, ...), chapters, or all: else what fits on the screen.",
            autocompletion=filters,
        ),
    ] = None,
    track: TrackId = None,
) -> None:
    """Show the topics, and where you stand."""
    from grader.practice.plan.steps import load_plan
    from grader.practice.record import clock
    from grader.practice.record.progress import open_progress
    from grader.show.pages.topic_list import catalog_text, track_line, track_text
    from grader.show.terminal.console import height, say, show, width

    catalog, now = load_catalog(), clock.now()
    along = None if track is None else find_track(catalog, track)
    plan = load_plan(catalog, open_progress(), now, track)
    shown = chosen_topics(catalog, plan.standing, only or [])
    if plan.followed is not None:
        say(f"{track_line(plan.followed)}\n")
    if along is not None and plan.followed is not None:
        show(track_text(plan.followed, plan.next, now, width(), shown))
        return
    lines = None if only else height()
    if lines is not None and plan.followed is not None:
        lines -= 2
    show(catalog_text(catalog, plan.standing, plan.next, now, width(), lines, shown))


def next_topic(track: TrackId = None) -> None:
    """Say what to do now, and why."""
    from grader.practice.plan.steps import load_plan
    from grader.practice.record import clock
    from grader.practice.record.progress import open_progress
    from grader.show.pages.topic_list import step_text, track_line
    from grader.show.terminal.console import say, show

    catalog = load_catalog()
    if track is not None:
        find_track(catalog, track)
    plan = load_plan(catalog, open_progress(), clock.now(), track)
    if plan.followed is not None:
        say(track_line(plan.followed))
    show(step_text(plan.next))


def hint(
    topic: TopicId,
    level: Annotated[
        int | None, typer.Option(min=1, max=3, help="The idea, the steps, or the skeleton; else one more.")
    ] = None,
) -> None:
    """Give one more hint: the idea, the steps with shapes, or the skeleton."""
    from grader.practice.record.progress import open_progress
    from grader.practice.record.unavailable import ProgressUnavailable
    from grader.show.pages.hint import hint_text
    from grader.show.terminal.console import width

    found, progress = find(load_catalog(), topic), open_progress()
    try:
        shown = level or min(progress.attempts.hints_taken(found.id) + 1, len(found.hints))
        progress.attempts.note_help(found.id, shown)
    except ProgressUnavailable as problem:
        shown = level or 1
        tell(f"This hint is not recorded: {problem}")
    print(hint_text(found, shown, width()))


def solution(
    topic: TopicId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Show the reference solution, after asking."""
    from grader.practice.record.progress import open_progress
    from grader.practice.record.recording import costs_nothing, record_solution
    from grader.practice.record.unavailable import ProgressUnavailable
    from grader.show.terminal.console import show_code

    found, progress = find(load_catalog(), topic), open_progress()
    try:
        if costs_nothing(progress, found):
            typer.echo(f"This costs nothing: {found.id} is passed, and no review of it is due.", err=True)
            yes = True
    except ProgressUnavailable:
        pass  # told below
    if not yes:
        _ask(f"Show the solution of {found.id}? Its review counts as forgotten, and it comes back tomorrow.")
    try:
        record_solution(progress, found)
    except ProgressUnavailable as problem:
        tell(f"This is not recorded: {problem}")
    show_code(found.solution.read_text(encoding="utf-8"))


def reset(topic: TopicId) -> None:
    """Start an exercise afresh; what you wrote is kept first."""
    from grader.practice.exercises.replacing import reset_exercise
    from grader.practice.record.progress import open_progress

    found = find(load_catalog(), topic)
    try:
        kept = reset_exercise(found, open_progress())
    except OSError as error:
        fail(f"{nearby(found.exercise)} cannot be reset: {error}")
    if kept is not None:
        say(f"What was there is kept: {typed('restore', topic=found.id, attempt=kept.id)}")
    say(f"{nearby(found.exercise)} is blank again.")


def history(
    topic: AnyWork = None,
    last: Annotated[int, typer.Option(min=1, help="How many.")] = 30,
) -> None:
    """List what you have tried, oldest first; every answer can be restored."""
    from grader.practice.record.progress import open_progress
    from grader.practice.record.sessions import RUNNING
    from grader.show.pages.history import history_text
    from grader.show.pages.mock import list_text
    from grader.show.terminal.console import show, width

    catalog, progress = load_catalog(), open_progress()
    found = None if topic is None else find_work(catalog, topic).name
    attempts = progress.attempts.of(found, last)
    mocks = progress.sessions.of("mock")
    if not attempts:
        first = typed("check", topic=found or catalog.topics[0].id)
        say(f"Nothing has been graded yet. Next: {first}")
    else:
        show(history_text(attempts, width(), {mock.id for mock in mocks if mock.status == RUNNING}))
    if mocks and found is None:
        print()
        show(list_text(mocks[-last:]))
    if attempts:
        say(f"\nTo have one back: {typed('restore', topic=attempts[-1].topic, attempt=attempts[-1].id)}")


def restore(
    topic: Work,
    attempt: Annotated[int, typer.Argument(min=1, help="Its number in the history.")],
) -> None:
    """Bring back the answer of an earlier attempt; what is there now is kept first."""
    from grader.practice.exercises.replacing import put
    from grader.practice.record.progress import open_progress

    found, progress = find_work(load_catalog(), topic), open_progress()
    wanted = next((each for each in progress.attempts.of(found.name) if each.id == attempt), None)
    if wanted is None:
        all_ = typed("history", topic=found.name)
        refuse(f"There is no attempt {attempt} at {found.name}. All of them: {all_}")
    if wanted.source is None:
        fail(f"Attempt {attempt} has no answer to restore: its file could not be read.")
    try:
        kept = put(found, progress.attempts.source(wanted.source), progress)
    except OSError as error:
        fail(f"{nearby(found.exercise)} cannot be written: {error}")
    if kept is not None:
        say(f"What was there is kept: {typed('restore', topic=found.name, attempt=kept.id)}")
    say(f"{nearby(found.exercise)} is as it was in attempt {attempt}.")


def _ask(question: str) -> None:
    """Go on only after a yes. Where nobody can answer, this is wrong usage."""
    if not sys.stdin.isatty():
        refuse("Without a terminal to ask on, say yes=1 (or --yes) to see it.")
    from grader.show.terminal.console import width
    from grader.show.terminal.wrapping import wrapped_words

    print(wrapped_words(f"{question} [y/N]", width()), end=" ", flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        fail("Not shown.")
