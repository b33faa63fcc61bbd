"""Top-p (nucleus) sampling: draw from the smallest set of tokens that holds the probability p.

The set grows when the model is unsure and shrinks when it is sure, which a fixed k cannot do. From "The
Curious Case of Neural Text Degeneration" (Holtzman et al., 2019). Nothing is forbidden.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def top_p_filter(logits: Float[Tensor, "... vocab"], p: float) -> Float[Tensor, "... vocab"]:
    """Keep the most probable tokens of each row; everything else becomes -inf.

    Kept is the smallest set of most probable tokens whose probabilities (softmax of the row) together reach
    p, *including* the token that crosses p: never fewer than one. p = 1 keeps all, however small their
    probability. Kept logits and the order of the vocabulary do not change.

    Leading dimensions: any number, also none; every row is filtered on its own.
    Raises ValueError (or AssertionError) if p is outside (0, 1].

    Logits are finite and without ties; no sum of probabilities meets a p below 1 exactly. float32 stays
    float32, float64 stays float64. logits is not modified.
    """
    raise NotImplementedError


def sample_top_p(
    logits: Float[Tensor, "... vocab"],
    p: float,
    temperature: float = 1.0,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "..."]:
    """Draw one token per row from softmax(top_p_filter(logits / temperature, p)).

    The temperature comes first, so it changes which tokens are kept. temperature = 0 means the most probable
    token (argmax), however small its lead; below 0 raises ValueError (or AssertionError). logits /
    temperature is finite. p is in (0, 1].

    generator: the source of all randomness, or None for PyTorch's global one. The same state of it gives the
    same tokens, and drawing moves it on (at temperature 0 nothing need be drawn). Rows are drawn
    independently; how you draw is up to you. Logits of shape (vocab,) give a 0-dimensional tensor. logits is
    not modified.
    """
    raise NotImplementedError
