"""The median of a stream that is far larger than memory, by counting in buckets and reading again.

One pass counts how many numbers fall into each of a few equal parts of the range. So it is known in which
part the median lies, and how many numbers are below: the next pass counts inside of it.
"""

from collections.abc import Callable, Iterable


def external_median(read: Callable[[], Iterable[int]], low: int, high: int, buckets: int = 256) -> int:
    """The lower median of the numbers, sorted(numbers)[(n - 1) // 2]: one of them, an int.

    read: starts the stream again, and gives the same numbers each time until external_median returns (later
    perhaps others), maybe as a generator: without a len(), and to be gone through once. To be called at most
    p + 2 times, p being the smallest whole number with buckets**p >= high - low + 1, which is 0 where low is
    high. Every call counts.
    low, high: all numbers are Python ints in [low, high], both included, low <= high. The range may be that
    of signed 64-bit integers, where high - low needs 64 bits and a float has only 53.
    buckets: how many parts to count in at a time, up to 65,536, also where the range has fewer integers. No
    more than 2 * buckets numbers and counts are held together (beside a fixed few kilobytes), in memory or
    in files, however long the stream is, and however many of its numbers are equal or close together.
    buckets < 2 raises ValueError (or AssertionError), and so does an empty stream.
    """
    raise NotImplementedError
