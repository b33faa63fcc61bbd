"""Tokens and weights under which an attention has scores in the thousands, behind a norm too.

Tokens are the sum of a place and a word. All of them have the same mean and the same sum of squares, so that
a norm does the same to each: it keeps the features of places apart.
"""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from grader.kit.generators import Rng

_OF_PLACES = 5
"""Features: which of three kinds a query is of, and whether a key is the last."""


def places(seq: int, hidden_size: int) -> Tensor:
    """What tells the tokens of a sequence apart, (seq, hidden_size)."""
    result = torch.zeros(seq, hidden_size, dtype=torch.float64)
    every = torch.arange(seq)
    result[every, every % 3] = 1.0
    result[:, 3], result[-1, 3:5] = 1.0, torch.tensor([0.0, 1.0], dtype=torch.float64)
    return result


def words(rng: Rng, *shape: int) -> Tensor:
    """Features of -1 and 1, as many of each in every row."""
    result = torch.zeros(shape, dtype=torch.float64)
    result[..., _OF_PLACES:] = 1.0 - 2 * (rng.normal(*shape[:-1], shape[-1] - _OF_PLACES).argsort(-1) % 2)
    return result


def told_apart(rng: Rng, *shape: int) -> Tensor:
    """Tokens (batch, seq, hidden_size)."""
    return words(rng, *shape) + places(*shape[1:])


def raise_scores(
    weights: Mapping[str, Tensor], prefix: str = "", *, head_dim: int, norm: str = "", feature: int = 0
) -> None:
    """Change the weights of `<prefix>q_proj` and `<prefix>k_proj`, and of the norm before them, if there is
    one: by turns queries score the last key thousands above all others, like them, and thousands below, by
    this feature of every head. No score is above 3000.
    """
    factor = 300 * math.sqrt(head_dim)
    for name, read in (
        ("q_proj", [4.0, 0.0, -4.0, 0.0, 0.0]),
        ("k_proj", [0.0] * 3 + [2.2 * factor, -2.2 * factor]),
    ):
        weight = weights[f"{prefix}{name}.weight"]
        weight *= 0.2  # so that the scores of other features are about 1
        weight[feature::head_dim] = 0.0
        weight[feature::head_dim, :_OF_PLACES] = torch.tensor(read, dtype=weight.dtype)
        if f"{prefix}{name}.bias" in weights:
            weights[f"{prefix}{name}.bias"][feature::head_dim] = 0.0
    if norm:
        weights[f"{norm}.weight"][:_OF_PLACES] = 1.0
        if f"{norm}.bias" in weights:
            weights[f"{norm}.bias"][:_OF_PLACES] = 0.0
