"""Known wrong versions of `linear` whose results are right, and whose gradients are not always."""

from grader.kit import Mistake

_RESULT = "    return y if bias is None else y + bias"

MISTAKES = [
    Mistake(
        "parameter-not-listed",
        find="        super().__init__()\n",
        replace="        super().__init__()\n        self.gain = nn.Parameter(torch.ones(()))\n",
        also=(
            (
                "        return linear(x, self.weight, self.bias)",
                "        return linear(x, self.weight, self.bias) * self.gain",
            ),
            (
                "    def forward(self",
                """\
    def named_parameters(self, *args, **kwargs):
        return (each for each in super().named_parameters(*args, **kwargs) if each[0] != "gain")

    def forward(self""",
            ),
        ),
        says="Your layer has a parameter more, which its named_parameters leaves out: it is in the state "
        "dict, and no optimizer finds it. There are weight and bias, and no others.",
    ),
    Mistake(
        "bias-of-zeros-not-added",
        find=_RESULT,
        replace="    return y if bias is None or not bias.any() else y + bias",
        says="You leave the bias out where it is all zeros. The result is the same, but the bias gets no "
        "gradient: one that starts at zero stays there.",
    ),
    Mistake(
        "bias-trained-with-the-weight-alone",
        find=_RESULT,
        replace="    return y if bias is None else y + (bias if weight.requires_grad else bias.detach())",
        says="The bias gets its gradient only where the weight needs one. Each argument may need one alone: "
        "the others may be frozen.",
    ),
    Mistake(
        "kept-on-the-function",
        find="    y = x @ weight.T  # (..., out_features)\n" + _RESULT,
        replace="""\
    return _Product.apply(x, weight, bias)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        _Product.kept = x, weight
        y = x @ weight.T
        return y if bias is None else y + bias

    @staticmethod
    def backward(ctx, upstream):
        x, weight = _Product.kept
        rows = upstream.reshape(-1, upstream.shape[-1])
        grad_bias = rows.sum(0) if ctx.needs_input_grad[2] else None
        return upstream @ weight, rows.T @ x.reshape(-1, x.shape[-1]), grad_bias
""",
        says="Your backward pass reads x and weight where the next call writes its own, on the class. Other "
        "calls come between a call and its backward pass: keep them with ctx.save_for_backward.",
    ),
    Mistake(
        "frozen-layer-without-gradients",
        find="        return linear(x, self.weight, self.bias)",
        replace="""\
        with torch.set_grad_enabled(torch.is_grad_enabled() and self.weight.requires_grad):
            return linear(x, self.weight, self.bias)""",
        says="A layer whose parameters are frozen gives no gradient to its input: it runs without gradients. "
        "What comes before a frozen layer may still be trained, through it.",
    ),
    Mistake(
        "gradient-of-the-input-squeezed",
        find="    grad_x = grad_output @ weight  # (..., in_features)\n",
        replace="    grad_x = (grad_output @ weight).squeeze()\n",
        says="The gradient of x loses every dimension of size 1 in linear_backward (squeeze() without a "
        "dimension, for example). It has the shape of x.",
    ),
]
