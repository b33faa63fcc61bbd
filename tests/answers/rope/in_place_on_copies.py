"""Turns in place on a copy, which autograd allows while the tables are constants; gives a list."""

import torch


def rope_cos_sin(positions, head_dim, base=10000.0):
    inv_freq = 1.0 / base ** (torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(positions.float(), inv_freq)
    angles = torch.cat([angles, angles], dim=-1)
    return angles.cos(), angles.sin()


def rotate_half(x):
    half = x.shape[-1] // 2
    out = torch.empty_like(x)
    out[..., :half] = -x[..., half:]
    out[..., half:] = x[..., :half]
    return out


def turn_(a, b, cos, sin):
    cos, sin = cos[:, : cos.shape[1] // 2], sin[:, : sin.shape[1] // 2]
    new_a, new_b = a * cos - b * sin, a * sin + b * cos
    a.copy_(new_a)
    b.copy_(new_b)


def apply_rope(query, key, cos, sin):
    half = cos.shape[1] // 2
    turned = [query.clone(), key.clone()]
    for x in turned:
        turn_(x[..., :half], x[..., half:], cos, sin)
    return turned


def apply_rope_interleaved(x, cos, sin):
    x = x.clone()
    turn_(x[..., 0::2], x[..., 1::2], cos, sin)
    return x
