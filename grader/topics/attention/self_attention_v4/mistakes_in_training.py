"""Known wrong versions of `self_attention_v4` on whose path with a dropout something is missing."""

from grader.kit.families import dropout_mistakes

DROPS = "(self.training and self.dropout.p)"
PADDING, CAUSAL = "        if padding_mask is not None", "        if is_causal"

MISTAKES = [
    dropout_mistakes.GONE_AFTER_EVALUATION,
    dropout_mistakes.mask_ignored_in_training(
        f"{PADDING}:", f"{PADDING} and not {DROPS}:", mask="padding_mask"
    ),
    dropout_mistakes.mask_ignored_in_training(f"{CAUSAL}:", f"{CAUSAL} and not {DROPS}:", mask="is_causal"),
    dropout_mistakes.mask_ignored_in_training(
        "        scores = scores.masked_fill(~allowed, -math.inf)\n",
        f"""\
        if not {DROPS}:
            scores = scores.masked_fill(~allowed, -math.inf)
""",
        mask="the masks",
    ),
]
