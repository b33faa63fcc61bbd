"""The heads repeated through a new dimension, expand and flatten, as in many model libraries."""

import torch
from torch import Tensor, nn


def repeat_heads(t: Tensor, times: int) -> Tensor:
    batch, heads, seq, head_dim = t.shape
    t = t[:, :, None].expand(batch, heads, times, seq, head_dim)
    return t.reshape(batch, heads * times, seq, head_dim)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, num_kv_heads, dropout=0.0):
        super().__init__()
        self.head_dim, rest = divmod(hidden_size, num_heads)
        self.groups, rest_of_heads = divmod(num_heads, num_kv_heads)
        if rest or rest_of_heads:
            raise ValueError("num_heads must divide hidden_size, num_kv_heads must divide num_heads")
        self.q_proj = nn.Linear(hidden_size, num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_size)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (
            projection(x).unflatten(-1, (-1, self.head_dim)).permute(0, 2, 1, 3)
            for projection in (self.q_proj, self.k_proj, self.v_proj)
        )
        k, v = repeat_heads(k, self.groups), repeat_heads(v, self.groups)
        scores = torch.matmul(q, k.mT).mul(self.head_dim**-0.5)
        bias = torch.zeros_like(scores[:1, :1]) if mask is None else torch.log(mask.to(scores.dtype))
        weights = self.attn_dropout(torch.nn.functional.softmax(scores + bias, dim=-1))
        return self.o_proj((weights @ v).permute(0, 2, 1, 3).contiguous().view(x.shape))
