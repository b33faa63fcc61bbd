"""A loop over the query heads, whose results are summed through slices of o_proj; prints, warns and seeds."""

import math
import warnings

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(5)
warnings.warn("one head at a time", stacklevel=1)


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError("no")
        self.dim = hidden_size // num_heads
        self.p = dropout
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, self.dim)
        self.v_proj = nn.Linear(hidden_size, self.dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)

    def forward(self, x, mask=None):
        key, value = self.k_proj(x), self.v_proj(x)
        weights = self.q_proj.weight.split(self.dim)
        biases = self.q_proj.bias.split(self.dim)
        outputs = self.o_proj.weight.split(self.dim, dim=1)
        total = self.o_proj.bias
        for i, (weight, bias, output) in enumerate(zip(weights, biases, outputs, strict=True)):
            scores = F.linear(x, weight, bias) @ key.transpose(1, 2) / math.sqrt(self.dim)
            if mask is not None:
                scores = scores.masked_fill(~mask[:, min(i, mask.shape[1] - 1)], -math.inf)
            attention = F.dropout(F.softmax(scores, -1), self.p, self.training)
            total = total + attention @ value @ output.T
        print(len(weights), "heads", tuple(total.shape))
        return total
