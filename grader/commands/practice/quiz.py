"""Follow-up questions as flash cards: `quiz`."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from grader.commands.practice.watching import Answers
from grader.commands.usage import AnyTopicId, ChapterId, find, find_chapter, refuse, say
from grader.curriculum.catalog import Catalog, Topic, load_catalog
from grader.practice.command_line import typed

if TYPE_CHECKING:
    from pathlib import Path

    from grader.practice.plan.quiz import Quiz
    from grader.practice.record.progress import Progress


def quiz(
    topic: AnyTopicId = None,
    chapter: ChapterId = None,
    count: Annotated[int | None, typer.Option(min=1, help="At most so many.")] = None,
    answers: Answers = None,
) -> None:
    """Ask the interviewer's follow-up questions: those due, then new ones."""
    from grader.practice.plan.following import chosen_track, in_its_order
    from grader.practice.plan.quiz import Quiz, deck, outlook
    from grader.practice.record import clock
    from grader.practice.record.progress import open_progress
    from grader.show.pages.quiz import deck_text, outlook_text, summary_text
    from grader.show.terminal.console import show, width

    catalog, progress = load_catalog(), open_progress()
    topics = _topics(catalog, topic, chapter)
    if topic is None:
        suspended = progress.choices.suspended()
        asked = [each for each in topics if each.id not in suspended]
        topics = in_its_order(chosen_track(catalog, progress), asked)
    now, reviews = clock.now(), progress.reviews.all()
    flashcards = deck(topics, reviews, now)[:count]
    if not flashcards:
        say(outlook_text(outlook(topics, reviews, now), now))
        return
    if answers is None and not (sys.stdin.isatty() and sys.stdout.isatty()):
        show(deck_text(flashcards, width()))
        say(f"\nTo answer and rate them, use a terminal: {typed('quiz')}")
        return
    ended = _held(Quiz(flashcards), progress, answers)
    now = clock.now()
    print()
    show(summary_text(ended, outlook(topics, progress.reviews.all(), now), now))


def _held(quiz: "Quiz", progress: "Progress", answers: "Path | None") -> "Quiz":
    from grader.practice.live.quiz_loop import held
    from grader.practice.live.script import ScriptError
    from grader.practice.live.terminal_events import TerminalEvents
    from grader.practice.record import clock
    from grader.show.pages.quiz import quiz_text, status_text
    from grader.show.terminal.screen import Screen

    try:
        with TerminalEvents([], answers) as events, Screen() as screen:

            def show(quiz: "Quiz") -> None:
                screen.show(quiz_text(quiz, screen.width), status_text(quiz, clock.now(), screen.width))

            return held(quiz, progress.reviews, events, show)
    except ScriptError as error:
        refuse(str(error))


def _topics(catalog: Catalog, topic: str | None, chapter: str | None) -> Sequence[Topic]:
    if topic is not None and chapter is not None:
        refuse("Give a topic or a chapter, not both.")
    if topic is not None:
        return [find(catalog, topic)]
    if chapter is None:
        return catalog.topics
    return find_chapter(catalog, chapter).topics
