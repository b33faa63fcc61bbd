"""Known wrong versions of `sdpa` that scale what has been masked."""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"scaled-after-masking-with-{name}",
            find="    query = query * scale\n",
            replace="",
            also=(
                ("scores.masked_fill(~mask, -math.inf)", f"scores.masked_fill(~mask, {fill})"),
                ("torch.softmax(scores, dim=-1)", "torch.softmax(scores * scale, dim=-1)"),
            ),
            says=f"You mask the scores first and scale them then, what you filled in too. With a scale of "
            f"0.0 {happens}. Scale first: then what is filled in stays what it is.",
        )
        for name, fill, happens in (
            (
                "the-lowest-number",
                "torch.finfo(scores.dtype).min",
                "the lowest number becomes 0, a score like any other, and forbidden keys are read",
            ),
            ("infinity", "-math.inf", "-inf becomes NaN"),
        )
    ),
    Mistake(
        "scale-on-top-of-the-default",
        find="    if scale is None:\n",
        replace="    if scale is not None:\n        scale = scale / math.sqrt(query.shape[-1])\n"
        "    if scale is None:\n",
        says="A scale that is given comes on top of 1 / sqrt(head_dim). It takes its place: the scores are "
        "multiplied by it, and by nothing else.",
    ),
]
