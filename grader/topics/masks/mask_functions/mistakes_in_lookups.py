"""Known wrong versions of `mask_functions` that look up all pairs of two lists of indices."""

from grader.kit import Mistake

SAYS = (
    "{} looks up every pair of two lists of indices, as is right for the axes of a table, and lays them out "
    "as (batch, head, q, kv). Indices may come in any shapes that broadcast, point by point for example: {}."
)

MISTAKES = [
    Mistake(
        "padding-of-all-pairs",
        find="        return keep[batch, kv]",
        replace="        return keep[batch.reshape(-1)][:, kv.reshape(-1)][:, None, None, :]",
        says=SAYS.format("padding", "keep[batch, kv] gives the shape that they broadcast to"),
    ),
    Mistake(
        "packed-of-all-pairs",
        find="        return sequence_ids[batch, q] == sequence_ids[batch, kv]",
        replace="""\
        rows = sequence_ids[batch.reshape(-1)]
        return rows[:, None, q.reshape(-1), None] == rows[:, None, None, kv.reshape(-1)]""",
        says=SAYS.format("packed", "sequence_ids[batch, q] gives the shape that they broadcast to"),
    ),
]
