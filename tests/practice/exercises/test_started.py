"""What counts as a started exercise."""

import dataclasses

import pytest
from driving import CATALOG

from grader.curriculum.exercises.stub import stub_of
from grader.curriculum.workspace import Workspace
from grader.practice.exercises.contents import is_changed, is_started

TOPICS = CATALOG.topics


def started(topic, text, tmp_path) -> tuple[bool, bool]:
    """Whether the text, as the topic's exercise, counts as started, and as changed."""
    mine = dataclasses.replace(topic, workspace=Workspace(tmp_path))
    mine.exercise.parent.mkdir(parents=True, exist_ok=True)
    mine.exercise.write_text(text)
    return is_started(mine), is_changed(mine)


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.id)
def test_blank_and_solved_exercises(topic, tmp_path):
    solution = topic.solution.read_text()
    stub = stub_of(solution)
    assert started(topic, stub, tmp_path) == (False, False)
    assert started(topic, f"\n{stub}\n\n", tmp_path) == (False, False)
    assert started(topic, "", tmp_path) == (False, False)
    assert started(topic, solution, tmp_path) == (True, True)
    assert started(topic, stub.replace("raise NotImplementedError", "return 1", 1), tmp_path) == (True, True)
    assert started(topic, f"import math\n{stub}\nhelp = 1\n", tmp_path) == (True, True)


def test_missing_and_unreadable_exercises(tmp_path):
    assert started(TOPICS[0], "", tmp_path) == (False, False)
    mine = dataclasses.replace(TOPICS[0], workspace=Workspace(tmp_path))
    mine.exercise.unlink()
    assert not is_started(mine)
    mine.exercise.mkdir()
    assert is_started(mine)
