"""Checks of `flash_attention`: values, gradients, large scores, the largest tensor made, skipped blocks."""

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_again,
    assert_at_most,
    assert_close,
    assert_fits,
    assert_inputs_unchanged,
    assert_same_gradients,
    assert_true,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention", "softmax")

RISES = (0.0, 1e-5), (3e3, 2**-6)
causal_too = pytest.mark.parametrize("is_causal", [False, True])
LEVELS = {"changing": [-3e3, 0.0, 3e3], "alike": [3e3, 3e3, 3e3]}


def workload(submission, rng):
    query, key, value = (rng.normal(1, 4, 256, 32, dtype=torch.float32) for _ in range(3))
    return submission.flash_attention.measure(query, key, value, is_causal=True)


LADDER = [(1, 1, 1, False), (2, 1, 2, False), (2, 2, 1, False), (3, 2, 2, False), (3, 2, 2, True)]


def smallest(submission, rng, seq, head_dim, block_size, is_causal):
    """small whole numbers give what the built-in gives"""
    query, key, value = (whole(rng, 1, 1, seq, head_dim) for _ in range(3))
    came = submission.flash_attention(query, key, value, block_size, is_causal)
    assert_close(came, built_in(query, key, value, is_causal=is_causal))


def drawn(rng, q_len, kv_len, *, batch=2, heads=3, head_dim=5, dtype=torch.float64):
    lengths = (q_len, kv_len, kv_len)
    return [rng.normal(batch, heads, length, head_dim, dtype=dtype) for length in lengths]


def built_in(query, key, value, block_size=None, is_causal=False):
    return F.scaled_dot_product_attention(query, key, value, is_causal=is_causal)


def without_gradients(answer, query, key, value):
    """In blocks of 128."""
    with torch.no_grad():
        return answer.flash_attention(query, key, value, 128)


@pytest.mark.parametrize(
    "q_len, kv_len, block_size",
    [(12, 12, 4), (13, 13, 4), (7, 11, 3), (11, 7, 3), (1, 9, 4), (5, 3, 1), (5, 6, 8), (13, 5, 8)],
)
def test_equals_the_built_in(submission, rng, q_len, kv_len, block_size):
    """equals F.scaled_dot_product_attention, whatever the lengths and the block size"""
    query, key, value = drawn(rng, q_len, kv_len)
    came = submission.flash_attention(query, key, value, block_size=block_size)
    assert_close(came, built_in(query, key, value))


@pytest.mark.parametrize("seq, block_size", [(12, 4), (13, 4), (5, 1), (5, 8), (1, 2)])
def test_causal(submission, rng, seq, block_size):
    """equals F.scaled_dot_product_attention with is_causal=True"""
    query, key, value = drawn(rng, seq, seq)
    came = submission.flash_attention(query, key, value, block_size, True)
    assert_close(came, built_in(query, key, value, is_causal=True))


@causal_too
def test_default_block_size(submission, rng, is_causal):
    """without block_size, 67 tokens are right"""
    query, key, value = drawn(rng, 67, 67)
    came = submission.flash_attention(query, key, value, is_causal=is_causal)
    assert_close(came, built_in(query, key, value, is_causal=is_causal))


@pytest.mark.parametrize(
    "q_len, kv_len, block_size, is_causal",
    [(5, 13, 8, False), (9, 9, 4, True), (8, 8, 4, True), (70, 131, 64, False), (131, 131, 64, True)],
)
def test_gradients(submission, rng, q_len, kv_len, block_size, is_causal):
    """the gradients of query, key and value equal the built-in's"""
    options = {"block_size": block_size, "is_causal": is_causal}
    assert_same_gradients(submission.flash_attention, built_in, *drawn(rng, q_len, kv_len), **options)


@causal_too
@pytest.mark.parametrize(
    "levels, block_size", [("changing", 4), ("changing", 5), ("changing", 16), ("alike", 4)]
)
def test_large_scores(submission, rng, levels, block_size, is_causal):
    """rising or falling scores in the thousands give right values and gradients"""
    query, key, value = drawn(rng, 12, 12)
    # Feature 0 adds its key's level to the scores of even queries, and takes it from those of odd ones: in
    # blocks of 4 the rows of one place are alike in all of them, in blocks of 5 they are not.
    query[..., 0] = 5**0.5 * torch.tensor([1.0, -1.0]).repeat(6)
    key[..., 0] = torch.tensor(LEVELS[levels]).repeat_interleave(4)
    options = {"block_size": block_size, "is_causal": is_causal}
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    answer, tolerance = submission.flash_attention, 1e-3
    assert_same_gradients(answer, built_in, query, key, value, tolerance=tolerance, **options)
    if is_second_round():  # later keys score 11,000 more: -1e4 added to their scores is not enough
        query[..., 0], key[..., 0] = 5**0.5, torch.tensor([-5.5e3, 5.5e3]).repeat_interleave(6)
        inputs = query, key, value, block_size, True
        assert_close(answer(*inputs), built_in(*inputs), tolerance=1e-2)


@causal_too
def test_levels_of_heads(submission, rng, is_causal):
    """scores that differ by thousands between heads and between sequences give finite, right values"""
    query, key, value = drawn(rng, 7, 7)
    # They fall and rise from head to head, and from sequence to sequence.
    levels = torch.tensor([[-3e3, 600.0, -1800.0], [3e3, -600.0, 1800.0]])
    query[..., 0], key[..., 0] = 5**0.5, levels[..., None]
    came = submission.flash_attention(query, key, value, block_size=4, is_causal=is_causal)
    assert_close(came, built_in(query, key, value, is_causal=is_causal), tolerance=1e-3)


def scored(rng, scores, queries):
    """Queries whose scaled scores are these, and random values."""
    query, key, value = drawn(rng, queries, len(scores), batch=1, heads=2)
    query[:], key[:] = 0.0, 0.0
    query[..., 0], key[..., 0] = 5**0.5, torch.tensor(scores, dtype=key.dtype)
    return query, key, value


@pytest.mark.parametrize(
    "levels, is_causal",
    [
        ([0.0, -9.0, -16.0, -21.0], True),
        ([-21.0, 0.0, -16.0, -9.0], False),
    ],
)
def test_small_weights_of_large_values(submission, rng, levels, is_causal):
    """a block of small weights counts like any other: its values may be the larger for it"""
    scores = torch.tensor(levels, dtype=torch.float64).repeat_interleave(3)
    query, key, value = scored(rng, scores.tolist(), len(scores))
    value *= torch.exp(-scores)[:, None]
    came = submission.flash_attention(query, key, value, 3, is_causal)
    # The tolerance lets a softmax in float32 pass.
    assert_close(came, built_in(query, key, value, is_causal=is_causal), tolerance=1e-4)


def test_small_rises_add_up(submission, rng):
    """a maximum that rises by little, in itself or for its size, rises all the same: many of them add up"""
    little, of_large = (scored(rng, [start + step * n for n in range(31)], 2) for start, step in RISES)
    inputs = [torch.cat(pair) for pair in zip(little, of_large, strict=True)]
    came, wanted = submission.flash_attention(*inputs, block_size=1), built_in(*inputs)
    for sequence, tolerance in enumerate((1e-6, 1e-3)):
        assert_close(came[sequence], wanted[sequence], tolerance=tolerance)


@pytest.mark.parametrize(
    "q_len, kv_len, block_size, head_dim, is_causal",
    [(80, 80, 16, 5, False), (32, 96, 16, 5, False), (84, 84, 12, 17, True), (30, 30, 2, 3, True)],
)
def test_no_large_tensor(submission, rng, q_len, kv_len, block_size, head_dim, is_causal):
    """no operation makes a tensor larger than batch * heads * longest length * max(block_size, head_dim)"""
    inputs = drawn(rng, q_len, kv_len, batch=1, head_dim=head_dim)
    measured = submission.flash_attention.measure(*inputs, block_size=block_size, is_causal=is_causal)
    limit = 1 * 3 * max(q_len, kv_len) * max(block_size, head_dim)
    cause = (
        "So memory grows with the square of the length, which is what this method avoids. Usual causes are "
        "the whole matrix of scores, made first and then read in blocks; a mask of q_len x kv_len; blocks "
        "that are all stacked. Multiply one block of queries with one block of keys, and go on with its "
        "result"
    )
    what = f"elements of the largest tensor made (all scores are {3 * q_len * kv_len:,})"
    assert_at_most(measured.largest_tensor, limit, what, cause=cause)
    long = [rng.normal(1, 1, 2048, 8, dtype=torch.float32) for _ in range(3)]
    # Their scores would take 16 MiB, a row of tiles takes 1, and some of them are there at a time.
    assert_fits(submission, without_gradients, *long, expected=lambda: built_in(*long), memory=12 * 2**20)
    assert_close(measured.value, built_in(*inputs, is_causal=is_causal))


@causal_too
def test_torch_computes_it(submission, rng, is_causal):
    """the operations of PyTorch make every score that counts, so nothing else computes them"""
    inputs = drawn(rng, 64, 64, batch=1, head_dim=1)
    measured = submission.flash_attention.measure(*inputs, block_size=16, is_causal=is_causal)
    message = (
        "the operations of PyTorch make fewer elements than there are scores: something else computes them"
    )
    assert_true(measured.elements >= 3 * 64 * 65 / 2, message)
    assert_close(measured.value, built_in(*inputs, is_causal=is_causal))


def test_causal_skips_blocks(submission, rng):
    """with is_causal, 16 blocks take at most 0.7 of the FLOPs that they take without"""
    inputs = drawn(rng, 64, 64, batch=1, heads=2)
    measured = submission.flash_attention.measure(*inputs, block_size=4, is_causal=True)
    # Work without grows with the square of the length: that of a quarter tells it in a sixteenth of the time.
    quarter = submission.flash_attention.measure(*(each[:, :, :16] for each in inputs), block_size=4)
    # Without matrix products it is the elements that tell.
    causal, full = measured.matmul_flops or measured.elements, quarter.matmul_flops or quarter.elements
    cause = (
        "So scores are computed to be masked. Usual causes are a loop over all blocks of keys, or a block of "
        "keys against all queries. A block of queries needs no key after its last query, and a block of keys "
        "no query before its first key"
    )
    what = "work with is_causal, as a share of the work without"
    assert_at_most(causal / max(16 * full, 1), 0.7, what, cause=cause)
    assert_close(measured.value, built_in(*inputs, is_causal=True))
    assert_close(submission.flash_attention(*inputs, block_size=4), built_in(*inputs))
    # Who computes with the later half of the values for a query of the first quarter has skipped nothing.
    query, key, value = inputs
    late = value.index_fill(2, torch.arange(32, 64), torch.nan)
    assert_again(
        lambda: submission.flash_attention(query, key, late, block_size=4, is_causal=True)[:, :, :16],
        lambda: built_in(query, key, value, is_causal=True)[:, :, :16],
        what="with NaN in the values of later blocks, in the rows before them",
    )


@causal_too
def test_float32_is_kept(submission, rng, is_causal):
    """float32 is kept"""
    query, key, value = drawn(rng, 13, 13, dtype=torch.float32)
    came = submission.flash_attention(query, key, value, block_size=4, is_causal=is_causal)
    assert_close(came, built_in(query, key, value, is_causal=is_causal))


@causal_too
def test_other_layouts(submission, rng, is_causal):
    """inputs that are not contiguous are right; backward changes nothing that others need"""
    inputs = [rng.normal(2, 7, 3, 5).transpose(1, 2) for _ in range(3)]
    options = {"block_size": 3, "is_causal": is_causal}
    assert_backward_leaves_all(submission.flash_attention, built_in, *inputs, **options)


@pytest.mark.parametrize("batch, heads, head_dim", [(1, 1, 131), (139, 3, 1)])
def test_small_sizes(submission, rng, batch, heads, head_dim):
    """a batch of one with a single head, large heads and those of one feature, a large batch are right"""
    inputs = drawn(rng, 7, 7, batch=batch, heads=heads, head_dim=head_dim)
    came = submission.flash_attention(*inputs, block_size=3, is_causal=True)
    assert_close(came, built_in(*inputs, is_causal=True))


@causal_too
def test_zeros_are_numbers_like_others(submission, rng, is_causal):
    """zero vectors and scores of exactly 0 count like any others"""
    query, key, value = (whole(rng, 2, 3, 7, 5, most=1) for _ in range(3))
    query[:, :, 0], key[:, :, 1], value[:, :, 2] = 0.0, 0.0, 0.0
    query[:, 1], key[:, 2] = 0.0, 0.0
    came = submission.flash_attention(query, key, value, block_size=3, is_causal=is_causal)
    assert_close(came, built_in(query, key, value, is_causal=is_causal))


@causal_too
def test_inputs_are_not_modified(submission, rng, is_causal):
    """query, key and value are not modified"""
    inputs = drawn(rng, 7, 7)
    assert_inputs_unchanged(submission.flash_attention, *inputs, block_size=3, is_causal=is_causal)
