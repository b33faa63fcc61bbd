"""Slopes as a recursion on Python lists, the bias number by number."""

import math

import torch


def _slopes(n):
    exponent = math.log2(n)
    if exponent == int(exponent):
        ratio = 2 ** (-(2 ** (3 - exponent)))
        return [ratio ** (i + 1) for i in range(n)]
    below = 2 ** int(exponent)
    return _slopes(below) + _slopes(2 * below)[0::2][: n - below]


def alibi_slopes(num_heads):
    return torch.tensor(_slopes(num_heads))


def alibi_bias(num_heads, q_len, kv_len):
    bias = torch.zeros(num_heads, q_len, kv_len)
    for head, slope in enumerate(_slopes(num_heads)):
        for i in range(q_len):
            for j in range(kv_len):
                bias[head, i, j] = -abs((q_len - i) - (kv_len - j)) * slope
    return bias
