"""Balanced and inverse class weights; a tensor holding 0 stands in for the absent classes."""

import torch


def class_weights(labels, num_classes, method="balanced"):
    if method not in ("balanced", "inverse"):
        raise ValueError(method)
    counts = torch.bincount(labels.long(), minlength=num_classes).to(torch.get_default_dtype())
    top = len(labels) / num_classes if method == "balanced" else 1.0
    return torch.where(counts > 0, top / counts.clamp(min=1), torch.tensor(0.0))
