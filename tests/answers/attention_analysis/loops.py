"""Numbers one by one in Python for the entropy, sums of rows for the rest; prints."""

import math

import torch


def attention_entropy(weights):
    print("heads:", len(weights))
    result = []
    for head in weights.tolist():
        total = 0.0
        for row in head:
            for weight in row:
                if weight > 0:
                    total -= weight * math.log(weight)
        result.append(total / len(head))
    return torch.tensor(result, dtype=weights.dtype, device=weights.device)


def attention_received(weights):
    received = torch.zeros_like(weights[0, 0])
    for head in weights:
        for row in head:
            received = received + row
    return received / len(weights)


def self_attention_share(weights):
    return torch.stack([weights[:, i, i].mean() for i in range(weights.shape[1])])
