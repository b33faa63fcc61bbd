"""What the checks of a paged cache share: operations on it, and an oracle without pages.

Which free block is taken is each answer's own, so blocks are compared by when they come into use: the first
one is block 0, and one that comes into use again is a new one.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_equal, assert_true
from grader.kit.generators import Rng
from grader.kit.handles import Submission

HEADS, DIM = 2, 3
Operation = tuple[Any, ...]
"""The name of a method, and its arguments."""


def append(rng: Rng, sequence: int, new: int, dtype: torch.dtype = torch.float32) -> Operation:
    """So many new tokens for a sequence."""
    return "append", sequence, *(rng.normal(new, HEADS, DIM, dtype=dtype) for _ in "kv")


def played(
    answer: "Any", config: "Any", operations: "Any", refused: "Any" = (), dtype: "Any" = None
) -> "Any":
    """The operations on a new cache, and what is to be seen after each. Those of these numbers are to be
    refused: how an answer fails there instead is its own. It ends where a sequence is not there: then an
    earlier operation gave another id than it should.
    """
    cache = answer.PagedKVCache(*config) if dtype is None else answer.PagedKVCache(*config, dtype=dtype)
    # Kept until the end: memory that was given back could be given out again for a new storage.
    first, came = [cache.keys, cache.values], []
    for number, (name, *args) in enumerate(operations):
        if name != "add" and args[0] not in cache.block_tables:
            break
        try:
            result = getattr(cache, name)(*args)
        except Exception as error:
            is_refusal = isinstance(error, ValueError | AssertionError)
            if not is_refusal and number not in refused:
                raise
            result = "refused" if is_refusal else "another exception"
        tables = {f"sequence {each}": list(cache.block_tables[each]) for each in sorted(cache.block_tables)}
        lengths = {f"sequence {each}": cache.lengths[each] for each in sorted(cache.lengths)}
        came.append([result, tables, lengths, list(cache.ref_counts), cache.num_free_blocks])
    storage = [cache.keys, cache.values]
    same = [each.data_ptr() for each in first] == [each.data_ptr() for each in storage]
    return [came, storage, same]


class Pages:
    """The oracle: every sequence's keys and values in tensors of their own; blocks have numbers only, in the
    order in which they come into use.
    """

    def __init__(
        self, num_blocks: int, size: int, heads: int, dim: int, dtype: torch.dtype = torch.float32
    ) -> None:
        self.num_blocks, self.size, self.nothing = num_blocks, size, torch.zeros(0, heads, dim, dtype=dtype)
        self.tables: dict[int, list[int]] = {}
        self.stored: dict[int, tuple[Tensor, ...]] = {}
        self.taken = self.ids = 0

    def users(self) -> dict[str, int]:
        used = sorted({block for table in self.tables.values() for block in table})
        return {f"block {block}": sum(block in table for table in self.tables.values()) for block in used}

    def take(self) -> int:
        self.taken += 1
        return self.taken - 1

    def add(self) -> int:
        self.tables[self.ids], self.stored[self.ids] = [], (self.nothing, self.nothing)
        self.ids += 1
        return self.ids - 1

    def append(self, sequence: int, key: Tensor, value: Tensor) -> str | None:
        table, before = self.tables[sequence], len(self.stored[sequence][0])
        after, users = before + len(key), self.users()
        is_shared = before % self.size != 0 and users[f"block {table[-1]}"] > 1
        blocks = (after + self.size - 1) // self.size
        if blocks - len(table) + is_shared > self.num_blocks - len(users):
            return "refused"
        if is_shared:
            table[-1] = self.take()
        table += [self.take() for _ in range(blocks - len(table))]
        pairs = zip(self.stored[sequence], (key, value), strict=True)
        self.stored[sequence] = tuple(torch.cat(pair) for pair in pairs)
        return None

    def fork(self, sequence: int) -> int:
        child = self.add()
        self.tables[child], self.stored[child] = list(self.tables[sequence]), self.stored[sequence]
        return child

    def gather(self, sequence: int) -> tuple[Tensor, ...]:
        return self.stored[sequence]

    def free(self, sequence: int) -> None:
        del self.tables[sequence], self.stored[sequence]


def without_rest(came: Any, expected: Sequence[Tensor]) -> Any:
    """What gather gave, with zeros behind the tokens that are expected: what nobody has written in the rest
    of a block may be anything, and so is no evidence.
    """
    pairs = list(zip(came, expected, strict=False)) if isinstance(came, tuple | list) else []
    if not all(isinstance(one, Tensor) and one.shape[1:] == other.shape[1:] for one, other in pairs):
        return came
    cut = [torch.cat([one[: len(other)], torch.zeros_like(one[len(other) :])]) for one, other in pairs]
    return type(came)([*cut, *came[len(cut) :]])


def numbered(tables: dict[str, list[int]], numbers: dict[Any, int]) -> dict[str, list[int]]:
    """The tables with the blocks' own numbers for what they are called here; `numbers` goes on from one
    operation to the next.
    """
    used = {block for table in tables.values() for block in table}
    for block in set(numbers) - used - {"next"}:
        del numbers[block]
    for block in (block for table in tables.values() for block in table):
        if block not in numbers:
            numbers[block], numbers["next"] = numbers["next"], numbers["next"] + 1
    return {name: [numbers[block] for block in table] for name, table in tables.items()}


def assert_played(
    submission: Submission,
    config: tuple[int, int, int, int],
    operations: Sequence[Operation],
    dtype: torch.dtype | None = None,
) -> None:
    """After every operation tables, lengths, users, free blocks and gathered values are as they should be."""
    own: Any = {"dtype": dtype} if dtype else {}
    pages = Pages(*config, **own)
    results = [getattr(pages, name)(*args) for name, *args in operations]
    refused = [number for number, result in enumerate(results) if isinstance(result, str)]
    came, storage, is_same = submission.run(played, config, operations, refused, **own)
    pages, numbers = Pages(*config, **own), {"next": 0}
    for (name, *args), (result, tables, lengths, counts, free) in zip(operations, came, strict=False):
        expected = getattr(pages, name)(*args)
        said = f"{name}({args[0] if args else ''}{f', {len(args[1])} tokens' if args[1:] else ''})"
        if name == "append" or not isinstance(expected, tuple):
            assert_equal(result, expected, what=f"what {said} gives")
        else:
            assert_equal(without_rest(result, expected), expected, what=said)
        wanted = {f"sequence {each}": table for each, table in pages.tables.items()}
        own = numbered(tables, numbers)
        assert_equal(own, wanted, what=f"after {said}, blocks numbered as they came into use, block_tables")
        of_each = {f"sequence {each}": len(stored[0]) for each, stored in pages.stored.items()}
        assert_equal(lengths, of_each, what=f"after {said}, lengths")
        found = {f"block {number}": counts[block] for block, number in numbers.items() if block != "next"}
        users = pages.users()
        assert_equal({each: found[each] for each in users}, users, what=f"after {said}, ref_counts")
        assert_equal(
            [len(counts), sum(counts)], [config[0], sum(users.values())], what=f"after {said}, ref_counts"
        )
        assert_equal(free, config[0] - len(users), what=f"after {said}, num_free_blocks")
    assert_equal(len(came), len(operations), what="operations on sequences that are there")
    assert_true(is_same, "keys and values are another memory than at first: they are allocated once")
    for each, table in tables.items():
        stored = pages.stored[int(each.split()[1])]
        for whole_storage, own, name in zip(storage, stored, ("keys", "values"), strict=True):
            lying = whole_storage[table].flatten(0, 1)[: len(own)]
            assert_equal(lying, own, what=f"{name} where block_tables says for {each}")
