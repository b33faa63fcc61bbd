"""Known wrong versions of `self_attention_v2`: blocks of keys or queries."""

from grader.kit.families.attention.mistakes import block_mistakes

SOFTMAX = "        weights = torch.softmax(scores, dim=-1)\n"

MISTAKES = [
    *block_mistakes.rest_left_out("x.shape[1]", "x.shape[1]"),
    *block_mistakes.not_rescaled(SOFTMAX, "x.shape[1]", largest=128),
    *block_mistakes.padding_counted("x.shape[1]", "query @ key.transpose(-2, -1)"),
]
