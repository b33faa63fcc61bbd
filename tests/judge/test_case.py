"""The smallest case in which an answer fails: the ladders of topics, and the script."""

import runpy

import numpy as np
import pytest
import torch
from driving import CATALOG, byheart
from torch import Tensor

from grader.curriculum.catalog import Topic
from grader.judge.checks.reading import read_checks
from grader.judge.checks.running import run_case
from grader.judge.contract import required
from grader.judge.workers.client import Program
from grader.judge.workers.inprocess import InProcess

TOPICS = CATALOG.topics
WITH_LADDER = [topic for topic in TOPICS if read_checks(topic).ladder is not None]
DOZEN = 12


class Counting(InProcess):
    """Remembers the most numbers that it is given or gives at once."""

    largest = 0

    def request(self, request):
        reply = super().request(request)
        given = (*request.get("args", ()), *request.get("kwargs", {}).values())
        for value in (*given, *request.get("values", {}).values(), reply.get("value")):
            self.largest = max(self.largest, size(value))
        return reply


def size(value) -> int:
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, list | tuple):
        return max([sum(isinstance(item, int | float) for item in value), *map(size, value)])
    return value.size if isinstance(value, np.ndarray) else int(isinstance(value, int | float))


def test_the_topics_that_are_hard_to_follow_have_a_ladder():
    chapters = {"attention", "normalization"}
    names = {"rope", "top_k", "top_p", "cross_entropy", "kv_cache", "softmax", "activations", "mlp_torch"}
    names |= {"ffn", "swiglu", "bce", "focal_loss"}
    wanted = {topic.id for topic in TOPICS if topic.chapter in chapters} | names
    assert wanted <= {topic.id for topic in WITH_LADDER}


@pytest.mark.parametrize("topic", WITH_LADDER, ids=lambda topic: topic.id)
def test_the_solution_agrees_with_the_oracle_on_every_rung(topic: Topic):
    text = topic.solution.read_text("utf-8")
    session = Counting(Program(text, str(topic.solution), topic.id, required(text)))
    ladder = read_checks(topic).ladder
    for case in ladder.cases:
        assert run_case(ladder, case, session)[0] is None, case
    assert 0 < session.largest <= DOZEN


WRONG = [
    ("mha", "scores / math.sqrt(self.head_dim)", "scores"),
    ("kv_cache", "self._keys[:, :, start:end] = key", "self._keys[:, :, start:end] = value"),
    ("online_softmax", "denominator * correction + weights", "denominator + weights"),
    ("mlp_numpy", "np.maximum(self._pre, 0)", "np.maximum(self._pre, 1)"),
]
"""Objects, callbacks into scenarios, NumPy, and a topic without a ladder."""


@pytest.mark.parametrize(("topic", "old", "new"), WRONG, ids=lambda value: value[:14])
def test_the_script_shows_the_case(project, capsys, topic, old, new):
    answer = project / "my answer.py"
    solution = next(other for other in TOPICS if other.id == topic).solution.read_text("utf-8")
    assert solution.count(old) == 1
    answer.write_text(solution.replace(old, new))
    done = byheart(project, "check", topic, "--file", str(answer), "--case")
    script = project / "build" / "cases" / f"{topic}-my_answer.py"  # that of the exercise stays
    assert done.returncode == 1 and str(script.relative_to(project)) in done.stderr
    shown = runpy.run_path(str(script))
    assert not is_close(shown)
    assert "yours:" in capsys.readouterr().out
    answer.write_text(solution)
    assert is_close(runpy.run_path(str(script)))


def is_close(shown: dict) -> bool:
    yours, expected = (torch.as_tensor(of_first(shown[name])) for name in ("yours", "expected"))
    return torch.allclose(yours.double(), expected.double(), rtol=1e-4, atol=1e-4)


def of_first(value):
    return value[0] if isinstance(value, tuple) else value


def test_an_answer_that_passes_has_no_case(project):
    solution = next(other for other in TOPICS if other.id == "softmax").solution
    done = byheart(project, "check", "softmax", "--file", str(solution), "--case")
    assert done.returncode == 0 and "passes" in done.stdout
    assert not (project / "build").exists()


@pytest.mark.parametrize("arguments", [("--case",), ("softmax", "--case", "--json")], ids=" ".join)
def test_a_case_is_of_one_topic_and_no_json(project, arguments):
    assert byheart(project, "check", *arguments).returncode == 2
