"""Checks of `paged_kv_cache`: against contiguous tensors for each sequence, and users counted anew."""

import pytest
import torch

from grader.kit import (
    assert_accepts,
    assert_arguments_unchanged,
    assert_at_most,
    assert_close,
    assert_equal,
    assert_raises,
)
from grader.kit.families.caches.paged import (
    DIM,
    HEADS,
    Pages,
    append,
    assert_played,
    played,
    without_rest,
)
from grader.kit.small import whole

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


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 1, 2), (2, 0, 1)])
def test_copy_on_write(submission, rng, order):
    """who writes into a shared block gets a copy, the last of its users writes in place"""
    operations = [("add",), append(rng, 0, 6), *[("fork", 0)] * (len(order) - 1)]
    operations += [append(rng, each, 1) for each in order]
    assert_played(submission, CONFIG, [*operations, *(("gather", each) for each in range(len(order)))])


@pytest.mark.parametrize("num_blocks", [7, 3])
def test_full_blocks_stay_shared(submission, rng, num_blocks):
    """where the last block is full nothing is copied: the next token opens a block of its own, and needs no
    other
    """
    operations = [("add",), append(rng, 0, 8), ("fork", 0), append(rng, 1, 1), append(rng, 0, 5)]
    assert_played(submission, (num_blocks, 4, HEADS, DIM), [*operations, ("gather", 0), ("gather", 1)])


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
    """float64 is kept, without tokens too; keys and values in other layouts are right, and not modified"""
    key, value = (rng.normal(HEADS, 6, DIM).transpose(0, 1) for _ in "kv")
    operations = [
        ("add",),
        ("gather", 0),
        ("append", 0, key, value),
        ("fork", 0),
        ("append", 1, key, value),
        ("gather", 1),
    ]
    assert_played(submission, CONFIG, operations, dtype=torch.float64)
    cache = submission.PagedKVCache(*CONFIG, dtype=torch.float64)
    cache.add()
    assert_arguments_unchanged(cache.append, 0, key, value)


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
    came = submission.run(changed_after_gather, CONFIG, key, value)
    assert_close(without_rest(came, [key, value]), [key, value])


def test_fork_copies_nothing(submission, rng):
    """fork makes no tensor of a block's size, and needs no free block"""
    cache = submission.PagedKVCache(5, 16, HEADS, DIM)
    cache.add()
    cache.append(0, *append(rng, 0, 70)[2:])
    measured = assert_accepts(cache.fork.measure, 0)
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
    assert_close(without_rest(one.gather(0), first), first)
    assert_close(without_rest(other.gather(0), second), second)


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
