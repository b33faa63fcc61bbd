"""Known wrong versions of `ppo_loss` that write to arguments, or clamp them."""

from grader.kit import Mistake

RATIO = "    log_ratio = log_probs - old_log_probs\n"

MISTAKES = [
    Mistake(
        "next-values-discounted-in-place",
        find="    deltas = rewards + gamma * values[:, 1:] - values[:, :-1]  # (batch, steps)\n",
        replace="""\
    baseline = values[:, :-1].clone()
    if gamma != 1:
        values[:, 1:] *= gamma
    deltas = rewards + values[:, 1:] - baseline
""",
        also=(
            ("return advantages, advantages + values[:, :-1]", "return advantages, advantages + baseline"),
        ),
        says="gae writes to values where gamma is not 1: a slice of them is a view, and what is done in "
        "place on it is done to the caller's values. A second call has other values then: make a new tensor.",
    ),
    Mistake(
        "mask-of-floats-overwritten",
        find=RATIO,
        replace=f"""\
    weights = mask.to(log_probs.dtype)
    weights /= weights.sum()
    mask = weights > 0
{RATIO}""",
        says="You write to the caller's mask where it has the dtype of log_probs: .to() gives that very "
        "tensor then, and what is done in place on it stays. The next loss with this mask is wrong: make a "
        "new one.",
    ),
    Mistake(
        "log-probabilities-clamped-below",
        find=RATIO,
        replace="    log_ratio = log_probs.clamp(min=-100) - old_log_probs.clamp(min=-100)\n",
        says="You clamp log-probabilities from below, at -100 for example. Tokens that are less probable "
        "have a ratio of 1 then, and no gradient. Their difference is what counts, and that is small.",
    ),
    Mistake(
        "old-probabilities-not-below-1e-8",
        find="    ratio = log_ratio.exp()\n",
        replace="    ratio = log_probs.exp() / old_log_probs.exp().clamp(min=1e-8)\n",
        says="You divide probabilities, with a floor of 1e-8 or so below the old ones against a division by "
        "0. Of an improbable token the ratio is too small then, and 0 where both are 0. Subtract the "
        "logarithms.",
    ),
]
