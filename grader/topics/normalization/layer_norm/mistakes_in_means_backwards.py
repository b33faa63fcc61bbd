"""Known wrong versions of `layer_norm`: what backward passes by hand sum up and divide by."""

from grader.kit import Mistake

RESULT = "        return self.weight * normalized + self.bias"
OF_X = "(scaled - mean_of(scaled) - normalized * mean_of(scaled * normalized)) / root"


def by_hand(of_x: str = OF_X, of_weight: str = "gradient", of_bias: str = "gradient") -> str:
    """The result with a backward pass of its own: of x an expression, of weight and bias what is summed, the
    gradient of the result, which is called scaled where the weight is multiplied in.
    """
    return f"""\
        root = torch.sqrt(variance + self.eps)

        def mean_of(values):
            return values.mean(-1, keepdim=True)

        class ByHand(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, weight, bias):
                ctx.save_for_backward(normalized, root, weight)
                return weight * normalized + bias

            @staticmethod
            def backward(ctx, gradient):
                normalized, root, weight = ctx.saved_tensors
                scaled, hidden = gradient * weight, len(weight)
                of_x = {of_x}
                of_weight = ({of_weight} * normalized).reshape(-1, hidden).sum(0)
                return of_x, of_weight, {of_bias}.reshape(-1, hidden).sum(0)

        return ByHand.apply(x, self.weight, self.bias)"""


MISTAKES = [
    *(
        Mistake(
            id,
            find=RESULT,
            replace=by_hand(OF_X.replace("mean_of(", f"hidden / ({count}) * mean_of(")),
            says=f"In your backward pass the sums over a vector's features are divided by {words}. They are "
            "means over the features: divide by hidden_size.",
        )
        for id, count, words in (
            ("means-over-the-first-dimension-backwards", "len(x)", "the first size of x"),
            ("means-over-the-vectors-backwards", "x.numel() // hidden", "the number of vectors"),
            ("means-over-everything-backwards", "x.numel()", "the number of all elements"),
            ("means-over-one-less-backwards", "max(hidden - 1, 1)", "hidden_size - 1"),
        )
    ),
    *(
        Mistake(
            f"{id}-with-the-weight",
            find=RESULT,
            replace=by_hand(of_weight=of_weight, of_bias=of_bias),
            says=f"{says} The weight belongs to the gradient of x alone.",
        )
        for id, of_weight, of_bias, says in (
            (
                "weight-gradient",
                "scaled",
                "gradient",
                "Your gradient of the weight contains the weight: you multiply the normalized values by "
                "weight * dy. It is the sum of dy * normalized.",
            ),
            (
                "bias-gradient",
                "gradient",
                "scaled",
                "Your gradient of the bias contains the weight. The bias is added behind it: its gradient is "
                "the sum of dy.",
            ),
            (
                "weight-and-bias-gradients",
                "scaled",
                "scaled",
                "Your gradients of weight and bias contain the weight: you sum weight * dy. Both are sums of "
                "dy as it comes in.",
            ),
        )
    ),
    Mistake(
        "features-of-a-single-vector-summed-backwards",
        find=RESULT,
        replace=by_hand().replace(".reshape(-1, hidden).sum(0)", ".sum(tuple(range(gradient.dim() - 1)))"),
        says="In your backward pass the gradients of weight and bias of a single vector are sums over its "
        "features. Such an x has no leading dimensions, and a sum over dim=() is one over all: reshape to "
        "(-1, hidden_size) first, and sum over dimension 0.",
    ),
]
