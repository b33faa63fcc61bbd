"""Slopes by recursion over Python floats; bias copied from a sliding view (unfold) of one line of
distances.
"""

import torch


def _slopes(n):
    power = 1 << (n.bit_length() - 1)
    if power == n:
        return [2.0 ** (-8.0 * i / n) for i in range(1, n + 1)]
    return _slopes(power) + _slopes(2 * power)[::2][: n - power]


def alibi_slopes(num_heads):
    return torch.tensor(_slopes(num_heads), dtype=torch.get_default_dtype())


def alibi_bias(num_heads, q_len, kv_len):
    # query i and key j are |kv_len - q_len + i - j| apart; along a line of j - i all rows are windows
    line = torch.arange(-(kv_len - 1), q_len, dtype=torch.get_default_dtype()).flip(0)  # i - j, falling
    line = (line + (kv_len - q_len)).abs()
    distance = line.unfold(0, kv_len, 1).flip(0)  # row i begins at i - 0
    return alibi_slopes(num_heads).neg()[:, None, None].mul(distance)
