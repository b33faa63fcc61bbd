"""A drill under way: events come in, the judge is asked, all is kept."""

from collections.abc import Sequence
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
from grader.practice.timed import drill as machine
from grader.practice.timed.drill import Action, Drill, Phase
from grader.practice.timed.resuming import drill_details
from grader.practice.timed.timed_work import TimedWork


class View(Protocol):
    """Shows a drill."""

    def show(self, drill: Drill, seconds: float, is_grading: bool, notes: Sequence[str]) -> None:
        """So many seconds into the work; `notes` are what else there is to say."""

    def repaint(self) -> None:
        """The terminal has changed."""


class Drilling:
    """Leads through one drill."""

    def __init__(
        self,
        drill: Drill,
        work: TimedWork,
        events: Events,
        judge: Grader,
        view: View,
    ) -> None:
        self.drill = drill
        self._work = work
        self._events = events
        self._judge = judge
        self._view = view

    def run(self, is_resumed: bool, has_keys: bool) -> Drill:
        """The drill when it is over, or (without an end) when it was cut off. Where there are no keys,
        nothing is asked after the work.
        """
        if is_resumed and self.drill.end is None and is_started(self.drill.topic):
            self._grade()
        try:
            while not self._is_done(has_keys):
                self._keep_time()
                self._work.keep(drill_details(self.drill))
                is_grading = self._judge.waited is not None
                self._view.show(self.drill, self._work.seconds, is_grading, self._work.notes)
                event = self._events.next()
                if isinstance(event, Stopped):
                    break
                self._take(event)
        finally:
            self._work.keep_now(drill_details(self.drill))
        return self.drill

    def _is_done(self, has_keys: bool) -> bool:
        return self.drill.phase is Phase.OVER or (self.drill.end is not None and not has_keys)

    def _take(self, event: Saved | Key | Tick | Resized | Checked | PassedOnce | Graded) -> None:
        action = None
        if isinstance(event, Saved | Key | Graded):
            self._work.notes.clear()
        match event:
            case Saved():
                self.drill, action = machine.saved(self.drill)
            case Key(key):
                self.drill, action = machine.pressed(self.drill, key, self._work.seconds)
            case Tick(waited):
                self._work.stopwatch.advance(waited)
            case Checked(_, verdict):
                self.drill = machine.checked(self.drill, verdict)
            case Graded():
                self._take_verdict(event)
            case Resized():
                self._view.repaint()
        match action:
            case Action.GRADE:
                self._grade()
            case Action.EDIT:
                self._edit()
            case Action.NOTE_HINT:
                self._work.note_help(self.drill.topic, self.drill.hints)
            case Action.NOTE_SOLUTION:
                self._work.note_help(self.drill.topic, None)

    def _take_verdict(self, graded: Graded) -> None:
        if self.drill.end is not None:
            return
        seconds = self._work.seconds
        attempt = self._work.record(graded, self.drill.topic, seconds)
        hints, saw_solution = (attempt.hints, attempt.solution_seen) if attempt else (0, False)
        self.drill = machine.graded(self.drill, graded.verdict, seconds, hints, saw_solution)

    def _grade(self) -> None:
        self._judge.submit(self.drill.topic, self.drill.topic.exercise)

    def _edit(self) -> None:
        with self._work.kept_meanwhile(drill_details(self.drill)):
            problem = opened(self.drill.topic.exercise, self._events)
        if problem is not None:
            self._work.notes.append(problem)

    def _keep_time(self) -> None:
        if self.drill.phase is Phase.WORKING:
            self._work.stopwatch.resume()
        else:
            self._work.stopwatch.pause()
