"""A hint as text."""

from grader.curriculum.catalog import Topic
from grader.practice.command_line import typed
from grader.show.terminal.wrapping import refilled, wrapped_code, wrapped_words
from grader.show.verdicts.next_step import more_help


def hint_text(topic: Topic, level: int, width: int, key: str | None = None) -> str:
    """The hint of a level (from 1), and how to get further: by a key, where there is one for it."""
    heading = wrapped_words(f"{topic.id}  {topic.title}: hint {level} of {len(topic.hints)}", width)
    further = wrapped_words(f"Next: {_next(topic, level, key)}", width)
    return f"{heading}\n\n{hint_body(topic, level, width)}\n\n{further}"


def hint_body(topic: Topic, level: int, width: int) -> str:
    """The hint alone: words, or (the last one) the skeleton of a solution."""
    hint = topic.hints[level - 1].strip("\n")
    return wrapped_code(hint, width) if level == len(topic.hints) else refilled(hint, width)


def _next(topic: Topic, level: int, key: str | None) -> str:
    """After the last hint what explains more, and what ends the search."""
    if key is not None and level < len(topic.hints):
        return f"press {key} for the next hint"
    further, solution = more_help(topic, level), typed("solution", topic=topic.id)
    return further if level < len(topic.hints) or further == solution else f"{further}, or {solution}"
