"""Tensor parallelism: a transformer's MLP and attention, each cut over ranks, with one sum at its end.

From "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism" (Shoeybi et al.,
2019). Where costs are counted, compute in torch, not in NumPy.
"""

import torch
from jaxtyping import Float
from torch import Tensor


# given
class Collectives:
    """What the ranks say to each other: lists with one tensor per rank in, lists of new tensors out, cut from
    the autograd graph. The grader hands over its own, with these methods, `world_size` and `calls`, the names
    of the methods called.
    """

    def __init__(self, world_size: int) -> None:
        self.world_size = world_size
        self.calls: list[str] = []

    def all_reduce(self, tensors: list[Tensor]) -> list[Tensor]:
        """Every rank gets the sum. Tensors of one shape, whichever it is."""
        self.calls.append("all_reduce")
        total = torch.stack([tensor.detach() for tensor in tensors]).sum(dim=0)
        return [total.clone() for _ in tensors]

    def all_gather(self, tensors: list[Tensor]) -> list[Tensor]:
        """Every rank gets all tensors, joined along the last dimension."""
        self.calls.append("all_gather")
        return [torch.cat([tensor.detach() for tensor in tensors], dim=-1) for _ in tensors]


# end given


def copy_to_ranks(xs: list[Float[Tensor, "..."]], collectives: Collectives) -> list[Float[Tensor, "..."]]:
    """Megatron's f: gives the xs, one per rank. In the backward pass their gradients are all-reduced."""
    raise NotImplementedError


def reduce_from_ranks(xs: list[Float[Tensor, "..."]], collectives: Collectives) -> list[Float[Tensor, "..."]]:
    """Megatron's g: gives the sum of the xs, all-reduced, to each rank. In the backward pass each rank's x
    gets the gradient of that rank's own sum."""
    raise NotImplementedError


class ParallelMLP:
    """Linear, exact GELU, linear: the rows of the first weight and the columns of the second are cut.

    `ranks[r]` is what rank r holds and forward computes with: by the names of the weights, chunk r (of
    world_size equal, contiguous ones) of the rows of up_proj.weight and up_proj.bias, chunk r of the columns
    of down_proj.weight, and the whole down_proj.bias. They are leaves that require gradients, with memory of
    their own, no larger than they are.
    """

    ranks: list[dict[str, Tensor]]

    def __init__(self, weights: dict[str, Tensor], collectives: Collectives) -> None:
        """weights: the full "up_proj.weight" (intermediate, hidden), "up_proj.bias" (intermediate,),
        "down_proj.weight" (hidden, intermediate) and "down_proj.bias" (hidden,), which are not modified.

        Raises ValueError (or AssertionError) if world_size does not divide intermediate.
        """
        raise NotImplementedError

    def forward(self, xs: list[Float[Tensor, "batch seq hidden"]]) -> list[Float[Tensor, "batch seq hidden"]]:
        """Each rank's x, all equal, becomes what the uncut block makes of it, the same on each rank.

        With world_size > 1 exactly one all_reduce in forward, of batch * seq * hidden elements, one in the
        backward pass if the xs require gradients, and nothing else is sent. The matrix products of all ranks
        together take at most the FLOPs of the uncut block. Where the upstream gradients of all ranks are
        equal, every x gets the uncut block's gradient, and every shard that of its chunk.

        down_proj.bias is added once, after the sum. A rank learns of the others by collectives alone. float32
        stays float32, float64 stays float64; results are on the device of the xs. No argument is modified.
        """
        raise NotImplementedError


class ParallelAttention:
    """Causal multi-head self-attention, each rank with the same number of whole heads.

    `ranks[r]`: chunk r of the rows of q_proj, k_proj and v_proj (weight and bias), chunk r of the columns of
    o_proj.weight, and the whole o_proj.bias; else as in ParallelMLP.
    """

    ranks: list[dict[str, Tensor]]

    def __init__(self, weights: dict[str, Tensor], num_heads: int, collectives: Collectives) -> None:
        """weights: the full "q_proj.weight" (hidden, hidden), "q_proj.bias" (hidden,), and k_proj, v_proj and
        o_proj likewise, which are not modified. Head i has features i * head_dim … (i + 1) * head_dim - 1.

        Raises ValueError (or AssertionError) if num_heads does not divide hidden, or world_size num_heads.
        """
        raise NotImplementedError

    def forward(self, xs: list[Float[Tensor, "batch seq hidden"]]) -> list[Float[Tensor, "batch seq hidden"]]:
        """As in ParallelMLP, for softmax(Q K^T / sqrt(head_dim)) V, where a token attends to itself and those
        before it. (Of the scores, those that are masked count too in the uncut block's FLOPs.) Scores of up
        to 3000, of either sign, do not overflow, and later tokens get no weight with them either.
        """
        raise NotImplementedError
