"""Known wrong versions of `ring_all_reduce` that go another way where there are few elements."""

from grader.kit import Mistake

N = "    n = tensors[0].numel()\n"

MISTAKES = [
    Mistake(
        "whole-tensors-where-there-are-fewer-than-ranks",
        find=N,
        replace=f"""\
{N}\
    if n < (w := network.world_size):
        totals = current = [tensor.clone() for tensor in tensors]
        for _ in range(w - 1):
            for rank in range(w):
                network.send(rank, (rank + 1) % w, current[rank])
            current = [network.receive((rank - 1) % w, rank) for rank in range(w)]
            totals = [total + each for total, each in zip(totals, current, strict=True)]
        return totals
""",
        says="Where there are fewer elements than ranks, each rank adds whole tensors in an order of its "
        "own, so that the sums differ in the last bits. Here too each element is summed once, on one way "
        "round the ring, and then passed on: with padding, or empty chunks.",
    ),
    Mistake(
        "whole-tensors-gathered-where-there-are-fewer-than-ranks",
        find=N,
        replace=f"""\
{N}\
    if n < (w := network.world_size):
        return [each.view(w, n).sum(0) for each in ring_all_gather(tensors, network)]
""",
        says="Where there are fewer elements than ranks, whole tensors go round the ring, and each rank sums "
        "them itself: (w - 1) n elements from each rank, more than 2 (w - 1) ceil(n / w) if n = 3 and w = 4. "
        "Here too make a reduce-scatter and an all-gather: with padding, or empty chunks.",
    ),
]
