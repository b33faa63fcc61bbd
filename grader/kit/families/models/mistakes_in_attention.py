"""Mistakes in the attention of whole layers.

The solutions call the fused function in the line `FUSED`, where they have `query`, `key`, `value` and `mask`.
Learners may also write it out.
"""

from dataclasses import replace

from grader.kit.families.attention.mistakes import mask_mistakes, score_mistakes, sequence_mistakes
from grader.kit.mistakes import Mistake

FUSED = """\
        context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout_p)"""

_WRITTEN_OUT = f"""\
        import math

        import torch

        scores = query @ key.transpose(-2, -1)
        scores = scores / math.sqrt(self.head_dim)
{mask_mistakes.MASKING}\
        weights = torch.softmax(scores, dim=-1)
        context = F.dropout(weights, dropout_p) @ value"""

BY_HAND = (FUSED, _WRITTEN_OUT)
"""An edit for mistakes beside it, which make other numbers where the learner writes the function out."""


def written_out(mistake: Mistake) -> Mistake:
    """A mistake of attention that is made where the learner writes the fused function out."""
    return Mistake(mistake.id, find=FUSED, replace=mistake.applied(_WRITTEN_OUT), says=mistake.says)


MASK_INVERTED = Mistake(
    mask_mistakes.INVERTED.id,
    find="attn_mask=mask,",
    replace="attn_mask=None if mask is None else ~mask,",
    says=mask_mistakes.INVERTED.says,
)
MASK_INVERTED_WRITTEN_OUT = replace(
    written_out(mask_mistakes.INVERTED), id=f"{mask_mistakes.INVERTED.id}-written-out"
)

MASK_OF_THE_FIRST_HEAD = Mistake(
    mask_mistakes.OF_THE_FIRST_HEAD.id,
    find="attn_mask=mask,",
    replace="attn_mask=None if mask is None else mask[:, :1],",
    says="You use the first head's mask for all heads. A mask may say for each head what it may attend to.",
)

MASK_OF_THE_FIRST_SEQUENCE = tuple(
    Mistake(
        mistake.id,
        find="attn_mask=mask,",
        replace=f"attn_mask=None if mask is None else {used},",
        says=mistake.says,
    )
    for mistake, used in zip(
        sequence_mistakes.of_the_first_sequence(),
        ("mask[:1]", "mask if mask.shape[2] == 1 else mask[:1]"),
        strict=True,
    )
)

MASK_LAID_OUT_BY_HEADS = Mistake(
    "mask-laid-out-by-heads",
    find="attn_mask=mask,",
    replace="""\
attn_mask=None
            if mask is None
            else mask.expand(*query.shape[:3], key.shape[2])
            .transpose(0, 1)
            .reshape(*query.shape[:3], key.shape[2]),""",
    says="Where there are several texts and heads, masks meet scores of another text or head: one of the "
    "two is laid out text by text, and the other head by head (by cat or repeat, for example), before they "
    "come together in one dimension of batch * num_heads. Flatten both in the same order, or leave four "
    "dimensions.",
)
SCORES_LAID_OUT_BY_HEADS = replace(  # the other way round
    MASK_LAID_OUT_BY_HEADS,
    id="scores-laid-out-by-heads",
    replace="""\
attn_mask=None
            if mask is None
            else mask.expand(*query.shape[:3], key.shape[2])
            .reshape(query.shape[1], query.shape[0], *query.shape[2:3], key.shape[2])
            .transpose(0, 1),""",
)
MASK_OF_THE_FIRST_HEAD_LAID_OUT_BY_HEADS = Mistake(
    "mask-of-the-first-head-laid-out-by-heads",
    find="attn_mask=mask,",
    replace=MASK_LAID_OUT_BY_HEADS.replace.replace("else mask.", "else mask[:, :1]."),
    says="You use the first head's mask for all heads, and repeat it in another order than that of the "
    "scores, so that with several texts a mask meets the scores of another one. Leave scores and mask in "
    "four dimensions, (batch, head, query, key): masks broadcast by themselves.",
)


def sizes_of_heads_exchanged(lines: str) -> tuple[Mistake, Mistake]:
    """Scaled by what then is the size of a head, and by head_dim. `lines`: those that split the heads."""
    own = Mistake(
        "sizes-of-heads-exchanged",
        find=lines,
        replace=lines.replace("self.num_heads, self.head_dim", "self.head_dim, self.num_heads"),
        says="You split the features as (head_dim, num_heads), so you have head_dim heads of num_heads "
        "features each, which is right only where both are equal. Split them as (num_heads, head_dim), and "
        "then transpose(1, 2).",
    )
    scaled = (FUSED, FUSED.replace("dropout_p=dropout_p", "dropout_p=dropout_p, scale=self.head_dim**-0.5"))
    return own, replace(own, id=f"{own.id}-scaled-by-head-dim", also=(scaled,))


WEIGHTS_DETACHED = Mistake(
    "weights-detached",
    find=FUSED,
    replace=f"        query, key = query.detach(), key.detach()\n{FUSED}",
    says="No gradient passes through your attention weights, so q_proj and k_proj learn nothing: the "
    "weights are computed under no_grad, or detached, for example. They depend on x like the values do.",
)

MASK_INVERTED_WITH_FINITE_FILL = written_out(mask_mistakes.with_finite_fill(mask_mistakes.INVERTED))

MASK_INVERTED_IN_PLACE = tuple(written_out(mistake) for mistake in mask_mistakes.inverted_in_place())

MASK_ADDED = Mistake(
    "mask-added",
    find="attn_mask=mask,",
    replace="attn_mask=None if mask is None else mask.to(query.dtype),",
    says="You add the mask to the scores as a number (a float mask is added, also by the fused function), "
    "which only raises the allowed ones by 1. Hand it over as boolean, or fill the forbidden scores with "
    "-inf.",
)

MASK_IGNORED = Mistake(
    "mask-ignored",
    find="attn_mask=mask,",
    replace="attn_mask=None,",
    says="You do not use the mask (or throw the result of masked_fill away: it returns a new tensor). Hand "
    "it over as attn_mask, or fill the forbidden scores with -inf before the softmax.",
)

SCALED_TWICE = Mistake(
    "scaled-twice",
    find=FUSED,
    replace=FUSED.replace("(query,", "(query / self.head_dim**0.5,"),
    says="Your scores are divided by head_dim instead of its square root: by the root twice, for example, "
    "since F.scaled_dot_product_attention scales by itself.",
)

SCALE_BY_HEADS = Mistake(
    "scale-by-the-number-of-heads",
    find=FUSED,
    replace=FUSED.replace("dropout_p=dropout_p", "dropout_p=dropout_p, scale=query.shape[1] ** -0.5"),
    says="You scale by 1 / sqrt(num_heads), for example by another axis's size. A head's dot product has "
    "head_dim terms: divide by its root.",
)

SCALE_MISSING = written_out(
    score_mistakes.scale_missing("scores = scores / math.sqrt(self.head_dim)", "head_dim")
)
SCALE_BY_HIDDEN_SIZE = replace(
    written_out(score_mistakes.SCALE_BY_HIDDEN_SIZE),
    replace=_WRITTEN_OUT.replace("self.head_dim", "query.shape[1] * self.head_dim"),
)
MASK_FILLS_ZERO = written_out(mask_mistakes.fills_zero())
MASK_AFTER_SOFTMAX = written_out(mask_mistakes.after_softmax())
MASK_FILLS_WEIGHTS = tuple(
    replace(
        MASK_AFTER_SOFTMAX,
        id=f"mask-fills-weights-with-{name}",
        replace=MASK_AFTER_SOFTMAX.replace.replace("weights * mask", f"weights.masked_fill(~mask, {fill})"),
        says=says,
    )
    for name, fill, says in (
        (
            "minus-infinity",
            "-math.inf",
            "Where a query has forbidden keys your result is NaN: you fill their weights with -inf after the "
            "softmax, for example, or multiply scores of -inf by the mask, whose False is 0. Fill the scores "
            "before the softmax, and do nothing else: exp makes weights of 0.",
        ),
        (
            "minus-1e9",
            "-1e9",
            "The weights of your forbidden keys are -1e9 instead of 0: you fill them in after the softmax, "
            "for example. Fill the scores, before the softmax: exp makes weights of 0.",
        ),
    )
)
MASK_TIMES_MINUS_INFINITY = written_out(mask_mistakes.times_minus_infinity())
FILL_NOT_LOW_ENOUGH = written_out(mask_mistakes.fill_not_low_enough())
ADDED_NUMBER_NOT_LOW_ENOUGH = written_out(mask_mistakes.added_number_not_low_enough())
MASK_AFTER_SOFTMAX_RENORMALISED = written_out(mask_mistakes.after_softmax_renormalised())
MASK_AFTER_SOFTMAX_RENORMALISED_TO_ZEROS = written_out(mask_mistakes.after_softmax_renormalised_to_zeros())
MAX_NOT_SUBTRACTED = written_out(score_mistakes.max_not_subtracted())
LARGEST_OF_ALL_SUBTRACTED = written_out(score_mistakes.largest_of_all_subtracted())
SCORES_CLAMPED = written_out(score_mistakes.clamped("scores / math.sqrt(self.head_dim)"))
LARGE_SCORES = (
    FILL_NOT_LOW_ENOUGH,
    ADDED_NUMBER_NOT_LOW_ENOUGH,
    MASK_AFTER_SOFTMAX_RENORMALISED,
    MASK_AFTER_SOFTMAX_RENORMALISED_TO_ZEROS,
    MAX_NOT_SUBTRACTED,
    LARGEST_OF_ALL_SUBTRACTED,
    SCORES_CLAMPED,
)
"""Those that show where scores are in the thousands."""


def large_scores_under_a_causal_mask(fused: str, dropout_p: str = "dropout_p") -> tuple[Mistake, ...]:
    """The same where the function has no mask but a causal one. `fused`: the line that calls it."""
    before = f"""\
        mask = query.new_ones(seq, seq).tril().bool()
        dropout_p = {dropout_p}
"""
    return tuple(replace(each, find=fused, replace=before + each.replace) for each in LARGE_SCORES)


WITHOUT_A_MASK = (
    Mistake(
        "max-not-subtracted-without-a-mask",
        find=FUSED,
        replace=f"""\
{FUSED}
        if mask is None:
            exps = (query @ key.transpose(-2, -1) / self.head_dim**0.5).exp()
            context = F.dropout(exps / exps.sum(dim=-1, keepdim=True), dropout_p) @ value""",
        says="Where there is no mask, your softmax does not subtract the maximum: exp overflows above 88.7 "
        "in float32 and 709 in float64, and inf / inf is NaN; far below it every exponential is 0, and 0 / 0 "
        "is NaN. Subtract each row's largest score first, or use torch.softmax, with a mask and without.",
    ),
    Mistake(
        "weights-detached-without-a-mask",
        find=FUSED,
        replace=f"""\
        if mask is None:
            query, key = query.detach(), key.detach()
{FUSED}""",
        says="Where there is no mask, no gradient passes through your attention weights, so q_proj and "
        "k_proj learn nothing: the weights are computed under no_grad, or detached, for example. They depend "
        "on x like the values do, with a mask and without.",
    ),
)
"""Those that are made only where there is no mask."""
SCORE_OF_ZERO_ADDED = written_out(score_mistakes.SCORE_OF_ZERO_ADDED)
SOFTMAX_OVER_QUERIES = written_out(score_mistakes.softmax_over_queries("(batch, num_heads, queries, keys)"))
