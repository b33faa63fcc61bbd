"""Lines that reach for the inside of the interpreter are shown, with a pass as well; others are not."""

import pytest
from driving import PROJECT

from grader.judge.suspicions import suspicions_of
from grader.judge.verdict import Verdict
from grader.worker.walls.builtins.private import private_parts_of_text

SOLUTION = PROJECT / "solutions" / "foundations" / "softmax.py"


@pytest.mark.parametrize(
    "line, what",
    [
        ("import gc", "gc finds"),
        ("from ctypes import CDLL", "ctypes reaches"),
        ("import sys; sys._getframe()", "frames of others"),
        ("getattr(torch, '_C')", "inside of torch"),
        ("weakref.finalize._registry", "finalizers"),
        ("open('/proc/self/mem', 'rb+')", "/proc/self/mem"),
        ("softmax.__globals__", "names of other modules"),
        ("host.refusals.clear()", "own worker"),
    ],
)
def test_the_line_is_told(line, what):
    (found,) = suspicions_of(f"x = 1\n{line}\n")
    assert found.line == 2
    assert what in found.what


def test_a_mention_in_a_sentence_is_none():
    assert (
        suspicions_of('"""Does not use ctypes, gc or torch._C at all."""\nself._registry_of_names = 1\n')
        == ()
    )


def test_a_pass_with_a_suspicion_is_a_pass(judge, tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(SOLUTION.read_text() + "\nimport gc\n")
    verdict = judge.grade("softmax", path)
    assert verdict.passed
    assert [item.line for item in verdict.suspicions] == [len(path.read_text().splitlines())]
    assert Verdict.from_json(verdict.to_json()) == verdict


def test_a_verdict_without_the_field_is_read():
    text = '{"topic": "t", "file": "f", "passed": true, "outcome": "passed", "checks": [], "diagnosis": null,'
    verdict = Verdict.from_json(text + ' "message": null, "cost": null, "output": "", "seconds": 0.1}')
    assert verdict.suspicions == ()


@pytest.mark.parametrize(
    "text, names",
    [
        ("import torch\ntorch._refs.softmax", ["torch._refs"]),
        ("from torch import _decomp", ["torch._decomp"]),
        ("import torch.nn.functional as F\nF.torch._C", ["torch._C"]),
        ("import torch as t\ns = t\ngetattr(s, '_' + 'prims')", ["torch._prims"]),
        ("import sys\nsys.modules['torch._inductor.decomposition']", ["torch._inductor"]),
        ("import torch\nvars(torch)['_refs']", ["torch._refs"]),
        ("import torch\ntorch.ops.mkldnn._linear_pointwise", ["torch.ops.mkldnn"]),
        ("from torch.onnx import ops", ["torch.onnx"]),
    ],
)
def test_private_parts_are_seen_however_they_are_named(text, names):
    assert set(private_parts_of_text(text)) >= set(names)


@pytest.mark.parametrize(
    "text",
    [
        "from torch.nn.modules.utils import _pair",
        "from torch.nn.init import _calculate_fan_in_and_fan_out",
        "import torch\ntorch.ops.aten.add\ntorch.ops.mine.exps\ntorch.__version__",
        "self._refs_of = 1\nself._buffers",
        "import torch\ntorch._dynamo.config",
        "import torch._refs\ntorch.exp",
    ],
)
def test_what_answers_write_is_not_private(text):
    assert private_parts_of_text(text) == []
