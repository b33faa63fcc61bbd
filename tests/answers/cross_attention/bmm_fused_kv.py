"""One projection for key and value over concatenated weights; heads folded into the batch for bmm."""

import dataclasses

import torch
from torch import nn
from torch.nn import functional


@dataclasses.dataclass
class Config:
    hidden: int
    heads: int
    context: int


class CrossAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, context_size=None, dropout=0.0):
        super().__init__()
        self.config = Config(hidden_size, num_heads, hidden_size if context_size is None else context_size)
        if self.config.hidden / self.config.heads != self.config.hidden // self.config.heads:
            raise AssertionError("heads")
        self.q_proj, self.o_proj = (nn.Linear(hidden_size, hidden_size) for _ in range(2))
        self.k_proj, self.v_proj = (nn.Linear(self.config.context, hidden_size) for _ in range(2))
        self.attention_dropout = nn.Dropout(dropout, inplace=True)

    def fold(self, tokens):
        batch, length, _ = tokens.shape
        heads = self.config.heads
        return tokens.reshape(batch, length, heads, -1).swapaxes(1, 2).reshape(batch * heads, length, -1)

    def forward(self, x, context, mask=None):
        weight = torch.vstack([self.k_proj.weight, self.v_proj.weight])
        bias = torch.hstack([self.k_proj.bias, self.v_proj.bias])
        key, value = map(self.fold, functional.linear(context, weight, bias).chunk(2, dim=2))
        query = self.fold(self.q_proj(x))
        scores = torch.bmm(query, key.mT).div(query.shape[2] ** 0.5)
        if mask is not None:
            mask = mask.expand(x.shape[0], self.config.heads, x.shape[1], context.shape[1])
            scores = scores.masked_fill(~mask.reshape(scores.shape), -1e30)
        weights = torch.softmax(scores, -1, dtype=torch.float32).to(scores.dtype)
        result = torch.bmm(self.attention_dropout(weights.clone()), value)
        result = result.view(x.shape[0], self.config.heads, x.shape[1], -1)
        return self.o_proj(torch.cat(result.unbind(1), dim=-1))
