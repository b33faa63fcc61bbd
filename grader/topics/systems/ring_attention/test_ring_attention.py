"""Checks of `ring_attention`: rows against the built-in's, what is sent, made and skipped."""

import math

import pytest
import torch
import torch.nn.functional as F

from grader.kit import (
    assert_again,
    assert_at_most,
    assert_close,
    assert_equal,
    assert_fits,
    assert_inputs_unchanged,
    assert_true,
)
from grader.kit.families.networks.messages import Ring
from grader.kit.families.networks.network import assert_ranks
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device
from grader.kit.small import whole

pytestmark = pytest.mark.forbid("scaled_dot_product_attention", "multi_head_attention", "softmax")

causal_too = pytest.mark.parametrize("is_causal", [False, True])


def connected(submission, world_size, sign=1):
    """A ring, and the object in the worker for it."""
    ring = Ring(world_size, sign)
    return ring, ring.connect(submission, "ring", ("shift",), ("shifts", "sent"))


def drawn(rng, world_size, block, batch=2, heads=3, head_dim=5, dtype=torch.float64):
    """Queries, keys and values, each a list with one block per rank."""
    shape = (batch, heads, block, head_dim)
    return [[rng.normal(*shape, dtype=dtype) for _ in range(world_size)] for _ in range(3)]


def expected(queries, keys, values, is_causal=False, sign=1):
    """The built-in over the joined blocks, those of other ranks with `sign` for each hop."""
    rows = []
    world_size, block = len(queries), queries[0].shape[2]
    for rank, query in enumerate(queries):
        signs = [sign ** ((rank - source) % world_size) for source in range(world_size)]
        key, value = (
            torch.cat([s * x for s, x in zip(signs, each, strict=True)], 2) for each in (keys, values)
        )
        places = torch.arange(rank * block, (rank + 1) * block)[:, None]
        mask = places >= torch.arange(world_size * block) if is_causal else None
        rows.append(F.scaled_dot_product_attention(query, key, value, attn_mask=mask))
    return rows


def came_and_expected(submission, inputs, is_causal):
    _, inside = connected(submission, len(inputs[0]))
    came = submission.ring_attention(*inputs, inside, is_causal=is_causal)
    return came, expected(*inputs, is_causal)


def workload(submission, rng):
    _, inside = connected(submission, 4)
    inputs = drawn(rng, 4, 64, batch=1, heads=2, head_dim=32, dtype=torch.float32)
    return submission.ring_attention.measure(*inputs, inside, is_causal=True)


@pytest.mark.parametrize("world_size, block", [(2, 4), (3, 3), (4, 1), (2, 139)])
def test_equals_the_built_in(submission, rng, world_size, block):
    """each rank has its rows of F.scaled_dot_product_attention over the joined blocks"""
    assert_ranks(*came_and_expected(submission, drawn(rng, world_size, block), False))


@pytest.mark.parametrize("world_size, block", [(2, 4), (3, 3), (4, 1), (2, 139)])
def test_causal(submission, rng, world_size, block):
    """with is_causal each query attends to no later token of the whole sequence"""
    assert_ranks(*came_and_expected(submission, drawn(rng, world_size, block), True))


@causal_too
def test_one_rank(submission, rng, is_causal):
    """with one rank it is attention over its own block, and nothing is sent"""
    inputs = drawn(rng, 1, 4)
    ring, inside = connected(submission, 1)
    assert_ranks(submission.ring_attention(*inputs, inside, is_causal), expected(*inputs, is_causal))
    assert_equal(ring.sent, 0, what="elements sent")


@causal_too
@pytest.mark.parametrize(
    "levels, rise", [([-3e3, 0.0, 3e3], 0.0), ([3e3, 0.0, -3e3], 0.0), ([-3e3] * 3, 0.0), ([0.0] * 3, 3e3)]
)
def test_large_scores(submission, rng, levels, rise, is_causal):
    """scores of ±3e3 give finite, right values, whether they rise or fall from rank to rank or inside"""
    inputs = drawn(rng, 3, 2)
    for query, key, level in zip(inputs[0], inputs[1], levels, strict=True):
        query[..., 0], key[..., 0] = 5**0.5, level + rise * torch.tensor([-1.0, 1.0])
    # The tolerance lets what is computed in float32 pass, whose rounding such scores magnify.
    came, wanted = came_and_expected(submission, inputs, is_causal)
    assert_ranks(came, wanted, tolerance=1e-3)
    if is_second_round():  # the same in heads of 64 features: what is left out is divided by 8, not by 2
        wide = [[F.pad(part, (0, 59)) for part in parts] for parts in inputs]
        for query in wide[0]:
            query[..., 0] = 8.0
        came, wanted = came_and_expected(submission, wide, is_causal)
        assert_ranks(came, wanted, tolerance=1e-3)


@causal_too
def test_rows_have_maxima_of_their_own(submission, rng, is_causal):
    """scores that differ by thousands between queries and between heads give finite, right values"""
    inputs = drawn(rng, 2, 3)
    for query, key in zip(*inputs[:2], strict=True):
        query[..., 0] = 5**0.5 * torch.tensor([1.0, -1.0, 1.0])
        key[..., 0] = torch.linspace(-3e3, 3e3, 6).view(2, 3, 1)
    came, wanted = came_and_expected(submission, inputs, is_causal)
    assert_ranks(came, wanted, tolerance=1e-3)


def scored(rng, scores):
    """All scaled scores of a rank's two keys are these."""
    queries, keys, values = drawn(rng, len(scores), 2, batch=1)
    for query, key, score in zip(queries, keys, scores, strict=True):
        query[:], key[:] = 0.0, 0.0
        query[..., 0], key[..., 0] = 5**0.5, score
    return queries, keys, values


@causal_too
def test_small_weights_of_large_values(submission, rng, is_causal):
    """a block of small weights counts like any other: its values may be the larger for it"""
    levels = [-21.0, -16.0, -9.0, 0.0]
    inputs = scored(rng, levels)
    for value, level in zip(inputs[2], levels, strict=True):
        value *= math.exp(-level)
    came, wanted = came_and_expected(submission, inputs, is_causal)
    # With is_causal the earlier ranks see the large values alone. What is computed in float32 may pass.
    for rank in range(3 if is_causal else 0, 4):
        assert_close(came[rank], wanted[rank], tolerance=1e-4, what=f"rank {rank}")


@pytest.mark.parametrize("start, step, tolerance", [(0.0, 1e-5, 1e-6), (3e3, 2**-6, 1e-3)])
def test_small_rises_add_up(submission, rng, start, step, tolerance):
    """a maximum that rises by little, in itself or for its size, rises all the same: many of them add up"""
    inputs = scored(rng, [start - step * rank for rank in range(11)])
    assert_ranks(*came_and_expected(submission, inputs, True), tolerance=tolerance)


@causal_too
@pytest.mark.parametrize("world_size", [2, 3])
def test_elements_sent(submission, rng, world_size, is_causal):
    """each rank sends keys and values w - 1 times, with is_causal too"""
    inputs = drawn(rng, world_size, 2)
    ring, inside = connected(submission, world_size)
    submission.ring_attention(*inputs, inside, is_causal)
    assert_equal(ring.sent, (world_size - 1) * 2 * inputs[0][0].numel(), what="elements sent by each rank")


@causal_too
@pytest.mark.parametrize("world_size", [2, 4])
def test_ranks_learn_by_shifts(submission, rng, world_size, is_causal):
    """a rank learns of other blocks by shift alone: where each shift turns signs, they are turned"""
    inputs = drawn(rng, world_size, 2)
    _, inside = connected(submission, world_size, sign=-1)
    came = submission.ring_attention(*inputs, inside, is_causal)
    assert_ranks(came, expected(*inputs, is_causal, sign=-1))


@causal_too
@pytest.mark.parametrize("block, head_dim", [(12, 5), (4, 17)])
def test_no_large_tensor(submission, rng, block, head_dim, is_causal):
    """no operation makes a tensor larger than batch * heads * block * max(block, 2 * head_dim)"""
    inputs = drawn(rng, 4, block, head_dim=head_dim)
    _, inside = connected(submission, 4)
    measured = submission.ring_attention.measure(*inputs, inside, is_causal)
    cause = (
        "So a rank holds more than its own block and one of the others, which is what the ring avoids. Usual "
        "causes are keys that are all gathered first; a mask of the whole sequence; ranks that are stacked. "
        "Each rank multiplies its queries with one block of keys at a time"
    )
    what = "elements of the largest tensor made"
    assert_at_most(measured.largest_tensor, 6 * block * max(block, 2 * head_dim), what, cause=cause)
    long = drawn(rng, 8, 256, batch=1, heads=1, head_dim=4, dtype=torch.float32)
    # Attention to all of them at once takes 16 MiB for its scores alone; block by block it takes less than 5.
    options = {"expected": lambda: expected(*long, True), "memory": 8 * 2**20}
    assert_fits(submission, at_home, *long, True, False, **options)
    assert_ranks(measured.value, expected(*inputs, is_causal))


def test_causal_skips_blocks(submission, rng):
    """with is_causal, 8 ranks take at most 0.6 of the FLOPs that they take without"""
    inputs = drawn(rng, 8, 4, batch=1, heads=2)
    rings = [connected(submission, 8)[1] for _ in range(2)]
    measured = [
        submission.ring_attention.measure(*inputs, inside, is_causal)
        for inside, is_causal in zip(rings, (True, False), strict=True)
    ]
    # Without matrix products it is the elements that tell.
    causal, full = (one.matmul_flops or one.elements for one in measured)
    cause = (
        "So blocks that no query of a rank may see are computed with, to be masked. Usual causes are a mask "
        "for every block, or a comparison of the wrong ranks. Leave a block out if it comes from a later rank"
    )
    what = "work with is_causal, as a share of the work without"
    assert_at_most(causal / max(full, 1), 0.6, what, cause=cause)
    for one, is_causal in zip(measured, (True, False), strict=True):
        assert_ranks(one.value, expected(*inputs, is_causal))
    assert_again(
        lambda: with_late_nan(submission, inputs),
        lambda: expected(*inputs, True)[:4],
        what="with NaN in the keys and values of the later ranks, on the earlier ones",
    )


def with_late_nan(submission, inputs):
    queries, keys, values = inputs
    late = [[*each[:4], *(torch.full_like(one, torch.nan) for one in each[4:])] for each in (keys, values)]
    return submission.ring_attention(queries, *late, connected(submission, 8)[1], True)[:4]


@causal_too
def test_torch_computes_it(submission, rng, is_causal):
    """the operations of PyTorch make every score that counts, so nothing else computes them"""
    inputs = drawn(rng, 2, 16, batch=1, heads=2, head_dim=1)
    measured = submission.ring_attention.measure(*inputs, connected(submission, 2)[1], is_causal)
    message = (
        "the operations of PyTorch make fewer elements than there are scores: something else computes them"
    )
    assert_true(measured.elements >= 2 * 32 * 33 / 2, message, seen=float(measured.elements))


@causal_too
def test_float32_and_strides(submission, rng, is_causal):
    """float32 is kept, and blocks that are not contiguous are right"""
    inputs = [
        [rng.normal(2, 3, 4, 5, dtype=torch.float32).transpose(1, 2) for _ in range(3)] for _ in range(3)
    ]
    assert_ranks(*came_and_expected(submission, inputs, is_causal))


@pytest.mark.parametrize("batch, heads, block, head_dim", [(1, 1, 3, 5), (2, 3, 1, 1)])
def test_small_sizes(submission, rng, batch, heads, block, head_dim):
    """one sequence with one head, and blocks of one token with one feature, are right"""
    inputs = drawn(rng, 2, block, batch=batch, heads=heads, head_dim=head_dim)
    assert_ranks(*came_and_expected(submission, inputs, True))


@causal_too
def test_zeros_are_numbers_like_others(submission, rng, is_causal):
    """zero vectors and scores of exactly 0 count like any others"""
    inputs = [[whole(rng, 2, 3, 3, 5, most=1) for _ in range(3)] for _ in range(3)]
    inputs[0][1][:, :, 0], inputs[1][0][:, 1], inputs[2][2][:] = 0.0, 0.0, 0.0
    assert_ranks(*came_and_expected(submission, inputs, is_causal))


def test_calls_keep_apart(submission, rng):
    """a second call on the same ring, with other sizes and mask, is right"""
    _, inside = connected(submission, 3)
    for block, is_causal in ((2, True), (3, False), (2, True)):
        inputs = drawn(rng, 3, block)
        assert_ranks(submission.ring_attention(*inputs, inside, is_causal), expected(*inputs, is_causal))


def test_default_is_not_causal(submission, rng):
    """without is_causal every query attends to all tokens"""
    inputs = drawn(rng, 2, 3)
    came = submission.ring_attention(*inputs, connected(submission, 2)[1])
    assert_close(came, expected(*inputs))


@causal_too
def test_inputs_are_not_modified(submission, rng, is_causal):
    """queries, keys and values are not modified"""
    _, inside = connected(submission, 3)
    assert_inputs_unchanged(submission.ring_attention, *drawn(rng, 3, 2), inside, is_causal)


@causal_too
def test_device(submission, rng, is_causal):
    """results are on the device of the queries, whatever the default device is"""
    assert_scenario_keeps_device(submission, at_home, *drawn(rng, 3, 2), is_causal)


def at_home(answer, queries, keys, values, is_causal, with_gradients=True):
    class Ring:
        world_size, shifts, sent = len(queries), 0, 0

        def shift(self, tensors):
            return [tensors[rank - 1].clone() for rank in range(self.world_size)]

    with torch.set_grad_enabled(with_gradients):
        return answer.ring_attention(queries, keys, values, Ring(), is_causal)
