"""The whole target distribution as a matrix (one-hot, smoothed, weighted), times the log-probabilities."""

import torch
import torch.nn.functional as F


def cross_entropy(
    logits, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0, **unused
):
    assert reduction in {"none", "mean", "sum"}, reduction
    classes = logits.size(-1)
    keep = target.ne(ignore_index)
    hard = F.one_hot(torch.where(keep, target, torch.zeros_like(target)), classes).to(logits)
    soft = (1.0 - label_smoothing) * hard + label_smoothing / classes
    w = torch.ones(classes).to(logits) if weight is None else weight
    top, _ = logits.max(dim=-1, keepdim=True)
    logp = logits - (top + (logits - top).exp().sum(-1, keepdim=True).log())
    per_row = -torch.einsum("bc,bc,c->b", soft, logp, w) * keep
    if reduction == "none":
        return per_row
    total = per_row.sum()
    return total if reduction == "sum" else total / ((hard @ w) * keep).sum()
