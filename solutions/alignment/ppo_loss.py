"""Proximal policy optimization (PPO): the clipped policy loss, and generalized advantage estimation (GAE).

From "Proximal Policy Optimization Algorithms" (Schulman et al., 2017) and "High-Dimensional Continuous
Control Using Generalized Advantage Estimation" (Schulman et al., 2015). Nothing is forbidden.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def ppo_loss(
    log_probs: Float[Tensor, "batch seq"],
    old_log_probs: Float[Tensor, "batch seq"],
    advantages: Float[Tensor, "batch seq"],
    mask: Bool[Tensor, "batch seq"] | Int[Tensor, "batch seq"] | Float[Tensor, "batch seq"],
    clip_range: float = 0.2,
) -> Float[Tensor, ""]:
    """The mean over the kept tokens of -min(r A, clip(r, 1 - clip_range, 1 + clip_range) A).

    r is the ratio of a token's new probability to its old one, A its advantage; log_probs and old_log_probs
    are the logarithms of these probabilities, down to -1000, where a probability itself is 0 in either dtype.
    The two differ by at most 20.

    mask: True or 1 where a token is kept, False or 0 at prompt and padding; boolean, int64 or of the dtype of
        log_probs. At least one token is kept. The mean is over all kept tokens of the batch together, so a
        longer sequence counts for more. What stands in the other places changes nothing; it is of the usual
        size, so that no ratio overflows there.
    clip_range: above 0.

    The gradient is asked for log_probs. No ratio is exactly at a bound; it may be exactly 1.
    The dtype is kept (float32, or float64; the latter right to 1e-6 of the loss), nothing is modified, and
    nothing is made on the default device where the arguments are on another one.
    """
    log_ratio = log_probs - old_log_probs
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
    # The smaller gain: beyond the bound nothing more is to be won, but a step the wrong way counts in full.
    gain = torch.minimum(ratio * advantages, clipped * advantages)
    return -(gain * mask).sum() / mask.sum()


def gae(
    rewards: Float[Tensor, "batch steps"],
    values: Float[Tensor, "batch steps+1"],
    gamma: float = 1.0,
    lam: float = 0.95,
) -> tuple[Float[Tensor, "batch steps"], Float[Tensor, "batch steps"]]:
    """(advantages, returns) by generalized advantage estimation.

    With the error of one step, delta_t = rewards_t + gamma * values_(t+1) - values_t, the advantage is the
    sum of delta_t, gamma lam delta_(t+1), (gamma lam)^2 delta_(t+2), … to the end of the row. The returns
    are the advantages plus the values of the same steps.

    values: of the states before each step, and in the last column of the state after the last one (0 where
        the sequence has ended there, but it need not be).
    gamma, lam: from 0 to 1. There is at least one step, and there may be so many that a power of gamma lam is
        0 in the dtype. No gradients are asked.

    The dtype is kept (float32, or float64; the latter right to 1e-6 of the largest value), nothing is
    modified, and nothing is made on the default device where the arguments are on another one.
    """
    deltas = rewards + gamma * values[:, 1:] - values[:, :-1]  # (batch, steps)
    advantages = torch.zeros_like(rewards)
    following = torch.zeros_like(rewards[:, 0])  # (batch,)
    for step in reversed(range(rewards.shape[1])):
        following = deltas[:, step] + gamma * lam * following
        advantages[:, step] = following
    return advantages, advantages + values[:, :-1]
