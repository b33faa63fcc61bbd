"""Known wrong versions of `gqa`: attention that is causal by itself, and sums of weights with a floor."""

from grader.kit.families.attention import causal_mistakes, floor_mistakes

MISTAKES = [
    causal_mistakes.WITHOUT_A_MASK,
    *causal_mistakes.ALWAYS,
    *floor_mistakes.after_softmax_renormalised(
        "at least 1e-12",
        "at least 1e-9",
        "at least 1e-6",
        "plus 1e-12",
        "plus 1e-9",
        "plus 1e-8",
        "plus 1e-6",
    ),
]
