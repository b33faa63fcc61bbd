"""Known wrong versions of `paged_kv_cache`: what is taken for a shared block that has to be copied."""

from grader.kit import Mistake

COPIES = "        copies = length % self.block_size > 0 and self.ref_counts[table[-1]] > 1\n"

MISTAKES = [
    Mistake(
        "copy-of-a-full-block-counted",
        find="needed = -(-end // self.block_size) - len(table) + copies",
        replace="needed = -(-end // self.block_size) - len(table)\n"
        "        needed += bool(table) and self.ref_counts[table[-1]] > 1",
        says="You count a copy among the blocks that are needed wherever the last block is shared, also if "
        "it is full and nothing is copied. An append that just fits is refused: count the copy only where "
        "the block has room.",
    ),
    Mistake(
        "marked-as-shared-for-good",
        find=COPIES,
        replace="        copies = length % self.block_size > 0 and table[-1] in self._marked\n",
        also=(
            ("        self._next_id = 0\n", "        self._next_id, self._marked = 0, set()\n"),
            (
                "        if needed > len(free):",
                "        self._marked -= {*free}\n        if needed > len(free):",
            ),
            (
                "            self.ref_counts[shared] -= 1\n",
                "            self.ref_counts[shared] -= 1\n"
                "            if self.ref_counts[shared] < 2:\n"
                "                self._marked.discard(shared)\n",
            ),
            (
                "            self.ref_counts[block] += 1\n",
                "            self.ref_counts[block] += 1\n            self._marked.add(block)\n",
            ),
        ),
        says="A block that was forked once is copied also where free has left it with one user: the fork "
        "marks it, for example, and free does not take the mark away. Who is the only user writes into it: "
        "go by how many use it now.",
    ),
]
