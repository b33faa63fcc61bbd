"""Known wrong versions of `paged_kv_cache`: users, free blocks and ids counted, or storage used, wrongly."""

from grader.kit import Mistake

_CHECK = """\
        if needed > len(free):
            raise ValueError(f"{needed} blocks are needed, {len(free)} are free")
"""
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
_BLOCK_BY_BLOCK = """\
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
        also=((_APPEND, _BLOCK_BY_BLOCK),),
        says="You take the copy before you have seen whether enough blocks are free for it and for the rest: "
        "where one is missing, something has changed already when you raise. Count the copy among what is "
        "needed, and check before anything changes.",
    ),
    Mistake(
        "written-until-none-is-free",
        find=_CHECK,
        replace="",
        also=((_APPEND, _BLOCK_BY_BLOCK),),
        says="You take blocks one by one while you write, and raise where none is left, when some of the new "
        "tokens may be there already. Count what is needed, the copy too, and check before anything changes.",
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
    Mistake(
        "copied-since-it-was-forked",
        find="        self._next_id = 0\n",
        replace="""\
        self._next_id = 0
        self._forked: set[int] = set()
""",
        also=(
            (
                "copies = length % self.block_size > 0 and self.ref_counts[table[-1]] > 1",
                "copies = length % self.block_size > 0 and sequence in self._forked",
            ),
            (
                "        if copies:\n",
                """\
        self._forked.discard(sequence)
        if copies:
""",
            ),
            (
                """\
        for block in self.block_tables[child]:
            self.ref_counts[block] += 1
""",
                """\
        for block in self.block_tables[child]:
            self.ref_counts[block] += 1
        self._forked |= {sequence, child}
""",
            ),
        ),
        says="You copy because the sequence was forked once, though by now it is the only user of its last "
        "block. Look at the block's count when you write: above 1 it is copied, else written in place.",
    ),
    Mistake(
        "only-the-fork-copies",
        find="        self._next_id = 0\n",
        replace="""\
        self._next_id = 0
        self._forked: set[int] = set()
""",
        also=(
            (
                "copies = length % self.block_size > 0 and self.ref_counts[table[-1]] > 1",
                "copies = length % self.block_size > 0 and sequence in self._forked",
            ),
            (
                "        if copies:\n",
                """\
        self._forked.discard(sequence)
        if copies:
""",
            ),
            (
                """\
        for block in self.block_tables[child]:
            self.ref_counts[block] += 1
""",
                """\
        for block in self.block_tables[child]:
            self.ref_counts[block] += 1
        self._forked.add(child)
""",
            ),
        ),
        says="Only the fork takes a copy of the last block; its parent goes on writing into the shared one, "
        "and a fork copies also after the parent is gone. Look at the block's count when you write.",
    ),
    Mistake(
        "keys-not-copied",
        find="            self.keys[table[-1]] = self.keys[shared]\n",
        replace="",
        says="The copy has the values of the shared block, and not its keys. Copy both.",
    ),
    Mistake(
        "only-the-last-block-counted",
        find="""\
        for block in self.block_tables[child]:
            self.ref_counts[block] += 1
""",
        replace="""\
        for block in self.block_tables[child][-1:]:
            self.ref_counts[block] += 1
""",
        says="A fork counts as a user of its last block only. It uses all blocks of its table: the first "
        "free would take the others from it.",
    ),
    Mistake(
        "last-free-block-never-taken",
        find="if needed > len(free):",
        replace="if needed >= len(free):",
        says="You refuse an append that needs as many blocks as are free. They are enough: refuse where "
        "more are needed.",
    ),
    Mistake(
        "keys-written-for-values",
        find="self.values[blocks, places % self.block_size] = value",
        replace="self.values[blocks, places % self.block_size] = key",
        says="You write the keys into the storage of the values too.",
    ),
    Mistake(
        "keys-gathered-for-values",
        find="value = self.values[table]",
        replace="value = self.keys[table]",
        says="gather gives the keys twice. Its second result is the values.",
    ),
    Mistake(
        "free-blocks-by-the-tables",
        find="return self.ref_counts.count(0)",
        replace="return len(self.ref_counts) - sum(map(len, self.block_tables.values()))",
        says="You count the free blocks by what stands in the tables, where a shared block stands several "
        "times. A block is free or not: count those that nobody uses.",
    ),
    Mistake(
        "one-storage-for-both",
        find=("self.keys, self.values = torch.zeros(shape, dtype=dtype), torch.zeros(shape, dtype=dtype)"),
        replace="self.keys = self.values = torch.zeros(shape, dtype=dtype)",
        says="keys and values are one tensor, so what is written last is both. Make two.",
    ),
    Mistake(
        "values-in-the-default-dtype",
        find="torch.zeros(shape, dtype=dtype), torch.zeros(shape, dtype=dtype)",
        replace="torch.zeros(shape, dtype=dtype), torch.zeros(shape)",
        says="The storage of the values ignores dtype. Both have it.",
    ),
    Mistake(
        "empty-table-as-floats",
        find=("torch.tensor(self.block_tables[sequence], dtype=torch.long, device=self.keys.device)"),
        replace="torch.tensor(self.block_tables[sequence], device=self.keys.device)",
        says="You make a tensor of an empty list to index with, which is one of floats: a sequence without "
        "tokens cannot be gathered. Give dtype=torch.long.",
    ),
    Mistake(
        "room-in-the-last-block-not-counted",
        find="needed = -(-end // self.block_size) - len(table) + copies",
        replace="needed = -(-key.shape[0] // self.block_size) + copies",
        says="You need blocks for the new tokens alone, as if none had room in the last block, and refuse "
        "some that fit: it is ceil(new length / block_size) less the blocks that are there, and one more "
        "where the last one has to be copied.",
    ),
    Mistake(
        "blocks-emptied-by-free",
        find="            self.ref_counts[block] -= 1\n        del",
        replace="""\
            self.ref_counts[block] -= 1
            self.keys[block] = 0
            self.values[block] = 0
        del""",
        says="free writes zeros over the blocks of the sequence, also over those that others still use. "
        "Leave the storage as it is: what nobody uses may be anything.",
    ),
]
