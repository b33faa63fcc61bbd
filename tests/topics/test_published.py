"""Answers in the styles of well-known libraries and courses, thinly wrapped: right ones pass under their own
names of arguments, and the bugs that some of them have are rejected and named.

A file is called after its topic; the first line of a wrong one says what it is to be named.
"""

from pathlib import Path

import pytest
from driving import PROJECT
from naming import graded_until_named

FOLDER = PROJECT / "tests" / "published"


def files(kind: str) -> list:
    found = sorted((FOLDER / kind).glob("*.py"))
    return [pytest.param(path.stem.split("__")[0], path, id=path.stem) for path in found]


@pytest.mark.parametrize("topic, path", files("right"))
def test_right_one_passes(judge, topic: str, path: Path):
    verdict = judge.grade(topic, path)
    assert verdict.passed, [verdict.message, *(check.message for check in verdict.checks)]


@pytest.mark.parametrize("topic, path", files("wrong"))
def test_published_bug_is_named(naming_judge, topic: str, path: Path):
    expected = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    verdict = graded_until_named(naming_judge, topic, path, set(expected.split(" + ")))
    assert not verdict.passed
    assert verdict.diagnosis is not None and verdict.diagnosis.mistake == expected
