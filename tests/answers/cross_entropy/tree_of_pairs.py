"""The log of the sum by a tree of pairs (larger + log1p(exp(-difference))) in float64; one-hot comparison
and einsum.
"""

import torch


def _pair(a, b):
    # halves of the gradient at ties: maximum splits it, |0| has none
    return torch.maximum(a, b) + torch.log1p(torch.exp(-torch.abs(a - b)))


def _tree(x):
    if x.size(1) == 1:
        return x[:, 0]
    middle = x.size(1) // 2
    return _pair(_tree(x[:, :middle]), _tree(x[:, middle:]))


def cross_entropy(logits, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    if reduction != "none" and reduction != "sum" and reduction != "mean":
        raise ValueError("reduction is 'none', 'sum' or 'mean'")
    wide = logits.double()
    n = logits.shape[1]
    cost = _tree(wide).unsqueeze(1) - wide
    w = wide.new_ones(n) if weight is None else weight.detach().double()
    keep = target.ne(ignore_index)
    hot = (target.unsqueeze(1) == torch.arange(n, device=target.device)).double()
    own = torch.einsum("bc,c->b", hot, w)
    rows = torch.einsum("bc,c,bc->b", hot * (1 - label_smoothing) + label_smoothing / n, w, cost)
    rows = torch.where(keep, rows, torch.zeros_like(rows))
    if reduction == "mean":
        return (rows.sum() / own[keep].sum()).to(logits.dtype)
    return (rows if reduction == "none" else rows.sum(dim=0)).to(logits.dtype)
