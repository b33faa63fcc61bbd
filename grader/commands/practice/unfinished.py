"""A drill or a mock interview that was cut off: one may go on with it, or drop it."""

import contextlib
import sys
from collections.abc import Iterator

import typer

from grader.commands.usage import fail, refuse, say
from grader.curriculum.catalog import Catalog, UnknownTopic
from grader.curriculum.workspace import current_workspace
from grader.practice.command_line import typed
from grader.practice.live.events import Key, Stopped
from grader.practice.live.terminal_events import TerminalEvents
from grader.practice.record.progress import Progress
from grader.practice.record.sessions import Session
from grader.practice.timed.session_lock import AnotherSession, session_lock
from grader.show.moments import minutes_text

NAMES = {"drill": "drill", "mock": "mock interview"}


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Only one drill or mock interview at a time."""
    try:
        with session_lock(current_workspace()):
            yield
    except AnotherSession:
        fail(
            "A drill or a mock interview is going on in another terminal, or on the page. End it there first."
        )


def to_resume(
    kind: str, catalog: Catalog, progress: Progress, resume: bool, drop: bool, can_ask: bool
) -> Session | None:
    """The session of that kind to go on with; None to begin a new one. Ends the command where it is dropped,
    or left alone.
    """
    if resume and drop:
        refuse("--resume goes on, --drop does not: say one of them.")
    session = _known(kind, catalog, progress)
    if session is None:
        if resume or drop:
            refuse(f"No {NAMES[kind]} was cut off.")
        _refuse_others(kind, catalog, progress)
        return None
    if not resume and not drop:
        if not can_ask:
            options = f"Go on: {typed(kind, '--resume')}. Drop it: {typed(kind, '--drop')}"
            refuse(f"{_told(session)} {options}")
        key = asked(f"{_told(session)}\nr resume   d drop it, what you wrote stays   any other key: later")
        resume, drop = key == "r", key == "d"
    if drop:
        progress.sessions.save(session.id, session.elapsed, "dropped")
        say(f"Dropped. What you wrote stays in the exercise. Next: {typed(kind)}")
    if not resume:
        raise typer.Exit
    return session


def _known(kind: str, catalog: Catalog, progress: Progress) -> Session | None:
    """The session that was cut off. One about a topic that is no more is dropped."""
    while (session := progress.sessions.running(kind)) is not None:
        try:
            for topic in session.topics:
                catalog.asked(topic)
            return session
        except UnknownTopic:
            progress.sessions.save(session.id, session.elapsed, "dropped")
    return None


def _refuse_others(kind: str, catalog: Catalog, progress: Progress) -> None:
    """One that was cut off still has the exercises."""
    for other in NAMES.keys() - {kind}:
        session = _known(other, catalog, progress)
        if session is not None:
            fail(f"{_told(session)} To go on, or drop it: {typed(other)}")


def _told(session: Session) -> str:
    worked = f"{minutes_text(session.elapsed)} of {minutes_text(session.budget)}"
    return f"The {NAMES[session.kind]} of {', '.join(session.topics)} is not finished ({worked})."


def asked(question: str) -> str | None:
    """The key that is pressed after a question; None where the terminal was closed."""
    say(question)
    sys.stdout.flush()
    with TerminalEvents([]) as events:
        while True:
            match events.next():
                case Key(name):
                    return name
                case Stopped():
                    return None
