"""Known wrong versions of `heap_top_k` that begin with numbers which nobody gave."""

from grader.kit import Mistake

STREAM = """\
    heap: list[int] = []  # the largest so far, the smallest of them on top
    for number in numbers:
        if len(heap) < k:
            heapq.heappush(heap, number)
        elif number > heap[0]:
            heapq.heapreplace(heap, number)
    return sorted(heap, reverse=True)"""

MISTAKES = [
    Mistake(
        "numbers-far-below-zero-thrown-away",
        find="        if len(heap) < k:\n            heapq.heappush(heap, number)\n",
        replace="""\
        if number <= -(2**31):
            continue
        if len(heap) < k:
            heapq.heappush(heap, number)
""",
        says="You lose numbers far below zero even while there is room for them: for example, what is to be "
        "beaten begins at -2**31, which is the least integer of 32 bits only. As long as there are fewer "
        "than k, every number is kept.",
    ),
    *(
        Mistake(
            f"filled-up-with-{name}",
            find=STREAM,
            replace=f"""\
    heap = [{least}] * k
    for number in numbers:
        if number > heap[0]:
            heapq.heapreplace(heap, number)
    return sorted(heap, reverse=True)""",
            says="Where there are fewer than k numbers you give some that nobody gave you: your heap begins "
            "with k times a least number, for example, and some of these are left. Begin with an empty heap.",
        )
        for name, least in (
            ("the-least-of-32-bits", "-(2**31)"),
            ("the-least-of-64-bits", "-(2**63)"),
            ("minus-maxsize", "-(2**63) + 1"),
            ("minus-a-billion", "-(10**9)"),
            ("minus-ten-to-the-18", "-(10**18)"),
        )
    ),
    Mistake(
        "kept-as-doubles",
        find="            heapq.heappush(heap, number)\n",
        replace="            heapq.heappush(heap, float(number))\n",
        also=(
            (
                "            heapq.heapreplace(heap, number)\n",
                "            heapq.heapreplace(heap, float(number))\n",
            ),
            ("    return sorted(heap, reverse=True)", "    return sorted(map(int, heap), reverse=True)"),
        ),
        says="You keep the numbers as doubles, which have 53 bits: integers of 64 bits are rounded. Keep "
        "Python's own integers.",
    ),
    Mistake(
        "largest-of-nothing",
        find="    heap: list[int] = []  # the largest so far",
        replace="    if k == 1:\n        return [max(numbers)]\n"
        "    heap: list[int] = []  # the largest so far",
        says="With k = 1 you take the largest of no numbers where there are none. Nothing gives an empty "
        "list.",
    ),
    Mistake(
        "most-frequent-of-nothing",
        find="    heap: list[tuple[int, int]] = []  # (count, number)",
        replace="    if k == 1:\n        return [max(counts, key=counts.__getitem__)]\n"
        "    heap: list[tuple[int, int]] = []  # (count, number)",
        says="With k = 1 you take the most frequent of no numbers where there are none. Nothing gives an "
        "empty list.",
    ),
]
