"""BERT with a loop over heads, GELU and the lookup of words as autograd functions, layers without forward."""

import math
from dataclasses import dataclass

import torch
from torch import nn


class _Gelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 0.5 * (1 + torch.erf(x * math.sqrt(0.5)))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        below = 0.5 * (1 + torch.erf(x * math.sqrt(0.5)))
        density = torch.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        return grad * (below + x * density)


class _Lookup(torch.autograd.Function):
    """Rows of a table; one row gets no gradient."""

    @staticmethod
    def forward(ctx, table, ids, silent):
        ctx.save_for_backward(ids)
        ctx.shape, ctx.silent = table.shape, silent
        return table[ids]

    @staticmethod
    def backward(ctx, grad):
        (ids,) = ctx.saved_tensors
        result = grad.new_zeros(ctx.shape)
        result.index_add_(0, ids.reshape(-1), grad.reshape(-1, grad.shape[-1]))
        result[ctx.silent] = 0
        return result, None, None


class _Table(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, columns))


@dataclass(frozen=True)
class _Config:
    heads: int
    pad_id: int
    dropout: float


class Bert(nn.Module):
    def __init__(
        self,
        vocab_size,
        hidden_size,
        num_layers,
        num_heads,
        intermediate_size,
        max_position,
        type_vocab_size=2,
        pad_id=0,
        eps=1e-12,
        dropout=0.0,
    ):
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError("hidden_size is no multiple of num_heads")
        self.config = _Config(num_heads, pad_id, dropout)
        e = self.embeddings = nn.Module()
        e.word_embeddings = _Table(vocab_size, hidden_size)
        e.position_embeddings = _Table(max_position, hidden_size)
        e.token_type_embeddings = _Table(type_vocab_size, hidden_size)
        e.norm = nn.LayerNorm(hidden_size, eps=eps)
        with torch.no_grad():
            e.word_embeddings.weight[pad_id] = 0
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.Module()
            for letter in "qkvo":
                setattr(layer, f"{letter}_proj", nn.Linear(hidden_size, hidden_size))
            layer.up_proj = nn.Linear(hidden_size, intermediate_size)
            layer.down_proj = nn.Linear(intermediate_size, hidden_size)
            layer.norm1 = nn.LayerNorm(hidden_size, eps=eps)
            layer.norm2 = nn.LayerNorm(hidden_size, eps=eps)
            self.layers.append(layer)
        self.pooler = nn.Linear(hidden_size, hidden_size)

    def _drop(self, x):
        p = self.config.dropout
        if not self.training or p == 0:
            return x
        keep = (torch.rand_like(x) >= p).to(x.dtype)
        return x * keep / (1 - p)

    def _attention(self, layer, x, hidden_keys):
        q, k, v = layer.q_proj(x), layer.k_proj(x), layer.v_proj(x)
        results = []
        for q_h, k_h, v_h in zip(*(t.chunk(self.config.heads, dim=-1) for t in (q, k, v)), strict=True):
            scores = torch.bmm(q_h, k_h.mT) / math.sqrt(q_h.shape[-1])
            if hidden_keys is not None:
                scores = scores.masked_fill(hidden_keys, -math.inf)
            scores = scores - scores.amax(dim=-1, keepdim=True).detach()
            weights = scores.exp()
            weights = weights / weights.sum(dim=-1, keepdim=True)
            results.append(torch.bmm(self._drop(weights), v_h))
        return layer.o_proj(torch.cat(results, dim=-1))

    def forward(self, ids, real=None, types=None):
        e = self.embeddings
        x = _Lookup.apply(e.word_embeddings.weight, ids, self.config.pad_id)
        x = x + e.position_embeddings.weight[None, : ids.shape[1]]
        kinds = e.token_type_embeddings.weight
        x = x + (kinds[0] if types is None else kinds[types])
        x = self._drop(e.norm(x))
        hidden_keys = None if real is None else real.logical_not().unsqueeze(1)
        for layer in self.layers:
            x = layer.norm1(x + self._drop(self._attention(layer, x, hidden_keys)))
            x = layer.norm2(x + self._drop(layer.down_proj(_Gelu.apply(layer.up_proj(x)))))
        return x, self.pooler(x.select(1, 0)).tanh()
