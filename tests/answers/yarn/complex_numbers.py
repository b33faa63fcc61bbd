"""Complex numbers as long as the temperature, in float64; lerp for the mixture; a named tuple."""

from collections import namedtuple
from math import ceil, e, floor, log, tau

import torch

Tables = namedtuple("Tables", ["cosine", "sine"])


def theta(head_dim, base, device=None):
    i = torch.arange(head_dim // 2, dtype=torch.float64, device=device)
    return torch.exp(-2 * i / head_dim * log(base))


def linear_frequencies(head_dim, factor, base=10000.0):
    return (theta(head_dim, base) / factor).float()


def ntk_frequencies(head_dim, factor, base=10000.0):
    i = torch.linspace(0, 1, head_dim // 2, dtype=torch.float64)  # 0 for the first pair, 1 for the last
    return (theta(head_dim, base) * factor**-i).float()


def in_double(head_dim, factor, original_len, base, beta_fast, beta_slow, ramp, device=None):
    fast = theta(head_dim, base, device)
    match ramp:
        case "rotations":
            stretch = (beta_fast - original_len * fast / tau) / (beta_fast - beta_slow)
        case "index":
            ends = [
                log((original_len / (tau * beta)) ** (head_dim / 2), base) for beta in (beta_fast, beta_slow)
            ]
            low, high = floor(ends[0]), ceil(ends[1])
            stretch = (torch.arange(head_dim // 2, dtype=torch.float64, device=device) - low) / (high - low)
        case _:
            raise ValueError(ramp)
    return torch.lerp(fast, fast / factor, stretch.clip(0, 1))


def yarn_frequencies(
    head_dim, factor, original_len, base=10000.0, beta_fast=32.0, beta_slow=1.0, ramp="index"
):
    return in_double(head_dim, factor, original_len, base, beta_fast, beta_slow, ramp).float()


def attention_factor(factor):
    return max(1.0, 0.1 * log(factor, e) + 1.0)


def yarn_cos_sin(positions, head_dim, factor, original_len, base=10000.0, ramp="index"):
    frequencies = in_double(head_dim, factor, original_len, base, 32, 1, ramp, positions.device)
    angles = torch.outer(positions.double(), frequencies)
    turns = torch.polar(torch.full_like(angles, attention_factor(factor)), angles)
    turns = torch.cat([turns, turns], dim=-1)
    return Tables(turns.real.float(), turns.imag.float())
