"""The beginning of a drill or a mock interview: what was in the exercises is kept, then they are blanked."""

from collections.abc import Callable, Sequence

from grader.curriculum.catalog import Topic
from grader.practice.command_line import typed
from grader.practice.exercises.levels import text_at
from grader.practice.exercises.replacing import put
from grader.practice.record.attempts import Attempt
from grader.practice.record.progress import Progress
from grader.practice.record.sessions import Session
from grader.practice.schedule import Level
from grader.practice.timed.drill import Drill
from grader.practice.timed.mock import begun
from grader.practice.timed.resuming import drill_details, mock_details

Kept = Callable[[Topic, Attempt], str]
"""Says that what was in an exercise is kept, and where."""


class NotBlanked(Exception):
    """An exercise cannot be written; the message is a sentence for the learner."""


def kept_for_restore(topic: Topic, kept: Attempt) -> str:
    """With the command that brings it back."""
    return f"What was there is kept: {typed('restore', topic=topic.name, attempt=kept.id)}"


def begun_drill(
    topic: Topic,
    level: Level | None,
    minutes: int | None,
    progress: Progress,
    notes: list[str],
    told: Kept = kept_for_restore,
) -> Session:
    """A new drill, at the level and in the time that the topic asks for unless these are given. `notes` gets
    what is `told` of what was in the exercise. Raises NotBlanked.
    """
    level = level or _asked_level(topic, progress)
    budget = 60.0 * (minutes or topic.minutes)
    _blank([topic], level, progress, notes, told)
    details = drill_details(Drill(topic, level, budget, None, ()))
    return progress.sessions.start("drill", (topic.id,), budget, details)


def begun_mock(
    topics: tuple[Topic, ...],
    minutes: int,
    seed: int,
    progress: Progress,
    notes: list[str],
    told: Kept = kept_for_restore,
) -> Session:
    """A new mock interview; `notes` and `told` as for a drill. Raises NotBlanked."""
    budget = 60.0 * minutes
    _blank(topics, Level.STUB, progress, notes, told)
    details = mock_details(begun(topics, budget, seed))
    return progress.sessions.start("mock", tuple(topic.name for topic in topics), budget, details)


def _asked_level(topic: Topic, progress: Progress) -> Level:
    """That of the schedule; but what was never passed has signatures in it."""
    card = progress.reviews.cards().get(topic.id)
    summary = progress.attempts.summaries().get(topic.id)
    if card is None or (card.level is Level.EMPTY and not (summary and summary.has_passed)):
        return Level.STUB
    return card.level


def _blank(topics: Sequence[Topic], level: Level, progress: Progress, notes: list[str], told: Kept) -> None:
    for topic in topics:
        try:
            kept = put(topic, text_at(topic, level).encode(), progress)
        except OSError as error:
            file = topic.exercise_name
            raise NotBlanked(f"{file} cannot be written: {error.strerror or error}.") from None
        if kept is not None:
            notes.append(told(topic, kept))
