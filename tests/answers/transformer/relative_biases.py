"""A decoder layer has one joint softmax over source and earlier target; learned relative biases, no
position vectors.
"""

import torch
import torch.nn.functional as F
from torch import nn


class _Relative(nn.Module):
    """A learned bias for each head and distance, at first falling with the distance."""

    def __init__(self, heads, max_len, start):
        super().__init__()
        distance = torch.arange(1 - max_len, max_len, dtype=torch.get_default_dtype())
        self.table = nn.Parameter((start - 2.0 * distance.abs().log1p()).repeat(heads, 1) / 4)
        self.middle = max_len - 1

    def forward(self, rows, columns):
        device = self.table.device
        index = (
            torch.arange(rows, device=device)[:, None] - torch.arange(columns, device=device) + self.middle
        )
        return 4 * self.table[:, index]


class _Layer(nn.Module):
    def __init__(self, hidden, heads, inner, max_len, dropout, joint):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        self.near = _Relative(heads, max_len, 0.0)
        if joint:
            self.memory_kv, self.far = nn.Linear(hidden, 2 * hidden), _Relative(heads, max_len, 1.0)
        self.drop = nn.Dropout(dropout)

    def split(self, t):
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, forbidden, memory=None):
        q, k, v = map(self.split, self.qkv(self.norm1(x)).chunk(3, -1))
        bias = self.near(x.shape[1], x.shape[1])
        if memory is not None:
            mk, mv = map(self.split, self.memory_kv(memory).chunk(2, -1))
            k, v = torch.cat((mk, k), 2), torch.cat((mv, v), 2)
            far = F.pad(self.far(x.shape[1], memory.shape[1] - 1), (1, 0))
            bias = torch.cat((far, bias), 2)
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5 + bias
        scores = scores.masked_fill(forbidden, float("-inf"))
        weights = self.drop(torch.exp(scores - scores.logsumexp(-1, keepdim=True)))
        x = x + self.drop(self.out((weights @ v).transpose(1, 2).flatten(2)))
        return x + self.drop(self.down(F.silu(self.up(self.norm2(x)))))


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
        if hidden_size % num_heads != 0:
            raise ValueError("num_heads must divide hidden_size")
        self.pad_id = pad_id

        def layers(joint):
            return nn.ModuleList(
                _Layer(hidden_size, num_heads, intermediate_size, max_len, dropout, joint)
                for _ in range(num_layers)
            )

        self.embeddings = nn.ModuleList(
            [nn.Embedding(src_vocab, hidden_size), nn.Embedding(tgt_vocab, hidden_size)]
        )
        self.norms = nn.ModuleList([nn.LayerNorm(hidden_size), nn.LayerNorm(hidden_size)])
        self.encoder, self.decoder = layers(False), layers(True)
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(hidden_size, tgt_vocab)
        self.nothing = nn.Parameter(torch.randn(1, 1, hidden_size))

    def encode(self, src):
        x = self.drop(self.embeddings[0](src))
        for layer in self.encoder:
            x = layer(x, (src == self.pad_id)[:, None, None])
        return torch.cat((self.nothing.expand(len(src), 1, -1), self.norms[0](x)), 1)

    def decode(self, tgt, memory, src):
        batch, length = tgt.shape
        padding = src == self.pad_id
        padding = torch.cat((padding.new_zeros(batch, 1), padding), dim=1)
        padding = padding[:, None, None].expand(-1, 1, length, -1)
        future = (
            torch.ones(length, length, dtype=torch.bool, device=tgt.device).triu(1).expand(batch, 1, -1, -1)
        )
        forbidden = torch.cat((padding, future), dim=3)
        x = self.drop(self.embeddings[1](tgt))
        for layer in self.decoder:
            x = layer(x, forbidden, memory)
        return self.head(self.norms[1](x))

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
