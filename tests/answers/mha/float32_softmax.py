"""As in many model libraries: softmax in float32 and cast back, an additive mask."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        if self.head_size * num_heads != hidden_size:
            raise ValueError("hidden_size must be a multiple of num_heads")
        self.scaling = self.head_size**-0.5
        self.attention_dropout = dropout
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)

    def forward(self, x, mask=None):
        shape = (*x.shape[:-1], self.num_heads, self.head_size)
        query, key, value = (
            p(x).view(shape).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj)
        )
        weights = torch.matmul(query, key.transpose(2, 3)) * self.scaling
        if mask is not None:
            weights = weights + (1.0 - mask.to(x.dtype)) * torch.finfo(x.dtype).min
        weights = F.softmax(weights, dim=-1, dtype=torch.float32).to(query.dtype)
        weights = F.dropout(weights, p=self.attention_dropout, training=self.training)
        context = torch.matmul(weights, value).transpose(1, 2).contiguous()
        return self.o_proj(context.reshape(*x.shape[:-1], -1))
