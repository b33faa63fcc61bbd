"""Pair by pair in Python's numbers; a set of words for the ramps; tables from nested lists."""

import math

import torch


def plain(head_dim, base):
    return [base ** (-2 * i / head_dim) for i in range(head_dim // 2)]


def linear_frequencies(head_dim, factor, base=10000.0):
    return torch.tensor([theta / factor for theta in plain(head_dim, base)], dtype=torch.float32)


def ntk_frequencies(head_dim, factor, base=10000.0):
    stretched = plain(head_dim, base * factor ** (head_dim / (head_dim - 2)))
    return torch.tensor(stretched, dtype=torch.float32)


def mixed(head_dim, factor, original_len, base, beta_fast, beta_slow, ramp):
    assert ramp in {"index", "rotations"}, f"no such ramp: {ramp}"
    frequencies = []
    for i, theta in enumerate(plain(head_dim, base)):
        if ramp == "rotations":
            part = (original_len * theta / (2 * math.pi) - beta_slow) / (beta_fast - beta_slow)
        else:
            low = math.floor(pair_of(beta_fast, head_dim, original_len, base))
            high = math.ceil(pair_of(beta_slow, head_dim, original_len, base))
            part = (high - i) / (high - low)
        keep = max(0.0, min(1.0, part))
        frequencies.append(theta / factor * (1 + keep * (factor - 1)))
    return frequencies


def pair_of(beta, head_dim, original_len, base):
    return head_dim * math.log(original_len / (beta * 2 * math.pi)) / (2 * math.log(base))


def yarn_frequencies(
    head_dim, factor, original_len, base=10000.0, beta_fast=32.0, beta_slow=1.0, ramp="index"
):
    frequencies = mixed(head_dim, factor, original_len, base, beta_fast, beta_slow, ramp)
    return torch.tensor(frequencies, dtype=torch.float32)


def attention_factor(factor):
    return 1 if factor <= 1 else 0.1 * math.log(factor) + 1


def yarn_cos_sin(positions, head_dim, factor, original_len, base=10000.0, ramp="index"):
    frequencies = mixed(head_dim, factor, original_len, base, 32.0, 1.0, ramp)
    made = []
    for function in math.cos, math.sin:
        rows = [[function(m * each) for each in frequencies] for m in positions.tolist()]
        table = torch.tensor(rows, dtype=torch.float32, device=positions.device)
        made.append(attention_factor(factor) * torch.cat([table, table], dim=1))
    return made
