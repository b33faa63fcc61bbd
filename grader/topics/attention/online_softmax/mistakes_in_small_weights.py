"""Known wrong versions of `online_softmax` that leave out small weights, or look at what is no score."""

from grader.kit import Mistake

LOOP = "        scores = keys @ query  # (block,)\n"
LARGEST = "new_largest = max(largest, scores.max())"
OLD = "correction = np.exp(largest - new_largest)"
SMALL = (
    "Many small weights add up, and their values may be large. Leave nothing out: weights that are too small "
    "to count become 0 by themselves."
)

MISTAKES = [
    *(
        Mistake(
            f"blocks-below-the-maximum-left-out-at-{bound}",
            find=LOOP,
            replace=f"{LOOP}        if scores.max() < largest - {bound}:\n            continue\n",
            says="You leave out a block whose scores lie far below the maximum so far, by "
            f"{bound} or less for example. {SMALL}",
        )
        for bound in (8, 12, 20)
    ),
    Mistake(
        "sums-far-below-the-maximum-forgotten",
        find=OLD,
        replace=f"{OLD} if new_largest - largest < 20 else 0.0",
        says="You forget what has been summed where the new maximum lies far above the old one, by 20 or "
        f"less for example. {SMALL}",
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
