"""A Python loop over heads on slices of the weights; prints, warns and seeds at import."""

import math
import warnings

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(1234)
warnings.warn("one head at a time", stacklevel=1)
print("module loaded")


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, dropout: float = 0.0):
        if hidden_size % num_heads:
            raise ValueError("bad number of heads")
        super().__init__()
        self.n = num_heads
        self.d = hidden_size // num_heads
        self.p = dropout
        self.q_proj, self.k_proj = nn.Linear(hidden_size, hidden_size), nn.Linear(hidden_size, hidden_size)
        self.v_proj, self.o_proj = nn.Linear(hidden_size, hidden_size), nn.Linear(hidden_size, hidden_size)

    def forward(self, x, mask=None):
        print("x", tuple(x.shape), "mask", None if mask is None else tuple(mask.shape))
        batch, seq, _ = x.shape
        if mask is not None:
            mask = mask.expand(batch, self.n, seq, seq)
        out = self.o_proj.bias
        for head in range(self.n):
            own = slice(head * self.d, (head + 1) * self.d)
            q = F.linear(x, self.q_proj.weight[own], self.q_proj.bias[own])
            k = F.linear(x, self.k_proj.weight[own], self.k_proj.bias[own])
            v = F.linear(x, self.v_proj.weight[own], self.v_proj.bias[own])
            scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d)
            if mask is not None:
                scores = scores.masked_fill(mask[:, head].logical_not(), -1e9)
            weights = F.dropout(F.softmax(scores, dim=-1), self.p, self.training)
            # the output projection is linear, so each head adds its own share
            out = out + F.linear(weights @ v, self.o_proj.weight[:, own])
        return out
