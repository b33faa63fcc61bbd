"""Known wrong versions of `bce`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "log-of-sigmoid",
        find="""\
    loss_if_1 = torch.maximum(-logits, zero) + log_part  # -log p
    loss_if_0 = torch.maximum(logits, zero) + log_part  # -log(1 - p)""",
        replace="""\
    p = torch.sigmoid(logits)
    loss_if_1 = -torch.log(p)
    loss_if_0 = -torch.log(1 - p)""",
        says="You take the logarithm of the sigmoid. Where it underflows to 0 or rounds to 1 that is log(0) "
        "= -inf, and 0 * inf is NaN. Compute -log p from the logit: max(-x, 0) + log1p(exp(-|x|)).",
    ),
    Mistake(
        "log-of-clamped-sigmoid",
        find="""\
    loss_if_1 = torch.maximum(-logits, zero) + log_part  # -log p
    loss_if_0 = torch.maximum(logits, zero) + log_part  # -log(1 - p)""",
        replace="""\
    p = torch.sigmoid(logits).clamp(1e-7, 1 - 1e-7)
    loss_if_1 = -torch.log(p)
    loss_if_0 = -torch.log(1 - p)""",
        says="You take the logarithm of a probability and keep it finite, by clamping the probability or by "
        "adding a small number to it. No loss can then exceed a certain size, and where the model is most "
        "wrong there is hardly a gradient. Compute -log p from the logit: max(-x, 0) + log1p(exp(-|x|)).",
    ),
    Mistake(
        "logarithm-clamped",
        find="""\
    loss_if_1 = torch.maximum(-logits, zero) + log_part  # -log p
    loss_if_0 = torch.maximum(logits, zero) + log_part  # -log(1 - p)""",
        replace="""\
    p = torch.sigmoid(logits)
    loss_if_1 = -torch.log(p).clamp(min=-100)
    loss_if_0 = -torch.log(1 - p).clamp(min=-100)""",
        says="You clamp the logarithm at -100, as F.binary_cross_entropy does. No loss can then exceed 100. "
        "Compute -log p from the logit: max(-x, 0) + log1p(exp(-|x|)).",
    ),
    Mistake(
        "exponential-overflows",
        find="""\
    loss_if_1 = torch.maximum(-logits, zero) + log_part  # -log p
    loss_if_0 = torch.maximum(logits, zero) + log_part  # -log(1 - p)""",
        replace="""\
    loss_if_1 = torch.log1p(torch.exp(-logits))
    loss_if_0 = torch.log1p(torch.exp(logits))""",
        says="An exponential overflows or a sigmoid underflows: for very negative logits (below -88 in "
        "float32) exp(-x) is inf, and the sigmoid is 0, whose logarithm is -inf; for large ones exp(x) is. "
        "Take the larger term out of the logarithm: log(1 + exp(-x)) = max(-x, 0) + log1p(exp(-|x|)).",
    ),
    Mistake(
        "where-over-an-overflow",
        find="""\
    loss_if_1 = torch.maximum(-logits, zero) + log_part  # -log p
    loss_if_0 = torch.maximum(logits, zero) + log_part  # -log(1 - p)""",
        replace="""\
    loss_if_1 = torch.where(-logits > 20, -logits, torch.log1p(torch.exp(-logits)))
    loss_if_0 = torch.where(logits > 20, logits, torch.log1p(torch.exp(logits)))""",
        says="Your values are right, but where() computes both sides, and the gradient of the side that it "
        "does not take is 0 times inf = NaN once exp overflows. Let exp see only what is not positive: "
        "exp(-|x|).",
    ),
    Mistake(
        "absolute-value-forgotten",
        find="torch.exp(-logits.abs())",
        replace="torch.exp(-logits)",
        says="You take the maximum out of the logarithm, but leave exp(-x) inside where exp(-|x|) belongs: "
        "too large for every negative logit, and inf for very negative ones.",
    ),
    Mistake(
        "gradient-at-zero-from-clamp",
        find="""\
    loss_if_1 = torch.maximum(-logits, zero) + log_part  # -log p
    loss_if_0 = torch.maximum(logits, zero) + log_part  # -log(1 - p)""",
        replace="""\
    loss_if_1 = (-logits).clamp(min=0) + log_part
    loss_if_0 = logits.clamp(min=0) + log_part""",
        says="Your values are right, but not the gradient at a logit of exactly 0: your maxima (by "
        "clamp(min=0), or by where with >=) pass all of it there and |x| none, which gives 1 - 2 y "
        "instead of 0.5 - y. torch.maximum(x, zeros) gives half at a tie, as it should.",
    ),
    Mistake(
        "gradient-at-zero-from-relu",
        find="""\
    loss_if_1 = torch.maximum(-logits, zero) + log_part  # -log p
    loss_if_0 = torch.maximum(logits, zero) + log_part  # -log(1 - p)""",
        replace="""\
    loss_if_1 = torch.relu(-logits) + log_part
    loss_if_0 = torch.relu(logits) + log_part""",
        says="Your values are right, but not the gradient at a logit of exactly 0: that of your maxima (by "
        "relu, or by where with >) and of |x| is 0 there, and it should be 0.5 - y. torch.maximum(x, "
        "zeros) gives half at a tie, as it should.",
    ),
    Mistake(
        "gradient-at-zero-all-to-the-maximum",
        find="    loss_if_0 = torch.maximum(logits, zero) + log_part  # -log(1 - p)",
        replace="""\
    loss_if_1 = torch.relu(-logits) + log_part
    loss_if_0 = logits + loss_if_1""",
        says="Your values are right, but the gradient at a logit of exactly 0 is 1 - y instead of 0.5 - y "
        "(without pos_weight). |x| passes no gradient there, and your maximum passes all of x's (as clamp(x, "
        "min=0) does) or none of -x's (as relu(-x) does). torch.maximum(x, zeros) gives half at a tie, as it "
        "should.",
    ),
    Mistake(
        "gradient-at-zero-none-to-the-maximum",
        find="    loss_if_0 = torch.maximum(logits, zero) + log_part  # -log(1 - p)",
        replace="""\
    loss_if_1 = (-logits).clamp(min=0) + log_part
    loss_if_0 = logits + loss_if_1""",
        says="Your values are right, but the gradient at a logit of exactly 0 is -y instead of 0.5 - y "
        "(without pos_weight). |x| passes no gradient there, and your maximum passes none of x's (as relu(x) "
        "does) or all of -x's (as clamp(-x, min=0) does). torch.maximum(x, zeros) gives half at a tie, as it "
        "should.",
    ),
    Mistake(
        "pos-weight-on-the-negatives",
        find="pos_weight * target * loss_if_1 + (1 - target) * loss_if_0",
        replace="target * loss_if_1 + pos_weight * (1 - target) * loss_if_0",
        says="You multiply the wrong term: pos_weight belongs to the positive part, y * -log p, and not to "
        "(1 - y) * -log(1 - p).",
    ),
    Mistake(
        "log-factor-without-the-maximum",
        find="pos_weight * target * loss_if_1 + (1 - target) * loss_if_0",
        replace="""(
        (1 - target) * logits
        + torch.maximum(-logits, zero)
        + (1 + (pos_weight - 1) * target) * log_part
    )""",
        says="In (1 - y) * x + factor * log(1 + exp(-x)) your factor, 1 + (pos_weight - 1) * y, multiplies "
        "log1p(exp(-|x|)) only. The maximum that you took out of the logarithm belongs inside too: factor * "
        "(max(-x, 0) + log1p(exp(-|x|))).",
    ),
    Mistake(
        "log-factor-of-the-negatives",
        find="pos_weight * target * loss_if_1 + (1 - target) * loss_if_0",
        replace="(1 - target) * logits + (1 + (pos_weight - 1) * (1 - target)) * loss_if_1",
        says="In (1 - y) * x + factor * log(1 + exp(-x)) your factor is that of the negatives. It is 1 + "
        "(pos_weight - 1) * y: pos_weight belongs to the positive part, y * -log p.",
    ),
    Mistake(
        "log-factor-without-the-target",
        find="pos_weight * target * loss_if_1 + (1 - target) * loss_if_0",
        replace="(1 - target) * logits + pos_weight * loss_if_1",
        says="In (1 - y) * x + factor * log(1 + exp(-x)) your factor is pos_weight for every target. It is "
        "1 + (pos_weight - 1) * y, as the logarithm stands in -log p and in -log(1 - p).",
    ),
    Mistake(
        "pos-weight-on-both-terms",
        find="pos_weight * target * loss_if_1 + (1 - target) * loss_if_0",
        replace="pos_weight * (target * loss_if_1 + (1 - target) * loss_if_0)",
        says="You multiply the whole loss by pos_weight, which leaves positives and negatives as they were "
        "to each other. It belongs to the positive part alone: pos_weight * y * -log p.",
    ),
    Mistake(
        "pos-weight-ignored",
        find="pos_weight * target * loss_if_1",
        replace="target * loss_if_1",
        says="Your loss does not depend on pos_weight. It multiplies the positive part: pos_weight * y * "
        "-log p.",
    ),
    Mistake(
        "pos-weight-only-for-hard-targets",
        find="pos_weight * target * loss_if_1 + (1 - target) * loss_if_0",
        replace="torch.where(target == 1, pos_weight, 1.0) * (target * loss_if_1 + (1 - target) * loss_if_0)",
        says="You apply pos_weight only where the target is exactly 1. A target of 0.7 is 0.7 positive: "
        "pos_weight * y * -log p + (1 - y) * -log(1 - p).",
    ),
    Mistake(
        "pos-weight-on-the-whole-loss",
        find="pos_weight * target * loss_if_1 + (1 - target) * loss_if_0",
        replace="(1 + (pos_weight - 1) * target) * (target * loss_if_1 + (1 - target) * loss_if_0)",
        says="You multiply the whole loss of an element by 1 + (pos_weight - 1) * y, so between 0 and 1 the "
        "negative part is weighted too. Only -log p may be: pos_weight * y * -log p + (1 - y) * -log(1 - p). "
        "In (1 - y) * x + factor * log(1 + exp(-x)) that is the factor of the logarithm alone.",
    ),
    Mistake(
        "pos-weight-above-a-half",
        find="pos_weight * target * loss_if_1 + (1 - target) * loss_if_0",
        replace="torch.where(target > 0.5, pos_weight, 1) * (target * loss_if_1 + (1 - target) * loss_if_0)",
        says="You take a target above 0.5 for positive and multiply its whole loss by pos_weight. A target "
        "of 0.7 is 0.7 positive: pos_weight * y * -log p + (1 - y) * -log(1 - p).",
    ),
    Mistake(
        "mean-divided-by-the-weights",
        find="else losses.mean()",
        replace="else losses.sum() / (pos_weight * target + 1 - target).sum()",
        says="You divide by the sum of the weights, as F.cross_entropy does. This mean is plain: divide by "
        "the number of elements, with pos_weight too.",
    ),
    Mistake(
        "mean-divided-by-the-pos-weights",
        find="else losses.mean()",
        replace="else losses.sum() / pos_weight.sum()",
        says="You divide by the sum of pos_weight. This mean is plain: divide by the number of elements, "
        "with pos_weight too.",
    ),
    Mistake(
        "mean-over-the-first-dimension",
        find="else losses.mean()",
        replace="else losses.sum() / len(losses)",
        says="You divide by the size of the first dimension only. The mean is over all elements: "
        "losses.mean().",
    ),
    Mistake(
        "targets-rounded",
        find="    losses = pos_weight",
        replace="    target = (target > 0.5).to(logits.dtype)\n    losses = pos_weight",
        says="You treat targets as 0 or 1. They may lie between: y weighs -log p and 1 - y weighs -log(1 - "
        "p).",
    ),
    *(
        Mistake(
            name,
            find="    losses = pos_weight",
            replace=f"    target = (target {positive}).to(logits.dtype)\n    losses = pos_weight",
            says=f"You treat every target {instead} (by a comparison, or by a cast of the targets). They may "
            "lie between: y weighs -log p, and 1 - y weighs -log(1 - p).",
        )
        for name, positive, instead in [
            ("targets-below-one-taken-for-zero", "== 1", "below 1 as 0"),
            ("targets-above-zero-taken-for-one", "> 0", "above 0 as 1"),
        ]
    ),
    Mistake(
        "targets-swapped",
        find="pos_weight * target * loss_if_1 + (1 - target) * loss_if_0",
        replace="pos_weight * target * loss_if_0 + (1 - target) * loss_if_1",
        says="Your two terms are swapped: a target of 1 is charged -log(1 - p). It is y * -log p + (1 - y) "
        "* -log(1 - p).",
    ),
    Mistake(
        "negatives-left-out",
        find="pos_weight * target * loss_if_1 + (1 - target) * loss_if_0",
        replace="pos_weight * target * loss_if_1",
        says="Your loss has the positive part only, and is smallest if the answer is always yes. Add (1 - "
        "y) * -log(1 - p).",
    ),
    Mistake(
        "sigmoid-twice",
        find="    zero = torch.zeros_like(logits)",
        replace="    logits = torch.sigmoid(logits)\n    zero = torch.zeros_like(logits)",
        says="You apply a sigmoid before a formula that contains one already. The stable form works on the "
        "logits as they come.",
    ),
    Mistake(
        "log-part-detached",
        find="torch.log1p(torch.exp(-logits.abs()))",
        replace="torch.log1p(torch.exp(-logits.abs())).detach()",
        says="Your values are right, but the gradient is that of the maximum alone: the logarithm is "
        "detached, for example. It depends on the logits too.",
    ),
    Mistake(
        "target-overwritten",
        find="pos_weight * target * loss_if_1",
        replace="target.mul_(pos_weight) * loss_if_1",
        says="You multiply the caller's target in place; what you compute from it afterwards is wrong too. "
        "Make a new tensor: pos_weight * target.",
    ),
    Mistake(
        "unknown-reduction-accepted",
        find="""\
    if reduction not in ("none", "sum", "mean"):
        raise ValueError(f"unknown reduction {reduction!r}")
""",
        replace="",
        says="You accept any word for reduction and treat it as one of the three, so a misspelt one goes "
        'unnoticed. Raise a ValueError unless it is "none", "sum" or "mean".',
    ),
]
