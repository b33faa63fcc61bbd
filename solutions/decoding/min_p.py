"""Min-p sampling: draw from the tokens that have at least a fraction of the most probable one's probability.

The threshold falls where the model is unsure, so more tokens stay, and rises where it is sure. From
"Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs" (Nguyen et al., 2024). Nothing is
forbidden.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor


def min_p_filter(logits: Float[Tensor, "... vocab"], min_p: float) -> Float[Tensor, "... vocab"]:
    """Keep the tokens with at least min_p times the probability of their row's most probable one.

    Probabilities are the softmax of the row. All other tokens become -inf; kept logits and the order of the
    vocabulary do not change. min_p = 0 keeps all, however small their probability, min_p = 1 only the most
    probable token.

    Leading dimensions: any number, also none; every row is filtered on its own.
    Raises ValueError (or AssertionError) if min_p is outside [0, 1].

    Logits are finite and without ties, no token lies at the threshold, and min_p is 0 or at least 1e-3.
    float32 stays float32, float64 stays float64, and the result is on the device of the logits. logits is not
    modified. The gradient of a kept logit is 1, that of another one 0.
    """
    if not 0 <= min_p <= 1:
        raise ValueError(f"min_p must be in [0, 1], not {min_p}")
    probs = torch.softmax(logits, dim=-1)
    threshold = min_p * probs.amax(dim=-1, keepdim=True)  # (..., 1)
    remove = probs < threshold  # never the most probable token, and at min_p = 0 none
    return logits.masked_fill(remove, -math.inf)


def sample_min_p(
    logits: Float[Tensor, "... vocab"],
    min_p: float,
    temperature: float = 1.0,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "..."]:
    """Draw one token per row from softmax(min_p_filter(logits / temperature, min_p)).

    The temperature comes first, so it changes which tokens are kept. temperature = 0 means the most probable
    token (argmax), however small its lead; below 0 raises ValueError (or AssertionError), and so does a min_p
    outside [0, 1], at any temperature. logits / temperature is finite.

    generator: the source of all randomness, or None for PyTorch's global one. The same state of it gives the
    same tokens, and drawing moves it on (at temperature 0 nothing need be drawn). Rows are drawn
    independently; how you draw is up to you. Logits of shape (vocab,) give a 0-dimensional tensor. logits is
    not modified.
    """
    if temperature < 0:
        raise ValueError(f"temperature must not be negative, not {temperature}")
    if temperature == 0:
        return min_p_filter(logits, min_p).argmax(dim=-1)  # which no filter removes
    filtered = min_p_filter(logits / temperature, min_p)
    probs = torch.softmax(filtered, dim=-1)
    rows = probs.reshape(-1, probs.shape[-1])  # multinomial takes one or two dimensions
    tokens = torch.multinomial(rows, num_samples=1, generator=generator)  # (rows, 1)
    return tokens.reshape(logits.shape[:-1])
