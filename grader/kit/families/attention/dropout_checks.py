"""What dropout on attention weights leaves to see: in the gradients of a call in training.

The draw is read off the result, so that it does not matter where an answer takes its random numbers from.
"""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from grader.kit.families.attention.checks import merge_heads, project, separated, split_heads
from grader.kit.handles import Instance
from grader.kit.rules.drawn_gradients import assert_gradients_of_the_draw


def assert_gradients_under_dropout(
    attention: Instance,
    weights: Mapping[str, Tensor],
    x: Tensor,
    context: Tensor,
    *,
    head_dim: int,
    dropout: float,
) -> None:
    """In training the gradients are those of the attention weights that were kept. Where x is the context,
    give it twice. A head needs as many features as there are tokens in context, or more.
    """
    given = (x,) if context is x else (x, context)

    def kept(value: Tensor) -> Tensor:
        return _kept_weights(value, weights, x, context, head_dim, dropout)

    def oracle(kept: Tensor, own: Mapping[str, Tensor], *inputs: Tensor) -> Tensor:
        return _under_dropout(kept, own, inputs[0], inputs[-1], head_dim, dropout)

    assert_gradients_of_the_draw(attention, kept, oracle, *given, weights=weights)


def _under_dropout(
    kept: Tensor, weights: Mapping[str, Tensor], x: Tensor, context: Tensor, head_dim: int, dropout: float
) -> Tensor:
    """Attention of x over context whose weights are those `kept` (1 or 0), divided by 1 - dropout."""
    parts = separated(weights) if "qkv_proj.weight" in weights else weights
    probabilities, value = _weights_and_values(parts, x, context, head_dim)
    return project(parts, "o", merge_heads(probabilities * kept / (1 - dropout) @ value))


def _kept_weights(
    came: Tensor, weights: Mapping[str, Tensor], x: Tensor, context: Tensor, head_dim: int, dropout: float
) -> Tensor:
    """Which attention weights were kept, read off the result: 1 or 0, (batch, heads, x, context)."""
    parts = separated(weights) if "qkv_proj.weight" in weights else weights
    probabilities, value = _weights_and_values(parts, x, context, head_dim)
    merged = torch.linalg.solve(parts["o_proj.weight"], (came - parts["o_proj.bias"]).mT).mT
    found = split_heads(merged, head_dim) @ torch.linalg.pinv(value)
    kept: Tensor = (found / probabilities * (1 - dropout)).round().clamp(0, 1)
    return kept


def _weights_and_values(
    weights: Mapping[str, Tensor], x: Tensor, context: Tensor, head_dim: int
) -> tuple[Tensor, Tensor]:
    """Of every query head."""
    sources = {"q": x, "k": context, "v": context}
    query, key, value = (split_heads(project(weights, name, of), head_dim) for name, of in sources.items())
    groups = query.shape[1] // key.shape[1]
    key, value = (part.repeat_interleave(groups, dim=1) for part in (key, value))
    return torch.softmax(query @ key.mT / math.sqrt(head_dim), dim=-1), value
