"""Known wrong versions of `heap_top_k` with a heap of their own: in k_largest, or in both functions."""

from grader.kit import Mistake

STREAM = """\
    heap: list[int] = []  # the largest so far, the smallest of them on top
    for number in numbers:
        if len(heap) < k:
            heapq.heappush(heap, number)
        elif number > heap[0]:
            heapq.heapreplace(heap, number)
    return sorted(heap, reverse=True)  # k log k, as much as taking them from the heap
"""
PAIRS = """\
    heap: list[tuple[int, int]] = []  # (count, number): the rarest on top
    for number, count in counts.items():
        heapq.heappush(heap, (count, number))
        if len(heap) > k:
            heapq.heappop(heap)
    return [number for _, number in sorted(heap, reverse=True)]
"""

HEAP = """\
def _up(heap, i):
    while i > 0 and heap[i] < heap[(i - 1) // 2]:
        heap[i], heap[(i - 1) // 2] = heap[(i - 1) // 2], heap[i]
        i = (i - 1) // 2


def _down(heap, i):
    while 2 * i + 1 < len(heap):
        child = 2 * i + 1
        if child + 1 < len(heap) and heap[child + 1] < heap[child]:
            child += 1
        if heap[i] <= heap[child]:
            break
        heap[i], heap[child] = heap[child], heap[i]
        i = child


def _push(heap, item):
    heap.append(item)
    _up(heap, len(heap) - 1)


def _pop(heap):
    heap[0], heap[-1] = heap[-1], heap[0]
    top = heap.pop()
    _down(heap, 0)
    return top


"""

_WAYS = {
    "": """\
    for item in items:
        if len(heap) < k:
            _push(heap, item)
        elif item > heap[0]:
            heap[0] = item
            _down(heap, 0)
""",
    "-by-heapify": """\
    items = iter(items)
    heap += [item for _, item in zip(range(k), items)]
    for i in reversed(range(len(heap) // 2)):
        _down(heap, i)
    for item in items:
        if item > heap[0]:
            heap[0] = item
            _down(heap, 0)
""",
    "-pushed-then-popped": """\
    for item in items:
        _push(heap, item)
        if len(heap) > k:
            _pop(heap)
""",
    "-popped-then-pushed": """\
    for item in items:
        if len(heap) == k and item > heap[0]:
            _pop(heap)
        if len(heap) < k:
            _push(heap, item)
""",
}
"""How the k largest are kept."""
_ENDS = {
    "": "sorted(_kept({}, k), reverse=True)",
    "-and-taken-out": "(lambda heap: [_pop(heap) for _ in range(len(heap))][::-1])(_kept({}, k))",
}
"""How they are put in order."""


def _own(id: str, edit: tuple[str, str], says: str, way: str, end: str, in_both: bool) -> Mistake:
    """The mistake `edit` in a heap of one's own."""
    heap = HEAP.replace(*edit)
    kept = f"{heap}def _kept(items, k):\n    heap = []\n{_WAYS[way]}    return heap\n\n\ndef k_largest("
    pairs = _ENDS[end].format("((count, number) for number, count in counts.items())")
    frequent = ((PAIRS, f"    return [number for _, number in {pairs}]\n"),) if in_both else ()
    return Mistake(
        f"{id}{way}{end}{'-in-both' if in_both else ''}",
        find=STREAM,
        replace=f"    return {_ENDS[end].format('numbers')}\n",
        also=(("def k_largest(", kept), *frequent),
        says=says,
    )


_LEFT = "        if child + 1 < len(heap) and heap[child + 1] < heap[child]:\n            child += 1\n"

MISTAKES = [
    *(
        _own(
            "node-with-a-left-child-alone-passed-over",
            ("while 2 * i + 1", "while 2 * i + 2"),
            "Your own heap gets out of order at its end, because sifting down stops at a node that has a "
            "left child and no right one, for example. Then the top is not the smallest. Go on while there "
            "is a left child, and look at the right one only if it is there.",
            way,
            end,
            in_both,
        )
        for way in _WAYS
        for end in _ENDS
        for in_both in (False, True)
        if (way, end) != ("-pushed-then-popped", "")  # it comes to the same as replacing
    ),
    *(
        _own(id, edit, says, way, "", in_both)
        for id, edit, says in (
            (
                "always-the-left-child",
                (_LEFT, ""),
                "Your own heap gets out of order, because sifting down looks at the left child alone, for "
                "example. Then the right one may stay below a larger number. Exchange with the smaller one.",
            ),
            (
                "one-step-down",
                ("        i = child\n", "        break\n"),
                "Your own heap gets out of order, because what is on top sinks one step at most, for "
                "example. It sinks until no child is smaller: make that a loop.",
            ),
            (
                "larger-child",
                ("heap[child + 1] < heap[child]", "heap[child + 1] > heap[child]"),
                "Your own heap gets out of order, because sifting down takes up the larger child, for "
                "example. Then it stands above the smaller one. Exchange with the smaller child.",
            ),
            (
                "left-child-if-it-is-smaller",
                ("heap[child + 1] < heap[child]", "heap[child] >= heap[i]"),
                "Your own heap gets out of order, because sifting down takes up the left child as soon as it "
                "is smaller than its parent, for example. The right one may be smaller still. Compare the "
                "two, and exchange with the smaller one.",
            ),
            (
                "right-child-if-it-is-smaller",
                ("heap[child + 1] < heap[child]", "heap[child + 1] < heap[i]"),
                "Your own heap gets out of order, because sifting down takes up the right child as soon as "
                "it is smaller than its parent, for example. The left one may be smaller still. Compare the "
                "two, and exchange with the smaller one.",
            ),
            (
                "parent-of-another-place",
                ("(i - 1) // 2", "i // 2"),
                "Your own heap gets out of order, because a new number is compared with heap[i // 2] on its "
                "way up, for example. Where the top is heap[0], the parent of place i is (i - 1) // 2.",
            ),
            (
                "one-step-up",
                ("        i = (i - 1) // 2\n", "        break\n"),
                "Your own heap gets out of order, because a new number rises one step at most, for example. "
                "It rises until its parent is no larger: make that a loop.",
            ),
            (
                "never-up",
                ("    _up(heap, len(heap) - 1)\n", ""),
                "Your own heap gets out of order, because a number that is appended stays where it is, for "
                "example. Let it rise until its parent is no larger.",
            ),
        )
        for way in _WAYS
        for in_both in (False, True)
        if way != "-by-heapify" or id not in ("parent-of-another-place", "one-step-up", "never-up")
    ),
]
