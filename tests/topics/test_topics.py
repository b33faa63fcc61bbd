"""Every topic of the catalog: its solution, stub, known mistakes and alternative answers meet the judge.

A new topic is tested by being in the catalog; nothing here names one.
"""

import importlib.util
import itertools
from functools import cache
from pathlib import Path

import pytest
from driving import PROJECT

from grader.curriculum.catalog import Topic, load_catalog
from grader.curriculum.exercises.stub import stub_of
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome, Verdict
from grader.kit.mistakes import MisplacedMistake

TOPICS = load_catalog().topics
MIN_MISTAKES, MIN_ANSWERS, HINTS, QUESTIONS = 6, 2, 3, 4

each_topic = pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.id)


@cache
def check_file(topic: Topic):
    """The topic's check file as a module."""
    spec = importlib.util.spec_from_file_location(f"checks_of_{topic.id}", topic.checks)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answers(topic: Topic) -> list[Path]:
    return sorted((PROJECT / "tests" / "answers" / topic.id).glob("*.py"))


def mistakes() -> list:
    return [
        pytest.param(topic, mistake, id=f"{topic.id}-{mistake.id}")
        for topic in TOPICS
        for mistake in check_file(topic).MISTAKES
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


@pytest.mark.parametrize("topic, mistake", mistakes())
def test_mistake_is_rejected_and_named(judge, topic, mistake, tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(mistake.applied(topic.solution.read_text()))
    verdict = judge.grade(topic.id, path)
    assert not verdict.passed
    assert verdict.diagnosis is not None, found(verdict)
    assert verdict.diagnosis.mistake == mistake.id, found(verdict)


@pytest.mark.parametrize(
    "topic, path",
    [pytest.param(t, path, id=f"{t.id}-{path.stem}") for t in TOPICS for path in answers(t)],
)
def test_alternative_answer_passes(judge, topic, path):
    verdict = judge.grade(topic.id, path)
    assert verdict.passed, found(verdict)


@each_topic
def test_topic_is_complete(topic):
    module = check_file(topic)
    assert len(module.MISTAKES) >= MIN_MISTAKES
    assert len({mistake.id for mistake in module.MISTAKES}) == len(module.MISTAKES)
    assert len(answers(topic)) >= MIN_ANSWERS
    assert len(topic.hints) == HINTS and len(topic.questions) >= QUESTIONS and topic.sources
    for test in (value for name, value in vars(module).items() if name.startswith("test_")):
        title = (test.__doc__ or "").strip().splitlines()
        assert title and not title[0].endswith("."), f"{test.__name__} states no fact"


@pytest.fixture(scope="module")
def quick_judge():
    """A judge that looks for no mistakes."""
    with RemoteJudge(diagnose=False) as remote:
        yield remote


@pytest.mark.parametrize(
    "topic, mistake_a, mistake_b",
    [
        pytest.param(topic, a, b, id=f"{topic.id}-{a.id}+{b.id}")
        for topic in TOPICS
        for a, b in itertools.islice(itertools.combinations(check_file(topic).MISTAKES, 2), 0, None, 37)
    ],
)
def test_two_mistakes_never_pass(quick_judge, topic, mistake_a, mistake_b, tmp_path):
    """Two mistakes do not make a right answer."""
    path = tmp_path / "answer.py"
    try:
        path.write_text(mistake_b.applied(mistake_a.applied(topic.solution.read_text())))
    except MisplacedMistake:
        pytest.skip("both change the same place")
    verdict = quick_judge.grade(topic.id, path)
    assert not verdict.passed
    assert verdict.diagnosis is None
