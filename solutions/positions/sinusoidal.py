"""Sinusoidal position encoding: each position as sines and cosines of many wavelengths, added to the tokens.

From "Attention Is All You Need" (Vaswani et al., 2017). Nothing is forbidden.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def sinusoidal_encoding(seq_len: int, dim: int, base: float = 10000.0) -> Float[Tensor, "seq_len dim"]:
    """The encoding of the positions 0, 1, …, seq_len - 1, one row each.

    The angle of pair i at position m is m * base^(-2 i / dim), for i = 0 … dim / 2 - 1. Column 2 i has its
    sine, column 2 i + 1 its cosine: sines and cosines alternate.

    dim: even. seq_len: 1 to 5000. The result has the default dtype (float32 or float64) and is on the default
    device, those at the time of the call. Positions below 128 are right to 1e-5, later ones to 1e-3, so that
    angles in float32 will do.
    """
    positions = torch.arange(seq_len).unsqueeze(1)  # (seq_len, 1)
    exponents = torch.arange(0, dim, 2) / dim  # (dim / 2)
    # From 1 radian per position down to nearly 1 / base: the fast pairs tell neighbours apart.
    frequencies = base**-exponents
    angles = positions * frequencies  # (seq_len, dim / 2)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)  # (seq_len, dim)


class TransformerEmbedding(nn.Module):
    """Token ids to vectors: the rows of `token_embedding` times sqrt(hidden_size), plus the encoding.

    `token_embedding` is an nn.Embedding(vocab_size, hidden_size), or of a class made from it, and its weight
    the only parameter: the encoding (base 10000) is not learned. Kept in a buffer or made in each call, it
    goes with the module: module.to(device), module.double(). Buffers are free, saved with the weights or not.
    """

    def __init__(self, vocab_size: int, hidden_size: int, max_len: int) -> None:
        """`max_len` is the largest number of tokens in a sequence, 1 to 5000; `hidden_size` is even."""
        super().__init__()
        self.hidden_size = hidden_size
        self.token_embedding = nn.Embedding(vocab_size, hidden_size)
        # Not in the state dict: it can be computed, and a checkpoint need not fit max_len.
        self.register_buffer("encoding", sinusoidal_encoding(max_len, hidden_size), persistent=False)

    def forward(self, token_ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq hidden_size"]:
        """The token at place m of its sequence gets the encoding of position m; seq is at most max_len.

        The result has the dtype of token_embedding.weight (float32 or float64) and is on its device, whatever
        the defaults are at that time. It is as near as the encoding: to 1e-5 at positions below 128, to 1e-3
        at later ones. token_ids is not modified.
        """
        # Rows that share their weights with an output layer are small; the encoding must not drown them.
        rows = self.token_embedding(token_ids) * math.sqrt(self.hidden_size)  # (batch, seq, hidden_size)
        return rows + self.encoding[: token_ids.shape[1]]
