"""Known wrong versions of `mlp_numpy` that count places in two orders."""

from grader.kit import Mistake

GRAD_PRE = "grad_pre = grad_hidden * (self._pre > 0)"

MISTAKES = [
    Mistake(
        "closed-units-in-another-order",
        find=GRAD_PRE,
        replace="""\
flat = grad_hidden.flatten(order="F")
        flat[np.flatnonzero(self._pre <= 0)] = 0
        grad_pre = flat.reshape(grad_hidden.shape, order="F")""",
        says="backward stops the gradient of other units than forward has set to 0: it takes their places "
        'for those in a flat array of another order (flatten(order="K") goes by columns where an array '
        "is transposed, for example). A mask of the same shape, pre > 0, needs no flat places.",
    ),
]
