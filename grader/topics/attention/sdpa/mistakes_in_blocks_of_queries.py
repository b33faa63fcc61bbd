"""Known wrong versions of `sdpa` that go through blocks of queries, and mask them wrongly."""

from grader.kit import Mistake

SCALED = "    query = query * scale\n"

MISTAKES = [
    *(
        Mistake(
            f"causal-from-the-start-of-blocks-of-{size}",
            find="torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()",
            replace=f"""\
torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()
        mask = mask[torch.arange(query.shape[-2], device=query.device) % {size}]""",
            says="You go through the queries in blocks, and the causal mask of each block counts its queries "
            "from 0. So the first query of a later block reads key 0 alone. Query i is at place start + i of "
            "the sequence: add where the block starts, or cut the block's rows out of the whole mask.",
        )
        for size in (1, 2, 4, 8, 16, 32, 64, 128)
    ),
    *(
        Mistake(
            f"mask-of-one-{side}-cut-after-{size}",
            find=SCALED,
            replace=f"""\
    if mask is not None and not is_causal and mask.shape[{dim}] == 1 and {length} > {size}:
        mask = mask.narrow({dim}, 0, 0)
{SCALED}""",
            says=f"You go through {what} in blocks, and cut the mask with them even where it has one {side} "
            "for all: from the second block on nothing is left of it. Cut it only where its size is theirs.",
        )
        for side, dim, length, what in (
            ("row", -2, "query.shape[-2]", "the queries"),
            ("column", -1, "key.shape[-2]", "the keys"),
        )
        for size in (4, 64)
    ),
]
