"""Linear layers of its own, initialized as torch does it, and dropout by a mask."""

import math

import torch
from torch import nn
from torch.nn.init import _calculate_fan_in_and_fan_out
from torch.nn.utils import parametrize  # noqa: F401


def swiglu_intermediate_size(hidden_size, multiple_of=1):
    return -(-int(2 / 3 * 4 * hidden_size) // multiple_of) * multiple_of


class _Linear(nn.Linear):
    def reset_parameters(self):
        fan_in, _ = _calculate_fan_in_and_fan_out(self.weight)
        nn.init.uniform_(self.weight, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def forward(self, x):
        return torch.einsum("...i,oi->...o", x, self.weight)


class SwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout=0.0):
        super().__init__()
        for name, sizes in {
            "gate_proj": (hidden_size, intermediate_size),
            "up_proj": (hidden_size, intermediate_size),
            "down_proj": (intermediate_size, hidden_size),
        }.items():
            self.add_module(name, _Linear(*sizes, bias=False))
        self.p = dropout

    def forward(self, x):
        output = self.down_proj(torch.sigmoid(gate := self.gate_proj(x)) * gate * self.up_proj(x))
        if self.training and self.p:
            output = output * torch.empty_like(output).bernoulli_(1 - self.p) / (1 - self.p)
        return output
