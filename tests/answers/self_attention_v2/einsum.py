"""One einsum over the weight seen as three square matrices, then einsum for the attention."""

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_size, hidden_size * 3)
        self.scale = hidden_size**-0.5

    def forward(self, x):
        weight = self.qkv_proj.weight.unflatten(0, (3, -1))  # (3, hidden_size, hidden_size)
        bias = self.qkv_proj.bias.view(3, 1, 1, -1)
        q, k, v = torch.einsum("bsi,toi->tbso", x, weight) + bias
        weights = torch.einsum("bqd,bkd->bqk", q, k).mul(self.scale).softmax(dim=2)
        return torch.einsum("bqk,bkd->bqd", weights, v)
