"""Greedy decoding: append the most probable token, until all sequences of the batch are finished.

The simplest way to get text out of a language model, and the loop that all others begin from. Nothing is
forbidden.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor


def greedy_decode(
    next_logits: Callable[[Int[Tensor, "batch length"]], Float[Tensor, "batch vocab"]],
    batch_size: int,
    bos_id: int,
    eos_id: int,
    pad_id: int,
    max_len: int,
) -> Int[Tensor, "batch_size length"]:
    """The tokens of all sequences, int64, on the CPU, which is the default device.

    Every row starts as [bos_id]. Each step appends to each unfinished row the token with the largest logit.
    A row is finished once eos_id has been appended to it, and gets pad_id from then on, whatever its logits
    are. The loop stops as soon as all rows are finished, or when the rows have max_len tokens, bos included:
    the result has as many columns as the longest row needs, with its eos, and at most max_len.
    batch_size and max_len are at least 1.

    next_logits: takes the tokens so far of *all* rows, finished ones with their pads, as int64 on the CPU,
    and gives the logits of the next token of each. It is asked once a step, and no more once all rows are
    finished or max_len is reached.

    bos_id is only the first token: it finishes no row, even if it equals eos_id; where it is appended then,
    it does. pad_id may equal eos_id or bos_id. An unfinished row may append bos_id or pad_id too, and goes
    on. The logits are float32 or float64, of any size, and may be -inf. There are no ties, though they may
    differ by less than float32 or probabilities can tell. Nothing is kept between calls.
    """
    tokens = torch.full((batch_size, 1), bos_id)
    finished = torch.zeros(batch_size, dtype=torch.bool)
    while tokens.shape[1] < max_len and not finished.all():
        best = next_logits(tokens).argmax(dim=-1)  # (batch_size,)
        best = best.masked_fill(finished, pad_id)
        # After the pads are in: a row that is finished stays so, whatever pad_id is.
        finished = finished | (best == eos_id)
        tokens = torch.cat((tokens, best[:, None]), dim=1)  # (batch_size, length + 1)
    return tokens
