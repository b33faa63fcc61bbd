"""Known wrong versions of `online_softmax`: how the blocks are gone through."""

from grader.kit import Mistake

_BLOCKS = "    for keys, values in blocks:\n"
_ROWS = """\
    rows = ((keys[i : i + 1], values[i : i + 1]) for keys, values in blocks for i in range(len(keys)))
    for keys, values in rows:
"""

_SUMMED = """\
        denominator = denominator * correction + weights.sum()
        output = output * correction + weights @ values  # (value_dim,)"""
_OWN_MAXIMUM = (
    ("        new_largest = max(largest, scores.max())\n", "        new_largest = scores.max()\n"),
    ("        correction = np.exp(largest - new_largest)\n", ""),
)

MISTAKES = [
    *(
        Mistake(
            id_,
            find=_SUMMED,
            replace=f"""\
        denominator = denominator + {share}
        output = output + weights @ values * ({share} / weights.sum())""",
            also=_OWN_MAXIMUM,
            says=f"You take the softmax of each block by itself, and {mean}. A block with larger scores has "
            "to count more: add up the undivided terms, all from the same maximum, and divide by their sum "
            "over all blocks.",
        )
        for id_, share, mean in (
            ("blocks-averaged-by-their-own-maxima", "1", "average the blocks"),
            ("blocks-weighted-by-their-rows", "len(keys)", "weight the blocks by their numbers of rows"),
        )
    ),
    Mistake(
        "next-block-fetched-first",
        find=_BLOCKS,
        replace="""\
    def one_behind(blocks):
        blocks = iter(blocks)
        block = next(blocks)
        for following in blocks:
            yield block
            block = following
        yield block

    for keys, values in one_behind(blocks):
""",
        says="You ask for the next block before you use the one that you have. It may come in the same two "
        "arrays, and then overwrites that one: use a block first.",
    ),
    Mistake(
        "first-block-used-up",
        find=_BLOCKS,
        replace="""\
    _, values = next(iter(blocks))
    output = np.zeros(values.shape[1], query.dtype)
"""
        + _BLOCKS,
        says="You take a block to see its size, before the loop: where blocks is a generator, that one is "
        "gone, and counts for nothing. Start with 0.0, which has any shape, or take it into the sum.",
    ),
    Mistake(
        "keys-overwritten",
        find="    query = query * scale\n",
        replace="",
        also=((_BLOCKS, _BLOCKS + "        keys *= scale\n"),),
        says="You scale the keys in place, in the caller's array. Blocks must stay as they are: scale the "
        "query, once, or the scores.",
    ),
    Mistake(
        "summed-in-the-first-value",
        find="output = output * correction + weights @ values  # (value_dim,)",
        replace="""\
if largest == -math.inf:
            output = values[0]
        else:
            output *= correction
            output += weights @ values""",
        also=((_BLOCKS, _ROWS),),
        says="Your output starts as the first row of values itself, a view of the caller's block, and is "
        "then changed in place: you write into the block, and a buffer's next block overwrites your sum. "
        "Start with a copy, or with 0.0.",
    ),
    Mistake(
        "summed-in-the-first-value-until-rescaled",
        find="output = output * correction + weights @ values  # (value_dim,)",
        replace="""\
if largest == -math.inf:
            output = values[0]
        else:
            if new_largest > largest:
                output = output * correction
            output += weights @ values""",
        also=((_BLOCKS, _ROWS),),
        says="Your output starts as the first row of values itself, a view of the caller's block, and you "
        "add to it in place until the maximum grows: you write into the block, and a buffer's next block may "
        "overwrite your sum. Start with a copy, or with 0.0.",
    ),
    Mistake(
        "means-so-far-in-the-first-value",
        find="output = output * correction + weights @ values  # (value_dim,)",
        replace="""\
if largest == -math.inf:
            output = values[0]
        else:
            output += (values[0] - output) * (weights[0] / denominator)""",
        also=((_BLOCKS, _ROWS), ("    return output / denominator\n", "    return output\n")),
        says="Your mean so far starts as the first row of values itself, a view of the caller's block, and "
        "is then changed in place: you write into the block, and a buffer's next block overwrites your mean. "
        "Start with a copy, or with 0.0.",
    ),
    Mistake(
        "blocks-weighted-by-their-maxima",
        find=_SUMMED,
        replace="""\
        share = np.exp(scores.max() - new_largest)
        denominator = denominator * correction + share
        output = output * correction + weights @ values * (share / weights.sum())""",
        also=(("np.exp(scores - new_largest)", "np.exp(scores - scores.max())"),),
        says="You take the softmax of each block by itself, and weight its result by exp of its largest "
        "score. A block counts as much as all of its exponentials together: that times its denominator.",
    ),
]
