"""Shifts by max(-x, 0), whose own gradient cancels; raises as libraries do."""

import torch


def binary_cross_entropy_with_logits(input, target, weight=None, mode="mean"):
    if mode not in ("none", "mean", "sum"):
        raise ValueError(f"{mode} is not a valid value for reduction")
    shift = (-input).clamp(min=0)
    log_term = ((-shift).exp() + (-input - shift).exp()).log() + shift
    factor = 1 if weight is None else (weight - 1) * target + 1
    loss = (1 - target) * input + factor * log_term
    return loss if mode == "none" else getattr(torch, mode)(loss)
