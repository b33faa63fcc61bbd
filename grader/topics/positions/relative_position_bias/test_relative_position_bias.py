"""Checks of `relative_position_bias`: the module and T5's buckets against loops over whole numbers."""

import math
from functools import cache

import pytest
import torch

from grader.kit import (
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_parameters,
    assert_same_gradients,
    assert_true,
)
from grader.kit.comparison import difference
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, assert_moves
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill

LADDER = [(1, 1, 1, 1), (1, 1, 2, 2), (1, 1, 2, 3), (2, 1, 3, 2)]


def workload(submission, rng):
    return submission.t5_bucket.measure(torch.arange(64) - torch.arange(64)[:, None])


def smallest(submission, rng, heads, max_distance, q_len, kv_len):
    """small whole numbers give what the definition gives"""
    module = submission.RelativePositionBias(heads, max_distance)
    weights = fill(rng, module)
    assert_close(module(q_len, kv_len), biases(weights, q_len, kv_len))
    assert_equal(submission.t5_bucket(torch.arange(-2, 3)), buckets(torch.arange(-2, 3)))


def biases(weights, q_len, kv_len):
    """The oracle of the module: one place after the other."""
    table = weights["embedding.weight"]
    most = len(table) // 2
    rows = [[min(max(j - i, -most), most) + most for j in range(kv_len)] for i in range(q_len)]
    return table[torch.tensor(rows)].permute(2, 0, 1)[None]


@cache
def steps(distance, n, max_distance):
    """How many whole steps the logarithms make, and whether exactly: in whole numbers, without rounding."""
    exact, last = n // 2, 0
    size, count = distance ** (n - exact), n - exact
    # Step k is where (distance / exact) ** count reaches (max_distance / exact) ** k.
    while size * exact ** (last + 1) >= max_distance ** (last + 1) * exact**count:
        last += 1
    return last, size * exact**last == max_distance**last * exact**count


def bucket(position, bidirectional, num_buckets, max_distance):
    n = num_buckets // 2 if bidirectional else num_buckets
    first = n if bidirectional and position > 0 else 0
    distance = abs(position) if bidirectional else max(-position, 0)
    if distance < n // 2:
        return first + distance
    return first + min(n // 2 + steps(distance, n, max_distance)[0], n - 1)


def buckets(positions, bidirectional=True, num_buckets=32, max_distance=128):
    """The oracle of t5_bucket."""
    flat = [bucket(p, bidirectional, num_buckets, max_distance) for p in positions.flatten().tolist()]
    return torch.tensor(flat).reshape(positions.shape)


def is_asked(position, bidirectional, num_buckets, max_distance):
    """Not where rounding decides: beyond max_distance too, in answers that go on there."""
    n = num_buckets // 2 if bidirectional else num_buckets
    distance = abs(position)
    return distance <= n // 2 or not steps(distance, n, max_distance)[1]


def asked(reach, bidirectional=True, num_buckets=32, max_distance=128):
    positions = range(-reach, reach + 1)
    return torch.tensor([p for p in positions if is_asked(p, bidirectional, num_buckets, max_distance)])


def test_parameters(submission):
    """the only parameter is embedding.weight, with a row for each distance"""
    module = submission.RelativePositionBias(3, 5)
    assert_parameters(module, {"embedding.weight": (11, 3)})


@pytest.mark.parametrize(
    "q_len, kv_len, max_distance",
    [
        (5, 7, 2),
        (7, 5, 3),
        (4, 4, 11),
        (1, 1, 1),
        (2, 269, 137),
        (269, 2, 137),
        (2, 3, 33000),
        (1, 2053, 5),
        (2053, 1, 5),
    ],
)
def test_bias(submission, rng, q_len, kv_len, max_distance):
    """the bias is that of the clipped distance key - query, for each head"""
    module = submission.RelativePositionBias(3, max_distance)
    weights = module.randomize(rng)
    assert_close(module(q_len, kv_len), biases(weights, q_len, kv_len))
    if is_second_round():
        module = submission.RelativePositionBias(rng.option(3, 1, 40), rng.option(16, 1, 300))
        weights, q_len, kv_len = module.randomize(rng), rng.option(30, 1, 200), rng.option(30, 1, 200)
        for lengths in ((q_len, kv_len), (1, rng.option(30, 5000, 9000))):
            assert_close(module(*lengths), biases(weights, *lengths))


@pytest.mark.parametrize("q_len, kv_len", [(1, 7), (7, 1)])
def test_one_query_or_key(submission, rng, q_len, kv_len):
    """both sides count from 0, also with a single query or key"""
    module = submission.RelativePositionBias(2, 3)
    weights = module.randomize(rng)
    assert_close(module(q_len, kv_len), biases(weights, q_len, kv_len))


def test_gradient(submission, rng):
    """the gradient of the embedding is right: shared rows add up"""
    module = submission.RelativePositionBias(3, 2)
    assert_same_gradients(module, biases, 5, 7, weights=module.randomize(rng))
    assert_backward_leaves_all(module, biases, 5, 7, weights=module.randomize(rng))


def test_float32_is_kept(submission, rng):
    """float32 weights give float32"""
    module = submission.RelativePositionBias(rng.option(3, 1, 20), rng.option(2, 1, 100))
    weights = module.randomize(rng, torch.float32)
    q_len, kv_len = rng.option(5, 1, 100), rng.option(7, 1, 100)
    assert_close(module(q_len, kv_len), biases(weights, q_len, kv_len))


def test_two_modules_in_turns(submission, rng):
    """two modules of other sizes, used in turns with other lengths, do not disturb each other"""
    modules = [submission.RelativePositionBias(3, 2), submission.RelativePositionBias(2, 4).eval()]
    weights = [module.randomize(rng) for module in modules]
    for q_len, kv_len in ((5, 7), (7, 5), (5, 3), (2, 7), (5, 7)):
        for module, own in zip(modules, weights, strict=True):
            assert_close(module(q_len, kv_len), biases(own, q_len, kv_len))


def test_weights_may_change(submission, rng):
    """new weights count from the next call on"""
    # Four calls: with and without gradients before they change, and after.
    modules = submission.RelativePositionBias(3, 2), submission.RelativePositionBias(3, 2).eval()
    assert_by_turns(*(with_weights(rng, module, biases, [(5, 7)] * 4) for module in modules))


def test_device_of_the_weights(submission):
    """the bias is on the device of the weights, whatever the default device is"""
    assert_keeps_device(submission, "RelativePositionBias", 5, 7, made_with=(3, 2))
    assert_moves(submission, "RelativePositionBias", 5, 7, made_with=(3, 2))


def test_buckets_of_both_directions(submission):
    """bidirectional: half of the buckets for each direction, exact, then logarithmic, then the last"""
    positions = asked(200)
    assert_equal(submission.t5_bucket(positions), buckets(positions))


def test_buckets_of_one_direction(submission):
    """not bidirectional: all buckets for keys before the query, 0 for those behind it"""
    positions = asked(200, False)
    assert_equal(submission.t5_bucket(positions, bidirectional=False), buckets(positions, False))


SETTINGS = [(True, 16, 40), (False, 16, 40), (True, 12, 30), (False, 8, 11), (True, 4, 7), (True, 64, 1000)]
SETTINGS += [(False, 64, 40), (True, 64, 20)]  # where the distance before the last has no last bucket


@pytest.mark.parametrize("bidirectional, num_buckets, max_distance", SETTINGS)
def test_other_numbers_of_buckets(submission, rng, bidirectional, num_buckets, max_distance):
    """num_buckets and max_distance may be others"""
    options = (bidirectional, num_buckets, max_distance)
    positions = asked(max(50, max_distance + 9), *options)
    assert_equal(submission.t5_bucket(positions, *options), buckets(positions, *options))
    if is_second_round():
        num_buckets = 4 * rng.option(8, 1, 32)
        exact = num_buckets // (4 if bidirectional else 2)
        options = (bidirectional, num_buckets, rng.option(128, exact + exact // 2 + 1, 1000))
        positions = asked(options[2] + 9, *options)
        positions = positions[[is_apart(abs(p), exact, options[2]) for p in positions.tolist()]]
        assert_equal(submission.t5_bucket(positions, *options), buckets(positions, *options))


def is_apart(distance, exact, max_distance):
    """Not so near to where a bucket begins that rounding in float32 could decide."""
    step = math.log(max(distance, exact) / exact) / math.log(max_distance / exact) * exact
    return distance <= exact or abs(step - round(step)) > 1e-3


def test_max_distance(submission):
    """max_distance itself is in the last bucket"""
    came, expected = {}, {}
    for setting in [(True, 32, 128), (False, 32, 128), *SETTINGS]:
        called, places = f"t5_bucket of ±max_distance, *{setting}", torch.tensor([-setting[2], setting[2]])
        came[called], expected[called] = submission.t5_bucket(places, *setting), buckets(places, *setting)
    # Only whether they are right is recorded: which of them are may be a matter of rounding.
    wrong = difference(came, expected)
    assert_true(wrong is None, f"{wrong}")


def test_shapes(submission, rng):
    """any shape is right: a single number, a matrix, one that is not contiguous"""
    cases = [torch.tensor(-5), rng.integers(-7, 8, 2, 3, 5), rng.integers(-7, 8, 5, 3).T, torch.tensor([9])]
    assert_equal([submission.t5_bucket(case) for case in cases], [buckets(case) for case in cases])


@pytest.mark.parametrize("bidirectional", [True, False])
def test_very_far(submission, bidirectional):
    """distances far beyond max_distance are in the last bucket"""
    # In 8 bits or in 16 some of them come near again, or change sides.
    far = [129, 259, 40_000, 65_541, 131_080, 10**6]
    positions = torch.tensor([far, [-distance for distance in far]])
    assert_equal(submission.t5_bucket(positions, bidirectional), buckets(positions, bidirectional))


def test_device_of_the_positions(submission):
    """the buckets are on the device of relative_position, whatever the default device is"""
    assert_keeps_device(submission, "t5_bucket", torch.arange(-5, 6))
    if is_second_round():
        assert_keeps_device(submission, "t5_bucket", torch.arange(-5, 6), False)
    assert_moves(submission, "t5_bucket", torch.arange(-5, 6), made_with=None)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_positions_are_not_modified(submission, bidirectional):
    """relative_position is not modified"""
    assert_inputs_unchanged(submission.t5_bucket, torch.arange(-20, 21), bidirectional)
