"""Known wrong versions of `bce` that are stable in one branch and not in another."""

from grader.kit import Mistake

UNWEIGHTED = "    if pos_weight is None:\n"
LOSSES = "    losses = pos_weight * target * loss_if_1 + (1 - target) * loss_if_0"
NAIVE = """\
        p = torch.sigmoid(logits)
        loss_if_1, loss_if_0 = -torch.log(p), -torch.log(1 - p)
"""
OVERFLOWING = """\
        loss_if_1 = torch.log1p(torch.exp(-logits))
        loss_if_0 = torch.log1p(torch.exp(logits))
"""

MISTAKES = [
    Mistake(
        "log-of-sigmoid-where-weighted",
        find=UNWEIGHTED,
        replace="    weighted = pos_weight is not None\n" + UNWEIGHTED,
        also=((LOSSES, f"    if weighted:\n{NAIVE}{LOSSES}"),),
        says="Where a pos_weight is given you take the logarithm of the sigmoid: far from 0 that is log(0) = "
        "-inf, and 0 * inf is NaN. Compute -log p from the logit there too, and multiply by pos_weight "
        "afterwards.",
    ),
    Mistake(
        "exponential-overflows-where-weighted",
        find=UNWEIGHTED,
        replace="    weighted = pos_weight is not None\n" + UNWEIGHTED,
        also=((LOSSES, f"    if weighted:\n{OVERFLOWING}{LOSSES}"),),
        says="Where a pos_weight is given, an exponential overflows or a sigmoid underflows far from 0. "
        "Compute -log p in the stable way there too, max(-x, 0) + log1p(exp(-|x|)), and multiply by "
        "pos_weight afterwards.",
    ),
    Mistake(
        "pos-weight-repeated-in-place",
        find="    zero = torch.zeros_like(logits)\n",
        replace="""\
    pos_weight = pos_weight.reshape(-1)
    pos_weight = pos_weight.repeat_interleave(logits.numel() // len(pos_weight)).view_as(logits)
    zero = torch.zeros_like(logits)
""",
        says="Each number of pos_weight runs along the batch in your answer: the first one weights the first "
        "rows, the next one those behind them. It is one for each class, the last dimension, in every row: "
        "let it broadcast (flat, that is repeat, not repeat_interleave).",
    ),
]
