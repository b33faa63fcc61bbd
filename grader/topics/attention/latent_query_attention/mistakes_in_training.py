"""Known wrong versions of `latent_query_attention` on whose path with a dropout something is missing."""

from grader.kit.families import dropout_mistakes

MISTAKES = [
    dropout_mistakes.MASK_IGNORED_IN_TRAINING,
    dropout_mistakes.without_gradients(),
]
