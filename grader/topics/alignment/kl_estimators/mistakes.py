"""Known wrong versions of `kl_estimators`."""

from grader.kit import Mistake

DIFFERENCE = "difference = log_probs - reference_log_probs"
K2 = "return difference.square() / 2"
K3 = "return (-difference).exp() - 1 + difference"

IMPORT = "from jaxtyping import Float\n", "import torch\nfrom jaxtyping import Float\n"

K1 = '        return difference\n    if kind == "k2"'


def averaged(mistake_id: str, mean: str) -> Mistake:
    """All estimates made, and then their mean taken. `mean`: of an estimate, for which there are braces."""

    def of(line: str) -> str:
        before, estimate = line.split("return ")
        return f"{before}return {mean.format(estimate)}"

    k1, k2 = K1.split("\n")
    return Mistake(
        mistake_id,
        find=K2,
        replace=of(K2),
        also=((K1, f"{of(k1)}\n{k2}"), (K3, of(K3))),
        says="You average the estimates, over the last axis or over all. What is asked for is one of each "
        "token, in the shape of the arguments: whoever calls this knows which tokens count.",
    )


MISTAKES = [
    Mistake(
        "direction-of-the-difference",
        find=DIFFERENCE,
        replace="difference = reference_log_probs - log_probs",
        says="You subtract the policy from the reference. The tokens come from the policy, so the mean of "
        "log policy - log reference is KL(policy || reference); yours is minus that, and your k3 belongs to "
        "tokens of the reference.",
    ),
    Mistake(
        "k1-reversed",
        find='        return difference\n    if kind == "k2"',
        replace='        return -difference\n    if kind == "k2"',
        says="The sign of your k1 is turned: it is log_probs - reference_log_probs, whose mean under the "
        "policy is the divergence.",
    ),
    Mistake(
        "k3-with-the-inverted-ratio",
        find=K3,
        replace="return difference.exp() - 1 - difference",
        says="Your k3 uses policy / reference: exp(d) - 1 - d. Its mean is the divergence for tokens of the "
        "reference, KL(reference || policy). Tokens of the policy need reference / policy: exp(-d) - 1 + d.",
    ),
    Mistake(
        "k3-with-mixed-signs",
        find=K3,
        replace="return difference.exp() - 1 + difference",
        says="The two signs in your k3 do not belong together: with exp(-d) goes + d. Otherwise it is not "
        "least at d = 0.",
    ),
    Mistake(
        "k3-minus-the-difference",
        find=K3,
        replace="return (-difference).exp() - 1 - difference",
        says="Your k3 is exp(-d) - 1 - d, which takes both signs. With exp(-d) goes + d.",
    ),
    Mistake(
        "k3-without-minus-one",
        find=K3,
        replace="return (-difference).exp() + difference",
        says="Your k3 is 1 where the two models agree: the ratio less 1 is what has the mean 0.",
    ),
    Mistake(
        "k3-without-the-difference",
        find=K3,
        replace="return (-difference).exp() - 1",
        says="Your k3 is the ratio less 1, whose mean is 0 whatever the divergence is. Add k1 to it.",
    ),
    Mistake(
        "k3-negative",
        find=K3,
        replace="return -((-difference).exp() - 1 + difference)",
        says="Your k3 is never positive. A divergence is never negative: turn its sign.",
    ),
    Mistake(
        "k2-not-halved",
        find=K2,
        replace="return difference.square()",
        says="Your k2 is the whole square: twice the divergence, where the models are near each other. It "
        "is half of the square.",
    ),
    Mistake(
        "k2-from-absolute-values",
        find=K2,
        replace="return difference.abs() / 2",
        says="Your k2 takes the size of the difference. It takes its square.",
    ),
    Mistake(
        "k2-of-the-ratio",
        find=K2,
        replace="return ((-difference).exp() - 1).square() / 2",
        says="Your k2 is half of the square of the ratio less 1. It is half of the square of the ratio's "
        "logarithm.",
    ),
    Mistake(
        "k2-and-k3-swapped",
        find=K2,
        replace="return (-difference).exp() - 1 + difference",
        also=(
            (
                "only the noise.\n        return (-difference).exp() - 1 + difference",
                "only the noise.\n        return difference.square() / 2",
            ),
        ),
        says="Your k2 and k3 have changed places: k2 is the square, k3 the one with the ratio.",
    ),
    Mistake(
        "k1-by-default",
        find='kind: str = "k3"',
        replace='kind: str = "k1"',
        says="Your default is k1. It is k3: never negative, and right on average.",
    ),
    Mistake(
        "k2-by-default",
        find='kind: str = "k3"',
        replace='kind: str = "k2"',
        says="Your default is k2. It is k3: never negative, and right on average.",
    ),
    Mistake(
        "other-kinds-accepted",
        find='    if kind == "k3":\n        # reference',
        replace='    if kind != "k1":\n        # reference',
        says="You take every other word for k3, so that a misspelt one goes unnoticed. Raise a ValueError.",
    ),
    Mistake(
        "none-for-other-kinds",
        find='    raise ValueError(f"unknown kind {kind!r}")',
        replace="    return None",
        says="For an unknown kind you give None. Raise a ValueError.",
    ),
    Mistake(
        "averaged",
        find=DIFFERENCE,
        replace="difference = (log_probs - reference_log_probs).mean()",
        says="You average the differences first. Each token has its own estimate; k2 and k3 of a mean are "
        "not their means.",
    ),
    averaged("estimates-averaged", "({}).mean()"),
    averaged("estimates-averaged-over-the-last-axis", "({}).mean(dim=-1)"),
    averaged(
        "estimates-averaged-over-the-last-of-several-axes",
        "({0}).mean(dim=-1) if difference.dim() > 1 else {0}",
    ),
    Mistake(
        "float32-inside",
        find=DIFFERENCE,
        replace="difference = log_probs.float() - reference_log_probs.float()",
        says="Your estimates are float32, whatever came. They have the dtype of the arguments.",
    ),
    Mistake(
        "weighted-with-the-probability",
        find=K3,
        replace="return log_probs.exp() * ((-difference).exp() - 1 + difference)",
        says="You multiply by the token's probability. The tokens have been sampled: how probable they are "
        "is in how often they come.",
    ),
    Mistake(
        "k3-with-a-quotient-of-probabilities",
        find=K3,
        replace="return reference_log_probs.exp() / log_probs.exp() - 1 + difference",
        says="Your k3 is NaN where both log-probabilities are very low: you compute with the probabilities "
        "themselves, which are 0 there, and their quotient, for example, is 0 / 0. Take exp of the "
        "difference.",
    ),
    Mistake(
        "reference-detached",
        find=DIFFERENCE,
        replace="difference = log_probs - reference_log_probs.detach()",
        says="You cut the reference off from the graph. It usually needs no gradient, but whoever calls "
        "this decides: gradients reach both arguments.",
    ),
    Mistake(
        "ratio-detached",
        find=K3,
        replace="return (-difference).exp().detach() - 1 + difference",
        says="You cut the ratio in k3 off from the graph: the gradient is then that of k1.",
    ),
    Mistake(
        "clamped",
        find=K3,
        replace="return ((-difference).exp() - 1 + difference).clamp(-10, 10)",
        says="You bound the estimate, as some codebases do against outliers. It is no longer right on "
        "average then, and what is beyond the bound has no gradient.",
    ),
    Mistake(
        "probabilities-not-below-1e-8",
        find=K3,
        replace="return reference_log_probs.exp() / log_probs.exp().clamp(min=1e-8) - 1 + difference",
        says="In k3 you divide probabilities, with a floor of 1e-8 or so below the policy's against a "
        "division by 0. Of an improbable token the ratio is wrong then: it is exp of the difference of the "
        "logarithms.",
    ),
    Mistake(
        "log-ratio-of-k3-bounded",
        find=K3,
        replace="return (-difference.clamp(-10, 10)).exp() - 1 + difference.clamp(-10, 10)",
        says="In your k3 the difference is bounded to ±10. Differences of up to 20 are asked for: exp(20) is "
        "a number like any other, and beyond the bound your k3 is too small and has no gradient.",
    ),
    Mistake(
        "exponent-of-k3-bounded",
        find=K3,
        replace="return (-difference).clamp(max=10).exp() - 1 + difference",
        says="In your k3 the exponent is bounded by 10, and the difference beside it is not. Differences of "
        "up to 20 are asked for: the ratio is exp(-d) wherever d is.",
    ),
    Mistake(
        "exponent-of-k3-bounded-on-both-sides",
        find=K3,
        replace="return (-difference).clamp(-10, 10).exp() - 1 + difference",
        says="In your k3 the exponent is bounded to ±10, and the difference beside it is not. Differences of "
        "up to 20 are asked for: the ratio is exp(-d) wherever d is.",
    ),
    Mistake(
        "differences-bounded",
        find=DIFFERENCE,
        replace="difference = (log_probs - reference_log_probs).clamp(-10, 10)",
        says="You bound the differences to ±10 before all else, so k1, k2 and k3 are those of other models. "
        "Differences of up to 20 are asked for, as they are.",
    ),
    Mistake(
        "ones-of-k3-on-the-default-device",
        find=K3,
        replace="return (-difference).exp() - torch.ones(difference.shape, dtype=difference.dtype) "
        "+ difference",
        also=(IMPORT,),
        says="For k3 you make a tensor on the default device (the ones to subtract, for example), and the "
        "arguments may be on another. Subtract a plain 1, or take torch.ones_like.",
    ),
    Mistake(
        "result-on-the-default-device",
        find=DIFFERENCE,
        replace="difference = torch.zeros(log_probs.shape, dtype=log_probs.dtype)\n"
        "    difference = difference + log_probs - reference_log_probs",
        also=(IMPORT,),
        says="You make a tensor on the default device for every kind (zeros to start from, for example), and "
        "the arguments may be on another. Compute with the arguments alone, or take torch.zeros_like.",
    ),
]
