"""Known wrong versions of `pooled_cross_attention` on whose path with a dropout something is missing."""

from grader.kit.families import dropout_mistakes

MISTAKES = [
    dropout_mistakes.mask_ignored_in_training(
        "        scores = scores.masked_fill(~mask, -math.inf)\n",
        """\
        if not (self.training and self.dropout.p):
            scores = scores.masked_fill(~mask, -math.inf)
""",
        mask="padding_mask",
    ),
    dropout_mistakes.GONE_AFTER_EVALUATION,
]
