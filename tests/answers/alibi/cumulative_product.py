"""A geometric series by cumprod; distances by counting back from the ends; einsum; prints."""

import torch

print("linear biases")


def series(n):
    return torch.full((n,), 2.0 ** (-8 / n)).cumprod(0)


def alibi_slopes(num_heads):
    power = 1
    while power * 2 <= num_heads:
        power *= 2
    missing = num_heads - power
    if not missing:
        return series(power)
    return torch.hstack([series(power), series(2 * power).reshape(-1, 2)[:missing, 0]])


def alibi_bias(num_heads, q_len, kv_len):
    left_q = torch.arange(q_len - 1, -1, -1, dtype=torch.get_default_dtype())
    left_k = torch.arange(kv_len - 1, -1, -1, dtype=torch.get_default_dtype())
    away = torch.cdist(left_q[:, None], left_k[:, None], p=1)
    return torch.einsum("h,qk->hqk", alibi_slopes(num_heads).neg(), away)
