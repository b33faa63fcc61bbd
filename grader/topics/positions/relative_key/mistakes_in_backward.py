"""Known wrong versions of `relative_key` whose gradient of a row is that of a single pair."""

from grader.kit import Mistake

ROWS = "    rows = distance_embedding[distances + max_positions - 1]  # (seq, seq, head_dim)\n"

MISTAKES = [
    Mistake(
        f"gradient-of-the-{which}-pair-of-a-distance",
        find=ROWS,
        replace=f"""\
{ROWS}\
    {which} = (positions[:, None] == {place}) | (positions == {place})
    rows = torch.where({which}[..., None], rows, rows.detach())
""",
        says="Each row of distance_embedding gets the gradient of a single pair (i, j), and not of all "
        "that are so far apart. In a hand-written backward pass, for example, table[index] = gradients "
        "keeps one of those that go to the same row: add them up, by index_add_ or index_put_(…, "
        "accumulate=True).",
    )
    for which, place in (("last", "seq - 1"), ("first", "0"))
]
