"""Counts in plain Python."""

from collections import Counter

import torch


def class_weights(labels, num_classes, method="balanced"):
    count = Counter(labels.tolist())
    n = sum(count.values())
    if method == "balanced":
        rule = lambda c: n / (num_classes * c)  # noqa: E731
    elif method == "inverse":
        rule = lambda c: 1 / c  # noqa: E731
    else:
        raise ValueError(f"no such method: {method}")
    weights = [rule(count[i]) if i in count else 0.0 for i in range(num_classes)]
    return torch.tensor(weights, device=labels.device)
