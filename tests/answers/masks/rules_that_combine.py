"""Attention masks from one class of rules that combine with & and |, evaluated on broadcast positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rule:
    see: Callable[[Tensor, Tensor], Tensor]

    def __and__(self, other: Rule) -> Rule:
        return Rule(lambda i, j: self.see(i, j) & other.see(i, j))

    def __or__(self, other: Rule) -> Rule:
        return Rule(lambda i, j: self.see(i, j) | other.see(i, j))

    def on(self, queries: int, keys: int, shift: int = 0, device: torch.device | None = None) -> Tensor:
        i = torch.arange(shift, shift + queries, device=device).view(-1, 1)
        j = torch.arange(keys, device=device).view(1, -1)
        return self.see(i, j)


PAST = Rule(lambda i, j: j <= i)


def _within(reach: int) -> Rule:
    return Rule(lambda i, j: (i - j).abs() <= reach)


def _multiple(stride: int) -> Rule:
    return Rule(lambda i, j: (i % stride == 0) | (j % stride == 0))


def padding_mask(ids, pad=0):
    return (ids - pad).bool().unflatten(1, (1, 1, -1)) if ids.shape[1] else ids.ne(pad)[:, None, None]


def causal_mask(queries, keys=None):
    keys = queries if keys is None else keys
    return PAST.on(queries, keys, shift=keys - queries)


def combined_mask(ids, pad=0):
    n = ids.size(1)
    return PAST.on(n, n, device=ids.device).expand(ids.size(0), 1, n, n) & padding_mask(ids, pad)


def sliding_window_mask(n, window):
    return (PAST & _within(window - 1)).on(n, n)


def local_mask(n, radius):
    return _within(radius).on(n, n)


def chunked_mask(n, size):
    same = Rule(lambda i, j: i.div(size, rounding_mode="floor") == j.div(size, rounding_mode="floor"))
    return (PAST & same).on(n, n)


def packed_mask(ids):
    n = ids.size(1)
    equal = torch.einsum("...->...", ids)[:, None, :, None] == ids[:, None, None, :]
    return equal.logical_and_(PAST.on(n, n, device=ids.device))


def sparse_mask(n, stride):
    return (_within(stride) | _multiple(stride)).on(n, n)


def to_additive(mask, dtype):
    hidden = mask.logical_not().to(dtype)
    return hidden * torch.finfo(dtype).min + 0
