"""kv_b_proj is merged into query and result in forward as well: one einsum core in the latent space for
both.
"""

import torch
from torch import nn


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
        nope, rope, v = qk_nope_head_dim, qk_rope_head_dim, v_head_dim
        self.num_heads, self.q_parts, self.kv_parts = num_heads, [nope, rope], [nope, v]
        self.cut = [kv_lora_rank, rope]
        self.q_a_proj = nn.Linear(hidden_size, q_lora_rank, bias=False)
        self.q_a_norm = nn.RMSNorm(q_lora_rank, eps=1e-6)
        self.q_b_proj = nn.Linear(q_lora_rank, num_heads * (nope + rope), bias=False)
        self.kv_a_proj = nn.Linear(hidden_size, kv_lora_rank + rope, bias=False)
        self.kv_a_norm = nn.RMSNorm(kv_lora_rank, eps=1e-6)
        self.kv_b_proj = nn.Linear(kv_lora_rank, num_heads * (nope + v), bias=False)
        self.o_proj = nn.Linear(num_heads * v, hidden_size, bias=False)

    @staticmethod
    def _rotate(t, cos, sin):  # (batch, seq, ..., rope)
        half = t.shape[-1] // 2
        shape = (cos.shape[0],) + (1,) * (t.dim() - 3) + (half,)
        c, s = cos[:, :half].reshape(shape), sin[:, :half].reshape(shape)
        out = torch.empty_like(t)
        out[..., :half] = t[..., :half] * c - t[..., half:] * s
        out[..., half:] = t[..., :half] * s + t[..., half:] * c
        return out

    def _core(self, x, latent, rope_key, cos, sin, mask):
        q = self.q_b_proj(self.q_a_norm(self.q_a_proj(x)))
        plain, turned = q.unflatten(-1, (self.num_heads, -1)).split(self.q_parts, dim=-1)
        key_up, value_up = self.kv_b_proj.weight.unflatten(0, (self.num_heads, -1)).split(
            self.kv_parts, dim=1
        )
        merged = torch.einsum("bqhn,hnr->bqhr", plain, key_up)
        scores = torch.einsum("bqhr,bkr->bhqk", merged, latent)
        scores = scores + torch.einsum("bqhp,bkp->bhqk", self._rotate(turned, cos, sin), rope_key)
        scores = scores / sum(self.q_parts) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        mixed = torch.einsum("bhqk,bkr->bqhr", scores.softmax(-1), latent)
        return self.o_proj(torch.einsum("bqhr,hvr->bqhv", mixed, value_up).flatten(2))

    def compress(self, x, cos, sin):
        latent, rope_key = self.kv_a_proj(x).split(self.cut, dim=-1)
        return self.kv_a_norm(latent), self._rotate(rope_key, cos, sin)

    def forward(self, x, cos, sin, mask=None):
        return self._core(x, *self.compress(x, cos, sin), cos, sin, mask)

    def decode(self, x, latent, rope_key, cos, sin):
        return self._core(x, latent, rope_key, cos, sin, None)
