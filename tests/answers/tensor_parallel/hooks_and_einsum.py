"""f and g without an autograd.Function: a hook on all ranks' gradients, and a detached difference."""

import math

import torch


class Sum:
    """g: the value is the sum, the gradient each rank's own: x + (sum - x) without the bracket's."""

    def __call__(self, xs, collectives):
        return [
            x + (total - x.detach()) for x, total in zip(xs, collectives.all_reduce(list(xs)), strict=True)
        ]


reduce_from_ranks = Sum()


def copy_to_ranks(xs, collectives):
    stacked = torch.stack(list(xs))  # one node, whose gradient is there when that of all ranks is
    if stacked.requires_grad:
        stacked.register_hook(lambda gradient: torch.stack(list(collectives.all_reduce(list(gradient)))))
    return [*stacked]


def own(weight, rank, world, dim):
    size = weight.shape[dim] // world
    index = torch.arange(rank * size, (rank + 1) * size, device=weight.device)
    return weight.detach().index_select(dim, index).contiguous().requires_grad_()


class ParallelMLP:
    def __init__(self, weights, collectives):
        world = collectives.world_size
        if weights["down_proj.weight"].shape[1] % world:
            raise ValueError("cannot be divided")
        self.talk = collectives
        self.ranks = [
            {
                "up_proj.weight": own(weights["up_proj.weight"], rank, world, 0),
                "up_proj.bias": own(weights["up_proj.bias"], rank, world, 0),
                "down_proj.weight": own(weights["down_proj.weight"], rank, world, 1),
                "down_proj.bias": own(weights["down_proj.bias"], 0, 1, 0),
            }
            for rank in range(world)
        ]

    def forward(self, xs):
        parts = []
        for x, held in zip(copy_to_ranks(xs, self.talk), self.ranks, strict=True):
            h = torch.einsum("bsh,ih->bsi", x, held["up_proj.weight"]) + held["up_proj.bias"]
            h = h * (1 + torch.erf(h / math.sqrt(2))) / 2
            parts.append(torch.einsum("bsi,hi->bsh", h, held["down_proj.weight"]))
        sums = reduce_from_ranks(parts, self.talk)
        return [total + held["down_proj.bias"] for total, held in zip(sums, self.ranks, strict=True)]


class ParallelAttention:
    def __init__(self, weights, num_heads, collectives):
        world = collectives.world_size
        if num_heads % world or weights["q_proj.weight"].shape[1] % num_heads:
            raise ValueError("cannot be divided")
        self.talk, self.size = collectives, weights["q_proj.weight"].shape[1] // num_heads
        self.ranks = []
        for rank in range(world):
            held = {"o_proj.weight": own(weights["o_proj.weight"], rank, world, 1)}
            held["o_proj.bias"] = own(weights["o_proj.bias"], 0, 1, 0)
            for part in "qkv":
                for kind in ("weight", "bias"):
                    name = f"{part}_proj.{kind}"
                    held[name] = own(weights[name], rank, world, 0)
            self.ranks.append(held)

    def forward(self, xs):
        parts = []
        for x, held in zip(copy_to_ranks(xs, self.talk), self.ranks, strict=True):
            q, k, v = (
                (torch.einsum("bsh,oh->bso", x, held[f"{n}_proj.weight"]) + held[f"{n}_proj.bias"]).split(
                    self.size, dim=-1
                )
                for n in "qkv"
            )
            heads = []
            for query, key, value in zip(q, k, v, strict=True):
                scores = torch.einsum("bqd,bkd->bqk", query, key) / self.size**0.5
                places = torch.arange(x.shape[1], device=x.device)
                scores = torch.where(places[:, None] >= places, scores, float("-inf"))
                heads.append(torch.einsum("bqk,bkd->bqd", scores.softmax(2), value))
            parts.append(torch.einsum("bsi,hi->bsh", torch.cat(heads, -1), held["o_proj.weight"]))
        sums = reduce_from_ranks(parts, self.talk)
        return [total + held["o_proj.bias"] for total, held in zip(sums, self.ranks, strict=True)]
