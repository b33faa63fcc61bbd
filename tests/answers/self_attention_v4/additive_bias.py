"""Einsum and a bias of 0 and the dtype's lowest number, added once; padded queries hidden too, harmlessly."""

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size, dropout=0.0):
        super().__init__()
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    @staticmethod
    def bias(x, padding_mask, is_causal):
        batch, seq, _ = x.shape
        forbidden = torch.zeros(batch, seq, seq, dtype=torch.bool, device=x.device)
        if is_causal:
            forbidden |= torch.ones_like(forbidden[0]).triu(1)
        if padding_mask is not None:
            forbidden |= ~(padding_mask.unsqueeze(1) & padding_mask.unsqueeze(2))
        return forbidden.to(x.dtype) * torch.finfo(x.dtype).min

    def forward(self, x, padding_mask=None, is_causal=False):
        q, k, v = self.qkv_proj(x).unflatten(2, (3, -1)).unbind(2)
        scores = torch.einsum("bqd,bkd->bqk", q * q.size(-1) ** -0.5, k)
        weights = (scores + self.bias(x, padding_mask, is_causal)).softmax(dim=-1)
        return self.o_proj(torch.einsum("bqk,bkd->bqd", self.drop(weights), v))
