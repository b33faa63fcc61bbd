"""As in PyTorch's tutorial: slices of zeros filled, frequencies by exp of a logarithm; a saved buffer."""

import math

import torch
import torch.nn as nn


def sinusoidal_encoding(seq_len, dim, base=10000.0):
    pe = torch.zeros(seq_len, dim)
    position = torch.arange(0, seq_len, dtype=torch.get_default_dtype()).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, dim, 2, dtype=pe.dtype) * (-math.log(base) / dim))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


class PositionalEncoding(nn.Module):
    def __init__(self, dim, max_len):
        super().__init__()
        self.register_buffer("pe", sinusoidal_encoding(max_len, dim).unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, : x.size(1)].requires_grad_(False)


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, hidden_size, max_len):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, hidden_size)
        self.positions = PositionalEncoding(hidden_size, max_len)

    def forward(self, token_ids):
        return self.positions(self.token_embedding(token_ids) * math.sqrt(self.token_embedding.embedding_dim))
