"""Known wrong versions of `layer_norm`: what eps is added to, what is divided, backward passes by hand."""

from grader.kit import Mistake
from grader.kit.families.norms.divided_by_the_weight import divided_by_the_weight

VARIANCE = "        variance = centered.square().mean(dim=-1, keepdim=True)"
NORMALIZED = "        normalized = centered / torch.sqrt(variance + self.eps)"
RESULT = "        return self.weight * normalized + self.bias"
SIGNATURE = "def __init__(self, hidden_size: int, eps: float = 1e-5)"

OF_X = "(scaled - scaled.mean(-1, True) - normalized * (scaled * normalized).mean(-1, True)) / root"
OF_WEIGHT = "(gradient * normalized).flatten(0, -2).sum(0)"


def by_hand(of_x: str = OF_X, of_weight: str = OF_WEIGHT) -> str:
    """The result with a backward pass of its own: expressions in the gradient of the result, which is called
    scaled where the weight is multiplied in.
    """
    return f"""\
        root = torch.sqrt(variance + self.eps)

        class ByHand(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, weight, bias):
                ctx.save_for_backward(normalized, root, weight)
                return weight * normalized + bias

            @staticmethod
            def backward(ctx, gradient):
                normalized, root, weight = ctx.saved_tensors
                scaled = gradient * weight
                of_x = {of_x}
                gradient, normalized = gradient[None], normalized[None]
                return of_x, {of_weight}, gradient.flatten(0, -2).sum(0)

        return ByHand.apply(x, self.weight, self.bias)"""


MISTAKES = [
    Mistake(
        "eps-added-to-the-sum",
        find=VARIANCE,
        replace="        squares = centered.square().sum(dim=-1, keepdim=True)",
        also=(
            (
                NORMALIZED,
                "        normalized = centered * x.shape[-1] ** 0.5 / torch.sqrt(squares + self.eps)",
            ),
        ),
        says="You add eps to the sum of squares, before it is divided by hidden_size, so eps counts "
        "hidden_size times too little. It is added to the variance, which is the mean of the squares.",
    ),
    Mistake(
        "eps-squared",
        find=NORMALIZED,
        replace=NORMALIZED.replace("self.eps", "self.eps**2"),
        says="You add the square of eps to the variance. It is eps itself.",
    ),
    Mistake(
        "eps-added-inside-and-outside",
        find=NORMALIZED,
        replace="        normalized = centered / (torch.sqrt(variance + self.eps) + self.eps)",
        says="You add eps twice: to the variance, and to its root as well. It belongs to the variance alone.",
    ),
    Mistake(
        "eps-as-a-floor-of-std",
        find=NORMALIZED,
        replace="        normalized = centered / torch.sqrt(variance).clamp(min=self.eps)",
        says="You use eps as a lower bound of the standard deviation. It is added to the variance, always: "
        "sqrt(variance + eps).",
    ),
    *(
        Mistake(
            f"eps-of-{eps}",
            find=SIGNATURE,
            replace=SIGNATURE.replace("1e-5", eps),
            says=f"Your eps is {eps} if nothing is said. Its default is 1e-5.",
        )
        for eps in ("1e-3", "1e-6", "1e-8", "1e-12")
    ),
    Mistake(
        "unbiased-variance-and-eps",
        find=VARIANCE,
        replace="        variance = x.var(dim=-1, keepdim=True)",
        also=((NORMALIZED, "        normalized = centered / (torch.sqrt(variance) + self.eps)"),),
        says="You take the root of the unbiased variance and then add eps: wrong twice. Layer norm divides "
        "the sum of squares by hidden_size, and eps is added to the variance, inside the root.",
    ),
    Mistake(
        "variance-around-zero",
        find=VARIANCE,
        replace="        variance = x.square().mean(dim=-1, keepdim=True)",
        says="You subtract the mean, but what you divide by is the mean square of x as it came. The variance "
        "is the mean square of what the mean has been taken away from.",
    ),
    Mistake(
        "mean-absolute-deviation",
        find=NORMALIZED,
        replace="        normalized = centered / (centered.abs().mean(dim=-1, keepdim=True) + self.eps)",
        says="You divide by the mean of the absolute deviations. The standard deviation is the root of the "
        "mean of their squares.",
    ),
    Mistake(
        "mean-subtracted-behind-the-division",
        find=NORMALIZED,
        replace="        normalized = x / torch.sqrt(variance + self.eps) - mean",
        says="You divide first and subtract the mean then (without brackets, for example), which is no "
        "longer the mean of what it is taken from: (x - mean) / sqrt(variance + eps).",
    ),
    Mistake(
        "weight-around-one",
        find=RESULT,
        replace="        return (1 + self.weight) * normalized + self.bias",
        says="You scale by 1 + weight. It is the weight itself, which starts at ones.",
    ),
    Mistake(
        "weight-twice",
        find=RESULT,
        replace="        return self.weight * (self.weight * normalized) + self.bias",
        says="You scale by the weight twice. Once is asked for, and then the bias is added.",
    ),
    Mistake(
        "bias-subtracted",
        find=RESULT,
        replace="        return self.weight * normalized - self.bias",
        says="You subtract the bias. It is added.",
    ),
    Mistake(
        "bias-added-before-the-division",
        find=NORMALIZED,
        replace="        normalized = (centered + self.bias) / torch.sqrt(variance + self.eps)",
        also=((RESULT, "        return self.weight * normalized"),),
        says="You add the bias before you divide by the standard deviation. It comes last: weight * "
        "normalized + bias.",
    ),
    Mistake(
        "result-in-float64",
        find=RESULT,
        replace="        return (self.weight * normalized + self.bias).double()",
        says="Your result is float64 whatever came. It has the dtype of x.",
    ),
    Mistake(
        "result-in-float32",
        find=RESULT,
        replace="        return (self.weight * normalized + self.bias).float()",
        says="Your result is float32 whatever came. It has the dtype of x.",
    ),
    # Backward passes by hand
    Mistake(
        "means-before-the-weight",
        find=RESULT,
        replace=by_hand(
            "(scaled - gradient.mean(-1, True) - normalized * (gradient * normalized).mean(-1, True)) / root"
        ),
        says="In your backward pass the two means that are subtracted are those of the incoming gradient as "
        "it is. Multiply it by the weight first, and take the means of the product.",
    ),
    *(
        Mistake(
            f"{which}-mean-before-the-weight",
            find=RESULT,
            replace=by_hand(OF_X.replace(weighted, unweighted)),
            says=f"In your backward pass one of the two means that are subtracted, {words}, is taken of the "
            "incoming gradient as it is. Multiply it by the weight first, and take both means of the "
            "product.",
        )
        for which, weighted, unweighted, words in (
            ("first", "scaled.mean(-1, True)", "gradient.mean(-1, True)", "that of the gradient itself"),
            (
                "second",
                "(scaled * normalized)",
                "(gradient * normalized)",
                "that of the gradient times the normalized values",
            ),
        )
    ),
    Mistake(
        "weight-left-out-backwards",
        find=RESULT,
        replace=by_hand(OF_X.replace("scaled", "gradient")),
        says="Your gradient of x lacks the weight. What reaches the normalized values is the incoming "
        "gradient times the weight.",
    ),
    Mistake(
        "weight-multiplied-last-backwards",
        find=RESULT,
        replace=by_hand(f"weight * {OF_X.replace('scaled', 'gradient')}"),
        says="In your backward pass the weight is multiplied in after the means were subtracted. It comes "
        "first: the means are those of the incoming gradient times the weight.",
    ),
    Mistake(
        "sums-subtracted-backwards",
        find=RESULT,
        replace=by_hand(OF_X.replace("mean(", "sum(")),
        says="In your gradient of x sums over the features are subtracted. They are means: divide by "
        "hidden_size.",
    ),
    Mistake(
        "not-divided-backwards",
        find=RESULT,
        replace=by_hand(OF_X.removesuffix(" / root")),
        says="Your gradient of x is not divided by sqrt(variance + eps). x was, so its gradient is too.",
    ),
    Mistake(
        "multiplied-by-the-root-backwards",
        find=RESULT,
        replace=by_hand(OF_X.replace(" / root", " * root")),
        says="You multiply the gradient of x by sqrt(variance + eps). x was divided by it, so its gradient "
        "is too.",
    ),
    Mistake(
        "weight-from-what-is-not-divided",
        find=RESULT,
        replace=by_hand(of_weight="(gradient * normalized * root).flatten(0, -2).sum(0)"),
        says="Your gradient of the weight is the sum of gradient * (x - mean). The weight is multiplied by "
        "the normalized values: divide by sqrt(variance + eps).",
    ),
    Mistake(
        "weight-averaged-backwards",
        find=RESULT,
        replace=by_hand(of_weight=OF_WEIGHT.replace("sum(", "mean(")),
        says="Your gradient of the weight is a mean over the vectors. Each of them adds its part: it is "
        "their sum.",
    ),
    Mistake(
        "statistics-without-their-dimension",
        find="        mean = x.mean(dim=-1, keepdim=True)",
        replace="        mean = x.mean(dim=-1)",
        says="Your mean or your variance has lost its last dimension, so that it meets another one of x. "
        "Keep it, keepdim=True: (..., 1) broadcasts over the features.",
    ),
    *divided_by_the_weight(RESULT, by_hand, OF_X, OF_WEIGHT),
]
