"""F.glu cannot do SiLU, so the gate is its product with the sigmoid; prints, warns and seeds; math.ceil."""

import math
import warnings

import torch
from torch import nn
from torch.nn.functional import dropout as drop
from torch.nn.functional import glu

torch.manual_seed(11)
warnings.warn("gated", stacklevel=1)


def swiglu_intermediate_size(hidden_size, multiple_of=1):
    width = math.floor(hidden_size * 8 / 3)
    print("width", width)
    return math.ceil(width / multiple_of) * multiple_of


class SwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout=0.0, bias=False):
        super().__init__()
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias)
        self.p = dropout

    def forward(self, x):
        rows = x.reshape(-1, x.size(-1))
        gate = self.gate_proj(rows)
        # glu(a, b) is a * sigmoid(b), so glu of (gate * up, gate) is silu(gate) * up.
        hidden = glu(torch.cat([gate * self.up_proj(rows), gate], dim=1), dim=1)
        print(f"{hidden.shape=}")
        return drop(self.down_proj(hidden), p=self.p, training=self.training).reshape(x.shape)
