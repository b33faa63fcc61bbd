"""Masks from their definition, element by element: the oracle of whatever makes or applies one."""

from collections.abc import Callable

import torch
from torch import Tensor


def by_elements(q_len: int, kv_len: int, keeps: Callable[[int, int], bool]) -> Tensor:
    """The mask (q_len, kv_len) that is True where `keeps(query, key)`."""
    return torch.tensor([[bool(keeps(i, j)) for j in range(kv_len)] for i in range(q_len)])


def causal(q_len: int, kv_len: int) -> Tensor:
    """A query sees what is not later than itself, the last one the last key."""
    return by_elements(q_len, kv_len, lambda i, j: j <= i + kv_len - q_len)


def sliding_window(length: int, window: int) -> Tensor:
    """A query sees the last `window` keys, its own among them."""
    return by_elements(length, length, lambda i, j: j in range(i - window + 1, i + 1))


def local(length: int, radius: int) -> Tensor:
    """A query sees the keys at most `radius` away, to both sides."""
    return by_elements(length, length, lambda i, j: j in range(i - radius, i + radius + 1))


def chunks(length: int, size: int) -> Tensor:
    """A query sees the keys of its own chunk of `size` neighbours, the later ones too."""
    return by_elements(length, length, lambda i, j: i // size == j // size)


def same_text(ids: Tensor) -> Tensor:
    """For each row of ids, (batch, seq, seq): a query sees the keys with its own id, the later ones too."""
    rows = ids.tolist()
    length = ids.shape[1]

    def of_row(row: list[int]) -> Tensor:
        return by_elements(length, length, lambda i, j: row[i] == row[j])

    return torch.stack([of_row(row) for row in rows])
