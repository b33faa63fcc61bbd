"""What counts for everybody: what was asked for, and what somebody began."""

from dataclasses import replace
from pathlib import Path

import pytest
from batch.rows import failed, row, verdict

from grader.batch.results.log import ResultsLog
from grader.batch.results.row import Row
from grader.batch.scores.points import Points, TopicPoints
from grader.batch.scores.results import Results, results_of
from grader.judge.verdict import Check, Outcome

PASSED = Outcome.PASSED
RULES = Points({"softmax": TopicPoints(10)}, columns={"Homework 3": ("softmax", "gqa")})
UNTOUCHED = replace(verdict("rope", checks=()), outcome=Outcome.NOT_STARTED)


def checks_of(topic: str) -> tuple[Check, ...]:
    """Of what somebody handed in; it takes a judge."""
    assert topic != "gqa"
    return verdict(topic, PASSED, PASSED, PASSED).checks


def names_of(topic: str) -> tuple[str, ...]:
    assert topic in ("gqa", "softmax", "rope")
    return "test_1", "test_2", "test_3"


def of(folder: Path, *rows: Row, points: Points | None = None, **options: object) -> Results:
    with ResultsLog(folder / "results.jsonl") as log:
        for each in rows:
            log.append(each)
        return results_of(log, points or Points(), checks_of, names_of, **options)  # type: ignore[arg-type]


def test_what_somebody_began_counts_for_everybody(tmp_path: Path) -> None:
    found = of(tmp_path, row(made=failed()), row("bob"), row("bob", made=UNTOUCHED))
    assert found.most == {"sdpa": 3, "softmax": 1}
    alice, bob = found.by_student()
    assert (alice.points, alice.of, alice.missing) == (2, 4, {"softmax": 1})
    assert (bob.points, bob.of, bob.missing) == (1, 4, {"sdpa": 3})


def test_what_has_points_counts_though_nobody_handed_it_in(tmp_path: Path) -> None:
    found = of(tmp_path, row(made=failed()), points=RULES)
    assert found.most == {"gqa": 3, "sdpa": 3, "softmax": 10}
    assert found.ungraded == frozenset()


def test_topic_by_topic(tmp_path: Path) -> None:
    monday = of(tmp_path, row(), points=RULES, asked=["softmax"])
    assert (monday.most, monday.ungraded) == ({"softmax": 10}, {"gqa"})
    tuesday = of(tmp_path, row(made=verdict("gqa")), points=RULES, asked=["gqa"])
    assert (tuesday.most, tuesday.ungraded) == ({"gqa": 1, "softmax": 10}, frozenset())


@pytest.mark.parametrize("rows", [(), (row(made=verdict("rope")),)])
def test_a_student_of_whom_nothing_was_recognised(tmp_path: Path, rows: tuple[Row, ...]) -> None:
    found = of(tmp_path, *rows, asked=["softmax", "rope"], student="alice")
    (alice,) = found.by_student()
    assert (alice.student, alice.points, "softmax" in alice.missing) == ("alice", len(rows), True)


def test_what_could_not_be_graded_counts(tmp_path: Path) -> None:
    found = of(tmp_path, replace(row(), verdict=None, fault="no memory"), row("bob"))
    assert found.most == {"softmax": 1}
    assert [each.is_lost for each in found.by_student()] == [True, False]


def test_what_could_not_be_read_has_the_checks_of_its_topic(tmp_path: Path) -> None:
    unreadable = replace(verdict(checks=()), outcome=Outcome.UNREADABLE)
    found = of(tmp_path, row(made=unreadable))
    assert found.most == {"softmax": 3} and len(found.rows[0].parts) == 3
