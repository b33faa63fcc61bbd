"""Known wrong versions of `online_softmax`."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import score_mistakes

NOTHING_RESCALED = Mistake(
    "nothing-rescaled",
    find="        correction = np.exp(largest - new_largest)",
    replace="        correction = 1.0",
    says="You add up terms that count from different maxima. When the maximum grows, multiply the "
    "denominator and the output so far by exp(old maximum - new maximum).",
)


OUTPUT_NOT_RESCALED = Mistake(
    "output-not-rescaled",
    find="output = output * correction + weights @ values",
    replace="output = output + weights @ values",
    says="You correct the denominator when the maximum grows, but not the output. Both were summed "
    "relative to the old maximum: multiply both by exp(old maximum - new maximum).",
)


DENOMINATOR_NOT_RESCALED = Mistake(
    "denominator-not-rescaled",
    find="denominator = denominator * correction + weights.sum()",
    replace="denominator = denominator + weights.sum()",
    says="You correct the output when the maximum grows, but not the denominator. Both were summed "
    "relative to the old maximum: multiply both by exp(old maximum - new maximum).",
)


CORRECTION_INVERTED = Mistake(
    "correction-inverted",
    find="np.exp(largest - new_largest)",
    replace="np.exp(new_largest - largest) if largest > -math.inf else 0.0",
    says="Your correction is exp(new - old), upside down. What was summed relative to the old maximum gets "
    "smaller when the maximum grows: exp(old - new), at most 1.",
)


MAXIMUM_STARTS_AT_ZERO = Mistake(
    "maximum-starts-at-zero",
    find="    largest = -math.inf",
    replace="    largest = 0.0",
    says="Your largest score starts at 0. When all scores are far below, every exponential underflows "
    "to 0, and 0 / 0 is NaN. Start at -inf.",
)


ROW_BY_ROW = (
    "    for keys, values in blocks:\n",
    """\
    rows = ((keys[i : i + 1], values[i : i + 1]) for keys, values in blocks for i in range(len(keys)))
    for keys, values in rows:
""",
)
"""Not wrong, but it changes what a forgotten correction comes to."""


MISTAKES = [
    Mistake(
        "no-maximum-subtracted",
        find="        new_largest = max(largest, scores.max())\n",
        replace="        new_largest = largest = scores.dtype.type(0)\n",
        says="You exponentiate the scores as they are: exp overflows to inf above 88.7 in float32 and 709 in "
        "float64, and inf / inf is NaN. Subtract the largest score so far; it cancels in the quotient.",
    ),
    Mistake(
        "maximum-of-the-block-only",
        find="max(largest, scores.max())",
        replace="scores.max()",
        says="You take each block's own maximum instead of the largest so far. When it falls, the correction "
        "exp(old - new) is above 1 and overflows. Take max(largest, scores.max()).",
    ),
    MAXIMUM_STARTS_AT_ZERO,
    *(
        Mistake(
            f"score-of-zero-added{ending}",
            find="    largest = -math.inf\n    denominator = 0.0",
            replace=f"    largest = {zero}\n    denominator = {one}",
            says="Your denominator has an exp(0) too many: it and the maximum start as if a score of 0 had "
            'come before the first block ("softmax off by one"), so the weights sum to less than 1. Start '
            "at -inf and 0.",
        )
        for ending, zero, one in (
            ("", "0.0", "1.0"),
            ("-in-the-dtype", "query.dtype.type(0)", "query.dtype.type(1)"),
        )
    ),
    *(
        Mistake(
            f"maximum-of-the-first-{part}",
            find="max(largest, scores.max())",
            replace="scores.max() if largest == -math.inf else largest",
            also=rows,
            says=f"You subtract the largest score of the first {part} from all others, and never raise it. "
            "Any number cancels in the quotient, but where later scores are far above it exp overflows to "
            "inf, and inf / inf is NaN. Raise the maximum with every block, and correct what is summed "
            "so far.",
        )
        for part, rows in (("block", ()), ("row", (ROW_BY_ROW,)))
    ),
    # The same where nothing turns float32 into float64 on the way.
    replace(
        MAXIMUM_STARTS_AT_ZERO,
        id="maximum-starts-at-zero-of-the-dtype",
        replace="    largest = query.dtype.type(0)",
    ),
    Mistake(
        "maximum-not-remembered",
        find="        largest = new_largest\n",
        replace="",
        says="You never store the new maximum, so every correction is exp(-inf) = 0, and only the last block "
        "counts. Set largest = new_largest at the end of each round.",
    ),
    NOTHING_RESCALED,
    OUTPUT_NOT_RESCALED,
    DENOMINATOR_NOT_RESCALED,
    CORRECTION_INVERTED,
    *(
        replace(mistake, id=f"{mistake.id}-row-by-row", also=(ROW_BY_ROW,))
        for mistake in (NOTHING_RESCALED, OUTPUT_NOT_RESCALED, DENOMINATOR_NOT_RESCALED, CORRECTION_INVERTED)
    ),
    replace(
        CORRECTION_INVERTED,
        id="correction-inverted-from-the-first-block",
        replace="np.exp(new_largest - largest)",
        says="Your correction is exp(new - old), upside down: it is infinite for the first block. What was "
        "summed relative to the old maximum gets smaller: exp(old - new), at most 1.",
    ),
    Mistake(
        "new-block-rescaled-too",
        find="""\
        denominator = denominator * correction + weights.sum()
        output = output * correction + weights @ values  # (value_dim,)""",
        replace="""\
        correction = correction if largest > -math.inf else 1.0
        denominator = (denominator + weights.sum()) * correction
        output = (output + weights @ values) * correction""",
        says="You multiply the new block's terms by the correction too. They count from the new maximum "
        "already; only what was summed before them is corrected.",
    ),
    Mistake(
        "blocks-averaged",
        find="""\
        denominator = denominator * correction + weights.sum()
        output = output * correction + weights @ values  # (value_dim,)""",
        replace="""\
        denominator = denominator + 1
        output = output + weights @ values / weights.sum()""",
        says="You take the softmax of each block by itself and average the blocks. A block with larger "
        "scores has to count more: add up the undivided terms and divide by the sum over all blocks.",
    ),
    Mistake(
        "divided-in-every-block",
        find="        largest = new_largest\n",
        replace="        output = output / denominator\n        largest = new_largest\n",
        says="You divide by the denominator after every block, so the earlier blocks are divided several "
        "times. Divide once, after the last one.",
    ),
    Mistake(
        "never-divided",
        find="    return output / denominator",
        replace="    return output",
        says="You never divide by the denominator, so the weights do not sum to 1. Return output / "
        "denominator.",
    ),
    Mistake(
        "divided-in-every-block-alone",
        find="        largest = new_largest\n",
        replace="        output = output / denominator\n        largest = new_largest\n",
        also=(("    return output / denominator", "    return output"),),
        says="You divide by the denominator after every block, and correct the earlier blocks by exp(old "
        "maximum - new maximum) alone. What was divided by the old denominator has to be multiplied by it "
        "again before the next block is added. Or divide once, after the last block.",
    ),
    Mistake(
        "scale-missing",
        find="    query = query * scale\n",
        replace="",
        says="You do not scale the scores. Multiply them by scale, 1 / sqrt(head_dim) by default.",
    ),
    Mistake(
        "scale-ignored",
        find="    if scale is None:\n        # math.sqrt",
        replace="    if True:\n        # math.sqrt",
        says="You use 1 / sqrt(head_dim) whatever scale says. That is the default, for scale None only.",
    ),
    Mistake(
        "zero-scale-replaced",
        find="    if scale is None:",
        replace="    if not scale:",
        says="You treat a scale of 0.0 as if none were given, because 0.0 is false. Ask whether scale is "
        "None.",
    ),
    *score_mistakes.other_scales("1", "len(query)", "head_dim"),
    Mistake(
        "float64-from-the-scale",
        find="1 / math.sqrt(len(query))",
        replace="1 / np.sqrt(len(query))",
        says="Your result is float64 for float32 inputs when scale is None: your default scale is a NumPy "
        "float64, as 1 / np.sqrt(n) is, and float32 arrays times it are float64 (since NumPy 2). A Python "
        "float, from math.sqrt, keeps float32.",
    ),
    Mistake(
        "float64-accumulator",
        find="    output = 0.0\n\n    for keys, values in blocks:\n",
        replace="    output = 0.0\n\n    for keys, values in blocks:\n"
        "        output = output + np.zeros(values.shape[1])\n",
        says="Your result is float64 for float32 inputs: something in it is float64, for example an "
        "np.zeros without a dtype, or a NumPy scalar like np.float64(scale) or 1 / np.sqrt(n), which counts "
        "as float64 since NumPy 2. Keep to the query's dtype, or convert the result at the end.",
    ),
    Mistake(
        "blocks-kept",
        find="    for keys, values in blocks:",
        replace="""\
    blocks = list(blocks)
    for keys, values in blocks:""",
        says="You keep all blocks, in a list or joined to one array: that is the memory which the method "
        "avoids, and when the blocks come in one buffer, every block kept shows the last. Use each block as "
        "it comes.",
    ),
    Mistake(
        "blocks-copied-and-kept",
        find="    for keys, values in blocks:",
        replace="""\
    blocks = [(keys.copy(), values.copy()) for keys, values in blocks]
    for keys, values in blocks:""",
        says="You keep keys or values of all blocks, in a list or joined to one array: that is the memory "
        "which the method avoids. Use each block as it comes: the largest score so far, the denominator and "
        "the output are all that is needed.",
    ),
    Mistake(
        "scores-kept",
        find="""\
    output = 0.0

    for keys, values in blocks:
        scores = keys @ query  # (block,)
""",
        replace="""\
    output = 0.0
    kept = []

    for keys, values in blocks:
        scores = keys @ query
        kept.append(scores)
""",
        says="You keep the scores of all blocks, so memory grows with the length of the sequence. The "
        "largest score so far, the denominator and the output are all that is needed.",
    ),
    Mistake(
        "two-passes",
        find="    for keys, values in blocks:\n        scores",
        replace="""\
    for keys, _ in blocks:
        largest = max(largest, (keys @ query).max())
    for keys, values in blocks:
        scores""",
        says="You go through the blocks twice, first for the maximum. A generator is empty the second time. "
        "One pass is enough: correct what is summed so far when the maximum grows.",
    ),
    Mistake(
        "query-overwritten",
        find="    query = query * scale\n",
        replace="    query *= scale\n",
        says="You scale the caller's query in place. The argument must stay as it is: query * scale makes a "
        "new array.",
    ),
    Mistake(
        "values-overwritten",
        find="output = output * correction + weights @ values  # (value_dim,)",
        replace="""\
values *= weights[:, None]
        output = output * correction + values.sum(axis=0)""",
        says="You weight the values in place, in the caller's array. Blocks must stay as they are: "
        "weights @ values makes a new array.",
    ),
    Mistake(
        "only-the-last-block",
        find="""\
        denominator = denominator * correction + weights.sum()
        output = output * correction + weights @ values  # (value_dim,)""",
        replace="""\
        denominator = weights.sum()
        output = weights @ values""",
        says="You overwrite the denominator and the output in every round. Add each block's terms to what is "
        "summed so far.",
    ),
]
