"""Known wrong versions of `paged_kv_cache` whose count of users, of free blocks or of ids goes wrong."""

from grader.kit import Mistake

_APPEND = """\
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
"""
_ID = "sequence, self._next_id = self._next_id, self._next_id + 1"

MISTAKES = [
    Mistake(
        "nothing-in-float32",
        find="        length = self.lengths[sequence]\n        key =",
        replace="        length = self.lengths[sequence]\n"
        "        if length == 0:\n"
        "            return torch.zeros(0, *self.keys.shape[2:]), torch.zeros(0, *self.keys.shape[2:])\n"
        "        key =",
        says="For a sequence without tokens gather gives float32, whatever the dtype of the cache is. Make "
        "it in that: new_zeros of the storage does.",
    ),
    Mistake(
        "written-block-by-block",
        find="needed = -(-end // self.block_size) - len(table) + copies",
        replace="needed = -(-end // self.block_size) - len(table)",
        also=(
            (
                _APPEND,
                """\
        for first in range(length - length % self.block_size, end, self.block_size):
            start, stop = max(first, length), min(first + self.block_size, end)
            if start == first or copies:
                if not free:
                    raise ValueError
                block = free.pop()
                self.ref_counts[block] = 1
                if start == first:
                    table.append(block)
                else:
                    self.keys[block], self.values[block] = self.keys[table[-1]], self.values[table[-1]]
                    self.ref_counts[table[-1]] -= 1
                    table[-1] = block
            copies = False
            self.keys[table[-1], start - first : stop - first] = key[start - length : stop - length]
            self.values[table[-1], start - first : stop - first] = value[start - length : stop - length]
            self.lengths[sequence] = stop
""",
            ),
        ),
        says="You leave the copy out when you count what an append needs, and write block after block: where "
        "one is missing, some of the new tokens are there already when you raise. Count the copy too, and "
        "check before anything changes.",
    ),
    Mistake(
        "free-list-without-the-count",
        find="        return self.ref_counts.count(0)\n",
        replace="        return len(self._available)\n",
        also=(
            (
                "        self.ref_counts = [0] * num_blocks\n",
                "        self.ref_counts = [0] * num_blocks\n"
                "        self._available = set(range(num_blocks))\n",
            ),
            (
                "        free = [block for block, users in enumerate(self.ref_counts) if users == 0]\n",
                "        free = sorted(self._available, reverse=True)\n",
            ),
            (
                "        self.lengths[sequence] = end\n",
                "        self.lengths[sequence] = end\n        self._available.intersection_update(free)\n",
            ),
            (
                "            self.ref_counts[block] -= 1\n        del",
                "            self.ref_counts[block] -= 1\n"
                "            self._available.add(block)\n        del",
            ),
        ),
        says="free lowers the counts, but puts every block of the sequence among the free ones, whoever else "
        "uses it. Only a block whose count has come down to 0 is free.",
    ),
    Mistake(
        "ids-counted-up-from-the-live-ones",
        find=_ID,
        replace="""\
sequence = len(self.block_tables)
        while sequence in self.block_tables:
            sequence += 1""",
        says="You begin at the number of live sequences and take the next id that is not in use, which one "
        "that was freed may have had. Keep a counter that only goes up.",
    ),
    Mistake(
        "lowest-id-not-in-use",
        find=_ID,
        replace="""\
sequence = 0
        while sequence in self.block_tables:
            sequence += 1""",
        says="A new sequence gets the lowest id that is not in use, which one that was freed may have had. "
        "Ids are never used again: keep a counter that only goes up.",
    ),
    Mistake(
        "ids-behind-the-highest",
        find=_ID,
        replace="sequence = max(self.block_tables, default=-1) + 1",
        says="A new sequence gets the highest live id plus 1: after the last one made is freed, that is its "
        "id again. Ids are never used again: keep a counter that only goes up.",
    ),
]
