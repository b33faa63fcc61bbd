# mean-before-the-factor
"""Starts from a cross entropy that is a mean already."""

import torch
from torch.nn import functional as F


def focal_loss(inputs, targets, alpha=None, gamma=2.0, reduction="mean"):
    if reduction not in ("none", "sum", "mean"):
        raise ValueError(reduction)
    ce_loss = F.cross_entropy(inputs, targets)
    pt = torch.exp(-ce_loss)
    factor = 1.0 if alpha is None else alpha[targets] if torch.is_tensor(alpha) else alpha
    loss = factor * (1 - pt) ** gamma * ce_loss
    return loss if reduction == "none" else getattr(loss, reduction)()
