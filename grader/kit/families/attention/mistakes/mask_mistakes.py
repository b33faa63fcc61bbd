"""Mistakes that several attention topics share: what a mask fills, where it acts, which triangle is causal.

The solutions apply a mask with `scores.masked_fill(~mask, -math.inf)`; `mask` is a parameter where some have
another name for it.
"""

from dataclasses import replace

from grader.kit.mistakes import Mistake

MASKING = """\
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
"""
"""The lines before the softmax that apply the mask, as most solutions have them."""

INVERTED = Mistake(
    "mask-inverted",
    find="scores.masked_fill(~mask, -math.inf)",
    replace="scores.masked_fill(mask, -math.inf)",
    says="You read the mask the wrong way round: you drop the keys that may be attended to. True means "
    '"may be attended to" here, as in F.scaled_dot_product_attention (nn.MultiheadAttention\'s masks are the '
    "opposite), so fill where the mask is False.",
)


def inverted_in_place(mask: str = "mask") -> tuple[Mistake, Mistake]:
    """Where backward needs the mask, which raises, and where it does not."""
    written = f"{mask}.logical_not_()"
    bias = f"torch.zeros({mask}.shape, dtype=scores.dtype, device=scores.device)"
    says = (
        f"You write to the caller's mask (inverted in place, for example by logical_not_): it says something "
        f"else for whoever uses it next. Make a new tensor: ~{mask}."
    )
    return (
        Mistake(
            "mask-inverted-in-place",
            find=f"scores.masked_fill(~{mask}, -math.inf)",
            replace=f"scores.masked_fill({written}, -math.inf)",
            says=f"{says} Used once more before the backward pass, it makes that raise, too: masked_fill "
            "has kept the mask.",
        ),
        Mistake(
            "mask-inverted-in-place-for-a-bias",
            find=f"scores.masked_fill(~{mask}, -math.inf)",
            replace=f"scores + {bias}.masked_fill_({written}, -math.inf)",
            says=says,
        ),
    )


def added(mask: str = "mask") -> Mistake:
    return Mistake(
        "mask-added",
        find=f"scores = scores.masked_fill(~{mask}, -math.inf)",
        replace=f"scores = scores + {mask}",
        says="You add the boolean mask to the scores, which only raises the allowed ones by 1. Only a float "
        "mask of 0 and -inf may be added; with a boolean one fill the forbidden scores with -inf.",
    )


def with_finite_fill(mistake: Mistake) -> Mistake:
    """The same with the lowest number instead of -inf: where all of a row is forbidden, that is no NaN."""
    finite = ("-math.inf", "torch.finfo(scores.dtype).min")
    return replace(mistake, id=f"{mistake.id}-with-finite-fill", also=(*mistake.also, finite))


def with_either_fill(mistake: Mistake) -> tuple[Mistake, Mistake]:
    """With -inf, and with the lowest number instead."""
    return mistake, with_finite_fill(mistake)


def ignored(masking: str = MASKING, mask: str = "mask") -> Mistake:
    """`masking`: the lines before the softmax that apply the mask."""
    return Mistake(
        "mask-ignored",
        find=masking,
        replace="",
        says="You do not use the mask (or throw the result of masked_fill away: it returns a new tensor). "
        f"Assign it: scores = scores.masked_fill(~{mask}, -inf), before the softmax.",
    )


def times_minus_infinity(mask: str = "mask") -> Mistake:
    return Mistake(
        "mask-times-minus-infinity",
        find=f"scores.masked_fill(~{mask}, -math.inf)",
        replace=f"scores + (1 - {mask}.to(scores.dtype)) * -math.inf",
        says="Your allowed scores become NaN: 0 * -inf is NaN, so a product of the mask with -inf, as in "
        "(1 - mask) * -inf, spoils what it should leave alone. Fill instead of multiplying: "
        f"scores.masked_fill(~{mask}, -inf).",
    )


def fills_zero(hidden: str = "~mask") -> Mistake:
    """`hidden`: the mask that is True where scores are forbidden."""
    return Mistake(
        "mask-fills-zero",
        find=f"scores.masked_fill({hidden}, -math.inf)",
        replace=f"scores.masked_fill({hidden}, 0.0)",
        says="Your forbidden scores become 0 (or nearly: by a product with the mask, say, or a fill of 1e-9 "
        "where -1e9 was meant), but exp(0) is 1: these keys still get weight. A score has to be -inf for its "
        "weight to be 0.",
    )


def fill_not_low_enough(mask: str = "mask") -> Mistake:
    return Mistake(
        "fill-not-low-enough",
        find=f"scores.masked_fill(~{mask}, -math.inf)",
        replace=f"scores.masked_fill(~{mask}, -100.0)",
        says="You fill the masked scores with a number that ordinary scores can reach, so where the allowed "
        "scores are lower still the forbidden keys win. Use -inf, or torch.finfo(scores.dtype).min.",
    )


def added_number_not_low_enough(mask: str = "mask") -> Mistake:
    return Mistake(
        "added-number-not-low-enough",
        find=f"scores.masked_fill(~{mask}, -math.inf)",
        replace=f"scores + ~{mask} * -100.0",
        says="You lower the forbidden scores by adding a number that differences of scores can reach, so "
        "where a forbidden score is far above the allowed ones it still wins. Fill with -inf, or with "
        "torch.finfo(scores.dtype).min, whatever the score was.",
    )


def fill_too_large_for_float16(mask: str = "mask") -> Mistake:
    return Mistake(
        "fill-too-large-for-float16",
        find=f"scores.masked_fill(~{mask}, -math.inf)",
        replace=f"scores.masked_fill(~{mask}, -1e9)",
        says="Your fill value does not fit in float16, whose lowest number is -65504, so masking float16 "
        "scores raises (-1e9, -1e20 and torch.finfo(torch.float32).min fail alike). Use -inf, or "
        "torch.finfo(scores.dtype).min.",
    )


OF_THE_FIRST_QUERY = Mistake(
    "mask-of-the-first-query",
    find="scores.masked_fill(~mask, -math.inf)",
    replace="scores.masked_fill(~mask[:, :, :1], -math.inf)",
    says="You use the mask's row of the first query for all queries, as if it said only which keys are "
    "padding. Each query has its own row: a size of 1 there broadcasts by itself.",
)
OF_THE_FIRST_HEAD = Mistake(
    "mask-of-the-first-head",
    find="scores.masked_fill(~mask, -math.inf)",
    replace="scores.masked_fill(~mask[:, :1], -math.inf)",
    says="You use the first head's mask for all heads. A mask of shape (batch, num_heads, queries, keys) "
    "says for each query head what it may attend to.",
)


def repeated_heads_first(mask: str = "mask", masked: str = "scores.masked_fill(~{}, -math.inf)") -> Mistake:
    """`masked`: how the solution applies it, with a place for the mask."""
    tiled = f"{mask}.expand(batch, self.num_heads, *{mask}.shape[2:]).transpose(0, 1)"
    same = f"{tiled}.reshape(batch, self.num_heads, *{mask}.shape[2:])"
    return Mistake(
        "mask-repeated-heads-first",
        find=masked.format(mask),
        replace=masked.format(same),
        says="You repeat the mask in the order (heads, batch), while the heads of a sequence lie side by "
        "side, (batch, heads): so sequences get each other's masks. mask.repeat(num_heads, 1, 1) gives the "
        "first, repeat_interleave(num_heads, dim=0) the second; a dimension of 1, which broadcasts, needs "
        "neither.",
    )


def zero_scores_masked(mask: str = "mask") -> Mistake:
    """Masks by a product, and then whatever is 0."""
    return Mistake(
        "zero-scores-taken-for-masked",
        find=f"scores.masked_fill(~{mask}, -math.inf)",
        replace=f"(scores * {mask}).masked_fill(scores * {mask} == 0, -math.inf)",
        says="You take every score of exactly 0 for a masked one. A score is 0 where query and key are "
        "orthogonal, or one of them is zeros, and counts like any other. Ask the mask, not the score: "
        f"scores.masked_fill(~{mask}, -inf).",
    )


def as_a_condition(mask: str = "mask") -> Mistake:
    return Mistake(
        "mask-as-a-condition",
        find=f"        if {mask} is not None:",
        replace=f"        if {mask}:",
        says=f"You write `if {mask}:`. A tensor of more than one element has no truth value, so that raises "
        f"(and a single False would skip the mask). Ask whether there is a mask: `if {mask} is not None:`.",
    )


BY_INDEXING = Mistake(
    "mask-by-indexing",
    find="scores = scores.masked_fill(~mask, -math.inf)",
    replace="scores[~mask] = -math.inf",
    says="You set scores by indexing with the mask (scores[~mask] = -inf). An index does not broadcast, so a "
    "mask with a size of 1 where the scores have more raises. Broadcast: scores.masked_fill(~mask, -inf), or "
    "torch.where.",
)
SQUEEZED = Mistake(
    "mask-squeezed",
    find="scores.masked_fill(~mask, -math.inf)",
    replace="scores.masked_fill(~mask.squeeze(), -math.inf)",
    says="You take dimensions of size 1 out of the mask (mask.squeeze(), for example), so the others move to "
    "places that are not theirs: the batch is taken for queries, say. Those of size 1 are what broadcasts: "
    "use the mask as it comes.",
)
SQUEEZED_ALONG_HEADS = Mistake(
    "mask-squeezed-along-heads",
    find="scores.masked_fill(~mask, -math.inf)",
    replace="scores.masked_fill(~mask.squeeze(1), -math.inf)",
    says="You take the dimension of the heads out of the mask where its size is 1 (mask.squeeze(1), for "
    "example), so the batch moves to its place. A size of 1 is what broadcasts: use the mask as it comes.",
)


def after_softmax(masking: str = MASKING, mask: str = "mask") -> Mistake:
    """`masking`: the lines before the softmax that apply the mask."""
    return Mistake(
        "mask-after-softmax",
        find=_with_softmax(masking),
        replace=_softmax_first(masking, f"weights = weights * {mask}"),
        says="You leave the forbidden keys out only after the softmax (their weights become zeros, say), so "
        "they still count in its denominator, and what is left of a row does not sum to 1. Mask the scores "
        "with -inf before the softmax.",
    )


def after_softmax_renormalised(masking: str = MASKING, mask: str = "mask") -> Mistake:
    """`masking`: the lines before the softmax that apply the mask."""
    renormalised = "weights = weights / weights.sum(dim=-1, keepdim=True)"
    return Mistake(
        "mask-after-softmax-renormalised",
        find=_with_softmax(masking),
        replace=_softmax_first(masking, f"weights = weights * {mask}", renormalised),
        says="What your softmax subtracts can lie far above a row's allowed scores: their exponentials then "
        "underflow to 0, and 0 / 0 is NaN. Usually forbidden scores take part in it, or in its maximum, and "
        "are zeroed only afterwards; or the maximum begins at 0. Mask the scores with -inf first, and "
        "subtract the largest that is left in each row.",
    )


def after_softmax_renormalised_to_zeros(masking: str = MASKING, mask: str = "mask") -> Mistake:
    """`masking`: the lines before the softmax that apply the mask."""
    total = "weights.sum(dim=-1, keepdim=True).clamp_min(torch.finfo(weights.dtype).tiny)"
    return Mistake(
        "mask-after-softmax-renormalised-to-zeros",
        find=_with_softmax(masking),
        replace=_softmax_first(masking, f"weights = weights * {mask}", f"weights = weights / {total}"),
        says="What your softmax subtracts can lie far above a row's allowed scores: their exponentials then "
        "underflow to 0, and so all weights of the row are 0 (a floor under the sum, or nan_to_num, only "
        "hides the NaN). Usually forbidden scores take part in the softmax, and are zeroed only afterwards. "
        "Mask the scores with -inf first.",
    )


CAUSAL_DROPS_THE_DIAGONAL = Mistake(
    "causal-drops-the-diagonal",
    find=".tril()",
    replace=".tril(diagonal=-1)",
    says="Your causal mask leaves out the diagonal, so a token does not see itself and the first one sees "
    "nothing (with -inf its row is NaN). Query i attends to the keys 0 … i, i included: keep tril() with "
    "diagonal 0, or forbid triu(diagonal=1).",
)
CAUSAL_SEES_ONE_AHEAD = Mistake(
    "causal-sees-one-ahead",
    find=".tril()",
    replace=".tril(diagonal=1)",
    says="Your causal mask allows one key too many: query i sees key i + 1, the token that it has to "
    "predict. Keep the diagonal and what is below it: tril() with diagonal 0.",
)
CAUSAL_TRANSPOSED = Mistake(
    "causal-transposed",
    find=".tril()",
    replace=".triu()",
    says="Your causal mask is the wrong triangle: every query sees the future instead of the past. Rows are "
    "queries, columns are keys, and True means allowed, so keep the lower triangle. (triu(diagonal=1) would "
    "be right for a mask of what is forbidden.)",
)


def _with_softmax(masking: str) -> str:
    return f"{masking}{_indent(masking)}weights = torch.softmax(scores, dim=-1)"


def _softmax_first(masking: str, *after: str) -> str:
    """The softmax, and under the same condition as the masking what comes after it instead."""
    *condition, fill = [line for line in masking.splitlines() if not line.lstrip().startswith("#")]
    softmax = f"{_indent(masking)}weights = torch.softmax(scores, dim=-1)"
    return "\n".join([softmax, *condition, *(_indent(fill) + line for line in after)])


def _indent(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]
