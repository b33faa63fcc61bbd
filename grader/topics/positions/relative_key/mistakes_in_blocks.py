"""Known wrong versions of `relative_key` that go in blocks of queries, or where gradients are not for all."""

from grader.kit import Mistake

_POSITIONS = "    distances = positions[:, None] - positions  # (seq, seq)\n"
_ROWS = "    rows = distance_embedding[distances"

MISTAKES = [
    *(
        Mistake(
            f"shorter-last-block-of-{size}-begins-too-early",
            find=_POSITIONS,
            replace=f"""\
    numbered = [part - part[0] + len(part) * (part[0] // {size}) for part in positions.split({size})]
    distances = torch.cat(numbered)[:, None] - positions
""",
            says=f"You go through the queries in blocks ({size} at a time, for example), and take the first "
            "position of a block for its number times its own length. That is too small for a last block "
            "that is shorter: its number counts whole blocks before it.",
        )
        for size in (2, 4, 8, 16, 32, 64, 128)
    ),
    Mistake(
        "no-gradients-where-the-query-has-none",
        find=_ROWS,
        replace=f"""\
    if not query.requires_grad:
        key, distance_embedding = key.detach(), distance_embedding.detach()
{_ROWS}""",
        says="Where the query requires no gradient, key and distance_embedding get none either. Each of the "
        "arguments may be the only one that is trained.",
    ),
]
