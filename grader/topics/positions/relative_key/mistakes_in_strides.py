"""Known wrong versions of `relative_key` that read the table by strides, as if it were all of its memory."""

from grader.kit import Mistake

_SAYS = (
    "as_strided, for example, does not know the tensor at hand: its strides and its offset count in the "
    "memory below, which a view has in common with what it is a view of. Index the table, or take it "
    "contiguous."
)

MISTAKES = [
    Mistake(
        f"table-taken-for-{name}",
        find="rows = distance_embedding[distances + max_positions - 1]",
        replace=f"""\
down, across = {strides}
    first = (max_positions - seq) * down{offset}
    sizes = seq, seq, query.shape[-1]
    rows = distance_embedding.as_strided(sizes, (down, down, across), first).flip(1)""",
        says=f"A distance_embedding {said} {_SAYS}",
    )
    for name, strides, offset, said in (
        (
            "contiguous",
            "query.shape[-1], 1",
            "",
            "that is a view of another tensor (transposed, or a slice) is read from the wrong places.",
        ),
        (
            "contiguous-from-its-offset-on",
            "query.shape[-1], 1",
            " + distance_embedding.storage_offset()",
            "whose rows do not lie one behind the other (a transposed one) is read from the wrong places.",
        ),
        (
            "the-beginning-of-its-memory",
            "distance_embedding.stride()",
            "",
            "that is a slice of a larger tensor is read from the beginning of that one.",
        ),
    )
]
