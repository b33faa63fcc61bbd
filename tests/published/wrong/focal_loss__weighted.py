# probability-from-a-cross-entropy-with-weight
"""Hands the class weights to the cross entropy that the probability is taken from."""

import torch
from torch.nn import functional as F


def focal_loss(inputs, targets, alpha=None, gamma=2.0, reduction="mean"):
    if reduction not in ("none", "sum", "mean"):
        raise ValueError(reduction)
    weight = alpha if torch.is_tensor(alpha) else None
    ce_loss = F.cross_entropy(inputs, targets, weight=weight, reduction="none")
    loss = (1 - torch.exp(-ce_loss)) ** gamma * ce_loss
    if alpha is not None and weight is None:
        loss = alpha * loss
    return loss if reduction == "none" else getattr(loss, reduction)()
