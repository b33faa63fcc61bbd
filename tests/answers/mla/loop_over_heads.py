"""One head after the other, complex numbers for RoPE, the weights cut up by hand; prints and warns."""

import warnings

import torch
from torch import nn

torch.manual_seed(3)
warnings.warn("slow", stacklevel=1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        q_lora_rank: int,
        kv_lora_rank: int,
        qk_nope_head_dim: int,
        qk_rope_head_dim: int,
        v_head_dim: int,
    ):
        super().__init__()
        self.sizes = (num_heads, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim)

        def linear(inputs, outputs):
            return nn.Linear(inputs, outputs, bias=False)

        self.q_a_proj = linear(hidden_size, q_lora_rank)
        self.q_b_proj = linear(q_lora_rank, num_heads * (qk_nope_head_dim + qk_rope_head_dim))
        self.kv_a_proj = linear(hidden_size, kv_lora_rank + qk_rope_head_dim)
        self.kv_b_proj = linear(kv_lora_rank, num_heads * (qk_nope_head_dim + v_head_dim))
        self.o_proj = linear(num_heads * v_head_dim, hidden_size)
        self.q_a_norm = nn.RMSNorm(q_lora_rank, eps=1e-6)
        self.kv_a_norm = nn.RMSNorm(kv_lora_rank, eps=1e-6)

    @staticmethod
    def rotate(t, cos, sin):
        half = t.shape[-1] // 2
        z = torch.complex(t[..., :half], t[..., half:]) * torch.complex(cos[:, :half], sin[:, :half])
        return torch.cat([z.real, z.imag], dim=-1)

    def query_of_head(self, compressed, i, cos, sin):
        _, _, nope, rope, _ = self.sizes
        rows = self.q_b_proj.weight[i * (nope + rope) : (i + 1) * (nope + rope)]
        return compressed @ rows[:nope].T, self.rotate(compressed @ rows[nope:].T, cos, sin)

    def up_of_head(self, i):
        _, _, nope, _, v = self.sizes
        rows = self.kv_b_proj.weight[i * (nope + v) : (i + 1) * (nope + v)]
        return rows[:nope], rows[nope:]

    def compress(self, x, cos, sin):
        rank = self.sizes[1]
        both = self.kv_a_proj(x)
        return [self.kv_a_norm(both[:, :, :rank]), self.rotate(both[:, :, rank:], cos, sin)]

    def forward(self, x, cos, sin, mask=None):
        heads, _, nope, rope, _ = self.sizes
        latent, rope_key = self.compress(x, cos, sin)
        compressed = self.q_a_norm(self.q_a_proj(x))
        results = []
        for i in range(heads):
            q_nope, q_rope = self.query_of_head(compressed, i, cos, sin)
            w_key, w_value = self.up_of_head(i)
            scores = (q_nope @ (latent @ w_key.T).mT + q_rope @ rope_key.mT) / (nope + rope) ** 0.5
            if mask is not None:
                allowed = mask[:, i if mask.size(1) > 1 else 0]
                scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
            results.append(scores.softmax(-1) @ (latent @ w_value.T))
        print("heads done:", heads)
        return self.o_proj(torch.cat(results, -1))

    def decode(self, x, latent, rope_key, cos, sin):
        heads, _, nope, rope, _ = self.sizes
        compressed = self.q_a_norm(self.q_a_proj(x))
        results = []
        for i in range(heads):
            q_nope, q_rope = self.query_of_head(compressed, i, cos, sin)
            w_key, w_value = self.up_of_head(i)
            scores = ((q_nope @ w_key) @ latent.mT + q_rope @ rope_key.mT) * (nope + rope) ** -0.5
            results.append((scores.softmax(-1) @ latent) @ w_value.T)
        return self.o_proj(torch.cat(results, -1))
