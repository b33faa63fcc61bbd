"""RoPE by complex numbers; forward head by head; decode over pieces of the cache with a running maximum,
float64.
"""

import torch
from torch import nn


def _turn(t, cos, sin):  # (batch, seq, ..., rope)
    half = t.shape[-1] // 2
    a, b = t.split(half, dim=-1)
    angle = torch.complex(cos[:, :half].contiguous(), sin[:, :half].contiguous())
    angle = angle.view((cos.shape[0],) + (1,) * (t.dim() - 3) + (half,))
    z = torch.complex(a, b) * angle
    return torch.cat([z.real, z.imag], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    PIECE = 64

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
        self.h, self.r, self.n, self.p = num_heads, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim
        self.v = v_head_dim

        def linear(fan_in, fan_out):
            return nn.Linear(fan_in, fan_out, bias=False)

        self.q_a_proj, self.q_a_norm = linear(hidden_size, q_lora_rank), nn.RMSNorm(q_lora_rank, eps=1e-6)
        self.q_b_proj = linear(q_lora_rank, self.h * (self.n + self.p))
        self.kv_a_proj, self.kv_a_norm = linear(hidden_size, self.r + self.p), nn.RMSNorm(self.r, eps=1e-6)
        self.kv_b_proj = linear(self.r, self.h * (self.n + self.v))
        self.o_proj = linear(self.h * self.v, hidden_size)

    def _queries(self, x, cos, sin):
        q = self.q_b_proj(self.q_a_norm(self.q_a_proj(x))).unflatten(2, (self.h, self.n + self.p))
        return q[..., : self.n], _turn(q[..., self.n :], cos, sin)

    def compress(self, x, cos, sin):
        both = self.kv_a_proj(x)
        return self.kv_a_norm(both[..., : self.r]), _turn(both[..., self.r :], cos, sin)

    def forward(self, x, cos, sin, mask=None):
        nope, rope = self._queries(x, cos, sin)
        latent, rope_key = self.compress(x, cos, sin)
        expanded = self.kv_b_proj(latent).unflatten(2, (self.h, self.n + self.v))
        results = []
        for head in range(self.h):
            k, v = expanded[:, :, head, : self.n], expanded[:, :, head, self.n :]
            scores = torch.bmm(nope[:, :, head], k.mT) + torch.bmm(rope[:, :, head], rope_key.mT)
            scores = scores / (self.n + self.p) ** 0.5
            if mask is not None:
                scores = scores.masked_fill(~mask[:, head if mask.shape[1] > 1 else 0], float("-inf"))
            results.append(torch.bmm(torch.softmax(scores, dim=2), v))
        return self.o_proj(torch.cat(results, dim=2))

    def decode(self, x, latent, rope_key, cos, sin):
        nope, rope = (t[:, 0].double() for t in self._queries(x, cos, sin))
        up = self.kv_b_proj.weight.double().unflatten(0, (self.h, self.n + self.v))
        merged = torch.einsum("bhn,hnr->bhr", nope, up[:, : self.n]) / (self.n + self.p) ** 0.5
        rope = rope / (self.n + self.p) ** 0.5
        top = total = mixed = None
        for c, k in zip(latent.double().split(self.PIECE, 1), rope_key.double().split(self.PIECE, 1)):
            scores = torch.bmm(merged, c.mT) + torch.bmm(rope, k.mT)
            peak = scores.amax(2, keepdim=True).detach()
            peak = peak if top is None else torch.maximum(peak, top)
            weights = torch.exp(scores - peak)
            if top is None:
                total, mixed = weights.sum(2, keepdim=True), torch.bmm(weights, c)
            else:
                fade = torch.exp(top - peak)
                total = total * fade + weights.sum(2, keepdim=True)
                mixed = mixed * fade + torch.bmm(weights, c)
            top = peak
        out = torch.einsum("bhr,hvr->bhv", mixed / total, up[:, self.n :])
        return self.o_proj(out.flatten(1).to(x.dtype).unsqueeze(1))
