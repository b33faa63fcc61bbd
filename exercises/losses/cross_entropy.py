"""Cross entropy of logits: the loss that classifiers and language models are trained with.

With class weights, ignored rows and label smoothing (Szegedy et al. 2015, https://arxiv.org/abs/1512.00567).
Forbidden: F.cross_entropy, F.nll_loss, every built-in softmax and log_softmax, logsumexp, logaddexp,
logcumsumexp, and what contains them.
"""

from jaxtyping import Float, Int
from torch import Tensor


def cross_entropy(
    logits: Float[Tensor, "batch classes"],
    target: Int[Tensor, "batch"],
    weight: Float[Tensor, "classes"] | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Float[Tensor, "batch"] | Float[Tensor, ""]:
    """The same as F.cross_entropy, in values and in gradients of the logits.

    With p = softmax(logits[i]), y = target[i] and s = label_smoothing (0 to 1), the loss of row i is

        (1 - s) * weight[y] * -log p[y]  +  s / classes * (sum over all classes c of weight[c] * -log p[c])

    target: int64, each a class or ignore_index. ignore_index may be any integer: negative, beyond the last
        class, or a class. A row whose target it is has loss 0 and gradient 0; at least one row is kept. A
        class that is ignored still is one of the classes c in the sum of the other rows.
    weight: one for each class, at least 0, and above 0 for some kept row; it needs no gradient. None is the
        same as all ones.
    reduction: "none" gives the loss of every row, the ignored ones included; "sum" their sum; "mean" divides
        the sum by the sum of weight[y] over the kept rows (without weights: their number), with label
        smoothing too. Anything else raises a ValueError (or AssertionError).

    Values and gradients are right and finite for all logits between -1e4 and 1e4, also where one row lies at
    -1e4 and another at 1e4.
    Logits and weight have one dtype (float32 or float64), and the result has it too. No argument is modified.
    """
    raise NotImplementedError
