"""A table says what becomes of a token, by the range that its one draw is in; random_ draws the others."""

from dataclasses import dataclass
from enum import IntEnum

import torch
from torch import Tensor


class Fate(IntEnum):
    NOT_CHOSEN = 0
    MASK = 1
    RANDOM = 2
    STAY = 3


@dataclass
class _Dice:
    generator: torch.Generator | None
    device: torch.device

    def fates(self, shape: torch.Size, p: float) -> Tensor:
        u = torch.empty(shape, dtype=torch.float64, device=self.device).uniform_(generator=self.generator)
        bounds = torch.tensor([0.8 * p, 0.9 * p, p], dtype=torch.float64, device=self.device)
        table = torch.tensor([Fate.MASK, Fate.RANDOM, Fate.STAY, Fate.NOT_CHOSEN], device=self.device)
        return table[torch.bucketize(u, bounds, right=True)]

    def tokens(self, like: Tensor, vocab_size: int) -> Tensor:
        return torch.empty_like(like).random_(0, vocab_size, generator=self.generator)


def mask_tokens(
    input_ids: Tensor,
    mask_id: int,
    vocab_size: int,
    special: Tensor | None = None,
    probability: float = 0.15,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    dice = _Dice(generator, input_ids.device)
    fate = dice.fates(input_ids.shape, probability)
    if special is not None:
        fate.masked_fill_(special, Fate.NOT_CHOSEN)
    inputs = input_ids.clone()
    inputs.masked_fill_(fate == Fate.MASK, mask_id)
    inputs.copy_(torch.where(fate == Fate.RANDOM, dice.tokens(inputs, vocab_size), inputs))
    labels = input_ids.clone().masked_fill_(fate == Fate.NOT_CHOSEN, -100)
    return inputs, labels
