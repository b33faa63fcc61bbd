"""Known wrong versions of `paged_kv_cache` that drop what does not fill a block, or dimensions of size 1."""

from grader.kit import Mistake

NEEDED = "needed = -(-end // self.block_size) - len(table) + copies"
TAKING = "while len(table) * self.block_size < end:"
LENGTH = "        length = self.lengths[sequence]\n        key ="
GATHERED = "        return key, value\n"
WRITTEN = """\
        while len(table) * self.block_size < end:
            table.append(free.pop())
            self.ref_counts[table[-1]] = 1
        places = torch.arange(length, end, device=self.keys.device)
        blocks = torch.tensor(table, device=self.keys.device)[places // self.block_size]  # (new,)
        self.keys[blocks, places % self.block_size] = key
        self.values[blocks, places % self.block_size] = value
"""
INTO_THE_LAST_BLOCK = """\
        first = length % self.block_size
        rest = key.shape[0] - self.block_size + first if table else key.shape[0]
        last = table[-1:]
        for _ in range(-(-rest // self.block_size)):
            table.append(free.pop())
            self.ref_counts[table[-1]] = 1
            last.append(table[-1])
        places = torch.arange(first, first + key.shape[0], device=self.keys.device)
        blocks = torch.tensor(last, device=self.keys.device)[places // self.block_size]
        self.keys[blocks, places % self.block_size] = key
        self.values[blocks, places % self.block_size] = value
"""
BLOCKS = "        key = self.keys[table].flatten(0, 1)[:length]  # (length, num_kv_heads, head_dim)\n"
VALUES = "        value = self.values[table].flatten(0, 1)[:length]\n"
BY_PLACE = """\
        places = torch.arange(length, device=self.keys.device)
        blocks, places = table[places // self.block_size], places % self.block_size
        key, value = self.keys[blocks, places], self.values[blocks, places]
"""

MISTAKES = [
    Mistake(
        "block-for-the-rest-not-taken",
        find=NEEDED,
        replace=NEEDED.replace("-(-end // self.block_size)", "end // self.block_size"),
        also=((TAKING, "while (len(table) + 1) * self.block_size <= end:"),),
        says="You take length // block_size blocks, so what does not fill a block has none. It is "
        "ceil(length / block_size), that is -(-length // block_size).",
    ),
    Mistake(
        "block-for-the-rest-not-counted",
        find=NEEDED,
        replace=NEEDED.replace("-(-end // self.block_size)", "end // self.block_size"),
        says="You count length // block_size blocks where you look whether enough are free, which leaves out "
        "the one for what does not fill a block: an append begins that cannot end. It is ceil(length / "
        "block_size), that is -(-length // block_size).",
    ),
    Mistake(
        "rest-not-gathered",
        find=LENGTH,
        replace=LENGTH.replace(
            "self.lengths[sequence]\n", "self.lengths[sequence] // self.block_size * self.block_size\n"
        ),
        says="gather gives full blocks only, and leaves out the tokens of the last one where it is not full. "
        "It gives all tokens of the sequence.",
    ),
    Mistake(
        "gathered-and-squeezed",
        find=GATHERED,
        replace="        return key.squeeze(), value.squeeze()\n",
        says="gather takes away dimensions of size 1, that of a single token for example: squeeze() does. "
        "Every size may be 1: the shape is (length, num_kv_heads, head_dim) always.",
    ),
    Mistake(
        "shared-block-left-with-one-user",
        find="            self.ref_counts[shared] -= 1\n",
        replace="            self.ref_counts[shared] = 1\n",
        says="At a copy on write you set the users of the shared block to 1. That is right where there were "
        "two; where there were more, all others still use it. One user less: -= 1.",
    ),
    Mistake(
        "two-users-after-a-fork",
        find="            self.ref_counts[block] += 1\n",
        replace="            self.ref_counts[block] = 2\n",
        says="fork sets the users of each block to 2. A block that several use already gets one more: += 1.",
    ),
    Mistake(
        "room-in-the-copy-not-counted",
        find="needed = -(-end // self.block_size) - len(table) + copies",
        replace="""\
needed = -(-end // self.block_size) - len(table)
        if copies:
            needed = 1 + -(-key.shape[0] // self.block_size)""",
        says="Where a shared block is copied you count one block for the copy and others for all of the new "
        "tokens. The copy has the same room as the shared one: the first new tokens go there. So an append "
        "is refused for which there are enough free blocks.",
    ),
    *(
        Mistake(
            f"room-in-a-full-block{words}",
            find=WRITTEN,
            replace=INTO_THE_LAST_BLOCK,
            also=edits,
            says="You write into the last block where it is full, too, over its first tokens, and the table "
            "has a block too few then: block_size - length % block_size is block_size, where the room is 0. "
            "A block is full where length is a multiple of block_size: the next token takes a new one.",
        )
        for words, edits in (("", ()), ("-gathered-by-place", ((BLOCKS + VALUES, BY_PLACE),)))
    ),
]
