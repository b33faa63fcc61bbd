"""Masks from their definition, place by place: the oracle of whatever makes or applies one."""

from collections.abc import Callable

import torch
from torch import Tensor


def by_places(q_len: int, kv_len: int, keeps: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """The mask (q_len, kv_len) that is True where `keeps(query, key)`: places, (q_len, 1) and (kv_len,)."""
    return keeps(torch.arange(q_len)[:, None], torch.arange(kv_len))


def causal(q_len: int, kv_len: int) -> Tensor:
    """A query sees what is not later than itself, the last one the last key."""
    return by_places(q_len, kv_len, lambda i, j: j <= i + kv_len - q_len)


def sliding_window(length: int, window: int) -> Tensor:
    """A query sees the last `window` keys, its own among them."""
    return by_places(length, length, lambda i, j: (i - window < j) & (j <= i))


def local(length: int, radius: int) -> Tensor:
    """A query sees the keys at most `radius` away, to both sides."""
    return by_places(length, length, lambda i, j: (i - radius <= j) & (j <= i + radius))


def chunks(length: int, size: int) -> Tensor:
    """A query sees the keys of its own chunk of `size` neighbours, the later ones too."""
    return by_places(length, length, lambda i, j: i // size == j // size)


def same_text(ids: Tensor) -> Tensor:
    """For each row of ids, (batch, seq, seq): a query sees the keys with its own id, the later ones too."""
    return ids[:, :, None] == ids[:, None]


def plain_in_part(mask: Tensor) -> list[Tensor]:
    """Masks that a look at a part of them takes for plain ones, of one (batch, heads, seq, seq): in the first
    head and in the first sequence all is seen, or all that is not later. And two for all alike: what is later
    is hidden, and more than that; what is not later is seen, and more than that.
    """
    seq = mask.shape[-1]
    everything, earlier = torch.ones(seq, seq, dtype=torch.bool), causal(seq, seq)
    masks = [earlier & mask[0, 0] | torch.eye(seq, dtype=torch.bool), earlier | mask[0, 0]]
    masks = [each[None, None] for each in masks]
    for plain in (everything, earlier):
        other = mask.clone()
        other[0] = other[:, 0] = plain
        masks.append(other)
    return masks


def hidden_at_first(mask: Tensor, keys: int) -> Tensor:
    """A mask (batch, heads, seq, seq) where so many first keys are hidden from all queries of the first
    sequence and of the first head, and elsewhere from every second one: whole blocks of keys in which
    nothing is seen, by all or by some. The last key is seen by all.
    """
    hidden = mask.clone()
    hidden[0, ..., :keys] = hidden[:, 0, :, :keys] = hidden[..., ::2, :keys] = False
    hidden[..., -1] = True
    return hidden
