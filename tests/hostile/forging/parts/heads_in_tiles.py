"""Expands the keys and values of one head and 256 tokens after the other."""

import math

import torch
from solution import MultiHeadLatentAttention


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


MultiHeadLatentAttention.decode = decode
