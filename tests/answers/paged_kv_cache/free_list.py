"""A queue of free blocks, one token at a time, counts by block in a Counter; NaN in new storage."""

from collections import Counter, deque

import torch


class PagedKVCache:
    def __init__(self, num_blocks, block_size, num_kv_heads, head_dim, dtype=torch.float32):
        self.storage = torch.full((2, num_blocks, block_size, num_kv_heads, head_dim), torch.nan, dtype=dtype)
        self.num_blocks, self.size = num_blocks, block_size
        self.queue = deque(range(num_blocks))
        self.users = Counter()
        self.block_tables = {}
        self.lengths = {}
        self.born = 0

    keys = property(lambda self: self.storage[0])
    values = property(lambda self: self.storage[1])

    @property
    def ref_counts(self):
        return [self.users[block] for block in range(self.num_blocks)]

    @property
    def num_free_blocks(self):
        return len(self.queue)

    def add(self):
        self.block_tables[self.born] = []
        self.lengths[self.born] = 0
        self.born += 1
        return self.born - 1

    def _take(self):
        block = self.queue.popleft()
        self.users[block] = 1
        return block

    def _release(self, block):
        self.users[block] -= 1
        if self.users[block] == 0:
            self.queue.append(block)

    def append(self, sequence, key, value):
        n, table = self.lengths[sequence], self.block_tables[sequence]
        room = len(table) * self.size - n
        needed = max(0, (len(key) - room + self.size - 1) // self.size)
        if room and self.users[table[-1]] > 1:
            needed += 1
        assert needed <= len(self.queue), "the cache is full"
        for k, v in zip(key, value, strict=True):
            place = n % self.size
            if place == 0:
                table.append(self._take())
            elif self.users[table[-1]] > 1:
                old, new = table[-1], self._take()
                self.storage[:, new, :place] = self.storage[:, old, :place]
                table[-1] = new
                self._release(old)
            self.storage[0, table[-1], place] = k
            self.storage[1, table[-1], place] = v
            n += 1
        self.lengths[sequence] = n

    def fork(self, sequence):
        child = self.add()
        self.block_tables[child] += self.block_tables[sequence]
        self.lengths[child] = self.lengths[sequence]
        self.users.update(self.block_tables[child])
        return child

    def gather(self, sequence):
        n, parts = self.lengths[sequence], []
        for block in self.block_tables[sequence]:
            parts.append(self.storage[:, block])
        if not parts:
            empty = self.storage.new_empty((0, *self.storage.shape[3:]))
            return empty, empty.clone()
        both = torch.cat(parts, dim=1)[:, :n]
        return both[0].clone(), both[1].clone()

    def free(self, sequence):
        for block in self.block_tables.pop(sequence):
            self._release(block)
        self.lengths.pop(sequence)
