"""A generator of ever narrower ranges, each from a histogram with its numbers below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field


@dataclass
class Histogram:
    """Counts of a range [first, last] in at most `parts` equal parts."""

    first: int
    last: int
    parts: int
    counts: dict[int, int] = field(default_factory=dict)
    below: int = 0

    @property
    def width(self) -> int:
        return (self.last - self.first) // self.parts + 1

    def fill(self, stream: Iterable[int]) -> int:
        total = 0
        width = self.width
        for x in stream:
            total += 1
            if x < self.first:
                self.below += 1
            elif x <= self.last:
                key = (x - self.first) // width
                self.counts[key] = self.counts.get(key, 0) + 1
        return total

    def locate(self, rank: int) -> tuple[int, int]:
        seen = self.below
        for key in sorted(self.counts):
            seen += self.counts[key]
            if seen > rank:
                start = self.first + key * self.width
                return start, min(start + self.width - 1, self.last)
        raise RuntimeError("the stream has changed")


def _narrow(read: Callable[[], Iterable[int]], low: int, high: int, parts: int) -> Iterator[tuple[int, int]]:
    while True:
        histogram = Histogram(low, high, parts)
        total = histogram.fill(read())
        if not total:
            raise ValueError("empty stream")
        low, high = histogram.locate((total - 1) // 2)
        yield low, high


def external_median(read: Callable[[], Iterable[int]], low: int, high: int, buckets: int = 256) -> int:
    if buckets < 2:
        raise ValueError(f"buckets = {buckets}")
    for start, end in _narrow(read, low, high, buckets):
        if start == end:
            return start
