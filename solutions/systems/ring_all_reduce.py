"""Ring all-reduce: every rank gets the sum of all tensors, by messages to its neighbour alone.

Each rank sends nearly twice its tensor, however many ranks there are. From "Bandwidth optimal all-reduce
algorithms for clusters of workstations" (Patarasuk and Yuan, 2009).
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


# given
class Network:
    """Messages between ranks, with a clock for each rank. The grader hands over its own, with these methods,
    and `world_size`, `sent`, `messages` and `steps`.

    `sent`: elements by source; `messages`: (source, target, elements) of each; `steps`: the largest clock.
    """

    def __init__(self, world_size: int) -> None:
        self.world_size = world_size
        self.sent = [0] * world_size
        self.messages: list[tuple[int, int, int]] = []
        self._clocks = [0] * world_size
        self._under_way: list[tuple[int, int, int, Tensor]] = []

    @property
    def steps(self) -> int:
        return max(self._clocks)

    def send(self, source: int, target: int, tensor: Tensor) -> None:
        """A copy goes out. The source's clock goes up by 1, and the message is stamped with it."""
        self._clocks[source] += 1
        self.sent[source] += tensor.numel()
        self.messages.append((source, target, tensor.numel()))
        self._under_way.append((source, target, self._clocks[source], tensor.clone()))

    def receive(self, source: int, target: int) -> Tensor:
        """The oldest message from source to target; raises if there is none. Lifts the target's clock to the
        message's stamp, if it is lower."""
        for number, (sender, receiver, stamp, tensor) in enumerate(self._under_way):
            if (sender, receiver) == (source, target):
                del self._under_way[number]
                self._clocks[target] = max(self._clocks[target], stamp)
                return tensor
        raise RuntimeError(f"rank {target} waits for a message of rank {source}, which has sent none")


# end given


def ring_reduce_scatter(tensors: list[Float[Tensor, "n"]], network: Network) -> list[Float[Tensor, "chunk"]]:
    """Rank r gets chunk r, of n / w elements, of the sum of the w tensors; tensors[r] is rank r's.

    w = network.world_size divides n. It takes w - 1 steps. In each every rank r sends one message, of n / w
    elements, to rank (r + 1) % w, and then receives one: all send before they receive, so that nobody waits,
    and network.steps grows by w - 1 only. No rank sends to any other. With one rank nothing is sent.

    A rank learns of the others by messages alone. float32 stays float32, float64 stays float64; results are
    on the device of the tensors. tensors is not modified; results share no memory with tensors or with each
    other. Gradients are not asked for.
    """
    world_size = network.world_size
    partial = [list(tensor.chunk(world_size)) for tensor in tensors]
    for step in range(world_size - 1):
        # Chunk c starts at rank c + 1 and ends, with everybody's part, at rank c.
        for rank in range(world_size):
            network.send(rank, (rank + 1) % world_size, partial[rank][(rank - 1 - step) % world_size])
        for rank in range(world_size):
            chunk = (rank - 2 - step) % world_size  # what the rank before has just sent
            received = network.receive((rank - 1) % world_size, rank)
            partial[rank][chunk] = partial[rank][chunk] + received
    # A single rank still has the caller's own memory.
    return [chunks[rank].clone() for rank, chunks in enumerate(partial)]


def ring_all_gather(shards: list[Float[Tensor, "shard"]], network: Network) -> list[Float[Tensor, "total"]]:
    """Every rank gets all shards, in rank order, one after the other: w * shard elements.

    It takes w - 1 steps like those of ring_reduce_scatter, with messages of shard elements, and keeps the
    same rules.
    """
    world_size = network.world_size
    known = [{rank: shard} for rank, shard in enumerate(shards)]
    for step in range(world_size - 1):
        # A rank passes on what it got last, at first its own.
        for rank in range(world_size):
            network.send(rank, (rank + 1) % world_size, known[rank][(rank - step) % world_size])
        for rank in range(world_size):
            known[rank][(rank - 1 - step) % world_size] = network.receive((rank - 1) % world_size, rank)
    return [torch.cat([parts[source] for source in range(world_size)]) for parts in known]


def ring_all_reduce(tensors: list[Float[Tensor, "n"]], network: Network) -> list[Float[Tensor, "n"]]:
    """Every rank gets the sum of all tensors: a reduce-scatter, then an all-gather. The same rules hold.

    n is at least 1, and w need not divide it: pad, or cut chunks of unequal size. It takes 2 (w - 1) steps.
    Where w divides n, every rank sends exactly 2 (w - 1) n / w elements, in 2 (w - 1) messages of n / w; at
    most 2 (w - 1) ceil(n / w) elsewhere. All ranks end with the same sums, bit for bit.
    """
    n = tensors[0].numel()
    padding = -n % network.world_size
    padded = [F.pad(tensor, (0, padding)) for tensor in tensors]
    # Each chunk is summed on one way round the ring and then copied: no rank adds in an order of its own.
    summed = ring_all_gather(ring_reduce_scatter(padded, network), network)
    return [tensor[:n] for tensor in summed]
