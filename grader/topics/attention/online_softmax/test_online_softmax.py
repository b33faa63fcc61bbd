"""Checks of `online_attention`: values, one pass, memory, large scores, dtype."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from grader.kit import Mistake, assert_close, assert_equal, assert_true

RISING = [-1e4, -5e3, 0.0, 5e3, 1e4]


def drawn(rng, kv_len, head_dim=5, value_dim=3):
    """A query with the keys and values of all blocks."""
    shapes = (head_dim,), (kv_len, head_dim), (kv_len, value_dim)
    return [rng.normal(*shape).numpy() for shape in shapes]


def scored(rng, levels):
    """A query, keys and values with scores near these levels for scale 1: one block of 4 rows for each.
    Scores are multiples of 1/8, exact in float32 too.
    """
    query, keys, values = drawn(rng, 4 * len(levels))
    query[0], query[1:] = 1.0, 0.0
    keys[:, 0] = np.repeat(levels, 4) + rng.integers(-16, 17, len(keys)).numpy() / 8
    return query, keys, values


def built_in(query, keys, values, scale=None):
    tensors = [torch.from_numpy(array) for array in (query[None], keys, values)]
    return F.scaled_dot_product_attention(*tensors, scale=scale)[0].numpy()


def streamed(answer, query, keys, values, sizes, **options):
    """The rows in blocks of these sizes, from a generator."""
    ends = np.cumsum(sizes)
    pairs = ((keys[end - n : end], values[end - n : end]) for end, n in zip(ends, sizes, strict=True))
    return answer.online_attention(query, pairs, **options)


def listed(answer, query, keys, values):
    """Blocks of two rows, in a list; then what has become of the arguments."""
    blocks = [(keys[i : i + 2], values[i : i + 2]) for i in range(0, len(keys), 2)]
    return answer.online_attention(query, blocks, 0.5), query, keys, values


def from_one_buffer(answer, query, keys, values):
    """Blocks of two rows, each in the same two arrays."""
    buffer = keys[:2].copy(), values[:2].copy()

    def blocks():
        for i in range(0, len(keys), 2):
            buffer[0][:], buffer[1][:] = keys[i : i + 2], values[i : i + 2]
            yield buffer

    return answer.online_attention(query, blocks())


def long_stream(answer, query, count, rows):
    """`count` blocks of this many rows, each made when it is asked for."""
    draw = np.random.default_rng(count)
    blocks = ((draw.normal(size=(rows, len(query))), draw.normal(size=(rows, 17))) for _ in range(count))
    return answer.online_attention(query, blocks)


@pytest.mark.parametrize("sizes", [(5, 1, 3, 7), (11,), (1, 1, 1, 1, 1), (1,)])
def test_equals_the_built_in(submission, rng, sizes):
    """equals F.scaled_dot_product_attention over all blocks, of whatever sizes"""
    query, keys, values = drawn(rng, sum(sizes))
    came = submission.run(streamed, query, keys, values, sizes)
    assert_close(came, built_in(query, keys, values))


@pytest.mark.parametrize("scale", [0.25, 0.0])
def test_scale(submission, rng, scale):
    """the scores are multiplied by the scale that is given, 0.0 too"""
    query, keys, values = drawn(rng, 9)
    came = submission.run(streamed, query, keys, values, (4, 2, 3), scale=scale)
    assert_close(came, built_in(query, keys, values, scale))


@pytest.mark.parametrize("levels", [RISING, RISING[::-1], [1e4, -1e4, 1e4], [-1e4, -1e4], [1e4, 1e4]])
def test_large_scores(submission, rng, levels):
    """scores of ±1e4 give right values, whether they rise or fall"""
    query, keys, values = scored(rng, levels)
    came = submission.run(streamed, query, keys, values, [4] * len(levels), scale=1.0)
    assert_close(came, built_in(query, keys, values, 1.0))


@pytest.mark.parametrize("sizes", [(16,), (6, 10)])
def test_large_scores_in_one_block(submission, rng, sizes):
    """the scores of a single block may range from -1e4 to 1e4, the largest anywhere in it"""
    query, keys, values = scored(rng, [-1e4, 1e4, 0.0, -1e4])
    came = submission.run(streamed, query, keys, values, sizes, scale=1.0)
    assert_close(came, built_in(query, keys, values, 1.0))


@pytest.mark.parametrize("options", [{}, {"scale": 0.25}])
def test_float32_is_kept(submission, rng, options):
    """float32 is kept"""
    query, keys, values = (array.astype(np.float32) for array in drawn(rng, 9))
    came = submission.run(streamed, query, keys, values, (4, 2, 3), **options)
    assert_close(came, built_in(query, keys, values, **options))


@pytest.mark.parametrize("levels", [RISING, RISING[::-1]])
def test_large_scores_in_float32(submission, rng, levels):
    """scores of ±1e4 give right values in float32"""
    query, keys, values = (array.astype(np.float32) for array in scored(rng, levels))
    came = submission.run(streamed, query, keys, values, [4] * len(levels), scale=1.0)
    # The tolerance lets an answer pass that keeps the logarithm of the denominator, a number near 1e4.
    assert_close(came, built_in(query, keys, values, 1.0), absolute=1e-2)


def test_list_of_blocks(submission, rng):
    """blocks may be a list"""
    query, keys, values = drawn(rng, 8)
    assert_close(submission.run(listed, query, keys, values)[0], built_in(query, keys, values, 0.5))


def test_one_buffer(submission, rng):
    """each block may come in the arrays of the one before"""
    query, keys, values = drawn(rng, 8)
    came = submission.run(from_one_buffer, query, keys, values)
    assert_close(came, built_in(query, keys, values))


@pytest.mark.parametrize("rows, counts", [(64, (4, 36)), (1, (64, 2112))])
def test_memory(submission, rng, rows, counts):
    """memory does not grow with the number of blocks: neither blocks nor scores are kept"""
    query = rng.normal(13).numpy()
    submission.run(long_stream, query, 2, rows)  # what is imported on the first call does not count
    few, many = (submission.measure(long_stream, query, count, rows).peak_bytes for count in counts)
    per_row = max(many - few, 0) // 2048  # rounded down, so that small change does not count
    # How much it is differs from answer to answer; what is kept does not.
    seen = "nothing" if per_row < 4 else "scores" if per_row < 8 * 13 else "blocks"
    message = (
        f"every further row adds {per_row} bytes to the memory in use (its key and value take 240, its score "
        "8): none are to stay"
    )
    assert_true(seen == "nothing", message, seen=seen)


@pytest.mark.parametrize("head_dim, value_dim", [(1, 3), (5, 1)])
def test_one_feature(submission, rng, head_dim, value_dim):
    """keys and values of one feature are right"""
    query, keys, values = drawn(rng, 7, head_dim, value_dim)
    came = submission.run(streamed, query, keys, values, (3, 4))
    assert_close(came, built_in(query, keys, values))


def test_other_layouts(submission, rng):
    """arrays that are not contiguous are right"""
    query, keys, values = rng.normal(10).numpy()[::2], rng.normal(5, 7).numpy().T, rng.normal(3, 7).numpy().T
    came = submission.run(streamed, query, keys, values, (3, 4))
    assert_close(came, built_in(query.copy(), keys, values))


def test_inputs_are_not_modified(submission, rng):
    """query, keys and values are not modified"""
    before = drawn(rng, 8)
    _, *after = submission.run(listed, *before)
    for name, one, other in zip(("query", "keys", "values"), after, before, strict=True):
        assert_equal(one, other, what=f"{name} afterwards")


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
    Mistake(
        "scale-without-root",
        find="1 / math.sqrt(len(query))",
        replace="1 / len(query)",
        says="You scale by 1 / head_dim. It is 1 / sqrt(head_dim): the standard deviation of a sum of "
        "head_dim terms grows like the root of their number.",
    ),
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
