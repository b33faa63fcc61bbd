"""Known wrong versions of `self_attention_v3`: what is left over of a long sequence."""

from grader.kit.families.attention.mistakes import block_mistakes

MISTAKES = [
    *block_mistakes.rest_left_out("x.shape[1]", "x.shape[1]"),
]
