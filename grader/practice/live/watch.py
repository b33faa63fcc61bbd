"""Watching: every save of an exercise is graded, keys do the rest."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from grader.curriculum.catalog import Catalog, Topic
from grader.judge.verdict import Verdict
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
from grader.practice.plan.following import Followed, chosen_track, followed
from grader.practice.plan.standing import Standing, standings
from grader.practice.plan.steps import Step, following, next_step
from grader.practice.record import clock
from grader.practice.record.progress import Progress
from grader.practice.record.recording import record_check
from grader.practice.record.secrecy import is_secret, silenced
from grader.practice.record.unavailable import ProgressUnavailable
from grader.practice.schedule import Card


class View(Protocol):
    """What the learner sees: one page, and a line under it; or all of it side by side."""

    has_one_page: bool
    """Whether a hint or the list takes the place of the verdict."""

    def show_start(self, topic: Topic | None, step: Step | None) -> None:
        """What is watched (None: everything), and for everything where to begin."""

    def show_checks(self, verdict: Verdict) -> None:
        """A verdict whose mistake is still looked for, or one that passes if other inputs hold as well."""

    def show_verdict(self, verdict: Verdict, card: Card | None, notes: Sequence[str]) -> None:
        """A verdict; the topic's new place in the schedule, if it was a review; what else there is to say."""

    def show_more_or_less(self) -> None:
        """From now on, show all of a verdict; after that, what fits on a screen again."""

    def show_hint(self, topic: Topic, level: int, notes: Sequence[str]) -> None: ...

    def show_list(self, standing: Mapping[str, Standing], step: Step, now: datetime) -> None: ...

    def show_grading(self, seconds: float | None) -> None:
        """For how long a verdict has been waited for; None: for none."""

    def say(self, sentence: str) -> None:
        """Under the page, until the next key or verdict."""

    def repaint(self) -> None: ...


class Watch:
    """One run of `make watch`: of one topic's exercise, or (None) of all."""

    def __init__(
        self,
        catalog: Catalog,
        topic: Topic | None,
        progress: Progress,
        notes: list[str],
        events: Events,
        judge: Grader,
        view: View,
    ) -> None:
        """`notes` is where the progress puts what it has to say."""
        self._catalog = catalog
        self._progress = progress
        self._notes = notes
        self._events = events
        self._judge = judge
        self._view = view
        self._is_all = topic is None
        self._topic = topic  # what keys are about: the one saved last
        self._topics = {each.exercise: each for each in catalog.topics}
        self._is_reading = False  # a hint or the list, since the last save
        self._hints: dict[str, int] = {}  # shown in this run

    def run(self) -> None:
        """Until q is pressed, or it is stopped."""
        self._start()
        while True:
            event = self._events.next()
            match event:
                case Key("q") | Stopped():
                    return
                case Key(name):
                    self._press(name)
                case Saved(path) if self._is_all or self._topics[path] == self._topic:
                    self._grade(self._topics[path])
                case Checked(path, verdict) | PassedOnce(path, verdict):
                    self._show_checks(self._topics[path], verdict)
                case Graded():
                    self._take(event)
                case Tick():
                    self._show_grading()
                case Resized():
                    self._view.repaint()

    def _start(self) -> None:
        if self._topic is not None:
            self._open(self._topic)
            return
        step = None
        standing = self._standings()
        if standing is not None:
            step = next_step(standing, clock.now(), along=self._along(standing))
            self._topic = step.topic
        self._judge.prime(self._topic or self._catalog.topics[0])
        self._view.show_start(None, step)

    def _open(self, topic: Topic) -> None:
        """Turn to a topic: its answer is graded at once if there is one."""
        self._topic = topic
        self._is_reading = False
        self._view.show_start(topic, None)
        if is_started(topic):
            self._grade(topic)
        else:
            self._judge.prime(topic)
            with contextlib.suppress(ProgressUnavailable):  # only the time is lost
                self._progress.attempts.note_blank(topic.id)

    def _press(self, key: str) -> None:
        self._view.say("")
        match key:
            case "l":
                self._list()
            case "n":
                self._turn()
            case "v":
                self._view.show_more_or_less()
            case "h" | "r" | "e":
                if self._topic is None:
                    self._view.say("Save an exercise first.")
                else:
                    self._do(key, self._topic)

    def _do(self, key: str, topic: Topic) -> None:
        match key:
            case "h":
                self._hint(topic)
            case "r":
                self._grade(topic)
            case "e":
                self._edit(topic)

    def _grade(self, topic: Topic) -> None:
        self._topic = topic
        self._is_reading = False
        self._judge.submit(topic, topic.exercise)
        self._show_grading()

    def _show_checks(self, topic: Topic, verdict: Verdict) -> None:
        """Show a verdict as far as it is, where nothing else is to be seen."""
        if topic == self._topic and not self._is_reading and not is_secret(self._progress, topic.id):
            self._view.show_checks(_with_short_path(verdict, topic))

    def _take(self, graded: Graded) -> None:
        """Keep a verdict, and show it unless another exercise was saved or something is being read."""
        topic = self._topics[graded.path]
        card = None
        try:
            card = record_check(self._progress, topic, graded.verdict, "watch", graded.started, graded.source)
        except ProgressUnavailable as problem:
            self._notes.append(f"This attempt is not recorded: {problem}")
        self._show_grading()
        if topic != self._topic:
            return
        if self._is_reading:
            found = "it passes." if graded.verdict.passed else "not yet right. r shows why."
            self._view.say(f"{topic.id} is graded: {found}")
        else:
            verdict = _with_short_path(graded.verdict, topic)
            if is_secret(self._progress, topic.id):
                verdict = silenced(verdict)
            self._view.show_verdict(verdict, card, self._taken_notes())

    def _hint(self, topic: Topic) -> None:
        """The next hint; after the last one, that one again."""
        try:
            taken = max(self._progress.attempts.hints_taken(topic.id), self._hints.get(topic.id, 0))
            level = min(taken + 1, len(topic.hints))
            self._progress.attempts.note_help(topic.id, level)
        except ProgressUnavailable as problem:
            level = min(self._hints.get(topic.id, 0) + 1, len(topic.hints))
            self._notes.append(f"This hint is not recorded: {problem}")
        self._hints[topic.id] = level
        self._is_reading = self._view.has_one_page
        self._view.show_hint(topic, level, self._taken_notes())

    def _list(self) -> None:
        standing = self._standings()
        if standing is not None:
            self._is_reading = self._view.has_one_page
            now = clock.now()
            self._view.show_list(standing, next_step(standing, now, along=self._along(standing)), now)

    def _turn(self) -> None:
        """To the topic that is to be done next."""
        standing = self._standings()
        if standing is None:
            return
        topic = following(standing, self._topic, clock.now(), self._along(standing))
        if not self._is_all:
            self._events.watch([topic.exercise])
        self._open(topic)

    def _edit(self, topic: Topic) -> None:
        trouble = opened(topic.exercise, self._events)
        if trouble is not None:
            self._view.say(trouble)

    def _standings(self) -> Mapping[str, Standing] | None:
        """Where the learner stands; says why if that cannot be told."""
        try:
            return standings(self._catalog, self._progress, clock.now())
        except ProgressUnavailable as problem:
            self._view.say(str(problem))
            return None

    def _along(self, standing: Mapping[str, Standing]) -> Followed | None:
        """The track that the learner follows."""
        try:
            return followed(chosen_track(self._catalog, self._progress), standing)
        except ProgressUnavailable as problem:
            self._view.say(str(problem))
            return None

    def _show_grading(self) -> None:
        self._view.show_grading(self._judge.waited)

    def _taken_notes(self) -> list[str]:
        notes = list(dict.fromkeys(self._notes))
        self._notes.clear()
        return notes


def _with_short_path(verdict: Verdict, topic: Topic) -> Verdict:
    return replace(verdict, file=topic.exercise_name)
