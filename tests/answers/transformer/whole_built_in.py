"""nn.Transformer, with masks of target padding too, memory that carries its mask, and learned positions."""

import torch
from torch import nn


class Transformer(nn.Module):
    def __init__(
        self,
        src_vocab: int,
        tgt_vocab: int,
        hidden_size: int,
        num_heads: int,
        num_layers: int,
        intermediate_size: int,
        max_len: int,
        pad_id: int = 0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError("bad number of heads")
        self.model = nn.Transformer(
            hidden_size,
            num_heads,
            num_layers,
            num_layers,
            intermediate_size,
            dropout,
            "gelu",
            batch_first=True,
        )
        self.model.encoder.enable_nested_tensor = False
        self.source = nn.Embedding(src_vocab, hidden_size, padding_idx=pad_id)
        self.target = nn.Embedding(tgt_vocab, hidden_size)
        self.places = nn.Parameter(torch.randn(1, max_len, hidden_size) * 0.1)
        self.head = nn.Linear(hidden_size, tgt_vocab, bias=False)
        self.pad_id = pad_id

    def encode(self, src):
        is_pad = src == self.pad_id
        x = self.source(src) + self.places[:, : src.shape[1]]
        return self.model.encoder(x, src_key_padding_mask=is_pad), is_pad

    def decode(self, tgt, memory, src):
        states, is_pad = memory
        x = self.target(tgt) + self.places[:, : tgt.shape[1]]
        future = nn.Transformer.generate_square_subsequent_mask(tgt.shape[1], device=x.device, dtype=x.dtype)
        x = self.model.decoder(
            x,
            states,
            tgt_mask=future,
            tgt_key_padding_mask=tgt == self.pad_id,
            memory_key_padding_mask=is_pad,
            tgt_is_causal=True,
        )
        return self.head(x)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)
