"""What follows from a verdict or a look at the solution: an attempt is kept, a review may be due for it."""

from datetime import datetime

from grader.curriculum.catalog import Topic
from grader.judge.verdict import Outcome, Verdict
from grader.practice.record import clock
from grader.practice.record.progress import Progress
from grader.practice.schedule import Card, Rating, proposed_rating


def record_check(
    progress: Progress, topic: Topic, verdict: Verdict, mode: str, started: datetime, source: bytes | None
) -> Card | None:
    """Keep an untimed verdict, and say where it put the topic in the schedule, if it was a review. A pass is
    one if the topic has none yet, or if one is due and the exercise was blanked since it was last passed: an
    old answer that still passes shows nothing.
    """
    card = progress.reviews.cards().get(topic.id)
    afresh = progress.attempts.is_afresh(topic.id)
    seconds = progress.attempts.seconds_since_blank(topic.id, started) if verdict.passed else None
    attempt = progress.attempts.record(verdict, mode, started, source, seconds=seconds)
    if verdict.outcome is Outcome.NOT_STARTED:
        progress.attempts.note_blank(topic.id)
    if not verdict.passed or not (card is None or (card.is_due(clock.now()) and afresh)):
        return None
    budget = 60.0 * topic.minutes
    rating = proposed_rating(True, None, budget, attempt.hints, attempt.solution_seen, tries=1)
    return progress.reviews.add(topic.id, rating)


def costs_nothing(progress: Progress, topic: Topic) -> bool:
    """Whether the solution may be seen for nothing: the topic is passed, and no review of it is due. Then it
    is a comparison with one's own answer.
    """
    card = progress.reviews.cards().get(topic.id)
    summary = progress.attempts.summaries().get(topic.id)
    is_passed = summary is not None and summary.last is Outcome.PASSED
    return is_passed and not (card is not None and card.is_due(clock.now()))


def record_solution(progress: Progress, topic: Topic) -> Card | None:
    """Note that the solution was shown. Unless that costs nothing, the review counts as forgotten: its new
    card is given.
    """
    is_free = costs_nothing(progress, topic)
    progress.attempts.note_help(topic.id, None)
    return None if is_free else progress.reviews.add(topic.id, Rating.AGAIN)
