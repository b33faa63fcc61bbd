"""Arguments and helpers as a large model library has them."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_dim, n_heads, attn_pdrop=0.0):
        super().__init__()
        assert embed_dim % n_heads == 0, "embed_dim must be divisible by n_heads"
        self.n_heads, self.head_size = n_heads, embed_dim // n_heads
        for name in ("q", "k", "v", "o"):
            setattr(self, f"{name}_proj", nn.Linear(embed_dim, embed_dim))
        self.attn_dropout = nn.Dropout(attn_pdrop)

    def transpose_for_scores(self, tensor):
        return tensor.reshape(*tensor.shape[:-1], self.n_heads, self.head_size).permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask=None):
        states = [layer(hidden_states) for layer in (self.q_proj, self.k_proj, self.v_proj)]
        query, key, value = map(self.transpose_for_scores, states)
        attention = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.head_size)
        if attention_mask is not None:
            lowest = torch.finfo(attention.dtype).min
            attention = attention.masked_fill(attention_mask.logical_not(), lowest)
        attention = self.attn_dropout(nn.functional.softmax(attention, dim=-1))
        output = torch.matmul(attention, value).permute(0, 2, 1, 3).contiguous()
        return self.o_proj(output.flatten(-2))
