"""Which mistakes are looked for first: a guess by the text, which is right most of the time."""

import re

from driving import CATALOG

from grader.judge.checks.reading import read_checks
from grader.judge.diagnosis.likeness import likely_first

SOME = ("gqa", "rope", "zero")


def in_own_words(text: str) -> str:
    """With other names of variables, and other comments."""
    for name in set(re.findall(r"^ +(\w+) = ", text, re.MULTILINE)):
        text = re.sub(rf"(?<![.\w]){name}\b(?!\()", f"my_{name}", text)
    return text + "\n# the end\n"


def share_among_the_first(count: int, write=lambda text: text) -> float:
    """Of these topics' mistakes, each in an answer with nothing else."""
    places = []
    for topic in map(CATALOG.__getitem__, SOME):
        mistakes, solution = read_checks(topic).mistakes, topic.solution.read_text(encoding="utf-8")
        for mistake in mistakes:
            order = likely_first(mistakes, write(mistake.applied(solution)), solution)
            assert sorted(each.id for each in order) == sorted(each.id for each in mistakes)
            places.append(order.index(mistake))
    return sum(place < count for place in places) / len(places)


def test_a_mistake_is_among_the_first_to_be_looked_for():
    assert share_among_the_first(1) > 0.7
    assert share_among_the_first(5) > 0.85
    assert share_among_the_first(5, in_own_words) > 0.6


def test_without_a_difference_the_order_is_the_lists():
    topic = CATALOG["gqa"]
    mistakes, solution = read_checks(topic).mistakes, topic.solution.read_text(encoding="utf-8")
    assert likely_first(mistakes, solution, solution) == tuple(mistakes)
