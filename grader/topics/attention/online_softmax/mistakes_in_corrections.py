"""Known wrong versions of `online_softmax`: small corrections left out, and two ways to divide mixed up.

FlashAttention keeps an output that is divided by the denominator so far, FlashAttention-2 one that is not.
"""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes.block_mistakes import NOT_CORRECTED

_ROWS = """\
    rows = ((keys[i : i + 1], values[i : i + 1]) for keys, values in blocks for i in range(len(keys)))
    for keys, values in rows:
"""
_SUMMED = """\
        denominator = denominator * correction + weights.sum()
        output = output * correction + weights @ values  # (value_dim,)"""
_END = "    return output / denominator"
_RIGHT = (
    "Divide once, after the last block, with exp(old maximum - new maximum) as the factor of the old output. "
    "Or in every block: then that times old denominator / new denominator is the factor, the new block is "
    "divided by the new denominator, and nothing at the end."
)

MISTAKES = [
    Mistake(
        f"{id_}{ending}",
        find=_SUMMED,
        replace=f"""\
        old = denominator
        denominator = denominator * correction + weights.sum()
        output = output * (correction * old / denominator) + {block}""",
        also=((_END, f"    return {end}"), *rows),
        says=f"{did} {_RIGHT}",
    )
    for ending, rows in (("", ()), ("-row-by-row", (("    for keys, values in blocks:\n", _ROWS),)))
    for id_, block, end, did in (
        (
            "old-output-divided-too",
            "weights @ values",
            "output / denominator",
            "You divide at the end, and multiply the output so far by old denominator / new denominator in "
            "every block, too, as if it had been divided already.",
        ),
        (
            "new-block-not-divided",
            "weights @ values",
            "output",
            "You divide the output so far by the new denominator in every block, but never the block that is "
            "added to it.",
        ),
        (
            "divided-once-more",
            "weights @ values / denominator",
            "output / denominator",
            "You divide in every block, and at the end once more.",
        ),
    )
    if not rows or id_ != "divided-once-more"  # row by row it is the same
]

_CORRECTION = "correction = np.exp(largest - new_largest)"

MISTAKES += [
    Mistake(
        f"small-rises-not-corrected-{name}",
        find=_CORRECTION,
        replace=f"{_CORRECTION} if {rises} else 1.0",
        says=NOT_CORRECTED,
    )
    for name, rises in (
        ("below-a-tenth", "new_largest - largest > 0.1"),
        ("below-a-hundredth", "new_largest - largest > 0.01"),
        ("for-its-size", "not np.isclose(new_largest, largest)"),
    )
]
