"""Nothing but tables is kept: reference counts and free blocks are counted from them; token by token;
storage starts as NaN.
"""

import math
from collections import Counter

import torch


class PagedKVCache:
    def __init__(self, num_blocks, block_size, num_kv_heads, head_dim, dtype=torch.float32):
        both = torch.full((2, num_blocks, block_size, num_kv_heads, head_dim), math.nan, dtype=dtype)
        self.keys, self.values = both[0], both[1]
        self.block_tables = {}
        self.lengths = {}
        self._next_id = 0

    @property
    def ref_counts(self):
        uses = Counter(block for table in self.block_tables.values() for block in table)
        return [uses[block] for block in range(len(self.keys))]

    @property
    def num_free_blocks(self):
        return self.ref_counts.count(0)

    def _new(self, table, length):
        sequence, self._next_id = self._next_id, self._next_id + 1
        self.block_tables[sequence], self.lengths[sequence] = table, length
        return sequence

    def add(self):
        return self._new([], 0)

    def fork(self, sequence):
        return self._new(self.block_tables[sequence].copy(), self.lengths[sequence])

    @torch.no_grad()
    def append(self, sequence, key, value):
        table, length = self.block_tables[sequence], self.lengths[sequence]
        size = self.keys.shape[1]
        counts = self.ref_counts
        copy = length % size != 0 and counts[table[-1]] > 1
        free = [block for block, count in enumerate(counts) if count == 0]
        if -(-(length + len(key)) // size) - len(table) + copy > len(free):
            raise ValueError("not enough free blocks")
        if copy:
            block = free.pop()
            for store in (self.keys, self.values):
                store[block] = store[table[-1]]
            table[-1] = block
        for k, v in zip(key, value):
            if length % size == 0:
                table.append(free.pop())
            self.keys[table[-1], length % size] = k
            self.values[table[-1], length % size] = v
            length += 1
        self.lengths[sequence] = length

    def gather(self, sequence):
        table, length = self.block_tables[sequence], self.lengths[sequence]
        blocks = torch.tensor(table, dtype=torch.int64, device=self.keys.device)
        return tuple(store[blocks].flatten(0, 1)[:length].clone() for store in (self.keys, self.values))

    def free(self, sequence):
        del self.block_tables[sequence], self.lengths[sequence]
