"""What an exercise holds before anything is written in it, by how much is to be recalled."""

from grader.curriculum.catalog import Topic
from grader.curriculum.exercises.blanks import blanks_of
from grader.curriculum.exercises.empty import empty_of
from grader.curriculum.exercises.part import part_of
from grader.curriculum.exercises.stub import stub_of
from grader.practice.schedule import Level


def text_at(topic: Topic, level: Level) -> str:
    """The text of the blank exercise at a level; that of a part has but one."""
    solution = topic.solution.read_text(encoding="utf-8")
    if topic.part is not None:
        return part_of(solution, topic.part.names)
    match level:
        case Level.BLANKS:
            return blanks_of(solution, topic.blanks)
        case Level.STUB:
            return stub_of(solution)
        case Level.EMPTY:
            return empty_of(solution)


def level_of(topic: Topic, text: str) -> Level | None:
    """The level at which this is the blank exercise; None if it is something else."""
    for level in (Level.STUB, Level.BLANKS, Level.EMPTY):
        if text.strip() == text_at(topic, level).strip():
            return level
    return None
