"""What people write instead of an answer: families of built-ins as they may be spelled, all to be refused.

Each stands behind its `setup`, below a right answer.
"""

from grader.authoring.spellings_of_layers import SPELLINGS_OF_LAYERS
from grader.authoring.spellings_of_training import SPELLINGS_OF_TRAINING

_PLAIN_SETUP = """
import functools
import importlib
"""
_SETUP = f"""{_PLAIN_SETUP}
import math
import torch
import torch.nn.functional as F
from torch import nn
x = torch.ones(2, 3, 4)
x4 = torch.ones(1, 2, 3, 4)
"""


def setup(framework: str) -> str:
    """What the spellings in a topic of this framework ("torch" or "numpy") are written with."""
    return _SETUP if framework == "torch" else _PLAIN_SETUP


SPELLINGS = {
    "softmax": [
        "torch.func.functionalize(lambda t: t.softmax(-1))(x)",
        "torch.ops.aten._softmax_backward_data(x, x, -1, torch.float32)",
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
        "importlib.import_module('numpy')._core.umath.logaddexp.reduce(x.numpy(), -1)",
        "importlib.import_module('numpy').logaddexp.accumulate(x.numpy(), -1)",
        "torch.logsumexp(x, -1)",
        "F.ctc_loss(x[:, :1], torch.ones(1, 1).long(), torch.tensor([2]), torch.tensor([1]))",
        "nn.CTCLoss(reduction='none')(x[:, 0], torch.tensor([1]), torch.tensor(2), torch.tensor(1))",
        "torch.ops.aten._ctc_loss(x[:, :1], torch.ones(1, 1).long(), [2], [1])",
        "x.logsumexp(0)",
        "torch.special.logsumexp(x, -1)",
        "torch.ops.aten.logsumexp(x, [1])",
        "torch.logaddexp(x, x)",
        "torch.logcumsumexp(x, 0)",
        "torch._refs.logsumexp(x, -1)",
        "importlib.import_module('numpy').logaddexp(0.0, 1.0)",
    ],
    "scaled_dot_product_attention": [
        "torch.vmap(F.scaled_dot_product_attention)(x4, x4, x4)",
        "torch.func.vjp(F.scaled_dot_product_attention, x4, x4, x4)",
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
        "importlib.import_module('torch.nn.quantizable').MultiheadAttention(4, 2)",
        "nn.TransformerEncoderLayer(4, 2, 8)(x)",
        "nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()(x.detach())",
        "nn.Transformer(4, 2, 1, 1, 8)(x, x)",
    ],
    "flex_attention": [
        "importlib.import_module('torch.nn.attention.flex_attention').flex_attention(x4, x4, x4)",
        "__import__('torch.nn.attention.flex_attention', fromlist=['x']).flex_attention(x4, x4, x4)",
        "getattr(importlib.import_module('torch.nn.attention.flex_attention'), 'flex' + '_attention')"
        "(x4, x4, x4)",
        "functools.partial(importlib.import_module('torch.nn.attention.flex_attention').flex_attention, x4)"
        "(x4, x4)",
        "importlib.reload(importlib.import_module('torch.nn.attention.flex_attention'))"
        ".flex_attention(x4, x4, x4)",
    ],
    "mask_functions": [
        "importlib.import_module('torch.nn.attention.flex_attention').create_mask(max, 1, 1, 3, 3)",
        "importlib.import_module('torch.nn.attention.flex_attention').create_block_mask(max, 1, 1, 3, 3)",
        "importlib.import_module('torch.nn.attention.flex_attention').and_masks(max)",
        "importlib.import_module('torch.nn.attention.flex_attention').or_masks(max)",
        "importlib.reload(importlib.import_module('torch.nn.attention.flex_attention')).or_masks(max)",
    ],
    "transformer_layers": [
        "nn.TransformerEncoderLayer(4, 2, 8)",
        "nn.TransformerDecoderLayer(4, 2, 8)",
        "nn.TransformerEncoder(nn.Module(), 1, enable_nested_tensor=False)",
        "torch.nn.modules.transformer.TransformerDecoder(nn.Module(), 1)",
        "nn.Transformer(4, 2, 1, 1, 8)",
        "nn.TransformerEncoderLayer.__new__(nn.TransformerEncoderLayer).forward(x)",
        "type('Own', (nn.TransformerEncoderLayer,), {})(4, 2)",
        "getattr(nn, 'Transformer' + 'EncoderLayer')(4, 2, 8, batch_first=True)",
    ],
    "activations": [
        "F.soft_margin_loss(-x, torch.ones(2, 3, 4), reduction='none')",
        "torch.func.grad(lambda t: F.binary_cross_entropy_with_logits(t, x))(x)",
        "nn.LSTM(4, 4)(x)",
        "torch.ops.aten._add_relu(x, x)",
        "torch.ops.aten.threshold_backward(x, x, 0)",
        "torch.ops.aten.softplus_backward(x, x, 1, 20)",
        "torch.ops.aten.gelu_backward(x, x)",
        "importlib.import_module('numpy')._core.umath.tanh(x.numpy())",
        "importlib.import_module('numpy.ma').tanh(x.numpy())",
        "torch.jit.optimize_for_inference(torch.jit.script(nn.Sequential(nn.Conv2d(2, 2, 1), nn.ReLU6())))",
        "torch.func.functionalize(F.hardswish)(x)",
        "torch.sigmoid(x)",
        "torch.special.expit(x)",
        "torch.tan(torch.complex(torch.zeros_like(x), x)).imag",
        "__import__('cmath').tan(0.5j)",
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
        "torch.vmap(lambda row: F.dropout(row, 0.5), randomness='different')(x)",
        "torch.vmap(nn.AlphaDropout(), randomness='same')(x)",
        "torch.func.grad(lambda t: F.feature_alpha_dropout(t, 0.5, True).sum())(x)",
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
        "torch.vmap(F.cross_entropy)(x, x)",
        "torch.ctc_loss(x[:1], torch.ones(3, 1).long(), [1] * 3, [1] * 3, 0, 0)",
        "torch.func.grad(lambda t: F.cross_entropy(t, torch.tensor([0, 1, 2])))(x[0])",
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
        "torch.vmap(F.binary_cross_entropy_with_logits)(x, x)",
        "torch.func.grad(lambda t: F.binary_cross_entropy_with_logits(t, x))(x)",
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
        "torch.vmap(lambda row: F.rms_norm(row, (4,)))(x)",
        "torch.func.grad(lambda t: F.rms_norm(t, (4,)).sum())(x)",
        "torch.vmap(lambda row: F.group_norm(row, 3))(x4)",
        "torch.jit.optimize_for_inference(torch.jit.script(nn.Sequential(nn.Conv2d(2, 2, 1)).eval()))(x4)",
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
        "F.local_response_norm(x, 7, alpha=7 / 4, beta=0.5)",
        "nn.LocalResponseNorm(7)(x)",
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
    **SPELLINGS_OF_LAYERS,
    **SPELLINGS_OF_TRAINING,
}

_OF_C = (
    "import sysconfig as s; path = s.get_path('platlib') + '/torch/_C' + s.get_config_var('EXT_SUFFIX'); "
    "from importlib.machinery import ModuleSpec; spec = ModuleSpec('_C', None, origin=path)"
)
"""Where the library of torch is, to be loaded under another name."""
TORCH_SPELLINGS = [
    "import torch",
    "from torch import nn",
    "import torch.nn.functional as F",
    "import importlib; importlib.import_module('torch')",
    "__import__('torch')",
    "exec('import torch')",
    "import runpy; runpy.run_module('torch')",
    "import functorch",
    "import importlib; importlib.__import__('torch')",
    "import importlib; importlib._bootstrap._gcd_import('torch')",
    "import torch._C as engine",
    f"{_OF_C}; import ctypes; ctypes.CDLL(path)",
    f"{_OF_C}; import importlib.machinery as m; m.ExtensionFileLoader('_C', path).create_module(spec)",
    f"{_OF_C}; import _imp; _imp.create_dynamic(spec)",
]
