"""ZeRO, simulated: data-parallel Adam whose ranks share out moments, gradients and parameters, step by step.

Every rank computes gradients for a batch of its own; replicating everything else on all ranks is waste.
From "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models" (Rajbhandari et al., 2020).
Forbidden: torch.optim and the fused optimizer operators (torch._fused_adam_ and kin).
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


# given
class Collectives:
    """What the ranks say to each other: lists with one tensor per rank in, new lists with one per rank out.

    Inputs are left alone; all tensors of a list have the same size n. `sent` counts the elements that each
    rank has sent, by ring algorithms. The grader hands over its own, with these methods and `sent`.
    """

    def __init__(self, world_size: int) -> None:
        self.world_size = world_size
        self.sent = 0

    def all_reduce(self, tensors: list[Float[Tensor, "n"]]) -> list[Float[Tensor, "n"]]:
        """Every rank gets the sum. Sends 2 (world_size - 1) n / world_size."""
        self.sent += 2 * (self.world_size - 1) * tensors[0].numel() // self.world_size
        total = torch.stack(tensors).sum(dim=0)
        return [total.clone() for _ in tensors]

    def reduce_scatter(self, tensors: list[Float[Tensor, "n"]]) -> list[Float[Tensor, "shard"]]:
        """Rank i gets chunk i of the sum. Sends (world_size - 1) n / world_size; world_size must divide n."""
        if tensors[0].numel() % self.world_size != 0:
            raise ValueError(f"{tensors[0].numel()} elements make no {self.world_size} equal chunks")
        self.sent += (self.world_size - 1) * tensors[0].numel() // self.world_size
        total = torch.stack(tensors).sum(dim=0)
        return [chunk.clone() for chunk in total.chunk(self.world_size)]

    def all_gather(self, shards: list[Float[Tensor, "shard"]]) -> list[Float[Tensor, "n"]]:
        """Every rank gets all shards, one after the other: n. Sends (world_size - 1) n / world_size."""
        self.sent += (self.world_size - 1) * shards[0].numel()
        return [torch.cat(shards) for _ in shards]


# end given


class ZeroAdam:
    """Adam on one flat parameter vector, held by world_size ranks.

    `ranks[i]` is what rank i holds between calls: a dict of "parameters", "gradients", "exp_avg" and
    "exp_avg_sq", flat tensors. After a step each is, of n = numel elements, by stage:

        stage  parameters  gradients  exp_avg, exp_avg_sq  sent by each rank in a step
          0         n          n               n           2 (w - 1) n / w: gradients all-reduced
          1         n          n              n / w        2 (w - 1) n / w: gradients reduce-scattered,
                                                           updated parameters all-gathered
          2         n        n / w            n / w        2 (w - 1) n / w: gradients reduce-scattered,
                                                           updated parameters all-gathered
          3       n / w      n / w            n / w        (w - 1) n / w: gradients reduce-scattered

    with w = world_size; rank i has chunk i. Stage 1 may all-reduce its gradients, and sends 3 (w - 1) n / w
    then; either will do. "gradients" are what is left of the last step's:
    local ones, sums or averages, since only their size counts, and that after a step. "exp_avg" and
    "exp_avg_sq" are Adam's running averages of the gradient and of its square. Nothing else of such a size is
    kept, in attributes or elsewhere; a rank learns about others through `collectives` alone.

    Where w does not divide n, shards have ceil(n / w) elements, the last ones padded, and nothing is dropped;
    replicated tensors may be padded too. The table is checked with sizes that w divides.
    """

    ranks: list[dict[str, Tensor]]

    def __init__(
        self,
        parameters: Float[Tensor, "numel"],
        world_size: int,
        stage: int,
        collectives: Collectives,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ) -> None:
        """Every rank starts from the same parameters; that sends nothing. parameters is not modified.

        stage: 0 replicates everything, 1 shards the moments, 2 also the gradients, 3 also the parameters;
        anything else raises ValueError (or AssertionError). lr, betas and eps are those of torch.optim.Adam,
        without weight decay.
        """
        if stage not in (0, 1, 2, 3):
            raise ValueError(f"stage must be 0, 1, 2 or 3, not {stage}")
        self.world_size = world_size
        self.stage = stage
        self.collectives = collectives
        self.lr = lr
        self.betas = betas
        self.eps = eps
        self.steps = 0
        self.numel = parameters.numel()
        self.shard_size = math.ceil(self.numel / world_size)
        self.ranks = []
        for rank in range(world_size):
            full = self._padded(parameters)
            shard = self._shard(full, rank).clone()  # a view would keep the whole vector
            moments = full if stage == 0 else shard
            self.ranks.append(
                {
                    "parameters": full if stage < 3 else shard,
                    "gradients": torch.zeros_like(full if stage < 2 else shard),
                    "exp_avg": torch.zeros_like(moments),
                    "exp_avg_sq": torch.zeros_like(moments),
                }
            )

    def full_parameters(self) -> list[Float[Tensor, "numel"]]:
        """The whole parameter vector, for each rank: what it computes with, without padding.

        Stages 0 to 2 send nothing, and may give views of what is held. Stage 3 all-gathers the shards,
        (w - 1) n / w elements at each call, and does not keep the result.
        """
        parameters = [held["parameters"] for held in self.ranks]
        if self.stage == 3:
            parameters = self.collectives.all_gather(parameters)
        return [full[: self.numel] for full in parameters]

    def step(self, gradients: list[Float[Tensor, "numel"]]) -> None:
        """One step of Adam on the average of the ranks' gradients; gradients[i] is rank i's own.

        After it all ranks agree on the parameters, whatever the stage: those of torch.optim.Adam. float32
        stays float32, float64 stays float64. gradients is not modified.
        """
        self.steps += 1
        # Each rank's loss is a mean over its own batch: that of the whole batch is the average of them.
        local = [self._padded(gradient) / self.world_size for gradient in gradients]
        if self.stage == 0:
            averaged = self.collectives.all_reduce(local)
        else:
            averaged = self.collectives.reduce_scatter(local)  # (shard_size,) each
        updated = []
        for rank, held in enumerate(self.ranks):
            held["gradients"] = local[rank] if self.stage == 1 else averaged[rank]
            parameters = held["parameters"]
            if self.stage in (1, 2):
                parameters = self._shard(parameters, rank)
            updated.append(self._adam(held, parameters, averaged[rank]))
        if self.stage in (1, 2):
            updated = self.collectives.all_gather(updated)  # a rank has updated its own shard only
        for held, parameters in zip(self.ranks, updated, strict=True):
            held["parameters"] = parameters

    def _adam(self, held: dict[str, Tensor], parameters: Tensor, gradient: Tensor) -> Tensor:
        beta1, beta2 = self.betas
        held["exp_avg"] = beta1 * held["exp_avg"] + (1 - beta1) * gradient
        held["exp_avg_sq"] = beta2 * held["exp_avg_sq"] + (1 - beta2) * gradient.square()
        # Both start at zero, which makes them too small at first.
        exp_avg = held["exp_avg"] / (1 - beta1**self.steps)
        exp_avg_sq = held["exp_avg_sq"] / (1 - beta2**self.steps)
        return parameters - self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps)

    def _padded(self, vector: Tensor) -> Tensor:
        # Zeros have zero gradients and stay zero. F.pad copies also where there is nothing to add.
        return F.pad(vector, (0, self.shard_size * self.world_size - self.numel))

    def _shard(self, full: Tensor, rank: int) -> Tensor:
        return full[rank * self.shard_size : (rank + 1) * self.shard_size]
