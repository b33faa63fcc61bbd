"""Known wrong versions of `relative_position_bias` whose places or rows are too large for their dtype."""

from grader.kit import Mistake

_ROWS = "self.embedding(rows)"
_DTYPES = [("int8", 127), ("uint8", 255), ("int16", 32767)]

MISTAKES = [
    Mistake(
        f"rows-in-{dtype}",
        find=_ROWS,
        replace=f"self.embedding(rows.to(torch.{dtype}).long())",
        says=f"Your rows are {dtype}, which holds numbers up to {most:,} only: with a larger max_distance it "
        "wraps or raises. torch.arange gives int64, which indices are made for.",
    )
    for dtype, most in _DTYPES
] + [
    Mistake(
        f"t5-positions-in-{dtype}",
        find="    if bidirectional:\n        num_buckets //= 2",
        replace=f"    relative_position = relative_position.to(torch.{dtype}).long()\n"
        "    if bidirectional:\n        num_buckets //= 2",
        says=f"You copy relative_position to {dtype}, which holds numbers up to {most:,} only: larger "
        "distances wrap around, come near again, or change sides. They go up to a million: leave them int64.",
    )
    for dtype, most in (("int8", 127), ("int16", 32767))
]
