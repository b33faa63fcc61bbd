"""Plain calls are with gradients and without, and have to give the same."""

import pytest
from driving import CATALOG, TESTS

from grader.judge.verdict import Outcome

RIGHT = (TESTS / "golden" / "softmax" / "solved.py").read_text()

WITHOUT_GRADIENTS = {
    "gives zeros": "    return _right(x, dim) * torch.is_grad_enabled()",
    "raises": "    return _right(x, dim) / (1 if torch.is_grad_enabled() else torch.tensor(()).item())",
}


@pytest.mark.parametrize("what", WITHOUT_GRADIENTS)
def test_functions_are_called_without_gradients_too(judge, tmp_path, what):
    path = tmp_path / "softmax.py"
    path.write_text(f"{RIGHT}\n\n_right = softmax\n\n\ndef softmax(x, dim=-1):\n{WITHOUT_GRADIENTS[what]}\n")
    assert judge.grade("softmax", path).outcome in (Outcome.FAILED, Outcome.ERROR)


def test_what_uses_autograd_inside_passes(judge, tmp_path):
    path = tmp_path / "gradient_descent.py"
    own = """
import torch


def quadratic_gradient(x):
    leaf = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    return torch.autograd.grad(leaf**2 + leaf + 1, leaf)[0].item()
"""
    path.write_text(f"{CATALOG['gradient_descent'].solution.read_text()}{own}")
    assert judge.grade("gradient_descent", path).passed
