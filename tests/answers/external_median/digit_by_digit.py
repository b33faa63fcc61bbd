"""Digits in the base `buckets`: the offset of the median is found digit by digit, highest first, on one
fixed grid.
"""

from array import array


def external_median(read, low, high, buckets=256):
    if buckets < 2:
        raise ValueError("buckets must be at least 2")
    unit = 1
    while unit * buckets < high - low + 1:
        unit *= buckets
    prefix, rank = 0, None
    while True:
        counts = array("Q", bytes(8 * buckets))
        for number in read():
            above, digit = divmod((number - low) // unit, buckets)
            if above == prefix:
                counts[digit] += 1
        if rank is None:
            total = sum(counts)
            if not total:
                raise ValueError("the stream is empty")
            rank = (total - 1) // 2
        digit = 0
        while rank >= counts[digit]:
            rank -= counts[digit]
            digit += 1
        prefix = prefix * buckets + digit
        if unit == 1:
            return low + prefix
        unit //= buckets
