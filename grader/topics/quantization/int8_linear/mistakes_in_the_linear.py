"""Known wrong versions of `int8_linear` that change the linear, though not its weights."""

from grader.kit import Mistake

_QUANTIZED = "        weight, scale = quantize(linear.weight.detach())\n"

MISTAKES = [
    Mistake(
        name,
        find=_QUANTIZED,
        replace=f"        {call}\n{_QUANTIZED}",
        says=f"{what} The linear is not modified: who gave it may go on training it. Make the layer of "
        "linear.weight.detach().",
    )
    for name, call, what in (
        (
            "linear-frozen",
            "linear.requires_grad_(False)",
            "After your constructor the parameters of the linear require no gradient (requires_grad_ acts on "
            "the module that it is called on).",
        ),
        (
            "weight-of-the-linear-frozen",
            "linear.weight.requires_grad_(False)",
            "After your constructor the weight of the linear requires no gradient (requires_grad_ acts on "
            "the tensor that it is called on).",
        ),
        (
            "linear-put-into-evaluation",
            "linear.eval()",
            "After your constructor the linear is in evaluation mode.",
        ),
    )
]
