"""A buffer of 2 k that is sorted and cut whenever it is full; buckets by frequency."""

import heapq


def k_largest(numbers, k):
    if k < 1:
        raise AssertionError("k")
    kept = []
    for number in numbers:
        kept.append(number)
        if len(kept) >= 2 * k:
            kept = sorted(kept, reverse=True)[:k]
    return sorted(kept, reverse=True)[:k]


def top_k_frequent(numbers, k):
    if k < 1:
        raise AssertionError("k")
    times = {number: 0 for number in numbers}
    for number in numbers:
        times[number] += 1
    buckets = [[] for _ in range(len(numbers) + 1)]
    for number, count in times.items():
        buckets[count].append(number)
    found = [number for bucket in reversed(buckets) for number in bucket]
    heap = list(enumerate(found))
    heapq.heapify(heap)
    return [number for _, number in sorted(heap)][:k]
