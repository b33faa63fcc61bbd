"""A day's session: `today`; and what it takes account of: `suspend`, `resume`."""

import sys
import time
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from grader.commands.usage import TopicId, find, find_track, refuse, track_ids
from grader.curriculum.catalog import load_catalog
from grader.curriculum.track import NONE

if TYPE_CHECKING:
    from grader.practice.plan.agenda import Agenda, Item
    from grader.practice.record.progress import Progress


def today(
    minutes: Annotated[int, typer.Argument(min=1, max=600, help="How long you have.")] = 30,
    interview: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Be ready on that day, such as 2027-01-15; kept, until none."),
    ] = None,
    limit: Annotated[
        str | None, typer.Option(metavar="TOPICS", help="Topics a day, at most; kept, until none.")
    ] = None,
    track: Annotated[
        str | None,
        typer.Option(metavar="TRACK", help="Follow this track; kept, until none.", autocompletion=track_ids),
    ] = None,
) -> None:
    """Do what is due today, one thing after the other: reviews, a new topic, questions."""
    from grader.practice.plan.agenda import todays_agenda
    from grader.practice.plan.steps import load_plan
    from grader.practice.record import clock
    from grader.practice.record.progress import open_progress
    from grader.show.pages.today import agenda_text, summary_text
    from grader.show.terminal.console import show

    catalog, progress = load_catalog(), open_progress()
    if track is not None:
        find_track(catalog, track)
    _choose(progress, interview, limit, track)
    plan = load_plan(catalog, progress, clock.now())
    agenda = todays_agenda(progress, plan, minutes)
    show(agenda_text(agenda, plan, minutes))
    if not agenda.items or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    before, begun = len(progress.reviews.all()), time.monotonic()
    try:
        _lead_through(agenda, lambda: minutes - (time.monotonic() - begun) / 60)
    finally:
        now = clock.now()
        waiting = len(todays_agenda(progress, load_plan(catalog, progress, now), minutes).items)
        print()
        show(summary_text(progress.reviews.all()[before:], (time.monotonic() - begun) / 60, waiting, now))


def suspend(topic: TopicId) -> None:
    """Leave a topic alone: it is neither proposed nor asked, until you resume it."""
    from grader.practice.command_line import typed
    from grader.practice.record.progress import open_progress
    from grader.show.terminal.console import say

    found = find(load_catalog(), topic)
    open_progress().choices.suspend(found.id)
    say(f"{found.id} is left alone. To have it back: {typed('resume', topic=found.id)}")


def resume(topic: TopicId) -> None:
    """Take up a suspended topic again; its schedule is what it was."""
    from grader.practice.record.progress import open_progress

    found, progress = find(load_catalog(), topic), open_progress()
    if found.id not in progress.choices.suspended():
        refuse(f"{found.id} is not suspended.")
    progress.choices.suspend(found.id, False)
    print(f"{found.id} is back.")


def _choose(progress: "Progress", interview: str | None, limit: str | None, track: str | None) -> None:
    """Keep what was given, after all of it was looked at."""
    day = topics = None
    if interview not in (None, NONE):
        try:
            day = date.fromisoformat(str(interview))
        except ValueError:
            refuse(f"{interview!r} is not a date. {_examples('interview', '2027-01-15')}")
        if day <= date.today():
            refuse(f"{interview} is not in the future. {_examples('interview', '2027-01-15')}")
    if limit not in (None, NONE):
        if not str(limit).isdecimal():
            refuse(f"{limit!r} is not a number of topics. {_examples('limit', '3')}")
        topics = int(str(limit))
    if interview is not None:
        progress.choices.aim_at(day)
    if limit is not None:
        progress.choices.limit_to(topics)
    if track is not None:
        progress.choices.follow(None if track == NONE else track)


def _examples(name: str, value: str) -> str:
    from grader.practice.command_line import typed_option

    return f"For example: {typed_option(name, value)}, or {typed_option(name, NONE)}"


def _lead_through(agenda: "Agenda", left: Callable[[], float]) -> None:
    from grader.commands.practice.unfinished import asked
    from grader.show.pages.today import item_text

    for item in agenda.items:
        time_left = f"{left():.0f} min left" if left() >= 1 else "your time is over"
        what = " ".join(item_text(item).split())
        key = asked(f"\n{what} ({item.minutes:.0f} min; {time_left})   Enter begin   s skip   q end")
        if key in ("q", None):
            return
        if key == "enter":
            _do(item)


def _do(item: "Item") -> None:
    """One thing, as its own command does it; that it does not pass does not end the session."""
    from grader.commands.practice.quiz import quiz
    from grader.commands.practice.timed import drill, mock
    from grader.commands.practice.watching import watched
    from grader.practice.plan.standing import State

    step = item.step
    try:
        if step is None:
            quiz(count=item.questions)
        elif step.topic is None:
            (drill if step.unfinished == "drill" else mock)(resume=True)
        elif step.state is State.DUE:
            drill(step.topic.id)
        else:
            watched(step.topic, is_one_of_many=True)
    except typer.Exit:
        return
