"""Checks of `alibi`: slopes and biases against the paper's formula in loops, dtype and device."""

import pytest
import torch

from grader.kit import assert_close
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_on_default_device, with_float64_as_default

LADDER = [(1, 1, 2), (2, 1, 2), (1, 2, 3), (3, 2, 2)]


def workload(submission, rng):
    return submission.alibi_bias.measure(12, 64, 64)


def smallest(submission, rng, heads, q_len, kv_len):
    """small sizes give what the formula gives"""
    assert_close(submission.alibi_slopes(heads), slopes(heads))
    assert_close(submission.alibi_bias(heads, q_len, kv_len), bias(heads, q_len, kv_len))


def powers(n):
    return [2.0 ** (-8 * i / n) for i in range(1, n + 1)]


def slopes(num_heads):
    """The paper's formula."""
    n = 1
    while 2 * n <= num_heads:
        n *= 2
    return torch.tensor((powers(n) + powers(2 * n)[::2])[:num_heads])


def bias(num_heads, q_len, kv_len):
    """The oracle: number by number."""
    rows = [
        [[-slope * abs(i + kv_len - q_len - j) for j in range(kv_len)] for i in range(q_len)]
        for slope in slopes(num_heads).tolist()
    ]
    return torch.tensor(rows)


@pytest.mark.parametrize("num_heads", [8, 1, 2, 4, 16, 64, 256])
def test_slopes_of_powers_of_two(submission, num_heads):
    """with n heads, n a power of two, the slopes are 2^(-8 i / n) for i = 1 … n"""
    assert_close(submission.alibi_slopes(num_heads), slopes(num_heads), tolerance=1e-6)


@pytest.mark.parametrize("num_heads", [5, 12, 3, 6, 7, 40, 200])
def test_slopes_of_other_numbers(submission, num_heads):
    """for other numbers those of the next smaller power of two come first, then every second of twice it"""
    assert_close(submission.alibi_slopes(num_heads), slopes(num_heads), tolerance=1e-6)


def slopes_of(answer, numbers):
    return [answer.alibi_slopes(number) for number in numbers]


def test_slopes_of_any_number(submission, rng):
    """every number of heads has its slopes: all up to 33, and some up to 256"""
    # 9 and 10 have checks of their own, before which nothing should be kept of them.
    numbers = [number for number in range(1, 34) if number not in (9, 10)] + rng.integers(34, 257, 7).tolist()
    came = zip(numbers, submission.run(slopes_of, numbers), strict=True)
    expected = {f"{number} heads": slopes(number) for number in numbers}
    assert_close({f"{number} heads": each for number, each in came}, expected, tolerance=1e-6)


def test_bias_of_all_queries(submission):
    """the bias is -slope * |distance|, also of keys behind the query"""
    assert_close(submission.alibi_bias(4, 5, 5), bias(4, 5, 5), tolerance=1e-6)


def test_bias_behind_a_cache(submission):
    """with fewer queries than keys, the last query is at the place of the last key"""
    assert_close(submission.alibi_bias(2, 3, 7), bias(2, 3, 7), tolerance=1e-6)


def test_bias_of_other_numbers_of_heads(submission):
    """the bias has the slopes of any number of heads"""
    assert_close(submission.alibi_bias(6, 2, 3), bias(6, 2, 3), tolerance=1e-6)


@pytest.mark.parametrize("sizes", [(3, 1, 5), (1, 1, 1), (5, 7, 1), (2, 5, 3)])
def test_other_sizes(submission, sizes):
    """one query, one key, one head, and more queries than keys are right"""
    assert_close(submission.alibi_bias(*sizes), bias(*sizes), tolerance=1e-6)


def test_any_sizes(submission, rng):
    """whatever the numbers of heads, queries and keys are, the biases are right"""
    for most in (8, 20, 60):
        sizes = [size + 3 * (size in (9, 10)) for size in rng.integers(1, most, 3).tolist()]
        assert_close(submission.alibi_bias(*sizes), bias(*sizes), tolerance=1e-6, what=f"{sizes}")
    if is_second_round():
        cases = [[1, rng.option(80, 65, 200), rng.option(80, 65, 200)]]
        cases += [[1, rng.option(80, 65, 4000), rng.option(3, 1, 5)], [2, 1, rng.option(80, 65, 4000)]]
        cases += [[rng.option(80, 61, 256), rng.option(5, 1, 9), rng.option(5, 1, 9)]]
        for sizes in cases:
            assert_close(submission.alibi_bias(*sizes), bias(*sizes), tolerance=1e-6, what=f"{sizes}")


@pytest.mark.parametrize("sizes", [(3, 1, 4000), (1, 1, 33000)])
def test_long_sequences(submission, rng, sizes):
    """distances of many thousands are right"""
    heads, queries, keys = sizes
    sizes = heads, rng.option(queries, 1, 3), rng.option(keys, 1000, 33000)
    assert_close(submission.alibi_bias(*sizes), bias(*sizes), tolerance=1e-6)


def test_default_dtype(submission, rng):
    """both have the default dtype: float64 after torch.set_default_dtype(torch.float64)"""
    submission.alibi_slopes(9)  # nothing of it may be kept; no other check has as many heads
    came = with_float64_as_default(submission, "alibi_slopes", 9)
    assert_close(came, slopes(9).double(), tolerance=1e-6)
    sizes = 9, rng.option(2, 1, 70), rng.option(3, 1, 140)
    came = with_float64_as_default(submission, "alibi_bias", *sizes)
    assert_close(came, bias(*sizes).double(), tolerance=1e-6)


def test_default_device(submission):
    """both are on the default device"""
    assert_on_default_device(submission, "alibi_slopes", 10)
    assert_on_default_device(submission, "alibi_bias", 10, 2, 3)


def test_calls_are_independent(submission):
    """sizes that change from call to call are right, also after a result was written to"""
    came = submission.run(one_after_the_other, [(5, 2, 3), (5, 3, 3), (4, 3, 3), (5, 2, 3)])
    assert_close(came, [bias(5, 2, 3), bias(5, 3, 3), bias(4, 3, 3), bias(5, 2, 3)], tolerance=1e-6)


def one_after_the_other(answer, cases):
    came = []
    for case in cases:
        made = answer.alibi_bias(*case)
        came.append(made.clone())
        # A result may be a view of something smaller, which cannot be written to.
        made.untyped_storage().fill_(1)
        answer.alibi_slopes(case[0]).untyped_storage().fill_(1)
    return came
