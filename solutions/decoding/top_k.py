"""Top-k sampling: draw from the k most probable tokens only, so the long tail of bad ones never comes up.

Used in "Hierarchical Neural Story Generation" (Fan, Lewis and Dauphin, 2018). Nothing is forbidden.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor


def top_k_filter(logits: Float[Tensor, "... vocab"], k: int) -> Float[Tensor, "... vocab"]:
    """Keep the k largest logits of each row; everything else becomes -inf.

    Exactly k are kept in each row, all of them if k is the size of the vocabulary or more. Kept logits and
    the order of the vocabulary do not change. Logits that differ only in their last digits, or whose
    probabilities round to the same number (0, say), are still different.

    Leading dimensions: any number, also none; every row is filtered on its own.
    Raises ValueError (or AssertionError) if k is below 1.

    Logits are finite and without ties. float32 stays float32, float64 stays float64. logits is not modified.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    k = min(k, logits.shape[-1])  # topk fails for more than there are
    values, tokens = logits.topk(k, dim=-1)  # (..., k)
    # By place rather than by comparing with the smallest kept: that would keep more than k where values tie.
    filtered = torch.full_like(logits, -math.inf)
    return filtered.scatter(-1, tokens, values)


def sample_top_k(
    logits: Float[Tensor, "... vocab"],
    k: int,
    temperature: float = 1.0,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "..."]:
    """Draw one token per row from softmax(top_k_filter(logits / temperature, k)).

    temperature = 0 means the most probable token (argmax), however small its lead; with any above 0, however
    small, tokens are drawn; below 0 raises ValueError (or AssertionError). logits / temperature is finite. k
    is at least 1, and may be above the size of the vocabulary.

    generator: the source of all randomness, or None for PyTorch's global one. The same state of it gives the
    same tokens, and drawing moves it on (at temperature 0 nothing need be drawn). Rows are drawn
    independently; how you draw is up to you. Logits of shape (vocab,) give a 0-dimensional tensor. logits is
    not modified.
    """
    if temperature < 0:
        raise ValueError(f"temperature must not be negative, not {temperature}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    filtered = top_k_filter(logits / temperature, k)
    probs = torch.softmax(filtered, dim=-1)
    rows = probs.reshape(-1, probs.shape[-1])  # multinomial takes one or two dimensions
    tokens = torch.multinomial(rows, num_samples=1, generator=generator)  # (rows, 1)
    return tokens.reshape(logits.shape[:-1])
