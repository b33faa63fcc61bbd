"""Einsum on tensors whose heads stay behind the sequence; torch.where for the mask."""

import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, context_size=None, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0, "heads must divide the hidden size"
        self.num_heads = num_heads
        sizes = {"q_proj": hidden_size, "k_proj": context_size, "v_proj": context_size, "o_proj": hidden_size}
        for name, size in sizes.items():
            self.add_module(name, nn.Linear(size or hidden_size, hidden_size))
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x, context, mask=None):
        q = self.q_proj(x).unflatten(-1, (self.num_heads, -1))
        k = self.k_proj(context).unflatten(-1, (self.num_heads, -1))
        v = self.v_proj(context).unflatten(-1, (self.num_heads, -1))
        scores = torch.einsum("bthd,bshd->bhts", q * q.shape[-1] ** -0.5, k)
        if mask is not None:
            scores = torch.where(mask, scores, float("-inf"))
        weights = self.drop(scores.softmax(-1))
        return self.o_proj(torch.einsum("bhts,bshd->bthd", weights, v).flatten(2))
