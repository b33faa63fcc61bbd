"""Where a rule hangs on what a call costs, a tensor's numbers do not leave for where nothing is counted."""

import pytest
from driving import CATALOG

from grader.judge.verdict import Outcome

WRAPPED = """

import threading

import numpy as np

_right = {name}


def {name}({arguments}):
    x = {first}
    {way}
    return _right({given})
"""
ARGUMENTS = {"linear_attention": "query, key, value, is_causal=False, eps=1e-6", "softmax": "x, dim=-1"}
WAYS = {
    "numpy": "x.detach().numpy()",
    "an array": "np.asarray(x.detach())",
    "a list": "x.tolist()",
    "its bytes": "x.untyped_storage()",
    "as integers": "x.detach().view({torch.float64: torch.int64}.get(x.dtype, torch.int32)).clone().numpy()",
    "as complex numbers": "torch.complex(x.detach(), x.detach()).numpy()",
    "one by one": "x.detach().clone().apply_(lambda number: number)",
    "into an array": "torch.from_numpy(np.empty(x.shape)).copy_(x.detach())",
    "a sum into an array": "torch.add(x.detach(), 1, out=torch.from_numpy(np.empty(x.shape)).to(x.dtype))",
    "a thread": "thread = threading.Thread(target=lambda: x.detach().numpy()); thread.start(); thread.join()",
}
FEW = {
    "sixteen numbers": "x.detach().flatten()[:16].tolist()",
    "sizes": "torch.tensor(x.shape).tolist(), (x > 0).sum(-1).flatten().tolist()",
    "one number": "x.sum().item()",
    "nothing, in place": "torch.empty_like(x).copy_(x).add_(torch.from_numpy(np.ones(x.shape)).to(x.dtype))",
    "bits that stay": "x.detach().clone().view({torch.float64: torch.int64}.get(x.dtype, torch.int32)).sum()",
    "other numbers as integers": "torch.ones(3).view(torch.int32).tolist()",
}


def graded(judge, folder, topic, way):
    path = folder / "answer.py"
    arguments = ARGUMENTS[topic]
    given = ", ".join(each.partition("=")[0].strip() for each in arguments.split(","))
    text = WRAPPED.format(
        name=topic, way=way, arguments=arguments, first=arguments.split(",")[0], given=given
    )
    path.write_text(f"{CATALOG[topic].solution.read_text()}{text}")
    return judge.grade(topic, path)


@pytest.mark.parametrize("way", WAYS)
def test_many_numbers_stay(judge, tmp_path, way):
    verdict = graded(judge, tmp_path, "linear_attention", WAYS[way])
    assert verdict.outcome is Outcome.FORBIDDEN
    assert any("to where costs are not counted" in check.message for check in verdict.checks)


@pytest.mark.parametrize("way", FEW)
def test_few_may_leave(judge, tmp_path, way):
    assert graded(judge, tmp_path, "linear_attention", FEW[way]).passed


def test_where_costs_are_only_shown_all_may_leave(judge, tmp_path):
    assert graded(judge, tmp_path, "softmax", "x.detach().numpy().tolist()").passed


@pytest.mark.parametrize("topic", ["ring_attention", "tensor_parallel"])
def test_what_the_judge_is_sent_may_leave(judge, topic):
    assert judge.grade(topic, CATALOG[topic].solution).passed


def test_who_writes_to_an_argument_reads_that(judge, tmp_path):
    way = "x.detach().add_(1.0)"
    verdict = graded(judge, tmp_path, "linear_attention", way)
    assert verdict.outcome is Outcome.FAILED
    assert all("to where costs are not counted" not in check.message for check in verdict.checks)
