"""Several of a topic's mistakes in one answer, drawn at random: rejected, and most named."""

import itertools
import random
from collections.abc import Iterator

import pytest

from grader.curriculum.catalog import Topic, load_catalog
from grader.judge.checks.reading import read_checks
from grader.judge.verdict import Verdict
from grader.kit.mistakes import MisplacedMistake, Mistake

TOPICS = load_catalog().topics
PAIRS, TRIPLES = 6, 2


def version(topic: Topic, mistakes: tuple[Mistake, ...]) -> str | None:
    """The solution with these mistakes; None where their edits touch one another."""
    text = topic.solution.read_text(encoding="utf-8")
    try:
        for mistake in mistakes:
            text = mistake.applied(text)
    except MisplacedMistake:
        return None
    return text


def drawn(topic: Topic, size: int) -> Iterator[tuple[Mistake, ...]]:
    """Sets of so many mistakes that can be made together."""
    mistakes = read_checks(topic).mistakes
    sets = list(itertools.islice(itertools.combinations(mistakes, size), 20_000))
    random.Random(f"{topic.id} {size}").shuffle(sets)
    return (each for each in sets if version(topic, each) is not None)


@pytest.mark.parametrize("size, count", [(2, PAIRS), (3, TRIPLES)], ids=["pairs", "triples"])
@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.id)
def test_mistakes_made_together(naming_judge, topic, size, count, tmp_path):
    path = tmp_path / "answer.py"

    def grade(mistakes: tuple[Mistake, ...]) -> Verdict:
        path.write_text(version(topic, mistakes) or "", encoding="utf-8")
        return naming_judge.grade(topic.id, path)

    named = 0
    for made in itertools.islice(drawn(topic, size), count):
        verdict = grade(made)
        assert not verdict.passed, [mistake.id for mistake in made]
        said = set(verdict.diagnosis.mistake.split(" + ")) if verdict.diagnosis else set()
        # Of two mistakes one may hide the other: then that one is the whole truth about the values.
        named += bool(said) and said <= {mistake.id for mistake in made}
    assert named >= count // 2
