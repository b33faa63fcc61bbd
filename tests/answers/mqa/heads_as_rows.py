"""The heads folded into the rows of one batched product with the single key head."""

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, dropout: float = 0.0):
        super().__init__()
        self.head_dim, rest = divmod(hidden_size, num_heads)
        if rest:
            raise ValueError(f"{num_heads} heads do not divide {hidden_size} features")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_size, num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_size, self.head_dim)
        self.v_proj = nn.Linear(hidden_size, self.head_dim)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        batch, seq, _ = x.shape
        rows = self.q_proj(x).reshape(batch, seq * self.num_heads, self.head_dim)  # a token's heads together
        scores = torch.bmm(rows, self.k_proj(x).mT) / self.head_dim**0.5
        if mask is not None:
            mask = mask.expand(batch, self.num_heads, seq, seq).transpose(1, 2)
            scores = scores.masked_fill(mask.reshape(scores.shape).logical_not(), float("-inf"))
        results = torch.bmm(self.drop(scores.softmax(dim=2)), self.v_proj(x))
        return self.o_proj(results.view(batch, seq, -1))
