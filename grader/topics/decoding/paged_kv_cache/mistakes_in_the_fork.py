"""Known wrong versions of `paged_kv_cache` whose fork does what the next append should do."""

from grader.kit import Mistake

SHARED = """\
        for block in self.block_tables[child]:
            self.ref_counts[block] += 1
"""

MISTAKES = [
    Mistake(
        f"{name}-copied-by-the-fork{ending}",
        find=SHARED,
        replace=f"""\
        table = self.block_tables[child]
        for block in table:
            self.ref_counts[block] += 1
        if {condition}:
            free = [block for block, users in enumerate(self.ref_counts) if users == 0]
{refused}            copy = free.pop()
            self.keys[copy], self.values[copy] = self.keys[table[-1]], self.values[table[-1]]
            self.ref_counts[table[-1]] -= 1
            table[-1] = copy
            self.ref_counts[copy] = 1
""",
        says=f"fork gives the new sequence a copy of the last block, {words}. It copies nothing, and needs "
        "no free block: all blocks are shared, and who writes first into one that has room takes the copy "
        "then, if there is still another user.",
    )
    for name, condition, words in (
        (
            "block-with-room",
            "self.lengths[sequence] % self.block_size",
            "where that has room, before anybody writes into it",
        ),
        ("last-block", "table", "full or not, before anybody writes into it"),
    )
    for ending, refused in (
        ("", "            if not free:\n                raise ValueError\n"),
        ("-whether-one-is-free-or-not", ""),
    )
]
