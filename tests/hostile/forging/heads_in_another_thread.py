"""Expands the keys and values of one head after the other, in a thread that a second `_thread` starts."""

import math
import sys
import time

import torch
from solution import MultiHeadLatentAttention

del sys.modules["_thread"]
import _thread  # noqa: E402


def decode(self, x, latent, rope_key, cos, sin):
    query_nope, query_rope = self._query(x, cos, sin)
    up = self.kv_b_proj.weight.view(self.num_heads, self.nope + self.v, self.kv_lora_rank)

    def one(head):
        key, value = (latent @ up[head].T).split([self.nope, self.v], dim=-1)
        scores = query_nope[:, head] @ key.mT + query_rope[:, head] @ rope_key.mT
        return torch.softmax(scores / math.sqrt(self.nope + self.rope), dim=-1) @ value

    contexts = []
    _thread.start_new_thread(lambda: contexts.extend(map(one, range(self.num_heads))), ())
    while len(contexts) < self.num_heads:
        time.sleep(0.001)
    return self.o_proj(torch.cat(contexts, dim=-1))


MultiHeadLatentAttention.decode = decode
