"""Group relative policy optimization (GRPO), with the choices of DAPO and GSPO.

From "DeepSeekMath" (Shao et al., 2024: GRPO), "DAPO" (Yu et al., 2025) and "Group Sequence Policy
Optimization" (Zheng et al., 2025: GSPO). Nothing is forbidden.
"""

from jaxtyping import Bool, Float, Int
from torch import Tensor


def group_advantages(
    rewards: Float[Tensor, "prompts group"], eps: float = 1e-4
) -> Float[Tensor, "prompts group"]:
    """How much better each answer is than the others to its prompt: (reward - mean) / (std + eps).

    Each row holds the rewards of one prompt's answers. Mean and standard deviation are those of the row, the
    latter as torch.std has it (unbiased), also where rewards differ by little and lie far from 0. A row of
    equal rewards gives zeros (but for rounding), and so does a row of one.

    The dtype is kept (float32 or float64), nothing is modified, and nothing is made on the default device
    where rewards is on another one. No gradients are asked.
    """
    raise NotImplementedError


def grpo_loss(
    log_probs: Float[Tensor, "n seq"],
    old_log_probs: Float[Tensor, "n seq"],
    reference_log_probs: Float[Tensor, "n seq"],
    advantages: Float[Tensor, "n"],
    mask: Bool[Tensor, "n seq"] | Int[Tensor, "n seq"] | Float[Tensor, "n seq"],
    clip_low: float = 0.2,
    clip_high: float = 0.2,
    kl_beta: float = 0.04,
    aggregate: str = "sequence",
    importance: str = "token",
) -> Float[Tensor, ""]:
    """The mean over tokens of -min(r A, clip(r, 1 - clip_low, 1 + clip_high) A) + kl_beta * k3.

    A is the advantage of the token's sequence. k3 estimates KL(policy || reference) at the token: exp(-d) - 1
    + d, with d its log-probability under the policy minus that under the reference. Log-probabilities go down
    to -1000, where a probability itself is 0 in either dtype, and those of one token differ by at most 20.

    importance: "token": r is the ratio of the token's new probability to its old one (GRPO, DAPO).
        "sequence": r is one number for all tokens of a sequence, exp of the mean of log_probs - old_log_probs
        over its kept tokens (GSPO); gradients flow through that mean into all of them. k3 stays each token's.
    aggregate: "sequence": the mean over each sequence's kept tokens, and then the mean over the sequences
        (GRPO). "token": the mean over all kept tokens of the batch (DAPO).
    Other words raise a ValueError (or AssertionError).

    mask: True or 1 where a token is kept, False or 0 at prompt and padding; boolean, int64 or of the dtype of
        log_probs. Every sequence keeps a token. What stands in the other places are log-probabilities like
        those kept, in size too, and they change nothing.

    The gradient is asked for log_probs; the other arguments, none of which is log_probs itself, may have one
    or none. No ratio is exactly at a bound; it may be exactly 1 (clip_low and clip_high are above 0).
    The dtype is kept (float32 or float64), nothing is modified, and nothing is made on the default device
    where the arguments are on another one.
    """
    raise NotImplementedError
