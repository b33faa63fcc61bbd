"""Rules turned into makers of mask functions by a decorator, whose *options have no names."""

from collections.abc import Callable
from itertools import islice

import torch
from torch import Tensor

MaskFunction = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def _rule(body: Callable[..., Tensor]) -> Callable[..., MaskFunction]:
    """Turns body(batch, head, q, kv, *options) into a maker of mask functions, options first."""

    def maker(*options) -> MaskFunction:
        def mask_function(batch: Tensor, head: Tensor, q: Tensor, kv: Tensor) -> Tensor:
            return body(batch, head, q, kv, *options)

        return mask_function

    return maker


def causal(batch: Tensor, head: Tensor, q: Tensor, kv: Tensor) -> Tensor:
    return ~(kv > q)


@_rule
def sliding_window(batch, head, q, kv, window):
    gap = q - kv
    return gap.clamp(0, window - 1) == gap


@_rule
def chunked(batch, head, q, kv, chunk_size):
    return (torch.floor_divide(q, chunk_size) - torch.floor_divide(kv, chunk_size)) == 0


@_rule
def padding(batch, head, q, kv, keep):
    return keep[batch, kv].bool()


@_rule
def packed(batch, head, q, kv, sequence_ids):
    flat, length = sequence_ids.reshape(-1), sequence_ids.shape[1]
    mine = torch.take(flat, batch * length + q)
    return mine == torch.take(flat, batch * length + kv)


def _constant(value: bool) -> MaskFunction:
    return lambda batch, head, q, kv: torch.full_like(q, value, dtype=torch.bool)


def and_masks(*fns: MaskFunction) -> MaskFunction:
    def both(f: MaskFunction, g: MaskFunction) -> MaskFunction:
        return lambda *at: torch.logical_and(f(*at), g(*at))

    result = _constant(True)
    for fn in fns:
        result = both(result, fn)
    return result


def or_masks(*fns: MaskFunction) -> MaskFunction:
    def any_of(*at: Tensor) -> Tensor:
        parts = torch.broadcast_tensors(_constant(False)(*at), *(fn(*at) for fn in fns))
        return torch.stack(parts).any(dim=0)

    return any_of


@_rule
def offset(batch, head, q, kv, fn, q_offset, kv_offset):
    return fn(batch, head, q + q_offset, kv + kv_offset)


def materialize(fn: MaskFunction, batch: int, heads: int, q_len: int, kv_len: int) -> Tensor:
    sizes = (batch, heads, q_len, kv_len)
    indices = [torch.arange(n).reshape([-1 if a == d else 1 for a in range(4)]) for d, n in enumerate(sizes)]
    return torch.broadcast_to(fn(*indices), sizes).contiguous().clone()


def render(mask: Tensor) -> str:
    flat = iter("■" if value else "⬚" for value in mask.flatten().tolist())
    rows, columns = mask.shape
    return "\n".join(" ".join(islice(flat, columns)) for _ in range(rows))
