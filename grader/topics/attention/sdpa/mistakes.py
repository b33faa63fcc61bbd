"""Known wrong versions of `sdpa`."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import mask_mistakes, score_mistakes

MASKING = """\
    if mask is not None:
        # exp(-inf) is exactly 0, and -inf exists in every float dtype, which -1e20 does not.
        scores = scores.masked_fill(~mask, -math.inf)
"""
FILL = "scores.masked_fill(~mask, -math.inf)"


SCALE_FROM_VALUE_DIM = Mistake(
    "scale-from-value-dim",
    find="        scale = 1 / math.sqrt(query.shape[-1])",
    replace="        scale = 1 / math.sqrt(value.shape[-1])",
    says="You take the default scale from the size of the values. A score is a dot product of query and "
    "key, with head_dim terms: query.shape[-1], which value_dim need not equal.",
)
IN_FLOAT32 = """\
    dtype = query.dtype
    if dtype == torch.float16:
        query, key, value = query.float(), key.float(), value.float()
    if scale is None:
"""


SOFTMAX_OVER_QUERIES = score_mistakes.softmax_over_queries("(..., q_len, kv_len)")


MISTAKES = [
    *(
        Mistake(
            name,
            find="key.transpose(-2, -1)",
            replace=f"key.transpose({first}, {first + 1})",
            says=f"You swap dimensions {first} and {first + 1} of the key, which fits {fits} dimensions "
            "only. Count from the end: key.transpose(-2, -1), or key.mT, is right with any number of leading "
            "dimensions.",
        )
        for name, first, fits in [
            ("key-transposed-by-number", 2, "four"),
            ("key-transposed-for-three-dimensions", 1, "three"),
        ]
    ),
    Mistake(
        "key-transposed-for-three-or-four-dimensions",
        find="key.transpose(-2, -1)",
        replace="(key.transpose(1, 2) if key.dim() == 3 else key.transpose(2, 3))",
        says="You swap dimensions of the key by their numbers, those of three dimensions or those of four, "
        "and other inputs fail. Count from the end: key.transpose(-2, -1), or key.mT, is right with any "
        "number of leading dimensions.",
    ),
    Mistake(
        "scale-missing",
        find="        scale = 1 / math.sqrt(query.shape[-1])",
        replace="        scale = 1.0",
        says="You do not scale the scores. With no scale given they are divided by sqrt(head_dim): a "
        "dot product of head_dim terms has a standard deviation of sqrt(head_dim), and unscaled "
        "the softmax becomes nearly one-hot and its gradient vanishes.",
    ),
    Mistake(
        "scale-argument-ignored",
        find="""\
    if scale is None:
        # A sum of head_dim products of unit variance has variance head_dim: unscaled, the softmax saturates.
        scale""",
        replace="""\
    if True:
        scale""",
        says="You always scale by 1 / sqrt(head_dim), also when a scale is given. The default is for "
        "None only.",
    ),
    Mistake(
        "scale-zero-is-none",
        find="    if scale is None:",
        replace="    if not scale:",
        says="You test whether scale is truthy, so scale=0.0 counts as not given. Test scale is None: "
        "0.0 is a scale like any other and makes all weights of a row equal.",
    ),
    mask_mistakes.INVERTED,
    *mask_mistakes.inverted_in_place(),
    mask_mistakes.added(),
    mask_mistakes.times_minus_infinity(),
    *(
        Mistake(
            name,
            find=FILL,
            replace=f"scores + (~mask).to(scores.dtype) * -math.inf if {multiplied} else {FILL}",
            says=f"{where} your allowed scores become NaN: 0 * -inf is NaN, so a product of the mask with "
            "-inf, as in (1 - mask) * -inf, spoils what it should leave alone. Fill instead of multiplying: "
            "scores.masked_fill(~mask, -inf).",
        )
        for name, multiplied, where in [
            ("given-mask-times-minus-infinity", "not is_causal", "With a mask"),
            ("causal-mask-times-minus-infinity", "is_causal", "With is_causal"),
        ]
    ),
    mask_mistakes.BY_INDEXING,
    *(
        Mistake(
            name,
            find=f"scores = {FILL}",
            replace=f"scores[~{index}] = -math.inf",
            also=(
                (
                    "    if mask is not None:\n",
                    f"    if is_causal:\n        scores = {FILL}\n    elif mask is not None:\n",
                ),
            ),
            says=mask_mistakes.BY_INDEXING.says,
        )
        for name, index in [
            ("given-mask-by-indexing", "mask"),
            (
                "given-mask-by-indexing-in-all-dimensions",
                "mask.expand(*scores.shape[: -mask.dim()], *mask.shape)",
            ),
        ]
    ),
    mask_mistakes.SQUEEZED,
    mask_mistakes.SQUEEZED_ALONG_HEADS,
    mask_mistakes.after_softmax(MASKING),
    mask_mistakes.ignored(MASKING),
    mask_mistakes.fill_too_large_for_float16(),
    mask_mistakes.CAUSAL_DROPS_THE_DIAGONAL,
    mask_mistakes.CAUSAL_SEES_ONE_AHEAD,
    mask_mistakes.CAUSAL_TRANSPOSED,
    SOFTMAX_OVER_QUERIES,
    score_mistakes.SCORE_OF_ZERO_ADDED,
    mask_mistakes.with_finite_fill(SOFTMAX_OVER_QUERIES),
    Mistake(
        "query-scaled-in-place",
        find="    query = query * scale",
        replace="    query *= scale",
        says="You scale the query in place, so the caller's tensor changes (and a leaf that requires "
        "gradients raises). Make a new tensor: query = query * scale.",
    ),
    Mistake(
        "query-scaled-in-place-without-gradients",
        find="    query = query * scale",
        replace="    query = query * scale if query.requires_grad else query.mul_(scale)",
        says="You write into the caller's query where it needs no gradient (query *= scale changes the "
        "tensor that came, and makes no new one). No argument is modified, whether it needs a gradient or "
        "not: query = query * scale.",
    ),
    *score_mistakes.other_scales("1", "query.shape[-1]", "head_dim"),
    mask_mistakes.fills_zero(),
    Mistake(
        "scale-divides",
        find="""\
        scale = 1 / math.sqrt(query.shape[-1])
    if is_causal:
        mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()

    # Scaling the query, not the product, keeps the product itself inside the range of float16.
    query = query * scale""",
        replace="""\
        scale = math.sqrt(query.shape[-1])
    if is_causal:
        mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()

    query = query / scale""",
        says="You divide the scores by scale. It is the factor of the scores, as in "
        "F.scaled_dot_product_attention: multiply by it, and let 1 / sqrt(head_dim) be the "
        "default.",
    ),
    Mistake(
        "scale-twice",
        find="    query = query * scale",
        replace="    query, key = query * scale, key * scale",
        says="You multiply both query and key by the scale, so it enters the scores squared. Scale one "
        "of them, or the product.",
    ),
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    Mistake(
        "causal-ignored",
        find="""\
    if is_causal:
        mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()

""",
        replace="",
        says="You do not look at is_causal: every query attends to all keys. With it query i may "
        "attend to the keys 0 … i only: a lower triangle of True, torch.ones(q_len, kv_len, "
        "dtype=torch.bool).tril().",
    ),
    Mistake(
        "softmax-in-float32",
        find="torch.softmax(scores, dim=-1)",
        replace="torch.softmax(scores, dim=-1, dtype=torch.float32)",
        says="You compute the softmax in float32 and leave it there, so weights and values have "
        "different dtypes and their product raises for float16 and float64. Cast the weights back "
        "before it: weights.to(value.dtype).",
    ),
    Mistake(
        "result-in-float32",
        find="    return weights @ value",
        replace="    return weights.float() @ value.float()",
        says="Your result is float32 whatever came in. Computing in float32 is good for float16, but "
        "cast the result back to query.dtype; and float64 loses digits on the way.",
    ),
    *(
        Mistake(
            name,
            find="    if scale is None:\n",
            replace=first,
            says=f"You compute in float32, and your result stays float32 {when}. Computing in float32 is "
            "good for float16, but cast the result back to query.dtype.",
        )
        for name, first, when in [
            (
                "computed-and-left-in-float32",
                """\
    query, key, value = query.float(), key.float(), value.float()
    if scale is None:
""",
                "whatever came in",
            ),
            ("float16-left-in-float32", IN_FLOAT32, "where float16 came in"),
        ]
    ),
    score_mistakes.max_not_subtracted(indent=" " * 4),
    SCALE_FROM_VALUE_DIM,
    replace(  # what float16 rounds off is not small beside what this changes
        SCALE_FROM_VALUE_DIM,
        id="scale-from-value-dim-in-float32",
        also=(
            ("    if scale is None:\n", IN_FLOAT32),
            ("    return weights @ value", "    return (weights @ value).to(dtype)"),
        ),
    ),
    mask_mistakes.after_softmax_renormalised(MASKING),
    mask_mistakes.after_softmax_renormalised_to_zeros(MASKING),
    score_mistakes.clamped("query @ key.transpose(-2, -1)"),
    Mistake(
        "causal-after-softmax-renormalised",
        find=f"{MASKING}    weights = torch.softmax(scores, dim=-1)",
        replace="""\
    if mask is not None and not is_causal:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if is_causal:
        weights = weights * mask
        weights = weights / weights.sum(dim=-1, keepdim=True)""",
        says="With is_causal you zero the future's weights after the softmax and renormalise. On paper that "
        "is right, but a future score far above the allowed ones makes their exponentials underflow to 0, "
        "and 0 / 0 is NaN. Mask the scores with -inf before the softmax.",
    ),
    Mistake(
        "causal-after-softmax",
        find=f"{MASKING}    weights = torch.softmax(scores, dim=-1)",
        replace="""\
    if mask is not None and not is_causal:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if is_causal:
        weights = weights * mask""",
        says="With is_causal you zero the future's weights after the softmax, so a row no longer sums to 1 "
        "and the future still counts in its denominator. Mask the scores with -inf before the softmax.",
    ),
    Mistake(
        "max-of-all-subtracted",
        find="    weights = torch.softmax(scores, dim=-1)",
        replace="""\
    exps = torch.exp(scores - scores.max())
    weights = exps / exps.sum(dim=-1, keepdim=True)""",
        says="You subtract the largest of all scores, so where a row is far below it every exponential is 0, "
        "and 0 / 0 is NaN. Subtract each row's own: scores.amax(dim=-1, keepdim=True), or use torch.softmax.",
    ),
    *score_mistakes.underflow_hidden(indent=" " * 4),
    mask_mistakes.zero_scores_masked(),
    Mistake(
        "zero-scores-taken-for-the-future",
        find="torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()",
        replace="(query @ key.transpose(-2, -1)).tril() != 0",
        says="With is_causal you take every score of exactly 0 for a masked one (tril() leaves zeros, and "
        "you fill where the score is 0). Orthogonal vectors have that score too, and count like any "
        "others: make the mask from positions.",
    ),
    score_mistakes.scale_by_length("math.sqrt(query.shape[-1])", "key.shape[-2]"),
]
