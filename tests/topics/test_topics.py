"""Every topic of the catalog: its solution, stub, known mistakes and alternative answers meet the judge.

A new topic is tested by being in the catalog; nothing here names one.
"""

import random
from pathlib import Path

import pytest
from driving import CATALOG, PROJECT
from naming import graded_until_named

from grader.curriculum.catalog import Topic
from grader.curriculum.exercises.stub import stub_of
from grader.judge.checks.reading import read_checks
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome, Verdict

TOPICS = CATALOG.topics
IN_FILES = 2
MIN_MISTAKES, MIN_ANSWERS = 6, 2

each_topic = pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.id)


def answers(topic: Topic) -> list[Path]:
    return sorted((PROJECT / "tests" / "answers" / topic.id).glob("*.py"))


def some_mistakes() -> list:
    """Of each topic, drawn at random: all are rehearsed."""
    drawn = random.Random("mistakes in files")
    return [
        pytest.param(topic, mistake, id=f"{topic.id}-{mistake.id}")
        for topic in TOPICS
        for mistake in drawn.sample(read_checks(topic).mistakes, IN_FILES)
    ]


def found(verdict: Verdict) -> str:
    """What the judge objects to."""
    lines = [f"{check.name}: {check.outcome} {check.message}" for check in verdict.checks]
    return "\n".join([verdict.message or "", *lines, verdict.output])


@each_topic
def test_solution_passes(judge: RemoteJudge, topic):
    verdict = judge.grade(topic.id, topic.solution)
    assert verdict.passed, found(verdict)
    assert (verdict.cost is not None) == (topic.framework == "torch")


@each_topic
def test_stub_is_not_started(judge, topic, tmp_path):
    """As it is, and with every body run: a stray blank line must not hide that nothing is written."""
    path = tmp_path / "stub.py"
    for text in (
        stub_of(topic.solution.read_text()),
        stub_of(topic.solution.read_text()) + "\nnothing = None\n",
    ):
        path.write_text(text)
        verdict = judge.grade(topic.id, path)
        assert verdict.outcome is Outcome.NOT_STARTED, found(verdict)


@pytest.mark.in_turn
@each_topic
def test_mistakes_are_rejected_and_named(naming_judge, topic):
    for rehearsed in naming_judge.rehearse(topic.id):
        assert rehearsed.fault is None, rehearsed
        assert rehearsed.rejected, f"{rehearsed.mistake} passes"
        assert rehearsed.named == rehearsed.mistake, rehearsed


@pytest.mark.in_turn
@pytest.mark.parametrize("topic, mistake", some_mistakes())
def test_a_mistake_in_a_file_is_rejected_and_named(naming_judge, topic, mistake, tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(mistake.applied(topic.solution.read_text()))
    verdict = graded_until_named(naming_judge, topic.id, path, {mistake.id})
    assert not verdict.passed
    assert verdict.diagnosis is not None, found(verdict)
    assert verdict.diagnosis.mistake == mistake.id, found(verdict)


@pytest.mark.in_turn(but_one_of={topic.id: answers(topic) for topic in TOPICS})
@pytest.mark.parametrize(
    "topic, path",
    [pytest.param(t, path, id=f"{t.id}-{path.stem}") for t in TOPICS for path in answers(t)],
)
def test_alternative_answer_passes(judge, topic, path):
    verdict = judge.grade(topic.id, path)
    assert verdict.passed, found(verdict)


@each_topic
def test_topic_is_complete(topic):
    checks = read_checks(topic)
    assert len(checks.mistakes) >= MIN_MISTAKES
    assert len({mistake.id for mistake in checks.mistakes}) == len(checks.mistakes)
    solution = topic.solution.read_text()
    assert len({mistake.applied(solution) for mistake in checks.mistakes}) == len(checks.mistakes)
    assert len(answers(topic)) >= MIN_ANSWERS
    for check in checks.checks:
        title = (check.function.__doc__ or "").strip().splitlines()
        assert title and not title[0].endswith("."), f"{check.name} states no fact"
