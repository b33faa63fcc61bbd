"""Known wrong versions of `mqa` on whose path with a dropout something is missing."""

from grader.kit.families import dropout_mistakes

MISTAKES = [
    dropout_mistakes.MASK_IGNORED_IN_TRAINING,
    dropout_mistakes.GONE_AFTER_EVALUATION,
    dropout_mistakes.ONLY_WITH_GRADIENTS,
    dropout_mistakes.WEIGHTS_OVERWRITTEN,
]
