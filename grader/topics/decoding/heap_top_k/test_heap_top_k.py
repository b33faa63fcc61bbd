"""Checks of `heap_top_k`: against sorted; one pass, and memory for k numbers."""

from collections import Counter
from functools import lru_cache
from types import SimpleNamespace

import pytest

from grader.kit import assert_equal, assert_fits, assert_raises, assert_true
from grader.kit.rounds import is_second_round

pytestmark = pytest.mark.forbid("heap_selection")

LADDER = [(2, 1, 1), (2, 3, 2), (3, 4, 2), (2, 5, 3)]


def smallest(submission, rng, most, length, k):
    """small whole numbers give what sorting gives"""
    numbers = rng.integers(-most, most + 1, length).tolist()
    assert_equal(submission.k_largest(numbers, k), sorted(numbers, reverse=True)[:k])
    drawn = often(rng, [1, 2, 3][:most])
    assert_equal(submission.top_k_frequent(drawn, k), by_counting(drawn, k))


EARLIER = 2**63 - 3
"""A number of an earlier call. Of what else came in earlier calls it depends which checks were before."""


def of_this_call(came, numbers=()):
    """What came, where it has not the number of an earlier call."""
    remembered = isinstance(came, list) and EARLIER in came and EARLIER not in numbers
    assert_true(not remembered, "it gives a number of an earlier call", seen=remembered)
    return came


def largest(submission, numbers, k):
    submission.k_largest([EARLIER] * 2, 2)
    return of_this_call(submission.k_largest(numbers, k), numbers)


def frequent(submission, numbers, k):
    submission.top_k_frequent([EARLIER] * 100, 1)
    return of_this_call(submission.top_k_frequent(numbers, k), numbers)


def by_counting(numbers, k):
    """The oracle of top_k_frequent."""
    return sorted(set(numbers), key=Counter(numbers).__getitem__, reverse=True)[:k]


def often(rng, counts, low=-50):
    """A shuffled list of different numbers, one for each of these counts."""
    values = (rng.permutation(100)[: len(counts)] + low).tolist()
    numbers = [value for value, count in zip(values, counts, strict=True) for _ in range(count)]
    return [numbers[place] for place in rng.permutation(len(numbers)).tolist()]


def of_any_size(rng, numbers, power):
    """In the second round powers of the numbers, which stay different: small ones and those of 60 bits."""
    odd = 2 * int(rng.integers(0, power // 2 + 1, 1)) + 1 if is_second_round() else 1
    return [number**odd for number in numbers]


def of_generator(answer, numbers, k):
    answer.k_largest([2**63 - 3] * 2, 2)
    return answer.k_largest((number for number in numbers), k)


@pytest.mark.parametrize("length, k", [(31, 5), (31, 1), (2, 2), (200, 100)])
def test_k_largest(submission, rng, length, k):
    """k_largest gives the k largest, largest first"""
    numbers = of_any_size(rng, (rng.permutation(1000)[:length] - 500).tolist(), power=7)
    assert_equal(largest(submission, numbers, k), sorted(numbers, reverse=True)[:k])
    if is_second_round():
        length, k = rng.option(31, 1, 1000), rng.option(5, 1, 1000)
        numbers = [number**7 for number in (rng.permutation(1000)[:length] - 500).tolist()]
        assert_equal(largest(submission, numbers, k), sorted(numbers, reverse=True)[:k])


SCATTERED = [place * 12 % 43 for place in range(1, 44)]
"""An order in which a heap of 17 or 18 loses a number if it sifts wrongly."""


SIZES = (*range(1, 10), 12)


def test_every_size(submission, rng):
    """heaps of any size are right, whether their last node has a sibling or not"""
    streams = {k: of_any_size(rng, (rng.permutation(100)[:60] - 50).tolist(), power=11) for k in SIZES}
    streams |= dict.fromkeys((17, 18), SCATTERED)
    came = {k: largest(submission, numbers, k) for k, numbers in streams.items()}
    assert_equal(came, {k: sorted(numbers, reverse=True)[:k] for k, numbers in streams.items()})


@pytest.mark.parametrize("order", ["rising", "falling"])
def test_sorted_streams(submission, order):
    """sorted streams of either direction are right"""
    numbers = list(range(-20, 20)) if order == "rising" else list(range(20, -20, -1))
    assert_equal(largest(submission, numbers, 7), sorted(numbers, reverse=True)[:7])


def test_equal_numbers(submission, rng):
    """equal numbers count separately"""
    numbers = rng.integers(-2, 3, 41).tolist()
    assert_equal(largest(submission, numbers, 23), sorted(numbers, reverse=True)[:23])
    assert_equal(largest(submission, [7] * 5, 3), [7] * 3)
    assert_equal(largest(submission, [4, 4, 4, 9, 9], 4), [9, 9, 4, 4])


def test_negative_and_large_numbers(submission):
    """all integers of 64 bits are right"""
    numbers = [-(2**63), 2**63 - 1, 0, -1, 2**62, -(2**62), 2**63 - 2]
    for k in (4, 7):
        assert_equal(largest(submission, numbers, k), sorted(numbers, reverse=True)[:k])
    assert_equal(largest(submission, [-5, -3, -9, -4], 2), [-3, -4])


@pytest.mark.parametrize("length, k", [(5, 6), (5, 100), (1, 2), (0, 3), (0, 1)])
def test_k_above_the_length(submission, rng, length, k):
    """k above the number of numbers gives all of them; nothing gives nothing"""
    numbers = (rng.permutation(50)[:length]).tolist()
    assert_equal(largest(submission, numbers, k), sorted(numbers, reverse=True))


def test_one_pass(submission, rng):
    """a generator, which can be read once and has no length, is right"""
    numbers = of_any_size(rng, (rng.permutation(100)[:57] - 50).tolist(), power=11)
    came = of_this_call(submission.run(of_generator, numbers, 9))
    assert_equal(came, sorted(numbers, reverse=True)[:9])


def of_stream(answer, length, k):
    import itertools

    answer.k_largest([2**63 - 3] * 2, 2)
    starts = (row * 7919 % 2000 - 500_000 for row in range(length // 500))  # each row across the whole range
    rows = (range(start, 500_000, 2000) for start in starts)
    return answer.k_largest(itertools.chain.from_iterable(rows), k)


@lru_cache
def streamed(length, k):
    oracle = SimpleNamespace(k_largest=lambda numbers, k: sorted(numbers, reverse=True)[:k])
    return of_stream(oracle, length, k)


@pytest.mark.parametrize("k, allowed", [(10, 60_000), (1000, 300_000)])
def test_memory(submission, k, allowed):
    """k_largest holds some k numbers at a time, however long the stream is"""
    measured = submission.measure(of_stream, 20_000, k)
    assert_equal(of_this_call(measured.value), streamed(20_000, k))
    fits = measured.peak_bytes <= allowed  # a list of all has 700,000, an array of 32 bits 80,000
    assert_true(fits, f"it holds more than {allowed:,} bytes at once, where k is {k}", seen=fits)
    expected = lambda: streamed(500_000, k)  # noqa: E731
    assert_fits(submission, of_stream, 500_000, k, expected=expected, memory=3 * 2**19)


@pytest.mark.parametrize("counts, k", [([1, 2, 3, 4, 5], 2), ([9, 1, 4, 6, 2, 3], 4), ([3], 1), ([2, 7], 1)])
def test_top_k_frequent(submission, rng, counts, k):
    """top_k_frequent gives the k most frequent numbers, the most frequent first"""
    numbers = of_any_size(rng, often(rng, counts), power=11)
    assert_equal(frequent(submission, numbers, k), by_counting(numbers, k))
    if is_second_round():
        many, k = rng.option(5, 1, 60), rng.option(2, 1, 60)
        numbers = of_any_size(rng, often(rng, (rng.permutation(100)[:many] + 1).tolist()), power=11)
        assert_equal(frequent(submission, numbers, k), by_counting(numbers, k))


def test_every_size_of_the_frequent(submission, rng):
    """top_k_frequent is right for any k, in whatever order the numbers come"""
    lists = {k: of_any_size(rng, often(rng, (rng.permutation(40) + 1).tolist()), power=11) for k in SIZES}
    scattered = [number for number, count in enumerate(SCATTERED) for _ in range(count + 1)]
    lists |= dict.fromkeys((17, 18), scattered)
    came = {k: frequent(submission, numbers, k) for k, numbers in lists.items()}
    assert_equal(came, {k: by_counting(numbers, k) for k, numbers in lists.items()})


def test_frequency_is_not_size(submission):
    """how large a number is makes no difference"""
    numbers = [-7] * 4 + [100] + [3] * 2 + [50] * 3
    assert_equal(frequent(submission, numbers, 3), [-7, 50, 3])
    assert_equal(of_this_call(submission.top_k_frequent([5, 1, 5, 1, 5, 9], 2)), [5, 1])


def test_last_numbers_count(submission):
    """the last numbers of a long list may change the order still"""
    numbers = [3] * 2 + [-7] * 2055 + [50] * 2065
    assert_equal(of_this_call(submission.top_k_frequent(numbers, 2)), [50, -7])


def test_many_different_numbers(submission):
    """each of 263 different numbers is counted, however many come after it"""
    numbers = [number for number in range(263) for _ in range(263 - number)]
    found = of_this_call(submission.top_k_frequent(numbers, 3)) == [0, 1, 2]
    message = "of 263 different numbers, the most frequent first, it does not give the first three"
    assert_true(found, message, seen=found)


@pytest.mark.parametrize("k", [5, 100])
def test_k_above_the_different_numbers(submission, rng, k):
    """k above the number of different numbers gives all of them"""
    numbers = often(rng, [2, 1, 5, 3])
    assert_equal(frequent(submission, numbers, k), by_counting(numbers, k))


def test_nothing_at_all(submission):
    """no numbers give none, with k = 1 too"""
    for k in (2, 1):
        assert_equal(frequent(submission, [], k), [])


@pytest.mark.parametrize(
    "name, numbers, k",
    [
        ("k_largest", [3, 1, 2, 3], -1),
        ("k_largest", [3, 1, 2, 3], 0),
        ("k_largest", [], 0),
        ("top_k_frequent", [3, 1, 2, 3], -1),
        ("top_k_frequent", [], 0),
    ],
)
def test_k_below_one_raises(submission, name, numbers, k):
    """k < 1 raises a ValueError, also where there are no numbers"""
    assert_raises(getattr(submission, name), numbers, k)


def lists_afterwards(answer, first, second, k):
    answer.k_largest(first, k)
    answer.top_k_frequent(second, k)
    return first, second


@pytest.mark.parametrize("k", [2, 20])
def test_lists_are_not_modified(submission, rng, k):
    """a list that is passed stays as it is, also one of no more than k numbers"""
    first, second = rng.permutation(20).tolist(), often(rng, [1, 2, 3])
    assert_equal(submission.run(lists_afterwards, first, second, k), (first, second))


def test_calls_are_independent(submission, rng):
    """a second call starts afresh"""
    first, second = rng.permutation(20).tolist(), (rng.permutation(30) - 40).tolist()
    came = [largest(submission, first, 3), of_this_call(submission.k_largest(second, 3))]
    assert_equal(came, [sorted(each)[::-1][:3] for each in (first, second)])
    first, second = often(rng, [5, 1, 3]), often(rng, [1, 2])
    came = [frequent(submission, first, 1), of_this_call(submission.top_k_frequent(second, 1))]
    assert_equal(came, [by_counting(each, 1) for each in (first, second)])
