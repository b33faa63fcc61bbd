"""Attention query by query on growing prefixes (no mask at all); lm_head made first and shared; recursion
over the layers.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Layer(nn.Module):
    def __init__(self, hidden, heads, drop):
        super().__init__()
        self.heads, self.drop = heads, drop
        self.norm1 = nn.LayerNorm(hidden, eps=1e-5)
        self.qkv_proj = nn.Linear(hidden, 3 * hidden)
        self.o_proj = nn.Linear(hidden, hidden)
        self.norm2 = nn.LayerNorm(hidden, eps=1e-5)
        self.up_proj = nn.Linear(hidden, 4 * hidden)
        self.down_proj = nn.Linear(4 * hidden, hidden)

    def attention(self, x):
        batch, seq, hidden = x.shape
        q, k, v = (
            self.qkv_proj(x).view(batch, seq, 3, self.heads, hidden // self.heads).permute(2, 0, 3, 1, 4)
        )
        rows = []
        for i in range(seq):
            scores = (k[:, :, : i + 1] * q[:, :, i : i + 1]).sum(-1) / math.sqrt(hidden // self.heads)
            weights = F.dropout(torch.softmax(scores, dim=-1), self.drop, self.training)
            rows.append((weights.unsqueeze(-1) * v[:, :, : i + 1]).sum(2).reshape(batch, hidden))
        return self.o_proj(torch.stack(rows, dim=1))

    def forward(self, x):
        h = x + F.dropout(self.attention(self.norm1(x)), self.drop, self.training)
        y = self.down_proj(F.gelu(self.up_proj(self.norm2(h)), approximate="tanh"))
        return h + F.dropout(y, self.drop, self.training)


class GPT2(nn.Module):
    def __init__(self, vocab_size, hidden_size, num_layers, num_heads, max_position, dropout=0.0):
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError("num_heads must divide hidden_size")
        self.max_position, self.drop = max_position, dropout
        self.lm_head = nn.Linear(hidden_size, vocab_size, bias=False)
        self.token_embedding = nn.Embedding(vocab_size, hidden_size)
        self.token_embedding.weight = self.lm_head.weight
        self.position_embedding = nn.Embedding(max_position, hidden_size)
        self.layers = nn.ModuleList(Layer(hidden_size, num_heads, dropout) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_size, eps=1e-5)
        for name, p in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(p)
            elif p.dim() == 2:
                small = name.endswith(("o_proj.weight", "down_proj.weight"))
                nn.init.normal_(p, 0.0, 0.02 / math.sqrt(2 * num_layers) if small else 0.02)

    def _deep(self, x, n):
        return x if n == 0 else self.layers[n - 1](self._deep(x, n - 1))

    def forward(self, token_ids):
        seq = token_ids.shape[1]
        if seq > self.max_position:
            raise ValueError("too long")
        x = self.token_embedding(token_ids) + self.position_embedding.weight[:seq]
        x = F.dropout(x, self.drop, self.training)
        return self.lm_head(self.norm(self._deep(x, len(self.layers))))
