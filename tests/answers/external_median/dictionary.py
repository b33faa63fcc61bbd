"""Counts in a dictionary of those buckets that occur; numbers below are counted anew in each pass."""

from collections import Counter


class Range:
    def __init__(self, first, size):
        self.first, self.size = first, size

    def part(self, number, width):
        return (number - self.first) // width


def external_median(read, low, high, buckets=256):
    if not buckets >= 2:
        raise AssertionError("buckets")
    span, single = Range(low, high - low + 1), False
    while not single:
        width = (span.size + buckets - 1) // buckets
        below, n, seen = 0, 0, Counter()
        for number in read():
            n += 1
            if number < span.first:
                below += 1
            elif number < span.first + span.size:
                seen[span.part(number, width)] += 1
        if not n:
            raise ValueError("no numbers")
        for part in sorted(seen):
            below += seen[part]
            if below > (n - 1) // 2:
                span = Range(span.first + part * width, width)
                break
        single = span.size == 1
    return span.first
