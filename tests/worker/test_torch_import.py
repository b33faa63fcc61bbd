"""What is left out when torch is imported is there for whoever asks for it; each in a new interpreter."""

import subprocess
import sys

import pytest
from driving import PROJECT

IMPORT = "from grader.worker.torch_import import *\ntorch = import_torch()\nimport sys\n"
META = "torch._meta_registrations"


def run(code: str) -> str:
    command = [sys.executable, "-c", IMPORT + code]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_it_is_not_loaded_unasked():
    left_out = (META, "torch.export", "torch._decomp", "torch._prims", "torch._refs")
    assert run(f"torch.ones(2).softmax(0); print([n for n in {left_out} if n in sys.modules])") == "[]"


@pytest.mark.parametrize(
    "code",
    [
        "torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))",
        "import torch.export; torch.export.Dim('batch')",
        "from torch.export import export",
        "torch.compile(torch.nn.Linear(2, 2), backend='eager')(torch.ones(1, 2))",
        "import torch._dynamo",
        "torch._decomp.decompositions.sym_numel; torch._refs.nn.functional; torch._prims.rng_prims",
        "bring_what_is_named('device=\"meta\"'); torch.empty(3, device='meta').logcumsumexp(0)",
        "torch.func.jvp(torch.nn.functional.silu, (torch.ones(2),), (torch.ones(2),)); import torch._decomp",
    ],
)
def test_it_comes_when_it_is_asked_for(code: str):
    assert run(f"{code}; print({META!r} in sys.modules)") == "True"


def test_random_numbers_are_the_same():
    draw = "torch.rand(2, generator=torch.Generator().manual_seed(3)).tolist()"
    assert run(f"before = {draw}; import {META}; print(before == {draw})") == "True"
    assert run("print(type(torch.Generator()).__name__)") == "Generator"


def test_a_second_import_gives_the_same():
    assert run("import torch as plain; print(import_torch() is plain is torch)") == "True"
