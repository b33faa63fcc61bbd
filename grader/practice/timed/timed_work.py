"""What a drill and a mock interview keep while they are under way."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from grader.curriculum.catalog import Topic
from grader.practice.live.events import Graded
from grader.practice.record import clock
from grader.practice.record.attempts import Attempt
from grader.practice.record.progress import Progress
from grader.practice.record.sessions import Session
from grader.practice.record.unavailable import ProgressUnavailable
from grader.practice.schedule import Card, Level, Rating
from grader.practice.timed.stopwatch import Stopwatch

SAVE_SECONDS = 5.0
"""How often the time is kept: at most so much of it is lost when the power goes."""


class TimedWork:
    """Keeps the time and the verdicts of a session.

    Where progress cannot be kept (a full disk), the work goes on all the same, and `notes` say why.
    """

    def __init__(self, progress: Progress, session: Session, notes: list[str]) -> None:
        self.notes = notes
        self.stopwatch = Stopwatch(session.elapsed)
        self._progress = progress
        self._session = session
        self._details = session.details
        self._kept_at = session.elapsed

    @property
    def seconds(self) -> float:
        """Worked so far."""
        return self.stopwatch.elapsed

    def record(self, graded: Graded, topic: Topic, seconds: float) -> Attempt | None:
        """Keep a verdict; gives None where that failed."""
        try:
            return self._progress.attempts.record(
                replace(graded.verdict, topic=topic.name),
                self._session.kind,
                clock.now(),
                graded.source,
                seconds=seconds,
                session=self._session.id,
                since=self._session.started,
            )
        except ProgressUnavailable as problem:
            self._note(problem)
            return None

    def note_help(self, topic: Topic, level: int | None) -> None:
        """Remember that a hint was shown, or (None) the solution."""
        try:
            self._progress.attempts.note_help(topic.id, level)
        except ProgressUnavailable as problem:
            self._note(problem)

    def keep(self, details: dict[str, Any]) -> None:
        """Keep how far it is: at once if the details are new, else from time to time."""
        if details != self._details or self.seconds - self._kept_at >= SAVE_SECONDS:
            self.keep_now(details)

    def end(
        self,
        details: dict[str, Any],
        status: str,
        seconds: float,
        reviews: Sequence[tuple[Topic, Rating, Level]],
    ) -> list[Card]:
        """Keep how it ended, after so many seconds of work, and put the topics into the schedule: gives their
        places there, or none at all where that failed.
        """
        named = [(topic.id, rating, level) for topic, rating, level in reviews]
        try:
            return self._progress.sessions.end(self._session.id, seconds, status, details, named)
        except ProgressUnavailable as problem:
            self._note(problem)
            return []

    def keep_now(self, details: dict[str, Any]) -> None:
        """Keep how far it is."""
        self._details, self._kept_at = details, self.seconds
        try:
            self._progress.sessions.save(self._session.id, self._kept_at, details=details)
        except ProgressUnavailable as problem:
            self._note(problem)

    @contextlib.contextmanager
    def kept_meanwhile(self, details: dict[str, Any]) -> Iterator[None]:
        """Go on keeping the time while nothing else is done."""
        is_over = threading.Event()

        def keep() -> None:
            while not is_over.wait(SAVE_SECONDS):
                self.keep_now(details)

        keeper = threading.Thread(target=keep, daemon=True)
        keeper.start()
        try:
            yield
        finally:
            is_over.set()
            keeper.join()

    def _note(self, problem: ProgressUnavailable) -> None:
        sentence = f"This cannot be kept: {problem}"
        if sentence not in self.notes:
            self.notes.append(sentence)
