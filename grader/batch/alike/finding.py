"""The look-alikes of a batch, topic by topic."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.batch.alike.fingerprints import Fingerprinted, every_print, fingerprinted
from grader.batch.alike.pairs import Pair, pairs
from grader.batch.scores.scoring import Scored
from grader.curriculum.catalog import Catalog
from grader.curriculum.exercises.stub import stub_of
from grader.judge.source import Unreadable, read_data, read_source


@dataclass(frozen=True)
class Alike:
    """A topic's answers by student, and the pairs that are alike."""

    topic: str
    answers: dict[str, Fingerprinted]
    pairs: list[Pair]


def find_alike(results: Iterable[Scored], catalog: Catalog) -> Iterator[Alike]:
    """Topics in which there are pairs. Files that are gone or were changed since are left out; the text of
    stub and reference counts for nobody.
    """
    of_topic: dict[str, list[Scored]] = {}
    for each in results:
        if each.is_answer:
            of_topic.setdefault(each.row.topic, []).append(each)
    for topic, some in of_topic.items():
        solution = catalog[topic].solution.read_text(encoding="utf-8")
        ours = every_print((solution, stub_of(solution)))
        texts = {each.row.student: text for each in some if (text := _text(each)) is not None}
        answers = {student: fingerprinted(text, ours) for student, text in texts.items()}
        if found := pairs(answers):
            yield Alike(topic, answers, found)


def _text(each: Scored) -> str | None:
    path = Path(each.row.file)
    try:
        if hashlib.sha256(read_data(path)).hexdigest() != each.row.sha256:
            return None
        return read_source(path)
    except Unreadable:
        return None
