"""Known wrong versions of `encoder_layer` on whose path with a dropout something is missing."""

from grader.kit.families import dropout_mistakes

MISTAKES = [
    dropout_mistakes.mask_ignored_in_training("attn_mask=mask", "attn_mask=None if dropout_p else mask"),
    dropout_mistakes.without_gradients(),
]
