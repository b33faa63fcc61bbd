"""Compares every label with every class; a module with a buffer."""

import warnings

import torch

warnings.warn("class weights by comparison", stacklevel=1)


class _Weights(torch.nn.Module):
    def __init__(self, num_classes, device):
        super().__init__()
        self.register_buffer("ids", torch.arange(num_classes, device=device))

    def forward(self, labels, method):
        hits = labels.long()[:, None] == self.ids  # (n, classes)
        count = hits.sum(0).to(torch.get_default_dtype())
        numerator = {"balanced": len(labels) / len(self.ids), "inverse": 1.0}[method]
        return torch.where(count > 0, numerator / count.clamp(min=1), torch.zeros_like(count))


def class_weights(labels, num_classes, method="balanced"):
    assert method in {"balanced", "inverse"}
    print("labels", labels.shape)
    return _Weights(num_classes, labels.device)(labels, method)
