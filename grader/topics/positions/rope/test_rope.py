"""Checks of `rope`: tables, rotate_half, both layouts, scores that depend on the distance only."""

from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from grader.kit import assert_close, assert_equal, assert_inputs_unchanged, assert_same_gradients, assert_true
from grader.kit.comparison import difference
from grader.kit.families.attention.rotary import turned
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import with_float64_as_default
from grader.kit.rules.turns import Player, assert_by_turns
from grader.kit.small import whole

SMALL = 1e-5  # of positions below 20
LARGE = 1e-3  # float32 angles of some thousands are off by some 1e-4
TABLES = 1e-5  # of the largest value, for float64 turned by float32 tables


class Tables(NamedTuple):
    cos: Tensor
    sin: Tensor


class Turned(NamedTuple):
    query: Tensor
    key: Tensor


def workload(submission, rng):
    cos, sin = tables(angles(torch.arange(64), 32))
    return submission.apply_rope.measure(rng.normal(2, 8, 64, 32), rng.normal(2, 2, 64, 32), cos, sin)


LADDER = [(1, 1, 2), (2, 1, 2), (2, 1, 4), (3, 1, 4)]


def smallest(submission, rng, seq, heads, head_dim):
    """small whole numbers give what the built-in gives"""
    positions = torch.arange(seq)
    turns = angles(positions, head_dim)
    cos, sin = tables(turns)
    assert_close(submission.rope_cos_sin(positions, head_dim), tables(turns), absolute=SMALL)
    query, key = whole(rng, 1, heads, seq, head_dim), whole(rng, 1, heads, seq, head_dim)
    expected = Turned(turned(query, turns), turned(key, turns))
    assert_close(submission.apply_rope(query, key, cos, sin), expected, absolute=SMALL)
    came = submission.apply_rope_interleaved(query, cos, sin)
    assert_close(came, neighbours(query, turns), absolute=SMALL)


def angles(positions, head_dim, base=10000.0):
    """(seq, head_dim / 2), from the formula."""
    rows = [[m * base ** (-2 * i / head_dim) for i in range(head_dim // 2)] for m in positions.tolist()]
    return torch.tensor(rows, dtype=torch.float64)


def turns(angles):
    return torch.polar(torch.ones_like(angles), angles)


def tables(angles):
    """(cos, sin) as rope_cos_sin promises them."""
    both = turns(angles).repeat(1, 2)
    return Tables(both.real.float(), both.imag.float())


def neighbours(x, angles):
    """The same for features 2 i and 2 i + 1."""
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous()) * turns(angles)
    return torch.view_as_real(pairs).flatten(-2).to(x.dtype)


@pytest.mark.parametrize("head_dim, base", [(2, 10000.0), (6, 100.0), (14, 500000.0), (14, 100.0)])
def test_tables_follow_the_formula(submission, rng, head_dim, base):
    """cos and sin are those of m * base^(-2 i / head_dim), twice side by side, in float32"""
    positions = torch.arange(11)
    expected = tables(angles(positions, head_dim, base))
    assert_close(submission.rope_cos_sin(positions, head_dim, base), expected, absolute=SMALL)
    for head_dim in (64, 80, 96, 128, 2 * rng.option(3, 1, 128)) if is_second_round() else ():
        for other in (1e6, rng.option(base, 2.0, 1e7)):
            expected = tables(angles(positions, head_dim, other))
            assert_close(submission.rope_cos_sin(positions, head_dim, other), expected, absolute=SMALL)


def test_tables_are_float32(submission, rng):
    """the tables are float32 whatever the default dtype is"""
    given = [2 * rng.option(2, 1, 64), *([rng.option(1e4, 2.0, 1e7)] if is_second_round() else [])]
    came = with_float64_as_default(submission, "rope_cos_sin", torch.arange(11), *given)
    assert_close(Tables(*came), tables(angles(torch.arange(11), *given)), absolute=SMALL)


def test_base_defaults_to_10000(submission):
    """base is 10000 by default"""
    positions = torch.arange(11)
    assert_close(submission.rope_cos_sin(positions, 4), tables(angles(positions, 4)), absolute=SMALL)


def test_positions_in_any_order(submission, rng):
    """positions may be shuffled, repeated and with gaps: each row depends on its own position only"""
    again = torch.tensor([5, 3, 5, 0, 17, 3, 4, 11, 18, 1, 1, 2, 7])
    # Of no other check's length: whose tables are kept, they are those of the first call here.
    for positions in (torch.arange(13), rng.permutation(19)[:13], again, *[again.int()] * is_second_round()):
        assert_close(submission.rope_cos_sin(positions, 4), tables(angles(positions, 4)), absolute=SMALL)


def test_one_position(submission):
    """a single position gives a single row, as for one new token behind a cache"""
    positions = torch.tensor([13])
    assert_close(submission.rope_cos_sin(positions, 4), tables(angles(positions, 4)), absolute=SMALL)


def test_large_positions(submission, rng):
    """positions up to 4095 are told apart"""
    positions = torch.cat([torch.tensor([4095, 257, 2049]), rng.integers(256, 4096, 61)])
    assert_close(submission.rope_cos_sin(positions, 2), tables(angles(positions, 2)), absolute=LARGE)


def test_large_positions_of_slow_pairs(submission, rng):
    """all pairs are right for positions up to 4095"""
    positions = torch.cat([torch.tensor([4095, 257, 2049]), rng.integers(256, 4096, 61)])
    # Only whether they are right is recorded: rounding tells two tables with the same mistake apart here.
    wrong = difference(submission.rope_cos_sin(positions, 34), tables(angles(positions, 34)), absolute=LARGE)
    assert_true(wrong is None, f"{wrong}")


def test_positions_are_not_modified(submission, rng):
    """rope_cos_sin does not modify positions"""
    assert_inputs_unchanged(submission.rope_cos_sin, rng.permutation(7), 6)


@pytest.mark.parametrize("shape, dtype", [((2, 3, 5, 14), torch.float64), ((6,), torch.float32)])
def test_rotate_half(submission, rng, shape, dtype):
    """rotate_half makes (-second half, first half) of the last dimension"""
    x = rng.normal(*shape, dtype=dtype)
    quarter = torch.full((shape[-1] // 2,), torch.pi / 2, dtype=torch.float64)
    assert_close(submission.rotate_half(x), turned(x, quarter))


def test_rotate_half_in_half_precision(submission, rng):
    """rotate_half keeps half precision too"""
    x = rng.normal(3, 6).half()  # not bfloat16, of which there are no complex numbers
    assert_close(submission.rotate_half(x), torch.cat([-x[:, 3:], x[:, :3]], dim=-1))


def test_gradient_of_rotate_half(submission, rng):
    """the gradient of rotate_half is right, also for a transposed x"""
    quarter = torch.full((5,), torch.pi / 2, dtype=torch.float64)
    assert_same_gradients(submission.rotate_half, lambda x: turned(x, quarter), rng.normal(10, 3).T)


def with_others(rng, *sizes):
    """These sizes, and in the second round others."""
    return [sizes, [rng.option(1, 1, 40) for _ in sizes]] if is_second_round() else [sizes]


@pytest.mark.parametrize("batch, heads, kv_heads, head_dim", [(2, 3, 3, 10), (2, 6, 2, 14), (1, 1, 5, 2)])
def test_halves_are_turned(submission, rng, batch, heads, kv_heads, head_dim):
    """apply_rope turns features i and i + head_dim / 2 of query and key, which may differ in heads"""
    for rows, own, others, half in with_others(rng, batch, heads, kv_heads, head_dim // 2):
        turn = angles(rng.permutation(97)[:7], 2 * half)
        query, key = rng.normal(rows, own, 7, 2 * half), rng.normal(rows, others, 7, 2 * half)
        came = submission.apply_rope(query, key, *tables(turn))
        assert_close(came, Turned(turned(query, turn), turned(key, turn)), tolerance=TABLES)


@pytest.mark.parametrize("batch, heads, head_dim", [(2, 3, 10), (1, 5, 2)])
def test_neighbours_are_turned(submission, rng, batch, heads, head_dim):
    """apply_rope_interleaved turns features 2 i and 2 i + 1 by angle i of the same tables, in their places"""
    for rows, own, half in with_others(rng, batch, heads, head_dim // 2):
        turn = angles(rng.permutation(97)[:7], 2 * half)
        x = rng.normal(rows, own, 7, 2 * half)
        came = submission.apply_rope_interleaved(x, *tables(turn))
        assert_close(came, neighbours(x, turn), tolerance=TABLES)


def test_many_positions_and_features(submission, rng):
    """139 positions and 134 features, no multiples of usual blocks, are turned to the last one"""
    turn = angles(torch.cat([rng.permutation(997)[:138], torch.tensor([0])]), 134)
    query, key, upstream = rng.normal(1, 1, 139, 134), rng.normal(1, 3, 139, 134), rng.normal(1, 1, 139, 134)
    came = submission.apply_rope(query, key, *tables(turn))
    assert_close(came, Turned(turned(query, turn), turned(key, turn)), tolerance=TABLES)
    came = submission.run(gradients, "apply_rope_interleaved", [query], *tables(turn), [upstream])
    assert_close(came, [neighbours(upstream, -turn)], tolerance=TABLES)
    many, turn = rng.normal(131, 1, 3, 2), turn[:3, :1]
    came = submission.apply_rope_interleaved(many, *tables(turn))
    assert_close(came, neighbours(many, turn), tolerance=TABLES)


def test_one_row(submission, rng):
    """one token is turned by the one row of its tables"""
    turn = angles(torch.tensor([29]), 10)
    query, key = rng.normal(2, 3, 1, 10), rng.normal(2, 3, 1, 10)
    came = submission.apply_rope(query, key, *tables(turn))
    assert_close(came, Turned(turned(query, turn), turned(key, turn)), tolerance=TABLES)
    came = submission.apply_rope_interleaved(query, *tables(turn))
    assert_close(came, neighbours(query, turn), tolerance=TABLES)


def test_float32_stays(submission, rng):
    """float32 inputs give float32 results"""
    turn = angles(rng.permutation(97)[:7], 10)
    query, key = rng.normal(2, 3, 7, 10, dtype=torch.float32), rng.normal(2, 1, 7, 10, dtype=torch.float32)
    came = submission.apply_rope(query, key, *tables(turn))
    assert_close(came, Turned(turned(query, turn), turned(key, turn)))
    assert_close(submission.apply_rope_interleaved(query, *tables(turn)), neighbours(query, turn))


def gradients(answer, name, inputs, cos, sin, upstream):
    """Those of the inputs; a missing one counts as zero. The tables are constants."""
    total = sum(0 * x.requires_grad_().sum() for x in inputs)
    came = getattr(answer, name)(*inputs, cos, sin)
    outputs = came if isinstance(came, tuple | list) else [came]
    for output, gradient in zip(outputs, upstream, strict=True):
        total = total + (output * gradient).sum()
    return torch.autograd.grad(total, inputs)


def test_gradients_of_query_and_key(submission, rng):
    """the gradients of query and key are the upstream gradients turned back, also for transposed inputs"""
    turn = angles(rng.permutation(97)[:7], 10)
    query, key = rng.normal(2, 7, 3, 10).transpose(1, 2), rng.normal(2, 7, 1, 10).transpose(1, 2)
    upstream = [rng.normal(*query.shape), rng.normal(*key.shape)]
    came = submission.run(gradients, "apply_rope", [query, key], *tables(turn), upstream)
    expected = Turned(*(turned(gradient, -turn) for gradient in upstream))
    assert_close(came, expected, tolerance=TABLES)


def test_gradient_of_interleaved(submission, rng):
    """the gradient of apply_rope_interleaved is the upstream gradient turned back, also for a transposed x"""
    turn = angles(rng.permutation(97)[:7], 10)
    x, upstream = rng.normal(2, 7, 3, 10).transpose(1, 2), rng.normal(2, 3, 7, 10)
    came = submission.run(gradients, "apply_rope_interleaved", [x], *tables(turn), [upstream])
    assert_close(came, [neighbours(upstream, -turn)], tolerance=TABLES)


def test_scores_depend_on_the_distance_only(submission, rng):
    """with the tables of rope_cos_sin the score of one query and one key depends on their distance only"""
    positions = rng.permutation(19)[:7]
    query, key = rng.normal(1, 1, 1, 4, dtype=torch.float32), rng.normal(1, 1, 1, 4, dtype=torch.float32)
    cos, sin = submission.rope_cos_sin(positions, 4)
    left, right = submission.apply_rope(query.repeat(1, 1, 7, 1), key.repeat(1, 1, 7, 1), cos, sin)
    distances = positions - positions[:, None]  # of the key from the query
    expected = (query * turned(key, angles(distances.flatten(), 4))).sum(-1).view(1, 1, 7, 7)
    assert_close(left @ right.mT, expected, absolute=1e-4)


def test_own_tables_for_neighbours(submission, rng):
    """apply_rope_interleaved is right with the tables of rope_cos_sin"""
    positions = rng.permutation(19)[:9]
    x = rng.normal(2, 3, 9, 4, dtype=torch.float32)
    submission.rope_cos_sin(torch.arange(9), 4)  # of no other check's length: tables that are kept are these
    came = submission.apply_rope_interleaved(x, *submission.rope_cos_sin(positions, 4))
    assert_close(came, neighbours(x, angles(positions, 4)), absolute=1e-4)


def test_zeros_are_numbers_like_others(submission, rng):
    """zeros in query and key, whole vectors of them too, and position 0 count like any others"""
    turn = angles(torch.tensor([0, 0, 7, 3, 11]), 6)
    query, key = whole(rng, 2, 3, 5, 6), whole(rng, 2, 1, 5, 6)
    query[:, :, 2], key[:, :, 3], query[1, 2], query[0, 1] = 0.0, 0.0, 0.0, 0.0
    for turned_key in (key, torch.zeros_like(key)):
        came = submission.apply_rope(query, turned_key, *tables(turn))
        assert_close(came, Turned(turned(query, turn), turned(turned_key, turn)), tolerance=TABLES)
    came = submission.apply_rope_interleaved(query, *tables(turn))
    assert_close(came, neighbours(query, turn), tolerance=TABLES)
    assert_equal(submission.rotate_half(query), torch.cat([-query[..., 3:], query[..., :3]], -1) + 0.0)


def test_calls_are_independent(submission, rng):
    """a call turns its own query and key by its own tables, not by those of a call before"""
    turns_of = [angles(rng.permutation(97)[:7], 10) for _ in range(3)]
    of_both = [(rng.normal(2, 3, 7, 10), rng.normal(2, 3, 7, 10), *tables(turn)) for turn in turns_of]
    of_one = [(x, cos, sin) for x, _, cos, sin in of_both]
    assert_by_turns(
        Player(submission.apply_rope, of_tables(turned, 2), of_both),
        Player(submission.apply_rope_interleaved, of_tables(neighbours, 1), of_one),
        tolerance=TABLES,
    )


def of_tables(oracle, count):
    """What the oracle makes of so many tensors turned by the angles of the tables behind them."""

    def turn(*arguments):
        cos, sin = (table[:, : table.shape[1] // 2].double() for table in arguments[count:])
        came = tuple(oracle(x, torch.atan2(sin, cos)) for x in arguments[:count])
        return came if count > 1 else came[0]

    return turn


def test_inputs_are_not_modified(submission, rng):
    """rotate_half, apply_rope and apply_rope_interleaved modify none of their arguments"""
    query, key = rng.normal(2, 3, 7, 10), rng.normal(2, 1, 7, 10)
    cos, sin = tables(angles(torch.arange(7), 10))
    assert_inputs_unchanged(submission.rotate_half, query)
    assert_inputs_unchanged(submission.apply_rope, query, key, cos, sin)
    assert_inputs_unchanged(submission.apply_rope_interleaved, query, cos, sin)
