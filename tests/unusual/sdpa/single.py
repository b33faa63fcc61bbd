"""A function by single dispatch, a context manager, a generator."""

import math
from contextlib import contextmanager
from functools import singledispatch

import torch


@contextmanager
def _scaled(query, scale):
    yield query * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)


@singledispatch
def _masked(mask, scores):
    raise TypeError(type(mask))


@_masked.register
def _(mask: torch.Tensor, scores):
    return scores.masked_fill(mask.logical_not(), float("-inf"))


@_masked.register
def _(mask: None, scores):
    return scores


def scaled_dot_product_attention(query, key, value, mask=None, is_causal=False, scale=None):
    if is_causal:
        mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    with _scaled(query, scale) as scaled:
        return torch.softmax(_masked(mask, scaled @ key.mT), dim=-1) @ value
