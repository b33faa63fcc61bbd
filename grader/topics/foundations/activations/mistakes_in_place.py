"""Known wrong versions of `activations` that write into their argument."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "relu-in-place",
        find="    return x.clamp(min=0)",
        replace="    return x.clamp_(min=0)",
        says="Your relu writes into its argument, so the caller's tensor is changed (and a leaf that "
        "requires a gradient raises). Use x.clamp(min=0), without the underscore: it makes a new "
        "tensor.",
    ),
    Mistake(
        "leaky-in-place",
        find="    return torch.where(x > 0, x, negative_slope * x)",
        replace="    x[x < 0] *= negative_slope\n    return x",
        says="Your leaky_relu writes into its argument, so the caller's tensor is changed (and a leaf that "
        "requires a gradient raises). Make a new tensor: torch.where(x > 0, x, negative_slope * x).",
    ),
    Mistake(
        "elu-in-place",
        find="    return torch.where(x > 0, x, negative)",
        replace="    x[x < 0] = negative[x < 0]\n    return x",
        says="Your elu writes into its argument, so the caller's tensor is changed (and a leaf that requires "
        "a gradient raises). Make a new tensor: torch.where(x > 0, x, negative).",
    ),
    *(
        Mistake(
            f"{name}-in-place-through-a-flat-view",
            find=find,
            replace=f"""\
    flat = x.reshape(-1)
    below = flat < 0
    flat[below] = {slope} * flat[below]
    return flat.reshape(x.shape)""",
            says=f"Your {function} writes into what reshape, view or flatten gives: a view of its argument "
            "where that is contiguous, so the caller's tensor is changed (and a leaf that requires a "
            "gradient raises). Make a new tensor, with torch.where for example.",
        )
        for name, function, find, slope in (
            ("relu", "relu", "    return x.clamp(min=0)", "0.0"),
            (
                "leaky",
                "leaky_relu",
                "    return torch.where(x > 0, x, negative_slope * x)",
                "negative_slope",
            ),
        )
    ),
]
