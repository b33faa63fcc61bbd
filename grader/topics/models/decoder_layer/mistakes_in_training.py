"""Known wrong versions of `decoder_layer` on whose path with a dropout something is missing."""

from grader.kit.families import dropout_mistakes

OF_THE_TARGET = [(f"self.self_attn({x}, {x}, ", "mask)") for x in "hx"]
OF_MEMORY = [(f"self.cross_attn({x}, memory, ", "memory_mask)") for x in ("self.norm2(x)", "x")]


def ignored(first, *others, mask):
    """Each is a call's beginning, and its end with the mask."""
    edits = [
        (begin + end, f"{begin}None if self.training and self.dropout.p else {end}")
        for begin, end in (first, *others)
    ]
    return dropout_mistakes.mask_ignored_in_training(*edits[0], mask=mask, also=tuple(edits[1:]))


MISTAKES = [
    ignored(*OF_THE_TARGET, mask="mask"),
    ignored(*OF_MEMORY, mask="memory_mask"),
    dropout_mistakes.mask_ignored_in_training(
        "attn_mask=mask", "attn_mask=None if dropout_p else mask", mask="the masks"
    ),
    dropout_mistakes.without_gradients(),
]
