"""Known wrong versions of `batch_norm`: backward passes by hand."""

from grader.kit import Mistake
from grader.kit.families.norms.divided_by_the_weight import divided_by_the_weight

_RESULT = "        return self.weight.view(columns) * normalized + self.bias.view(columns)"
_IN_TRAINING = "(scaled - mean_of(scaled) - normalized * mean_of(scaled * normalized)) / root"
_IN_EVALUATION = "scaled / root"
_OF_WEIGHT = "(gradient * normalized).sum(dims)"
_OF_BIAS = "gradient.sum(dims)"


def _by_hand(
    in_training: str = _IN_TRAINING,
    in_evaluation: str = _IN_EVALUATION,
    of_weight: str = _OF_WEIGHT,
    of_bias: str = _OF_BIAS,
) -> str:
    """The result with a backward pass of its own: expressions in the gradient of the result, which is called
    scaled where the weight is multiplied in.
    """
    return f"""\
        root, training = torch.sqrt(variance.view(columns) + self.eps), self.training

        def mean_of(values):
            return values.mean(dims, keepdim=True)

        class ByHand(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, weight, bias):
                ctx.save_for_backward(normalized, root, weight)
                return weight.view(columns) * normalized + bias.view(columns)

            @staticmethod
            def backward(ctx, gradient):
                normalized, root, weight = ctx.saved_tensors
                weight = weight.view(columns)
                scaled = gradient * weight
                of_x = {in_training} if training else {in_evaluation}
                return of_x, {of_weight}, {of_bias}

        return ByHand.apply(x, self.weight, self.bias)"""


def _over(count: str) -> str:
    """The gradient of x, whose sums are divided by another number."""
    return _IN_TRAINING.replace("mean_of(", f"x.numel() / x.shape[1] / {count} * mean_of(")


MISTAKES = [
    Mistake(
        "weight-gradient-with-the-weight",
        find=_RESULT,
        replace=_by_hand(of_weight="(scaled * normalized).sum(dims)"),
        says="Your gradient of the weight contains the weight: you multiply the normalized values by weight "
        "* dy. The weight multiplies what is normalized, so its gradient is the sum of dy * normalized.",
    ),
    Mistake(
        "bias-gradient-with-the-weight",
        find=_RESULT,
        replace=_by_hand(of_bias="scaled.sum(dims)"),
        says="Your gradient of the bias contains the weight. The bias is added behind it: its gradient is "
        "the sum of dy.",
    ),
    Mistake(
        "weight-and-bias-gradients-with-the-weight",
        find=_RESULT,
        replace=_by_hand(of_weight="(scaled * normalized).sum(dims)", of_bias="scaled.sum(dims)"),
        says="Your gradients of weight and bias contain the weight: you sum weight * dy. Both are sums of dy "
        "as it comes in; the weight belongs to the gradient of x alone.",
    ),
    Mistake(
        "weight-left-out-backwards",
        find=_RESULT,
        replace=_by_hand(_IN_TRAINING.replace("scaled", "gradient"), "gradient / root"),
        says="Your gradient of x lacks the weight. What reaches the normalized values is the incoming "
        "gradient times the weight.",
    ),
    Mistake(
        "weight-left-out-backwards-in-evaluation",
        find=_RESULT,
        replace=_by_hand(in_evaluation="gradient / root"),
        says="In evaluation your gradient of x lacks the weight. What reaches the normalized values is the "
        "incoming gradient times the weight, as in training.",
    ),
    Mistake(
        "not-divided-backwards",
        find=_RESULT,
        replace=_by_hand(_IN_TRAINING.removesuffix(" / root"), "scaled"),
        says="Your gradient of x is not divided by sqrt(variance + eps). x was, so its gradient is too.",
    ),
    Mistake(
        "weight-from-what-is-not-divided",
        find=_RESULT,
        replace=_by_hand(of_weight="(gradient * normalized * root).sum(dims)"),
        says="Your gradient of the weight is the sum of gradient * (x - mean). The weight is multiplied by "
        "the normalized values: divide by sqrt(variance + eps).",
    ),
    Mistake(
        "trained-backwards-in-evaluation",
        find=_RESULT,
        replace=_by_hand(in_evaluation=_IN_TRAINING),
        says="In evaluation your backward pass subtracts the parts that flow through the batch's mean and "
        "variance. The running averages do not depend on x: its gradient is weight * dy / sqrt(running_var "
        "+ eps).",
    ),
    *(
        Mistake(
            id,
            find=_RESULT,
            replace=_by_hand(_over(count)),
            says=f"In your backward pass the sums over a channel are divided by {words}. They are means over "
            "all n values of the channel: the batch size times the number of positions.",
        )
        for id, count, words in (
            ("means-over-the-batch-backwards", "x.shape[0]", "the batch size, x.shape[0]"),
            ("means-over-the-positions-backwards", "x[0, 0].numel()", "the number of positions"),
            ("means-over-the-channels-backwards", "x.shape[1]", "the number of channels"),
            ("sums-subtracted-backwards", "1", "nothing"),
        )
    ),
    *divided_by_the_weight(
        _RESULT,
        lambda of_x, of_weight: _by_hand(of_x, of_weight=of_weight),
        _IN_TRAINING,
        _OF_WEIGHT,
        by_channel=True,
    ),
]
