"""ALiBi: slopes by recursion; the bias as windows that slide over one long line of distances."""

import functools

import torch


@functools.cache
def _slopes(n: int) -> tuple[float, ...]:
    """Plain floats, so that nothing of dtype or device is kept."""
    if n & (n - 1) == 0:
        start = 2 ** (-8 / n)
        return tuple(start ** (k + 1) for k in range(n))
    low = 1 << (n.bit_length() - 1)
    return _slopes(low) + _slopes(2 * low)[::2][: n - low]


def alibi_slopes(num_heads: int) -> torch.Tensor:
    out = torch.empty(num_heads)
    for k, s in enumerate(_slopes(num_heads)):
        out[k] = s
    return out


def alibi_bias(num_heads: int, q_len: int, kv_len: int) -> torch.Tensor:
    slopes = alibi_slopes(num_heads)
    if q_len == 0 or kv_len == 0:
        return slopes.new_zeros(num_heads, q_len, kv_len)
    # row i holds key - place for all keys: the window of kv_len values that starts at -(i + kv_len - q_len)
    line = torch.arange(1 - kv_len, q_len).abs().neg()
    rows = line.unfold(0, kv_len, 1).flip(0)
    return slopes.view(-1, 1, 1) * rows
