"""PyTorch's layers with the sequence first, pre-norm, masks of -inf, and a head of two layers."""

import torch
from torch import nn


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
        assert hidden_size % num_heads == 0
        options = {"dropout": dropout, "activation": "gelu", "norm_first": True}
        sizes = hidden_size, num_heads, intermediate_size
        self.encoders = nn.ModuleList(
            nn.TransformerEncoderLayer(*sizes, **options) for _ in range(num_layers)
        )
        self.decoders = nn.ModuleList(
            nn.TransformerDecoderLayer(*sizes, **options) for _ in range(num_layers)
        )
        self.src_table, self.tgt_table = (
            nn.Embedding(src_vocab, hidden_size),
            nn.Embedding(tgt_vocab, hidden_size),
        )
        self.src_place, self.tgt_place = (
            nn.Embedding(max_len, hidden_size),
            nn.Embedding(max_len, hidden_size),
        )
        self.src_norm, self.tgt_norm = nn.LayerNorm(hidden_size), nn.LayerNorm(hidden_size)
        self.head = nn.Sequential(
            nn.Linear(hidden_size, hidden_size), nn.Tanh(), nn.Linear(hidden_size, tgt_vocab)
        )
        self.pad_id = pad_id

    def start(self, tokens, table, place):
        steps = torch.arange(tokens.shape[1], device=tokens.device)
        return table(tokens.T) + place(steps)[:, None]  # (seq, batch, hidden)

    def encode(self, src):
        x = self.start(src, self.src_table, self.src_place)
        for layer in self.encoders:
            x = layer(x, src_key_padding_mask=src.eq(self.pad_id))
        return self.src_norm(x)

    def decode(self, tgt, memory, src):
        x = self.start(tgt, self.tgt_table, self.tgt_place)
        length = tgt.shape[1]
        future = x.new_full((length, length), float("-inf")).triu(1)
        hidden = x.new_zeros(src.shape).masked_fill(src.eq(self.pad_id), float("-inf"))
        for layer in self.decoders:
            x = layer(x, memory, tgt_mask=future, memory_key_padding_mask=hidden)
        return self.head(self.tgt_norm(x)).transpose(0, 1)

    def forward(self, src, tgt):
        print("source", src.shape, "target", tgt.shape)
        return self.decode(tgt, self.encode(src), src)
