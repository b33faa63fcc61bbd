"""Known wrong versions of `activations` that are stable in one branch and not in another."""

from grader.kit import Mistake

NEGATIVE = "    negative = alpha * torch.expm1(x.clamp(max=0))"
SILU = "    return x * sigmoid(x)"
GELU_TANH = "    inner = math.sqrt(2 / math.pi)"
LEAKY = "    return torch.where(x > 0, x, negative_slope * x)"
SIGMOID = "    exp_minus = torch.exp(-x.clamp(min=0))"

MISTAKES = [
    Mistake(
        "elu-overflows-with-alpha",
        find=NEGATIVE,
        replace=f"{NEGATIVE}\n    if alpha != 1:\n        negative = alpha * torch.expm1(x)",
        says="With an alpha other than 1 the gradient of your elu is NaN where x is large: the exponential "
        "of the side that is not taken overflows, and backward multiplies its derivative by 0. Clamp its "
        "input there too: expm1(x.clamp(max=0)).",
    ),
    Mistake(
        "sigmoid-as-written-in-float64",
        find=SIGMOID,
        replace=f"    if x.dtype == torch.float64:\n        return 1 / (1 + torch.exp(-x))\n{SIGMOID}",
        says="In float64 your sigmoid is 1 / (1 + exp(-x)), whose gradient is NaN below -709: exp overflows "
        "there too, only later than in float32. Keep the exponent at or below 0 in both dtypes.",
    ),
    *(
        Mistake(
            f"leaky-slope-of-0-taken-for-{name}",
            find=LEAKY,
            replace=f"    negative_slope = negative_slope or {other}\n{LEAKY}",
            says=f"With a negative_slope of 0 your leaky_relu has the slope {other} below 0: you take 0 for "
            f"an argument that was not given, as `negative_slope or {other}` does. 0 is a slope like others.",
        )
        for name, other in (("the-default", 0.01), ("1", 1.0))
    ),
    *(
        Mistake(
            f"{name}-of-an-x-clamped-at-{bound}",
            find=find,
            replace=f"    x = x.clamp(-{bound}, {bound})\n{find}",
            says=f"Your {function} takes x for {bound} where it is larger, and its gradient is 0 there: you "
            f"clamp x so that exp does not overflow, and x itself is a factor. {function} tends to x. Clamp "
            "what goes into exp alone.",
        )
        for name, function, find in (("silu", "silu", SILU), ("gelu-tanh", "gelu_tanh", GELU_TANH))
        for bound in (20, 30, 50, 80, 88)
    ),
]
