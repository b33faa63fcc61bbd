"""Works on the kept rows alone and puts their losses back into place at the end."""

import torch


def _log_normalizer(x):
    m = x.amax(1)
    return m + torch.log(torch.exp(x - m.unsqueeze(1)).sum(1))


def cross_entropy(logits, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    keep = target != ignore_index
    x, y = logits[keep], target[keep]
    nll_all = _log_normalizer(x).unsqueeze(1) - x
    if weight is not None:
        nll_all = nll_all * weight
    n = torch.arange(y.numel())
    kept_loss = torch.lerp(nll_all[n, y], nll_all.mean(1), label_smoothing)
    match reduction:
        case "none":
            return torch.zeros_like(target, dtype=logits.dtype).masked_scatter(keep, kept_loss)
        case "sum":
            return kept_loss.sum()
        case "mean":
            return kept_loss.sum() / (len(y) if weight is None else weight[y].sum())
    raise ValueError(f"reduction={reduction}")
