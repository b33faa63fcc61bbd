"""The fused attention in both methods: in decode all query heads are rows over one key/value head."""

import torch
import torch.nn.functional as F
from torch import nn


def rotate(t, cos, sin):
    half = t.shape[-1] // 2
    turned = torch.cat((-t[..., half:], t[..., :half]), dim=-1)
    return t * cos + turned * sin


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
        self.heads, self.rank = num_heads, kv_lora_rank
        self.nope_dim, self.rope_dim, self.v_dim = qk_nope_head_dim, qk_rope_head_dim, v_head_dim
        self.scale = (qk_nope_head_dim + qk_rope_head_dim) ** -0.5
        self.q_a_proj = nn.Linear(hidden_size, q_lora_rank, bias=False)
        self.q_a_norm = nn.RMSNorm(q_lora_rank, eps=1e-6)
        self.q_b_proj = nn.Linear(q_lora_rank, num_heads * (qk_nope_head_dim + qk_rope_head_dim), bias=False)
        self.kv_a_proj = nn.Linear(hidden_size, kv_lora_rank + qk_rope_head_dim, bias=False)
        self.kv_a_norm = nn.RMSNorm(kv_lora_rank, eps=1e-6)
        self.kv_b_proj = nn.Linear(kv_lora_rank, num_heads * (qk_nope_head_dim + v_head_dim), bias=False)
        self.o_proj = nn.Linear(num_heads * v_head_dim, hidden_size, bias=False)

    def queries(self, x, cos, sin):
        q = self.q_b_proj(self.q_a_norm(self.q_a_proj(x))).unflatten(2, (self.heads, -1)).transpose(1, 2)
        return q[..., : self.nope_dim], rotate(q[..., self.nope_dim :], cos, sin)

    def compress(self, x, cos, sin):
        down = self.kv_a_proj(x)
        return self.kv_a_norm(down[..., : self.rank]), rotate(down[..., self.rank :], cos, sin)

    def forward(self, x, cos, sin, mask=None):
        q = torch.cat(self.queries(x, cos, sin), dim=-1)
        latent, rope_key = self.compress(x, cos, sin)
        kv = self.kv_b_proj(latent).unflatten(2, (self.heads, -1)).transpose(1, 2)
        k_nope, v = kv.tensor_split([self.nope_dim], dim=-1)
        k = torch.cat((k_nope, rope_key[:, None].expand(-1, self.heads, -1, -1)), dim=-1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.o_proj(out.transpose(1, 2).flatten(2))

    def decode(self, x, latent, rope_key, cos, sin):
        w_key, w_value = self.kv_b_proj.weight.unflatten(0, (self.heads, -1)).tensor_split(
            [self.nope_dim], dim=1
        )
        q_nope, q_rope = self.queries(x, cos, sin)
        q = torch.cat((q_nope @ w_key, q_rope), dim=-1).transpose(1, 2)  # (batch, 1, heads, rank + rope)
        k = torch.cat((latent, rope_key), dim=-1)[:, None]
        out = F.scaled_dot_product_attention(q, k, latent[:, None], scale=self.scale)
        out = out.transpose(1, 2) @ w_value.transpose(1, 2)  # (batch, heads, 1, v)
        return self.o_proj(out.flatten(1)[:, None])
