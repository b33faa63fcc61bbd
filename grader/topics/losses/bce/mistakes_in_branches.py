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

LOSS_IF_0 = "    loss_if_0 = torch.maximum(logits, zero) + log_part  # -log(1 - p)\n"
RELUS = """\
        loss_if_1, loss_if_0 = torch.relu(-logits) + log_part, torch.relu(logits) + log_part
"""
CLAMPS = """\
        loss_if_1, loss_if_0 = (-logits).clamp(min=0) + log_part, logits.clamp(min=0) + log_part
"""
RELU_OF_MINUS = """\
        loss_if_1 = torch.relu(-logits) + log_part
        loss_if_0 = logits + loss_if_1
"""
CLAMP_OF_MINUS = """\
        loss_if_1 = (-logits).clamp(min=0) + log_part
        loss_if_0 = logits + loss_if_1
"""
AT_ZERO = (
    ("from-relu", RELUS, "that of your maxima (by relu, or by where with >) and of |x| is 0 there"),
    ("from-clamp", CLAMPS, "your maxima (by clamp(min=0), or by where with >=) pass all of it there"),
    (
        "all-to-the-maximum",
        RELU_OF_MINUS,
        "your maximum passes all of x's (as clamp(x, min=0) does) or none of -x's (as relu(-x) does)",
    ),
    (
        "none-to-the-maximum",
        CLAMP_OF_MINUS,
        "your maximum passes none of x's (as relu(x) does) or all of -x's (as clamp(-x, min=0) does)",
    ),
)

MISTAKES = [
    *(
        Mistake(
            f"gradient-at-zero-{kind}-where-{ending}",
            find=UNWEIGHTED,
            replace="    weighted = pos_weight is not None\n" + UNWEIGHTED,
            also=((LOSS_IF_0, f"{LOSS_IF_0}    if {condition}:\n{otherwise}"),),
            says=f"Your values are right, but where {which} the gradient at a logit of exactly 0 is not: "
            f"{what}. torch.maximum(x, zeros) gives half at a tie, as it should: 0.5 * (1 - y) - 0.5 * y * "
            "pos_weight.",
        )
        for kind, otherwise, what in AT_ZERO
        for ending, condition, which in (
            ("weighted", "weighted", "a pos_weight is given"),
            ("not-weighted", "not weighted", "no pos_weight is given"),
        )
    ),
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
    Mistake(
        "gradient-of-the-sum-divided",
        find="return losses.sum() if",
        replace="return losses.mean() + (losses.sum() - losses.mean()).detach() if",
        says='Your values are right, but for reduction="sum" the gradient is divided by the number '
        "of elements, as that of the mean is. A sum hands on what comes in, to each loss as it is.",
    ),
    Mistake(
        "gradient-of-the-mean-not-divided",
        find="else losses.mean()",
        replace="else losses.sum() + (losses.mean() - losses.sum()).detach()",
        says='Your values are right, but for reduction="mean" the gradient is not divided by '
        "the number of elements: it is that of the sum.",
    ),
    Mistake(
        "target-overwritten-where-weighted",
        find=UNWEIGHTED,
        replace="    weighted = pos_weight is not None\n" + UNWEIGHTED,
        also=(
            (
                LOSSES,
                """\
    negative_part = (1 - target) * loss_if_0
    if weighted:
        target.detach().mul_(pos_weight)
    losses = target.clone() * loss_if_1 + negative_part""",
            ),
        ),
        says="Your losses are right, but where a pos_weight is given you multiply the caller's target by it "
        "in place, so the next call sees other targets. detach() gives the same memory, and contiguous() or "
        "to() may: make a new tensor, pos_weight * target.",
    ),
]
