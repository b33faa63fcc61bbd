"""A pair of features as one complex number, the rotation as a multiplication."""

import torch


def rope_cos_sin(positions, head_dim, base=10000.0):
    i = torch.arange(head_dim // 2, device=positions.device, dtype=torch.float64)
    angles = torch.outer(positions.double(), torch.pow(torch.tensor(base).double(), -2 * i / head_dim))
    turns = torch.polar(torch.ones_like(angles), angles)
    turns = torch.cat([turns, turns], dim=1)
    return turns.real.float(), turns.imag.float()


def rotate_half(x):
    half = x.shape[-1] // 2
    turned = torch.complex(x[..., :half], x[..., half:]) * 1j
    return torch.cat([turned.real, turned.imag], dim=-1)


def turns_of(cos, sin, dtype):
    half = cos.shape[-1] // 2
    return torch.complex(cos[..., :half].to(dtype), sin[..., :half].to(dtype))


def apply_rope(query, key, cos, sin):
    def turn(x):
        half = x.shape[-1] // 2
        pairs = torch.complex(x[..., :half].contiguous(), x[..., half:].contiguous())
        pairs = pairs * turns_of(cos, sin, x.dtype)
        return torch.cat([pairs.real, pairs.imag], dim=-1)

    return turn(query), turn(key)


def apply_rope_interleaved(x, cos, sin):
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns_of(cos, sin, x.dtype)).flatten(-2)
