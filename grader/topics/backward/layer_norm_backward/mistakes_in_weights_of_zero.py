"""Known wrong versions of `layer_norm_backward` that divide by the weight."""

from grader.kit import Mistake

LAYER = "grad_weight, grad_bias = grad_output * normalized, grad_output"
RMS = "(grad_output * normalized).reshape(-1, x.shape[-1]).sum(dim=0)"
KINDS = (
    (
        "weight-gradient-divided-by-the-weight",
        "normalized * weight / weight",
        "grad_weight is NaN where the weight is 0: you divide by it, for example because the gradient of "
        "what is normalized, which contains it, was at hand.",
    ),
    (
        "weight-gradient-zero-where-the-weight-is",
        "normalized * (weight != 0)",
        "grad_weight is 0 where the weight is: you divide by it, and guard that against division by 0, for "
        "example.",
    ),
)
SUM = "It is the sum of dy * normalized, into which the weight does not come."

MISTAKES = [
    Mistake(
        id + ending,
        find=lines[0],
        replace=lines[0].replace("normalized", normalized),
        also=tuple((line, line.replace("normalized", normalized)) for line in lines[1:]),
        says=f"{where} {what} {SUM}",
    )
    for id, normalized, what in KINDS
    for ending, where, *lines in (
        ("", "Layer norm's", LAYER),
        ("-of-rms-norm", "RMS norm's", RMS),
        ("-in-both", "In both functions", LAYER, RMS),
    )
]
