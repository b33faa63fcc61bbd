"""Checks of `relative_key`: scores against a loop over queries, gradients, dtype, device."""

import pytest
import torch

from grader.kit import assert_close, assert_inputs_unchanged, assert_same_gradients
from grader.kit.rules.devices import assert_keeps_device, assert_moves
from grader.kit.small import whole

both = pytest.mark.parametrize("use_key", [False, True])

LADDER = [(1, 1, 1), (2, 2, 1), (2, 3, 1), (2, 2, 2)]


def workload(submission, rng):
    return submission.relative_key_scores.measure(*inputs(rng, 2, 4, 32, 16, 40), True)


def smallest(submission, rng, seq, max_positions, head_dim):
    """small whole numbers give what the definition gives"""
    query, key = whole(rng, 1, 1, seq, head_dim), whole(rng, 1, 1, seq, head_dim)
    table = whole(rng, 2 * max_positions - 1, head_dim)
    for use_key in (False, True):
        came = submission.relative_key_scores(query, key, table, use_key)
        assert_close(came, looped(query, key, table, use_key))


def inputs(rng, batch, heads, seq, head_dim, max_positions, dtype=torch.float64):
    shape = (batch, heads, seq, head_dim)
    table = rng.normal(2 * max_positions - 1, head_dim, dtype=dtype)
    return rng.normal(*shape, dtype=dtype), rng.normal(*shape, dtype=dtype), table


def with_a_slice(answer, query, key, longer, use_key):
    return answer.relative_key_scores(query, key, longer[3:-1], use_key)


def of_one(answer, query, table, use_key):
    return answer.relative_key_scores(query, query, table, use_key)


def looped(query, key, distance_embedding, use_key=False):
    """The oracle: query by query, with the vectors of its distances to the first key, the second, …"""
    seq, most = query.shape[2], len(distance_embedding) // 2
    rows = []
    for i in range(seq):
        vectors = distance_embedding[i - seq + 1 + most : i + 1 + most].flip(0)  # (seq, head_dim)
        sides = query[:, :, i, None] + key if use_key else query[:, :, i, None]
        rows.append((sides * vectors).sum(-1))
    return torch.stack(rows, dim=2)


# Every length has its own max_positions here: an answer that remembers rows by the length alone shows in
# test_calls_are_independent, and nowhere else.
SIZES = [(2, 3, 5, 7, 11), (1, 1, 1, 3, 1), (1, 2, 7, 1, 7), (3, 2, 3, 5, 6), (2, 2, 2, 2, 2)]
# Distances and rows that are more than int8, uint8 and int16 can hold.
SIZES += [(1, 1, 131, 2, 137), (1, 1, 4, 2, 33000)]
sizes = pytest.mark.parametrize("batch, heads, seq, head_dim, max_positions", SIZES)


@sizes
def test_query_term(submission, rng, batch, heads, seq, head_dim, max_positions):
    """use_key=False: the query times the vector of its distance to the key"""
    given = inputs(rng, batch, heads, seq, head_dim, max_positions)
    assert_close(submission.relative_key_scores(*given, use_key=False), looped(*given))


@sizes
def test_query_and_key_terms(submission, rng, batch, heads, seq, head_dim, max_positions):
    """use_key=True: the key times the same vector is added"""
    given = inputs(rng, batch, heads, seq, head_dim, max_positions)
    assert_close(submission.relative_key_scores(*given, use_key=True), looped(*given, use_key=True))


def test_without_key_by_default(submission, rng):
    """use_key is False by default"""
    given = inputs(rng, 2, 3, 5, 7, 11)
    assert_close(submission.relative_key_scores(*given), looped(*given))


@both
@pytest.mark.parametrize("sizes", [(2, 3, 4, 7, 5), (1, 1, 139, 2, 149)], ids=["short", "long"])
def test_gradients(submission, rng, use_key, sizes):
    """the gradients of query, key and distance_embedding are right: shared rows add up"""
    query, key, table = inputs(rng, *sizes)
    given = (query.mT.contiguous().mT, key.transpose(1, 2).contiguous().transpose(1, 2), table)
    constants = {"use_key": use_key}
    assert_same_gradients(submission.relative_key_scores, looped, *given, constants=constants)


@both
def test_not_contiguous(submission, rng, use_key):
    """inputs that are not contiguous are right, and so is a table that is a slice"""
    query, key = rng.normal(2, 5, 3, 7).transpose(1, 2), rng.normal(7, 5, 3, 2).permute(3, 2, 1, 0)
    given = (query, key, rng.normal(7, 21).T)
    assert_close(submission.relative_key_scores(*given, use_key), looped(*given, use_key))
    longer = rng.normal(25, 7)
    came = submission.run(with_a_slice, query, key, longer, use_key)
    assert_close(came, looped(query, key, longer[3:-1], use_key))


@both
def test_float32_is_kept(submission, rng, use_key):
    """float32 gives float32"""
    given = inputs(rng, 2, 3, 5, 7, 11, dtype=torch.float32)
    assert_close(submission.relative_key_scores(*given, use_key), looped(*given, use_key))


@both
def test_query_and_key_may_be_one(submission, rng, use_key):
    """query and key may be the very same tensor: the rows are still those of i - j"""
    query, _, table = inputs(rng, 2, 3, 5, 7, 11)
    came = submission.run(of_one, query, table, use_key)
    assert_close(came, looped(query, query, table, use_key))


def test_calls_are_independent(submission, rng):
    """lengths and tables that change from call to call are right"""
    cases = [inputs(rng, 1, 2, seq, 3, most) for seq, most in ((8, 8), (6, 9), (8, 9), (8, 8))]
    came = [submission.relative_key_scores(*case, True) for case in cases]
    assert_close(came, [looped(*case, True) for case in cases])


def test_device_of_the_arguments(submission, rng):
    """the scores are on the device of the arguments, whatever the default device is"""
    given = inputs(rng, 2, 3, 5, 7, 11)
    assert_keeps_device(submission, "relative_key_scores", *given, True)
    assert_moves(submission, "relative_key_scores", *given, True, made_with=None)


@both
def test_inputs_are_not_modified(submission, rng, use_key):
    """no argument is modified"""
    assert_inputs_unchanged(submission.relative_key_scores, *inputs(rng, 2, 3, 5, 7, 11), use_key)
