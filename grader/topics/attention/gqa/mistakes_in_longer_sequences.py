"""Known wrong versions of `gqa`: what is left over of a long sequence."""

from grader.kit.families.attention.mistakes import block_mistakes

MISTAKES = [
    *block_mistakes.rest_left_out("seq", "seq"),
    *block_mistakes.mask_of_one_row_cut("scores.masked_fill(~mask, -math.inf)", "mask"),
]
