"""Known wrong versions of `online_softmax` that leave out small weights, or look at what is no score."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes.block_mistakes import FORGOTTEN, LEFT_OUT

LOOP = "        scores = keys @ query  # (block,)\n"
LARGEST = "new_largest = max(largest, scores.max())"
OLD = "correction = np.exp(largest - new_largest)"

MISTAKES = [
    *(
        Mistake(
            f"blocks-below-the-maximum-left-out-at-{bound}",
            find=LOOP,
            replace=f"{LOOP}        if scores.max() < largest - {bound}:\n            continue\n",
            says=LEFT_OUT.format(bound),
        )
        for bound in (8, 12, 20)
    ),
    Mistake(
        "sums-far-below-the-maximum-forgotten",
        find=OLD,
        replace=f"{OLD} if new_largest - largest < 20 else 0.0",
        says=FORGOTTEN,
    ),
    Mistake(
        "largest-over-what-a-longer-block-has-left",
        find=LARGEST,
        replace="""\
new_largest = max(largest, scores.max())
        if len(scores) < longest:
            new_largest = max(new_largest, 0.0)
        longest = max(longest, len(scores))""",
        also=(("    denominator = 0.0\n", "    denominator = 0.0\n    longest = 0\n"),),
        says="Where a block is shorter than one before it, your maximum is too large, and with scores far "
        "below 0 all weights become 0: you take it over a whole buffer, for example, which holds what the "
        "longer one has left, or zeros. Look at this block's scores alone.",
    ),
]
