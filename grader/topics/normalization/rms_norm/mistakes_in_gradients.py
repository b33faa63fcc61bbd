"""Known wrong versions of `rms_norm` whose values are right and whose gradients are not."""

from grader.kit import Mistake
from grader.kit.families.norms.divided_by_the_weight import divided_by_the_weight

OF_X = "(scaled - normalized * (scaled * normalized).mean(-1, True)) / root"
OF_WEIGHT = "(gradient * normalized).flatten(0, -2).sum(0)"
RESULT = "        return (self.weight * normalized).to(x.dtype)"


def result_by_hand(of_x: str, of_weight: str) -> str:
    """The result with a backward pass of its own: expressions in the gradient of the result, which is called
    scaled where the weight is multiplied in.
    """
    return f"""\
        root = torch.sqrt(mean_square + self.eps)

        class ByHand(torch.autograd.Function):
            @staticmethod
            def forward(ctx, wide, weight):
                ctx.save_for_backward(normalized, root, weight)
                return weight * normalized

            @staticmethod
            def backward(ctx, gradient):
                normalized, root, weight = ctx.saved_tensors
                scaled = gradient * weight
                of_x = {of_x}
                gradient, normalized, root = gradient[None], normalized[None], root[None]
                return of_x, {of_weight}

        return ByHand.apply(wide, self.weight).to(x.dtype)"""


def by_hand(mistake_id: str, says: str, of_x: str = OF_X, of_weight: str = OF_WEIGHT) -> Mistake:
    """With these gradients."""
    return Mistake(mistake_id, find=RESULT, replace=result_by_hand(of_x, of_weight), says=says)


MISTAKES = [
    Mistake(
        "mean-square-detached",
        find="        mean_square = wide.square().mean(dim=-1, keepdim=True)",
        replace="        mean_square = wide.square().mean(dim=-1, keepdim=True).detach()",
        says="Your values are right, but the gradient of x lacks the part that flows through the mean "
        "square. It depends on x: it may not be cut off from the graph (detach, no_grad, .item()), and a "
        "backward by hand has a term for it.",
    ),
    # As they happen in a backward pass by hand
    by_hand(
        "sum-subtracted-backwards",
        "Your values are right, but the part of x's gradient that flows through the mean square is "
        "hidden_size times too large: for example with a sum over the features in your own backward. With y "
        "= x / rms and g the gradient of y it is (g - y * mean(g * y)) / rms.",
        of_x=OF_X.replace("mean(", "sum("),
    ),
    by_hand(
        "mean-added-backwards",
        "Your values are right, but the part of x's gradient that flows through the mean square has the "
        "wrong sign: a longer x makes the factor smaller. With y = x / rms and g the gradient of y it is "
        "(g - y * mean(g * y)) / rms.",
        of_x=OF_X.replace("scaled - ", "scaled + "),
    ),
    by_hand(
        "mean-before-the-weight",
        "In your gradient of x the mean that is subtracted is that of the incoming gradient as it is. "
        "Multiply it by the weight first, and take the mean of the product.",
        of_x=OF_X.replace("(scaled * normalized)", "(gradient * normalized)"),
    ),
    by_hand(
        "weight-left-out-backwards",
        "Your gradient of x lacks the weight. What reaches the normalized values is the incoming gradient "
        "times the weight.",
        of_x=OF_X.replace("scaled", "gradient"),
    ),
    by_hand(
        "weight-multiplied-last-backwards",
        "In your gradient of x the weight is multiplied in after the mean was subtracted. It comes first: "
        "the mean is that of the incoming gradient times the weight.",
        of_x=f"weight * {OF_X.replace('scaled', 'gradient')}",
    ),
    by_hand(
        "not-divided-backwards",
        "Your gradient of x is not divided by sqrt(mean_square + eps). x was, so its gradient is too.",
        of_x=OF_X.removesuffix(" / root"),
    ),
    by_hand(
        "multiplied-by-the-root-backwards",
        "You multiply the gradient of x by sqrt(mean_square + eps). x was divided by it, so its gradient is "
        "too.",
        of_x=OF_X.replace(" / root", " * root"),
    ),
    by_hand(
        "weight-from-what-is-not-divided",
        "Your gradient of the weight is the sum of gradient * x. The weight is multiplied by the normalized "
        "values: divide by sqrt(mean_square + eps).",
        of_weight="(gradient * normalized * root).flatten(0, -2).sum(0)",
    ),
    by_hand(
        "weight-averaged-backwards",
        "Your gradient of the weight is a mean over the vectors. Each adds its part: it is their sum.",
        of_weight=OF_WEIGHT.replace("sum(", "mean("),
    ),
    *divided_by_the_weight(RESULT, result_by_hand, OF_X, OF_WEIGHT, from_result="y / weight"),
]
