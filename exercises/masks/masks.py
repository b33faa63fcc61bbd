"""Attention masks as booleans: True = this query may attend to this key, as in PyTorch's fused attention.

Rows are queries, columns keys. Padding and causal masks are those of "Attention Is All You Need" (Vaswani et
al., 2017), windows those of Longformer (Beltagy et al., 2020) and Mistral (Jiang et al., 2023). Nothing is
forbidden. Masks have dtype torch.bool. A mask made from a tensor is on its device, one made from sizes alone
on the default device. Ids are int64, sizes at least 1. No argument is modified.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def padding_mask(token_ids: Int[Tensor, "batch seq"], pad_id: int = 0) -> Bool[Tensor, "batch 1 1 seq"]:
    """Hides keys that are padding, from all heads and queries: False where the token is pad_id.

    Padding may stand anywhere in a row, and a row may consist of it.
    """
    raise NotImplementedError


def causal_mask(q_len: int, kv_len: int | None = None) -> Bool[Tensor, "q_len kv_len"]:
    """Hides the future. kv_len defaults to q_len.

    The *last* query stands at the last key, as with a cache of earlier keys: query i stands at key
    i + kv_len - q_len, and sees that key and all before it. With q_len > kv_len the same formula holds: the
    first q_len - kv_len queries see nothing.
    """
    raise NotImplementedError


def combined_mask(token_ids: Int[Tensor, "batch seq"], pad_id: int = 0) -> Bool[Tensor, "batch 1 seq seq"]:
    """Causal, and hides padding among the keys: what a decoder uses on a padded batch.

    The rows of queries that are padding follow the same rule as all others. Padding may stand anywhere: a
    query with nothing but padding up to its own place has an empty row.
    """
    raise NotImplementedError


def sliding_window_mask(seq_len: int, window: int) -> Bool[Tensor, "seq_len seq_len"]:
    """Causal with a short memory: query i sees the last `window` keys, its own among them.

    That is key j with 0 <= i - j < window.
    window: at least 1; it may be larger than seq_len.
    """
    raise NotImplementedError


def local_mask(seq_len: int, radius: int) -> Bool[Tensor, "seq_len seq_len"]:
    """A band to both sides, for encoders: query i sees the keys j with |i - j| <= radius.

    radius: at least 0; it may be larger than seq_len.
    """
    raise NotImplementedError


def chunked_mask(seq_len: int, chunk_size: int) -> Bool[Tensor, "seq_len seq_len"]:
    """Causal within chunks: query i sees key j if j <= i and both stand in the same chunk.

    A chunk is chunk_size neighbours, counted from the first token on; the last one may be shorter.
    chunk_size: at least 1; it may be larger than seq_len.
    """
    raise NotImplementedError


def packed_mask(sequence_ids: Int[Tensor, "batch seq"]) -> Bool[Tensor, "batch 1 seq seq"]:
    """Causal within each of several texts that share a row: query i sees key j if j <= i and their ids are
    equal.

    sequence_ids: whole numbers of either sign in any order; equal ids in a row are one text, also where
    another stands between them.
    """
    raise NotImplementedError


def sparse_mask(seq_len: int, stride: int) -> Bool[Tensor, "seq_len seq_len"]:
    """Local and global: a band of radius `stride`, and tokens that see, and are seen by, all others.

    Query i sees key j if |i - j| <= stride, or i is a multiple of stride, or j is one (0 is). Not causal.
    stride: at least 1; it may be larger than seq_len.
    """
    raise NotImplementedError


def to_additive(mask: Bool[Tensor, "..."], dtype: torch.dtype) -> Float[Tensor, "..."]:
    """The mask as numbers to be added to scores: 0 where it is True, torch.finfo(dtype).min elsewhere.

    dtype: float16, bfloat16, float32 or float64. The result has the shape and the device of the mask, which
    may be expanded or transposed.
    """
    raise NotImplementedError
