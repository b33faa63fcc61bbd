"""Known wrong versions of `mha_sdpa` that give a head, or a sequence, the mask of another."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import mask_mistakes, squeezed_mistakes

MISTAKES = [
    Mistake(
        "mask-repeated-heads-first",
        find="            mask = mask.bool()",
        replace="""\
            mask = mask.bool().expand(batch, self.num_heads, *mask.shape[2:])
            mask = mask.transpose(0, 1).reshape(batch, self.num_heads, *mask.shape[2:])""",
        says="You repeat the mask in the order (heads, batch), while the heads of a sequence lie side by "
        "side, (batch, heads): so sequences get each other's masks. The built-in broadcasts a dimension of "
        "1: the mask need not be repeated.",
    ),
    replace(mask_mistakes.OF_THE_FIRST_HEAD, find="mask.bool()", replace="mask.bool()[:, :1]"),
    replace(mask_mistakes.SQUEEZED, find="mask.bool()", replace="mask.bool().squeeze()"),
    replace(mask_mistakes.SQUEEZED_ALONG_HEADS, find="mask.bool()", replace="mask.bool().squeeze(1)"),
    squeezed_mistakes.expanded_squeezed("{}", "mask.bool()", "batch, self.num_heads, seq, seq"),
    squeezed_mistakes.expanded_squeezed_along_heads("{}", "mask.bool()", "batch, self.num_heads, seq, seq"),
]
