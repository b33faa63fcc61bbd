"""An autograd function whose backward turns the other way; no gradient for the tables."""

import torch


def rope_cos_sin(positions, head_dim, base=10000.0):
    angles = torch.empty(len(positions), head_dim, dtype=torch.float64)
    for i in range(head_dim // 2):
        angles[:, i] = positions / base ** (2 * i / head_dim)
        angles[:, i + head_dim // 2] = angles[:, i]
    return angles.cos().float(), angles.sin().float()


def rotate_half(x):
    swapped = x.unflatten(-1, (2, -1)).flip(-2)
    return (swapped * x.new_tensor([[-1.0], [1.0]])).flatten(-2)


class Turn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, cos, sin):
        ctx.save_for_backward(cos, sin)
        return x * cos + rotate_half(x) * sin

    @staticmethod
    def backward(ctx, grad):
        cos, sin = ctx.saved_tensors
        return grad * cos - rotate_half(grad) * sin, None, None


def apply_rope(query, key, cos, sin):
    return Turn.apply(query, cos, sin), Turn.apply(key, cos, sin)


def apply_rope_interleaved(x, cos, sin):
    in_halves = x.unflatten(-1, (-1, 2)).transpose(-1, -2).flatten(-2)
    turned = Turn.apply(in_halves, cos, sin)
    return turned.unflatten(-1, (2, -1)).transpose(-1, -2).flatten(-2)
