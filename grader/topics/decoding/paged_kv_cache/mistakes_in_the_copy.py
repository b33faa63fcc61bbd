"""Known wrong versions of `paged_kv_cache`: who gets the copy, and what is left where none is free."""

from grader.kit import Mistake

_NEEDED = "needed = -(-end // self.block_size) - len(table) + copies"
_TAKEN = """\
            shared, table[-1] = table[-1], free.pop()
            self.ref_counts[shared] -= 1
"""
_MORE = "            table.append(free.pop())"
_NONE = "            if not free:\n                raise ValueError\n"
_COPIED = (
    _TAKEN
    + """\
            self.ref_counts[table[-1]] = 1
            self.keys[table[-1]] = self.keys[shared]
            self.values[table[-1]] = self.values[shared]
"""
)
_COPIES = "        copies = length % self.block_size > 0 and self.ref_counts[table[-1]] > 1\n"
_LATE = (_COPIES, ""), ("        if copies:\n", f"{_COPIES}        if copies:\n")
"""Whether the last block is shared is seen behind the check: this shows where it is lost."""

MISTAKES = [
    *(
        Mistake(
            f"copy-goes-to-{name}",
            find=_COPIED,
            replace=f"""\
            shared, copy = table[-1], free.pop()
            self.keys[copy], self.values[copy] = self.keys[shared], self.values[shared]
            for other, theirs in self.block_tables.items():
                if other != sequence and shared in theirs:
                    theirs[theirs.index(shared)] = copy
                    self.ref_counts[shared] -= 1
                    self.ref_counts[copy] += 1
{ends}""",
            says=f"The sequence that writes keeps the shared block, and {who} to the copy. It is the other "
            "way round: the one that writes gets the copy, and the others keep the block.",
        )
        for name, ends, who in (
            ("all-others", "", "all others are moved"),
            ("one-of-the-others", "                    break\n", "one of the others is moved"),
        )
    ),
    *(
        Mistake(
            f"copy-not-among-the-needed{ending}",
            find=_NEEDED,
            replace=_NEEDED.removesuffix(" + copies"),
            also=(
                *order,
                (_TAKEN, taken.replace("IF_NONE\n", refused)),
                (_MORE, refused + _MORE),
            ),
            says="You do not count the copy among the blocks that an append needs, so it begins where not "
            f"all of them are there, and {end}. A shared block with room needs a free one: count it before "
            "anything changes.",
        )
        for state, taken, lost in (
            ("", "IF_NONE\n" + _TAKEN, ""),
            (
                "-and-the-block-lost",
                """\
            shared = table.pop()
IF_NONE
            table += [free.pop()]
            self.ref_counts[shared] -= 1
""",
                ": where no block is left for the copy, the shared one is gone from the table by then",
            ),
            (
                "-and-the-block-given-up",
                """\
            shared = table[-1]
            self.ref_counts[shared] -= 1
IF_NONE
            table[-1] = free.pop()
""",
                ": where no block is left for the copy, the shared one has lost a user by then",
            ),
            (
                "-and-the-block-lost-and-given-up",
                """\
            shared = table.pop()
            self.ref_counts[shared] -= 1
IF_NONE
            table += [free.pop()]
""",
                ": where no block is left for the copy, the shared one is gone from the table and has lost a "
                "user by then",
            ),
        )
        for raised, refused, breaks in (
            ("", "", "breaks half-way with another exception than ValueError"),
            ("-and-refused-half-way", _NONE, "is refused half-way"),
        )
        for late, order in (("", ()), ("-looked-at-late", _LATE))
        if (ending := raised + state + late) and (state == "-and-the-block-lost" or not late)
        for end in (breaks + lost,)
    ),
]
