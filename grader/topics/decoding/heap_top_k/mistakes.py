"""Known wrong versions of `heap_top_k`."""

from grader.kit import Mistake

STREAM = """\
    heap: list[int] = []  # the largest so far, the smallest of them on top
    for number in numbers:
        if len(heap) < k:
            heapq.heappush(heap, number)
        elif number > heap[0]:
            heapq.heapreplace(heap, number)
    return sorted(heap, reverse=True)"""
KEPT = """\
    for number in numbers:
        if len(heap) < k:
            heapq.heappush(heap, number)
        elif number > heap[0]:
            heapq.heapreplace(heap, number)
"""
PUSHED_THEN_POPPED = """\
    for number in numbers:
        heapq.heappush(heap, number)
        if len(heap) > k:
            heapq.heappop(heap)
"""
WAYS = {
    "": (),
    "-pushed-then-popped": ((KEPT, PUSHED_THEN_POPPED),),
    "-popped-then-pushed": (
        (
            "            heapq.heapreplace(heap, number)\n",
            "            heapq.heappop(heap)\n            heapq.heappush(heap, number)\n",
        ),
    ),
}
"""How the k largest are kept: the order in the heap depends on it."""
LINE = '        raise ValueError(f"k must be at least 1, not {k}")\n'

MISTAKES = [
    Mistake(
        "everything-sorted",
        find=STREAM,
        replace="    return sorted(numbers, reverse=True)[:k]",
        says="Your values are right, but you hold many more than k numbers at once (all of them, perhaps, to "
        "sort them). The stream may be larger than memory: keep k of them, and replace the smallest when a "
        "larger one comes.",
    ),
    Mistake(
        "least-number-thrown-away",
        find="        if len(heap) < k:\n            heapq.heappush(heap, number)\n",
        replace="""\
        if number <= -(2**63) + 1:
            continue
        if len(heap) < k:
            heapq.heappush(heap, number)
""",
        says="You throw the least integers away even while there is room for them: for example, what is to "
        "be beaten begins at -sys.maxsize. As long as there are fewer than k, every number is kept.",
    ),
    *(
        Mistake(
            f"{name}-than-the-top-thrown-away-at-once",
            find="        if len(heap) < k:\n            heapq.heappush(heap, number)\n",
            replace=f"""\
        if heap and number {sign} heap[0]:
            continue
        if len(heap) < k:
            heapq.heappush(heap, number)
""",
            says=f"You throw a number away that is {words} the smallest so far, even while there are fewer "
            "than k. As long as there is room every number is kept: ask for len(heap) == k too.",
        )
        for name, sign, words in (("no-larger", "<=", "no larger than"), ("smaller", "<", "smaller than"))
    ),
    Mistake(
        "smallest-first",
        find="    return sorted(heap, reverse=True)  #",
        replace="    return sorted(heap)  #",
        says="Your k largest come smallest first. Largest first: reverse=True.",
    ),
    *(
        Mistake(
            f"{name}{way}",
            find="    return sorted(heap, reverse=True)  #",
            replace=f"    return {result}  #",
            also=also,
            says=f"You return the heap {words}. A heap is not sorted: only its first element is known to be "
            "the smallest.",
        )
        for name, result, words in (
            ("heap-as-it-is", "heap", "as it is"),
            ("heap-reversed", "heap[::-1]", "in reverse"),
        )
        for way, also in WAYS.items()
    ),
    Mistake(
        "k-smallest",
        find="""\
        elif number > heap[0]:
            heapq.heapreplace(heap, number)""",
        replace="""\
        elif number < max(heap):
            heap[heap.index(max(heap))] = number""",
        says="You keep the k smallest: the largest survivor gives way to a smaller number. The smallest one "
        "gives way to a larger.",
    ),
    Mistake(
        "always-replaced",
        find="        elif number > heap[0]:",
        replace="        else:",
        says="You put every number into the full heap in exchange for its smallest, also where that is "
        "larger than the new one. Replace only if number > heap[0] (or push first and then pop: "
        "heappushpop).",
    ),
    Mistake(
        "compared-with-the-last",
        find="number > heap[0]",
        replace="number > heap[-1]",
        says="You compare with the last element of the heap, which is just one of the larger ones. The "
        "smallest is on top: heap[0].",
    ),
    Mistake(
        "first-k-not-a-heap",
        find="            heapq.heappush(heap, number)\n        elif",
        replace="            heap.append(number)\n        elif",
        says="You append the first k numbers without making a heap of them, so heap[0] is not the smallest. "
        "heappush each of them, or heapify the list.",
    ),
    Mistake(
        "equal-numbers-dropped",
        find="        if len(heap) < k:",
        replace="        if number in heap:\n            continue\n        if len(heap) < k:",
        says="You keep equal numbers only once. They count separately: the 2 largest of 7, 7, 3 are 7 and 7.",
    ),
    Mistake(
        "one-too-many",
        find="        if len(heap) < k:",
        replace="        if len(heap) <= k:",
        says="Your heap grows to k + 1. Push while it has fewer than k.",
    ),
    Mistake(
        "first-k-twice",
        find=STREAM,
        replace="""\
    heap = list(itertools.islice(numbers, k))
    heapq.heapify(heap)
    for number in numbers:
        if number > heap[0]:
            heapq.heapreplace(heap, number)
    return sorted(heap, reverse=True)""",
        also=(("import heapq\n", "import heapq\nimport itertools\n"),),
        says="You take the first k from numbers, and then go through numbers from the beginning: of a list "
        "(not of a generator) these count twice. Make one iterator, iter(numbers), and use it in both "
        "places.",
    ),
    Mistake(
        "ends-at-zero",
        find="        if len(heap) < k:",
        replace="        if not number:\n            break\n        if len(heap) < k:",
        says="Your loop ends at the first 0, which is not true either. The end of the stream is "
        "StopIteration (or a default of next that is compared with `is`): for number in numbers.",
    ),
    Mistake(
        "zero-left-out",
        find="        if len(heap) < k:",
        replace="        if not number:\n            continue\n        if len(heap) < k:",
        says="You pass over 0, which is a number like the others. Truth is no test for being there.",
    ),
    Mistake(
        "filled-up-with-minus-infinity",
        find=STREAM,
        replace="""\
    heap = [-math.inf] * k
    for number in numbers:
        if number > heap[0]:
            heapq.heapreplace(heap, number)
    return sorted(heap, reverse=True)""",
        also=(("import heapq\n", "import heapq\nimport math\n"),),
        says="Your heap begins with k times minus infinity, and where there are fewer than k numbers some of "
        "these are left. Begin with an empty heap.",
    ),
    Mistake(
        "k-above-the-length-refused",
        find="    return sorted(heap, reverse=True)  #",
        replace="""\
    if len(heap) < k:
        raise ValueError("fewer than k numbers")
    return sorted(heap, reverse=True)  #""",
        says="You refuse a k above the number of numbers. Then all of them are given.",
    ),
    Mistake(
        "counted-by-len",
        find="    heap: list[int] = []  # the largest",
        replace="    k = min(k, len(numbers))\n    heap: list[int] = []  # the largest",
        says="You ask for the len() of numbers, and a stream has none. The heap knows how many it has.",
    ),
    Mistake(
        "zero-numbers-are-an-error",
        find="    return sorted(heap, reverse=True)  #",
        replace="    return sorted(heap[1:] + [heap[0]], reverse=True)  #",
        says="Without any numbers you look at the top of an empty heap. Nothing gives an empty list.",
    ),
    Mistake(
        "k-below-one-accepted-by-k-largest",
        find="""\
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    heap: list[int]""",
        replace="""\
    if k < 1:
        return []
    heap: list[int]""",
        says="k_largest accepts a k below 1. It raises a ValueError.",
    ),
    Mistake(
        "k-below-one-accepted-by-top-k-frequent",
        find="""\
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    counts""",
        replace="""\
    if k < 1:
        return []
    counts""",
        says="top_k_frequent accepts a k below 1. It raises a ValueError.",
    ),
    Mistake(
        "list-sorted-in-place",
        find="    counts: dict[int, int] = {}",
        replace="    numbers.sort()\n    counts: dict[int, int] = {}",
        says="You sort the list that was passed in place, so the caller's is changed. Work on what you "
        "count.",
    ),
    Mistake(
        "list-made-a-heap",
        find="    heap: list[int] = []  # the largest",
        replace="""\
    if isinstance(numbers, list):
        heapq.heapify(numbers)
    heap: list[int] = []  # the largest""",
        says="You make a heap of the list that was passed (heapify), so the caller's is reordered, and all "
        "of it is in your heap. Push the numbers into a heap of your own.",
    ),
    Mistake(
        "last-of-the-heap-popped",
        find="""\
        if len(heap) < k:
            heapq.heappush(heap, number)
        elif number > heap[0]:
            heapq.heapreplace(heap, number)""",
        replace="""\
        heapq.heappush(heap, number)
        if len(heap) > k:
            heap.pop()""",
        says="You take away the last element of the list, heap.pop(), which is just one of the larger ones. "
        "The smallest goes: heapq.heappop(heap).",
    ),
    Mistake(
        "zeros-at-first",
        find="    heap: list[int] = []  # the largest",
        replace="    heap: list[int] = [0] * k  # the largest",
        says="Your heap of k_largest is full of zeros at first (or you compare with 0): negative numbers do "
        "not get in, and of a short stream zeros come out. It starts empty.",
    ),
    *(
        Mistake(
            f"only-{name}-k-is-refused",
            find="    if k < 1:\n" + LINE + first,
            replace=f"    if {condition}:\n{LINE}{first}",
            also=(("    if k < 1:\n" + LINE + second, f"    if {condition}:\n{LINE}{second}"),),
            says=f"You refuse a k {words} only. Every k below 1 raises a ValueError.",
        )
        for name, condition, words in (("zero", "k == 0", "of 0"), ("negative", "k < 0", "below 0"))
        for first, second in [("    heap: list[int]", "    counts")]
    ),
    Mistake(
        "rarest-replaced-whatever-comes",
        find="""\
        heapq.heappush(heap, (count, number))
        if len(heap) > k:
            heapq.heappop(heap)""",
        replace="""\
        if len(heap) == k:
            heapq.heappop(heap)
        heapq.heappush(heap, (count, number))""",
        says="In top_k_frequent you pop the rarest before you push, also where the new one is rarer still. "
        "Push first, then pop; or compare with heap[0].",
    ),
    Mistake(
        "one-too-few-of-the-frequent",
        find="        if len(heap) > k:",
        replace="        if len(heap) >= k:",
        says="Your heap of counts keeps k - 1: it pops as soon as there are k. Pop where there are more "
        "than k.",
    ),
]
