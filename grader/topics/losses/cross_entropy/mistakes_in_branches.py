"""Known wrong versions of `cross_entropy` that are stable in one branch and not in another."""

from grader.kit import Mistake

UNWEIGHTED = "    if weight is None:\n"
KEPT = "    kept = target != ignore_index\n"
NAIVE = """\
        exps = shifted.exp()
        log_probs = (exps / exps.sum(dim=1, keepdim=True)).log()
"""

MISTAKES = [
    Mistake(
        "log-of-softmax-where-weighted",
        find=UNWEIGHTED,
        replace="    weighted = weight is not None\n" + UNWEIGHTED,
        also=((KEPT, f"    if weighted:\n{NAIVE}{KEPT}"),),
        says="Where class weights are given you take the logarithm of a softmax: a probability that "
        "underflows to 0 has the logarithm -inf, and the gradient is NaN. shifted - log(sum(exp(shifted))) "
        "is right there too; multiply by the weights afterwards.",
    ),
    *(
        Mistake(
            f"log-of-softmax-{where}",
            find=KEPT,
            replace=f"    if label_smoothing {condition} 0:\n{NAIVE}{KEPT}",
            says=f"{which} you take the logarithm of a softmax: a probability that underflows to 0 has the "
            "logarithm -inf, and the gradient is NaN. shifted - log(sum(exp(shifted))) is right there too.",
        )
        for where, condition, which in (
            ("where-smoothed", ">", "With label smoothing"),
            ("where-not-smoothed", "==", "Without label smoothing"),
        )
    ),
]
