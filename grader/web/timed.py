"""Drills and mock interviews for pages: the machines, the loops and the lock of the terminal's."""

import asyncio
from collections.abc import Callable, Sequence

from grader.curriculum.catalog import Catalog, Topic
from grader.practice.live.background_judge import Grader
from grader.practice.record.attempts import Attempt
from grader.practice.record.progress import Progress
from grader.practice.record.sessions import Session
from grader.practice.record.unavailable import ProgressUnavailable
from grader.practice.schedule import Level
from grader.practice.timed.beginning import NotBlanked, begun_drill, begun_mock
from grader.practice.timed.drill import Drill
from grader.practice.timed.drill_loop import Drilling
from grader.practice.timed.ending import Rated, ended_drill, ended_mock
from grader.practice.timed.mock import Mock
from grader.practice.timed.mock_loop import Interviewing
from grader.practice.timed.resuming import resumed_drill, resumed_mock
from grader.practice.timed.session_lock import AnotherSession, session_lock
from grader.practice.timed.timed_work import TimedWork
from grader.web.stage import Stage

ELSEWHERE = "A drill or a mock interview is going on in a terminal. End it there first."

Begun = Callable[[list[str]], Session]
"""Makes the session, a new one or one that was cut off, and leaves remarks."""


class Timed(Stage):
    """What both have. `refusal` says why it did not begin."""

    def __init__(
        self,
        topics: Sequence[Topic],
        begun: Begun,
        is_new: bool,
        catalog: Catalog,
        progress: Progress,
        judge: Grader,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__([topic.exercise for topic in topics], loop, watches=False)  # blanking is no save
        self.topics = tuple(topics)
        self.seconds = 0.0
        self.notes: tuple[str, ...] = ()
        self.refusal: str | None = None
        self.is_cut_off = False
        """Whether it ended before its time, and can go on."""
        self._begun = begun
        self._is_new = is_new
        self._catalog = catalog
        self._progress = progress
        self._judge = judge

    def work(self) -> None:
        """From where it stands to its last page."""
        notes: list[str] = []
        try:
            with session_lock(self.topics[0].workspace):
                session = self._begun(notes)
                self.events.watch(self.files)
                self.remarks = (*notes,) if self._is_new else ("You go on where you were.", *notes)
                notes.clear()
                self.lead(session, notes)
        except AnotherSession:
            self.refusal = ELSEWHERE
        except (NotBlanked, ProgressUnavailable) as problem:
            self.refusal = str(problem)
        self.changed()

    remarks: tuple[str, ...] = ()
    """What is to be said at the beginning."""

    def lead(self, session: Session, notes: list[str]) -> None:
        """Until it is over or stopped."""
        raise NotImplementedError

    def repaint(self) -> None:
        """Pages do that themselves."""


class DrillStage(Timed):
    """See `grader.practice.timed.drill_loop.View`: this is one."""

    drill: Drill | None = None
    is_grading = False
    rated: Rated | None = None

    def lead(self, session: Session, notes: list[str]) -> None:
        """A drill to its rating."""
        summary = self._progress.attempts.summaries().get(session.topics[0])
        drill = resumed_drill(session, self._catalog, summary.best_seconds if summary else None)
        work = TimedWork(self._progress, session, notes)
        drilling = Drilling(drill, work, self.events, self._judge, self)
        drilling.run(not self._is_new, has_keys=True)
        self.drill, self.seconds = drilling.drill, work.seconds
        self.is_cut_off = self.drill.end is None
        if not self.is_cut_off:
            self.rated = ended_drill(self.drill, work)
        self.notes = tuple(notes)

    def show(self, drill: Drill, seconds: float, is_grading: bool, notes: Sequence[str]) -> None:
        """So many seconds into the work."""
        self.drill, self.seconds, self.is_grading, self.notes = drill, seconds, is_grading, tuple(notes)
        self.changed()


class MockStage(Timed):
    """See `grader.practice.timed.mock_loop.View`: this is one."""

    mock: Mock | None = None
    rated: Sequence[Rated] = ()

    def lead(self, session: Session, notes: list[str]) -> None:
        """An interview to its score card."""
        work = TimedWork(self._progress, session, notes)
        interviewing = Interviewing(
            resumed_mock(session, self._catalog), work, self.events, self._judge, self
        )
        interviewing.run(not self._is_new, has_keys=True)
        self.mock, self.seconds = interviewing.mock, work.seconds
        self.is_cut_off = self.mock.end is None
        if not self.is_cut_off:
            self.rated = ended_mock(self.mock, work)
        self.notes = tuple(notes)

    def show(self, mock: Mock, seconds: float, notes: Sequence[str]) -> None:
        """So many seconds into it."""
        self.mock, self.seconds, self.notes = mock, seconds, tuple(notes)
        self.changed()


def new_drill(topic: Topic, level: Level | None, minutes: int | None, progress: Progress) -> Begun:
    """What begins a drill."""
    return lambda notes: begun_drill(topic, level, minutes, progress, notes, _kept)


def new_mock(topics: tuple[Topic, ...], minutes: int, seed: int, progress: Progress) -> Begun:
    """What begins a mock interview."""
    return lambda notes: begun_mock(topics, minutes, seed, progress, notes, _kept)


def _kept(topic: Topic, kept: Attempt) -> str:
    return f"What was in {topic.exercise_name} is in the history of its topic."
