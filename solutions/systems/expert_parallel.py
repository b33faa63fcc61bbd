"""Expert parallelism: a mixture of experts that live on different ranks. Tokens travel to them and back.

So a model may have more experts than one device can hold. From "GShard: Scaling Giant Models with Conditional
Computation and Automatic Sharding" (Lepikhin et al., 2020).
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor


# given
class Collectives:
    """What the ranks say to each other. The grader hands over its own, with `all_to_all`, `world_size` and
    two counters: `calls`, how often, and `sent`, per rank, the floating-point elements that it has sent to
    other ranks (integers are not counted).
    """

    def __init__(self, world_size: int) -> None:
        self.world_size = world_size
        self.calls = 0
        self.sent = [0] * world_size

    def all_to_all(self, sends: list[list[Tensor]]) -> list[list[Tensor]]:
        """sends[r][q] is what rank r sends to rank q: received[q][r] is a copy of it.

        Every entry is a tensor of any first size, 0 too.
        """
        self.calls += 1
        for source, row in enumerate(sends):
            others = [tensor for target, tensor in enumerate(row) if target != source]
            self.sent[source] += sum(tensor.numel() for tensor in others if tensor.is_floating_point())
        return [[row[target].clone() for row in sends] for target in range(self.world_size)]


# end given


def expert_parallel(
    xs: list[Float[Tensor, "tokens hidden"]],
    expert_ids: list[Int[Tensor, "tokens k"]],
    weights: list[Float[Tensor, "tokens k"]],
    experts: list[list[Callable[[Float[Tensor, "rows hidden"]], Float[Tensor, "rows hidden"]]]],
    collectives: Collectives,
) -> list[Float[Tensor, "tokens hidden"]]:
    """Token t of rank r becomes the sum over j of weights[r][t, j] * expert(xs[r][t]), where the expert is
    that of number expert_ids[r][t, j].

    Lists have one entry per rank, and all ranks have equally many experts, per_rank of them. Expert e is
    experts[e // per_rank][e % per_rank]; it takes and gives rows, and treats them alike and apart. A token's
    k experts differ. Weights are used as they are: they need not sum to 1. Nothing is dropped. Ranks may
    have different numbers of tokens, or none, and all tokens may choose the same expert.

    An expert is called once, by its own rank, with its rows from all ranks and no others; without rows it is
    not called. A rank learns of the others' tokens and choices through `all_to_all` alone, which is called at
    most three times. Rank r sends at most hidden * (n + m) floating-point elements to others: n is how many
    copies its tokens need on other ranks, m how many copies others' tokens need on rank r; a token and one of
    its experts make a copy. (So there is no room for weights: they stay at home. A token that goes once to a
    rank with two of its experts takes less, which is allowed.)

    float32 stays float32, float64 stays float64; results are on the device of xs. No argument is modified.
    Gradients are not asked for.
    """
    world_size, per_rank = collectives.world_size, len(experts[0])
    k, hidden = expert_ids[0].shape[1], xs[0].shape[1]

    orders, rows, ids = [], [], []
    for x, chosen in zip(xs, expert_ids, strict=True):
        flat = chosen.flatten()  # (tokens * k,): copy c is of token c // k
        order = flat.argsort()  # by expert, and so by the rank that has it
        counts = torch.bincount(flat // per_rank, minlength=world_size).tolist()
        orders.append(order)
        rows.append(x[order // k].split(counts))  # one tensor per rank: (copies, hidden)
        ids.append(flat[order].split(counts))
    rows, ids = collectives.all_to_all(rows), collectives.all_to_all(ids)

    results = []
    for rank, local_experts in enumerate(experts):
        joined, chosen = torch.cat(rows[rank]), torch.cat(ids[rank])  # source after source
        result = torch.zeros_like(joined)
        for number, expert in enumerate(local_experts, start=rank * per_rank):
            # Each source's rows are sorted by expert, but not all of them together.
            own = chosen == number
            if own.any():
                result[own] = expert(joined[own])
        results.append(result.split([len(each) for each in rows[rank]]))
    returned = collectives.all_to_all(results)

    outputs = []
    for weight, order, parts in zip(weights, orders, returned, strict=True):
        copies = torch.cat(parts)  # (tokens * k, hidden), in the order in which they were sent
        copies = copies[order.argsort()].view(-1, k, hidden)
        outputs.append((weight[..., None] * copies).sum(dim=1))
    return outputs
