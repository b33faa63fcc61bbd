"""The mistakes of a class: what the next lecture is about."""

from collections.abc import Iterable
from dataclasses import dataclass

from grader.batch.scores.scoring import Scored


@dataclass(frozen=True)
class ClassMistake:
    """A known mistake, what is said of it, and who made it, by name."""

    topic: str
    mistake: str
    message: str
    students: tuple[str, ...]


def class_mistakes(results: Iterable[Scored]) -> list[ClassMistake]:
    """Those that were named, the most frequent first. Each of several in one answer counts for itself."""
    made: dict[tuple[str, str], tuple[str, set[str]]] = {}
    for each in results:
        diagnosis = each.row.verdict.diagnosis if each.row.verdict else None
        if diagnosis is None:
            continue
        for mistake, message in diagnosis.named:
            made.setdefault((each.row.topic, mistake), (message, set()))[1].add(each.row.student)
    found = [
        ClassMistake(topic, mistake, message, tuple(sorted(students)))
        for (topic, mistake), (message, students) in made.items()
    ]
    return sorted(found, key=lambda each: (-len(each.students), each.topic, each.mistake))
