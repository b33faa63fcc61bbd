"""Checks of `online_attention`: values, one pass, memory, large scores, dtype."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from grader.kit import assert_close, assert_equal, assert_fits, assert_true
from grader.kit.rounds import is_second_round
from grader.kit.small import whole

RISING = [-1e4, -5e3, 0.0, 5e3, 1e4]


LADDER = [((1,), 1), ((2,), 1), ((1, 1), 2), ((2, 1), 2), ((1, 2, 1), 3)]


def smallest(submission, rng, sizes, head_dim):
    """small whole numbers give what the built-in gives"""
    query = whole(rng, head_dim).numpy()
    keys, values = (whole(rng, sum(sizes), n).numpy() for n in (head_dim, 2))
    assert_close(submission.run(streamed, query, keys, values, sizes), built_in(query, keys, values))


def drawn(rng, kv_len, head_dim=5, value_dim=3):
    """A query with the keys and values of all blocks."""
    shapes = (head_dim,), (kv_len, head_dim), (kv_len, value_dim)
    return [rng.normal(*shape).numpy() for shape in shapes]


def scored(rng, levels):
    """A query, keys and values with scores near these levels for scale 1: one block of 4 rows for each.
    Scores are multiples of 1/8, exact in float32 too.
    """
    query, keys, values = drawn(rng, 4 * len(levels))
    query[0], query[1:] = 1.0, 0.0
    keys[:, 0] = np.repeat(levels, 4) + rng.integers(-16, 17, len(keys)).numpy() / 8
    return query, keys, values


def built_in(query, keys, values, scale=None):
    tensors = [torch.from_numpy(array) for array in (query[None], keys, values)]
    return F.scaled_dot_product_attention(*tensors, scale=scale)[0].numpy()


def streamed(answer, query, keys, values, sizes, **options):
    """The rows in blocks of these sizes, from a generator."""
    ends = np.cumsum(sizes)
    pairs = ((keys[end - n : end], values[end - n : end]) for end, n in zip(ends, sizes, strict=True))
    return answer.online_attention(query, pairs, **options)


def listed(answer, query, keys, values, scale=0.5):
    """Blocks of two rows, in a list; then what has become of the arguments."""
    blocks = [(keys[i : i + 2], values[i : i + 2]) for i in range(0, len(keys), 2)]
    return answer.online_attention(query, blocks, scale), query, keys, values


def from_one_buffer(answer, query, keys, values):
    """Blocks of two rows, each in the same two arrays."""
    buffer = keys[:2].copy(), values[:2].copy()

    def blocks():
        for i in range(0, len(keys), 2):
            buffer[0][:], buffer[1][:] = keys[i : i + 2], values[i : i + 2]
            yield buffer

    return answer.online_attention(query, blocks())


def long_stream(answer, query, count, rows):
    """`count` blocks of this many rows, each made when it is asked for."""
    draw = np.random.default_rng(count)
    blocks = ((draw.normal(size=(rows, len(query))), draw.normal(size=(rows, 17))) for _ in range(count))
    return answer.online_attention(query, blocks)


def wide_stream(answer, query, keys, values, count):
    """The same rows `count` times, copied when they are asked for."""
    return answer.online_attention(query, ((keys.copy(), values.copy()) for _ in range(count)))


@pytest.mark.parametrize("sizes", [(5, 1, 3, 7), (11,), (1, 1, 1, 1, 1), (1,), (3, 137, 2, 131)])
def test_equals_the_built_in(submission, rng, sizes):
    """equals F.scaled_dot_product_attention over all blocks, of whatever sizes"""
    query, keys, values = drawn(rng, sum(sizes))
    came = submission.run(streamed, query, keys, values, sizes)
    assert_close(came, built_in(query, keys, values))


@pytest.mark.parametrize("scale", [0.25, 0.0])
def test_scale(submission, rng, scale):
    """the scores are multiplied by the scale that is given, 0.0 too"""
    query, keys, values = drawn(rng, 9)
    came = submission.run(streamed, query, keys, values, (4, 2, 3), scale=scale)
    assert_close(came, built_in(query, keys, values, scale))


@pytest.mark.parametrize("levels", [RISING, RISING[::-1], [1e4, -1e4, 1e4], [-1e4, -1e4], [1e4, 1e4]])
def test_large_scores(submission, rng, levels):
    """scores of ±1e4 give right values, whether they rise or fall"""
    query, keys, values = scored(rng, levels)
    came = submission.run(streamed, query, keys, values, [4] * len(levels), scale=1.0)
    assert_close(came, built_in(query, keys, values, 1.0))


@pytest.mark.parametrize(
    "levels, sizes",
    [([-1e4, 1e4, 0.0, -1e4], (16,)), ([-1e4, 1e4, 0.0, -1e4], (6, 10)), ([-1e4] * 4, (3, 9, 1, 3))],
)
def test_large_scores_in_one_block(submission, rng, levels, sizes):
    """the scores of a single block may range from -1e4 to 1e4, the largest anywhere in it, or be all small"""
    query, keys, values = scored(rng, levels)
    came = submission.run(streamed, query, keys, values, sizes, scale=1.0)
    assert_close(came, built_in(query, keys, values, 1.0))


@pytest.mark.parametrize("start, step", [(0.0, 1e-5), (8192.0, 0.0625)])
def test_small_rises_add_up(submission, rng, start, step):
    """a maximum that rises by little, in itself or for its size, rises all the same: many of them add up"""
    query, keys, values = drawn(rng, 31)
    query[0], query[1:] = 1.0, 0.0
    keys[:, 0] = start + step * np.arange(31)
    came = submission.run(streamed, query, keys, values, [1] * 31, scale=1.0)
    assert_close(came, built_in(query, keys, values, 1.0))


@pytest.mark.parametrize("levels", [[0.0, -9.0, -16.0, -25.0], [-25.0, 0.0, -16.0, -9.0]])
def test_small_weights_of_large_values(submission, rng, levels):
    """a block of small weights counts like any other: its values may be the larger for it"""
    query, keys, values = scored(rng, levels)
    values *= np.repeat(np.exp(-np.array(levels)), 4)[:, None]
    came = submission.run(streamed, query, keys, values, [4] * len(levels), scale=1.0)
    # The tolerance lets a mean pass that is moved by differences from it: large values cost it digits.
    assert_close(came, built_in(query, keys, values, 1.0), tolerance=1e-4)


@pytest.mark.parametrize("options", [{}, {"scale": 0.25}])
def test_float32_is_kept(submission, rng, options):
    """float32 is kept"""
    query, keys, values = (array.astype(np.float32) for array in drawn(rng, 9))
    came = submission.run(streamed, query, keys, values, (4, 2, 3), **options)
    assert_close(came, built_in(query, keys, values, **options))


@pytest.mark.parametrize("levels", [RISING, RISING[::-1]])
def test_large_scores_in_float32(submission, rng, levels):
    """scores of ±1e4 give right values in float32"""
    query, keys, values = (array.astype(np.float32) for array in scored(rng, levels))
    came = submission.run(streamed, query, keys, values, [4] * len(levels), scale=1.0)
    # The tolerance lets an answer pass that keeps the logarithm of the denominator, a number near 1e4.
    assert_close(came, built_in(query, keys, values, 1.0), absolute=1e-2)


def test_list_of_blocks(submission, rng):
    """blocks may be a list"""
    query, keys, values = drawn(rng, 8)
    assert_close(submission.run(listed, query, keys, values)[0], built_in(query, keys, values, 0.5))


def test_one_buffer(submission, rng):
    """each block may come in the arrays of the one before"""
    query, keys, values = drawn(rng, 8)
    came = submission.run(from_one_buffer, query, keys, values)
    assert_close(came, built_in(query, keys, values))


@pytest.mark.parametrize("rows, counts", [(64, (4, 36)), (1, (64, 2112))])
def test_memory(submission, rng, rows, counts):
    """memory does not grow with the number of blocks: neither blocks nor scores are kept"""
    query = rng.normal(13).numpy()
    submission.run(long_stream, query, 2, rows)  # what is imported on the first call does not count
    few, many = (submission.measure(long_stream, query, count, rows).peak_bytes for count in counts)
    per_row = max(many - few, 0) // 2048  # rounded down, so that small change does not count
    # How much it is differs from answer to answer; what is kept does not.
    seen = "nothing" if per_row < 4 else "scores" if per_row < 8 * 13 else "blocks"
    message = (
        f"every further row adds {per_row} bytes to the memory in use (its key and value take 240, its "
        "score 8): none are to stay. So a long context does not fit, which is what one pass is for. Usual "
        "causes are a list of all scores, a concatenation, or list(blocks). Keep the maximum, the "
        "denominator and the output"
    )
    assert_true(seen == "nothing", message, seen=seen)
    wide = drawn(rng, 128, 512, 512)
    # The same rows 64 times take 64 MiB, and change nothing.
    assert_fits(submission, wide_stream, *wide, 64, expected=lambda: built_in(*wide), memory=2**25)


@pytest.mark.parametrize("head_dim, value_dim", [(1, 3), (5, 1), (131, 137)])
def test_one_feature(submission, rng, head_dim, value_dim):
    """keys and values of one feature, and of more than usual blocks take, are right"""
    query, keys, values = drawn(rng, 7, head_dim, value_dim)
    came = submission.run(streamed, query, keys, values, (3, 4))
    assert_close(came, built_in(query, keys, values))


def test_other_layouts(submission, rng):
    """arrays that are not contiguous are right"""
    query, keys, values = rng.normal(10).numpy()[::2], rng.normal(5, 7).numpy().T, rng.normal(3, 7).numpy().T
    came = submission.run(streamed, query, keys, values, (3, 4))
    assert_close(came, built_in(query.copy(), keys, values))


@pytest.mark.parametrize("of_query", [1.0, 0.0])
def test_zeros_are_numbers_like_others(submission, rng, of_query):
    """a query, keys or values of zeros, and scores of exactly 0, count like any others"""
    query, keys, values = (whole(rng, *shape, most=1).numpy() for shape in ((5,), (9, 5), (9, 3)))
    query, keys[0], keys[5], values[2:4] = query * of_query, 0.0, 0.0, 0.0
    came = submission.run(streamed, query, keys, values, (3, 2, 4))
    assert_close(came, built_in(query, keys, values))


@pytest.mark.parametrize("scale", [0.5, 1.0])
def test_inputs_are_not_modified(submission, rng, scale):
    """query, keys and values are not modified, also where the scale is 1"""
    before = drawn(rng, 8)
    for each in (scale, None) if is_second_round() else (scale,):
        _, *after = submission.run(listed, *before, each)
        for name, one, other in zip(("query", "keys", "values"), after, before, strict=True):
            assert_equal(one, other, what=f"{name} afterwards")
