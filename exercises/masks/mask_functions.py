"""Masks as functions of indices that compose: the `mask_mod` of PyTorch's flex attention (Dong et al., 2024).

A mask function takes four int64 tensors, (batch, head, q, kv), whose shapes broadcast together (maybe without
dimensions), and returns a boolean tensor on their device that broadcasts to their common shape: True where
query q may attend to key kv. No argument is ever modified, nor what another mask function returns. Forbidden:
create_mask, create_block_mask, and_masks and or_masks of torch.nn.attention.flex_attention.
"""

from collections.abc import Callable

from jaxtyping import Bool, Int
from torch import Tensor

# given
MaskFunction = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
# end given


def causal(
    batch: Int[Tensor, "..."], head: Int[Tensor, "..."], q: Int[Tensor, "..."], kv: Int[Tensor, "..."]
) -> Bool[Tensor, "..."]:
    """Itself a mask function: a query sees its own place and all before it."""
    raise NotImplementedError


def sliding_window(window: int) -> MaskFunction:
    """A query sees the last `window` places, its own among them: 0 <= q - kv < window. window: at least 1."""
    raise NotImplementedError


def chunked(chunk_size: int) -> MaskFunction:
    """A query sees the places of its own chunk, the later ones too: *not* causal by itself.

    A chunk is chunk_size neighbours, counted from place 0 on. chunk_size: at least 1.
    """
    raise NotImplementedError


def padding(keep: Bool[Tensor, "num_batches kv_len"]) -> MaskFunction:
    """Every query sees the keys that are no padding: those where keep[batch, kv] is True."""
    raise NotImplementedError


def packed(sequence_ids: Int[Tensor, "num_batches length"]) -> MaskFunction:
    """Several texts share a row: a query sees the keys whose id is its own, the later ones too.

    *Not* causal by itself. Query q and key kv of a row are the tokens q and kv of the same row of ids.
    """
    raise NotImplementedError


def and_masks(*fns: MaskFunction) -> MaskFunction:
    """Keeps what all of the functions keep. Without any function it keeps everything."""
    raise NotImplementedError


def or_masks(*fns: MaskFunction) -> MaskFunction:
    """Keeps what at least one of the functions keeps. Without any function it keeps nothing."""
    raise NotImplementedError


def offset(fn: MaskFunction, q_offset: int, kv_offset: int) -> MaskFunction:
    """The same function elsewhere: fn gets q + q_offset and kv + kv_offset. Offsets may be negative.

    What chunked gives at negative places, and padding and packed beyond their tensors, is not asked.
    """
    raise NotImplementedError


def materialize(
    fn: MaskFunction, batch: int, heads: int, q_len: int, kv_len: int
) -> Bool[Tensor, "batch heads q_len kv_len"]:
    """The whole table of a mask function, for all indices from 0 on, on the default device.

    fn: any mask function, yours or not; it may look things up in tensors by its indices. What it returns may
    be smaller than the table (a rule on q and kv alone, say); the result is not, but may be a view (expand).
    """
    raise NotImplementedError


def render(mask: Bool[Tensor, "q_len kv_len"]) -> str:
    """The mask as text: ■ where it is True, ⬚ elsewhere.

    The signs of a row are joined by single spaces, the rows by newlines; nothing stands before or behind.
    """
    raise NotImplementedError
