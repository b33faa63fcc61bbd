"""The k largest of a stream, and the k most frequent, with a heap of k (k + 1 for a moment, if you like).

The smallest of the survivors is on top of the heap: what cannot beat it is not among the k largest.
Forbidden: heapq.nlargest, heapq.nsmallest and Counter.most_common, which are the exercise; and there is no
torch here.
"""

from collections.abc import Iterable, Sequence


def k_largest(numbers: Iterable[int], k: int) -> list[int]:
    """The k largest numbers, largest first; equal ones count separately.

    numbers: perhaps a generator, so it can be read only once and has no len(). May be far longer than memory:
    no more than a few times k numbers are held at a time, in memory or in files (beside a fixed few
    kilobytes), for any k. Integers of 64 bits, possibly negative; what is passed is not modified.
    k above the number of numbers gives all of them. k < 1 raises ValueError (or AssertionError).
    """
    raise NotImplementedError


def top_k_frequent(numbers: Sequence[int], k: int) -> list[int]:
    """The k numbers that occur most often, each once, the most frequent first.

    There are no ties: no two numbers occur equally often. Memory is not measured here, and sorting is
    allowed. numbers is a list, which is not modified. k above the number of different numbers gives all of
    them. k < 1 raises ValueError (or AssertionError).
    """
    raise NotImplementedError
