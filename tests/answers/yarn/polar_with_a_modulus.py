"""Frequencies as lists of Python floats; cos and sin of complex numbers in one polar whose modulus is the
attention factor.
"""

import math

import torch


def _plain(head_dim, base):
    return [math.exp(-2 * i / head_dim * math.log(base)) for i in range(head_dim // 2)]


def _on_default(values):
    return torch.tensor(values, dtype=torch.float32)


def linear_frequencies(head_dim, factor, base=10000.0):
    return _on_default([theta / factor for theta in _plain(head_dim, base)])


def ntk_frequencies(head_dim, factor, base=10000.0):
    return _on_default(_plain(head_dim, base * factor ** (head_dim / (head_dim - 2))))


def _yarn(head_dim, factor, original_len, base, beta_fast, beta_slow, ramp):
    thetas = _plain(head_dim, base)
    if ramp == "rotations":
        turns = [original_len * theta / math.tau for theta in thetas]
        keep = [(r - beta_slow) / (beta_fast - beta_slow) for r in turns]
    elif ramp == "index":

        def x(beta):
            return head_dim * math.log(original_len / (math.tau * beta)) / (2 * math.log(base))

        low, high = math.floor(x(beta_fast)), math.ceil(x(beta_slow))
        keep = [(high - i) / (high - low) for i in range(len(thetas))]
    else:
        raise ValueError(f"unknown ramp {ramp!r}")
    keep = [min(max(k, 0.0), 1.0) for k in keep]
    return [theta * (k + (1 - k) / factor) for k, theta in zip(keep, thetas)]


def yarn_frequencies(
    head_dim, factor, original_len, base=10000.0, beta_fast=32.0, beta_slow=1.0, ramp="index"
):
    return _on_default(_yarn(head_dim, factor, original_len, base, beta_fast, beta_slow, ramp))


def attention_factor(factor):
    return 1.0 + 0.1 * math.log(max(factor, 1.0))


def yarn_cos_sin(positions, head_dim, factor, original_len, base=10000.0, ramp="index"):
    speed = _yarn(head_dim, factor, original_len, base, 32.0, 1.0, ramp)
    angle = torch.outer(positions.double(), torch.tensor(speed, dtype=torch.float64, device=positions.device))
    wave = torch.polar(torch.full_like(angle, attention_factor(factor)), angle)
    wave = torch.cat((wave, wave), dim=1)
    return wave.real.float(), wave.imag.float()
