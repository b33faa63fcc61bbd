"""What a topic forbids is refused however it is spelled, with the line; what it does not forbid works."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import CATALOG, PROJECT

from grader.authoring.spellings import SPELLINGS, TORCH_SPELLINGS, setup
from grader.judge.checks.reading import read_checks
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome
from grader.worker.walls.builtins.families import BUILTINS


def last_line(text: str) -> str:
    return f"line {len(text.splitlines())}:"


TOPICS = CATALOG.topics


def shared_out(topics: list, spellings: list[str]) -> list:
    """Every spelling in one topic, and in every topic one of them at least: the walls are the same."""
    pairs = max(len(topics), len(spellings)) if topics else 0
    return [
        pytest.param(topic, spelling, id=f"{topic.id}-{spelling[:50]}")
        for n in range(pairs)
        for topic, spelling in [(topics[n % len(topics)], spellings[n % len(spellings)])]
    ]


CASES = [
    case
    for name in BUILTINS
    for case in shared_out(
        [topic for topic in TOPICS if name in read_checks(topic).forbidden], SPELLINGS[name]
    )
]
OF_NUMPY = shared_out([topic for topic in TOPICS if topic.framework == "numpy"], TORCH_SPELLINGS)


@pytest.mark.parametrize("topic, spelling", CASES)
def test_built_in_is_refused(judge, topic, spelling, tmp_path):
    text = f"{topic.solution.read_text()}{setup(topic.framework)}_ = {spelling}\n"
    path = tmp_path / "answer.py"
    path.write_text(text)
    verdict = judge.grade(topic.id, path)
    assert verdict.outcome is Outcome.FORBIDDEN, verdict.message
    assert last_line(text) in (verdict.message or "")


@pytest.fixture(scope="module", params=[True, False], ids=["namespaces", "plain"])
def either_judge(request: pytest.FixtureRequest) -> Iterator[RemoteJudge]:
    """Without namespaces torch's files are there, and refused."""
    with RemoteJudge(namespaces=request.param) as judge:
        yield judge


@pytest.mark.parametrize("topic, spelling", OF_NUMPY)
def test_torch_cannot_be_reached_in_numpy_topics(either_judge, topic, spelling, tmp_path):
    text = f"{topic.solution.read_text()}\n{spelling}\n"
    path = tmp_path / "answer.py"
    path.write_text(text)
    verdict = either_judge.grade(topic.id, path)
    assert verdict.outcome is Outcome.FORBIDDEN, verdict.message
    assert last_line(text) in (verdict.message or "")


def test_every_builtin_has_five_spellings():
    assert SPELLINGS.keys() == BUILTINS.keys()
    assert all(len(spellings) >= 5 for spellings in SPELLINGS.values())


def test_a_mention_is_not_a_use(judge, tmp_path):
    solution: Path = PROJECT / "solutions" / "foundations" / "softmax.py"
    path = tmp_path / "answer.py"
    path.write_text(solution.read_text() + "\n\n# torch.softmax(x)\nname = 'F.softmax'\n")
    assert judge.grade("softmax", path).passed
