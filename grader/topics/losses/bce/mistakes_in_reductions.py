"""Known wrong versions of `bce`: what counts as a reduction, its gradient, weights written to."""

from grader.kit import Mistake

_REFUSED = 'if reduction not in ("none", "sum", "mean"):'
_ZERO = "    zero = torch.zeros_like(logits)\n"
_REDUCED = 'return losses.sum() if reduction == "sum" else losses.mean()'

MISTAKES = [
    Mistake(
        "parts-of-a-reduction-accepted",
        find=_REFUSED,
        replace='if reduction not in "none, sum, mean":',
        says='You accept parts of the names: "" and "me" are `in` a string such as "none, sum, mean". Ask '
        'whether the name is in a tuple or a set, ("none", "sum", "mean"), and raise a ValueError if not.',
    ),
    Mistake(
        "empty-reduction-accepted",
        find=_REFUSED,
        replace='if reduction not in ("none", "sum", "mean", ""):',
        says='You accept "" as a reduction. It is none of "none", "sum" and "mean": raise a ValueError. (A '
        "condition such as `if reduction and …` lets it pass, for example.)",
    ),
    Mistake(
        "reduction-in-capitals-accepted",
        find=_REFUSED,
        replace='if reduction.lower() not in ("none", "sum", "mean"):',
        says='You accept the names of the reductions in capitals, "Mean" for example. Only "none", "sum" and '
        '"mean" as they stand are reductions. Anything else raises a ValueError.',
    ),
    Mistake(
        "upstream-of-mean-and-sum-taken-as-one",
        find=_REDUCED,
        replace=f"""\
    class Reduced(torch.autograd.Function):
        @staticmethod
        def forward(ctx, losses):
            ctx.share = torch.ones_like(losses) / (1 if reduction == "sum" else losses.numel())
            {_REDUCED}

        @staticmethod
        def backward(ctx, gradient):
            return ctx.share

    return Reduced.apply(losses)""".lstrip(),
        says="Your values are right, but the backward pass of the mean and of the sum takes the gradient "
        "that comes in to be 1. In (3 * loss).backward() it is 3: multiply by it.",
    ),
    Mistake(
        "weights-overwritten-where-of-full-shape",
        find=_ZERO,
        replace="""\
    factor = pos_weight.expand_as(logits).contiguous()
    pos_weight = factor.clone()
    factor.sub_(1).mul_(target)
"""
        + _ZERO,
        says="Your losses are right, but a pos_weight of the shape of the logits, one for each element, is "
        "overwritten: expand, contiguous() and to() then give the caller's own tensor. Make a new one, "
        "(pos_weight - 1) * target.",
    ),
]
