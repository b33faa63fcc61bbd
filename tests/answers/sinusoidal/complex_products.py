"""Turning: a complex cumprod over positions; a persistent buffer, a subclass of nn.Embedding, place by
place sums.
"""

import torch
from torch import nn


def _turns(seq_len, dim, base, device=None):
    theta = torch.tensor(
        [base ** (-2.0 * i / dim) for i in range(dim // 2)], dtype=torch.float64, device=device
    )
    step = torch.complex(theta.cos(), theta.sin()).expand(seq_len, -1).clone()
    step[0] = 1
    turned = step.cumprod(dim=0)
    out = torch.empty(seq_len, dim, dtype=torch.float64, device=device)
    out[:, 0::2] = turned.imag
    out[:, 1::2] = turned.real
    return out


def sinusoidal_encoding(seq_len, dim, base=10000.0):
    return _turns(seq_len, dim, base).to(dtype=torch.get_default_dtype())


class Words(nn.Embedding):
    """Nothing new: only another class."""


class TransformerEmbedding(nn.Module):
    def __init__(self, vocab_size, hidden_size, max_len):
        super().__init__()
        self.token_embedding = Words(vocab_size, hidden_size)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, hidden_size))

    def forward(self, token_ids):
        embedded = self.token_embedding(token_ids)
        columns = [
            torch.add(place.to(embedded), vector, alpha=embedded.shape[-1] ** 0.5)
            for place, vector in zip(self.encoding, embedded.unbind(1))
        ]
        return torch.stack(columns, dim=1) if columns else embedded
