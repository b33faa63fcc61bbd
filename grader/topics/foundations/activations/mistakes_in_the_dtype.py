"""Known wrong versions of `activations` that give float32 whatever came."""

from grader.kit import Mistake

OWN_TANH = (("1 + tanh(inner)", "1 + (2 * sigmoid(2 * inner) - 1)"),)

MISTAKES = [
    Mistake(
        f"{name}-in-float32",
        find=f"    return {result}",
        replace=f"    return ({result}).to(torch.float32)",
        also=also,
        says=f"Your {function} gives float32 whatever it gets, so a float64 tensor comes back as float32. "
        "For example, it goes over to another dtype for some digits more, and always back to float32. The "
        "result has the dtype of x.",
    )
    for name, function, result, also in (
        ("tanh", "tanh", "2 * sigmoid(2 * x) - 1", OWN_TANH),
        ("relu", "relu", "x.clamp(min=0)", ()),
        ("leaky", "leaky_relu", "torch.where(x > 0, x, negative_slope * x)", ()),
        ("elu", "elu", "torch.where(x > 0, x, negative)", ()),
        ("silu", "silu", "x * sigmoid(x)", ()),
        ("gelu", "gelu", "x * phi", ()),
        ("gelu-tanh", "gelu_tanh", "0.5 * x * (1 + tanh(inner))", ()),
    )
]
