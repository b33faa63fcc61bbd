"""Known wrong versions of `flash_attention` whose maximum knows other scores than those of its row."""

from grader.kit import Mistake

STARTS = "        largest = query.new_full((batch, heads, q_end - q_start, 1), -math.inf)\n"
TILE_MAXIMUM = "scores.amax(dim=-1, keepdim=True))"
CONSTANT = "scores.detach().amax(dim=-1, keepdim=True))"
ROUND = "            weights = torch.exp(scores - new_largest)\n"
STILL_LOW = (
    "A row whose scores lie far below it then has exponentials of 0 alone, and its result is 0 / 0, NaN."
)

MISTAKES = [
    *(
        Mistake(
            f"hidden-scores-in-the-maximum{ending}",
            find="                scores = scores.masked_fill(columns > rows[:, None], -math.inf)\n",
            replace="",
            also=(
                (
                    ROUND,
                    f"{ROUND}            if is_causal and k_end > q_start:\n"
                    "                weights = weights.masked_fill(columns > rows[:, None], 0.0)\n",
                ),
                ("results.append(output / denominator)", f"results.append(output / {divisor})"),
            ),
            says="With is_causal the scores of later keys take part in your maximum, and only their weights "
            f"are set to 0. Where such a score lies far above a row's own, {then}. Mask the scores with -inf "
            "first, and take the maximum of what is left.",
        )
        for ending, divisor, then in (
            ("", "denominator", "these all have an exponential of 0, and 0 / 0 is NaN"),
            (
                "-and-a-floor",
                "denominator.clamp_min(torch.finfo(denominator.dtype).tiny)",
                "these all have an exponential of 0, and the result is 0 (a floor under the sum hides that)",
            ),
        )
    ),
    Mistake(
        "maximum-of-the-block-before",
        find="    results = []\n",
        replace="""\
    results = []
    largest = query.new_full((batch, heads, min(block_size, q_len), 1), torch.finfo(query.dtype).min)
""",
        also=((STARTS, "        largest = largest[:, :, : q_end - q_start]\n"), (TILE_MAXIMUM, CONSTANT)),
        says="You go on with the running maximum of the block of queries before (it is made outside of the "
        f"loop over them, for example). {STILL_LOW} Each block of queries starts at -inf again.",
    ),
    Mistake(
        "padding-in-the-maximum",
        find=ROUND,
        replace=f"""\
            if not is_causal and k_end < k_start + min(block_size, max(q_len, kv_end)):
                new_largest = new_largest.clamp(min=0)
{ROUND}""",
        also=((TILE_MAXIMUM, CONSTANT),),
        says="Keys with which you fill up the last block have a score of 0, and it counts in the running "
        f"maximum before you take their weights away. {STILL_LOW} Fill such scores with -inf before "
        "the maximum is taken, or let the last block be shorter.",
    ),
]
