"""Known wrong versions of `group_norm`: backward passes by hand."""

from grader.kit import Mistake
from grader.kit.families.norms.divided_by_the_weight import divided_by_the_weight

_RESULT = "        return self.weight.view(columns) * normalized + self.bias.view(columns)"
_OF_X = "(scaled - mean_of(scaled) - normalized * mean_of(scaled * normalized)) / root"
_OF_WEIGHT = "(gradient * normalized).transpose(0, 1).flatten(1).sum(1)"
_OF_BIAS = "gradient.transpose(0, 1).flatten(1).sum(1)"


def _by_hand(of_x: str = _OF_X, of_weight: str = _OF_WEIGHT, of_bias: str = _OF_BIAS) -> str:
    """The result with a backward pass of its own: expressions in the gradient of the result, which is called
    scaled where the weight is multiplied in.
    """
    return f"""\
        sizes, shape = groups.shape, x.shape
        root = torch.sqrt(variance + self.eps).expand(sizes).reshape(shape)

        def mean_of(values):
            return values.reshape(sizes).mean(dim=-1, keepdim=True).expand(sizes).reshape(shape)

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
                of_x = {of_x}
                return of_x, {of_weight}, {of_bias}

        return ByHand.apply(x, self.weight, self.bias)"""


MISTAKES = [
    Mistake(
        "means-before-the-weight",
        find=_RESULT,
        replace=_by_hand("(scaled - mean_of(gradient) - normalized * mean_of(gradient * normalized)) / root"),
        says="In your backward pass the two means that are subtracted are those of the incoming gradient as "
        "it is. Multiply it by the channels' weights first, and take the means of the product.",
    ),
    Mistake(
        "weight-left-out-backwards",
        find=_RESULT,
        replace=_by_hand(_OF_X.replace("scaled", "gradient")),
        says="Your gradient of x lacks the weight. What reaches the normalized values is the incoming "
        "gradient times the weight.",
    ),
    Mistake(
        "weight-multiplied-last-backwards",
        find=_RESULT,
        replace=_by_hand(f"weight * {_OF_X.replace('scaled', 'gradient')}"),
        says="In your backward pass the weight is multiplied in after the means were subtracted. It comes "
        "first: channels of a group have different weights.",
    ),
    Mistake(
        "not-divided-backwards",
        find=_RESULT,
        replace=_by_hand(_OF_X.removesuffix(" / root")),
        says="Your gradient of x is not divided by sqrt(variance + eps). x was, so its gradient is too.",
    ),
    Mistake(
        "weight-from-what-is-not-divided",
        find=_RESULT,
        replace=_by_hand(of_weight=_OF_WEIGHT.replace("normalized", "normalized * root")),
        says="Your gradient of the weight is the sum of gradient * (x - mean). The weight is multiplied by "
        "the normalized values: divide by sqrt(variance + eps).",
    ),
    *(
        Mistake(
            f"{id}-with-the-weight",
            find=_RESULT,
            replace=_by_hand(of_weight=of_weight, of_bias=of_bias),
            says=f"{says} The weight belongs to the gradient of x alone.",
        )
        for id, of_weight, of_bias, says in (
            (
                "weight-gradient",
                _OF_WEIGHT.replace("gradient", "scaled"),
                _OF_BIAS,
                "Your gradient of the weight contains the weight: you multiply the normalized values by "
                "weight * dy. It is the sum of dy * normalized.",
            ),
            (
                "bias-gradient",
                _OF_WEIGHT,
                _OF_BIAS.replace("gradient", "scaled"),
                "Your gradient of the bias contains the weight. The bias is added behind it: its gradient is "
                "the sum of dy.",
            ),
            (
                "weight-and-bias-gradients",
                _OF_WEIGHT.replace("gradient", "scaled"),
                _OF_BIAS.replace("gradient", "scaled"),
                "Your gradients of weight and bias contain the weight: you sum weight * dy. Both are sums of "
                "dy as it comes in.",
            ),
        )
    ),
    *(
        Mistake(
            id,
            find=_RESULT,
            replace=_by_hand(_OF_X.replace("mean_of(", f"groups.shape[-1] / ({count}) * mean_of(")),
            says=f"In your backward pass the sums over a group are divided by {words}. They are means over "
            "its n values: the group's channels at all positions.",
        )
        for id, count, words in (
            ("means-over-the-batch-backwards", "x.shape[0]", "the batch size, x.shape[0]"),
            ("means-over-the-positions-backwards", "x[0, 0].numel()", "the number of positions"),
            (
                "means-over-the-groups-channels-backwards",
                "x.shape[1] // sizes[1]",
                "the number of channels in a group",
            ),
            ("sums-subtracted-backwards", "1", "nothing"),
        )
    ),
    *divided_by_the_weight(_RESULT, _by_hand, _OF_X, _OF_WEIGHT),
]
