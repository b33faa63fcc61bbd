"""What is to be graded: submissions with the same content are graded once."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.batch.finding.submission import Submission
from grader.batch.results.log import ResultsLog
from grader.batch.results.row import Row
from grader.judge.source import Unreadable, read_data
from grader.judge.verdict import Outcome, Verdict
from grader.practice.record import clock


@dataclass
class Work:
    """One content for one topic, and the files that have it."""

    topic: str
    curriculum: str
    sha256: str
    submissions: list[Submission] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """One of the files."""
        return self.submissions[0].path

    def rows(self, graded: "Graded") -> Iterator[Row]:
        """What came of it, for each of the files."""
        finished = clock.written(clock.now())
        for each in self.submissions:
            verdict = None if graded.verdict is None else replace(graded.verdict, file=each.file)
            yield Row(
                *(each.student, each.topic, each.file, graded.sha256, self.curriculum, finished),
                *(verdict, graded.fault),
            )


@dataclass(frozen=True)
class Graded:
    """What came of a piece of work: a verdict on what the file held then, or the fault for which there is
    none.
    """

    work: Work
    sha256: str
    verdict: Verdict | None
    fault: str | None = None


def shared(sha256: str | None, submission: Submission, parts: int) -> int:
    """Which of so many parts (from 1 on) a submission belongs to: files with the same content to one."""
    text = sha256 or hashlib.sha256(submission.file.encode()).hexdigest()
    return int(text[:15], 16) % parts + 1


def plan(
    submissions: Iterable[Submission],
    curricula: dict[str, str],
    log: ResultsLog,
    shard: tuple[int, int] = (1, 1),
) -> Iterator[Work | Row]:
    """What is left to do: work, and rows that need no judge (what cannot be read, or was graded already when
    another handed it in). `curricula` by topic; `shard`: which part of how many this is.
    """
    works: dict[tuple[str | None, str, str], Work] = {}
    for each in submissions:
        sha256, reason = _content(each)
        if shared(sha256, each, shard[1]) != shard[0]:
            continue
        curriculum, finished = curricula[each.topic], clock.written(clock.now())
        verdict = Verdict(each.topic, each.file, Outcome.UNREADABLE, message=reason) if reason else None
        row = Row(each.student, each.topic, each.file, sha256, curriculum, finished, verdict)
        if log.is_known(row):
            continue
        if sha256 is None:
            yield row
        elif (before := log.same_content(row)) is not None and before.verdict is not None:
            yield replace(row, verdict=replace(before.verdict, file=each.file))
        else:
            work = works.setdefault(row.content, Work(each.topic, curriculum, sha256))
            work.submissions.append(each)
    yield from works.values()


def content_of(path: Path) -> tuple[bytes, str]:
    """What is in the file, and its hash. Raises Unreadable."""
    data = read_data(path)
    return data, hashlib.sha256(data).hexdigest()


def _content(submission: Submission) -> tuple[str | None, str | None]:
    """The hash of its content, or why there is none."""
    if submission.problem is not None:
        return None, submission.problem
    try:
        return content_of(submission.path)[1], None
    except Unreadable as reason:
        return None, str(reason)
