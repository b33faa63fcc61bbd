"""Known wrong versions of `relative_key` for whom a size of 1 is no size."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "scores-squeezed",
        find="    return scores",
        replace="    return scores.squeeze()",
        says="All dimensions of size 1 are missing in your result: squeeze() without a dimension takes them "
        "out, for example. A batch of one, a single head and a single token are sizes like any others: the "
        "scores are (batch, num_heads, seq, seq).",
    ),
]
