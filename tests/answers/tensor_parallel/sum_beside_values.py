"""f is an autograd.Function over all ranks; g has no Function: the sum plus (x - x.detach()); sdpa for the
attention.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


class Collectives:
    def __init__(self, world_size: int) -> None:
        self.world_size = world_size
        self.calls: list[str] = []

    def all_reduce(self, tensors: list[Tensor]) -> list[Tensor]:
        self.calls.append("all_reduce")
        total = torch.stack([tensor.detach() for tensor in tensors]).sum(dim=0)
        return [total.clone() for _ in tensors]

    def all_gather(self, tensors: list[Tensor]) -> list[Tensor]:
        self.calls.append("all_gather")
        return [torch.cat([tensor.detach() for tensor in tensors], dim=-1) for _ in tensors]


class _Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, collectives, *xs):
        ctx.collectives = collectives
        return tuple(x.clone() for x in xs)

    @staticmethod
    def backward(ctx, *grads):
        sums = ctx.collectives.all_reduce(list(grads))
        return (None, *(s if need else None for s, need in zip(sums, ctx.needs_input_grad[1:])))


def copy_to_ranks(xs, collectives):
    return list(_Copy.apply(collectives, *xs))


def reduce_from_ranks(xs, collectives):
    sums = collectives.all_reduce([x.detach() for x in xs])
    return [s + (x - x.detach()) for s, x in zip(sums, xs)]


def _own(piece):
    return piece.detach().clone(memory_format=torch.contiguous_format).requires_grad_()


def _shards(weights, world, row_names, column_name, bias_name):
    ranks = []
    for r in range(world):
        shard = {name: _own(weights[name].chunk(world, dim=0)[r]) for name in row_names}
        shard[column_name] = _own(weights[column_name].chunk(world, dim=1)[r])
        shard[bias_name] = _own(weights[bias_name])
        ranks.append(shard)
    return ranks


class ParallelMLP:
    def __init__(self, weights, collectives):
        world = collectives.world_size
        if weights["up_proj.weight"].shape[0] % world:
            raise ValueError("world_size must divide intermediate")
        self.collectives = collectives
        self.ranks = _shards(
            weights, world, ("up_proj.weight", "up_proj.bias"), "down_proj.weight", "down_proj.bias"
        )

    def forward(self, xs):
        parts = []
        for x, w in zip(copy_to_ranks(xs, self.collectives), self.ranks):
            parts.append(
                F.linear(F.gelu(F.linear(x, w["up_proj.weight"], w["up_proj.bias"])), w["down_proj.weight"])
            )
        return [
            s + w["down_proj.bias"] for s, w in zip(reduce_from_ranks(parts, self.collectives), self.ranks)
        ]


class ParallelAttention:
    def __init__(self, weights, num_heads, collectives):
        world, hidden = collectives.world_size, weights["q_proj.weight"].shape[0]
        if hidden % num_heads or num_heads % world:
            raise ValueError("sizes do not divide")
        self.collectives, self.heads = collectives, num_heads // world
        rows = [f"{p}_proj.{kind}" for p in "qkv" for kind in ("weight", "bias")]
        self.ranks = _shards(weights, world, rows, "o_proj.weight", "o_proj.bias")

    def _rank(self, x, w):
        q, k, v = (
            F.linear(x, w[f"{p}_proj.weight"], w[f"{p}_proj.bias"])
            .unflatten(-1, (self.heads, -1))
            .transpose(1, 2)
            for p in "qkv"
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return F.linear(y.transpose(1, 2).flatten(2), w["o_proj.weight"])

    def forward(self, xs):
        parts = [self._rank(x, w) for x, w in zip(copy_to_ranks(xs, self.collectives), self.ranks)]
        return [s + w["o_proj.bias"] for s, w in zip(reduce_from_ranks(parts, self.collectives), self.ranks)]
