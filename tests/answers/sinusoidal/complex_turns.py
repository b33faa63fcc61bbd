"""exp(i angle) in float64: imaginary and real part of each clock; F.embedding of two tables."""

import torch
import torch.nn.functional as F
from torch import nn


@torch.no_grad()
def sinusoidal_encoding(seq_len, dim, base=10000.0):
    pair = torch.arange(dim // 2, dtype=torch.float64)
    speeds = torch.pow(float(base), -2 * pair / dim)
    angles = torch.outer(torch.arange(seq_len, dtype=torch.float64), speeds)
    clocks = torch.polar(torch.ones_like(angles), angles)
    table = torch.view_as_real(clocks).flip(-1).reshape(seq_len, dim)
    return table.to(torch.get_default_dtype())


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, hidden_size, max_len):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, hidden_size)
        self.register_buffer("_table", sinusoidal_encoding(max_len, hidden_size))

    def forward(self, token_ids):
        seq = token_ids.shape[-1]
        places = torch.arange(seq, device=token_ids.device).expand_as(token_ids)
        weight = self.token_embedding.weight
        return F.embedding(token_ids, weight) * weight.shape[1] ** 0.5 + F.embedding(places, self._table)
