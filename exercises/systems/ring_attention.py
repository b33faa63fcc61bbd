"""Ring attention: exact attention over a sequence cut into blocks, one on each rank.

No rank ever holds the whole sequence, so it may be as long as all of them together can hold. From "Ring
Attention with Blockwise Transformers for Near-Infinite Context" (Liu et al., 2023). Forbidden: the built-in
attention, softmax (softmin too) and log_softmax. logsumexp and logaddexp are allowed. Where costs are
counted, compute in torch, not in NumPy.
"""

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
    raise NotImplementedError
