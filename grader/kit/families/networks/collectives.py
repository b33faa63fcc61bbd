"""Collectives: sums and joined tensors, and what each rank sends to each other one."""

from typing import Any

import torch
from torch import Tensor

from grader.kit.families.networks.network import Network, Refused, sum_of, tensor, turned


class Collectives(Network):
    """It adds, joins along the last dimension, and counts: `sent` the elements that each rank sends, by ring
    algorithms, and in `calls` the methods' names.

    With sign = -1 every sum arrives turned, with gather_sign = -1 all that is gathered.
    """

    def __init__(self, world_size: int, sign: int = 1, gather_sign: int = 1) -> None:
        super().__init__(world_size)
        self.sign = sign
        self.gather_sign = gather_sign
        self.sent = 0
        self.calls: list[str] = []

    def all_reduce(self, tensors: Any) -> list[Tensor]:
        came = self.tensors(tensors)
        self.calls.append("all_reduce")
        self.sent += 2 * (self.world_size - 1) * came[0].numel() // self.world_size
        return [self.sign * sum_of(came) for _ in came]

    def reduce_scatter(self, tensors: Any) -> list[Tensor]:
        came = self.tensors(tensors)
        size = came[0].numel()
        if size % self.world_size != 0:
            raise Refused(f"{size} elements make no {self.world_size} equal chunks")
        self.calls.append("reduce_scatter")
        self.sent += (self.world_size - 1) * size // self.world_size
        return list(self.sign * sum_of(came).unflatten(0, (self.world_size, -1)))

    def all_gather(self, shards: Any) -> list[Tensor]:
        came = self.tensors(shards)
        self.calls.append("all_gather")
        self.sent += (self.world_size - 1) * came[0].numel()
        return [self.gather_sign * torch.cat(came, dim=-1) for _ in came]


class AllToAll(Network):
    """Every rank sends something else to every rank. `sent` are, per rank, the floating-point elements that
    go to other ranks, `calls` how often, and `told[source][target]` the elements that are integers.

    With sign = -1 the floating-point values that go to another rank arrive turned. With `told_by`, a network
    that has been used before, the integers arrive that went the same way there.
    """

    def __init__(self, world_size: int, sign: int = 1, told_by: "AllToAll | None" = None) -> None:
        super().__init__(world_size)
        self.sign = sign
        self.told_by = told_by
        self.sends: list[list[list[Tensor]]] = []
        self.sent = [0] * world_size
        self.told = [[0] * world_size for _ in range(world_size)]
        self.calls = 0

    def all_to_all(self, sends: Any) -> list[list[Tensor]]:
        rows = [[tensor(each) for each in self.one_each(row)] for row in self.one_each(sends, "lists")]
        self.calls += 1
        self.sends.append(rows)
        for source, row in enumerate(rows):
            for target, each in enumerate(row):
                if not each.is_floating_point():
                    self.told[source][target] += each.numel()
                elif target != source:
                    self.sent[source] += each.numel()
        return [
            [self._arriving(row[target], source, target) for source, row in enumerate(rows)]
            for target in range(self.world_size)
        ]

    def _arriving(self, sent: Tensor, source: int, target: int) -> Tensor:
        if source == target:
            return sent
        if self.told_by is None or sent.is_floating_point() or self.calls > len(self.told_by.sends):
            return turned(sent, self.sign)
        other = self.told_by.sends[self.calls - 1][source][target]
        return sent if other.is_floating_point() else other
