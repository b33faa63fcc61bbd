"""Of a file with several parts, those that are right on their own are told, and no other."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from driving import CATALOG, TESTS

from grader.curriculum.catalog import Topic
from grader.judge.checks.parts import may_call
from grader.judge.checks.reading import read_checks
from grader.judge.checks.running import run_check
from grader.judge.contract import required
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome, Verdict
from grader.judge.workers.client import Program
from grader.judge.workers.inprocess import InProcess

GOLDEN = TESTS / "golden" / "softmax"


def names(topic: Topic) -> list[str]:
    return list(required(topic.solution.read_text()))


PARTED = [topic for topic in CATALOG.topics if len(names(topic)) > 1]


@pytest.fixture(scope="module")
def plain() -> Iterator[RemoteJudge]:
    """One that looks for no mistake."""
    with RemoteJudge(diagnose=False, trail=False) as judge:
        yield judge


@pytest.mark.parametrize(
    ("answer", "parts"),
    [
        ("solved", {}),
        ("untouched", {}),
        ("half_finished", {"softmax": "right", "log_softmax": "not_started"}),
        ("mistake", {"softmax": "right", "log_softmax": "wrong"}),
        ("nan", {"log_softmax": "right", "softmax": "wrong"}),
        ("two_mistakes", {"softmax": "wrong", "log_softmax": "wrong"}),
    ],
)
def test_parts(judge: RemoteJudge, answer: str, parts: dict[str, str]) -> None:
    verdict = judge.grade("softmax", GOLDEN / f"{answer}.py")
    assert verdict.parts == parts
    assert Verdict.from_json(verdict.to_json()).parts == parts


def test_a_part_that_fails_only_later_on_is_not_right(judge: RemoteJudge, tmp_path: Path) -> None:
    """The check ends with the other's first case: without running what is left, this one passes in it."""
    text = (GOLDEN / "mistake.py").read_text()
    wrong = text + (
        "\nright = softmax\n\n\ndef softmax(x, dim=-1):\n    return right(x, dim) * (1 + (x.dim() == 1))\n"
    )
    answer = tmp_path / "softmax.py"
    answer.write_text(wrong)
    verdict = judge.grade("softmax", answer)
    assert "softmax" not in [name for name, standing in verdict.parts.items() if standing == "right"]


@pytest.mark.in_turn
@pytest.mark.parametrize("topic", PARTED, ids=lambda topic: topic.id)
def test_no_part_that_raises_is_right(plain: RemoteJudge, topic: Topic, tmp_path: Path) -> None:
    """Each part in turn."""
    for name in names(topic):
        answer = tmp_path / f"{name}.py"
        broken = f"\n\ndef {name}(*args, **kwargs):\n    raise KeyError\n"
        answer.write_text(topic.solution.read_text() + broken)
        verdict = plain.grade(topic.id, answer)
        assert not verdict.passed
        assert verdict.parts.get(name) != "right"


class Watched(InProcess):
    """Notes which names of the answer are called."""

    called: set[str]

    def request(self, request):  # type: ignore[no-untyped-def]
        if request.get("target", [None])[0] == "name":
            self.called.add(request["target"][1])
        return super().request(request)


@pytest.mark.in_turn
@pytest.mark.parametrize("topic", PARTED, ids=lambda topic: topic.id)
def test_what_a_case_may_call_is_never_too_little(topic: Topic) -> None:
    worker = Watched(Program(topic.solution.read_text(), str(topic.solution), topic.id))
    for check in read_checks(topic).checks:
        for case in check.cases:
            worker.called = set()
            one = type(check)(check.name, check.title, check.function, (case,), check.seconds)
            with torch.random.fork_rng():
                assert run_check(one, worker, 60.0, float("inf")).check.outcome is Outcome.PASSED
            assert worker.called <= may_call(check, case, names(topic))
