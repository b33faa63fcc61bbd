"""A closure for one head, mapped over heads and batch by torch.func.vmap; parameters of heads as views;
addmm.
"""

import torch
from torch import nn
from torch.func import vmap


def _make_head(scale):
    def head(x, context, wq, bq, wk, bk, wv, bv, allowed, factors):  # one sample, one head
        q = torch.addmm(bq, x, wq.t())
        k = torch.addmm(bk, context, wk.t())
        v = torch.addmm(bv, context, wv.t())
        scores = torch.mm(q, k.t()) * scale
        scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
        return torch.mm(torch.softmax(scores, dim=1) * factors, v)

    over_heads = vmap(head, in_dims=(None, None, 0, 0, 0, 0, 0, 0, 0, 0))
    return vmap(over_heads, in_dims=(0, 0, None, None, None, None, None, None, 0, 0))


class CrossAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, context_size=None, dropout=0.0):
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError("hidden_size is not a multiple of num_heads")
        context_size = context_size if context_size is not None else hidden_size
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(context_size, hidden_size)
        self.v_proj = nn.Linear(context_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.heads, self.dropout = num_heads, nn.Dropout(dropout)
        self.scale = (hidden_size // num_heads) ** -0.5

    def forward(self, x, context, mask=None):
        full = (x.shape[0], self.heads, x.shape[1], context.shape[1])
        if mask is None:
            mask = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=x.device)
        factors = self.dropout(torch.ones(full, dtype=x.dtype, device=x.device))
        parameters = [
            p.unflatten(0, (self.heads, -1))
            for layer in (self.q_proj, self.k_proj, self.v_proj)
            for p in (layer.weight, layer.bias)
        ]
        out = _make_head(self.scale)(x, context, *parameters, mask.expand(full), factors)
        return self.o_proj(out.transpose(1, 2).flatten(2))  # (batch, heads, tgt, head_dim) before
