"""What the checks' code takes from libraries is theirs: an answer that replaces some of it does not pass."""

import builtins

import pytest
import torch
from driving import CATALOG, TESTS

from grader.judge.verdict import Outcome
from grader.worker.answering.libraries import Libraries

RIGHT = (TESTS / "golden" / "softmax" / "solved.py").read_text()


class Refused(Exception):
    pass


def refuse(what: str, text: str) -> Refused:
    return Refused(what)


def test_what_is_as_it_was_is_kept(monkeypatch):
    libraries = Libraries()
    monkeypatch.setattr(torch, "a_new_name", 3, raising=False)  # as of a module that is imported later
    libraries.refuse_replaced(refuse)


@pytest.mark.parametrize(
    "place, name, told",
    [
        (builtins, "all", "builtins.all"),
        (torch, "equal", "torch.equal"),
        (torch.nn.functional, "cross_entropy", "torch.nn.functional.cross_entropy"),
        (torch.Tensor, "detach", "torch.Tensor.detach"),
        (torch.Tensor, "requires_grad", "torch.Tensor.requires_grad"),  # that of its base is hidden
    ],
)
def test_what_is_replaced_is_refused(monkeypatch, place, name, told):
    libraries = Libraries()
    with monkeypatch.context() as patch:
        patch.setattr(place, name, lambda *args, **kwargs: True)
        caught = None
        try:
            libraries.refuse_replaced(refuse)
        except Refused as refused:
            caught = str(refused)
    assert caught == told


PUT_BACK = """
import weakref


class _Put:
    def __init__(self, gradient):
        self.gradient = gradient


_init, _step = AdamW.__init__, AdamW.step


def __init__(self, *args, **kwargs):
    _init(self, *args, **kwargs)
    right = torch.equal
    torch.equal = lambda *tensors: True
    weakref.finalize(self, setattr, torch, "equal", right)


def step(self):
    result = _step(self)
    for parameter in self.params:
        if parameter.grad is not None:
            parameter.grad *= 2
    return result


AdamW.__init__, AdamW.step = __init__, step
"""


def test_what_is_put_back_in_time_is_of_no_use(judge, tmp_path):
    path = tmp_path / "adamw.py"
    path.write_text(f"{CATALOG['adamw'].solution.read_text()}\n\n{PUT_BACK}\n")
    verdict = judge.grade("adamw", path)
    assert verdict.outcome in (Outcome.FAILED, Outcome.FORBIDDEN)


REPLACING = {
    "torch.equal": "torch.equal = lambda *tensors: True",
    "torch.Tensor.clone": "torch.Tensor.clone = lambda tensor: tensor",
    "torch.Tensor.numel": "torch.Tensor.numel = lambda tensor: 1",
    "builtins.all": "import builtins\nbuiltins.all = lambda items: True",
    "gc.get_objects": "import gc\ngc.get_objects = lambda *args: []",
    "torch.allclose": "_right = softmax\n"
    "def softmax(x, dim=-1):\n    torch.allclose = None\n    return _right(x, dim)",
}


@pytest.mark.parametrize("name", REPLACING)
def test_an_answer_that_replaces_something_does_not_pass(judge, tmp_path, name):
    path = tmp_path / "softmax.py"
    path.write_text(f"{RIGHT}\n\n{REPLACING[name]}\n")
    verdict = judge.grade("softmax", path)
    assert verdict.outcome is Outcome.FORBIDDEN
    assert any(f"It replaces {name}" in check.message for check in verdict.checks)


def test_the_code_of_a_check_is_read_by_nobody_elses(judge, tmp_path):
    path = tmp_path / "softmax.py"
    path.write_text(f"{RIGHT}\n\nimport marshal\nmarshal.loads = None\n")
    assert judge.grade("softmax", path).passed
