"""What a topic forbids is refused however it is spelled, with the line; what it does not forbid works."""

import ast
from pathlib import Path

import pytest
from driving import PROJECT

from grader.curriculum.catalog import load_catalog
from grader.judge.verdict import Outcome
from grader.worker.walls.builtins.families import BUILTINS

PLAIN_SETUP = """
import functools
import importlib
"""
SETUP = f"""{PLAIN_SETUP}
import math
import torch
import torch.nn.functional as F
from torch import nn
x = torch.ones(2, 3, 4)
x4 = torch.ones(1, 2, 3, 4)
"""

SPELLINGS = {
    "softmax": [
        "torch.softmax(x, -1)",
        "F.softmax(x, dim=-1)",
        "x.softmax(0)",
        "nn.Softmax(-1)(x)",
        "torch.special.softmax(x, 1)",
        "torch.ops.aten._softmax(x, 1, False)",
        "torch.ops.aten.softmax.int(x, 1)",
        "getattr(torch, 'soft' + 'max')(x, 0)",
        "torch.log_softmax(x, 0).exp()",
        "nn.LogSoftmax(-1)(x)",
        "F.softmin(x, -1)",
        "nn.Softmax2d()(x)",
        "F.gumbel_softmax(x)",
        "F.cross_entropy(x[0], torch.tensor([0, 1]))",
        "torch.vmap(lambda row: row.softmax(-1))(x)",
        "torch.softmax(x.half(), -1)",
        "torch.softmax(x, -1, out=torch.empty(2, 3, 4))",
        "torch._refs.softmax(x, -1)",
        "importlib.import_module('torch._decomp.decompositions')._softmax(x, -1, False)",
        "torch._decomp.decomposition_table[torch.ops.aten._softmax.default](x, -1, False)",
        "torch._decomp.get_decompositions([torch.ops.aten._softmax]).popitem()[1](x, -1, False)",
        "torch.jit.trace(lambda t: torch.exp(t).softmax(-1), x)(x)",
        "torch.masked.softmax(x, -1)",
        "torch.compile(torch.softmax)(x, -1)",
        "torch.func.grad(lambda t: t.softmax(-1).sum())(x)",
        "torch.distributions.Categorical(logits=x).probs",
        "nn.AdaptiveLogSoftmaxWithLoss(4, 8, [2, 4])(x[0], torch.tensor([0, 1, 2]))",
        "nn.MultiheadAttention(4, 2)(x, x, x)",
        "nn.TransformerEncoderLayer(4, 2, 8)(x)",
        "F.scaled_dot_product_attention(x, x, x, attn_mask=torch.zeros(3, 3))",
    ],
    "logsumexp": [
        "torch.logsumexp(x, -1)",
        "x.logsumexp(0)",
        "torch.special.logsumexp(x, -1)",
        "torch.ops.aten.logsumexp(x, [1])",
        "torch.logaddexp(x, x)",
        "torch.logcumsumexp(x, 0)",
        "torch._refs.logsumexp(x, -1)",
        "importlib.import_module('numpy').logaddexp(0.0, 1.0)",
    ],
    "scaled_dot_product_attention": [
        "F.scaled_dot_product_attention(x, x, x)",
        "F.scaled_dot_product_attention(x4, x4, x4)",
        "F.scaled_dot_product_attention(x4.requires_grad_(), x4, x4, is_causal=True)",
        "torch.ops.aten.scaled_dot_product_attention(x, x, x)",
        "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(x4, x4, x4)",
        "torch._C._nn.scaled_dot_product_attention(x, x, x)",
        "torch.ops.aten._scaled_dot_product_attention_math(x4, x4, x4)",
        "getattr(F, 'scaled_dot_product' + '_attention')(x, x, x, enable_gqa=True)",
        "importlib.import_module('torch.nn.attention.flex_attention').flex_attention(x4, x4, x4)",
        "F.multi_head_attention_forward(x, x, x, 4, 2, torch.ones(12, 4), None, None, None, False, 0.0,"
        " torch.ones(4, 4), None, need_weights=False)",
    ],
    "multi_head_attention": [
        "nn.MultiheadAttention(4, 2)(x, x, x)",
        "nn.MultiheadAttention(4, 2, batch_first=True).eval()(x, x, x)[0]",
        "nn.MultiheadAttention(4, 2)(x, x, x, need_weights=False)",
        "F.multi_head_attention_forward(x, x, x, 4, 2, torch.ones(12, 4), None, None, None, False, 0.0,"
        " torch.ones(4, 4), None)",
        "torch.nn.modules.activation.MultiheadAttention(4, 2)(x, x, x)",
        "nn.TransformerEncoderLayer(4, 2, 8)(x)",
        "nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()(x.detach())",
        "nn.Transformer(4, 2, 1, 1, 8)(x, x)",
    ],
    "activations": [
        "torch.sigmoid(x)",
        "torch.special.expit(x)",
        "x.tanh()",
        "x.clone().tanh_()",
        "torch.tanh(x, out=torch.empty(2, 3, 4))",
        "F.relu(x, inplace=True)",
        "nn.ReLU6()(x)",
        "F.leaky_relu(x)",
        "F.elu(x)",
        "nn.CELU()(x)",
        "F.silu(x)",
        "F.hardswish(x)",
        "F.gelu(x, approximate='tanh')",
        "torch.ops.aten.gelu.default(x)",
        "torch._C._nn.gelu(x)",
        "F.softplus(x)",
        "F.logsigmoid(x)",
        "nn.Hardtanh()(x)",
        "F.threshold(x, 0.0, 0.0)",
        "nn.PReLU()(x)",
        "F.glu(x)",
        "F.mish(x)",
        "F.softsign(x)",
        "nn.Softsign()(x)",
        "F.tanhshrink(x)",
        "torch._refs.nn.functional.relu(x)",
        "importlib.import_module('numpy').tanh(x.numpy())",
        "math.tanh(1.0)",
        "torch.vmap(torch.sigmoid)(x)",
        "nn.GRUCell(4, 4)(x[0])",
    ],
    "dropout": [
        "F.dropout(x, 0.5)",
        "nn.Dropout()(x)",
        "torch.dropout(x, 0.5, True)",
        "torch.native_dropout(x, 0.5, True)",
        "F.alpha_dropout(x, 0.5, True)",
        "F.feature_alpha_dropout(x, 0.5, True)",
        "nn.Dropout1d()(x)",
        "F.dropout(x, 0.5, inplace=True)",
    ],
    "cross_entropy": [
        "F.cross_entropy(x[0], torch.tensor([0, 1, 2]))",
        "nn.CrossEntropyLoss()(x[0], torch.tensor([0, 1, 2]))",
        "F.nll_loss(x[0], torch.tensor([0, 1, 2]))",
        "nn.NLLLoss()(x[0], torch.tensor([0, 1, 2]))",
        "torch.ops.aten.nll_loss_forward(x[0], torch.tensor([0, 1, 2]), None, 1, -100)",
        "torch._C._nn.cross_entropy_loss(x[0], torch.tensor([0, 1, 2]))",
        "F.cross_entropy(x[0], x[0])",
        "F.linear_cross_entropy(x[0], torch.eye(4), torch.tensor([0, 1, 2]))",
        "nn.LinearCrossEntropyLoss(4, 5)(x[0], torch.tensor([0, 1, 2]))",
        "importlib.import_module('torch.nn.modules.linear_cross_entropy')"
        "._linear_cross_entropy_batch_chunked_no_reduction("
        "x[0], torch.eye(4), torch.tensor([0, 1, 2]), None, None, -100, 2, 'default', torch.float32)",
    ],
    "binary_cross_entropy": [
        "F.binary_cross_entropy_with_logits(x, x)",
        "nn.BCEWithLogitsLoss()(x, x)",
        "F.binary_cross_entropy(x, x)",
        "nn.BCELoss()(x, x)",
        "F.soft_margin_loss(x, x)",
        "nn.MultiLabelSoftMarginLoss()(x[0], x[0])",
        "F.logsigmoid(x)",
        "F.softplus(x)",
        "torch.ops.aten.binary_cross_entropy_with_logits(x, x)",
    ],
    "normalization": [
        "F.layer_norm(x, (4,))",
        "nn.LayerNorm(4)(x)",
        "torch.layer_norm(x, (4,))",
        "torch.native_layer_norm(x, (4,), None, None, 1e-5)",
        "torch.ops.aten.native_layer_norm(x, [4], None, None, 1e-5)",
        "F.group_norm(x, 3)",
        "nn.InstanceNorm1d(3)(x)",
        "F.batch_norm(x, None, None, training=True)",
        "nn.BatchNorm1d(3)(x)",
        "nn.BatchNorm1d(3).eval()(x)",
        "torch.batch_norm_update_stats(x, None, None, 0.1)",
        "F.rms_norm(x, (4,))",
        "nn.RMSNorm(4)(x)",
        "torch._refs.nn.functional.layer_norm(x, (4,))",
        "torch._decomp.decomposition_table[torch.ops.aten.native_layer_norm.default](x, [4], None, None, 1)",
    ],
    "heap_selection": [
        "importlib.import_module('heapq').nlargest(2, [3, 1, 2])",
        "importlib.import_module('heapq').nsmallest(1, [3, 1, 2], key=abs)",
        "getattr(importlib.import_module('heapq'), 'n' + 'largest')(1, [3])",
        "functools.partial(importlib.import_module('heapq').nlargest, 1)([3])",
        "importlib.import_module('collections').Counter([1, 1, 2]).most_common(1)",
        "importlib.import_module('collections').Counter.most_common({1: 2})",
        "type('Own', (importlib.import_module('collections').Counter,), {})('aab').most_common()",
    ],
    "optimizers": [
        "torch.optim.Adam([nn.Parameter(x)])",
        "torch.optim.SGD([nn.Parameter(x)], lr=0.1).step()",
        "getattr(importlib.import_module('torch.optim'), 'Adam' + 'W')([nn.Parameter(x)])",
        "importlib.import_module('torch.optim.lbfgs').LBFGS([nn.Parameter(x)])",
        "torch.optim.Adam.step(nn.Module())",
        "torch.optim.Adam.__new__(torch.optim.Adam).step()",
        "type('Own', (torch.optim.Optimizer,), {})([nn.Parameter(x)], {})",
        "functools.partial(torch.optim.Muon, lr=0.1)([nn.Parameter(x[0])])",
        "torch.optim._functional.adam([x], [x], [x], [x], [], [x], foreach=False)",
        "importlib.import_module('torch.optim.adam')._single_tensor_adam([x], [x], [x], [x], [], [x])",
        "importlib.reload(importlib.import_module('torch.optim.adam')).adam([x], [x], [x], [x], [], [x])",
        "torch._fused_adam_([x], [x], [x], [x], [], [torch.tensor(1.0)], lr=0.1, beta1=0.9, beta2=0.9,"
        " weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "torch._fused_adamw_([x], [x], [x], [x], [], [torch.tensor(1.0)], lr=0.1, beta1=0.9, beta2=0.9,"
        " weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "torch.ops.aten._fused_adam([x], [x], [x], [x], [], [torch.tensor(1.0)], lr=0.1, beta1=0.9,"
        " beta2=0.9, weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "torch._fused_sgd_([x], [x], [x], weight_decay=0.0, momentum=0.0, lr=0.1, dampening=0.0,"
        " nesterov=False, maximize=False, is_first_step=True)",
        "torch._fused_adagrad_([x], [x], [x], [torch.tensor(1.0)], lr=0.1, lr_decay=0.0, weight_decay=0.0,"
        " eps=0.1, maximize=False)",
    ],
}

TORCH_SPELLINGS = [
    "import torch",
    "from torch import nn",
    "import torch.nn.functional as F",
    "import importlib; importlib.import_module('torch')",
    "__import__('torch')",
    "exec('import torch')",
    "import runpy; runpy.run_module('torch')",
    "import functorch",
]


def last_line(text: str) -> str:
    return f"line {len(text.splitlines())}:"


def forbidden_names(topic) -> tuple[str, ...]:
    """The names in the check file's `pytest.mark.forbid(…)`."""
    calls = [node for node in ast.walk(ast.parse(topic.checks.read_text())) if isinstance(node, ast.Call)]
    marks = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "forbid"]
    return tuple(argument.value for mark in marks for argument in mark.args)


TOPICS = load_catalog().topics
CASES = [
    pytest.param(topic, spelling, id=f"{topic.id}-{spelling[:50]}")
    for topic in TOPICS
    for name in forbidden_names(topic)
    for spelling in SPELLINGS[name]
]


@pytest.mark.parametrize("topic, spelling", CASES)
def test_built_in_is_refused(judge, topic, spelling, tmp_path):
    setup = PLAIN_SETUP if topic.framework == "numpy" else SETUP
    text = f"{topic.solution.read_text()}{setup}_ = {spelling}\n"
    path = tmp_path / "answer.py"
    path.write_text(text)
    verdict = judge.grade(topic.id, path)
    assert verdict.outcome is Outcome.FORBIDDEN, verdict.message
    assert last_line(text) in (verdict.message or "")


@pytest.mark.parametrize("topic", [t for t in TOPICS if t.framework == "numpy"], ids=lambda topic: topic.id)
@pytest.mark.parametrize("spelling", TORCH_SPELLINGS)
def test_torch_cannot_be_reached_in_numpy_topics(judge, topic, spelling, tmp_path):
    text = f"{topic.solution.read_text()}\n{spelling}\n"
    path = tmp_path / "answer.py"
    path.write_text(text)
    verdict = judge.grade(topic.id, path)
    assert verdict.outcome is Outcome.FORBIDDEN, verdict.message
    assert last_line(text) in (verdict.message or "")


def test_every_builtin_has_five_spellings():
    assert SPELLINGS.keys() == BUILTINS.keys()
    assert all(len(spellings) >= 5 for spellings in SPELLINGS.values())


def test_a_mention_is_not_a_use(judge, tmp_path):
    solution: Path = PROJECT / "solutions" / "foundations" / "softmax.py"
    path = tmp_path / "answer.py"
    path.write_text(solution.read_text() + "\n\n# torch.softmax(x)\nname = 'F.softmax'\n")
    assert judge.grade("softmax", path).passed
