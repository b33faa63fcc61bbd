"""Recursion; a pass of its own to count; few numbers left are collected and sorted; prints."""

from bisect import bisect_right

print("median")


def external_median(read, low, high, buckets=256):
    if buckets < 2:
        raise ValueError
    total = 0
    for _ in read():
        total += 1
    if total == 0:
        raise ValueError("empty")

    def search(low, high, place, inside):
        if low == high:
            return low
        if inside <= buckets:
            return sorted(x for x in read() if not (x < low or x > high))[place]
        edges = [low + (high - low + 1) * part // buckets for part in range(buckets + 1)]
        tally = [0] * (buckets + 1)
        for x in read():
            if low <= x <= high:
                tally[bisect_right(edges, x) - 1] += 1
        for part, count in enumerate(tally):
            if place < count:
                return search(edges[part], edges[part + 1] - 1, place, count)
            place -= count

    return search(low, high, (total - 1) // 2, total)
