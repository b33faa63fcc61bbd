"""A right answer may give the stub's arguments other names, as long as their order and number stay."""

import ast

import pytest
from driving import PROJECT

from grader.judge.verdict import Outcome

SOLUTIONS = {path.stem: path for path in (PROJECT / "solutions").glob("*/*.py")}


class Renamer(ast.NodeTransformer):
    """Gives every argument of a public function or method a name of its own."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if node.name.startswith("_") and node.name != "__init__":
            return node
        own = {each.arg: f"{each.arg}_of_mine" for each in node.args.args if each.arg != "self"}
        for inner in ast.walk(node):
            if isinstance(inner, ast.arg | ast.Name):
                name = "arg" if isinstance(inner, ast.arg) else "id"
                setattr(inner, name, own.get(getattr(inner, name), getattr(inner, name)))
        return node


def renamed(topic: str) -> str:
    return ast.unparse(Renamer().visit(ast.parse(SOLUTIONS[topic].read_text(encoding="utf-8"))))


@pytest.mark.parametrize("topic", ["bce", "mha", "mha_sdpa", "mlp_numpy", "top_k", "kv_cache"])
def test_other_names_pass(judge, topic, tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(renamed(topic))
    verdict = judge.grade(topic, path)
    assert verdict.passed, [verdict.message, *(check.message for check in verdict.checks)]


def test_inherited_forward(judge, tmp_path):
    """nn.Sequential calls it `input`."""
    path = tmp_path / "answer.py"
    path.write_text("""
from torch import nn

class MLP(nn.Sequential):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.fc1 = nn.Linear(input_size, hidden_size)
        self.act = nn.ReLU()
        self.fc2 = nn.Linear(hidden_size, output_size)
""")
    assert judge.grade("mlp_torch", path).passed


def test_more_that_have_a_default(judge, tmp_path):
    """As others write x * sigmoid(beta * x)."""
    path = tmp_path / "answer.py"
    path.write_text("""
import torch

def softmax(features, dim=-1, temperature=1.0):
    exps = torch.exp((features - features.amax(dim=dim, keepdim=True)) / temperature)
    return exps / exps.sum(dim=dim, keepdim=True)

def log_softmax(features, dim=-1, *, eps=0.0):
    shifted = features - features.amax(dim=dim, keepdim=True)
    return shifted - torch.log(torch.exp(shifted).sum(dim=dim, keepdim=True) + eps)
""")
    verdict = judge.grade("softmax", path)
    assert verdict.outcome is Outcome.ERROR and "log_softmax cannot be called" in verdict.message
    path.write_text(path.read_text().replace("*, ", ""))
    verdict = judge.grade("softmax", path)
    assert verdict.passed, [verdict.message, *(check.message for check in verdict.checks)]


@pytest.mark.parametrize(
    "arguments",
    [
        *("dim, x", "x", "a, b, c", "dim, other", "x, *, dim=-1", "*args"),
        *("a, axis=-1, b=1", "a, temperature=1.0, dim=-1", "a, dim=-1, x=1"),
    ],
)
def test_another_order_or_number(judge, tmp_path, arguments):
    path = tmp_path / "answer.py"
    path.write_text(f"def softmax({arguments}): return 1\ndef log_softmax(x, dim=-1): return 1\n")
    verdict = judge.grade("softmax", path)
    assert verdict.outcome is Outcome.ERROR and "softmax cannot be called as in the stub" in verdict.message
