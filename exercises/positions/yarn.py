"""Longer contexts without new weights: RoPE's frequencies stretched linearly, NTK-aware, or as YaRN does it.

Pair i of plain RoPE turns by theta_i = base^(-2 i / head_dim) per position, i = 0 … head_dim / 2 - 1.
`factor` is the wanted length divided by the original one, at least 1. From "YaRN: Efficient Context Window
Extension of Large Language Models" (Peng et al., 2023). Nothing is forbidden.
"""

from jaxtyping import Float, Int
from torch import Tensor


def linear_frequencies(head_dim: int, factor: float, base: float = 10000.0) -> Float[Tensor, "head_dim/2"]:
    """theta_i / factor for every pair, as if all positions were divided by factor.

    This and the two functions below give float32, whatever the default dtype is, on the default device, and
    each frequency is right to 1e-5 of itself. head_dim is even and at least 4.
    """
    raise NotImplementedError


def ntk_frequencies(head_dim: int, factor: float, base: float = 10000.0) -> Float[Tensor, "head_dim/2"]:
    """Plain RoPE's frequencies with `base * factor^(head_dim / (head_dim - 2))` in the place of base."""
    raise NotImplementedError


def yarn_frequencies(
    head_dim: int,
    factor: float,
    original_len: int,
    base: float = 10000.0,
    beta_fast: float = 32.0,
    beta_slow: float = 1.0,
    ramp: str = "index",
) -> Float[Tensor, "head_dim/2"]:
    """`keep_i * theta_i + (1 - keep_i) * theta_i / factor`: fast pairs stay, slow ones are stretched.

    ramp "rotations", as in the paper: keep_i = clamp((r_i - beta_slow) / (beta_fast - beta_slow), 0, 1) with
    r_i = original_len * theta_i / (2 pi), the turns that pair i makes over the original length.

    ramp "index", as in the released code: keep_i = 1 - clamp((i - low) / (high - low), 0, 1) with
    low = floor(x(beta_fast)), high = ceil(x(beta_slow)), and
    x(beta) = head_dim * ln(original_len / (2 pi beta)) / (2 ln(base)), which is the pair (not a whole number)
    with beta turns over the original length. high may lie beyond the last pair.

    Any other ramp raises ValueError.

    Asked only: beta_fast > beta_slow > 0, original_len > 2 pi beta_fast, 0 <= low, high < head_dim, and no
    x(beta) within 1e-6 of a whole number.
    """
    raise NotImplementedError


def attention_factor(factor: float) -> float:
    """`0.1 * ln(factor) + 1`, and 1 for a factor of at most 1 (any above 0 is asked). A Python number."""
    raise NotImplementedError


def yarn_cos_sin(
    positions: Int[Tensor, "seq"],
    head_dim: int,
    factor: float,
    original_len: int,
    base: float = 10000.0,
    ramp: str = "index",
) -> tuple[Float[Tensor, "seq head_dim"], Float[Tensor, "seq head_dim"]]:
    """Cosine and sine of YaRN's angles, *each* times attention_factor(factor), as float32 tables (cos, sin).

    Position m turns pair i by m times its frequency of yarn_frequencies with the default betas. As in RoPE by
    halves, a row holds the values of the head_dim / 2 angles and then the same again. The tables are on the
    device of positions. Another ramp than "index" and "rotations" raises ValueError.

    positions: whole numbers from 0 to 32767 in any order, beyond factor * original_len too; not modified.
    Right to 1e-5 for positions below 64, to 1e-2 for all.
    """
    raise NotImplementedError
