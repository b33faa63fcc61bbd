"""Known wrong versions of `cross_attention` for whom a size of 1 is no size."""

from grader.kit.families.attention.mistakes import squeezed_mistakes

MISTAKES = [
    *squeezed_mistakes.WITH_HEADS,
    squeezed_mistakes.result_squeezed("self.o_proj(merged)"),
]
