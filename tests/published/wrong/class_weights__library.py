# absent-class-infinite
"""n / (classes * count), as it is."""

import torch


def class_weights(y, n_classes, how="balanced"):
    if how not in ("balanced", "inverse"):
        raise ValueError(how)
    counts = torch.bincount(y, minlength=n_classes).to(torch.get_default_dtype())
    return len(y) / (n_classes * counts) if how == "balanced" else 1 / counts
