"""One matmul for gate and up over concatenated weights, chunked; the size by negative floor division."""

import torch
from torch import nn


def swiglu_intermediate_size(hidden_size, multiple_of=1):
    width = 8 * hidden_size // 3
    return -(-width // multiple_of) * multiple_of


class SwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout=0.0):
        super().__init__()
        for name in ("gate_proj", "up_proj"):
            setattr(self, name, nn.Linear(hidden_size, intermediate_size, bias=False))
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.activation = nn.SiLU(inplace=True)
        self.drop = nn.Dropout(dropout, inplace=True)

    def forward(self, x):
        both = x @ torch.cat([self.gate_proj.weight, self.up_proj.weight]).mT
        gate, up = both.tensor_split(2, dim=-1)
        return self.drop(self.down_proj(self.activation(gate.clone()).mul(up)))
