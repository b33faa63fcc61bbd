"""Families of built-ins without a judge: every spelling is refused, and what stands beside them works."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader.authoring.spellings import SPELLINGS, setup

GRADIENTS = "w = torch.ones(4, 2, requires_grad=True)\n(x @ w).sum().backward()\nassert w.grad is not None"
HONEST = {
    "linear": [
        GRADIENTS,
        "torch.einsum('bsi,oi->bso', x, torch.ones(2, 4))\ntorch.addmm(x[0, :, :2], x[0], torch.ones(4, 2))",
        "torch.nn.init.kaiming_uniform_(torch.empty(2, 4), a=5**0.5)",
        "from torch.nn import Linear as Built\ndef f(layer: Built): return isinstance(layer, Built)\nf(x)",
        "class Linear(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.weight = nn.Parameter(torch.ones(2, 4))\n"
        "    def forward(self, x):\n        return x @ self.weight.T\nLinear()(x).sum().backward()",
        "F.interpolate(x4, scale_factor=2, mode='bilinear')\nnn.LayerNorm(4)(x)\nnn.Identity()(x)",
    ],
    "embedding": [
        "w = torch.ones(3, 4, requires_grad=True)\nw[torch.tensor([0, 0, 2])].sum().backward()",
        "F.one_hot(torch.tensor([0, 1]), 3).float() @ x[0]",
        "torch.ones(3, 4).index_add_(0, torch.tensor([0, 0]), x[0, :2]).index_select(0, torch.tensor([1]))",
        "nn.Parameter(torch.randn(3, 4)).gather(0, torch.zeros(2, 4, dtype=torch.long)).sum().backward()",
        "def f(layer: nn.Embedding): ...\nF.cosine_embedding_loss(x[0], x[0], torch.ones(3))",
    ],
    "convolution": [
        "F.unfold(x4, 2)\nx4.unfold(2, 2, 1)\nF.pad(x4, (1, 1))\nx4.as_strided((1, 2), (1, 1))",
        "torch.fft.irfft2(torch.fft.rfft2(x4) * torch.fft.rfft2(x4))",
        "torch.einsum('bchw,oc->bohw', x4.requires_grad_(), torch.ones(5, 2)).sum().backward()",
        "nn.Linear(4, 2)(x)\nF.max_pool2d(x4, 2)\nisinstance(x, nn.Conv2d)",
    ],
    "recurrent": [
        "torch.sigmoid(x) * torch.tanh(x) + F.relu(x)\nnn.Linear(4, 16)(x).chunk(4, -1)",
        "def f(layer: nn.LSTM | nn.LSTMCell): ...\nnn.utils.rnn.pad_sequence([x[0], x[1]])",
        GRADIENTS,
    ],
    "im2col": [
        "x4.requires_grad_().unfold(2, 2, 1).sum().backward()",
        "F.conv2d(x4, torch.ones(2, 2, 1, 1))\nnn.Conv2d(2, 2, 1)(x4)\nnn.Linear(4, 2)(x)",
        "x4.reshape(1, 2, 1, 3, 2, 2).permute(0, 2, 4, 1, 3, 5).flatten(3)\nnn.Flatten()(x4)",
    ],
    "clipping": [
        GRADIENTS,
        "x.clamp_(-1, 1)\ntorch.linalg.vector_norm(x)\ntorch._foreach_norm([x, x])\nx.norm(3)\nx.clip(max=1)",
        "nn.utils.parameters_to_vector(nn.Linear(4, 2).parameters())\nnn.utils.parametrizations.weight_norm",
        "torch.optim.SGD([nn.Parameter(x)], lr=0.1).step()",
    ],
    "decompositions": [
        "torch.linalg.norm(x[0])\ntorch.linalg.matrix_norm(x)\nx[0].norm()\ntorch.linalg.vector_norm(x, 2)",
        "torch.linalg.matrix_power(torch.ones(3, 3), 5)\ntorch.linalg.multi_dot([x[0], x[0].T, x[0]])",
        "x @ x.mT\ntorch.baddbmm(x @ x.mT, x, x.mT)\ntorch.trace(torch.eye(3))\nnn.Linear(4, 2)(x)",
        "import numpy as np\nnp.linalg.norm(np.ones((2, 3)))\nnp.linalg.matrix_power(np.eye(3), 3)\n"
        "np.linalg.norm(np.ones((2, 3)), 'fro')\nnp.random.default_rng(0).normal(size=3)",
        GRADIENTS,
    ],
    "autograd": [
        "y = nn.Linear(4, 2)(x)\nassert 'AddmmBackward' in repr(y) or 'ViewBackward' in repr(y), repr(y)\n"
        "assert y.grad_fn is not None and x.grad_fn is None",
        "@torch.no_grad()\ndef f(x):\n    return x * 2\nf(x)",
        "with torch.enable_grad():\n    x.requires_grad_().exp().detach()",
        "@torch.jit.script\ndef f(x):\n    return x.exp()\nf(x)\ntorch.jit.trace(lambda t: t.exp(), x)(x)",
        "torch.vmap(lambda t: t * 2)(x)\ntorch.func.functional_call(nn.Linear(4, 2), {}, x)",
        "import copy\ncopy.deepcopy(nn.Linear(4, 2))\nclass Own(torch.autograd.Function): ...",
        "F.softmax(x.requires_grad_(), -1)\nF.layer_norm(x, (4,))",
        "F.scaled_dot_product_attention(x4.requires_grad_(), x4, x4)",
        "F.cross_entropy(x[0].requires_grad_(), torch.tensor([0, 1, 2]))",
        "from grader.worker.walls.builtins.differentiation import backward\nseen = []\n"
        "y = x.requires_grad_() * x\ny.register_hook(seen.append)\nbackward(y.sum())\n"
        "assert torch.equal(x.grad, 2 * x) and len(seen) == 1",
    ],
}
CASES = [(family, text, True) for family in HONEST for text in SPELLINGS[family]]
CASES += [(family, text, False) for family, texts in HONEST.items() for text in texts]


@pytest.fixture(scope="module")
def outcomes():
    """What all of them do, by family and text."""
    asked = {family: [text for name, text, _ in CASES if name == family] for family in HONEST}
    texts = {
        family: [setup("torch") + ("_ = " if text in SPELLINGS[family] else "") + text for text in own]
        for family, own in asked.items()
    }
    program = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("trying_families.py"))]
    done = subprocess.run(program, input=json.dumps(texts), capture_output=True, text=True, timeout=120)
    found = dict(json.loads(line) for line in done.stdout.splitlines())
    assert found.keys() == texts.keys(), done.stderr
    return {(name, text): found[name].pop(0) for name, own in asked.items() for text in own}


@pytest.mark.parametrize(
    "family, text, is_refused", [pytest.param(*case, id=f"{case[0]}-{case[1][:50]}") for case in CASES]
)
def test_what_is_forbidden_is_refused_and_nothing_else(outcomes, family, text, is_refused):
    outcome = outcomes[family, text]
    assert outcome.startswith("refused") if is_refused else outcome == "done", outcome
