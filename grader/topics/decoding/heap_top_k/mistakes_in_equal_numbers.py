"""Known wrong versions of `k_largest` that keep equal numbers once, and how many there are of them."""

from grader.kit import Mistake

LARGEST = """\
    heap: list[int] = []  # the largest so far, the smallest of them on top
    for number in numbers:
        if len(heap) < k:
            heapq.heappush(heap, number)
        elif number > heap[0]:
            heapq.heapreplace(heap, number)
    return sorted(heap, reverse=True)  # k log k, as much as taking them from the heap
"""

MISTAKES = [
    Mistake(
        f"copies-{id}",
        find=LARGEST,
        replace=f"""\
    heap: list[int] = []
    copies: dict[int, int] = {{}}
    for number in numbers:
        if {size} == k and number {below} heap[0]:
            continue
        if number not in copies:
            heapq.heappush(heap, number)
        copies[number] = copies.get(number, 0) + 1
        while {size} > k:
            del copies[heapq.heappop(heap)]
    return [number for number in sorted(heap, reverse=True) for _ in range(copies[number])]
""",
        says=says,
    )
    for id, size, below, says in (
        (
            "leave-together",
            "sum(copies.values())",
            "<=",
            "Where the smallest number of your heap has to go, all of its copies go at once, also those that "
            "are still among the k largest: fewer than k numbers are left. Take away one copy at a time.",
        ),
        (
            "counted-as-one",
            "len(heap)",
            "<",
            "You keep the k largest *different* numbers, with all copies of each: there are more than k "
            "numbers then. Equal ones count separately: the copies together are k.",
        ),
    )
]
