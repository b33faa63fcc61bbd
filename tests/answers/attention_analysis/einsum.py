"""Einsum, and logarithms of clamped weights."""

import torch


def attention_entropy(weights):
    logs = weights.clamp(min=1e-30).log()
    return -torch.einsum("hqk,hqk->h", weights, logs) / weights.shape[1]


def attention_received(weights):
    return torch.einsum("hqk->k", weights) / weights.size(0)


def self_attention_share(weights):
    return torch.einsum("hii->i", weights) / weights.size(0)
