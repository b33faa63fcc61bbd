"""The digits of the offset from low, the highest first; NumPy counts, and blocks of the stream."""

import itertools

import numpy as np


def external_median(read, low, high, buckets=256):
    assert buckets > 1
    digits = 1
    while buckets**digits <= high - low:
        digits += 1
    prefix, place = 0, -1
    for digit in reversed(range(digits)):
        unit = buckets**digit
        counts = np.zeros(buckets, dtype=np.int64)
        stream = iter(read())
        while block := list(itertools.islice(stream, buckets)):
            offsets = ((number - low) // unit for number in block)
            mine = [offset % buckets for offset in offsets if offset // buckets == prefix]
            counts += np.bincount(np.array(mine, dtype=np.int64), minlength=buckets)
        below = counts.cumsum()
        if place < 0:
            assert below[-1] > 0, "nothing to read"
            place = (int(below[-1]) - 1) // 2
        chosen = int(np.searchsorted(below, place, side="right"))
        place -= int(below[chosen] - counts[chosen])
        prefix = prefix * buckets + chosen
    return low + prefix
