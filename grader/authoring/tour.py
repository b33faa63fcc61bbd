"""The README's pictures of an evening of practice: a learner who does not exist, weeks into the curriculum.

What is shown is made by what makes it for everybody; only the past is invented, and the clock stands still.
"""

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.text import Text

from grader.curriculum.catalog import Catalog, Topic
from grader.curriculum.workspace import Workspace
from grader.judge.verdict import Check, Diagnosis, Outcome, Verdict
from grader.practice.plan.standing import Standing, State, standings
from grader.practice.plan.statistics import load_statistics
from grader.practice.plan.steps import next_step
from grader.practice.record.progress import Progress, open_progress
from grader.practice.schedule import Level, Rating
from grader.practice.timed.drill import Drill, Page
from grader.practice.timed.mock import End, Mock, begun, ended, graded, saved
from grader.show.pages import drill as drill_pages
from grader.show.pages import mock as mock_pages
from grader.show.pages.topic_list import catalog_text
from grader.show.statistics.stats import statistics_text
from grader.show.terminal.console import WIDTH

NOW = datetime(2026, 3, 20, 18, 30, tzinfo=UTC)

# Days ago, topic, mode, seconds, mistakes named before it passed, rating.
_PAST: list[tuple[int, str, str, float | None, tuple[str, ...], Rating]] = [
    (33, "softmax", "check", None, ("no-max-subtracted",), Rating.GOOD),
    (32, "layer_norm", "check", None, ("variance-unbiased", "eps-outside-the-root"), Rating.HARD),
    (31, "softmax", "drill", 402.0, (), Rating.GOOD),
    (29, "rms_norm", "drill", 251.0, (), Rating.GOOD),
    (29, "layer_norm", "drill", 466.0, (), Rating.GOOD),
    (26, "softmax", "drill", 287.0, (), Rating.GOOD),
    (25, "sdpa", "drill", 655.0, ("scale-missing",), Rating.HARD),
    (22, "mha", "check", None, ("heads-merged-without-transpose",), Rating.AGAIN),
    (20, "sdpa", "drill", 548.0, (), Rating.GOOD),
    (19, "mha", "drill", 1043.0, ("scale-by-hidden-size",), Rating.HARD),
    (17, "layer_norm", "drill", 339.0, (), Rating.GOOD),
    (13, "rope", "drill", 1310.0, ("rotate-half-interleaved",), Rating.AGAIN),
    (12, "rope", "drill", 1122.0, (), Rating.HARD),
    (11, "softmax", "drill", 214.0, (), Rating.EASY),
    (9, "mha", "mock", 831.0, (), Rating.GOOD),
    (8, "top_k", "drill", 388.0, (), Rating.GOOD),
    (7, "rms_norm", "drill", 198.0, (), Rating.GOOD),
    (5, "swiglu", "drill", 402.0, (), Rating.GOOD),
    (4, "cross_entropy", "drill", 911.0, ("ignored-rows-counted",), Rating.HARD),
    (3, "rope", "drill", 967.0, (), Rating.GOOD),
    (2, "gqa", "check", None, ("kv-heads-tiled",), Rating.AGAIN),
    (1, "sdpa", "drill", 421.0, (), Rating.GOOD),
    (0, "top_k", "drill", 305.0, (), Rating.GOOD),
]
_CHECKS = (Check("test_a", "A", Outcome.PASSED),)
_UNFINISHED = {"gqa"}
"""What did not pass in the end."""


Grade = Callable[[Topic, str], Verdict]


def tour_pages(catalog: Catalog, grade: Grade) -> dict[str, tuple[str, Text]]:
    """The pages by the names of their pictures, each with the command that shows it. `grade` gives the
    verdict on a text as an answer to a topic.
    """
    with _in_utc(), tempfile.TemporaryDirectory() as folder:
        progress = open_progress(Workspace(Path(folder)))
        _live(progress)
        where = _standings(catalog, progress)
        statistics = load_statistics(catalog, progress, NOW)
        return {
            "list": ("make list", catalog_text(catalog, where, next_step(where, NOW), NOW, WIDTH)),
            "drill": ("make drill topic=swiglu", _drill_page(catalog, grade)),
            "mock": ("make mock minutes=40", mock_pages.card_text(_mock(catalog, grade), WIDTH)),
            "stats": ("make stats", statistics_text(statistics, catalog, WIDTH)),
        }


def _live(progress: Progress) -> None:
    """Let the past happen."""
    for days, topic, mode, seconds, mistakes, rating in _PAST:
        begun_at = NOW - timedelta(days=days, hours=1)
        session = None
        if seconds is not None:
            session = progress.sessions.start(mode, (topic,), 0.0, {}).id
            progress.sessions.save(session, seconds, "passed")
        for mistake in mistakes:
            wrong = Verdict(topic, "", Outcome.FAILED, _CHECKS, Diagnosis(mistake, ""))
            progress.attempts.record(wrong, mode, begun_at, None, session=session, seconds=seconds)
        if topic not in _UNFINISHED:
            right = Verdict(topic, "", Outcome.PASSED, _CHECKS)
            progress.attempts.record(right, mode, begun_at, None, session=session, seconds=seconds)
            progress.reviews.add(topic, rating, Level.STUB, at=NOW - timedelta(days=days))


def _standings(catalog: Catalog, progress: Progress) -> dict[str, Standing]:
    """Where the learner stands; what the reader of this project has begun is none of it."""
    return {
        id_: replace(standing, state=State.NEW) if standing.state is State.STARTED else standing
        for id_, standing in standings(catalog, progress, NOW).items()
    }


def _drill_page(catalog: Catalog, grade: Grade) -> Text:
    """A drill at its third minute: the answer that was just saved makes a mistake."""
    topic = catalog["swiglu"]
    verdict = grade(topic, _mistaken(topic, "F.silu(self.gate_proj(x))", "F.sigmoid(self.gate_proj(x))"))
    drill = Drill(
        topic, Level.STUB, 60.0 * topic.minutes, 402.0, (), page=Page.VERDICT, verdict=verdict, tries=1
    )
    body = drill_pages.body_text(drill, catalog, WIDTH, has_keys=True)
    status = drill_pages.status_text(drill, 157.0, is_grading=False, has_keys=True)
    return Text("\n\n").join([body, status])


def _mock(catalog: Catalog, grade: Grade) -> Mock:
    """An interview with one pass, one mistake that was found, and one that was not."""
    softmax, mha, top_p = topics = (catalog["softmax"], catalog["mha"], catalog["top_p"])
    interview = begun(topics, 40 * 60.0, seed=7)
    for number, seconds, answer in [
        (0, 312.0, _solution(softmax)),
        (1, 980.0, _mistaken(mha, "math.sqrt(self.head_dim)", "math.sqrt(hidden_size)")),
        (1, 1236.0, _solution(mha)),
        (2, 2127.0, _mistaken(top_p, "probs.cumsum(dim=-1) - probs", "probs.cumsum(dim=-1)")),
    ]:
        interview, _ = saved(interview, number, seconds)
        interview = graded(interview, number, grade(topics[number], answer), seconds, 0, False)
    return ended(interview, End.TIME, interview.budget)


def _solution(topic: Topic) -> str:
    return topic.solution.read_text(encoding="utf-8")


def _mistaken(topic: Topic, find: str, replacement: str) -> str:
    text = _solution(topic)
    if text.count(find) != 1:
        raise ValueError(f"{find!r} stands {text.count(find)} times in the solution of {topic.id}")
    return text.replace(find, replacement)


@contextlib.contextmanager
def _in_utc() -> Iterator[None]:
    """Days as they are in UTC: pictures are the same wherever they are made."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()
