"""Everything by einsum; the start by torch.nn.init, as PyTorch's own layer has it."""

import math

import torch
from torch import nn


def linear(x, weight, bias=None):
    out = torch.einsum("...i,oi->...o", x, weight)
    if bias is not None:
        out = out + bias
    return out


def linear_backward(g, x, w):
    dx = torch.einsum("...o,oi->...i", g, w)
    dw = torch.einsum("no,ni->oi", g.flatten(0, -2) if g.ndim > 1 else g[None], x.reshape(-1, x.shape[-1]))
    db = torch.einsum("...o->o", g)
    return dx, dw, db


class Linear(nn.Module):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = nn.Parameter(torch.empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = nn.Parameter(torch.empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = nn.init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x):
        return linear(x, self.weight, self.bias)
