"""Known wrong versions of `top_k_frequent`."""

from grader.kit import Mistake

COUNTED = """\
    counts: dict[int, int] = {}
    for number in numbers:
        counts[number] = counts.get(number, 0) + 1
"""
PUSHED = """\
    for number, count in counts.items():
        heapq.heappush(heap, (count, number))
        if len(heap) > k:
            heapq.heappop(heap)
    return [number for _, number in sorted(heap, reverse=True)]"""
TAKEN_OVER = """\
            weakest = min(counts, key=lambda other: (counts[other], {ties}))
            counts[number] = counts.pop(weakest){more}
"""
RUNS = "    runs = [(len(list(run)), number) for number, run in itertools.groupby(numbers)]\n"

MISTAKES = [
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
        "k-rarest-kept",
        find="heapq.heappush(heap, (count, number))",
        replace="heapq.heappush(heap, (-count, number))",
        also=(("sorted(heap, reverse=True)]", "sorted(heap)]"),),
        says="top_k_frequent gives the k rarest numbers, the most frequent of these first: for example, its "
        "heap has the counts negated, so what is popped is the most frequent. With the counts themselves "
        "the rarest is on top, and goes.",
    ),
    Mistake(
        "frequent-admitted-by-size",
        find="""\
        heapq.heappush(heap, (count, number))
        if len(heap) > k:
            heapq.heappop(heap)
""",
        replace="""\
        if len(heap) < k:
            heapq.heappush(heap, (count, number))
        elif number > heap[0][1]:
            heapq.heapreplace(heap, (count, number))
""",
        says="Once its heap is full, top_k_frequent lets a number in that is larger than the one on top. How "
        "often it occurs decides, not how large it is: count > heap[0][0].",
    ),
    Mistake(
        "frequent-taken-k-times",
        find="    return [number for _, number in sorted(heap, reverse=True)]",
        replace="""\
    heap = [(-count, number) for number, count in counts.items()]
    heapq.heapify(heap)
    return [heapq.heappop(heap)[1] for _ in range(k)]""",
        says="top_k_frequent takes from its heap k times, also where there are fewer different numbers, and "
        "raises. Then all of them are given: take as long as something is there, and k times at most.",
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
    *(
        Mistake(
            f"runs-for-numbers{id}",
            find=COUNTED,
            replace=RUNS,
            also=(("import heapq\n", "import heapq\nimport itertools\n"), (PUSHED, f"    return {result}")),
            says="You take each run of equal numbers as one of its own, so a number that comes back has "
            "several counts, and may be given twice (itertools.groupby without sorting does so). Equal "
            "numbers may stand anywhere in the list: count them in a dict, or sort first.",
        )
        for id, result in (
            ("", "[number for _, number in sorted(runs, reverse=True)[:k]]"),
            (
                "-smaller-before-larger",
                "[number for _, number in sorted(runs, key=lambda run: (-run[0], run[1]))[:k]]",
            ),
            ("-first-before-last", "[number for _, number in sorted(runs, key=lambda run: -run[0])[:k]]"),
        )
    ),
    Mistake(
        "last-run-counted",
        find="        counts[number] = counts.get(number, 0) + 1\n",
        replace="        counts[number] = counts.get(number, 0) + 1 if number == last else 1\n"
        "        last = number\n",
        also=(("    counts: dict[int, int] = {}\n", "    counts, last = {}, None\n"),),
        says="Of a number that comes back you count only the last run (a dict of itertools.groupby without "
        "sorting does so). Equal numbers may stand anywhere in the list: add all of them up.",
    ),
    Mistake(
        "one-pop-too-few",
        find="        if len(heap) > k:",
        replace="        if len(heap) > k + 1:",
        says="Your heap of counts keeps k + 1. Pop as soon as there are more than k.",
    ),
    Mistake(
        "number-that-fills-the-list-lost",
        find="        heapq.heappush(heap, (count, number))",
        replace="        if count == len(numbers):\n            continue\n"
        "        heapq.heappush(heap, (count, number))",
        says="In a list of one number alone you lose that number: you go through buckets by count from "
        "len(numbers) - 1 down, for example. A count may be len(numbers).",
    ),
    Mistake(
        "no-bucket-for-a-number-that-fills-the-list",
        find="        heapq.heappush(heap, (count, number))",
        replace="        [None for _ in numbers][count]\n        heapq.heappush(heap, (count, number))",
        says="A list of one number alone ends in an IndexError: you have len(numbers) buckets by count, for "
        "example, of which the last is that of len(numbers) - 1. A count may be len(numbers), which takes "
        "one bucket more.",
    ),
    Mistake(
        "number-that-occurs-once-lost",
        find="        heapq.heappush(heap, (count, number))",
        replace="        if count == 1:\n            continue\n        heapq.heappush(heap, (count, number))",
        says="You lose the number that occurs once: you go through buckets by count and leave out the "
        "lowest, for example, since range() ends before its bound. Where k is large enough, it is given too.",
    ),
    *(
        Mistake(
            f"no-more-than-k-counters{id}",
            find=COUNTED,
            replace=f"""\
    counts: dict[int, int] = {{}}
    for number in numbers:
        if number in counts or len(counts) < k:
            counts[number] = counts.get(number, 0) + 1
        else:
{full}""",
            also=(
                (
                    PUSHED,
                    f"    return sorted(counts, key=lambda number: (counts[number], {ties}), reverse=True)",
                ),
            ),
            says="You count with k counters at most, and where they are all taken a new number takes one "
            "over, or lowers them. That is approximate: a frequent number may be thrown out before its time "
            "has come, and what stays has a wrong count. Count all numbers first, and then take the k most "
            "frequent.",
        )
        for id, full, ties in (
            ("", TAKEN_OVER.format(ties=0, more=" + 1"), 0),
            ("-the-smaller-number-first", TAKEN_OVER.format(ties="other", more=" + 1"), "number"),
            ("-that-start-at-one", TAKEN_OVER.format(ties=0, more=" * 0 + 1"), 0),
            (
                "-that-are-lowered",
                "            counts = {other: count - 1 for other, count in counts.items() if count > 1}\n",
                0,
            ),
        )
    ),
]
