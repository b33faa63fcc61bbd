"""Known wrong versions of `mlp_numpy`: biases' gradients of some rows, or squeezed."""

from grader.kit import Mistake

_B1 = '"b1": grad_pre.sum(axis=0),'
_B2 = '"b2": grad_output.sum(axis=0),'

MISTAKES = [
    *(
        Mistake(
            f"biases-of-the-last-block-of-{size}",
            find=_B1,
            replace=_B1.replace("grad_pre", f"grad_pre[(len(grad_pre) - 1) // {size} * {size} :]"),
            also=(
                (_B2, _B2.replace("grad_output", f"grad_output[(len(grad_pre) - 1) // {size} * {size} :]")),
            ),
            says="In a large batch your biases get the gradient of its last rows only: you work in blocks "
            "(of 64 rows, for example), and each block's sum replaces the one before. Add them up.",
        )
        for size in (8, 16)  # larger ones leave the same rows of 139
    ),
    Mistake(
        "bias-gradients-squeezed",
        find=_B1,
        replace='"b1": grad_pre.sum(axis=0).squeeze(),',
        also=((_B2, '"b2": grad_output.sum(axis=0).squeeze(),'),),
        says="Where a layer has a single unit, the gradient of its bias comes out as a number without "
        "dimensions: squeeze() takes that away, too. A gradient has the shape of its weight, here (1,): "
        "sum(axis=0) gives it.",
    ),
]
