"""Interleaved is halves after a permutation of the features; half turns by negation, in place on copies."""

import torch


def rope_cos_sin(positions, head_dim, base=10000.0):
    inv_freq = 1.0 / (base ** (torch.arange(0, head_dim, 2, device=positions.device).float() / head_dim))
    freqs = torch.einsum("i,j->ij", positions.float(), inv_freq)
    emb = freqs.repeat(1, 2)
    return emb.cos(), emb.sin()


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((x2.neg(), x1), dim=-1)


def turn(x, cos, sin):
    out = x * cos[None, None]
    out += rotate_half(x) * sin[None, None]
    return out


def apply_rope(query, key, cos, sin):
    heads = query.shape[1]
    both = turn(torch.cat((query, key), dim=1), cos, sin)
    return both[:, :heads], both[:, heads:]


def apply_rope_interleaved(x, cos, sin):
    head_dim = x.shape[-1]
    to_halves = torch.cat((torch.arange(0, head_dim, 2), torch.arange(1, head_dim, 2))).to(x.device)
    return turn(x[..., to_halves], cos, sin)[..., to_halves.argsort()]
