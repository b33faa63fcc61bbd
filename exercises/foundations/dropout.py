"""Dropout: in training a random part of the elements is set to zero, so that no unit can rely on another.

From "Dropout: A Simple Way to Prevent Neural Networks from Overfitting" (Srivastava et al. 2014), in the
inverted form that everyone uses: the scaling is done in training, and evaluation does nothing. Forbidden:
nn.Dropout, F.dropout and their kin. Random numbers (torch.rand, torch.bernoulli...) are allowed.
"""

from jaxtyping import Float
from torch import Tensor, nn


class Dropout(nn.Module):
    """In training: zeroes each element with probability p and divides the others by 1 - p. No parameters."""

    def __init__(self, p: float = 0.5) -> None:
        """`p` is the probability of an element to be dropped, between 0 and 1, both included.

        Raises ValueError (or AssertionError) if it lies outside.
        """
        raise NotImplementedError

    def forward(self, x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """In evaluation `x` as it is. In training `x` with elements dropped and the others scaled.

        Each element is drawn by itself: independently of the others (so the number of dropped ones varies)
        and of its value, anew at each call and in each module. What random numbers you use is up to you.
        `p` = 0 drops nothing; `p` = 1 gives zeros, not NaN. Shape (any) and dtype (float32 or float64) stay
        those of `x`, which is finite and not modified. The gradient is dropped and scaled where the value is,
        also where `x` is 0 and one cannot see it.
        """
        raise NotImplementedError
