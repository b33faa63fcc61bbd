"""nn.Modules with the built-in attention; f and g are one function with a direction."""

import torch
import torch.nn.functional as F
from torch import nn


class AllReduce(torch.autograd.Function):
    """Sums in one direction, passes on in the other."""

    @staticmethod
    def forward(ctx, talk, is_forward, *parts):
        ctx.talk, ctx.is_forward = talk, is_forward
        return tuple(talk.all_reduce(parts)) if is_forward else tuple(part.clone() for part in parts)

    @staticmethod
    def backward(ctx, *gradients):
        return (None, None, *(gradients if ctx.is_forward else ctx.talk.all_reduce(gradients)))


def copy_to_ranks(xs, collectives):
    return list(xs) if len(xs) == 1 else list(AllReduce.apply(collectives, False, *xs))


def reduce_from_ranks(xs, collectives):
    return list(xs) if len(xs) == 1 else list(AllReduce.apply(collectives, True, *xs))


class Parallel(nn.Module):
    columns, last = "", ""

    def __init__(self, weights, collectives):
        super().__init__()
        self.collectives = collectives
        world = collectives.world_size
        self.ranks = []
        for rank in range(world):
            self.ranks.append({})
            for name, weight in weights.items():
                if name == self.last:
                    part = weight
                elif name == self.columns:
                    width = weight.shape[1] // world
                    part = weight.narrow(1, rank * width, width)
                else:
                    width = weight.shape[0] // world
                    part = weight.narrow(0, rank * width, width)
                copy = torch.empty(part.shape, dtype=part.dtype, device=part.device).copy_(part)
                self.ranks[-1][name] = nn.Parameter(copy)

    def forward(self, xs):
        copies = copy_to_ranks(xs, self.collectives)
        parts = [self.part(x, held) for x, held in zip(copies, self.ranks, strict=True)]
        sums = reduce_from_ranks(parts, self.collectives)
        return [one.add(held[self.last]) for one, held in zip(sums, self.ranks, strict=True)]


class ParallelMLP(Parallel):
    columns, last = "down_proj.weight", "down_proj.bias"

    def __init__(self, weights, collectives):
        assert len(weights["up_proj.bias"]) % collectives.world_size == 0
        super().__init__(weights, collectives)

    def part(self, x, held):
        return F.gelu(x @ held["up_proj.weight"].T + held["up_proj.bias"]) @ held["down_proj.weight"].T


class ParallelAttention(Parallel):
    columns, last = "o_proj.weight", "o_proj.bias"

    def __init__(self, weights, num_heads, collectives):
        size = len(weights["o_proj.bias"])
        assert size % num_heads == 0 and num_heads % collectives.world_size == 0
        super().__init__(weights, collectives)
        self.heads = num_heads // collectives.world_size

    def part(self, x, held):
        batch, seq, _ = x.shape
        q, k, v = [
            F.linear(x, held[f"{n}_proj.weight"], held[f"{n}_proj.bias"]).view(batch, seq, self.heads, -1)
            for n in "qkv"
        ]
        out = F.scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)), is_causal=True)
        return out.transpose(1, 2).reshape(batch, seq, -1) @ held["o_proj.weight"].T
