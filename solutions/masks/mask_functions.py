"""Masks as functions of indices that compose: the `mask_mod` of PyTorch's flex attention (Dong et al., 2024).

A mask function takes four int64 tensors, (batch, head, q, kv), whose shapes broadcast together (maybe without
dimensions), and returns a boolean tensor on their device that broadcasts to their common shape: True where
query q may attend to key kv. No argument is ever modified, nor what another mask function returns. Forbidden:
create_mask, create_block_mask, and_masks and or_masks of torch.nn.attention.flex_attention.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Int
from torch import Tensor

# given
MaskFunction = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
# end given


def causal(
    batch: Int[Tensor, "..."], head: Int[Tensor, "..."], q: Int[Tensor, "..."], kv: Int[Tensor, "..."]
) -> Bool[Tensor, "..."]:
    """Itself a mask function: a query sees its own place and all before it."""
    return q >= kv


def sliding_window(window: int) -> MaskFunction:
    """A query sees the last `window` places, its own among them: 0 <= q - kv < window. window: at least 1."""

    def keeps(batch: Tensor, head: Tensor, q: Tensor, kv: Tensor) -> Tensor:
        return (q >= kv) & (q - kv < window)

    return keeps


def chunked(chunk_size: int) -> MaskFunction:
    """A query sees the places of its own chunk, the later ones too: *not* causal by itself.

    A chunk is chunk_size neighbours, counted from place 0 on. chunk_size: at least 1.
    """

    def keeps(batch: Tensor, head: Tensor, q: Tensor, kv: Tensor) -> Tensor:
        return q // chunk_size == kv // chunk_size

    return keeps


def padding(keep: Bool[Tensor, "num_batches kv_len"]) -> MaskFunction:
    """Every query sees the keys that are no padding: those where keep[batch, kv] is True."""

    def keeps(batch: Tensor, head: Tensor, q: Tensor, kv: Tensor) -> Tensor:
        return keep[batch, kv]

    return keeps


def packed(sequence_ids: Int[Tensor, "num_batches length"]) -> MaskFunction:
    """Several texts share a row: a query sees the keys whose id is its own, the later ones too.

    *Not* causal by itself. Query q and key kv of a row are the tokens q and kv of the same row of ids.
    """

    def keeps(batch: Tensor, head: Tensor, q: Tensor, kv: Tensor) -> Tensor:
        return sequence_ids[batch, q] == sequence_ids[batch, kv]

    return keeps


def and_masks(*fns: MaskFunction) -> MaskFunction:
    """Keeps what all of the functions keep. Without any function it keeps everything."""

    def keeps(batch: Tensor, head: Tensor, q: Tensor, kv: Tensor) -> Tensor:
        result = q.new_ones((), dtype=torch.bool)
        for fn in fns:
            result = result & fn(batch, head, q, kv)
        return result

    return keeps


def or_masks(*fns: MaskFunction) -> MaskFunction:
    """Keeps what at least one of the functions keeps. Without any function it keeps nothing."""

    def keeps(batch: Tensor, head: Tensor, q: Tensor, kv: Tensor) -> Tensor:
        result = q.new_zeros((), dtype=torch.bool)
        for fn in fns:
            result = result | fn(batch, head, q, kv)
        return result

    return keeps


def offset(fn: MaskFunction, q_offset: int, kv_offset: int) -> MaskFunction:
    """The same function elsewhere: fn gets q + q_offset and kv + kv_offset. Offsets may be negative.

    What chunked gives at negative places, and padding and packed beyond their tensors, is not asked.
    """

    def keeps(batch: Tensor, head: Tensor, q: Tensor, kv: Tensor) -> Tensor:
        return fn(batch, head, q + q_offset, kv + kv_offset)

    return keeps


def materialize(
    fn: MaskFunction, batch: int, heads: int, q_len: int, kv_len: int
) -> Bool[Tensor, "batch heads q_len kv_len"]:
    """The whole table of a mask function, for all indices from 0 on, on the default device.

    fn: any mask function, yours or not; it may look things up in tensors by its indices. What it returns may
    be smaller than the table (a rule on q and kv alone, say); the result is not, but may be a view (expand).
    """
    # One index for each dimension. They broadcast, so that fn sees every combination at once.
    b = torch.arange(batch)[:, None, None, None]  # (batch, 1, 1, 1)
    h = torch.arange(heads)[:, None, None]  # (heads, 1, 1)
    q = torch.arange(q_len)[:, None]  # (q_len, 1)
    kv = torch.arange(kv_len)  # (kv_len)
    return fn(b, h, q, kv).expand(batch, heads, q_len, kv_len)  # (batch, heads, q_len, kv_len)


def render(mask: Bool[Tensor, "q_len kv_len"]) -> str:
    """The mask as text: ■ where it is True, ⬚ elsewhere.

    The signs of a row are joined by single spaces, the rows by newlines; nothing stands before or behind.
    """
    return "\n".join(" ".join("■" if kept else "⬚" for kept in row) for row in mask.tolist())
