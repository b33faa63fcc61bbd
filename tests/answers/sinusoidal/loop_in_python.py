"""Number by number in Python floats; the table is made anew in each forward and moved to the rows."""

import math

import torch
from torch import nn


def sinusoidal_encoding(seq_len, dim, base=10000.0):
    table = torch.zeros(seq_len, dim)
    for m in range(seq_len):
        for i in range(dim // 2):
            angle = m / base ** (2 * i / dim)
            table[m, 2 * i] = math.sin(angle)
            table[m, 2 * i + 1] = math.cos(angle)
    return table


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, hidden_size, max_len):
        super().__init__()
        print("embedding of", vocab_size)
        self.token_embedding = nn.Embedding(vocab_size, hidden_size)
        self.scale = hidden_size**0.5

    def forward(self, token_ids):
        x = self.scale * self.token_embedding(token_ids)
        return x + sinusoidal_encoding(x.size(1), x.size(2)).to(x)
