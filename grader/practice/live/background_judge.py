"""Grading in the background, while keys go on working."""

import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from grader.curriculum.catalog import Topic
from grader.judge.service.remote import JudgeFault, RemoteJudge
from grader.judge.verdict import Verdict
from grader.practice.live.events import Checked, Failed, Graded, GradingBegun, PassedOnce
from grader.practice.record import clock
from grader.practice.record.attempts import readable_source

PATIENCE = 3.0
"""Seconds that a grading gets whose answer has been saved anew: what takes longer is an endless loop, mostly.
The judge is begun anew then, which takes about two seconds.
"""


class Grader(Protocol):
    """Who is asked for verdicts, which come in as events."""

    def submit(self, topic: Topic, path: Path) -> None:
        """Grade what stands in the file as an answer to the topic."""

    def prime(self, topic: Topic) -> None:
        """Grade the topic's solution for nobody, so that the first verdict comes as fast as later ones."""

    @property
    def waited(self) -> float | None:
        """For how many seconds somebody has waited for a verdict; None when nobody waits."""


@dataclass
class _Grading:
    """One submission, from when it is made until its verdict is there. Times are on time.monotonic."""

    topic: Topic
    path: Path
    in_two_steps: bool
    submitted: float = field(default_factory=time.monotonic)
    begun: float = 0.0
    is_checked: bool = False
    is_posted: bool = False  # in its first step
    is_given_up: bool = False

    @property
    def is_for_nobody(self) -> bool:
        return self.path == self.topic.solution


class BackgroundJudge:
    """A warm judge that posts a `Graded` for each submission. A context manager; it loads torch at once.

    `in_two_steps`, a `Checked` comes before it if a mistake is looked for, a `PassedOnce` if all checks pass.
    Of several submissions of one file only the newest is graded to its end; an older one whose `Checked` was
    posted still gets its `Graded`, without the mistake. Leaving the context never waits for an endless
    answer.
    """

    def __init__(
        self,
        post: Callable[[Checked | PassedOnce | Graded | GradingBegun | Failed], None],
        in_two_steps: bool = False,
        **options: Any,
    ) -> None:
        """`options` are those of `grader.judge.session.Judge`."""
        self._post = post
        self._in_two_steps = in_two_steps
        self._options = options
        self._changed = threading.Condition()
        self._waiting: dict[Path, _Grading] = {}  # in the order of submission
        self._under_way: _Grading | None = None
        self._is_over = False
        self._judge = RemoteJudge(**options)
        self._thread = threading.Thread(target=self._work, daemon=True)

    def submit(self, topic: Topic, path: Path, in_two_steps: bool | None = None) -> None:
        """Grade what stands in the file as an answer; `in_two_steps`, where it is not as usual."""
        if in_two_steps is None:
            in_two_steps = self._in_two_steps
        with self._changed:
            if path in self._waiting:
                return
            older = self._under_way
            if older is None or older.path != path:
                self._post(GradingBegun())
            elif older.is_checked:
                self._judge.hurry()
            else:
                patience = max(older.begun + PATIENCE - time.monotonic(), 0.0)
                timer = threading.Timer(patience, self._give_up, [older])
                timer.daemon = True
                timer.start()
            self._waiting[path] = _Grading(topic, path, in_two_steps)
            self._changed.notify_all()

    def prime(self, topic: Topic) -> None:
        """Grade the topic's solution for nobody, so that the first verdict comes as fast as later ones."""
        with self._changed:
            self._waiting.setdefault(topic.solution, _Grading(topic, topic.solution, False))
            self._changed.notify_all()

    @property
    def waited(self) -> float | None:
        """For how many seconds somebody has waited for a verdict; None when nobody waits."""
        return self.waited_for(None)

    def waited_for(self, paths: Collection[Path] | None) -> float | None:
        """The same of verdicts on these files, or (None) on any."""
        with self._changed:
            for grading in (self._under_way, *self._waiting.values()):
                if grading is None or grading.is_for_nobody:
                    continue
                if paths is None or grading.path in paths:
                    return time.monotonic() - grading.submitted
            return None

    def __enter__(self) -> "BackgroundJudge":
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
            self._judge.kill()
        self._thread.join()
        self._judge.close()

    def _work(self) -> None:
        try:
            while (grading := self._next()) is not None:
                started, source = clock.now(), readable_source(grading.path)
                verdict = self._verdict(grading)
                with self._changed:
                    self._under_way = None
                    if verdict is not None and self._is_wanted(grading):
                        if grading.path in self._waiting:
                            self._post(GradingBegun())  # of the newer one: that of the older ends now
                        self._post(Graded(grading.path, source, verdict, started))
        except BaseException as error:
            if not self._is_over:
                self._post(Failed(error))

    def _next(self) -> _Grading | None:
        """The submission that has waited longest; None when all is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_over)
            if self._is_over:
                return None
            self._under_way = self._waiting.pop(next(iter(self._waiting)))
            self._under_way.begun = time.monotonic()
            return self._under_way

    def _verdict(self, grading: _Grading) -> Verdict | None:
        """None where it was given up."""
        try:
            return self._judge.grade(
                grading.topic.id,
                grading.path,
                lambda verdict: self._take_checks(grading, verdict),
                lambda verdict: self._take_pass(grading, verdict),
            )
        except JudgeFault:
            with self._changed:
                if self._is_over or not grading.is_given_up:
                    raise
                self._judge.close()
                self._judge = RemoteJudge(**self._options)
                return None

    def _take_checks(self, grading: _Grading, verdict: Verdict) -> None:
        with self._changed:
            grading.is_checked = True
            if grading.path in self._waiting:
                self._judge.hurry()
            elif grading.in_two_steps:
                grading.is_posted = True
                self._post(Checked(grading.path, verdict))

    def _take_pass(self, grading: _Grading, verdict: Verdict) -> None:
        with self._changed:
            if grading.in_two_steps and not grading.is_for_nobody and grading.path not in self._waiting:
                self._post(PassedOnce(grading.path, verdict))

    def _is_wanted(self, grading: _Grading) -> bool:
        """Whether the verdict is to be posted: not if there is a newer submission, unless half of it was."""
        is_newest = grading.path not in self._waiting
        return not grading.is_for_nobody and (is_newest or grading.is_posted)

    def _give_up(self, grading: _Grading) -> None:
        """End the judge if it is still at this grading."""
        with self._changed:
            if self._under_way is grading and not self._is_over:
                grading.is_given_up = True
                self._judge.kill()
