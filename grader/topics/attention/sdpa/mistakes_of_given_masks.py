"""Known wrong versions of `sdpa` that go wrong with a given mask only: is_causal has code of its own."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families.attention import floor_mistakes, mask_mistakes

MASKING = """\
    if mask is not None:
        # exp(-inf) is exactly 0, and -inf exists in every float dtype, which -1e20 does not.
        scores = scores.masked_fill(~mask, -math.inf)
"""
FILL = "scores.masked_fill(~mask, -math.inf)"
IF_CAUSAL = "    if is_causal:\n"
SOFTMAX = "    weights = torch.softmax(scores, dim=-1)"


def of_given_masks(mistake: Mistake, masked: str) -> Mistake:
    """`masked`: the scores, instead of `FILL`."""
    return replace(
        mistake, id=f"given-{mistake.id}", find=FILL, replace=f"{FILL} if is_causal else {masked}", also=()
    )


def after_softmax(mistake: Mistake, *lines: str) -> Mistake:
    """`lines`: what follows the softmax."""
    causal = MASKING.replace("if mask is not None:", "if is_causal:")
    after = "\n".join(f"        {line}" for line in lines)
    return replace(
        mistake,
        id=f"given-{mistake.id}",
        find=f"{MASKING}{SOFTMAX}",
        replace=f"{causal}{SOFTMAX}\n    if mask is not None and not is_causal:\n{after}",
    )


MISTAKES = [
    *mask_mistakes.with_either_fill(
        replace(
            mask_mistakes.INVERTED,
            id="given-mask-inverted",
            find=IF_CAUSAL,
            replace=f"    if mask is not None:\n        mask = ~mask\n{IF_CAUSAL}",
        )
    ),
    of_given_masks(mask_mistakes.added(), "scores + mask"),
    of_given_masks(mask_mistakes.fills_zero(), "scores.masked_fill(~mask, 0.0)"),
    of_given_masks(mask_mistakes.fill_not_low_enough(), "scores.masked_fill(~mask, -100.0)"),
    of_given_masks(mask_mistakes.added_number_not_low_enough(), "scores + ~mask * -100.0"),
    of_given_masks(
        mask_mistakes.zero_scores_masked(),
        "(scores * mask).masked_fill(scores * mask == 0, -math.inf)",
    ),
    of_given_masks(mask_mistakes.ignored(MASKING), "scores"),
    after_softmax(mask_mistakes.after_softmax(MASKING), "weights = weights * mask"),
    after_softmax(
        mask_mistakes.after_softmax_renormalised(MASKING),
        "weights = weights * mask",
        "weights = weights / weights.sum(dim=-1, keepdim=True)",
    ),
    after_softmax(
        mask_mistakes.after_softmax_renormalised_to_zeros(MASKING),
        "weights = weights * mask",
        "total = weights.sum(dim=-1, keepdim=True)",
        "weights = weights / total.clamp_min(torch.finfo(weights.dtype).tiny)",
    ),
    Mistake(
        "causal-without-a-mask",
        find=IF_CAUSAL,
        replace="    if is_causal or mask is None:\n",
        says="Without a mask your attention is always causal, as in a decoder's code. Here is_causal "
        "decides, and its default is False: every query then attends to all keys.",
    ),
    *floor_mistakes.after_softmax_renormalised("plus 1e-6", masking=MASKING),
]
