"""Messages from one rank to another, with clocks; and the shift of one tensor per rank round a ring."""

from collections import defaultdict, deque
from typing import Any

from torch import Tensor

from grader.kit.families.networks import network
from grader.kit.families.networks.network import Network, Refused, turned


class Messages(Network):
    """First in, first out between any two ranks. A send adds 1 to the clock of its source and stamps the
    message; a receive lifts the target's clock to the stamp; `steps` is the largest clock. `carried` are
    each rank's messages as they went out, `received` as they came in.

    With sign = -1 every message arrives turned.
    """

    def __init__(self, world_size: int, sign: int = 1) -> None:
        super().__init__(world_size)
        self.sign = sign
        self.sent = [0] * world_size
        self.messages: list[tuple[int, int, int]] = []
        self.carried: list[list[Tensor]] = [[] for _ in range(world_size)]
        self.received: list[list[Tensor]] = [[] for _ in range(world_size)]
        self._clocks = [0] * world_size
        self._under_way: dict[tuple[int, int], deque[tuple[Tensor, int]]] = defaultdict(deque)

    @property
    def steps(self) -> int:
        return max(self._clocks)

    def send(self, source: Any, target: Any, tensor: Any) -> None:
        pair = self._pair(source, target)
        carried = network.tensor(tensor)
        self._clocks[pair[0]] += 1
        self.sent[pair[0]] += carried.numel()
        self.messages.append((*pair, carried.numel()))
        self.carried[pair[0]].append(carried)
        self._under_way[pair].append((turned(carried, self.sign), self._clocks[pair[0]]))

    def receive(self, source: Any, target: Any) -> Tensor:
        pair = self._pair(source, target)
        if not self._under_way[pair]:
            raise Refused(f"rank {pair[1]} waits for a message of rank {pair[0]}, which has sent none")
        carried, stamp = self._under_way[pair].popleft()
        self._clocks[pair[1]] = max(self._clocks[pair[1]], stamp)
        self.received[pair[1]].append(carried)
        return carried

    def _pair(self, source: Any, target: Any) -> tuple[int, int]:
        return self.rank(source, "source"), self.rank(target, "target")


class Ring(Network):
    """Rank r gets what rank r - 1 put in, rank 0 what the last one did. `sent` are elements per rank.

    With sign = -1 all arrives turned.
    """

    def __init__(self, world_size: int, sign: int = 1) -> None:
        super().__init__(world_size)
        self.sign = sign
        self.shifts = 0
        self.sent = 0

    def shift(self, tensors: Any) -> list[Tensor]:
        came = self.tensors(tensors)
        self.shifts += 1
        self.sent += came[0].numel()
        return [turned(came[rank - 1], self.sign) for rank in range(self.world_size)]
