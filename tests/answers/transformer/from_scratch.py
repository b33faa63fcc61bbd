"""Everything written out: pre-norm, sinusoids in a buffer, scaled embeddings, tied output, boolean masks."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, size, heads, p):
        super().__init__()
        if size % heads != 0:
            raise ValueError("num_heads has to divide hidden_size")
        self.heads, self.p = heads, p
        self.query, self.keyvalue, self.out = (
            nn.Linear(size, size),
            nn.Linear(size, 2 * size),
            nn.Linear(size, size),
        )

    def forward(self, x, source, allowed):
        q = self.query(x).unflatten(2, (self.heads, -1)).transpose(1, 2)
        k, v = self.keyvalue(source).unflatten(2, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
        p = self.p if self.training else 0.0
        return self.out(F.scaled_dot_product_attention(q, k, v, allowed, p).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, size, heads, hidden, p, reads):
        super().__init__()
        self.own = Attention(size, heads, p)
        self.other = Attention(size, heads, p) if reads else None
        self.network = nn.Sequential(nn.Linear(size, hidden), nn.GELU(), nn.Linear(hidden, size))
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(3 if reads else 2))
        self.drop = nn.Dropout(p)

    def forward(self, x, allowed, memory=None, readable=None):
        first, *middle, last = self.norms
        h = first(x)
        x = x + self.drop(self.own(h, h, allowed))
        for norm in middle:
            x = x + self.drop(self.other(norm(x), memory, readable))
        return x + self.drop(self.network(last(x)))


class Transformer(nn.Module):
    def __init__(
        self,
        src_vocab,
        tgt_vocab,
        hidden_size,
        num_heads,
        num_layers,
        intermediate_size,
        max_len,
        pad_id=0,
        dropout=0.0,
    ):
        super().__init__()
        self.tables = nn.ModuleDict(
            {"src": nn.Embedding(src_vocab, hidden_size, pad_id), "tgt": nn.Embedding(tgt_vocab, hidden_size)}
        )
        for table in self.tables.values():
            nn.init.normal_(table.weight, std=hidden_size**-0.5)
        sizes = (hidden_size, num_heads, intermediate_size, dropout)
        self.below = nn.ModuleList(Block(*sizes, reads=False) for _ in range(num_layers))
        self.above = nn.ModuleList(Block(*sizes, reads=True) for _ in range(num_layers))
        self.after_below, self.after_above = nn.LayerNorm(hidden_size), nn.LayerNorm(hidden_size)
        angles = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, hidden_size, 2) / hidden_size)
        waves = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        self.register_buffer("waves", waves)
        self.pad_id, self.drop = pad_id, nn.Dropout(dropout)

    def embedded(self, tokens, side):
        table = self.tables[side]
        return self.drop(table(tokens) * math.sqrt(table.embedding_dim) + self.waves[: tokens.shape[1]])

    def encode(self, src):
        x, allowed = self.embedded(src, "src"), src.ne(self.pad_id)[:, None, None]
        for block in self.below:
            x = block(x, allowed)
        return self.after_below(x)

    def decode(self, tgt, memory, src):
        places = torch.arange(tgt.shape[1], device=tgt.device)
        causal = places[:, None] >= places
        x = self.embedded(tgt, "tgt")
        for block in self.above:
            x = block(x, causal, memory, src.ne(self.pad_id)[:, None, None])
        return self.after_above(x) @ self.tables["tgt"].weight.T

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
