"""Known wrong versions of `cross_entropy`: by what means and smoothing divide, both branches of a where."""

from grader.kit import Mistake

_SMOOTH = "    smooth_loss = -(weight * log_probs).mean(dim=1)  # (batch,)\n"
_LOG_PROBS = "    log_probs = shifted - shifted.exp().sum(dim=1, keepdim=True).log()  # (batch, classes)\n"

_UNWEIGHTED = "    if weight is None:\n"
_DIVISOR = "target_weight[kept].sum()"

MISTAKES = [
    *(
        Mistake(
            f"ignored-rows-counted-where-{ending}",
            find=_UNWEIGHTED,
            replace="    weighted = weight is not None\n" + _UNWEIGHTED,
            also=((_DIVISOR, f"(target_weight.sum() if {condition} else {_DIVISOR})"),),
            says=says,
        )
        for ending, condition, says in (
            (
                "weighted",
                "weighted",
                "With class weights your mean divides by the weights of all rows, the ignored ones included, "
                "which have that of the class that stands in for their target (class 0, say). Only the kept "
                "rows count, as without weights: weight[y] summed over them.",
            ),
            (
                "not-weighted",
                "not weighted",
                "Without class weights your mean divides by the number of all rows. Only the kept rows "
                "count, as with weights, or padding makes the loss smaller.",
            ),
        )
    ),
    Mistake(
        "rows-of-another-ignore-index-counted-where-weighted",
        find=_UNWEIGHTED,
        replace="    weighted = weight is not None\n" + _UNWEIGHTED,
        also=((_DIVISOR, f"(target_weight[target != -100].sum() if weighted else {_DIVISOR})"),),
        says="With class weights your mean divides by the weights of the rows whose target is not -100: with "
        "another ignore_index the ignored rows still count. Only kept rows do, whatever marks the others.",
    ),
    Mistake(
        "smoothed-over-the-rows",
        find=_SMOOTH,
        replace="    smooth_loss = -(weight * log_probs).sum(dim=1) / len(logits)\n",
        says="Label smoothing divides the sum over the classes by the number of rows in your answer. It is "
        "the number of classes: s / classes * sum.",
    ),
    Mistake(
        "smoothed-over-the-kept-rows",
        find=_SMOOTH,
        replace="    smooth_loss = -(weight * log_probs).sum(dim=1) / kept.sum()\n",
        says="Label smoothing divides the sum over the classes by the number of kept rows in your answer. It "
        "is the number of classes: s / classes * sum.",
    ),
    Mistake(
        "log-of-zero-in-the-other-branch",
        find=_LOG_PROBS,
        replace="""\
    exps = shifted.exp()
    total = exps.sum(dim=1, keepdim=True)
    probs = exps / total
    log_probs = torch.where(probs > 0, probs.log(), shifted - total.log())
""",
        also=(("from torch import Tensor\n", "import torch\nfrom torch import Tensor\n"),),
        says="Your losses are right, but where a probability underflows to 0 the gradient is NaN: "
        "torch.where takes another branch, and still goes backwards through log(0), where 0 * inf is NaN. "
        "Do not take the logarithm there: shifted - log(sum(exp(shifted))) is right everywhere.",
    ),
    Mistake(
        "gradient-of-the-sum-divided",
        find="        return losses.sum()\n",
        replace="        mean = losses.sum() / kept.sum()\n"
        "        return mean + (losses.sum() - mean).detach()\n",
        says='Your values are right, but for reduction="sum" the gradient is divided by the number '
        "of kept rows, as that of the mean is. A sum hands on what comes in, to each loss as it is.",
    ),
    Mistake(
        "gradient-of-the-mean-not-divided",
        find="    return losses.sum() / target_weight[kept].sum()",
        replace="    mean = losses.sum() / target_weight[kept].sum()\n"
        "    return losses.sum() + (mean - losses.sum()).detach()",
        says='Your values are right, but for reduction="mean" the gradient is not divided by '
        "what the mean is divided by: it is that of the sum.",
    ),
    *(
        Mistake(
            f"gradient-of-the-mean-over-all-rows{ending}",
            find="    return losses.sum() / target_weight[kept].sum()",
            replace=f"""\
    mean = losses.sum() / target_weight[kept].sum()
    if {where}:
        over_all = losses.sum() / target_weight.sum()
        return over_all + (mean - over_all).detach()
    return mean""",
            also=((_UNWEIGHTED, "    weighted = weight is not None\n" + _UNWEIGHTED),),
            says=f"Your values are right, but the gradient of the mean{which} is divided by the number or "
            "the weights of all rows, the ignored ones included. Only the kept rows count, backwards too.",
        )
        for ending, where, which in (
            ("", "True", ""),
            ("-where-not-weighted", "not weighted", ", where no weights are given,"),
        )
    ),
]
