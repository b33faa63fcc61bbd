"""A topic that is worked at: `make watch` for pages. All pages that show the topic look at one of these."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime

from grader.curriculum.catalog import Catalog, Topic
from grader.judge.verdict import Verdict
from grader.practice.live.background_judge import Grader
from grader.practice.live.watch import Watch
from grader.practice.plan.standing import Standing
from grader.practice.plan.steps import Step
from grader.practice.record.progress import Progress
from grader.practice.record.unavailable import ProgressUnavailable
from grader.practice.schedule import Card
from grader.web.stage import Stage


class Bench(Stage):
    """See `grader.practice.live.watch.View`: this is one."""

    has_one_page = False

    def __init__(
        self,
        topic: Topic,
        catalog: Catalog,
        progress: Progress,
        notes: list[str],
        judge: Grader,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """`notes` is where the progress puts what it has to say."""
        super().__init__([topic.exercise], loop)
        self.topic = topic
        self.verdict: Verdict | None = None
        self.is_searching = False
        """Whether its mistake is still looked for, or other inputs are tried."""
        self.card: Card | None = None
        """The topic's new place in the schedule, if the verdict was a review."""
        self.hints = _hints_taken(progress, topic)
        """How many are shown."""
        self.waited: float | None = None
        """For how many seconds a verdict has been waited for."""
        self.remarks: tuple[str, ...] = ()
        self._watch = Watch(catalog, topic, progress, notes, self.events, judge, self)

    def work(self) -> None:
        """Watch until the last page is closed."""
        self._watch.run()

    def show_start(self, topic: Topic | None, step: Step | None) -> None:
        """Nothing is graded yet."""
        self.changed()

    def show_checks(self, verdict: Verdict) -> None:
        """A verdict that is not complete."""
        self.verdict, self.is_searching, self.card, self.remarks = verdict, True, None, ()
        self.changed()

    def show_verdict(self, verdict: Verdict, card: Card | None, notes: Sequence[str]) -> None:
        """A verdict."""
        self.verdict, self.is_searching, self.card, self.remarks = verdict, False, card, tuple(notes)
        self.changed()

    def show_more_or_less(self) -> None:
        """A page always has all of it."""

    def show_hint(self, topic: Topic, level: int, notes: Sequence[str]) -> None:
        """One hint more."""
        self.hints, self.remarks = level, tuple(notes)
        self.changed()

    def show_list(self, standing: Mapping[str, Standing], step: Step, now: datetime) -> None:
        """The list is a page of its own."""

    def show_grading(self, seconds: float | None) -> None:
        """For how long a verdict has been waited for."""
        if (seconds is None) != (self.waited is None) or int(seconds or 0) != int(self.waited or 0):
            self.waited = seconds
            self.changed()

    def say(self, sentence: str) -> None:
        """What cannot be done."""
        if sentence:
            self.remarks = (sentence,)
            self.changed()

    def repaint(self) -> None:
        """Pages do that themselves."""


def _hints_taken(progress: Progress, topic: Topic) -> int:
    try:
        return progress.attempts.hints_taken(topic.id)
    except ProgressUnavailable:
        return 0
