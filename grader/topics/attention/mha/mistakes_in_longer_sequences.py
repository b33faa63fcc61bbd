"""Known wrong versions of `mha`: what is left over of a long sequence."""

from grader.kit.families.attention.mistakes import block_mistakes

MISTAKES = [
    *block_mistakes.rest_left_out("seq", "seq"),
    *block_mistakes.padding_counted("seq", "query @ key.transpose(-2, -1)", masked=True),
    *block_mistakes.mask_of_one_row_cut("scores.masked_fill(~mask, -math.inf)", "mask"),
    *block_mistakes.first_block_hidden("        weights = torch.softmax(scores, dim=-1)\n", (2, 4, 8)),
]
