"""Focal loss: cross entropy in which examples that the model already gets right count less.

From "Focal Loss for Dense Object Detection" (Lin et al. 2017, https://arxiv.org/abs/1708.02002), where the
many easy background boxes would drown the few objects. Nothing is forbidden: F.cross_entropy may be used.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


def focal_loss(
    logits: Float[Tensor, "batch classes"],
    target: Int[Tensor, "batch"],
    alpha: Float[Tensor, "classes"] | float | None = None,
    gamma: float = 2.0,
    reduction: str = "mean",
) -> Float[Tensor, "batch"] | Float[Tensor, ""]:
    """The loss alpha_t * (1 - p_t)**gamma * -log p_t of each row, where p = softmax(row) and p_t = p[target].

    target: int64, all of them classes.
    alpha: a tensor has a factor for every class, and alpha_t is that of the row's target; a float is the
        factor of every row, whatever its class (0.0 too); None is 1. It needs no gradient.
    gamma: 0 or at least 1, an integer or not. With 0 a row's loss is alpha_t times its cross entropy.
    reduction: "none" gives the loss of every row, "sum" their sum, "mean" their plain mean: it divides by
        the number of rows, with alpha and with every gamma (0 too). Anything else raises a ValueError (or
        AssertionError).

    The gradient of the logits is that of the whole formula, with p_t in both of its factors. Losses and
    gradients are right and finite for all logits between -1e4 and 1e4, also where p_t rounds to 1 (a loss of
    0 will do then) or underflows to 0.
    The result has the dtype of the logits (float32 or float64; a tensor alpha has it too). No argument is
    modified.
    """
    if reduction not in ("none", "sum", "mean"):
        raise ValueError(f"unknown reduction {reduction!r}")
    alpha_t = 1.0 if alpha is None else alpha
    if isinstance(alpha, Tensor):
        alpha_t = alpha[target]  # (batch,)

    # p_t comes from the plain cross entropy: with alpha inside, exp(-loss) would be p_t ** alpha_t.
    loss = F.cross_entropy(logits, target, reduction="none")  # (batch,)
    p_t = torch.exp(-loss)
    focus = (1 - p_t) ** gamma
    losses = alpha_t * focus * loss

    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.mean()
