"""Known wrong versions of `bce`: backward passes by hand, what is averaged, what is refused."""

from grader.kit import Mistake

LOSSES = "    losses = pos_weight * target * loss_if_1 + (1 - target) * loss_if_0"
REFUSED = """\
    if reduction not in ("none", "sum", "mean"):
        raise ValueError(f"unknown reduction {reduction!r}")
"""
REDUCED = """\
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.mean()"""


def by_hand(slope: str) -> str:
    """The losses with a gradient of its own, an expression in x and p."""
    return f"""\
{LOSSES}

    class ByHand(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return losses.detach().clone()

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            p = torch.sigmoid(x)
            return {slope}

    losses = ByHand.apply(logits)"""


MISTAKES = [
    Mistake(
        "pos-weight-left-out-backwards",
        find=LOSSES,
        replace=by_hand("gradient * (p - target)"),
        says="Your values are right, but the gradient is p - y whatever pos_weight is. It multiplies the "
        "positive part there, too: (1 - y) * p - pos_weight * y * (1 - p).",
    ),
    Mistake(
        "pos-weight-on-both-parts-backwards",
        find=LOSSES,
        replace=by_hand("gradient * pos_weight * (p - target)"),
        says="Your values are right, but the gradient is pos_weight * (p - y). pos_weight multiplies the "
        "positive part alone: (1 - y) * p - pos_weight * y * (1 - p).",
    ),
    Mistake(
        "gradient-of-the-other-sign",
        find=LOSSES,
        replace=by_hand("gradient * (pos_weight * target * (1 - p) - (1 - target) * p)"),
        says="Your values are right, but the gradient has the other sign. Without pos_weight it is p - y: "
        "negative where the logit should be larger.",
    ),
    Mistake(
        "slope-of-the-sigmoid-once-more",
        find=LOSSES,
        replace=by_hand("gradient * ((1 - target) * p - pos_weight * target * (1 - p)) * p * (1 - p)"),
        says="Your values are right, but you multiply the gradient by p * (1 - p). The derivative of the "
        "sigmoid has cancelled out: (1 - y) * p - pos_weight * y * (1 - p) is that of the logit already.",
    ),
    Mistake(
        "incoming-gradient-ignored",
        find=LOSSES,
        replace=by_hand("(1 - target) * p - pos_weight * target * (1 - p)"),
        says="Your backward pass does not look at the gradient that comes in. Multiply by it: for the mean "
        "it is 1 / n.",
    ),
    *(
        Mistake(
            f"incoming-gradient-left-out-{where}",
            find=LOSSES,
            replace=by_hand(slope),
            says=f"Your backward pass multiplies one of its two parts by the gradient that comes in, and not "
            f"{part} (brackets around one alone, for example). Take the sum of both first: gradient * ((1 - "
            "y) * p - pos_weight * y * (1 - p)).",
        )
        for where, slope, part in (
            (
                "of-the-positives",
                "gradient * (1 - target) * p - pos_weight * target * (1 - p)",
                "that of the positives",
            ),
            (
                "of-the-negatives",
                "(1 - target) * p - gradient * pos_weight * target * (1 - p)",
                "that of the negatives",
            ),
        )
    ),
    Mistake(
        "sign-forgotten",
        find=LOSSES,
        replace=LOSSES.replace("= pos", "= -(pos") + ")",
        says="Your losses have the other sign: log p instead of -log p.",
    ),
    Mistake(
        "pos-weight-squared",
        find=LOSSES,
        replace=LOSSES.replace("pos_weight", "pos_weight**2"),
        says="You multiply by pos_weight twice. It multiplies the positive part once.",
    ),
    Mistake(
        "pos-weight-along-dimension-1",
        find=LOSSES,
        replace="""\
    if pos_weight.dim() == 1 and logits.dim() > 2:
        pos_weight = pos_weight.view(-1, *[1] * (logits.dim() - 2))
"""
        + LOSSES,
        says="Where the logits have more than two dimensions, you lay a pos_weight of shape (classes,) along "
        "dimension 1, where F.cross_entropy has its classes. Here it broadcasts: its last dimension "
        "goes with the last one of the logits.",
    ),
    Mistake(
        "one-minus-target-times-pos-weight",
        find=LOSSES,
        replace=LOSSES.replace("(1 - target)", "(1 - pos_weight * target)"),
        says="Your negative part has the factor 1 - pos_weight * y. It is 1 - y, whatever pos_weight is.",
    ),
    Mistake(
        "logarithm-of-two-for-natural",
        find="torch.log1p(torch.exp(-logits.abs()))",
        replace="torch.log2(1 + torch.exp(-logits.abs()))",
        says="You take the logarithm to base 2. It is the natural one.",
    ),
    Mistake(
        "log-part-halved",
        find="    loss_if_1 =",
        replace="    log_part = log_part / 2\n    loss_if_1 =",
        says="You count only half of log(1 + exp(-|x|)) in each of the two losses. It is part of both: -log "
        "p is max(-x, 0) + log(1 + exp(-|x|)).",
    ),
    Mistake(
        "mean-over-the-last-dimension",
        find="else losses.mean()",
        replace="else losses.sum() / losses.shape[-1]",
        says="You divide by the size of the last dimension only. The mean is over all elements: "
        "losses.mean().",
    ),
    Mistake(
        "mean-over-first-and-last-dimension",
        find="else losses.mean()",
        replace="else losses.sum() / (losses.shape[0] * losses.shape[-1])",
        says="You divide by the first size times the last one, which is the number of elements where there "
        "are two dimensions only. There may be any number of them: losses.mean().",
    ),
    Mistake(
        "mean-of-the-positives",
        find="else losses.mean()",
        replace="else losses.sum() / target.sum()",
        says="You divide by the sum of the targets. The mean is over all elements, negatives too.",
    ),
    Mistake(
        "mean-for-each-row",
        find="else losses.mean()",
        replace="else losses.mean(dim=-1)",
        says="Your mean is one number for each row. It is one for all elements: losses.mean().",
    ),
    Mistake(
        "summed-by-default",
        find='reduction: str = "mean"',
        replace='reduction: str = "sum"',
        says='Your default reduction is "sum". It is "mean".',
    ),
    Mistake(
        "not-reduced-by-default",
        find='reduction: str = "mean"',
        replace='reduction: str = "none"',
        says='Your default reduction is "none". It is "mean".',
    ),
    Mistake(
        "sum-is-the-mean",
        find='losses.sum() if reduction == "sum" else losses.mean()',
        replace="losses.mean()",
        says='For reduction="sum" you give the mean. Add up all losses.',
    ),
    Mistake(
        "losses-squeezed",
        find=REDUCED,
        replace=REDUCED.replace("return losses\n", "return losses.squeeze()\n"),
        says='With reduction="none" you squeeze dimensions of size 1 away. The losses have the shape of the '
        "logits.",
    ),
    Mistake(
        "unknown-reduction-looked-up",
        find=REFUSED,
        replace="",
        also=(
            (
                REDUCED,
                '    return {"none": losses, "sum": losses.sum(), "mean": losses.mean()}[reduction]',
            ),
        ),
        says="An unknown reduction ends in the KeyError of a dict. Raise a ValueError.",
    ),
    Mistake(
        "unknown-reduction-gives-nothing",
        find=REFUSED,
        replace='    if reduction not in ("none", "sum", "mean"):\n        return None\n',
        says="For an unknown reduction you return None. Raise a ValueError.",
    ),
    *(
        Mistake(
            f"unknown-reduction-raises-{kind}",
            find='raise ValueError(f"unknown',
            replace=f'raise {kind}(f"unknown',
            says=f"For an unknown reduction you raise a {kind}. Raise a ValueError.",
        )
        for kind in ("TypeError", "RuntimeError")
    ),
    Mistake(
        "result-in-float32",
        find=LOSSES,
        replace=LOSSES + "\n    losses = losses.float()",
        says="Your result is float32 whatever came. It has the dtype of the arguments.",
    ),
    *(
        Mistake(
            f"one-more-than-pos-weight{ending}",
            find=LOSSES,
            replace=LOSSES.replace("= pos_weight * target", "= (pos_weight + 1) * target"),
            also=also,
            says=f"Your positive part has the factor 1 + pos_weight{none}. It is pos_weight: in (1 - y) * x "
            "+ factor * log(1 + exp(-x)), for example, the factor is 1 + (pos_weight - 1) * y, and not 1 + "
            "pos_weight * y.",
        )
        for ending, also, none in (
            (
                "-where-one-is-given",
                (("pos_weight = torch.ones_like(logits)", "pos_weight = torch.zeros_like(logits)"),),
                " where a pos_weight is given",
            ),
            ("", (), ", and without a pos_weight 2"),
        )
    ),
    *(
        Mistake(
            f"{id}-backwards",
            find=LOSSES,
            replace=by_hand(f"gradient * ({slope})"),
            says=f"Your values are right, but the gradient is {written}, {why}. It is "
            "(1 - y) * p - pos_weight * y * (1 - p).",
        )
        for id, slope, written, why in (
            (
                "log-factor-times-the-difference",
                "(1 + (pos_weight - 1) * target) * (p - target)",
                "(1 + (pos_weight - 1) * y) * (p - y)",
                "which is the same only where y is 0 or 1",
            ),
            (
                "pos-weight-on-the-target-alone",
                "p - pos_weight * target",
                "p - pos_weight * y",
                "without the pos_weight that multiplies y * p, too",
            ),
            (
                "pos-weight-on-the-probability-alone",
                "(1 + (pos_weight - 1) * target) * p - target",
                "(1 + (pos_weight - 1) * y) * p - y",
                "with the last y without pos_weight",
            ),
        )
    ),
]
