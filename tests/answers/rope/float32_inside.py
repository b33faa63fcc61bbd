"""Float32 inside, as in Llama's code, then back to the dtype that came; the tables are a named tuple."""

from collections import namedtuple

import torch

Tables = namedtuple("Tables", "cos sin")


@torch.no_grad()
def rope_cos_sin(positions, head_dim, base=10000.0):
    i = torch.arange(head_dim // 2, dtype=torch.float32)
    inv_freq = torch.exp(-2 * i * torch.log(torch.tensor(float(base))) / head_dim)
    angles = torch.einsum("i,j->ij", positions.to(inv_freq.dtype), inv_freq)
    return Tables(torch.hstack([angles.cos()] * 2), torch.hstack([angles.sin()] * 2))


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def apply_rope(query, key, cos, sin):
    cos, sin = cos.unsqueeze(0).unsqueeze(1), sin.unsqueeze(0).unsqueeze(1)
    q, k = query.float(), key.float()
    q, k = q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
    return q.type_as(query), k.type_as(key)


def apply_rope_interleaved(x, cos, sin):
    half = cos.shape[-1] // 2
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * torch.complex(cos[:, :half], sin[:, :half])).flatten(3).type_as(x)
