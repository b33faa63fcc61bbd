"""Checks of `external_median`: against sorted; few passes, and memory for the buckets."""

from functools import lru_cache
from types import SimpleNamespace

import pytest

from grader.kit import assert_accepts, assert_equal, assert_fits, assert_raises, assert_true
from grader.kit.outcomes import CheckFailed
from grader.kit.recording import record
from grader.kit.rounds import is_second_round

LEAST, MOST = -(2**63), 2**63 - 1


def lower_median(numbers):
    """The oracle."""
    return sorted(numbers)[(len(numbers) - 1) // 2]


def of_stream(answer, numbers, low, high, *buckets):
    reads = 0

    def read():
        nonlocal reads
        reads += 1
        if reads > 200:
            raise RuntimeError("read() was called more than 200 times")
        return (number for number in numbers)

    return answer.external_median(read, low, high, *buckets)


def within(rng, low, high, length):
    """Integers in [low, high], of any size."""
    parts = rng.integers(0, 2**32, 3 * length).tolist()
    return [
        low + ((a << 64) + (b << 32) + c) % (high - low + 1)
        for a, b, c in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    ]


@pytest.mark.parametrize("low, high, buckets", [(-100, 100, 7), (-1000, -3, 10), (0, 999_999, 16)])
def test_odd_length(submission, rng, low, high, buckets):
    """an odd number of numbers gives the middle one"""
    numbers = within(rng, low, high, 31)
    assert_equal(submission.run(of_stream, numbers, low, high, buckets), lower_median(numbers))


@pytest.mark.parametrize("length", [2, 30])
def test_even_length(submission, rng, length):
    """an even number of numbers gives the lower one of the two in the middle"""
    places = rng.permutation(length).tolist()
    numbers = [30 * place + 7 for place in places]
    assert_equal(submission.run(of_stream, numbers, 0, 1000, 5), 30 * ((length - 1) // 2) + 7)


def test_default_of_buckets(submission, rng):
    """buckets has a default"""
    numbers = within(rng, LEAST, MOST - 7, 37)
    assert_equal(submission.run(of_stream, numbers, LEAST, MOST - 7), lower_median(numbers))


@pytest.mark.parametrize("buckets", [2, 3, 10, 256])
def test_signed_64_bits(submission, rng, buckets):
    """the full range of signed 64-bit integers is right, to the last digit"""
    numbers = within(rng, LEAST, MOST, 41)
    assert_equal(submission.run(of_stream, numbers, LEAST, MOST, buckets), lower_median(numbers))


@pytest.mark.parametrize(
    "middle, buckets", [(LEAST, 10), (MOST, 3), (MOST, 256), (2**53 + 1, 10), (-(2**62) - 1, 256)]
)
def test_neighbours_in_a_wide_range(submission, middle, buckets):
    """large numbers that differ by 1 are told apart"""
    numbers = [middle] * 3 + [max(middle - 1, LEAST)] * 2 + [min(middle + 1, MOST)] * 2
    # Where none of them is counted, the stream seems empty.
    came = assert_accepts(lambda *given: submission.run(of_stream, *given), numbers, LEAST, MOST, buckets)
    assert_equal(came, lower_median(numbers))


@pytest.mark.parametrize(
    "low, high, buckets",
    [(0, 7, 8), (-10, 10, 4), (0, 26, 3), (0, 2**56, 256), (-5, 10**15 - 5, 10)],
)
def test_ends_of_the_range(submission, low, high, buckets):
    """low and high themselves may occur"""
    assert_equal(submission.run(of_stream, [high] * 5 + [low], low, high, buckets), high)
    assert_equal(submission.run(of_stream, [high] + [low] * 5, low, high, buckets), low)


@pytest.mark.parametrize("low, high, buckets", [(0, 2**56, 256), (-5, 10**15 - 5, 10), (-(2**60), 0, 2)])
def test_one_more_than_a_power(submission, low, high, buckets):
    """in a range of one integer more than a power of buckets those next to its ends are told from them"""
    for middle in (low + 1, high - 1):
        numbers = [high, *[middle] * 5, low]
        came = assert_accepts(lambda *given: submission.run(of_stream, *given), numbers, low, high, buckets)
        assert_equal(came, middle)


def test_equal_numbers(submission, rng):
    """equal numbers count separately"""
    numbers = [3] * 6 + [40] * 2 + [41] * 2 + [90, 95]
    assert_equal(submission.run(of_stream, numbers, 0, 100, 4), 3)
    drawn = rng.integers(-2, 3, 43).tolist()
    assert_equal(submission.run(of_stream, drawn, -50, 50, 6), lower_median(drawn))


def test_uneven_numbers(submission):
    """where the numbers crowd makes no difference: the middle one need not be in the fullest part"""
    numbers = [900 + place for place in range(9)] + [place * 70 for place in range(10)]
    assert_equal(submission.run(of_stream, numbers, 0, 1000, 10), 630)


def test_one_number(submission):
    """a single number is the median"""
    assert_equal(submission.run(of_stream, [17], -1000, 1000, 256), 17)


@pytest.mark.parametrize("numbers", [[4], [4, 4, 4, 4]])
def test_range_of_one_number(submission, numbers):
    """low may be high"""
    assert_equal(submission.run(of_stream, numbers, 4, 4, 3), 4)


def test_more_buckets_than_integers(submission, rng):
    """there may be more buckets than integers in the range"""
    numbers = within(rng, -3, 3, 12)
    assert_equal(submission.run(of_stream, numbers, -3, 3, 100), lower_median(numbers))


def of_list(answer, numbers, low, high):
    return answer.external_median(lambda: numbers, low, high), numbers


def test_list(submission, rng):
    """read may give a list, always the same one, which stays as it is"""
    numbers = within(rng, 0, 10**6, 25)
    assert_equal(submission.run(of_list, numbers, 0, 10**6), (lower_median(numbers), numbers))


def passes(low, high, buckets):
    """The smallest p with buckets**p >= high - low + 1."""
    count = 0
    while buckets**count < high - low + 1:
        count += 1
    return count


@pytest.mark.parametrize(
    "low, high, buckets",
    [
        (0, 2**20 - 1, 2),
        (LEAST, MOST, 256),
        (LEAST, MOST, 65_536),
        (LEAST, MOST, 3),
        (LEAST, MOST, 4),
        (LEAST, MOST, 31),
        (-500, 499, 10),
        (9, 9, 5),
    ],
)
def test_reads(submission, rng, low, high, buckets):
    """read is called at most p + 2 times, where buckets**p is the least that is not below high - low + 1"""
    numbers, reads, most = within(rng, low, high, 12), [], passes(low, high, buckets) + 2

    def read():
        reads.append(None)
        return numbers

    assert_equal(submission.external_median(read, low, high, buckets), lower_median(numbers))
    few = len(reads) <= most
    message = (
        f"it calls read() {len(reads)} times, where low is {low}, high is {high} and buckets is {buckets}: "
        f"at most {most} times are allowed. Each pass is to leave 1 / buckets of the range, and to count all "
        "that it needs"
    )
    assert_true(few, message, seen=few)


def reads_of_many(answer, length):
    """How often read is called for a stream that does not fit into the buckets."""
    reads = []

    def read():
        reads.append(None)
        return (place * 7919 % 1_000_003 for place in range(length))

    try:
        answer.external_median(read, 0, 1_000_002, 16)
    except NotImplementedError:
        raise
    except Exception:
        return len(reads)  # what it fails by, the other checks show
    return len(reads)


def test_read_is_called_for_each_pass(submission):
    """read is called for each pass: what it gives is gone through once"""
    several = submission.run(reads_of_many, 10_000) != 1
    message = "it calls read() once and goes through what it gave again and again, which is empty by then: "
    assert_true(several, f"{message}call read() for each pass")


def of_long_stream(answer, length, spread, buckets):
    import itertools

    several = min(spread, 500)  # numbers across the whole spread, then others between them
    step, rows = spread // several, length // several

    def read():
        if spread == several:
            return itertools.chain.from_iterable(itertools.repeat(range(2**62, 2**62 + spread), rows))
        starts = (2**62 + row * 7 % step for row in range(rows))
        return itertools.chain.from_iterable(range(start, 2**62 + spread, step) for start in starts)

    return answer.external_median(read, 2**62, 2**62 + 249_999, buckets)


@lru_cache
def long_median(*given):
    oracle = SimpleNamespace(external_median=lambda read, low, high, buckets: lower_median(list(read())))
    return of_long_stream(oracle, *given, 0)


@pytest.mark.parametrize("spread", [250_000, 2])
def test_memory(submission, spread):
    """some `buckets` numbers are held at a time, however long the stream is and wherever its numbers crowd"""
    buckets, allowed = 500, 150_000
    submission.run(of_long_stream, 500, spread, buckets)  # what is imported on the first call does not count
    measured = submission.measure(of_long_stream, 22_000, spread, buckets)
    assert_equal(measured.value, long_median(22_000, spread))
    fits = measured.peak_bytes <= allowed  # an array of 64 bits for each has 176,000
    assert_true(fits, f"it holds more than {allowed:,} bytes at once, where buckets is {buckets}", seen=fits)
    if is_second_round():  # a quarter of the stream, 4000 numbers of 32 bytes each, does not fit
        measured = submission.measure(of_long_stream, 16_000, 250_000, 4)
        fits = measured.peak_bytes <= 100_000
        assert_true(fits, "it holds more than 100,000 bytes at once, where buckets is 4", seen=fits)
    many = (400_000, spread, buckets)
    expected = lambda: long_median(*many[:2])  # noqa: E731
    assert_fits(submission, of_long_stream, *many, expected=expected, memory=5 * 2**18)


@pytest.mark.parametrize("buckets", [1, 0])
def test_too_few_buckets_raise(submission, buckets):
    """buckets < 2 raises a ValueError"""
    reads, numbers = 0, [3, 1, 2]

    def read():
        nonlocal reads
        reads += 1
        if reads > 100:  # counted and ended here: in the answer it could be caught
            record("reads on and on", "ValueError")
            raise CheckFailed("it reads on and on instead of raising ValueError")
        return numbers

    def refused(buckets, low=0, high=9):
        submission.external_median(read, low, high, buckets)  # what it gives instead does not matter

    assert_raises(refused, buckets)
    if is_second_round():  # where nothing has to be counted, too
        numbers = [3, 3]
        assert_raises(refused, buckets, 3, 3)


def of_nothing(answer, low, high):
    answer.external_median(lambda: iter(()), low, high, 4)  # nor here


@pytest.mark.parametrize("low, high", [(-5, 5), (7, 7)])
def test_empty_stream_raises(submission, low, high):
    """an empty stream raises a ValueError"""
    assert_raises(lambda low, high: submission.run(of_nothing, low, high), low, high)


def test_calls_are_independent(submission, rng):
    """a second call starts afresh"""
    lists = [within(rng, -90, 90, 21), within(rng, 0, 50, 8)]
    came = [submission.run(of_stream, each, -100, 100, 4) for each in [*lists, lists[0]]]
    assert_equal(came, [lower_median(each) for each in [*lists, lists[0]]])


def of_changing_stream(answer, lists):
    numbers = []

    def read():
        return (number for number in numbers)

    came = []
    for each in lists:
        numbers[:] = each
        came.append(answer.external_median(read, -100, 100, 4))
    return came


def test_stream_may_change_between_calls(submission, rng):
    """the same read may start another stream in a later call"""
    lists = [within(rng, 0, 50, 8), within(rng, -90, 90, 31)]
    assert_equal(submission.run(of_changing_stream, lists), [lower_median(each) for each in lists])
