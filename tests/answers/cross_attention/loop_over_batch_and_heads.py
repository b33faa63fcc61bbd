"""Loops over batch entries and heads on two-dimensional matrices; prints, warns and seeds."""

import math
import warnings

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
warnings.warn("loops ahead", stacklevel=1)


def one_head(q, k, v, allowed, drop):
    scores = q @ k.T / math.sqrt(q.size(1))
    if allowed is not None:
        scores = scores.masked_fill(allowed.logical_not(), torch.finfo(scores.dtype).min)
    return drop(F.softmax(scores, dim=1)) @ v


class CrossAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, context_size=None, dropout=0.0):
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError(f"{num_heads} heads for {hidden_size} features")
        context_size = hidden_size if context_size is None else context_size
        self.num_heads, self.head_dim, self.p = num_heads, hidden_size // num_heads, dropout
        self.v_proj = nn.Linear(context_size, hidden_size)
        self.k_proj = nn.Linear(context_size, hidden_size)
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)

    def drop(self, weights):
        return F.dropout(weights, self.p, self.training)

    def forward(self, x, context, mask=None):
        print("x", tuple(x.shape), "context", tuple(context.shape))
        if mask is not None:
            mask = mask.expand(x.size(0), self.num_heads, x.size(1), context.size(1))
        rows = []
        for b in range(x.size(0)):
            heads = zip(
                *(
                    projection(tokens[b]).split(self.head_dim, dim=-1)
                    for projection, tokens in (
                        (self.q_proj, x),
                        (self.k_proj, context),
                        (self.v_proj, context),
                    )
                ),
                strict=True,
            )
            results = [
                one_head(q, k, v, None if mask is None else mask[b, h], self.drop)
                for h, (q, k, v) in enumerate(heads)
            ]
            rows.append(torch.hstack(results))
        return self.o_proj(torch.stack(rows))
