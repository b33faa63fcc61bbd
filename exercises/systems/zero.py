"""ZeRO, simulated: data-parallel Adam whose ranks share out moments, gradients and parameters, step by step.

Every rank computes gradients for a batch of its own; replicating everything else on all ranks is waste.
From "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models" (Rajbhandari et al., 2020).
Forbidden: torch.optim and the fused optimizer operators (torch._fused_adam_ and kin).
"""

import torch
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
        raise NotImplementedError

    def full_parameters(self) -> list[Float[Tensor, "numel"]]:
        """The whole parameter vector, for each rank: what it computes with, without padding.

        Stages 0 to 2 send nothing, and may give views of what is held. Stage 3 all-gathers the shards,
        (w - 1) n / w elements at each call, and does not keep the result.
        """
        raise NotImplementedError

    def step(self, gradients: list[Float[Tensor, "numel"]]) -> None:
        """One step of Adam on the average of the ranks' gradients; gradients[i] is rank i's own.

        After it all ranks agree on the parameters, whatever the stage: those of torch.optim.Adam. float32
        stays float32, float64 stays float64. gradients is not modified.
        """
        raise NotImplementedError
