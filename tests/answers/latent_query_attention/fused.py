"""Two calls of the fused attention."""

import torch
import torch.nn.functional as F
from torch import nn


class LatentQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, latent_len, dropout=0.0):
        super().__init__()
        assert hidden_size % num_heads == 0, "heads"
        self.h, self.p = num_heads, dropout
        self.o_proj, self.v_proj, self.k_proj, self.q_proj = (
            nn.Linear(hidden_size, hidden_size) for _ in range(4)
        )
        self.latent_q = nn.Parameter(torch.zeros(1, latent_len, hidden_size))

    def forward(self, x, mask=None):
        p = self.p if self.training else 0.0

        def split(t):
            return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

        latent = split(self.latent_q).repeat(len(x), 1, 1, 1)
        summary = F.scaled_dot_product_attention(
            latent, split(self.k_proj(x)), split(self.v_proj(x)), attn_mask=mask, dropout_p=p
        )
        out = F.scaled_dot_product_attention(split(self.q_proj(x)), summary, summary, dropout_p=p)
        return self.o_proj(out.transpose(1, 2).flatten(-2))
