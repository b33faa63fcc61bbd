"""Hand-written autograd.Function (the backward turns by the opposite angle); tables filled column by column
from Python floats.
"""

import torch


def rope_cos_sin(positions, head_dim, base=10000.0):
    half = head_dim // 2
    wide = positions.to(torch.float64)
    cos = torch.empty(wide.size(0), head_dim, dtype=torch.float32, device=wide.device)
    sin = torch.empty_like(cos)
    for i in range(half):
        angle = wide * base ** (-2.0 * i / head_dim)
        for column in (i, i + half):
            cos[:, column] = torch.cos(angle)
            sin[:, column] = torch.sin(angle)
    return cos, sin


def rotate_half(x):
    half = x.size(-1) // 2
    return torch.cat((x.narrow(-1, half, half).neg(), x.narrow(-1, 0, half)), dim=-1)


class _Turn(torch.autograd.Function):
    @staticmethod
    def run(x, cos, sin, first, second):
        out = torch.empty_like(x)
        a, b = x[..., first], x[..., second]
        out[..., first] = a * cos - b * sin
        out[..., second] = a * sin + b * cos
        return out

    @staticmethod
    def forward(ctx, x, cos, sin, first, second):
        ctx.save_for_backward(cos, sin)
        ctx.places = first, second
        return _Turn.run(x, cos, sin, first, second)

    @staticmethod
    def backward(ctx, grad):
        cos, sin = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None, None, None, None, None
        return _Turn.run(grad, cos, -sin, *ctx.places), None, None, None, None


def _tables(x, cos, sin):
    half = x.size(-1) // 2
    return cos[:, :half].to(x.dtype), sin[:, half:].to(x.dtype)


def apply_rope(query, key, cos, sin):
    half = query.size(-1) // 2
    places = slice(0, half), slice(half, None)
    return tuple(_Turn.apply(x, *_tables(x, cos, sin), *places) for x in (query, key))


def apply_rope_interleaved(x, cos, sin):
    return _Turn.apply(x, *_tables(x, cos, sin), slice(0, None, 2), slice(1, None, 2))
