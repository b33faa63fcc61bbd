"""Known wrong versions of `pooled_cross_attention` on whose path with a dropout something is missing."""

from grader.kit import Mistake
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
    dropout_mistakes.ONLY_WITH_GRADIENTS,
    Mistake(
        "weight-of-a-single-window-not-dropped",
        find="        weights = self.dropout(weights)\n",
        replace="        weights = self.dropout(weights) if weights.shape[-1] > 1 else weights\n",
        says="Where there is a single window you do not drop attention weights: each is 1, and you hand on "
        "the window's value, for example. In training that weight is dropped as others are.",
    ),
]
