"""Known wrong versions of `sdpa` that go wrong with a given mask only, or without one only."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import floor_mistakes, mask_mistakes, unmasked_mistakes

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
    *(
        Mistake(
            name,
            find="    if scale is None:\n",
            replace=f"    if scale is None or {where}:\n",
            says=f"{when} you do not use the scale that is given, and always take 1 / sqrt(head_dim). A "
            "scale that is given is the factor of the scores in every case.",
        )
        for name, where, when in [
            ("scale-ignored-when-causal", "is_causal", "With is_causal"),
            ("scale-ignored-with-a-mask", "mask is not None", "With a mask"),
            ("scale-ignored-without-a-mask", "(mask is None and not is_causal)", "Without a mask"),
            ("scale-used-with-a-mask-alone", "mask is None", "Without a mask, with is_causal too,"),
            ("scale-used-when-causal-alone", "not is_causal", "Without is_causal"),
        ]
    ),
    *floor_mistakes.after_softmax_renormalised("plus 1e-6", masking=MASKING),
    unmasked_mistakes.max_not_subtracted(" " * 4),
    unmasked_mistakes.no_gradient(" " * 4),
    Mistake(
        "causal-bias-in-float32",
        find=MASKING,
        replace=f"""\
    if is_causal:
        scores = scores + torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -math.inf)
    elif mask is not None:
{MASKING.split(":", 1)[1].lstrip(chr(10))}""",
        says="With is_causal you add a bias of the default dtype, float32, to the scores. In float16 they "
        "become float32 by that, and do not go with the values. Make it in the scores' dtype, or fill with a "
        "boolean mask.",
    ),
]
