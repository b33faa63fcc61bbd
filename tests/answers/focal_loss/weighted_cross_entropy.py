"""Alpha as the weight of one built-in cross entropy, p_t from another one."""

import torch
import torch.nn.functional as F


def focal_loss(logits, target, alpha=None, gamma=2.0, reduction="mean"):
    weight = alpha if torch.is_tensor(alpha) else None
    weighted = F.cross_entropy(logits, target, weight=weight, reduction="none")
    minus_p = F.nll_loss(torch.softmax(logits, dim=1), target, reduction="none")
    loss = weighted * (1.0 + minus_p) ** gamma
    if weight is None and alpha is not None:
        loss = loss * float(alpha)
    match reduction:
        case "none":
            return loss
        case "sum":
            return loss.sum()
        case "mean":
            return loss.mean()
        case _:
            raise AssertionError("reduction")
