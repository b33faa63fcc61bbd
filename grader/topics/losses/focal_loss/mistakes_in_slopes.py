"""Known wrong versions of `focal_loss` whose gradient is written by hand, with one part wrong."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"slope-{id}",
        find="    losses = alpha_t * focus * loss\n",
        replace=f"""\
    losses = alpha_t * focus * loss
    slope = focus if gamma == 0 else {slope}
    losses = losses.detach() + alpha_t * slope.detach() * (loss - loss.detach())
""",
        says=f"Your values are right, but your gradient {what}. With the cross entropy ce = -log p_t the "
        "slope of (1 - p_t)**gamma * ce by ce is (1 - p_t)**gamma + gamma * (1 - p_t)**(gamma - 1) * "
        "p_t * ce.",
    )
    for id, slope, what in (
        (
            "with-the-other-sign-of-the-power",
            "focus - gamma * (1 - p_t) ** (gamma - 1) * p_t * loss",
            "has the wrong sign before the part that comes from the power",
        ),
        (
            "of-the-power-without-the-probability",
            "focus + gamma * (1 - p_t) ** (gamma - 1) * loss",
            "lacks p_t in the part that comes from the power: p_t itself has the slope -p_t",
        ),
        (
            "of-the-power-without-gamma",
            "focus + (1 - p_t) ** (gamma - 1) * p_t * loss",
            "lacks the factor gamma in the part that comes from the power",
        ),
        (
            "of-the-power-with-gamma-itself",
            "focus + gamma * (1 - p_t) ** gamma * p_t * loss",
            "keeps the exponent gamma in the part that comes from the power, where it is gamma - 1",
        ),
    )
]
