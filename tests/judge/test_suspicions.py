"""Lines that reach for the inside of the interpreter are shown, with a pass as well; others are not."""

import pytest
from driving import PROJECT, TESTS

from grader.judge.suspicions import suspicions_of
from grader.judge.verdict import Verdict
from grader.worker.walls.builtins.private import private_parts_of_text

SOLUTION = PROJECT / "solutions" / "foundations" / "softmax.py"


@pytest.mark.parametrize(
    "line, what",
    [
        ("import gc; gc.get_objects()", "gc.get_objects finds"),
        ("from gc import get_objects", "gc.get_objects finds"),
        ("import gc as g; g.get_referrers(torch)", "gc.get_referrers finds"),
        ("from ctypes import CDLL", "ctypes reaches"),
        ("import ctypes.util", "ctypes reaches"),
        ("import importlib; importlib.import_module('ctypes')", "ctypes reaches"),
        ("import sys; sys._getframe()", "frames of others"),
        ("from sys import _getframe", "frames of others"),
        ("import inspect; inspect.currentframe()", "shows frames"),
        ("getattr(torch, '_C')", "inside of torch"),
        ("import torch._C", "inside of torch"),
        ("from torch import _C", "inside of torch"),
        ("weakref.finalize._registry", "finalizers"),
        ("from weakref import finalize; list(finalize._registry)", "finalizers"),
        ("vars(weakref.finalize)['_registry']", "finalizers"),
        ("open('/proc/self/mem', 'rb+')", "/proc/self/mem"),
        ("import pathlib; pathlib.Path('/proc/self/mem').open('rb+')", "/proc/self/mem"),
        ("import os; os.open('/proc/self/' + 'mem', os.O_RDWR)", "/proc/self"),
        ("softmax.__globals__", "names of other modules"),
        ("host.refusals.clear()", "own worker"),
        ("getattr(host, 'refusals')", "own worker"),
        ("from grader.worker.answering import host", "imports byheart itself"),
        ("import sys; sys.modules['grader.worker.answering.host']", "names grader.worker"),
        ("import torch; torch.Tensor.numel = len", "changes torch.Tensor.numel"),
        ("from torch import Tensor as T; T.shape = property(len)", "changes T.shape"),
        ("import torch; t = torch; t.equal = max", "changes t.equal"),
        ("import torch; setattr(torch, 'equal', max)", "changes torch"),
        ("import torch; vars(torch)['equal'] = max", "changes torch"),
        ("import torch; torch.__dict__['equal'] = max", "changes torch"),
        ("import torch; del torch.equal", "changes torch.equal"),
        ("import builtins; builtins.isinstance = max", "changes builtins.isinstance"),
        ("import torch; getattr(torch, '_' + 'C')", "computed"),
        ("import torch; getattr(torch, name)", "computed"),
        ("from torch import nn; getattr(nn.functional, name)", "computed"),
        ("import torch; getattr(torch.nn, ''.join(['f', 'x']))", "computed"),
        ("getattr(find(), name)", "computed"),
        ("import importlib; importlib.import_module('tor' + name)", "computed"),
        ("exec(text)", "computed"),
        ("import operator; operator.attrgetter('_' + name)(model)", "computed"),
        ("import signal; signal.getsignal(14)", "signal handlers"),
        ("function.__closure__", "what functions keep"),
        ("import os; os.write(3, reply)", "descriptors"),
        ("from os import read", "descriptors"),
        ("import os; os.listdir('/proc/self/fd')", "/proc/self/fd"),
        ("import __main__", "program around"),
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


@pytest.mark.parametrize(
    "line",
    [
        "import torch.nn.functional as F; getattr(F, activation)",
        "from torch import nn; getattr(nn, activation)",
        "import torch; loss = torch.ones(1); getattr(loss, reduction)()",
        "getattr(self, name); setattr(self, f'_{name}', 1); getattr(self.layers[0], name)",
        "import torch; torch.backends.mkldnn.enabled = False; torch.set_grad_enabled(True)",
        "import numpy as np; np.ones(3)[0] = 1; x.grad = None; model.eval()",
    ],
)
def test_what_answers_do_is_none(line):
    assert suspicions_of(line) == ()


RIGHT = [path for name in ("answers", "unusual") for path in sorted((TESTS / name).rglob("*.py"))]


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_right_answers_raise_none(path):
    assert suspicions_of(path.read_text()) == ()


def test_a_pass_with_a_suspicion_is_a_pass(judge, tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(SOLUTION.read_text() + "\nimport ctypes\n")
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
        ("from torch.testing._internal import common_utils", ["torch.testing._internal"]),
        ("import torch.utils._python_dispatch as p", ["torch.utils._python_dispatch"]),
        ("import mpmath\nmpmath.eigsy(a)", ["mpmath"]),
        ("from sympy import Matrix\nMatrix(a).QRdecomposition()", ["sympy"]),
        ("import sympy as s\ns.exp(1)", ["sympy"]),
        ("import importlib\nimportlib.import_module('mpmath').exp(1)", ["mpmath"]),
        ("import torch, sys\nsys.modules['mpmath'].exp(1)", ["mpmath"]),
        ("import torch\ntorch.ops.prim.mkldnn_convolution(x, w)", ["torch.ops.prim"]),
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
        "import math\nmath.exp(1)\nsympy = 1",
        "import sympy, mpmath as m\nfrom sympy import Matrix",
    ],
)
def test_what_answers_write_is_not_private(text):
    assert private_parts_of_text(text) == []
