"""Four halvings: the bits of a code found from the highest to the lowest by gathered middles; bytes as
integer dot products.
"""

import itertools
import math

import torch

# given
NF4 = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635),
    *(-0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725),
    *(0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941),
    *(0.7229568362236023, 1.0),
)
# end given
MIDDLES = [(a + b) / 2 for a, b in itertools.pairwise(NF4)]


@torch.no_grad()
def quantize_nf4(weight, block_size=64):
    flat = weight.reshape(-1)
    n = flat.numel()
    size = min(block_size, n)
    whole = n // size * size
    absmax = torch.linalg.vector_norm(flat[:whole].view(-1, size), ord=math.inf, dim=1)
    if whole < n:
        absmax = torch.cat((absmax, flat[whole:].abs().max().view(1)))
    divisor = torch.where(absmax > 0, absmax, torch.ones_like(absmax)).repeat_interleave(size)[:n]
    share = flat / divisor
    middles = torch.tensor(MIDDLES, dtype=flat.dtype, device=flat.device)
    code = torch.zeros(n, dtype=torch.int64, device=flat.device)
    for bit in (8, 4, 2, 1):
        code = code + bit * (share > middles[code + bit - 1]).long()
    if n % 2:
        code = torch.cat((code, code.new_zeros(1)))
    packed = (code.view(-1, 2) * torch.tensor([16, 1], device=code.device)).sum(dim=1)
    return packed.to(torch.uint8), absmax


@torch.no_grad()
def dequantize_nf4(packed, absmax, shape, block_size=64):
    n = math.prod(shape)
    wide = packed.long()
    code = torch.stack((wide.div(16, rounding_mode="floor"), wide.remainder(16)), dim=1).flatten()[:n]
    levels = torch.tensor(NF4, dtype=absmax.dtype, device=absmax.device)
    block = torch.arange(n, device=absmax.device) // block_size
    return (levels[code] * absmax[block]).reshape(tuple(shape))
