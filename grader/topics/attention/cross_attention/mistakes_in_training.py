"""Known wrong versions of `cross_attention` on whose path with a dropout something is missing."""

from grader.kit.families import dropout_mistakes

MISTAKES = [
    dropout_mistakes.MASK_IGNORED_IN_TRAINING,
    dropout_mistakes.GONE_AFTER_EVALUATION,
    dropout_mistakes.ONLY_WITH_GRADIENTS,
]
