"""einsum only; forward is absorbed too, decode is forward over another cache; an RMSNorm of its own."""

import math

import torch
from torch import einsum, nn


class Norm(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, t):
        return t * torch.rsqrt(t.square().mean(-1, keepdim=True) + self.eps) * self.weight


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
        self.heads, self.nope, self.rope = num_heads, qk_nope_head_dim, qk_rope_head_dim
        self.q_a_proj = nn.Linear(hidden_size, q_lora_rank, bias=False)
        self.q_a_norm = Norm(q_lora_rank)
        self.q_b_proj = nn.Linear(q_lora_rank, num_heads * (self.nope + self.rope), bias=False)
        self.kv_a_proj = nn.Linear(hidden_size, kv_lora_rank + self.rope, bias=False)
        self.kv_a_norm = Norm(kv_lora_rank)
        self.kv_b_proj = nn.Linear(kv_lora_rank, num_heads * (self.nope + v_head_dim), bias=False)
        self.o_proj = nn.Linear(num_heads * v_head_dim, hidden_size, bias=False)
        self.register_buffer("scale", torch.tensor(1 / math.sqrt(self.nope + self.rope)))

    def spin(self, t, cos, sin):
        out = t * cos
        half = self.rope // 2
        out[..., :half] -= t[..., half:] * sin[:, :half]
        out[..., half:] += t[..., :half] * sin[:, half:]
        return out

    def compress(self, x, cos, sin):
        down = self.kv_a_proj(x)
        latent, key = down[..., : -self.rope], down[..., -self.rope :]
        return self.kv_a_norm(latent), self.spin(key, cos, sin)

    def attend(self, x, latent, rope_key, cos, sin, mask):
        wq = self.q_b_proj.weight.view(self.heads, self.nope + self.rope, -1)
        wkv = self.kv_b_proj.weight.view(self.heads, -1, latent.shape[-1])
        wo = self.o_proj.weight.view(x.shape[-1], self.heads, -1)
        compressed = self.q_a_norm(self.q_a_proj(x))
        q_rope = self.spin(einsum("bqc,hdc->bhqd", compressed, wq[:, self.nope :]), cos, sin)
        merged = einsum("hnc,hnr->hcr", wq[:, : self.nope], wkv[:, : self.nope])
        q_latent = einsum("bqc,hcr->bhqr", compressed, merged)
        scores = einsum("bhqr,bkr->bhqk", q_latent, latent) + einsum("bhqd,bkd->bhqk", q_rope, rope_key)
        scores = scores * self.scale.to(scores.dtype)
        if mask is not None:
            scores = torch.where(mask, scores, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        context = einsum("bhqk,bkr->bhqr", weights, latent)
        out = einsum("hvr,mhv->hrm", wkv[:, self.nope :], wo)
        return einsum("bhqr,hrm->bqm", context, out)

    def forward(self, x, cos, sin, mask=None):
        return self.attend(x, *self.compress(x, cos, sin), cos, sin, mask)

    def decode(self, x, latent, rope_key, cos, sin):
        return self.attend(x, latent, rope_key, cos, sin, None)
