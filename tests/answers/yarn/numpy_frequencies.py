"""Frequencies with NumPy, interpolated with np.interp and kept per setting; tables filled half by half."""

import functools

import numpy as np
import torch


@functools.cache
def theta(head_dim, base):
    return float(base) ** -(np.arange(0, head_dim, 2) / head_dim)


@functools.cache
def mixed(head_dim, factor, original_len, base, beta_fast, beta_slow, ramp):
    fast = theta(head_dim, base)
    if ramp == "rotations":
        keep = np.interp(original_len * fast / (2 * np.pi), [beta_slow, beta_fast], [0.0, 1.0])
    elif ramp == "index":
        where = (
            head_dim
            * np.log(original_len / (2 * np.pi * np.array([beta_fast, beta_slow])))
            / np.log(base)
            / 2
        )
        keep = np.interp(np.arange(head_dim // 2), [np.floor(where[0]), np.ceil(where[1])], [1.0, 0.0])
    else:
        raise ValueError(f"ramp {ramp}")
    return fast * (keep + (1 - keep) / factor)


def as_tensor(frequencies, device=None):
    return torch.tensor(frequencies.tolist(), dtype=torch.float32, device=device)


def linear_frequencies(head_dim, factor, base=10000.0):
    return as_tensor(theta(head_dim, base) / factor)


def ntk_frequencies(head_dim, factor, base=10000.0):
    return as_tensor(theta(head_dim, base * factor ** (head_dim / (head_dim - 2))))


def yarn_frequencies(
    head_dim, factor, original_len, base=10000.0, beta_fast=32.0, beta_slow=1.0, ramp="index"
):
    return as_tensor(mixed(head_dim, factor, original_len, base, beta_fast, beta_slow, ramp))


def attention_factor(factor):
    return 0.1 * np.log(np.maximum(factor, 1.0)) + 1.0


def yarn_cos_sin(positions, head_dim, factor, original_len, base=10000.0, ramp="index"):
    frequencies = as_tensor(mixed(head_dim, factor, original_len, base, 32.0, 1.0, ramp), positions.device)
    half, tables = head_dim // 2, []
    for function in (torch.cos, torch.sin):
        table = torch.empty(len(positions), head_dim, dtype=torch.float32, device=positions.device)
        table[:, :half] = function(positions.unsqueeze(1) * frequencies) * float(attention_factor(factor))
        table[:, half:] = table[:, :half]
        tables.append(table)
    return tuple(tables)
