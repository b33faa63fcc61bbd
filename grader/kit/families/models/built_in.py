"""PyTorch's own layers and functions as oracles, with an answer's weights put in by name.

In an answer the projections of attention are linear layers named `q_proj`, `k_proj`, `v_proj` and `o_proj`,
those of the feed-forward network `up_proj` and `down_proj`, the norms `norm1`, `norm2` and `norm3`. Masks are
boolean, True = may be attended to, and broadcast to (batch, num_heads, queries, keys).
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call

from grader.kit.generators import Rng
from grader.kit.handles import Instance, Weights

Activation = str | Callable[[Tensor], Tensor]


def randomize_but(module: Instance, rng: Rng, *silent: str) -> Weights:
    """Give every parameter of a module random values, but zeros in all layers of these names, and say which.
    What a part of a layer adds is nothing then, and the others can be looked at alone.
    """
    values = {
        name: rng.normal(*shape, scale=0.0 if any(f".{layer}." in f".{name}" for layer in silent) else 0.5)
        for name, shape in sorted(module.shapes().items())
    }
    module.load(values)
    return Weights(values)


def encoder_layer(
    weights: Mapping[str, Tensor],
    x: Tensor,
    mask: Tensor | None = None,
    *,
    num_heads: int,
    activation: Activation = "relu",
    norm_first: bool = False,
    eps: float = 1e-5,
) -> Tensor:
    """nn.TransformerEncoderLayer, without dropout."""
    kind = {"activation": activation, "norm_first": norm_first, "layer_norm_eps": eps}
    layer = _layer(nn.TransformerEncoderLayer, weights, "", num_heads, kind)
    result: Tensor = functional_call(layer, _of_layer(weights, ""), (x, _forbidden(mask, x, x, num_heads)))
    return result


def encoder(
    weights: Mapping[str, Tensor],
    x: Tensor,
    mask: Tensor | None = None,
    *,
    num_layers: int,
    num_heads: int,
    activation: Activation = "relu",
    norm_first: bool = False,
    eps: float = 1e-5,
) -> Tensor:
    """nn.TransformerEncoder of layers whose weights are named `layers.0.q_proj.weight` and so on, without
    dropout. Where there is a `norm.weight`, that norm comes last.
    """
    kind = {"activation": activation, "norm_first": norm_first, "layer_norm_eps": eps}
    last = {name: weights[name] for name in ("norm.weight", "norm.bias") if name in weights}
    layer = _layer(nn.TransformerEncoderLayer, weights, "layers.0.", num_heads, kind)
    model = _stack(layer, num_layers, eps if last else None)
    own = {
        f"layers.{i}.{name}": value
        for i in range(num_layers)
        for name, value in _of_layer(weights, f"layers.{i}.").items()
    }
    result: Tensor = functional_call(model, own | last, (x, _forbidden(mask, x, x, num_heads)))
    return result


def decoder_layer(
    weights: Mapping[str, Tensor],
    x: Tensor,
    memory: Tensor,
    mask: Tensor | None = None,
    memory_mask: Tensor | None = None,
    *,
    num_heads: int,
    activation: Activation = "relu",
    norm_first: bool = False,
) -> Tensor:
    """nn.TransformerDecoderLayer, without dropout. Its attentions: `self_attn` and `cross_attn`."""
    kind = {"activation": activation, "norm_first": norm_first}
    layer = _layer(nn.TransformerDecoderLayer, weights, "", num_heads, kind)
    own = (
        _of_attention(weights, "self_attn.", "self_attn")
        | _of_attention(weights, "cross_attn.", "multihead_attn")
        | _of_feed_forward(weights, "")
        | _of_norms(weights, "", 3)
    )
    masks = {
        "tgt_mask": _forbidden(mask, x, x, num_heads),
        "memory_mask": _forbidden(memory_mask, x, memory, num_heads),
    }
    result: Tensor = functional_call(layer, own, (x, memory), masks)
    return result


def bert_embeddings(
    weights: Mapping[str, Tensor],
    input_ids: Tensor,
    token_type_ids: Tensor | None = None,
    past_length: int = 0,
    *,
    pad_id: int = 0,
    eps: float = 1e-12,
    prefix: str = "",
) -> Tensor:
    """F.layer_norm of the sum of three F.embedding. The names of the weights begin with `prefix`."""
    word, position, token_type, weight, bias = (
        weights[prefix + name]
        for name in (
            *(f"{kind}_embeddings.weight" for kind in ("word", "position", "token_type")),
            *("norm.weight", "norm.bias"),
        )
    )
    types = input_ids * 0 if token_type_ids is None else token_type_ids
    places = torch.arange(past_length, past_length + input_ids.shape[1]).expand_as(input_ids)
    words = F.embedding(input_ids, word, padding_idx=pad_id)
    summed = words + F.embedding(places, position) + F.embedding(types, token_type)
    return F.layer_norm(summed, summed.shape[-1:], weight, bias, eps)


def _layer(
    kind: Callable[..., nn.Module],
    weights: Mapping[str, Tensor],
    prefix: str,
    num_heads: int,
    options: dict[str, Any],
) -> Any:
    """In training mode, where PyTorch takes no short cut. It has no weights of its own: others are put in."""
    up = weights[f"{prefix}up_proj.weight"]
    sizes = {"d_model": up.shape[1], "nhead": num_heads, "dim_feedforward": up.shape[0]}
    return _made(kind, **sizes, **options, dtype=up.dtype)


@lru_cache(maxsize=256)
def _made(kind: Callable[..., nn.Module], **options: Any) -> Any:
    return kind(**options, dropout=0.0, batch_first=True, device="meta")


@lru_cache(maxsize=256)
def _stack(layer: Any, num_layers: int, eps_of_last: float | None) -> Any:
    """So many copies of a layer, with a norm after them where there is an eps for it."""
    size = layer.linear1.in_features
    norm = None if eps_of_last is None else nn.LayerNorm(size, eps_of_last, device="meta")
    return nn.TransformerEncoder(layer, num_layers, norm, enable_nested_tensor=False)


def _of_layer(weights: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return (
        _of_attention(weights, prefix, "self_attn")
        | _of_feed_forward(weights, prefix)
        | _of_norms(weights, prefix, 2)
    )


def _of_attention(weights: Mapping[str, Tensor], prefix: str, name: str) -> dict[str, Tensor]:
    return {
        f"{name}.in_proj_weight": torch.cat([weights[f"{prefix}{each}_proj.weight"] for each in "qkv"]),
        f"{name}.in_proj_bias": torch.cat([weights[f"{prefix}{each}_proj.bias"] for each in "qkv"]),
        f"{name}.out_proj.weight": weights[f"{prefix}o_proj.weight"],
        f"{name}.out_proj.bias": weights[f"{prefix}o_proj.bias"],
    }


def _of_feed_forward(weights: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    names = {"linear1": "up_proj", "linear2": "down_proj"}
    return _renamed(weights, {theirs: f"{prefix}{own}" for theirs, own in names.items()})


def _of_norms(weights: Mapping[str, Tensor], prefix: str, count: int) -> dict[str, Tensor]:
    return _renamed(weights, {f"norm{i}": f"{prefix}norm{i}" for i in range(1, count + 1)})


def _renamed(weights: Mapping[str, Tensor], names: Mapping[str, str]) -> dict[str, Tensor]:
    kinds = ("weight", "bias")
    return {f"{theirs}.{kind}": weights[f"{own}.{kind}"] for theirs, own in names.items() for kind in kinds}


def _forbidden(mask: Tensor | None, x: Tensor, context: Tensor, num_heads: int) -> Tensor | None:
    """The mask as nn.MultiheadAttention takes it: True = may not be attended to, heads after each other."""
    if mask is None:
        return None
    batch, seq, _ = x.shape
    return ~mask.expand(batch, num_heads, seq, context.shape[1]).flatten(0, 1)
