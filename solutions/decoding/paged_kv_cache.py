"""A paged key/value cache: fixed blocks that any sequence may use, and that sequences with a common past
share.

Nothing is set aside for tokens that may never come, and a fork copies no keys or values until one of both
writes. From "Efficient Memory Management for Large Language Model Serving with PagedAttention" (Kwon et al.,
2023). Nothing is forbidden.
"""

import torch
from jaxtyping import Float
from torch import Tensor


class PagedKVCache:
    """Keys and values of many sequences in num_blocks blocks of block_size tokens each, of one layer.

    `keys` and `values`: the storage, "num_blocks block_size num_kv_heads head_dim", made once and never
    replaced. `block_tables`: for every live sequence the numbers of its blocks, in order, a list of its own.
    `lengths`: for every live sequence how many tokens it has. `ref_counts`: for every block how many
    sequences use it, 0 if it is free. `num_free_blocks`: how many are. All of them are only read, so they may
    be properties.

    A sequence of n tokens has exactly ceil(n / block_size) blocks: token t is in the block
    block_tables[sequence][t // block_size], at t % block_size. Which free block is taken is up to you. What
    nobody has written in the storage may be anything.

    No gradients. There are no other ids than those of live sequences in calls.
    """

    keys: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"]
    values: Float[Tensor, "num_blocks block_size num_kv_heads head_dim"]
    block_tables: dict[int, list[int]]
    lengths: dict[int, int]
    ref_counts: list[int]

    def __init__(
        self,
        num_blocks: int,
        block_size: int,
        num_kv_heads: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        """No sequences, all blocks free, storage in this dtype."""
        shape = (num_blocks, block_size, num_kv_heads, head_dim)
        self.keys, self.values = torch.zeros(shape, dtype=dtype), torch.zeros(shape, dtype=dtype)
        self.block_size = block_size
        self.block_tables, self.lengths = {}, {}
        self.ref_counts = [0] * num_blocks
        self._next_id = 0

    @property
    def num_free_blocks(self) -> int:
        return self.ref_counts.count(0)

    def add(self) -> int:
        """An empty sequence, without blocks. Gives its id: 0, 1, 2, … over `add` and `fork`, never reused."""
        sequence, self._next_id = self._next_id, self._next_id + 1
        self.block_tables[sequence], self.lengths[sequence] = [], 0
        return sequence

    def append(
        self,
        sequence: int,
        key: Float[Tensor, "new num_kv_heads head_dim"],
        value: Float[Tensor, "new num_kv_heads head_dim"],
    ) -> None:
        """Add tokens (one or more) behind those of the sequence. No other sequence's tokens change.

        Copy on write: where the last block has room *and* another sequence uses it, and only there, the
        sequence gets a copy of it in a free block first, in place of the shared one, which the others keep.
        Full blocks stay shared. Who is the only user of a block writes into it.

        key and value have the dtype of the storage and are not modified.
        Raises ValueError (or AssertionError) when there are not enough free blocks for all of the new tokens,
        the copy included, and then leaves everything as it was.
        """
        table, length = self.block_tables[sequence], self.lengths[sequence]
        end = length + key.shape[0]
        copies = length % self.block_size > 0 and self.ref_counts[table[-1]] > 1
        needed = -(-end // self.block_size) - len(table) + copies
        free = [block for block, users in enumerate(self.ref_counts) if users == 0]
        if needed > len(free):
            raise ValueError(f"{needed} blocks are needed, {len(free)} are free")
        if copies:
            shared, table[-1] = table[-1], free.pop()
            self.ref_counts[shared] -= 1
            self.ref_counts[table[-1]] = 1
            self.keys[table[-1]] = self.keys[shared]
            self.values[table[-1]] = self.values[shared]
        while len(table) * self.block_size < end:
            table.append(free.pop())
            self.ref_counts[table[-1]] = 1
        places = torch.arange(length, end, device=self.keys.device)
        blocks = torch.tensor(table, device=self.keys.device)[places // self.block_size]  # (new,)
        self.keys[blocks, places % self.block_size] = key
        self.values[blocks, places % self.block_size] = value
        self.lengths[sequence] = end

    def fork(self, sequence: int) -> int:
        """A new sequence with the same tokens: the same blocks, in a table of its own. Its id, as `add` gives
        it.

        No keys or values are copied: no operation makes a tensor of a block's size or more.
        """
        child = self.add()
        self.block_tables[child] = self.block_tables[sequence].copy()
        self.lengths[child] = self.lengths[sequence]
        for block in self.block_tables[child]:
            self.ref_counts[block] += 1
        return child

    def gather(
        self, sequence: int
    ) -> tuple[
        Float[Tensor, "length num_kv_heads head_dim"],
        Float[Tensor, "length num_kv_heads head_dim"],
    ]:
        """The keys and values of all tokens of the sequence, in order: new tensors, without the rest of a
        block.

        For a sequence without tokens they have the length 0.
        """
        table = torch.tensor(self.block_tables[sequence], dtype=torch.long, device=self.keys.device)
        length = self.lengths[sequence]
        key = self.keys[table].flatten(0, 1)[:length]  # (length, num_kv_heads, head_dim)
        value = self.values[table].flatten(0, 1)[:length]
        return key, value

    def free(self, sequence: int) -> None:
        """The sequence is gone from block_tables and lengths. A block is free once no sequence uses it."""
        for block in self.block_tables.pop(sequence):
            self.ref_counts[block] -= 1
        del self.lengths[sequence]
