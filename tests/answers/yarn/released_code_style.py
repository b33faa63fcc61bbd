"""As model code has it: a buffer of inverse frequencies, masks, float32 throughout; prints at import."""

import math

import torch
from torch import nn

print("positions, stretched")


def inverse_frequencies(head_dim, base):
    periods = base ** (torch.arange(0, head_dim, 2).float() / head_dim)
    return periods


def linear_frequencies(head_dim, factor, base=10000.0):
    return 1.0 / (factor * inverse_frequencies(head_dim, base))


def ntk_frequencies(head_dim, factor, base=10000.0):
    return 1.0 / inverse_frequencies(head_dim, base * factor ** (head_dim / (head_dim - 2)))


class Rotary(nn.Module):
    def __init__(self, head_dim, factor, original_len, base, beta_fast, beta_slow, ramp):
        super().__init__()
        if ramp not in ("rotations", "index"):
            raise ValueError("ramp is 'rotations' or 'index'")
        extrapolated = 1.0 / inverse_frequencies(head_dim, base)
        interpolated = extrapolated / factor
        if ramp == "rotations":
            wavelength = 2 * math.pi / extrapolated
            smooth = (original_len / wavelength - beta_slow) / (beta_fast - beta_slow)
            smooth = torch.where(wavelength > original_len / beta_slow, torch.zeros_like(smooth), smooth)
            smooth = torch.where(wavelength < original_len / beta_fast, torch.ones_like(smooth), smooth)
        else:
            low = max(math.floor(self.dim_of(beta_fast, head_dim, base, original_len)), 0)
            high = min(math.ceil(self.dim_of(beta_slow, head_dim, base, original_len)), head_dim - 1)
            ramp_up = (torch.arange(head_dim // 2).float() - low) / (high - low)
            smooth = 1.0 - torch.clamp(ramp_up, 0, 1)
        inv_freq = interpolated * (1 - smooth) + extrapolated * smooth
        self.register_buffer("inv_freq", inv_freq, persistent=False)
        self.scaling = attention_factor(factor)

    @staticmethod
    def dim_of(beta, head_dim, base, length):
        return (head_dim * math.log(length / (beta * 2 * math.pi))) / (2 * math.log(base))

    @torch.no_grad()
    def forward(self, positions):
        angles = torch.einsum("i,j->ij", positions.float(), self.inv_freq.to(positions.device))
        both = torch.cat((angles, angles), dim=-1)
        return both.cos() * self.scaling, both.sin() * self.scaling


def yarn_frequencies(
    head_dim, factor, original_len, base=10000.0, beta_fast=32.0, beta_slow=1.0, ramp="index"
):
    return Rotary(head_dim, factor, original_len, base, beta_fast, beta_slow, ramp).inv_freq


def attention_factor(factor):
    if factor <= 1:
        return 1.0
    return 0.1 * math.log(factor) + 1.0


def yarn_cos_sin(positions, head_dim, factor, original_len, base=10000.0, ramp="index"):
    return Rotary(head_dim, factor, original_len, base, 32.0, 1.0, ramp)(positions)
