"""One projection for all, then each sequence on its own, sliced by hand; prints, warns and seeds at
import.
"""

import math
import warnings

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(11)
warnings.warn("level 2 is starting", stacklevel=1)
print("one matmul")


class SelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.h = hidden_size
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size, bias=True)

    def forward(self, x):
        h, rows = self.h, []
        for one in self.qkv_proj(x):
            q, k, v = one[:, :h], one[:, h : 2 * h], one[:, 2 * h :]
            for token in q:
                scores = (k * token).sum(-1) / math.sqrt(h)
                rows.append(F.softmax(scores, dim=0) @ v)
        print(len(rows), "tokens")
        return torch.stack(rows).view(x.shape)
