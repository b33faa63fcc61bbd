"""torch.where with the dtype's lowest number, softmax in float32, F.dropout told whether it trains."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_size: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.p = dropout
        self.register_buffer("scale", torch.tensor(hidden_size**-0.5))
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = F.linear(x, self.qkv_proj.weight, self.qkv_proj.bias).tensor_split(3, dim=-1)
        scores = torch.bmm(q * self.scale, k.mT)
        if torch.is_tensor(mask):
            scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
        weights = F.softmax(scores, dim=-1, dtype=torch.float32)
        weights = F.dropout(weights, p=self.p, training=self.training).to(v.dtype)
        return self.o_proj(weights.bmm(v))
