"""The fused kernel for both stages by keyword, latents drawn uniformly far from 0, heads split by
unflatten.
"""

import torch
import torch.nn.functional as F
from torch import nn


class LatentQueryAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, latent_len, dropout=0.0):
        if hidden_size % num_heads:
            raise ValueError("num_heads must divide hidden_size")
        super().__init__()
        self.num_heads, self.p = num_heads, dropout
        self.latent_q = nn.Parameter(torch.empty(1, latent_len, hidden_size).uniform_(2.0, 3.0))
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(self, name, nn.Linear(hidden_size, hidden_size))

    def forward(self, x, mask=None):
        def heads(t):
            return t.unflatten(-1, (self.num_heads, -1)).movedim(2, 1)

        p = self.p if self.training else 0.0
        latents = heads(self.latent_q).expand(x.shape[0], -1, -1, -1)
        z = F.scaled_dot_product_attention(
            query=latents, key=heads(self.k_proj(x)), value=heads(self.v_proj(x)), attn_mask=mask, dropout_p=p
        )
        y = F.scaled_dot_product_attention(query=heads(self.q_proj(x)), key=z, value=z, dropout_p=p)
        return self.o_proj(y.movedim(1, 2).flatten(2))
