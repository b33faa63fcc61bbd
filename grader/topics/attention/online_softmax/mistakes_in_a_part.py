"""Known wrong versions of `online_softmax` that rescale by the maximum of a part of the block."""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"corrected-by-the-{which}-score",
            find="correction = np.exp(largest - new_largest)",
            replace=f"correction = np.exp(largest - max(largest, scores[{place}]))",
            says="You rescale what is summed so far as if the new maximum were that of a part of the "
            f"block: its {which} score, for example. It has to count from the same maximum as the block's "
            "weights: that of all scores up to the end of the block.",
        )
        for which, place in (("first", 0), ("last", -1))
    ),
    Mistake(
        "largest-of-first-scores-and-no-exponent-above-0",
        find="new_largest = max(largest, scores.max())",
        replace="new_largest = max(largest, scores[0])",
        also=(("np.exp(scores - new_largest)", "np.exp(np.minimum(scores - new_largest, 0))"),),
        says="Of a block you look at one score for the maximum, and cut exponents off at 0, so that larger "
        "scores all weigh the same. The maximum is that of all scores: then no exponent is above 0.",
    ),
]
