"""Sets that grow from a first mistake, against a table of what shows where."""

from types import SimpleNamespace

import pytest

from grader.judge.diagnosis.evidence import Relation
from grader.judge.diagnosis.sets.growing import grown
from grader.judge.diagnosis.versions import NoTime
from grader.kit.mistakes import Mistake

A, B, C, D, E = (Mistake(name, find="a", replace="b", says="c") for name in "ABCDE")
EVERYONE = [A, B, C, D, E]


class Table:
    """Of each check the sets that explain it (letters, one set beside the other), and then those mistakes
    that show there in another way. It counts how often something is asked of a set.
    """

    def __init__(self, *checks: tuple[str, str]) -> None:
        self.failed = [SimpleNamespace(name=str(number)) for number, _ in enumerate(checks)]
        self.checks = dict(zip((check.name for check in self.failed), checks, strict=True))
        self.asked: set[tuple[str, str]] = set()
        self.strong = {*self.checks}
        self.is_over = False

    def relation(self, mistakes, check) -> Relation:
        letters = "".join(sorted(mistake.id for mistake in mistakes))
        self.asked.add((letters, check.name))
        explaining, otherwise = self.checks[check.name]
        if letters in explaining.split():
            return Relation.AGREES
        return Relation.OTHERWISE if set(letters) & set(otherwise) else Relation.PASSES

    def keep_to_the_time(self) -> None:
        if self.is_over:
            raise NoTime

    def agree(self, mistakes, check) -> bool:
        return self.relation(mistakes, check) is Relation.AGREES


def found(*checks: tuple[str, str], size: int = 4) -> list[str]:
    return ["".join(sorted(each.id for each in whole)) for whole in grown(Table(*checks), EVERYONE, size)]


def test_each_explains_checks_of_its_own():
    assert found(("A", ""), ("B", ""), ("A", "")) == ["AB"]


def test_both_show_in_the_same_check():
    """Where one shows in all checks, the other is only seen together with it."""
    assert found(("A", ""), ("AC", "AC"), ("A", "")) == ["AC"]


def test_one_that_changes_what_is_explained_is_none():
    assert found(("A", ""), ("B C", ""), ("A", "B")) == ["AC"]
    assert found(("A", "B"), ("B", "")) == []


def test_the_smallest_come_first_and_alone():
    assert found(("A B", ""), ("C D", ""), ("C", "D")) == ["AC", "BC"]
    assert found(("A", ""), ("B", ""), ("C", ""), ("D", "")) == ["ABCD"]
    assert found(("A", ""), ("B", ""), ("C", ""), ("D", ""), size=3) == []


def test_the_first_check_may_be_explained_by_none_alone():
    assert found(("AB", "AB"), ("A", ""), ("B", "")) == ["AB"]


def test_where_nothing_gives_a_first_one_away_there_is_none():
    assert found(("AB", "AB"), ("CD", "CD")) == []


def test_what_gives_a_first_one_away_are_values():
    table = Table(("A", ""), ("B", ""))
    table.strong = {"1"}
    assert list(grown(table, EVERYONE, 4)) == [(B, A)]
    table.strong = set()
    assert list(grown(table, EVERYONE, 4)) == []


def test_it_ends_when_the_time_is_over():
    table = Table(("A", ""), ("B", ""))
    table.is_over = True
    with pytest.raises(NoTime):
        next(grown(table, EVERYONE, 4))


def test_of_most_two_checks_are_asked():
    checks = [("A", ""), ("B", ""), *[("A", "")] * 20]
    table = Table(*checks)
    assert list(grown(table, EVERYONE, 4)) == [(A, B)]
    asked_of = [letters for letters, _ in table.asked]
    assert max(asked_of.count(each.id) for each in (C, D, E)) == 2
