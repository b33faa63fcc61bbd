"""Known wrong versions of `kl_estimators` that weight sampled tokens with a probability once more."""

from grader.kit import Mistake

K1 = '        return difference\n    if kind == "k2"'
K2 = "return difference.square() / 2"
K3 = "return (-difference).exp() - 1 + difference"
IMPORT = "from jaxtyping import Float\n", "from jaxtyping import Float\nfrom torch.nn import functional\n"
SAMPLED = "The tokens have been sampled: how probable they are is in how often they come."


def _k1(estimate: str) -> tuple[str, str]:
    return K1, K1.replace("difference", estimate)


MISTAKES = [
    Mistake(
        "k1-weighted-with-the-probability",
        find=K1,
        replace=_k1("log_probs.exp() * difference")[1],
        says="You multiply k1 by the token's probability under the policy: that is one term of the sum over "
        f"the vocabulary, as F.kl_div gives it. {SAMPLED} k1 is the difference alone.",
    ),
    Mistake(
        "k1-weighted-with-the-references-probability",
        find=K1,
        replace=_k1("reference_log_probs.exp() * -difference")[1],
        says="Your k1 is reference * (log reference - log policy): one term of the sum over the vocabulary, "
        "and that of KL(reference || policy), as F.kl_div gives it with the arguments in this order. The "
        "tokens have been sampled from the policy: k1 is log policy - log reference alone.",
    ),
    Mistake(
        "k2-weighted-with-the-probability",
        find=K2,
        replace="return log_probs.exp() * difference.square() / 2",
        says=f"You multiply k2 by the token's probability under the policy. {SAMPLED}",
    ),
    Mistake(
        "estimates-weighted-with-the-probability",
        find=K2,
        replace="return log_probs.exp() * difference.square() / 2",
        also=(
            _k1("log_probs.exp() * difference"),
            (K3, K3.replace("return ", "return log_probs.exp() * (") + ")"),
        ),
        says="You multiply the estimates by the token's probability under the policy, as in the sum over the "
        f"vocabulary. {SAMPLED}",
    ),
    *(
        Mistake(
            id,
            find=K1,
            replace=_k1(f'functional.kl_div({arguments}, reduction="none")')[1],
            also=(IMPORT,),
            says="Your k1 takes the logarithm of a log-probability, for example, which is NaN where that is "
            "negative: F.kl_div does so with its second argument unless log_target=True. Nor is a sampled "
            "token weighted with its probability, as there: k1 is the difference alone.",
        )
        for id, arguments in (
            ("k1-with-a-logarithm-of-the-policys", "reference_log_probs, log_probs"),
            ("k1-with-a-logarithm-of-the-references", "log_probs, reference_log_probs"),
        )
    ),
]
