"""One matrix of shares (windows by tokens) does the averaging; einsum for the attention."""

import torch
from torch import nn


class PooledCrossAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, stride, dropout=0.0):
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError("num_heads must divide hidden_size")
        self.h, self.stride = num_heads, stride
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def shares(self, context, padding_mask):
        src = context.size(1)
        window = torch.arange(src, device=context.device) // self.stride
        belongs = (
            window.unsqueeze(0) == torch.arange(int(-(-src // self.stride)), device=window.device)[:, None]
        )
        belongs = belongs[None].expand(len(context), -1, -1)
        if padding_mask is not None:
            belongs = belongs & padding_mask[:, None, :]
        number = belongs.sum(-1, keepdim=True)
        return belongs.to(context.dtype) / number.clamp(min=1), number[..., 0] > 0

    def forward(self, x, context, padding_mask=None):
        shares, counts = self.shares(context, padding_mask)
        means = shares @ context
        q, k, v = (
            layer(each).unflatten(-1, (self.h, -1))
            for layer, each in ((self.q_proj, x), (self.k_proj, means), (self.v_proj, means))
        )
        scores = torch.einsum("bthd,bwhd->bhtw", q, k) * q.shape[-1] ** -0.5
        scores = torch.where(counts[:, None, None], scores, float("-inf"))
        out = torch.einsum("bhtw,bwhd->bthd", self.drop(scores.softmax(-1)), v)
        return self.o_proj(out.flatten(2))
