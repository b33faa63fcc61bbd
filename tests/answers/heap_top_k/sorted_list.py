"""A sorted list of k with bisect; negative counts in a heap; prints."""

import bisect
import heapq
from itertools import islice

print("top k")


def k_largest(numbers, k):
    if not k > 0:
        raise ValueError(k)
    stream = iter(numbers)
    best = sorted(islice(stream, k))
    for number in stream:
        if best[0] < number:
            bisect.insort(best, number)
            del best[0]
    return list(reversed(best))


def top_k_frequent(numbers, k):
    if not k > 0:
        raise ValueError(k)
    count = {}
    for number in numbers:
        count.setdefault(number, []).append(None)
    heap = [(-len(times), number) for number, times in count.items()]
    heapq.heapify(heap)
    return [heapq.heappop(heap)[1] for _ in range(min(k, len(heap)))]
