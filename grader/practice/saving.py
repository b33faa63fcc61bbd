"""Blanking an exercise without losing what was written: it is saved under `.practice/saved` first."""

import os
from datetime import UTC, datetime
from pathlib import Path

from grader.catalog import Topic
from grader.practice.exercises import is_changed, stub
from grader.stubs import replace_text


def reset_exercise(topic: Topic) -> Path | None:
    """Make the exercise its stub again; gives where an answer that stood there was saved. Raises OSError."""
    saved = save(topic) if is_changed(topic) else None
    replace_text(topic.exercise, stub(topic))
    return saved


def save(topic: Topic) -> Path:
    """A copy of the exercise, byte for byte, named for the time in UTC."""
    folder = topic.root / ".practice" / "saved" / topic.id
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{datetime.now(UTC):%Y-%m-%dT%H%M%S.%fZ}.py"
    draft = copy.with_suffix(f".{os.getpid()}")
    draft.write_bytes(topic.exercise.read_bytes())
    draft.replace(copy)
    return copy
