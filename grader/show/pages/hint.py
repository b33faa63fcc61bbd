"""A hint as text."""

from grader.curriculum.catalog import Topic


def hint_text(topic: Topic, level: int) -> str:
    """The hint of a level (from 1), and how to get the next one."""
    count = len(topic.hints)
    command = f"make hint topic={topic.id}" if level < count else f"make solution topic={topic.id}"
    hint = topic.hints[level - 1].strip("\n")
    return f"{topic.id}  {topic.title}: hint {level} of {count}\n\n{hint}\n\nNext: {command}"
