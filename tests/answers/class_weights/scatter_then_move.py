"""Loops over the classes that occur; made on the default device, moved to that of the labels at the end."""

import torch


def class_weights(labels: torch.Tensor, num_classes: int, method: str = "balanced") -> torch.Tensor:
    if method not in ("inverse", "balanced"):
        raise AssertionError(method)
    weights = torch.zeros(num_classes)
    present, counts = torch.unique(labels, return_counts=True)
    for label, count in zip(present.tolist(), counts.tolist(), strict=True):
        weights[label] = 1 / count
    if method == "balanced":
        weights *= labels.shape[0] / num_classes
    return weights.to(labels.device)
