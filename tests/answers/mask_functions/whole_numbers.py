"""Arithmetic on ints turned into bools, recursion in and_masks/or_masks, partials of module functions,
expanded view as table.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

MaskFunction = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def causal(batch, head, q, kv):
    return torch.minimum(q, kv) == kv


def _window(window, batch, head, q, kv):
    distance = q - kv
    return torch.clamp(distance, min=0, max=window - 1) == distance


def _chunk(size, batch, head, q, kv):
    start = q // size * size
    return (kv >= start) & (kv < start + size)


def _keep(keep, batch, head, q, kv):
    return keep[batch.to(keep.device), kv.to(keep.device)].to(q.device)


def _same(ids, batch, head, q, kv):
    rows, q, kv = (x.to(ids.device) for x in (batch, q, kv))
    return (ids[rows, q] == ids[rows, kv]).to(batch.device)


def _constant(value, batch, head, q, kv):
    return q.new_full((), value, dtype=torch.bool)


def _both(first, second, *places):
    return first(*places) & second(*places)


def _either(first, second, *places):
    return first(*places) | second(*places)


def sliding_window(window):
    return partial(_window, window)


def chunked(chunk_size):
    return partial(_chunk, chunk_size)


def padding(keep):
    return partial(_keep, keep)


def packed(sequence_ids):
    return partial(_same, sequence_ids)


def and_masks(*fns):
    return partial(_both, fns[0], and_masks(*fns[1:])) if fns else partial(_constant, True)


def or_masks(*fns):
    return partial(_either, fns[0], or_masks(*fns[1:])) if fns else partial(_constant, False)


def offset(fn, q_offset, kv_offset):
    def moved(batch, head, q, kv):
        return fn(batch, head, q + q_offset, kv + kv_offset)

    return moved


def materialize(fn, batch, heads, q_len, kv_len):
    shape = (batch, heads, q_len, kv_len)
    places = [torch.arange(n).view([-1 if d == k else 1 for d in range(4)]) for k, n in enumerate(shape)]
    return fn(*places).expand(shape)


def render(mask):
    text = ""
    for i, row in enumerate(mask.unbind(0)):
        text += "\n" * (i > 0) + " ".join(["■" if cell else "⬚" for cell in row.tolist()])
    return text
