"""Known wrong versions of `sdpa` that go through blocks of queries, and mask them wrongly."""

from grader.kit import Mistake

MISTAKES = [
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
]
