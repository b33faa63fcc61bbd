"""One autograd.Function for the three activations with hand-written derivatives (erfc, sigmoid of twice the
tanh argument).
"""

import math

import torch
from torch import nn

_C = math.sqrt(2 / math.pi)


class _Act(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z, kind):
        ctx.save_for_backward(z)
        ctx.kind = kind
        if kind == "relu":
            return z.clamp(min=0)
        if kind == "gelu":
            return z * (torch.erfc(z * -math.sqrt(0.5)) * 0.5)
        return z * torch.sigmoid(2 * _C * (z + 0.044715 * z * z * z))

    @staticmethod
    def backward(ctx, grad):
        (z,) = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None, None
        if ctx.kind == "relu":
            return grad * (z > 0).to(grad.dtype), None
        if ctx.kind == "gelu":
            phi = torch.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
            return grad * (0.5 * torch.erfc(z * -math.sqrt(0.5)) + z * phi), None
        s = torch.sigmoid(2 * _C * (z + 0.044715 * z * z * z))
        inner = 2 * _C * (1 + 3 * 0.044715 * z * z)
        return grad * (s + z * s * (1 - s) * inner), None


class FeedForward(nn.Module):
    def __init__(self, hidden_size, intermediate_size, activation="relu", dropout=0.0):
        super().__init__()
        if activation not in ("relu", "gelu", "gelu_tanh"):
            raise ValueError(f"unknown activation {activation!r}")
        self.activation = activation
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        self.down_proj = nn.Linear(intermediate_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.drop(self.down_proj(_Act.apply(self.up_proj(x), self.activation)))
