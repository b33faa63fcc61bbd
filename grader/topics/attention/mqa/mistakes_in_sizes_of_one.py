"""Known wrong versions of `mqa` for whom a size of 1 is no size."""

from grader.kit.families.attention.mistakes import lone_token_mistakes, squeezed_mistakes

MISTAKES = [
    *squeezed_mistakes.EXPANDED_WITH_HEADS,
    squeezed_mistakes.result_squeezed("self.o_proj(context)"),
    *lone_token_mistakes.partly_projected("query = self.q_proj(x)"),
]
