"""Known wrong versions of `kv_cache`: a mask whose rows stand in another order than the queries."""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"mask-repeated-{words}",
            find="        context = F.scaled_dot_product_attention(",
            replace=f"""\
        group = query.shape[1] // self.num_kv_heads
        mask = mask.repeat_interleave({times}, dim=0).view({shape}, new, -1).repeat({again}, 1, 1)
        context = F.scaled_dot_product_attention(""",
            says="You repeat each row of the mask where the whole mask has to be repeated: the queries stand "
            f"{order} (all tokens of a head, then all of the next), so most of them get the mask of another "
            "token. Repeat it as often as it takes (repeat), not row by row (repeat_interleave), or let it "
            "broadcast.",
        )
        for words, times, shape, again, order in (
            ("row-by-row-in-a-group", "group", "group", "self.num_kv_heads", "head by head in their group"),
            ("row-by-row", "query.shape[1]", "query.shape[1]", "1", "head by head"),
        )
    ),
]
