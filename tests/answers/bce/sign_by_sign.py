"""Negative and other logits apart: where, with safe arguments on both sides."""

import torch


def _softplus_of(z):
    """log(1 + exp(z))"""
    negative = z < 0
    below = torch.where(negative, z, -z)  # never positive
    tail = torch.log1p(torch.exp(below))
    return torch.where(negative, tail, z + tail)


def binary_cross_entropy_with_logits(logits, target, pos_weight=None, reduction="mean"):
    per_element = (1 - target) * _softplus_of(logits)
    positive = target * _softplus_of(-logits)
    per_element = per_element + (positive if pos_weight is None else positive * pos_weight)
    match reduction:
        case "none":
            return per_element
        case "sum":
            return per_element.sum()
        case "mean":
            return per_element.flatten().mean()
    raise ValueError("reduction has to be none, sum or mean")
