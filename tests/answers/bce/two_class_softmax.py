"""Two-class cross entropy: log-softmax over (logit, 0)."""

import torch
import torch.nn.functional as F


def binary_cross_entropy_with_logits(logits, target, pos_weight=None, reduction="mean"):
    assert reduction in ("none", "mean", "sum")
    pair = torch.stack([logits, torch.zeros_like(logits)], dim=-1)
    log_p, log_q = F.log_softmax(pair, dim=-1).unbind(-1)
    w = 1.0 if pos_weight is None else pos_weight
    loss = -(w * target * log_p + (1 - target) * log_q)
    return loss if reduction == "none" else getattr(loss, reduction)()
