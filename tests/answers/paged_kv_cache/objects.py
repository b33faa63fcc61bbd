"""Sequences and an allocator as objects; what is read are properties; a failure is taken back."""

from dataclasses import dataclass, field

import torch


class Full(ValueError):
    pass


class Allocator:
    def __init__(self, total):
        self.counts = [0] * total

    def take(self):
        for block, count in enumerate(self.counts):
            if count == 0:
                self.counts[block] = 1
                return block
        raise Full("no block is free")


@dataclass
class Sequence:
    blocks: list = field(default_factory=list)
    length: int = 0


class PagedKVCache:
    def __init__(self, num_blocks, block_size, num_kv_heads, head_dim, dtype=torch.float32):
        self.keys = torch.zeros(num_blocks, block_size, num_kv_heads, head_dim, dtype=dtype)
        self.values = torch.zeros_like(self.keys)
        self.allocator, self.block_size = Allocator(num_blocks), block_size
        self.sequences, self.counter = {}, iter(range(10**9))

    block_tables = property(lambda self: {i: s.blocks for i, s in self.sequences.items()})
    lengths = property(lambda self: {i: s.length for i, s in self.sequences.items()})
    ref_counts = property(lambda self: self.allocator.counts)
    num_free_blocks = property(lambda self: sum(1 for count in self.allocator.counts if not count))

    def add(self):
        new = next(self.counter)
        self.sequences[new] = Sequence()
        return new

    def fork(self, sequence):
        parent = self.sequences[sequence]
        new = self.add()
        self.sequences[new] = Sequence([*parent.blocks], parent.length)
        for block in parent.blocks:
            self.allocator.counts[block] += 1
        return new

    def free(self, sequence):
        for block in self.sequences.pop(sequence).blocks:
            self.allocator.counts[block] -= 1

    def append(self, sequence, key, value):
        state = self.sequences[sequence]
        before = list(self.allocator.counts), list(state.blocks)
        try:
            filled = state.length % self.block_size
            if filled and self.allocator.counts[state.blocks[-1]] != 1:
                old = state.blocks.pop()
                state.blocks.append(self.allocator.take())
                self.allocator.counts[old] -= 1
                for storage in (self.keys, self.values):
                    storage[state.blocks[-1], :filled] = storage[old, :filled]
            while len(state.blocks) * self.block_size < state.length + len(key):
                state.blocks.append(self.allocator.take())
        except Full:
            self.allocator.counts[:], state.blocks[:] = before
            raise
        done = 0
        while done < len(key):
            block, place = divmod(state.length, self.block_size)
            now = min(self.block_size - place, len(key) - done)
            for storage, new in ((self.keys, key), (self.values, value)):
                storage[state.blocks[block], place : place + now] = new[done : done + now]
            done, state.length = done + now, state.length + now

    def gather(self, sequence):
        state = self.sequences[sequence]
        return tuple(
            torch.cat([storage[block] for block in state.blocks] or [storage[0, :0]])[: state.length].clone()
            for storage in (self.keys, self.values)
        )
