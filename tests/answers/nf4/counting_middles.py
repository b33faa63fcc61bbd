"""Counts the middles below each value, one level at a time; named tuple; scatter for absmax."""

from itertools import pairwise
from typing import NamedTuple

import torch

# given
NF4 = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635),
    *(-0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725),
    *(0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941),
    *(0.7229568362236023, 1.0),
)
# end given


class Packed(NamedTuple):
    packed: torch.Tensor
    absmax: torch.Tensor


def quantize_nf4(weight, block_size=64):
    w = weight.contiguous().view(-1)
    n = w.shape[0]
    block_of = torch.arange(n, device=w.device) // block_size
    count = (n + block_size - 1) // block_size
    absmax = w.new_zeros(count).scatter_reduce(0, block_of, w.abs(), "amax")
    top = absmax[block_of]
    ratio = torch.where(top > 0, w / torch.where(top > 0, top, 1), 0)
    code = torch.zeros(n, dtype=torch.uint8, device=w.device)
    for low, high in pairwise(NF4):
        code += ratio > (low + high) / 2
    packed = torch.zeros((n + 1) // 2, dtype=torch.uint8, device=w.device)
    packed += code[::2] * 16
    packed[: n // 2] |= code[1::2]
    return Packed(packed, absmax)


def dequantize_nf4(packed, absmax, shape, block_size=64):
    n = 1
    for size in shape:
        n *= int(size)
    where = torch.arange(n, device=packed.device)
    byte = packed[where // 2]
    code = torch.where(where % 2 == 0, byte // 16, byte % 16)
    table = absmax.new_tensor(NF4)
    return (table.index_select(0, code.long()) * absmax[where // block_size]).reshape(tuple(shape))
