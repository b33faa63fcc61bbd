"""Stubs in the exercises' folder: stale ones are written anew, answers stay."""

import subprocess
from pathlib import Path

import pytest
from curriculum.stub_texts import SOLUTION, STUB

from grader.curriculum.catalog import Catalog, Chapter, Topic
from grader.curriculum.exercises.files import StubError, stale_stubs, write_stubs
from grader.curriculum.pack import Pack
from grader.curriculum.workspace import Workspace

ANSWER = "def softmax(x):\n    return x.softmax(-1)\n"


@pytest.fixture
def topic(tmp_path: Path) -> Topic:
    places = Pack.in_clone(tmp_path), Workspace(tmp_path)
    topic = Topic("softmax", "foundations", "Softmax", 1, 10, 3, "torch", (), (), (), (), *places)
    topic.solution.parent.mkdir(parents=True)
    topic.solution.write_text(SOLUTION, encoding="utf-8")
    return topic


@pytest.fixture
def catalog(topic: Topic) -> Catalog:
    return Catalog((Chapter("foundations", "Foundations", (topic,)),))


def track(topic: Topic) -> None:
    """Put the exercise as it is into git's index."""
    for command in (["init", "-q"], ["add", str(topic.exercise)]):
        subprocess.run(
            ["git", *command], cwd=topic.workspace.root, check=True, capture_output=True, timeout=20
        )


def test_a_missing_exercise_is_stale_until_it_is_written(catalog, topic):
    assert stale_stubs(catalog) == [topic.exercise]
    assert write_stubs(catalog) == [topic.exercise]
    assert topic.exercise.read_text(encoding="utf-8") == STUB
    assert [path.name for path in topic.exercise.parent.iterdir()] == ["softmax.py"]
    assert stale_stubs(catalog) == []
    assert write_stubs(catalog) == []


def test_an_outdated_stub_is_stale_and_written_anew(catalog, topic):
    write_stubs(catalog)
    track(topic)
    topic.solution.write_text(SOLUTION.replace("Probabilities.", "What sums to 1."), encoding="utf-8")
    assert stale_stubs(catalog) == [topic.exercise]
    assert write_stubs(catalog) == [topic.exercise]
    assert stale_stubs(catalog) == []  # although git still has the old one


def test_an_answer_is_never_overwritten(catalog, topic):
    write_stubs(catalog)
    topic.exercise.write_text(ANSWER, encoding="utf-8")
    assert write_stubs(catalog) == []
    assert topic.exercise.read_text(encoding="utf-8") == ANSWER


@pytest.mark.parametrize("text", ["def softmax(x:", "\0", "\ud83e", "return"])
def test_an_answer_that_is_no_python_is_never_overwritten(catalog, topic, text):
    write_stubs(catalog)
    topic.exercise.write_text(text, encoding="utf-8", errors="surrogatepass")
    assert write_stubs(catalog) == []


def test_a_learner_may_solve_an_exercise_but_not_an_author_commit_an_answer(catalog, topic):
    write_stubs(catalog)
    track(topic)
    topic.exercise.write_text(ANSWER, encoding="utf-8")
    assert stale_stubs(catalog) == []
    track(topic)
    assert stale_stubs(catalog) == [topic.exercise]


def test_a_stub_that_cannot_be_made_names_its_solution(catalog, topic):
    topic.solution.write_text("# given\n", encoding="utf-8")
    with pytest.raises(StubError) as error:
        write_stubs(catalog)
    assert str(error.value) == "solutions/foundations/softmax.py: line 1: `# given` without its other half"
