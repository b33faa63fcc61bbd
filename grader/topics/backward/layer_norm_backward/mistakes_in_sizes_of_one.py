"""Known wrong versions of `layer_norm_backward` that take away dimensions of size 1."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"{id}gradient-squeezed",
        find=find,
        replace=find.replace("return grad_x,", "return grad_x.squeeze(),"),
        says=f"The grad_x of {name} loses every dimension of size 1 (squeeze() without a dimension, for "
        "example). One text, or one token, is a size like any other: grad_x has the shape of x.",
    )
    for id, name, find in (
        ("", "layer_norm_backward", "    return grad_x, grad_weight, grad_bias\n"),
        ("rms-", "rms_norm_backward", "    return grad_x, (grad_output * normalized)"),
    )
]
