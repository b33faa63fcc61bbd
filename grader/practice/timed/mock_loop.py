"""A mock interview under way: events come in, the judge is asked, all is kept."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from grader.practice.exercises.contents import is_started
from grader.practice.live.background_judge import Grader
from grader.practice.live.events import (
    Checked,
    Events,
    Graded,
    Key,
    PassedOnce,
    Resized,
    Saved,
    Stopped,
    Tick,
)
from grader.practice.live.opening import opened
from grader.practice.timed import mock as machine
from grader.practice.timed.mock import Action, Mock, Phase
from grader.practice.timed.resuming import mock_details
from grader.practice.timed.timed_work import TimedWork


class View(Protocol):
    """Shows a mock interview."""

    def show(self, mock: Mock, seconds: float, notes: Sequence[str]) -> None:
        """So many seconds into it; `notes` are what else there is to say."""

    def repaint(self) -> None:
        """The terminal has changed."""


class Interviewing:
    """Leads through one mock interview."""

    def __init__(
        self,
        mock: Mock,
        work: TimedWork,
        events: Events,
        judge: Grader,
        view: View,
    ) -> None:
        self.mock = mock
        self._work = work
        self._events = events
        self._judge = judge
        self._view = view
        self._numbers = {topic.exercise: number for number, topic in enumerate(mock.topics)}

    def run(self, is_resumed: bool, has_keys: bool) -> Mock:
        """The interview when it is over, or (without an end) when it was cut off. Where there are no keys,
        the score card is the last thing.
        """
        if is_resumed and self.mock.end is None:
            self._grade_what_is_there()
        try:
            while not self._is_done(has_keys):
                self._keep_time()
                self._work.keep(mock_details(self.mock))
                self._view.show(self.mock, self._work.seconds, self._work.notes)
                event = self._events.next()
                if isinstance(event, Stopped):
                    break
                assert not isinstance(event, Checked | PassedOnce)  # each save gets one verdict here
                self._take(event)
                self.mock = machine.ticked(self.mock, self._work.seconds)
        finally:
            self._work.keep_now(mock_details(self.mock))
        return self.mock

    def _is_done(self, has_keys: bool) -> bool:
        phase = self.mock.phase
        return phase is Phase.OVER or (phase in (Phase.CARD, Phase.ANSWERS) and not has_keys)

    def _take(self, event: Saved | Key | Tick | Resized | Graded) -> None:
        action = None
        if isinstance(event, Saved | Key | Graded):
            self._work.notes.clear()
        match event:
            case Saved(path):
                self.mock, action = machine.saved(self.mock, self._numbers[path], self._work.seconds)
            case Key(key):
                self.mock, action = machine.pressed(self.mock, key, self._work.seconds)
            case Tick(waited):
                self._work.stopwatch.advance(waited)
            case Graded(path):
                self._take_verdict(event, self._numbers[path])
            case Resized():
                self._view.repaint()
        match action:
            case Action.GRADE:
                self._grade(self.mock.shown)
            case Action.EDIT:
                self._edit()

    def _take_verdict(self, graded: Graded, number: int) -> None:
        before = self.mock.results[number]
        attempt = None
        if not before.has_passed:
            attempt = self._work.record(graded, self.mock.topics[number], before.seconds)
        hints, saw_solution = (attempt.hints, attempt.solution_seen) if attempt else (0, False)
        self.mock = machine.graded(self.mock, number, graded.verdict, self._work.seconds, hints, saw_solution)

    def _grade_what_is_there(self) -> None:
        """What was saved while nobody looked counts as well."""
        for number, topic in enumerate(self.mock.topics):
            if is_started(topic) and not self.mock.results[number].has_passed:
                self.mock = replace(self.mock, pending=self.mock.pending | {number})
                self._grade(number)

    def _grade(self, number: int) -> None:
        self._judge.submit(self.mock.topics[number], self.mock.topics[number].exercise)

    def _edit(self) -> None:
        with self._work.kept_meanwhile(mock_details(self.mock)):
            problem = opened(self.mock.topics[self.mock.shown].exercise, self._events)
        if problem is not None:
            self._work.notes.append(problem)

    def _keep_time(self) -> None:
        if self.mock.phase is not Phase.WORKING:
            self._work.stopwatch.pause()
