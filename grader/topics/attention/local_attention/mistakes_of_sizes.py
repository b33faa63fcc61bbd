"""Known wrong versions of `local_attention`: as many blocks or keys whatever the place."""

from grader.kit import Mistake

_BLOCK = "    block = max(window, 1)\n"
_BOUNDS = "        first, last = max(start - window, 0), min(end + window, seq)\n"
_MASK = "        mask = (places[start:end, None] - places[first:last]).abs() <= window\n"

MISTAKES = [
    Mistake(
        "always-as-many-blocks",
        find=_BLOCK,
        replace="    block = -(-seq // 16)\n",
        says="You cut every sequence into the same number of blocks, so a block grows with the sequence and "
        "its scores with the square. Memory is to grow linearly: let blocks have the same size (that of the "
        "window, for example), and take more of them.",
    ),
    Mistake(
        "window-moved-inwards-at-the-ends",
        find=_MASK,
        replace="""\
        size = min(2 * window + 1, seq)
        earliest = (places[start:end, None] - window).clamp(0, seq - size)
        mask = (places >= earliest) & (places < earliest + size)
""",
        also=((_BOUNDS, "        first, last = 0, seq\n"),),
        says="Near the ends you move the window inwards, so that every query sees 2 * window + 1 keys, as in "
        "neighborhood attention (NATTEN). Here the window stays around its query: query 0 sees the keys 0 to "
        "window, fewer than the others.",
    ),
    Mistake(
        "scale-by-the-heads",
        find="math.sqrt(head_dim)",
        replace="math.sqrt(query.shape[1])",
        says="You scale by the number of heads. A score is a sum of head_dim terms, whatever the number of "
        "heads is: divide it by sqrt(head_dim).",
    ),
]
