"""Three estimates of the KL divergence from one sampled token: k1, k2 and k3.

From "Approximating KL Divergence" (Schulman, 2020, http://joschu.net/blog/kl-approx.html).
Nothing is forbidden.
"""

from jaxtyping import Float
from torch import Tensor


def kl_estimate(
    log_probs: Float[Tensor, "..."], reference_log_probs: Float[Tensor, "..."], kind: str = "k3"
) -> Float[Tensor, "..."]:
    """An estimate of KL(policy || reference) for each token, from its log-probabilities under both.

    The tokens have been sampled from the policy, whose log-probabilities are the first argument. Nothing is
    averaged: the result has the shape of the arguments, whatever that is.

    kind: "k1" is the difference of the two, that way round which has the divergence as its mean; it takes
        both signs. "k2" is half of k1's square: never negative, and its mean is near the divergence where the
        two models are near each other. "k3" is, but for rounding, never negative either, and its mean is the
        divergence: k1, plus the ratio reference / policy, minus 1. Anything else raises a ValueError (or
        AssertionError).

    The arguments have one shape and one dtype, which is kept (float32 or float64); differences are at most
    20, and log-probabilities go down to -1000, where a probability itself is 0 in either dtype. The gradients
    reach both. Nothing is modified, and nothing is made on the default device where the arguments are on
    another one.
    """
    raise NotImplementedError
