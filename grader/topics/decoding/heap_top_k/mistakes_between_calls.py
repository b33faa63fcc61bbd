"""Known wrong versions of `heap_top_k` that remember earlier calls."""

from grader.kit import Mistake

LARGEST = "    heap: list[int] = []  # the largest so far, the smallest of them on top\n"
COUNTS = "    counts: dict[int, int] = {}\n"
RAREST = "    heap: list[tuple[int, int]] = []  # (count, number): the rarest on top\n"
BEGUN = ("def k_largest(", "kept = {}\n\n\ndef k_largest(")


def _heap(name: str) -> str:
    return f'    heap = kept.setdefault("{name}", [])\n'


MISTAKES = [
    Mistake(
        "heap-kept-between-calls",
        find=LARGEST,
        replace=_heap("largest"),
        also=(BEGUN,),
        says="k_largest still knows the numbers of earlier calls: the heap is an attribute of a class, a "
        "default argument or a global, for example, and so one list for all calls. Make a new one in each.",
    ),
    Mistake(
        "counts-kept-between-calls",
        find=COUNTS,
        replace='    counts = kept.setdefault("counts", {})\n',
        also=(BEGUN,),
        says="top_k_frequent goes on counting where earlier calls have ended: the counts are an attribute "
        "of a class, a default argument or a global, for example, and so one dict for all calls. Make a new "
        "one in each.",
    ),
    Mistake(
        "heap-of-counts-kept-between-calls",
        find=RAREST,
        replace=_heap("counts"),
        also=(BEGUN,),
        says="top_k_frequent still knows the counts of earlier calls: the heap is an attribute of a class, a "
        "default argument or a global, for example, and so one list for all calls. Make a new one in each.",
    ),
]
