"""Known wrong versions of `latent_query_attention`: what is left over of a long sequence."""

from grader.kit.families.attention.mistakes import block_mistakes

MISTAKES = [
    *block_mistakes.rest_left_out("query.shape[2]", "key.shape[2]", blocks=(4, 16)),
    *block_mistakes.first_block_hidden("        weights = torch.softmax(scores, dim=-1)\n", (2, 64)),
]
