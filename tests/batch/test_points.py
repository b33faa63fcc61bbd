"""Points: a check is one, unless a file says otherwise."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from batch.rows import failed, row, verdict
from driving import CATALOG, byheart

from grader.batch.scores.check_names import check_names
from grader.batch.scores.points import BadPoints, Points, TopicPoints, read_points
from grader.batch.scores.scoring import scored
from grader.judge.verdict import Check, Outcome

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED


def worth(made, points: Points | None = None, checks: tuple[Check, ...] = ()) -> tuple[float, float]:
    one = scored(row(made=made), points or Points(), checks)
    assert sum(part.points for part in one.parts) == pytest.approx(one.points, abs=1e-3)
    return one.points, one.of


def test_a_check_is_a_point() -> None:
    assert worth(failed()) == (2, 3)
    assert worth(verdict("softmax", PASSED, PASSED)) == (2, 2)


def test_weights_and_totals() -> None:
    weights = Points({"sdpa": TopicPoints(weights={"test_2": 2.0})})
    assert worth(failed(), weights) == (2, 4)
    shared = Points({"sdpa": TopicPoints(10, weights={"test_2": 3.0})})
    assert worth(failed(), shared) == (4, 10)
    assert worth(failed(), Points({"sdpa": TopicPoints(7, all_or_nothing=True)})) == (0, 7)
    assert worth(failed(), Points({"sdpa": TopicPoints(10)})) == (6.6667, 10)


def test_what_used_what_is_forbidden_is_worth_nothing() -> None:
    assert worth(verdict("softmax", PASSED, Outcome.FORBIDDEN)) == (0, 2)
    assert worth(replace(verdict("softmax", PASSED, PASSED), outcome=Outcome.FORBIDDEN)) == (0, 2)
    assert worth(replace(verdict("softmax", PASSED, PASSED), outcome=FAILED, message="its cost differs")) == (
        0,
        2,
    )


def test_what_cannot_be_read_has_the_points_of_its_topic() -> None:
    unreadable = verdict(checks=(), message="This is a folder")
    unreadable = replace(unreadable, outcome=Outcome.UNREADABLE)
    assert worth(unreadable, checks=verdict("softmax", PASSED, FAILED).checks) == (0, 2)
    lost = scored(replace(row(), verdict=None, fault="no memory"), Points(), verdict().checks)
    assert (lost.points, lost.of, lost.is_answer) == (0, 1, False)


def test_the_names_of_checks_are_those_of_verdicts(tmp_path: Path) -> None:
    for name in ("softmax", "gqa"):
        checked = byheart(tmp_path, "check", name, "--file", str(CATALOG[name].solution), "--json")
        made = [each["name"] for each in json.loads(checked.stdout)["checks"]]
        assert list(check_names(CATALOG[name].checks)) == made
    assert all(check_names(topic.checks) for topic in CATALOG.topics)


def test_names_of_checks_that_come_from_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "test_x.py"
    path.write_text("from a import b, c as test_c\ntest_d = b\ndef test_e(): ...\ndef f(): ...\n")
    assert check_names(path) == ("test_c", "test_d", "test_e")


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "points.toml"
    path.write_text(
        "all_or_nothing = true\n[topics.softmax]\npoints = 10\nall_or_nothing = false\n"
        "checks = {test_large_logits_in_float32 = 3}\n"
        '[columns]\n"Homework 3" = ["softmax", "gqa"]\n'
    )
    points = read_points(path, CATALOG)
    assert points.of("softmax") == TopicPoints(10, False, {"test_large_logits_in_float32": 3})
    assert points.of("gqa") == TopicPoints(all_or_nothing=True)
    assert points.columns == {"Homework 3": ("softmax", "gqa")}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[topics.softmx]\npoints = 1", "topics.softmx: there is no topic softmx"),
        ("[topics.softmax]\npoints = -1", "topics.softmax.points: must be a number, 0 or more, not -1"),
        ("[topics.softmax]\npoints = nan", "must be a number"),
        (
            "[topics.softmax]\nchecks = {a = true}",
            "topics.softmax.checks.a: must be a number, 0 or more, not True",
        ),
        ("[topics.softmax]\npoint = 1", "topics.softmax.point: unknown key"),
        (
            "[topics.softmax]\nchecks = {test_nope = 3}",
            "topics.softmax.checks.test_nope: there is no such check. test_",
        ),
        ("[columns]\nx = ['softmax', 'nope']", "columns.x: there is no topic nope"),
        ("[columns]\nx = [[1]]", "columns.x: there is no topic [1]"),
        ("[columns]\nx = 'softmax'", "columns.x: must be a list of topics"),
        ("all_or_nothing = 1", "all_or_nothing must be true or false"),
        ("topic = 1", "topic: unknown key"),
        ("topics = 1", "topics: must be a table"),
        ("=", "cannot be read"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "points.toml"
    path.write_text(text)
    with pytest.raises(BadPoints, match=r"points\.toml") as refused:
        read_points(path, CATALOG)
    assert complaint in str(refused.value)
