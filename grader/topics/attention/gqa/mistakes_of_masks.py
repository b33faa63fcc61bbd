"""Known wrong versions of `gqa`: masks of other heads, causal by itself, sums with a floor, no mask."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import causal_mistakes, floor_mistakes, unmasked_mistakes

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
    Mistake(
        "mask-of-the-first-head-of-the-group",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="""\
scores.masked_fill(
                ~mask[:, ::groups].repeat_interleave(groups, dim=1) if mask.shape[1] > 1 else ~mask,
                -math.inf,
            )""",
        says="All query heads of a group get the mask of the first of them, as if there were one mask for "
        "each key/value head. The mask's heads are query heads, and each has its own.",
    ),
    unmasked_mistakes.max_not_subtracted(),
]
