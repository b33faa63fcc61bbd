"""Known wrong versions of `moving_average`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "divided-by-the-window",
        find="np.minimum(np.arange(len(x)) + 1, window)",
        replace="np.full(len(x), window)",
        says="You divide by `window` from the first step on. The first steps have fewer rows behind them: "
        "divide by min(step + 1, window).",
    ),
    Mistake(
        "count-is-one-too-small",
        find="np.arange(len(x)) + 1, window",
        replace="np.maximum(np.arange(len(x)), 1), window",
        says="Your count at the start is one too small: step 0 has one row, its own, and step t has t + 1.",
    ),
    Mistake(
        "nothing-leaves-the-window",
        find="    totals[window:] -= sums[:-window]  # what has left the window\n",
        replace="",
        says="Your sums never lose a row: subtract the sum that ended `window` steps before.",
    ),
    Mistake(
        "window-is-one-too-long",
        find="totals[window:] -= sums[:-window]  # what has left the window",
        replace="totals[window + 1 :] -= sums[: -window - 1]",
        says="Your window holds one row too many: the mean is over at most `window` rows, this step's among "
        "them.",
    ),
    Mistake(
        "over-the-features",
        find="sums = np.cumsum(x, axis=0, dtype=np.float64)",
        replace="sums = np.cumsum(x, axis=1, dtype=np.float64)",
        says="You sum along the features. The running sums go along the steps: axis 0.",
    ),
    Mistake(
        "sums-in-their-own-type",
        find="np.cumsum(x, axis=0, dtype=np.float64)",
        replace="np.cumsum(x, axis=0)",
        says="You sum float32 numbers in float32. A running sum grows while its differences stay small, so "
        "their digits are lost: sum in float64.",
    ),
    Mistake(
        "any-window-is-taken",
        find="""\
    if window < 1:
        raise ValueError(f"window must be at least 1, not {window}")
""",
        replace="",
        says="You take a window of 0 or less. Raise a ValueError.",
    ),
]
