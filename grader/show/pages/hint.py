"""A hint as text."""

from grader.curriculum.catalog import Topic
from grader.practice.command_line import typed


def hint_text(topic: Topic, level: int) -> str:
    """The hint of a level (from 1), and how to get the next one."""
    count = len(topic.hints)
    command = typed("hint", topic=topic.id) if level < count else typed("solution", topic=topic.id)
    hint = topic.hints[level - 1].strip("\n")
    return f"{topic.id}  {topic.title}: hint {level} of {count}\n\n{hint}\n\nNext: {command}"
