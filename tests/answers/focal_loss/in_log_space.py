"""In log space: the loss is exp(gamma * log(1 - p_t)) * cost from margins to the other logits (their
logsumexp), softplus by logaddexp.
"""

import torch


def focal_loss(logits, target, alpha=None, gamma=2.0, reduction="mean"):
    if reduction not in {"none", "sum", "mean"}:
        raise ValueError("reduction")
    batch, classes = logits.shape
    wide = logits.to(torch.float64)
    own = wide.gather(1, target.view(batch, 1))
    is_own = torch.zeros_like(wide, dtype=torch.bool).scatter(1, target.view(batch, 1), True)
    if classes == 1:
        rows = wide.sum(dim=1) * 0.0
    else:
        # margin: how far the others together are above the target; p_t = sigmoid(-margin)
        others = torch.where(is_own, torch.full_like(wide, -1e9), wide)
        margin = torch.logsumexp(others, dim=1) - own.squeeze(1)
        zero = torch.zeros_like(margin)
        cost = torch.logaddexp(zero, margin)
        log_rest = -torch.logaddexp(zero, -margin)
        rows = cost if gamma == 0 else torch.exp(gamma * log_rest) * cost
    if isinstance(alpha, torch.Tensor):
        rows = rows * alpha.detach().to(torch.float64).take(target)
    elif alpha is not None:
        rows = rows * alpha
    rows = rows.to(logits.dtype)
    return {"none": lambda: rows, "sum": rows.sum, "mean": rows.mean}[reduction]()
