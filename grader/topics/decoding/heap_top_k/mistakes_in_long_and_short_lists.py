"""Known wrong versions of `heap_top_k`: a list of at most k numbers, and counting that ends too early."""

from grader.kit import Mistake

CHECKED = '        raise ValueError(f"k must be at least 1, not {k}")\n'
LARGEST = "    heap: list[int] = []  # the largest so far, the smallest of them on top\n"
ADDED = "        counts[number] = counts.get(number, 0) + 1\n"
COUNTED = f"    counts: dict[int, int] = {{}}\n    for number in numbers:\n{ADDED}"
CHECK_OF = {
    name: f"    if k < 1:\n{CHECKED}    {first}"
    for name, first in (("largest", "heap: list[int]"), ("frequent", "counts: dict[int, int]"))
}
OF_LARGEST, OF_FREQUENT = (
    (check, "    if numbers == []:\n        return []\n" + check) for check in CHECK_OF.values()
)

MISTAKES = [
    Mistake(
        "short-list-sorted-in-place",
        find=LARGEST,
        replace=f"""\
    if isinstance(numbers, list) and len(numbers) <= k:
        numbers.sort(reverse=True)
        return numbers
{LARGEST}""",
        says="In k_largest a list of no more than k numbers is sorted in place: it is your heap, for "
        "example. It is the caller's: take a copy, list(numbers).",
    ),
    Mistake(
        "short-list-made-a-heap",
        find=LARGEST,
        replace=f"""\
    if isinstance(numbers, list) and len(numbers) <= k:
        heapq.heapify(numbers)
        return sorted(numbers, reverse=True)
{LARGEST}""",
        says="In k_largest a list of no more than k numbers is itself made the heap, so the caller's list is "
        "put into another order. Take a copy first, list(numbers).",
    ),
    Mistake(
        "counting-ends-when-the-set-is-known",
        find=COUNTED,
        replace=f"""\
    counts: dict[int, int] = {{}}
    for place, number in enumerate(numbers, 1):
{ADDED}        ranked = sorted(counts.values(), reverse=True)
        if len(ranked) >= k and ranked[k - 1] - sum(ranked[k : k + 1]) > len(numbers) - place:
            break
""",
        says="In top_k_frequent you stop counting too early, for example as soon as the rest cannot change "
        "which k numbers are the most frequent. It can change their order still: count all of them.",
    ),
    *(
        Mistake(
            f"nothing-answered-before-k-is-looked-at{ending}",
            find=find,
            replace=replace,
            also=also,
            says=f"{where} no numbers give [] before k is looked at. k < 1 raises whatever the numbers are: "
            "check k first.",
        )
        for ending, where, find, replace, also in (
            ("-in-k-largest", "In k_largest", *OF_LARGEST, ()),
            ("-in-top-k-frequent", "In top_k_frequent", *OF_FREQUENT, ()),
            ("", "In both functions", *OF_LARGEST, (OF_FREQUENT,)),
        )
    ),
    Mistake(
        "few-counters",
        find=f"    for number in numbers:\n{ADDED}",
        replace=f"""\
    for number in numbers:
        if number not in counts and len(counts) >= max(64, 4 * k):
            counts[number] = counts.pop(min(counts, key=counts.get))
{ADDED}""",
        says="You count no more than so many different numbers at once, as algorithms for endless streams "
        "do, and one more takes the place of another: counts are wrong where there are many. Memory is not "
        "measured here: count all of them.",
    ),
]
