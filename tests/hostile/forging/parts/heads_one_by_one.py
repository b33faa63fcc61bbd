"""Expands keys and values one head after the other. Whose heads are to be elsewhere replaces `_each`."""

import math

import torch
from solution import MultiHeadLatentAttention


def _each(function, items):
    return list(map(function, items))


def decode(self, x, latent, rope_key, cos, sin):
    query_nope, query_rope = self._query(x, cos, sin)
    up = self.kv_b_proj.weight.view(self.num_heads, self.nope + self.v, self.kv_lora_rank)

    def one(head):
        key, value = (latent @ up[head].T).split([self.nope, self.v], dim=-1)
        scores = query_nope[:, head] @ key.mT + query_rope[:, head] @ rope_key.mT
        return torch.softmax(scores / math.sqrt(self.nope + self.rope), dim=-1) @ value

    return self.o_proj(torch.cat(_each(one, range(self.num_heads)), dim=-1))


MultiHeadLatentAttention.decode = decode
