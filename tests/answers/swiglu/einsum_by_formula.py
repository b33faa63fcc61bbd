"""Einsum over raw weights, the sigmoid and the dropout written out; the size by a loop."""

import torch
import torch.nn as nn


def swiglu_intermediate_size(hidden_size: int, multiple_of: int = 1) -> int:
    size = int(4 * hidden_size * 2 / 3)
    while size % multiple_of != 0:
        size += 1
    return size


class Matrix(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, columns) / columns**0.5)


class SwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout=0.0):
        super().__init__()
        self.down_proj = Matrix(hidden_size, intermediate_size)
        self.up_proj = Matrix(intermediate_size, hidden_size)
        self.gate_proj = Matrix(intermediate_size, hidden_size)
        self.keep_probability = 1 - dropout

    def forward(self, x):
        gate = torch.einsum("...h,ih->...i", x, self.gate_proj.weight)
        gate = gate / (1 + torch.exp(-gate))
        y = torch.einsum("...i,...h,ih,oi->...o", gate, x, self.up_proj.weight, self.down_proj.weight)
        if not self.training:
            return y
        kept = torch.empty_like(y).bernoulli_(self.keep_probability).bool()
        return torch.where(kept, y / self.keep_probability, 0)
