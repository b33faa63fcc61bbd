"""Two-by-two rotation matrices and einsum; rotate_half as a roll with signs."""

import torch


def rope_cos_sin(positions, head_dim, base=10000.0):
    column = torch.arange(head_dim, device=positions.device) % (head_dim // 2)
    log_base = torch.tensor(float(base), dtype=torch.float64).log()
    frequency = torch.exp(-log_base * (2.0 * column.double() / head_dim))
    angles = positions.to(torch.float64).unsqueeze(1) * frequency.unsqueeze(0)
    return torch.cos(angles).to(torch.float32), torch.sin(angles).to(torch.float32)


def rotate_half(x):
    half = x.shape[-1] // 2
    sign = torch.ones(x.shape[-1], dtype=x.dtype, device=x.device)
    sign[:half] = -1
    return x.roll(half, dims=-1) * sign


def matrices(cos, sin, dtype):
    half = cos.shape[1] // 2
    c, s = cos[:, :half].to(dtype), sin[:, :half].to(dtype)
    return torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)  # (seq, pair, out, in)


def apply_rope(query, key, cos, sin):
    turned = []
    for x in (query, key):
        pairs = x.unflatten(-1, (2, -1))
        turned.append(torch.einsum("spoi,bhsip->bhsop", matrices(cos, sin, x.dtype), pairs).flatten(-2))
    return tuple(turned)


def apply_rope_interleaved(x, cos, sin):
    pairs = x.unflatten(-1, (-1, 2))
    return torch.einsum("spoi,bhspi->bhspo", matrices(cos, sin, x.dtype), pairs).flatten(-2)
