"""Known wrong versions of `paged_kv_cache`."""

from grader.kit import Mistake

COPIES = "        copies = length % self.block_size > 0 and self.ref_counts[table[-1]] > 1"
NEEDED = "needed = -(-end // self.block_size) - len(table) + copies"
CHECK = """\
        if needed > len(free):
            raise ValueError(f"{needed} blocks are needed, {len(free)} are free")
"""

MISTAKES = [
    Mistake(
        "written-into-the-shared-block",
        find=COPIES,
        replace="        copies = False",
        says="You write into the last block although another sequence uses it: then its tokens change, or "
        "two sequences write to the same place. Copy the block first.",
    ),
    Mistake(
        "full-blocks-copied",
        find="copies = length % self.block_size > 0 and self.ref_counts",
        replace="copies = length > 0 and self.ref_counts",
        says="You copy the last block although it is full. Nothing is written into it any more, so it "
        "stays shared; the new tokens go into a block of their own.",
    ),
    Mistake(
        "copied-without-other-users",
        find=" and self.ref_counts[table[-1]] > 1",
        replace=" and self.ref_counts[table[-1]] > 0",
        says="You copy the last block although no other sequence uses it. Its only user writes in place: "
        "a copy costs a free block, which may not be there.",
    ),
    Mistake(
        "table-shared",
        find="self.block_tables[sequence].copy()",
        replace="self.block_tables[sequence]",
        says="A fork gets the same list as its table, so a block that one of both gets, the other has "
        "too. Copy the list.",
    ),
    Mistake(
        "old-block-not-given-up",
        find="            self.ref_counts[shared] -= 1\n",
        replace="",
        says="After the copy the shared block still counts the sequence as a user, so it never becomes "
        "free. Lower its count.",
    ),
    Mistake(
        "copy-not-counted",
        find="            self.ref_counts[shared] -= 1\n            self.ref_counts[table[-1]] = 1\n",
        replace="            self.ref_counts[shared] -= 1\n",
        says="The block that the copy goes to keeps the count 0, so somebody else will take it. It has "
        "one user.",
    ),
    Mistake(
        "blocks-of-others-freed",
        find="            self.ref_counts[block] -= 1\n        del",
        replace="            self.ref_counts[block] = 0\n        del",
        says="free gives back all blocks of the sequence, also those that others use. Lower the counts by "
        "one: a block is free when nobody uses it any more.",
    ),
    Mistake(
        "fork-not-counted",
        find="""\
        for block in self.block_tables[child]:
            self.ref_counts[block] += 1
""",
        replace="",
        says="A fork does not count as a user of the blocks that it shares. So nobody copies before "
        "writing, and the first free takes them from the other.",
    ),
    Mistake(
        "copy-not-among-the-needed",
        find=NEEDED,
        replace="needed = -(-end // self.block_size) - len(table)",
        says="You do not count the copy among the blocks that an append needs, so it fails half-way where "
        "no block is left for it. A shared block with room needs a free one.",
    ),
    Mistake(
        "blocks-taken-before-the-check",
        find=CHECK,
        replace="",
        also=(
            (
                "            shared, table[-1] =",
                "            if not free:\n                raise ValueError\n            shared, table[-1] =",
            ),
            (
                "            table.append(free.pop())",
                "            if not free:\n                raise ValueError\n"
                "            table.append(free.pop())",
            ),
        ),
        says="You take blocks, and raise when there are no more: what was taken stays taken. Count what "
        "is needed before anything changes.",
    ),
    Mistake(
        "append-unchecked",
        find=CHECK,
        replace="",
        says="You do not check whether enough blocks are free, so an append fails half-way with an error "
        "of the list. Raise a ValueError before anything changes.",
    ),
    Mistake(
        "a-block-too-many",
        find="while len(table) * self.block_size < end:",
        replace="while len(table) < end // self.block_size + 1 and free:",
        says="You reserve length // block_size + 1 blocks: one too many where the last one is full. It is "
        "ceil(length / block_size), that is -(-length // block_size).",
    ),
    Mistake(
        "rest-of-the-block-gathered",
        find="        length = self.lengths[sequence]\n        key =",
        replace="        length = len(table) * self.block_size\n        key =",
        says="gather gives whole blocks, with what lies behind the last token. Cut at the length of the "
        "sequence.",
    ),
    Mistake(
        "blocks-in-the-order-of-the-storage",
        find="torch.tensor(self.block_tables[sequence], dtype=torch.long, device=self.keys.device)",
        replace="torch.tensor(sorted(self.block_tables[sequence]), dtype=torch.long)",
        says="gather reads the blocks in the order of the storage. The table says in which order they "
        "belong.",
    ),
    Mistake(
        "values-not-copied",
        find="            self.values[table[-1]] = self.values[shared]\n",
        replace="",
        says="The copy has the keys of the shared block, and not its values. Copy both.",
    ),
    Mistake(
        "nothing-copied",
        find="""\
            self.keys[table[-1]] = self.keys[shared]
            self.values[table[-1]] = self.values[shared]
""",
        replace="",
        says="You take a new block in place of the shared one and copy nothing: the tokens that lay there "
        "are lost. Copy keys and values.",
    ),
    Mistake(
        "copied-at-the-fork",
        find="        for block in self.block_tables[child]:\n            self.ref_counts[block] += 1\n",
        replace="""\
        self.block_tables[child], self.lengths[child] = [], 0
        if self.lengths[sequence]:
            self.append(child, *self.gather(sequence))
""",
        says="fork copies keys and values. It only takes over the table; who writes later copies, one "
        "block at most.",
    ),
    Mistake(
        "length-of-the-fork-missing",
        find="        self.lengths[child] = self.lengths[sequence]\n",
        replace="",
        says="A fork has the blocks, but the length 0. It has the same tokens: take over the length too.",
    ),
    Mistake(
        "length-left-after-free",
        find="        del self.lengths[sequence]\n",
        replace="",
        says="A sequence that is freed stays in lengths. It is gone from both dicts.",
    ),
    Mistake(
        "ids-used-again",
        find="sequence, self._next_id = self._next_id, self._next_id + 1",
        replace="sequence = len(self.block_tables)",
        says="The number of live sequences is your next id: once one was freed, another has that already. "
        "Ids count on over add and fork and are never used again.",
    ),
    Mistake(
        "gathered-views",
        find="        key = self.keys[table].flatten(0, 1)[:length]  # (length, num_kv_heads, head_dim)\n",
        replace="""\
        if len(table) == 1:
            return self.keys[table[0], :length], self.values[table[0], :length]
        key = self.keys[table].flatten(0, 1)[:length]
""",
        says="gather gives views of the storage, of one block at least: who writes into them changes the "
        "cache, and who gets the block later changes them. Give new tensors.",
    ),
    Mistake(
        "storage-replaced",
        find="        self.keys[blocks, places % self.block_size] = key\n",
        replace="        self.keys = self.keys.index_put((blocks, places % self.block_size), key)\n",
        says="You make a new storage for every append, all blocks of all sequences. It is allocated once: "
        "write into it.",
    ),
    Mistake(
        "dtype-ignored",
        find="torch.zeros(shape, dtype=dtype), torch.zeros(shape, dtype=dtype)",
        replace="torch.zeros(shape), torch.zeros(shape)",
        says="The storage is float32 whatever dtype says, so float64 is rounded. Make it in the dtype of "
        "the cache.",
    ),
    Mistake(
        "new-tokens-in-a-new-block",
        find="        copies = length % self.block_size > 0 and",
        replace="        if length % self.block_size:\n"
        "            length = len(table) * self.block_size\n"
        "            end = length + key.shape[0]\n"
        "        copies = length % self.block_size > 0 and",
        says="You begin a new block for every append and leave the rest of the last one unused. The next "
        "token goes to length % block_size of the last block; only where that is full a new one is "
        "needed.",
    ),
]
