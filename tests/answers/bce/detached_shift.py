"""Log-sum-exp of (0, -x) with a shift that carries no gradient, as older versions of PyTorch did it."""

import torch

REDUCE = {"none": lambda t: t, "sum": torch.sum, "mean": torch.mean}


def binary_cross_entropy_with_logits(logits, target, pos_weight=None, reduction="mean"):
    if reduction not in REDUCE:
        raise ValueError(f"reduction={reduction!r}")
    with torch.no_grad():
        shift = torch.clamp(-logits, min=0)
    log_weight = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    lse = shift + ((-shift).exp() + (-logits - shift).exp()).log()
    return REDUCE[reduction]((1 - target) * logits + log_weight * lse)
