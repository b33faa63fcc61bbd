"""All ranks stacked in one tensor for f and g (one-tensor Functions), forward of all ranks in einsum form."""

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


class _SumOfGradients(torch.autograd.Function):
    @staticmethod
    def forward(ctx, stacked, collectives):
        ctx.collectives = collectives
        return stacked.clone()

    @staticmethod
    def backward(ctx, grad):
        return torch.stack(ctx.collectives.all_reduce(list(grad.unbind(0)))), None


class _SumOfValues(torch.autograd.Function):
    @staticmethod
    def forward(ctx, stacked, collectives):
        return torch.stack(collectives.all_reduce(list(stacked.unbind(0))))

    @staticmethod
    def backward(ctx, grad):
        return grad, None


def copy_to_ranks(xs, collectives):
    return list(_SumOfGradients.apply(torch.stack(xs), collectives).unbind(0))


def reduce_from_ranks(xs, collectives):
    return list(_SumOfValues.apply(torch.stack(xs), collectives).unbind(0))


def _cut(weights, rows, columns, whole, world):
    ranks = [{} for _ in range(world)]
    for name in rows + columns + whole:
        full = weights[name].detach()
        if name in whole:
            pieces = [full] * world
        else:
            pieces = torch.tensor_split(full, world, dim=0 if name in rows else 1)
        for rank, piece in zip(ranks, pieces):
            rank[name] = torch.zeros(piece.shape, dtype=piece.dtype, device=piece.device).add_(piece)
            rank[name].requires_grad_(True)
    return ranks


class ParallelMLP:
    def __init__(self, weights, collectives):
        self.collectives = collectives
        if weights["down_proj.weight"].shape[1] % collectives.world_size != 0:
            raise ValueError("intermediate")
        self.ranks = _cut(
            weights,
            ["up_proj.weight", "up_proj.bias"],
            ["down_proj.weight"],
            ["down_proj.bias"],
            collectives.world_size,
        )

    def forward(self, xs):
        partial = []
        for rank, x in enumerate(copy_to_ranks(xs, self.collectives)):
            w = self.ranks[rank]
            hidden = F.gelu(torch.einsum("bsh,ih->bsi", x, w["up_proj.weight"]) + w["up_proj.bias"])
            partial.append(torch.einsum("bsi,hi->bsh", hidden, w["down_proj.weight"]))
        total = reduce_from_ranks(partial, self.collectives)
        return [torch.add(total[r], self.ranks[r]["down_proj.bias"]) for r in range(len(total))]


class ParallelAttention:
    def __init__(self, weights, num_heads, collectives):
        world = collectives.world_size
        hidden = weights["o_proj.weight"].shape[0]
        if hidden % num_heads != 0 or num_heads % world != 0:
            raise ValueError("num_heads")
        self.collectives, self.head_dim = collectives, hidden // num_heads
        rows = [a + b for a in ("q_proj", "k_proj", "v_proj") for b in (".weight", ".bias")]
        self.ranks = _cut(weights, rows, ["o_proj.weight"], ["o_proj.bias"], world)

    def _project(self, x, w, name):
        heads = w[name + ".weight"].view(-1, self.head_dim, x.size(-1))
        return torch.einsum("bsn,hdn->bhsd", x, heads) + w[name + ".bias"].view(-1, 1, self.head_dim)

    def _mix(self, x, w):
        q, k, v = (self._project(x, w, name) for name in ("q_proj", "k_proj", "v_proj"))
        scores = torch.einsum("bhqd,bhkd->bhqk", q * self.head_dim**-0.5, k)
        place = torch.arange(x.size(1), device=x.device)
        scores = scores.masked_fill(place[None, :] > place[:, None], float("-inf"))
        mixed = torch.einsum("bhqk,bhkd->bqhd", torch.softmax(scores, dim=-1), v).flatten(2)
        return torch.einsum("bsi,oi->bso", mixed, w["o_proj.weight"])

    def forward(self, xs):
        copies = copy_to_ranks(xs, self.collectives)
        total = reduce_from_ranks([self._mix(x, w) for x, w in zip(copies, self.ranks)], self.collectives)
        return [t + w["o_proj.bias"] for t, w in zip(total, self.ranks)]
