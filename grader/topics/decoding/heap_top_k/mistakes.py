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

MISTAKES = [
    Mistake(
        "everything-sorted",
        find=STREAM,
        replace="    return sorted(numbers, reverse=True)[:k]",
        says="Your values are right, but you hold all numbers at once (to sort them, or in a heap of all). "
        "The stream may be larger than memory: keep k of them, and replace the smallest when a larger one "
        "comes.",
    ),
    Mistake(
        "smallest-first",
        find="    return sorted(heap, reverse=True)  #",
        replace="    return sorted(heap)  #",
        says="Your k largest come smallest first. Largest first: reverse=True.",
    ),
    Mistake(
        "heap-as-it-is",
        find="    return sorted(heap, reverse=True)  #",
        replace="    return heap  #",
        says="You return the heap itself. It is not sorted: only its first element is known to be the "
        "smallest.",
    ),
    Mistake(
        "heap-reversed",
        find="    return sorted(heap, reverse=True)  #",
        replace="    return heap[::-1]  #",
        says="You return the heap in reverse. A heap is not sorted: only its first element is known to be "
        "the smallest.",
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
        "rarest",
        find="""\
        if len(heap) > k:
            heapq.heappop(heap)
    return [number for _, number in sorted(heap, reverse=True)]""",
        replace="    return [number for _, number in sorted(heap)[:k]]",
        says="You give the rarest numbers. The most frequent are asked for, the most frequent first.",
    ),
    Mistake(
        "frequent-rarest-first",
        find="sorted(heap, reverse=True)]",
        replace="sorted(heap)]",
        says="Your k most frequent come the rarest first. The most frequent comes first: reverse=True.",
    ),
    Mistake(
        "largest-of-the-different",
        find="heapq.heappush(heap, (count, number))",
        replace="heapq.heappush(heap, (number, number))",
        says="You give the largest of the different numbers. How often they occur decides: the count comes "
        "first in the pair.",
    ),
    Mistake(
        "heap-by-number",
        find="        heapq.heappush(heap, (count, number))",
        replace="        heapq.heappush(heap, (number, count))",
        also=(
            (
                "return [number for _, number in sorted(heap, reverse=True)]",
                "return [number for number, _ in sorted(heap, key=lambda pair: pair[1], reverse=True)]",
            ),
        ),
        says="Your heap is ordered by the numbers themselves, so the k largest survive, not the most "
        "frequent. The count comes first in the pair.",
    ),
    Mistake(
        "frequent-heap-reversed",
        find="[number for _, number in sorted(heap, reverse=True)]",
        replace="[number for _, number in reversed(heap)]",
        says="You return the heap of counts in reverse. A heap is not sorted: only its first element is "
        "known to be the rarest.",
    ),
    Mistake(
        "frequent-heap-as-it-is",
        find="[number for _, number in sorted(heap, reverse=True)]",
        replace="[number for _, number in heap]",
        says="You return the heap of counts as it is. A heap is not sorted: only its first element is known "
        "to be the rarest.",
    ),
    Mistake(
        "frequent-by-value",
        find="    return [number for _, number in sorted(heap, reverse=True)]",
        replace="    return sorted((number for _, number in heap), reverse=True)",
        says="You give the right numbers, but sort them by size. They come in the order of their counts.",
    ),
    Mistake(
        "counts-returned",
        find="[number for _, number in sorted(heap, reverse=True)]",
        replace="[count for count, _ in sorted(heap, reverse=True)]",
        says="You give the counts. The numbers are asked for.",
    ),
    Mistake(
        "pairs-returned",
        find="[number for _, number in sorted(heap, reverse=True)]",
        replace="[(number, count) for count, number in sorted(heap, reverse=True)]",
        says="You give pairs of number and count. The numbers alone are asked for.",
    ),
    Mistake(
        "runs-counted",
        find="    for number in numbers:\n        counts[number] = counts.get(number, 0) + 1",
        replace="""\
    run = 0
    for place, number in enumerate(numbers):
        run = run + 1 if place and numbers[place - 1] == number else 1
        counts[number] = max(counts.get(number, 0), run)""",
        says="You count how often a number follows itself (as groupby does without sorting). Equal numbers "
        "may stand anywhere in the list.",
    ),
    Mistake(
        "one-pop-too-few",
        find="        if len(heap) > k:",
        replace="        if len(heap) > k + 1:",
        says="Your heap of counts keeps k + 1. Pop as soon as there are more than k.",
    ),
]
