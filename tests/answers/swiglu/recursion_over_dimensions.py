"""Recursion over the leading dimensions, vector by vector, float64 inside and rounded at the end."""

from fractions import Fraction
from math import ceil, floor

import torch
from torch import nn


def swiglu_intermediate_size(hidden_size, multiple_of=1):
    cut = floor(Fraction(2, 3) * 4 * hidden_size)
    return ceil(Fraction(cut, multiple_of)) * multiple_of


class SwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout=0.0):
        super().__init__()
        for name, n, m in (
            ("gate_proj", hidden_size, intermediate_size),
            ("up_proj", hidden_size, intermediate_size),
            ("down_proj", intermediate_size, hidden_size),
        ):
            self.add_module(name, nn.Linear(n, m, bias=False))
        self.dropout = dropout

    def _vector(self, v, weights):
        gate, up, down = weights
        z = gate.mv(v)
        return down.mv(z * torch.sigmoid(z) * up.mv(v))

    def _walk(self, x, weights):
        if x.dim() == 1:
            return self._vector(x, weights)
        if x.size(0) == 0:
            return x.clone()
        return torch.stack([self._walk(part, weights) for part in x.unbind(0)])

    def forward(self, x):
        weights = [m.weight.double() for m in (self.gate_proj, self.up_proj, self.down_proj)]
        y = self._walk(x.double(), weights).to(x.dtype)
        return nn.functional.dropout(y, p=self.dropout, training=self.training)
