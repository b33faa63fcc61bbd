"""Known wrong versions of `linear` that add up in the bias itself."""

from grader.kit import Mistake

_COMPUTED = """\
    y = x @ weight.T  # (..., out_features)
    return y if bias is None else y + bias
"""


def _added_up_in(start: str, condition: str = "True") -> str:
    """The product is added to `start`, an expression in bias and rows."""
    return f"""\
    return _Product.apply(x, weight, bias)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        rows = x.reshape(-1, x.shape[-1])
        if bias is None:
            y = rows @ weight.T
        elif {condition}:
            y = {start}
            y.addmm_(rows, weight.T)
        else:
            y = rows @ weight.T + bias
        return y.view(*x.shape[:-1], len(weight))

    @staticmethod
    def backward(ctx, upstream):
        x, weight = ctx.saved_tensors
        rows = upstream.reshape(-1, upstream.shape[-1])
        grad_bias = rows.sum(0) if ctx.needs_input_grad[2] else None
        return upstream @ weight, rows.T @ x.reshape(-1, x.shape[-1]), grad_bias
"""


MISTAKES = [
    Mistake(
        f"added-up-in-the-bias{ending}",
        find=_COMPUTED,
        replace=_added_up_in("bias.expand(len(rows), -1).contiguous()", condition),
        says=f"Where x is {which}, you add the product to the bias in place, so the bias is changed, and the "
        "next call begins with it. An expand to one row copies nothing, for example, nor does contiguous: "
        "make a new tensor (y + bias, or clone).",
    )
    for ending, condition, which in (
        ("-of-a-single-row", "True", "a single row"),
        ("-of-a-vector", "x.dim() == 1", "a vector"),
    )
]
