"""Known wrong versions of `cross_attention`: what is left over of a long sequence."""

from grader.kit.families.attention.mistakes import block_mistakes

MISTAKES = [
    *block_mistakes.rest_left_out("tgt", "src"),
]
