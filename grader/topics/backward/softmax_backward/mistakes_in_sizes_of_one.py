"""Known wrong versions of `softmax_backward` that take away dimensions of size 1."""

from grader.kit import Mistake

_RESULTS = {
    "softmax": ("softmax_backward", "    return output * (grad_output - weighted_sum)\n"),
    "log-softmax": (
        "log_softmax_backward",
        "    return grad_output - probs * grad_output.sum(dim=dim, keepdim=True)\n",
    ),
    "cross-entropy": ("cross_entropy_backward", "    return grad_logits * (grad_output / kept.sum())\n"),
}

MISTAKES = [
    Mistake(
        f"gradient-of-{id}-squeezed",
        find=find,
        replace=f"    return ({find.strip().removeprefix('return ')}).squeeze()\n",
        says=f"The result of {name} loses every dimension of size 1 (squeeze() without a dimension, for "
        "example). One row, or one class, is a size like any other: a gradient has the shape of what it "
        "belongs to.",
    )
    for id, (name, find) in _RESULTS.items()
]
