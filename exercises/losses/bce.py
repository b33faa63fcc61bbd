"""Binary cross entropy of logits: the loss of yes-or-no questions, one by one or many labels at once.

As written, -log(sigmoid(x)) is inf where the sigmoid underflows; it has to be computed from the logit itself.
Forbidden: F.binary_cross_entropy_with_logits, F.binary_cross_entropy, soft_margin_loss (multilabel too),
logsigmoid, softplus, logaddexp, logsumexp, logcumsumexp. All else is allowed, the built-in sigmoid too.
"""

from jaxtyping import Float
from torch import Tensor


def binary_cross_entropy_with_logits(
    logits: Float[Tensor, "*shape"],
    target: Float[Tensor, "*shape"],
    pos_weight: Float[Tensor, "*#shape"] | None = None,
    reduction: str = "mean",
) -> Float[Tensor, "*shape"] | Float[Tensor, ""]:
    """The same as F.binary_cross_entropy_with_logits, in values and in gradients of the logits.

    With x a logit, y its target and p = sigmoid(x), the loss of an element is

        -(pos_weight * y * log p + (1 - y) * log(1 - p))

    logits, target: of one shape, with one dimension or more. Targets lie between 0 and 1, or are 0 or 1.
    pos_weight: broadcasts to that shape: one for each class, (classes,) with logits (batch, classes), or one
        for all, or one for each element; at least 0. None is 1. Neither it nor the target needs a gradient.
    reduction: "none" gives the loss of every element, "sum" their sum, "mean" their plain mean: it divides by
        the number of elements in all dimensions, with pos_weight too. Anything else raises a ValueError (or
        AssertionError).

    Losses and gradients are right and finite for all logits between -1e4 and 1e4. At a logit of exactly 0 too
    the gradient is that of the formula: without pos_weight, 0.5 - y.
    The result has the dtype of the arguments (float32 or float64). No argument is modified.
    """
    raise NotImplementedError
