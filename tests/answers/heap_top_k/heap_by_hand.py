"""A heap written by hand (holes moved, no swaps), heapsort in its own list; frequencies by buckets instead
of a heap.
"""


def _sink(heap, at, end, item):
    child = 2 * at + 1
    while child < end:
        if child + 1 < end and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= item:
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at] = item


def k_largest(numbers, k):
    if k < 1:
        raise ValueError("k must be at least 1")
    heap = []
    full = False
    for number in numbers:
        if not full:
            heap.append(number)
            if len(heap) == k:
                full = True
                for at in reversed(range(k // 2)):
                    _sink(heap, at, k, heap[at])
        elif number > heap[0]:
            _sink(heap, 0, k, number)
    if not full:
        for at in reversed(range(len(heap) // 2)):
            _sink(heap, at, len(heap), heap[at])
    # heapsort: the smallest goes to the end each time, so what is left is falling
    for end in range(len(heap) - 1, 0, -1):
        last, heap[end] = heap[end], heap[0]
        _sink(heap, 0, end, last)
    return heap


def top_k_frequent(numbers, k):
    if k < 1:
        raise ValueError("k must be at least 1")
    counts = {}
    for number in numbers:
        counts[number] = counts.get(number, 0) + 1
    by_count = [None] * (len(numbers) + 1)
    for number, count in counts.items():
        by_count[count] = (number,)
    found = []
    for entry in reversed(by_count):
        if entry is not None:
            found.extend(entry)
        if len(found) == k:
            break
    return found
