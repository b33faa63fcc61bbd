"""Several of a topic's mistakes in one answer, drawn at random: rejected, and most named."""

import itertools
import random
from collections.abc import Iterator

import pytest
from driving import CATALOG
from naming import graded_until_named, names_in

from grader.curriculum.catalog import Topic
from grader.judge.checks.reading import read_checks
from grader.kit.mistakes import MisplacedMistake, Mistake

TOPICS = CATALOG.topics
PAIRS, TRIPLES = 2, 1


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


@pytest.mark.in_turn
@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.id)
def test_mistakes_made_together(naming_judge, topic, tmp_path):
    path = tmp_path / "answer.py"
    sets = [*itertools.islice(drawn(topic, 2), PAIRS), *itertools.islice(drawn(topic, 3), TRIPLES)]
    named = 0
    for made in sets:
        path.write_text(version(topic, made) or "", encoding="utf-8")
        verdict = graded_until_named(naming_judge, topic.id, path)
        assert not verdict.passed, [mistake.id for mistake in made]
        said = names_in(verdict)
        # Of several mistakes one may hide the others: then that one is the whole truth about the values.
        named += bool(said) and said <= {mistake.id for mistake in made}
    assert named >= len(sets) // 2
