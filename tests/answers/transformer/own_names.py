"""Arguments with names of its own; encoder and decoder share a half, with learned places and norms first."""

import torch
from torch import nn


class _Half(nn.Module):
    """Tokens, learned places and layers: what encoder and decoder have in common."""

    def __init__(self, make_layer, vocab, dim, count, max_len, dropout):
        super().__init__()
        self.tokens = nn.Embedding(vocab, dim)
        self.places = nn.Parameter(torch.randn(max_len, dim))
        self.layers = nn.ModuleList([make_layer() for _ in range(count)])
        self.norm = nn.LayerNorm(dim)
        self.dropout = nn.Dropout(dropout)

    def start(self, ids):
        x = self.tokens(ids)
        n, have = ids.shape[1], self.places.shape[0]
        places = self.places[:n]
        if n > have:
            places = torch.cat([places, places.new_zeros(n - have, places.shape[1])])
        return self.dropout(x + places)


class _Encoder(_Half):
    def forward(self, ids, padding):
        x = self.start(ids)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        return self.norm(x)


class _Decoder(_Half):
    def forward(self, ids, memory, padding):
        x = self.start(ids)
        n = ids.shape[1]
        mask = torch.full((n, n), float("-inf"), dtype=x.dtype, device=x.device).triu(diagonal=1)
        bias = torch.zeros(padding.shape, dtype=x.dtype, device=x.device).masked_fill(padding, float("-inf"))
        for layer in self.layers:
            x = layer(x, memory, tgt_mask=mask, memory_key_padding_mask=bias)
        return self.norm(x)


class Transformer(nn.Module):
    def __init__(self, n_in, n_out, dim, heads, depth, inner, longest, pad=0, drop=0.0):
        super().__init__()
        if dim % heads:
            raise ValueError(f"{heads} heads do not divide {dim}")
        options = {"dropout": drop, "activation": "gelu", "batch_first": True, "norm_first": True}
        self.pad = pad
        self.encoder = _Encoder(
            lambda: nn.TransformerEncoderLayer(dim, heads, inner, **options), n_in, dim, depth, longest, drop
        )
        self.decoder = _Decoder(
            lambda: nn.TransformerDecoderLayer(dim, heads, inner, **options), n_out, dim, depth, longest, drop
        )
        self.read_out = nn.Linear(dim, n_out, bias=False)

    def encode(self, source):
        return self.encoder(source, source.eq(self.pad))

    def decode(self, target, memory, source):
        return self.read_out(self.decoder(target, memory, source.eq(self.pad)))

    def forward(self, source, target):
        return self.decode(target, self.encode(source), source)
