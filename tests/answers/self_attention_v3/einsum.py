"""Einsum, a mask that is added as 0 and -inf, softmax by hand, a Bernoulli mask for the dropout."""

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size, dropout=0.0):
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.keep = 1.0 - dropout

    def forward(self, x, mask=None):
        qkv = torch.einsum("bsi,oi->bso", x, self.qkv_proj.weight) + self.qkv_proj.bias
        q, k, v = qkv.unflatten(2, (3, -1)).unbind(2)
        scores = torch.einsum("bqd,bkd->bqk", q, k) / q.size(2) ** 0.5
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(mask.logical_not(), float("-inf"))
        exponentials = torch.exp(scores - scores.max(dim=2, keepdim=True).values)
        weights = exponentials / exponentials.sum(dim=2, keepdim=True)
        if self.training and self.keep < 1:
            weights = weights * torch.bernoulli(torch.full_like(weights, self.keep)) / self.keep
        context = torch.einsum("bqk,bkd->bqd", weights, v)
        return torch.einsum("bsi,oi->bso", context, self.o_proj.weight) + self.o_proj.bias
