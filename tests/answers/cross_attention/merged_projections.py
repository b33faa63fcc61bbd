"""k_proj and v_proj are merged into query and result: attention runs in the context's own features
(float64).
"""

import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, context_size=None, dropout=0.0):
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError("num_heads must divide hidden_size")
        source = hidden_size if context_size is None else context_size
        self.num_heads = num_heads
        self.q_proj, self.o_proj = nn.Linear(hidden_size, hidden_size), nn.Linear(hidden_size, hidden_size)
        self.k_proj, self.v_proj = nn.Linear(source, hidden_size), nn.Linear(source, hidden_size)
        self.drop = nn.Dropout(dropout)

    def _heads(self, parameter):  # (hidden, ...) -> (heads, head_dim, ...)
        return parameter.double().unflatten(0, (self.num_heads, -1))

    def forward(self, x, context, mask=None):
        q = self.q_proj(x).double().unflatten(2, (self.num_heads, -1))
        q = q / q.shape[3] ** 0.5
        source = context.double()
        merged = torch.einsum("bthd,hdc->bhtc", q, self._heads(self.k_proj.weight))
        offset = torch.einsum("bthd,hd->bht", q, self._heads(self.k_proj.bias))
        scores = torch.einsum("bhtc,bsc->bhts", merged, source) + offset.unsqueeze(3)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = self.drop(scores.softmax(3))
        mixed = torch.einsum("bhts,bsc->bhtc", weights, source)
        out = torch.einsum("bhtc,hdc->bthd", mixed, self._heads(self.v_proj.weight))
        out = out + torch.einsum("bhts,hd->bthd", weights, self._heads(self.v_proj.bias))
        return self.o_proj(out.flatten(2).to(x.dtype))
