"""x @ weight.T + bias, split by sizes, softmax in float32 and cast back."""

import torch
from torch import nn


def attend(q, k, v):
    scores = q @ k.mT
    scores.mul_(q.size(-1) ** -0.5)
    return scores.softmax(-1, dtype=torch.float32).to(v.dtype) @ v


class SelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.sizes = [hidden_size] * 3
        self.qkv_proj = nn.Linear(hidden_size, sum(self.sizes))

    def forward(self, x):
        qkv = x @ self.qkv_proj.weight.T + self.qkv_proj.bias
        return attend(*(part.contiguous() for part in torch.split(qkv, self.sizes, dim=2)))
