"""Putting something else into an exercise without losing what was written there."""

from grader.curriculum.catalog import Topic
from grader.curriculum.exercises.files import replace_content, replace_text
from grader.practice.exercises.contents import is_changed, stub
from grader.practice.record.attempts import Attempt
from grader.practice.record.progress import Progress


def reset_exercise(topic: Topic, progress: Progress) -> Attempt | None:
    """Make the exercise its stub again; gives the attempt that keeps an answer that stood there. Raises
    OSError.
    """
    return put(topic, stub(topic).encode(), progress)


def ensure_exercise(topic: Topic) -> None:
    """Make the blank exercise where there is none. Raises OSError."""
    if not topic.exercise.exists():
        replace_text(topic.exercise, stub(topic))


def put(topic: Topic, content: bytes, progress: Progress) -> Attempt | None:
    """Make that the content of the exercise; gives the attempt that keeps an answer that stood there. Raises
    OSError.
    """
    kept = None
    if is_changed(topic) and topic.exercise.read_bytes() != content:
        kept = progress.attempts.set_aside(topic.name, topic.exercise.read_bytes())
    replace_content(topic.exercise, content)
    return kept
