"""Ring attention: exact attention over a sequence cut into blocks, one on each rank.

No rank ever holds the whole sequence, so it may be as long as all of them together can hold. From "Ring
Attention with Blockwise Transformers for Near-Infinite Context" (Liu et al., 2023). Forbidden: the built-in
attention, softmax (softmin too) and log_softmax. logsumexp and logaddexp are allowed. Where costs are
counted, compute in torch, not in NumPy.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor


# given
class Ring:
    """What the ranks say to each other. The grader hands over its own, with `shift`, `world_size` and the two
    counters: `shifts`, how often, and `sent`, elements per rank.
    """

    def __init__(self, world_size: int) -> None:
        self.world_size = world_size
        self.shifts = 0
        self.sent = 0

    def shift(self, tensors: list[Tensor]) -> list[Tensor]:
        """Rank r gets a copy of what rank (r - 1) % world_size put in; tensors have one shape."""
        self.shifts += 1
        self.sent += tensors[0].numel()
        return [tensors[rank - 1].clone() for rank in range(self.world_size)]


# end given


def ring_attention(
    queries: list[Float[Tensor, "batch heads block head_dim"]],
    keys: list[Float[Tensor, "batch heads block head_dim"]],
    values: list[Float[Tensor, "batch heads block head_dim"]],
    ring: Ring,
    is_causal: bool = False,
) -> list[Float[Tensor, "batch heads block head_dim"]]:
    """softmax(Q K^T / sqrt(head_dim)) V over the whole sequence, for each rank the rows of its own queries.

    Lists have one entry per rank, w = ring.world_size of them, all of one shape: rank r has the tokens
    r * block … (r + 1) * block - 1, and learns of the others' through `ring.shift` alone.
    is_causal: the query of token i attends to the tokens 0 … i of the whole sequence.

    Each rank sends exactly (w - 1) * 2 * batch * heads * block * head_dim elements, with is_causal too: keys
    and values, in one tensor or in two, w - 1 times (not back to their owner). No operation makes a tensor,
    views included, of more than batch * heads * block * max(block, 2 * head_dim) elements: so each rank
    computes for itself, with one block of keys at a time. With is_causal, blocks from later ranks are passed
    on but not computed with: at 8 ranks it takes at most 0.6 of the FLOPs in matrix products that it takes
    without. (In an answer without any matrix product, the elements that all its operations make are counted.)

    Scores of ±3e3, rising or falling from rank to rank, give finite values, right to 1e-3. float32 stays
    float32, float64 stays float64; results are on the device of the queries. No argument is modified.
    Gradients are not asked for.
    """
    world_size, head_dim = ring.world_size, queries[0].shape[-1]
    # For each query, of the blocks so far: (batch, heads, block, 1); and the output, not yet divided.
    largest = [torch.full_like(query[..., :1], -math.inf) for query in queries]
    denominators = [torch.zeros_like(query[..., :1]) for query in queries]
    outputs = [torch.zeros_like(query) for query in queries]

    for step in range(world_size):
        for rank, query in enumerate(queries):
            source = (rank - step) % world_size  # whose keys and values have come so far
            if is_causal and source > rank:
                continue  # they are all later than these queries
            scores = query @ keys[rank].transpose(-2, -1)  # (batch, heads, block, block)
            scores = scores / math.sqrt(head_dim)
            if is_causal and source == rank:
                later = torch.ones_like(scores[0, 0], dtype=torch.bool).triu(1)
                scores = scores.masked_fill(later, -math.inf)

            new_largest = torch.maximum(largest[rank], scores.amax(dim=-1, keepdim=True))
            weights = torch.exp(scores - new_largest)
            # What is summed so far counts from the old maximum; now it has to count from the new one.
            correction = torch.exp(largest[rank] - new_largest)  # 0 in the first step
            denominators[rank] = denominators[rank] * correction + weights.sum(dim=-1, keepdim=True)
            outputs[rank] = outputs[rank] * correction + weights @ values[rank]
            largest[rank] = new_largest
        if step < world_size - 1:  # nobody needs its own block back
            keys, values = ring.shift(keys), ring.shift(values)
    return [output / denominator for output, denominator in zip(outputs, denominators, strict=True)]
