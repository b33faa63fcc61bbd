"""Known wrong versions of `mha_sdpa` that use the weights of projections transposed."""

from grader.kit.families.attention.mistakes import layout_mistakes

MISTAKES = [
    layout_mistakes.fused_transposed("", "self.o_proj(context)"),
    layout_mistakes.fused_transposed("input"),
    layout_mistakes.transposed("output", "self.o_proj(context)"),
]
