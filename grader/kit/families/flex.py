"""The oracle of mask functions: flex attention's own, without the compiler that importing it would load."""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import flex_attention

_TRANSFORM = "torch._dynamo._trace_wrapped_higher_order_op"


def create_mask(keeps: Callable[..., Tensor], batch: int, heads: int, q_len: int, kv_len: int) -> Tensor:
    """What flex attention makes of a mask function.

    A function looks things up by `looked_up`: what makes that of tensor[index] is part of the compiler, 4 s.
    """
    instead: Any = SimpleNamespace(TransformGetItemToIndex=nullcontext)
    ours = sys.modules.setdefault(_TRANSFORM, instead) is instead
    try:
        mask: Tensor = flex_attention.create_mask(keeps, batch, heads, q_len, kv_len, device="cpu")
    finally:
        if ours:
            del sys.modules[_TRANSFORM]
    return mask


def looked_up(table: Tensor, *indices: Tensor) -> Tensor:
    """The entries of a table at indices."""
    found: Tensor = torch.ops.aten.index(table, list(indices))
    return found
