"""Known wrong versions of `grpo_loss` for the first step, where the policy is still the old one."""

from grader.kit import Mistake

RATIO = "    ratio = log_ratio.exp()\n"

MISTAKES = [
    Mistake(
        "ratio-of-one-without-gradient",
        find=RATIO,
        replace="""\
    same = torch.equal(log_probs, old_log_probs)
    ratio = torch.ones_like(log_ratio) if same else log_ratio.exp()
""",
        says="Where new and old log-probabilities are equal you take a ratio that is a constant 1. The value "
        "is right, but its gradient is lost, and the first step after each sampling learns from it alone.",
    ),
    Mistake(
        "divergence-detached",
        find="    k3 = (-difference).exp() - 1 + difference",
        replace="    k3 = ((-difference).exp() - 1 + difference).detach()",
        says="Your loss is right, but no gradient flows through k3: it is computed without a graph (by "
        "no_grad or detach, for example), so nothing holds the policy near the reference. Only the "
        "reference is a constant there.",
    ),
]
