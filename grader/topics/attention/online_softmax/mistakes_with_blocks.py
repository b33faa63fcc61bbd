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
_TWO_AT_A_TIME = """\
        blocks = iter(blocks)
        for block in blocks:
            yield from [each for each in (block, next(blocks, None)) if each is not None]
"""
_ONE_AHEAD = """\
        waiting = []
        for block in blocks:
            yield from waiting
            waiting = [block]
        yield from waiting
"""

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
        "first-block-of-a-list-twice",
        find=_BLOCKS,
        replace="    first = next(iter(blocks))\n" + _BLOCKS.replace("blocks:", "chain([first], blocks):"),
        also=(("import math\n", "import math\nfrom itertools import chain\n"),),
        says="The first block of a list counts twice: you take it from an iterator, and then go through "
        "blocks from the start again. (Only a generator goes on behind it.) Make one iterator, blocks = "
        "iter(blocks), and take all from that; or start from -inf and 0.0, and need no block before.",
    ),
    Mistake(
        "list-taken-for-an-iterator",
        find=_BLOCKS,
        replace="    first = next(blocks)\n" + _BLOCKS.replace("blocks:", "chain([first], blocks):"),
        also=(("import math\n", "import math\nfrom itertools import chain\n"),),
        says="You ask blocks itself for its next block, which a generator can give and a list cannot: "
        "it raises a TypeError. blocks is any iterable: go through it in a for loop, or call iter(blocks) "
        "first.",
    ),
    Mistake(
        "generator-taken-for-a-list",
        find=_BLOCKS,
        replace="    assert len(blocks) > 0\n" + _BLOCKS,
        says="You do with blocks what a list can and a generator cannot: take its length, an index or a "
        "slice, for example. It raises a TypeError. blocks is any iterable: go through it once, in "
        "a for loop.",
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
    Mistake(
        "last-block-left-out",
        find=_BLOCKS,
        replace="""\
    def all_but_the_last(blocks):
        waiting = None
        for keys, values in blocks:
            if waiting is not None:
                yield waiting
            waiting = keys.copy(), values.copy()

    for keys, values in all_but_the_last(blocks):
""",
        says="The last block counts for nothing: you use a block when the next one comes, for example, and "
        "none comes behind it. Use each as it comes.",
    ),
    *(
        Mistake(
            id,
            find=_BLOCKS,
            replace=f"    def early(blocks):\n{body}\n    for keys, values in early(blocks):\n",
            says=f"{what}. Each block may come in the arrays of the one before, which then hold the next "
            "one's numbers: use a block before you ask for another.",
        )
        for id, what, body in (
            ("two-blocks-at-a-time", "You fetch two blocks before you use the first", _TWO_AT_A_TIME),
            ("next-block-fetched-first", "You fetch the next block before you use the last", _ONE_AHEAD),
        )
    ),
    Mistake(
        "result-squeezed",
        find="    return output / denominator",
        replace="    return np.squeeze(output / denominator)",
        says="Where values have one feature your result has no dimension: squeeze takes it out, for example. "
        "It is (value_dim,) whatever the size.",
    ),
]
