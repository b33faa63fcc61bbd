"""What dropout on attention weights leaves to see: in the gradients of a call in training.

The draw is read off the result, so that it does not matter where an answer takes its random numbers from.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from grader.kit.families.attention.checks import (
    merge_heads,
    project,
    separated,
    split_heads,
    with_large_scores,
)
from grader.kit.handles import Instance
from grader.kit.rules.drawn_gradients import assert_gradients_of_the_draw

_NEXT_TO_NOTHING = 1e-6


def assert_gradients_under_dropout(
    attention: Instance,
    weights: Mapping[str, Tensor],
    x: Tensor,
    context: Tensor,
    *,
    head_dim: int,
    dropout: float,
    large: bool = False,
    allowed: Tensor | None = None,
    where: Tensor | None = None,
    **constants: Any,
) -> None:
    """In training the gradients are those of the attention weights that were kept. Where x is the context,
    give it twice. A head needs as many features as there are tokens in context, or more.

    `large`: with scores in the thousands, as of `with_large_scores`. `constants` are further arguments of the
    call, masks for example, which say that what is `allowed` (boolean, it broadcasts as (batch, heads, x,
    context)) may be attended to: if it is not given, `mask`. `where`: what of the result counts.
    """
    given = [x] if context is x else [x, context]
    if large:
        fused = "qkv_proj.weight" in weights
        weights, *given = with_large_scores(weights, *given, head_dim=head_dim, fused=fused)
        attention.load(weights)
        x, context = given[0], given[-1]
    mask = constants.get("mask") if allowed is None else allowed
    call = _Call(x, context, head_dim, dropout, mask)
    assert_gradients_of_the_draw(
        attention,
        partial(_kept_weights, call, weights),
        partial(_under_dropout, call),
        *given,
        weights=weights,
        constants=constants,
        where=where,
        # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
        tolerance=1e-3 if large else None,
    )


@dataclass(frozen=True)
class _Call:
    """What attention is asked for."""

    x: Tensor
    context: Tensor
    head_dim: int
    dropout: float
    allowed: Tensor | None


def _under_dropout(call: _Call, kept: Tensor, weights: Mapping[str, Tensor], *inputs: Tensor) -> Tensor:
    """Attention of x over context whose weights are those `kept` (1 or 0), divided by 1 - dropout."""
    parts = separated(weights) if "qkv_proj.weight" in weights else weights
    probabilities, value = _weights_and_values(call, parts, inputs[0], inputs[-1])
    return project(parts, "o", merge_heads(probabilities * kept / (1 - call.dropout) @ value))


def _kept_weights(call: _Call, weights: Mapping[str, Tensor], came: Tensor) -> Tensor:
    """Which attention weights were kept, read off the result: 1 or 0, (batch, heads, x, context)."""
    parts = separated(weights) if "qkv_proj.weight" in weights else weights
    probabilities, value = _weights_and_values(call, parts, call.x, call.context)
    merged = torch.linalg.solve(parts["o_proj.weight"], (came.nan_to_num() - parts["o_proj.bias"]).mT).mT
    found = split_heads(merged, call.head_dim) @ torch.linalg.pinv(value)
    # Of weights that are next to nothing it cannot be told, and does not matter.
    shares = found / probabilities.clamp(min=_NEXT_TO_NOTHING) * (1 - call.dropout)
    kept: Tensor = shares.round().clamp(0, 1)
    return kept


def _weights_and_values(
    call: _Call, weights: Mapping[str, Tensor], x: Tensor, context: Tensor
) -> tuple[Tensor, Tensor]:
    """Of every query head."""
    sources = {"q": x, "k": context, "v": context}
    query, key, value = (
        split_heads(project(weights, name, of), call.head_dim) for name, of in sources.items()
    )
    groups = query.shape[1] // key.shape[1]
    key, value = (part.repeat_interleave(groups, dim=1) for part in (key, value))
    scores = query @ key.mT / math.sqrt(call.head_dim)
    if call.allowed is not None:
        scores = scores.masked_fill(~call.allowed, -math.inf)
    return torch.softmax(scores, dim=-1), value
