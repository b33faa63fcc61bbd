"""Flat slots with index_copy and index_select; users are counted from the tables; a set of free blocks."""

import math

import torch


class PagedKVCache(torch.nn.Module):
    def __init__(self, num_blocks, block_size, num_kv_heads, head_dim, dtype=torch.float32):
        super().__init__()
        shape = num_blocks, block_size, num_kv_heads, head_dim
        self.register_buffer("keys", torch.empty(shape, dtype=dtype))
        self.register_buffer("values", torch.empty(shape, dtype=dtype))
        self.shape = shape
        self.block_tables: dict[int, list[int]] = {}
        self.lengths: dict[int, int] = {}
        self.given = 0

    @property
    def ref_counts(self):
        used = [block for table in self.block_tables.values() for block in table]
        return [used.count(block) for block in range(self.shape[0])]

    @property
    def num_free_blocks(self):
        return len(self.free_blocks())

    def free_blocks(self):
        return set(range(self.shape[0])) - {b for table in self.block_tables.values() for b in table}

    def slots(self, sequence, start, end):
        table, size = self.block_tables[sequence], self.shape[1]
        return torch.tensor(
            [table[t // size] * size + t % size for t in range(start, end)], dtype=torch.int64
        )

    def add(self):
        new, self.given = self.given, self.given + 1
        self.block_tables[new], self.lengths[new] = [], 0
        return new

    def fork(self, sequence):
        new = self.add()
        self.block_tables[new] = list(self.block_tables[sequence])
        self.lengths[new] = self.lengths[sequence]
        return new

    def free(self, sequence):
        del self.block_tables[sequence]
        del self.lengths[sequence]

    @torch.no_grad()
    def append(self, sequence, key, value):
        table, start = list(self.block_tables[sequence]), self.lengths[sequence]
        end, size = start + key.size(0), self.shape[1]
        available = sorted(self.free_blocks(), reverse=True)
        old = None
        if start % size != 0 and self.ref_counts[table[-1]] >= 2:
            old = table.pop()
        missing = math.ceil(end / size) - len(table)
        if missing > len(available):
            raise ValueError("no free blocks")
        table.extend(available[:missing])
        self.block_tables[sequence] = table
        if old is not None:
            copy = table[start // size]
            self.keys[copy].copy_(self.keys[old])
            self.values[copy].copy_(self.values[old])
        where = self.slots(sequence, start, end)
        self.keys.view(-1, *self.shape[2:]).index_copy_(0, where, key)
        self.values.view(-1, *self.shape[2:]).index_copy_(0, where, value)
        self.lengths[sequence] = end

    def gather(self, sequence):
        where = self.slots(sequence, 0, self.lengths[sequence])
        return tuple(
            each.view(-1, *self.shape[2:]).index_select(0, where) for each in (self.keys, self.values)
        )
