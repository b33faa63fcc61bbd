"""Several judges at once, each with a thread that waits for it."""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from grader.batch.running.source_judge import SourceJudge
from grader.batch.running.work import Graded, Work, content_of
from grader.judge.service.remote import JudgeFault
from grader.judge.source import Unreadable
from grader.judge.verdict import Outcome, Verdict

MakeJudge = Callable[[], SourceJudge]


class Pool:
    """So many judges, until all is graded. A context manager: leaving it ends them, whatever they do.

    A judge that dies is replaced, and what it was at is graded once more when all others are done: alone, so
    that it cannot be a victim of its neighbours. If a judge dies of it again, that is its row.
    """

    def __init__(self, make: MakeJudge, jobs: int) -> None:
        self._make = make
        self._jobs = jobs
        self._done: queue.Queue[Graded | BaseException] = queue.Queue()
        self._changed = threading.Lock()
        self._waiting: dict[str, deque[Work]] = {}  # by topic
        self._at: dict[int, str] = {}  # topics that judges are at, by judge
        self._judges: dict[int, SourceJudge] = {}
        self._threads: list[threading.Thread] = []
        self._is_over = False

    def graded(self, works: Sequence[Work]) -> Iterator[Graded]:
        """What comes of each, as it comes."""
        died = []
        for graded in self._round(works, self._jobs):
            if graded.fault is None:
                yield graded
            else:
                died.append(graded.work)
        for work in died:
            yield from self._round([work], 1)

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *exception: object) -> None:
        with self._changed:
            self._is_over = True
            judges = list(self._judges.values())
        for judge in judges:
            judge.kill()
        for thread in self._threads:
            thread.join()

    def _round(self, works: Sequence[Work], jobs: int) -> Iterator[Graded]:
        for work in works:
            self._waiting.setdefault(work.topic, deque()).append(work)
        threads = [
            threading.Thread(target=self._serve, args=[number], daemon=True)
            for number in range(min(jobs, len(works)))
        ]
        self._threads += threads
        for thread in threads:
            thread.start()
        for _ in works:
            graded = self._done.get()
            if isinstance(graded, BaseException):
                raise graded
            yield graded
        for thread in threads:
            thread.join()
            self._threads.remove(thread)

    def _serve(self, number: int) -> None:
        try:
            while (work := self._next(number)) is not None:
                self._done.put(self._graded(number, work))
        except BaseException as error:
            self._done.put(error)
        finally:
            self._end(number)

    def _next(self, number: int) -> Work | None:
        """Of the topic that this judge was at, if it can be: it remembers that topic's mistakes. Else of one
        that no other is at, the largest.
        """
        with self._changed:
            if self._is_over or not self._waiting:
                return None
            mine, others = self._at.get(number), set(self._at.values())
            sizes = {topic: (topic not in others, len(works)) for topic, works in self._waiting.items()}
            topic = mine if mine in self._waiting else max(sizes, key=lambda each: sizes[each])
            assert topic is not None
            self._at[number] = topic
            work = self._waiting[topic].popleft()
            if not self._waiting[topic]:
                del self._waiting[topic]
            return work

    def _graded(self, number: int, work: Work) -> Graded:
        sha256 = work.sha256
        try:
            data, sha256 = content_of(work.path)  # it may have changed since it was found
            judge = self._judge(number)
            return Graded(work, sha256, judge.grade(work.topic, data))
        except Unreadable as reason:
            verdict = Verdict(work.topic, str(work.path), Outcome.UNREADABLE, message=str(reason))
            return Graded(work, sha256, verdict)
        except (JudgeFault, OSError) as fault:
            self._end(number)
            return Graded(work, sha256, None, f"The judge failed twice: {_last_line(fault)}")

    def _judge(self, number: int) -> SourceJudge:
        with self._changed:
            if number not in self._judges and not self._is_over:
                self._judges[number] = self._make()
            if self._is_over:
                raise JudgeFault("ended")
            return self._judges[number]

    def _end(self, number: int) -> None:
        with self._changed:
            judge = self._judges.pop(number, None)
        if judge is not None:
            judge.close()


def _last_line(fault: BaseException) -> str:
    """Of a traceback, what happened."""
    lines = str(fault).strip().splitlines()
    return lines[-1] if lines else type(fault).__name__
