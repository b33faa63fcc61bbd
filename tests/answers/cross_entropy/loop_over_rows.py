"""Row by row, as one would by hand; an ignored row is a zero that hangs on nothing."""

import math

import torch


def cross_entropy(logits, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    if reduction not in ["mean", "sum", "none"]:
        raise ValueError("reduction must be one of mean, sum, none")

    losses, total_weight = [], 0.0
    for row, label in zip(logits, target.tolist(), strict=True):
        if label == ignore_index:
            losses.append(torch.zeros((), dtype=logits.dtype))
            continue
        c = float(row.detach().max())
        logp = row - c - torch.log(torch.sum(torch.exp(row - c)))
        loss = -(1 - label_smoothing) * logp[label] * (1 if weight is None else weight[label])
        for k in range(len(row)):
            share = label_smoothing / len(row) * (1 if weight is None else weight[k])
            loss = loss - share * logp[k]
        losses.append(loss)
        total_weight += 1 if weight is None else float(weight[label])

    losses = torch.stack(losses)
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    assert not math.isclose(total_weight, 0)
    return losses.sum() / total_weight
