"""Known wrong versions of `gqa` that use the weights of projections transposed."""

from grader.kit.families.attention.mistakes import layout_mistakes

MISTAKES = [
    layout_mistakes.transposed("query", "self.q_proj(x)"),
    layout_mistakes.transposed("output", "self.o_proj(context)"),
    layout_mistakes.transposed("query and output", "self.q_proj(x)", "self.o_proj(context)"),
]
