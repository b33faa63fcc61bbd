"""Work sent to a cluster, and what comes back, in whatever order."""

import base64
import json
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from grader.batch.cluster.task import Content, grade_contents
from grader.batch.running.work import Graded, Work, content_of
from grader.judge.source import Unreadable
from grader.judge.verdict import Outcome, Verdict

TOGETHER = 50
"""Contents in a task."""
UNDER_WAY = 4
"""Tasks for each thread of the cluster at a time: contents are read when they are sent."""


class NoCluster(Exception):
    """There is none to be reached; the message says why, in a sentence."""


class ClusterGrading:
    """Grades by a scheduler at an address (`tcp://10.0.0.5:8786`). A context manager.

    A worker that is lost costs time: Dask gives its task to another. A task that loses four workers in turn
    is told as a fault of each of its contents. Each content comes back once.
    """

    def __init__(self, address: str, together: int = TOGETHER) -> None:
        """Raises NoCluster."""
        try:
            from distributed import Client
        except ImportError:
            raise NoCluster("--cluster needs Dask: pip install 'byheart[cluster]'") from None
        try:
            self._client: Any = Client(address, timeout="10s", set_as_default=False)
        except (OSError, ValueError, TimeoutError) as problem:
            raise NoCluster(f"There is no cluster at {address}: {problem}") from None
        self._together = together

    def graded(self, works: Sequence[Work]) -> Iterator[Graded]:
        """What comes of each, as it comes."""
        from distributed import as_completed

        threads = sum(self._client.nthreads().values())
        together = max(1, min(self._together, len(works) // max(threads, 1)))
        waiting = deque(_batched(works, together))
        sent: dict[str, list[tuple[Work, str]]] = {}
        coming: Any = as_completed([], loop=self._client.loop)
        for _ in range(UNDER_WAY * max(threads, 1)):
            yield from self._send(waiting, sent, coming)
        for future in coming:
            batch = sent.pop(future.key)
            if future.status == "finished":
                replies = future.result()
            else:
                fault = json.dumps({"fault": f"the cluster gave it up: {future.exception()}"})
                replies = [fault] * len(batch)
            for (work, sha256), reply in zip(batch, replies, strict=True):
                yield _graded(work, sha256, reply)
            yield from self._send(waiting, sent, coming)

    def _send(
        self, waiting: deque[tuple[Work, ...]], sent: dict[str, list[tuple[Work, str]]], coming: Any
    ) -> Iterator[Graded]:
        """Send the next task; gives what cannot even be read."""
        batch: list[tuple[Work, str]] = []
        contents: list[Content] = []
        while waiting and not contents:
            for work in waiting.popleft():
                try:
                    data, sha256 = content_of(work.path)
                except Unreadable as reason:
                    verdict = Verdict(work.topic, str(work.path), Outcome.UNREADABLE, message=str(reason))
                    yield Graded(work, work.sha256, verdict)
                    continue
                batch.append((work, sha256))
                contents.append((work.topic, work.curriculum, base64.b64encode(data).decode()))
        if contents:
            future = self._client.submit(grade_contents, contents, pure=False)
            sent[future.key] = batch
            coming.add(future)

    def __enter__(self) -> "ClusterGrading":
        return self

    def __exit__(self, *exception: object) -> None:
        self._client.close()


def _batched(works: Sequence[Work], together: int) -> Iterator[tuple[Work, ...]]:
    """By topic: a judge remembers the mistakes of the topic that it is at."""
    by_topic = sorted(works, key=lambda work: work.topic)
    yield from (tuple(by_topic[at : at + together]) for at in range(0, len(by_topic), together))


def _graded(work: Work, sha256: str, reply: str) -> Graded:
    values = json.loads(reply)
    if "fault" in values:
        lines = str(values["fault"]).strip().splitlines()
        return Graded(work, sha256, None, lines[-1] if lines else "unknown")
    return Graded(work, sha256, Verdict.from_json(reply))
