"""Grading in the background, while keys go on working."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.catalog import Topic
from grader.judge.remote import JudgeFault, RemoteJudge
from grader.judge.verdict import Verdict
from grader.practice.attempts import readable_source
from grader.practice.events import Failed, Graded, GradingBegun

PATIENCE = 3.0
"""Seconds that a grading gets whose answer has been saved anew: what takes longer is an endless loop, mostly.
The judge is begun anew then, which takes about two seconds.
"""


class BackgroundJudge:
    """A warm judge that posts a `Graded` for each submission. A context manager; it loads torch at once.

    Of several submissions of one file only the newest is graded, and an older one that is under way is not
    posted. Leaving the context never waits for an endless answer.
    """

    def __init__(self, post: Callable[[Graded | GradingBegun | Failed], None], **options: Any) -> None:
        """`options` are those of `grader.judge.session.Judge`."""
        self._post = post
        self._options = options
        self._changed = threading.Condition()
        self._waiting: dict[Path, Topic] = {}  # in the order of submission
        self._under_way: Path | None = None
        self._begun = 0.0
        self._is_given_up = False
        self._is_over = False
        self._judge = RemoteJudge(**options)
        self._thread = threading.Thread(target=self._work, daemon=True)

    def submit(self, topic: Topic, path: Path) -> None:
        """Grade what stands in the file as an answer to the topic."""
        with self._changed:
            if path not in self._waiting and path != self._under_way:
                self._post(GradingBegun())
            elif path == self._under_way and path not in self._waiting:
                patience = max(self._begun + PATIENCE - time.monotonic(), 0.0)
                timer = threading.Timer(patience, self._give_up, [self._begun])
                timer.daemon = True
                timer.start()
            self._waiting[path] = topic
            self._changed.notify_all()

    def prime(self, topic: Topic) -> None:
        """Grade the topic's solution for nobody, so that the first verdict comes as fast as later ones."""
        with self._changed:
            self._waiting.setdefault(topic.solution, topic)
            self._changed.notify_all()

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
            while (submission := self._next()) is not None:
                topic, path = submission
                source = readable_source(path)
                verdict = self._verdict(topic, path)
                with self._changed:
                    self._under_way = None
                    if verdict is not None and path not in self._waiting and path != topic.solution:
                        self._post(Graded(path, source, verdict))
        except BaseException as error:
            if not self._is_over:
                self._post(Failed(error))

    def _next(self) -> tuple[Topic, Path] | None:
        """The submission that has waited longest; None when all is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_over)
            if self._is_over:
                return None
            path = next(iter(self._waiting))
            self._under_way, self._begun, self._is_given_up = path, time.monotonic(), False
            return self._waiting.pop(path), path

    def _verdict(self, topic: Topic, path: Path) -> Verdict | None:
        """None where it was given up."""
        try:
            return self._judge.grade(topic.id, path)
        except JudgeFault:
            with self._changed:
                if self._is_over or not self._is_given_up:
                    raise
                self._judge.close()
                self._judge = RemoteJudge(**self._options)
                return None

    def _give_up(self, begun: float) -> None:
        """End the judge if it is still at the grading that was begun then."""
        with self._changed:
            if self._under_way is not None and self._begun == begun and not self._is_over:
                self._is_given_up = True
                self._judge.kill()
