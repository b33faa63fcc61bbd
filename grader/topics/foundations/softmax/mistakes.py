"""Known wrong versions of `softmax`."""

import math

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "no-max-subtracted",
        find="    exps = torch.exp(x - largest)",
        replace="    exps = torch.exp(x)",
        says="You exponentiate the logits as they are: exp overflows to inf above 88.7 in float32 and 709 in"
        " float64, and inf / inf is NaN. Subtract each slice's maximum first: it cancels in the "
        "quotient, and the largest exponent is then 0.",
    ),
    Mistake(
        "log-no-max-subtracted",
        find="    shifted = x - x.amax(dim=dim, keepdim=True)",
        replace="    shifted = x",
        says="Your log_softmax exponentiates the logits as they are: the sum overflows to inf for large "
        "ones, and for very negative ones it is 0, whose logarithm is -inf. Subtract each slice's "
        "maximum first: log_softmax does not change when a constant is added to a slice.",
    ),
    Mistake(
        "logarithm-forgotten",
        find="sum(dim=dim, keepdim=True).log()",
        replace="sum(dim=dim, keepdim=True)",
        says="Your log_softmax subtracts the sum of the exponentials. The logarithm of a quotient is a "
        "difference of logarithms: subtract the logarithm of the sum.",
    ),
    Mistake(
        "max-of-everything",
        find="    largest = x.amax(dim=dim, keepdim=True)",
        replace="    largest = x.max()",
        says="You subtract the maximum of the whole tensor. A slice that lies far below it underflows: all"
        " its exponentials are 0, and 0 / 0 is NaN. Take the maximum of each slice: x.amax(dim=dim, "
        "keepdim=True).",
    ),
    Mistake(
        "keepdim-forgotten",
        find="""\
    largest = x.amax(dim=dim, keepdim=True)
    exps = torch.exp(x - largest)
    total = exps.sum(dim=dim, keepdim=True)""",
        replace="""\
    largest = x.amax(dim=dim)
    exps = torch.exp(x - largest)
    total = exps.sum(dim=dim)""",
        says="You reduce without keepdim, so maximum and sum have one dimension less and broadcast against"
        " the wrong one: an error for most shapes, silently wrong values for square ones. Pass "
        "keepdim=True, so that each maximum and each sum stays beside its own slice.",
    ),
    Mistake(
        "dim-ignored",
        find="    largest = x.amax(dim=dim, keepdim=True)",
        replace="""\
    dim = -1
    largest = x.amax(dim=dim, keepdim=True)""",
        says="Your softmax runs along the last dimension whatever dim says, so the probabilities do not "
        "sum to 1 along dim. Maximum and sum have to be taken along the dim that was asked for.",
    ),
    Mistake(
        "sum-of-everything",
        find="""\
    largest = x.amax(dim=dim, keepdim=True)
    exps = torch.exp(x - largest)
    total = exps.sum(dim=dim, keepdim=True)""",
        replace="""\
    largest = x.max()
    exps = torch.exp(x - largest)
    total = exps.sum()""",
        says="You take maximum and sum over the whole tensor, so all slices together sum to 1 instead of "
        "each. Reduce along dim with keepdim=True: every slice is a distribution of its own.",
    ),
    Mistake(
        "sum-of-all-slices",
        find="    total = exps.sum(dim=dim, keepdim=True)",
        replace="    total = exps.sum()",
        says="You divide by the sum over the whole tensor, so all slices together sum to 1 instead of each. "
        "Sum along dim with keepdim=True: every slice is a distribution of its own.",
    ),
    Mistake(
        "logits-clipped",
        find="    exps = torch.exp(x - largest)",
        replace="    exps = torch.exp(x.clamp(-50, 50))",
        says="You clip the logits so that exp does not overflow. All logits above the bound then get the "
        "same probability and those clipped get no gradient. Subtract the slice's maximum instead: "
        "that changes nothing, because a common factor cancels.",
    ),
    Mistake(
        "sum-detached",
        find="    total = exps.sum(dim=dim, keepdim=True)",
        replace="    total = exps.sum(dim=dim, keepdim=True).detach()",
        says="Your values are right, but the sum is cut off from the graph, so the gradient lacks the part"
        " that lowers all other probabilities when one logit grows. Only the maximum may be detached,"
        " because it cancels; the sum may not.",
    ),
    Mistake(
        "sum-and-maximum-detached",
        find="    exps = torch.exp(x - largest)",
        replace="    exps = torch.exp(x - largest.detach())",
        also=(
            (
                "    total = exps.sum(dim=dim, keepdim=True)",
                "    total = exps.sum(dim=dim, keepdim=True).detach()",
            ),
        ),
        says="The values of your softmax are right, but its gradient is p * upstream: it lacks the part that "
        "lowers all other probabilities when one logit grows, - p * sum(p * upstream). The sum is detached, "
        "for example: only the maximum may be, because it cancels.",
    ),
    Mistake(
        "input-modified",
        find="    exps = torch.exp(x - largest)",
        replace="    exps = torch.exp(x.sub_(largest))",
        says="You subtract the maximum in place, so the caller's logits are changed (and a leaf that "
        "requires a gradient raises). Make a new tensor: x - largest.",
    ),
    Mistake(
        "input-modified-behind-a-cast",
        find="    exps = torch.exp(x - largest)",
        replace="    exps = torch.exp(x.to(torch.float64).sub_(largest)).to(x.dtype)",
        also=(
            (
                "    shifted = x - x.amax(dim=dim, keepdim=True)",
                "    shifted = x.to(torch.float64).sub_(x.amax(dim=dim, keepdim=True)).to(x.dtype)",
            ),
        ),
        says="You subtract in place from x.to(torch.float64). Of logits that are float64 already that is x "
        "itself and no copy: the caller's logits are changed, and a leaf that requires a gradient raises. "
        "Make a new tensor: x - largest.",
    ),
    Mistake(
        "log-of-softmax",
        find="    return shifted - log_total",
        replace="    return torch.log(softmax(x, dim))",
        says="You take the logarithm of the softmax. A probability that underflows to 0 gives log(0) = "
        "-inf and a NaN gradient, although the true log-probability is an ordinary number such as "
        "-2e4. Work with logarithms throughout: shifted - log(sum(exp(shifted))).",
    ),
    *(
        Mistake(
            f"log-of-softmax-plus-{epsilon}",
            find="    return shifted - log_total",
            replace=f"    return torch.log(softmax(x, dim) + {epsilon})",
            says="You keep the probability from 0 before the logarithm, with a small number (added, or as a "
            "lower bound). No log-probability can then fall below "
            f"log({epsilon}) = {math.log(float(epsilon)):.1f}, and there is hardly a gradient, or none, "
            "where the model is most wrong. shifted - log(sum(exp(shifted))) needs no such number, because "
            "the sum is at least 1.",
        )
        for epsilon in ("1e-8", "1e-9", "1e-10", "1e-12")
    ),
    Mistake(
        "log-forgets-the-shift",
        find="    return shifted - log_total",
        replace="    return x - log_total",
        says="You subtract log(sum(exp(x - max))) from x itself, which is off by the maximum. Either start"
        " from the shifted logits, or add the maximum back: logsumexp(x) = max + log(sum(exp(x - "
        "max))).",
    ),
    Mistake(
        "max-of-absolute-values",
        find="    largest = x.amax(dim=dim, keepdim=True)",
        replace="    largest = x.abs().amax(dim=dim, keepdim=True)",
        says="You subtract the largest absolute value. Where all logits are very negative the exponents "
        "are twice as negative still, all exponentials underflow to 0, and 0 / 0 is NaN (with a -inf "
        "among the logits even |-inf| = inf is subtracted). Subtract the maximum itself, so that the "
        "largest exponent is exactly 0.",
    ),
    Mistake(
        "sum-without-keepdim",
        find="    total = exps.sum(dim=dim, keepdim=True)",
        replace="    total = exps.sum(dim=dim)",
        says="You sum without keepdim, so the sums have one dimension less and broadcast against the wrong "
        "one: an error for most shapes, silently wrong values for square ones. With keepdim=True each sum "
        "stays beside its own slice.",
    ),
    Mistake(
        "log-dim-ignored",
        find="    shifted = x - x.amax(dim=dim, keepdim=True)",
        replace="""\
    dim = -1
    shifted = x - x.amax(dim=dim, keepdim=True)""",
        says="Your log_softmax runs along the last dimension whatever dim says. Maximum and sum have to be "
        "taken along the dim that was asked for.",
    ),
    Mistake(
        "log-sum-along-the-last-dimension",
        find="    log_total = torch.exp(shifted).sum(dim=dim, keepdim=True).log()",
        replace="    log_total = torch.exp(shifted).sum(dim=-1, keepdim=True).log()",
        says="Your log_softmax takes the maximum along dim, but sums along the last dimension, whatever dim "
        "says. Both have to be taken along the dim that was asked for.",
    ),
    Mistake(
        "sum-along-the-last-dimension",
        find="    total = exps.sum(dim=dim, keepdim=True)",
        replace="    total = exps.sum(dim=-1, keepdim=True)",
        says="Your softmax takes the maximum along dim, but sums along the last dimension, whatever dim "
        "says, so the probabilities do not sum to 1 along dim. Both have to be taken along the dim that was "
        "asked for.",
    ),
    *(
        Mistake(
            name,
            find=right,
            replace=right.replace("dim=dim", "dim=-1"),
            says=f"Your {function} sums along dim, but subtracts the maximum along the last dimension, "
            "whatever dim says: within a slice something else is subtracted from each logit, which "
            "does not cancel.",
        )
        for name, right, function in [
            ("max-along-the-last-dimension", "    largest = x.amax(dim=dim, keepdim=True)", "softmax"),
            (
                "log-max-along-the-last-dimension",
                "    shifted = x - x.amax(dim=dim, keepdim=True)",
                "log_softmax",
            ),
        ]
    ),
    Mistake(
        "log-max-of-everything",
        find="    shifted = x - x.amax(dim=dim, keepdim=True)",
        replace="    shifted = x - x.max()",
        says="Your log_softmax subtracts the maximum of the whole tensor. A slice that lies far below it "
        "underflows: all its exponentials are 0, and the logarithm of their sum is -inf. Take the maximum of "
        "each slice: x.amax(dim=dim, keepdim=True).",
    ),
    Mistake(
        "log-sum-and-maximum-detached",
        find="    shifted = x - x.amax(dim=dim, keepdim=True)",
        replace="    shifted = x - x.amax(dim=dim, keepdim=True).detach()",
        also=(
            (
                "    log_total = torch.exp(shifted).sum(dim=dim, keepdim=True).log()",
                "    log_total = torch.exp(shifted).sum(dim=dim, keepdim=True).log().detach()",
            ),
        ),
        says="The values of your log_softmax are right, but the upstream gradient passes unchanged: it lacks "
        "the part - p * sum(upstream). The logarithm of the sum is detached, for example: only the maximum "
        "may be.",
    ),
    Mistake(
        "log-sum-detached",
        find="    log_total = torch.exp(shifted).sum(dim=dim, keepdim=True).log()",
        replace="    log_total = torch.exp(shifted).sum(dim=dim, keepdim=True).log().detach()",
        says="The values of your log_softmax are right, but the logarithm of the sum is cut off from the "
        "graph, so the gradient lacks the part - p * sum(upstream). Only the maximum may be detached.",
    ),
    Mistake(
        "minus-infinity-replaced",
        find="    shifted = x - x.amax(dim=dim, keepdim=True)",
        replace="""\
    x = x.clamp(min=-1e9)
    shifted = x - x.amax(dim=dim, keepdim=True)""",
        says="You replace -inf by -1e9, and so it comes out of log_softmax. exp(-inf) is exactly 0, and an "
        "entry of -inf gives -inf: with the largest logit of the slice finite, nothing has to be replaced.",
    ),
    Mistake(
        "float32-inside",
        find="    largest = x.amax(dim=dim, keepdim=True)",
        replace="""\
    if x.dtype == torch.float64:
        return softmax(x.float(), dim).double()
    largest = x.amax(dim=dim, keepdim=True)""",
        says="You compute in float32 and convert the result back, so a float64 x keeps seven digits only: "
        "of a logit near 1e4, about three after the point. Compute in the dtype of x.",
    ),
    Mistake(
        "log-float32-inside",
        find="    shifted = x - x.amax(dim=dim, keepdim=True)",
        replace="""\
    if x.dtype == torch.float64:
        return log_softmax(x.float(), dim).double()
    shifted = x - x.amax(dim=dim, keepdim=True)""",
        says="Your log_softmax computes in float32 and converts the result back, so a float64 x keeps seven "
        "digits only: of a logit near 1e4, about three after the point. Compute in the dtype of x.",
    ),
    Mistake(
        "mean-subtracted",
        find="""\
    largest = x.amax(dim=dim, keepdim=True)
    exps""",
        replace="""\
    largest = x.mean(dim=dim, keepdim=True)
    exps""",
        says="You subtract the mean. The largest logit may still be far above it, so exp overflows, and with "
        "a logit of -inf the mean is -inf. Subtract the maximum.",
    ),
    Mistake(
        "smallest-subtracted",
        find="""\
    largest = x.amax(dim=dim, keepdim=True)
    exps""",
        replace="""\
    largest = x.amin(dim=dim, keepdim=True)
    exps""",
        says="You subtract the minimum, so exp overflows where logits are far apart. Subtract the maximum.",
    ),
]
