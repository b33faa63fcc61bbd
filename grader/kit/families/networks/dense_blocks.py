"""What tensor-parallel blocks are compared with: the uncut MLP and attention, and how weights are cut."""

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.kit.generators import Rng

_BY_COLUMNS = ("down_proj.weight", "o_proj.weight")
_WHOLE = ("down_proj.bias", "o_proj.bias")


def drawn(
    rng: Rng, name: str, hidden: int = 24, intermediate: int = 8, dtype: torch.dtype = torch.float64
) -> dict[str, Tensor]:
    """The full weights of a "ParallelMLP" or "ParallelAttention". Into its default of 4 heads a half of the
    features can be cut as well: whoever cuts what a rank has into all heads comes to values.
    """
    shapes = {f"{part}_proj": (hidden, hidden) for part in "qkvo"}
    if name == "ParallelMLP":
        shapes = {"up_proj": (intermediate, hidden), "down_proj": (hidden, intermediate)}
    weights = {}
    for part, shape in shapes.items():
        weights[f"{part}.weight"] = rng.normal(*shape, dtype=dtype, scale=0.5)
        weights[f"{part}.bias"] = rng.normal(shape[0], dtype=dtype)
    return weights


def dense(name: str, weights: Mapping[str, Tensor], x: Tensor, num_heads: int = 4) -> Tensor:
    """The oracle: what the uncut block makes of x (batch, seq, hidden)."""
    if name == "ParallelMLP":
        hidden = F.gelu(F.linear(x, weights["up_proj.weight"], weights["up_proj.bias"]))
        return F.linear(hidden, weights["down_proj.weight"], weights["down_proj.bias"])
    turned = x.transpose(0, 1)
    weight, bias = (
        torch.cat([weights[f"{part}_proj.{kind}"] for part in "qkv"]) for kind in ("weight", "bias")
    )
    out, _ = F.multi_head_attention_forward(
        turned,
        turned,
        turned,
        embed_dim_to_check=x.shape[-1],
        num_heads=num_heads,
        in_proj_weight=weight,
        in_proj_bias=bias,
        bias_k=None,
        bias_v=None,
        add_zero_attn=False,
        dropout_p=0.0,
        out_proj_weight=weights["o_proj.weight"],
        out_proj_bias=weights["o_proj.bias"],
        attn_mask=torch.ones(len(turned), len(turned)).triu(1).bool(),
        need_weights=False,
    )
    return out.transpose(0, 1)


def shards(values: Mapping[str, Tensor], world_size: int) -> list[dict[str, Tensor]]:
    """What each rank holds of the full weights, or of their gradients."""
    return [
        {
            key: value if key in _WHOLE else value.chunk(world_size, 1 if key in _BY_COLUMNS else 0)[rank]
            for key, value in values.items()
        }
        for rank in range(world_size)
    ]


def held_by(
    answer: "Any", name: "Any", weights: "Any", options: "Any", collectives: "Any", needed: "Any" = False
) -> "Any":
    """To be run in the worker. Of the tensors that the ranks hold, made of weights that require gradients if
    `needed`: what they lack, whether they keep more memory alive than they need, and whether they share it.
    """
    weights = {key: weight.requires_grad_(needed) for key, weight in weights.items()}
    layer = getattr(answer, name)(weights, *options, collectives)
    tensors = [tensor for held in layer.ranks for tensor in held.values()]
    lacking = "" if all(tensor.is_leaf for tensor in tensors) else "are no leaves"
    lacking = lacking if all(tensor.requires_grad for tensor in tensors) else "require no gradients"
    storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors}
    larger = sum(storages.values()) > sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    shared = False
    everything = [*tensors, *weights.values()]
    for tensor in tensors:
        before = [each.detach().clone() for each in everything]
        with torch.no_grad():
            tensor.add_(1)
        pairs = zip(everything, before, strict=True)
        shared = shared or any(each is not tensor and not torch.equal(each, old) for each, old in pairs)
    return lacking, larger, shared


def trained(
    answer: "Any",
    name: "Any",
    weights: "Any",
    options: "Any",
    x: "Any",
    upstream: "Any",
    needed: "Any",
    *networks: "Any",
) -> "Any":
    """To be run in the worker. For a block on each of the collectives the gradients of its xs and shards, a
    missing one as zeros. All forward passes come before the first backward pass.
    """

    def gradient(tensor: "Any") -> "Any":
        return torch.zeros_like(tensor) if tensor.grad is None else tensor.grad

    layers = [getattr(answer, name)(weights, *options, collectives) for collectives in networks]
    inputs = [[x.clone().requires_grad_(needed) for _ in range(each.world_size)] for each in networks]
    outputs = [layer.forward(xs) for layer, xs in zip(layers, inputs, strict=True)]
    for each in outputs:
        if any(output.requires_grad for output in each):
            sum((output * upstream).sum() for output in each).backward()
    held = [[{key: gradient(own[key]) for key in own} for own in layer.ranks] for layer in layers]
    return [([gradient(each) for each in xs], shards) for xs, shards in zip(inputs, held, strict=True)]
