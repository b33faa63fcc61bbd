"""Known wrong versions of `parameter_count` in which a conditional expression reaches further than meant."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"embeddings-only-where-{case}",
        find="    output_projection = 0 if tied else hidden_size * tgt_vocab\n"
        "    return embeddings + output_projection",
        replace=f"    return {expression}",
        says=f"Where it is {other} you count {what}. For example, `{example}` chooses between all that "
        "stands on either side: a sum binds more tightly than the conditional, so put that in parentheses.",
    )
    for case, other, expression, what, example in (
        (
            "tied",
            "not tied",
            "embeddings + 0 if tied else hidden_size * tgt_vocab",
            "tgt_vocab * hidden_size alone",
            "a + 0 if tied else b",
        ),
        (
            "not-tied",
            "tied",
            "embeddings + hidden_size * tgt_vocab if not tied else 0",
            "nothing at all",
            "a + b if not tied else 0",
        ),
    )
]
