"""Checks of `paged_kv_cache`: against contiguous tensors for each sequence, and users counted anew.

Which free block is taken is each answer's own, so blocks are compared by when they come into use: the first
one is block 0, and one that comes into use again is a new one.
"""

import pytest
import torch

from grader.kit import (
    assert_at_most,
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_raises,
    assert_true,
)
from grader.kit.small import whole

HEADS, DIM = 2, 3
LADDER = [(1, 1), (2, 1), (2, 2), (3, 2)]


def smallest(submission, rng, tokens, size):
    """a fork that goes on has its own tokens, and leaves those of the other"""
    operations = [("add",), ("append", 0, *(whole(rng, tokens, 1, 1) for _ in "kv")), ("fork", 0)]
    operations += [("append", 1, *(whole(rng, 1, 1, 1) for _ in "kv")), ("gather", 0), ("gather", 1)]
    assert_played(submission, (5, size, 1, 1), operations, dtype=torch.float64)


def workload(submission, rng):
    operations = [("add",), append(rng, 0, 40), ("fork", 0), append(rng, 1, 9), ("gather", 1), ("free", 0)]
    measured = submission.measure(played, (16, 8, HEADS, DIM), operations)
    return type(measured)(None, measured.matmul_flops, measured.largest_tensor, measured.operations)


def append(rng, sequence, new, dtype=torch.float32):
    return "append", sequence, *(rng.normal(new, HEADS, DIM, dtype=dtype) for _ in "kv")


def played(answer, config, operations, refused=(), dtype=None):
    """The operations on a new cache, and what is to be seen after each. Those of these numbers are to be
    refused: how an answer fails there instead is its own.
    """
    cache = answer.PagedKVCache(*config) if dtype is None else answer.PagedKVCache(*config, dtype=dtype)
    storages, came = [cache.keys.data_ptr(), cache.values.data_ptr()], []
    for number, (name, *args) in enumerate(operations):
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
    same = storages == [cache.keys.data_ptr(), cache.values.data_ptr()]
    return [came, [cache.keys, cache.values], same]


class Pages:
    """The oracle: every sequence's keys and values in tensors of their own; blocks have numbers only, in the
    order in which they come into use.
    """

    def __init__(self, num_blocks, size, heads, dim, dtype=torch.float32):
        self.num_blocks, self.size, self.nothing = num_blocks, size, torch.zeros(0, heads, dim, dtype=dtype)
        self.tables, self.stored, self.taken, self.ids = {}, {}, 0, 0

    def users(self):
        used = sorted({block for table in self.tables.values() for block in table})
        return {f"block {block}": sum(block in table for table in self.tables.values()) for block in used}

    def take(self):
        self.taken += 1
        return self.taken - 1

    def add(self):
        self.tables[self.ids], self.stored[self.ids] = [], (self.nothing, self.nothing)
        self.ids += 1
        return self.ids - 1

    def append(self, sequence, key, value):
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

    def fork(self, sequence):
        child = self.add()
        self.tables[child], self.stored[child] = list(self.tables[sequence]), self.stored[sequence]
        return child

    def gather(self, sequence):
        return self.stored[sequence]

    def free(self, sequence):
        del self.tables[sequence], self.stored[sequence]


def numbered(tables, numbers):
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


def assert_played(submission, config, operations, dtype=None):
    """After every operation tables, lengths, users, free blocks and gathered values are as they should be."""
    own = {"dtype": dtype} if dtype else {}
    pages = Pages(*config, **own)
    results = [getattr(pages, name)(*args) for name, *args in operations]
    refused = [number for number, result in enumerate(results) if isinstance(result, str)]
    came, storage, is_same = submission.run(played, config, operations, refused, **own)
    pages, numbers = Pages(*config, **own), {"next": 0}
    for (name, *args), (result, tables, lengths, counts, free) in zip(operations, came, strict=True):
        expected = getattr(pages, name)(*args)
        said = f"{name}({args[0] if args else ''}{f', {len(args[1])} tokens' if args[1:] else ''})"
        if name == "append" or not isinstance(expected, tuple):
            assert_equal(result, expected, what=f"what {said} gives")
        else:
            assert_equal(result, expected, what=said)
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
    assert_true(is_same, "keys and values are another memory than at first: they are allocated once")
    for each, table in tables.items():
        stored = pages.stored[int(each.split()[1])]
        for whole_storage, own, name in zip(storage, stored, ("keys", "values"), strict=True):
            lying = whole_storage[table].flatten(0, 1)[: len(own)]
            assert_equal(lying, own, what=f"{name} where block_tables says for {each}")


CONFIG = 7, 4, HEADS, DIM


def test_one_sequence(submission, rng):
    """tokens lie in the blocks of the table, in order, and gather gives them back"""
    operations = [("add",), ("gather", 0), append(rng, 0, 3), append(rng, 0, 4), ("gather", 0)]
    operations += [append(rng, 0, 1), ("gather", 0), append(rng, 0, 11), ("gather", 0)]
    assert_played(submission, CONFIG, operations)


@pytest.mark.parametrize("size, new", [(4, 4), (4, 8), (1, 3), (3, 1)])
def test_full_blocks(submission, rng, size, new):
    """a sequence has ceil(length / block_size) blocks: none in advance where the last one is full"""
    operations = [("add",), append(rng, 0, new), ("gather", 0), ("add",), append(rng, 1, size), ("gather", 1)]
    assert_played(submission, (7, size, HEADS, DIM), [*operations, append(rng, 0, 1), ("gather", 0)])


def test_sequences_by_turns(submission, rng):
    """sequences that grow by turns keep apart, wherever their blocks are"""
    operations = [("add",), ("add",)]
    for new in (3, 2, 4):
        operations += [append(rng, 0, new), append(rng, 1, new + 1)]
    assert_played(submission, CONFIG, [*operations, ("gather", 0), ("gather", 1)])


def test_forks_share_blocks(submission, rng):
    """a fork has the same tokens in the same blocks, with one user more each, and a table of its own"""
    operations = [("add",), append(rng, 0, 6), ("fork", 0), ("fork", 1), ("gather", 2), ("fork", 0)]
    assert_played(submission, CONFIG, [*operations, ("gather", 0), ("gather", 3)])


@pytest.mark.parametrize("first, second", [(0, 1), (1, 0)])
def test_copy_on_write(submission, rng, first, second):
    """the first of two that writes into a shared block gets a copy, the last user writes in place"""
    operations = [("add",), append(rng, 0, 6), ("fork", 0), append(rng, first, 1), append(rng, second, 1)]
    assert_played(submission, CONFIG, [*operations, ("gather", 0), ("gather", 1)])


def test_full_blocks_stay_shared(submission, rng):
    """where the last block is full nothing is copied: the next token opens a block of its own"""
    operations = [("add",), append(rng, 0, 8), ("fork", 0), append(rng, 1, 1), append(rng, 0, 5)]
    assert_played(submission, CONFIG, [*operations, ("gather", 0), ("gather", 1)])


def test_copies_go_on(submission, rng):
    """a copy that fills up goes on in new blocks, and its own forks share it"""
    operations = [("add",), append(rng, 0, 2), ("fork", 0), append(rng, 1, 5), ("fork", 1), append(rng, 2, 1)]
    assert_played(submission, CONFIG, [*operations, *(("gather", each) for each in range(3))])


def test_freed_blocks_are_used_again(submission, rng):
    """free gives back the blocks that nobody else uses, and they take tokens of others"""
    operations = [("add",), append(rng, 0, 28), ("free", 0), ("add",), append(rng, 1, 25), ("gather", 1)]
    assert_played(submission, CONFIG, operations)


def test_shared_blocks_outlive_their_first_user(submission, rng):
    """a block is free once nobody uses it: freeing one of several users takes nothing from the others"""
    operations = [("add",), append(rng, 0, 6), ("fork", 0), ("free", 0), ("gather", 1), ("add",)]
    operations += [append(rng, 2, 20), ("gather", 1), append(rng, 1, 2), ("gather", 1), ("free", 1)]
    assert_played(submission, CONFIG, [*operations, append(rng, 2, 4), ("gather", 2)])


def test_blocks_left_by_copies_become_free(submission, rng):
    """a block whose users have all taken copies or gone is free"""
    operations = [("add",), append(rng, 0, 2), ("fork", 0), append(rng, 1, 1), ("free", 0), ("free", 1)]
    assert_played(submission, (2, 4, HEADS, DIM), [*operations, ("add",), append(rng, 2, 8), ("gather", 2)])


def test_ids_are_never_used_again(submission, rng):
    """ids count on over add and fork, also after sequences are freed; an empty one can be forked and freed"""
    operations = [("add",), ("fork", 0), ("free", 1), ("add",), ("free", 0), ("fork", 2), ("gather", 3)]
    assert_played(submission, CONFIG, [*operations, ("free", 2), append(rng, 3, 5), ("gather", 3), ("add",)])


@pytest.mark.parametrize("new", [17, 29])
def test_refused_append_changes_nothing(submission, rng, new):
    """an append that does not fit leaves everything as it was"""
    operations = [("add",), append(rng, 0, 6), ("add",), append(rng, 1, 4), append(rng, 0, new + 2)]
    operations += [append(rng, 1, new), ("gather", 0), ("gather", 1), append(rng, 1, 16), ("gather", 1)]
    assert_played(submission, CONFIG, operations)


@pytest.mark.parametrize("num_blocks, new", [(1, 1), (2, 4), (2, 3), (3, 6)])
def test_copy_is_counted_among_what_is_needed(submission, rng, num_blocks, new):
    """the copy needs a free block too: where it or a block behind it is missing, nothing changes"""
    operations = [("add",), append(rng, 0, 2), ("fork", 0), append(rng, 1, new), ("gather", 1), ("gather", 0)]
    operations += [("free", 0), append(rng, 1, new), ("gather", 1)]
    assert_played(submission, (num_blocks, 4, HEADS, DIM), operations)


def test_full_cache(submission, rng):
    """a full cache still takes tokens where there is room in a block, and add, fork and free need none"""
    operations = [("add",), append(rng, 0, 27), ("add",), ("fork", 0), append(rng, 1, 1), append(rng, 0, 1)]
    operations += [("free", 2), append(rng, 0, 1), ("gather", 0), append(rng, 0, 1), ("free", 1)]
    assert_played(submission, CONFIG, operations)


def test_refusing_raises(submission, rng):
    """an append that does not fit raises ValueError"""
    cache = submission.PagedKVCache(2, 4, HEADS, DIM)
    cache.add()
    assert_raises(cache.append, 0, *append(rng, 0, 9)[2:])


@pytest.mark.parametrize("dtype", [None, torch.float64])
def test_storage(submission, dtype):
    """keys and values have the stated shape, and the dtype of the cache, float32 by default"""
    _, storage, _ = submission.run(played, (5, 4, HEADS, DIM), [], **({"dtype": dtype} if dtype else {}))
    kinds = [[list(each.shape), str(each.dtype)] for each in storage]
    assert_equal(kinds, [[[5, 4, HEADS, DIM], str(dtype or torch.float32)]] * 2, what="keys and values")


def test_float64_and_other_layouts(submission, rng):
    """float64 is kept, keys and values that are not contiguous are right, and stay as they are"""
    key, value = (rng.normal(HEADS, 6, DIM).transpose(0, 1) for _ in "kv")
    operations = [("add",), ("append", 0, key, value), ("fork", 0), ("append", 1, key, value), ("gather", 1)]
    assert_played(submission, CONFIG, operations, dtype=torch.float64)
    cache = submission.PagedKVCache(*CONFIG, dtype=torch.float64)
    cache.add()
    assert_inputs_unchanged(cache.append, 0, key, value)


def changed_after_gather(answer, config, key, value):
    cache = answer.PagedKVCache(*config)
    sequence = cache.add()
    cache.append(sequence, key, value)
    for part in cache.gather(sequence):
        part.fill_(7.0)
    return list(cache.gather(sequence))


@pytest.mark.parametrize("new", [2, 4, 8])
def test_gather_gives_new_tensors(submission, rng, new):
    """what gather gives is new: writing into it changes nothing in the cache"""
    _, _, key, value = append(rng, 0, new)
    assert_close(submission.run(changed_after_gather, CONFIG, key, value), [key, value])


def test_fork_copies_nothing(submission, rng):
    """fork makes no tensor of a block's size"""
    cache = submission.PagedKVCache(5, 16, HEADS, DIM)
    cache.add()
    cache.append(0, *append(rng, 0, 70)[2:])
    measured = cache.fork.measure(0)
    cause = "Keys and values are shared until one of both writes: copy the table of block numbers only"
    assert_at_most(
        measured.largest_tensor, 16 * HEADS * DIM - 1, "numbers in the largest tensor", cause=cause
    )
    assert_equal(measured.value, 1)


def test_two_caches(submission, rng):
    """two caches of different sizes keep apart"""
    one, other = submission.PagedKVCache(3, 2, HEADS, DIM), submission.PagedKVCache(9, 5, HEADS, DIM)
    for cache in (one, other):
        assert_equal(cache.add(), 0, what="the first id")
    first, second = append(rng, 0, 6)[2:], append(rng, 0, 7)[2:]
    one.append(0, *first)
    other.append(0, *second)
    assert_close(one.gather(0), first)
    assert_close(other.gather(0), second)


@pytest.mark.parametrize("size", [3, 4])
def test_many_operations(submission, rng, size):
    """after each of many operations in any order tables, users, free blocks and tokens are right"""
    pages, operations = Pages(9, size, HEADS, DIM), [("add",)]
    pages.add()
    for kind, which, new in zip(*(rng.integers(0, most, 70).tolist() for most in (20, 100, 8)), strict=True):
        live = sorted(pages.tables)
        sequence = live[which % len(live)] if live else None
        if sequence is None or kind < 2:
            operation = ("add",)
        elif kind < 5:
            operation = ("fork", sequence)
        elif kind < 8:
            operation = ("free", sequence)
        elif kind < 11:
            operation = ("gather", sequence)
        else:
            operation = append(rng, sequence, new % (2 * size) + 1)
        getattr(pages, operation[0])(*operation[1:])
        operations.append(operation)
    assert_played(
        submission, (9, size, HEADS, DIM), [*operations, *(("gather", each) for each in pages.tables)]
    )
