"""Scatter-add into floats, reciprocal in place on the own tensor, inf replaced at the end."""

import torch


def class_weights(labels, num_classes, method="balanced"):
    w = torch.zeros(num_classes, device=labels.device, dtype=torch.get_default_dtype())
    w.scatter_add_(0, labels.to(torch.int64), torch.ones_like(labels, dtype=w.dtype))
    n = w.sum()
    w.reciprocal_()
    w[torch.isinf(w)] = 0
    match method:
        case "inverse":
            return w
        case "balanced":
            return w.mul_(n).div_(num_classes)
    raise ValueError
