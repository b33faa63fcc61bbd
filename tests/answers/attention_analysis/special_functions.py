"""torch.special.entr; a matrix of ones; a diagonal by a mask."""

import torch


def attention_entropy(weights):
    return torch.special.entr(weights).sum(2).mean(1)


def attention_received(weights):
    ones = weights.new_ones(weights.shape[1])
    return (ones @ weights).mean(0)


def self_attention_share(weights):
    unit = torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    return (weights * unit).sum(dim=(0, 2)) / weights.shape[0]
