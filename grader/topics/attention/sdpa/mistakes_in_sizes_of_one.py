"""Known wrong versions of `sdpa` for whom a size of 1 is no size."""

from grader.kit.families.attention.mistakes import squeezed_mistakes

MISTAKES = [
    *squeezed_mistakes.EXPANDED_WITH_HEADS,
    squeezed_mistakes.result_squeezed("weights @ value", "query, with the features of value"),
]
